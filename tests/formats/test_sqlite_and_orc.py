"""SQLite and ORC files that real programs wrote: one table, read only; dates as each writer keeps them."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc

import classay as ca
from classay.errors import FileError, InputError, NoRowsError
from classay.formats import orc_files, sqlite_files
from classay.formats.layout import Layout, LayoutWarning
from classay.sources.files import column_names, read_table
from classay.sources.inputs import find_input
from command import call
from formats.test_workbooks import rows

DATA = Path(__file__).parents[1] / "outside" / "data"
PANDAS, R = DATA / "pandas-3.1.1.sqlite", DATA / "r-4.2.2-rsqlite-2.2.20.sqlite"
COHORT = (Layout(sheet="cohort"),)
NAMES = ["id", "outcome", "p", "day"]


def expected(**changed):
    return [
        {name: row[name] for name in NAMES} | {name: f(row) for name, f in changed.items()} for row in rows()
    ]


@pytest.mark.parametrize("name", ["pyarrow-26.0.1.orc", "pandas-3.1.1.orc"])
def test_every_writer_of_orc_gives_the_same_rows(name):
    assert read_table(DATA / name, NAMES).to_pylist() == expected()
    assert dict(column_names(DATA / name))["day"] == "date32[day]"


def test_dates_of_pandas_are_text_and_those_of_r_are_numbers_of_days():
    """SQLite has no dates: pandas writes ISO text, RSQLite days since 1970-01-01 in a column of type REAL."""
    table = read_table(PANDAS, NAMES, layout=COHORT)
    assert table.to_pylist() == expected(day=lambda row: row["day"].isoformat())
    assert read_table(R, NAMES).to_pylist() == expected(day=lambda row: row["day"].toordinal() - 719_163)


def test_the_answer_is_that_of_the_same_rows_as_columns():
    same = [*rows()]
    truth, score = ([row[column] for row in same] for column in ("outcome", "p"))
    plain = ca.assess(truth, score, positive="yes", unanswered="drop")
    for path in (R, DATA / "pyarrow-26.0.1.orc"):
        table = read_table(path, ["outcome", "p"], labels=["outcome"])
        read = ca.assess(table["outcome"], table["p"], positive="yes", unanswered="drop")
        assert read.estimate("roc_auc") == plain.estimate("roc_auc")


def test_a_table_or_view_is_named():
    with pytest.raises(
        InputError, match=r"has 4 tables and views: cohort, pilot, loose and women\. Use sheet= to name one"
    ):
        read_table(PANDAS)
    assert read_table(PANDAS, layout=(Layout(sheet="women"),)).num_rows == 6
    with pytest.raises(InputError, match="Did you mean 'pilot'"):
        read_table(PANDAS, layout=(Layout(sheet="pilott"),))
    columns = ("--truth", "outcome", "--score", "p", "--positive", "yes", "--unanswered", "drop")
    done = call("assess", PANDAS, "--sheet", "cohort", *columns)
    assert done.exit_code == 0, done.output


def test_a_text_among_numbers_makes_text_unless_it_means_missing():
    """SQLite keeps any value in any column: 'unknown' in a column of type REAL, 0 as '0' in one of type TEXT."""
    with pytest.warns(LayoutWarning, match="an obstacle: 'unknown' for missing values. Read it with"):
        loose = read_table(PANDAS, ["y", "p"], layout=(Layout(sheet="loose"),))
    assert loose.to_pylist() == [{"y": "yes", "p": "0.5"}, {"y": "no", "p": "unknown"}, {"y": "0", "p": "1"}]
    loose = read_table(PANDAS, ["p"], layout=(Layout(sheet="loose", na="unknown"),))
    assert loose["p"].to_pylist() == [0.5, None, 1.0]


def test_rows_in_the_log_are_read_and_nothing_is_written(tmp_path):
    """In WAL mode new rows are in a file beside, which a reader of the one file alone would miss."""
    path = tmp_path / "live.sqlite"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("pragma journal_mode = wal")
        writer.execute("create table t (y, p)")
        writer.executemany("insert into t values (?, ?)", [(k % 2, k / 9) for k in range(9)])
        writer.commit()
        before = hashlib.sha256(path.read_bytes()).digest()
        assert read_table(path).num_rows == 9
        assert hashlib.sha256(path.read_bytes()).digest() == before


def test_odd_names_of_tables_and_columns_are_names_and_no_code(tmp_path):
    path = tmp_path / "odd #1?.sqlite"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute('create table "a""; drop table b" ("p""q" real, "select" text)')
        writer.execute('insert into "a""; drop table b" values (0.5, \'x\')')
        writer.commit()
    assert read_table(path).to_pylist() == [{'p"q': 0.5, "select": "x"}]


@pytest.mark.parametrize("path", [R, DATA / "pyarrow-26.0.1.orc"], ids=lambda path: path.suffix)
def test_damage_is_one_line(path, tmp_path):
    content = path.read_bytes()
    for place in (100, len(content) // 2, len(content) - 30):
        torn = tmp_path / f"torn{place}{path.suffix}"
        torn.write_bytes(content[:place])
        with pytest.raises(FileError, match=r"cannot be read as (sqlite|orc)"):
            read_table(torn)


def test_no_tables_and_no_rows(tmp_path):
    path = tmp_path / "none.sqlite"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("create table t (y)")
        writer.commit()
        with pytest.raises(NoRowsError, match="has no rows"):
            read_table(path)
        writer.execute("drop table t")
        writer.commit()
    with pytest.raises(FileError, match="has no tables"):
        read_table(path)
    orc.write_table(pa.table({"y": pa.array([], pa.int64())}), str(tmp_path / "none.orc"))
    with pytest.raises(NoRowsError, match="has no rows"):
        read_table(tmp_path / "none.orc")


def test_a_first_look_is_of_the_first_rows():
    table, n_rows = sqlite_files.first_rows(find_input(R, None, None), 5)
    assert (table.num_rows, n_rows) == (5, None)
    table, n_rows = orc_files.first_rows(find_input(DATA / "pyarrow-26.0.1.orc", None, None), 5)
    assert (table.num_rows, n_rows) == (5, 12)
