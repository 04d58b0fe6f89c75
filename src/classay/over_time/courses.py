"""Over time: a classifier assessed in each day, week, month or quarter; what a decision costs in each period."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from classay.answers import AnswerPolicy
from classay.assessment.assessing import (
    assess,
    how_to_assess,
    input_rows,
    of_predictions,
    refuse_all_undeclared,
    refuse_of_tags,
)
from classay.assessment.assessment import Assessment
from classay.assessment.main_measures import main_measures
from classay.assessment.other_rows import refuse_other_rows, with_task
from classay.assessment.row_arguments import RowArguments, RowColumns
from classay.columns.coding import code_labels
from classay.columns.numbers import counted, in_precision, score_array
from classay.columns.opened import rows_of
from classay.columns.scales import scaled
from classay.decision.decision import Decision
from classay.errors import ClassayError, InputError, NothingCountsError
from classay.groups.assessing_groups import of_groups
from classay.groups.calendar_periods import read_periods
from classay.groups.dates import dates_of, last_days, name_of_period, number_of_period, periods_of
from classay.groups.drift import PeriodSeries
from classay.groups.trends import FEWEST, Trends, over_time_of, pooled_variance, trend
from classay.inference.estimate import Estimate, level_text, signed
from classay.kinds import Per, checked, refuse_unknown
from classay.predictions import Predictions, check
from classay.texts import as_sentence, hint, some
from classay.warned import Warned

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
        phrases = []
        if self.capacity is not None:
            met = sum(period.met is True for period in self.periods)
            of_all = f"in {met} of {len(self.periods)} {self.per}s"
            phrases.append(f"The capacity of {self.capacity:,.6g} per {self.per} suffices {of_all}")
        if self.unripe:
            are = "1 case is" if self.unripe == 1 else f"{self.unripe:,} cases are"
            phrases.append(f"{are} later than {self.until}, without complete labels, and only counted")
        if self.trend.has_interval:
            way = (
                "rises"
                if self.trend.low > 0
                else "falls"
                if self.trend.high < 0
                else "does not change detectably"
            )
            value, low, high = signed(self.trend)
            phrases.append(
                f"the {self.objective} {way} per {self.per} (slope {value}, {level_text(self.trend.level)} {low} "
                f"to {high})"
            )
        return " ".join(map(as_sentence, phrases))


def ripe_rows(time: Any, until: Any) -> Array:
    """Check whether the label of each row is ripe: its time is not after `until`, a date, a month or a whole number.

    Raises InputError where `until` is of another kind than the times.
    """
    times = dates_of(time)
    if until is None:
        return np.ones(times.size, bool)
    try:
        moment = int(until) if times.dtype.kind in "iu" and isinstance(until, str) else until
        end = dates_of([moment])
    except (ClassayError, ValueError) as error:
        raise InputError(f"labels_until must be a date such as 2026-03-01, but is {until!r}.") from error
    if (end.dtype.kind in "iu") != (times.dtype.kind in "iu"):
        raise InputError(f"labels_until is {until!r}, but the times look like {times[0]}. Use the same form.")
    return np.asarray(last_days(times) <= last_days(end)[0])


def periods_in_part(periods: Array, ripe: Array, times: Array | None = None) -> float:
    """Return how many periods the ripe rows make up; a period of which only some cases are ripe counts by their share.

    `times` says how many cases each row is (see `cases_of_rows`), if not one; periods without a case do not count.

    >>> periods_in_part(np.array([1, 1, 2, 2, 2, 2]), np.array([True, True, True, False, False, False]))
    1.25
    """
    _, codes = np.unique(periods, return_inverse=True)
    frequency = np.ones(codes.size) if times is None else times
    cases = np.bincount(codes, frequency)
    counts = cases > 0
    return float((np.bincount(codes, frequency * ripe)[counts] / cases[counts]).sum())


def cases_of_rows(columns: RowColumns, rows: int, frame: Any = None) -> Array:
    """Return how many cases each row is, `(rows,)`: its frequency, one by default, and none where its weight is 0.

    `columns` may name those of a `frame`.
    """
    by_role = {"weight": columns.get("weight"), "frequency": columns.get("frequency")}
    if frame is not None:
        from classay.sources.inputs import columns_of_roles

        by_role = columns_of_roles(frame, by_role)
    weight, frequency = by_role["weight"], by_role["frequency"]
    times = np.ones(rows) if frequency is None else np.asarray(score_array(frequency), np.float64)
    return times if weight is None else times * (score_array(weight) != 0)


ROLES_OF_ROWS = ("weight", "frequency", "cluster", "amounts", "id")
"""Arguments of `assess` with a value for each row, beside the labels and scores."""


def over_time(
    decision: Decision,
    y_true: Any,
    y_score: Any,
    time: Any,
    *,
    per: Per = "day",
    labels_until: Any = None,
    capacity: float | None = None,
    **columns: Unpack[RowArguments],
) -> OverTime:
    """Return what a decision does in each period of its cases, and the trend of its objective.

    `columns` are those of `assess` (weight, frequency, cluster, amounts, positive, missing); `capacity` is how many
    cases a period may be called. Labels after `labels_until` are not yet ripe: such cases count among those called, and
    nowhere else; so do those without a label, with `missing="drop"`. Rows of weight or frequency 0 count nowhere. The
    trend is the slope of weighted least squares over the periods, by their ripe cases, with Student's t of its
    residuals. Values are those at the prevalence of the decision, if it has one. Raises InputError for times that
    cannot be read, and where no row counts.

    >>> import classay as ca
    >>> y, p = [1, 0, 0, 1, 0, 0, 1, 0, 0], [0.9, 0.2, 0.1, 0.8, 0.3, 0.6, 0.4, 0.7, 0.2]
    >>> d = ca.assess(y, p).threshold(cost=ca.Costs(fp=1, fn=3))
    >>> course = over_time(d, y, p, [1, 1, 1, 2, 2, 2, 3, 3, 3], labels_until=2)
    >>> [each.called for each in course.periods], course.unripe
    ([1, 2, 2], 3)
    """
    time, per = read_periods(time, per)
    when, ripe = periods_of(time, per), ripe_rows(time, labels_until)
    positive = columns.pop("positive", decision.positive)
    score = y_score = scaled(score_array(y_score), columns.pop("score_scale", None))
    of_rows: dict[str, Any] = {name: column for name, column in columns.items() if name in ROLES_OF_ROWS}
    _refuse_unequal({"time": when, "y_true": y_true, "y_score": score} | of_rows)
    times = cases_of_rows(columns, score.size)
    called = score >= in_precision(decision.threshold.value, score.dtype)
    counts, known = times > 0, ripe
    if not counts.any():
        raise NothingCountsError("Weight or frequency is zero in every row. Use positive values.")
    names = np.unique(when[counts])
    if columns.get("missing") == "drop":
        known = known & (code_labels(y_true, "truth").codes >= 0)
    periods = []
    for name in names:
        in_period = counts & (when == name)
        rows = np.flatnonzero(in_period & known)
        number = int(times[in_period & called].sum())
        periods.append(
            Period(
                name_of_period(name, per),
                int(times[in_period].sum()),
                int(times[rows].sum()),
                number,
                None if capacity is None else number <= capacity,
                _value(decision, rows, y_true, y_score, positive, columns),
            )
        )
    word = "period" if names.dtype.kind in "iu" else per
    unripe = int(times[~ripe].sum())
    ripe_cases = [period.ripe for period in periods]
    slope = trend(
        number_of_period(names, per),
        [period.value.value for period in periods],
        ripe_cases,
        decision.level,
        pooled_variance([period.value for period in periods], ripe_cases),
    )
    until = None if labels_until is None else str(labels_until)
    return OverTime(tuple(periods), _objective(decision), slope, unripe, until, word, capacity)


def _refuse_unequal(columns: Mapping[str, Sized | None]) -> None:
    """Refuse columns of rows of different lengths; amounts are columns in a column."""
    rows = {name: len(each) for name, each in columns.items() if each is not None and name != "amounts"}
    if len({*rows.values()}) > 1:
        lengths = ", ".join(f"{name} has {n:,} rows" for name, n in rows.items())
        raise InputError(f"{lengths}. Use columns of one length.")


def _objective(decision: Decision) -> str:
    return decision.objective if decision.rule.cost is None else "cost per case"


def _value(
    decision: Decision, rows: Array, y_true: Any, y_score: Any, positive: Any, columns: RowArguments
) -> Estimate:
    """Return the objective of the rule in some rows."""
    if not rows.size:
        return Estimate.undefined("no label is complete")
    how: dict[str, Any] = {
        name: rows_of(each, rows) if name in ROLES_OF_ROWS else each for name, each in columns.items()
    }
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


MOST_PERIODS = 10_000
"""Periods up to which there is a picture of them."""


def refuse_beside_time(
    of: Callable[..., Any], y_true: Any, y_score: Any, threshold: Any, columns: RowArguments
) -> tuple[Any, Any, RowArguments]:
    """Refuse options that a function of rows with times does not know, and cases with several labels.

    Returns the truth, the scores and the other columns, one-hot truth of classes as their labels.
    """
    refuse_unknown(of.__name__, columns, {**signature(assess).parameters, **signature(of).parameters})
    if columns.get("task") is not None:
        y_true, y_score, columns = with_task(y_true, y_score, columns)
    refuse_other_rows(f"{of.__name__} looks at", y_true, y_score, columns)
    refuse_of_tags(threshold, columns.pop("top", None))
    return y_true, y_score, columns


def time_in(y_true: Any, time: Any, columns: RowArguments) -> Any:
    """Return the column of times, which may be named where a frame comes first."""
    if isinstance(time, str) and columns.get("truth") is not None:
        from classay.sources.inputs import columns_of_roles

        return columns_of_roles(y_true, {"time": time})["time"]
    return time


@checked
def assess_over_time(
    y_true: Any,
    y_score: Any = None,
    *,
    time: Any,
    per: Per = "day",
    measures: Sequence[str] | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    interval: str | None = None,
    **columns: Unpack[RowArguments],
) -> Trends:
    """Assess a classifier in each period, with trends, change points and drift.

    The result is that of `trends_over` on the assessments of the periods.

    Parameters
    ----------
    y_true : array-like or frame
        True labels, or a dataframe, as in `assess`.
    y_score : array-like, optional
        Scores, as in `assess`.
    time : array-like or str
        Time of each case: dates, times, text such as "2026-03-01" or "2026-03" (a month), or whole numbers,
        which are periods. With a frame the name of a column.
    per : {"day", "week", "month", "quarter"}, default "day"
        Length of a period.
    measures : sequence of str, optional
        Measures to follow. The default is the main ones.
    threshold : float, optional
        A case is predicted positive if `score >= threshold`.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    interval : str, optional
        One method for the intervals of all measures that it applies to. The methods are bootstrap and, for
        proportions, Wilson, Clopper-Pearson, mid-P, Jeffreys, Agresti-Coull, Wald and corrected Wald. All
        other measures keep their default.
    **columns
        All other arguments of `assess`. With `missing="drop"` cases without a label count only in the drift
        of scores of two classes, with their weights, frequencies and clusters. So a period without labels
        yet is covered too. For several classes, and for predicted labels only, drift is that of the labeled
        cases.

    Returns
    -------
    Trends
        The measures of each period, and their changes.

    Raises
    ------
    InputError
        If `assess` raises it.
        If times are no dates.
        If fewer than three periods have labels.

    Examples
    --------
    >>> months = [f"2026-0{month}" for month in (1, 2, 3, 4) for _ in range(100)]
    >>> hit = [k % 100 < (90 if k < 200 else 70) for k in range(400)]
    >>> y = [k % 2 for k in range(400)]
    >>> p = [float(truth == right) for truth, right in zip(y, hit)]
    >>> trends = assess_over_time(y, p, time=months, per="month", measures=["accuracy"])
    >>> print(trends.breaks["accuracy"].at, trends.breaks["accuracy"].said, sep=": ")
    2026-03: from 0.900 (before 2026-03) to 0.700 (from 2026-03; difference -0.200, simultaneous 95% CI ...)
    """
    time = time_in(y_true, time, columns)
    y_true, y_score, columns = refuse_beside_time(assess_over_time, y_true, y_score, threshold, columns)
    time, per = read_periods(time, per)
    how = how_to_assess(threshold, level, seed, interval)
    when, names = periods_and_names(time, per)
    rows = check(input_rows(y_true, y_score, by=when, **columns))
    overall = refuse_all_undeclared(of_predictions(rows, **how))
    late = unlabelled(rows, when, y_true, y_score, columns)
    return time_course(rows, overall, names, per, late, measures)


def periods_and_names(time: Any, per: Per) -> tuple[Array, Array]:
    """Return the place of each row's period, `(rows,)`, and the periods, in the order of time. Raises InputError."""
    when = periods_of(time, per)
    names, codes = np.unique(when, return_inverse=True)
    if names.size > MOST_PERIODS:
        raise InputError(
            f"The times have {names.size:,} {per}s, but at most {MOST_PERIODS:,} can be compared. Use a longer "
            f"{hint('per=', '--per')}."
        )
    return codes, names


