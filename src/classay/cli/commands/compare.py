"""`classay compare`: models on one test set, over folds or over data sets; which of these, the options say."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from classay.answers import Missing
from classay.cli import options, registries
from classay.cli.commands.comparing import AIM, Aim, Table, ready
from classay.cli.failures import guarded
from classay.cli.given import refuse_others
from classay.cli.listing import list_columns
from classay.cli.options import METHOD, Text
from classay.cli.outputs import Made, Outputs
from classay.cli.sources import Sources, is_evaluation
from classay.comparison.comparison import Alternative

EXAMPLE = "Example: classay compare predictions.csv --truth y --scores model_a,model_b --measures auc"
READER = "A reader, or other cases"


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
        Text,
        typer.Option(
            metavar="A,B,…",
            help="Measures to compare; choose few, before you see the data.",
            rich_help_panel=AIM,
        ),
    ] = None,
    aim: Aim,
    reader: Annotated[
        Text,
        typer.Option(
            metavar="COL",
            help="A reader's labels: compare at the reader's specificity.",
            rich_help_panel=READER,
        ),
    ] = None,
    reader_positive: Annotated[
        Text,
        typer.Option(
            metavar="LABEL",
            help="The reader's word for the positive class, where the truth has another.",
            rich_help_panel=READER,
        ),
    ] = None,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="The files hold different cases.", rich_help_panel=READER)
    ] = False,
    table: Table,
    threshold: options.Thresholds = None,
    method: Annotated[
        Text,
        typer.Option(
            metavar="NAME",
            help="The test, in place of the default. {tests}",
            rich_help_panel=METHOD,
            autocompletion=registries.tests,
        ),
    ] = None,
    alternative: Annotated[
        Alternative,
        typer.Option(
            help="Of the first model of a pair less the second, asked beforehand.", rich_help_panel=METHOD
        ),
    ] = "two-sided",
    adjustment: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Adjustment of the p-values of all comparisons: {adjustments}.",
            rich_help_panel=METHOD,
            autocompletion=registries.adjustments,
        ),
    ] = "holm",
    level: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Level of the intervals; 0.95, or that of the evaluation.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    seed: options.Seed = 0,
    missing: Annotated[
        Missing,
        typer.Option(
            "--missing",
            help="What to do with rows without a true label, and data sets on which some model has no value.",
            rich_help_panel=METHOD,
        ),
    ] = "refuse",
    unanswered: options.UnansweredRows = "refuse",
    outputs: Outputs,
) -> None:
    """Compare models on one test set, over folds or over data sets: differences with intervals, tests, what is open."""
    from classay.cli.commands import comparing

    sources = columns.of(files, threshold)
    how: dict[str, Any] = {"alternative": alternative, "adjustment": adjustment, "level": level, "seed": seed}
    mode = _mode(sources, table, reader, is_unpaired=unpaired)
    refuse_others(context, *MODES[mode])
    if mode in OF_FILES and not columns.truth:
        wanted, more = (
            "the column of true labels with --truth",
            ", and the scores of the models with --scores (of results over data sets, --dataset)",
        )
        list_columns(context, files[0], columns.reading, wanted, more, "--truth COL --scores COL,COL")
        return
    ready(sources, outputs)
    if mode == "results":
        found = comparing.results(sources, table, aim, method=method, missing=missing, **how)
    elif mode == "reader" and reader is not None:
        how["level"] = 0.95 if level is None else level
        found = comparing.with_reader(sources, reader, reader_positive, **how)
    elif mode == "unpaired":
        how["level"] = 0.95 if level is None else level
        found = comparing.unpaired(
            sources, measures, method=method, missing=missing, unanswered=unanswered, **how
        )
    elif mode == "evaluations":
        found = comparing.evaluations(sources, measures, aim, method=method, **how)
    elif mode == "assessments":
        found = comparing.assessments(
            sources, measures, aim, alternative=alternative, adjustment=adjustment, level=level
        )
    else:
        found = comparing.rows(
            sources, measures, aim, method=method, missing=missing, unanswered=unanswered, **how
        )
    outputs.deliver(Made.of(found))


WRITTEN = frozenset({"json", "html", "latex", "markdown"})
READ = frozenset({"format", "delimiter"})
OF_ROWS = frozenset(
    {
        "truth",
        "scores",
        "class_scores",
        "predictions",
        "id",
        "positive",
        "labels",
        "order",
        "threshold",
        "measures",
        "weight",
        "frequency",
    }
    | {"cluster", "alternative", "adjustment", "level", "seed", "missing", "unanswered"}
)
JUDGED = frozenset({"rule", "margin", "method"})

MODES = {
    "results": (
        WRITTEN
        | READ
        | {"dataset", "model", "value", "run", "better", "control", "rope", "method", "adjustment", "level"}
        | {"seed", "alternative", "missing"},
        "beside --dataset, which says that the file holds results over data sets",
    ),
    "reader": (
        WRITTEN
        | READ
        | {
            "reader",
            "reader_positive",
            "truth",
            "scores",
            "positive",
            "cluster",
            "alternative",
            "adjustment",
            "level",
            "seed",
        },
        "beside --reader, which compares columns of scores with a column of labels in one file",
    ),
    "unpaired": (
        (WRITTEN | READ | OF_ROWS | {"unpaired", "method"}) - {"id"},
        "beside --unpaired, which compares models on different cases",
    ),
    "evaluations": (
        WRITTEN | JUDGED | {"measures", "control", "rope", "alternative", "adjustment", "level", "seed"},
        "for saved evaluations, which know their cases and folds",
    ),
    "assessments": (
        WRITTEN | {"measures", "rule", "margin", "alternative", "adjustment", "level"},
        "for saved assessments, which know their rows, labels and thresholds",
    ),
    "rows": (
        WRITTEN | READ | OF_ROWS | JUDGED | {"control", "rope"},  # of which `compare` says where they belong
        "for models on one test set",
    ),
}
"""The options that each way of comparing uses, and why the others have no meaning there."""

OF_FILES = ("rows", "unpaired", "reader")
"""The ways that read rows, of which the column of true labels must be named."""


def _mode(sources: Sources, table: Table, reader: str | None, *, is_unpaired: bool) -> str:
    """Which of `MODES` the options say, or else the files: saved evaluations, saved assessments, or rows."""
    if table.is_named():
        return "results"
    if reader is not None:
        return "reader"
    if is_unpaired:
        return "unpaired"
    if not sources.are_saved:
        return "rows"
    return "evaluations" if any(map(is_evaluation, sources.files)) else "assessments"
