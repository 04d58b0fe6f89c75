"""What the command says of values that do not fit: what came, and how the one meant is written."""

import re
from pathlib import Path

import pytest

from classay.cli.given import as_names
from classay.cli.lists import names_in
from command import call


@pytest.mark.parametrize(
    ("given", "meant"),
    [("27%", "0.27"), ("0,5", "0.5"), ("1.5%", "0.015"), ("100%", "1"), ("abc", "one such as 0.27")],
)
def test_what_is_no_number_is_told_as_it_came_and_as_it_is_written(given, meant):
    said = call("assess", "f.csv", "--truth", "y", "--prevalence", given).stderr
    assert f"'{given}' is no number: write {meant}." in said
    assert "parse" not in said


@pytest.mark.parametrize(("given", "meant"), [("1,000", "1000"), ("x", "digits alone, such as 10")])
def test_a_whole_number_too(given, meant):
    said = call("assess", "f.csv", "--truth", "y", "--seed", given).stderr
    assert f"'{given}' is no whole number: write {meant}." in said


@pytest.mark.parametrize("by", ["w", "w,s"])
def test_measurements_as_groups_are_named_and_to_be_binned(tmp_path, monkeypatch, by):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{k % 2},0.{k % 7 + 1},0.{k % 5 + 2},{k / 7},{k % 3}\n" for k in range(1, 1500))
    (tmp_path / "f.csv").write_text(f"y,p,q,w,s\n{rows}")
    for command in (("assess", "--score", "p"), ("compare", "--scores", "p,q")):
        said = call(command[0], "f.csv", "--truth", "y", *command[1:], "--by", by).stderr
        assert "'w' has 1,285 distinct" in said
        assert "ranges with --bands" in said


def test_blanks_between_quotes_are_part_of_a_label(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ["well", "SICK", "SICK "]
    rows = "".join(f"{names[k % 3]},{names[k * 7 % 3]}\n" for k in range(60))
    (tmp_path / "f.csv").write_text(f"y,p\n{rows}")
    done = call("assess", "f.csv", "--truth", "y", "--prediction", "p", "--order", 'well, SICK ,"SICK "')
    assert done.exit_code == 0, done.stderr
    assert names_in(as_names(names), "--order") == names


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


@pytest.mark.parametrize(
    ("cell", "share"), [("45,2 %", "0.452"), ("45.2%", "0.452"), (" 7 % ", "0.07"), ("-0.5%", "-0.005")]
)
@pytest.mark.parametrize("door", ["one file", "compare"])
def test_percentages_are_to_be_written_as_shares(tmp_path, monkeypatch, cell, share, door):
    monkeypatch.chdir(tmp_path)
    for name in "fg":
        (tmp_path / f"{name}.csv").write_text(f'y,p,q\n1,"{cell}",0.3\n0,"2 %",0.2\n')
    calls = {
        "one file": ("assess", "f.csv", "--score", "p"),
        "compare": ("compare", "f.csv", "--scores", "p,q"),
    }
    said = call(*calls[door], "--truth", "y").stderr
    assert f"write shares in place of percentages in the whole column, here {share}." in said


@pytest.mark.parametrize("command", ["assess", "compare", "evaluate"])
def test_an_example_reads_the_file_as_it_was_read(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.txt").write_text("y;p\n1;0.3\n0;0.2\n")
    done = call(command, "f.txt", "--format", "csv", "--delimiter", ";")
    assert done.exit_code == 0, done.stderr
    assert f"classay {command} f.txt --format csv --delimiter ';' --t" in done.stdout
    (tmp_path / "f.csv").write_text("y,p\n1,0.3\n0,0.2\n")
    assert f"classay {command} f.csv --t" in call(command, "f.csv").stdout


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
        ("reclassification {} --truth y --scores b,a", "with --new COL and --old COL"),
        ("compare {} --scores a,b", "For grades, use --graded COL,COL."),
        ("assess {} --truth three --score l0,l1,l2", "use --class-scores LABEL=COL,LABEL=COL"),
        ("compare {} --truth y --scores b,a --by clinic", "group (column 'clinic') is missing in 60 rows"),
        ("compare {} --graded b,a --by clinic,age", "by (column 'clinic') is missing in 60 rows"),
        ("assess {} --truth y --score b --by clinic,age", "group (column 'clinic') is missing in 60 rows"),
    ],
)
def test_an_error_names_the_option_or_the_column_that_is_meant(rows, line, words):
    assert words in call(*line.format(rows).split()).stderr


@pytest.mark.parametrize("command", ["compare {} --truth y --scores b,a", "assess {} --truth y --score b"])
def test_cases_without_a_group_name_only_the_columns_that_lack_a_value(rows, command):
    line = f"{command} --by clinic,age --bands age=30 --missing drop"
    assert "60 cases have no recorded clinic and count" in " ".join(
        call(*line.format(rows).split()).stdout.split()
    )


def test_raw_class_scores_name_the_option_at_the_command_and_the_argument_in_python(rows):
    options = ["--truth", "three", "--class-scores", "0=l0,1=l1,2=l2", "--json", "out.json"]
    assert "Use --score-scale logit or" in " ".join(call("assess", rows, *options).stdout.split())
    assert "Use score_scale='logit' or" in Path("out.json").read_text()


def test_a_gate_of_groups_shows_the_groups_and_no_marks_of_two_wordings(rows):
    line = "gate {} --truth y --scores b,a --measure accuracy --rule non-inferior --margin 0.01 --by age"
    said = call(*f"{line} --bands age=30 --json out.json".format(rows).split()).stdout
    assert re.search(r"\n +below 30 +120 +0\.\d+", said)
    said = call(*f"{line} --json out.json".format(rows).split()).stdout
    assert "--bands age=18,40,65" in said
    assert "40 more lines" in said
    assert "\ufdd0" not in said + Path("out.json").read_text()
