"""Truth that is one-hot or of several tags: nobody guesses where both fit."""

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.errors import InputError

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 60)
ONE_HOT = np.eye(3, dtype=int)[Y]
P = 0.5 * RNG.dirichlet([1, 1, 1], 60) + 0.5 * ONE_HOT
FRAME = pd.DataFrame(
    {f"y_{c}": ONE_HOT[:, i] for i, c in enumerate("abc")}
    | {f"p_{c}": P[:, i] for i, c in enumerate("abc")}
    | {"g": np.arange(60) % 2, "t": np.arange(60) // 15}
)
NAMED = {"truth": "y_*", "score": "p_*"}
LOGITS = np.log(P) + np.arange(60)[:, None] / 4
AMBIGUOUS = "task='classes'.*task='tags'"


def test_what_is_no_question_stays_so():
    for scores in (P * 0.9, P[:, ::-1] * 0.5):
        assert type(ca.assess(ONE_HOT, scores)).__name__ == "MultilabelAssessment"
    sets = [{"abc"[each]} for each in Y]
    assert type(ca.assess(sets, P, labels=list("abc"))).__name__ == "MultilabelAssessment"
    assert type(ca.assess(ONE_HOT, y_pred=ONE_HOT)).__name__ == "MultilabelAssessment"
    assert ca.assess(ONE_HOT, y_pred=ONE_HOT, task="classes")["accuracy"].value == 1
    assert ca.assess(Y, P, task="classes")["accuracy"] == ca.assess(Y, P)["accuracy"]
    for matrix, scores in ((ONE_HOT, P * 0.9), (1 - ONE_HOT, P[:, ::-1] * 0.5)):
        assert str(ca.assess(matrix, scores, task="tags")) == str(ca.assess(matrix, scores))
    with pytest.raises(InputError, match="task='tags' needs"):
        ca.assess(Y, P, task="tags")
    with pytest.raises(InputError, match="exactly one 1"):
        ca.assess([[1, 1, 0], [0, 1, 0]], P[:2], task="classes")