FAR, FEW_OF_USUAL = 6, 0.1
"""Times the longest gap before, and share of the cases of a usual period, from which a period may be a wrong date."""
DAYS_CLOSED = 5
"""Days without a case that are usual, so that a holiday of some weeks makes no day far from all others."""


def far_periods(names: Array, cases: Array, per: str) -> Array:
    """Return which periods of dates have few cases behind, or before, a gap much longer than those of all others.

    `names` ascend, `cases` are those of each, `(periods,)`. A date that somebody mistyped makes such a period.

    >>> months = np.array(["2026-01", "2026-02", "2026-03", "2206-03"], "datetime64[M]")
    >>> far_periods(months, np.array([90, 80, 85, 1]), "month").tolist()
    [False, False, False, True]
    """
    is_far = np.zeros(names.size, bool)
    if names.dtype.kind != "M":
        return is_far
    numbers = number_of_period(names, per)
    for order in (np.arange(names.size), np.arange(names.size)[::-1]):
        near = order[~is_far[order] & (cases[order] > 0)]
        gaps = np.abs(np.diff(numbers[near]))
        for k in range(FEWEST, near.size):
            usual = max(gaps[: k - 1].max(), DAYS_CLOSED if per == "day" else 1)
            if gaps[k - 1] <= FAR * usual:
                continue
            if cases[near[k:]].sum() < FEW_OF_USUAL * np.median(cases[near[:k]]):
                is_far[near[k:]] = True
                break
    return is_far


