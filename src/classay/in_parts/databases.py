"""Counted in a database: the one query, in the words of its dialect, and its result as an assessment without rows."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence, Sized
from dataclasses import dataclass
from inspect import signature
from math import exp
from typing import Any, Literal, TypedDict, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from classay.answers import AnswerPolicy, Unanswered, choices
from classay.assessment.assessing import how_to_assess, input_rows, of_predictions
from classay.assessment.assessment import Assessment
from classay.assessment.row_arguments import EstimationArguments
from classay.columns import code_labels
from classay.columns.numbers import MOST_REPEATED
from classay.columns.numbers import counted as amount_of
from classay.columns.opened import rows_of
from classay.columns.scales import LOGITS, MORE_COLUMNS, refuse_idle_scale
from classay.errors import InputError, check_word
from classay.in_parts.connections import (
    DUCKDB,
    RefusedQueryError,
    answered,
    as_columns,
    driver_connection,
    driver_of,
)
from classay.kinds import ScoreScale, checked, refuse_unknown, shown
from classay.predictions import Predictions, check
from classay.sources.inputs import chosen, frame_columns
from classay.tables.binning import ABSENT, SIGNIFICAND, WITHIN, places
from classay.tables.bins import BinnedScoreTable, Bins
from classay.texts import hint

Dialect = Literal[
    "duckdb", "sqlite", "postgres", "snowflake", "bigquery", "redshift", "databricks", "spark", "mysql",
    "sqlserver", "trino",
]  # fmt: skip

RUNGS = 40
"""Powers of two below a half whose bins are counted; nearer to 0 or 1, each score is counted by itself."""

MOST_BITS = 20


@dataclass(frozen=True)
class DialectWords:
    """What differs between dialects: the quotes of a name, the type of floats, how to round and to read a number.

    `once` ends a subquery whose columns are then computed once. Without it PostgreSQL and SQLite put the subquery's
    expressions wherever its columns are named: logits of 100,000 rows took SQLite 120 times as long.
    """

    opening: str = '"'
    closing: str = '"'
    double: str = "DOUBLE PRECISION"
    down: str = "FLOOR({0})"
    up: str = "CEIL({0})"
    number: str = "CAST({0} AS {1})"
    escapes: tuple[tuple[str, str], ...] = ()
    once: str = ""

    def name(self, text: str) -> str:
        """An identifier in quotes, in which the closing quote is doubled, or escaped where the dialect escapes."""
        if not isinstance(text, str) or "\0" in text or not text:
            raise InputError(
                f"{text!r} is not a name in a database. {hint('Pass', 'Use')} the names of the table and its columns."
            )
        escapes: dict[str, str | int | None] = dict(self.escapes) or {self.closing: 2 * self.closing}
        return f"{self.opening}{text.translate(str.maketrans(escapes))}{self.closing}"


NUMERAL = "^ *[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)? *$"
"""The texts that are numbers, as a regular expression."""

_BACKTICKS = DialectWords("`", "`", "DOUBLE")
WORDS: dict[str, DialectWords] = {
    "duckdb": DialectWords(double="DOUBLE"),
    "sqlite": DialectWords(
        "`",  # in double quotes, what is the name of no column is a text
        "`",
        double="REAL",
        down="CAST({0} AS INTEGER)",  # of numbers from 0 up; FLOOR is there in some builds only
        up="(CAST({0} AS INTEGER) + ({0} > CAST({0} AS INTEGER)))",
        # a cast makes 0 of text that is no number; beside a number, text that is one equals it
        number="CASE WHEN {0} = CAST({0} AS {1}) THEN CAST({0} AS {1}) WHEN {0} IS NOT NULL THEN -1e0 END",
        once=" LIMIT -1",
    ),
    "postgres": DialectWords(once=" OFFSET 0"),
    "redshift": DialectWords(),
    "snowflake": DialectWords(double="DOUBLE"),
    "bigquery": DialectWords(
        "`",
        "`",
        "FLOAT64",
        # in quoted names as in its texts, a backslash begins an escape
        escapes=(("\\", r"\\"), ("`", r"\`"), ("\n", r"\n"), ("\r", r"\r")),
    ),
    "databricks": _BACKTICKS,
    "spark": _BACKTICKS,
    "mysql": DialectWords(
        "`",
        "`",
        "DOUBLE",
        # a cast makes 0 of text that is no number, and compares equal to it
        number=f"CASE WHEN CAST({{0}} AS CHAR) REGEXP '{NUMERAL}' THEN CAST({{0}} AS {{1}}) "
        "WHEN {0} IS NOT NULL THEN -1e0 END",
    ),
    "sqlserver": DialectWords(
        "[",
        "]",
        "FLOAT",
        up="CEILING({0})",
        # a cast makes 0 of empty text; text that is no number is an error there
        number="CASE WHEN CAST({0} AS NVARCHAR(4000)) = '' THEN -1e0 ELSE CAST({0} AS {1}) END",
    ),
    "trino": DialectWords(double="DOUBLE"),
}


def count_query(
    relation: str,
    *,
    truth: str,
    score: str | None = None,
    prediction: str | None = None,
    dialect: Dialect = "postgres",
    bits: int = 10,
    score_scale: ScoreScale | None = None,
) -> str:
    """Write the query that counts predictions in a database.

    It counts true by predicted labels, or true labels by bin of the score.

    Parameters
    ----------
    relation : str
        Name of a table, with its schema before a point, or a query (SELECT, WITH). A name with a point
        needs quotes (`'"a.b"'`). In Snowflake and others quoted names have the case in which they are
        stored.
    truth : str
        Column of the true labels.
    score : str, optional
        Column of the scores.
    prediction : str, optional
        Column of the predicted labels.
    dialect : str, default "postgres"
        Dialect of SQL: "duckdb", "sqlite", "postgres", "snowflake", "bigquery", "redshift", "databricks",
        "spark", "mysql", "sqlserver" or "trino".
    bits : int, default 10
        Bits of the significand that bins of scores keep. Bins near 1 are as fine as near 0.
    score_scale : {"probability", "logit"}, optional
        "logit" converts scores to probabilities in the query, by 1 / (1 + e^-s).

    Returns
    -------
    str
        The query, with quoted names.

    Raises
    ------
    InputError
        If `dialect` is unknown.
        If neither `score` nor `prediction` is given.
        If `score_scale` is "count", which needs one column per class.

    Examples
    --------
    >>> print(count_query("shop.preds", truth="y", prediction="said", dialect="bigquery"))
    SELECT truth, prediction, COUNT(*) AS n
    FROM (SELECT `y` AS truth, `said` AS prediction FROM `shop`.`preds`) AS predictions
    GROUP BY truth, prediction
    """
    check_word("dialect", dialect, get_args(Dialect))
    if (score is None) == (prediction is None):
        score_option, label_option = hint("score=", "--score"), hint("prediction=", "--prediction")
        raise InputError(
            f"A query needs {score_option} or {label_option}."
            if score is None
            else f"{score_option} and {label_option} cannot be combined. Remove one of the two."
        )
    check_bits(bits)
    _check_scale(score_scale, has_scores=score is not None)
    words = WORDS[dialect]
    source = _relation(relation, words)
    if prediction is not None:
        inner = f"SELECT {words.name(truth)} AS truth, {words.name(prediction)} AS prediction FROM {source}"
        return (
            f"SELECT truth, prediction, COUNT(*) AS n\nFROM ({inner}) AS predictions\n"
            "GROUP BY truth, prediction"
        )
    assert score is not None
    are_logits = score_scale == "logit"
    number = words.number.replace(NO_NUMBER, FAR) if are_logits else words.number
    columns = f"{words.name(truth)} AS truth, {number.format(words.name(score), words.double)} AS score"
    rows = f"SELECT {columns} FROM {source}"
    return _of_scores(_of_logits(rows, words) if are_logits else rows, words, bits)


def no_row_query(relation: str, column: str, dialect: Dialect) -> str:
    """Return the query that gives no row of a column, and so its type alone.

    >>> print(no_row_query("shop.preds", "p", "duckdb"))
    SELECT "p" FROM "shop"."preds" WHERE 1 = 0
    """
    words = WORDS[dialect]
    return f"SELECT {words.name(column)} FROM {_relation(relation, words)} WHERE 1 = 0"


def check_bits(bits: Any) -> None:
    """Refuse a number of bits with which the steps of the query are no whole numbers that a float holds."""
    if not isinstance(bits, int) or not 0 < bits <= MOST_BITS:
        raise InputError(f"bits must be a whole number from 1 to {MOST_BITS}, but is {shown(bits)}.")


def _relation(text: str, words: DialectWords) -> str:
    query = text.strip().rstrip(";").strip()
    if re.match(r"(?i)(select|with)[\s(*]", query):
        return f"({query}\n) AS source_rows"
    quoted = r'"(?:[^"]|"")+"|`[^`]+`|\[[^\]]+\]'
    if not re.fullmatch(rf"(?:{quoted}|[^.]+)(?:\.(?:{quoted}|[^.]+))*", query):
        return ".".join(words.name(part) for part in query.split("."))
    parts = re.findall(rf"{quoted}|[^.]+", query)
    return ".".join(
        words.name(part[1:-1].replace('""', '"') if re.fullmatch(quoted, part) else part) for part in parts
    )


NO_NUMBER, FAR = "-1e0", "-1e301"
"""What texts that are no numbers become, of probabilities and of logits: a score that is refused."""
FARTHEST_LOGIT = 708.0
"""The logit up to which databases compute e^-s: PostgreSQL refuses to round it to 0."""


def _check_scale(scale: ScoreScale | None, *, has_scores: bool) -> None:
    """Refuse a scale without scores, one that needs more columns, and words that are none."""
    if scale is None:
        return
    check_word("score_scale", scale, get_args(ScoreScale))
    if not has_scores:
        refuse_idle_scale(scale)
    if scale == "count":
        raise InputError(MORE_COLUMNS)


def _precision_in(precision: Precision, scale: ScoreScale | None, *, has_scores: bool) -> Precision:
    """Return the precision of the scores as they are counted: logits become probabilities of double precision."""
    check_word("precision", precision, get_args(Precision))
    _check_scale(scale, has_scores=has_scores)
    return "float64" if scale == "logit" else precision


def _of_logits(rows: str, words: DialectWords) -> str:
    """The rows with probabilities in place of logits; those that are infinite, or no numbers, stay as they are."""
    return f"""\

        SELECT truth, CASE
          WHEN e IS NULL THEN score
          WHEN score < 0 THEN e / (1e0 + e)
          ELSE 1e0 / (1e0 + e) END AS score
        FROM (
          SELECT truth, score, CASE
            WHEN NOT (score >= -1e300 AND score <= 1e300) THEN NULL
            WHEN ABS(score) > {FARTHEST_LOGIT!r} THEN {exp(-FARTHEST_LOGIT)!r}
            ELSE EXP(-ABS(score)) END AS e
          FROM ({rows}{words.once}) AS logits{words.once}
        ) AS exponentials
      """


def _of_scores(rows: str, words: DialectWords, bits: int) -> str:
    """Three steps: the distance from the nearer of 0 and 1; the power of two it lies above; the step within that."""
    rungs = "\n      ".join(f"WHEN x > {2.0**-i!r} THEN {2 ** (i + bits)}e0" for i in range(2, RUNGS + 1))
    down, up = words.down.format("x * scale"), words.up.format("x * scale")
    return f"""\
