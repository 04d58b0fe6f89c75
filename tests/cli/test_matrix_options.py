"""`--matrix` and `--counts`: every way to write the same counts gives the same result, and totals are no class."""

import json
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.cli.matrix_options import MatrixOptions, _has_totals
from command import call

COUNTS = [[50, 3, 1], [7, 40, 2], [4, 5, 30]]
"""Cases of true low, mid and high, by predicted class."""
NAMES = ["low", "mid", "high"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def lines(counts, rows, columns):
    """The text of a matrix with a label before each row, and a label above each column."""
    body = [",".join(map(str, (label, *row))) for label, row in zip(rows, counts, strict=True)]
    return "\n".join([",".join(["", *map(str, columns)]), *body, ""])


def assessed(*options, stdin=None):
    done = call("assess", *options, "--json", "-", stdin=stdin)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def expected(counts, labels, positive=None, *, ordered=False):
    matrix = ca.ConfusionMatrix.from_array(counts, labels, rows="true")
    if ordered:
        truth, said = ([labels[i] for i in np.repeat(at, np.ravel(counts))] for at in
                       (each.ravel() for each in np.indices(np.shape(counts))))  # fmt: skip
        return json.loads(json.dumps(ca.assess(truth, y_pred=said, labels=labels, ordered=True).to_dict()))
    return json.loads(json.dumps(ca.assess(matrix, positive=positive).to_dict()))


@pytest.mark.parametrize("side", ["true", "predicted"])
@pytest.mark.parametrize("order", [(0, 2, 1), (1, 2, 0), (2, 1, 0)])
def test_rows_and_columns_may_come_in_any_order(side, order):
    """Rows in one order, columns in another, and the labels in the one that is declared."""
    order = list(order)
    given = np.array(COUNTS) if side == "true" else np.array(COUNTS).T
    Path("m.csv").write_text(lines(given[order][:, ::-1], [NAMES[i] for i in order], NAMES[::-1]))
    found = assessed("--matrix", "m.csv", "--matrix-rows", side, "--labels", "low,mid,high")
    wanted = expected(COUNTS, NAMES)
    assert found["labels"] == NAMES
    assert found["confusion_matrix"] == wanted["confusion_matrix"]
    assert found["measures"] == wanted["measures"]
    assert found["measures"]["quadratic_kappa"].get("value") is None


def test_labels_in_an_order_have_the_measures_of_an_order():
    Path("m.csv").write_text(lines(np.array(COUNTS)[::-1], NAMES[::-1], NAMES))
    found = assessed("--matrix", "m.csv", "--matrix-rows", "true", "--order", "low,mid,high")
    wanted = expected(COUNTS, NAMES, ordered=True)
    assert found["measures"] == wanted["measures"]
    assert found["measures"]["quadratic_kappa"]["value"] > 0


def test_rows_without_labels_have_the_declared_ones_in_order():
    Path("m.csv").write_text(lines(COUNTS, ["", "", ""], ["x", "y", "z"]))
    rows = ("--matrix", "m.csv", "--matrix-rows", "true")
    found = assessed(*rows, "--labels", "low,mid,high")
    wanted = expected(COUNTS, NAMES)
    assert found["labels"] == NAMES
    assert found["confusion_matrix"] == wanted["confusion_matrix"]
    assert found["measures"] == wanted["measures"]
    for labels in ("low,mid", "low,mid,high,more"):
        done = call("assess", *rows, "--labels", labels)
        assert (done.exit_code, "A row of the matrix has no label." in done.stderr) == (2, True)


@pytest.mark.parametrize("declared", ["low,mid", "low,mid,high,more", "low,mid,tall"])
def test_other_labels_than_those_of_the_matrix_are_refused(declared):
    Path("m.csv").write_text(lines(COUNTS, NAMES, NAMES))
    done = call("assess", "--matrix", "m.csv", "--matrix-rows", "true", "--labels", declared)
    assert done.exit_code == 2
    known = ", ".join(f"'{each}'" for each in NAMES)
    said = ", ".join(f"'{each}'" for each in declared.split(","))
    assert f"The labels of the matrix are {known}, but {said} are declared." in done.stderr


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (["low", "mid", "high"], ["low", "mid", "tall"]),
        (["low", "mid"], ["low", "mid", "high"]),
        (["low", "mid", "high"], ["low", "mid"]),
        (["low", "mid", "mid"], ["low", "mid"]),
    ],
)
def test_labels_of_rows_that_columns_lack_are_told_with_both(rows, columns):
    Path("m.csv").write_text(lines(np.ones((len(rows), len(columns)), int), rows, columns))
    done = call("assess", "--matrix", "m.csv", "--matrix-rows", "true")
    assert done.exit_code == 2
    both = (", ".join(f"'{each}'" for each in labels) for labels in (rows, columns))
    assert "rows of the matrix have labels {}, but its columns have {}.".format(*both) in done.stderr


