"""ConfusionMatrix: the weight at each pair of predicted and true class."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.answers import of_labels
from classay.columns import Labels, match_label
from classay.columns.labels import declared
from classay.columns.numbers import as_array, refuse_uncountable
from classay.columns.values import refuse_twice
from classay.errors import InputError, MergeError, check_word
from classay.kinds import TypedFields
from classay.once import memoize
from classay.shown import card, columns_as_frame, plot
from classay.tables.checks import (
    Amounts,
    added,
    checked_amounts,
    checked_cells,
    checked_codes,
    checked_labels,
    checked_weights,
    united_codes,
)
from classay.tables.sums import Mergeable, difference
from classay.tables.tabulating import count_cells, sum_cells
from classay.texts import amount

Array = NDArray[Any]
Share = Literal["true", "predicted", "all"]
Order = Literal["cases", "share"]
PICTURED = 40
"""The most classes that a picture or a page shows by name: if there are more, those with the most errors."""


@dataclass(frozen=True)
class Confusion:
    """Cases (or weight) of a class that are taken for another, and their share of the class."""

    true: Hashable
    predicted: Hashable
    cases: float
    share: float


class ShownCells(NamedTuple):
    """The cells of a matrix that a reader sees, `[predicted, true]`, with the texts of the labels.

    An additional last row holds cases without an answer. Where `rest` is not 0, the last label stands for that many
    classes, and `among` counts the confusions among these.
    """

    labels: tuple[str, ...]
    counts: Array
    rest: int
    among: float


class BinaryCounts(NamedTuple):
    """True and false positives and negatives, arrays of one leading shape."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array


class Margins(NamedTuple):
    """What most measures of a whole matrix need: hits, predicted and true weight of each class, `[..., class]`."""

    hits: Array
    predicted: Array
    true: Array

    def class_counts(self) -> BinaryCounts:
        """Return each class against the rest, `[..., class]`."""
        fp, fn = difference(self.predicted, self.hits), difference(self.true, self.hits)
        return BinaryCounts(
            self.hits, fp, fn, difference(self.true.sum(-1, keepdims=True), self.hits + fp + fn)
        )


