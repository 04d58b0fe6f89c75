"""`classay describe`: what a file is, what its columns may be, and command lines that would run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classay.cli.failures import guarded
from classay.cli.options import File, FileOptions
from classay.cli.outputs import OutputOptions, Rendering
from classay.texts import clean
from classay.wings import altered

if TYPE_CHECKING:
    from classay.describing.description import Description

EXAMPLE = "Example: classay describe predictions.csv"


@guarded
def describe(file: File, *, reading: FileOptions, outputs: OutputOptions) -> None:
    """Describe a file: its format, what its columns may be, and command lines that would run. Computes nothing."""
    outputs.refuse_unwritable(file)
    deliver(_described(file, reading), outputs)


def describe_for_assess(file: str, _: str, reading: FileOptions) -> None:
    """Describe the file, or the files of a folder, of `classay assess` without columns."""
    deliver(_described(file, reading), OutputOptions())


def _described(file: str, reading: FileOptions) -> Description:
    from classay.describing.description import described

    options = {name: str(value) for name, value in reading.given().items()}
    first, *others = altered("describe.files", [file], reading.format)
    return described(file, first, **reading.arguments, options=options, others=others)


def deliver(description: Description, outputs: OutputOptions) -> None:
    """Write a description; in a terminal, command lines stand unbroken on lines of their own."""
    from dataclasses import replace

    from classay.describing.results import document_of, lines_of_commands, without_commands

    rendering = Rendering.of(description)
    outputs.deliver(replace(rendering, shown=lambda: without_commands(document_of(description))))
    if "-" not in outputs.paths.values():
        for line in lines_of_commands(description):
            print(clean(line))
