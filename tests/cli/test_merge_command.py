"""`classay merge`: saved assessments of different cases, together and apart."""

import json
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from command import call


@pytest.fixture(autouse=True)
def days(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.3).astype(int)
    score = rng.beta(1 + 2 * y, 2)
    for name, part in (("mon", slice(0, 200)), ("tue", slice(200, 400)), ("wed", slice(400, 600))):
        ca.assess(y[part], score[part]).save(f"{name}.classay")
    return y, score


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


def test_files_stand_beside_the_others(days):
    done = call(
        "merge",
        "mon.classay",
        "tue.classay",
        "wed.classay",
        "--apart",
        "--json",
        "a.json",
        "--measures",
        "auc",
    )
    assert "By file" in done.stdout
    groups = json.loads(Path("a.json").read_text())["slices"]["groups"]
    assert [each["label"] for each in groups] == ["mon", "tue", "wed"]
    wanted = (
        ca.assess_by(days[0], days[1], by=np.repeat(["mon", "tue", "wed"], 200)).frame("roc_auc").to_pylist()
    )
    assert [each["measures"]["roc_auc"]["p"] for each in groups] == pytest.approx(
        [each["p"] for each in wanted]
    )
    done = call("merge", "mon.classay", "tue.classay", "--apart", "--reference", "mon")
    assert "Difference from group 'mon'" in " ".join(done.stdout.split())


def test_requirements_decide_the_exit_code():
    for demand, code in (("auc >= 0.5", 0), ("auc >= 0.99", 1)):
        assert call("merge", "mon.classay", "tue.classay", "--require", demand).exit_code == code


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("mon.classay",), "pass two or more files, each once"),
        (("mon.classay", "mon.classay"), "pass two or more files, each once"),
        (("mon.classay", "tue.classay", "--reference", "mon"), "pass --apart too"),
        (("mon.classay", "tue.classay", "--apart", "--reference", "mo"), "label 'mo'"),
        (("mon.classay", "other.classay"), "the files cannot be added: threshold is 0.5 here and 0.3 there"),
        (("mon.classay", "none.classay"), "none.classay"),
        (("mon.classay", "tue.classay", "--save", "mon.classay"), "mon.classay"),
    ],
)
def test_what_cannot_be_merged_is_refused(days, given, said):
    ca.assess(*days, threshold=0.3).save("other.classay")
    done = call("merge", *given)
    assert done.exit_code == 2
    assert said in done.stderr
