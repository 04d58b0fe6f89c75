"""Tables of scores in bins, for more rows than memory holds: of two classes, and of several, each against the rest."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, match_label
from classay.columns.numbers import in_precision
from classay.errors import InputError, MergeError
from classay.once import once
from classay.tables.binning import BinScale, places, scores_at
from classay.tables.bins import NEGATIVE, POSITIVE, Bins, Order
from classay.tables.checks import (
    checked_class_scores,
    checked_codes,
    checked_labels,
    checked_scores,
    checked_weights,
)
from classay.tables.classes import ClassScoreTable
from classay.tables.confusion import ConfusionMatrix
from classay.tables.scores import ScoreTable
from classay.tables.sums import added_behind
from classay.texts import amount

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class BinnedScoreTable(ScoreTable):
    """A score table whose scores stand for the cases of a bin: their mean, as a float64.

    Bins that hold one class, one score, or one class above the other are known exactly, and count as such. In the
    others all cases count as tied, which is the middle of what is possible; `laid_out` gives the ends.

    >>> rng = np.random.default_rng(0)
    >>> score, positive = rng.random(1000), rng.random(1000) < 0.3
    >>> table = BinnedScoreTable.of_rows(score, positive, bits=4)
    >>> exact = ScoreTable.from_rows(score, positive)
    >>> table.scores.size < exact.scores.size, int(table.n_positive - exact.n_positive)
    (True, 0)
    """

    bins: Bins = field(kw_only=True)

    def __post_init__(self) -> None:
        """Made of bins alone, by the methods below, so that there is nothing to check."""

    @classmethod
    def of_rows(
        cls,
        score: Array,
        positive: Array,
        labels: tuple[Hashable, Hashable] = (False, True),
        *,
        bits: int | BinScale,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> BinnedScoreTable:
        """Count rows into bins that keep so many bits of the significand, or of a scale; raises as `from_rows` does."""
        score, positive = checked_scores(score, positive)
        weight, frequency = checked_weights(score.size, weight, frequency)
        negative, positive_label = checked_labels(labels)
        bins = Bins.of_rows(score, positive, bits, weight=weight, frequency=frequency)
        return cls.of(bins, (negative, positive_label))

    @classmethod
    def of_table(cls, table: ScoreTable, bits: int | BinScale) -> BinnedScoreTable:
        """Bins of an exact table. Raises MergeError for one with amounts, which bins do not keep."""
        if table.amounts is not None:
            raise MergeError(
                "amounts are kept for exact scores only: assess without amounts, or with more memory."
            )
        return cls.of(Bins.of_table(table, bits), table.labels)

    @classmethod
    def of(cls, bins: Bins, labels: tuple[Hashable, Hashable]) -> BinnedScoreTable:
        """The table that measures look at."""
        rows, kept, scores = bins.laid_out("middle")
        return cls(scores, *_cells(bins, rows, kept), labels, *_squares(bins, rows, kept), bins=bins)

    @property
    def precision(self) -> np.dtype[Any]:
        """The type of the scores that were counted."""
        return np.dtype(self.bins.dtype)

    @property
    def thresholds(self) -> Array:
        """The least score of the cases that each score stands for, `(m,)`: at these the labels are known exactly."""
        return _thresholds(self)

    def laid_out(self, order: Order) -> ScoreTable:
        """The table with the cases of each bin in an order: `scores` are ranks, for measures of the order alone."""
        rows, kept, _ = self.bins.laid_out(order)
        ranks = np.arange(rows.size, 0, -1, dtype=np.float64)
        return ScoreTable(
            ranks, *_cells(self.bins, rows, kept), self.labels, *_squares(self.bins, rows, kept)
        )

    def at(self, threshold: float) -> ConfusionMatrix:
        """The confusion matrix of "positive when score >= threshold", exactly.

        Raises InputError where the threshold lies among cases of a bin, with the nearest ones that do not.
        """
        bins = self.bins
        called, cut = self._called(threshold)
        if cut.size:
            least = scores_at(np.where(bins.cases > 0, bins.least, bins.most.max()).min(0))
            below = float(least[cut[0]])
            above = f" or {float(least[cut[0] - 1])!r}" if cut[0] else ""
            raise InputError(
                f"the threshold {float(threshold)!r} lies among scores that were counted together: take {below!r}"
                f"{above}, or count with this threshold, or with more memory."
            )

        def cells(values: Array) -> Array:
            tp, fp = (np.where(called[c], values[c], 0).sum() for c in (POSITIVE, NEGATIVE))
            return np.array([[values[NEGATIVE].sum() - fp, values[POSITIVE].sum() - tp], [fp, tp]])

        squares = None if bins.squares is None else cells(bins.squares)
        return ConfusionMatrix(cells(bins.cases), self.labels, squares)

    def tells(self, threshold: float) -> bool:
        """Whether it is known of every case if it scores at least the threshold."""
        return not self._called(threshold)[1].size

    def _called(self, threshold: float) -> tuple[Array, Array]:
        """Which classes of bins score at least the threshold, `[class, bin]`; the bins of which that is not known."""
        bins = self.bins
        place = places(np.array([in_precision(threshold, self.precision)]))[0]
        called, spared = bins.least >= place, bins.most < place
        return called, np.flatnonzero(((bins.cases > 0) & ~(called | spared)).any(0))

    def __add__(self, other: ScoreTable) -> BinnedScoreTable:
        if self.labels != other.labels:
            raise MergeError(
                f"the tables' negative and positive classes are {self.labels} and {other.labels}: assess both alike."
            )
        if isinstance(other, BinnedScoreTable):
            return self.of(self.bins + other.bins, self.labels)
        return self + self.of_table(other, self.bins.bits)

    __radd__ = added_behind

    def without(self, part: ScoreTable) -> ScoreTable:
        """Not to be had of bins, which keep mean scores: those of a part are other ones. Raises MergeError."""
        raise MergeError(
            "a part cannot be taken out of scores in bins, whose means are not its own: add up the other parts."
        )

    def __repr__(self) -> str:
        return (
            f"BinnedScoreTable({self.bins.keys.size:,} bins of {self.bins.dtype} scores, "
            f"positive={self.labels[1]!r}, {amount(self.n_positive)} positive, {amount(self.n_negative)} negative)"
        )


@once
def _thresholds(table: BinnedScoreTable) -> Array:
    return table.bins.least_scores(*table.bins.laid_out("middle")[:2]).astype(table.precision)


def _cells(bins: Bins, rows: Array, kept: Array) -> tuple[Array, Array]:
    values = np.where(kept, bins.cases.take(rows, 1), 0)
    return values[POSITIVE], values[NEGATIVE]


def _squares(bins: Bins, rows: Array, kept: Array) -> tuple[Array | None, Array | None]:
    if bins.squares is None:
        return None, None
    values = np.where(kept, bins.squares.take(rows, 1), 0)
    return values[POSITIVE], values[NEGATIVE]


@dataclass(frozen=True, eq=False)
class BinnedClassScoreTable:
    """For scores of several classes and more rows than memory holds: the bins of each class against all others.

    Of which class the others are is not kept, nor which scores are of one case, so that a table takes classes times
    bins, however many rows there are. Tables add up as their bins do: of bins that lie in one another, the widest takes
    the cases.

    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> table = BinnedClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"), bits=10)
    >>> table.one_vs_rest("a")
    BinnedScoreTable(4 bins of float64 scores, positive='a', 2 positive, 2 negative)
    >>> (table + table).class_totals
    array([4., 2., 2.])
    """

    labels: tuple[Hashable, ...]
    bins: tuple[Bins, ...]

    @classmethod
    def from_rows(
        cls,
        scores: Array,
        true: Array,
        labels: tuple[Hashable, ...],
        *,
        bits: int | BinScale,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> BinnedClassScoreTable:
        """Count `scores` of shape `(rows, classes)` and the codes of the true classes, `(rows,)`."""
        labels = checked_labels(labels)
        checked_codes(len(labels), true=true)
        weight, frequency = checked_weights(true.size, weight, frequency)
        scores = checked_class_scores(scores, true.size, len(labels))

        def of_class(own: int) -> Bins:
            column = np.ascontiguousarray(scores[:, own])
            is_own = true == own
            return Bins.of_rows(column, is_own, bits, weight=weight, frequency=frequency, rows=scores.size)

        return cls(labels, tuple(map(of_class, range(len(labels)))))

    @classmethod
    def of_table(cls, table: ClassScoreTable, bits: int | BinScale) -> BinnedClassScoreTable:
        """The bins of an exact table."""
        against_rest = map(table.one_vs_rest, table.labels)
        return cls(table.labels, tuple(Bins.of_table(each, bits) for each in against_rest))

    @property
    def bits(self) -> int:
        """The bits of the significand that the coarsest bins keep."""
        return min(each.bits for each in self.bins)

    @property
    def class_totals(self) -> Array:
        """Weight of each true class, `(classes,)`."""
        return np.array([each.cases[POSITIVE].sum() for each in self.bins], np.float64)

    @property
    def tables(self) -> tuple[BinnedScoreTable, ...]:
        """Each class against all others, in the order of the labels."""
        return _tables(self)

    def one_vs_rest(self, label: Hashable) -> BinnedScoreTable:
        """The cases of a class against all others, by that class's score."""
        return self.tables[self.labels.index(match_label(label, self.labels))]

    def coarser(self, bits: int) -> BinnedClassScoreTable:
        """The same cases on a scale of fewer bits."""
        return BinnedClassScoreTable(self.labels, tuple(each.coarser(bits) for each in self.bins))

    def __add__(self, other: BinnedClassScoreTable | ClassScoreTable) -> BinnedClassScoreTable:
        if self.labels != other.labels:
            raise MergeError(
                f"the class scores are for the labels {self.labels} and {other.labels}: declare labels= for both."
            )
        there = self.of_table(other, self.bits) if isinstance(other, ClassScoreTable) else other
        pairs = zip(self.bins, there.bins, strict=True)
        labels = Labels.of(self.labels) | Labels.of(other.labels)
        return BinnedClassScoreTable(labels, tuple(a + b for a, b in pairs))

    __radd__ = added_behind


@once
def _tables(table: BinnedClassScoreTable) -> tuple[BinnedScoreTable, ...]:
    pairs = zip(table.labels, table.bins, strict=True)
    return tuple(BinnedScoreTable.of(bins, (f"not {label}", label)) for label, bins in pairs)
