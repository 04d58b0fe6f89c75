"""Three runs or more of the same cases: a leaderboard, cases on which runs differ, and how far runs agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from classay.answers import Unanswered
from classay.comparison.cases.graded import Grades, compare_values
from classay.comparison.comparisons import Comparisons
from classay.comparison.leaderboard import Leaderboard, leaderboard_of
from classay.errors import InputError, nearest
from classay.grades.agreement import RunAgreement, run_agreement
from classay.grades.items import CaseGrades, case_grades
from classay.grades.joining import JoinedGrades
from classay.grades.reading import GradedRun
from classay.shown import Reportable
from classay.texts import cut, some
from classay.warned import Warned

FEWEST_RUNS = 3
"""Runs from which on there is a leaderboard; two are one comparison."""
Facts = tuple[tuple[str, str], ...]
_TOLD_ELSEWHERE = ("cases", "clusters", "bounds")
"""Facts of comparisons that those of grades say in other words."""


@dataclass(frozen=True)
class GroupBoard:
    """The leaderboard of a group of cases.

    Attributes
    ----------
    group : str
        Label of the group.
    cases : int
        Number of its cases.
    leaderboard : Leaderboard
        The runs on these cases.
    """

    group: str
    cases: int
    leaderboard: Leaderboard


@dataclass(frozen=True, eq=False)
class GradesLeaderboard(Reportable):
    """Three or more runs of the same cases.

    Attributes
    ----------
    runs : tuple of GradedRun
        The runs, with what their logs lack and the means that the tools report.
    leaderboard : Leaderboard
        The mean of each run with its interval, its lead, and the ranks that it may have.
    comparisons : Comparisons
        The differences of all pairs, adjusted together.
    groups : mapping of str to tuple of GroupBoard
        Leaderboards of groups of cases, by the name of their column. They hold for all groups jointly.
    ungrouped : int
        Number of answers without a group.
    items : CaseGrades
        The cases on which all runs pass, all fail, or runs differ.
    agreement : RunAgreement
        How far every two runs agree.
    facts : tuple of (str, str)
        What was assessed, names with texts.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import classay as ca
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "grades.csv"
    ...     rows = [f"{item},{run},{int(item % 9 < at)}" for item in range(90) for run, at in zip("abc", (8, 5, 4))]
    ...     _ = path.write_text("\\n".join(["item,run,grade", *rows]))
    ...     runs = ca.read_grades(path, grade="grade", columns=ca.GradeColumns(case="item", model="run"))
    >>> board = ca.assess_grades(runs)
    >>> board.leaderboard.may_be_best, [standing.ranks for standing in board.leaderboard.standings]
    (('a',), [(1, 1), (2, 3), (2, 3)])
    """

    runs: tuple[GradedRun, ...]
    comparisons: Comparisons
    groups: Mapping[str, tuple[GroupBoard, ...]]
    ungrouped: int
    items: CaseGrades
    agreement: RunAgreement
    facts: Facts

    @property
    def leaderboard(self) -> Leaderboard:
        """The runs, the best first."""
        return self.comparisons.leaderboards[0]

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting."""
        return self.comparisons.warnings


def assess_runs(
    rows: JoinedGrades,
    facts: Facts,
    *,
    by: str | None = None,
    unanswered: Unanswered = "refuse",
    level: float = 0.95,
    seed: int = 0,
) -> GradesLeaderboard:
    """Return the leaderboard of joined runs, also in each group of cases. `facts` say what the runs are."""
    complete = rows.answered(unanswered)
    comparisons = compare_values(
        rows.values,
        better=rows.better,
        bounds=rows.bounds,
        measure=rows.runs[0].grade,
        cluster=rows.cluster,
        unanswered=unanswered,
        level=level,
        seed=seed,
    )
    if not comparisons.leaderboards:
        board = leaderboard_of(*_grades(complete).joint(), level=level, seed=seed)
        comparisons = replace(comparisons, leaderboards=(board,), shows_pairs=False)
    groups, ungrouped = ({}, 0) if by is None else _boards(complete, by, level, seed)
    return GradesLeaderboard(
        rows.runs,
        comparisons,
        groups,
        ungrouped,
        case_grades(complete),
        run_agreement(complete, level),
        (*_of_runs(facts), *(fact for fact in comparisons.facts if fact[0] not in _TOLD_ELSEWHERE)),
    )


def _grades(rows: JoinedGrades) -> Grades:
    sign = 1 if rows.better == "higher" else -1
    return Grades(rows.values, None, None, rows.cluster, rows.runs[0].grade, sign, rows.bounds)


def _of_runs(facts: Facts) -> Facts:
    """Return the facts without the tools' means, which a table has for each run."""
    return tuple(fact for fact in facts if not fact[0].startswith("mean by "))


def _boards(
    rows: JoinedGrades, by: str, level: float, seed: int
) -> tuple[dict[str, tuple[GroupBoard, ...]], int]:
    """Return the leaderboards of the groups, and how many answers have none.

    By Bonferroni over the groups, the sets of runs that may be the best hold jointly.
    """
    if by not in rows.groups:
        known = f" Groups: {some(sorted(rows.groups))}" if rows.groups else " The runs have no groups"
        raise InputError(
            f"The runs have no group {cut(repr(by), 60)}.{known}{nearest(by, rows.groups) or '.'}"
        )
    labels = np.array([text or "" for text in rows.groups[by]], object)
    names = sorted({*labels.tolist()} - {""})
    grades, wide = _grades(rows), 1 - (1 - level) / max(1, len(names))
    boards = []
    for name in names:
        at = np.flatnonzero(labels == name)
        board = leaderboard_of(*grades.taken(at).joint(), level=wide, seed=seed)
        boards.append(GroupBoard(name, np.unique(rows.code[at]).size, board))
    return {by: tuple(boards)}, int((labels == "").sum())
