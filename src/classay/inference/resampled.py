"""The mean of values from resamples of one data set, whose training sets overlap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from classay.errors import InputError
from classay.inference.estimate import Found


class ResampledMean(NamedTuple):
    """A mean over resamples, its corrected standard error, and the degrees of freedom of its t."""

    mean: float
    se: float
    df: int


CORRECTED = "corrected resampled t"
"""The method of the intervals, as reports name it."""


def corrected_mean(values: ArrayLike, test_over_train: float) -> ResampledMean:
    """The mean of J values and its standard error sqrt((1/J + n_test/n_train) s²), with J - 1 degrees of freedom.

    The naive s²/J takes the values for independent; their training sets overlap, and no number of repeats
    mends that. The correction is a heuristic: it takes n_test / (n_train + n_test) for the correlation of two
    values; it errs on the safe side for stable learners and is a little short for unstable ones (a size of
    about 0.11 at a nominal 0.05 for nearest neighbours under 10 x 10-fold cross-validation). `values` are one
    a resample, shape `(J,)`; `test_over_train` is 1 / (K - 1) for K folds. NaN standard error for fewer than
    two values. Raises InputError for undefined values. Nadeau & Bengio 2003, Machine Learning 52:239; Bouckaert
    & Frank 2004, PAKDD.

    >>> found = corrected_mean([0.02, 0.04, 0.04, -0.01, 0.02], test_over_train=0.25)
    >>> print(round(found.mean, 4), round(found.se, 5), found.df)
    0.022 0.01375 4
    """
    each = np.asarray(values, np.float64)
    if np.isnan(each).any():
        raise InputError(
            f"{int(np.isnan(each).sum())} of {each.size} values are undefined: leave them out first."
        )
    if each.size < 2:
        return ResampledMean(float(each.mean()) if each.size else float("nan"), float("nan"), 0)
    variance = float(each.var(ddof=1))
    return ResampledMean(
        float(each.mean()), float(np.sqrt((1 / each.size + test_over_train) * variance)), each.size - 1
    )


def corrected_interval(
    values: ArrayLike, test_over_train: float, level: float, bounds: tuple[float, float]
) -> Found:
    """The interval of `corrected_mean`, mean ± t · se, cut to the range of the measure; or why there is none.

    >>> low, high, method = corrected_interval([0.82, 0.84, 0.84, 0.79, 0.82], 0.25, 0.95, (0, 1))
    >>> print(round(low, 4), round(high, 4), method)
    0.7838 0.8602 corrected resampled t
    """
    from scipy.special import stdtrit

    found = corrected_mean(values, test_over_train)
    if found.df < 1:
        return "one resample shows no spread"
    if found.se == 0:
        return "every resample gives the same value, which shows no spread"
    half = float(stdtrit(found.df, 0.5 + level / 2)) * found.se
    return max(bounds[0], found.mean - half), min(bounds[1], found.mean + half), CORRECTED
