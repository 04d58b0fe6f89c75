"""The gate of one model's last complete period, which is compared with all earlier periods together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from classay.assessment.assessing import checked_rows, how_to_assess, of_predictions
from classay.assessment.assessment import Assessment
from classay.assessment.flow import missing_in
from classay.assessment.row_arguments import EstimationArguments, RowArguments
from classay.assessment.verdict import columns_of_any
from classay.columns.numbers import counted
from classay.columns.opened import rows_of
from classay.comparison.cases.compare_assessments import compare_unpaired
from classay.comparison.cases.compare_panel import about_thresholds
from classay.comparison.gate_rules import (
    LEFT_OUT,
    NO_ANSWERS,
    Gate,
    Rule,
    apply_rule,
    check_rule,
    interval_level,
)
from classay.errors import InputError
from classay.groups.calendar_periods import read_periods
from classay.groups.dates import dates_of, last_days, name_of_period
from classay.groups.slices import of_groups
from classay.kinds import Per, checked
from classay.measures import get
from classay.over_time.courses import Array, cases_of_rows, periods_and_names, refuse_beside_time, time_in
from classay.predictions import Predictions
from classay.tables.sums import sum_by_halves
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
    """Whether the last complete period is worse than all earlier ones together by more than the margin.

    The gate fails where that is shown (the high end of the interval of the difference, turned so that more is better,
    is below -margin), passes where it is shown not to be (the low end is above), and is inconclusive between: the rule
    "non-inferior" of `gate`, unless `rule` names another. "not-worse" has to be shown here: it passes where the low end
    is not below -margin, and is inconclusive where it may be worse. `time`, `per` and all other arguments are those of
    `assess_over_time`. A period is complete when its last day occurs, or a later one, in rows that are not of weight 0.
    Raises InputError as `assess_over_time` does, for a single complete period, and for
    clusters with cases in both parts.

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
    rows = checked_rows(y_true, y_score, by=periods[0], **columns)
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
    """The last complete period that has labels, and all earlier ones together, by their names; what was left out
    or counts as wrong; the warnings of columns of all rows.

    `row_periods` are the periods of rows, also of those that were left out (`periods_and_names`), and `cases` how many
    each row is. Raises InputError where there are no two.
    """
    when, names = row_periods
    word = "period" if names.dtype.kind in "iu" else per
    overall = of_predictions(rows, **how)
    periods: dict[Any, Assessment] = dict(of_groups(rows, overall, word).groups)
    counts = np.flatnonzero(cases)  # those without a label too
    end = int(when[counts].max())
    incomplete = (
        "" if is_complete(rows_of(time, counts), names[end], per) else name_of_period(names[end], per)
    )
    last_of_all = periods.pop(end, None) if incomplete else None
    if len(periods) < 2:
        also = f" ({incomplete} is not: its last day does not occur)" if incomplete else ""
        raise InputError(
            f"the last complete {word} is held against earlier ones, and "
            f"{'none is' if not periods else 'only 1 is'} complete with labels{also}: pass more rows, or a shorter "
            "per (--per)."
        )
    places = [*periods]
    first, before, last = (name_of_period(names[k], per) for k in (places[0], places[-2], places[-1]))
    parts = [periods[k] for k in places[:-1]]
    earlier = sum_by_halves(parts, sum(a.rows for a in parts))
    gaps = []
    if last_of_all is not None:
        gaps.append(f"{counted(last_of_all.rows)} of {incomplete}, whose last day does not occur")
    if rows.dropped:
        gaps.append(f"{counted(rows.dropped)} for {missing_in(overall)}")
    facts = [(LEFT_OUT, "; ".join(gaps))] if gaps else []
    if unanswered := sum(a.unanswered for a in periods.values()):
        facts.append((NO_ANSWERS, f"{counted(unanswered)}; they count as wrong"))
    named = {last: periods[places[-1]], first if first == before else f"{first} to {before}": earlier}
    return named, tuple(facts), columns_of_any(overall)


def is_complete(time: Any, period: Any, per: Per) -> bool:
    """Whether the last day of a period occurs among the times, or a later one.

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
    """The rule held against the last period and the earlier ones, "non-inferior" by default.

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
