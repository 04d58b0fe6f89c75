"""What rests on the clusters of the rarer class, and what fewer than forty clusters do not show (A9)."""

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.inference.design import Design
from classay.inference.scores.deviation import smooth_quantile


def clusters_alike(number, size=3, seed=0):
    """Clusters of one truth, a fifth of them positive, and scores that share a part."""
    rng, cluster = np.random.default_rng(seed), np.repeat(np.arange(number), size)
    y = (cluster % 5 == 0).astype(int)
    latent = 1.2 * y - 1 + rng.normal(size=number)[cluster] + 0.5 * rng.normal(size=cluster.size)
    return y, 1 / (1 + np.exp(-latent)), cluster


def test_the_smooth_curve_has_the_degrees_of_the_clusters_that_hold_the_rarer_class():
    y, _, cluster = clusters_alike(50)
    design = Design.of_rows(y.size, cluster=cluster, true=y)
    assert smooth_quantile(design, 0.95) == pytest.approx(stats.t.ppf(0.975, 9))
    alone = Design.of_rows(y.size, true=y)
    assert smooth_quantile(alone, 0.95) == pytest.approx(stats.norm.ppf(0.975))


@pytest.mark.parametrize("name", ["brier_discrimination", "log_loss_discrimination"])
def test_discrimination_of_fewer_than_forty_clusters_has_no_interval(name):
    y, s, cluster = clusters_alike(39)
    few = ca.assess(y, s, cluster=cluster)[name]
    assert not few.has_interval
    assert "effective number of clusters is below 40" in few.reason
    y, s, cluster = clusters_alike(40)
    assert ca.assess(y, s, cluster=cluster)[name].has_interval
    assert ca.assess(y, s)[name].has_interval


@pytest.mark.parametrize("name", ["recall", "f1", "f2", "macro_recall", "matthews_correlation"])
def test_few_errors_in_clusters_of_one_case_leave_nearly_the_interval_of_the_cases(name):
    """One error has one degree of freedom, and gave a recall of 62 / 63 a lower limit of .76."""
    true = np.r_[np.ones(63, int), np.zeros(63, int)]
    predicted = true.copy()
    predicted[:1] = 0
    found = ca.assess(true, y_pred=predicted, cluster=np.arange(126))[name]
    alone = ca.assess(true, y_pred=predicted)[name]
    assert found.high - found.low < 1.25 * (alone.high - alone.low)
    perfect = ca.assess(true, y_pred=true, cluster=np.arange(126))[name]
    assert found.low > perfect.low - 0.04


def test_one_error_more_moves_the_limit_by_little_in_clusters_alike():
    true, cluster = np.ones(300, int), np.repeat(np.arange(60), 5)
    true, cluster = np.r_[true, 0 * true], np.r_[cluster, cluster]
    lows = []
    for errors in range(6):
        predicted = true.copy()
        predicted[0 : 5 * errors : 5] = 0
        lows.append(ca.assess(true, y_pred=predicted, cluster=cluster)["recall"].low)
    assert np.abs(np.diff(lows)).max() < 0.03
