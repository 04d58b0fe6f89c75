"""Columns that names mean: fields within columns, and codes with the names that the file knows for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from classay.errors import InputError
from classay.formats.known_names import named
from classay.formats.layout import layout_in
from classay.formats.missing_codes import without_words
from classay.formats.paths import Table, base_of, deepest

if TYPE_CHECKING:
    import pyarrow as pa


def behind(names: Sequence[Any], available: Sequence[Any]) -> list[Any]:
    """Return the column to read for each name, the name itself where there is none.

    >>> behind(["y", "doc.cat", "x"], ["y", "doc"])
    ['y', 'doc', 'x']
    """
    known = {*available}
    return [name if name in known else base_of(name, available) or name for name in names]


def leaves(bases: Sequence[str], names: Sequence[str] | None, schema: pa.Schema) -> list[str]:
    """Return what is read of a Parquet file for names: of structs only the fields that paths lead to."""
    if not names or [*names] == [*bases]:
        return [*bases]
    paths = []
    for name in names:
        base = base_of(name, schema.names) or name
        paths.append(deepest(schema.field(base).type, base, name[len(base) :]))
    return [*dict.fromkeys(paths)]


def meant(
    table: pa.Table,
    names: Sequence[str] | None,
    where: str,
    together: Sequence[str],
    layout: tuple[Any, ...] = (),
) -> pa.Table:
    """Return the columns of the names, each of its path, with labels by the names that the file knows."""
    import pyarrow as pa

    metadata = table.schema.metadata
    if names is not None and [*names] != table.column_names:
        fields = Table(table, where, names)
        table = pa.table([fields.column(name) for name in names], names=[*names])
    return named(without_words(table, layout_in(layout).missing), metadata, where, together)


def columns_meant(columns: Mapping[Any, Any], names: Sequence[Any], where: str) -> dict[Any, Any]:
    """Return the columns of a frame that the names mean; only those of paths are made Arrow's."""
    import pyarrow as pa

    bases = dict.fromkeys(base_of(name, [*columns]) for name in names if name not in columns)
    arrays = {base: _as_arrow(columns[base], base) for base in bases}
    fields = Table(pa.table(arrays), where, names)
    return {name: columns[name] if name in columns else fields.column(name) for name in names}


def _as_arrow(values: Any, name: Any) -> Any:
    import pyarrow as pa

    if not isinstance(values, list | tuple):
        with suppress(TypeError, ValueError, AttributeError, pa.ArrowException):
            if hasattr(values, "to_arrow"):
                return _whole(values.to_arrow())
            return _whole(pa.array(values, from_pandas=True))
    try:
        return pa.array([*values], from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(
            f"Column {name!r} has values of several kinds, so no path leads into it. Pass the values of the path."
        ) from error


def _whole(values: Any) -> Any:
    import pyarrow as pa

    return (
        values.combine_chunks() if isinstance(values, pa.ChunkedArray) and values.num_chunks == 1 else values
    )
