"""Blocks: what an assessment keeps so that it can be compared with another of the same cases, without rows.

Each case falls into one of 64 blocks by the hash of its id, or of its cluster. Two assessments of the same cases
have the same blocks, and the difference of any measure with one block left out after the other shows how much the
difference varies (the delete-a-group jackknife), pairing included.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.ids import hash_text, mixed
from classay.compiled import kernel
from classay.tables.cases import CaseSums, CaseValues
from classay.tables.confusion import ConfusionMatrix
from classay.tables.exact import ExactSum
from classay.tables.scores import ScoreTable
from classay.tables.tabulating import tabulate_blocks

Array = NDArray[Any]
BLOCKS = 64
STRETCH = 1 << 16
MOST_CELLS = 1 << 20
"""Cells of all blocks' matrices together up to which they are kept: 128 classes."""


@dataclass(frozen=True, eq=False)
class BlockSums:
    """What the cases of each block add up to, with one score per class: enough for means over cases.

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
        own = [np.flatnonzero(block == each) for each in range(BLOCKS)]

        def count(code: Array) -> Array:
            cell = block.astype(np.int64) * k + code
            return np.bincount(cell, minlength=BLOCKS * k).reshape(BLOCKS, k)

        return cls(
            count(true),
            count(values.rank),
            tuple(ExactSum.of(values.log_loss[at], in_all=true.size) for at in own),
            tuple(ExactSum.of(values.brier[at], in_all=true.size) for at in own),
        )

    def without(self) -> Iterator[CaseSums]:
        """The sums without each block in turn, of which no squares are known, nor losses of single classes."""
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
        """Whether both are of the same cases, by their fingerprints; no cases are the same as none."""
        return bool(self.fingerprint.any() and np.array_equal(self.fingerprint, other.fingerprint))

    def matrix_at(self, scores: ScoreTable, threshold: float) -> ConfusionMatrix:
        """The confusion matrix of each block at a threshold, `[block, predicted, true]`."""
        assert self.of_scores is not None
        cells = 2 * self.of_scores + is_positive(scores).view(np.uint8)
        called = int(scores.at(threshold).counts[1].sum())  # the first in the order of the table
        counts = [_count(part, 2 * BLOCKS).reshape(BLOCKS, 2) for part in (cells[called:], cells[:called])]
        return ConfusionMatrix(np.stack(counts, 1), scores.labels)

    def merged(self, here: ScoreTable | None, other: Blocks, there: ScoreTable | None, both: Any) -> Blocks:
        """The blocks of two assessments together; `both` is the sum of their score tables `here` and `there`."""
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
    """The block of each hash: its first six bits."""
    return (hashes >> np.uint64(58)).astype(np.uint8)


def fingerprint(hashes: Array, block: Array, truth: Array, labels: tuple[Any, ...]) -> Array:
    """The sum over the cases of each block of hashes of id and label, modulo 2^64."""
    of_label = np.array([hash_text(repr(label)) for label in labels], np.uint64)
    order = np.argsort(block, kind="stable")
    ends = np.cumsum(np.bincount(block, minlength=BLOCKS))
    sums = np.concatenate(
        [[np.uint64(0)], np.cumsum(mixed(hashes ^ of_label[truth])[order], dtype=np.uint64)]
    )
    found = np.diff(sums[ends], prepend=np.uint64(0))
    return np.asarray(found, np.uint64)


def blocks_of_scores(score: Array, positive: Array, block: Array) -> Array:
    """The block of each case in the order of its score table."""
    return tabulate_blocks(score, positive, block, BLOCKS)


def blocks_of_labels(predicted: Array, truth: Array, block: Array, labels: tuple[Any, ...]) -> Any:
    """The confusion matrix of each block, or None for too many classes."""
    k = len(labels)
    if BLOCKS * k * k > MOST_CELLS:
        return None
    cell = (block.astype(np.int64) * k + predicted) * k + truth
    return ConfusionMatrix(np.bincount(cell, minlength=BLOCKS * k * k).reshape(BLOCKS, k, k), labels)


def _count(codes: Array, many: int) -> Array:
    """How many of the bytes `(cases,)` are each of 0 to before `many`, in stretches that the cache holds."""
    parts = (codes[at : at + STRETCH] for at in range(0, codes.size, STRETCH))
    return sum((np.bincount(part, minlength=many) for part in parts), np.zeros(many, np.int64))


def is_positive(scores: ScoreTable) -> Array:
    """Whether each case is positive, in the order of the score table, `(cases,)` of 0 and 1."""
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
    found = np.empty(here.shape[0] + there.shape[0], np.uint8)
    i, j, at = 0, 0, 0
    for group in range(here_counts.shape[0]):
        i_end, j_end = i + here_counts[group], j + there_counts[group]
        while i < i_end or j < j_end:
            if j == j_end or (i < i_end and here[i] <= there[j]):
                found[at] = here[i]
                i += 1
            else:
                found[at] = there[j]
                j += 1
            at += 1
    return found


def _counts_at(table: ScoreTable, both: ScoreTable) -> Array:
    """Positive and negative cases of a table at each score of the sum of tables, in turn."""
    counts = np.zeros((both.scores.size, 2), np.int64)
    at = np.flatnonzero(np.isin(both.scores, table.scores, assume_unique=True))
    counts[at, 0], counts[at, 1] = table.positives, table.negatives
    return counts.ravel()
