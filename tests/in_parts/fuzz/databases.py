"""Counting inside databases: odd names of tables and columns, every dialect, and what SQLite and DuckDB make of it."""

import contextlib
import math
import sqlite3
import tempfile
from pathlib import Path
from typing import get_args

from hypothesis import strategies as st

from .contract import hold, plain
from .outside.files import command
from .outside.names import ODD

NAMES = [
    "y", "p", "select", "order", "a.b", "truth", "score", "n", "x", "scale", "prediction", "Truth",
    "bin_step", "a''b", "]", "[a]", "`", "a`b", "--", "/*", ";", "; drop table t --", "?", "%s", ":x", "$1",
    "{x}", "a]b", "\\`", "1", "t", "SELECT 1", "with", "WITH x", "withdrawn", "predictions", "rowid",
    "score'", "e''", "CAST(",
]  # fmt: skip
SCORES = [
    0.0, 1.0, 0.5, 0.25, 0.75, 0.1, 0.9, 1 - 2.0**-12, 2.0**-12, 1e-300, 5e-324, 2.0**-40, 2.0**-41,
    1 - 2.0**-53, 1 - 2.0**-40, 0.3, 1 / 3, 2 / 3, 0.49999999999999994, 0.5000000000000001,
]  # fmt: skip
IMPROPER = [
    -0.0,
    -1e-9,
    1.5,
    math.inf,
    -math.inf,
    math.nan,
    None,
    "0.5",
    " .5 ",
    "x",
    "",
    b"1",
    True,
    2**70,
    1,
    0,
]
TRUTHS = [
    (0, 1),
    ("no", "yes"),
    ("", "a"),
    ("a'b", 'a"b'),
    ("ü\u202e", "\x1b"),
    (False, True),
    (1.5, 2.5),
    (-1, 1),
    ("0", "1"),
    ("9" * 40, "1"),
    ("a", None),
]
TYPES = {
    int: ("INTEGER", "BIGINT"),
    str: ("TEXT", "VARCHAR"),
    bool: ("INTEGER", "BOOLEAN"),
    float: ("REAL", "DOUBLE"),
}


def _name(draw):
    return draw(
        st.one_of(st.sampled_from(["y", "p", "t", *NAMES]), st.sampled_from(ODD), st.text(max_size=4))
    )


@st.composite
def tables(draw):
    """A table of odd names with scores or labels, how it is counted, and what is asked for."""
    n = draw(st.integers(0, 25))
    score = st.sampled_from(SCORES if draw(st.integers(0, 5)) else SCORES + IMPROPER)
    pair = draw(st.sampled_from(TRUTHS[:2] * 4 + TRUTHS))
    return {
        "table": _name(draw),
        "columns": draw(
            st.permutations(
                [_name(draw), "y", "q"] if draw(st.booleans()) else [_name(draw), _name(draw), _name(draw)]
            )
        ),
        "pair": pair,
        "truth": draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)),
        "said": draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)),
        "scores": draw(st.lists(score, min_size=n, max_size=n)),
        "bits": draw(st.sampled_from([10] * 12 + [1, 4, 20, 1, 4, 20, 0, 21, 1.5, "x", None])),
        "threshold": draw(st.sampled_from([None] * 6 + [0.5, 0.25, 0.37, -1, math.nan])),
        "by": draw(
            st.sampled_from(
                [
                    "scores",
                    "scores",
                    "scores",
                    "labels",
                    "query",
                    "dialects",
                    "command",
                    "file",
                    "file",
                    "result",
                    "damaged",
                ]
            )
        ),
        "dialect": draw(st.sampled_from([None, *get_args(_dialect()), "oracle", ""])),
    }


def _dialect():
    from classay.in_parts.databases import Dialect

    return Dialect


INPUTS = tables()


def check(given):
    """Count, by the named way."""
    DOES[given["by"]](given)


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _fill(connection, given, which):
    """The table inside a database, if it can hold one of such names."""
    truth, score, said = given["columns"]
    kind = TYPES[type(given["pair"][0])][which]
    number = "REAL" if which == 0 else "DOUBLE"
    columns = f"{_quoted(truth)} {kind}, {_quoted(score)} {number}, {_quoted(said)} {kind}"
    rows = [
        (given["pair"][a], p, given["pair"][b])
        for a, p, b in zip(given["truth"], given["scores"], given["said"], strict=True)
    ]
    cursor = connection.cursor()
    cursor.execute(f"create table {_quoted(given['table'])} ({columns})")
    if rows:
        cursor.executemany(f"insert into {_quoted(given['table'])} values (?, ?, ?)", rows)
    cursor.close()


