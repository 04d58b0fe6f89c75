"""Scores of several classes: cases with one score for each class, and the table that ranks each against the rest."""

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
from classay.kinds import TypedFields
from classay.once import memoize
from classay.tables.checks import checked_class_rows, checked_labels
from classay.tables.row_hashes import order_by_contents
from classay.tables.scores import ScoreTable
from classay.tables.sums import Mergeable
from classay.tables.tabulating import tabulate_pairs

Array = NDArray[Any]


def _deal_scores(scores: Array, order: Array, first: int, last: int, dealt: Array) -> None:
    dealt[:, first:last] = scores[order[first:last]].T + scores.dtype.type(0)


@kernel(
    twin=_deal_scores,
    assumes="order are rows of scores; dealt is as large as scores, `(classes, rows)`",
    nanoseconds=8,
)
def deal_scores(scores: Array, order: Array, first: int, last: int, dealt: Array) -> None:
    """Copy the scores of rows `order[first:last]` to `dealt[:, first:last]`, a line for each class; -0 becomes +0."""
    for start in range(first, last, 64):
        end = min(start + 64, last)
        for left in range(0, scores.shape[1], 8):  # scores that share a line of the cache
            right = min(left + 8, scores.shape[1])
            for i in range(start, end):
                row = order[i]
                for j in range(left, right):
                    dealt[j, i] = scores[row, j] + 0.0


def summed_from(scores: Array, place: int) -> Array:
    """Return the sum of the scores, `(rows, classes)`, of the classes from index `place` on, `(rows,)`.

    Added up class by class and rounded to twelve digits, so that equal sums stay equal in any layout of memory.

    >>> summed_from(np.array([[0.7, 0.2, 0.1], [0.7, 0.1, 0.2]]), 1).tolist()
    [0.3, 0.3]
    """
    sums = np.zeros(scores.shape[0])
    for class_scores in scores.T[place:]:
        sums = sums + class_scores.astype(np.float64)
    return np.round(sums, 12)