def about_far(names: Array, cases: Array, is_far: Array, per: str, todo: str = "") -> tuple[Warned, ...]:
    """Return the warning of the periods that are far from all others; none where none is."""
    if not is_far.any():
        return ()
    far = [name_of_period(name, per) for name in names[is_far]]
    return (
        Warned(
            "far_period",
            f"{some(far)} ({counted(int(cases[is_far].sum()), 'case')}) {'is' if len(far) == 1 else 'are'} far from "
            f"all other {per}s, so a date may be mistyped.{todo} Check the dates.",
            tuple(far),
        ),
    )


def unlabelled(
    rows: Predictions, when: Array, y_true: Any, y_score: Any, columns: RowArguments
) -> dict[int, Assessment]:
    """Return the cases without a label in each period, of the scores of two classes, as if they were negative.

    `y_true`, `y_score` and `columns` are what `rows` were checked from. Cases of no weight, or of no cluster where
    others have one, are left out. Raises InputError for what is wrong with the others.
    """
    if not rows.dropped or rows.score is None:
        return {}
    args: dict[str, Any] = {"y_true": y_true, "y_score": y_score} | columns
    door = "y_true" if args.get("truth") is None else "truth"
    by_role = {role: args.get(role) for role in (door, "weight", "frequency", "cluster")}
    if door == "truth":
        from classay.sources.inputs import columns_of_roles

        by_role = columns_of_roles(y_true, by_role)
    late = code_labels(by_role[door], "truth").codes < 0
    for role in ("weight", "frequency"):
        if by_role[role] is not None:
            late &= score_array(by_role[role]) > 0
    if by_role["cluster"] is not None:
        late &= code_labels(by_role["cluster"], "cluster").codes >= 0
    truth = [rows.negative if each else None for each in late.tolist()]
    none = dict.fromkeys(("y_pred", "prediction", "id", "amounts"))
    kwargs = {name: each for name, each in args.items() if name not in ("missing", "unanswered", "ordered")}
    kwargs |= {"labels": list(rows.labels), "positive": rows.positive, "policy": AnswerPolicy("drop", "drop")}
    kwargs["repeats"] = None  # of ids, which are looked for in all rows
    try:
        checked = check(input_rows(**kwargs | none | {door: truth, "by": when}))
    except NothingCountsError:  # no case without a label has a score
        return {}
    if checked.weight is not None:  # in the unit of the others
        checked = replace(checked, weight=checked.weight * (rows.weight_scale / checked.weight_scale))
    assert checked.groups is not None
    assert checked.group is not None
    order = np.argsort(checked.group, kind="stable")
    ends = np.cumsum(np.bincount(checked.group, minlength=len(checked.groups)))
    parts = (of_predictions(checked.take(each)) for each in np.split(order, ends[:-1]))
    places: Any = checked.groups
    return dict(zip(places, parts, strict=True))


