"""Queries in every dialect, counts that databases give, connections and their state, and options of commands."""

import sqlite3
from collections import namedtuple
from contextlib import closing
from math import exp
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

import classay as ca
from classay.errors import InputError, MissingExtraError
from classay.in_parts import commands, commands_of_databases, scanning
from classay.in_parts.commands import Counter, InParts, cluster_of
from classay.in_parts.connections import answered, as_columns
from classay.in_parts.databases import MOST_BITS, no_row_query
from command import as_json, call, json_of, refusal, write_columns
from documented import other_defaults

SCORE = {"truth": "y", "score": "p"}
LABEL = {"truth": "y", "prediction": "q"}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def query(dialect="postgres", relation="shop.preds", **how):
    return ca.count_query(relation, **{**SCORE, **how}, dialect=dialect)


# dialects


POSTGRES = query()
REPLACED = {
    "redshift": [(" OFFSET 0", "")],
    "duckdb": [(" OFFSET 0", ""), ("DOUBLE PRECISION", "DOUBLE")],
    "snowflake": [(" OFFSET 0", ""), ("DOUBLE PRECISION", "DOUBLE")],
    "trino": [(" OFFSET 0", ""), ("DOUBLE PRECISION", "DOUBLE")],
    "bigquery": [(" OFFSET 0", ""), ("DOUBLE PRECISION", "FLOAT64"), ('"', "`")],
    "spark": [(" OFFSET 0", ""), ("DOUBLE PRECISION", "DOUBLE"), ('"', "`")],
    "databricks": [(" OFFSET 0", ""), ("DOUBLE PRECISION", "DOUBLE"), ('"', "`")],
}
"""What other dialects have in place of words of PostgreSQL."""


@pytest.mark.parametrize("dialect", REPLACED)
@pytest.mark.parametrize("scale", [None, "logit"])
def test_dialects_differ_in_words_only(dialect, scale):
    wanted = query(score_scale=scale)
    for one, other in REPLACED[dialect]:
        wanted = wanted.replace(one, other)
    assert query(dialect, score_scale=scale) == wanted


def test_dialects_that_cast_text_to_0_refuse_it():
    numeral = "^ *[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)? *$"
    plain = 'CAST("p" AS DOUBLE PRECISION)'
    for dialect, number in {
        "sqlite": "CASE WHEN `p` = CAST(`p` AS REAL) THEN CAST(`p` AS REAL) WHEN `p` IS NOT NULL THEN -1e0 END",
        "mysql": f"CASE WHEN CAST(`p` AS CHAR) REGEXP '{numeral}' THEN CAST(`p` AS DOUBLE) "
        "WHEN `p` IS NOT NULL THEN -1e0 END",
        "sqlserver": "CASE WHEN CAST([p] AS NVARCHAR(4000)) = '' THEN -1e0 ELSE CAST([p] AS FLOAT) END",
    }.items():
        wanted = POSTGRES.replace(plain, number)
        opening, closing_ = ("[", "]") if dialect == "sqlserver" else ("`", "`")
        for name in ("y", "shop", "preds"):
            wanted = wanted.replace(f'"{name}"', f"{opening}{name}{closing_}")
        if dialect == "sqlite":
            wanted = wanted.replace("FLOOR(x * scale)", "CAST(x * scale AS INTEGER)").replace(
                "CEIL(x * scale)", "(CAST(x * scale AS INTEGER) + (x * scale > CAST(x * scale AS INTEGER)))"
            )
        if dialect == "sqlserver":
            wanted = wanted.replace("CEIL(", "CEILING(")
        assert query(dialect) == wanted.replace(" OFFSET 0", " LIMIT -1" if dialect == "sqlite" else "")
        assert "-1e301" in query(dialect, score_scale="logit")
        assert "-1e301" not in query(dialect)


