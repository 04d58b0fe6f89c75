"""Counting inside a database: the table from inside is that of the rows, and what is no prediction is told."""

import re
import sqlite3
from contextlib import closing

import numpy as np
import pyarrow as pa
import pytest

import classay as ca
from classay.errors import InputError
from classay.in_parts.databases import NUMERAL, Dialect, assess_counts, count_query, scan_database
from databases import insert

N = 4000
ENGINES = ("sqlite", "duckdb", "postgres")


def scores():
    """Near 0, near 1, at both, at powers of two, equal ones, float32 ones."""
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.3
    p = 1 / (1 + np.exp(-rng.normal(-1, 4, N) - 2 * y))
    p[:60] = [
        0.0,
        1.0,
        0.5,
        0.25,
        0.75,
        1 - 2.0**-12,
        2.0**-12,
        1e-300,
        2.0**-40,
        2.0**-41,
        1 - 2.0**-53,
        0.1,
    ] * 5
    p[60:900] = p[60:900].astype(np.float32)
    p[900:1200] = 1 - np.exp(-rng.uniform(1, 36, 300))
    return y.astype(int), p


@pytest.fixture(params=ENGINES)
def database(request):
    """A connection, and how to fill a table of it."""
    name = request.param
    if name == "sqlite":
        connection = sqlite3.connect(":memory:")
    elif name == "duckdb":
        connection = pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: duckdb is not installed").connect()
    else:
        psycopg = pytest.importorskip("psycopg", reason="SKIPPED LOUDLY: psycopg is not installed")
        connection = psycopg.connect(request.getfixturevalue("server"))

    def fill(rows, *, truth="integer", score="double precision", table='"we""ird"'):
        cursor = connection.cursor()
        cursor.execute(f"create table {table} (y {truth}, p {score}, said {truth})")
        mark = "%s" if name == "postgres" else "?"
        insert(cursor, table, rows, mark)
        cursor.close()

    yield name, connection, fill
    connection.close()


def rows_of(y, p):
    return [(int(a), float(b), int(b > 0.4)) for a, b in zip(y, p, strict=True)]


@pytest.mark.parametrize("bits", [4, 10])
def test_the_table_from_inside_is_that_of_the_rows(database, bits):
    _, connection, fill = database
    y, p = scores()
    fill(rows_of(y, p))
    inside = scan_database(connection, 'we"ird', truth="y", score="p", bits=bits)
    rows = ca.scan(pa.table({"y": y, "p": p}), truth="y", score="p", bits=bits)
    for part in ("keys", "cases", "least", "most"):
        assert getattr(inside.scores.bins, part).tobytes() == getattr(rows.scores.bins, part).tobytes(), part
    assert inside.scores.scores == pytest.approx(rows.scores.scores, rel=1e-9)
    assert inside.confusion_matrix.counts.tolist() == rows.confusion_matrix.counts.tolist()
    for name in ("roc_auc", "average_precision", "kolmogorov_smirnov", "recall"):
        assert inside[name] == rows[name]
    exact = ca.assess(y, p)
    low, high = inside["roc_auc"].certain
    assert low <= exact["roc_auc"].value <= high
    assert inside["log_loss"].value == pytest.approx(exact["log_loss"].value, rel=0.01)
    assert (inside.n, inside.rows, inside.kind_of_weight) == (N, N, "none")


def test_labels_and_queries(database):
    _, connection, fill = database
    y, p = scores()
    fill(rows_of(y, p))
    inside = scan_database(connection, 'we"ird', truth="y", prediction="said")
    assert inside.to_dict() == ca.assess(y, y_pred=(p > 0.4).astype(int)).to_dict()
    query = 'select * from "we""ird" where p < 0.9;'
    inside = scan_database(connection, query, truth="y", score="p")
    assert (
        inside["roc_auc"]
        == ca.scan(pa.table({"y": y[p < 0.9], "p": p[p < 0.9]}), truth="y", score="p", bits=10)["roc_auc"]
    )


def test_logits_are_converted_inside(database):
    name, connection, fill = database
    y, _ = scores()
    logit = np.random.default_rng(1).normal(2 * y - 1, 12, N).round(3)
    logit[:9] = [0, -0.0, 36.5, -36.5, 708, -708, 750, -750, 1e6]
    fill(rows_of(y, logit))
    inside = scan_database(connection, 'we"ird', truth="y", score="p", score_scale="logit")
    rows = ca.scan(pa.table({"y": y, "p": logit}), truth="y", score="p", score_scale="logit", bits=10)
    assert inside.confusion_matrix.counts.tolist() == rows.confusion_matrix.counts.tolist()
    for each in ("roc_auc", "average_precision", "brier_score"):
        assert inside[each].value == pytest.approx(rows[each].value, rel=1e-6)
    assert inside.task.tied_at_threshold == rows.task.tied_at_threshold == 2
    if name != "sqlite":  # which keeps NaN as NULL
        fill([(1, float("nan"), 0), (0, 1.0, 0)], table="odd")
        with pytest.raises(InputError, match="score is not a number"):
            scan_database(connection, "odd", truth="y", score="p", score_scale="logit")


