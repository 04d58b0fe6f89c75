"""Scores of several classes: the table of them, the cases it keeps, and the sorted form that files hold."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, match_label
from classay.compiled import COMPILE_FROM, core_count, kernel, workers
from classay.errors import MergeError
from classay.kinds import OfKinds
from classay.once import once
from classay.tables.checks import checked_class_scores, checked_codes, checked_labels, checked_weights
from classay.tables.scores import ScoreTable
from classay.tables.sums import Summed
from classay.tables.tabulating import tabulate_pairs

__all__ = [
    "ClassRows",
    "ClassRun",
    "ClassRuns",
    "ClassScoreTable",
    "JointCases",
]

Array = NDArray[Any]
SPREAD = 0x9E3779B97F4A7C15
"""An odd number near 2^64 over the golden ratio, which spreads bits (Knuth 1998, The Art of Computer Programming 3)."""


def _mix_scores(scores: Array) -> Array:
    mixed = np.zeros(scores.shape[0], np.uint64)
    for own in scores.T:
        bits = (own.astype(np.float64) + 0.0).view(np.uint64)
        mixed = (mixed ^ bits) * np.uint64(SPREAD)
        mixed ^= mixed >> np.uint64(32)
    return mixed


@kernel(twin=_mix_scores)
def mix_scores(scores: Array) -> Array:
    """A number mixed of the scores of each row, `(rows, classes)`; equal rows have one number, and -0 is +0."""
    mixed = np.zeros(scores.shape[0], np.uint64)
    for i in range(scores.shape[0]):
        found = np.uint64(0)
        for j in range(scores.shape[1]):
            bits = np.float64(np.float64(scores[i, j]) + 0.0).view(np.uint64)
            found = (found ^ bits) * np.uint64(SPREAD)
            found ^= found >> np.uint64(32)
        mixed[i] = found
    return mixed


def _deal_scores(scores: Array, order: Array, first: int, last: int, dealt: Array) -> None:
    dealt[:, first:last] = scores[order[first:last]].T + scores.dtype.type(0)


@kernel(twin=_deal_scores, assumes="order are rows of scores; dealt is as large as scores, `(classes, rows)`")
def deal_scores(scores: Array, order: Array, first: int, last: int, dealt: Array) -> None:
    """Copy rows of scores, in an order, to one line for each class, places `first` to before `last`; -0 as +0."""
    for start in range(first, last, 64):
        end = min(start + 64, last)
        for left in range(0, scores.shape[1], 8):  # scores that share a line of the cache
            right = min(left + 8, scores.shape[1])
            for i in range(start, end):
                row = order[i]
                for j in range(left, right):
                    dealt[j, i] = scores[row, j] + 0.0


def summed_from(scores: Array, place: int) -> Array:
    """The sum of the scores of the classes from a place on, `(rows,)`, of `(rows, classes)`.

    Added up class by class and rounded to twelve digits, so that sums that are equal are so in any layout.

    >>> summed_from(np.array([[0.7, 0.2, 0.1], [0.7, 0.1, 0.2]]), 1).tolist()
    [0.3, 0.3]
    """
    found = np.zeros(scores.shape[0])
    for own in scores.T[place:]:
        found = found + own.astype(np.float64)
    return np.round(found, 12)


def case_order(scores: Array, true: Array, classes: int, weight: Array | None) -> Array:
    """The places of rows by their true class, then by a number mixed of their scores and weight.

    Rows of one number are alike, so that it does not matter which of them comes first.
    """
    mixed = mix_scores.for_rows(scores.size)(scores)
    if weight is not None:
        mixed = (mixed ^ weight.astype(np.float64).view(np.uint64)) * np.uint64(SPREAD)
    mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(SPREAD)
    bits = max(1, (classes - 1).bit_length())
    key = (true.astype(np.uint64) << np.uint64(64 - bits)) | (mixed >> np.uint64(bits))
    return np.argsort(key)


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Cases with one score for each class: those of one true class beside each other, and so the scores of one class.

    `scores` are `(classes, cases)`; the cases of class c go from `starts[c]` to before `starts[c + 1]`. `weight` is
    None where every case counts once: whole numbers are frequencies, others sampling weights. In what order the cases
    came changes nothing.
    """

    scores: Array
    starts: Array
    weight: Array | None = None

    @classmethod
    def of(
        cls, scores: Array, true: Array, weight: Array | None = None, order: Array | None = None
    ) -> ClassRows:
        """From `scores` of shape `(rows, classes)`, codes of true classes and weights, `(rows,)`.

        `order` is what `case_order` says, if it is known.
        """
        n, k = scores.shape
        if order is None:
            order = case_order(scores, true, k, weight)
        dealt = np.empty((k, n), scores.dtype)
        threads = core_count() if scores.size >= COMPILE_FROM else 1
        edges = np.linspace(0, n, 4 * threads + 1).astype(np.int64).tolist()
        deal = deal_scores.for_rows(scores.size)
        with workers(threads) as run:
            run(lambda part: deal(scores, order, *part, dealt), pairwise(edges))
        starts = np.concatenate([[0], np.cumsum(np.bincount(true, minlength=k))])
        return cls(dealt, starts, None if weight is None else weight[order])

    @property
    def true(self) -> Array:
        """Code of the true class of each case, `(cases,)`."""
        sizes = np.diff(self.starts)
        return np.repeat(np.arange(sizes.size, dtype=np.min_scalar_type(sizes.size)), sizes)

    @property
    def is_weighted(self) -> bool:
        """Whether the cases have sampling weights."""
        return self.weight is not None and self.weight.dtype.kind == "f"

    @property
    def totals(self) -> Array:
        """Weight of each true class, `(classes,)`."""
        return _totals(self)

    def own(self, code: int) -> slice:
        """Where the cases of a true class are."""
        return slice(int(self.starts[code]), int(self.starts[code + 1]))

    def __add__(self, other: ClassRows) -> ClassRows:
        weight = None
        if self.weight is not None or other.weight is not None:
            weight = np.concatenate([each.each for each in (self, other)])
        scores = np.concatenate([self.scores, other.scores], axis=1).T
        return ClassRows.of(scores, np.concatenate([self.true, other.true]), weight)

    @property
    def each(self) -> Array:
        """What each case counts, `(cases,)`."""
        return np.ones(self.scores.shape[1], np.int64) if self.weight is None else self.weight


