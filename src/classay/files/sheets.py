"""CSV for spreadsheets: a text in it is no formula, and is read again as it was."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_NO = r"(?:-(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[=+\-@])"
_AT_BEGIN = rf"\A(?='+[=+\-@\t\r]|(?!{_NO}\Z)[=+\-@\t\r])"
_FORMULA = re.compile(rf"(?i){_AT_BEGIN}|([;\t\r\n]\"*)(?='+[=+\-@]|(?!{_NO}(?:[;\t\r\n]|\Z))[=+\-@])")
_GUARD = re.compile(r"\A'(?='*[=+\-@\t\r])|([;\t\r\n]\"*)'(?='*[=+\-@])")


def guarded_text(text: str) -> str:
    """Return a text with an apostrophe where a spreadsheet, also one with semicolons, would compute it; no numbers.

    >>> [guarded_text(text) for text in ("=A1", "+1", "'=A1", "-1", "-", "yes", "a;=A1")]
    ["'=A1", "'+1", "''=A1", '-1', '-', 'yes', "a;'=A1"]
    """
    return _FORMULA.sub(lambda place: f"{place[1] or ''}'", text)


def plain_text(text: str) -> str:
    """Return a text that `guarded_text` returned as it was.

    >>> [plain_text(text) for text in ("'=A1", "''=A1", "'yes", "a;'=A1")]
    ['=A1', "'=A1", "'yes", 'a;=A1']
    """
    return _GUARD.sub(lambda place: place[1] or "", text)


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