def test_steps_of_the_query():
    """Powers of two from a quarter down, each with its number of steps."""
    import re

    for bits in (1, 10, MOST_BITS):
        rungs = re.findall(r"WHEN x > (\S+) THEN (\S+)e0", query(bits=bits))
        assert [(float(x), int(scale)) for x, scale in rungs] == [
            (2.0**-k, 2 ** (k + bits)) for k in range(2, 41)
        ]
    logits = query(score_scale="logit")
    assert f"WHEN ABS(score) > 708.0 THEN {exp(-708.0)!r}\n" in logits
    assert no_row_query("a.b", "c", "sqlserver") == "SELECT [c] FROM [a].[b] WHERE 1 = 0"
    labels = ca.count_query("preds", **LABEL, dialect="spark")
    assert labels == (
        "SELECT truth, prediction, COUNT(*) AS n\nFROM (SELECT `y` AS truth, `q` AS prediction FROM `preds`) AS "
        "predictions\nGROUP BY truth, prediction"
    )


def frame(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    p = np.round(rng.beta(1 + 2 * y, 2), 3)
    return y.astype(int).tolist(), p.tolist(), (p > 0.4).astype(int).tolist()


@pytest.fixture
def sqlite():
    with closing(sqlite3.connect("preds.db")) as connection:
        connection.execute("create table preds (y integer, p real, q integer)")
        connection.executemany("insert into preds values (?, ?, ?)", zip(*frame(), strict=True))
        connection.commit()
        yield connection


def counts_of(connection, relation="preds", **how):
    cursor = connection.execute(ca.count_query(relation, **{"dialect": "sqlite", **how}))
    names = [one[0] for one in cursor.description]
    return {
        name: list(column) for name, column in zip(names, zip(*cursor.fetchall(), strict=True), strict=True)
    }


QUERIES_REFUSED = {
    "dialect": ({"dialect": "oracle"}, "dialect must be"),
    "nothing": ({"score": None}, "A query needs score= or prediction=."),
    "both": ({"prediction": "q"}, "score= and prediction= cannot be combined. Remove one of the two."),
    "no bits": ({"bits": 0}, f"bits must be a whole number from 1 to {MOST_BITS}, but is 0."),
    "many bits": (
        {"bits": MOST_BITS + 1},
        f"bits must be a whole number from 1 to {MOST_BITS}, but is {MOST_BITS + 1}.",
    ),
    "half a bit": ({"bits": 1.5}, "but is 1.5."),
    "scale": ({"score_scale": "percent"}, "score_scale must be"),
    "count": ({"score_scale": "count"}, "column"),
    "scale of labels": ({"score": None, "prediction": "q", "score_scale": "logit"}, "score_scale"),
    "name": ({"truth": ""}, "'' is not a name in a database. Pass the names of the table and its columns."),
    "null": ({"score": "a\0"}, "is not a name in a database."),
    "number": ({"truth": 3}, "3 is not a name in a database."),
}


@pytest.mark.parametrize("case", QUERIES_REFUSED)
def test_refused_queries(case):
    how, text = QUERIES_REFUSED[case]
    with pytest.raises(InputError) as error:
        ca.count_query("preds", **{**SCORE, **how})
    assert text in str(error.value)


# counts


COUNTS = {
    "truth": [0, 1, 0],
    "n": [3, 4, 2],
    "scored": [3, 4, 2],
    "lowest_score": [0.25, 0.75, 0.125],
    "highest_score": [0.25, 0.75, 0.125],
    "total_score": [0.75, 3.0, 0.25],
}
COUNTS_REFUSED = {
    "more scores": (
        {"scored": [3, 5, 2]},
        "scored is larger than n in the counts. Pass the unchanged result of the query.",
    ),
    "half a case": ({"n": [3.5, 4, 2]}, "n of the counts contains 3.5, but must be whole numbers from 0 to"),
    "less than none": ({"n": [3, -1, 2]}, "n of the counts contains -1, but must be whole numbers"),
    "text": (
        {"scored": ["a", 4, 2]},
        "scored of the counts contains text instead of numbers. Pass the unchanged",
    ),
    "lengths": (
        {"n": [3, 4]},
        "The columns of the counts have different lengths (truth 3 rows, n 2 rows, scored 3 rows",
    ),
    "no truth": (
        {"truth": [0, None, 0]},
        "truth has missing values in 4 rows. Use missing='drop' to exclude these cases.",
    ),
    "no score": (
        {"scored": [3, 2, 2], "total_score": [0.75, 1.5, 0.25]},
        "score has missing values in 2 rows.",
    ),
    "above 1": (
        {"highest_score": [0.25, 1.5, 0.125]},
        "infinite or outside [0, 1] in 4 rows. A database counts",
    ),
    "below 0": (
        {"lowest_score": [0.25, 0.75, -0.125]},
        "infinite or outside [0, 1] in 2 rows. A database counts",
    ),
    "no number": (
        {"lowest_score": [None, 0.75, 0.125]},
        "score is not a number, infinite or outside [0, 1] in 3 rows.",
    ),
    "total below": (
        {"total_score": [0.7, 3.0, 0.25]},
        "total_score of the counts is not between scored times lowest",
    ),
    "total above": (
        {"total_score": [0.75, 3.1, 0.25]},
        "total_score of the counts is not between scored times lowest",
    ),
    "order": ({"lowest_score": [0.26, 0.75, 0.125]}, "total_score of the counts is not between"),
    "bins": (
        {"lowest_score": [0.2, 0.75, 0.125]},
        "A group of scores spans several bins. Use the same bits= as for",
    ),
    "column": ({"scored": None}, "scored"),
}


@pytest.mark.parametrize("case", COUNTS_REFUSED)
def test_refused_counts(case):
    changed, text = COUNTS_REFUSED[case]
    counts = {name: column for name, column in (COUNTS | changed).items() if column is not None}
    with pytest.raises(InputError) as error:
        ca.assess_counts(counts, positive=1)
    assert text in str(error.value)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"n": [0, 4, 2], "scored": [0, 4, 2], "total_score": [0, 3.0, 0.25]},
        {"total_score": [0.7499, 3.0, 0.25]},  # by rounding
        {"n": [3.0, 4.0, 2.0]},
        {"highest_score": [0.2501, 0.75, 0.125], "total_score": [0.7501, 3.0, 0.25]},
    ],
)
def test_the_nearest_counts_that_are_accepted(changed):
    counts = COUNTS | changed
    assert ca.assess_counts(counts, positive=1).n == sum(counts["n"])