@pytest.mark.parametrize("name", ["m.csv", "-"])
def test_a_result_is_titled_by_what_it_is_of(name):
    text = lines([[9, 2], [3, 8]], ["a", "b"], ["a", "b"])
    Path("folder").mkdir()
    Path("folder/m.csv").write_text(text)
    path = name if name == "-" else f"folder/{name}"
    options = ("--matrix-rows", "true", "--positive", "b", "--format", "csv")
    done = call("assess", "--matrix", path, *options, stdin=text.encode() if name == "-" else None)
    assert done.exit_code == 0, done.stderr
    title = done.stdout.strip().splitlines()[0]
    assert "Assessment of " + {"-": "standard input"}.get(name, name) in title
    assert "folder" not in title
    counts = call("assess", "--counts", "tp=8,fp=2,fn=3,tn=9").stdout.strip().splitlines()[0]
    assert "Assessment of tp=8,fp=2,fn=3,tn=9" in counts
    assert MatrixOptions().name is None


def with_totals(counts):
    whole = np.zeros((len(counts) + 1,) * 2, int)
    whole[:-1, :-1] = counts
    whole[-1, :-1], whole[:-1, -1], whole[-1, -1] = np.sum(counts, 0), np.sum(counts, 1), np.sum(counts)
    return whole


@pytest.mark.parametrize("size", [1, 2, 3])
def test_totals_are_the_sums_of_all_the_others(size):
    """A last row and column that hold all sums of two or more classes; one more case anywhere, and they hold none."""
    counts = np.random.default_rng(size).integers(1, 9, (size, size))
    whole = with_totals(counts)
    assert _has_totals(whole) == (size > 1)
    for at in np.ndindex(whole.shape):
        more = whole.copy()
        more[at] += 1
        assert not _has_totals(more), at


def test_what_looks_like_totals_is_refused_or_declared():
    whole = with_totals([[5, 2], [3, 6]])
    Path("m.csv").write_text(lines(whole, ["a", "b", "c"], ["a", "b", "c"]))
    rows = ("--matrix", "m.csv", "--matrix-rows", "true")
    done = call("assess", *rows)
    assert done.exit_code == 2
    assert "The last row and column of the matrix look like totals." in done.stderr
    assert assessed(*rows, "--labels", "a,b,c")["confusion_matrix"]["counts"] == whole.T.tolist()
    Path("m.csv").write_text(lines(with_totals([[5]]), ["a", "b"], ["a", "b"]))
    assert assessed(*rows, "--positive", "b")["n"] == 20


@pytest.mark.parametrize(
    ("options", "labels", "positive"),
    [
        ((), ("negative", "positive"), "positive"),
        (("--positive", "ill"), ("negative", "ill"), "ill"),
        (("--labels", "well,ill"), ("well", "ill"), "ill"),
        (("--labels", "ill,well"), ("ill", "well"), "well"),
        (("--labels", "ill,well", "--positive", "ill"), ("ill", "well"), "ill"),
        (("--labels", "well,ill", "--positive", "ill"), ("well", "ill"), "ill"),
        (("--labels", "negative,x", "--positive", "negative"), ("negative", "x"), "negative"),
    ],
)
@pytest.mark.parametrize("text", ["tp=40,fp=3,fn=7,tn=1050", "TN = 1_050, Fn=7,fP=3 ,tp= 40"])
def test_four_counts_are_those_of_the_positive_class(options, labels, positive, text):
    found = assessed("--counts", text, *options)
    assert (found["labels"], found["positive"]) == (list(labels), positive)
    at = labels.index(positive)
    wanted = np.zeros((2, 2), int)
    wanted[at, at], wanted[1 - at, at], wanted[at, 1 - at], wanted[1 - at, 1 - at] = 40, 3, 7, 1050
    assert found["confusion_matrix"]["counts"] == wanted.T.tolist()
    assert found["measures"]["recall"]["value"] == 40 / 47
    assert found["measures"] == expected(wanted, labels, positive)["measures"]


@pytest.mark.parametrize("missing", range(4))
def test_the_count_that_lacks_is_named(missing):
    cells = ["tp", "fp", "fn", "tn"]
    gone = cells.pop(missing)
    done = call("assess", "--counts", ",".join(f"{cell}=3" for cell in cells))
    assert done.exit_code == 2
    assert f"--counts does not contain {gone}. Use four whole numbers" in done.stderr


@pytest.mark.parametrize("cell", ["", "x"])
@pytest.mark.parametrize("at", [(0, 0), (1, 1), (0, 1)])
def test_every_cell_must_be_a_number(cell, at):
    counts = [["5", "2"], ["3", "6"]]
    counts[at[0]][at[1]] = cell
    Path("m.csv").write_text(lines(counts, ["a", "b"], ["a", "b"]))
    done = call("assess", "--matrix", "m.csv", "--matrix-rows", "true", "--positive", "a")
    assert (done.exit_code, "A cell of the matrix is empty or not a number." in done.stderr) == (2, True)
