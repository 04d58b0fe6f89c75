"""`classay compare`, `best`: models on the same cases."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.answers import Missing
from classay.cli import given, options
from classay.cli.failures import guarded
from classay.cli.given import FORMS, READING, OfWay, OfWings, Way, refuse_others
from classay.cli.lists import costs_in, list_columns
from classay.cli.model_options import Sources, block_values, group_columns, is_evaluation, names_of
from classay.cli.options import METHOD, Estimating, Text, words
from classay.cli.other_tasks import OtherModelOptions, given_of
from classay.cli.outputs import OutputOptions, Rendering, data_of, listed_names, refuse_twice, waiting
from classay.cli.value_columns import Graded, ResultColumns
from classay.errors import InputError
from classay.kinds import Alternative, Rule
from classay.wings import altered

if TYPE_CHECKING:
    from classay.assessment.bands import Bands
    from classay.comparison.comparisons import Comparisons
    from classay.shown import Reportable

AIM = "Question"


@dataclass(frozen=True)
class ClaimOptions:
    """What is to be shown, and against whom."""

    control: Annotated[
        Text,
        typer.Option(
            metavar="NAME",
            help="Compare only with this model. Choose it before you see the data.",
            rich_help_panel=AIM,
        ),
    ] = None
    rule: Annotated[
        Rule | None,
        typer.Option(
            metavar="RULE",
            help=f"Test whether the first model of a pair is {words(Rule)}. Needs --margin.",
            rich_help_panel=AIM,
        ),
    ] = None
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Largest acceptable difference, set before you see the data.",
            rich_help_panel=AIM,
        ),
    ] = None
    rope: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Largest difference that is equivalent in practice, set before you see the data. For Bayesian tests.",
            rich_help_panel=AIM,
        ),
        OfWay("compare.data sets"),
    ] = None


@dataclass(frozen=True)
class GroupOptions:
    """Groups of cases, in each of which models are compared too."""

    by: Annotated[
        Text,
        typer.Option(
            metavar="COL,…",
            help="Columns that define groups. Compares within each group, and tests whether the difference depends on "
            "the group. '*' searches all unused columns and their pairs for the subgroup where the first of two models "
            "is worst.",
            rich_help_panel=AIM,
        ),
        OfWay("compare_predictions.by"),
    ] = None
    pool: options.Pool = None
    bands: options.BandsOfGroups = None

    @property
    def ranges(self) -> dict[str, Bands] | None:
        """The ranges that groups of numbers are combined into. Raises InputError."""
        return options.read_bands(self.bands, self.by)


@dataclass(frozen=True)
class MethodOptions:
    """How differences are tested, and what to do with rows that lack a label or an answer."""

    method: Annotated[
        Text,
        typer.Option(
            metavar="NAME",
            help="Test to use instead of the default. {tests}",
            rich_help_panel=METHOD,
            autocompletion=given.tests,
        ),
    ] = None
    alternative: Annotated[
        Alternative,
        typer.Option(
            help="Alternative hypothesis about the first model minus the second, set before you see the data.",
            rich_help_panel=METHOD,
        ),
    ] = "two-sided"
    adjustment: options.Adjustment = "holm"
    level: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Confidence level. Default: 0.95, or the level of the evaluation.",
            rich_help_panel=METHOD,
        ),
    ] = None
    seed: options.Seed = 0
    missing: Annotated[
        Missing,
        typer.Option(
            "--missing",
            help="How to handle rows without a true label, and data sets without a value of some model.",
            rich_help_panel=METHOD,
        ),
    ] = "refuse"
    unanswered: options.UnansweredRows = "refuse"

    @property
    def level_of_rows(self) -> float:
        """The level where no evaluation has one."""
        return 0.95 if self.level is None else self.level

    def arguments(self, *others: str) -> dict[str, Any]:
        """Return the arguments of any comparison, and `others` of these options."""
        names = ("alternative", "adjustment", "level", "seed", *others)
        return {name: getattr(self, name) for name in names}


def ready(sources: Sources, outputs: OutputOptions, *, may_copy: bool) -> None:
    """Refuse outputs that cannot be written, a file named twice, and copies unless each may be a model."""
    outputs.refuse_unwritable(*sources.files)
    refuse_twice(sources.files, "Use one file for each model", may_copy=may_copy)


def from_rows(
    sources: Sources,
    measures: str | None,
    aim: ClaimOptions,
    groups: GroupOptions,
    testing: MethodOptions,
    cost: Sequence[str] = (),
) -> Reportable:
    """Models on the same cases, from one file or from several joined by an id."""
    from classay.comparison.comparing import compare

    sources.need_truth()
    costs = costs_in(cost)
    wanted: list[Any] | None = listed_names(measures)
    if costs is not None:
        wanted = [*(wanted or ()), costs]
    amounts = [] if costs is None else list(costs.names)
    with waiting("reading"):
        models, columns = sources.models(amounts=amounts, by=groups.by)
    columns |= sources.named_labels(models)
    columns |= {"threshold": sources.thresholds(), "amounts": amounts or None}
    with waiting("comparing"):
        comparisons: Reportable = compare(
            models,
            measures=wanted,
            by=group_columns(groups.by),
            pool=groups.pool,
            bands=groups.ranges,
            **columns,
            **asdict(aim),
            **testing.arguments("method", "missing", "unanswered"),
        )
    return comparisons


def from_unpaired(sources: Sources, measures: str | None, testing: MethodOptions) -> Comparisons:
    """Models on different cases, one file each."""
    from classay.assessment.assessing import assess
    from classay.comparison.cases.compare_assessments import compare_unpaired

    sources.need_truth()
    if len(sources.files) < 2:
        raise InputError("--unpaired compares models on different cases. Use one file for each model.")
    with waiting("reading"):
        tables, columns = sources.models(same_cases=False)
    assessments = {}
    for name, table in tables.items():
        named: dict[str, Any] = {
            "score": columns["scores"],
            "prediction": columns["predictions"],
            **sources.named_labels(table),
        }
        assessments[name] = assess(
            table,
            truth=sources.truth,
            **asdict(sources.roles),
            threshold=sources.thresholds(),  # type: ignore[arg-type]
            missing=testing.missing,
            unanswered=testing.unanswered,
            score_scale=sources.score_scale,
            level=testing.level_of_rows,
            seed=testing.seed,
            **named,
        )
    with waiting("comparing"):
        return compare_unpaired(
            assessments,
            listed_names(measures),
            method=testing.method,
            alternative=testing.alternative,
            adjustment=testing.adjustment,
        )


def from_results(
    sources: Sources, table: ResultColumns, aim: ClaimOptions, testing: MethodOptions
) -> Comparisons:
    """Models over many data sets, from one file of results."""
    from classay.comparison.comparing import compare

    if len(sources.files) > 1:
        raise InputError(
            f"Results over data sets must be in one file, but {len(sources.files)} files are named. Name one file."
        )
    columns = [table.dataset, table.model, table.value, table.fold, table.run]
    named = [name for name in columns if name is not None]
    file = sources.files[0]
    with waiting("reading"):
        if table.model is None and table.value is None:
            named = sources.reading.column_names(file)
        labels = [name for name in (table.dataset, table.model, table.fold, table.run) if name is not None]
        frame = sources.read(file, named, labels=labels)
    return compare(frame, **asdict(table), **asdict(aim), **testing.arguments("method", "missing"))


def from_evaluations(
    sources: Sources, measures: str | None, aim: ClaimOptions, testing: MethodOptions
) -> Comparisons:
    """Learners of saved evaluations, over the folds that they share."""
    from classay.comparison.comparing import compare
    from classay.saved_results import load

    names = listed_names(measures)
    if not all(map(is_evaluation, sources.files)):
        raise InputError("The files are both evaluations and assessments. Use files of one kind.")
    files = dict(zip(names_of(sources.files), sources.files, strict=True))
    with waiting("reading"):
        loaded = {name: load(file) for name, file in files.items()}
    one = next(iter(loaded.values())) if len(loaded) == 1 else loaded
    with waiting("comparing"):
        return compare(one, measures=names, **asdict(aim), **testing.arguments("method"))


def from_assessments(
    sources: Sources, measures: str | None, aim: ClaimOptions, testing: MethodOptions
) -> Comparisons:
    """Saved assessments of the same cases, compared without their rows."""
    from classay.comparison.cases.compare_assessments import compare_all_saved
    from classay.comparison.comparing import judged
    from classay.comparison.comparisons import check_sides, in_direction, level_of_both
    from classay.comparison.gate_rules import check_rule, interval_level

    names = listed_names(measures)
    check_rule(aim.rule, aim.margin)
    alternative, adjustment = testing.alternative, testing.adjustment
    check_sides(alternative, None, aim.rule, None)
    files = dict(zip(names_of(sources.files), sources.files, strict=True))
    values = {name: block_values(file, names or []) for name, file in files.items()}
    nominal = testing.level_of_rows
    of_intervals = interval_level(aim.rule, level_of_both(alternative, nominal))
    comparisons = compare_all_saved(values, names, adjustment=adjustment, level=of_intervals)
    return judged(in_direction(comparisons, alternative, adjustment, nominal), aim.rule, aim.margin)


EXAMPLE = "Example: classay compare predictions.csv --truth y --scores model_a,model_b --measures auc"
OTHER_CASES = "Other cases"


@guarded
def compare(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="Predictions: a column for each model, or a file for each. Saved assessments or evaluations "
            "(.classay). Results over data sets (--dataset).",
        ),
    ],
    *,
    columns: Sources,
    measures: Annotated[
        Text, options.list_option("Measures to compare; choose few, before you see the data.", AIM)
    ] = None,
    groups: GroupOptions,
    cost: options.Cost = None,
    aim: ClaimOptions,
    others: Annotated[tuple[OtherModelOptions, ...], OfWings("compare other")],
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs",
            help="Of four models or more, show the differences of all pairs in place of leaderboards.",
            rich_help_panel=AIM,
        ),
    ] = False,
    ways: Annotated[tuple[Way, ...], OfWings("compare")],
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="The files hold different cases.", rich_help_panel=OTHER_CASES)
    ] = False,
    values: Graded,
    table: ResultColumns,
    threshold: options.Thresholds = None,
    testing: MethodOptions,
    outputs: OutputOptions,
) -> None:
    """Compare models on one test set, over folds or over data sets: differences with intervals and tests."""
    from classay.comparison.comparisons import Comparisons

    sources = columns.of(files, threshold)
    options.refuse_other_task(columns.task, given_of(others))
    is_graded = values.graded is not None and not sources.are_saved
    way = next((way for way in ways if way.is_named()), None)
    mode = "graded" if is_graded else _mode(sources, table, way, is_unpaired=unpaired)
    other = next((other for other in others if other.is_named and not sources.are_saved), None)
    mode = "other" if other is not None else mode
    refuse_others(context, *_used(mode, other or way))
    if mode in OF_FILES and not columns.truth:
        wanted, more, example = altered("wanted.compare", ROWS_WANTED, columns.reading.columns(files[0]))
        list_columns(context, files[0], columns.reading, wanted, more, example, other=OF_GRADES)
        return
    options.refuse_pool_alone(groups.pool, groups.by)
    ranges = groups.ranges
    ready(sources, outputs, may_copy=mode != "unpaired")
    testing = replace(testing, **asdict(options.policy_of(testing.missing, testing.unanswered)))
    if mode == "graded":
        from classay.comparison.cases.graded import compare_values

        test = partial(
            compare_values,
            bands=ranges,
            control=aim.control,
            rule=aim.rule,
            margin=aim.margin,
            **testing.arguments("missing", "unanswered"),
        )
        values = replace(values, better=table.better or "higher")
        comparisons = values.compared(sources, groups.by, test)
    elif other is not None:
        comparisons = other.compare(sources, measures, aim, groups, testing)
    elif mode == "results":
        comparisons = from_results(sources, table, aim, testing)
    elif mode == "way" and way is not None:
        comparisons = way.answer(sources, **replace(testing, level=testing.level_of_rows).arguments())
    elif mode == "unpaired":
        comparisons = from_unpaired(sources, measures, testing)
    elif mode == "evaluations":
        comparisons = from_evaluations(sources, measures, aim, testing)
    elif mode == "assessments":
        comparisons = from_assessments(sources, measures, aim, testing)
    else:
        shown = from_rows(sources, measures, aim, groups, testing, cost or ())
        if not isinstance(shown, Comparisons):
            outputs.deliver(Rendering.of(shown, data_of(files)))
            return
        comparisons = shown
    outputs.deliver(Rendering.of(comparisons.in_pairs() if pairs else comparisons, data_of(files)))


OF_ROWS = frozenset(
    {"truth", "scores", "class_scores", "predictions", "id", "positive", "labels", "order", "threshold"}
    | {"measures", "weight", "frequency", "score_scale", "task", "cluster", "alternative", "adjustment"}
    | {"level", "seed", "missing", "unanswered"}
)
JUDGED = frozenset({"rule", "margin", "method"})

MODES = {
    "graded": (
        {*FORMS, *READING}
        | {"graded", "id", "bounds", "better", "weight", "frequency", "cluster", "control", "rule", "margin"}
        | {"pairs", "by", "bands"}
        | {"alternative", "adjustment", "level", "seed", "missing", "unanswered"},
        "with --graded",
    ),
    "results": (
        {*FORMS, *READING}
        | {
            "dataset",
            "model",
            "value",
            "fold",
            "run",
            "better",
            "control",
            "rope",
            "method",
            "adjustment",
            "level",
        }
        | {"seed", "alternative", "missing"},
        "with results over folds or data sets",
    ),
    "unpaired": (
        ({*FORMS, *READING} | OF_ROWS | {"unpaired", "method"}) - {"id"},
        "with --unpaired (models on different cases)",
    ),
    "evaluations": (
        {*FORMS} | JUDGED | {"measures", "control", "rope", "alternative", "adjustment", "level", "seed"},
        "with saved evaluations",
    ),
    "assessments": (
        {*FORMS} | {"measures", "rule", "margin", "alternative", "adjustment", "level"},
        "with saved assessments",
    ),
    "rows": (
        {*FORMS, *READING}
        | OF_ROWS
        | JUDGED
        | {
            "control",
            "rope",
            "pairs",
            "by",
            "pool",
            "bands",
            "cost",
        },  # of which `compare` says where they belong
        "with models on one test set",
    ),
}
"""The options that each way of comparing uses, and why the others have no meaning there."""


ROWS_WANTED = (
    "the column of true labels with --truth",
    ", and the scores of the models with --scores (or --dataset for results over data sets)",
    "--truth COL --scores COL,COL",
)
"""Which columns of rows must be named, which may be, and an example."""
OF_GRADES = "For grades (such as 1 for correct and 0 for incorrect), use --graded COL,COL. "
"""What columns without true labels may be."""
OF_FILES = ("rows", "unpaired", "way")
"""The ways that read rows, of which the column of true labels must be named."""


def _used(mode: str, of_wing: OtherModelOptions | Way | None) -> tuple[Collection[str], str]:
    """Return the options that a way of comparing uses, and why the others have no meaning there."""
    is_of_wing = mode in ("other", "way") and of_wing is not None
    return (of_wing.uses, of_wing.beside) if is_of_wing and of_wing is not None else MODES[mode]


def _mode(sources: Sources, table: ResultColumns, way: Way | None, *, is_unpaired: bool) -> str:
    """Return which of `MODES` the options or else the files say; "way" is one of a wing."""
    if table.is_named():
        return "results"
    if way is not None:
        return "way"
    if is_unpaired:
        return "unpaired"
    if not sources.are_saved:
        return "rows"
    return "evaluations" if any(map(is_evaluation, sources.files)) else "assessments"


EXAMPLE_OF_BEST = (
    "Example: classay best predictions.csv --truth y --scores model_a,model_b,model_c --measure accuracy"
)


@guarded
def best(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE…", help="Predictions: a column for each model, or a file for each."),
    ],
    *,
    columns: Sources,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The measure that decides which is best: accuracy (default), roc_auc, f1, log_loss or another one of "
            "which models have a joint spread.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    threshold: options.Thresholds = None,
    estimating: Estimating,
    outputs: OutputOptions,
) -> None:
    """Correct the best of many models for having been chosen on the cases that rate it."""
    from classay.comparison.best import best_of

    sources = columns.of(files, threshold)
    options.refuse_other_task(columns.task, ())
    outputs.refuse_unwritable(*files)
    refuse_twice(files, "Use one file for each model", may_copy=True)
    sources.need_truth()
    with waiting("reading"):
        models, columns_of_models = sources.models()
    how: dict[str, Any] = {**columns_of_models, **sources.named_labels(models), **estimating.arguments()}
    with waiting("comparing"):
        leader = best_of(models, measure=measure, threshold=sources.thresholds(), **how)
    outputs.deliver(Rendering.of(leader, data_of(files)))
