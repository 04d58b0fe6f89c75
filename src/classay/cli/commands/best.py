"""`classay best`: what to expect on fresh cases of the best of many models, which was chosen on these."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from classay.cli import options
from classay.cli.failures import guarded
from classay.cli.options import METHOD
from classay.cli.outputs import Made, Outputs, waiting
from classay.cli.sources import Sources

EXAMPLE = (
    "Example: classay best predictions.csv --truth y --scores model_a,model_b,model_c --measure accuracy"
)


@guarded
def best(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE…", help="Predictions: a column for each model, or a file for each."),
    ],
    truth: options.Truth = None,
    scores: options.ModelScores = None,
    predictions: options.ModelPredictions = None,
    id: options.Id = None,
    positive: options.Positive = None,
    weight: options.Weight = None,
    frequency: options.Frequency = None,
    cluster: options.Cluster = None,
    format: options.FileFormat = None,
    delimiter: options.Delimiter = None,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What the best is best in: accuracy (default), roc_auc, recall, specificity, brier_score, log_loss.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    threshold: options.Thresholds = None,
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    missing: options.MissingLabels = "refuse",
    json: options.Json = None,
    html: options.Html = None,
    latex: options.Latex = None,
    markdown: options.Markdown = None,
) -> None:
    """Correct the best of many models for having been chosen on the cases that rate it."""
    from classay.comparison.cases.choice.best import best_of

    sources = Sources.of_options(files, context.params)
    outputs = Outputs(json=json, html=html, latex=latex, markdown=markdown)
    outputs.refuse_unwritable(*files)
    sources.need_truth()
    with waiting("reading"):
        models, columns = sources.models()
    how: dict[str, Any] = {
        "threshold": sources.thresholds(),
        "level": level,
        "seed": seed,
        "missing": missing,
    }
    if positive is not None:
        how["positive"] = sources.typed_positive(models)
    with waiting("resampling"):
        found = best_of(models, measure=measure, **columns, **how)
    outputs.deliver(Made.of(found))
