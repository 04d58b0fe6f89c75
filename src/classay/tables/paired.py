"""Tables to compare two classifiers on the same cases: a joint table with the truth, or blocks without rows.

Blocks: what an assessment keeps so that it can be compared with another of the same cases, without rows.

Each case falls into one of 64 blocks by the hash of its id, or of its cluster. Two assessments of the same cases have
the same blocks, and leaving out one block after the other shows how much the difference of any measure varies (the
delete-a-group jackknife), pairing included.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, match_label
from classay.columns.coding import hash_numbers, hash_text
from classay.columns.labels import declared
from classay.compiled import kernel
from classay.errors import InputError, MergeError
from classay.tables.cases import CaseSums, CaseValues
from classay.tables.checks import checked_cells, checked_codes, checked_labels, checked_weights, united_codes
from classay.tables.confusion import ConfusionMatrix
from classay.tables.scores import ScoreTable
from classay.tables.sums import ExactSum, Mergeable
from classay.tables.tabulating import count_triples, sum_triples, tabulate_blocks
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
class PairedTable(Mergeable):
    """Weight of the cases at each `[..., true, first, second]`: the true class, and what two classifiers said.

    Every paired difference of measures of labels is a function of it: eight cells for two classes. `counts`
    holds whole numbers of cases (int64), or sums of sampling weights with the sums of their squares in
    `squares`. Leading axes are anything: bootstrap replicates, clusters. At most 200 classes.

    >>> table = PairedTable.from_labels(["a", "a", "b", "b"], ["a", "b", "b", "b"], ["a", "a", "a", "b"])
    >>> table
    PairedTable(labels=('a', 'b'), 4 cases)
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

        With `ordered`, the labels are in ascending order, which ordinal measures use.

        Raises InputError on missing labels, unequal lengths, or columns of different types.

        >>> PairedTable.from_labels([1, 0], [1, 0], [0, 0]).counts[1]
        array([[0, 0],
               [1, 0]])
        """
        columns = [("truth", true), ("the first", first), ("the second", second)]
        united, codes = united_codes(columns, declared(labels, ordered=ordered))
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
                f"Two classifiers can be compared on at most {MOST_PAIRED_CLASSES} classes, but there are {k:,}. "
                "Combine classes, or compare correct with incorrect."
            )
        labels = checked_labels(labels)
        checked_codes(k, true=true, first=first, second=second)
        weight, frequency = checked_weights(true.size, weight, frequency)
        if frequency is not None:
            return cls(sum_triples(true, first, second, frequency, k).reshape(k, k, k), labels)
        if weight is None:
            return cls(count_triples(true, first, second, k).reshape(k, k, k), labels)
        counts, squares = (
            sum_triples(true, first, second, w, k).reshape(k, k, k) for w in (weight, weight * weight)
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

    def agreement(self, success: Array) -> PairedCounts:
        """Cases by which classifier succeeds; `success[predicted, true]` says what a success is.

        A true class whose cases are not to count is left out with `of_classes`.
        """
        yes = np.asarray(success, bool).T
        first, second = yes[:, :, None], yes[:, None, :]
        return PairedCounts(
            *(
                np.where(mask, self.counts, 0).sum((-3, -2, -1))
                for mask in (first & second, first & ~second, ~first & second, ~first & ~second)
            )
        )

    def of_classes(self, kept: Array) -> PairedTable:
        """Return the cases whose true class is kept, `kept[true]` of booleans; the others count nothing."""
        keep = np.asarray(kept, bool)[:, None, None]
        squares = None if self.squares is None else np.where(keep, self.squares, 0)
        return PairedTable(np.where(keep, self.counts, 0), self.labels, squares)

    def index(self, label: Hashable) -> int:
        """Return the position of a label on all axes; InputError names the labels when it is not among them."""
        return self.labels.index(match_label(label, self.labels))

    def one_vs_rest(self, label: Hashable, rest: Hashable) -> PairedTable:
        """Return the table of a label against all others, which are called `rest`, `[..., 2, 2, 2]`."""
        is_label = np.eye(len(self.labels), dtype=np.int64)[self.index(label)]
        split = np.stack([1 - is_label, is_label])

        def cells(values: Array) -> Array:
            return np.asarray(np.einsum("...tab,it,ja,kb->...ijk", values, split, split, split))

        squares = None if self.squares is None else cells(self.squares)
        return PairedTable(cells(self.counts), (rest, self.labels[self.index(label)]), squares)

    def over(self, labels: tuple[Hashable, ...]) -> PairedTable:
        """Return the same counts on a larger set of labels, with zeros for the new ones."""
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
        """Return the table with the two classifiers in the other order."""
        squares = None if self.squares is None else self.squares.swapaxes(-1, -2)
        return PairedTable(self.counts.swapaxes(-1, -2), self.labels, squares)

    def __add__(self, other: PairedTable) -> PairedTable:
        if (self.squares is None) != (other.squares is None):
            raise MergeError("Only one part has sampling weights. Compare both in the same way.")
        labels = Labels.of(self.labels) | Labels.of(other.labels)
        a, b = self.over(labels), other.over(labels)
        squares = None if a.squares is None or b.squares is None else a.squares + b.squares
        return PairedTable(a.counts + b.counts, labels, squares)

    def __repr__(self) -> str:
        cases = f"{amount(self.total)} cases" if self.counts.ndim == 3 else f"shape {self.counts.shape}"
        return f"PairedTable(labels={self.labels}, {cases})"


BLOCKS = 64
STRETCH = 1 << 16
MOST_CELLS = 1 << 20
"""Cells of all blocks' matrices together up to which they are kept: 128 classes."""


