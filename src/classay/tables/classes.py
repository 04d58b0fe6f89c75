"""ClassScoreTable: the score tables of several classes, kept sparsely."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import MergeError
from classay.labels import match_label
from classay.tables.codes import checked_codes
from classay.tables.scores import ScoreTable

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ClassRun:
    """One class's scores: the distinct pairs of score (descending) and true class (ascending), with their weight."""

    scores: Array
    true: Array
    weight: Array
    squares: Array | None = None

    @classmethod
    def group(cls, scores: Array, true: Array, weight: Array, squares: Array | None) -> ClassRun:
        """Sort entries by score and true class, and add up equal ones."""
        order = np.lexsort((true, -scores))
        scores, true = scores[order] + scores.dtype.type(0), true[order]
        new = np.concatenate([[True], (scores[1:] != scores[:-1]) | (true[1:] != true[:-1])])
        starts = np.flatnonzero(new[: scores.size])
        added = [None if each is None else np.add.reduceat(each[order], starts) for each in (weight, squares)]
        return cls(scores[starts], true[starts], *added)  # type: ignore[arg-type]

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
        return ScoreTable(scores[starts], p, n, labels, *squares)


@dataclass(frozen=True, eq=False)
class ClassScoreTable:
    """For scores of several classes: one sparse run of (score, true class, weight) per class.

    Every ranking measure needs only a `ScoreTable`: `one_vs_rest(c)` ranks class c against all others by c's score;
    `one_vs_one(a, b)` ranks the cases of a against those of b by a's score.

    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> table = ClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"))
    >>> table.one_vs_rest("a")
    ScoreTable(4 distinct float64 scores, positive='a', 2 positive, 2 negative)
    """

    labels: tuple[Hashable, ...]
    runs: tuple[ClassRun, ...]

    @classmethod
    def from_rows(
        cls,
        scores: Array,
        true: Array,
        labels: tuple[Hashable, ...],
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> ClassScoreTable:
        """Build from `scores` of shape `(rows, classes)` and the codes of the true classes, `(rows,)`."""
        checked_codes(len(labels), weight, frequency, true=true)
        given = frequency if weight is None else weight
        each = np.ones(true.shape[0], np.int64) if given is None else given
        squares = None if weight is None else weight * weight
        return cls(
            labels,
            tuple(ClassRun.group(np.ascontiguousarray(column), true, each, squares) for column in scores.T),
        )

    def one_vs_rest(self, label: Hashable) -> ScoreTable:
        """The cases of a class against all others, by that class's score."""
        i = self.labels.index(match_label(label, self.labels))
        own = self.runs[i].true == i
        return self.runs[i].table(own, ~own, (f"not {self.labels[i]}", self.labels[i]))

    def one_vs_one(self, label: Hashable, other: Hashable) -> ScoreTable:
        """The cases of a class against those of another, by the first one's score."""
        i, j = (self.labels.index(match_label(each, self.labels)) for each in (label, other))
        true = self.runs[i].true
        return self.runs[i].table(true == i, true == j, (self.labels[j], self.labels[i]))

    def __add__(self, other: ClassScoreTable) -> ClassScoreTable:
        if self.labels != other.labels:
            raise MergeError(
                f"the class scores are for the labels {self.labels} and {other.labels}: declare labels= for both."
            )
        if self.runs[0].scores.dtype != other.runs[0].scores.dtype:
            raise MergeError("the class scores differ in precision: convert one of them first.")
        if (self.runs[0].squares is None) != (other.runs[0].squares is None):
            raise MergeError(
                "one table holds sampling weights and the other counts cases: assess both alike."
            )
        return ClassScoreTable(
            self.labels, tuple(_join(a, b) for a, b in zip(self.runs, other.runs, strict=True))
        )


def _join(a: ClassRun, b: ClassRun) -> ClassRun:
    squares = None
    if a.squares is not None and b.squares is not None:
        squares = np.concatenate([a.squares, b.squares])
    return ClassRun.group(
        np.concatenate([a.scores, b.scores]),
        np.concatenate([a.true, b.true]),
        np.concatenate([a.weight, b.weight]),
        squares,
    )
