"""`classay gate`: whether a new model may take the place of the old one."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from classay.cli import given, options
from classay.cli.failures import exit_of, guarded
from classay.cli.given import FORMS, READING, OfWay, OfWings, refuse_others, settings_used
from classay.cli.lists import bounds_in, costs_in, names_in
from classay.cli.model_options import Sources, block_values, first_model, group_columns, names_of
from classay.cli.options import (
    METHOD,
    Better,
    Estimating,
    column_option,
    refuse_other_task,
    refuse_pool_alone,
    scale_of,
)
from classay.cli.other_tasks import OtherModelOptions, given_of
from classay.cli.outputs import OfGate, OutputOptions, Rendering, data_of, refuse_twice, waiting
from classay.cli.value_columns import GRADED, Graded
from classay.column_names import LOOK
from classay.errors import InputError
from classay.files.writing import SAVED
from classay.inference.requirements import Outcome, Requirement, Verdict, parse, refuse_whole_range
from classay.kinds import Per, Rule
from classay.measures import get
from classay.texts import DoorText, some
from classay.wings import altered, way

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons
    from classay.comparison.gate_rules import Gate
    from classay.decision.costs import Costs
    from classay.report.document import Document

EXPECTED = "expected_cost"
"""The measure of --measure that --cost defines."""
EXAMPLE = "Example: classay gate new.csv old.csv --truth y --score p --measure auc --rule non-inferior --margin 0.01"


Inconclusive = Literal["report", "fail", "pass"]
COUNTS_AS: dict[Inconclusive, Verdict] = {
    "report": Verdict.UNDECIDED,
    "fail": Verdict.FAIL,
    "pass": Verdict.PASS,
}
"""As which verdict the command ends where the verdict is inconclusive."""


@guarded
def gate(
    context: typer.Context,
    new: Annotated[
        str,
        typer.Argument(
            help="Predictions of the new model, or its saved assessment (.classay); or those of both models, with "
            "--scores new,old."
        ),
    ],
    old: Annotated[
        str, typer.Argument(help="The same of the old model, on the same cases, unless NEW holds both.")
    ] = "",
    *,
    measure: Annotated[
        str | None, typer.Option(metavar="NAME", help="What decides: one measure.", rich_help_panel=METHOD)
    ] = None,
    rule: Annotated[
        Rule | None,
        typer.Option(
            metavar="RULE",
            help="non-inferior: shown to be worse by less than the margin, if at all (the rule of --time). not-worse: "
            "not shown to be worse, which a small test passes easily. superior: shown to be better. equivalent: "
            "shown to differ by less than the margin. A rule fails where the contrary is shown, and is inconclusive "
            "between.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    margin: options.Margin = None,
    inconclusive: Annotated[
        Inconclusive,
        typer.Option(
            help="Exit code of an inconclusive verdict: 3 with report, 1 with fail, and 0 with pass. The report says "
            "inconclusive in each case.",
            rich_help_panel=METHOD,
        ),
    ] = "report",
    time: Annotated[
        str | None,
        column_option(
            "Dates of the rows of one model: its last complete day, or other period (--per), is compared with "
            "all earlier periods together. The rule is non-inferior unless --rule names another.",
            panel=METHOD,
        ),
        OfWay("gate.time"),
    ] = None,
    per: Annotated[
        Per | None,
        typer.Option(help="How --time is divided, a day by default.", rich_help_panel=METHOD),
        OfWay("gate.time"),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="Requirement on the new model, such as 'recall.low >= 0.9' for all cases, or "
            "'recall[region=*] >= 0.8' for every group of a column. Repeatable.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    cost: options.Cost = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COL,…",
            help="Groups, of one column or of several together. No group may be worse by more than the margin. If a "
            "group is inconclusive, the exit code is 3. Without it, the rule applies to all cases.",
            rich_help_panel=METHOD,
        ),
        OfWay("gate.by"),
    ] = None,
    pool: options.Pool = None,
    bands: options.BandsOfGroups = None,
    values: Graded,
    better: Annotated[
        Better | None,
        typer.Option(
            help="Whether higher values of --graded are better, as without it, or lower ones, as of times.",
            rich_help_panel=GRADED,
        ),
    ] = None,
    columns: Sources,
    others: Annotated[tuple[OtherModelOptions, ...], OfWings("gate other")],
    threshold: options.Thresholds = None,
    method: Annotated[
        options.Text,
        typer.Option(
            metavar="NAME",
            help="Test and interval, in place of the default; sequential: one that may be looked at after every case.",
            rich_help_panel=METHOD,
            autocompletion=given.tests,
        ),
    ] = None,
    estimating: Estimating,
    config: options.Config = None,
    outputs: OfGate,
) -> None:
    """Decide whether a new model may take the place of the old one: exit 0 passed, 1 failed, 3 inconclusive."""
    files = (new, old) if old else (new,)
    if per is not None and time is None:
        raise InputError(f"--per {per} needs dates. Use --time to name the column of dates.")
    is_graded = values.graded is not None
    other = next((other for other in others if other.is_named or other.reads(files)), None)
    if (given_only := better or values.bounds) and not is_graded and (other is None or better):
        name = "--better" if better else "--bounds"
        raise InputError(f"{name} {given_only} needs columns of values. Use --graded new,old.")
    if len(files) == 1:
        columns.refuse_columns_twice()
    refuse_other_task(columns.task, given_of(others))
    of_others = sum(other.models_named for other in others)
    models = len(values.names) if is_graded else columns.models_named + of_others
    if time is None and len(files) == 1 and (new.endswith(SAVED) or models < 2):
        raise InputError(ONE_MODEL)
    measure = measure or (None if other is None else other.measure)
    if (measure is None and not is_graded) or (rule is None and time is None):
        what, how = ("a rule", "") if measure else ("a measure and a rule", "--measure NAME ")
        raise InputError(
            f"A gate needs {what}. Use {how}--rule RULE, or a setting in [tool.classay.gate] of pyproject.toml."
        )
    if all(file.endswith(SAVED) for file in files):
        _refuse_rows_of_saved(context, by)
    if is_graded:
        refuse_others(context, *GATE_OF_VALUES)
    if other is not None:
        refuse_others(context, {*other.uses_of_gate, "junit"}, other.beside)
    sources = columns.of(files, threshold)
    last = None if time is None else LastPeriod(time, per or "day", rule)
    rule_name: Rule = rule or "non-inferior"
    graded = replace(values, better=better or "higher") if is_graded or values.bounds else None
    demand = Demand(
        measure or VALUE,
        rule_name,
        margin,
        tuple(require or ()),
        method,
        tuple(cost or ()),
        by,
        last,
        graded,
        other,
        pool,
        options.read_bands(bands, by),
        inconclusive,
    )
    verdict = run(sources, demand, outputs, estimating)
    if (used := settings_used(context)) is not None:  # beside a verdict: an error is one line alone
        print(used, file=sys.stderr)
    raise typer.Exit(exit_of(COUNTS_AS[inconclusive] if verdict is Verdict.UNDECIDED else verdict))


VALUE = "value"
"""The name of the values of --graded without --measure."""
ONE_MODEL = (
    "A gate needs two models, the new one first. Use two files, or one file with --scores new,old, --predictions "
    "new,old or --graded new,old. For one model use `classay assess FILE --require CONDITION`."
)


@dataclass(frozen=True)
class Demand:
    """The rule, its margin, and requirements on the new model alone."""

    measure: str
    rule: Rule
    margin: float | None
    require: tuple[str, ...]
    method: str | None = None
    cost: tuple[str, ...] = ()
    by: str | None = None
    last: LastPeriod | None = None
    values: Graded | None = None
    other: OtherModelOptions | None = None
    pool: int | None = None
    bands: dict[str, Any] | None = None
    inconclusive: Inconclusive = "report"

    @property
    def requirements(self) -> list[Requirement]:
        """The conditions on the new model alone."""
        return [each for text in self.require for each in parse(text)]

    @property
    def groups(self) -> str | None:
        """The columns of groups, of --by or, where the rule is for all cases, of requirements for every group."""
        return self.by or ",".join(altered("demand.columns", (), self.requirements)) or None

    def costs(self) -> Costs | None:
        """Return the costs. Raises InputError if nothing depends on them, and for an unknown measure or condition."""
        from classay.assessment.required import OF_COSTS, known

        costs = costs_in(self.cost)
        if self.values is not None or (self.other is not None and self.other.measure):
            return None
        groups = names_in(self.groups, "--by")
        known([self.measure, *self.requirements], costs, groups)
        if self.measure in OF_COSTS and self.measure != EXPECTED:
            raise InputError(f"The rule cannot use {self.measure}. Use --measure {EXPECTED}.")
        return costs


GATE_OF_SAVED = (
    frozenset(
        {"measure", "rule", "margin", "inconclusive", "require", "cost", "level", "config", "junit", *FORMS}
    ),
    "with saved assessments",
)
"""The options of a gate of saved assessments, and why the others have no meaning there."""
GATE_OF_VALUES = (
    frozenset(
        {"graded", "id", "bounds", "better", "measure", "rule", "margin", "inconclusive", "by", "bands"}
        | {"weight", "frequency", "cluster"}
        | {"level", "missing", "unanswered", "config", "junit", *FORMS, *READING}
    ),
    "with --graded",
)
"""The same of a gate of values."""


def _refuse_rows_of_saved(context: typer.Context, by: str | None) -> None:
    """Refuse what needs rows. A gate without the groups asked for could pass where a group fails."""
    if by is not None:
        raise InputError(
            "Groups (--by) need the rows, which saved assessments do not have. Name files of predictions."
        )
    refuse_others(context, *GATE_OF_SAVED)


def run(sources: Sources, demand: Demand, outputs: OutputOptions, estimating: Estimating) -> Verdict:
    """Compare the models, hold the rule against the comparison, and write every output asked for."""
    from classay.comparison.gate_rules import check_rule
    from classay.report.built import built
    from classay.report.forms import Pages
    from classay.report.results.parts import json_text

    refuse_twice(sources.files, "Use two files, the new model first")
    costs = demand.costs()
    outputs.refuse_unwritable(*sources.files)
    check_rule(demand.rule, demand.margin)
    refuse_pool_alone(demand.pool, demand.by)
    if demand.by == LOOK:
        raise InputError("A gate needs prespecified groups. Name their columns, such as --by region.")
    if demand.last is not None:
        ruling, outcomes = way("gate.time")(sources, demand, demand.last, estimating)
    elif demand.other is not None:
        ruling, outcomes = demand.other.gate(sources, demand, estimating)
    elif demand.values is not None:
        ruling, outcomes = _of_values(sources, demand, demand.values, estimating), []
    elif sources.are_saved:
        ruling, outcomes = _of_saved(sources, demand, costs, estimating.level)
    else:
        ruling, outcomes = _of_rows(sources, demand, costs, estimating)
    verdict = Verdict.of([ruling.verdict, *(outcome.verdict for outcome in outcomes)])
    if verdict is Verdict.UNDECIDED and demand.inconclusive != "report":
        how = f"counted as {COUNTS_AS[demand.inconclusive].past} (--inconclusive {demand.inconclusive})"
        ruling = replace(ruling, facts=(*ruling.facts, ("inconclusive", how)))
    document_of, as_dict_of, text_of = (built(ruling, what) for what in ("document_of", "as_dict", "text_of"))

    def document() -> Document:
        page: Document = document_of(ruling, outcomes)
        return page

    counts = {Verdict.UNDECIDED: COUNTS_AS[demand.inconclusive]}
    rule = f"{ruling.rule} in {ruling.comparison.measure}"
    demands = [(rule, counts.get(ruling.verdict, ruling.verdict), str(ruling))]
    demands += [
        (f"{rule}, {name}", counts.get(verdict, verdict), text)
        for name, verdict, text in ruling.tested_groups
    ]
    demands += [(str(one.requirement), counts.get(one.verdict, one.verdict), str(one)) for one in outcomes]
    pages = Pages(document, document, lambda: built(ruling, "for_paper")(document(), ruling))
    outputs.deliver(
        Rendering(
            shown=lambda: [
                *map(str, (ruling, *outcomes)),
                *(() if text_of is None else text_of(ruling)),
                *(f"{name}: {text}" for name, text in ruling.facts),
                *(f"warning: {DoorText.of(text).command}" for _, text in ruling.warnings),
            ],
            json=lambda: json_text(as_dict_of(ruling, outcomes)),
            pages=pages.changed(lambda page: page.on(data_of(sources.files))),
            junit=lambda: way("gate.junit")(document().title, demands),
        )
    )
    return verdict


def _of_saved(
    sources: Sources, demand: Demand, costs: Costs | None, level: float
) -> tuple[Gate, list[Outcome]]:
    """Return the gate of two saved assessments, without their rows."""
    from classay.assessment.required import outcomes_of
    from classay.assessment.restoring import load
    from classay.comparison.cases.compare_assessments import compare_saved
    from classay.comparison.comparisons import gate
    from classay.comparison.gate_rules import interval_level

    if demand.measure == EXPECTED:
        raise InputError(
            f"{EXPECTED} needs single cases, but saved assessments have none. Use the files of predictions, or costs "
            "that are numbers, such as --measure 'expected_cost(1,5)'."
        )
    new, old = names_of(sources.files)
    name = get(demand.measure).name
    first, second = (block_values(file, [name]) for file in sources.files)
    compared = compare_saved(first, second, name, (new, old), level=interval_level(demand.rule, level))
    ruling = gate(compared, demand.rule, demand.margin)
    outcomes: list[Outcome] = []
    if demand.require:
        outcomes = outcomes_of(demand.requirements, load(sources.files[0]), costs)
    return ruling, outcomes


def _of_values(sources: Sources, demand: Demand, values: Graded, estimating: Estimating) -> Gate:
    """Return the gate of two columns of values, of one file or of a file each."""
    from classay.comparison.cases.graded import compare_values
    from classay.comparison.comparisons import gate
    from classay.comparison.gate_rules import interval_level

    if len(sources.files) == 1 and len(values.names) != 2:
        raise InputError(
            f"A gate needs two models, the new one first, but --graded names {len(values.names)}: "
            f"{some(values.names)}."
        )
    level = interval_level(demand.rule, estimating.level)
    how: dict[str, Any] = {"measure": demand.measure, "level": level} | asdict(estimating.policy)
    test = partial(compare_values, bands=demand.bands, **how)
    comparisons = values.compared(sources, demand.by, test)
    if (bounds := bounds_in(values.bounds)) is not None:
        refuse_whole_range("margin", demand.margin, demand.measure, *bounds)
    return gate(comparisons, demand.rule, demand.margin)


def judged(comparisons: Comparisons, demand: Demand) -> Gate:
    """Return the verdict on two models. Raises InputError for more."""
    from classay.comparison.comparisons import gate

    if len(comparisons) > 1:
        raise InputError(
            f"A gate needs two models, the new one first, but {len(comparisons.models)} are named: "
            f"{some(comparisons.models)}."
        )
    return gate(comparisons, demand.rule, demand.margin)


def _of_rows(
    sources: Sources, demand: Demand, costs: Costs | None, estimating: Estimating
) -> tuple[Gate, list[Outcome]]:
    """Return the gate of two models' predictions, in a file each or in columns of one, and which rows were left out."""
    from classay.assessment.assessing import assess
    from classay.assessment.required import outcomes_of
    from classay.comparison.cases.model_columns import compared_rows
    from classay.comparison.comparing import compare
    from classay.comparison.gate_rules import interval_level

    if any(file.endswith(SAVED) for file in sources.files):
        raise InputError("Only one of the files is a saved assessment. Use two files of one kind.")
    sources.need_truth()
    policy = estimating.policy
    with waiting("reading"):
        amounts = [] if costs is None else list(costs.names)
        models, columns = sources.models(amounts=amounts, by=demand.groups)
    how: dict[str, Any] = {"level": estimating.level, "seed": estimating.seed, **asdict(policy)}
    how |= sources.named_labels(models)
    by = group_columns(demand.by)
    with waiting("comparing"):
        threshold = sources.thresholds()
        columns |= {"threshold": threshold, "amounts": amounts or None}
        by_level = how | {"level": interval_level(demand.rule, how["level"])}
        comparisons = compare(
            models,
            measures=[demand.measure if demand.measure != EXPECTED or costs is None else costs],
            method=demand.method,
            by=by,
            pool=demand.pool,
            bands=demand.bands,
            **columns,
            **by_level,
        )
    ruling = judged(comparisons, demand)
    if not demand.require:
        return ruling, []
    name, table, its = first_model(models, columns.get("scores"), columns.get("predictions"))
    table = table.take(compared_rows(models, columns, policy))
    shared = asdict(sources.roles) | {"truth": sources.truth, "amounts": amounts or None}
    shared |= scale_of(sources.score_scale if its["score"] is not None else None)
    if isinstance(threshold, dict):
        threshold = threshold.get(name)
    arguments = {**its, "threshold": threshold, **shared, **how}
    a = (
        assess(table, **arguments)
        if demand.groups is None
        else way("gate.by")(
            table, by=group_columns(demand.groups), pool=demand.pool, bands=demand.bands, **arguments
        )
    )
    return ruling, outcomes_of(demand.requirements, a, costs)


@dataclass(frozen=True)
class LastPeriod:
    """The column of dates, how it is divided, and the rule, "non-inferior" by default."""

    column: str
    per: Per
    rule: Rule | None
