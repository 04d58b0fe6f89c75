"""Trends: how much measures change from one period to the next, of assessments that come in an order."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from math import isfinite, nan
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classay.assessment.assessment import Assessment
from classay.assessment.judgement.words import quote
from classay.assessment.merging import labels_together
from classay.assessment.slices.slices import Slices
from classay.columns.frames import frame_of
from classay.errors import InputError
from classay.inference.estimate import Estimate, apart, number
from classay.inference.sampling_units import student_quantile
from classay.inference.words import p_equation, spoken
from classay.kinds import checked, shown
from classay.measures import get

FEWEST = 3
"""Periods below which there is no trend."""
MOST_SAID = 3
"""Trends that are told in sentences; the rest are counted."""


@dataclass(frozen=True)
class Trends:
    """The change of each measure from one period to the next; `shards` are their names, in order.

    `values` are the estimates of each measure in each period, in this order, and `cases` their numbers of cases (or
    sums of weights). `p` are two-sided p-values of no trend, NaN where there is no interval. `period` says what a
    period is called.
    """

    shards: tuple[Hashable, ...]
    changes: Mapping[str, Estimate]
    values: Mapping[str, tuple[Estimate, ...]]
    cases: tuple[float, ...] = ()
    p: Mapping[str, float] = field(default_factory=dict)
    period: str = "period"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which measures are shown to rise or to fall, by how much; or what remains possible of the first."""
        shown = [name for name, p in self.p.items() if p < 1 - (self.changes[name].level or 0.95)]
        if shown:
            more = len(shown) - MOST_SAID
            further = (f"{more} more {'trend is' if more == 1 else 'trends are'} below.",) if more > 0 else ()
            return (*map(self._shown, shown[:MOST_SAID]), *further)
        open_ = [name for name, change in self.changes.items() if change.has_interval]
        return tuple(map(self._open, open_[:1]))

    def frame(self) -> Any:
        """One row for each measure in each period, as a PyArrow table: .to_pandas(), polars.from_arrow(…)."""
        return frame_of(
            [
                {"measure": name, self.period: str(shard), "cases": cases} | each.row
                for name, found in self.values.items()
                for shard, cases, each in zip(self.shards, self.cases, found, strict=True)
            ]
        )

    def _shown(self, name: str) -> str:
        change, found = self.changes[name], [each.value for each in self.values[name]]
        known = [at for at, each in enumerate(found) if isfinite(each)]
        first, last = known[0], known[-1]
        ends = sorted((abs(change.low), abs(change.high)))
        size, low, high = apart(abs(change.value), *ends)
        return (
            f"{_start(name)} {'rises' if change.value > 0 else 'falls'} by {size} a {self.period} "
            f"({100 * (change.level or 0):g} % interval {low} to {high}), {p_equation(self.p[name])}: from "
            f"{number(found[first])} in {quote(self.shards[first])} to {number(found[last])} in "
            f"{quote(self.shards[last])}."
        )

    def _open(self, name: str) -> str:
        change = self.changes[name]
        low, high = apart(change.low, change.high)
        return (
            f"{_start(name)} shows no trend over the {len(self.shards)} {self.period}s: changes between {low} and "
            f"{high} a {self.period} remain possible ({p_equation(self.p[name])})."
        )

    def __str__(self) -> str:
        changes = [
            f"{spoken(name)}: {str(each)[len('Estimate(') : -1]}" for name, each in self.changes.items()
        ]
        return "\n".join([*self.sentences, *changes])


def _start(name: str) -> str:
    said = spoken(name)
    return f"{said[:1].upper()}{said[1:]}"


