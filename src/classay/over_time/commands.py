"""Periods of time on the command line: `assess --time`, `decide --time`, `gate --time`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import how_to_assess
from classay.assessment.row_arguments import RowArguments
from classay.cli.lists import names_in
from classay.cli.outputs import waiting
from classay.cli.read_rows import ReadRows
from classay.cli.row_options import RowOptions
from classay.columns.opened import rows_of
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
    from classay.answers import AnswerPolicy
    from classay.assessment.assessment import Assessment
    from classay.assessment.row_arguments import RowColumns
    from classay.cli.commands.decide import Periods
    from classay.cli.commands.gate import Demand, LastPeriod
    from classay.cli.model_options import Sources
    from classay.cli.options import Estimating
    from classay.comparison.gate_rules import Gate
    from classay.decision.decision import Decision
    from classay.inference.requirements import Outcome
    from classay.kinds import Improper
    from classay.over_time.courses import OverTime
    from classay.predictions import Predictions


def assess_in_periods(
    read: ReadRows, per: Per, policy: AnswerPolicy, improper: Improper
) -> tuple[Predictions, Callable[[Assessment, list[str] | None], BesideGroups]]:
    """Return the rows, checked, and what makes of the assessment of all of them the course over their periods."""
    when, periods = periods_and_names(read.time, per)
    checked = read.check(policy, improper, by=when)
    columns = cast("RowArguments", {**read.columns, "improper": improper})
    late = unlabelled(checked, when, read.y_true, read.y_score, columns)

    def course(a: Assessment, names: list[str] | None) -> BesideGroups:
        return BesideGroups(None, trends=time_course(checked, a, periods, per, late, names))

    return checked, course


@dataclass(frozen=True)
class RowsInTime:
    """Rows with their times, of which those count whose labels are known."""

    rows: ReadRows
    periods: Periods
    labelled: ReadRows
    """Those whose labels are known."""
    number: float
    """How many periods the rows with labels make up."""

    def course(self, decision: Decision, capacity: float | None) -> OverTime:
        """Return what the decision does in each period."""
        columns = self.rows.columns.copy()
        columns.pop("y_pred", None)
        columns.pop("labels", None)
        columns.pop("ordered", None)
        return over_time(
            decision,
            self.rows.y_true,
            self.rows.y_score,
            self.rows.time,
            **columns,
            per=self.periods.per,
            labels_until=self.periods.until,
            capacity=capacity,
        )


def rows_in_time(rows: ReadRows, periods: Periods) -> RowsInTime:
    """Rows whose labels are known. Raises InputError where none is."""
    is_ripe = ripe_rows(rows.time, periods.until)
    ripe = np.flatnonzero(is_ripe)
    if not ripe.size:
        raise InputError(f"No row has a label by {periods.until}, because every row is later.")
    cases = cases_of_rows(rows.columns, is_ripe.size)
    number = periods_in_part(periods_of(rows.time, periods.per), is_ripe, cases)
    return RowsInTime(rows, periods, _take_rows(rows, ripe), number)


OF_ALL_ROWS = ("labels", "ordered", "positive", "score_scale")
"""Arguments that are no columns."""


def _take_rows(rows: ReadRows, places: NDArray[np.int64]) -> ReadRows:
    """Return some of the rows, without their groups and times."""
    columns = {
        name: column if name in OF_ALL_ROWS else rows_of(column, places)
        for name, column in rows.columns.items()
    }
    truth, score = rows_of(rows.y_true, places), rows_of(rows.y_score, places)
    return ReadRows(truth, score, cast("RowColumns", columns), repeats=rows.repeats)


def gate_of_rows(
    sources: Sources, demand: Demand, last: LastPeriod, estimating: Estimating
) -> tuple[Gate, list[Outcome]]:
    """Return the gate of the last period, and the requirements on it."""
    from classay.assessment.required import outcomes_of
    from classay.over_time.last_period import gate_of_periods, last_and_earlier

    if demand.method is not None or demand.cost or sources.id is not None:
        raise InputError(
            "--method, --cost and --id need two models on the same cases, but --time compares periods of one "
            "model. Remove them."
        )
    if demand.by is not None:
        raise InputError(
            "--by and --time cannot be combined. Use one of them, or test the rows of every group separately."
        )
    rows = rows_of_model(sources, last.column)
    with waiting(f"reading {rows.path}"):
        read = rows.whole()
    try:
        threshold = None if sources.threshold is None else float(sources.threshold)
    except ValueError as error:
        raise InputError(
            f"--threshold must be one number with --time, which needs one model, but is {sources.threshold!r}."
        ) from error
    how = how_to_assess(threshold, estimating.level, estimating.seed)
    with waiting("comparing"), rows.naming():
        periods = periods_and_names(read.time, last.per)
        checked = read.check(estimating.policy, by=periods[0])
        cases = cases_of_rows(read.columns, periods[0].size)
        parts, facts, warned = last_and_earlier(checked, periods, cases, read.time, last.per, how)
        ruling = gate_of_periods(
            parts, facts, demand.measure, demand.margin, last.rule, estimating.level, warned
        )
        outcomes = outcomes_of(demand.requirements, next(iter(parts.values())), None)
    return ruling, outcomes


def rows_of_model(sources: Sources, time: str) -> RowOptions:
    """Return the rows of the one model. Raises InputError where several are named."""
    scores, predictions = names_in(sources.scores, "--scores"), names_in(sources.predictions, "--predictions")
    classes = sources.class_scores or []
    if len(sources.files) > 1 or max(len(scores), len(predictions), len(classes)) > 1:
        raise InputError(
            "--time works with one model. Use one file, and name one column with --score or --prediction."
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
