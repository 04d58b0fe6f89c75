"""`classay decide`: from scores to a threshold, what it costs, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.cli import options
from classay.cli.failures import guarded
from classay.cli.given import FORMS, READING, OfWay, OfWings, refuse_others
from classay.cli.lists import columns_of, cost_entries, costs_in, numbers_in
from classay.cli.options import METHOD, Estimating, FileOptions, Roles, column_option
from classay.cli.other_tasks import OtherDecisionOptions, given_of
from classay.cli.outputs import OutputOptions, Rendering, data_of, waiting
from classay.cli.read_rows import ReadRows
from classay.cli.row_options import HowToAssess, RowOptions, WayToCount
from classay.errors import InputError
from classay.kinds import Per
from classay.wings import way

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.decision.costs import Costs
    from classay.decision.cuts import GainTable
    from classay.decision.decision import Decision
    from classay.decision.rules import Rule

EXAMPLE = "Example: classay decide payments.csv --truth fraud --score p --cost fn=amount --cost fp=3"


@dataclass(frozen=True)
class DecisionRows:
    """Where the rows are and what their columns mean, as texts from the command line."""

    file: options.File
    truth: Annotated[options.Text, column_option("True labels.")] = None
    scores: Annotated[
        list[str] | None,
        column_option("Scores of the positive class. Repeatable, to compare models by cost.", "--score"),
    ] = None
    positive: options.Positive = None
    order: Annotated[
        options.Text,
        options.list_option(
            "All labels in order, such as low,medium,high. Chooses the cut points of one --score between them."
        ),
    ] = None
    roles: Roles = field(default_factory=Roles)
    reading: FileOptions = field(default_factory=FileOptions)
    score_scale: options.ScoreScaleOption = None
    task: options.Task = None
    by: str | None = None
    """The columns of groups, which an option of the command names."""

    @property
    def each_score(self) -> list[str]:
        """The columns of scores, each once."""
        return [*dict.fromkeys(self.scores or ())]

    @property
    def way(self) -> WayToCount | None:
        """The way of a wing in which the rows are counted; None where they are read at once."""
        return self.rows(()).way

    def refuse_several(self, option: str) -> None:
        """Raises InputError where several scores are named, of which an option takes one."""
        if len(self.each_score) > 1:
            raise InputError(f"{option} works with one score, but --score names several. Use one --score.")

    def refuse_parts(self, option: str) -> None:
        """Raises InputError where the rows are counted part by part, and an option needs all at once."""
        if self.way is not None:
            raise InputError(
                f"{option} needs all rows at once, but {self.file} is counted part by part. Put the rows into one file."
            )

    def refuse_unnamed(self) -> None:
        """Raises InputError, listing the columns, where the truth or the scores are not named."""
        for option, column in (("--truth", self.truth), ("--score", self.scores)):
            if not column:
                raise InputError(
                    f"{option} is missing. Name the column, or for multilabel data use --truth-tags and --tag-scores. "
                    f"{columns_of(self.file, self.reading)}"
                )

    def rows(self, further: tuple[str, ...], time: str | None = None) -> RowOptions:
        """Return the rows of the first score, with further columns as their amounts: a file is read once.

        Times are read as they are written, because their offset from UTC decides their local day.
        """
        return RowOptions(
            self.file,
            self.truth,
            score=self.each_score[0],
            positive=self.positive,
            order=self.order,
            roles=self.roles,
            reading=self.reading,
            score_scale=self.score_scale,
            amounts=further,
            time=time,
        )


@dataclass(frozen=True)
class ThresholdOptions:
    """What the threshold is to do, as texts from the command line."""

    cost: options.Cost = None
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help="Condition that the threshold must meet, such as 'fpr <= 0.01'.",
            rich_help_panel=METHOD,
        ),
    ] = None
    maximize: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Measure to maximize, without costs: recall, youden, f_beta(2), net_benefit(0.1).",
            rich_help_panel=METHOD,
        ),
    ] = None
    minimize: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Measure to minimize, such as rate_gap.", rich_help_panel=METHOD),
    ] = None
    top: Annotated[
        float | None,
        typer.Option(
            metavar="N", help="Number of cases that may be predicted positive.", rich_help_panel=METHOD
        ),
    ] = None
    prevalence: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Prevalence where the threshold will be used, such as 0.01.",
            rich_help_panel=METHOD,
        ),
    ] = None

    steps: Annotated[
        str | None,
        typer.Option(
            metavar="0,X,…",
            help="Cost of an error by 0, 1, 2, … classes in --order, such as 0,1,4. Default: 0,1,2,…",
            rich_help_panel=METHOD,
        ),
    ] = None

    def costs(self) -> Costs | None:
        """Return the costs, or None where none are given."""
        return costs_in(self.cost or ())

    def rule(self, periods: float | None = None, period: str = "period") -> Rule:
        """Return the rule; a capacity holds for each of so many periods, days or weeks."""
        from classay.assessment.required import demanded_of_parts
        from classay.decision.rules import Rule
        from classay.measures.vocabulary import name_in

        named = None if self.where is None else name_in(self.where)
        of_parts = None if named is None else demanded_of_parts(named[0].text)
        if of_parts is not None and of_parts.compares_groups:
            raise InputError(f"--where {self.where!r} needs groups. Use --by to name the column of groups.")
        top_periods = None if self.top is None else periods
        return Rule.of(self.costs(), self.where, self.maximize, self.minimize, self.top, top_periods, period)


USED_OF_ORDER = frozenset(
    {"file", "truth", "scores", "score_scale", "task", "order", "steps"}
    | {"weight", "frequency", "level", "seed", *FORMS, *READING}
)
"""The options that have a meaning of labels in an order."""


@guarded
def decide(
    context: typer.Context,
    *,
    source: DecisionRows,
    others: Annotated[tuple[OtherDecisionOptions, ...], OfWings("decide other")],
    wanted: ThresholdOptions,
    time: Annotated[
        str | None,
        column_option(
            "Dates of the rows; the report has a row for each day (--per), and --top is the number a day."
        ),
        OfWay("decide.time"),
    ] = None,
    per: Annotated[
        Per, typer.Option(help="How --time is divided.", rich_help_panel=METHOD), OfWay("decide.time")
    ] = "day",
    labels_until: Annotated[
        str | None,
        typer.Option(
            metavar="DATE",
            help="The last date whose labels are known; later rows count only among the cases called.",
            rich_help_panel=METHOD,
        ),
        OfWay("decide.time"),
    ] = None,
    by: Annotated[
        str | None,
        column_option(
            "Choose a threshold for each group of these columns, by --cost and a limit to the gap: --where "
            "'disparity_ratio(selection_rate) >= 0.8' or 'equalised_odds_gap <= 0.05'.",
            panel=METHOD,
        ),
        OfWay("decide.by"),
    ] = None,
    pool: options.Pool = None,
    bands: options.BandsOfGroups = None,
    estimating: Estimating,
    outputs: OutputOptions,
) -> None:
    """Choose a threshold by cost, condition or capacity; for several scores, show which is best at which costs."""
    options.refuse_other_task(source.task, given_of(others))
    for other in others:
        if other.is_named:
            refuse_others(context, other.uses, other.beside)
            other.decide(replace(source, by=by), wanted, outputs, estimating)
            return
    source.refuse_unnamed()
    if "review" in cost_entries(wanted.cost or ()):
        way("decide.review")(context, source, wanted, outputs, estimating)
        return
    if source.order is not None:
        refuse_others(context, USED_OF_ORDER, "with --order")
        _in_order(source, wanted, outputs, estimating)
        return
    if wanted.steps is not None:
        raise InputError("--steps needs ordered labels. Use --order low,medium,high with all labels.")
    periods = Periods.of(time, per, labels_until)
    options.refuse_pool_alone(pool, by)
    ranges = options.read_bands(bands, by)
    if by is not None:
        way("decide.by")(source, wanted, outputs, estimating, by, pool, ranges, periods)
        return
    run(source, wanted, outputs, estimating, periods)


@dataclass(frozen=True)
class Periods:
    """The column of dates, how it is divided, and the last date whose labels are known."""

    column: str
    per: Per
    until: str | None

    @classmethod
    def of(cls, column: str | None, per: Per, until: str | None) -> Periods | None:
        """Return the periods of the options, or None without --time. Raises InputError if other options need it."""
        if column is None:
            if until is not None or per != "day":
                raise InputError(
                    "--per and --labels-until need dates. Use --time to name the column of dates."
                )
            return None
        return cls(column, per, until)


def run(
    source: DecisionRows,
    wanted: ThresholdOptions,
    outputs: OutputOptions,
    estimating: Estimating,
    periods: Periods | None = None,
) -> None:
    """Decide, and write every output asked for."""
    from classay.assessment.assessing import assess

    costs = wanted.costs()
    several = len(source.each_score) > 1
    if not several:
        wanted.rule()  # what is wrong is said at once
    outputs.refuse_unwritable(source.file)
    if (counting := source.way) is not None:
        question = HowToAssess(estimating.level, estimating.seed, policy=estimating.policy, memory=inf)
        _by_way(counting, source, wanted, outputs, periods, question)
        return
    with waiting(f"reading {source.file}"):
        names = [] if costs is None else list(costs.names)
        names += source.each_score[1:]
        rows = source.rows(tuple(dict.fromkeys(names)), None if periods is None else periods.column)
        read = rows.whole()
    if several:
        if periods is not None:
            source.refuse_several("--time")
        _several(source, wanted, outputs, read, estimating)
        return
    with waiting("deciding"), rows.naming():
        kept, number, in_time = read, None, None
        if periods is not None:
            in_time = way("decide.time")(read, periods)
            number, kept = in_time.number, in_time.labelled
        model = next(iter(source.each_score), "")
        a = assess(kept.y_true, kept.y_score, **kept.columns, **estimating.arguments())
        a = a.changed(model=model, repeats=read.repeats)
        if periods is not None and a.dropped:
            raise InputError(
                f"--time counts every row of a {periods.per}, but {a.dropped:,} rows have no label or no score. Remove "
                "these rows from the file first."
            )
        rule = wanted.rule(number, "period" if periods is None else periods.per)
        decision, gain = _decided(a, rule, wanted)
        time = None if in_time is None else in_time.course(decision, wanted.top)
    outputs.deliver(_made(decision, gain, data_of([source.file]), time))


def _in_order(
    source: DecisionRows, wanted: ThresholdOptions, outputs: OutputOptions, estimating: Estimating
) -> None:
    """Choose the cut points between classes in an order, and write every output asked for."""
    from classay.columns.doubtful import repeats_said
    from classay.decision.costs import Costs
    from classay.decision.cut_points import cut_points

    source.refuse_several("--order")
    source.refuse_parts("--order")
    outputs.refuse_unwritable(source.file)
    with waiting(f"reading {source.file}"):
        rows = source.rows(())
        read = rows.whole()
    with waiting("deciding"), rows.naming():
        labels = read.columns["labels"]
        assert labels is not None
        cost = None
        if wanted.steps is not None:
            steps = numbers_in(wanted.steps, "--steps", len(labels))
            table = [[steps[abs(i - j)] for j in range(len(steps))] for i in range(len(steps))]
            cost = Costs.from_array(table, labels, rows="true")
        cuts = cut_points(
            read.y_score,
            read.y_true,
            labels,
            cost=cost,
            weight=read.columns["weight"],
            frequency=read.columns["frequency"],
            level=estimating.level,
            seed=estimating.seed,
            score_scale=source.score_scale,
        )
    warned = (*cuts.warnings, *repeats_said(read.repeats, len(read.y_true)))
    cuts = replace(cuts, model=next(iter(source.each_score), ""), warnings=warned)
    outputs.deliver(Rendering.of(cuts, data_of([source.file])))


def _decided(a: Assessment, rule: Rule, wanted: ThresholdOptions) -> tuple[Decision, GainTable]:
    """Return the decision, and the top of the list."""
    from classay.assessment.perspectives import threshold
    from classay.decision.cuts import gain_at, telling_shares

    costs = wanted.costs()
    decision = threshold(a, rule, prevalence=wanted.prevalence)
    amount = costs.names[0] if costs is not None and costs.names else None
    shares, named = telling_shares(a.scored_cases, decision.rule.top)
    carried = None if a.coded is None else a.coded.amounts
    return decision, gain_at(a.scored_cases, shares, amount, carried, named)


def _by_way(
    counting: WayToCount,
    source: DecisionRows,
    wanted: ThresholdOptions,
    outputs: OutputOptions,
    periods: Periods | None,
    question: HowToAssess,
) -> None:
    """Decide on rows that a wing counts part by part, with every score exact."""
    if periods is not None or len(source.each_score) > 1:
        source.refuse_parts("--time" if periods is not None else "a second --score")
    costs = wanted.costs()
    a, _ = counting.assess(source.rows(() if costs is None else costs.names), question)
    with waiting("deciding"):
        rendering = _made(*_decided(a, wanted.rule(), wanted), source.file)
    outputs.deliver(rendering)


def _several(
    source: DecisionRows,
    wanted: ThresholdOptions,
    outputs: OutputOptions,
    read: ReadRows,
    estimating: Estimating,
) -> None:
    from classay.assessment.cost_curves import cost_curves
    from classay.columns.doubtful import repeats_said

    for name in ("where", "maximize", "minimize", "top"):
        if getattr(wanted, name) is not None:
            source.refuse_several(f"--{name}")
    costs = wanted.costs()
    columns = read.columns
    carried = columns["amounts"]
    amounts = {} if costs is None else {name: carried[name] for name in costs.names}
    scores = {source.each_score[0]: read.y_score} | {name: carried[name] for name in source.each_score[1:]}
    with waiting("deciding"):
        curves = cost_curves(
            scores,
            read.y_true,
            positive=columns.get("positive"),
            weight=columns["weight"],
            frequency=columns["frequency"],
            cluster=columns["cluster"],
            amounts=amounts or None,
            cost=costs,
            prevalence=wanted.prevalence,
            score_scale=source.score_scale,
            **estimating.arguments(),
        )
    repeated = repeats_said(read.repeats, len(read.y_true))
    curves = replace(curves, warnings=(*curves.warnings, *repeated))
    outputs.deliver(Rendering.of(curves, data_of([source.file])))


def _made(decision: Any, gain: Any, data: str, time: Any = None) -> Rendering:
    """Return the decision with its gain table in each form; what writes a form is loaded where that is wanted."""
    from classay.report.forms import Pages

    def document() -> Any:
        from classay.report.results.decisions import document_of

        return document_of(decision, gain=gain, time=time).on(data)

    def as_json() -> str:
        from classay.report.results.decisions import as_dict
        from classay.report.results.parts import json_text

        return json_text(as_dict(decision, gain, time))

    def page() -> Any:
        from classay.report.results.decisions import with_pictures

        return with_pictures(document(), decision)

    return Rendering(document, as_json, Pages(document, page, document))