@pytest.mark.parametrize(
    ("y", "p", "said"),
    [
        (None, 0.5, "truth has missing values in 1 row"),
        (1, None, "score has missing values in 1 row"),
        (1, float("nan"), "in 1 row"),  # SQLite keeps NaN as NULL
        (0, float("inf"), "score is not a number, infinite or outside"),
        (0, float("-inf"), "score is not a number, infinite or outside"),
        (1, 1.5, "score is not a number, infinite or outside"),
        (1, -1e-9, "score is not a number, infinite or outside"),
    ],
)
def test_what_is_no_prediction_is_told_and_never_counted(database, y, p, said):
    _, connection, fill = database
    fill([*rows_of(*scores())[:500], (y, p, 1)])
    with pytest.raises(InputError, match=said):
        scan_database(connection, 'we"ird', truth="y", score="p")


def test_real_numbers_of_32_bits_and_labels_of_text(database):
    name, connection, fill = database
    y, p = scores()
    p = p.astype(np.float32)
    fill(
        [("ill" if a else "well", float(b), "ill") for a, b in zip(y, p, strict=True)],
        truth="varchar(9)", score="real",
    )  # fmt: skip
    inside = scan_database(connection, 'we"ird', truth="y", score="p", positive="ill")
    rows = ca.scan(pa.table({"y": y, "p": p.astype(np.float64)}), truth="y", score="p", bits=10)
    assert inside["roc_auc"] == rows["roc_auc"], name


@pytest.mark.parametrize("columns", [{"truth": "z"}, {"score": "z"}, {"score": None, "prediction": "z"}])
def test_a_column_that_is_not_there_is_no_text(database, columns):
    """SQLite takes a name in double quotes for a text where no column has it: a typing error was a constant label."""
    _, connection, fill = database
    fill(rows_of(*scores()))
    with pytest.raises(InputError, match="The database refused the query"):
        scan_database(connection, 'we"ird', **({"truth": "y", "score": "p"} | columns))


def test_what_the_database_refuses_is_one_line(database):
    _, connection, fill = database
    with pytest.raises(InputError, match="The database refused the query"):
        scan_database(connection, "nothing", truth="y", score="p")
    connection.rollback() if hasattr(connection, "rollback") and database[0] == "postgres" else None
    fill([(1, 0.5, 1)])
    with pytest.raises(InputError, match="no rows"):
        scan_database(connection, 'select * from "we""ird" where y = 7', truth="y", score="p")


QUOTED = {
    "duckdb": '"a""b"', "sqlite": '`a"b`', "postgres": '"a""b"', "snowflake": '"a""b"', "redshift": '"a""b"',
    "trino": '"a""b"', "bigquery": '`a"b`', "databricks": '`a"b`', "spark": '`a"b`', "mysql": '`a"b`',
    "sqlserver": '[a"b]',
}  # fmt: skip


@pytest.mark.parametrize("dialect", QUOTED)
def test_names_are_quoted_as_the_dialect_has_it(dialect):
    query = count_query("s.t", truth='a"b', score="p", dialect=dialect)
    assert f"SELECT {QUOTED[dialect]} AS truth" in query
    opening, closing = QUOTED[dialect][0], QUOTED[dialect][-1]
    assert f"{opening}s{closing}.{opening}t{closing}" in query
    broken = count_query("t", truth=f"a{closing}; drop table t --", score="p", dialect=dialect)
    escaped = "\\`" if dialect == "bigquery" else closing * 2
    assert f"{opening}a{escaped}; drop table t --{closing} AS truth" in broken


def test_text_that_is_no_number_is_not_0_where_a_cast_makes_it_so():
    """MySQL makes 0 of any text, SQL Server of empty text; the others raise, or give NULL, which is told."""
    inner = {
        dialect: next(
            line
            for line in count_query("t", truth="y", score="p", dialect=dialect).splitlines()
            if " AS score FROM " in line
        )
        for dialect in ("mysql", "sqlserver")
    }
    assert (
        f"CASE WHEN CAST(`p` AS CHAR) REGEXP '{NUMERAL}' THEN CAST(`p` AS DOUBLE) WHEN `p` IS NOT"
        in inner["mysql"]
    )
    assert (
        "CASE WHEN CAST([p] AS NVARCHAR(4000)) = '' THEN -1e0 ELSE CAST([p] AS FLOAT) END"
        in inner["sqlserver"]
    )
    for text in ("0", "0.5", ".5", "1.", "1e-300", "-2E+5", " 0.25 ", "1e0"):
        assert re.search(NUMERAL, text), text
        float(text)
    for text in ("", " ", "abc", "0.5abc", "nan", "inf", "1,5", "0x10", "1e", ".", "0.5 0.6"):
        assert not re.search(NUMERAL, text), text


