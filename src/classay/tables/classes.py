"""ClassScoreTable: the score tables of several classes, kept sparsely."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import match_label
from classay.errors import MergeError
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
    def group(
        cls, scores: Array, true: Array, weight: Array, squares: Array | None
    ) -> tuple[ClassRun, Array]:
        """Sort entries by score and true class, and add up equal ones; and where each of them went."""
        order = np.lexsort((true, -scores))
        scores, true = scores[order] + scores.dtype.type(0), true[order]
        new = np.concatenate([[True], (scores[1:] != scores[:-1]) | (true[1:] != true[:-1])])
        new = new[: scores.size]
        starts = np.flatnonzero(new)
        added = [None if each is None else np.add.reduceat(each[order], starts) for each in (weight, squares)]
        went = np.empty(order.size, np.int32)
        went[order] = np.cumsum(new) - 1
        return cls(scores[starts], true[starts], *added), went  # type: ignore[arg-type]

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
    a score, a sixth of what the runs take. Cases are in an order of their own, the same whatever order they came in.
    """

    entry: Array
    true: Array
    weight: Array | None = None

    @classmethod
    def of(cls, entry: Array, true: Array, weight: Array | None) -> JointCases:
        """The cases in order: by a number mixed of their entries (splitmix64), then by weight."""
        mixed = np.zeros(true.size, np.uint64)
        for column in entry.T:
            mixed = (mixed ^ column.astype(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        order = np.argsort(mixed, kind="stable") if weight is None else np.lexsort((weight, mixed))
        return cls(entry[order], true[order], None if weight is None else weight[order])

    def moved(self, to: tuple[Array, ...]) -> Array:
        """The entries after those of each run have gone elsewhere."""
        return np.stack([went[own] for went, own in zip(to, self.entry.T, strict=True)], axis=1)


@dataclass(frozen=True, eq=False)
class ClassScoreTable:
    """For scores of several classes: one sparse run of (score, true class, weight) per class.

    `cases` say which scores are of one case, which variances need; files saved before they were kept have none.
    Every ranking measure needs only a `ScoreTable`: `one_vs_rest(c)` ranks class c against all others by c's score;
    `one_vs_one(a, b)` ranks the cases of a against those of b by a's score.

    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> table = ClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"))
    >>> table.one_vs_rest("a")
    ScoreTable(4 distinct float64 scores, positive='a', 2 positive, 2 negative)
    """

    labels: tuple[Hashable, ...]
    runs: tuple[ClassRun, ...]
    cases: JointCases | None = None

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
        runs, went = zip(
            *(ClassRun.group(np.ascontiguousarray(column), true, each, squares) for column in scores.T),
            strict=True,
        )
        return cls(labels, runs, JointCases.of(np.stack(went, axis=1), true, given))

    def scores_of_cases(self) -> Array:
        """The scores of each case, `(cases, classes)`, in the order of `cases`; only where these are known."""
        assert self.cases is not None
        return np.stack([run.scores[own] for run, own in zip(self.runs, self.cases.entry.T, strict=True)], 1)

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
        joined = [_join(a, b) for a, b in zip(self.runs, other.runs, strict=True)]
        return ClassScoreTable(
            self.labels,
            tuple(run for run, _ in joined),
            self._joined(other, tuple(each for _, each in joined)),
        )

    def _joined(self, other: ClassScoreTable, went: tuple[Array, ...]) -> JointCases | None:
        """The cases of both; `went` says where the entries of this table's runs, then of the other's, are now."""
        if self.cases is None or other.cases is None:
            return None
        split = [run.scores.size for run in self.runs]
        first = self.cases.moved(tuple(each[:size] for each, size in zip(went, split, strict=True)))
        second = other.cases.moved(tuple(each[size:] for each, size in zip(went, split, strict=True)))
        weight = None
        if self.cases.weight is not None or other.cases.weight is not None:
            weight = np.concatenate(
                [
                    np.ones(each.true.size, np.int64) if each.weight is None else each.weight
                    for each in (self.cases, other.cases)
                ]
            )
        true = np.concatenate([self.cases.true, other.cases.true])
        return JointCases.of(np.concatenate([first, second]), true, weight)


def _join(a: ClassRun, b: ClassRun) -> tuple[ClassRun, Array]:
    squares = None
    if a.squares is not None and b.squares is not None:
        squares = np.concatenate([a.squares, b.squares])
    return ClassRun.group(
        np.concatenate([a.scores, b.scores]),
        np.concatenate([a.true, b.true]),
        np.concatenate([a.weight, b.weight]),
        squares,
    )
