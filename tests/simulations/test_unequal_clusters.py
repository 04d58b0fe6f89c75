"""Coverage of shares in clusters of very unequal size, and of graded means whose few far errors a sample may lack."""

import numpy as np
import pytest
from scipy import stats

from classay.inference.bounded_means import mean_between
from classay.inference.design import Design
from classay.inference.labels.spreads import least_degrees
from classay.inference.proportions import score_interval

pytestmark = pytest.mark.slow
SAMPLES = 2_000


@pytest.mark.parametrize(("share", "together"), [(0.8, 0.6), (0.9, 0.3), (0.6, 0.9)])
@pytest.mark.parametrize("clusters", [15, 60])
def test_shares_of_clusters_of_lognormal_sizes(clusters, share, together):
    rng, held = np.random.default_rng(10), 0
    for _ in range(SAMPLES):
        sizes = np.ceil(rng.lognormal(1.0, 1.2, clusters)).astype(int)
        cluster = np.repeat(np.arange(clusters), sizes)
        own = np.sqrt(1 - together) * rng.normal(size=cluster.size)
        right = np.sqrt(together) * rng.normal(size=clusters)[cluster] + own < stats.norm.ppf(share)
        design, value = Design.of_rows(cluster.size, cluster=cluster), right.mean()
        influence = (right - value) / right.size
        variance = design.spread(influence).variance
        moved = design.sums(influence[None])
        degrees = least_degrees(moved, np.array([clusters]), np.array([design.equal_units]))
        n = max(1.0, value * (1 - value) / variance) if variance > 1e-20 else float(clusters)
        low, high = score_interval(value * n, n, stats.t.ppf(0.975, degrees[0]))
        held += low <= share <= high
    assert 0.925 <= held / SAMPLES <= 0.985


@pytest.mark.parametrize("size", [1, 5])
def test_graded_means_of_mostly_good_values(size):
    rng, held, n, truth = np.random.default_rng(5), 0, 60, 1 - 0.3 * (0.9 * 0.02 + 0.1)
    for _ in range(SAMPLES):
        short, far = rng.random((2, n))
        values = np.where(short < 0.3, np.where(far < 0.9, 0.98, 0.0), 1.0)
        how = {} if size == 1 else {"cluster": np.arange(n) // size}
        design = Design.of_rows(n, **how)
        spread = design.spread((values - values.mean()) / n, degrees="units")
        low, high, _ = mean_between(values, (0.0, 1.0), design, spread, 0.95)
        held += low <= truth <= high
    assert 0.94 <= held / SAMPLES <= 0.995
