"""The columns of a file, listed for somebody who has not named any yet."""

from __future__ import annotations

from shlex import quote

import typer

from classay.cli.given import given
from classay.cli.options import Reading
from classay.errors import InputError
from classay.texts import clean

OF_READING = ("format", "delimiter")
"""Options of how a file is read, which listing its columns uses too."""


def columns_of(file: str, reading: Reading) -> str:
    """The names of a file's columns, as the end of a message."""
    return f"Columns: {', '.join(reading.column_names(file))}"


def list_columns(
    context: typer.Context, file: str, reading: Reading, wanted: str, more: str, example: str
) -> None:
    """Show the columns of a file, to choose those that are `wanted` from, and `more`; and an example of the call.

    Raises InputError if any other option was given, which would have no effect.
    """
    others = [option for name, option in given(context).items() if name not in OF_READING]
    if others:
        raise InputError(f"name {wanted}, which {others[0]} needs. {columns_of(file, reading)}")
    _show_columns(file, reading)
    print(f"\nName {wanted}{more}:")
    print(clean(f"  classay {context.info_name} {quote(file)} {example}"))


def _show_columns(file: str, reading: Reading) -> None:
    """Print the name and type of each column. Raises InputError for a file of one, whose name holds several."""
    from classay.sources.delimited import other_delimiter

    found = reading.columns(file)
    if advice := other_delimiter([name for name, _ in found]):
        raise InputError(f"{file} has one column, {found[0][0]!r}. {advice}")
    names = [clean(name) for name, _ in found]
    width = max(map(len, names))
    print(clean(f"{file} has {len(found)} columns:"))
    for name, (_, kind) in zip(names, found, strict=True):
        print(f"  {name:<{width}}  {clean(kind)}")
