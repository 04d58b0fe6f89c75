"""Rows of results as a PyArrow table whose columns have the same types, whatever the rows hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

TEXTS = frozenset(
    {
        *(
            "measure",
            "method",
            "reason",
            "label",
            "group",
            "model",
            "reference",
            "adjustment",
            "sentence",
            "title",
        ),
        *("section", "table", "row", "column", "text"),
    }
)
"""Columns of text; all others that may be empty are of numbers."""


def frame_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The rows as a PyArrow table: a column without any value is of texts or of numbers as its name says.

    >>> frame_of([{"measure": "recall", "value": 0.5, "level": None, "reason": None}]).schema.types
    [DataType(string), DataType(double), DataType(double), DataType(string)]
    """
    import pyarrow as pa

    table = pa.Table.from_pylist(list(rows))
    for k, field in enumerate(table.schema):
        if pa.types.is_null(field.type):
            kind = pa.string() if field.name in TEXTS else pa.float64()
            table = table.set_column(k, field.name, table.column(k).cast(kind))
    return table
