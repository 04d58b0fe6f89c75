"""Rows of a sheet that are no table: titles above it, notes below it, and tables parted by empty rows or columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from classay.formats.shapes import MIN_ROWS, MOST_LINES_ABOVE
from classay.formats.spellings import is_number

Rows = Sequence[Sequence[Any]]
MOST_NOTES = 10
"""Rows below a table that may be notes."""
_NOTE = re.compile(r"\s*(?:[*†‡§#•¹²³(]|\d+\)|[^\W\d]+:\s).*", re.DOTALL)
"""How notes begin directly below a table: a mark, or a word such as `Source:`."""
_MIN_SPACES = 2


@dataclass(frozen=True)
class SheetShape:
    """The rows from the header of a table to its last case, by their places, and the notes below them.

    `tables` are the places of the first and last rows and columns of all tables of a sheet, where it has several.
    """

    header: int
    end: int
    notes: tuple[str, ...] = ()
    tables: tuple[tuple[int, int, int, int], ...] = ()


def shape_of_sheet(rows: Rows, *, has_header: bool) -> SheetShape:
    """Return where the table of a sheet is, without the titles above it and the notes below it.

    `has_header` says that the first row is the header.
    """
    filled = [row[0] != "" or row.count("") < len(row) for row in rows]
    blocks = runs(filled)
    tables = [block for block in blocks if any(_n_filled(row) > 1 for row in rows[block[0] : block[1] + 1])]
    if len(tables) != 1:  # tables, or columns, apart
        width = len(rows[0]) - 1
        apart = tuple((begin, end, 0, width) for begin, end in blocks) if len(blocks) > 1 else ()
        return SheetShape(0, len(rows), (), apart)
    first, last = tables[0]
    header, end = 0 if has_header else _header(rows, first, last), _end(rows, first, last)
    others = [row for begin, stop in blocks if begin > last for row in rows[begin : stop + 1]]
    above = [row for begin, stop in blocks if begin < first for row in rows[begin : stop + 1]]
    if header > MOST_LINES_ABOVE or len(others) > MOST_NOTES or not all(map(_is_of_words, [*above, *others])):
        width = len(rows[0]) - 1
        return SheetShape(header, end, (), tuple((begin, stop, 0, width) for begin, stop in blocks))
    columns = runs([any(row[place] != "" for row in rows[header:end]) for place in range(len(rows[0]))])
    apart = (
        tuple((header, end - 1, begin, stop) for begin, stop in columns)
        if len(columns) > 1 < end - header
        else ()
    )
    below = [*rows[end : last + 1], *others]
    return SheetShape(header, end, tuple(str(next(filter(_is_filled, row))) for row in below), apart)


def _header(rows: Rows, first: int, last: int) -> int:
    """Return the place of the header: below rows of one text, if it has words only and enough rows follow it."""
    place = first
    while place < last and _is_of_words(rows[place]):
        place += 1
    has_names = all(isinstance(value, str) for value in rows[place]) and _n_filled(rows[place]) > 1
    return place if has_names and last - place >= MIN_ROWS else first


def _end(rows: Rows, first: int, last: int) -> int:
    """Return the place behind the last row of a table, before notes that stand directly below it."""
    end = last + 1
    while end - first > MIN_ROWS and last + 1 - end < MOST_NOTES and _is_of_words(rows[end - 1]):
        note = rows[end - 1][0]
        cells = [row[0] for row in rows[first : end - 1] if _n_filled(row) > 1]
        is_longer = isinstance(note, str) and note.count(" ") >= _MIN_SPACES
        is_like_cases = any(isinstance(cell, str) and cell.count(" ") >= _MIN_SPACES for cell in cells)
        if not note or not (_NOTE.fullmatch(note) or (is_longer and not is_like_cases)):
            break
        end -= 1
    return end


def _is_of_words(row: Sequence[Any]) -> bool:
    """Check whether a row has one text and nothing else."""
    if _n_filled(row) != 1:
        return False
    value = next(filter(_is_filled, row))
    return isinstance(value, str) and not is_number(value)


def _is_filled(value: Any) -> bool:
    return not (isinstance(value, str) and value == "")


def _n_filled(row: Sequence[Any]) -> int:
    return len(row) - row.count("")


def runs(filled: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the first and last places of each run of what is filled.

    >>> runs([True, True, False, True])
    [(0, 1), (3, 3)]
    """
    begins, ends = [], []
    was_filled = False
    for place, is_filled in enumerate(filled):
        if is_filled and not was_filled:
            begins.append(place)
        elif was_filled and not is_filled:
            ends.append(place - 1)
        was_filled = is_filled
    return list(zip(begins, [*ends, len(filled) - 1] if was_filled else ends, strict=True))


def note_on_notes(notes: Sequence[str], where: str) -> list[str]:
    """Return what is said of rows that are skipped as notes below a table."""
    if not notes:
        return []
    shown = ", ".join(repr(note if len(note) <= 30 else f"{note[:29]}…") for note in notes[:3])
    shown += ", …" if len(notes) > 3 else ""
    rows = "row" if len(notes) == 1 else f"{len(notes)} rows"
    verb = "is skipped as a note" if len(notes) == 1 else "are skipped as notes"
    return [f"The last {rows} of {where} ({shown}) {verb}."]
