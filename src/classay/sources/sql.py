"""The one query that counts predictions inside a database, in the words of its dialect."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from classay.errors import InputError, check_word

Dialect = Literal[
    "duckdb", "sqlite", "postgres", "snowflake", "bigquery", "redshift", "databricks", "spark", "mysql",
    "sqlserver", "trino",
]  # fmt: skip

RUNGS = 40
"""Powers of two below a half whose bins are counted; nearer to 0 or 1, each score is counted by itself."""


@dataclass(frozen=True)
class Words:
    """What differs between dialects: the quotes of a name, the type of floats, how to round down and up."""

    opening: str = '"'
    closing: str = '"'
    double: str = "DOUBLE PRECISION"
    down: str = "FLOOR({0})"
    up: str = "CEIL({0})"

    def name(self, text: str) -> str:
        """An identifier in quotes, in which the closing quote is doubled."""
        if "\0" in text or not text:
            raise InputError(f"{text!r} is no name in a database.")
        return f"{self.opening}{text.replace(self.closing, 2 * self.closing)}{self.closing}"


_BACKTICKS = Words("`", "`", "DOUBLE")
WORDS: dict[str, Words] = {
    "duckdb": Words(double="DOUBLE"),
    "sqlite": Words(
        double="REAL",
        down="CAST({0} AS INTEGER)",  # of numbers from 0 up; FLOOR is there in some builds only
        up="(CAST({0} AS INTEGER) + ({0} > CAST({0} AS INTEGER)))",
    ),
    "postgres": Words(),
    "redshift": Words(),
    "snowflake": Words(double="DOUBLE"),
    "bigquery": Words("`", "`", "FLOAT64"),
    "databricks": _BACKTICKS,
    "spark": _BACKTICKS,
    "mysql": _BACKTICKS,
    "sqlserver": Words("[", "]", "FLOAT", up="CEILING({0})"),
    "trino": Words(double="DOUBLE"),
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


def _relation(text: str, words: Words) -> str:
    query = text.strip().rstrip(";").strip()
    if re.match(r"(?i)(select|with)\s", query):
        return f"({query}\n) AS source_rows"
    return ".".join(words.name(part) for part in query.split("."))


def _of_scores(source: str, truth: str, score: str, words: Words, bits: int) -> str:
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
      FROM (SELECT {truth} AS truth, CAST({score} AS {words.double}) AS score FROM {source}) AS cast_rows
    ) AS distances
  ) AS rungs
) AS binned
GROUP BY truth, bin_scale, bin_step"""
