"""What counting part by part adds to the sweeps over all options, doors and warnings."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import classay as ca

PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
TRUTH = ("--truth", "y", "--score", "p")
ROWS = ("p.csv", *TRUTH)
SQL = ("t", *TRUTH)
INSIDE = (*SQL, "--database", "t.db")
USED = {
    "assess": {
        "--limit-rows": (ROWS, ("--limit-rows", "20")),
        "--memory": (ROWS, ("--memory", "0")),
        "--dask": (ROWS, ("--dask", "nowhere://here")),
        "--refine": (("near.csv", "--truth", "y", "--score", "p", "--memory", "0"), ("--refine",)),
    },
    "sql": {
        "--truth": (SQL, ("--truth", "l")),
        "--score": (SQL, ("--score", "q")),
        "--prediction": (("t", "--truth", "y", "--prediction", "said"), ("--prediction", "l")),
        "--positive": ((*INSIDE, "--json", "-"), ("--positive", "0")),
        "--dialect": (SQL, ("--dialect", "bigquery")),
        "--database": (SQL, ("--database", "t.db")),
        "--result": (("t", "--truth", "y", "--prediction", "l"), ("--result", "counts.csv")),
        "--threshold": (INSIDE, ("--threshold", "0.25")),
        "--score-scale": (SQL, ("--score-scale", "logit")),
        "--thresholds": (INSIDE, ("--thresholds", "t.csv")),
        "--missing": (("unlabeled", *INSIDE[1:]), ("--missing", "drop")),
        "--unanswered": (("unsaid", *INSIDE[1:]), ("--unanswered", "wrong")),
        "--level": (INSIDE, ("--level", "0.9")),
        "--measures": (INSIDE, ("--measures", "auc")),
        "--json": (INSIDE, PAGES),
        "--save": (INSIDE, ("--save", "a.classay")),
        "--html": (INSIDE, PAGES),
        "--latex": (INSIDE, PAGES),
        "--markdown": (INSIDE, PAGES),
    },
}
REFUSED = (
    (
        "assess",
        ("p.csv", "--truth", "y", "--prediction", "l", "--improper", "renormalise", "--memory", "9"),
        "without class",
    ),
)
MORE_OF_RAW_SCORES = (("--memory", "9"),)


def write_inputs() -> None:
    """The files and the database that calls read."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    p = np.clip(0.4 + 0.3 * y + rng.normal(0, 0.2, y.size), 0.01, 0.99).round(4)
    with closing(sqlite3.connect("t.db")) as connection, connection:
        connection.execute("create table t (y integer, p real, l integer)")
        cases = zip(y.tolist(), p.tolist(), (p > 0.6).astype(int).tolist(), strict=True)
        connection.executemany("insert into t values (?, ?, ?)", cases)
        connection.execute("create table unsaid as select y, nullif(p, (select max(p) from t)) as p from t")
        connection.execute("create table unlabeled as select iif(p > 0.9, null, y) as y, p from t")
    Path("counts.csv").write_text("truth,prediction,n\n0,0,50\n0,1,10\n1,0,12\n1,1,48\n")
    Path("near.csv").write_text("y,p\n" + "".join(f"{i % 3 % 2},{0.5 + i * 1e-7:.9f}\n" for i in range(400)))


def scanned(r: Any, weight: Any, **how: Any) -> Any:
    columns = {"y": r["truth"], "s": r["score"], "w": weight}
    return ca.scan(columns, truth="y", score="s", weight="w", **how).estimates()


def written(words: Any, _: Any) -> Any:
    from comparison.test_written_otherwise import frame_of

    return ca.scan(frame_of(words), truth="y", prediction="b").to_dict()["warnings"]


DOORS_OF_WEIGHTS = {"scan": scanned, "bins": lambda r, w: scanned(r, w, bits=3)}
DOORS_OF_NAMES = {"scan": lambda d, y, p, q, g, m, h, c: ca.scan(d, truth=y, score=p)}
DOORS_OF_WRITING = {"scan": written}


def rows(code: str) -> Any:
    """The rows of a fault, and their roles."""
    from laws.test_warnings_at_every_door import rows

    return rows(code)


def table(code: str) -> Any:
    return pa.table({name: pa.array(each, from_pandas=True) for name, each in rows(code)[0].items()})


def in_parts(code: str, folder: Path) -> Any:
    n = table(code).num_rows
    for number in range(3):
        part = table(code).slice(number * n // 3, n // 3)
        pq.write_table(part, folder / f"part{number}.parquet")
    return ca.scan(str(folder), **rows(code)[1])


def counted_inside(code: str) -> Any:
    from laws.test_warnings_at_every_door import FAULTS

    columns, roles, how = FAULTS[code]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"create table t ({', '.join(columns)})")
        values = [[None if each != each else each for each in column.tolist()] for column in columns.values()]
        marks = ", ".join("?" * len(columns))
        connection.executemany(f"insert into t values ({marks})", zip(*values, strict=True))
        return ca.scan_database(connection, "t", truth="y", **roles, **how)


DOORS_OF_WARNINGS = {
    "scan": lambda code: ca.scan(table(code), **rows(code)[1]),
    "scan in bins": lambda code: ca.scan(table(code), bits=8, **rows(code)[1]),
    "database": counted_inside,
}
FILES_OF_WARNINGS = {"files in parts": in_parts}
COMMANDS_OF_WARNINGS = {
    "assess FOLDER --per file": ("assess", "days", *TRUTH, "--per", "file"),
    "decide FOLDER": ("decide", "days", *TRUTH, "--maximize", "youden"),
    "sql": ("sql", "t", *TRUTH, "--database", "t.db"),
}
