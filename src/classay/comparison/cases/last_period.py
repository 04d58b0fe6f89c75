"""The gate of one model over time: its last complete period against all earlier ones together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import assess, checked_rows, how_to_assess, of_predictions
from classay.assessment.assessment import Assessment
from classay.assessment.over_time import Per, dates_of, last_days, name_of_period
from classay.assessment.slices import of_groups
from classay.assessment.time_course import periods_and_names
from classay.comparison.cases.compare_assessments import compare_unpaired
from classay.comparison.gate_rules import Gate, Rule, apply_rule, check_rule, interval_level
from classay.errors import InputError
from classay.kinds import checked, refuse_unknown
from classay.tables.sums import sum_by_halves

Array = NDArray[Any]


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
    **columns: Any,
) -> Gate:
    """Whether the last complete period is worse than all earlier ones together by more than the margin.

    Without a `rule` the gate fails where that is shown (the high end of the interval of the difference, turned so that
    more is better, is below -margin), passes where it is shown not to be (the low end is above), and cannot tell
    between. With a rule it is that of `gate`: "non-inferior" fails in between too. `time`, `per` and all other
    arguments are those of `assess_over_time`. A period is complete when its last day occurs, or a later one. Raises
    InputError as `assess_over_time` does, for a single complete period, and for clusters with cases in both parts.

    >>> days = [f"2026-03-0{day}" for day in (1, 2, 3, 4) for _ in range(100)]
    >>> y = [k % 2 for k in range(400)]
    >>> called = [truth if k % 100 < (90 if k < 300 else 60) else 1 - truth for k, truth in enumerate(y)]
    >>> found = gate_over_time(y, y_pred=called, time=days, measure="accuracy", margin=0.05)
    >>> found.verdict, found.comparison.models
    (<Verdict.FAIL: 'fail'>, ('2026-03-04', '2026-03-01 to 2026-03-03'))
    """
    known = [*signature(assess).parameters, *signature(gate_over_time).parameters]
    refuse_unknown("gate_over_time", columns, dict.fromkeys(known))
    check_rule(rule or "non-inferior", margin)
    if isinstance(time, str) and columns.get("truth") is not None:
        from classay.sources.frames import columns_of_roles

        time = columns_of_roles(y_true, {"time": time})["time"]
    parts = last_and_earlier(
        y_true, y_score, time=time, per=per, how=how_to_assess(threshold, level, seed), **columns
    )
    return gate_of_periods(parts, measure, margin, rule, level)


def last_and_earlier(
    y_true: Any, y_score: Any = None, *, time: Any, per: Per, how: Mapping[str, Any], **columns: Any
) -> dict[str, Assessment]:
    """The last complete period that has labels, and all earlier ones together, by their names. Raises InputError."""
    when, names = periods_and_names(time, per)
    rows = checked_rows(y_true, y_score, by=when, **columns)
    word = "period" if names.dtype.kind in "iu" else per
    found: dict[Any, Assessment] = dict(of_groups(rows, of_predictions(rows, **how), word).groups)
    incomplete = "" if is_complete(time, names[-1], per) else name_of_period(names[-1], per)
    if incomplete:
        found.pop(names.size - 1, None)
    if len(found) < 2:
        also = f" ({incomplete} is not: its last day does not occur)" if incomplete else ""
        raise InputError(
            f"the last complete {word} is held against earlier ones, and "
            f"{'none is' if not found else 'only 1 is'} complete with labels{also}: pass more rows, or a shorter "
            "per (--per)."
        )
    places = [*found]
    first, before, last = (name_of_period(names[k], per) for k in (places[0], places[-2], places[-1]))
    parts = [found[k] for k in places[:-1]]
    earlier = sum_by_halves(parts, sum(a.rows for a in parts))
    return {last: found[places[-1]], first if first == before else f"{first} to {before}": earlier}


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
        return bool(ends >= period + 6)
    months = 3 if per == "quarter" else 1
    return bool(ends >= (period + months).astype("datetime64[D]") - 1)


def gate_of_periods(
    parts: Mapping[str, Assessment], measure: str, margin: float | None, rule: Rule | None, level: float
) -> Gate:
    """The rule held against the last period and the earlier ones; without one, what is not shown cannot be told."""
    used: Rule = rule or "non-inferior"
    found = compare_unpaired(parts, [measure], level=interval_level(used, level))
    return replace(apply_rule(found[0], used, margin), open_cannot_tell=rule is None)
