"""Trends: how much measures change over assessments that come in an order."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite, isnan, nan
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from classay.assessment.assessment import Assessment
from classay.assessment.main_measures import FEW, main_measures, resting_on
from classay.assessment.merging import labels_together
from classay.assessment.task import OtherTask
from classay.compiled import thread_count, workers
from classay.errors import InputError
from classay.groups.change_points import LargestContrast, Series, changes_of
from classay.groups.column_warnings import warnings_with_groups
from classay.groups.compared_groups import GroupDifference, absent_in_parts
from classay.groups.dates import steps_between
from classay.groups.drift import Drift, PeriodSeries, drift_over, shares_of
from classay.inference.design import student_quantile
from classay.inference.estimate import (
    Estimate,
    format_distinct,
    level_text,
    measure_phrase,
    number,
    p_equation,
    p_text,
    small,
)
from classay.inference.proportions import normal_quantile
from classay.inference.significance import adjust
from classay.kinds import FiniteOrNone, checked, shown
from classay.measures import Measure, get
from classay.shown import Reportable, frame_of
from classay.tables.sums import is_rounding
from classay.warned import Warned

FEWEST = 3
"""Periods below which there is no trend."""
MOST_ENDS, FEWEST_IN_ENDS = 20, 30
"""Periods from which, and cases below which, the first and the last value say little about a trend."""
MOST_SAID = 3
"""Trends that are told in sentences; the rest are counted."""


@dataclass(frozen=True, eq=False)
class TrendErrors(FiniteOrNone):
    """Half the width of the interval of a trend by the cases of each period, and by the scatter of the periods.

    The wider one is the interval. `periods` counts those with a value, and `df`, two fewer, are the degrees of freedom
    of the scatter. `cases` is NaN where the cases have no error.
    """

    cases: float
    scatter: float
    periods: int

    @property
    def df(self) -> int:
        """Degrees of freedom of the scatter."""
        return self.periods - 2


@dataclass(frozen=True)
class Trends(Reportable):
    """Change of each measure over periods.

    Intervals and p-values use the larger of two errors, as `basis` says.

    Attributes
    ----------
    shards : tuple
        Names of the periods, in order.
    changes : mapping of Estimate
        Change of each measure per period.
    values : mapping
        Estimates of each measure in each period.
    cases : tuple of float
        Number of cases of each period, whatever their weight.
    p : mapping of float
        Two-sided p-values of no trend, NaN without an interval.
    period : str
        Word for a period.
    basis : str
        "wider", the larger of two errors.
    breaks : mapping of LargestContrast
        Change point of each measure, of periods in time.
    extremes : mapping of LargestContrast
        Period that differs most from the rest, for each measure.
    drift : Drift or None
        Change of scores and classes, which needs no label.
    level : float
        Level of the findings.
    model : str
        Name of the model, or empty.
    errors : mapping of TrendErrors
        Half width of the interval by each error, the scatter of the periods about the line, and the cases
        in each.
    warnings : tuple of Warned
        Codes and texts.
    is_threshold_chosen : bool
        Whether labels were given, or a threshold was chosen.
    when : tuple of float
        Number of steps from the first period to each.
    step : str
        Word for a step, if it is not a period.
    """

    shards: tuple[Hashable, ...]
    changes: Mapping[str, Estimate]
    values: Mapping[str, tuple[Estimate, ...]]
    cases: tuple[float, ...] = ()
    p: Mapping[str, float] = field(default_factory=dict)
    period: str = "period"
    basis: Literal["wider"] = "wider"
    breaks: Mapping[str, LargestContrast] = field(default_factory=dict)
    extremes: Mapping[str, LargestContrast] = field(default_factory=dict)
    drift: Drift | None = None
    level: float = 0.95
    model: str = ""
    errors: Mapping[str, TrendErrors] = field(default_factory=dict)
    warnings: tuple[Warned, ...] = ()
    is_threshold_chosen: bool = True
    when: tuple[float, ...] = ()
    step: str = ""

    @property
    def step_name(self) -> str:
        """Unit of the slopes, a period or the unit of the distances between periods."""
        return self.step or self.period

    @property
    def p_adjusted(self) -> dict[str, float]:
        """P-values adjusted by Holm for the measures that have one.

        Without the adjustment, some measure would often show a trend in stable data.
        """
        return dict(zip(self.p, adjust([*self.p.values()]).tolist(), strict=True))

    @property
    def p_of_breaks(self) -> dict[str, float]:
        """P-values of no change point, adjusted by Holm for the measures."""
        return _adjusted(self.breaks)

    @property
    def p_of_extremes(self) -> dict[str, float]:
        """P-values of the period that differs most, adjusted by Holm for the measures."""
        return _adjusted(self.extremes)

    @property
    def family(self) -> int:
        """Number of measures that the p-values are adjusted for."""
        return sum(not isnan(p) for p in self.p.values())

    @property
    def sentences(self) -> tuple[str, ...]:
        """Findings in sentences.

        They name the measures that rise or fall with the size of the change, or what remains compatible for
        the first one.
        """
        alpha = 1 - self.level
        trending = [name for name, p in self.p_adjusted.items() if p < alpha]
        broken = [
            name
            for name, p in self.p_of_breaks.items()
            if p < alpha and (name not in trending or self.is_step(name))
        ]
        shown = [name for name in trending if name not in broken]
        open_ = [name for name, change in self.changes.items() if change.has_interval]
        sentences = (
            *map(self._broken, broken[:MOST_SAID]),
            *_further(broken, "change point is", "change points are"),
            *map(self._shown, shown[:MOST_SAID]),
            *_further(shown, "trend is", "trends are"),
        )
        drifted = () if self.drift is None else self.drift.sentences(self.period, self.level)
        return (
            *(sentences or map(self._open, open_[:1])),
            *(() if broken or shown else self._unbroken()),
            *drifted,
            *self.alphabetical(),
        )

    def alphabetical(self) -> Iterator[str]:
        """Warn about undated periods, which are in alphabetical order."""
        names = [str(shard) for shard in self.shards]
        if len(names) < FEWEST or any(re.search(r"\d", name) for name in names):
            return
        if names == sorted(names):
            yield (
                f"The {self.period}s are in alphabetical order, from {names[0]} to {names[-1]}. If that is not "
                "their order in time, name them by date or number."
            )

    def is_step(self, name: str) -> bool:
        """Return whether the values are nearer to a change point than to the trend."""
        y, w = np.array([estimate.value for estimate in self.values[name]]), np.array(self.cases)
        known = np.isfinite(y) & (w > 0)
        when = np.array(self.when or range(y.size), np.float64)
        x, late = when[known], (np.arange(y.size) >= self.shards.index(self.breaks[name].at))[known]
        y, root = y[known], np.sqrt(w[known])

        def off(columns: Any) -> float:
            weighted = np.stack([np.ones(y.size), columns], 1) * root[:, None]
            fit, *_ = np.linalg.lstsq(weighted, y * root, rcond=None)
            return float(((y * root - weighted @ fit) ** 2).sum())

        return off(late) < off(x)

    def ends(self, name: str) -> tuple[int, int]:
        """Return the first and the last period with a value of a measure."""
        known = [at for at, estimate in enumerate(self.values[name]) if isfinite(estimate.value)]
        return known[0], known[-1]

    def change_in_all(self, name: str) -> float:
        """Return the change of the fitted line from the first to the last period.

        Only periods with a value count.
        """
        first, last = self.ends(name)
        return self.changes[name].value * (self.when[last] - self.when[first] if self.when else last - first)

    def are_ends_shown(self, name: str) -> bool:
        """Return whether the first and last values show the trend.

        They do with few periods of enough cases.
        """
        first, last = self.ends(name)
        change = self.values[name][last].value - self.values[name][first].value
        return (
            len(self.shards) < MOST_ENDS
            and all(self.cases[at] >= FEWEST_IN_ENDS for at in (first, last) if self.cases)
            and change * self.changes[name].value > 0
        )

    def _broken(self, name: str) -> str:
        """Return where a measure changed most."""
        jump = self.breaks[name]
        return (
            f"{_start(name)} {'rose' if jump.after > jump.before else 'fell'} {jump.said}; "
            f"{_p_of(self.p_of_breaks, name)}."
        )

    def _unbroken(self) -> Iterator[str]:
        """Yield the period that differs most, if no measure broke; or a sentence that none is shown to differ."""
        odd = [name for name, p in self.p_of_extremes.items() if p < 1 - self.level]
        for name in odd[:1]:
            extreme = self.extremes[name]
            value, others = format_distinct(extreme.after, extreme.before)
            yield (
                f"The most unusual {self.period} is {extreme.at}: {measure_phrase(name)} was {value}, compared "
                f"with {others} in the other {self.period}s ({_p_of(self.p_of_extremes, name)})."
            )
        tested = [name for name, p in self.p_of_breaks.items() if not isnan(p)]
        if tested and not odd:
            least = min(self.p_of_breaks[name] for name in tested)
            yield (
                f"No change point and no unusual {self.period} were detected in "
                f"{measure_phrase(tested[0]) if len(tested) == 1 else f'{len(tested)} measures'} (smallest "
                f"adjusted p of a change point: {p_text(least)})."
            )

    def frame(self) -> Any:
        """Return a PyArrow table with one row for each measure in each period.

        `.to_pandas()` or `polars.from_arrow(…)` convert it.
        """
        return frame_of(
            [
                {"measure": name, self.period: str(shard), "cases": cases} | estimate.row
                for name, estimates in self.values.items()
                for shard, cases, estimate in zip(self.shards, self.cases, estimates, strict=True)
            ],
            kinds={self.period: "text"},
        )

    def _changes(self, name: str, p: str = "") -> str:
        """By how much a measure rises or falls: the change and both its ends in the way that is said, and a p."""
        change = self.changes[name]
        rises = change.value > 0
        ends = (change.low, change.high) if rises else (-change.high, -change.low)
        size, low, high = format_distinct(abs(change.value), *ends, write=small)
        return (
            f"{'rises' if rises else 'falls'} by {size} per {self.step_name} ({level_text(change.level)} {low} "
            f"to {high}{p})"
        )

    def _shown(self, name: str) -> str:
        values = [estimate.value for estimate in self.values[name]]
        first, last = self.ends(name)
        if not self.are_ends_shown(name):
            return (
                f"{_start(name)} {self._changes(name, f'; {self._p(name)}')}, by "
                f"{small(abs(self.change_in_all(name)))} in all from {self.shards[first]} to "
                f"{self.shards[last]}."
            )
        return (
            f"{_start(name)} {self._changes(name, f'; {self._p(name)}')}, from {number(values[first])} in "
            f"{self.shards[first]} to {number(values[last])} in {self.shards[last]}."
        )

    def _open(self, name: str) -> str:
        change = self.changes[name]
        if not change.low <= 0 <= change.high:
            return (
                f"Without adjustment, {measure_phrase(name)} {self._changes(name)}. After adjustment, no trend "
                f"was detected ({self._p(name)})."
            )
        low, high = format_distinct(change.low, change.high, write=small)
        return (
            f"No trend in {measure_phrase(name)} was detected over {len(self.shards)} {self.period}s (changes "
            f"from {low} to {high} per {self.step_name}, {level_text(change.level)}; {self._p(name)})."
        )

    def _p(self, name: str) -> str:
        """Return the p-value that decides, and for how many measures it is adjusted."""
        return _p_of(self.p_adjusted, name)


def _further(shown: Sequence[str], one: str, several: str) -> tuple[str, ...]:
    """Return that more is found than the sentences tell."""
    more = len(shown) - MOST_SAID
    return (f"{more} more {one if more == 1 else several} below.",) if more > 0 else ()


def _adjusted(changes: Mapping[str, LargestContrast]) -> dict[str, float]:
    return dict(zip(changes, adjust([change.p for change in changes.values()]).tolist(), strict=True))


def _p_of(p: Mapping[str, float], name: str) -> str:
    family = sum(not isnan(each) for each in p.values())
    return f"{p_equation(p[name])}{f', adjusted for {family} measures' if family > 1 else ''}"


def _start(name: str) -> str:
    phrase = measure_phrase(name)
    return f"{phrase[:1].upper()}{phrase[1:]}"


@checked
def trends_over(
    periods: Mapping[Hashable, Assessment],
    measures: Sequence[str] | None = None,
    *,
    period: str = "period",
    when: Sequence[float] | None = None,
) -> Trends:
    """Estimate the change of measures over periods, such as days or weeks.

    Each change is the least-squares slope of the values over the periods.

    Parameters
    ----------
    periods : mapping of Assessment
        Assessments of different cases by the names of their periods, in order, three or more.
    measures : sequence of str, optional
        Measures, also by alias. The default is the main ones.
    period : str, default "period"
        Word for a period in sentences, "day" or "week".
    when : sequence of float, optional
        Number of periods from the first one to each, if some are missing.

    Returns
    -------
    Trends
        The changes, change points and drift.

    Raises
    ------
    InputError
        If there are fewer than three periods.
    MergeError
        If the assessments were made with different options.

    Notes
    -----
    The interval of a change is the wider of two. One is Student's t of the residuals (periods with a value
    - 2 degrees of freedom). The other uses the normal errors of the cases, with one variance per case for
    all periods. It is p (1 - p) of a proportion of all cases, else what the interval of all cases implies.
    The p-value is the larger of both. Few periods lie close to a line by chance, with less scatter than
    their cases cause. By the wider interval, stable periods show a trend in 1 to 5% of samples. Periods
    with fewer than ten cases that the measure uses (the positives, for recall) are omitted.

    Change points, the period that differs most, and drift use the cases. They test whether periods differ
    by more than randomly drawn cases (`LargestContrast`, `Drift`).

    Examples
    --------
    >>> from classay.assessment.assessing import assess
    >>> days = {
    ...     day: assess([1] * 50 + [0] * 50, y_pred=[1] * (45 - day * day) + [0] * (55 + day * day))
    ...     for day in (1, 2, 3, 4)
    ... }
    >>> trends = trends_over(days, ["recall"], period="day")
    >>> trends.changes["recall"]
    Estimate(-0.100 [-0.154, -0.046] 95%, least squares over periods, the larger of the t and the sampling error)
    >>> trends.sentences[0]
    'Recall falls by 0.100 per day (95% CI 0.046 to 0.154; p = 0.016), from 0.880 in 1 to 0.580 in 4.'
    """
    if not isinstance(periods, Mapping) or not all(isinstance(each, Assessment) for each in periods.values()):
        raise InputError(
            "A trend needs assessments by the names of their periods in the order of time, not "
            f"{shown(periods)}. Pass a dict, such as {{'monday': a, 'tuesday': b, 'wednesday': c}}."
        )
    if len(periods) < FEWEST:
        raise InputError(
            f"A trend needs at least {FEWEST} {period}s in their order, but there are {len(periods)}."
        )
    for a, other in pairwise(periods.values()):
        labels_together(a, other)
    if measures is None:
        shared = [main_measures(each) for each in periods.values()]
        measures = [name for name in shared[0] if all(name in names for names in shared)]
    return over_time_of(PeriodSeries(periods, when=when), measures, period)


def over_time_of(timed: PeriodSeries, measures: Sequence[str], period: str) -> Trends:
    """Return the trends of periods that were made alike, with their breaks and their drift."""
    periods = timed.periods
    names = list(dict.fromkeys(get(name).name for name in measures))
    of_classes = shares_of(periods)
    rows = sum(a.rows for a in periods.values())
    # of short periods threads would wait for each other
    absent = absent_in_parts(timed.all_cases, names)
    known = [name for name in names if name not in absent]
    with workers(thread_count(rows // len(periods))) as run:
        by_period = [
            each | absent for each in run(lambda a: a.estimates([*known, *of_classes]), periods.values())
        ]
    values = {name: tuple(estimates[name] for estimates in by_period) for name in names}
    first = next(iter(periods.values()))
    how: dict[str, Any] = {"level": first.level, "seed": first.seed}

    def series_of(name: str, of_periods: Sequence[Estimate]) -> Series | str:
        return Series.of(get(name), [*periods.items()], of_periods, _together(timed.all_cases))

    def changes(name: str, series: Series | str) -> tuple[LargestContrast, LargestContrast]:
        low, high = get(name).bounds
        return changes_of(series, name, reach=high - low, **how)

    series = {name: series_of(name, estimates) for name, estimates in values.items()}
    trends = _over_periods(periods, values, series, period, timed.when)
    both = {name: changes(name, each) for name, each in series.items()}
    shares = {name: tuple(estimates[name] for estimates in by_period) for name in of_classes}
    return replace(
        trends,
        warnings=warnings_with_groups(timed.all_cases, periods, period),
        is_threshold_chosen=first.cutoff is None or first.cutoff_chosen,
        breaks={name: each for name, (each, _) in both.items()},
        extremes={name: each for name, (_, each) in both.items()},
        drift=drift_over(
            timed, shares, {name: changes(name, series_of(name, each))[0] for name, each in shares.items()}
        ),
    )


def _together(pooled: Assessment) -> Callable[[Measure], tuple[Estimate, float]]:
    """Return the estimate of a measure from all cases, and how many it rests on."""
    return lambda measure: (pooled.estimate(measure), resting_on(measure, pooled))


class InGroups(Protocol):
    """One classifier assessed in groups of cases, as `GroupAssessments` are."""

    @property
    def by(self) -> str:
        """What the groups are by."""

    @property
    def overall(self) -> Assessment:
        """All cases together."""

    @property
    def compared_cases(self) -> Assessment:
        """All cases with a group together."""

    @property
    def groups(self) -> Mapping[Hashable, Assessment]:
        """Each group by its label."""

    @property
    def ordered(self) -> bool:
        """Whether the groups come in an order."""


def trends_of(s: InGroups, slices: Sequence[GroupDifference]) -> Trends | None:
    """The trends over groups that come in an order, of what `GroupAssessments.compare` found; None without an order.

    Groups are ordered that are numbers, dates or periods ("2026-03", "2026-Q1"), or ordered categories. There are none
    of fewer than three groups. Slope, interval and p are those of `assess_over_time`, with the same distances: a month
    without a case leaves a gap, and 5 and 12 are seven apart. Ordered categories and bands are one step apart.

    >>> import classay as ca
    >>> months = [f"2026-0{month}" for month in (1, 2, 3, 4) for _ in range(50)]
    >>> right = [k % 50 < 45 - 7 * (k // 50) for k in range(200)]
    >>> y = [k % 2 for k in range(200)]
    >>> s = ca.assess_by(y, y_pred=[each if hit else 1 - each for each, hit in zip(y, right)], by=months)
    >>> print(trends_of(s, s.compare("accuracy")).sentences[0].partition(":")[0])
    Accuracy falls by 0.140 per month (95% CI 0.083 to 0.197; p < 0.001), from 0.900 in 2026-01 to 0.480 in 2026-04.
    """
    if not s.ordered or len(s.groups) < FEWEST:
        return None
    values: dict[str, dict[Hashable, Estimate]] = {}
    for slice_ in slices:
        values.setdefault(slice_.measure, {})[slice_.group] = slice_.estimate
    known = {name: tuple(of_group[group] for group in s.groups) for name, of_group in values.items()}
    overall = _together(s.compared_cases)
    series = {
        name: pooled_variance(estimates, _resting(name, s.groups))
        if isinstance(s.overall.task, OtherTask)
        else Series.of(get(name), [*s.groups.items()], estimates, overall)
        for name, estimates in known.items()
    }
    when, step = steps_between([*s.groups], s.by)
    trends = replace(_over_periods(s.groups, known, series, "group", when), step=step)
    return replace(trends, is_threshold_chosen=s.overall.cutoff is None or s.overall.cutoff_chosen)


def _over_periods(
    periods: Mapping[Hashable, Assessment],
    values: Mapping[str, tuple[Estimate, ...]],
    series: Mapping[str, Series | str | float],
    period: str,
    when: Sequence[float] | None = None,
) -> Trends:
    """The line of each measure through the values of periods, with the error of their scatter and of their cases."""
    cases = _cases(periods)
    when = tuple(map(float, range(len(periods)) if when is None else when))
    level = next(iter(periods.values())).level
    lines = {
        name: _line(
            when,
            [estimate.value for estimate in of_shards],
            [cases if cases >= FEW else 0.0 for cases in _resting(name, periods)],
            _variance(series[name]),
            f"a value from {FEW} cases or more",
        )
        for name, of_shards in values.items()
    }
    changes = {name: line if isinstance(line, Estimate) else line.at(level) for name, line in lines.items()}
    p = {
        name: line.p if isinstance(line, _Line) and changes[name].has_interval else nan
        for name, line in lines.items()
    }
    errors = {name: line.errors(level) for name, line in lines.items() if isinstance(line, _Line)}
    return Trends(tuple(periods), changes, values, cases, p, period, level=level, errors=errors, when=when)


def _variance(series: Series | str | float) -> float:
    """Return the variance of a value times its cases, one for all periods; NaN where it is not known."""
    return series if isinstance(series, float) else nan if isinstance(series, str) else series.variance


def pooled_variance(estimates: Sequence[Estimate], cases: Sequence[float]) -> float:
    """Return the variance of a value times its cases, from the intervals of periods, by their cases; NaN without one.

    >>> round(pooled_variance([Estimate(0.5, 0.402, 0.598, 0.95, "z")] * 3, [100, 100, 100]), 4)
    0.25
    """
    known = [(each, n) for each, n in zip(estimates, cases, strict=True) if each.has_interval and n > 0]
    if not known:
        return nan
    z = normal_quantile(known[0][0].level or 0.95)
    variances = [((each.high - each.low) / (2 * z)) ** 2 * n for each, n in known]
    return float(np.average(variances, weights=[n for _, n in known]))


def _resting(name: str, periods: Mapping[Hashable, Assessment]) -> list[float]:
    """Return how many cases of each period a measure rests on: recall on the positives, whatever their share."""
    return [resting_on(get(name), a) for a in periods.values()]


def _cases(periods: Mapping[Hashable, Assessment]) -> tuple[float, ...]:
    return tuple(float(a.n) for a in periods.values())


@dataclass(frozen=True)
class _Line:
    """A slope with two standard errors: of the scatter of the periods about it, and of their cases, NaN if unknown."""

    slope: float
    scatter: float
    cases: float
    df: int

    def errors(self, level: float) -> TrendErrors:
        """Half the width of the interval by either error."""
        by_scatter = student_quantile(level, self.df) * self.scatter
        return TrendErrors(normal_quantile(level) * self.cases, by_scatter, self.df + 2)

    def at(self, level: float) -> Estimate:
        """Return the slope with the wider interval."""
        errors = self.errors(level)
        half = float(np.fmax(errors.scatter, errors.cases))
        if not half:
            return Estimate.bare(self.slope, "all periods lie on a line, so the scatter is 0")
        how = "t" if isnan(self.cases) else "the larger of the t and the sampling error"
        low, high = self.slope - half, self.slope + half
        return Estimate(self.slope, low, high, level, f"least squares over periods, {how}")

    @property
    def p(self) -> float:
        """The two-sided p-value of no slope: the larger of both."""
        from scipy.special import ndtr, stdtr

        size = abs(self.slope)
        by_scatter = float(2 * stdtr(self.df, -size / self.scatter)) if self.scatter else float(not size)
        if isnan(self.cases) or not self.cases:
            return by_scatter
        return max(by_scatter, float(2 * ndtr(-size / self.cases)))


def trend(
    when: ArrayLike, values: ArrayLike, cases: ArrayLike, level: float, variance: float = nan
) -> Estimate:
    """Return the slope of least squares of values over periods, with the wider of two intervals.

    `when`, `values` and `cases`, `(periods,)` each; periods without a value or without cases are passed over, and cost
    degrees of freedom. b ± max(t √(s² / Sxx), z √(Σ x² v) / Sxx), with x the times about their mean, Sxx = Σ x², s² the
    variance of the residuals and t of n - 2 degrees of freedom; v = `variance` / cases, the variance of a value by its
    cases. Without a `variance` it is the first of both, and has no interval where all lie on a line. Undefined for
    fewer than three periods.

    >>> trend([0, 1, 2, 3], [0.9, 0.855, 0.81, 0.762], [200] * 4, 0.95, variance=0.83175 * (1 - 0.83175))
    Estimate(-0.046 [-0.069, -0.023] 95%, least squares over periods, the larger of the t and the sampling error)
    >>> trend([0, 1, 2, 3], [0.9, 0.855, 0.81, 0.762], [200] * 4, 0.95)
    Estimate(-0.046 [-0.048, -0.044] 95%, least squares over periods, t)
    """
    line = _line(when, values, cases, variance, "a value")
    return line if isinstance(line, Estimate) else line.at(level)


def _line(
    when: ArrayLike, values: ArrayLike, cases: ArrayLike, variance: float, needed: str
) -> _Line | Estimate:
    """Return the line through the periods; an estimate without an interval where there is none, with the reason."""
    x, y, n = (np.asarray(column, np.float64) for column in (when, values, cases))
    known = (n > 0) & np.isfinite(y)
    number = int(known.sum())
    if number < FEWEST:
        have = f"{number or 'none'} of {y.size} periods {'has' if number == 1 else 'have'} {needed}"
        return Estimate.undefined(f"{have}, but a trend needs {FEWEST}")
    x, y, n = x[known], y[known], n[known]
    x = x - x.mean()
    spread = float((x**2).sum())
    if not spread:
        return Estimate.undefined(
            "the periods are too close to each other, relative to their numbers, for a trend"
        )
    middle, reach = y.mean(), np.abs(x).max()
    slope = float((x * y).sum() / spread)
    slope = 0.0 if is_rounding(slope * reach, np.abs(y).max()) else slope
    off = y - middle - slope * x
    scatter = float(np.sqrt((off**2).sum() / (number - 2) / spread))
    scatter = 0.0 if is_rounding(scatter * reach, np.abs(y).max()) else scatter
    of_cases = float(np.sqrt(variance * (x**2 / n).sum()) / spread)
    return _Line(slope, scatter, of_cases, number - 2)
