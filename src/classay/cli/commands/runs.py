"""`classay runs`: the evaluations that a store keeps."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from classay.cli import options
from classay.cli.commands.evaluate import deliver
from classay.cli.failures import guarded, listing_console
from classay.cli.options import Text
from classay.cli.outputs import Made, OfEvaluation, Outputs, listed_names
from classay.errors import InputError
from classay.files.writing import SAVED
from classay.texts import clean

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.run_store import StoredRun

OF_LEARNERS = {
    "decomposition": "a decomposition",
    "decomposition_path": "a path of decompositions",
    "learning_curve": "a learning curve",
    "improvement": "an improvement",
}
"""What a saved file may hold beside an evaluation, and how an error calls it."""
EXAMPLE = "Example: classay runs runs.db 1c94 --html page.html"


@guarded
def runs(
    file: Annotated[
        str,
        typer.Argument(
            help="A store that `--store` made, or what `--save` of evaluate or improve, or `save`, wrote (.classay)."
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
    """List the runs that a store keeps, or show one or a saved result again without fitting anything."""
    show_runs(file, id, measures, outputs)


def show_runs(file: str, id: str | None, measures: str | None, outputs: Outputs) -> None:
    """List the runs of a store; or write one of them, or a saved result, again, without fitting anything."""
    outputs.refuse_unwritable(file)
    if file.endswith(SAVED):
        if id is not None:
            raise InputError(f"{file} holds one result, and {id!r} names another: leave it out.")
        from classay.assessment.restoring import kind_of
        from classay.resampling.evaluation import Evaluation

        if (kind := kind_of(file)) in OF_LEARNERS:
            _show_other(file, OF_LEARNERS[kind], measures, outputs)
            return
        e = Evaluation.load(file)
    elif id is not None:
        e = _reopened(file, id)
    elif given := [each for each in (measures, *outputs.paths.values()) if each]:
        raise InputError(
            f"which run is {given[0]} for? Name one of those that `classay runs {quote(file)}` lists: "
            f"`classay runs {quote(file)} RUN`."
        )
    else:
        _list_runs(file)
        return
    names = listed_names(measures)
    deliver(e if names is None else e.showing(names), outputs)


def _show_other(file: str, what: str, measures: str | None, outputs: Outputs) -> None:
    """Show another saved result of learners again."""
    from classay.cli.commands import improve
    from classay.improving.improvement import Improvement
    from classay.loading import load

    if measures is not None:
        raise InputError(f"{file} holds {what}, whose measures are chosen: leave out --measures.")
    found = load(file)
    if isinstance(found, Improvement):
        improve.deliver(found, outputs)
        return
    if outputs.times is not None:
        raise InputError(f"{file} holds {what}, which knows no times: leave out --times.")
    outputs.deliver(replace(Made.of(found), save=found.save))


def _reopened(file: str, id: str) -> Evaluation:
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.run_store import Store

    with Store.existing(file) as store:
        return Evaluation.reopen(store, id)


def _list_runs(file: str) -> None:
    """Print the runs of a store: what was run, and how far it came."""
    from classay.resampling.run_store import Store

    with Store.existing(file) as store:
        runs = store.runs()
    if not runs:
        print(f"{file} holds no runs yet.")
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("run", "started", "models", "protocol", "cases", "seed", "fits"):
        table.add_column(
            column, header_style="dim", justify="right" if column in ("cases", "fits") else "left"
        )
    for run in runs:
        table.add_row(*map(Text, map(clean, _row(run))))
    listing_console().print(table)
    print(
        f"\n`classay runs {quote(file)} RUN` shows one again; an unfinished one goes on when it is evaluated again."
    )


def _row(run: StoredRun) -> tuple[str, ...]:
    about = run.about
    rows = [data["rows"] for data in about.get("data", {}).values()]
    return (
        run.id[:8],
        run.started[:16].replace("T", " "),
        ", ".join(about.get("estimators", ())),
        str(about.get("protocol", "")),
        f"{sum(rows):,}" + (f" in {len(rows)} sets" if len(rows) > 1 else ""),
        str(about.get("seed", "")),
        f"{run.done:,}" if run.is_finished else f"{run.done:,} of {run.planned:,}",
    )
