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
}


@pytest.mark.parametrize("door", DOORS)
def test_another_order_of_one_index_is_refused(door):
    with pytest.raises(ca.InputError, match=r"same index in another order.*\.loc\["):
        DOORS[door](SCORE.iloc[OTHER])
    DOORS[door](SCORE.iloc[OTHER].loc[TRUTH.index])
    DOORS[door](SCORE.iloc[OTHER].reset_index(drop=True))
    DOORS[door](SCORE.iloc[OTHER].set_axis(range(100, 100 + ROWS)))
