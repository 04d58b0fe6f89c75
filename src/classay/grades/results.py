"""Grades of one run: document and JSON (docs/grades.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import counted
from classay.grades.assessing import GradesAssessment
from classay.grades.by_group import WEIGHT_TEXTS, GroupMeans
from classay.grades.estimates import NO_PASSES
from classay.grades.items import shown_cases
from classay.grades.records import Status
from classay.inference.requirements import Outcome
from classay.report.document import (
    Cell,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Label,
    MethodCell,
    PValue,
    Section,
    Table,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.shape import Key, Many, Result, Row
from classay.report.value_kinds import (
    COUNT,
    ESTIMATE,
    FLOAT,
    LEVEL,
    NUMBER_OR_NULL,
    PVALUE,
    REQUIREMENTS,
    TEXT,
    TEXTS,
    one_of,
    warnings,
)
from classay.texts import amount

RANDOM = (
    "The intervals cover the sampling variability of the cases, and of the answers to each case. The model, the grader "
    "and the task are held fixed."
)
_REASONS: dict[Status, str] = {"error": "error", "no grade": "empty grade", "scorer silent": "no score"}
_MOST_GRADES = 10
_MAIN_GROUPS = 15
"""Groups that a page shows before more are asked for."""
_TIMES = {1: "as now", 2: "twice", 4: "four times"}


def document_of(a: GradesAssessment) -> Document:
    """Return the mean with its interval, by group and of several answers, and what more data would bring."""
    mean = a.mean
    rows: list[tuple[Cell, ...]] = [(Label("mean grade"), EstimateCell(mean), MethodCell(mean))]
    if a.groups is not None:
        overall = a.groups.overall
        name = f"mean of the {len(a.groups.groups):,} groups, {WEIGHT_TEXTS[a.groups.weight]}"
        rows.append((Label(name, whole=True), EstimateCell(overall), MethodCell(overall)))
    interval = f" ({100 * a.level:g}% CI {mean.low:.3f} to {mean.high:.3f})" if mean.has_interval else ""
    return Document(
        f"Grades of {a.run.name}",
        (*a.facts, ("confidence level", f"{100 * a.level:g}%")),
        (f"The mean grade is {mean.value:.3f}{interval}.",),
        (
            Section("", (Table(_ESTIMATED, tuple(rows)),)),
            *([] if a.groups is None else [_by_group(a.groups)]),
            *_repeated(a),
            Section("Answers", (_answers(a),)),
            *([Section("Precision of more data", (_expected(a),))] if a.expected else []),
            *closing(RANDOM, a.warnings, ()),
        ),
    )


_ESTIMATED = (Column("", Label), Column("value", EstimateCell), Column("method", MethodCell))


def _by_group(groups: GroupMeans) -> Section:
    """Return the mean of each group, and its difference from all other answers."""
    rows: list[tuple[Cell, ...]] = [
        (
            Label("not recorded" if one.group is None else one.group, whole=True),
            Count(one.n_cases),
            EstimateCell(one.mean),
            Difference(one.difference),
            PValue(one.p_adjusted),
        )
        for one in groups.groups
    ]
    columns = (
        Column("", Label),
        Column("cases", Count),
        Column("mean", EstimateCell),
        Column("minus all others", Difference),
        Column("adjusted p", PValue),
    )
    tests = sum(one.p == one.p for one in groups.groups)
    foot = "Welch's t. " + (
        f"Adjusted p: Holm, {counted(tests, 'comparison')}."
        if len(groups.groups) > 2
        else "With two groups, both differences have the same test."
    )
    return Section(
        f"By {groups.by}", (Table(columns, tuple(rows), foot=foot if tests else "", main=_MAIN_GROUPS),)
    )


def _repeated(a: GradesAssessment) -> Iterator[Section]:
    """Yield what several answers to a case show; nothing where cases have one."""
    rows: list[tuple[Cell, ...]] = []
    for one in a.passing:
        for name, estimate in ((f"pass@{one.k}", one.any_passes), (f"pass^{one.k}", one.all_pass)):
            rows.append((Label(name), Count(one.n_cases), EstimateCell(estimate)))
    if not a.varying.is_undefined:
        rows.append((Label("cases with differing grades", whole=True), None, EstimateCell(a.varying)))
    if rows:
        columns = (Column("", Label), Column("cases", Count), Column("value", EstimateCell))
        foot = (
            "pass@k: at least one of k answers passes. pass^k: all k answers pass. Cases with fewer than k answers are "
            "excluded."
            if a.passing
            else f"{NO_PASSES}."
        )
        yield Section("Several answers per case", (Table(columns, tuple(rows), foot=foot),))


def _expected(a: GradesAssessment) -> Table:
    """Return the standard error that more cases or answers would bring."""
    rows = tuple(
        (
            Label(f"{_TIMES[one.cases]}, {_TIMES[one.answers]}" if one.cases * one.answers > 1 else "as now"),
            Words(f"{one.error:.4f}", value=one.error),
            Words(f"{one.half_width:.4f}", value=one.half_width),
        )
        for one in a.expected
    )
    columns = (
        Column("cases, answers per case", Label),
        Column("standard error", Words),
        Column("half-width", Words),
    )
    foot = (
        "The half-width is that of a t interval. The variation within and between cases is assumed constant."
    )
    return Table(columns, rows, foot=foot)


def _answers(a: GradesAssessment) -> Table:
    """Return how many answers have each grade, of a few grades, and how many have none; the cases that failed."""
    run = a.run
    values, statuses = run.mapped.values, np.array(run.mapped.statuses, object)
    levels = np.unique(values[~np.isnan(values)])
    worst = None if levels.size < 2 else levels[0] if run.better == "higher" else levels[-1]

    def row(name: str, has: NDArray[Any], *, names_cases: bool) -> tuple[Cell, ...]:
        cases = sorted({run.case[at] for at in np.flatnonzero(has).tolist()}) if names_cases else []
        return Label(name), Count(int(has.sum())), Words(shown_cases(cases))

    rows = [
        row(f"grade {amount(x)}", values == x, names_cases=x == worst)
        for x in levels.tolist()
        if levels.size <= _MOST_GRADES or x == worst
    ]
    if levels.size > _MOST_GRADES:
        rows.append(row("graded", ~np.isnan(values), names_cases=False))
    lacking = [row(word, statuses == status, names_cases=True) for status, word in _REASONS.items()]
    rows += [one for one, status in zip(lacking, _REASONS, strict=True) if a.counts.get(status, 0)]
    return Table((Column("", Label), Column("answers", Count), Column("cases", Words, 1)), tuple(rows))


REPORTED = Row(
    Key("value", FLOAT),
    Key("error", NUMBER_OR_NULL, help="The standard error, null if the tool gives none."),
    Key("over", TEXT, help="What the tool's mean is over."),
    Key(
        "cluster",
        TEXT,
        help="The column by which the tool's standard error is clustered, or empty.",
        added=True,
    ),
)
_PASS = Row(
    Key("k", COUNT.limited(minimum=1), help="Number of answers."),
    Key("any", ESTIMATE, "any_passes", "pass@k: at least one of k answers passes."),
    Key("all", ESTIMATE, "all_pass", "pass^k: all k answers pass."),
    Key("cases", COUNT, "n_cases", "Cases with at least k answers."),
)
_EXPECTED = Row(
    Key("cases", COUNT, help="Factor of the number of cases."),
    Key("answers", COUNT, help="Factor of the number of answers to a case."),
    Key("error", FLOAT, help="Expected standard error of the mean."),
    Key("half_width", FLOAT, help="Expected half of the width of a t interval."),
)
_GROUP = Row(
    Key("group", TEXT.or_null(), help="Null where it is not recorded."),
    Key("cases", COUNT, "n_cases"),
    Key("answers", COUNT, "n_answers"),
    Key("mean", ESTIMATE),
    Key("difference", ESTIMATE, help="The mean minus that of all other answers."),
    Key("p", PVALUE, help="P-value of no difference."),
    Key("p_adjusted", PVALUE, help="Adjusted for all groups (Holm)."),
)
_GROUPS = Row(
    Key("by", TEXT, help="The column."),
    Key("groups", Many(_GROUP)),
    Key("weight", one_of("equal", "cases"), help="How the groups count in their mean."),
    Key("overall", ESTIMATE, help="The mean of the means of the groups."),
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
    Key("error", NUMBER_OR_NULL, help="Standard error of the mean.", added=True),
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
    Key("differences", TEXTS, help="Why the mean or its error differs from that of the tool.", added=True),
    Key("passing", Many(_PASS), help="pass@k and pass^k, by k.", added=True),
    Key("varying", ESTIMATE, help="Share of cases with differing grades, of those with several.", added=True),
    Key("expected", Many(_EXPECTED), help="Standard errors that more data would bring.", added=True),
    Key("groups", _GROUPS.or_null(), help="The means of groups, null without them.", added=True),
    Key("level", LEVEL),
    Key("warnings", warnings("unanswered_dropped", "unanswered_wrong")),
    REQUIREMENTS,
    kind="grades",
)


def as_dict(a: GradesAssessment, outcomes: Sequence[Outcome] = ()) -> dict[str, Any]:
    """Return everything as plain values, and how requirements came out."""
    return GRADES.as_dict(a, {"requirements": outcomes} if outcomes else {})
