"""`classay sql`: prints the query, assesses its result, or counts inside."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from classay.in_parts import commands_of_databases as command
from command import call, json_of, refusal


@pytest.fixture(autouse=True)
def database(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.3).astype(int)
    p = rng.beta(1 + 2 * y, 2)
    with sqlite3.connect("preds.db") as connection:
        connection.execute("create table preds (y integer, p real, q integer)")
        connection.executemany(
            "insert into preds values (?, ?, ?)",
            [(int(a), float(b), int(b > 0.5)) for a, b in zip(y, p, strict=True)],
        )
    connection.close()
    Path("preds.csv").write_text(
        "y,p,q\n" + "".join(f"{a},{b!r},{int(b > 0.5)}\n" for a, b in zip(y, map(float, p), strict=True))
    )


def measures(*given):
    return json_of(*given)["measures"]


SCORE = ("--truth", "y", "--score", "p")
LABEL = ("--truth", "y", "--prediction", "q")


def test_inside_and_from_a_result_and_from_rows():
    inside = measures("sql", "preds", *SCORE, "--database", "preds.db")
    rows = measures("assess", "preds.csv", *SCORE, "--memory", "0")
    assert inside["roc_auc"] == rows["roc_auc"]
    assert inside["recall"] == rows["recall"]
    query = call("sql", "preds", *SCORE, "--dialect", "sqlite").stdout
    with sqlite3.connect("preds.db") as connection:
        cursor = connection.execute(query)
        lines = [",".join(each[0] for each in cursor.description)]
        lines += [",".join("" if v is None else repr(v) for v in row) for row in cursor]
    connection.close()
    Path("counts.csv").write_text("\n".join(lines))
    assert measures("sql", "preds", *SCORE, "--result", "counts.csv") == inside


def test_counts_of_labels_are_rows_with_a_frequency():
    wanted = measures("assess", "preds.csv", *LABEL)
    assert measures("sql", "preds", *LABEL, "--database", "preds.db") == wanted
    query = call("sql", "preds", *LABEL, "--dialect", "sqlite").stdout
    with sqlite3.connect("preds.db") as connection:
        rows = connection.execute(query).fetchall()
    connection.close()
    Path("counts.csv").write_text("truth,prediction,n\n" + "".join(f"{a},{b},{n}\n" for a, b, n in rows))
    assert measures("sql", "preds", *LABEL, "--result", "counts.csv") == wanted
    named = ("--truth", "truth", "--prediction", "prediction", "--frequency", "n")
    assert measures("assess", "counts.csv", *named) == wanted


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("sql", "preds", "--truth", "y"), "needs --score or --prediction"),
        (("sql", "preds", *SCORE, "--database", "none.db"), "File not found: none.db"),
        (("sql", "preds", *SCORE, "--database", "preds.csv"), "neither a SQLite nor a DuckDB file"),
        (("sql", "preds", *SCORE, "--database", "preds.db", "--result", "a.csv"), "Remove one of the two"),
        (("sql", "preds", *SCORE, "--json", "-"), "--json needs counts"),
        (("sql", "predz", *SCORE, "--database", "preds.db"), "The database refused the query"),
        (("sql", "preds", *SCORE, "--result", "preds.csv"), "table of counts"),
        (("sql", "delete from preds", *SCORE, "--database", "preds.db"), "The database refused the query"),
    ],
)
def test_what_makes_no_sense_is_refused(given, said):
    assert said in refusal(*given)


def test_a_query_cannot_write():
    before = Path("preds.db").read_bytes()
    call("sql", "with gone as (select 1) delete from preds", *SCORE, "--database", "preds.db")
    assert Path("preds.db").read_bytes() == before


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\u202eb", "\x07", "a\rb"])
def test_a_query_that_would_steer_the_terminal_is_not_printed(name):
    assert "control characters" in refusal("sql", "preds", "--truth", "y", "--score", name)
    done = call("sql", "preds", "--truth", "y", "--score", name, "--database", "preds.db")
    assert "The database refused the query" in done.stderr
    assert call("sql", "select *\n\tfrom preds", *SCORE).exit_code == 0


@pytest.mark.parametrize("at", [10, 100, 5000])
def test_a_damaged_file_of_duckdb_is_one_line(at):
    duckdb = pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: duckdb is not installed")
    with duckdb.connect("preds.duckdb") as connection:
        connection.execute("create table preds as select 1 as y, 0.5 as p")
    content = bytearray(Path("preds.duckdb").read_bytes())
    content[at] ^= 1
    Path("preds.duckdb").write_bytes(content)
    assert "preds.duckdb" in refusal("sql", "preds", *SCORE, "--database", "preds.duckdb")


def test_a_file_where_a_table_is_wanted_is_refused_with_what_is_meant():
    done = call("sql", "preds.db", *SCORE)
    assert done.exit_code == 2
    assert (
        "preds.db is a SQLite file. Name the table in it, as in classay sql TABLE --database preds.db"
        in flat(done)
    )
    done = call("sql", "preds.csv", *SCORE)
    assert "preds.csv is a file of rows. Use `classay assess preds.csv`" in flat(done)
    Path("preds").write_text("a file of the name of a table")
    assert call("sql", "preds", *SCORE).exit_code == 0
    assert call("sql", "select * from preds where p > 0.1" + " " * 5000, *SCORE).exit_code == 0


def flat(done):
    return " ".join(done.stderr.split())


def test_a_file_that_cannot_be_read_is_told_by_its_name(monkeypatch):
    def refused(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(command, "kind_of", refused)
    assert "preds.csv is a file of rows" in flat(call("sql", "preds.csv", *SCORE))
    Path("preds").write_text("a file of the name of a table")
    assert call("sql", "preds", *SCORE).exit_code == 0


def test_a_dialect_that_the_database_does_not_speak_is_the_reason():
    said = [
        call("sql", *each, *SCORE, "--database", "preds.db", "--dialect", "mysql").stderr
        for each in (("preds",), ("no_such",))
    ]
    assert all("Use --dialect sqlite instead of --dialect mysql" in each for each in said)
    assert "Check the names" in call("sql", "no_such", *SCORE, "--database", "preds.db").stderr
