"""Trends: how much measures change over assessments that come in an order."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite, isnan, nan
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from classay.assessment.assessment import Assessment
from classay.assessment.compared_groups import Slice, main_measures, resting_on, too_few
from classay.assessment.drift import Drift, LargestContrast, Series, Timed, changes_of, drift_over, shares_of
from classay.assessment.merging import labels_together
from classay.assessment.tag_warnings import columns_of_any
from classay.compiled import thread_count, workers
from classay.errors import InputError
from classay.inference.design import student_quantile
from classay.inference.estimate import (
    Estimate,
    apart,
    number,
    p_equation,
    p_text,
    small,
    spoken,
)
from classay.inference.significance import REFERENCE, SampleDifference, adjust, contrast
from classay.kinds import checked, shown
from classay.measures import Measure, get
from classay.shown import Shown, frame_of
from classay.tables.sums import is_rounding
from classay.texts import quote
from classay.warned import Warned

FEWEST = 3
"""Periods below which there is no trend."""
MOST_SAID = 3
"""Trends that are told in sentences; the rest are counted."""


@dataclass(frozen=True)
class Trends(Shown):
    """The change of each measure from one period to the next; `shards` are their names, in order.

    `values` are the estimates of each measure in each period, in this order, and `cases` their numbers of cases,
    whatever these weigh. `p` are two-sided p-values of no trend, NaN where there is no interval, and `p_adjusted` those
    that decide, adjusted by Holm for the measures that have one. `period` says what a period is called, and
    `basis` what intervals and p-values rest on: how the periods scatter about the line, or the cases in each.

    Of periods in time, `breaks` says where each measure changed, `extremes` which period differs most (each is a
    `LargestContrast`), and `drift` how scores and classes changed, which no label is needed for. `level` is that of
    findings.
    """

    shards: tuple[Hashable, ...]
    changes: Mapping[str, Estimate]
    values: Mapping[str, tuple[Estimate, ...]]
    cases: tuple[float, ...] = ()
    p: Mapping[str, float] = field(default_factory=dict)
    period: str = "period"
    basis: Literal["periods", "cases"] = "periods"
    breaks: Mapping[str, LargestContrast] = field(default_factory=dict)
    extremes: Mapping[str, LargestContrast] = field(default_factory=dict)
    drift: Drift | None = None
    level: float = 0.95
    model: str = ""
    warnings: tuple[Warned, ...] = ()

    @property
    def p_adjusted(self) -> dict[str, float]:
        """The p-values adjusted by Holm for the measures that have one: several would find a trend in stable data."""
        return dict(zip(self.p, adjust([*self.p.values()]).tolist(), strict=True))

    @property
    def p_of_breaks(self) -> dict[str, float]:
        """The p-values of no break, adjusted by Holm for the measures that have one."""
        return _adjusted(self.breaks)

    @property
    def p_of_extremes(self) -> dict[str, float]:
        """The p-values of the period that differs most, adjusted by Holm for the measures that have one."""
        return _adjusted(self.extremes)

    @property
    def family(self) -> int:
        """For how many measures the p-values are adjusted."""
        return sum(not isnan(p) for p in self.p.values())

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which measures are shown to rise or to fall, by how much; or what remains possible of the first."""
        alpha = 1 - self.level
        trending = [name for name, p in self.p_adjusted.items() if p < alpha]
        broken = [
            name
            for name, p in self.p_of_breaks.items()
            if p < alpha and (name not in trending or self._is_step(name))
        ]
        shown = [name for name in trending if name not in broken]
        open_ = [name for name, change in self.changes.items() if change.has_interval]
        told = (
            *map(self._broken, broken[:MOST_SAID]),
            *_further(broken, "break is", "breaks are"),
            *map(self._shown, shown[:MOST_SAID]),
            *_further(shown, "trend is", "trends are"),
        )
        drifted = () if self.drift is None else self.drift.sentences(self.period, self.level)
        return (
            *(told or map(self._open, open_[:1])),
            *(() if broken or shown else self._unbroken()),
            *drifted,
            *self._by_name(),
        )

    def _by_name(self) -> Iterator[str]:
        """That periods stand in the order of the alphabet, where their names hold nothing that says when they were."""
        names = [str(each) for each in self.shards]
        if len(names) < FEWEST or any(re.search(r"\d", each) for each in names):
            return
        if names == sorted(names):
            yield (
                f"The {self.period}s stand in the order of the alphabet, from {quote(names[0])} to {quote(names[-1])}: "
                "if that is not their order in time, give them dates or numbers as names."
            )

    def _is_step(self, name: str) -> bool:
        """Whether the values lie nearer to both sides of the break than to the line of the trend."""
        y, w = np.array([each.value for each in self.values[name]]), np.array(self.cases)
        known = np.isfinite(y) & (w > 0)
        x, late = (
            np.arange(y.size)[known],
            (np.arange(y.size) >= self.shards.index(self.breaks[name].at))[known],
        )
        y, root = y[known], np.sqrt(w[known])

        def off(columns: Any) -> float:
            weighted = np.stack([np.ones(y.size), columns], 1) * root[:, None]
            fit, *_ = np.linalg.lstsq(weighted, y * root, rcond=None)
            return float(((y * root - weighted @ fit) ** 2).sum())

        return off(late) < off(x)

    def _broken(self, name: str) -> str:
        """Where a measure changed most."""
        found = self.breaks[name]
        return (
            f"{_start(name)} {'rises' if found.after > found.before else 'falls'} most {found.between}: {found.said}, "
            f"{_p_of(self.p_of_breaks, name)}."
        )

    def _unbroken(self) -> Iterator[str]:
        """The period that differs most, if no measure broke; or a sentence that none is shown to differ."""
        odd = [name for name, p in self.p_of_extremes.items() if p < 1 - self.level]
        for name in odd[:1]:
            found = self.extremes[name]
            value, others = apart(found.after, found.before)
            yield (
                f"The {self.period} that differs most is {quote(found.at)}: {spoken(name)} {value}, {others} in the "
                f"others, {_p_of(self.p_of_extremes, name)}."
            )
        tested = [name for name, p in self.p_of_breaks.items() if not isnan(p)]
        if tested and not odd:
            least = min(self.p_of_breaks[name] for name in tested)
            yield (
                f"No break is shown in {spoken(tested[0]) if len(tested) == 1 else f'any of {len(tested)} measures'}, "
                f"and no {self.period} that differs from the others (least adjusted p of a break: {p_text(least)})."
            )

    def frame(self) -> Any:
        """One row for each measure in each period, as a PyArrow table: .to_pandas(), polars.from_arrow(…)."""
        return frame_of(
            [
                {"measure": name, self.period: str(shard), "cases": cases} | each.row
                for name, found in self.values.items()
                for shard, cases, each in zip(self.shards, self.cases, found, strict=True)
            ]
        )

    def _changes(self, name: str) -> str:
        """By how much a measure rises or falls: the change and both its ends in the way that is said."""
        change = self.changes[name]
        rises = change.value > 0
        ends = (change.low, change.high) if rises else (-change.high, -change.low)
        size, low, high = apart(abs(change.value), *ends, write=small)
        return (
            f"{'rises' if rises else 'falls'} by {size} a {self.period} "
            f"({100 * (change.level or 0):g} % interval {low} to {high})"
        )

    def _shown(self, name: str) -> str:
        found = [each.value for each in self.values[name]]
        known = [at for at, each in enumerate(found) if isfinite(each)]
        first, last = known[0], known[-1]
        return (
            f"{_start(name)} {self._changes(name)}, {self._p(name)}: from "
            f"{number(found[first])} in {quote(self.shards[first])} to {number(found[last])} in "
            f"{quote(self.shards[last])}."
        )

    def _open(self, name: str) -> str:
        change = self.changes[name]
        if not change.low <= 0 <= change.high:
            return (
                f"Taken alone, {spoken(name)} {self._changes(name)}. Among the measures tested here the data do not "
                f"show it: {self._p(name)}."
            )
        low, high = apart(change.low, change.high, write=small)
        return (
            f"{_start(name)} shows no trend over the {len(self.shards)} {self.period}s: changes between {low} and "
            f"{high} a {self.period} remain possible ({self._p(name)})."
        )

    def _p(self, name: str) -> str:
        """The p-value that decides, and for how many measures it is adjusted."""
        return _p_of(self.p_adjusted, name)