def test_counts_are_the_same_in_every_form():
    counts = COUNTS | {"n": [3.0, 4.0, 2.0]}
    wanted = ca.assess_counts(counts, positive=1).to_dict()
    upper = {name.upper(): column for name, column in counts.items()}
    rows = [dict(zip(counts, row, strict=True)) for row in zip(*counts.values(), strict=True)]
    for form in (upper, pa.table(counts), rows):
        assert ca.assess_counts(form, positive=1).to_dict() == wanted


@pytest.mark.parametrize("missing", ["refuse", "drop"])
@pytest.mark.parametrize("unanswered", ["refuse", "wrong", "drop"])
@pytest.mark.parametrize("of", [SCORE, LABEL], ids=["scores", "labels"])
def test_counts_in_a_database_are_those_of_the_rows(sqlite, missing, unanswered, of):
    """Cases without a truth, without an answer, and both kinds together."""
    y, p, q = frame(60)
    for kind in ("no truth", "no answer", "neither"):
        sqlite.execute("delete from preds")
        truths = [None if kind in ("no truth", "neither") and k % 7 == 0 else v for k, v in enumerate(y)]
        column = [
            None if kind in ("no answer", "neither") and k % 5 == 0 else v
            for k, v in enumerate(p if of is SCORE else q)
        ]
        other = q if of is SCORE else p
        rows = (
            zip(truths, column, other, strict=True)
            if of is SCORE
            else zip(truths, other, column, strict=True)
        )
        sqlite.executemany("insert into preds values (?, ?, ?)", rows)

        def result(function, *args, **how):
            try:
                a = function(*args, missing=missing, unanswered=unanswered, **how)
            except InputError as error:
                return str(error).replace(" (NaN)", "").split(" rows")[0]
            recall = a["recall"]
            return (
                a.n,
                a.rows,
                a.dropped,
                a.unanswered,
                a.confusion_matrix.counts.tolist(),
                (recall.value, recall.low),
            )

        given = {"y_pred": column} if of is LABEL else {"y_score": column}
        wanted = result(ca.assess, truths, **given)
        assert result(ca.scan_database, sqlite, "preds", **of) == wanted, kind
        assert result(ca.assess_counts, counts_of(sqlite, **of)) == wanted, kind


