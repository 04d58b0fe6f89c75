"""Pandas columns whose indexes say another order are refused at every door; all others go by their place."""

import numpy as np
import pandas as pd
import pytest

import classay as ca

RNG = np.random.default_rng(0)
ROWS = 40
TRUTH = pd.Series(RNG.integers(0, 2, ROWS))
SCORE = pd.Series(RNG.random(ROWS))


DAYS = pd.date_range("2024-01-01", periods=ROWS, tz="UTC")
LEVELS = ["b", "a"] * (ROWS // 2)
TWO = pd.RangeIndex(ROWS), pd.Index(range(ROWS), dtype="Int64")
OTHERS = {
    "another type": TWO,
    "another zone": (DAYS, DAYS.tz_convert("Europe/Berlin")),
    "part of a table": (pd.RangeIndex(ROWS), pd.Index(RNG.permutation(2 * ROWS)[:ROWS])),
    "later rows": (pd.RangeIndex(ROWS), pd.RangeIndex(5, ROWS + 5)),
    "rows drawn twice": (pd.Index([1, *range(1, ROWS)]), pd.Index([*range(2, ROWS + 1), 2])),
    "other counts": (pd.Index([0] * 30 + [1] * 10), pd.Index([0] * 10 + [1] * 30)),
    "other labels": (pd.RangeIndex(ROWS), pd.Index([f"id{i}" for i in range(ROWS)])),
    "categories": (
        pd.CategoricalIndex(LEVELS, ordered=True),
        pd.CategoricalIndex(LEVELS, ["b", "a"], ordered=True),
    ),
    "missing": (pd.Index([*range(ROWS - 1), np.nan]), pd.Index([*range(ROWS - 1), np.nan])),
    "lists": (pd.Index([[i] for i in range(ROWS)]), pd.Index([[i] for i in range(ROWS)])),
    "several levels": tuple(pd.MultiIndex.from_arrays([each, each]) for each in TWO),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_indexes_go_by_place(kind):
    truth, score = (each.set_axis(index) for each, index in zip((TRUTH, SCORE), OTHERS[kind], strict=True))
    assert ca.assess(truth, score)["roc_auc"] == ca.assess(TRUTH, SCORE)["roc_auc"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pd.RangeIndex(3, ROWS + 3), pd.RangeIndex(4, ROWS + 4)),
        (TRUTH.index.delete(5).append(pd.Index([99])), TRUTH.index.delete(7).append(pd.Index([99]))),
        (DAYS, DAYS.shift(1)),
        (pd.Index([f"id{i}" for i in range(ROWS)]), pd.Index([f"id{i}" for i in range(1, ROWS + 1)])),
    ],
    ids=["shifted", "rows dropped", "days", "text"],
)
def test_indexes_that_share_some_labels_are_refused(first, second):
    truth, score = TRUTH.set_axis(first), SCORE.set_axis(second)
    for call in (
        lambda: ca.assess(truth, score),
        lambda: ca.compare({"a": SCORE.set_axis(first), "b": score}, truth),
        lambda: ca.compare({"a": SCORE.to_numpy(), "b": score}, truth),
    ):
        with pytest.raises(
            ca.InputError, match=r"different pandas indexes: .* is only in that of .*to_numpy\(\)"
        ):
            call()
    ca.assess(truth, score.to_numpy())
