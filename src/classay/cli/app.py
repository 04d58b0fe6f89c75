"""The command: its group, the options of every command, and the commands in the order of help."""

from __future__ import annotations

import io
import os
import sys
from types import ModuleType
from typing import Annotated

import typer

from classay.cli.commands import (
    assess,
    best,
    compare,
    decide,
    decompose,
    demo,
    ensemble,
    evaluate,
    gate,
    improve,
    measures,
    merge,
    proportion,
    protocols,
    readers,
    runs,
    sql,
    warm,
)
from classay.cli.commands.sample_size import sample_size
from classay.cli.failures import PlainErrors
from classay.cli.given import OptionsOnce, WithSettings, spread

app = typer.Typer(
    name="classay",
    cls=PlainErrors,
    help="Assay classifiers: how good, how sure, at what threshold, from a file of predictions.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS: tuple[ModuleType, ...] = (
    assess,
    merge,
    sql,
    decide,
    compare,
    best,
    readers,
    gate,
    evaluate,
    decompose,
    ensemble,
    improve,
    runs,
    measures,
    proportion,
    protocols,
    demo,
    warm,
)
"""A module each, with the command under its own name and an EXAMPLE of its use."""
WITH_SETTINGS = (gate,)
"""Those whose options may stand in a file of settings."""

for each in COMMANDS:
    name = each.__name__.rpartition(".")[2]
    kind = WithSettings if each in WITH_SETTINGS else OptionsOnce
    app.command(name, cls=kind, epilog=each.EXAMPLE)(spread(getattr(each, name)))
app.add_typer(sample_size)


def _version(wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        from classay import __version__

        print(f"classay {__version__}")
        raise typer.Exit(0)


@app.callback()
def common(
    version: Annotated[  # noqa: FBT002
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error arose.")] = False,  # noqa: FBT002
) -> None:
    """Options of every command."""
    if debug:
        os.environ["CLASSAY_DEBUG"] = "1"


def main() -> None:
    """Run the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a label that the terminal lacks must not end the run
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
