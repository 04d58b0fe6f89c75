"""Three runs or more of the same cases: a leaderboard, cases on which runs differ, and how far runs agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import Unanswered
from classay.comparison.cases.graded import Grades, compare_values
from classay.comparison.comparisons import Comparisons
from classay.comparison.gate_rules import LEFT_OUT
from classay.comparison.leaderboard import Leaderboard, leaderboard_of
from classay.grades.agreement import RunAgreement, run_agreement
from classay.grades.items import CaseGrades, case_grades
from classay.grades.joining import JoinedGrades
from classay.grades.reading import GradedRun
from classay.inference.estimate import Estimate
from classay.shown import Reportable
from classay.warned import Warned

FEWEST_RUNS = 3
"""Runs from which on there is a leaderboard; two are one comparison."""
Array = NDArray[Any]
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
        The runs by their means with intervals, with the ranks that they may have.
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
    (('a',), [(1, 1), (2, 2), (3, 3)])
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


@dataclass(frozen=True, eq=False)
class RunRows:
    """Joined runs, with the number of the cluster of each answer."""

    rows: JoinedGrades
    cluster: Array

    @property
    def clusters(self) -> Array | None:
        """The clusters, None where each has one answer."""
        return self.cluster if int(self.cluster.max()) + 1 < self.cluster.size else None

    @property
    def grades(self) -> Grades:
        """The grades as values that the core compares."""
        sign = 1 if self.rows.better == "higher" else -1
        columns = self.rows.values
        return Grades(columns, None, None, self.clusters, self.rows.runs[0].grade, sign, self.rows.bounds)


def assess_runs(
    joined: RunRows,
    counted: RunRows,
    facts: Facts,
    means: Mapping[str, Estimate],
    *,
    by: str | None,
    unanswered: Unanswered,
    level: float,
    seed: int,
) -> GradesLeaderboard:
    """Return the leaderboard of runs, also in each group of cases.

    `counted` are the answers that count, `means` the mean of each run alone, and `facts` what the runs are.
    """
    rows = joined.rows
    comparisons = compare_values(
        rows.values,
        better=rows.better,
        bounds=rows.bounds,
        measure=rows.runs[0].grade,
        cluster=joined.clusters,
        unanswered=unanswered,
        level=level,
        seed=seed,
    )
    boards = comparisons.leaderboards or (leaderboard_of(*counted.grades.joint(), level=level, seed=seed),)
    comparisons = replace(
        comparisons,
        leaderboards=(_with_means(boards[0], means),),
        shows_pairs=False,
        means=tuple(means.items()),
    )
    groups, ungrouped = ({}, 0) if by is None else _boards(counted, by, level, seed)
    return GradesLeaderboard(
        rows.runs,
        comparisons,
        groups,
        ungrouped,
        case_grades(counted.rows),
        run_agreement(counted.rows, counted.cluster, level),
        (*facts, *_other_facts(comparisons)),
    )


def _other_facts(comparisons: Comparisons) -> Facts:
    """Return the facts of comparisons that those of grades do not say."""
    names = {LEFT_OUT: "excluded"}
    return tuple(
        (names.get(name, name), text) for name, text in comparisons.facts if name not in _TOLD_ELSEWHERE
    )


def _with_means(board: Leaderboard, means: Mapping[str, Estimate]) -> Leaderboard:
    """Return the leaderboard in which each run has the interval that it has alone."""
    standings = (replace(standing, value=means[standing.model]) for standing in board.standings)
    return replace(board, standings=tuple(standings))


def _boards(
    counted: RunRows, by: str, level: float, seed: int
) -> tuple[dict[str, tuple[GroupBoard, ...]], int]:
    """Return the leaderboards of the groups, and how many answers have none.

    By Bonferroni over the groups, the sets of runs that may be the best hold jointly.
    """
    labels = np.array([text or "" for text in counted.rows.groups[by]], object)
    names = sorted({*labels.tolist()} - {""})
    grades, wide = counted.grades, 1 - (1 - level) / max(1, len(names))
    boards = []
    for name in names:
        at = np.flatnonzero(labels == name)
        board = leaderboard_of(*grades.taken(at).joint(), level=wide, seed=seed)
        boards.append(GroupBoard(name, np.unique(counted.rows.code[at]).size, board))
    return {by: tuple(boards)}, int((labels == "").sum())
