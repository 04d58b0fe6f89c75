"""`classay merge`: saved assessments of different cases, together and apart."""

import json
from pathlib import Path

import pytest

import classay as ca
from command import call
from days import save_days


@pytest.fixture(autouse=True)
def days(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return save_days(tmp_path)


def test_the_whole_is_the_assessment_of_all_rows(days):
    done = call(
        "merge", "mon.classay", "tue.classay", "wed.classay", "--json", "a.json", "--save", "all.classay"
    )
    assert done.exit_code == 0, done.stderr
    assert "Assessment of 3 files together" in done.stdout
    whole = ca.assess(*days)
    found = json.loads(Path("a.json").read_text())
    assert found["measures"] == whole.to_dict()["measures"]
    assert ca.load("all.classay").to_dict() == whole.to_dict()


def test_requirements_decide_the_exit_code():
    for demand, code in (("auc >= 0.5", 0), ("auc >= 0.99", 1)):
        assert call("merge", "mon.classay", "tue.classay", "--require", demand).exit_code == code


def test_equal_files_of_other_cases_are_told_apart_by_their_ids():
    rows = {"y_true": [1, 0, 1], "y_score": [0.9, 0.2, 0.4]}
    for name, ids in (("a", "abc"), ("b", "xyz")):
        ca.assess(**rows, id=list(ids)).save(f"{name}.classay")
    assert call("merge", "a.classay", "b.classay").exit_code == 0