def test_defaults_and_options_of_counts(sqlite):
    usual = ca.scan_database(sqlite, "preds", **SCORE)
    spelled = {
        "level": 0.95,
        "seed": 0,
        "missing": "refuse",
        "unanswered": "refuse",
        "ordered": False,
        "bits": 10,
    }
    assert (
        ca.scan_database(sqlite, "preds", **SCORE, **spelled, dialect="sqlite").to_dict() == usual.to_dict()
    )
    assert (
        ca.assess_counts(counts_of(sqlite, **SCORE), **spelled, precision="float64").to_dict()
        == usual.to_dict()
    )
    y, p, q = frame()
    for how in ({"level": 0.9}, {"threshold": 0.3}, {"positive": 0}, {"bits": 5}):
        bits = {"bits": how["bits"]} if "bits" in how else {"bits": 10}
        a = ca.scan_database(sqlite, "preds", **SCORE, **how)
        b = ca.scan(pa.table({"y": y, "p": p}), **SCORE, **(how | bits))
        assert a["recall"] == b["recall"]
        assert a["roc_auc"] == b["roc_auc"]
        assert (a.level, a.cutoff, a.positive, a.scores.bins.bits) == (
            b.level,
            b.cutoff,
            b.positive,
            b.scores.bins.bits,
        )
        assert a.cutoff_chosen == b.cutoff_chosen
    labels = {"labels": [0, 1, 2], "ordered": True}
    a = ca.scan_database(sqlite, "preds", **LABEL, **labels, interval="Wald")
    assert a.to_dict() == ca.assess(y, y_pred=q, **labels, interval="Wald").to_dict()
    with pytest.raises((InputError, TypeError), match="none"):
        ca.scan_database(sqlite, "preds", **SCORE, none=1)
    sqlite.execute("create table empty (y integer, p real)")
    with pytest.raises(
        InputError, match=r"The table or query has no rows\. Use a table or query with predictions\."
    ):
        ca.scan_database(sqlite, "empty", **SCORE)
    with pytest.raises(
        InputError, match=r"refused the query \(OperationalError: .*\)\. Use dialect='sqlite' instead of"
    ):
        ca.scan_database(sqlite, "preds", **SCORE, dialect="mysql")
    with pytest.raises(
        InputError, match=r"no such table: none\)\. Check the names of the table and its columns\."
    ):
        ca.scan_database(sqlite, "none", **SCORE, dialect="sqlite")


# connections


class Cursor:
    def __init__(self, connection):
        self.connection, self.description = connection, [("n", None)]

    def execute(self, text):
        self.connection.log.append(text)
        if text == "bad":
            raise ValueError("no\n  such thing")
        if text == "closed":
            raise ValueError("it is closed")

    def fetchall(self):
        return [(1,)]

    def close(self):
        self.connection.log.append("close")


class Psycopg:
    """A connection of psycopg in a state of its transaction."""

    closed = False

    def __init__(self, state):
        self.info, self.log = SimpleNamespace(transaction_status=state), []

    def cursor(self):
        return Cursor(self)

    def rollback(self):
        self.log.append("rollback")


BACK = ["ROLLBACK TO SAVEPOINT classay", "RELEASE SAVEPOINT classay", "close"]