@once
def _totals(rows: ClassRows) -> Array:
    if rows.weight is None:
        return np.diff(rows.starts)
    sums = np.bincount(rows.true, rows.weight, rows.starts.size - 1)
    return sums if rows.is_weighted else sums.astype(np.int64)


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


@dataclass(frozen=True, eq=False)
class ClassScoreTable(OfKinds, Summed):
    """For scores of several classes: the cases, with a score for each class.

    `kept` are the sorted scores of each class of a table that came from a file; files saved before the cases were kept
    have these alone, and no `rows`.
    Every ranking measure needs only a `ScoreTable`: `one_vs_rest(c)` ranks class c against all others by c's score;
    `one_vs_one(a, b)` ranks the cases of a against those of b by a's score.

    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> table = ClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"))
    >>> table.one_vs_rest("a")
    ScoreTable(4 distinct float64 scores, positive='a', 2 positive, 2 negative)
    """

    labels: tuple[Hashable, ...]
    rows: ClassRows | None
    kept: ClassRuns | None = None

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
        """Build from `scores` of shape `(rows, classes)` and the codes of the true classes, `(rows,)`.

        Raises InputError for a code beyond the labels, columns of unequal length, NaN, and weights that do not add up.
        """
        labels = checked_labels(labels)
        checked_codes(len(labels), true=true)
        weight, frequency = checked_weights(true.size, weight, frequency)
        scores = checked_class_scores(scores, true.size, len(labels))
        return cls(labels, ClassRows.of(scores, true, frequency if weight is None else weight))

    @classmethod
    def of_runs(cls, labels: tuple[Hashable, ...], runs: ClassRuns) -> ClassScoreTable:
        """From the sorted scores of each class."""
        return cls(labels, runs.rows(), runs)

    def sorted_scores(self) -> ClassRuns:
        """The sorted scores of each class, as files hold them."""
        if self.kept is not None:
            return self.kept
        assert self.rows is not None
        return ClassRuns.of(self.rows)

    @property
    def _held(self) -> ClassRows | ClassRuns:
        held = self.kept if self.rows is None else self.rows
        assert held is not None
        return held

    @property
    def class_totals(self) -> Array:
        """Weight of the cases of each class, `(classes,)`."""
        return self._held.totals

    @property
    def is_weighted(self) -> bool:
        """Whether the table holds sums of sampling weights instead of numbers of cases."""
        return self._held.is_weighted

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the scores."""
        return self._run(0).scores.dtype if self.rows is None else self.rows.scores.dtype

    @property
    def size(self) -> int:
        """Number of scores that it holds."""
        if self.rows is None:
            return sum(run.scores.size for run in self.sorted_scores().runs)
        return self.rows.scores.size

    def one_vs_rest(self, label: Hashable) -> ScoreTable:
        """The cases of a class against all others, by that class's score."""
        i = self.labels.index(match_label(label, self.labels))
        names = (f"not {self.labels[i]}", self.labels[i])
        if self.rows is None:
            run = self._run(i)
            return run.table(run.true == i, run.true != i, names)
        own = np.zeros(self.rows.scores.shape[1], bool)
        own[self.rows.own(i)] = True
        return ScoreTable.from_rows(self.rows.scores[i], own, names, **self._weights(slice(None)))

    def cut(self, place: int, names: tuple[Hashable, Hashable]) -> ScoreTable | None:
        """The cases below a place in the order of the labels against those from it on, by their summed scores there.

        None where the file of an early version does not say which scores are of one case.
        """
        if self.rows is None:
            return None
        score = summed_from(self.rows.scores.T, place)
        return ScoreTable.from_rows(score, self.rows.true >= place, names, **self._weights(slice(None)))

    def one_vs_one(self, label: Hashable, other: Hashable) -> ScoreTable:
        """The cases of a class against those of another, by the first one's score."""
        i, j = (self.labels.index(match_label(each, self.labels)) for each in (label, other))
        names = (self.labels[j], self.labels[i])
        if self.rows is None:
            run = self._run(i)
            return run.table(run.true == i, run.true == j, names)
        mine, others = (np.arange(own.start, own.stop) for own in map(self.rows.own, (i, j)))
        at = np.concatenate([mine, others])
        return ScoreTable.from_rows(
            self.rows.scores[i, at], np.arange(at.size) < mine.size, names, **self._weights(at)
        )

    def _run(self, code: int) -> ClassRun:
        return self.sorted_scores().runs[code]

    def _weights(self, at: Any) -> dict[str, Any]:
        assert self.rows is not None
        if self.rows.weight is None:
            return {"in_all": self.size}
        return {"in_all": self.size, "weight" if self.rows.is_weighted else "frequency": self.rows.weight[at]}

    def __add__(self, other: ClassScoreTable) -> ClassScoreTable:
        if not isinstance(other, ClassScoreTable):  # bins, which take exact scores
            return NotImplemented
        if self.labels != other.labels:
            raise MergeError(
                f"the class scores are for the labels {self.labels} and {other.labels}: declare labels= for both."
            )
        if self.dtype != other.dtype:
            raise MergeError("the class scores differ in precision: convert one of them first.")
        if self.is_weighted != other.is_weighted:
            raise MergeError(
                "one table holds sampling weights and the other counts cases: assess both alike."
            )
        labels = Labels.of(self.labels) | Labels.of(other.labels)  # an order that one of them has
        if self.rows is None or other.rows is None:
            return ClassScoreTable(labels, None, self.sorted_scores() + other.sorted_scores())
        return ClassScoreTable(labels, self.rows + other.rows)
