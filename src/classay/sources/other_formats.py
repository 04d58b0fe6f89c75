"""Formats of files that wings read: recognized by their content, whatever their names end in."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from classay.errors import FileError
from classay.texts import hint
from classay.wings import altered, brought, thing, way

if TYPE_CHECKING:
    import pyarrow as pa

    from classay.sources.inputs import Input

_FIRST_BYTES = 512


@dataclass(frozen=True)
class OtherFormat:
    """A format of files: how it is recognized, and the module with `read` and `schema`, functions of an `Input`."""

    title: str
    """What a file of the format is called, with its article."""
    endings: tuple[str, ...]
    recognizes: Callable[[bytes, str], bool]
    """Whether a file or folder is of the format, by its first bytes, of which a folder has none, and its path."""
    reader: str
    matrix_rows: Literal["true"] | None = field(default=None, kw_only=True)
    """What the rows of a confusion matrix are, if the format says so."""


def recognized(path: str, name: str) -> str | None:
    """Return the format of a file or folder that a wing reads, None for any other one.

    Raises FileError for a file that only its ending takes for one of such a format.
    """
    is_folder = os.path.isdir(path)
    if not (is_folder or os.path.isfile(path)) or not os.access(path, os.R_OK):
        return None
    formats: dict[str, OtherFormat] = {name: thing(place) for name, place in brought("formats").items()}
    head = b""
    if not is_folder:
        with open(path, "rb") as file:
            head = file.read(_FIRST_BYTES)
    kind = next((kind for kind, known in formats.items() if known.recognizes(head, path)), None)
    if is_folder:
        return kind
    named = next((kind for kind, known in formats.items() if path.lower().endswith(known.endings)), None)
    if kind is None and named is not None and head:
        raise FileError(
            f"{name} is not {formats[named].title}, although its name ends like one. Save it again, or use "
            f"{hint('format=', '--format')} if it is another format."
        )
    return kind or named


def rows_of_matrix(path: str) -> Literal["true"] | None:
    """Return what the rows of the confusion matrix in a file are, None where its format does not say so."""
    kind = recognized(os.path.expanduser(path), path)
    rows: Literal["true"] | None = None if kind is None else thing(brought("formats")[kind]).matrix_rows
    return rows


def layout_of_options(options: Mapping[str, str | int | None]) -> tuple[Any, ...]:
    """Options of how a file is laid out as an input carries them; none where none is given.

    Raises InputError where no wing brings these options.
    """
    names = [name for name, value in options.items() if value is not None]
    return (way(f"read.{names[0]}")(**options),) if names else ()


def reader_of(source: Input) -> Any:
    """Return the module that reads an input of a wing's format, None for the formats of the core."""
    place = brought("formats").get(source.format)
    return None if place is None else thing(thing(place).reader)


def text_format(path: str) -> str | None:
    """Return the format of a text by its content, where a wing recognizes it; None for any other file."""
    place = brought("ways").get("read.text")
    return None if place is None else thing(place)(path)


def prepared(source: Input) -> Input:
    """An input as the options of wings have it read. Raises InputError for options that do not fit its format."""
    return altered("read.prepared", source)  # type: ignore[no-any-return]


def behind(names: Sequence[Any], available: Sequence[Any]) -> list[Any]:
    """Return the columns to read for names, of which some are paths into columns: `doc` for `doc.cat`."""
    return [*altered("read.behind", names, available)]


def meant(
    table: pa.Table, names: Sequence[str] | None, where: str, together: Sequence[str] = (), layout: Any = ()
) -> pa.Table:
    """Return the columns that names mean, of those behind them; codes of labels as the names that the file knows.

    Columns that are `together` label the same classes. A `layout` says which values are missing.
    """
    return altered("read.meant", table, names, where, together, layout)


def finished(
    table: pa.Table, source: Input, columns: Sequence[str] | None, labels: Sequence[str]
) -> pa.Table:
    """Rows of text with the numbers that only wings read: shares in percent, and the like."""
    return altered("read.finished", table, source, columns, labels)