SELECT truth, bin_scale, bin_step, COUNT(*) AS n, COUNT(score) AS scored,
  MIN(score) AS lowest_score, MAX(score) AS highest_score, SUM(score) AS total_score
FROM (
  SELECT truth, score, scale AS bin_scale, CASE
      WHEN NOT (score >= 0 AND score <= 1) THEN NULL
      WHEN scale IS NULL AND score < 0.5 THEN x
      WHEN scale IS NULL AND x > 0 THEN -x
      WHEN scale IS NULL THEN -1e0
      WHEN score < 0.5 THEN {down}
      ELSE -1 - {up} END AS bin_step
  FROM (
    SELECT truth, score, x, CASE
      WHEN NOT (score >= 0 AND score <= 1) THEN -1e0
      {rungs}
      ELSE NULL END AS scale
    FROM (
      SELECT truth, score, CASE WHEN score < 0.5 THEN score ELSE 1 - score END AS x
      FROM ({rows}{words.once}) AS cast_rows{words.once}
    ) AS distances{words.once}
  ) AS rungs
) AS binned
GROUP BY truth, bin_scale, bin_step"""


Array = NDArray[Any]
MissingTruth = Literal["refuse", "drop"]
"""What becomes of cases without a true label."""
OF_SCORES = ("truth", "n", "scored", "lowest_score", "highest_score", "total_score")
OF_LABELS = ("truth", "prediction", "n")
"""The columns of the results."""
Precision = Literal["float32", "float64"]
"""The precision of a column of scores."""
_OF_32_BITS = {"duckdb": "FLOAT", "_duckdb": "FLOAT", "psycopg": "700", "psycopg2": "700"}
"""What drivers call the type of floats of 32 bits; PostgreSQL by the number of the type."""


class CountsOptions(TypedDict, total=False):
    """The arguments of `assess_counts` that do not change the query."""

    positive: Hashable | None
    labels: Sequence[Hashable] | None
    ordered: bool
    threshold: float | None
    level: float
    seed: int
    interval: str | None
    missing: MissingTruth
    unanswered: Unanswered
    precision: Precision


@checked
def assess_counts(
    result: Any,
    *,
    positive: Hashable | None = None,
    labels: Sequence[Hashable] | None = None,
    ordered: bool = False,
    threshold: float | None = None,
    bits: int = 10,
    level: float = 0.95,
    seed: int = 0,
    interval: str | None = None,
    missing: MissingTruth = "refuse",
    unanswered: Unanswered = "refuse",
    precision: Precision = "float64",
    score_scale: ScoreScale | None = None,
) -> Assessment:
    """Assess the result of `count_query`.

    Counts of labels give the confusion matrix. Counts of scores give bins, in which every ranking measure
    has the ends between which its exact value lies.

    Parameters
    ----------
    result : frame, mapping or rows
        The columns of the result, or its rows with names of the columns, such as those of
        `spark.sql(query).collect()`.
    positive : label, optional
        The positive class. The default is 1 (or True, "1", 1.0). Name it for all other labels.
    labels : sequence, optional
        All classes, also those that do not occur.
    ordered : bool, default False
        Whether the sequence of `labels` is an order, which ordinal measures use. Databases do not know it.
    threshold : float, optional
        A case is predicted positive if `score >= threshold`.
    bits : int, default 10
        Bits of the significand that bins of scores keep, as in the query.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int, default 0
        Start of all random numbers. Equal seeds give equal results.
    interval : str, optional
        One method for the intervals of all measures that it applies to. The methods are bootstrap and, for
        proportions, Wilson, Clopper-Pearson, mid-P, Jeffreys, Agresti-Coull, Wald and corrected Wald. All
        other measures keep their default.
    missing : {"refuse", "drop"}, default "refuse"
        What to do with cases without a true label. "drop" excludes them. A warning follows where their
        scores or predicted labels show that labels exist for chosen cases only.
    unanswered : {"refuse", "wrong", "drop"}, default "refuse"
        What to do with cases without a score or predicted label. "wrong" counts them as incorrect, "drop"
        excludes and counts them.
    precision : {"float64", "float32"}, default "float64"
        Precision of the column of scores, in which the threshold is compared. "float32" is for REAL or
        FLOAT of 4 bytes.
    score_scale : {"probability", "logit"}, optional
        The scale of the query, which converts logits to probabilities of double precision.

    Returns
    -------
    Assessment
        The assessment of the counted cases.

    Raises
    ------
    InputError
        If a score is NaN, infinite or outside [0, 1].

    Notes
    -----
    Repeated ids are not detected, because the query counts cases without their ids.

    Examples
    --------
    >>> a = assess_counts({"truth": [0, 0, 1, 1], "prediction": [0, 1, 0, 1], "n": [90, 5, 3, 12]}, positive=1)
    >>> a["recall"]
    Estimate(0.800 [0.548, 0.930] 95%, Wilson)
    """
    how = how_to_assess(threshold, level, seed, interval)
    check_bits(bits)
    args: dict[str, Any] = {"positive": positive, "labels": labels, "ordered": ordered}
    names = _names(result := as_columns(result))
    wanted = OF_LABELS if "prediction" in names.values() else OF_SCORES
    actual = {plain: name for name, plain in names.items() if plain in wanted}
    chosen(wanted, [*names.values()], "the table of counts")
    columns = frame_columns(result, [actual[plain] for plain in wanted])
    data = {plain: columns[actual[plain]] for plain in wanted}
    _refuse_unequal(data)
    times = _counts(data["n"], "n")
    policy = AnswerPolicy.of(missing, unanswered)
    known = code_labels(data["truth"], "truth").codes >= 0
    unknown = int(times[~known].sum())
    _refuse_missing(unknown, policy)
    precision = _precision_in(precision, score_scale, has_scores=wanted is OF_SCORES)
    if wanted is OF_LABELS:
        gone = code_labels(data["prediction"], "prediction").codes < 0
        _refuse_unanswered(int(times[gone & known].sum()), policy, "prediction")
        args |= {"y_pred": data["prediction"], "frequency": times, "policy": policy}
        a = of_predictions(check(input_rows(data["truth"], **args)), **how)
        return _of_rows(a, times[known], gone[known], unknown=unknown)
    scored = _counts(data["scored"], "scored")
    if (scored > times).any():
        raise InputError(f"scored is larger than n in the counts. {UNCHANGED}")
    lacking = np.where(known, times - scored, 0)  # without a truth too, a case is left out for that
    _refuse_unanswered(int(lacking.sum()), policy, "score")
    unscored = int(lacking.sum())
    gone = np.zeros(times.size, bool)
    if (times > scored).any() or not scored.all():  # groups without cases have no scores either
        valued = np.flatnonzero(scored)
        others = np.flatnonzero(lacking)[: None if policy.unanswered == "wrong" else 0]
        places = np.concatenate([valued, others])
        gone, times = np.arange(places.size) >= valued.size, np.concatenate([scored[valued], lacking[others]])
        scored = np.where(gone, 0, times)
        if not places.size:
            raise InputError("All scores are missing. Check the column of scores.")
        data = {name: rows_of(column, places) for name, column in data.items()}
        known = known[places]
    least, most, total = (
        np.where(gone, 0.0, _numbers(data[name], name))
        for name in ("lowest_score", "highest_score", "total_score")
    )
    _refuse_improper(least, most, times, score_scale)
    _refuse_odd_totals(least, most, total, scored)
    mean = np.clip(total / np.maximum(scored, 1), least, most)
    rows = check(
        input_rows(data["truth"], np.where(gone, np.nan, mean), frequency=times, policy=policy, **args)
    )
    times, gone = times[known], gone[known]
    table = _table_of(rows, times, gone, [each[known] for each in (least, most, mean)], bits, precision)
    without_threshold: EstimationArguments = {**how, "threshold": None}
    a = of_predictions(rows, bits=bits, **without_threshold).changed(score_scale=score_scale)
    used = 0.5 if threshold is None else threshold
    matrix = table.at(used).restrict(rows.labels)
    return _of_rows(
        a.changed(
            scores=table, confusion_matrix=matrix, cutoff=float(used), cutoff_chosen=threshold is not None
        ),
        times,
        gone,
        unscored,
        unknown,
    )


def _table_of(
    rows: Predictions, times: Array, gone: Array, scores: Sequence[Array], bits: int, precision: Precision
) -> BinnedScoreTable:
    """The bins of groups of scores with their least, greatest and mean score; `gone` rank worst, beyond all scores."""
    assert rows.score is not None
    assert rows.is_binary
    least, most, mean = (np.where(gone, rows.score, each) for each in scores)
    bins = _bins(rows.is_positive, times, least, most, mean, bits, precision)
    return BinnedScoreTable.of(bins, (rows.negative, rows.positive))


@checked
def scan_database(
    connection: Any,
    relation: str,
    *,
    truth: str,
    score: str | None = None,
    prediction: str | None = None,
    dialect: Dialect | None = None,
    bits: int = 10,
    score_scale: ScoreScale | None = None,
    **how: Unpack[CountsOptions],
) -> Assessment:
    """Assess a table or a query inside a database.

    One query counts there, and only counts leave the database. Nothing is written.

    Parameters
    ----------
    connection : connection
        A connection of DuckDB, sqlite3, psycopg or any other driver that follows Python's database
        interface, or an engine, connection or session of SQLAlchemy.
    relation : str
        Name of a table, or a query, as in `count_query`.
    truth : str
        Column of the true labels.
    score : str, optional
        Column of the scores.
    prediction : str, optional
        Column of the predicted labels.
    dialect : str, optional
        Dialect of SQL, as in `count_query`. The three named drivers and SQLAlchemy have a known one.
    bits : int, default 10
        Bits of the significand that bins of scores keep.
    score_scale : {"probability", "logit"}, optional
        "logit" converts scores to probabilities inside the database, by 1 / (1 + e^-s).
    **how
        Further arguments of `assess_counts`. For other drivers than DuckDB and PostgreSQL, `precision=`
        states the precision of the scores.

    Returns
    -------
    Assessment
        The assessment of the counted cases.

    Raises
    ------
    InputError
        If `count_query` or `assess_counts` raises it.

    Examples
    --------
    >>> import sqlite3
    >>> from contextlib import closing
    >>> with closing(sqlite3.connect(":memory:")) as connection:
    ...     _ = connection.execute("create table preds (y integer, p real)")
    ...     _ = connection.executemany("insert into preds values (?, ?)", [(1, 0.9), (1, 0.4), (0, 0.6), (0, 0.1)])
    ...     scan_database(connection, "preds", truth="y", score="p")["roc_auc"].value
    0.75
    """
    refuse_unknown("scan_database", how, signature(assess_counts).parameters)
    columns = {"truth": truth, "score": score, "prediction": prediction}
    with driver_connection(connection) as (driven, engine_dialect):
        actual = DIALECTS.get(driver_of(driven), engine_dialect)
        spoken = _known_dialect(dialect or actual, driven)
        query = count_query(relation, **columns, dialect=spoken, bits=bits, score_scale=score_scale)  # type: ignore[arg-type]
        try:
            if score is not None and "precision" not in how and score_scale != "logit":
                how["precision"] = _precision_of(driven, no_row_query(relation, score, spoken))
            rows = _fetched(driven, query)
        except RefusedQueryError as error:
            if actual in (None, spoken):
                raise
            right, wrong = (hint(f"dialect={name!r}", f"--dialect {name}") for name in (actual, spoken))
            raise InputError(f"{error.said}. Use {right} instead of {wrong}.") from error
    return assess_counts(rows, bits=bits, score_scale=score_scale, **how)


DIALECTS: Mapping[str, Dialect] = {
    "sqlite3": "sqlite",
    "duckdb": "duckdb",
    "_duckdb": "duckdb",
    "psycopg": "postgres",
    "psycopg2": "postgres",
}
"""The dialects of the drivers that tell it."""


def _known_dialect(name: str | None, connection: Any) -> Dialect:
    if name is None:
        raise InputError(f"The dialect of a connection of {driver_of(connection)} is unknown. Pass dialect=.")
    check_word("dialect", name, get_args(Dialect))
    return name  # type: ignore[return-value]


UNCHANGED = f"{hint('Pass', 'Use')} the unchanged result of the query."
"""What to do about counts that no query of classay gives."""


def _precision_of(connection: Any, query: str) -> Precision:
    """Return the precision of the one column of a query, where the driver tells it."""
    if driver_of(connection) in DUCKDB:  # older ones call every number of a result the same
        ((_, kind, *_),), _ = answered(connection, f"DESCRIBE {query}")
    else:
        _, ((_, kind, *_),) = answered(connection, query)
    return "float32" if _OF_32_BITS.get(driver_of(connection)) == str(kind) else "float64"


def _fetched(connection: Any, query: str) -> dict[str, list[Any]]:
    rows, described = answered(connection, query)
    if not rows:
        raise InputError("The table or query has no rows. Use a table or query with predictions.")
    names = [each[0] for each in described]
    if isinstance(rows[0], Mapping):  # a connection may make dicts of its rows
        return {name: [row[name] for row in rows] for name in names}
    return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}


def _names(result: Any) -> dict[str, str]:
    """Return the names of the columns, and as they are in the query: some warehouses give them in capitals."""
    names = [*result] if isinstance(result, Mapping) else list(getattr(result, "columns", []))
    if hasattr(result, "column_names"):
        names = list(result.column_names)
    return {name: str(name).lower() for name in names}


def _refuse_unequal(columns: Mapping[str, Sized]) -> None:
    rows = {name: len(column) for name, column in columns.items()}
    if len({*rows.values()}) > 1:
        lengths = ", ".join(f"{name} {amount_of(n)}" for name, n in rows.items())
        raise InputError(f"The columns of the counts have different lengths ({lengths}). {UNCHANGED}")


def _numbers(column: Any, name: str) -> Array:
    values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    try:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} of the counts contains text instead of numbers. {UNCHANGED}") from error


def _counts(column: Any, name: str) -> Array:
    """Numbers of rows, which are whole."""
    numbers = _numbers(column, name)
    fits = (numbers >= 0) & (numbers <= MOST_REPEATED) & (numbers == np.floor(numbers))
    if not fits.all():
        raise InputError(
            f"{name} of the counts contains {numbers[~fits][0]:g}, but must be whole numbers from 0 to "
            f"{MOST_REPEATED:,}. {UNCHANGED}"
        )
    return numbers.astype(np.int64)


def _refuse_missing(missing: int, policy: AnswerPolicy) -> None:
    if missing and policy.missing == "refuse":
        option = hint("missing='drop'", "--missing drop")
        raise InputError(
            f"truth has missing values in {amount_of(missing)}. Use {option} to exclude these cases."
        )


def _refuse_improper(least: Array, most: Array, times: Array, scale: ScoreScale | None) -> None:
    proper = (least >= 0) & (most <= 1)
    if not proper.all():
        convert = "Assess" if scale == "logit" else f"Use {LOGITS} to convert logits, or assess"
        raise InputError(
            f"score is not a number, infinite or outside [0, 1] in {amount_of(int(times[~proper].sum()))}. A database "
            f"counts probabilities. {convert} the rows themselves for other scores."
        )


def _refuse_odd_totals(least: Array, most: Array, total: Array, scored: Array) -> None:
    """A total lies between its number of rows at the lowest and at the highest score, but for rounding."""
    room = 1e-3 * most * scored
    if not ((least <= most) & (total >= least * scored - room) & (total <= most * scored + room)).all():
        raise InputError(
            "total_score of the counts is not between scored times lowest_score and scored times highest_score. "
            f"{UNCHANGED}"
        )


def _bins(
    positive: Array, times: Array, least: Array, most: Array, mean: Array, bits: int, precision: Precision
) -> Bins:
    """Groups as bins. Raises InputError where a group spans several, because the database rounds differently."""
    shift = SIGNIFICAND - bits
    low, high, middle = (places(each) for each in (least, most, mean))
    keys = low >> shift
    if (keys != high >> shift).any():
        raise InputError(
            f"A group of scores spans several bins. Use the same {hint('bits=', '--bits')} as for the query. "
            f"{UNCHANGED}"
        )
    cls = np.stack([~positive, positive])
    inside = (middle >> (shift - WITHIN)) & ((1 << WITHIN) - 1)
    groups = Bins(
        bits,
        precision,
        keys,
        np.where(cls, times, 0),
        None,
        np.where(cls, inside * times, 0),
        np.where(cls, low, ABSENT),
        np.where(cls, high, -ABSENT),
        None,
    )
    return groups.put_together()


def _refuse_unanswered(missing: int, policy: AnswerPolicy, name: str) -> None:
    if missing and policy.unanswered == "refuse":
        raise InputError(f"{name} has missing values in {amount_of(missing)}. {choices()}")


def _of_rows(a: Assessment, times: Array, gone: Array, unscored: int = 0, unknown: int = 0) -> Assessment:
    """Return each case was a row, though it came in a count; `gone` are the counts of those without an answer.

    `unscored` cases lack a score; where they are left out, no count is among them. `unknown` cases have no truth, and
    no count is among them.
    """
    unanswered = unscored or int(times[gone].sum())
    dropped = unanswered if a.no_answer is None else 0
    rows = int(times.sum()) - (0 if unscored else dropped)
    return a.changed(
        rows=rows, dropped=dropped + unknown, unanswered=unanswered, unscored=unscored, kind_of_weight="none"
    )
