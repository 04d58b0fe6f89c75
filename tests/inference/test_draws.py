"""Quantiles of draws."""

import numpy as np
import pytest

from classay.inference.draws import percentile, quantile


@pytest.mark.parametrize("count", [1, 2, 7, 41, 1000])
@pytest.mark.parametrize("share", [0.0, 0.025, 0.3, 0.5, 0.975, 1.0])
def test_a_quantile_is_that_of_numpy(count, share):
    rng = np.random.default_rng(count)
    for values in (rng.normal(size=count), rng.integers(0, 3, count).astype(float)):
        assert quantile(values, share) == np.quantile(values, share)


def test_what_is_undefined_somewhere_has_no_quantile():
    assert np.isnan(percentile(np.array([1.0, np.nan, 2.0]), 0.95)).all()


def test_an_infinite_draw_leaves_the_others_their_quantiles():
    assert quantile(np.array([1.0, 2.0, 3.0, np.inf]), 1 / 3) == 2.0
