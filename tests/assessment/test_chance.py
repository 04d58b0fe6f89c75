"""The tests against chance: SciPy's, and laws of the two classes."""

import numpy as np
import pytest
from scipy import stats

import classay as ca


def found_of(a):
    return {each.name: each for each in a.against_chance()}


@pytest.mark.parametrize("n", [4, 12, 50, 51, 400])
@pytest.mark.parametrize("ties", [None, 7])
def test_u_is_that_of_scipy(n, ties):
    rng = np.random.default_rng([n, ties or 0])
    y = rng.permutation(np.arange(n) % 3 == 0)
    s = rng.random(n) + 0.2 * y if ties is None else rng.integers(0, ties, n) / ties
    found = found_of(ca.assess(y, s, threshold=0.5))["mann_whitney"]
    method = "exact" if n <= 50 and ties is None else "asymptotic"
    wanted = stats.mannwhitneyu(s[y], s[~y], method=method)
    assert (found.statistic, found.p_value) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-9)
    swapped = found_of(ca.assess(~y, -s, threshold=0))["mann_whitney"]
    assert (swapped.statistic, swapped.p_value) == pytest.approx((found.statistic, found.p_value), rel=1e-9)
    assert found.by_chance == y.sum() * (~y).sum() / 2


@pytest.mark.parametrize("k", [2, 5])
def test_accuracy_against_the_largest_class_is_the_exact_binomial_test(k):
    rng = np.random.default_rng(k)
    y = rng.integers(0, k, 60)
    said = np.where(rng.random(60) < 0.4, y, rng.integers(0, k, 60))
    found = found_of(ca.assess(y, y_pred=said))["no_information_rate"]
    share = np.bincount(y).max() / 60
    wanted = stats.binomtest(int((y == said).sum()), 60, share, alternative="greater")
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-9)
    assert (found.statistic, found.by_chance) == ((y == said).mean(), share)


def test_caret_s_example():
    """The table in the documentation of `confusionMatrix` of R's caret, with what it prints."""
    matrix = ca.ConfusionMatrix.from_array([[231, 32], [27, 54]], ["abnormal", "normal"], rows="predicted")
    found = found_of(ca.assess(matrix, positive="abnormal"))["no_information_rate"]
    assert found.by_chance == 0.75
    assert round(found.statistic, 4) == 0.8285
    assert found.p_value == pytest.approx(0.0003097, abs=5e-8)


def test_where_there_is_none_the_reason_is_told():
    y, s = np.arange(8) % 2, np.linspace(0.1, 0.9, 8)
    for more, why in (({"weight": s}, "weighted"), ({"cluster": y // 2 + np.arange(8) // 4}, "cluster")):
        for each in ca.assess(y, s, **more).against_chance():
            assert each.p_value is None
            assert why in each.reason
    (u, share) = ca.assess(y, s * 0 + 0.5).against_chance()
    assert (u.p_value, u.reason, u.statistic) == (None, "all scores are equal", 8)
    (u, share) = ca.assess([1, 1], [0.4, 0.6], labels=[0, 1]).against_chance()
    assert (u.reason, share.reason) == ("no case is negative", "all cases are of one class")
    assert (
        "Accuracy is not tested" in str(ca.assess([1, 1], [0.4, 0.6], labels=[0, 1]).to_markdown())
        or share.reason
    )
