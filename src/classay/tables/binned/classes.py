"""BinnedClassScoreTable: scores of several classes in bins, each class against all others."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, match_label
from classay.errors import MergeError
from classay.once import once
from classay.tables.binned.bins import POSITIVE, Bins
from classay.tables.binned.scale import Scale
from classay.tables.binned.table import BinnedScoreTable
from classay.tables.checks import checked_class_scores, checked_codes, checked_labels, checked_weights
from classay.tables.classes import ClassScoreTable
from classay.tables.summed import added_behind

Array = NDArray[Any]


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
        bits: int | Scale,
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
    def of_table(cls, table: ClassScoreTable, bits: int | Scale) -> BinnedClassScoreTable:
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
