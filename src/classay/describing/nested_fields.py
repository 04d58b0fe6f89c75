"""Fields within columns by their paths, such as `doc.cat` and `scores[0].value`: those that options can name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from classay.describing.one_column import is_nested
from classay.errors import InputError
from classay.formats.paths import Table
from classay.formats.vectors import is_list, is_vector

if TYPE_CHECKING:
    import pyarrow as pa

MAX_PATHS = 40
"""Paths of a file that are described."""
MAX_DEPTH = 6
MAX_ELEMENTS = 4
"""Elements up to which each of a list is described; longer lists are rather vectors."""


def with_fields(table: pa.Table, names: Sequence[str], where: str) -> pa.Table:
    """Return a table with a column for each plain field within the named columns, by its path."""
    paths: list[str] = []
    for name in names:
        paths += _paths(table[name], name)
    values = Table(table, where, paths)
    for path in paths[:MAX_PATHS]:
        with suppress(InputError):
            column = values.column(path)
            if path not in table.column_names:
                table = table.append_column(path, column)
    return table


def _paths(column: Any, above: str, depth: int = 0) -> Iterator[str]:
    """Yield the paths to plain values in a column; none into vectors, maps and long lists."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if depth > MAX_DEPTH or is_vector(kind) or pa.types.is_map(kind) or pa.types.is_null(kind):
        return
    if pa.types.is_struct(kind):
        for place, inner in enumerate(kind):
            yield from _paths(pc.struct_field(column, [place]), f"{above}.{inner.name}", depth + 1)
    elif is_list(kind):
        longest = pc.max(pc.list_value_length(column)).as_py() or 0
        elements = pc.list_flatten(column)
        for place in range(longest) if longest <= MAX_ELEMENTS else ():
            yield from _paths(elements, f"{above}[{place}]", depth + 1)
    elif depth and not is_nested(kind):
        yield above
