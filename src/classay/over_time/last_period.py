"""The gate of one model's last complete period, which is compared with all earlier periods together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from classay.assessment.assessing import how_to_assess, input_rows, of_predictions
from classay.assessment.assessment import Assessment
from classay.assessment.assessment_warnings import columns_of_any
from classay.assessment.flow import missing_in
from classay.assessment.row_arguments import EstimationArguments, RowArguments
from classay.columns.numbers import counted
from classay.columns.opened import rows_of
from classay.comparison.cases.compare_assessments import compare_unpaired
from classay.comparison.cases.compare_panel import about_thresholds
from classay.comparison.gate_rules import LEFT_OUT, NO_ANSWERS, Gate, apply_rule, check_rule, interval_level
from classay.errors import InputError
from classay.groups.assessing_groups import of_groups
from classay.groups.calendar_periods import read_periods
from classay.groups.dates import dates_of, last_days, name_of_period
from classay.kinds import Per, Rule, checked
from classay.measures import get
from classay.over_time.courses import (
    Array,
    about_far,
    cases_of_rows,
    far_periods,
    periods_and_names,
    refuse_beside_time,
    time_in,
)
from classay.predictions import Predictions, check
from classay.tables.sums import sum_by_halves
from classay.texts import hint
from classay.warned import Warned


@checked
def gate_over_time(
    y_true: Any,
    y_score: Any = None,
    *,
    time: Any,
    per: Per = "day",
    measure: str,
    margin: float | None = None,
    rule: Rule | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    **columns: Unpack[RowArguments],
) -> Gate:
    """Test whether the last complete period is worse than all earlier ones.

    The last period is compared with the earlier ones together, by a rule with a margin.

    Parameters
    ----------
    y_true : array-like or frame
        True labels, or a dataframe, as in `assess`.
    y_score : array-like, optional
        Scores, as in `assess`.
    time : array-like or str
        Time of each case, as in `assess_over_time`.
    per : {"day", "week", "month", "quarter"}, default "day"
        Length of a period. A period is complete if its last day, or a later one, occurs in rows of a weight
        other than 0. Few cases far from all other periods are excluded, because a date may be mistyped.
    measure : str
        Name of the measure.
    margin : float, optional
        Largest acceptable difference for the `rule`, above 0 and prespecified.
    rule : {"non-inferior", "not-worse", "superior", "equivalent"}, optional
        What to show, as in `gate`. The default is "non-inferior".
    threshold : float, optional
        A case is predicted positive if `score >= threshold`.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    **columns
        All other arguments of `assess_over_time`.

    Returns
    -------
    Gate
        The verdict with the difference of the last period and the earlier ones.

    Raises
    ------
    InputError
        If `assess_over_time` raises it.
        If there is a single complete period.
        If a cluster has cases in both parts.

    Notes
    -----
    The difference is turned so that more is better. "non-inferior" fails where the high end of its interval
    is below -margin, passes where the low end is above -margin, and is inconclusive otherwise (see `gate`).
    "not-worse" must be shown here. It passes where the low end is not below -margin, and is inconclusive
    where the period may be worse.

    Examples
    --------
    >>> days = [f"2026-03-0{day}" for day in (1, 2, 3, 4) for _ in range(100)]
    >>> y = [k % 2 for k in range(400)]
    >>> called = [truth if k % 100 < (90 if k < 300 else 60) else 1 - truth for k, truth in enumerate(y)]
    >>> gate = gate_over_time(y, y_pred=called, time=days, measure="accuracy", margin=0.05)
    >>> gate.verdict, gate.comparison.models
    (<Verdict.FAIL: 'fail'>, ('2026-03-04', '2026-03-01 to 2026-03-03'))
    """
    time = time_in(y_true, time, columns)
    y_true, y_score, columns = refuse_beside_time(gate_over_time, y_true, y_score, threshold, columns)
    check_rule(rule or "non-inferior", margin)
    time, per = read_periods(time, per)
    periods = periods_and_names(time, per)
    rows = check(input_rows(y_true, y_score, by=periods[0], **columns))
    cases = cases_of_rows(columns, periods[0].size, None if columns.get("truth") is None else y_true)
    parts, facts, warned = last_and_earlier(
        rows, periods, cases, time, per, how_to_assess(threshold, level, seed)
    )
    return gate_of_periods(parts, facts, measure, margin, rule, level, warned)


def last_and_earlier(
    rows: Predictions,
    row_periods: tuple[Array, Array],
    cases: Array,
    time: Any,
    per: Per,
    how: EstimationArguments,
) -> tuple[dict[str, Assessment], tuple[tuple[str, str], ...], tuple[Warned, ...]]:
    """Return the last complete period that has labels, and all earlier ones together, by their names.

    With what was left out or counts as wrong, and the warnings of columns of all rows.

    `row_periods` are the periods of rows, also of those that were left out (`periods_and_names`), and `cases` how many
    each row is. Raises InputError where there are no two.
    """
    when, names = row_periods
    word = "period" if names.dtype.kind in "iu" else per
    overall = of_predictions(rows, **how)
    periods: dict[Any, Assessment] = dict(of_groups(rows, overall, word).groups)
    in_periods = np.bincount(when, cases, names.size)
    is_far = far_periods(names, in_periods, per)
    counts = np.flatnonzero((cases > 0) & ~is_far[when])  # those without a label too
    end = int(when[counts].max())
    far = [periods.pop(k) for k in np.flatnonzero(is_far).tolist() if k in periods]
    incomplete = (
        "" if is_complete(rows_of(time, counts), names[end], per) else name_of_period(names[end], per)
    )
    last_of_all = periods.pop(end, None) if incomplete else None
    if len(periods) < 2:
        also = f" ({incomplete} is incomplete)" if incomplete else ""
        raise InputError(
            f"The last complete {word} is compared with earlier ones, but "
            f"{'none' if not periods else 'only 1'} is complete with labels{also}. Use more rows, or a shorter "
            f"{hint('per=', '--per')}."
        )
    places = [*periods]
    first, before, last = (name_of_period(names[k], per) for k in (places[0], places[-2], places[-1]))
    parts = [periods[k] for k in places[:-1]]
    earlier = sum_by_halves(parts, sum(a.rows for a in parts))
    gaps = []
    if last_of_all is not None:
        gaps.append(f"{counted(last_of_all.rows)} of {incomplete} (incomplete {word})")
    if far:
        gaps.append(f"{counted(sum(a.rows for a in far))} far from all other {word}s")
    if rows.dropped:
        gaps.append(f"{counted(rows.dropped)} for {missing_in(overall)}")
    facts = [(LEFT_OUT, "; ".join(gaps))] if gaps else []
    if unanswered := sum(a.unanswered for a in periods.values()):
        facts.append((NO_ANSWERS, f"{counted(unanswered)}; counted as incorrect"))
    named = {last: periods[places[-1]], first if first == before else f"{first} to {before}": earlier}
    about = about_far(names, in_periods, is_far, per, " The gate excludes such cases.")
    return named, tuple(facts), (*columns_of_any(overall), *about)


def is_complete(time: Any, period: Any, per: Per) -> bool:
    """Check whether the last day of a period occurs among the times, or a later one.

    >>> april = np.datetime64("2026-04")
    >>> [is_complete(["2026-04-01", day], april, "month") for day in ("2026-04-29", "2026-04-30")]
    [False, True]
    """
    if np.asarray(period).dtype.kind in "iu" or per == "day":
        return True
    ends = last_days(dates_of(time)).max()
    if per == "week":
        return bool(ends >= period + np.timedelta64(6, "D"))
    last = np.asarray(period + np.timedelta64(2 if per == "quarter" else 0, "M"))
    return bool(ends >= last_days(last))


def gate_of_periods(
    parts: Mapping[str, Assessment],
    facts: tuple[tuple[str, str], ...],
    measure: str,
    margin: float | None,
    rule: Rule | None,
    level: float,
    warned: Sequence[Warned] = (),
) -> Gate:
    """Return the rule held against the last period and the earlier ones, "non-inferior" by default.

    `warned` are the warnings of all rows, of which those are given that no period shows alone.
    """
    used: Rule = rule or "non-inferior"
    comparisons = compare_unpaired(parts, [measure], level=interval_level(used, level))
    gated, last = apply_rule(comparisons[0], used, margin, over_time=True), next(iter(parts.values()))
    if last.cutoff is not None:
        facts = (*about_thresholds({"": last.cutoff}, [get(measure)], chosen=last.cutoff_chosen), *facts)
    codes = {warning.code for warning in comparisons.warnings}
    warnings = (*comparisons.warnings, *(warning for warning in warned if warning.code not in codes))
    return replace(gated, facts=facts, warnings=warnings)