@checked
def trends_over(
    periods: Mapping[Hashable, Assessment], measures: Sequence[str] | None = None, *, period: str = "period"
) -> Trends:
    """How much measures change from one period to the next, of assessments of days, weeks or other shards, in order.

    `periods` are assessments of different cases by the names of their periods, three or more; `measures` those most
    people want by default, and aliases come under their names. `period` is the word for one in sentences: "day",
    "week". Each change is the slope of weighted least squares of the values over the periods, by their cases, with
    Student's t of its residuals (periods - 2 degrees of freedom): interval and p-value rest on how the periods scatter
    about the line.

    Raises InputError for fewer periods, and MergeError for assessments that were not made alike.

    >>> from classay.assessment.assessing import assess
    >>> days = {
    ...     day: assess([1] * 50 + [0] * 50, y_pred=[1] * (45 - day * day) + [0] * (55 + day * day))
    ...     for day in (1, 2, 3, 4)
    ... }
    >>> found = trends_over(days, ["recall"], period="day")
    >>> found.changes["recall"]
    Estimate(-0.100 [-0.154, -0.046] 95 %, least squares over periods weighted by cases, t)
    >>> found.sentences[0]
    'Recall falls by 0.100 a day (95 % interval 0.046 to 0.154), p = 0.016: from 0.880 in 1 to 0.580 in 4.'
    """
    if not isinstance(periods, Mapping) or not all(isinstance(each, Assessment) for each in periods.values()):
        raise InputError(
            f"{shown(periods)} holds no assessments by the names of their periods: pass a dict, "
            "{'monday': a, 'tuesday': b, 'wednesday': c}, in the order of time."
        )
    if len(periods) < FEWEST:
        raise InputError(
            f"a trend needs {FEWEST} {period}s or more, in their order, and there are {len(periods)}."
        )
    if measures is None:
        measures = Slices(period, reduce(add, periods.values()), dict(periods)).main_measures
    for a, other in pairwise(periods.values()):
        labels_together(a, other)
    found = [each.estimates(measures) for each in periods.values()]
    cases = [float(each.class_totals.sum()) for each in periods.values()]
    level = next(iter(periods.values())).level
    names = dict.fromkeys(get(each).name for each in measures)
    values = {name: tuple(each[name] for each in found) for name in names}
    lines = {
        name: _line(range(len(found)), [each.value for each in of_shards], cases)
        for name, of_shards in values.items()
    }
    changes = {name: line if isinstance(line, Estimate) else line.at(level) for name, line in lines.items()}
    p = {name: nan if isinstance(line, Estimate) else line.p for name, line in lines.items()}
    return Trends(tuple(periods), changes, values, tuple(cases), p, period)


@dataclass(frozen=True)
class _Line:
    """A slope with its standard error and degrees of freedom."""

    slope: float
    error: float
    df: int

    def at(self, level: float) -> Estimate:
        """The slope with its interval."""
        half = student_quantile(level, self.df) * self.error
        low, high = self.slope - half, self.slope + half
        return Estimate(self.slope, low, high, level, "least squares over periods weighted by cases, t")

    @property
    def p(self) -> float:
        """The two-sided p-value of no slope."""
        from scipy.special import stdtr

        return float(2 * stdtr(self.df, -abs(self.slope) / self.error))


def trend(when: ArrayLike, values: ArrayLike, cases: ArrayLike, level: float) -> Estimate:
    """The slope of weighted least squares of values over periods, by their cases, with Student's t of its residuals.

    `when`, `values` and `cases`, `(periods,)` each; periods without a value or without cases are passed over. The
    interval is that of n - 2 degrees of freedom, and speaks of periods like these, not of the cases alone. Undefined
    for fewer than three periods; without an interval where all lie on a line.

    >>> trend([0, 1, 2, 3], [0.80, 0.79, 0.77, 0.76], [500, 400, 500, 600], 0.95)
    Estimate(-0.014 [-0.019, -0.008] 95 %, least squares over periods weighted by cases, t)
    """
    found = _line(when, values, cases)
    return found if isinstance(found, Estimate) else found.at(level)


def _line(when: ArrayLike, values: ArrayLike, cases: ArrayLike) -> _Line | Estimate:
    """The line through the periods; an estimate without an interval where there is none, with the reason."""
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
    return _Line(slope, se, df)