@pytest.mark.parametrize(
    ("state", "wanted"),
    [
        (0, ["{}", "close", "rollback"]),
        (1, ["{}", "close"]),
        (2, ["SAVEPOINT classay", "{}", "close", *BACK]),
        (4, ["{}", "close"]),
        (-1, ["{}", "close"]),
    ],
)
@pytest.mark.parametrize("text", ["good", "bad", "closed"])
def test_a_connection_is_left_as_it_was(state, wanted, text):
    connection = Psycopg(state)
    if text == "good":
        assert answered(connection, text) == ([(1,)], [("n", None)])
    else:
        with pytest.raises(InputError) as error:
            answered(connection, text)
        assert str(error.value) == (
            "The database refused the query (ValueError: no such thing). Check the names of the table and its columns."
            if text == "bad"
            else "The connection is closed. Open it again."
        )
    assert connection.log == [line.format(text) for line in wanted]
    gone = Psycopg(state)
    gone.closed = True
    answered(gone, "good")
    assert gone.log == [
        line
        for line in (one.format("good") for one in wanted)
        if "ollback" not in line and "R" not in line[:1]
    ]


def test_a_failed_transaction_is_refused():
    connection = Psycopg(3)
    with pytest.raises(InputError, match=r"has failed before. Call its rollback\(\) and try again"):
        answered(connection, "good")
    assert connection.log == []
    plain = SimpleNamespace(cursor=lambda: Cursor(SimpleNamespace(log=[])))
    assert answered(plain, "good") == ([(1,)], [("n", None)])


def test_rows_that_tell_their_names():
    named = namedtuple("named", "a b")

    class Spark:
        def asDict(self):
            return {"a": 1, "b": 2}

    class Keys:
        def keys(self):
            return ["a", "b"]

        def __getitem__(self, name):
            return {"a": 1, "b": 2}[name]

    for row in ({"a": 1, "b": 2}, named(1, 2), Spark(), Keys()):
        for rows in ([row, row], (row, row)):
            assert as_columns(rows) == {"a": [1, 1], "b": [2, 2]}

    class Result:
        def mappings(self):
            return SimpleNamespace(all=lambda: [{"a": 1}, {"a": None}])

    assert as_columns(Result()) == {"a": [1, None]}
    assert as_columns([{"a": 1, "b": 2}, {"a": 3}]) == {"a": [1, 3], "b": [2, None]}
    assert as_columns([]) == []
    assert as_columns({"a": [1]}) == {"a": [1]}
    with pytest.raises(
        InputError, match=r"The rows of the counts do not tell the names of their columns\. Pass dicts"
    ):
        as_columns([(1, 2)])


# commands


def run(*arguments):
    done = call(*arguments, columns=300)
    return done.exit_code, done.stdout, " ".join(done.stderr.split())


BUT = ("curves", "data")


def written(*arguments):
    return json_of(*arguments, but=BUT)


def plain(result):
    return as_json(result, BUT)


@pytest.fixture
def _preds(sqlite):
    y, p, q = frame()
    Path("preds").mkdir()
    for k in (0, 1):
        rows = [f"{y[i]},{p[i]},{q[i]},{1 + i % 2},{i % 9}" for i in range(200 * k, 200 * k + 200)]
        Path(f"preds/{k}.csv").write_text("\n".join(["y,p,q,w,c", *rows]) + "\n")


def whole():
    y, p, q = frame()
    return pa.table(
        {"y": y, "p": p, "q": q, "w": [1 + i % 2 for i in range(400)], "c": [i % 9 for i in range(400)]}
    )


ONE_CLASS = ("--positive", "0", "--threshold", "0.3", "--level", "0.8")
OF_PARTS = {
    "nothing": (("--delimiter", ",", "--format", "csv"), {}),
    "limit": (("--limit-rows", "250"), {"limit": 250}),
    "no memory": (("--memory", "0"), {"memory": 0}),
    "memory": (("--memory", "1"), {"memory": 2**20}),
    "weight": (("--weight", "w", "--cluster", "c"), {"weight": "w", "cluster": "c"}),
    "frequency": (("--frequency", "w"), {"frequency": "w"}),
    "class": (ONE_CLASS, {"positive": 0, "threshold": 0.3, "level": 0.8}),
    "prediction": (("--prediction", "q"), {"prediction": "q"}),
}


