"""SQLite files, by Python's own sqlite3: one table or view, opened for reading only and without extensions."""

from __future__ import annotations

import os
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classay.errors import ClassayError, FileError, InputError, nearest
from classay.formats.columns import column_of, without
from classay.formats.layout import Layout, layout_of, option
from classay.sources.inputs import Input, chosen, listed, no_rows
from classay.texts import some

if TYPE_CHECKING:
    import pyarrow as pa

_TABLES = """
select name, type from sqlite_master where type in ('table', 'view') and name not like 'sqlite!_%' escape '!'
order by rowid
"""
"""The query of names of tables and views, without SQLite's own."""
_HEAD = 100
"""Bytes of the head, which has the size of a page and the number of pages."""
_FIRST = 1000
"""Rows by which types are told."""
_MANY = 50_000
"""Rows that are fetched at once."""


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns of a table, each in one type, which its values decide."""
    with _opened(source) as connection:
        table = _table(source, connection)
        available = _columns(connection, table)
        names = chosen(columns, available, source.name)
        rows = _fetched(source, connection, table, names, None)
    if not rows.num_rows:
        raise no_rows(source, available)
    return rows


def tables(source: Input) -> list[str]:
    """Return the names of the tables and views, where no option names one; of tables alone, if there is one."""
    with _opened(source) as connection:
        kinds: dict[str, str] = dict(connection.execute(_TABLES))
    is_clear = layout_of(source).sheet is not None or [*kinds.values()].count("table") == 1
    return [] if is_clear else [*kinds]


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns of a table, from its first rows."""
    with _opened(source) as connection:
        table = _table(source, connection)
        return listed(_fetched(source, connection, table, _columns(connection, table), _FIRST).schema)


def first_rows(source: Input, n_rows: int) -> tuple[pa.Table, int | None]:
    """Return the first rows; the number of all rows where these are all."""
    with _opened(source) as connection:
        table = _table(source, connection)
        names = chosen(None, _columns(connection, table), source.name)
        rows = _fetched(source, connection, table, names, n_rows + 1)
    return rows.slice(0, n_rows), rows.num_rows if rows.num_rows <= n_rows else None


def _fetched(
    source: Input, connection: sqlite3.Connection, table: str, names: Sequence[str], n_rows: int | None
) -> pa.Table:
    """Return columns of all rows, or of the first ones."""
    import pyarrow as pa

    limit = "" if n_rows is None else f" limit {n_rows}"
    cursor = connection.execute(f"select {', '.join(map(_quoted, names))} from {_quoted(table)}{limit}")
    values: list[list[Any]] = [[] for _ in names]
    while rows := cursor.fetchmany(_MANY):
        for cells, more in zip(values, zip(*rows, strict=True), strict=True):
            cells.extend(more)
    layout = layout_of(source)
    return pa.table([_column(without(cells, layout.missing), layout) for cells in values], names=[*names])


def _column(cells: Sequence[Any], layout: Layout) -> Any:
    """Return cells in one type; bytes as Arrow has them."""
    import pyarrow as pa

    kinds = {type(cell) for cell in cells} - {type(None)}
    return pa.array(cells, pa.binary()) if kinds == {bytes} else column_of(cells, layout)


@contextmanager
def _opened(source: Input) -> Iterator[sqlite3.Connection]:
    """Yield a connection that can only read. Raises FileError for what SQLite cannot read."""
    _refuse_torn(source)
    try:
        address = f"{Path(source.path).absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.execute("pragma query_only = on")
            connection.execute("pragma trusted_schema = off")
            yield connection
    except ClassayError:
        raise
    except (sqlite3.Error, OverflowError) as error:
        raise FileError(
            f"{source.name} cannot be read as sqlite ({error}). Close the program that writes it, or restore a copy."
        ) from error


def _refuse_torn(source: Input) -> None:
    """Refuse a file that is shorter than its head says: SQLite reads the rest as if it were empty."""
    with open(source.path, "rb") as file:
        head = file.read(_HEAD)
    (size,), (changes, pages), (valid,) = (
        struct.unpack_from(layout, head.ljust(_HEAD, b"\0"), at)
        for layout, at in ((">H", 16), (">2I", 24), (">I", 92))
    )
    if changes == valid and pages * (1 << 16 if size == 1 else size) > os.path.getsize(source.path):
        raise FileError(
            f"{source.name} cannot be read as sqlite, because it is shorter than its head says. Restore a copy."
        )


def _table(source: Input, connection: sqlite3.Connection) -> str:
    """Return the table that an option names, or the only one. Raises InputError with the names of all."""
    kinds: dict[str, str] = dict(connection.execute(_TABLES))
    tables = [name for name, kind in kinds.items() if kind == "table"]
    views = [name for name, kind in kinds.items() if kind == "view"]
    wanted = layout_of(source).sheet
    if wanted in kinds:
        return wanted
    if wanted is not None:
        raise InputError(
            f"{source.name} has no table {wanted!r}. Tables: {some([*tables, *views])}{nearest(wanted, kinds) or '.'}"
        )
    if len(tables or views) == 1:
        return (tables or views)[0]
    if not tables and not views:
        raise FileError(f"{source.name} has no tables. Use a file with a table of predictions.")
    what = "tables and views" if views else "tables"
    raise InputError(
        f"{source.name} has {len(kinds)} {what}: {some([*tables, *views])}. Use {option('sheet')} to name one."
    )


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    cursor = connection.execute(f"select * from {_quoted(table)} limit 0")
    return [about[0] for about in cursor.description]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
