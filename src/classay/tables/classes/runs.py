"""ClassRuns: each class's scores sorted, as files hold them, and which of them are of one case."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import COMPILE_FROM
from classay.tables.classes.rows import ClassRows
from classay.tables.scores import ScoreTable
from classay.tables.tabulating import tabulate_pairs
from classay.threads import core_count, workers

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ClassRun:
    """One class's scores: the distinct pairs of score (descending) and true class (ascending), with their weight."""

    scores: Array
    true: Array
    weight: Array
    squares: Array | None = None

    @classmethod
    def group(
        cls, scores: Array, true: Array, weight: Array, squares: Array | None
    ) -> tuple[ClassRun, Array]:
        """Sort entries by score and true class, and add up equal ones; and where each of them went."""
        order = np.argsort(true, kind="stable")
        went, moved = np.empty((2, order.size), np.int32)
        run = cls(
            *tabulate_pairs(
                scores[order], true[order], weight[order], None if squares is None else squares[order], moved
            )
        )
        went[order] = moved
        return run, went

    def table(self, positive: Array, negative: Array, labels: tuple[Hashable, Hashable]) -> ScoreTable:
        """The score table of the entries that are positive against those that are negative (boolean each)."""
        keep = positive | negative
        parts = [self.weight * positive, self.weight * negative]
        if self.squares is not None:
            parts += [self.squares * positive, self.squares * negative]
        scores = self.scores[keep]
        starts = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]])[: scores.size])
        p, n, *squares = (
            np.add.reduceat(part[keep], starts) if starts.size else part[keep] for part in parts
        )
        pp, nn = squares or (None, None)
        return ScoreTable(scores[starts], p, n, labels, pp, nn)


@dataclass(frozen=True, eq=False)
class JointCases:
    """Which scores are of one case: the entry of each class's run that a case counts in, `(cases, classes)`.

    `true` are codes of the true classes, `weight` is None where every case counts once, `(cases,)`. Entries are 4 bytes
    a score. Cases are in the order of `ClassRows`.
    """

    entry: Array
    true: Array
    weight: Array | None = None


@dataclass(frozen=True, eq=False)
class ClassRuns:
    """One sparse run of (score, true class, weight) for each class.

    `cases` say which scores are of one case, which variances need; files saved before they were kept have none.
    """

    runs: tuple[ClassRun, ...]
    cases: JointCases | None = None

    @classmethod
    def of(cls, rows: ClassRows) -> ClassRuns:
        """Sort the scores of each class."""
        k, n = rows.scores.shape
        true, entry = rows.true, np.empty((k, n), np.int32)
        squares = rows.weight**2 if rows.weight is not None and rows.is_weighted else None

        def run_of(code: int) -> ClassRun:
            column = rows.scores[code]
            return ClassRun(
                *tabulate_pairs(column, true, rows.weight, squares, entry[code], rows.scores.size)
            )

        with workers(core_count() if rows.scores.size >= COMPILE_FROM else 1) as each:
            runs = tuple(each(run_of, range(k)))
        return cls(runs, JointCases(entry.T, true, rows.weight))

    def rows(self) -> ClassRows | None:
        """The cases themselves, where it is known which scores are of one."""
        if self.cases is None:
            return None
        scores = np.stack(
            [run.scores[own] for run, own in zip(self.runs, self.cases.entry.T, strict=True)], 1
        )
        return ClassRows.of(scores, self.cases.true, self.cases.weight)

    @property
    def totals(self) -> Array:
        """Weight of each true class, `(classes,)`."""
        run = self.runs[0]
        return np.bincount(run.true, run.weight, len(self.runs))

    @property
    def is_weighted(self) -> bool:
        """Whether they hold sums of sampling weights."""
        return self.runs[0].squares is not None

    def __add__(self, other: ClassRuns) -> ClassRuns:
        return ClassRuns(tuple(_join(a, b) for a, b in zip(self.runs, other.runs, strict=True)))


def _join(a: ClassRun, b: ClassRun) -> ClassRun:
    squares = None
    if a.squares is not None and b.squares is not None:
        squares = np.concatenate([a.squares, b.squares])
    joined, _ = ClassRun.group(
        np.concatenate([a.scores, b.scores]),
        np.concatenate([a.true, b.true]),
        np.concatenate([a.weight, b.weight]),
        squares,
    )
    return joined
