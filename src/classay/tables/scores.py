"""Tables of scores: the distinct scores of two classes, with the cases at each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import StrictThreshold, in_precision, is_same_threshold
from classay.errors import InputError, MergeError
from classay.kinds import TypedFields
from classay.once import memoize
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
from classay.tables.sums import Mergeable, total
from classay.tables.tabulating import leave_out, merge, tabulate, tabulate_weights
from classay.texts import amount, hint

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ScoreTable(TypedFields, Mergeable):
    """Distinct scores of two classes, with the cases at each score.

    The table is exact, without bins. Leading axes are bootstrap replicates, for example.

    Parameters
    ----------
    scores : array
        Distinct scores, `(m,)`, descending, in their own precision.
    positives, negatives : array
        Weight of the cases at each score, `[..., m]`: whole numbers, or sums of sampling weights.
    labels : (label, label), default (False, True)
        The negative and the positive class.
    positive_squares, negative_squares : array, optional
        Sums of the squared sampling weights.
    amounts : Amounts, optional
        Sums of what rows carry.
    half : float, default 0.5
        Threshold of probabilities if none was chosen. It is a `StrictThreshold` if, of two columns of
        scores, the first class wins a tie.
    is_difference : bool, default False
        Whether each score is the difference of the raw scores of both classes, and so no probability.

    Examples
    --------
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
    half: float = 0.5
    is_difference: bool = False

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
        """Build the table from rows.

        Parameters
        ----------
        score : array
            Scores (float, without NaN), `(rows,)`.
        positive : array
            Whether each case is positive (boolean), `(rows,)`.
        labels : (label, label), default (False, True)
            The negative and the positive class.
        weight : array, optional
            Sampling weight of each row.
        frequency : array, optional
            Number of identical rows that each row represents.
        amounts : array, optional
            What rows carry, `(rows, amounts)`.
        names : tuple of str, default ()
            Names of the amounts.
        in_all : int, default 0
            Number of scores in all tables that are made together, 0 for one table. It decides whether
            compiled loops are worth their start.

        Returns
        -------
        ScoreTable
            The table.

        Raises
        ------
        InputError
            If the columns have unequal lengths.
            If a score is NaN, or `positive` is not boolean.
            If weights, frequencies or amounts do not add up.
        """
        labels = _two(labels)
        score, positive = checked_scores(score, positive)
        weight, frequency = checked_weights(score.size, weight, frequency)
        if amounts is not None:
            amounts = checked_amounts(amounts, names, score.size)
        return of_checked_rows(
            score,
            positive,
            labels,
            weight=weight,
            frequency=frequency,
            amounts=amounts,
            names=names,
            in_all=in_all,
        )

    @property
    def is_weighted(self) -> bool:
        """Whether it has sums of sampling weights in place of numbers of cases."""
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
        """Whether every score lies in [0, 1] and can be read as a probability.

        Differences of raw scores cannot.
        """
        if self.is_difference:
            return False
        return bool(self.scores.size) and bool(self.scores[0] <= 1 and self.scores[-1] >= 0)

    @property
    def precision(self) -> np.dtype[Any]:
        """Type of the scores, in which thresholds are compared with them."""
        return self.scores.dtype

    @property
    def thresholds(self) -> Array:
        """Thresholds that separate the scores, `(m,)`, descending.

        Each is reached by its score and all before it.
        """
        return self.scores

    def reached(self, thresholds: Any) -> Any:
        """Return the number of distinct scores at or above each threshold.

        They are compared in the precision of the scores.

        Examples
        --------
        >>> ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False])).reached([np.inf, 0.5, 0.4])
        array([0, 1, 2])
        """
        wanted = np.asarray(thresholds).astype(self.precision)
        return self.scores.size - np.searchsorted(self.thresholds[::-1], wanted)

    def with_half(self, half: float) -> Self:
        """Return the same cases with another default threshold."""
        return self if is_same_threshold(self.half, half) else replace(self, half=half)

    def read_like(self, other: ScoreTable) -> Self:
        """Return the table with scores that are read as those of another.

        Both share the rule of ties, and whether scores are raw.
        """
        is_same = is_same_threshold(self.half, other.half) and self.is_difference == other.is_difference
        return self if is_same else replace(self, half=other.half, is_difference=other.is_difference)

    def tied_at(self, threshold: float) -> float | None:
        """Return the cases (or weight) with exactly this score.

        It is None if bins do not show it.

        Examples
        --------
        >>> ScoreTable.from_rows(np.array([0.9, 0.5, 0.5]), np.array([True, False, True])).tied_at(0.5)
        2.0
        """
        first, last = (
            int(self.reached(in_precision(t, self.precision)))
            for t in (StrictThreshold(threshold), threshold)
        )
        return float((self.positives[first:last] + self.negatives[first:last]).sum())

    def at(self, threshold: float) -> ConfusionMatrix:
        """Return the confusion matrix at a threshold.

        A case is positive if `score >= threshold`, compared in the precision of the scores. At a
        `StrictThreshold` it is positive if its score is greater.
        """
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
        refuse_other_kind(self, other)
        if self.scores.dtype != other.scores.dtype:
            raise MergeError(
                f"One part has {self.scores.dtype} scores and the other {other.scores.dtype}. Convert one of them."
            )
        if self.is_weighted != other.is_weighted:
            raise MergeError("Only one part has sampling weights. Assess both in the same way.")
        parts: list[Any] = [(self.positives, other.positives), (self.negatives, other.negatives)]
        if self.is_weighted:
            parts += [
                (self.positive_squares, other.positive_squares),
                (self.negative_squares, other.negative_squares),
            ]
        agreed(self.amounts, other.amounts)
        if self.amounts is not None and other.amounts is not None:
            parts += [
                (getattr(self.amounts, name), getattr(other.amounts, name)) for name in ("sums", "products")
            ]
        scores, positives, negatives, *rest = merge(self.scores, other.scores, *parts)
        amounts = None
        if self.amounts is not None and other.amounts is not None:
            *rest, sums, products = rest
            amounts = Amounts(self.amounts.names, sums, products, self.amounts.least_with(other.amounts))
        pp, nn = rest if self.is_weighted else (None, None)
        merged = ScoreTable(scores, positives, negatives, self.labels, pp, nn, amounts)
        return merged.read_like(self)

    def without(self, part: ScoreTable) -> ScoreTable:
        """Return the table without the cases of a part of it.

        The cases must be counted and not weighted. Amounts are removed.

        Examples
        --------
        >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False]))
        >>> table.without(ScoreTable.from_rows(np.array([0.4]), np.array([True]))).scores
        array([0.9, 0.1])
        """
        at = self.scores.size - np.searchsorted(self.scores[::-1], part.scores, side="right")
        columns = self.scores, self.positives, self.negatives
        scores, positives, negatives = leave_out(*columns, at, part.positives, part.negatives)
        return ScoreTable(scores, positives, negatives, self.labels).read_like(self)

    def __repr__(self) -> str:
        return (
            f"ScoreTable({self.scores.size:,} distinct {self.scores.dtype} scores, positive={self.labels[1]!r}, "
            f"{amount(self.n_positive)} positive, {amount(self.n_negative)} negative)"
        )


