"""ClassScoreTable: the score tables of several classes, kept sparsely."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import match_label
from classay.compiled import COMPILE_FROM, kernel
from classay.errors import MergeError
from classay.tables.counting import checked_codes
from classay.tables.scores import ScoreTable
from classay.tables.tabulating import tabulate_pairs
from classay.threads import core_count, workers

Array = NDArray[Any]
NEIGHBOURS = 8
"""Columns of scores that are read at once, because they share the lines of the cache."""


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
    a score, a sixth of what the runs take. Cases are in an order of their own, the same whatever order they came in.
    """

    entry: Array
    true: Array
    weight: Array | None = None

    @classmethod
    def of(cls, entry: Array, true: Array, weight: Array | None) -> JointCases:
        """The cases in order: by a number mixed of their entries, then by weight. Takes `entry`, `(cases, classes)`.

        Cases of one number have the same entries, so that it does not matter which of them comes first.
        """
        by_class = entry.T
        mixed = mix_entries.for_rows(entry.size)(by_class)
        order = np.argsort(mixed) if weight is None else np.lexsort((weight, mixed))
        with workers(core_count() if entry.size >= COMPILE_FROM else 1) as run:
            run(lambda own: own.__setitem__(slice(None), own[order]), by_class)
        return cls(entry, true[order], None if weight is None else weight[order])

    def moved(self, to: tuple[Array, ...]) -> Array:
        """The entries after those of each run have gone elsewhere."""
        return np.stack([went[own] for went, own in zip(to, self.entry.T, strict=True)]).T


def _mix_entries(entry: Array) -> Array:
    mixed = np.zeros(entry.shape[1], np.uint64)
    for own in entry:
        mixed = (mixed ^ own.astype(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed


@kernel(twin=_mix_entries)
def mix_entries(entry: Array) -> Array:
    """A number mixed of the entries of each case (splitmix64); `entry` is `(classes, cases)`."""
    mixed = np.zeros(entry.shape[1], np.uint64)
    for start in range(0, mixed.shape[0], 2048):
        for i in range(entry.shape[0]):
            for j in range(start, min(start + 2048, mixed.shape[0])):
                at = (mixed[j] ^ np.uint64(entry[i, j])) + np.uint64(0x9E3779B97F4A7C15)
                at = (at ^ (at >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                mixed[j] = (at ^ (at >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed


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
        order = np.argsort(true, kind="stable")  # of one score, rows of the first class come first
        codes, each = true[order], None if given is None else given[order]
        squares = None if weight is None else weight[order] ** 2
        k = len(labels)
        entry = np.empty((k, order.size), np.int32)
        threads = core_count() if scores.size >= COMPILE_FROM else 1
        width = max(1, min(NEIGHBOURS, k // (2 * threads)))

        def group(first: int) -> list[ClassRun]:
            columns = np.ascontiguousarray(scores[:, first : first + width].T)
            return [
                ClassRun(*tabulate_pairs(column[order], codes, each, squares, entry[i], scores.size))
                for i, column in enumerate(columns, first)
            ]

        with workers(threads) as run:
            runs = tuple(own for some in run(group, range(0, k, width)) for own in some)
        return cls(labels, runs, JointCases.of(entry.T, codes, each))

    @property
    def class_totals(self) -> Array:
        """Weight of each true class, `(classes,)`."""
        run = self.runs[0]
        return np.bincount(run.true, run.weight, len(self.labels)).astype(np.float64)

    def scores_of_cases(self) -> Array:
        """The scores of each case, `(cases, classes)`, in the order of `cases`; only where these are known."""
        assert self.cases is not None
        return np.stack([run.scores[own] for run, own in zip(self.runs, self.cases.entry.T, strict=True)], 1)

    def one_vs_rest(self, label: Hashable) -> ScoreTable:
        """The cases of a class against all others, by that class's score."""
        i = self.labels.index(match_label(label, self.labels))
        own = self.runs[i].true == i
        return self.runs[i].table(own, ~own, (f"not {self.labels[i]}", self.labels[i]))

    def unmerged(self, own: int) -> ScoreTable:
        """The cases of a class, by its code, against all others; equal scores stay apart, which sums do not mind."""
        run = self.runs[own]
        mine = run.true == own

        def of(who: Array, weight: Array) -> Array:
            return np.where(who, weight, weight.dtype.type(0))

        names = (f"not {self.labels[own]}", self.labels[own])
        made = ScoreTable(run.scores, of(mine, run.weight), of(~mine, run.weight), names)
        if run.squares is None:
            return made
        squares = of(mine, run.squares), of(~mine, run.squares)
        return replace(made, positive_squares=squares[0], negative_squares=squares[1])

    def one_vs_one(self, label: Hashable, other: Hashable) -> ScoreTable:
        """The cases of a class against those of another, by the first one's score."""
        i, j = (self.labels.index(match_label(each, self.labels)) for each in (label, other))
        true = self.runs[i].true
        return self.runs[i].table(true == i, true == j, (self.labels[j], self.labels[i]))

    def __add__(self, other: ClassScoreTable) -> ClassScoreTable:
        if not isinstance(other, ClassScoreTable):  # bins, which take exact scores
            return NotImplemented
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
        return JointCases.of(np.concatenate([first.T, second.T], axis=1).T, true, weight)


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
