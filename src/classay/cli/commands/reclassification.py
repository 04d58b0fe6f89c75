"""`classay reclassification`: how a new model moves cases between categories of risk."""

from __future__ import annotations

from typing import Annotated

import typer

from classay.cli import options
from classay.cli.failures import guarded
from classay.cli.lists import columns_of, label_named, numbers_in
from classay.cli.options import METHOD, FileOptions, Text, column_option
from classay.cli.outputs import OutputOptions, Rendering, data_of, waiting
from classay.errors import InputError
from classay.texts import listed

EXAMPLE = (
    "Example: classay reclassification predictions.csv --truth y --new model_b --old model_a --cuts 0.1,0.2"
)


@guarded
def reclassification(
    file: options.File,
    *,
    truth: Annotated[Text, column_option("True labels of the cases.")] = None,
    new: Annotated[Text, column_option("Probabilities of the positive class by the new model.")] = None,
    old: Annotated[Text, column_option("Probabilities of the positive class by the old model.")] = None,
    positive: options.Positive = None,
    reading: FileOptions,
    cuts: Annotated[
        Text,
        typer.Option(
            metavar="P,P,…",
            help="Probabilities that bound the risk categories. Without this option, every change counts.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    score_scale: options.ScoreScaleOption = None,
    level: options.Level = 0.95,
    outputs: OutputOptions,
) -> None:
    """Estimate the net reclassification (NRI) and integrated discrimination (IDI) improvement of a new model."""
    from classay.comparison.reclassification import reclassification as reclassified

    outputs.refuse_unwritable(file)
    named = {"truth": truth, "new": new, "old": old}
    lacking = [f"--{role}" for role, name in named.items() if name is None]
    if lacking:
        raise InputError(f"Name the columns with {listed(lacking)}. {columns_of(file, reading)}")
    wanted = [name for name in named.values() if name is not None]
    bounds = [] if cuts is None else numbers_in(cuts, "--cuts", cuts.count(",") + 1)
    with waiting("reading"):
        frame = reading.table(file, wanted, wanted[:1], wanted[:1], [positive])
    labels = frame.column(wanted[0])
    with waiting("comparing"):
        change = reclassified(
            labels,
            frame.column(wanted[1]),
            frame.column(wanted[2]),
            cuts=bounds,
            positive=label_named(positive, lambda: [*dict.fromkeys(labels.to_pylist())]),
            level=level,
            score_scale=score_scale,
        )
    outputs.deliver(Rendering.of(change, data_of([file])))
