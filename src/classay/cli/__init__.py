"""The command: parse, read, measure, report. Here are its group, the options of every command and the commands.

The commands stand in the order of help. Nothing is computed in this room.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from classay.cli.commands import assess, compare, decide, evaluate, gate, runs, without_file
from classay.cli.commands.cases_needed import sample_size
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
COMMANDS: tuple[tuple[Callable[..., Any], str], ...] = (
    (assess.assess, assess.EXAMPLE),
    (runs.merge, runs.EXAMPLE_OF_MERGE),
    (assess.sql, assess.EXAMPLE_OF_SQL),
    (decide.decide, decide.EXAMPLE),
    (compare.compare, compare.EXAMPLE),
    (compare.best, compare.EXAMPLE_OF_BEST),
    (compare.readers, compare.EXAMPLE_OF_READERS),
    (gate.gate, gate.EXAMPLE),
    (evaluate.evaluate, evaluate.EXAMPLE),
    (evaluate.decompose, evaluate.EXAMPLE_OF_DECOMPOSE),
    (evaluate.ensemble, evaluate.EXAMPLE_OF_ENSEMBLE),
    (evaluate.improve, evaluate.EXAMPLE_OF_IMPROVE),
    (runs.runs, runs.EXAMPLE_OF_RUNS),
    (without_file.measures, without_file.EXAMPLE_OF_MEASURES),
    (without_file.proportion, without_file.EXAMPLE_OF_PROPORTION),
    (without_file.protocols, without_file.EXAMPLE_OF_PROTOCOLS),
    (without_file.demo, without_file.EXAMPLE_OF_DEMO),
    (without_file.warm, without_file.EXAMPLE_OF_WARM),
)
"""Each command, under the name of its function, and an example of its use."""
WITH_SETTINGS = ("gate",)
"""The commands whose options may stand in a file of settings."""

for command, example in COMMANDS:
    name = command.__name__
    kind = WithSettings if name in WITH_SETTINGS else OptionsOnce
    app.command(name, cls=kind, epilog=example)(spread(command))
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
