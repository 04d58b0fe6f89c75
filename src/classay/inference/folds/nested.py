"""The interval of nested cross-validation for the error of a fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from classay.errors import InputError
from classay.inference.proportions.binomial import normal_quantile


class NestedError(NamedTuple):
    """What nested cross-validation finds; `inflation` is how much wider than the naive interval it is."""

    value: float
    low: float
    high: float
    nested: float
    plain: float
    bias: float
    mean_squared_error: float
    inflation: float


def nested_error(
    inner: Sequence[ArrayLike], outer: Sequence[ArrayLike], folds: int, level: float = 0.95
) -> NestedError:
    """Mean loss of the model fitted to all cases, with the interval of nested cross-validation.

    For each fold of each repetition, `outer` holds the losses of its cases by the model of the other folds, and
    `inner` those of all other cases by cross-validation among the other folds, where the fold takes no part.
    The squared difference of the two means, less the variance of the outer mean, is what the inner estimate
    misses by: it takes in that training sets overlap, which the naive standard error does not.
    Estimate: nested - bias, bias = (1 + ((K - 2) / K)^1.5) (nested - plain), with nested and plain the means of
    the inner and the outer losses; half width z sqrt((K - 1) / K) · sqrt(MSE), where sqrt(MSE) is kept within 1 to
    sqrt(K) naive standard errors. Only for losses that are means over independent cases; 50 repetitions or more are
    recommended, fewer estimate the MSE badly. Covers the error of the model fitted to these cases, so do not refit
    on more. Raises InputError for fewer than three folds, or uneven input. Bates, Hastie & Tibshirani 2024, JASA
    119:1434.

    >>> found = nested_error([[1, 0, 1], [0, 1, 1], [1, 0, 0]], [[0, 1], [1, 0], [1, 1]], folds=3)
    >>> print(round(found.nested, 4), round(found.plain, 4), found.low <= found.value <= found.high)
    0.5556 0.6667 True
    """
    within = [np.asarray(each, np.float64) for each in inner]
    without = [np.asarray(each, np.float64) for each in outer]
    if folds < 3 or len(within) != len(without) or len(within) % folds or not within:
        raise InputError(
            f"there are {folds} folds, {len(within)} inner and {len(without)} outer sets of losses: pass one of each "
            "for every fold of every repetition, and three folds or more."
        )
    if min(each.size for each in without) < 2:
        raise InputError("a fold has fewer than two cases, which shows no spread: take fewer folds.")
    repetitions = len(without) // folds
    squares = np.mean([(a.mean() - b.mean()) ** 2 for a, b in zip(within, without, strict=True)])
    noise = np.mean([each.var(ddof=1) / each.size for each in without])
    error = float(squares - noise)
    all_inner, all_outer = np.concatenate(within), np.concatenate(without)
    nested, plain = float(all_inner.mean()), float(all_outer.mean())
    trained_on = all_outer.size / repetitions * (folds - 1) / folds
    naive = float(all_inner.std(ddof=1) / np.sqrt(trained_on))
    raw = np.sqrt(max(error, 0.0)) / naive if naive > 0 else 1.0
    inflation = float(min(max(raw, 1.0), np.sqrt(folds)))
    bias = (1 + ((folds - 2) / folds) ** 1.5) * (nested - plain)
    centre = nested - bias
    half = float(normal_quantile(level)) * np.sqrt((folds - 1) / folds) * naive * inflation
    return NestedError(
        centre, float(centre - half), float(centre + half), nested, plain, bias, error, inflation
    )
