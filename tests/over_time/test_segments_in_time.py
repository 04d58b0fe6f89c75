"""What periods of time add to `groups/test_segments.py`."""

import numpy as np
import pytest

import classay as ca

RNG = np.random.default_rng(7)

N = 1200

PLAN, REGION = RNG.choice(["a", "b", "c"], N), RNG.choice(["n", "s"], N)

Y = RNG.random(N) < 0.5

BAD = (PLAN == "b") & (REGION == "s")

P = np.clip(np.where(RNG.random(N) < np.where(BAD, 0.65, 0.92), Y, ~Y) * 0.6 + 0.2, 0, 1)

Q = np.clip(np.where(RNG.random(N) < 0.9, Y, ~Y) * 0.6 + 0.2, 0, 1)

FRAME = {"y": Y.astype(int), "p": P, "plan": PLAN, "region": REGION, "id": [f"r{i}" for i in range(N)]}

BOTH = {**FRAME, "q": Q}


@pytest.mark.parametrize(
    "more",
    [
        {"top": 2},
        {"separator": "|"},
        {"case": "plan"},
        {"tag": "plan"},
        {"threshold": [0.1, 0.2]},
        {"truth": ["y", "q"], "score": ["p", "plan"]},
    ],
    ids=lambda more: next(iter(more)),
)
def test_what_is_of_several_labels_a_case_is_refused_at_the_doors_of_one(more):
    """Over all columns, and over time; in groups by a column only what does not fit."""
    how = {"truth": "y", "score": "p"} | more
    with pytest.raises(ca.InputError, match="multilabel"):
        ca.assess_by(BOTH, by="*", **how)
    with pytest.raises(ca.InputError, match=r"multilabel|threshold must be a number"):
        ca.assess_over_time(BOTH, time=np.arange(N) // 100, **how)
    with pytest.raises(ca.InputError, match=r"multilabel|threshold must be a number"):
        ca.gate_over_time(BOTH, time=np.arange(N) // 100, measure="accuracy", margin=0.1, **how)
    with pytest.raises(TypeError, match=r"assess_by.. got an unexpected keyword argument 'columns'"):
        ca.assess_by(BOTH, truth="y", score="p", by="plan", columns=3)
