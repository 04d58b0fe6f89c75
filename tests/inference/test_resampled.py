"""Means over resamples: the oracle of statistics B-24, and what has no interval."""

import numpy as np
import pytest
from scipy import stats

from classay.errors import InputError
from classay.inference.folds import corrected_interval, corrected_mean

A = np.array([0.82, 0.79, 0.85, 0.80, 0.81, 0.78, 0.84, 0.83, 0.80, 0.79])
B = np.array([0.80, 0.78, 0.81, 0.80, 0.79, 0.79, 0.80, 0.80, 0.78, 0.78])
# statistics.md B-24, section paired_t_10fold of its oracles
T, P, CI = 2.419258148912471, 0.03865763404524938, (0.0011688780510372455, 0.03483112194896269)


def test_nadeau_bengio_oracle():
    found = corrected_mean(A - B, 1 / 9)
    assert found.mean / found.se == pytest.approx(T, rel=1e-12)
    assert 2 * stats.t.sf(found.mean / found.se, found.df) == pytest.approx(P, rel=1e-12)
    low, high, method = corrected_interval(A - B, 1 / 9, 0.95, (-1, 1))
    assert (low, high) == pytest.approx(CI, rel=1e-10)
    assert method == "corrected resampled t"


def test_stays_in_the_range_and_gives_reasons():
    assert corrected_interval([0.99, 1.0, 0.9], 0.5, 0.95, (0, 1))[1] == 1
    assert corrected_interval([0.9], 0.5, 0.95, (0, 1)) == "one resample shows no spread"
    assert "same value" in corrected_interval([0.9, 0.9], 0.5, 0.95, (0, 1))
    with pytest.raises(InputError, match="1 of 2 values are undefined"):
        corrected_mean([0.9, np.nan], 0.5)