@dataclass(frozen=True, eq=False)
class BlockSums:
    """Sums over the cases of each block, with one score per class: enough for means over cases.

    `true` and `ranks`, `(64, classes)`, count cases by their true class and by its rank; the losses are 64 exact sums.
    """

    true: Array
    ranks: Array
    log_loss: tuple[ExactSum, ...]
    brier: tuple[ExactSum, ...]

    @classmethod
    def of(cls, scores: Array, true: Array, block: Array) -> BlockSums:
        """Add up rows: `scores` `(rows, classes)`, the codes of the true classes and the blocks, `(rows,)`."""
        values, k = CaseValues.of(scores, true), scores.shape[1]
        block_rows = [np.flatnonzero(block == index) for index in range(BLOCKS)]

        def count(code: Array) -> Array:
            cell = block.astype(np.int64) * k + code
            return np.bincount(cell, minlength=BLOCKS * k).reshape(BLOCKS, k)

        return cls(
            count(true),
            count(values.rank),
            tuple(ExactSum.of(values.log_loss[at], in_all=true.size) for at in block_rows),
            tuple(ExactSum.of(values.brier[at], in_all=true.size) for at in block_rows),
        )

    def without(self) -> Iterator[CaseSums]:
        """Yield the sums without each block in turn; they lack squares and the losses of single classes."""
        true, ranks = self.true.sum(0), self.ranks.sum(0)
        log_loss, brier = reduce(add, self.log_loss), reduce(add, self.brier)
        none = ExactSum()
        for i in range(BLOCKS):
            yield CaseSums(
                true - self.true[i],
                ranks - self.ranks[i],
                (log_loss - self.log_loss[i],),
                none,
                (brier - self.brier[i],),
                none,
            )

    def __add__(self, other: BlockSums) -> BlockSums:
        return BlockSums(
            self.true + other.true,
            self.ranks + other.ranks,
            tuple(map(add, self.log_loss, other.log_loss)),
            tuple(map(add, self.brier, other.brier)),
        )


@dataclass(frozen=True, eq=False)
class Blocks:
    """The block of each case, as far as it can be told from the tables of an assessment.

    `fingerprint`, `(64,)`, sums hashes of the id and the true label of the cases of a block: two assessments of the
    same cases have the same. `matrix` are the confusion matrices of given labels, `[block, predicted, true]`, None
    where labels come from scores. `of_scores`, `(cases,)` of bytes, is the block of each case in the order of the
    score table: from the greatest score on, at each the positive cases before the negative ones, each in the order
    of their blocks. With it, every table of a block can be rebuilt exactly. `sums` are those of class scores.
    """

    fingerprint: Array
    matrix: ConfusionMatrix | None = None
    of_scores: Array | None = None
    sums: BlockSums | None = None

    @property
    def cases(self) -> Array:
        """The number of cases of each block, `(64,)`; zeros where nothing tells it."""
        if self.of_scores is not None:
            return _count(self.of_scores, BLOCKS)
        if self.sums is not None:
            return np.asarray(self.sums.true.sum(1))
        return np.zeros(BLOCKS, np.int64) if self.matrix is None else np.asarray(self.matrix.total)

    def are_of_same_cases(self, other: Blocks) -> bool:
        """Check whether both are of the same cases, by their fingerprints; False where there are no cases."""
        return bool(self.fingerprint.any() and np.array_equal(self.fingerprint, other.fingerprint))

    def matrix_at(self, scores: ScoreTable, threshold: float) -> ConfusionMatrix:
        """Return the confusion matrix of each block at a threshold, `[block, predicted, true]`."""
        assert self.of_scores is not None
        cells = 2 * self.of_scores + is_positive(scores).view(np.uint8)
        called = int(scores.at(threshold).counts[1].sum())  # the first in the order of the table
        counts = [_count(part, 2 * BLOCKS).reshape(BLOCKS, 2) for part in (cells[called:], cells[:called])]
        return ConfusionMatrix(np.stack(counts, 1), scores.labels)

    def merged(self, here: ScoreTable | None, other: Blocks, there: ScoreTable | None, both: Any) -> Blocks:
        """Return the blocks of two assessments together; `both` is the sum of their score tables `here` and `there`."""
        of_scores = matrix = sums = None
        if self.of_scores is not None and other.of_scores is not None:
            assert here is not None
            assert there is not None
            of_scores = merge_blocks(
                self.of_scores, _counts_at(here, both), other.of_scores, _counts_at(there, both)
            )
        if self.matrix is not None and other.matrix is not None:
            matrix = self.matrix + other.matrix
        if self.sums is not None and other.sums is not None:
            sums = self.sums + other.sums
        return Blocks(self.fingerprint + other.fingerprint, matrix, of_scores, sums)