def test_every_dialect_has_its_words():
    from typing import get_args

    assert set(QUOTED) == set(get_args(Dialect))


@pytest.mark.parametrize(
    ("relation", "wanted"),
    [
        ("shop.preds", '"shop"."preds"'),
        ('"a.b"', '"a.b"'),
        ("shop.`a.b`", '"shop"."a.b"'),
        ('[a.b]."c""d"', '"a.b"."c""d"'),
        ('odd"name', '"odd""name"'),
    ],
)
def test_a_name_that_holds_a_point_stands_in_quotes(relation, wanted):
    assert f"FROM {wanted})" in ca.count_query(relation, truth="y", prediction="p")


def test_wrong_options_of_a_query():
    for more, said in (
        ({"score": "p", "dialect": "oracle"}, "but is 'oracle'"),
        ({}, "needs score= or prediction="),
        ({"score": "p", "prediction": "q"}, "score= and prediction= cannot be combined"),
        ({"score": "p\0"}, "not a name in a database"),
    ):
        with pytest.raises(InputError, match=said):
            count_query("t", truth="y", **more)
    with pytest.raises(InputError, match="is not a connection"):
        scan_database(object(), "t", truth="y", score="p")


def test_counts_in_capitals_and_as_a_frame_are_taken():
    """As Snowflake gives them, and as a file of them is read."""
    y, p = scores()
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (y integer, p real)")
        connection.executemany(
            "insert into t values (?, ?)", [(int(a), float(b)) for a, b in zip(y, p, strict=True)]
        )
        cursor = connection.execute(count_query("t", truth="y", score="p", dialect="sqlite"))
        names = [each[0].upper() for each in cursor.description]
        found = dict(zip(names, map(list, zip(*cursor.fetchall(), strict=True)), strict=True))
        inside = scan_database(connection, "t", truth="y", score="p")
    assert assess_counts(found).to_dict() == inside.to_dict()
    assert assess_counts(pa.table(found)).to_dict() == inside.to_dict()
    with pytest.raises(InputError, match="spans several bins"):
        assess_counts(found, bits=20)
    del found["SCORED"]
    with pytest.raises(InputError, match="The table of counts has no column 'scored'"):
        assess_counts(found)


def test_thresholds_between_bins_are_known_exactly():
    y, p = scores()
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (y integer, p real)")
        connection.executemany(
            "insert into t values (?, ?)", [(int(a), float(b)) for a, b in zip(y, p, strict=True)]
        )
        inside = scan_database(connection, "t", truth="y", score="p", threshold=0.25)
        assert (
            inside.confusion_matrix.counts.tolist()
            == ca.assess(y, p, threshold=0.25).confusion_matrix.counts.tolist()
        )
        with pytest.raises(InputError, match="is within a bin of scores"):
            scan_database(connection, "t", truth="y", score="p", bits=1, threshold=0.37)


def test_the_command_counts_in_a_server_and_in_a_duckdb_file_and_cannot_write(server, tmp_path):
    import psycopg

    from classay.in_parts.commands_of_databases import opened
    from command import call

    duckdb = pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: duckdb is not installed")
    y, p = scores()
    path = str(tmp_path / "preds.duckdb")
    with duckdb.connect(path) as file, psycopg.connect(server) as remote:
        for connection, mark in ((file, "?"), (remote, "%s")):
            cursor = connection.cursor()
            cursor.execute("create table preds (y integer, p double precision)")
            rows = [(int(a), float(b)) for a, b in zip(y, p, strict=True)]
            insert(cursor, "preds", rows, mark)
    said = [
        call("sql", "preds", "--truth", "y", "--score", "p", "--database", each) for each in (path, server)
    ]
    assert [each.exit_code for each in said] == [0, 0], [each.stderr for each in said]
    assert said[0].stdout == said[1].stdout
    for each in (path, server):
        with opened(each) as connection, pytest.raises(Exception, match="read-only"):
            connection.cursor().execute("create table other (y integer)")


