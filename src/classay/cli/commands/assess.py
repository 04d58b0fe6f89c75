"""`classay assess`: read a file, assess it, write what was asked for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from classay.answers import AnswerPolicy
from classay.cli import given, options
from classay.cli.failures import guarded, one_line_warnings
from classay.cli.given import OfWay, OfWings, refuse_others
from classay.cli.lists import costs_in, list_columns, names_in, with_costs
from classay.cli.options import METHOD, Estimating, Showing, Text, column_option
from classay.cli.other_tasks import OtherRowOptions, given_of
from classay.cli.outputs import (
    OfDemands,
    OutputOptions,
    Rendering,
    data_of,
    listed_names,
    names_shown,
    waiting,
)
from classay.cli.row_options import HowToAssess, RowOptions, WayToCount
from classay.errors import InputError
from classay.wings import altered, way

if TYPE_CHECKING:
    from classay.assessment.row_arguments import EstimationArguments
    from classay.cli.outputs import AssessmentReport
    from classay.predictions import Predictions
    from classay.tables import ConfusionMatrix


EXAMPLE = "Example: classay assess predictions.csv --truth y --score p --positive 1 --html report.html"


@guarded
def assess(
    context: typer.Context,
    *,
    rows: RowOptions,
    reference: Annotated[
        Text,
        typer.Option(
            metavar="LABEL",
            help="The group to compare with; all other cases by default.",
            rich_help_panel=METHOD,
        ),
        OfWay("assess.by"),
    ] = None,
    criteria: Annotated[
        bool,
        typer.Option(
            "--criteria",
            help="Also judge criteria of equal treatment of the groups of --by: the largest gaps and least ratios, "
            "each with its interval.",
            rich_help_panel=METHOD,
        ),
        OfWay("assess.by"),
    ] = False,
    control: Annotated[
        Text,
        column_option(
            "With --criteria: columns of --by to hold fixed; groups by the others are compared within strata.",
            panel=METHOD,
        ),
        OfWay("assess.by"),
    ] = None,
    threshold: options.Threshold = None,
    prevalence: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Also show the measures at this share of positives, such as 0.01, and hold --require there.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    others: Annotated[tuple[OtherRowOptions, ...], OfWings("assess other")],
    interval: Annotated[
        Text,
        typer.Option(
            metavar="METHOD",
            help="Method of the intervals, where it applies instead of the default: {intervals}. `classay measures "
            "NAME` lists those of a measure.",
            rich_help_panel=METHOD,
            autocompletion=given.intervals,
        ),
    ] = None,
    estimating: Estimating,
    improper: options.ImproperRows = "keep",
    require: options.Require = None,
    cost: options.Cost = None,
    showing: Showing,
    outputs: OfDemands,
) -> None:
    """Assess a classifier from a file of its predictions."""
    rows.refuse_missing(given.given(context))
    options.refuse_other_task(rows.task, given_of(others))
    if interval is not None:
        from classay.inference.methods import present_name

        with one_line_warnings(DeprecationWarning):  # of names that methods had
            interval = present_name(interval)
    other = next((other for other in others if other.is_named(rows)), None)
    if other is not None:
        # where rows are not counted part by part, the options of that have no meaning
        used = other.uses.union(*(way.uses_of_other_tasks for way in rows.ways if hasattr(other, "in_parts")))
        refuse_others(context, used, other.beside)
        how = HowToAssess(
            estimating.level,
            estimating.seed,
            threshold,
            interval=interval,
            policy=AnswerPolicy(estimating.policy.missing),
        )
        other.assess(rows, showing, require or (), outputs, how, reference)
        return
    rows.matrix.refuse_beside([*rows.given(), *(["--threshold"] if threshold is not None else [])])
    if rows.truth is None and rows.matrix.name is None:
        wanted, more = "the column of true labels with --truth", ", and of the scores with --score"
        wanted = "".join(f"{other.wanted}, or " for other in others if other.given()) + wanted
        example = "--truth COL --score COL"
        list_columns(context, rows.path, rows.reading, wanted, more, example, first=rows.first_file)
        return
    if rows.looks:
        way("assess.by '*'").refuse(context, rows, listed_names(showing.measures))
    run(
        rows,
        Sections(reference, prevalence, criteria, tuple(names_in(control, "--control"))),
        showing,
        Demands(tuple(require or ()), tuple(cost or ())),
        outputs,
        HowToAssess(
            estimating.level, estimating.seed, threshold, None, interval, estimating.policy, improper
        ),
    )


@dataclass(frozen=True)
class Sections:
    """What to find out beside the assessment: the group to compare with, a prevalence, criteria within strata."""

    reference: str | None = None
    prevalence: float | None = None
    criteria: bool = False
    control: tuple[str, ...] = ()


@dataclass(frozen=True)
class Demands:
    """What is demanded of the measures, and what errors cost."""

    require: tuple[str, ...] = ()
    cost: tuple[str, ...] = ()


def run(
    rows: RowOptions,
    sections: Sections,
    showing: Showing,
    demanded: Demands,
    outputs: OutputOptions,
    how: HowToAssess,
) -> None:
    """Assess the rows and write every output asked for."""
    from classay.assessment.required import known, outcomes_of
    from classay.cli.failures import end_with
    from classay.inference.requirements import parse
    from classay.sources.files import give_back_memory

    demands = [each for text in demanded.require for each in parse(text)]
    costs = costs_in(demanded.cost)
    shown, of_costs = with_costs(showing.measures, costs)
    showing = replace(showing, measures=shown)
    names = names_shown(showing)
    if rows.by is None and (by := altered("demand.columns", (), demands)):
        rows = replace(rows, by=",".join(by))
    if outputs.junit is not None and not demands:
        raise InputError("--junit needs requirements. Use --require CONDITION, such as 'recall.low >= 0.9'.")
    known([*demands, *of_costs], costs, rows.groups())
    outputs.refuse_unwritable(rows.matrix.matrix if rows.file is None else rows.file)
    rows.refuse_unfit_periods()
    if sections.reference is not None and rows.by is None:
        raise InputError("--reference needs groups. Use --by to name the column of groups.")
    options.refuse_pool_alone(rows.pool, rows.by)
    options.read_bands(rows.bands, rows.by)
    if sections.criteria and (rows.by is None or rows.per is not None):
        raise InputError("--criteria needs groups. Use --by to name the column of groups.")
    if sections.control and not sections.criteria:
        raise InputError("--control needs --criteria. Add --criteria.")
    rows = replace(rows, amounts=() if costs is None else costs.names)
    counting = altered("assess.rows", rows.way, rows)
    if rows.looks and counting is None:
        outputs.deliver(Rendering.of(way("assess.by '*'").answer(rows, how), data_of([rows.path])))
        return
    if (counted := rows.counted()) is not None:
        findings = _of_matrix(rows, counted, sections, names, how)
    elif counting is not None:
        findings = _by_way(counting, rows, sections, names, how)
    else:
        findings = _counted(rows, sections, names, how)
        give_back_memory()
    with waiting("estimating"):
        parts = None if findings.beside is None else findings.beside.parts
        target = parts or findings.shifted or findings.assessment
        outcomes = outcomes_of(demands, target, costs, findings.shifted)
    outputs.deliver(findings.made(showing.detail, outcomes))
    end_with(outcomes)


def _by_way(
    counting: WayToCount, rows: RowOptions, sections: Sections, names: list[str] | None, how: HowToAssess
) -> AssessmentReport:
    """Return the findings for rows that a wing counts."""
    from classay.assessment.remembered import Remembered
    from classay.cli.outputs import AssessmentReport

    a, files = counting.assess(rows, how)
    shifted = None if sections.prevalence is None else a.at_prevalence(sections.prevalence)
    findings = AssessmentReport.of(rows.titled(rows.path), Remembered.of(a), names, None, shifted)
    if files is None:
        return findings
    with waiting("estimating"):
        return replace(findings, beside=way("merge.trend")(a, files, names, "--per file"))


def _counted(
    rows: RowOptions, sections: Sections, names: list[str] | None, how: HowToAssess
) -> AssessmentReport:
    """Return the findings for rows that are read at once; their memory is freed as soon as they are counted.

    With times, also for the periods that these make.
    """
    estimation = how.estimation()
    with waiting(f"reading {rows.path}"):
        read = rows.whole()
    with waiting("counting"), rows.naming():
        if rows.time is not None:
            checked, course = way("assess.time")(read, rows.per or "day", how.policy, how.improper)
            findings = _found(rows, sections, checked, names, estimation)
            return replace(findings, beside=course(findings.assessment, names))
        checked = read.check(how.policy, how.improper)
        del read
        return _found(rows, sections, checked, names, estimation)


def _of_matrix(
    rows: RowOptions,
    counted: tuple[ConfusionMatrix, Hashable | None],
    sections: Sections,
    names: list[str] | None,
    how: HowToAssess,
) -> AssessmentReport:
    """Return the findings for a matrix that was counted elsewhere."""
    from classay.assessment.assessing import of_matrix
    from classay.assessment.remembered import Remembered
    from classay.cli.outputs import AssessmentReport

    a = Remembered.of(of_matrix(*counted, **how.estimation()))
    shifted = None if sections.prevalence is None else a.at_prevalence(sections.prevalence)
    return AssessmentReport.of(f"Assessment of {rows.matrix.name}", a, names, None, shifted)


def _found(
    rows: RowOptions,
    sections: Sections,
    checked: Predictions,
    names: list[str] | None,
    estimation: EstimationArguments,
) -> AssessmentReport:
    from classay.assessment.assessing import of_predictions, refuse_all_undeclared
    from classay.assessment.remembered import Remembered
    from classay.cli.outputs import AssessmentReport

    a = Remembered.of(refuse_all_undeclared(of_predictions(checked, **estimation)))
    beside = None
    if rows.by is not None:
        bands = options.read_bands(rows.bands, rows.by)
        control = sections.control if sections.criteria else None
        groups = (", ".join(rows.groups()), sections.reference, rows.pool, bands)
        beside = way("assess.by")(checked, a, *groups, names, control)
    shifted = None if sections.prevalence is None else a.at_prevalence(sections.prevalence)
    source = "standard input" if rows.path == "-" else Path(rows.path).name
    return AssessmentReport.of(rows.titled(source), a, names, beside, shifted)
