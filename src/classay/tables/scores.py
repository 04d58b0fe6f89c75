"""ScoreTable: the distinct scores and the weight of positive and negative cases at each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import in_precision
from classay.errors import InputError, MergeError
from classay.kinds import OfKinds
from classay.once import once
from classay.tables.checks import (
    Amounts,
    agreed,
    checked_amounts,
    checked_cells,
    checked_labels,
    checked_scores,
    checked_weights,
    refuse_unsorted,
)
from classay.tables.confusion import ConfusionMatrix
from classay.tables.sums import Summed, total
from classay.tables.tabulating import leave_out, merge, tabulate, tabulate_weights
from classay.texts import amount

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ScoreTable(OfKinds, Summed):
    """For a score that ranks cases by how positive they look: the distinct scores and the cases at each.

    `scores`, shape `(m,)`, are distinct and descending, in their own precision; `positives` and `negatives`,
    `[..., m]`, the weight of the cases at each score: whole numbers, or sums of sampling weights with the sums of
    their squares beside them. Leading axes are anything, bootstrap replicates for one. Exact: nothing is binned.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> table.scores, table.positives, table.negatives
    (array([0.9, 0.4, 0.1]), array([1, 1, 0]), array([0, 1, 1]))
    >>> table.at(0.4)
    ConfusionMatrix(labels=(False, True), 4 cases)
    rows: predicted, columns: true
    [[1 0]
     [1 2]]
    """

    scores: Array
    positives: Array
    negatives: Array
    labels: tuple[Hashable, Hashable] = (False, True)
    positive_squares: Array | None = None
    negative_squares: Array | None = None
    amounts: Amounts | None = None

    def __post_init__(self) -> None:
        m = refuse_unsorted(self.scores)
        checked_cells(self.positives, (m,), self.positive_squares, "positives")
        checked_cells(self.negatives, (m,), self.negative_squares, "negatives")
        _two(self.labels)
        super().__post_init__()

    @classmethod
    def from_rows(
        cls,
        score: Array,
        positive: Array,
        labels: tuple[Hashable, Hashable] = (False, True),
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
        amounts: Array | None = None,
        names: tuple[str, ...] = (),
        in_all: int = 0,
    ) -> ScoreTable:
        """Build the table from rows: `score` (float, no NaN) and `positive` (boolean), shape `(rows,)` each.

        `labels` names the negative and the positive class, `names` the `amounts`, `(rows, amounts)`. `in_all` are the
        scores of all tables that are made together, if more: they say whether compiled loops are worth their start.
        Raises InputError for columns of unequal length, NaN, classes that are no booleans, and weights, frequencies or
        amounts that do not add up.
        """
        labels = _two(labels)
        score, positive = checked_scores(score, positive)
        weight, frequency = checked_weights(score.size, weight, frequency)
        if amounts is not None:
            amounts = checked_amounts(amounts, names, score.size)
            table = cls.from_rows(score, positive, labels, weight=weight, frequency=frequency)

            def add(values: Array) -> Array:
                _, positives, negatives = tabulate_weights(score, positive, values, sums=2)
                return np.stack([negatives, positives])

            kept = Amounts.of_rows(names, amounts, add, weight=weight, frequency=frequency)
            return replace(table, amounts=kept)
        if weight is not None:
            scores, positives, negatives, pp, nn = tabulate_weights(score, positive, weight, 4, in_all)
            return cls(scores, positives, negatives, labels, pp, nn)
        if frequency is not None:
            scores, positives, negatives = tabulate_weights(score, positive, frequency, 2, in_all)
            return cls(scores, positives, negatives, labels)
        return cls(*tabulate(score, positive, in_all), labels)

    @property
    def is_weighted(self) -> bool:
        """Whether the table holds sums of sampling weights instead of numbers of cases."""
        return self.positive_squares is not None

    @property
    def n_positive(self) -> Any:
        """Weight of the positive cases, of the leading shape."""
        return _totals(self)[0]

    @property
    def n_negative(self) -> Any:
        """Weight of the negative cases, of the leading shape."""
        return _totals(self)[1]

    @property
    def class_totals(self) -> Array:
        """Weight of the negative and the positive cases, `[..., class]`."""
        return np.stack([self.n_negative, self.n_positive], -1)

    @property
    def are_probabilities(self) -> bool:
        """Whether every score lies in [0, 1], so that scores can be read as probabilities."""
        return bool(self.scores.size) and bool(self.scores[0] <= 1 and self.scores[-1] >= 0)

    @property
    def precision(self) -> np.dtype[Any]:
        """The type of the scores as they came, in which thresholds are compared with them."""
        return self.scores.dtype

    @property
    def thresholds(self) -> Array:
        """The thresholds that part the scores, `(m,)`, descending: each is reached by its score and all before it."""
        return self.scores

    def reached(self, thresholds: Any) -> Any:
        """How many distinct scores are at or above each threshold, compared in the scores' own precision.

        >>> ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False])).reached([np.inf, 0.5, 0.4])
        array([0, 1, 2])
        """
        wanted = np.asarray(thresholds).astype(self.precision)
        return self.scores.size - np.searchsorted(self.thresholds[::-1], wanted)

    def at(self, threshold: float) -> ConfusionMatrix:
        """The confusion matrix of "positive when score >= threshold", compared in the scores' own precision."""
        cut = int(self.reached(in_precision(threshold, self.precision)))

        def cells(positives: Array, negatives: Array) -> Array:
            tp, fp = positives[..., :cut].sum(-1), negatives[..., :cut].sum(-1)
            fn, tn = positives[..., cut:].sum(-1), negatives[..., cut:].sum(-1)
            return np.stack([np.stack([tn, fn], -1), np.stack([fp, tp], -1)], -2)

        squares = None
        if self.positive_squares is not None and self.negative_squares is not None:
            squares = cells(self.positive_squares, self.negative_squares)
        amounts = None
        if self.amounts is not None:
            amounts = self.amounts.over(lambda sums: cells(sums[..., 1, :], sums[..., 0, :]))
        return ConfusionMatrix(cells(self.positives, self.negatives), self.labels, squares, amounts)

    def __add__(self, other: ScoreTable) -> ScoreTable:
        if self.labels != other.labels:
            raise MergeError(
                f"the tables' negative and positive classes are {self.labels} and {other.labels}: assess both alike."
            )
        if self.scores.dtype != other.scores.dtype:
            raise MergeError(
                f"the scores are {self.scores.dtype} here and {other.scores.dtype} there: convert one of them first."
            )
        if self.is_weighted != other.is_weighted:
            raise MergeError(
                "one table holds sampling weights and the other counts cases: assess both alike."
            )
        parts: list[Any] = [(self.positives, other.positives), (self.negatives, other.negatives)]
        if self.is_weighted:
            parts += [
                (self.positive_squares, other.positive_squares),
                (self.negative_squares, other.negative_squares),
            ]
        agreed(self.amounts, other.amounts)
        if self.amounts is not None and other.amounts is not None:
            parts += [
                (getattr(self.amounts, each), getattr(other.amounts, each)) for each in ("sums", "products")
            ]
        scores, positives, negatives, *rest = merge(self.scores, other.scores, *parts)
        amounts = None
        if self.amounts is not None and other.amounts is not None:
            *rest, sums, products = rest
            amounts = Amounts(self.amounts.names, sums, products, self.amounts.least_with(other.amounts))
        pp, nn = rest if self.is_weighted else (None, None)
        return ScoreTable(scores, positives, negatives, self.labels, pp, nn, amounts)

    def without(self, part: ScoreTable) -> ScoreTable:
        """The table without the cases of a part of it, which are counted, not weighed; amounts are left behind.

        >>> whole = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False]))
        >>> whole.without(ScoreTable.from_rows(np.array([0.4]), np.array([True]))).scores
        array([0.9, 0.1])
        """
        at = self.scores.size - np.searchsorted(self.scores[::-1], part.scores, side="right")
        whole = self.scores, self.positives, self.negatives
        scores, positives, negatives = leave_out(*whole, at, part.positives, part.negatives)
        return ScoreTable(scores, positives, negatives, self.labels)

    def __repr__(self) -> str:
        return (
            f"ScoreTable({self.scores.size:,} distinct {self.scores.dtype} scores, positive={self.labels[1]!r}, "
            f"{amount(self.n_positive)} positive, {amount(self.n_negative)} negative)"
        )


def _two(labels: tuple[Hashable, ...]) -> tuple[Hashable, Hashable]:
    """The negative and the positive label, as plain values."""
    if len(labels) != 2:
        raise InputError(f"labels are {labels}: pass the negative and the positive one.")
    negative, positive = checked_labels(labels)
    return negative, positive


@once
def _totals(table: ScoreTable) -> tuple[Any, Any]:
    return total(table.positives), total(table.negatives)
