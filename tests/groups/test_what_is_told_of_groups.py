"""What groups of cases add to `cli/test_what_is_told.py`."""

import re
from pathlib import Path

import pytest

from command import call


@pytest.mark.parametrize("by", ["w", "w,s"])
def test_measurements_as_groups_are_named_and_to_be_binned(tmp_path, monkeypatch, by):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{k % 2},0.{k % 7 + 1},0.{k % 5 + 2},{k / 7},{k % 3}\n" for k in range(1, 1500))
    (tmp_path / "f.csv").write_text(f"y,p,q,w,s\n{rows}")
    for command in (("assess", "--score", "p"), ("compare", "--scores", "p,q")):
        said = call(command[0], "f.csv", "--truth", "y", *command[1:], "--by", by).stderr
        assert "'w' has 1,285 different" in said
        assert "ranges with --bands" in said


def test_assessments_of_different_cases_name_the_way_for_those(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        rows = "".join(f"{name}{k},{k % 2},0.{k % 7 + 1}\n" for k in range(60))
        (tmp_path / f"{name}.csv").write_text(f"id,y,p\n{rows}")
        how = ("--truth", "y", "--score", "p", "--id", "id", "--save", f"{name}.classay")
        assert call("assess", f"{name}.csv", *how).exit_code == 0
    said = call("compare", "a.classay", "b.classay").stderr
    assert "--unpaired" in said
    assert "merge --apart" in said
    assert call("compare", "--unpaired", "a.csv", "b.csv", "--truth", "y", "--score", "p").exit_code == 0
    assert call("merge", "--apart", "a.classay", "b.classay").exit_code == 0


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """Scores of two models, logits of three classes, an age, and a clinic that some rows lack."""
    monkeypatch.chdir(tmp_path)
    names = "y,a,b,l0,l1,l2,three,clinic,age"
    values = [
        f"{k % 2},0.{k * 7 % 90 + 10},0.{k * 11 % 90 + 10},{k % 5},{k % 3},{k % 7},{k % 3},"
        f"{'nse'[k % 3] if k % 4 else ''},{k % 60}"
        for k in range(240)
    ]
    (tmp_path / "f.csv").write_text("\n".join([names, *values, ""]))
    return "f.csv"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("reclassification {} --truth y --scores b,a", "Use --new COL and --old COL"),
        ("compare {} --scores a,b", "use --graded COL,COL."),
        ("assess {} --truth three --score l0,l1,l2", "--class-scores LABEL=COL,LABEL=COL"),
        (
            "compare {} --truth y --scores b,a --by clinic",
            "group (column 'clinic') has missing values in 60 rows",
        ),
        ("compare {} --graded b,a --by clinic,age", "by (column 'clinic') is missing in 60 rows"),
        (
            "assess {} --truth y --score b --by clinic,age",
            "group (column 'clinic') has missing values in 60 rows",
        ),
    ],
)
def test_an_error_names_the_option_or_the_column_that_is_meant(rows, line, words):
    assert words in call(*line.format(rows).split()).stderr


@pytest.mark.parametrize("command", ["compare {} --truth y --scores b,a", "assess {} --truth y --score b"])
def test_cases_without_a_group_name_only_the_columns_that_lack_a_value(rows, command):
    line = f"{command} --by clinic,age --bands age=30 --missing drop"
    assert "60 cases without a recorded clinic" in " ".join(call(*line.format(rows).split()).stdout.split())


def test_a_gate_of_groups_shows_the_groups_and_no_marks_of_two_wordings(rows):
    line = "gate {} --truth y --scores b,a --measure accuracy --rule non-inferior --margin 0.01 --by age"
    said = call(*f"{line} --bands age=30 --json out.json".format(rows).split()).stdout
    assert re.search(r"\n +below 30 +120 +0\.\d+", said)
    said = call(*f"{line} --json out.json".format(rows).split()).stdout
    assert "--bands age=18,40,65" in said
    assert "40 more lines" in said
    assert "\ufdd0" not in said + Path("out.json").read_text()
