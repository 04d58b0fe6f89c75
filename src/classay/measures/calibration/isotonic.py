"""Isotonic regression of the truth on the score, by pooling adjacent violators of a score table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.errors import InputError
from classay.measures.registry import ratio
from classay.once import once
from classay.tables import ScoreTable

Array = NDArray[Any]
ROUNDS = 40
"""Rounds of pooling all violators at once, before the twin pools what is left one after another."""


def _pool(positives: Array, negatives: Array) -> tuple[Array, Array, Array]:
    held = np.flatnonzero((positives > 0) | (negatives > 0))
    if not held.size:
        return np.zeros(min(1, positives.size), np.int64), positives[:1], negatives[:1]
    starts, p, n = held.astype(np.int64), positives[held], negatives[held]
    starts[0] = 0
    for _ in range(ROUNDS):
        violates = p[:-1] * n[1:] <= p[1:] * n[:-1]
        if not violates.any():
            return starts, p, n
        first = np.flatnonzero(np.concatenate([[True], ~violates]))
        starts, p, n = starts[first], np.add.reduceat(p, first), np.add.reduceat(n, first)
    return _pool_in_turn(starts, p, n)


def _pool_in_turn(starts: Array, positives: Array, negatives: Array) -> tuple[Array, Array, Array]:
    """The rest of the pooling, one block after another: a long cascade takes as many rounds as blocks."""
    blocks: list[tuple[Any, Any, Any]] = []
    for block in zip(starts, positives, negatives, strict=True):
        start, p, n = block
        while blocks and blocks[-1][1] * n <= p * blocks[-1][2]:
            start, before_p, before_n = blocks.pop()
            p, n = p + before_p, n + before_n
        blocks.append((start, p, n))
    return (
        np.array([block[0] for block in blocks], np.int64),
        np.array([block[1] for block in blocks], positives.dtype),
        np.array([block[2] for block in blocks], negatives.dtype),
    )


@kernel(twin=_pool)
def pool(positives: Array, negatives: Array) -> tuple[Array, Array, Array]:
    """Where the blocks of the isotonic fit start, from the highest score, and the weight of each class there.

    Rates are compared as p·n' <= p'·n, so whole numbers are pooled exactly. A score without weight joins the
    block above it. Each score enters and leaves the stack of blocks at most once: O(m).
    """
    m = positives.shape[0]
    starts = np.empty(m, np.int64)
    p, n = np.empty(m, positives.dtype), np.empty(m, negatives.dtype)
    last = -1
    for i in range(m):
        start, a, b = i, positives[i], negatives[i]
        while last >= 0 and p[last] * b <= a * n[last]:
            start = starts[last]
            a += p[last]
            b += n[last]
            last -= 1
        last += 1
        starts[last] = start
        p[last] = a
        n[last] = b
    return starts[: last + 1].copy(), p[: last + 1].copy(), n[: last + 1].copy()


def blocks(positives: Array, negatives: Array, in_all: int = 0) -> tuple[Array, Array, Array]:
    """`pool`, in floating point where the products of whole numbers would overflow.

    `in_all` are the scores of the whole work of which this is a part, if more: they say whether to compile.
    """
    pooled = pool.for_rows(max(positives.size, in_all))
    if float(positives.sum()) * float(negatives.sum()) >= 2.0**62:
        return pooled(positives.astype(np.float64), negatives.astype(np.float64))  # type: ignore[no-any-return]
    return pooled(positives, negatives)  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class Isotonic:
    """The isotonic fit of a score table: blocks of scores that share one probability, highest first.

    `starts` are the places in the table where the blocks begin; `positives` and `negatives` the weight of the
    cases in each; `highest` and `lowest` its scores' ends.
    """

    starts: Array
    positives: Array
    negatives: Array
    highest: Array
    lowest: Array

    @property
    def values(self) -> Array:
        """The share of positives in each block, the recalibrated probability of its scores: they fall."""
        return np.asarray(ratio(self.positives, self.positives + self.negatives))

    def at(self, places: Array) -> Array:
        """The recalibrated probability at places (indices of distinct scores) of the table."""
        return self.values[np.searchsorted(self.starts, places, side="right") - 1]


@once
def isotonic(table: ScoreTable) -> Isotonic:
    """The probabilities that never fall as the score rises and are nearest to the truth, by any proper score.

    Pool-adjacent-violators, ties pooled first; values in [0, 1]; undefined (no blocks) for an empty table.
    Raises InputError for a table with leading axes. Ayer, Brunk, Ewing, Reid & Silverman 1955, Annals of
    Mathematical Statistics 26:641.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> fit = isotonic(table)
    >>> fit.values, fit.lowest
    (array([1. , 0.5, 0. ]), array([0.9, 0.6, 0.1]))
    """
    if table.positives.ndim > 1:
        raise InputError("an isotonic fit is of one table: pass its leading axes one by one.")
    starts, p, n = blocks(table.positives, table.negatives)
    ends = np.append(starts[1:], table.scores.size) - 1
    return Isotonic(starts, p, n, table.scores[starts], table.scores[ends])
