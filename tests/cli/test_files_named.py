"""Files as they are named: what is not there is said, what is saved has its ending, columns are no files."""

from pathlib import Path

import numpy as np
import pytest

import classay as ca
from command import call, refusal

ROWS = ("--truth", "y", "--score", "p (a)")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    p, q = (np.clip(0.4 + 0.2 * y + rng.normal(0, 0.2, 60), 0, 1).round(3) for _ in range(2))
    lines = [f"{a},{b},{c}" for a, b, c in zip(y, p, q, strict=True)]
    for name, rows in (("one.csv", lines), ("two.csv", lines[:-2])):
        Path(name).write_text("\n".join(["y,p (a),q (b)", *rows]))
    return tmp_path


@pytest.mark.parametrize("command", [
    ("assess", "one.csv", *ROWS),
    ("merge", "a.classay", "b.classay"),
    pytest.param(
        ("evaluate", "one.csv", "--target", "y", "--models", "naive_bayes", "--protocol", "2fold"),
        marks=pytest.mark.wings("resampling"),
    ),
])  # fmt: skip
@pytest.mark.parametrize("name", ["kept", "kept.classay", "2026-11-01", "kept.zip"])
def test_what_is_saved_has_its_ending_and_is_said(command, name):
    for each, rows in (("a", "one.csv"), ("b", "two.csv")):
        assert call("assess", rows, *ROWS, "--save", each).exit_code == 0
    done = call(*command, "--save", name)
    assert done.exit_code == 0, done.stderr
    wanted = name if name.endswith(".classay") else f"{name}.classay"
    assert Path(wanted).is_file()
    assert wanted == name or not Path(name).exists()
    assert f"wrote {wanted}" in done.stderr
    assert call("runs" if command[0] == "evaluate" else "compare", wanted).stderr.find("no file") < 0


def test_what_is_saved_may_go_into_a_device():
    assert call("assess", "one.csv", *ROWS, "--save", "/dev/null").exit_code == 0
    assert not Path("/dev/null.classay").exists()


def test_the_ending_counts_where_an_input_would_be_replaced():
    ca.assess([0, 1], [0.1, 0.9]).save("a.classay")
    ca.assess([0, 1], [0.1, 0.9]).save("b.classay")
    refused = refusal("merge", "a.classay", "b.classay", "--save", "a", lines=2)
    assert "would overwrite the input a.classay" in refused


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("2026*.classay",), "No file matches 2026*.classay"),
        (("a.classay", "2026*.classay"), "No file matches 2026*.classay"),
        (("a.classay", "b"), "File not found: b. Did you mean b.classay?"),
        (("a.classay", "none.classay"), "File not found: none.classay. Check the path"),
        (("one.csv", "two.csv"), "`classay assess one.csv --truth COL --score COL --save one`"),
    ],
)
def test_files_to_merge_that_are_not_there(given, said):
    for each in "ab":
        ca.assess([0, 1] * 9, [0.1, 0.9] * 9).save(f"{each}.classay")
    assert said in refusal("merge", *given)


def test_a_pattern_is_the_files_it_matches():
    for each in "ab":
        ca.assess([0, 1] * 9, [0.1, 0.9] * 9).save(f"day-{each}.classay")
    assert call("merge", "day-*.classay").stdout == call("merge", "day-a.classay", "day-b.classay").stdout


@pytest.mark.parametrize("option", ["--scores", "--predictions"])
@pytest.mark.parametrize(
    "command",
    [("compare",), ("best",), ("gate", "--measure", "recall", "--rule", "superior")],
    ids=lambda each: each[0],
)
def test_a_column_that_is_a_word_of_its_own_is_no_file(command, option):
    name, *more = command
    done = refusal(name, "one.csv", *more, "--truth", "y", option, "p (a)", "q (b)")
    assert "q (b) is not a file, but a column of one.csv" in done
    assert f"{option} 'p (a),q (b)'" in done


def test_without_the_truth_columns_are_named():
    done = call("compare", "one.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    for each in ("y", "p (a)", "q (b)", "--truth COL --scores COL,COL"):
        assert each in done.stdout
    for command in (("best",), ("gate", "--measure", "auc", "--rule", "superior")):  # a gate never passes so
        assert "Use --truth COL. Columns: y, p (a), q (b)" in refusal(
            command[0], "one.csv", *command[1:], "--scores", "p (a),q (b)"
        )


@pytest.mark.parametrize("command", ["gate", "compare", "best"])
@pytest.mark.parametrize("columns", ["--scores", "--predictions"])
def test_a_column_that_is_named_twice_is_no_second_model(tmp_path, command, columns):
    path = tmp_path / "cases.csv"
    path.write_text("y,p\n" + "0,0\n1,1\n" * 20)
    rule = ["--measure", "accuracy", "--rule", "superior"] if command == "gate" else []
    assert f"{columns} names p twice" in refusal(command, str(path), "--truth", "y", columns, "p,p", *rule)
