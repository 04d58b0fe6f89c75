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