def time_course(
    rows: Predictions,
    overall: Assessment,
    names: Array,
    per: str,
    late: dict[int, Assessment],
    measures: Sequence[str] | None,
) -> Trends:
    """The trends of checked rows whose groups are the places of `names`; `late` are cases without labels, by place."""
    word = "period" if names.dtype.kind in "iu" else per
    periods = of_groups(rows, overall, word).groups
    if len(periods) < FEWEST:
        raise InputError(
            f"A trend needs at least {FEWEST} {word}s with labels, but there "
            f"{'is 1' if len(periods) == 1 else f'are {len(periods)}'}. Use a shorter {hint('per=', '--per')} "
            "or more rows."
        )
    called = {k: name_of_period(names[k], per) for k in range(names.size)}
    numbers = number_of_period(names, per)
    places: list[Any] = [*periods]
    timed = PeriodSeries(
        {called[place]: periods[place] for place in places},
        overall,
        [float(numbers[place] - numbers[places[0]]) for place in places],
        {called[place]: part for place, part in late.items()},
        tuple(called[place] for place in sorted({*places, *late})),
    )
    course = over_time_of(timed, measures or main_measures(overall), word)
    cases = np.zeros(names.size)
    for part in (periods, late):
        for place, a in part.items():
            cases[int(str(place))] += a.n
    far = about_far(names, cases, far_periods(names, cases, per), per)
    return replace(course, model=overall.model, warnings=(*course.warnings, *far))
