"""`classay runs`: show saved results beside each other, or one of them again."""

from __future__ import annotations

import os
from shlex import quote
from typing import Annotated

import typer

from classay.cli import options
from classay.cli.failures import guarded
from classay.cli.options import Text
from classay.cli.outputs import OfEvaluation, OutputOptions, Rendering, data_of, listed_names, waiting
from classay.errors import InputError
from classay.files.writing import SAVED, saved_path
from classay.wings import brought, thing

EXAMPLE = "Example: classay runs results --html results/overview.html"


@guarded
def runs(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER",
            help="A folder of saved results (.classay), or a store that `--store` made: all beside each other, in the "
            "order of time. Or one file that `--save` or `save` wrote.",
        ),
    ],
    id: Annotated[
        Text,
        typer.Argument(metavar="[RUN]", help="A run, by the first letters of its id. Without it, lists all."),
    ] = None,
    *,
    measures: Annotated[
        Text,
        typer.Option(
            metavar="A,B,…",
            help="Only these measures; any can be named, because the predictions are kept.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    outputs: OfEvaluation,
) -> None:
    """Show all saved results of a folder or store beside each other, or one of them again; nothing is fitted."""
    show_runs(file, id, measures, outputs)


def show_runs(file: str, id: str | None, measures: str | None, outputs: OutputOptions) -> None:
    """Show what a folder or a store holds, or one result again, without fitting anything."""
    if id is not None and os.path.isdir(file):
        file, id = str(saved_path(os.path.join(file, id))), None
    outputs.refuse_unwritable(file)
    stores = brought("shown_again").get("store")
    if file.endswith(SAVED) and not os.path.isdir(file):
        if id is not None:
            raise InputError(f"{file} contains only one result. Remove the name {id!r}.")
        _show_saved(file, measures, outputs)
    elif stores and not os.path.isdir(file) and (id is not None or not (measures or outputs.paths)):
        thing(stores)(file, id, measures, outputs)
    else:
        _show_all(file, measures, outputs)


def _show_all(file: str, measures: str | None, outputs: OutputOptions) -> None:
    """Show all that a folder or a store holds beside each other."""
    from classay.saved_results import overview

    for option in ("--save", "--times"):
        if option in outputs.paths:
            raise InputError(f"{option} needs one result. Name it: `classay runs {quote(file)} NAME`.")
    with waiting("estimating"):
        results = overview(file, listed_names(measures))
    page = outputs.html if outputs.html and outputs.html != "-" else "page.html"
    outputs.deliver(Rendering.of(results.seen_from(os.path.dirname(page) or ".")))


def _show_saved(file: str, measures: str | None, outputs: OutputOptions) -> None:
    """Show one saved result again."""
    from classay.assessment.restoring import kind_of

    place = brought("shown_again").get(kind_of(file) or "")
    if place is None:
        _show_assessment(file, measures, outputs)
    else:
        thing(place)(file, measures, outputs)


def _show_assessment(file: str, measures: str | None, outputs: OutputOptions) -> None:
    """Show a saved assessment again."""
    from classay.assessment.remembered import Remembered
    from classay.assessment.restoring import load
    from classay.cli.outputs import AssessmentReport

    if outputs.times is not None:
        raise InputError(f"{file} contains an assessment, which has no times. Remove --times.")
    a = Remembered.of(load(file))
    named = data_of([file]) if not a.model else f"{a.model} on {data_of([file])}"
    findings = AssessmentReport.of(f"Assessment of {named}", a, listed_names(measures), None, None)
    outputs.deliver(findings.made("main"))
