"""Tables that MLflow logs as JSON: the names of the columns, then the rows as lists."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from classay.errors import FileError
from classay.formats.columns import column_of
from classay.formats.lines import json_document, picked, warn
from classay.sources.inputs import Input, is_known_name, listed

if TYPE_CHECKING:
    import pyarrow as pa

_BEGIN = re.compile(rb'\s*\{"columns":\s*\[')


def is_table(head: bytes, path: str) -> bool:
    """Check for the names of columns, which pandas and MLflow write first, in a file that is not JSON lines."""
    return _BEGIN.match(head) is not None and not is_known_name(path)


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns."""
    table = picked(source, _table(source), columns)
    warn(f"{source.name} is read as a table of MLflow.")
    return table


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns."""
    return listed(_table(source).schema)


def _table(source: Input) -> pa.Table:
    import pyarrow as pa

    document = json_document(source)
    names, rows = document.get("columns"), document.get("data")
    is_table = (
        isinstance(names, list) and isinstance(rows, list) and all(isinstance(name, str) for name in names)
    )
    if not is_table or any(not isinstance(row, list) or len(row) != len(names) for row in rows):
        raise FileError(
            f"{source.name} is not a table of MLflow, with names in columns and rows of as many values in data. "
            "Write the file again."
        )
    nested = [[json.dumps(cell) if isinstance(cell, list | dict) else cell for cell in row] for row in rows]
    return pa.table([column_of([row[k] for row in nested]) for k in range(len(names))], names=names)
