"""The command: parse, read, measure, report. Here are its group, the options of every command and the commands.

The commands stand in the order of help. Nothing is computed in this room. A process that is for one
command reads the modules of this one alone.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any

import typer

from classay.cli.failures import EXITS_IN_SHORT, PlainErrors
from classay.cli.given import OptionsOnce, WithSettings, spread

COMMANDS = {
    "assess": "assess",
    "merge": "runs",
    "sql": "assess",
    "decide": "decide",
    "compare": "compare",
    "best": "compare",
    "readers": "compare",
    "reclassification": "reclassification",
    "gate": "gate",
    "evaluate": "evaluate",
    "decompose": "evaluate",
    "ensemble": "evaluate",
    "improve": "evaluate",
    "runs": "runs",
    "measures": "without_file",
    "proportion": "without_file",
    "protocols": "without_file",
    "demo": "without_file",
    "warm": "without_file",
    "sample-size": "cases_needed",
}
"""Each command and the module that holds it, with an example: EXAMPLE, or that of a command with another name."""
WITH_SETTINGS = ("gate",)
"""The commands whose options may stand in a file of settings."""


def app_of(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command with these of its commands."""
    app = typer.Typer(
        name="classay",
        cls=PlainErrors,
        help="Assay classifiers: how good, how sure, at what threshold, from a file of predictions.",
        epilog=EXITS_IN_SHORT,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(common)
    for name in names:
        module = import_module(f"classay.cli.commands.{COMMANDS[name]}")
        if name == "sample-size":
            app.add_typer(module.sample_size)
            continue
        example = "EXAMPLE" if name == COMMANDS[name] else f"EXAMPLE_OF_{name.upper()}"
        kind = WithSettings if name in WITH_SETTINGS else OptionsOnce
        app.command(name, cls=kind, epilog=getattr(module, example))(spread(getattr(module, name)))
    return app


def __getattr__(name: str) -> Any:
    """`app`, the whole command, made when it is asked for."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = app_of()
    return globals()[name]


def _version(wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        from classay import __version__

        print(f"classay {__version__}")
        raise typer.Exit(0)


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
    first = sys.argv[1:2]
    app = app_of(first if first and first[0] in COMMANDS else COMMANDS)
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
