"""Trends: how much measures change from one shard to the next, of shards that come in an order."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from classay.assessment.assessment import Assessment
from classay.assessment.slices.slices import Slices
from classay.inference.estimate import Estimate
from classay.inference.sampling_units import student_quantile
from classay.measures import get

FEWEST = 3
"""Periods below which there is no trend."""


@dataclass(frozen=True)
class Trends:
    """The change of each measure from one shard to the next; `shards` are their names, in order.

    `values` are the estimates of each measure in each shard, in this order.
    """

    shards: tuple[Hashable, ...]
    changes: Mapping[str, Estimate]
    values: Mapping[str, tuple[Estimate, ...]]


def trends_over(parts: Mapping[Hashable, Assessment], names: Sequence[str] | None = None) -> Trends:
    """The trends of measures over assessments of days, weeks or other shards of different cases, in their order.

    `parts` are the assessments by their names; `names` are measures, by default those that slices are judged by.

    Each is the slope of weighted least squares over the shards, by their cases, with Student's t of its residuals;
    aliases of measures come under their names.

    >>> from classay.assessment.assessing import assess
    >>> days = {
    ...     day: assess([1] * 50 + [0] * 50, y_pred=[1] * (45 - day * day) + [0] * (55 + day * day))
    ...     for day in (1, 2, 3, 4)
    ... }
    >>> trends_over(days, ["recall"]).changes["recall"]
    Estimate(-0.100 [-0.154, -0.046] 95 %, least squares over periods weighted by cases, t)
    """
    if names is None:
        names = Slices("shard", reduce(add, parts.values()), dict(parts)).main_measures
    found = [each.estimates(names) for each in parts.values()]
    cases = [float(each.class_totals.sum()) for each in parts.values()]
    level = next(iter(parts.values())).level
    values = {name: tuple(each[name] for each in found) for name in (get(each).name for each in names)}
    changes = {
        name: trend(range(len(found)), [each.value for each in of_shards], cases, level)
        for name, of_shards in values.items()
    }
    return Trends(tuple(parts), changes, values)


def trend(when: ArrayLike, values: ArrayLike, cases: ArrayLike, level: float) -> Estimate:
    """The slope of weighted least squares of values over periods, by their cases, with Student's t of its residuals.

    `when`, `values` and `cases`, `(periods,)` each; periods without a value or without cases are passed over. The
    interval is that of n - 2 degrees of freedom, and speaks of periods like these, not of the cases alone. Undefined
    for fewer than three periods; without an interval where all lie on a line.

    >>> trend([0, 1, 2, 3], [0.80, 0.79, 0.77, 0.76], [500, 400, 500, 600], 0.95)
    Estimate(-0.014 [-0.019, -0.008] 95 %, least squares over periods weighted by cases, t)
    """
    x, y, w = (np.asarray(each, np.float64) for each in (when, values, cases))
    known = (w > 0) & np.isfinite(y)
    if known.sum() < FEWEST:
        return Estimate.undefined(
            f"{int(known.sum())} periods with a value show no trend: {FEWEST} are the fewest"
        )
    x, y, w = x[known], y[known], w[known]
    x = x - np.average(x, weights=w)
    spread = float((w * x**2).sum())
    if not spread:
        return Estimate.undefined(
            "the periods are too near to one another, beside their numbers, for a trend"
        )
    slope = float((w * x * y).sum() / spread)
    off = y - np.average(y, weights=w) - slope * x
    df = int(known.sum()) - 2
    se = float(np.sqrt((w * off**2).sum() / df / spread))
    if se <= 1e-12 * max(1.0, abs(slope)):
        return Estimate.bare(slope, "the periods lie on a line, which shows no spread")
    half = student_quantile(level, df) * se
    return Estimate(
        slope, slope - half, slope + half, level, "least squares over periods weighted by cases, t"
    )
