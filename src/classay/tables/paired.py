"""PairedTable: the joint counts of two classifiers and the truth on the same cases."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, code_columns, match_label, unite
from classay.columns.uniting import declared
from classay.errors import InputError, MergeError
from classay.tables.checks import checked_cells, checked_codes, checked_labels, checked_weights
from classay.tables.confusion import ConfusionMatrix
from classay.tables.counting import count_triples, sum_triples
from classay.tables.summed import Summed
from classay.texts import amount

Array = NDArray[Any]
MOST_PAIRED_CLASSES = 200
"""Classes up to which all cells of three axes are kept: eight million of them, 64 MB."""


class PairedCounts(NamedTuple):
    """Cases that both classifiers get right, only the first, only the second, neither; of one leading shape."""

    both: Any
    first: Any
    second: Any
    neither: Any


@dataclass(frozen=True, eq=False)
class PairedTable(Summed):
    """Weight of the cases at each `[..., true, first, second]`: the true class, and what two classifiers said.

    Every paired difference of measures of labels is a function of it: eight cells for two classes. `counts`
    holds whole numbers of cases (int64), or sums of sampling weights with the sums of their squares in
    `squares`. Leading axes are anything: bootstrap replicates, clusters. At most 200 classes.

    >>> table = PairedTable.from_labels(["a", "a", "b", "b"], ["a", "b", "b", "b"], ["a", "a", "a", "b"])
    >>> table
    PairedTable(labels=('a', 'b'), 4 cases)
    >>> table.correctness
    PairedCounts(both=np.int64(2), first=np.int64(1), second=np.int64(1), neither=np.int64(0))
    >>> table.first.to_sklearn()
    array([[1, 1],
           [0, 2]])
    >>> (table + table).total
    np.int64(8)
    """

    counts: Array
    labels: tuple[Hashable, ...]
    squares: Array | None = None

    def __post_init__(self) -> None:
        k = len(self.labels)
        checked_cells(self.counts, (k, k, k), self.squares, "counts")

    @classmethod
    def from_labels(
        cls,
        true: Any,
        first: Any,
        second: Any,
        labels: Sequence[Hashable] | None = None,
        *,
        ordered: bool = False,
    ) -> PairedTable:
        """Count the labels of the truth and of two classifiers, columns of any kind, one row a case.

        With `ordered` the sequence of the `labels` is an order, of which ordinal measures are.

        Raises InputError on missing labels, unequal lengths, or columns of different types.

        >>> PairedTable.from_labels([1, 0], [1, 0], [0, 0]).counts[1]
        array([[0, 0],
               [1, 0]])
        """
        columns = code_columns([("truth", true), ("the first", first), ("the second", second)])
        for name, column in columns:
            if column.missing:
                raise InputError(f"{name} is missing in {column.missing} rows: leave these rows out.")
        rows = [column.codes.shape[0] for _, column in columns]
        if len({*rows}) > 1:
            raise InputError(
                f"truth has {rows[0]} rows, the first classifier {rows[1]}, the second {rows[2]}: pass arrays "
                "of one length."
            )
        united, codes = unite(columns, declared(labels, ordered=ordered))
        return cls.from_codes(codes[0], codes[1], codes[2], united)

    @classmethod
    def from_codes(
        cls,
        true: Array,
        first: Array,
        second: Array,
        labels: tuple[Hashable, ...],
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> PairedTable:
        """Count rows given as integer codes into `labels`, shape `(rows,)` each.

        Raises InputError for more than 200 classes, a code beyond the labels, columns of unequal length, and weights
        that do not add up.
        """
        k = len(labels)
        if k > MOST_PAIRED_CLASSES:
            raise InputError(
                f"there are {k:,} classes; the joint table of two classifiers is kept for up to "
                f"{MOST_PAIRED_CLASSES}: compare right with wrong, or fewer classes."
            )
        labels = checked_labels(labels)
        checked_codes(k, true=true, first=first, second=second)
        weight, frequency = checked_weights(true.size, weight, frequency)
        if frequency is not None:
            return cls(sum_triples(true, first, second, frequency, k).reshape(k, k, k), labels)
        if weight is None:
            return cls(count_triples(true, first, second, k).reshape(k, k, k), labels)
        counts, squares = (
            sum_triples(true, first, second, each, k).reshape(k, k, k) for each in (weight, weight * weight)
        )
        return cls(counts, labels, squares)

    @property
    def total(self) -> Any:
        """Weight of all cases, of the leading shape."""
        return self.counts.sum((-3, -2, -1))

    @property
    def first(self) -> ConfusionMatrix:
        """The confusion matrix of the first classifier."""
        return self._matrix(-1)

    @property
    def second(self) -> ConfusionMatrix:
        """The confusion matrix of the second classifier."""
        return self._matrix(-2)

    def _matrix(self, other: int) -> ConfusionMatrix:
        squares = None if self.squares is None else self.squares.sum(other).swapaxes(-1, -2)
        return ConfusionMatrix(self.counts.sum(other).swapaxes(-1, -2), self.labels, squares)

    @property
    def correctness(self) -> PairedCounts:
        """How often both classifiers are right, one of them, or none, over all true classes."""
        return self.agreement(np.eye(len(self.labels), dtype=bool))

    def agreement(self, success: Array) -> PairedCounts:
        """Cases by which classifier succeeds; `success[predicted, true]` says what a success is.

        A true class whose cases are not to count is left out with `of_classes`.
        """
        yes = np.asarray(success, bool).T
        first, second = yes[:, :, None], yes[:, None, :]
        return PairedCounts(
            *(
                np.where(each, self.counts, 0).sum((-3, -2, -1))
                for each in (first & second, first & ~second, ~first & second, ~first & ~second)
            )
        )

    def of_classes(self, kept: Array) -> PairedTable:
        """The cases whose true class is kept, `kept[true]` of booleans; the others count nothing."""
        keep = np.asarray(kept, bool)[:, None, None]
        squares = None if self.squares is None else np.where(keep, self.squares, 0)
        return PairedTable(np.where(keep, self.counts, 0), self.labels, squares)

    def index(self, label: Hashable) -> int:
        """The position of a label on all axes; InputError names the labels when it is not among them."""
        return self.labels.index(match_label(label, self.labels))

    def one_vs_rest(self, label: Hashable, rest: Hashable) -> PairedTable:
        """The table of a label against all others, which are called `rest`, `[..., 2, 2, 2]`."""
        own = np.eye(len(self.labels), dtype=np.int64)[self.index(label)]
        split = np.stack([1 - own, own])

        def cells(values: Array) -> Array:
            return np.asarray(np.einsum("...tab,it,ja,kb->...ijk", values, split, split, split))

        squares = None if self.squares is None else cells(self.squares)
        return PairedTable(cells(self.counts), (rest, self.labels[self.index(label)]), squares)

    def over(self, labels: tuple[Hashable, ...]) -> PairedTable:
        """The same counts on a larger set of labels, with zeros for the new ones."""
        if labels == self.labels:
            return self if labels is self.labels else PairedTable(self.counts, labels, self.squares)
        at: Any = np.ix_(*[[labels.index(label) for label in self.labels]] * 3)
        shape = (*self.counts.shape[:-3], *[len(labels)] * 3)

        def spread(values: Array) -> Array:
            wide = np.zeros(shape, values.dtype)
            wide[(..., *at)] = values
            return wide

        return PairedTable(
            spread(self.counts), labels, None if self.squares is None else spread(self.squares)
        )

    def swapped(self) -> PairedTable:
        """The table with the two classifiers in the other order."""
        squares = None if self.squares is None else self.squares.swapaxes(-1, -2)
        return PairedTable(self.counts.swapaxes(-1, -2), self.labels, squares)

    def __add__(self, other: PairedTable) -> PairedTable:
        if (self.squares is None) != (other.squares is None):
            raise MergeError(
                "one table holds sampling weights and the other counts cases: compare both alike."
            )
        labels = Labels.of(self.labels) | Labels.of(other.labels)
        a, b = self.over(labels), other.over(labels)
        squares = None if a.squares is None or b.squares is None else a.squares + b.squares
        return PairedTable(a.counts + b.counts, labels, squares)

    def __repr__(self) -> str:
        cases = f"{amount(self.total)} cases" if self.counts.ndim == 3 else f"shape {self.counts.shape}"
        return f"PairedTable(labels={self.labels}, {cases})"
