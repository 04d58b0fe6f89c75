"""A decision over time: what it costs in each period, whether the capacity is met, and whether that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import assess
from classay.assessment.decisions.periods import (
    Per,
    dates_of,
    last_days,
    name_of_period,
    number_of_period,
    periods_of,
)
from classay.assessment.slices.trends import trend
from classay.columns.numbers import score_array
from classay.columns.opened import rows_of
from classay.decision.decision import Decision
from classay.errors import ClassayError, InputError
from classay.inference.estimate import Estimate
from classay.inference.words import signed
from classay.texts import as_sentence

Array = NDArray[Any]


@dataclass(frozen=True)
class Period:
    """One period: its cases, how many are called positive, and the objective of those whose labels are ripe.

    `called` counts all cases, ripe or not; `met` says whether the capacity sufficed, None without one. `value` is the
    cost of a case, or the measure that the rule is about.
    """

    name: str
    cases: int
    ripe: int
    called: int
    met: bool | None
    value: Estimate


@dataclass(frozen=True)
class OverTime:
    """A decision in each period. `trend` is how much its objective changes a period; `unripe` the cases left out."""

    periods: tuple[Period, ...]
    objective: str
    trend: Estimate
    unripe: int
    until: str | None
    per: str
    capacity: float | None = None

    @property
    def sentence(self) -> str:
        """How often the capacity sufficed, how many labels were left out, and the trend."""
        said = []
        if self.capacity is not None:
            met = sum(each.met is True for each in self.periods)
            of_all = f"in {met} of {len(self.periods)} {self.per}s"
            said.append(f"The capacity of {self.capacity:,.6g} a {self.per} suffices {of_all}")
        if self.unripe:
            are = "1 case is" if self.unripe == 1 else f"{self.unripe:,} cases are"
            said.append(
                f"{are} after {self.until}, with labels not yet ripe, and left out of all but the counts"
            )
        if self.trend.has_interval:
            way = (
                "rises" if self.trend.low > 0 else "falls" if self.trend.high < 0 else "shows no clear change"
            )
            value, low, high = signed(self.trend)
            said.append(f"the {self.objective} {way} by the {self.per}: {value} ({low} to {high})")
        return as_sentence("; ".join(said))


def ripe_rows(time: Any, until: Any) -> Array:
    """Whether the label of each row is ripe: its time is not after `until`, a date, a month or a whole number.

    Raises InputError where `until` is of another kind than the times.
    """
    times = dates_of(time)
    if until is None:
        return np.ones(times.size, bool)
    try:
        given = int(until) if times.dtype.kind in "iu" and isinstance(until, str) else until
        end = dates_of([given])
    except (ClassayError, ValueError) as error:
        raise InputError(f"labels are ripe until {until!r}, which is no date: write 2026-03-01.") from error
    if (end.dtype.kind in "iu") != (times.dtype.kind in "iu"):
        raise InputError(
            f"labels are ripe until {until!r}, and the times are such as {times[0]}: write one like them."
        )
    return np.asarray(last_days(times) <= last_days(end)[0])


def periods_in_part(periods: Array, ripe: Array) -> float:
    """How many periods the ripe rows are: one of which only some are ripe counts by its share of ripe rows.

    >>> periods_in_part(np.array([1, 1, 2, 2, 2, 2]), np.array([True, True, True, False, False, False]))
    1.25
    """
    _, codes = np.unique(periods, return_inverse=True)
    return float((np.bincount(codes, ripe) / np.bincount(codes)).sum())


def over_time(
    decision: Decision,
    y_true: Any,
    y_score: Any,
    time: Any,
    *,
    per: Per = "day",
    labels_until: Any = None,
    capacity: float | None = None,
    **columns: Any,
) -> OverTime:
    """What a decision does in each period of its cases, and the trend of its objective.

    `columns` are those of `assess` (weight, frequency, cluster, amounts, positive); `capacity` is how many cases a
    period may be called. Labels after `labels_until` are not yet ripe: such cases count among those called, and
    nowhere else. The trend is the slope of weighted least squares over the periods, by their ripe cases, with Student's
    t of its residuals. Values are those at the prevalence of the decision, if it has one. Raises InputError for times
    that cannot be read.

    >>> import classay as ca
    >>> y, p = [1, 0, 0, 1, 0, 0, 1, 0, 0], [0.9, 0.2, 0.1, 0.8, 0.3, 0.6, 0.4, 0.7, 0.2]
    >>> d = ca.assess(y, p).threshold(cost=ca.Costs(fp=1, fn=3))
    >>> found = over_time(d, y, p, [1, 1, 1, 2, 2, 2, 3, 3, 3], labels_until=2)
    >>> [each.called for each in found.periods], found.unripe
    ([1, 2, 2], 3)
    """
    when, ripe = periods_of(time, per), ripe_rows(time, labels_until)
    positive = columns.pop("positive", decision.positive)
    score = score_array(y_score).astype(np.float64)
    _refuse_unequal({"time": when, "y_true": y_true, "y_score": score} | columns)
    frequency = columns.get("frequency")
    times = np.ones(score.size) if frequency is None else np.asarray(frequency, float)
    called = score >= decision.threshold.value
    names, codes = np.unique(when, return_inverse=True)
    found = []
    for code, name in enumerate(names):
        own = codes == code
        rows = np.flatnonzero(own & ripe)
        number = int(times[own & called].sum())
        found.append(
            Period(
                name_of_period(name, per),
                int(times[own].sum()),
                int(times[rows].sum()),
                number,
                None if capacity is None else number <= capacity,
                _value(decision, rows, y_true, y_score, positive, columns),
            )
        )
    word = "period" if names.dtype.kind in "iu" else per
    unripe = int(times[~ripe].sum())
    slope = trend(
        number_of_period(names, per),
        [each.value.value for each in found],
        [each.ripe for each in found],
        decision.level,
    )
    until = None if labels_until is None else str(labels_until)
    return OverTime(tuple(found), _objective(decision), slope, unripe, until, word, capacity)


def _refuse_unequal(columns: Mapping[str, Any]) -> None:
    """Refuse columns of different lengths; amounts are columns in a column."""
    rows = {name: len(each) for name, each in columns.items() if each is not None and name != "amounts"}
    if len({*rows.values()}) > 1:
        told = ", ".join(f"{name} has {n:,} rows" for name, n in rows.items())
        raise InputError(f"{told}: pass columns of one length.")


def _objective(decision: Decision) -> str:
    return decision.objective if decision.rule.cost is None else "cost of a case"


def _value(
    decision: Decision, rows: Array, y_true: Any, y_score: Any, positive: Any, columns: dict[str, Any]
) -> Estimate:
    """The objective of the rule in some rows."""
    if not rows.size:
        return Estimate.undefined("no label is ripe")
    how = {name: rows_of(each, rows) for name, each in columns.items()}
    try:
        a = assess(
            rows_of(y_true, rows),
            rows_of(y_score, rows),
            labels=list(decision.labels),
            positive=positive,
            threshold=decision.threshold.value,
            level=decision.level,
            seed=decision.seed,
            **how,
        )
        there = a if decision.prevalence is None else a.at_prevalence(decision.prevalence)
        if decision.rule.cost is not None:
            return there.expected_cost(decision.rule.cost).per_case
        return there["precision" if decision.rule.measure is None else decision.rule.measure]
    except ClassayError as error:
        return Estimate.undefined(str(error))
