"""Grades of one run: document and JSON (docs/grades.schema.json)."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.grades.assessing import GradesAssessment
from classay.grades.records import Status
from classay.report.document import (
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Label,
    MethodCell,
    Section,
    Table,
)
from classay.report.results.assessments import closing
from classay.report.shape import Key, Many, Result, Row
from classay.report.value_kinds import COUNT, ESTIMATE, FLOAT, LEVEL, NUMBER_OR_NULL, TEXT, warnings
from classay.texts import amount

RANDOM = (
    "The intervals cover the sampling variability of the cases, and of the answers to each case. The model, the grader "
    "and the task are held fixed."
)
_REASONS: dict[Status, str] = {"error": "error", "no grade": "empty grade", "scorer silent": "no score"}
_MOST_GRADES = 10


def document_of(a: GradesAssessment) -> Document:
    """Return the mean with its interval, how often each grade occurs, and how many answers have none."""
    mean = a.mean
    columns = (Column("", Label), Column("value", EstimateCell), Column("method", MethodCell))
    table = Table(columns, ((Label("mean grade"), EstimateCell(mean), MethodCell(mean)),))
    interval = f" ({100 * a.level:g}% CI {mean.low:.3f} to {mean.high:.3f})" if mean.has_interval else ""
    return Document(
        f"Grades of {a.run.name}",
        (*a.facts, ("confidence level", f"{100 * a.level:g}%")),
        (f"The mean grade is {mean.value:.3f}{interval}.",),
        (Section("", (table,)), Section("Answers", (_answers(a),)), *closing(RANDOM, a.warnings, ())),
    )


def _answers(a: GradesAssessment) -> Table:
    """Return how many answers have each grade, of a few grades, and how many have none."""
    graded = a.run.mapped.values[~np.isnan(a.run.mapped.values)]
    levels, counts = np.unique(graded, return_counts=True)
    rows: list[tuple[Cell, ...]] = []
    if levels.size <= _MOST_GRADES:
        rows += [
            (Label(f"grade {amount(x)}"), Count(n))
            for x, n in zip(levels.tolist(), counts.tolist(), strict=True)
        ]
    else:
        rows.append((Label("graded"), Count(graded.size)))
    lacking = {word: a.counts.get(status, 0) for status, word in _REASONS.items()}
    rows += [(Label(word), Count(number)) for word, number in lacking.items() if number]
    return Table((Column("", Label), Column("answers", Count)), tuple(rows))


REPORTED = Row(
    Key("value", FLOAT),
    Key("error", NUMBER_OR_NULL, help="The standard error, null if the tool gives none."),
    Key("over", TEXT, help="What the tool's mean is over."),
)
"""The mean that a tool reports."""
GRADES = Result(
    "grades",
    1,
    "Grades of one run",
    "What `to_dict()` of the grades of one run returns, and `classay grades --json` writes.",
    Key("run", TEXT, "run.name"),
    Key("tool", TEXT, "run.tool"),
    Key("task", TEXT.or_null(), "run.task"),
    Key("grade", TEXT, "run.grade"),
    Key("mean", ESTIMATE),
    Key("cases", COUNT, "n_cases", "Cases that count."),
    Key("answers", COUNT, "n_answers", "Answers that count."),
    Key("graded", COUNT, lambda a: a.counts.get("graded", 0), "Answers of the log with a grade."),
    Key("errors", COUNT, lambda a: a.counts.get("error", 0), "Answers that failed, or whose grader failed."),
    Key("empty", COUNT, lambda a: a.counts.get("no grade", 0), "Answers with an empty grade."),
    Key("silent", COUNT, lambda a: a.counts.get("scorer silent", 0), "Answers without a score."),
    Key("map", TEXT, "run.mapped.shown_map", "The number of every grade. Empty if grades are numbers."),
    Key(
        "bounds",
        Many(FLOAT).limited(minItems=2, maxItems=2).or_null(),
        "run.mapped.bounds",
        "Smallest and largest possible grade, null if not declared.",
    ),
    Key("reported", REPORTED.or_null(), "run.reported", "The mean by the tool, null if the log has none."),
    Key("level", LEVEL),
    Key("warnings", warnings("unanswered_dropped", "unanswered_wrong")),
    kind="grades",
)
as_dict: Any = GRADES.as_dict