def block_of(hashes: Array) -> Array:
    """Return the block of each hash: its first six bits."""
    return (hashes >> np.uint64(58)).astype(np.uint8)


def fingerprint(hashes: Array, block: Array, truth: Array, labels: tuple[Any, ...]) -> Array:
    """Return the sum over the cases of each block of hashes of id and label, modulo 2^64."""
    of_label = np.array([hash_text(repr(label)) for label in labels], np.uint64)
    order = np.argsort(block, kind="stable")
    ends = np.cumsum(np.bincount(block, minlength=BLOCKS))
    sums = np.concatenate(
        [[np.uint64(0)], np.cumsum(hash_numbers(hashes ^ of_label[truth])[order], dtype=np.uint64)]
    )
    block_sums = np.diff(sums[ends], prepend=np.uint64(0))
    return np.asarray(block_sums, np.uint64)


def blocks_of_scores(score: Array, positive: Array, block: Array) -> Array:
    """Return the block of each case in the order of its score table."""
    return tabulate_blocks(score, positive, block, BLOCKS)


def blocks_of_labels(predicted: Array, truth: Array, block: Array, labels: tuple[Any, ...]) -> Any:
    """Return the confusion matrix of each block, or None for too many classes."""
    k = len(labels)
    if BLOCKS * k * k > MOST_CELLS:
        return None
    cell = (block.astype(np.int64) * k + predicted) * k + truth
    return ConfusionMatrix(np.bincount(cell, minlength=BLOCKS * k * k).reshape(BLOCKS, k, k), labels)


def _count(codes: Array, many: int) -> Array:
    """Return the count of each value below `many` among bytes, `(cases,)`, taken in stretches that fit the cache."""
    parts = (codes[at : at + STRETCH] for at in range(0, codes.size, STRETCH))
    return sum((np.bincount(part, minlength=many) for part in parts), np.zeros(many, np.int64))


def is_positive(scores: ScoreTable) -> Array:
    """Check whether each case is positive, in the order of the score table, `(cases,)` of 0 and 1."""
    if scores.n_positive + scores.n_negative == scores.scores.size and scores.negatives.max(initial=0) <= 1:
        return scores.positives.astype(np.int8)  # one case at each score
    counts = np.stack([scores.positives, scores.negatives], 1).ravel().astype(np.int64)
    return np.repeat(np.tile(np.array([1, 0], np.int8), scores.scores.size), counts)


def _merge_blocks(here: Array, here_counts: Array, there: Array, there_counts: Array) -> Array:
    """Runs of sorted bytes, two for each group, joined and sorted group by group."""
    group = np.concatenate(
        [np.repeat(np.arange(counts.size), counts) for counts in (here_counts, there_counts)]
    )
    both = np.concatenate([here, there])
    return both[np.lexsort((both, group))]


@kernel(twin=_merge_blocks, assumes="the counts are not negative, and add up to the lengths of the runs")
def merge_blocks(here: Array, here_counts: Array, there: Array, there_counts: Array) -> Array:
    """Runs of sorted bytes, two for each group, merged; the counts say how many of each belong to a group."""
    merged = np.empty(here.shape[0] + there.shape[0], np.uint8)
    i, j, at = 0, 0, 0
    for group in range(here_counts.shape[0]):
        i_end, j_end = i + here_counts[group], j + there_counts[group]
        while i < i_end or j < j_end:
            if j == j_end or (i < i_end and here[i] <= there[j]):
                merged[at] = here[i]
                i += 1
            else:
                merged[at] = there[j]
                j += 1
            at += 1
    return merged


def _counts_at(table: ScoreTable, both: ScoreTable) -> Array:
    """Positive and negative cases of a table at each score of the sum of tables, in turn."""
    counts = np.zeros((both.scores.size, 2), np.int64)
    at = np.flatnonzero(np.isin(both.scores, table.scores, assume_unique=True))
    counts[at, 0], counts[at, 1] = table.positives, table.negatives
    return counts.ravel()
