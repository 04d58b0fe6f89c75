"""Lines of text files on which rows begin: errors name rows by them."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

from classay.errors import ClassayError
from classay.sources.inputs import TEXT, Input, explained


def line_of(source: Input, row: int) -> int | None:
    """Return the line of a text on which a row of data, from 0, begins; None where lines cannot be counted."""
    if source.format not in TEXT:
        return None
    try:
        with explained(source), replace(source, begin=0, end=None).open() as stream:
            above = line_ends(bytes(stream.read(source.begin))) if source.begin else 0
        with explained(source), source.open() as stream:
            last = _last_line(source, stream, row)
    except (ClassayError, OSError, ValueError):  # a file that is gone or damaged
        return None
    return None if last is None else source.before + above + last + 1


def line_ends(text: bytes) -> int:
    """Return the number of ends of lines in a text.

    >>> line_ends(b"a\\nb\\r\\nc\\r")
    3
    """
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _last_line(source: Input, stream: Any, row: int) -> int | None:
    """Return the number of lines above a row of data."""
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
    if source.format == "jsonl":
        filled = (number for number, line in enumerate(text) if line.strip())
        return next((number for place, number in enumerate(filled) if place == row), None)
    reader, last = csv.reader(text, delimiter=source.delimiter), 0
    place = -1 if source.names is None else 0
    for fields in reader:
        if fields:
            if place == row:
                return last
            place += 1
        last = reader.line_num
    return None
