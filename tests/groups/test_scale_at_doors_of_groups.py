"""What groups of cases add to `assessment/test_scale_at_doors.py`."""

import numpy as np

import classay as ca

N = 120

RNG = np.random.default_rng(3)

Y = RNG.integers(0, 2, N)

GRADE = RNG.integers(0, 3, N)

GROUP = np.array(["a", "b"])[RNG.integers(0, 2, N)]

COSTS = ca.Costs(fp=1, fn=2)

LIMIT = "disparity(recall) <= 0.2"


def test_groups_of_counts_call_by_shares():
    votes = np.c_[10 - Y - GRADE, Y + GRADE]
    counted = ca.decide_by(ca.assess_by(Y, votes, by=GROUP, score_scale="count"), cost=COSTS, where=LIMIT)
    share = votes[:, 1] / 10
    plain = ca.decide_by(ca.assess_by(Y, share, by=GROUP), cost=COSTS, where=LIMIT)
    assert counted.calls(share, GROUP).tolist() == plain.calls(share, GROUP).tolist()
