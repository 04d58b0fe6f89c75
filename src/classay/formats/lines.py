"""Text formats of other programs, read line by line: their lines, the columns of them, and what is told."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from classay.errors import FileError
from classay.formats.layout import option
from classay.sources.inputs import Input, chosen, explained, no_rows
from classay.texts import DoorText, hint
from classay.wings import brought, thing

if TYPE_CHECKING:
    import pyarrow as pa

_LARGEST = 1 << 30
"""Bytes of a document that is parsed at once."""
SCORES = "probability."
"""What the name of a column of scores begins with; the label of their class follows."""


def lines_of(source: Input) -> Iterator[tuple[int, str]]:
    """Yield each line with its number, from 1."""
    with explained(source), open(source.path, encoding=_encoding(source.head), newline="") as file:
        for number, line in enumerate(file, 1):
            yield number, line.rstrip("\r\n")


def advice_on_truth() -> str:
    """Return where the true labels of a file come from that has none."""
    return f"Use {option('columns_from')} to name the file with the true labels."


def first_lines(head: bytes) -> list[str]:
    """Return the first lines of a file without blank ones; the last may be cut, and is left out if it is not alone.

    >>> first_lines(b"1 2\\n3 4\\n5")
    ['1 2', '3 4']
    """
    encoding = _encoding(head)
    if encoding == "utf-8-sig" and b"\0" in head:
        return []
    lines = head.decode(encoding, "replace").split("\n")
    complete = lines[:-1] if len(lines) > 1 else lines
    return [line.rstrip("\r") for line in complete if line.strip()]


def json_document(source: Input) -> Any:
    """Return what a JSON file holds. Raises FileError for one that is damaged or too large."""
    if os.path.getsize(source.path) > _LARGEST:
        raise FileError(f"{source.name} is JSON of more than 1 GB. Save the table as Parquet or JSON lines.")
    try:
        with open(source.path, encoding=_encoding(source.head)) as file:
            return json.load(file)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{source.name} is not complete JSON. Write the file again.") from error


def _encoding(head: bytes) -> str:
    """Return the encoding of text: UTF-16 is what Windows PowerShell writes for `>`."""
    return "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"


def picked(source: Input, table: pa.Table, names: Sequence[str] | None, advice: str = "") -> pa.Table:
    """Return the named columns of a table. Raises NoRowsError for a file without rows."""
    wanted = chosen(names, table.column_names, source.name, advice)
    if not table.num_rows:
        raise no_rows(source, table.column_names)
    return table.select(wanted)


def tell(source: Input, fact: str = "") -> None:
    """Warn of the format that the content of a file showed, and of one fact."""
    title = thing(brought("formats")[source.format]).title
    csv = hint("format='csv'", "--format csv")
    warn(f"{source.name} is read as {title}.{fact and ' '}{fact} Use {csv} to read it as a plain table.")


def warn(text: str) -> None:
    """Warn in the words of the interface."""
    warnings.warn(DoorText.of(text), stacklevel=4)


def wrong_line(source: Input, number: int, line: str) -> FileError:
    """Return the error for a line that the format does not have."""
    title = thing(brought("formats")[source.format]).title
    shown = line if len(line) <= 40 else f"{line[:39]}…"
    return FileError(
        f"Line {number:,} of {source.name} is not a line of {title}: {shown!r}. Write the file again, or use "
        f"{hint('format=', '--format')} if it is another format."
    )