@pytest.mark.usefixtures("_preds")
@pytest.mark.parametrize("option", OF_PARTS)
def test_options_of_parts_are_arguments_of_scan(option):
    words, how = OF_PARTS[option]
    found = written("assess", "preds", "--truth", "y", "--score", "p", *words)
    assert found == plain(ca.scan("preds", **SCORE, **how))


@pytest.mark.usefixtures("_preds")
def test_labels_of_parts_are_declared_as_written():
    words = ("assess", "preds", "--truth", "y", "--prediction", "q")
    assert written(*words, "--labels", "0,1,2") == plain(ca.scan("preds", **LABEL, labels=[0, 1, 2]))
    assert written(*words, "--order", "1,0,2") == plain(
        ca.scan("preds", **LABEL, labels=[1, 0, 2], ordered=True)
    )


@pytest.mark.usefixtures("_preds")
def test_a_second_pass_by_command(monkeypatch):
    monkeypatch.setattr(scanning, "BITS", 3)
    words = ("assess", "preds", "--truth", "y", "--score", "p", "--memory", "0", "--refine", "--weight", "w")
    once = ca.scan("preds", **SCORE, memory=0, weight="w")
    assert ca.refine(once, "preds", **SCORE, weight="w") is not once
    assert written(*words) == plain(ca.refine(once, "preds", **SCORE, weight="w"))
    for memory, why in (("100", "scores are exact"), ("0", "the AUC from bins is precise enough")):
        Path("few").mkdir(exist_ok=True)
        Path("few/a.csv").write_text(
            "y,p\n" + "".join(f"{k % 2},{0.25 + 0.5 * (k % 2)}\n" for k in range(40))
        )
        _, _, said = run("assess", "few", "--truth", "y", "--score", "p", "--memory", memory, "--refine")
        assert f"note: --refine had no effect because {why}. The rows were read once." in said
    _, _, said = run(*words)
    assert "note:" not in said


PARTS_REFUSED = {
    "time": (
        ("preds", "--time", "c"),
        "--time needs all rows at once, but preds is counted part by part. Use --per file",
    ),
    "by": (
        ("preds", "--by", "c"),
        "--by needs all rows at once, but preds is counted part by part. Assess the files of",
    ),
    "classes": (
        ("preds", "--class-scores", "0=p,1=q"),
        "--score and --class-scores cannot be combined. Remove one of the two.",
    ),
    "no scores": (
        ("preds", "--refine", "!--score", "--prediction", "q"),
        "--refine needs scores of two classes (--score).",
    ),
    "standard input": (
        ("-", "--refine", "--format", "csv"),
        "--refine reads the rows twice, but standard input can be read",
    ),
    "no rows": (("preds", "--limit-rows", "0"), "--limit-rows"),
    "memory": (("preds", "--memory", "-1"), "--memory"),
    "no scheduler": (
        ("preds", "--dask", "tcp://127.0.0.1:1"),
        "No Dask scheduler responds at 'tcp://127.0.0.1:1'. Use an",
    ),
}


@pytest.mark.usefixtures("_preds")
@pytest.mark.parametrize("case", PARTS_REFUSED)
def test_refused_options_of_parts(case, monkeypatch):
    monkeypatch.setattr(commands, "TIMEOUT", 0.1)
    words, text = PARTS_REFUSED[case]
    if case == "no scheduler":
        pytest.importorskip("distributed", reason="SKIPPED LOUDLY: distributed is not installed")
    score = () if "!--score" in words else ("--score", "p")
    given = (one for one in words[1:] if one[0] != "!")
    assert text in refusal("assess", words[0], "--truth", "y", *score, *given)