@contextlib.contextmanager
def _databases(given):
    """The same table in SQLite and in DuckDB; one that cannot hold it is left out."""
    import duckdb

    made = {"sqlite": sqlite3.connect(":memory:"), "duckdb": duckdb.connect()}
    try:
        kept = {}
        for which, (name, connection) in enumerate(made.items()):
            with contextlib.suppress(
                Exception
            ):  # names that the database does not take, values that it does not hold
                _fill(connection, given, which)
                kept[name] = connection
        yield kept
    finally:
        for connection in made.values():
            connection.close()


def _positive(given):
    return {} if given["pair"] in ((0, 1), (False, True)) else {"positive": given["pair"][1]}


def _counted(given, relation, **columns):
    """What each database counts, or its refusal; the same, where both take the table as it is."""
    import classay as ca
    from classay.errors import ClassayError

    found, refused = {}, {}
    how = {"bits": given["bits"], "threshold": given["threshold"]} | _positive(given)
    with _databases(given) as databases:
        for name, connection in databases.items():
            try:
                found[name] = ca.scan_database(connection, relation, **columns, **how)
            except ClassayError as error:
                refused[name] = error
    is_plain = all(isinstance(each, float) for each in given["scores"]) and None not in given["pair"]
    if is_plain and type(given["pair"][0]) is not bool and len(databases) == 2:
        hold(not found or not refused, "one database counts what another refuses", refused)
    if not found:
        raise next(iter(refused.values()), None) or ca.InputError("no database holds this table.")
    return found


def _by_scores(given):
    """The bins of both databases are those of the rows."""
    import pyarrow as pa

    import classay as ca

    truth, score, _ = given["columns"]
    found = _counted(given, _relation(given), truth=truth, score=score)
    if not all(type(each) is float for each in given["scores"]) or None in given["pair"]:
        return
    y = [given["pair"][code] for code in given["truth"]]
    for name, inside in found.items():
        y = [int(each) for each in y] if name == "sqlite" and isinstance(y[0], bool) else y
        positive = {"positive": type(y[0])(given["pair"][1])} if _positive(given) else {}
        rows = ca.scan(
            pa.table({"y": y, "p": given["scores"]}),
            truth="y",
            score="p",
            bits=given["bits"],
            threshold=given["threshold"],
            **positive,
        )
        for part in ("keys", "cases", "least", "most"):
            same = getattr(inside.scores.bins, part).tobytes() == getattr(rows.scores.bins, part).tobytes()
            hold(
                same,
                f"{name} counts other bins ({part}) than the rows have",
                (inside.scores.bins, rows.scores.bins),
            )
        hold(
            inside.confusion_matrix.counts.tolist() == rows.confusion_matrix.counts.tolist(),
            f"{name} counts another matrix than the rows have",
        )


def _relation(given):
    """The table as it is named; a point would divide schema and table."""
    from classay.errors import InputError

    if "." in given["table"] or given["table"] != given["table"].strip().rstrip(";").strip():
        raise InputError("this name is a schema with a table, or a query.")
    if given["table"][:6].lower() == "select" or given["table"][:4].lower() == "with":
        raise InputError("this name is a query.")
    return given["table"]


def _by_labels(given):
    import classay as ca

    truth, _, said = given["columns"]
    found = _counted(given, _relation(given), truth=truth, prediction=said)
    y, q = ([given["pair"][code] for code in given[name]] for name in ("truth", "said"))
    for name, inside in found.items():
        if None in given["pair"] or (name == "sqlite" and isinstance(y[0], bool)):
            continue
        rows = ca.assess(y, y_pred=q, **_positive(given))
        hold(inside.to_dict() == rows.to_dict(), f"{name} counts other labels than the rows have")


def _by_query(given):
    truth, score, _ = given["columns"]
    query = f"select * from {_quoted(given['table'])} where {_quoted(score)} < 0.9 -- not all"
    _counted(given, query, truth=truth, score=score)


