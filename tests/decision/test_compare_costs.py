"""Costs of several models compared: the paired t of what each case costs."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError

RNG = np.random.default_rng(4)
N = 400
Y = RNG.random(N) < 0.3
AMOUNT = RNG.lognormal(1, 1, N)
GOOD, POOR = (np.clip(0.4 + gap * Y + RNG.normal(0, 0.2, N), 0, 1) for gap in (0.3, 0.1))
COSTS = ca.Costs(fp=2, fn="amount", tp=-1)


def costs(score):
    called = score >= 0.5
    return np.where(called, np.where(Y, -1.0, 2.0), np.where(Y, AMOUNT, 0.0))


def test_the_difference_by_hand():
    from scipy.stats import ttest_rel

    (found,) = ca.compare({"good": GOOD, "poor": POOR}, Y, measures=[COSTS], amounts={"amount": AMOUNT})
    expected = ttest_rel(costs(GOOD), costs(POOR))
    assert found.effect.value == pytest.approx((costs(GOOD) - costs(POOR)).mean())
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.effect.low, found.effect.high) == pytest.approx(tuple(expected.confidence_interval()))
    assert "good" in found.sentence
    single = ca.assess(Y, GOOD, amounts={"amount": AMOUNT}).expected_cost(COSTS).per_case.value
    assert found.values[0] == pytest.approx(single)


def test_from_a_frame_in_clusters():
    import pyarrow as pa

    frame = pa.table({"y": Y, "a": GOOD, "b": POOR, "amount": AMOUNT, "of": np.arange(N) // 4})
    how = {"truth": "y", "scores": ["a", "b"], "measures": [COSTS], "amounts": ["amount"]}
    (alone,) = ca.compare(frame, **how)
    (clustered,) = ca.compare(frame, cluster="of", **how)
    assert alone.effect.value == pytest.approx(clustered.effect.value)
    assert clustered.units == "clusters"


def test_what_is_refused():
    with pytest.raises(InputError, match="no amounts were given"):
        ca.compare({"a": GOOD, "b": POOR}, Y, measures=[COSTS])
    with pytest.raises(InputError, match="not by 'bootstrap'"):
        ca.compare({"a": GOOD, "b": POOR}, Y, measures=[ca.Costs(fp=1)], method="bootstrap")
    both = {name: ca.assess(Y, s, id=range(N)) for name, s in (("a", GOOD), ("b", POOR))}
    with pytest.raises(InputError, match="Costs are compared case by case"):
        ca.compare(both, measures=[ca.Costs(fp=1)])
