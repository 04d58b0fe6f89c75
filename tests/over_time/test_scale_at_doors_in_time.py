"""What periods of time add to `assessment/test_scale_at_doors.py`."""

import numpy as np
import pytest

import classay as ca
from classay.columns.scales import scaled
from classay.errors import InputError

N = 120

RNG = np.random.default_rng(3)

Y = RNG.integers(0, 2, N)

LOGIT = RNG.normal(2 * Y - 1, 2).round(2)

OTHER = (LOGIT + RNG.normal(0, 1, N)).round(2)

GRADE = RNG.integers(0, 3, N)

GROUP = np.array(["a", "b"])[RNG.integers(0, 2, N)]

COSTS = ca.Costs(fp=1, fn=2)

LIMIT = "disparity(recall) <= 0.2"


def by_hand(scores):
    return scaled(np.asarray(scores, float), "logit")


def cut(scores, **scale):
    found = ca.cut_points(scores[0], GRADE, [0, 1, 2], **scale)
    return found.cuts, found.expected, found.decisions(scores[1])


def by_group(scores, **scale):
    found = ca.decide_by(ca.assess_by(Y, scores[0], by=GROUP, **scale), cost=COSTS, where=LIMIT, trade=False)
    return found.groups, found.calls(scores[1], GROUP).tolist()


DOORS = {
    "reclassification": lambda s, **scale: ca.reclassification(Y, *s, cuts=[0.3], **scale).estimates,
    "cut_points": cut,
    "decide_by": by_group,
    "gate_over_time": lambda s, **scale: str(
        ca.gate_over_time(
            Y, s[0], time=np.arange(N) // 40, measure="brier_score", rule="not-worse", margin=0.1, **scale
        )
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_door_converts_as_by_hand(door):
    converts_as_by_hand(DOORS[door])


def converts_as_by_hand(call):
    wanted, found = call([by_hand(LOGIT), by_hand(OTHER)]), call([LOGIT, OTHER], score_scale="logit")
    assert found == wanted
    with pytest.raises(InputError, match="a column of counts for each class"):
        call([LOGIT, OTHER], score_scale="count")
    with pytest.raises(InputError, match="not probabilities"):
        call([LOGIT, OTHER], score_scale="probability")
