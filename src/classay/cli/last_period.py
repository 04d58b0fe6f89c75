"""`classay gate --time`: one model, the last complete period of its rows against all earlier ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from classay.assessment.assessing import how_to_assess
from classay.assessment.over_time import Per
from classay.cli.lists import names_in
from classay.cli.options import Estimating
from classay.cli.outputs import waiting
from classay.cli.rows import RowOptions, Sources
from classay.comparison.gate_rules import Rule
from classay.errors import InputError

if TYPE_CHECKING:
    from classay.cli.commands.gate import Demand
    from classay.comparison.gate_rules import Gate
    from classay.inference.requirements import Outcome


@dataclass(frozen=True)
class LastPeriod:
    """The column of dates, how it is divided, and the rule, None where what is not shown cannot be told."""

    column: str
    per: Per
    rule: Rule | None


def gate_of_rows(
    sources: Sources, demand: Demand, last: LastPeriod, estimating: Estimating
) -> tuple[Gate, list[Outcome], dict[str, str]]:
    """The gate of the last period, the requirements on it, and which rows were left out."""
    from classay.assessment.over_time import outcomes_of
    from classay.comparison.cases.last_period import held, last_and_earlier

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
            f"--threshold is {sources.threshold!r}: pass one number, because --time is of one model."
        ) from error
    how = how_to_assess(threshold, estimating.level, estimating.seed)
    with waiting("comparing"), rows.naming():
        given = {name: each for name, each in arguments.items() if name not in ("by", "id")}
        parts = last_and_earlier(**given, per=last.per, how=how, policy=estimating.policy)
        made = held(parts, demand.measure, demand.margin, last.rule, estimating.level)
        outcomes = outcomes_of(demand.requirements, next(iter(parts.values())), None)
    gone = sum(each.dropped for each in parts.values())
    return made, outcomes, {"rows left out": f"{gone:,}"} if gone else {}


def rows_of(sources: Sources, time: str) -> RowOptions:
    """The rows of the one model. Raises InputError where several are named."""
    scores, predictions = names_in(sources.scores, "--scores"), names_in(sources.predictions, "--predictions")
    classes = sources.class_scores or []
    if len(sources.files) > 1 or max(len(scores), len(predictions), len(classes)) > 1:
        raise InputError(
            "--time compares the periods of one model: pass one file, with one column of scores or of predictions."
        )
    sources.need_truth()
    made = RowOptions(
        sources.files[0],
        sources.truth,
        score=scores[0] if scores else None,
        class_scores=classes[0] if classes else None,
        prediction=predictions[0] if predictions else None,
    )
    named = {name: getattr(sources, name) for name in ("positive", "labels", "order", "roles", "reading")}
    return replace(made, **named, time=time)
