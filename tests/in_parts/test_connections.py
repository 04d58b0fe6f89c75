"""Connections inside what SQLAlchemy and Ibis wrap around them, and rows that tell the names of their columns."""

import sqlite3
from collections import namedtuple
from contextlib import closing
from types import SimpleNamespace

import pytest

import classay as ca
from classay.errors import InputError

ROWS = [(1, 0.9), (1, 0.4), (0, 0.6), (0, 0.1)]
HOW = {"truth": "y", "score": "p"}


@pytest.fixture
def sqlite():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table preds (y integer, p real)")
        connection.executemany("insert into preds values (?, ?)", ROWS)
        yield connection


class Pooled:
    """A raw connection of SQLAlchemy 2.1: closing it gives the driver's connection back to the pool."""

    driver_connection = property(lambda self: self.inside)

    def __init__(self, inside):
        self.inside, self.is_closed = inside, False

    def close(self):
        self.is_closed = True


class Engine:
    """An engine of SQLAlchemy 2.1."""

    def __init__(self, inside, dialect="sqlite"):
        self.pooled, self.dialect = Pooled(inside), SimpleNamespace(name=dialect)

    def raw_connection(self):
        if self.pooled.inside is None:
            raise OSError("connection refused")
        return self.pooled


class Connection:
    """A connection of SQLAlchemy 2.1, which has no cursor."""

    def __init__(self, inside):
        self.connection, self.dialect = Pooled(inside), SimpleNamespace(name="sqlite")


class Session:
    """A session of SQLAlchemy 2.1."""

    def __init__(self, inside):
        self.inside = inside

    def connection(self):
        return Connection(self.inside)

    def get_bind(self): ...

    def scalars(self): ...


class Backend:
    """A backend of Ibis 12, which has a method of its tables and columns."""

    name = "sqlite"

    def __init__(self, inside):
        self.con = inside

    def to_pyarrow(self, expr): ...


Backend.__module__ = "ibis.backends.sqlite"


@pytest.mark.parametrize("wrap", [Engine, Connection, Session, Pooled, Backend])
def test_what_wraps_a_connection_counts_like_the_connection(wrap, sqlite):
    wanted = ca.scan_database(sqlite, "preds", **HOW)
    assert ca.scan_database(wrap(sqlite), "preds", **HOW).to_dict() == wanted.to_dict()
    with pytest.raises(InputError, match=r"refused the query .*no such table"):
        ca.scan_database(wrap(sqlite), "predz", **HOW)


def test_an_engine_gets_its_connection_back(sqlite):
    engine = Engine(sqlite)
    ca.scan_database(engine, "preds", **HOW)
    assert engine.pooled.is_closed
    with pytest.raises(InputError, match=r"engine cannot connect \(OSError: connection refused\)"):
        ca.scan_database(Engine(None), "preds", **HOW)
    with pytest.raises(InputError, match=r"dialect must be .* but is 'oracle'"):
        ca.scan_database(Engine(SimpleNamespace(cursor=print), "oracle"), "preds", **HOW)


class Asynchronous:
    def cursor(self): ...

    async def close(self): ...


@pytest.mark.parametrize(
    ("connection", "reason"),
    [
        ("postgresql://me@host/db", "str is not a connection. Pass a connection, an engine or a session"),
        (None, "NoneType is not a connection"),
        (Asynchronous(), "is asynchronous"),
        (SimpleNamespace(cursor=print), "dialect of a connection of types is unknown"),
    ],
)
def test_what_is_no_connection_is_refused(connection, reason):
    with pytest.raises(InputError, match=reason):
        ca.scan_database(connection, "preds", **HOW)


def test_a_refused_query_undoes_nothing_else_in_postgresql(server):
    psycopg = pytest.importorskip("psycopg", reason="SKIPPED LOUDLY: psycopg is not installed")
    with psycopg.connect(server) as connection:
        with pytest.raises(InputError, match="does not exist"):
            ca.scan_database(connection, "predz", **HOW)
        assert connection.info.transaction_status == 0
        connection.execute("create temporary table preds (y integer, p double precision)")
        connection.cursor().executemany("insert into preds values (%s, %s)", ROWS)
        with pytest.raises(InputError, match="does not exist"):
            ca.scan_database(connection, "predz", **HOW)
        assert ca.scan_database(connection, "preds", **HOW).n == 4
        assert connection.info.transaction_status == 2  # what was not committed is still there
        with pytest.raises(psycopg.Error):
            connection.execute("select * from predz")
        with pytest.raises(InputError, match=r"has failed before\. Call its rollback"):
            ca.scan_database(connection, "preds", **HOW)
        connection.rollback()
    connection = psycopg.connect(server)
    connection.close()
    with pytest.raises(InputError, match="connection is closed"):
        ca.scan_database(connection, "preds", **HOW)


@pytest.mark.parametrize("kind", ["engine", "connection", "session", "raw"])
def test_sqlalchemy(kind, tmp_path):
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="SKIPPED LOUDLY: [lakes], sqlalchemy")
    from sqlalchemy.orm import Session as RealSession

    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path / 'preds.db'}")
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("create table preds (y integer, p real)"))
        for y, p in ROWS:
            connection.execute(sqlalchemy.text("insert into preds values (:y, :p)"), {"y": y, "p": p})
    of = {"engine": lambda: engine, "connection": engine.connect, "raw": engine.raw_connection}
    source = of.get(kind, lambda: RealSession(engine))()
    assert ca.scan_database(source, "preds", **HOW, dialect="sqlite")["roc_auc"].value == 0.75
    query = sqlalchemy.text(ca.count_query("preds", **HOW, dialect="sqlite"))
    with engine.connect() as connection:
        assert ca.assess_counts(connection.execute(query)).n == 4
        assert ca.assess_counts(connection.execute(query).all()).n == 4
    for each in (source, engine):
        getattr(each, "close", getattr(each, "dispose", None))()


class Row(tuple):
    """A row of Spark 4.3."""

    def asDict(self):
        return dict(zip(("truth", "prediction", "n"), self, strict=True))


class Result:
    """What a connection of SQLAlchemy 2.1 gives: `columns` is a method."""

    def __init__(self, rows):
        self.rows = rows

    def columns(self): ...

    def mappings(self):
        return SimpleNamespace(all=lambda: self.rows)


def test_rows_that_tell_their_names_are_counts(sqlite):
    sqlite.row_factory = sqlite3.Row
    values = [(0, 0, 90), (0, 1, 5), (1, 0, 3), (1, 1, 12)]
    dicts = [Row(row).asDict() for row in values]
    named = namedtuple("Counts", "truth prediction n")
    select = " union all ".join(
        f"select {y} as truth, {label} as prediction, {n} as n" for y, label, n in values
    )
    wanted = ca.assess_counts({name: [row[name] for row in dicts] for name in dicts[0]}).to_dict()
    for rows in (
        dicts,
        tuple(dicts),
        [*map(Row, values)],
        [named(*row) for row in values],
        sqlite.execute(select).fetchall(),
        Result(dicts),
    ):
        assert ca.assess_counts(rows).to_dict() == wanted
    with pytest.raises(InputError, match="do not tell the names"):
        ca.assess_counts(values)
    with pytest.raises(InputError, match="n of the counts contains nan"):
        ca.assess_counts([*dicts, {"truth": 1, "prediction": 1}])
