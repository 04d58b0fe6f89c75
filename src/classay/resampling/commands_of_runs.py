"""Evaluations and stores of their runs, as `classay runs` shows them, and `classay protocols`."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from classay.cli.failures import guarded, listing
from classay.cli.options import Text
from classay.cli.outputs import OutputOptions, listed_names
from classay.resampling.bootstraps import PROTOCOLS, protocol_of, samples
from classay.texts import clean

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.run_store import StoredRun


def show_again(file: str, measures: str | None, outputs: OutputOptions) -> None:
    """Show a saved evaluation again."""
    from classay.resampling.evaluation import Evaluation

    _deliver(Evaluation.load(file), measures, outputs)


def show_store(file: str, id: str | None, measures: str | None, outputs: OutputOptions) -> None:
    """Show the runs of a store, or one of them again."""
    if id is None:
        _list_runs(file)
    else:
        _deliver(_reopened(file, id), measures, outputs)


def _deliver(e: Evaluation, measures: str | None, outputs: OutputOptions) -> None:
    from classay.resampling.commands import deliver_evaluation

    names = listed_names(measures)
    deliver_evaluation(e if names is None else e.showing(names), outputs)


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
        print(f"{file} has no runs yet.")
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
    with listing() as console:
        console.print(table)
    print(
        f"\nShow a run again with `classay runs {quote(file)} RUN`, and all runs on a page with `--html "
        "FILE`. Evaluate an unfinished run again to continue it."
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


EXAMPLE_OF_PROTOCOLS = "Example: classay protocols 10x10"


@guarded
def protocols(
    name: Annotated[
        Text, typer.Argument(help="A protocol, as --protocol takes it.", autocompletion=samples)
    ] = None,
) -> None:
    """List the protocols of `classay evaluate`, or explain one: estimand, randomness, reference."""
    if name is None:
        list_protocols()
    else:
        explain_protocol(name)


def list_protocols() -> None:
    """Print every protocol: its texts, and what it is."""
    _print([(", ".join(kind.about.forms), kind.about.title) for kind in PROTOCOLS])
    print("\nReplace the numbers by your own. Explain a protocol with `classay protocols NAME`.")


def explain_protocol(name: str) -> None:
    """Print all that is known of one protocol."""
    protocol = protocol_of(name)
    about = protocol.about
    _print(
        [
            ("name", protocol.name),
            ("title", about.title),
            ("texts", ", ".join(about.forms)),
            ("estimated", about.estimand),
            ("random", protocol.random),
            ("compared", "yes" if about.incomparable is None else f"no: {about.incomparable}"),
            ("reference", about.reference or "–"),
        ]
    )


def _print(rows: list[tuple[str, str]]) -> None:
    from rich.table import Table
    from rich.text import Text as Words

    table = Table.grid(padding=(0, 2))
    for key, text in rows:
        table.add_row(Words(key, style="dim"), Words(text))
    with listing() as console:
        console.print(table)
