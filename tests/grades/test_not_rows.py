"""Logs of evaluations given to commands for files of rows: the refusal names the command that reads them."""

from pathlib import Path

import pytest

from classay.errors import FileError
from classay.sources.files import read_table
from command import call, refusal

DATA = Path(__file__).parents[1] / "outside" / "data"


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("inspect-0.3.285-new.eval", "Inspect"),
        ("inspect-0.3.285-new.json", "Inspect"),
        ("deepeval-4.3.1-new.json", "deepeval"),
    ],
)
def test_a_log_names_the_command_that_reads_it(name, tool, monkeypatch):
    monkeypatch.chdir(DATA)
    said = f"{name} is a log of {tool}, not a file of rows. Use "
    for command in (("assess", name), ("describe", name), ("assess", name, "--truth", "y", "--score", "p")):
        assert said + f"`classay grades {name}`." in refusal(*command)
    assert "Choose one, such as --grade" in call("grades", name).stderr
    with pytest.raises(FileError, match="Use read_grades and assess_grades"):
        read_table(name)


def test_json_that_is_no_log_is_refused_as_before(tmp_path):
    (tmp_path / "rows.json").write_text('{"a": [{"y": 1}], "b": [{"p": 1}]}')
    assert "has several lists of rows (a and b)" in call("describe", str(tmp_path / "rows.json")).stderr


@pytest.mark.parametrize(("scale", "bounds"), [(1, "0,1"), (100, "0,100"), (1000, None)])
def test_likely_bounds_are_named_where_none_are_declared(scale, bounds, tmp_path):
    """An interval of undeclared grades may go beyond what a grade can be: with the bounds it stays within."""
    values = [0.9, 0.95, 1.0, 1.0, 0.2, 1.0, 0.9, 1.0]
    rows = "".join(f"{k},{scale * value}\n" for k, value in enumerate(values))
    (tmp_path / "rows.csv").write_text(f"case,closeness\n{rows}")
    command = ("grades", str(tmp_path / "rows.csv"), "--case", "case", "--grade", "closeness")
    shown = " ".join(call(*command).stdout.split())
    assert ("all are within" in shown) == (bounds is not None)
    if bounds is not None:
        assert f"which bounds {bounds} would declare" in shown
        assert "all are within" not in call(*command, "--bounds", bounds).stdout
