"""`classay ensemble`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from classay.cli.failures import guarded, one_line_warnings, output_to_errors
from classay.cli.lists import names_in
from classay.cli.options import METHOD, EstimatingLearners
from classay.cli.outputs import OutputOptions, Rendering, data_of, waiting
from classay.resampling.commands import TrainingFile, remarks_on
from classay.texts import clean

EXAMPLE = (
    "Example: classay ensemble cases.csv --target y --of bagging,forest,boosting,stacking --html page.html"
)


@guarded
def ensemble(
    context: typer.Context,
    *,
    cases: TrainingFile,
    of: Annotated[
        str,
        typer.Option(
            "--of",
            metavar="A,B,…",
            help="bagging, forest, extra_trees, boosting (AdaBoost of stumps), gradient_boosting, stacking (of a "
            "tree, a logistic regression, naive Bayes and neighbors).",
            rich_help_panel=METHOD,
        ),
    ] = "bagging,forest,boosting,stacking",
    members: Annotated[
        int,
        typer.Option(metavar="N", help="Members of each ensemble except stacking.", rich_help_panel=METHOD),
    ] = 100,
    test: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Share of the cases to test on, stratified by class.",
            show_default="1/3",
            rich_help_panel=METHOD,
        ),
    ] = 1 / 3,
    estimating: EstimatingLearners,
    outputs: OutputOptions,
) -> None:
    """Fit ensembles to a file of cases: errors over the number of members, margins, agreement, rounds of boosting."""
    if cases.target is None:
        cases.list_columns(context, "--of bagging,forest,boosting,stacking")
        return
    outputs.refuse_unwritable(cases.file)
    with waiting(f"reading {cases.file}"):
        data = cases.read(estimating.missing)
    for _, text in remarks_on(data):
        print(clean(f"note: {text}"), file=sys.stderr)
    from classay.ensembles import assess_all

    with one_line_warnings(), output_to_errors(), waiting("fitting"):
        assessments = assess_all(
            data.frame(),
            data.target,
            of=names_in(of, "--of"),
            members=members,
            test=test,
            level=estimating.level,
            seed=estimating.seed,
        )
    outputs.deliver(Rendering.of(assessments, data_of([cases.file])))
