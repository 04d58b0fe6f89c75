"""SparseConfusionMatrix: a confusion matrix of many classes, by the pairs of classes that occur."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels
from classay.columns.values import refuse_twice
from classay.errors import InputError, MergeError
from classay.once import memoize
from classay.tables.checks import agreed, checked_codes, checked_weights
from classay.tables.confusion import BinaryCounts, ConfusionMatrix, Margins
from classay.tables.sums import added_behind, difference
from classay.texts import amount

Array = NDArray[Any]
MOST_DENSE = 1000
"""Classes up to which rows are counted into all pairs of classes; of more, into the pairs that occur."""
MOST_WRITTEN_OUT = 10_000
"""Classes up to which all pairs of classes are written out for whoever wants them: 800 MB."""


def count_matrix(
    predicted: Array,
    true: Array,
    labels: tuple[Hashable, ...],
    *,
    weight: Array | None = None,
    frequency: Array | None = None,
    amounts: Array | None = None,
    names: tuple[str, ...] = (),
) -> ConfusionMatrix:
    """Count rows as `ConfusionMatrix.from_codes` does; with many classes and no amounts, only the pairs that occur.

    Raises InputError for amounts of more than `MOST_WRITTEN_OUT` classes.
    """
    if amounts is not None and len(labels) > MOST_WRITTEN_OUT:
        raise InputError(
            f"Amounts are limited to {MOST_WRITTEN_OUT:,} classes, but there are {len(labels):,}. Remove the amounts, "
            "or combine rare classes."
        )
    if amounts is not None or len(labels) <= MOST_DENSE:
        return ConfusionMatrix.from_codes(
            predicted, true, labels, weight=weight, frequency=frequency, amounts=amounts, names=names
        )
    checked_codes(len(labels), predicted=predicted, true=true)
    weight, frequency = checked_weights(true.size, weight, frequency)
    return SparseConfusionMatrix.of_rows(predicted, true, labels, weight=weight, frequency=frequency)


def together(here: ConfusionMatrix, there: ConfusionMatrix) -> ConfusionMatrix:
    """Return the sum of two matrices; with many classes and no amounts, only the pairs that occur. Raises MergeError.

    >>> small, large = (ConfusionMatrix.from_array([[1, 0], [2, 3]], labels, rows="true") for labels in ("ab", "bc"))
    >>> together(small, large).labels
    ('a', 'b', 'c')
    """
    if here.is_weighted != there.is_weighted:
        raise MergeError("Only one matrix has sampling weights. Assess both in the same way.")
    agreed(here.amounts, there.amounts)
    labels = Labels.of(here.labels) | Labels.of(there.labels)
    kept = here.keeps_pairs_that_occur or there.keeps_pairs_that_occur or len(labels) > MOST_DENSE
    if kept and here.amounts is None and here.is_one and there.is_one:
        return SparseConfusionMatrix.of_sum(here, there, labels)
    # of many matrices at once, or with amounts, all pairs are added
    return ConfusionMatrix.__add__(here, there)


class SparseConfusionMatrix(ConfusionMatrix):
    """A confusion matrix that keeps the cells with a case: no more than there are rows, however many the classes.

    `places`, `(cells,)`, are predicted * classes + true, ascending; `held` the weight there, int64 for numbers of
    cases, float64 for sums of sampling weights; `held_squares` the sums of their squares, None where cases are counted.
    It has no leading axes and no amounts.

    >>> codes = np.array([0, 5, 5]), np.array([0, 5, 7])
    >>> matrix = SparseConfusionMatrix.of_rows(*codes, tuple(range(100_000)))
    >>> matrix
    SparseConfusionMatrix(100,000 classes, 3 cases in 3 cells)
    >>> [column.tolist() for column in matrix.occupied]
    [[0, 5, 5], [0, 5, 7], [1.0, 1.0, 1.0]]
    >>> (matrix + matrix).total
    np.int64(6)
    """

    places: Array
    held: Array
    held_squares: Array | None

    def __init__(
        self, places: Array, held: Array, labels: tuple[Hashable, ...], held_squares: Array | None = None
    ) -> None:
        # the matrix is frozen, as all tables are
        for name, part in (
            ("places", places),
            ("held", held),
            ("labels", labels),
            ("held_squares", held_squares),
        ):
            object.__setattr__(self, name, part)

    @classmethod
    def of_rows(
        cls,
        predicted: Array,
        true: Array,
        labels: tuple[Hashable, ...],
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> SparseConfusionMatrix:
        """Count rows given as codes into `labels`, `(rows,)` each, with sampling weights or frequencies."""
        places = predicted.astype(np.int64) * len(labels) + true
        if weight is not None:
            return cls._of_cells(places, np.asarray(weight, np.float64), labels, weight * weight)
        if frequency is not None:
            return cls._of_cells(places, frequency, labels)
        return cls(*np.unique(places, return_counts=True), labels)

    @classmethod
    def of_matrix(cls, matrix: ConfusionMatrix) -> SparseConfusionMatrix:
        """Return the cells of one matrix that hold a case."""
        if isinstance(matrix, cls):
            return matrix
        places = np.flatnonzero(matrix.counts)
        squares = None if matrix.squares is None else matrix.squares.ravel()[places]
        return cls(places, matrix.counts.ravel()[places], matrix.labels, squares)

    @classmethod
    def of_sum(
        cls, here: ConfusionMatrix, there: ConfusionMatrix, labels: tuple[Hashable, ...]
    ) -> SparseConfusionMatrix:
        """Return the sum of two matrices, on labels that include those of both."""
        a, b = (cls.of_matrix(matrix).over(labels) for matrix in (here, there))
        squares = None
        if a.held_squares is not None and b.held_squares is not None:
            squares = np.concatenate([a.held_squares, b.held_squares])
        return cls._of_cells(
            np.concatenate([a.places, b.places]), np.concatenate([a.held, b.held]), labels, squares
        )

    @classmethod
    def _of_cells(
        cls, places: Array, weights: Array, labels: tuple[Hashable, ...], squares: Array | None = None
    ) -> SparseConfusionMatrix:
        """Cells in any order, some of them several times; those that hold nothing then are left out."""
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        is_first = np.concatenate([[True], ordered[1:] != ordered[:-1]])[: ordered.size]
        cell = np.cumsum(is_first) - 1

        def summed(values: Array) -> Array:
            return _sums(cell, values[order], int(is_first.sum()))  # in the order in which they came

        sums, squared = summed(weights), None if squares is None else summed(squares)
        some = sums != 0
        return cls(ordered[is_first][some], sums[some], labels, None if squared is None else squared[some])

    @property
    def counts(self) -> Array:
        """All pairs of classes, `[predicted, true]`. Raises InputError if memory cannot hold so many pairs."""
        return self._written_out(self.held)

    @property
    def squares(self) -> Array | None:
        """The squared weights of all pairs of classes, None where cases are counted; raises as `counts` does."""
        return None if self.held_squares is None else self._written_out(self.held_squares)

    def _written_out(self, values: Array) -> Array:
        k = len(self.labels)
        if k > MOST_WRITTEN_OUT:
            raise InputError(
                f"A confusion matrix of {k:,} classes is too large. Use confusion_matrix.occupied, or "
                "confusion_matrix.restrict(labels) for some classes."
            )
        matrix = np.zeros(k * k, values.dtype)
        matrix[self.places] = values
        return matrix.reshape(k, k)

    @property
    def is_weighted(self) -> bool:
        """Whether it holds sums of sampling weights instead of numbers of cases."""
        return self.held_squares is not None

    @property
    @memoize
    def of_squares(self) -> ConfusionMatrix | None:
        """The squared weights as a matrix of their own, or None where cases are counted."""
        if self.held_squares is None:
            return None
        return SparseConfusionMatrix(self.places, self.held_squares, self.labels)

    @property
    def is_one(self) -> bool:
        """It has no leading axes."""
        return True

    @property
    def keeps_pairs_that_occur(self) -> bool:
        """It keeps no cell without a case."""
        return True

    @property
    def total(self) -> Any:
        """Weight of all cases."""
        return self.held.sum()

    @property
    def margins(self) -> Margins:
        """Hits, predicted and true weight of each class, `(classes,)`."""
        return _margins(self)

    @property
    def occupied(self) -> tuple[Array, Array, Array]:
        """Predicted and true class of the cells that hold a case, and their weight, `(cells,)` each."""
        predicted, true = np.divmod(self.places, len(self.labels))
        return predicted, true, self.held.astype(np.float64)

    def class_counts(self) -> BinaryCounts:
        """Return each class against the rest, `(classes,)`: a weight without cases is exactly 0."""
        return _class_counts(self)

    def restrict(self, labels: Sequence[Hashable]) -> ConfusionMatrix:
        """Return the cases whose true and predicted class are both in `labels`, in that order; also reorders the axes.

        Raises InputError for a label that the matrix lacks, and for one that is named twice.
        """
        kept = Labels.of(self.labels).taken([self.index(label) for label in labels], labels)
        refuse_twice(kept)
        place = {label: i for i, label in enumerate(self.labels)}
        at = np.full(len(self.labels), -1)
        at[[place[label] for label in kept]] = np.arange(len(kept))
        matrix = self._moved(at, kept)
        return matrix if len(kept) > MOST_DENSE else ConfusionMatrix(matrix.counts, kept, matrix.squares)

    def over(self, labels: tuple[Hashable, ...]) -> SparseConfusionMatrix:
        """Return the same counts on a larger set of labels."""
        if labels == self.labels:
            return type(self)(self.places, self.held, labels, self.held_squares)
        place = {label: i for i, label in enumerate(labels)}
        return self._moved(np.array([place[label] for label in self.labels], np.int64), labels)

    def _moved(self, at: Array, labels: tuple[Hashable, ...]) -> SparseConfusionMatrix:
        """Return the cells of classes that stand elsewhere, those at -1 left out."""
        predicted, true = (at[codes] for codes in self.occupied[:2])
        kept = (predicted >= 0) & (true >= 0)
        squares = None if self.held_squares is None else self.held_squares[kept]
        places = predicted[kept] * len(labels) + true[kept]
        return self._of_cells(places, self.held[kept], labels, squares)

    def _put_together(self, place: Array, names: tuple[Hashable, ...]) -> ConfusionMatrix:
        """Return the matrix with each class at its new place, several of them at one."""
        predicted, true = (place[codes] for codes in self.occupied[:2])
        matrix = self._of_cells(predicted * len(names) + true, self.held, names, self.held_squares)
        return matrix if len(names) > MOST_DENSE else ConfusionMatrix(matrix.counts, names, matrix.squares)

    def _listed(self) -> tuple[Array, Array, Array]:
        """Predicted and true class and the weight of the cells of a frame: those that hold a case, by true class."""
        predicted, true = np.divmod(self.places, len(self.labels))
        order = np.lexsort((predicted, true))
        return predicted[order], true[order], self.held[order]

    def collapse(self, label: Hashable, rest: Hashable) -> ConfusionMatrix:
        """Return the two-class matrix of a label against all others, which are called `rest`, `(2, 2)`."""
        i = self.index(label)

        def cells(of: ConfusionMatrix) -> Array:
            tp, fp, fn, tn = (part[i] for part in of.class_counts())
            return np.array([[tn, fn], [fp, tp]])

        squares = self.of_squares
        return ConfusionMatrix(
            cells(self), (rest, self.labels[i]), None if squares is None else cells(squares)
        )

    def without(self, part: ConfusionMatrix) -> ConfusionMatrix:
        """Return the matrix without the cases of a part of it, if cases are counted and not weighted."""
        taken = self.of_matrix(part).over(self.labels)
        places = np.concatenate([self.places, taken.places])
        return self._of_cells(places, np.concatenate([self.held, -taken.held]), self.labels)

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        return together(self, other)

    __radd__ = added_behind

    def __repr__(self) -> str:
        return (
            f"SparseConfusionMatrix({len(self.labels):,} classes, {amount(self.total)} cases in "
            f"{self.held.size:,} cells)"
        )


def _sums(at: Array, weights: Array, classes: int) -> Array:
    """Return the weight at each class; of numbers of cases, whole."""
    totals = np.zeros(classes, weights.dtype)
    np.add.at(totals, at, weights)
    return totals


@memoize
def _margins(matrix: SparseConfusionMatrix) -> Margins:
    k, weights = len(matrix.labels), matrix.held
    predicted, true = np.divmod(matrix.places, k)
    on = predicted == true
    return Margins(_sums(true[on], weights[on], k), _sums(predicted, weights, k), _sums(true, weights, k))


@memoize
def _class_counts(matrix: SparseConfusionMatrix) -> BinaryCounts:
    if matrix.held.dtype.kind != "f":
        return matrix.margins.class_counts()
    k, weights = len(matrix.labels), matrix.held
    predicted, true = np.divmod(matrix.places, k)
    off = predicted != true
    tp = matrix.margins.hits
    fp, fn = (_sums(codes[off], weights[off], k) for codes in (predicted, true))
    cells = _sums(predicted, np.ones(weights.size), k) + _sums(true[off], np.ones(int(off.sum())), k)
    tn = np.where(cells == weights.size, 0.0, difference(weights.sum(), tp + fp + fn))
    return BinaryCounts(tp, fp, fn, tn)
