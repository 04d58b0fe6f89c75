"""`classay best`: what to expect on fresh cases of the best of many models, which was chosen on these."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from classay.cli import options
from classay.cli.failures import guarded
from classay.cli.options import METHOD, Estimating
from classay.cli.outputs import Made, Outputs, data_of, refuse_twice, waiting
from classay.cli.row_options import Sources

EXAMPLE = (
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
    outputs: Outputs,
) -> None:
    """Correct the best of many models for having been chosen on the cases that rate it."""
    from classay.comparison.cases.best import best_of

    sources = columns.of(files, threshold)
    outputs.refuse_unwritable(*files)
    refuse_twice(files, "pass one for each model")
    sources.need_truth()
    with waiting("reading"):
        models, named = sources.models()
    how: dict[str, Any] = named | estimating.arguments() | {"threshold": sources.thresholds()}
    if sources.positive is not None:
        how["positive"] = sources.typed_positive(models)
    how |= sources.named_labels(models)
    with waiting("comparing"):
        found = best_of(models, measure=measure, **how)
    outputs.deliver(Made.of(found, data_of(files)))
