"""Rows that are exact copies of others, and scores that number the rows: signs of a slip in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from classay.columns.doubtful import cluster_option
from classay.columns.repeats import is_id_name
from classay.texts import hint

if TYPE_CHECKING:
    import pyarrow as pa

_LEAST_ROWS = 20
"""Rows from which distinct whole numbers look like ids."""


def note_on_copies(
    names: Sequence[str], columns: Sequence[Sequence[Any]], where: str, of: str = ""
) -> list[str]:
    """Return what is said of rows that are exact copies, nothing where rows may be equal by chance."""
    n_rows = len(columns[0]) if columns else 0
    ids = {place for place, name in enumerate(names) if is_id_name(name)}
    if not ids:
        return []
    ordered = [columns[place] for place in sorted(range(len(columns)), key=lambda place: place not in ids)]
    if any(len({*cells}) == n_rows for cells in ordered):  # a column tells all rows apart
        return []
    distinct = {*zip(*columns, strict=True)}
    n_copies = n_rows - len(distinct)
    if not n_copies:
        return []
    verb = "is an exact copy of another row" if n_copies == 1 else "are exact copies of other rows"
    name = names[min(ids)]
    tools = "a spreadsheet ('Remove Duplicates')"
    way_out = hint(f"pandas (drop_duplicates) or {tools}", f"{tools}, or of a CSV file with awk '!n[$0]++'")
    return [
        f"{n_copies:,} of {of}{n_rows:,} rows of {where} {verb}, in all columns. If these are the same cases, remove "
        f"the copies with {way_out}. If they are several rows of a case, use {cluster_option(name)}."
    ]


def note_on_numbered(column: pa.ChunkedArray, name: str, where: str) -> list[str]:
    """Return what is said of scores that are a different whole number in each row, as ids are."""
    import pyarrow as pa

    n = len(column)
    if n < _LEAST_ROWS or column.null_count or not pa.types.is_integer(column.type):
        return []
    if len(column.unique()) < n:
        return []
    return [
        f"{name} in {where} has another whole number in each of {n:,} rows, as ids and ranks have. Use another "
        "column if these are ids."
    ]
