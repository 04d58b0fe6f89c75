"""Three runs or more: document and JSON (docs/graded_runs.schema.json)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from classay.grades.items import OUTCOMES, shown_cases
from classay.grades.leaderboard import GradesLeaderboard, GroupBoard
from classay.grades.reading import GradedRun
from classay.grades.records import Status
from classay.grades.results import REPORTED
from classay.inference.estimate import number
from classay.report.document import (
    COVERS,
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Label,
    Prose,
    Section,
    Table,
    Words,
)
from classay.report.paper import of_facts
from classay.report.results import compared_models
from classay.report.results.assessments import closing
from classay.report.results.compared_shapes import BOARD, COMPARE
from classay.report.shape import ByName, Key, Many, Result, Row
from classay.report.value_kinds import (
    COUNT,
    ESTIMATE,
    FLOAT,
    NUMBER,
    NUMBER_OR_NULL,
    TEXT,
    WARNINGS,
    WEIGHT,
    one_of,
)
from classay.texts import some

RANDOM = (
    "The intervals cover the sampling variability of the cases, and of the answers to each case. The models, the "
    "grader and the task are held fixed."
)
MOST_PAIRS = 10
"""Pairs of runs up to which a text shows all of them."""
MOST_ROWS = 30
"""Runs or groups that a text shows; the JSON has all."""
_NAMED = 4
_ALWAYS = ("all pass", "all fail", "runs differ")
"""Outcomes whose number is shown, even if it is 0."""
_HEADS: dict[str, str] = {
    "all pass": "all runs pass",
    "all fail": "all runs fail",
    "same grade": "same grade in all runs",
    "runs differ": "runs differ (largest first)",
}


def document_of(a: GradesLeaderboard) -> Document:
    """Return the leaderboard, of all cases and by group, the cases, the agreement of runs, and their answers."""
    document = compared_models.document_of(a.comparisons)
    boards = [part for part in document.sections if part.role == "plain" and part.title != COVERS]
    n_pairs = len(a.runs) * (len(a.runs) - 1) // 2
    pairs = [Section("Pairs of runs", (_pairs(a),))] if n_pairs <= MOST_PAIRS else []
    facts = (*a.facts, ("confidence level", f"{100 * a.comparisons.level:g}%"))
    return Document(
        f"Leaderboard of {len(a.runs):,} runs",
        compared_models.shortened(facts),
        document.verdict,
        (
            *boards,
            *(Section(f"Groups of {name}", (_groups(a, part),)) for name, part in a.groups.items()),
            *pairs,
            Section("Cases", (_cases(a),)),
            *_agreement(a),
            *_answers(a.runs),
            *closing(RANDOM, a.warnings, (), _methods(a)),
        ),
    )


def _methods(a: GradesLeaderboard) -> str:
    """Return what was compared, and how."""
    boards = compared_models.methods_of_boards(a.comparisons.leaderboards)
    agreement = "Agreement compares every answer of a run with every answer of another run to the same case."
    return " ".join(filter(None, (*of_facts(a.facts), agreement, boards and f"{boards}.")))


def _pairs(a: GradesLeaderboard) -> Table:
    """Return the differences of all pairs, adjusted together."""
    rows = [(Label(" minus ".join(pair.models)), pair) for pair in a.comparisons]
    return compared_models.table_of(rows, (), compared_models.heads_of(a.comparisons), "")


def _groups(a: GradesLeaderboard, boards: tuple[GroupBoard, ...]) -> Table:
    """Return the best run of each group, and which runs may be the best there."""
    columns = (
        Column("", Label),
        Column("cases", Count),
        Column("best", Words),
        Column("value", EstimateCell),
        Column("may be best", Words),
    )
    rows: list[tuple[Cell, ...]] = []
    for part in boards[:MOST_ROWS]:
        board, first = part.leaderboard, part.leaderboard.standings[0]
        leaders, best = some(board.leaders, _NAMED), board.may_be_best
        names = "all runs" if len(best) == len(board.standings) else some(best, _NAMED)
        rows.append(
            (Label(part.group), Count(part.cases), Words(leaders), EstimateCell(first.value), Words(names))
        )
    notes = [
        f"The table shows the first {MOST_ROWS} of {len(boards):,} groups."
        if len(boards) > MOST_ROWS
        else "",
        f"{a.ungrouped:,} answers have no group." if a.ungrouped else "",
        f"Intervals and runs that may be best are jointly valid for all {len(boards):,} groups (Bonferroni).",
    ]
    return Table(columns, tuple(rows), foot=" ".join(filter(None, notes)))


def _cases(a: GradesLeaderboard) -> Table:
    """Return how many cases all runs pass or fail, and in how many they differ."""
    rows = []
    for outcome in OUTCOMES:
        names = a.items.named(outcome)
        if names or outcome in _ALWAYS:
            rows.append((Label(_HEADS[outcome]), Count(len(names)), Words(shown_cases(names))))
    return Table((Column("", Label), Column("cases", Count), Column("such as", Words, 1)), tuple(rows))


def _agreement(a: GradesLeaderboard) -> Iterator[Section]:
    """Yield how far the runs agree: each pair of few, of more those that agree least and most."""
    agreement = a.agreement
    if agreement.reason is not None:
        yield Section("Agreement of runs", (Prose(f"Agreement is not defined: {agreement.reason}."),))
        return
    columns = (Column("", Label), Column("agreement", EstimateCell), Column("kappa", Words))
    shown = agreement.pairs() if len(agreement.places) <= MOST_PAIRS else agreement.extremes
    heads = [""] * len(shown) if len(agreement.places) <= MOST_PAIRS else ["least: ", "most: "]
    rows = [
        (Label(f"{head}{pair.first}, {pair.second}"), EstimateCell(pair.agreement), Words(number(pair.kappa)))
        for head, pair in zip(heads, shown, strict=True)
    ]
    note = f"On average, two runs have the same grade in {100 * agreement.mean:.1f}% of answers to the same case."
    yield Section("Agreement of runs", (Table(columns, tuple(rows), note=note),))


def _answers(runs: tuple[GradedRun, ...]) -> Iterator[Section]:
    """Yield how many answers of each run have a grade, why others have none, and the mean by the tool."""
    reasons: dict[Status, str] = {"error": "errors", "no grade": "empty grades", "scorer silent": "no score"}
    counts = [Counter(run.mapped.statuses) for run in runs]
    used = [status for status in reasons if any(count[status] for count in counts)]
    has_means = any(run.reported is not None for run in runs)
    if not (used or has_means):
        return
    columns = [
        Column("", Label),
        Column("graded", Count),
        *(Column(reasons[status], Count) for status in used),
    ]
    columns += [Column("mean by the tool", Words, 1)] * has_means
    rows: list[tuple[Cell, ...]] = []
    for run, count in list(zip(runs, counts, strict=True))[:MOST_ROWS]:
        cells: list[Cell] = [
            Label(run.name),
            Count(count["graded"]),
            *(Count(count[status]) for status in used),
        ]
        cells += [Words("" if run.reported is None else number(run.reported.value))] * has_means
        rows.append(tuple(cells))
    more = f"The table shows the first {MOST_ROWS} of {len(runs):,} runs." if len(runs) > MOST_ROWS else ""
    yield Section("Answers", (Table(tuple(columns), tuple(rows), foot=more),))


_RUN = Row(
    Key("run", TEXT, "name"),
    Key("tool", TEXT),
    Key("task", TEXT.or_null()),
    Key("graded", COUNT, lambda run: run.mapped.statuses.count("graded"), "Answers with a grade."),
    Key(
        "errors",
        COUNT,
        lambda run: run.mapped.statuses.count("error"),
        "Answers that failed, or whose grader failed.",
    ),
    Key("empty", COUNT, lambda run: run.mapped.statuses.count("no grade"), "Answers with an empty grade."),
    Key("silent", COUNT, lambda run: run.mapped.statuses.count("scorer silent"), "Answers without a score."),
    Key("reported", REPORTED.or_null(), help="The mean by the tool, null if the log has none."),
)
_GROUP = Row(Key("group", TEXT), Key("cases", COUNT), Key("leaderboard", BOARD))
_CASE = Row(
    Key("case", TEXT, itemgetter("case")),
    Key("outcome", one_of(*OUTCOMES), itemgetter("outcome")),
    Key("mean", FLOAT, itemgetter("mean"), "Mean grade of all runs."),
    Key("spread", WEIGHT, itemgetter("spread"), "Standard deviation between runs."),
    Key(
        "discrimination",
        NUMBER_OR_NULL,
        itemgetter("discrimination"),
        "Correlation with the mean of the other cases, over runs. Null without variation.",
    ),
)
_PAIR = Row(
    Key("first", TEXT),
    Key("second", TEXT),
    Key("agreement", ESTIMATE, help="Share of answers to the same case with the same grade."),
    Key("kappa", NUMBER, help="Cohen's kappa."),
)
_AGREEMENT = Row(
    Key("mean", NUMBER, help="Mean share of all pairs."),
    Key("pairs", Many(_PAIR), lambda agreement: agreement.pairs()),
    Key("reason", TEXT.or_null(), help="Reason for a missing agreement."),
)
RUNS = Result(
    "graded_runs",
    1,
    "Grades of several runs",
    "What `to_dict()` of the grades of three or more runs returns, and `classay grades --json` writes.",
    Key("runs", Many(_RUN)),
    Key("comparison", COMPARE.elsewhere, "comparisons", "The leaderboard, and the differences of all pairs."),
    Key(
        "groups",
        ByName(Many(_GROUP)),
        help="By column: the leaderboard of every group. They hold for all groups jointly.",
    ),
    Key("ungrouped", COUNT, help="Answers without a group."),
    Key("cases", Many(_CASE), lambda a: a.items.rows(), "The cases, sorted."),
    Key("agreement", _AGREEMENT),
    Key("facts", ByName(TEXT), lambda a: dict(a.facts), "What was assessed, as pairs of name and text."),
    Key("warnings", WARNINGS),
    kind="graded runs",
)
as_dict: Any = RUNS.as_dict
