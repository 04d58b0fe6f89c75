"""The mean of values from resamples of one data set, whose training sets overlap."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.errors import InputError
from classay.inference.estimate import Found
from classay.tables.running import is_rounding


class ResampledMean(NamedTuple):
    """A mean over resamples, its corrected standard error, and the degrees of freedom of its t."""

    mean: float
    se: float
    df: float


CORRECTED = "corrected resampled t"
"""The method of the intervals, as reports name it."""
ALLOWS = "on the safe side for stable learners; a little short for unstable ones, unless folds are repeated"
"""How well it allows for training sets that overlap, as reports say it: a heuristic."""
FEWEST_REPEATS = 5
"""Repeats below which the spread of their means says too little: with two, t would have one degree of freedom."""
INSTABILITY = 0.4
"""What the variance of a repeat's mean counts for, in units of K folds; see `corrected_mean`."""


def corrected_mean(values: ArrayLike, test_over_train: float) -> ResampledMean:
    """The mean of J values and its standard error sqrt((1/J + n_test/n_train) s²), with J - 1 degrees of freedom.

    The naive s²/J takes the values for independent; their training sets overlap, and no number of repeats
    mends that. The correction takes n_test / (n_train + n_test) for the correlation of two values, which is enough for
    stable learners and too little for unstable ones, such as nearest neighbours (a size of 0.11 at a nominal 0.05 under
    10 x 10-fold cross-validation). How unstable a learner is shows in how far the means b of whole repeats differ,
    because the cases are the same in all. So where `values` have shape `(repeats, folds)`, of 5 repeats or more, the
    variance is at least

        s² / K + 0.4 K · var(b),   with Satterthwaite's degrees of freedom;

    the factor 0.4 is from simulations (nearest neighbours need 0.33 to 0.42, stable learners 0.07 to 0.2). Values of
    shape `(J,)` are of resamples that say nothing of this, as one run of K folds, or of repeated holdouts. Both
    corrections are heuristics: no unbiased estimate of this variance exists (Bengio & Grandvalet 2004, JMLR 5:1089).
    `test_over_train` is 1 / (K - 1) for K folds. NaN standard error for fewer than two values. Raises InputError for
    undefined values. Nadeau & Bengio 2003, Machine Learning 52:239; Bouckaert & Frank 2004, PAKDD.

    >>> found = corrected_mean([0.02, 0.04, 0.04, -0.01, 0.02], test_over_train=0.25)
    >>> print(round(found.mean, 4), round(found.se, 5), found.df)
    0.022 0.01375 4.0
    """
    each = np.asarray(values, np.float64)
    if np.isnan(each).any():
        raise InputError(
            f"{int(np.isnan(each).sum())} of {each.size} values are undefined: leave them out first."
        )
    if each.size < 2:
        return ResampledMean(float(each.mean()) if each.size else float("nan"), float("nan"), 0)
    variance = float(each.var(ddof=1))
    corrected, degrees = (1 / each.size + test_over_train) * variance, float(each.size - 1)
    if each.ndim == 2 and each.shape[0] >= FEWEST_REPEATS and each.shape[1] > 1:
        repeats, folds = each.shape
        between = INSTABILITY * folds * float(each.mean(1).var(ddof=1))
        within = variance / folds
        if within + between > corrected:
            corrected = within + between
            degrees = corrected**2 / (within**2 / degrees + between**2 / (repeats - 1))
    return ResampledMean(float(each.mean()), float(np.sqrt(corrected)), degrees)


def by_repeat(values: NDArray[Any], repeat: NDArray[Any], fold: NDArray[Any]) -> NDArray[Any]:
    """Values of folds as `(..., repeats, folds)`; as they are where repeats have fewer than two folds, or unlike many.

    >>> by_repeat(np.array([0.1, 0.3, 0.2, 0.4]), np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])).tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    count = np.bincount(repeat) if repeat.size else np.zeros(1, int)
    if values.shape[-1] != repeat.size or count.size < 2 or count.min() < 2 or np.ptp(count) > 0:
        return values
    return values[..., np.lexsort((fold, repeat))].reshape(*values.shape[:-1], count.size, count[0])


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
    if not found.df > 0:
        return "one resample shows no spread"
    if is_rounding(found.se, np.abs(values).max()):
        return "every resample gives the same value, which shows no spread"
    half = float(stdtrit(found.df, 0.5 + level / 2)) * found.se
    return max(bounds[0], found.mean - half), min(bounds[1], found.mean + half), CORRECTED
