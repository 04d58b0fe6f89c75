"""Connections to databases: those of drivers, also inside what SQLAlchemy and Ibis wrap around them; their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from inspect import iscoroutinefunction
from typing import Any

from classay.errors import InputError, in_our_words

DUCKDB = ("duckdb", "_duckdb")
"""The modules of DuckDB's connections."""
_OTHER_NAMES = {"postgresql": "postgres", "mariadb": "mysql", "mssql": "sqlserver"}
"""What SQLAlchemy and Ibis call dialects that classay calls otherwise."""
_IDLE, _IN_TRANSACTION, _FAILED = 0, 2, 3
"""The states in which psycopg tells that a transaction is."""


class RefusedQueryError(InputError):
    """A query that a database refused, and what it `said`."""

    def __init__(self, refusal: str, advice: str = "Check the names of the table and its columns.") -> None:
        super().__init__(f"{refusal}. {advice}")
        self.said = refusal


def driver_of(connection: Any) -> str:
    """Return the driver that a connection is of, by the module of its class."""
    return type(connection).__module__.partition(".")[0]


@contextmanager
def driver_connection(source: Any) -> Iterator[tuple[Any, str | None]]:
    """Yield the connection of a driver, and its dialect where an engine, a session or a backend around it tells it.

    A connection that is taken from the pool of an engine goes back. Raises InputError for what holds no connection.
    """
    kind = type(source)
    if hasattr(kind, "raw_connection"):  # an engine of SQLAlchemy
        with in_our_words("The engine cannot connect", "Check its address and that the server runs."):
            pooled = source.raw_connection()
        with closing(pooled):
            yield _of_driver(pooled.driver_connection), _dialect_of(source.dialect)
        return
    if hasattr(kind, "get_bind") and hasattr(kind, "scalars"):  # a session of it
        with in_our_words("The session cannot connect", "Check its address and that the server runs."):
            source = source.connection()
    if hasattr(kind, "driver_connection"):  # what its engines call a raw connection
        yield _of_driver(source.driver_connection), None
        return
    with in_our_words("The connection cannot be used", "Open it again."):
        wrapped: Any = getattr(source, "connection", None)
    if hasattr(type(wrapped), "driver_connection"):  # a connection of it
        yield _of_driver(wrapped.driver_connection), _dialect_of(source.dialect)
        return
    if driver_of(source) == "ibis" and hasattr(source, "con"):
        yield _of_driver(source.con), _OTHER_NAMES.get(source.name, source.name)
        return
    yield _of_driver(source), None


def _dialect_of(dialect: Any) -> str:
    name: str = dialect.name
    return _OTHER_NAMES.get(name, name)


def _of_driver(connection: Any) -> Any:
    """Refuse what is no connection that waits for its answers."""
    if iscoroutinefunction(getattr(connection, "close", None)):
        raise InputError(
            f"{type(connection).__name__} of {driver_of(connection)} is asynchronous. Pass a synchronous connection."
        )
    if driver_of(connection) not in DUCKDB and not callable(getattr(connection, "cursor", None)):
        raise InputError(
            f"{type(connection).__name__} is not a connection. Pass a connection, an engine or a session."
        )
    return connection


def answered(connection: Any, query: str) -> tuple[list[Any], list[Any]]:
    """Return the rows that a query gives, and what the driver says of its columns."""
    # a cursor of DuckDB is a connection of its own, which sees no temporary table of this one
    has_own = driver_of(connection) in DUCKDB
    cursor = None
    with _as_before(connection):
        try:
            cursor = connection if has_own else connection.cursor()
            cursor.execute(query)
            return cursor.fetchall(), list(cursor.description)
        except Exception as error:
            text = " ".join(str(error).split())
            refusal = f"The database refused the query ({type(error).__name__}: {text})"
            about = ("The connection is closed", "Open it again.") if "closed" in text else (refusal,)
            raise RefusedQueryError(*about) from error
        finally:
            if cursor is not None and not has_own:
                cursor.close()


@contextmanager
def _as_before(connection: Any) -> Iterator[None]:
    """Leave a connection of psycopg in the state it had: a refused query ends all of its transaction otherwise."""
    state = int(getattr(getattr(connection, "info", None), "transaction_status", -1))
    if state == _FAILED:
        raise RefusedQueryError(
            "The transaction of the connection has failed before", "Call its rollback() and try again."
        )
    if state == _IDLE:
        try:
            yield
        finally:
            if not connection.closed:
                connection.rollback()
        return
    if state != _IN_TRANSACTION:
        yield
        return
    with closing(connection.cursor()) as cursor:
        cursor.execute("SAVEPOINT classay")
        try:
            yield
        finally:
            if not connection.closed:
                cursor.execute("ROLLBACK TO SAVEPOINT classay")
                cursor.execute("RELEASE SAVEPOINT classay")


def as_columns(result: Any) -> Any:
    """Return rows that tell their names, as drivers and Spark give them, as columns; any other result as it is.

    >>> as_columns([{"truth": 0, "n": 5}, {"truth": 1, "n": 3}])
    {'truth': [0, 1], 'n': [5, 3]}
    """
    if hasattr(type(result), "mappings"):  # what a connection of SQLAlchemy gives
        result = result.mappings().all()
    if not isinstance(result, list | tuple) or not result:
        return result
    rows = [_fields(row) for row in result]
    return {name: [row.get(name) for row in rows] for name in rows[0]}


def _fields(row: Any) -> Mapping[str, Any]:
    """Return the values of a row by their names, of a dict, of Spark, SQLAlchemy, sqlite3 or a named tuple."""
    if isinstance(row, Mapping):
        return row
    for method in ("asDict", "_asdict"):
        if hasattr(type(row), method):
            fields: Mapping[str, Any] = getattr(row, method)()
            return fields
    if hasattr(type(row), "keys"):
        return {name: row[name] for name in row.keys()}  # noqa: SIM118  sqlite3.Row iterates over values
    raise InputError(
        "The rows of the counts do not tell the names of their columns. Pass dicts, or a frame with the columns of the "
        "query."
    )
