"""How often periods where nothing changes show a trend: the wider of two intervals, of equal and unequal periods."""

import numpy as np
import pytest

from classay.groups.trends import trend

pytestmark = pytest.mark.slow
SAMPLES = 4000
FOUR, UNEQUAL, TWELVE = [200] * 4, [50, 400, 100, 300, 60, 500], [100] * 12


def shown(sizes, between, slope=0.0, seed=0):
    """The share of samples in which the interval of the slope of a rate of .8 leaves 0 out.

    `between` is the standard deviation of the true rates of the periods.
    """
    rng = np.random.default_rng(seed)
    n, place = np.array(sizes), np.arange(len(sizes))
    true = 0.8 + slope * (place - place.mean()) + rng.normal(0, between, (SAMPLES, n.size))
    hits = rng.binomial(n, np.clip(true, 0, 1))
    found = 0
    for each in hits:
        p = each.sum() / n.sum()
        line = trend(place, each / n, n, 0.95, variance=p * (1 - p))
        found += line.low > 0 or line.high < 0
    return found / SAMPLES


@pytest.mark.parametrize("between", [0.0, 0.02, 0.05])
@pytest.mark.parametrize("sizes", [FOUR, UNEQUAL, TWELVE], ids=["4 x 200", "6 unequal", "12 x 100"])
def test_false_alarms_keep_to_the_level(sizes, between):
    assert 0.003 <= shown(sizes, between) <= 0.06


@pytest.mark.parametrize(("sizes", "slope", "least"), [(FOUR, 0.03, 0.22), (TWELVE, 0.006, 0.29)])
def test_it_costs_little_power(sizes, slope, least):
    assert shown(sizes, 0.0, slope) > least