def _by_dialects(given):
    """The query of odd names is that of plain ones, with the names in their places."""
    from classay.in_parts.databases import WORDS, count_query

    truth, score, said = given["columns"]
    relation = _relation(given)
    for dialect in WORDS if given["dialect"] is None else [given["dialect"]]:
        made = count_query(relation, truth=truth, score=score, dialect=dialect, bits=given["bits"] or 10)
        other = count_query("t0", truth="y0", score="p0", dialect=dialect, bits=given["bits"] or 10)
        words = WORDS[dialect]
        named = other.replace(words.name("t0"), words.name(relation)).replace(
            words.name("y0"), words.name(truth)
        )
        hold(
            made == named.replace(words.name("p0"), words.name(score)),
            "the names change the query",
            made[:300],
        )
        for name in (relation, truth, score, said):
            inner = words.name(name)[1:-1]
            for mark in ("\\\\", "\\" + words.closing) if words.escapes else (2 * words.closing,):
                inner = inner.replace(mark, "")
            hold(words.closing not in inner, f"a name ends its quotes in {dialect}", words.name(name))


def _by_command(given):
    """The command: the query that it prints, or the counts of a file."""
    truth, score, said = given["columns"]
    flags = [f"--truth={truth}", f"--score={score}" if given["threshold"] is None else f"--prediction={said}"]
    if given["dialect"] is not None:
        flags.append(f"--dialect={given['dialect']}")
    name = given["table"]
    if name.startswith("-"):
        flags.append("--")
    if given["by"] == "command":
        printed = command("sql", *flags, name)
        hold(plain(printed, "\n\t"), "a query holds control characters", ascii(printed))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.db")
        _file(given, path)
        printed = command("sql", f"--database={path}", f"--positive={given['pair'][1]}", *flags, name)
        hold(plain(printed, "\n"), "a report holds control characters", ascii(printed))


def _file(given, path):
    """A file of one of both databases."""
    import duckdb

    which = len(given["truth"]) % 2
    connection = (sqlite3.connect, duckdb.connect)[which](str(path))
    with contextlib.suppress(Exception):  # as in _databases
        _fill(connection, given, which)
        connection.commit()
    connection.close()


def _by_result(given):
    """What the query gave, as a file of rows, with values that no query gives."""
    n = max(1, len(given["truth"]))
    odd = given["scores"] or [0.5]
    values = {
        "truth": [given["pair"][i % 2] for i in range(n)],
        "n": [[1, 2, 3, 10**6][i % 4] for i in range(n)],
        "lowest_score": [odd[i % len(odd)] for i in range(n)],
    }
    values |= {"scored": values["n"], "highest_score": values["lowest_score"]}
    values["total_score"] = [
        each * times if isinstance(each, int | float) else each
        for each, times in zip(values["lowest_score"], values["n"], strict=True)
    ]
    if given["said"][:1] == [1]:
        values[("n", "scored", "total_score")[n % 3]] = [*odd[:1], *[1] * (n - 1)]
    lines = [
        ",".join(values),
        *[
            ",".join("" if each is None else str(each) for each in row)
            for row in zip(*values.values(), strict=True)
        ],
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "counts.csv")
        path.write_bytes("\n".join(lines).encode("utf-8", "replace"))
        command(
            "sql", "t", "--truth", "y", "--score", "p", f"--result={path}", f"--positive={given['pair'][1]}"
        )


def _by_damaged(given):
    """A file of a database with bytes that it should not have, or of another kind."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.db")
        _file(given, path)
        content = bytearray(path.read_bytes())
        for i, (a, b) in enumerate(zip(given["truth"], given["said"], strict=True)):
            if content:
                at = (
                    (i * 7919 + a * 101 + len(given["table"]) * 31) % len(content)
                    if b
                    else i * 16 % len(content)
                )
                content[at] ^= 1 << (i % 8)
        path.write_bytes(bytes(content[: len(content) // 2] if given["bits"] == 4 else content))
        command("sql", f"--database={path}", "--truth", "y", "--score", "p", "--positive=1", "t")


DOES = {
    "scores": _by_scores,
    "labels": _by_labels,
    "query": _by_query,
    "dialects": _by_dialects,
    "command": _by_command,
    "file": _by_command,
    "result": _by_result,
    "damaged": _by_damaged,
}
