"""The thresholds that the cases between them and the chosen one do not reject as best."""

import numpy as np
import pytest
from scipy.stats import binom

import classay as ca

COSTS = ca.Costs(fp=1, fn=5)
Y = np.array([0] * 30 + [1] * 12)
SCORE = np.arange(42.0)


def ends_by_hand(y, score, threshold, share, error=0.05):
    """The lowest and highest threshold until all cases passed reject, case by case."""
    high, low = score[-1], score[0]
    above, below = score[score >= threshold], score[score < threshold][::-1]
    for k in range(1, above.size + 1):
        if binom.sf(y[score >= threshold][:k].sum() - 1, k, share) <= error:
            high = above[k - 1]
            break
    for k in range(1, below.size + 1):
        if binom.sf((1 - y[score < threshold][::-1][:k]).sum() - 1, k, 1 - share) <= error:
            low = below[k - 1]
            break
    return low, high


def test_separated_classes_leave_so_many_scores_as_the_binomial_test():
    d = ca.assess(Y, SCORE, positive=1).threshold(cost=COSTS)
    assert d.threshold.value == 30
    # (5/6)**17 is the first power at or below 0.05: resamples alone never choose a score below the positives
    assert d.threshold.low == 30 - 17
    assert d.threshold.method.endswith("and binomial test, 1,000 resamples")
    assert d.as_good[0] <= d.threshold.low
    assert d.threshold.high <= d.as_good[1]


@pytest.mark.parametrize(
    ("how", "share"),
    [
        ({"cost": COSTS}, lambda y, score, t: 1 / 6),
        ({"maximize": "youden"}, lambda y, score, t: y.mean()),
        # at the greatest F1 a share F1/2 of positives neither gains nor loses (Lipton 2014)
        ({"maximize": "f1"}, lambda y, score, t: y[score >= t].sum() / ((score >= t).sum() + y.sum())),
        ({"minimize": "error_rate"}, lambda y, score, t: 0.5),
    ],
)
def test_the_interval_holds_what_the_test_leaves(how, share):
    rng = np.random.default_rng(3)
    y = (rng.random(150) < 0.3).astype(int)
    score = rng.normal(size=150) + 3.5 * y
    order = np.argsort(score)
    y, score = y[order], score[order]
    d = ca.assess(y, score, positive=1).threshold(**how)
    low, high = ends_by_hand(y, score, d.threshold.value, share(y, score, d.threshold.value))
    assert d.threshold.low <= low
    assert d.threshold.high >= high


def test_rows_repeated_and_counted_are_the_same():
    counted = ca.assess(Y, SCORE, positive=1, frequency=np.full(42, 3)).threshold(cost=COSTS)
    repeated = ca.assess(np.repeat(Y, 3), np.repeat(SCORE, 3), positive=1).threshold(cost=COSTS)
    assert (counted.threshold.low, counted.threshold.high) == (
        repeated.threshold.low,
        repeated.threshold.high,
    )


def test_the_unit_of_sampling_weights_changes_nothing():
    weight = np.random.default_rng(1).uniform(0.5, 2, 42)
    ends = {
        (d.threshold.low, d.threshold.high)
        for unit in (1.0, 1000.0)
        for d in [ca.assess(Y, SCORE, positive=1, weight=weight * unit).threshold(cost=COSTS)]
    }
    assert len(ends) == 1


def test_a_condition_decides_without_the_test():
    d = ca.assess(Y, SCORE, positive=1).threshold(maximize="recall", where="precision >= 0.9")
    assert "binomial" not in str(d.threshold.method)
