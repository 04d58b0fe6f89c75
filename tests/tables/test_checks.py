"""Public constructors of tables check what they are given: bad input is an InputError, never a number."""

import numpy as np
import pytest

from classay.errors import InputError
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, PairedTable, ScoreTable
from classay.tables.bins import BinnedClassScoreTable, BinnedScoreTable
from classay.tables.sparse import count_matrix

SCORE, POSITIVE = np.array([0.9, 0.4, 0.1]), np.array([True, False, True])
ONE, TWO = np.array([0, 1, 1]), np.array([1, 1, 0])
EACH, LABELS = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]), ("a", "b")

OF_ROWS = {
    "ScoreTable": (ScoreTable.from_rows, {"score": SCORE, "positive": POSITIVE}),
    "BinnedScoreTable": (
        lambda **rows: BinnedScoreTable.of_rows(**rows, bits=4),
        {"score": SCORE, "positive": POSITIVE},
    ),
    "ConfusionMatrix": (ConfusionMatrix.from_codes, {"predicted": ONE, "true": TWO, "labels": LABELS}),
    "many classes": (
        lambda labels, **rows: count_matrix(labels=tuple(range(2000)), **rows),
        {"predicted": ONE, "true": TWO, "labels": ()},
    ),
    "PairedTable": (PairedTable.from_codes, {"true": TWO, "first": ONE, "second": TWO, "labels": LABELS}),
    "ClassScoreTable": (ClassScoreTable.from_rows, {"scores": EACH, "true": TWO, "labels": LABELS}),
    "CaseTable": (CaseTable.from_rows, {"scores": EACH, "true": TWO, "labels": LABELS}),
    "BinnedClassScoreTable": (
        lambda **rows: BinnedClassScoreTable.from_rows(**rows, bits=4),
        {"scores": EACH, "true": TWO, "labels": LABELS},
    ),
}
"""What makes a table of rows, and good rows."""
BAD_WEIGHTS = {
    "short": [1, 1],
    "of two axes": [[1], [1], [1]],
    "NaN": [1, np.nan, 1],
    "infinite": [1, np.inf, 1],
    "negative": [1, -1, 1],
}


@pytest.mark.parametrize("name", OF_ROWS)
def test_rows_that_make_no_table(name):
    make, good = OF_ROWS[name]
    make(**good)
    for column, values in good.items():
        if column == "labels":
            continue
        for bad in (values[:2], values[None], [*values, None], values.astype(complex), "abc"):
            with pytest.raises(InputError):
                make(**good | {column: bad})
        if values.dtype.kind == "f":
            spoilt = values.copy()
            spoilt[1] = np.nan
            with pytest.raises(InputError, match="NaN"):
                make(**good | {column: spoilt})
        elif values.dtype.kind == "b":  # 0 and 1 would be places, not a choice
            with pytest.raises(InputError, match="booleans"):
                make(**good | {column: values.astype(int)})
        else:
            for bad in (values - 1, values + 2000, values / 1.0):
                with pytest.raises(InputError):
                    make(**good | {column: bad})
    for bad in (*BAD_WEIGHTS.values(), [1e200, 1, 1], [1e-200, 0, 0]):
        with pytest.raises(InputError):
            make(**good, weight=bad)
    for bad in (*BAD_WEIGHTS.values(), [1, 0.5, 1], [1e13, 1, 1]):
        with pytest.raises(InputError):
            make(**good, frequency=bad)
    with pytest.raises(InputError, match="cannot be combined"):
        make(**good, weight=[1, 1, 1], frequency=[1, 1, 1])


@pytest.mark.parametrize("name", OF_ROWS)
def test_weights_of_any_kind_are_those_of_an_array(name):
    make, good = OF_ROWS[name]
    for kind, values in (("weight", [2, 1, 0.5]), ("frequency", [2.0, 1.0, 0.0])):
        listed, array = (make(**good, **{kind: each}) for each in (values, np.array(values)))
        for each in (listed, array):
            total = each.total if hasattr(each, "total") else np.sum(each.class_totals)
            assert total == sum(values)


@pytest.mark.parametrize(
    ("make", "cells"), [(ConfusionMatrix, (2, 2)), (PairedTable, (2, 2, 2)), (ScoreTable, (3,))]
)
@pytest.mark.parametrize("bad", ["shape", "list", "negative", "NaN", "infinite", "text", "squares"])
def test_cells_that_make_no_table(make, cells, bad):
    good = np.ones(cells)
    spoilt = {
        "shape": good[:-1],
        "list": good.tolist(),
        "negative": -good,
        "NaN": good * np.nan,
        "infinite": good * np.inf,
        "text": good.astype(str),
        "squares": good,
    }[bad]
    squares = good[..., :-1] if bad == "squares" else None
    of_scores = (SCORE, good, spoilt, LABELS, squares, squares)
    with pytest.raises(InputError):
        make(*(of_scores if make is ScoreTable else (spoilt, LABELS, squares)))


@pytest.mark.parametrize("scores", [SCORE[::-1], SCORE[[0, 0, 1]], SCORE * np.nan, SCORE[None], [3, 2, 1]])
def test_scores_that_make_no_table(scores):
    with pytest.raises(InputError, match="from_rows"):
        ScoreTable(scores, np.ones(3), np.ones(3))


@pytest.mark.parametrize(
    "counts",
    [[[1e300, 1], [1, 1]], [[2.0**53, 2.0**53], [0, 0]], [[-1, 1], [1, 1]], [[0.5, 1], [1, 1]], [[1, 2]]],
)
def test_counts_that_make_no_matrix(counts):
    with pytest.raises(InputError):
        ConfusionMatrix.from_array(counts, LABELS, rows="true")


@pytest.mark.parametrize("labels", [("a", "a"), ("a",), ("a", "b", "c")])
def test_labels_that_make_no_table(labels):
    with pytest.raises(InputError):
        ScoreTable.from_rows(SCORE, POSITIVE, labels)


@pytest.mark.parametrize(
    "amounts", [[[1.0], [np.nan], [1.0]], [[1.0], [2.0]], [1.0, 2.0, 3.0], [[1e99], [1], [1]]]
)
def test_amounts_that_make_no_table(amounts):
    for make, good in (OF_ROWS["ScoreTable"], OF_ROWS["ConfusionMatrix"]):
        with pytest.raises(InputError):
            make(**good, amounts=np.array(amounts), names=("amount",))