def case_order(scores: Array, true: Array, weight: Array | None) -> Array:
    """Return the order of rows by their true class, then by a hash of their scores and weight."""
    parts = [(scores, 1), *([] if weight is None else [(weight[:, None], 2)])]
    return order_by_contents(parts, true)


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Cases with one score for each class: cases of one true class are adjacent, and so are the scores of one class.

    `scores` are `(classes, cases)`; the cases of class c go from `starts[c]` to before `starts[c + 1]`. `weight` is
    None where every case counts once: whole numbers are frequencies, others sampling weights. The given order of the
    cases changes nothing.
    """

    scores: Array
    starts: Array
    weight: Array | None = None

    @classmethod
    def of(
        cls, scores: Array, true: Array, weight: Array | None = None, order: Array | None = None
    ) -> ClassRows:
        """From `scores` of shape `(rows, classes)`, codes of true classes and weights, `(rows,)`.

        `order` is the result of `case_order`, if it is known.
        """
        n, k = scores.shape
        if order is None:
            order = case_order(scores, true, weight)
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
        return _class_totals(self)

    def own(self, code: int) -> slice:
        """Return the slice of the cases of a true class."""
        return slice(int(self.starts[code]), int(self.starts[code + 1]))

    def __add__(self, other: ClassRows) -> ClassRows:
        weight = None
        if self.weight is not None or other.weight is not None:
            weight = np.concatenate([rows.each for rows in (self, other)])
        scores = np.concatenate([self.scores, other.scores], axis=1).T
        return ClassRows.of(scores, np.concatenate([self.true, other.true]), weight)

    @property
    def each(self) -> Array:
        """The weight of each case, `(cases,)`; 1 where there are no weights."""
        return np.ones(self.scores.shape[1], np.int64) if self.weight is None else self.weight


@memoize
def _class_totals(rows: ClassRows) -> Array:
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
        """Sort entries by score and true class, and add up equal ones; also the index at which each is counted."""
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
        """Return the score table of the entries that are positive against those that are negative (boolean each)."""
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

        with workers(core_count() if rows.scores.size >= COMPILE_FROM else 1) as pmap:
            runs = tuple(pmap(run_of, range(k)))
        return cls(runs, JointCases(entry.T, true, rows.weight))

    def rows(self) -> ClassRows | None:
        """Return the cases themselves, where it is known which scores are of one."""
        if self.cases is None:
            return None
        scores = np.stack(
            [run.scores[entries] for run, entries in zip(self.runs, self.cases.entry.T, strict=True)], 1
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
class ClassScoreTable(TypedFields, Mergeable):
    """Cases with a score for each of several classes.

    Every ranking measure needs only a `ScoreTable`. `one_vs_rest(c)` ranks class c against all others by
    the score of c. `one_vs_one(a, b)` ranks the cases of a against those of b by the score of a.

    Parameters
    ----------
    labels : tuple
        The classes.
    rows : ClassRows or None
        The cases with their scores. Older files have none.
    kept : ClassRuns, optional
        Sorted scores of each class, of a table from a file.

    Examples
    --------
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
        """Build the table from rows.

        Parameters
        ----------
        scores : array
            Scores, `(rows, classes)`.
        true : array
            Codes of the true classes, `(rows,)`.
        labels : tuple
            The classes.
        weight : array, optional
            Sampling weight of each row.
        frequency : array, optional
            Number of identical rows that each row represents.

        Returns
        -------
        ClassScoreTable
            The table.

        Raises
        ------
        InputError
            If a code exceeds the labels.
            If the columns have unequal lengths, or a score is NaN.
            If weights do not add up.
        """
        labels = checked_labels(labels)
        scores, weight, frequency = checked_class_rows(len(labels), scores, true, weight, frequency)
        return cls(labels, ClassRows.of(scores, true, frequency if weight is None else weight))

    @classmethod
    def of_runs(cls, labels: tuple[Hashable, ...], runs: ClassRuns) -> ClassScoreTable:
        """Build the table from the sorted scores of each class.

        Parameters
        ----------
        labels : tuple
            The classes.
        runs : ClassRuns
            Sorted scores of each class.

        Returns
        -------
        ClassScoreTable
            The table.
        """
        return cls(labels, runs.rows(), runs)

    def sorted_scores(self) -> ClassRuns:
        """Return the sorted scores of each class, as files hold them."""
        if self.kept is not None:
            return self.kept
        assert self.rows is not None
        return ClassRuns.of(self.rows)

    @property
    def _held(self) -> ClassRows | ClassRuns:
        cases = self.kept if self.rows is None else self.rows
        assert cases is not None
        return cases

    @property
    def class_totals(self) -> Array:
        """Weight of the cases of each class, `(classes,)`."""
        return self._held.totals

    @property
    def occurring(self) -> ClassScoreTable | None:
        """Table without the classes that no case has.

        It is None if a file does not show which scores belong to one case.

        Examples
        --------
        >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])
        >>> ClassScoreTable.from_rows(rows, np.array([0, 1]), ("a", "b", "c")).occurring.labels
        ('a', 'b')
        """
        has_cases = self.class_totals > 0
        if has_cases.all():
            return self
        if self.rows is None:
            return None
        labels = tuple(label for label, occurs in zip(self.labels, has_cases, strict=True) if occurs)
        scores, sizes = self.rows.scores[has_cases], np.diff(self.rows.starts)
        if (sizes[~has_cases] > 0).any():  # cases of weight 0 are none
            kept = np.repeat(has_cases, sizes)
            weight = None if self.rows.weight is None else self.rows.weight[kept]
            scores = np.ascontiguousarray(scores[:, kept])
        else:
            weight = self.rows.weight
        starts = np.concatenate([[0], np.cumsum(sizes[has_cases])])
        return ClassScoreTable(labels, ClassRows(scores, starts, weight))

    @property
    def is_weighted(self) -> bool:
        """Whether it has sums of sampling weights in place of numbers of cases."""
        return self._held.is_weighted

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the scores."""
        return self._run(0).scores.dtype if self.rows is None else self.rows.scores.dtype

    @property
    def size(self) -> int:
        """Number of scores in the table."""
        if self.rows is None:
            return sum(run.scores.size for run in self.sorted_scores().runs)
        return self.rows.scores.size

    def one_vs_rest(self, label: Hashable) -> ScoreTable:
        """Return the cases of a class against all others, by the score of that class."""
        i = self.labels.index(match_label(label, self.labels))
        names = (f"not {self.labels[i]}", self.labels[i])
        if self.rows is None:
            run = self._run(i)
            return run.table(run.true == i, run.true != i, names)
        positive = np.zeros(self.rows.scores.shape[1], bool)
        positive[self.rows.own(i)] = True
        return ScoreTable.from_rows(self.rows.scores[i], positive, names, **self._weights(slice(None)))

    def cut(self, place: int, names: tuple[Hashable, Hashable]) -> ScoreTable | None:
        """Return the cases of lower against higher classes, by the sum of scores.

        Parameters
        ----------
        place : int
            Position of the first higher class.
        names : (label, label)
            Names of the lower and the higher classes.

        Returns
        -------
        ScoreTable or None
            The table by the summed scores of the higher classes. It is None if a file of an early version
            does not show which scores belong to one case.
        """
        if self.rows is None:
            return None
        score = summed_from(self.rows.scores.T, place)
        return ScoreTable.from_rows(score, self.rows.true >= place, names, **self._weights(slice(None)))

    def one_vs_one(self, label: Hashable, other: Hashable) -> ScoreTable:
        """Return the cases of a class against those of another.

        Parameters
        ----------
        label : label
            The class whose scores rank the cases.
        other : label
            The other class.

        Returns
        -------
        ScoreTable
            The table.
        """
        i, j = (self.labels.index(match_label(class_label, self.labels)) for class_label in (label, other))
        names = (self.labels[j], self.labels[i])
        if self.rows is None:
            run = self._run(i)
            return run.table(run.true == i, run.true == j, names)
        mine, others = (np.arange(rows.start, rows.stop) for rows in map(self.rows.own, (i, j)))
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
        refuse_other_labels(self, other)
        if self.dtype != other.dtype:
            raise MergeError("The class scores of the parts have different precision. Convert one of them.")
        if self.is_weighted != other.is_weighted:
            raise MergeError("Only one part has sampling weights. Assess both in the same way.")
        labels = Labels.of(self.labels) | Labels.of(other.labels)  # an order that one of them has
        if self.rows is None or other.rows is None:
            return ClassScoreTable(labels, None, self.sorted_scores() + other.sorted_scores())
        return ClassScoreTable(labels, self.rows + other.rows)


def refuse_other_labels(a: Any, b: Any) -> None:
    """Raises MergeError unless two tables of class scores have the same labels."""
    if a.labels != b.labels:
        raise MergeError(
            f"The class scores are for different labels: {a.labels} and {b.labels}. Declare labels= for both."
        )
