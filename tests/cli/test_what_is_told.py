"""What the command says of values that do not fit: what came, and how the one meant is written."""

from pathlib import Path

import pytest

from classay.cli.given import as_names
from classay.cli.lists import names_in
from command import call


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("27%", "Did you mean 0.27?"),
        ("0,5", "Did you mean 0.5?"),
        ("1.5%", "Did you mean 0.015?"),
        ("100%", "Did you mean 1?"),
        ("abc", "Use a number such as 0.27."),
    ],
)
def test_what_is_no_number_is_told_as_it_came_and_as_it_is_written(given, meant):
    said = call("assess", "f.csv", "--truth", "y", "--prevalence", given).stderr
    assert f"'{given}' is not a number. {meant}" in said
    assert "parse" not in said


@pytest.mark.parametrize(
    ("given", "meant"), [("1,000", "Did you mean 1000?"), ("x", "Use only digits, such as 10.")]
)
def test_a_whole_number_too(given, meant):
    said = call("assess", "f.csv", "--truth", "y", "--seed", given).stderr
    assert f"'{given}' is not a whole number. {meant}" in said


def test_blanks_between_quotes_are_part_of_a_label(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ["well", "SICK", "SICK "]
    rows = "".join(f"{names[k % 3]},{names[k * 7 % 3]}\n" for k in range(60))
    (tmp_path / "f.csv").write_text(f"y,p\n{rows}")
    done = call("assess", "f.csv", "--truth", "y", "--prediction", "p", "--order", 'well, SICK ,"SICK "')
    assert done.exit_code == 0, done.stderr
    assert names_in(as_names(names), "--order") == names


@pytest.mark.parametrize(
    ("cell", "share"), [("45,2%", "0.452"), ("45.2%", "0.452"), (" 7% ", "0.07"), ("-0.5%", "-0.005")]
)
@pytest.mark.parametrize("door", ["one file", "compare"])
def test_percentages_are_to_be_written_as_shares(tmp_path, monkeypatch, cell, share, door):
    monkeypatch.chdir(tmp_path)
    for name in "fg":
        (tmp_path / f"{name}.csv").write_text(f'y,p,q\n1,"{cell}",0.3\n0,0.02,0.2\n')
    calls = {
        "one file": ("assess", "f.csv", "--score", "p"),
        "compare": ("compare", "f.csv", "--scores", "p,q"),
    }
    said = call(*calls[door], "--truth", "y").stderr
    assert f"Replace percentages with shares in the whole column, such as {share}." in said


@pytest.mark.parametrize(
    "command", ["assess", "compare", pytest.param("evaluate", marks=pytest.mark.wings("resampling"))]
)
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


def test_raw_class_scores_name_the_option_at_the_command_and_the_argument_in_python(rows):
    options = ["--truth", "three", "--class-scores", "0=l0,1=l1,2=l2", "--json", "out.json"]
    assert "Use --score-scale logit or" in " ".join(call("assess", rows, *options).stdout.split())
    assert "Use score_scale='logit' or" in Path("out.json").read_text()


def test_a_former_name_is_told_in_one_line_of_standard_error(rows):
    """What is answered is the same as by the present name, and a line of Python is not shown."""
    options = ("assess", rows, "--truth", "three", "--order", "0,1,2", "--prediction", "three", "--measures")
    done, again = (call(*options, name) for name in ("class_mean_absolute_error", "mean_absolute_error"))
    assert done.exit_code == 0
    told = "classay: The measure class_mean_absolute_error is now mean_absolute_error. The old name will be removed."
    assert done.stderr == f"{told}\n"
    assert (again.stdout, again.stderr) == (done.stdout, "")


@pytest.mark.wings("groups")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--by", "bad"), "Column 'bad' (--by) "),
        (("--cluster", "bad"), "Column 'bad' (--cluster) "),
        (("--weight", "bad"), "Column 'bad' (--weight) "),
        (("--frequency", "bad"), "Column 'bad' (--frequency) "),
    ],
)
def test_what_is_wrong_in_a_column_names_the_column_and_its_option(tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    lines = [f"{k % 2},0.{k % 9 + 1},{'' if k == 3 else -1.5}" for k in range(20)]
    Path("f.csv").write_text("\n".join(["y,p,bad", *lines, ""]))
    done = call("assess", "f.csv", "--truth", "y", "--score", "p", *options)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"classay: {words}")
