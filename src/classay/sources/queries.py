"""The one query that counts predictions inside a database, in the words of its dialect."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

from classay.errors import InputError, check_word
from classay.kinds import shown

Dialect = Literal[
    "duckdb", "sqlite", "postgres", "snowflake", "bigquery", "redshift", "databricks", "spark", "mysql",
    "sqlserver", "trino",
]  # fmt: skip

RUNGS = 40
"""Powers of two below a half whose bins are counted; nearer to 0 or 1, each score is counted by itself."""

MOST_BITS = 20


@dataclass(frozen=True)
class DialectWords:
    """What differs between dialects: the quotes of a name, the type of floats, how to round and to read a number."""

    opening: str = '"'
    closing: str = '"'
    double: str = "DOUBLE PRECISION"
    down: str = "FLOOR({0})"
    up: str = "CEIL({0})"
    number: str = "CAST({0} AS {1})"
    escapes: tuple[tuple[str, str], ...] = ()

    def name(self, text: str) -> str:
        """An identifier in quotes, in which the closing quote is doubled, or escaped where the dialect escapes."""
        if "\0" in text or not text:
            raise InputError(
                f"{text!r} is no name in a database: pass the names of the table and its columns."
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
    ),
    "postgres": DialectWords(),
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
) -> str:
    """The query that counts predictions: truth by prediction, or truth by bin of the score.

    `relation` is the name of a table, with a schema before a point, or a query (SELECT, WITH). Names are quoted; in
    Snowflake and others quoted names have the case in which they are stored. Scores are counted in bins that keep
    `bits` of the significand, as near 1 as near 0. Raises InputError for an unknown dialect, or without what to count.

    >>> print(count_query("shop.preds", truth="y", prediction="said", dialect="bigquery"))
    SELECT truth, prediction, COUNT(*) AS n
    FROM (SELECT `y` AS truth, `said` AS prediction FROM `shop`.`preds`) AS predictions
    GROUP BY truth, prediction
    """
    check_word("dialect", dialect, get_args(Dialect))
    if (score is None) == (prediction is None):
        raise InputError("pass either a column of scores (score=) or one of predicted labels (prediction=).")
    check_bits(bits)
    words = WORDS[dialect]
    source = _relation(relation, words)
    if prediction is not None:
        inner = f"SELECT {words.name(truth)} AS truth, {words.name(prediction)} AS prediction FROM {source}"
        return (
            f"SELECT truth, prediction, COUNT(*) AS n\nFROM ({inner}) AS predictions\n"
            "GROUP BY truth, prediction"
        )
    assert score is not None
    return _of_scores(source, words.name(truth), words.name(score), words, bits)


def no_row_query(relation: str, column: str, dialect: Dialect) -> str:
    """The query that gives no row of a column, and so its type alone.

    >>> print(no_row_query("shop.preds", "p", "duckdb"))
    SELECT "p" FROM "shop"."preds" WHERE 1 = 0
    """
    words = WORDS[dialect]
    return f"SELECT {words.name(column)} FROM {_relation(relation, words)} WHERE 1 = 0"


def check_bits(bits: Any) -> None:
    """Refuse a number of bits with which the steps of the query are no whole numbers that a float holds."""
    if not isinstance(bits, int) or not 0 < bits <= MOST_BITS:
        raise InputError(f"bits is {shown(bits)}: pass a whole number from 1 to {MOST_BITS}.")


def _relation(text: str, words: DialectWords) -> str:
    query = text.strip().rstrip(";").strip()
    if re.match(r"(?i)(select|with)[\s(*]", query):
        return f"({query}\n) AS source_rows"
    return ".".join(words.name(part) for part in query.split("."))


def _of_scores(source: str, truth: str, score: str, words: DialectWords, bits: int) -> str:
    """Three steps: the distance from the nearer of 0 and 1; the power of two it lies above; the step within that."""
    number = words.number.format(score, words.double)
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
      FROM (SELECT {truth} AS truth, {number} AS score FROM {source}) AS cast_rows
    ) AS distances
  ) AS rungs
) AS binned
GROUP BY truth, bin_scale, bin_step"""
