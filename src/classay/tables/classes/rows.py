"""ClassRows: cases with one score for each class, in an order that does not depend on the one they came in."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import COMPILE_FROM, kernel
from classay.once import once
from classay.threads import core_count, workers

Array = NDArray[Any]
SPREAD = 0x9E3779B97F4A7C15
"""An odd number near 2^64 over the golden ratio, which spreads bits (Knuth 1998, The Art of Computer Programming 3)."""


def _mix_scores(scores: Array) -> Array:
    mixed = np.zeros(scores.shape[0], np.uint64)
    for own in scores.T:
        bits = (own.astype(np.float64) + 0.0).view(np.uint64)
        mixed = (mixed ^ bits) * np.uint64(SPREAD)
        mixed ^= mixed >> np.uint64(32)
    return mixed


@kernel(twin=_mix_scores)
def mix_scores(scores: Array) -> Array:
    """A number mixed of the scores of each row, `(rows, classes)`; equal rows have one number, and -0 is +0."""
    mixed = np.zeros(scores.shape[0], np.uint64)
    for i in range(scores.shape[0]):
        found = np.uint64(0)
        for j in range(scores.shape[1]):
            bits = np.float64(np.float64(scores[i, j]) + 0.0).view(np.uint64)
            found = (found ^ bits) * np.uint64(SPREAD)
            found ^= found >> np.uint64(32)
        mixed[i] = found
    return mixed


def _deal_scores(scores: Array, order: Array, first: int, last: int, dealt: Array) -> None:
    dealt[:, first:last] = scores[order[first:last]].T + scores.dtype.type(0)


@kernel(twin=_deal_scores, assumes="order are rows of scores; dealt is as large as scores, `(classes, rows)`")
def deal_scores(scores: Array, order: Array, first: int, last: int, dealt: Array) -> None:
    """Copy rows of scores, in an order, to one line for each class, places `first` to before `last`; -0 as +0."""
    for start in range(first, last, 64):
        end = min(start + 64, last)
        for left in range(0, scores.shape[1], 8):  # scores that share a line of the cache
            right = min(left + 8, scores.shape[1])
            for i in range(start, end):
                row = order[i]
                for j in range(left, right):
                    dealt[j, i] = scores[row, j] + 0.0


def case_order(scores: Array, true: Array, classes: int, weight: Array | None) -> Array:
    """The places of rows by their true class, then by a number mixed of their scores and weight.

    Rows of one number are alike, so that it does not matter which of them comes first.
    """
    mixed = mix_scores.for_rows(scores.size)(scores)
    if weight is not None:
        mixed = (mixed ^ weight.astype(np.float64).view(np.uint64)) * np.uint64(SPREAD)
    mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(SPREAD)
    bits = max(1, (classes - 1).bit_length())
    key = (true.astype(np.uint64) << np.uint64(64 - bits)) | (mixed >> np.uint64(bits))
    return np.argsort(key)


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Cases with one score for each class: those of one true class beside each other, and so the scores of one class.

    `scores` are `(classes, cases)`; the cases of class c go from `starts[c]` to before `starts[c + 1]`. `weight` is
    None where every case counts once: whole numbers are frequencies, others sampling weights. In what order the cases
    came changes nothing.
    """

    scores: Array
    starts: Array
    weight: Array | None = None

    @classmethod
    def of(
        cls, scores: Array, true: Array, weight: Array | None = None, order: Array | None = None
    ) -> ClassRows:
        """From `scores` of shape `(rows, classes)`, codes of true classes and weights, `(rows,)`.

        `order` is what `case_order` says, if it is known.
        """
        n, k = scores.shape
        if order is None:
            order = case_order(scores, true, k, weight)
        dealt = np.empty((k, n), scores.dtype)
        threads = core_count() if scores.size >= COMPILE_FROM else 1
        edges = np.linspace(0, n, 4 * threads + 1).astype(np.int64).tolist()
        deal = deal_scores.for_rows(scores.size)
        with workers(threads) as run:
            run(lambda part: deal(scores, order, *part, dealt), pairwise(edges))
        starts = np.concatenate([[0], np.cumsum(np.bincount(true, minlength=k))])
        return cls(dealt, starts, None if weight is None else weight[order])

    @property
    def true(self) -> Array:
        """Code of the true class of each case, `(cases,)`."""
        sizes = np.diff(self.starts)
        return np.repeat(np.arange(sizes.size, dtype=np.min_scalar_type(sizes.size)), sizes)

    @property
    def is_weighted(self) -> bool:
        """Whether the cases have sampling weights."""
        return self.weight is not None and self.weight.dtype.kind == "f"

    @property
    def totals(self) -> Array:
        """Weight of each true class, `(classes,)`."""
        return _totals(self)

    def own(self, code: int) -> slice:
        """Where the cases of a true class are."""
        return slice(int(self.starts[code]), int(self.starts[code + 1]))

    def __add__(self, other: ClassRows) -> ClassRows:
        weight = None
        if self.weight is not None or other.weight is not None:
            weight = np.concatenate([each.each for each in (self, other)])
        scores = np.concatenate([self.scores, other.scores], axis=1).T
        return ClassRows.of(scores, np.concatenate([self.true, other.true]), weight)

    @property
    def each(self) -> Array:
        """What each case counts, `(cases,)`."""
        return np.ones(self.scores.shape[1], np.int64) if self.weight is None else self.weight


@once
def _totals(rows: ClassRows) -> Array:
    if rows.weight is None:
        return np.diff(rows.starts)
    sums = np.bincount(rows.true, rows.weight, rows.starts.size - 1)
    return sums if rows.is_weighted else sums.astype(np.int64)
