"""Pandas columns whose indexes say another order are refused at every door; all others go by their place."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import classay as ca

RNG = np.random.default_rng(0)
ROWS = 40
TRUTH = pd.Series(RNG.integers(0, 2, ROWS))
SCORE = pd.Series(RNG.random(ROWS))
OTHER = RNG.permutation(ROWS)
TAGS = pd.DataFrame(RNG.random((ROWS, 2)) < 0.5, columns=["a", "b"])
DOORS = {
    "assess": lambda score: ca.assess(TRUTH, score),
    "predictions": lambda said: ca.assess(TRUTH, y_pred=said > 0.5),
    "weight": lambda weight: ca.assess(TRUTH, SCORE, weight=weight),
    "cluster": lambda cluster: ca.assess(TRUTH, SCORE, cluster=cluster > 0.5),
    "groups": lambda by: ca.assess_by(TRUTH, SCORE, by=by > 0.5),
    "compare": lambda score: ca.compare({"one": SCORE, "two": score}, TRUTH),
    "features": lambda x: ca.evaluate(LogisticRegression(), x.to_frame(), TRUTH, protocol="1x2"),
    "tags": lambda score: ca.assess(TAGS, pd.DataFrame({"a": score, "b": score})),
    "groups of tags": lambda by: ca.assess_by(TAGS, TAGS * 0.5, by=by > 0.5),
    "class scores": lambda score: ca.assess(TRUTH, {0: 1 - score, 1: score}),
    "groups compared": lambda by: ca.compare({"one": SCORE, "two": SCORE**2}, TRUTH, by=by > 0.5),
    "times": lambda time: ca.assess_over_time(
        TRUTH, SCORE, time=pd.to_datetime((time * 5).round(), unit="D")
    ),
    "values": lambda values: ca.compare_values({"one": SCORE, "two": values}),
    "costs of each case": lambda score: ca.cost_curves({"one": score}, TRUTH, unanswered="drop"),
    "amounts": lambda fee: ca.assess(TRUTH, SCORE, amounts={"fee": fee}),
    "a third index": lambda weight: ca.assess(TRUTH.set_axis(range(200, 200 + ROWS)), SCORE, weight=weight),
}


@pytest.mark.parametrize("door", DOORS)
def test_another_order_of_one_index_is_refused(door):
    with pytest.raises(ca.InputError, match=r"one index in other orders.*\.loc\["):
        DOORS[door](SCORE.iloc[OTHER])
    DOORS[door](SCORE.iloc[OTHER].loc[TRUTH.index])
    DOORS[door](SCORE.iloc[OTHER].reset_index(drop=True))
    DOORS[door](SCORE.iloc[OTHER].set_axis(range(100, 100 + ROWS)))


DAYS = pd.date_range("2024-01-01", periods=ROWS, tz="UTC")
LEVELS = ["b", "a"] * (ROWS // 2)
TWO = pd.RangeIndex(ROWS), pd.Index(range(ROWS), dtype="Int64")
OTHERS = {
    "another type": TWO,
    "another zone": (DAYS, DAYS.tz_convert("Europe/Berlin")),
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