@dataclass(frozen=True, eq=False)
class ConfusionMatrix(TypedFields, Mergeable):
    """Confusion matrix, with predicted and true classes as its last two axes.

    Leading axes are folds, bootstrap replicates, groups or clusters, for example.

    Parameters
    ----------
    counts : array
        Weight of the cases, `[..., predicted, true]`: whole numbers of cases (int64), or sums of sampling
        weights (float64).
    labels : tuple
        Labels of both axes.
    squares : array, optional
        Sums of the squared sampling weights.
    amounts : Amounts, optional
        Sums of what rows carry in each cell.

    Examples
    --------
    >>> matrix = ConfusionMatrix.from_array([[50, 3], [10, 30]], ["cat", "dog"], rows="true")
    >>> matrix
    ConfusionMatrix(labels=('cat', 'dog'), 93 cases)
    rows: predicted, columns: true
    [[50 10]
     [ 3 30]]
    >>> matrix.one_vs_rest("cat")
    BinaryCounts(tp=np.int64(50), fp=np.int64(10), fn=np.int64(3), tn=np.int64(30))
    >>> (matrix + matrix).total
    np.int64(186)
    """

    counts: Array
    labels: tuple[Hashable, ...]
    squares: Array | None = None
    amounts: Amounts | None = None

    def __post_init__(self) -> None:
        k = len(self.labels) if isinstance(self.labels, tuple) else 0
        checked_cells(self.counts, (k, k), self.squares, "counts")
        super().__post_init__()

    @classmethod
    def from_labels(
        cls, true: Any, predicted: Any, labels: Sequence[Hashable] | None = None, *, ordered: bool = False
    ) -> ConfusionMatrix:
        """Count true and predicted labels.

        Parameters
        ----------
        true, predicted : array-like
            Labels of any kind, one per row.
        labels : sequence, optional
            All classes. The default is those that occur.
        ordered : bool, default False
            Whether the sequence of `labels` is an order, which ordinal measures use.

        Returns
        -------
        ConfusionMatrix
            The counts.

        Raises
        ------
        InputError
            If a label is missing.
            If lengths or types of the columns differ.

        Examples
        --------
        >>> ConfusionMatrix.from_labels(["cat", "dog", "dog"], ["cat", "cat", "dog"]).counts
        array([[1, 1],
               [0, 1]])
        """
        columns = [("truth", true), ("prediction", predicted)]
        united, (true_codes, predicted_codes) = united_codes(columns, declared(labels, ordered=ordered))
        return cls.from_codes(predicted_codes, true_codes, united)

    @classmethod
    def from_codes(
        cls,
        predicted: Array,
        true: Array,
        labels: tuple[Hashable, ...],
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
        amounts: Array | None = None,
        names: tuple[str, ...] = (),
    ) -> ConfusionMatrix:
        """Count rows given as integer codes into `labels`.

        Parameters
        ----------
        predicted, true : array
            Codes, `(rows,)`.
        labels : tuple
            All classes.
        weight : array, optional
            Sampling weight of each row.
        frequency : array, optional
            Number of identical rows that each row represents.
        amounts : array, optional
            What rows carry, `(rows, amounts)`.
        names : tuple of str, default ()
            Names of the amounts.

        Returns
        -------
        ConfusionMatrix
            The counts.

        Raises
        ------
        InputError
            If a code exceeds the labels.
            If the columns have unequal lengths.
            If weights, frequencies or amounts do not add up.
        """
        labels = checked_labels(labels)
        k = len(labels)
        checked_codes(k, predicted=predicted, true=true)
        weight, frequency = checked_weights(true.size, weight, frequency)
        if amounts is not None:
            amounts = checked_amounts(amounts, names, true.size)
            matrix = cls.from_codes(predicted, true, labels, weight=weight, frequency=frequency)

            def add(values: Array) -> Array:
                return np.asarray(sum_cells(predicted, true, values, k).reshape(k, k))

            kept = Amounts.of_rows(
                names, amounts, add, weight=weight, frequency=frequency, true=true, classes=k
            )
            return replace(matrix, amounts=kept)
        if frequency is not None:
            return cls(sum_cells(predicted, true, frequency, k).reshape(k, k), labels)
        if weight is None:
            return cls(count_cells(predicted, true, k).reshape(k, k), labels)
        counts = sum_cells(predicted, true, weight, k).reshape(k, k)
        return cls(counts, labels, sum_cells(predicted, true, weight * weight, k).reshape(k, k))

    @classmethod
    def from_array(
        cls,
        counts: ArrayLike,
        labels: Sequence[Hashable],
        *,
        rows: Literal["true", "predicted"] | None = None,
        ordered: bool = False,
    ) -> ConfusionMatrix:
        """Take a matrix that was counted elsewhere.

        Parameters
        ----------
        counts : array-like
            The counts.
        labels : sequence
            Labels of both axes.
        rows : {"true", "predicted"}
            What the rows of `counts` are, because conventions differ.
        ordered : bool, default False
            Whether the sequence of `labels` is an order, which ordinal measures use.

        Returns
        -------
        ConfusionMatrix
            The counts.

        Raises
        ------
        InputError
            If `rows` is missing or another word.
            If a label occurs twice, or the shape does not fit the labels.
            If an entry is negative, infinite, NaN or a fraction.
            If there are more cases than add up exactly (2^53).
        """
        if rows is None:
            raise InputError(
                "The meaning of the rows of the matrix is not set. Pass rows='true' or rows='predicted'."
            )
        check_word("rows", rows, ("true", "predicted"))
        array = as_array(counts if isinstance(counts, (list, tuple)) else np.asarray(counts), "the matrix")
        known = declared(labels, ordered=ordered)
        assert known is not None
        k = len(known)
        if array.ndim < 2 or array.shape[-2:] != (k, k):
            raise InputError(f"The matrix has shape {array.shape}, but {k} labels need (..., {k}, {k}).")
        cells = array.astype(np.float64, copy=False)
        odd = ~(np.isfinite(cells) & (cells >= 0) & (cells == np.floor(cells)))
        if odd.any():
            raise InputError(
                f"The matrix contains {cells[odd][0]:g}. Each cell must be a whole number of cases of at least 0."
            )
        refuse_uncountable(cells, "the matrix")
        cells = cells if rows == "predicted" else cells.swapaxes(-1, -2)
        return cls(np.ascontiguousarray(cells.astype(np.int64)), known)

    @property
    def is_one(self) -> bool:
        """Whether it is one matrix, without leading axes."""
        return self.counts.ndim == 2

    @property
    def keeps_pairs_that_occur(self) -> bool:
        """Whether it keeps only cells with a case, as a matrix of many classes does."""
        return False

    @property
    def total(self) -> Any:
        """Weight of all cases, of the leading shape."""
        return self.counts.sum((-2, -1))

    @property
    def is_weighted(self) -> bool:
        """Whether it has sums of sampling weights in place of numbers of cases."""
        return self.squares is not None

    @property
    @memoize
    def of_squares(self) -> ConfusionMatrix | None:
        """Matrix of the squared weights, or None if cases are counted."""
        return None if self.squares is None else ConfusionMatrix(self.squares, self.labels)

    @property
    def margins(self) -> Margins:
        """Correct, predicted and true weight of each class, `[..., class]`."""
        return _margins(self)

    @property
    def occupied(self) -> tuple[Array, Array, Array]:
        """Cells of one matrix that have a case.

        They are the predicted class, the true class and the weight, `(cells,)` each.
        """
        return _occupied(self)

    def index(self, label: Hashable) -> int:
        """Return the position of a label on both axes.

        Raises
        ------
        InputError
            If there is no such label. The text lists the labels.
        """
        return self.labels.index(match_label(label, self.labels))

    def one_vs_rest(self, label: Hashable) -> BinaryCounts:
        """Return the counts of one class against all others, of the leading shape."""
        i = self.index(label)
        return BinaryCounts(*(part[..., i][()] for part in self.class_counts()))

    def class_counts(self) -> BinaryCounts:
        """Return the counts of each class against all others, `[..., class]`.

        They are sums of cells, so that an empty sum of weights is exactly 0.
        """
        return _class_counts(self)

    def restrict(self, labels: Sequence[Hashable]) -> ConfusionMatrix:
        """Return the cases with true and predicted class among these labels.

        The axes take the order of the labels.

        Raises
        ------
        InputError
            If the matrix lacks a label.
            If a label is named twice.
        """
        at = [self.index(label) for label in labels]
        kept = Labels.of(self.labels).taken(at, labels)
        refuse_twice(kept)
        rows, columns = np.ix_(at, at)
        squares = None if self.squares is None else self.squares[..., rows, columns]
        amounts = (
            None
            if self.amounts is None
            else self.amounts.over(lambda sums: sums[..., rows, columns], lambda least: least[:, at])
        )
        return ConfusionMatrix(self.counts[..., rows, columns], kept, squares, amounts)

    def collapse(self, label: Hashable, rest: Hashable) -> ConfusionMatrix:
        """Return the two-class matrix of a label against all others.

        Parameters
        ----------
        label : label
            The class.
        rest : label
            Name of all others.

        Returns
        -------
        ConfusionMatrix
            The matrix, `[..., 2, 2]`.
        """
        i = self.index(label)

        def cells(values: Array) -> Array:
            tp, fp, fn, tn = (part[..., i] for part in ConfusionMatrix(values, self.labels).class_counts())
            return np.stack([np.stack([tn, fn], -1), np.stack([fp, tp], -1)], -2)

        def classes(least: Array) -> Array:
            return np.stack([np.delete(least, i, -1).min(-1, initial=np.inf), least[:, i]], -1)

        squares = None if self.squares is None else cells(self.squares)
        amounts = None if self.amounts is None else self.amounts.over(cells, classes)
        return ConfusionMatrix(cells(self.counts), (rest, self.labels[i]), squares, amounts)

    def cut(self, place: int, names: tuple[Hashable, Hashable]) -> ConfusionMatrix:
        """Return the two-class matrix of lower against higher classes.

        Parameters
        ----------
        place : int
            Position of the first higher class.
        names : (label, label)
            Names of the lower and the higher classes.

        Returns
        -------
        ConfusionMatrix
            The matrix, `[..., 2, 2]`.
        """
        k = len(self.labels)
        of = np.stack([np.arange(k) < place, np.arange(k) >= place]).astype(np.int64)

        def cells(values: Array) -> Array:
            return of @ values @ of.T

        def classes(least: Array) -> Array:
            parts = least[:, :place], least[:, place:]
            return np.stack([side.min(-1, initial=np.inf) for side in parts], -1)

        squares = None if self.squares is None else cells(self.squares)
        amounts = None if self.amounts is None else self.amounts.over(cells, classes)
        return ConfusionMatrix(cells(self.counts), names, squares, amounts)

    def shares(self, share: Share = "true") -> Array:
        """Return each cell as a share of its true class, predicted class, or all cases.

        Parameters
        ----------
        share : {"true", "predicted", "all"}, default "true"
            What the shares are of. With "true" the diagonal holds the recalls, with "predicted" the
            precisions.

        Returns
        -------
        array
            Shares, `[..., predicted, true]`, NaN for shares of no cases.

        Raises
        ------
        InputError
            If `share` is another word.

        Examples
        --------
        >>> ConfusionMatrix.from_array([[30, 10], [0, 40]], ["cat", "dog"], rows="true").shares("predicted").tolist()
        [[1.0, 0.0], [0.2, 0.8]]
        """
        check_word("share", share, get_args(Share))
        axis: Any = {"true": -2, "predicted": -1, "all": (-2, -1)}[share]
        totals = self.counts.sum(axis, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(totals > 0, self.counts / totals, np.nan)

    def confusions(self, by: Order = "cases", most: int | None = None) -> tuple[Confusion, ...]:
        """List the pairs of confused classes, the most frequent first.

        Among equal pairs those of more cases come first, then those of earlier labels. A case without a
        prediction is no confusion.

        Parameters
        ----------
        by : {"cases", "share"}, default "cases"
            Order by the number of cases, or by the share of the true class.
        most : int, optional
            Largest number of pairs.

        Returns
        -------
        tuple of Confusion
            The pairs.

        Raises
        ------
        InputError
            If `by` is another word.
            If the matrix has leading axes.

        Examples
        --------
        >>> matrix = ConfusionMatrix.from_array([[90, 10, 0], [0, 30, 5], [0, 1, 1]], "abc", rows="true")
        >>> [(cell.true, cell.predicted, cell.share) for cell in matrix.confusions(by="share", most=2)]
        [('c', 'b', 0.5), ('b', 'c', 0.14285714285714285)]
        """
        check_word("by", by, get_args(Order))
        self._refuse_several("Confusions")
        predicted, true, cases = self.occupied
        wrong = (predicted != true) & (predicted < len(of_labels(self.labels)))
        predicted, true, cases = predicted[wrong], true[wrong], cases[wrong]
        share = cases / self.margins.true[true]
        keys = (predicted, true, -cases) if by == "cases" else (predicted, true, -cases, -share)
        return tuple(
            Confusion(self.labels[true[at]], self.labels[predicted[at]], float(cases[at]), float(share[at]))
            for at in np.lexsort(keys)[:most]
        )

    def most_confused(self, most: int = PICTURED, rest: Hashable = "others") -> ConfusionMatrix:
        """Keep the classes with the most errors, and combine all others.

        Cases without a prediction keep their row.

        Parameters
        ----------
        most : int, default 40
            Number of classes to keep, at least 1. A matrix of no more classes is unchanged.
        rest : label, default "others"
            Name of all others, which come last.

        Returns
        -------
        ConfusionMatrix
            The kept classes in their order. Of classes with equally many errors the first are kept. The
            cell of `rest` with itself also holds the confusions among the others.

        Raises
        ------
        InputError
            If `most` is below 1.
            If `rest` is the name of a class.

        Examples
        --------
        >>> matrix = ConfusionMatrix.from_array([[9, 0, 0], [0, 5, 4], [0, 3, 6]], "abc", rows="true")
        >>> matrix.most_confused(2)
        ConfusionMatrix(labels=('b', 'c', 'others'), 27 cases)
        rows: predicted, columns: true
        [[5 3 0]
         [4 6 0]
         [0 0 9]]
        """
        labels = of_labels(self.labels)
        if not most >= 1:
            raise InputError(f"most must be a number of classes of at least 1, but is {most!r}.")
        if len(labels) <= most:
            return self
        if rest in labels:
            raise InputError(f"rest must not be the name of a class, but is {rest!r}.")
        self._refuse_several("The most confused classes")
        predicted, true, cases = self.occupied
        kept = most_involved(predicted, true, cases, len(labels), most)
        place = np.full(len(self.labels), len(kept))
        place[kept] = np.arange(len(kept))
        place[len(labels) :] = len(kept) + 1  # no answer
        names = (*(labels[at] for at in kept), rest, *self.labels[len(labels) :])
        return self._put_together(place, names)

    def cells_to_show(self, most: int = PICTURED) -> ShownCells:
        """Return the cells to show.

        They are those of all classes. Of more than `most` classes, those with the most errors are kept and
        all others combined.
        """
        classes = of_labels(self.labels)
        rest = max(len(classes) - most, 0)
        name = f"{rest:,} others"
        while name in classes:
            name = f"{name}."
        shown = self.most_confused(most, name)
        named, n = of_labels(shown.labels), len(shown.labels)
        among = 0.0
        if rest:
            kept = {label: at for at, label in enumerate(named[:-1])}
            outside = np.array([label not in kept for label in classes] + [False])
            predicted, true, cases = self.occupied
            at = np.minimum(predicted, len(classes))  # no answer is none of them
            among = float(cases[(predicted != true) & outside[at] & outside[true]].sum())
        return ShownCells(tuple(map(str, named)), shown.counts[:n, : len(named)], rest, among)

    def _put_together(self, place: Array, names: tuple[Hashable, ...]) -> ConfusionMatrix:
        """Return the matrix with each class at its new place, several of them at one."""
        of = np.zeros((len(names), place.size), np.int64)
        of[place, np.arange(place.size)] = 1

        def moved(values: Array) -> Array:
            return of @ values @ of.T

        squares = None if self.squares is None else moved(self.squares)
        return ConfusionMatrix(moved(self.counts), names, squares)

    def _refuse_several(self, what: str) -> None:
        if not self.is_one:
            raise InputError(
                f"{what} need one matrix, but the matrix has leading axes. Index `.counts`, or sum the matrices."
            )

    def frame(self, share: Share | None = None) -> Any:
        """Return the cells as a PyArrow table.

        Columns: true, predicted, cases, and share if requested. A matrix of many classes gives only the
        cells that have a case.

        Parameters
        ----------
        share : {"true", "predicted", "all"}, optional
            What the column of shares is of.

        Returns
        -------
        pyarrow.Table
            One row for each cell.

        Raises
        ------
        InputError
            If the matrix has leading axes.

        Examples
        --------
        >>> matrix = ConfusionMatrix.from_array([[30, 10], [0, 40]], ["cat", "dog"], rows="true")
        >>> matrix.frame(share="true").to_pylist()[1]
        {'true': 'cat', 'predicted': 'dog', 'cases': 10, 'share': 0.25}
        """
        self._refuse_several("The rows of a frame")
        if share is not None:
            check_word("share", share, get_args(Share))
        predicted, true, cases = self._listed()
        columns: dict[str, Any] = {
            "true": [str(self.labels[at]) for at in true],
            "predicted": [str(self.labels[at]) for at in predicted],
            "cases": cases,
        }
        if share is not None:
            totals = {"true": self.margins.true[true], "predicted": self.margins.predicted[predicted]}
            base = np.broadcast_to(totals.get(share, self.total), cases.shape).astype(np.float64)
            columns["share"] = np.divide(cases, base, out=np.full(cases.shape, np.nan), where=base > 0)
        return columns_as_frame(columns)

    def _listed(self) -> tuple[Array, Array, Array]:
        """Predicted and true class and the weight of the cells of a frame: all of them, by true class."""
        k, answered = len(self.labels), len(of_labels(self.labels))
        true, predicted = np.divmod(np.arange(answered * k), k)
        return predicted, true, self.counts[predicted, true]

    def plot(self, ax: Any = None, *, share: Share | None = None) -> Any:
        """Draw the matrix.

        The picture needs matplotlib (the extra `plot`). Of more than `PICTURED` classes those with the most
        errors are shown, and all others combined.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on. The default is new axes.
        share : {"true", "predicted", "all"}, optional
            Show shares of the true class, the predicted class or all cases in place of cases. The shade
            shows this share, by default that of the true class.

        Returns
        -------
        matplotlib axes
            The axes with the picture.

        Raises
        ------
        InputError
            If `share` is another word.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> matrix = ConfusionMatrix.from_array([[30, 10], [0, 40]], ["cat", "dog"], rows="true")
        >>> matrix.plot(Figure().subplots(), share="true").get_xlabel()
        'true'
        """
        if share is not None:
            check_word("share", share, get_args(Share))
        self._refuse_several("The cells of a figure")
        return plot(self, ax, share=share)

    def _repr_html_(self) -> str:
        return card(self)

    def to_sklearn(self) -> Array:
        """Return the matrix with true classes as rows, as scikit-learn does.

        Its axes are `[..., true, predicted]`, as those of `sklearn.metrics.confusion_matrix`.
        """
        return self.counts.swapaxes(-1, -2)

    def over(self, labels: tuple[Hashable, ...]) -> ConfusionMatrix:
        """Return the same counts on more labels, with zeros for the new ones."""
        if labels == self.labels:
            return self if labels is self.labels else replace(self, labels=labels)
        place = {label: i for i, label in enumerate(labels)}
        at = [place[label] for label in self.labels]
        rows, columns = np.ix_(at, at)

        def spread(values: Array) -> Array:
            wide = np.zeros((*values.shape[:-2], len(labels), len(labels)), values.dtype)
            wide[..., rows, columns] = values
            return wide

        def classes(least: Array) -> Array:
            wide = np.full((least.shape[0], len(labels)), np.inf)
            wide[:, at] = least
            return wide

        squares = None if self.squares is None else spread(self.squares)
        amounts = None if self.amounts is None else self.amounts.over(spread, classes)
        return ConfusionMatrix(spread(self.counts), labels, squares, amounts)

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if self.is_weighted != other.is_weighted:
            raise MergeError("Only one matrix has sampling weights. Assess both in the same way.")
        labels = Labels.of(self.labels) | Labels.of(other.labels)
        a, b = self.over(labels), other.over(labels)
        squares = None if a.squares is None or b.squares is None else a.squares + b.squares
        return ConfusionMatrix(a.counts + b.counts, labels, squares, added(a.amounts, b.amounts))

    def without(self, part: ConfusionMatrix) -> ConfusionMatrix:
        """Return the matrix without the cases of a part of it.

        The cases must be counted and not weighted. Amounts are removed.

        Examples
        --------
        >>> matrix = ConfusionMatrix.from_array([[50, 3], [10, 30]], ["cat", "dog"], rows="true")
        >>> matrix.without(ConfusionMatrix.from_array([[50, 0], [0, 30]], ["cat", "dog"], rows="true")).counts
        array([[ 0, 10],
               [ 3,  0]])
        """
        return ConfusionMatrix(self.counts - part.over(self.labels).counts, self.labels)

    def __repr__(self) -> str:
        cases = f"{amount(self.total)} cases" if self.counts.ndim == 2 else f"shape {self.counts.shape}"
        return (
            f"ConfusionMatrix(labels={self.labels}, {cases})\nrows: predicted, columns: true\n{self.counts}"
        )


def most_involved(predicted: Array, true: Array, cases: Array, classes: int, most: int) -> Array:
    """The classes with the most errors, true or predicted, ascending; no answer is an error of the true class."""
    wrong = predicted != true
    involved = np.zeros(max(int(predicted.max(initial=0)) + 1, classes))
    np.add.at(involved, predicted[wrong], cases[wrong])
    np.add.at(involved, true[wrong], cases[wrong])
    return np.sort(np.argsort(-involved[:classes], kind="stable")[:most])


@memoize
def _margins(matrix: ConfusionMatrix) -> Margins:
    hits = matrix.counts.diagonal(axis1=-2, axis2=-1).copy()  # a view would hold the matrix
    return Margins(hits, matrix.counts.sum(-1), matrix.counts.sum(-2))


@memoize
def _class_counts(matrix: ConfusionMatrix) -> BinaryCounts:
    return matrix.margins.class_counts() if matrix.counts.dtype.kind != "f" else _class_sums(matrix)


def _class_sums(matrix: ConfusionMatrix) -> BinaryCounts:
    """Return each class against the rest, from sums of cells."""
    k, at = len(matrix.labels), np.arange(len(matrix.labels))
    hits, off = matrix.counts[..., at, at], matrix.counts.copy()
    off[..., at, at] = 0
    upto = np.zeros((*matrix.counts.shape[:-2], k + 1, k))
    np.cumsum(matrix.counts, -2, out=upto[..., 1:, :])
    after = np.zeros_like(upto)
    np.cumsum(matrix.counts[..., ::-1, :], -2, out=after[..., 1:, :])
    others = upto[..., :-1, :] + after[..., k - 1 :: -1, :]  # each column without the row of a class
    others[..., at, at] = 0
    return BinaryCounts(hits, off.sum(-1), off.sum(-2), others.sum(-1))


@memoize
def _occupied(matrix: ConfusionMatrix) -> tuple[Array, Array, Array]:
    predicted, true = np.nonzero(matrix.counts)
    return predicted, true, matrix.counts[predicted, true].astype(np.float64)
