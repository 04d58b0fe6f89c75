"""Means of values between given bounds, such as grades: Wilson's interval of as many cases as vary as much."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.design import Design, VarianceEstimate, corrected
from classay.inference.labels.spreads import least_degrees
from classay.inference.proportions import normal_quantile, score_interval
from classay.tables.sums import equal_cases

Array = NDArray[Any]
FARTHER_BOUND = "one pseudo-case added at the farther bound"
"""What the methods say of the interval of graded values."""


def mean_between(
    values: Array, bounds: tuple[float, float], design: Design, variance: VarianceEstimate, level: float
) -> tuple[float, float, str]:
    """Return the interval of the mean of `values`, one a place of the design, from the variance of the mean.

    Wilson's interval with as many cases as vary as much; without a spread, with all units. Unless all values are
    bounds, as right and wrong are, the end towards the farther bound is no nearer than that with one more value at this
    bound: a sample of mostly good values may hold none of the few far ones, and then shows next to no spread. One more
    of weighted cases counts as an equal one; of clusters, as one of so many independent cases as have their variance.
    Wilson 1927, JASA 22:209; Rao & Scott 1992, Biometrics 48:577.

    >>> grades = np.repeat([1, 0.75, 0.5, 0.0], [34, 3, 2, 1])
    >>> design = Design.of_rows(40)
    >>> spread = design.spread((grades - grades.mean()) / 40, degrees="units")
    >>> low, high, method = mean_between(grades, (0.0, 1.0), design, spread, 0.95)
    >>> print(round(low, 6), round(high, 6), method)
    0.807102 0.971319 Wilson, one pseudo-case added at the farther bound
    """
    bottom, width = bounds[0], bounds[1] - bounds[0]
    weight, method = design.places.weight, "Wilson"
    share = float(np.average(values, weights=weight) - bottom) / width
    alone, n = replace(variance, covariance=variance.variance / width**2), design.number
    if design.rows is not None and not alone.is_none():
        moved = design.sums(((values - bottom) / width - share)[None] / design.total)
        degrees = least_degrees(moved, np.array([n]), np.array([design.equal_units]))
        alone = replace(alone, degrees=float(degrees[0]))
    quantile = normal_quantile(level) if design.is_alike else alone.quantile(level)
    if alone.is_none():
        low, high = _wilson(share, n, quantile)
    else:
        is_of_labels = bool(np.isin(values[weight > 0], bounds).all())
        larger = corrected(n) if design.is_alike and is_of_labels else 1.0  # the interval of the same labels
        low, high = _wilson(share, share * (1 - share) / alone.variance * larger, quantile)
        if not is_of_labels:
            cases = _equal_cases(design, (values - bottom) / width - share, alone.variance)
            one_more = _with_one_more(share, alone.variance, cases, quantile)
            low, high = (min(low, one_more[0]), high) if share > 0.5 else (low, max(high, one_more[1]))
            method += f", {FARTHER_BOUND}"
    return bottom + width * low, bottom + width * high, method


def _wilson(share: float, cases: float, quantile: float) -> tuple[float, float]:
    low, high = score_interval(share * cases, cases, quantile)
    return float(low), float(high)


def _equal_cases(design: Design, deviations: Array, variance: float) -> float:
    """Independent, equally weighted cases that would have this variance of their mean; clusters are no fewer."""
    if design.rows is None:
        return design.number
    weight = design.places.weight
    alike = float((weight * deviations**2).sum() / design.total)
    cases = float(equal_cases(design.total, (weight**2).sum())) if design.is_weighted else design.total
    return min(cases, max(design.number, 1 + alike / variance))


def _with_one_more(share: float, variance: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's ends of a mean of n values in [0, 1] and one more at the farther bound.

    >>> low, _ = _with_one_more(0.93125, 0.00096053, 40, 1.959964)
    >>> print(round(low, 6))
    0.807102
    """
    distance = (0.0 if share > 0.5 else 1.0) - share
    mean = share + distance / (n + 1)
    moved = (variance * n * (n - 1) + distance * distance * n / (n + 1)) / (n * (n + 1))
    return _wilson(mean, mean * (1 - mean) / moved, quantile)