GOOD = {
    "truth": [0, 1, 1],
    "n": [2, 1, 1],
    "scored": [2, 1, 1],
    "lowest_score": [0.1, 0.2, 0.9],
    "highest_score": [0.1, 0.2, 0.9],
    "total_score": [0.2, 0.2, 0.9],
}


@pytest.mark.parametrize("wrong", [-1, 0.5, float("nan"), float("inf"), 1e30, None, "x"])
@pytest.mark.parametrize("name", ["n", "scored", "total_score"])
def test_counts_that_no_query_gives_are_refused_by_name(name, wrong):
    with pytest.raises(InputError, match=f"{name} of the counts"):
        assess_counts({**GOOD, name: [wrong, *GOOD[name][1:]]})


def test_columns_of_unequal_length_and_odd_bits_are_refused():
    with pytest.raises(InputError, match="have different lengths"):
        assess_counts({**GOOD, "n": [2]})
    for bits in (0, 21, 1.5):
        with pytest.raises(InputError, match="must be a whole number from 1 to 20"):
            assess_counts(GOOD, bits=bits)


def test_text_in_sqlite_is_a_score_only_where_it_is_a_number():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (y, p)")
        connection.executemany("insert into t values (?, ?)", [(1, "0.9"), (0, " .1 "), (1, "4e-1")])
        a = scan_database(connection, "t", truth="y", score="p")
        assert a["log_loss"].value == pytest.approx(
            ca.assess([1, 0, 1], [0.9, 0.1, 0.4])["log_loss"].value, rel=1e-6
        )
        for text in ("abc", "0.9x", "", b"0.9"):
            connection.execute("update t set p = ? where y = 0", (text,))
            with pytest.raises(InputError, match="score is not a number"):
                scan_database(connection, "t", truth="y", score="p")


def test_a_name_cannot_leave_its_quotes_where_a_backslash_escapes():
    query = count_query("t", truth="a\\`; DROP TABLE x; --", prediction="q", dialect="bigquery")
    assert "`a\\\\\\`; DROP TABLE x; --`" in query


def test_thresholds_are_compared_in_the_precision_of_the_column():
    duckdb = pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: duckdb is not installed")
    with duckdb.connect() as connection:
        for kind, dtype in (("FLOAT", "float32"), ("DOUBLE", "float64")):
            connection.execute(
                f"CREATE OR REPLACE TABLE preds AS SELECT 1 AS y, 0.7::{kind} AS p UNION ALL SELECT 0, 0.2::{kind}"
            )
            for relation in ("preds", "SELECT * FROM preds"):
                a = scan_database(connection, relation, truth="y", score="p", threshold=0.7)
                assert (a.scores.bins.dtype, a["recall"].value) == (dtype, 1)
            given = scan_database(
                connection, "preds", truth="y", score="p", threshold=0.7, precision="float64"
            )
            assert given["recall"].value == (kind == "DOUBLE")


@pytest.mark.parametrize("of", ["score", "prediction"])
@pytest.mark.parametrize("seed", range(4))
def test_answers_that_lack_in_several_classes_are_left_out_or_wrong_as_of_rows(seed, of):
    """Left out, they change nothing but how many are told; wrong, each is the error that it is of rows."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 300)
    answer = np.round(rng.random(300), 2) if of == "score" else rng.integers(0, 2, 300)
    lacking = rng.random(300) < 0.2
    rows = [(int(a), None if gone else b.item()) for a, b, gone in zip(y, answer, lacking, strict=True)]
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, kept in (("whole", rows), ("answered", [each for each in rows if each[1] is not None])):
            connection.execute(f"create table {name} (y integer, p)")
            connection.executemany(f"insert into {name} values (?, ?)", kept)
        how = {"truth": "y", of: "p"}
        with pytest.raises(InputError, match=f"{of} has missing values in {lacking.sum()} rows"):
            scan_database(connection, "whole", **how)
        dropped = scan_database(connection, "whole", unanswered="drop", **how)
        alone = scan_database(connection, "answered", **how)
        wrong = scan_database(connection, "whole", unanswered="wrong", **how)
    gone = int(lacking.sum())
    assert (dropped.n, dropped.rows, dropped.dropped) == (300 - gone, 300 - gone, gone)
    assert dropped.estimates() == alone.estimates()
    assert dropped.confusion_matrix.counts.tolist() == alone.confusion_matrix.counts.tolist()
    table = pa.table({"y": y, "p": pa.array([each for _, each in rows])})
    of_rows = ca.scan(table, truth="y", unanswered="wrong", **{of: "p"})
    assert (wrong.n, wrong.unanswered) == (300, gone)
    for name in ("accuracy", "recall", "specificity"):
        assert wrong[name].value == pytest.approx(of_rows[name].value), name
