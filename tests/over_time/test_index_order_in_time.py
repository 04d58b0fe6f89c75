"""What periods of time add to `laws/test_index_order.py`."""

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
    with pytest.raises(ca.InputError, match=r"the same pandas index in different orders.*\.loc\["):
        DOORS[door](SCORE.iloc[OTHER])
    DOORS[door](SCORE.iloc[OTHER].loc[TRUTH.index])
    DOORS[door](SCORE.iloc[OTHER].reset_index(drop=True))
    DOORS[door](SCORE.iloc[OTHER].set_axis(range(100, 100 + ROWS)))