def refuse_other_kind(here: ScoreTable, there: ScoreTable) -> None:
    """Refuse to add scores of other classes, or read differently: raw ones to others, or with another rule of ties.

    Raises MergeError.
    """
    if here.labels != there.labels:
        raise MergeError(
            f"The parts have different negative and positive classes: {here.labels} and {there.labels}. Assess "
            "both in the same way."
        )
    if here.is_difference != there.is_difference:
        raise MergeError(ONE_IS_RAW)
    refuse_two_rules_of_ties(here.half, there.half)


def refuse_two_rules_of_ties(left: float, right: float) -> None:
    """Refuse to add scores of which equal ones reach the threshold here and not there. Raises MergeError."""
    if isinstance(left, StrictThreshold) != isinstance(right, StrictThreshold):
        raise MergeError(
            f"The two parts treat a score of exactly {left:g} differently. With a column for each class, the first "
            "class wins a tie. With one column, the positive class wins. Use the same columns of scores for both parts."
        )


ONE_IS_RAW = (
    "Only one assessment has raw class scores (some outside [0, 1]). Assess all rows together, or both parts with the "
    f"same {hint('score_scale=', '--score-scale')}."
)


def of_checked_rows(
    score: Array,
    positive: Array,
    labels: tuple[Hashable, Hashable],
    *,
    weight: Array | None = None,
    frequency: Array | None = None,
    amounts: Array | None = None,
    names: tuple[str, ...] = (),
    in_all: int = 0,
) -> ScoreTable:
    """`from_rows` of rows that `Predictions` has checked: each check is a pass over all of them."""
    if amounts is not None:
        table = of_checked_rows(score, positive, labels, weight=weight, frequency=frequency)

        def add(values: Array) -> Array:
            _, positives, negatives = tabulate_weights(score, positive, values, sums=2)
            return np.stack([negatives, positives])

        kept = Amounts.of_rows(
            names,
            amounts,
            add,
            weight=weight,
            frequency=frequency,
            true=positive.astype(np.intp),
            classes=2,
        )
        return replace(table, amounts=kept)
    if weight is not None:
        scores, positives, negatives, pp, nn = tabulate_weights(score, positive, weight, 4, in_all)
        return ScoreTable._unchecked(
            scores=scores,
            positives=positives,
            negatives=negatives,
            labels=labels,
            positive_squares=pp,
            negative_squares=nn,
        )
    if frequency is not None:
        scores, positives, negatives = tabulate_weights(score, positive, frequency, 2, in_all)
    else:
        scores, positives, negatives = tabulate(score, positive, in_all)
    table = ScoreTable._unchecked(scores=scores, positives=positives, negatives=negatives, labels=labels)
    if frequency is None:  # counting booleans takes a twentieth of the time of adding counts
        of_positives = np.count_nonzero(positive)
        totals = np.int64(of_positives), np.int64(score.size - of_positives)
        _totals.tell(table, totals)  # type: ignore[attr-defined]  # see `memoize`
    return table


