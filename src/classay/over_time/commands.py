"""Periods of time on the command line: `assess --time`, `decide --time`, `gate --time`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import checked_rows, how_to_assess
from classay.cli.lists import names_in
from classay.cli.outputs import waiting
from classay.cli.row_options import RowOptions
from classay.errors import InputError
from classay.groups.commands import BesideGroups
from classay.groups.dates import periods_of
from classay.kinds import Per
from classay.over_time.courses import (
    cases_of_rows,
    over_time,
    periods_and_names,
    periods_in_part,
    ripe_rows,
    time_course,
    unlabelled,
)

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.cli.commands.decide import Periods
    from classay.cli.commands.gate import Demand, LastPeriod
    from classay.cli.options import Estimating
    from classay.cli.row_options import Sources
    from classay.comparison.gate_rules import Gate
    from classay.decision.decision import Decision
    from classay.inference.requirements import Outcome
    from classay.over_time.courses import OverTime
    from classay.predictions import Predictions


def assess_in_periods(
    arguments: dict[str, Any], per: Per
) -> tuple[Predictions, Callable[[Assessment, list[str] | None], BesideGroups]]:
    """The rows, checked, and what makes of the assessment of all of them the course over their periods."""
    when, periods = periods_and_names(arguments.pop("time"), per)
    checked = checked_rows(**arguments | {"by": when})
    late = unlabelled(checked, when, arguments)

    def course(a: Assessment, names: list[str] | None) -> BesideGroups:
        return BesideGroups(None, trends=time_course(checked, a, periods, per, late, names))

    return checked, course


@dataclass(frozen=True)
class RowsInTime:
    """Rows with their times, of which those count whose labels are known."""

    when: Any
    periods: Periods
    arguments: Mapping[str, object]
    ripe: NDArray[Any]
    number: float
    """How many periods the rows with labels make up."""

    def course(self, decision: Decision, capacity: float | None) -> OverTime:
        """What the decision does in each period."""
        return over_time(
            decision,
            **{
                name: argument
                for name, argument in self.arguments.items()
                if name not in ("y_pred", "labels", "ordered")
            },
            time=self.when,
            per=self.periods.per,
            labels_until=self.periods.until,
            capacity=capacity,
        )


def rows_in_time(when: Any, periods: Periods, arguments: Mapping[str, object]) -> RowsInTime:
    """Rows whose labels are known. Raises InputError where none is."""
    is_ripe = ripe_rows(when, periods.until)
    ripe = np.flatnonzero(is_ripe)
    if not ripe.size:
        raise InputError(f"no label is ripe until {periods.until}: every row is later.")
    cases = cases_of_rows(arguments, is_ripe.size)
    number = periods_in_part(periods_of(when, periods.per), is_ripe, cases)
    return RowsInTime(when, periods, arguments, ripe, number)


def gate_of_rows(
    sources: Sources, demand: Demand, last: LastPeriod, estimating: Estimating
) -> tuple[Gate, list[Outcome]]:
    """The gate of the last period, and the requirements on it."""
    from classay.assessment.required import outcomes_of
    from classay.over_time.last_period import gate_of_periods, last_and_earlier

    if demand.method is not None or demand.cost or sources.id is not None:
        raise InputError(
            "--method, --cost and --id are for two models on the same cases, and --time compares one model's periods: "
            "leave them out."
        )
    if demand.by is not None:
        raise InputError(
            "--by and --time both divide the rows: pass one of them, or gate the rows of each group by themselves."
        )
    rows = rows_of(sources, last.column)
    with waiting(f"reading {rows.path}"):
        arguments = rows.whole()
    try:
        threshold = None if sources.threshold is None else float(sources.threshold)
    except ValueError as error:
        raise InputError(
            f"--threshold is {sources.threshold!r}: pass one number, because --time is for one model."
        ) from error
    how = how_to_assess(threshold, estimating.level, estimating.seed)
    with waiting("comparing"), rows.naming():
        columns = {name: each for name, each in arguments.items() if name not in ("by", "id")}
        parts, facts, warned = last_and_earlier(**columns, per=last.per, how=how, policy=estimating.policy)
        ruling = gate_of_periods(
            parts, facts, demand.measure, demand.margin, last.rule, estimating.level, warned
        )
        outcomes = outcomes_of(demand.requirements, next(iter(parts.values())), None)
    return ruling, outcomes


def rows_of(sources: Sources, time: str) -> RowOptions:
    """The rows of the one model. Raises InputError where several are named."""
    scores, predictions = names_in(sources.scores, "--scores"), names_in(sources.predictions, "--predictions")
    classes = sources.class_scores or []
    if len(sources.files) > 1 or max(len(scores), len(predictions), len(classes)) > 1:
        raise InputError(
            "--time compares the periods of one model: pass one file, with one column of scores or of predictions."
        )
    sources.need_truth()
    rows = RowOptions(
        sources.files[0],
        sources.truth,
        score=scores[0] if scores else None,
        class_scores=classes[0] if classes else None,
        prediction=predictions[0] if predictions else None,
    )
    shared = ("positive", "labels", "order", "roles", "reading", "score_scale")
    named = {name: getattr(sources, name) for name in shared}
    return replace(rows, **named, time=time)