def test_what_is_counted_part_by_part(tmp_path):
    Path("a.csv").write_text("y,p\n1,0.5\n")
    Path("b").mkdir()
    plain_options = InParts()
    assert [plain_options.claims(name) for name in ("a.csv", "b", "*.csv")] == [False, True, True]
    for option in ({"limit": 1}, {"memory": 0}, {"dask": "local"}, {"refine": True}):
        assert InParts(**option).claims("a.csv")
    assert plain_options.given() == dict.fromkeys(["--limit-rows", "--memory", "--dask", "--refine"])
    assert InParts(1, 0, "x", True).given() == {
        "--limit-rows": 1,
        "--memory": 0,
        "--dask": "x",
        "--refine": True,
    }
    assert InParts.uses_of_other_tasks == {"limit", "memory", "dask"}
    assert plain_options.first_file("a.csv", None) == "a.csv"


def test_no_cluster_and_no_library(monkeypatch):
    import sys

    with cluster_of(None) as client:
        assert client is None
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"Counting on a cluster \(--dask\)"), cluster_of("local"):
        pass


class Status:
    said: ClassVar[list[str]] = []

    def __init__(self, text):
        Status.said = [text]

    def start(self):
        Status.said.append("start")

    def stop(self):
        Status.said.append("stop")

    def update(self, text):
        Status.said.append(text)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_is_written_on_a_terminal_only(is_terminal, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)
    monkeypatch.setattr("rich.console.Console.status", lambda _, text: Status(text))
    times = iter([10.0, 12.0, 14.0])
    monkeypatch.setattr(commands.time, "monotonic", lambda: next(times))
    Status.said = []
    with Counter() as counter:
        counter(3000, None)
        counter(6000, 8000)
        counter.__exit__(KeyboardInterrupt)
    assert Status.said == (
        [
            "Counting …",
            "start",
            "3,000 rows counted, 1,500 per second …",
            "6,000 rows of 8,000 counted, 1,500 per second …",
            "stop",
            "stop",
        ]
        if is_terminal
        else []
    )
    wanted = "\nStopped after 6,000 rows. No result is shown because not all rows were counted.\n"
    assert capsys.readouterr().err == wanted


@pytest.mark.usefixtures("_preds")
@pytest.mark.parametrize(
    "words",
    [
        ("--score", "p"),
        ("--score", "p", "--per", "file"),
        ("--score", "p", "--memory", "0", "--refine"),
    ],
)
def test_commands_tell_how_far_they_are(words, monkeypatch):
    monkeypatch.setattr(scanning, "BITS", 3)
    rows = [f"{k % 2},0.{k},1,1,{k}" for k in range(10, 90)]
    Path("preds/2.csv").write_text("\n".join(["y,p,q,w,c", *rows]) + "\n")
    told = []
    monkeypatch.setattr(Counter, "__call__", lambda _, done, total: told.append((done, total)))
    code, _, said = run("assess", "preds", "--truth", "y", *words)
    assert (code, "note:" in said) == (0, False), said
    assert told == [(200, None), (400, None), (480, None)] * (2 if "--refine" in words else 1)


OF_SQL = {
    "scores": (("--score", "p"), SCORE),
    "labels": (("--prediction", "q"), LABEL),
    "class": (
        ("--score", "p", *ONE_CLASS, "--dialect", "sqlite"),
        SCORE | {"positive": 0, "threshold": 0.3, "level": 0.8},
    ),
    "missing": (
        ("--score", "p", "--missing", "drop", "--unanswered", "wrong"),
        SCORE | {"missing": "drop", "unanswered": "wrong"},
    ),
    "scale": (("--score", "p", "--score-scale", "logit"), SCORE | {"score_scale": "logit"}),
}


