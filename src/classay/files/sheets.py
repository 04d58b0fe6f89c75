"""CSV for spreadsheets: a text in it is no formula, and is read again as it was."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_FORMULA = re.compile(
    r"'+[=+\-@\t\r]|(?!(-(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[=+\-@])\Z)[=+\-@\t\r]", re.IGNORECASE
)
"""How a text begins that a spreadsheet would compute, and one that would be taken for such a text; no numbers."""


def guarded_text(text: str) -> str:
    """Return a text with an apostrophe where a spreadsheet would compute it.

    >>> [guarded_text(text) for text in ("=A1", "+1", "'=A1", "-1", "-", "yes")]
    ["'=A1", "'+1", "''=A1", '-1', '-', 'yes']
    """
    return f"'{text}" if _FORMULA.match(text) else text


def plain_text(text: str) -> str:
    """Return a text that `guarded_text` returned as it was.

    >>> [plain_text(text) for text in ("'=A1", "''=A1", "'yes")]
    ['=A1', "'=A1", "'yes"]
    """
    return text[1:] if re.match(r"'+[=+\-@\t\r]", text) else text


def as_csv(table: pa.Table) -> bytes:
    """Return a table as CSV, its texts and the names of its columns guarded."""
    import pyarrow as pa
    from pyarrow import csv

    sink = pa.BufferOutputStream()
    csv.write_csv(with_texts(table, guarded_text), sink)
    return bytes(sink.getvalue().to_pybytes())


def with_texts(table: pa.Table, changed: Callable[[str], str]) -> pa.Table:
    """Return a table whose texts and names of columns are changed."""
    import pyarrow as pa

    columns = [
        pa.array([text and changed(text) for text in column.to_pylist()], pa.string())
        if "string" in str(column.type)
        else column
        for column in table.columns
    ]
    return pa.table(columns, [*map(changed, table.column_names)])