def _two(labels: tuple[Hashable, ...]) -> tuple[Hashable, Hashable]:
    """Return the negative and the positive label, as plain values."""
    if len(labels) != 2:
        raise InputError(f"labels must be the negative and the positive label, but are {labels}.")
    negative, positive = checked_labels(labels)
    return negative, positive


@memoize
def _totals(table: ScoreTable) -> tuple[Any, Any]:
    return total(table.positives), total(table.negatives)


def narrow(table: ScoreTable) -> ScoreTable:
    """Return the table for keeping and adding, not for computing: whole numbers in as few bytes as hold them.

    `wide` is its inverse.

    >>> narrow(ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False]))).positives.dtype
    dtype('uint8')
    """
    if table.positives.dtype.kind != "i":
        return table
    most = (counts.max(initial=0) for counts in (table.positives, table.negatives))
    p, n = (np.min_scalar_type(int(maximum)) for maximum in most)
    return replace(table, positives=table.positives.astype(p), negatives=table.negatives.astype(n))


def wide(table: ScoreTable) -> ScoreTable:
    """Return the table with whole numbers of 64 bits, for computing."""
    if table.positives.dtype.kind != "u":
        return table
    return replace(
        table, positives=table.positives.astype(np.int64), negatives=table.negatives.astype(np.int64)
    )


@memoize
def ends(table: ScoreTable) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the first and last index with positives, and those with negatives, of one table that has both."""
    m = table.scores.size

    def first(counts: Array) -> int:
        """Return the first index with a case, searched in growing stretches, because it is mostly near."""
        upto = 1024
        while not counts[:upto].any() and upto < m:
            upto *= 16
        return int(np.argmax(counts[:upto] > 0))

    ranges = ((first(counts), m - 1 - first(counts[::-1])) for counts in (table.positives, table.negatives))
    positive, negative = ranges
    return positive, negative