@pytest.mark.usefixtures("_preds")
@pytest.mark.parametrize("option", OF_SQL)
def test_options_of_sql_are_arguments_of_scan_database(option, sqlite):
    words, how = OF_SQL[option]
    found = written("sql", "preds", "--truth", "y", *words, "--database", "preds.db")
    assert found == plain(ca.scan_database(sqlite, "preds", **how))
    of_query = {
        name: value for name, value in how.items() if name in ("truth", "score", "prediction", "score_scale")
    }
    if option in ("scores", "labels", "missing", "scale"):
        columns = counts_of(sqlite, **of_query)
        write_columns("counts.csv", columns)
        from_file = written("sql", "preds", "--truth", "y", *words, "--result", "counts.csv")
        assert from_file["measures"] == found["measures"]
    dialects = [one for one in ("postgres", "duckdb") if option in ("scores", "labels", "scale")]
    for dialect in dialects:
        _, shown, _ = run("sql", "shop.preds", "--truth", "y", *words, "--dialect", dialect)
        assert shown == f"{ca.count_query('shop.preds', **of_query, dialect=dialect)};\n"
        if dialect == "postgres":
            assert run("sql", "shop.preds", "--truth", "y", *words)[1] == shown


SQL_REFUSED = {
    "measures": (("--measures", "recall"), "--measures needs counts. Use --database or --result, too."),
    "positive": (("--positive", "1"), "--positive needs counts."),
    "threshold": (("--threshold", "0.5"), "--threshold needs counts."),
    "level": (("--level", "0.9"), "--level needs counts."),
    "missing": (("--missing", "drop"), "--missing needs counts."),
    "unanswered": (("--unanswered", "drop"), "--unanswered needs counts."),
    "a page": (("--html", "a.html"), "--html needs counts."),
    "both": (("--database", "preds.db", "--result", "a.csv"), "--database and --result cannot be combined."),
    "no file": (
        ("--database", "none.db"),
        "File not found: none.db. Use a SQLite or DuckDB file, or a postgresql://",
    ),
    "another server": (
        ("--database", "mysql://me@host/db"),
        "--database supports only servers with postgresql:// addresses.",
    ),
    "no database": (("--database", "preds/0.csv"), "is neither a SQLite nor a DuckDB file."),
    "over the database": (("--database", "preds.db", "--json", "preds.db"), "preds.db"),
    "over the counts": (("--result", "preds/0.csv", "--json", "preds/0.csv"), "preds/0.csv"),
    "another dialect": (
        ("--database", "preds.db", "--dialect", "mysql"),
        "Use --dialect sqlite instead of --dialect mysql.",
    ),
}


@pytest.mark.usefixtures("_preds")
@pytest.mark.parametrize("case", SQL_REFUSED)
def test_refused_options_of_sql(case):
    words, text = SQL_REFUSED[case]
    before = Path("preds.db").read_bytes()
    assert text in refusal("sql", "preds", "--truth", "y", "--score", "p", *words)
    assert Path("preds.db").read_bytes() == before
    assert run("sql", "preds", "--truth", "y", "--score", "p", "--level", "0.95")[0] == 0


def test_kinds_of_databases_by_their_first_bytes():
    for head, kind in (
        (b"SQLite format 3\0", "SQLite"),
        (b"SQLite format 4\0", None),
        (b"\0" * 8 + b"DUCK", "DuckDB"),
        (b"\0" * 7 + b"DUCK", None),
        (b"", None),
    ):
        Path("a.db").write_bytes(head + b"\0" * 20)
        assert commands_of_databases.kind_of(Path("a.db")) == kind
    assert commands_of_databases.database_text("postgresql://me:pw@h/db") == "the server"
    assert commands_of_databases.database_text("a.db") == "a.db"
    Path("a b.db").write_bytes(b"SQLite format 3\0")
    with pytest.raises(
        InputError, match=r"a b.db is a SQLite file. .* classay sql TABLE --database 'a b.db'\."
    ):
        commands_of_databases.refuse_file("a b.db")
    Path("a b.csv").write_text("n\n1\n")
    with pytest.raises(
        InputError, match=r"a b.csv is a file of rows\. Use `classay assess 'a b.csv'`, or if it contains"
    ):
        commands_of_databases.refuse_file("a b.csv")
    assert commands_of_databases.refuse_file("none.csv") is None


def test_calls_have_the_defaults_of_their_docstrings():
    assert other_defaults(ca.assess_counts, ca.count_query, ca.scan, ca.scan_database) == {}
