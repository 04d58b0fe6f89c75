"""`classay protocols`: the registry of protocols, for people."""

from __future__ import annotations

from typing import Annotated

import typer

from classay.cli.failures import guarded, listing_console
from classay.cli.options import Text
from classay.resampling.known_protocols import PROTOCOLS, protocol_of, samples

EXAMPLE = "Example: classay protocols 10x10"


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
        explain(name)


def list_protocols() -> None:
    """Print every protocol: its texts, and what it is."""
    _print([(", ".join(kind.about.forms), kind.about.title) for kind in PROTOCOLS])
    print("\nNumbers are of your choice. `classay protocols NAME` explains one.")


def explain(name: str) -> None:
    """Print all that is known of one protocol."""
    found = protocol_of(name)
    about = found.about
    _print(
        [
            ("name", found.name),
            ("title", about.title),
            ("texts", ", ".join(about.forms)),
            ("estimated", about.estimand),
            ("random", found.random),
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
    listing_console().print(table)