def _further(shown: Sequence[str], one: str, several: str) -> tuple[str, ...]:
    """That more is found than the sentences tell."""
    more = len(shown) - MOST_SAID
    return (f"{more} more {one if more == 1 else several} below.",) if more > 0 else ()


def _adjusted(changes: Mapping[str, LargestContrast]) -> dict[str, float]:
    return dict(zip(changes, adjust([each.p for each in changes.values()]).tolist(), strict=True))


def _p_of(p: Mapping[str, float], name: str) -> str:
    family = sum(not isnan(each) for each in p.values())
    return f"{p_equation(p[name])}{f', by Holm for {family} measures' if family > 1 else ''}"


def _start(name: str) -> str:
    said = spoken(name)
    return f"{said[:1].upper()}{said[1:]}"


@checked
def trends_over(
    periods: Mapping[Hashable, Assessment],
    measures: Sequence[str] | None = None,
    *,
    period: str = "period",
    when: Sequence[float] | None = None,
) -> Trends:
    """How much measures change from one period to the next, of assessments of days, weeks or other shards, in order.

    `periods` are assessments of different cases by the names of their periods, three or more; `measures` those most
    people want by default, and aliases come under their names. `period` is the word for one in sentences: "day",
    "week". Each change is the slope of weighted least squares of the values over the periods, by the cases that the
    measure rests on (the positives, for recall), with Student's t of its residuals (periods - 2 degrees of
    freedom): interval and p-value rest on how the periods scatter about the line. `when` says how many periods each
    is after the first, where some are missing.

    Breaks, the period that differs most, and drift rest on the cases: they ask whether periods differ by more than
    cases drawn by chance do (`LargestContrast`, `Drift`).

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
    for a, other in pairwise(periods.values()):
        labels_together(a, other)
    if measures is None:
        shared = [main_measures(each) for each in periods.values()]
        measures = [name for name in shared[0] if all(name in each for each in shared)]
    return over_time_of(Timed(periods, when=when), measures, period)


def over_time_of(timed: Timed, measures: Sequence[str], period: str) -> Trends:
    """The trends of periods that were made alike, with their breaks and their drift."""
    periods = timed.periods
    names = list(dict.fromkeys(get(each).name for each in measures))
    of_classes = shares_of(periods)
    rows = sum(each.rows for each in periods.values())
    # of short periods threads would wait for each other
    with workers(thread_count(rows // len(periods))) as run:
        found = run(lambda a: a.estimates([*names, *of_classes]), periods.values())
    values = {name: tuple(each[name] for each in found) for name in names}
    made = _over_periods(periods, values, period, timed.when)
    first = next(iter(periods.values()))
    how: dict[str, Any] = {"level": first.level, "seed": first.seed}

    def together(measure: Measure) -> tuple[Estimate, float]:
        return timed.all_cases.estimate(measure), resting_on(measure, timed.all_cases)

    def changes(name: str, of_periods: Sequence[Estimate]) -> tuple[LargestContrast, LargestContrast]:
        measure = get(name)
        series = Series.of(measure, [*periods.items()], of_periods, together)
        return changes_of(series, name, reach=measure.bounds[1] - measure.bounds[0], **how)

    both = {name: changes(name, each) for name, each in values.items()}
    shares = {name: tuple(each[name] for each in found) for name in of_classes}
    return replace(
        made,
        warnings=columns_of_any(timed.all_cases),
        breaks={name: each for name, (each, _) in both.items()},
        extremes={name: each for name, (_, each) in both.items()},
        drift=drift_over(timed, shares, {name: changes(name, each)[0] for name, each in shares.items()}),
    )


class InGroups(Protocol):
    """One classifier assessed in groups of cases, as `Slices` are."""

    @property
    def by(self) -> str:
        """What the groups are by."""

    @property
    def overall(self) -> Assessment:
        """All cases together."""

    @property
    def groups(self) -> Mapping[Hashable, Assessment]:
        """Each group by its label."""

    @property
    def ordered(self) -> bool:
        """Whether the groups come in an order."""


def trends_of(s: InGroups, found: Sequence[Slice]) -> Trends | None:
    """The trends over groups that come in an order, of what `Slices.compare` found; None where there is no order.

    Groups are ordered that are numbers, dates or periods ("2026-03", "2026-Q1"), or ordered categories. There are none
    of fewer than three groups. The slope is that of `trends_over`; its interval and p rest on the cases of each group
    (MOVER of their intervals), as those of the other differences between groups do, or on how the groups scatter
    about the line where cases are clustered. It is the change from a group to the next one, whatever their numbers.

    >>> import classay as ca
    >>> months = [f"2026-0{month}" for month in (1, 2, 3, 4) for _ in range(50)]
    >>> right = [k % 50 < 45 - 7 * (k // 50) for k in range(200)]
    >>> y = [k % 2 for k in range(200)]
    >>> s = ca.assess_by(y, y_pred=[each if hit else 1 - each for each, hit in zip(y, right)], by=months)
    >>> print(trends_of(s, s.compare("accuracy")).sentences[0].partition(":")[0])
    Accuracy falls by 0.140 a group (95 % interval 0.084 to 0.186), p < 0.0001
    """
    if not s.ordered or len(s.groups) < FEWEST:
        return None
    values: dict[str, dict[Hashable, Estimate]] = {}
    for each in found:
        values.setdefault(each.measure, {})[each.group] = each.estimate
    known = {name: tuple(of_group[group] for group in s.groups) for name, of_group in values.items()}
    period = "group"  # also where the column is called "month": between 5 and 12 lie seven, and one step
    if (
        s.overall.clusters is not None
    ):  # rows of one cluster may lie in several groups, whose errors then go together
        return _over_periods(s.groups, known, period)
    at = known
    if s.overall.level != REFERENCE:
        others = [group.changed(level=REFERENCE).estimates([*known]) for group in s.groups.values()]
        at = {name: tuple(each[name] for each in others) for name in known}
    weights = [each.weight_of_cases for each in s.groups.values()]
    telling = {
        name: [
            weights[k] if not too_few(get(name), group, "") else 0.0
            for k, group in enumerate(s.groups.values())
        ]
        for name in known
    }
    lines = {name: _over_groups(known[name], at[name], telling[name]) for name in known}
    changes = {name: line.estimate for name, line in lines.items()}
    p = {name: line.p for name, line in lines.items()}
    return Trends(
        tuple(s.groups), changes, known, _cases(s.groups), p, period, "cases", level=s.overall.level
    )


def _over_groups(
    found: Sequence[Estimate], reference: Sequence[Estimate], cases: Sequence[float]
) -> SampleDifference:
    """The slope over independent groups, by the intervals of their own cases; groups without one, or too small (their
    `cases` are 0), are passed over."""
    kept = [
        k for k, each in enumerate(found) if each.has_interval and reference[k].has_interval and cases[k] > 0
    ]
    if len(kept) < FEWEST:
        return SampleDifference.undefined(
            f"{len(kept)} groups with an interval show no trend: {FEWEST} are the fewest"
        )
    x, w = np.array(kept, np.float64), np.array([cases[k] for k in kept])
    x -= np.average(x, weights=w)
    return contrast([found[k] for k in kept], w * x / (w @ x**2), reference=[reference[k] for k in kept])


def _over_periods(
    periods: Mapping[Hashable, Assessment],
    values: Mapping[str, tuple[Estimate, ...]],
    period: str,
    when: Sequence[float] | None = None,
) -> Trends:
    """The line of each measure through the values of periods, by how they scatter about it."""
    cases = _cases(periods)
    when = range(len(periods)) if when is None else when
    level = next(iter(periods.values())).level
    lines = {
        name: _line(when, [each.value for each in of_shards], _resting(name, periods))
        for name, of_shards in values.items()
    }
    changes = {name: line if isinstance(line, Estimate) else line.at(level) for name, line in lines.items()}
    p = {name: nan if isinstance(line, Estimate) else line.p for name, line in lines.items()}
    return Trends(tuple(periods), changes, values, cases, p, period, level=level)


def _resting(name: str, periods: Mapping[Hashable, Assessment]) -> list[float]:
    """How many cases of each period a measure rests on: recall on the positives, whatever their share."""
    return [resting_on(get(name), each) for each in periods.values()]


def _cases(periods: Mapping[Hashable, Assessment]) -> tuple[float, ...]:
    return tuple(float(each.n) for each in periods.values())


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
    middle, reach = np.average(y, weights=w), np.abs(x).max()
    slope = float((w * x * y).sum() / spread)
    slope = 0.0 if is_rounding(slope * reach, np.abs(y).max()) else slope
    off = y - middle - slope * x
    df = int(known.sum()) - 2
    se = float(np.sqrt((w * off**2).sum() / df / spread))
    if is_rounding(se * reach, np.abs(y).max()):
        return Estimate.bare(slope, "the periods lie on a line, which shows no spread")
    return _Line(slope, se, df)
