"""Scores in order: each one, or near ones of large pools together, which is quicker than to sort them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_FEW = 2**18
"""Scores up to which each is told from all others."""
_BINS = 2**16
"""Bins of more scores, of equal width in the bits of floats: scores of one bin differ by 3.1% at most."""
_CHUNK = 2**17
_FEW_OF = 1_000
"""A group with at most one of so many cases is not divided: strata need not have exactly equal spread."""


@dataclass(frozen=True, eq=False)
class ScoresInOrder:
    """Groups of scores from the lowest to the highest: the least score of each, its cases and the sum of their scores.

    The scores of a group are at least its `least`, and below that of the next.
    """

    scores: Array
    least: Array
    cases: Array
    sums: Array

    @classmethod
    def of(cls, scores: Array, begin: float | None = None) -> ScoresInOrder:
        """Put scores in order, which are finite; one group begins at `begin`, a score of their type."""
        if scores.size <= _FEW:
            least, cases = np.unique(scores, return_counts=True)
            return cls(scores, least, cases, least * cases.astype(float))
        is_signed = bool(_signed(scores).min() < 0)  # which -0.0 alone makes
        low, high, origin = (
            int(_ordered(np.array([end], scores.dtype), is_signed=True)[0])
            for end in (scores.min(), scores.max(), scores.min() if begin is None else begin)
        )
        shift = max(0, (high - low).bit_length() - (_BINS.bit_length() - 1))
        base = origin + ((low - origin) >> shift << shift)
        number = ((high - base) >> shift) + 1
        cases, sums = np.zeros(number, np.int64), np.zeros(number)
        for start in range(0, scores.size, _CHUNK):
            part = scores[start : start + _CHUNK]
            beyond = (_ordered(part, is_signed=is_signed) - base).view(np.uint64)  # which int64 may not hold
            bins = (beyond >> np.uint64(shift)).view(np.int64)
            cases += np.bincount(bins, minlength=number)
            sums += np.bincount(bins, part, number)
        used = np.flatnonzero(cases)
        least = _floats((used << shift) + base, scores.dtype)
        least[0] = scores.min()
        return cls(scores, least, cases[used], sums[used])

    @property
    def means(self) -> Array:
        """The mean score of each group."""
        return np.asarray(self.sums / self.cases)

    def divided(self, places: Iterable[int]) -> tuple[ScoresInOrder, Array]:
        """Return groups with one that begins near each place in order, and their least scores, without the very least.

        A group of many cases is divided at the score at the place itself.

        >>> ordered, edges = ScoresInOrder.of(np.array([0.3, 0.1, 0.2, 0.2])).divided([0, 2, 3])
        >>> edges
        array([0.2, 0.3])
        """
        ordered, edges = self, {self.least[0]}
        for place in places:
            ordered, edge = ordered._at(place)
            edges.add(edge)
        return ordered, np.array(sorted(edges)[1:], self.scores.dtype)

    def _at(self, place: int) -> tuple[ScoresInOrder, Any]:
        """Return the groups with one that begins near a place, and its least score."""
        behind = np.cumsum(self.cases)
        k = int(np.searchsorted(behind, place, side="right"))
        if self.scores.size <= _FEW or self.cases[k] * _FEW_OF <= self.scores.size:
            return self, self.least[k]
        inside = self.scores >= self.least[k]
        if k + 1 < self.least.size:
            inside &= self.scores < self.least[k + 1]
        members = self.scores[inside]
        rank = place - int(behind[k] - self.cases[k])
        edge = np.partition(members, rank)[rank]
        lower = members[members < edge]
        if not lower.size:
            return self, self.least[k]
        of_lower = float(lower.sum(dtype=float))
        parts = (
            (self.least, edge),
            (self.cases, self.cases[k] - lower.size),
            (self.sums, self.sums[k] - of_lower),
        )
        least, cases, sums = (np.insert(values, k + 1, value) for values, value in parts)
        cases[k], sums[k] = lower.size, of_lower
        return ScoresInOrder(self.scores, least, cases, sums), edge

    def sums_by(self, edges: Array, *values: Array) -> tuple[Array, ...]:
        """Return the sums of values of the groups from each edge on to the next, the first from the lowest score on."""
        begins = np.append(0, np.searchsorted(self.least, edges, side="left"))
        return tuple(np.add.reduceat(of, begins) for of in values)

    def some(self, most: int) -> tuple[Array, Array]:
        """Return at most about so many mean scores in order, and the cases of each."""
        begins = np.arange(0, self.least.size, -(-self.least.size // most))
        cases = np.add.reduceat(self.cases, begins)
        return np.add.reduceat(self.sums, begins) / cases, cases


def _signed(scores: Array) -> Array:
    """Return the bits of floats as integers with a sign."""
    return scores.view(np.int64 if scores.dtype.itemsize == 8 else np.int32)


def _ordered(scores: Array, *, is_signed: bool) -> Array:
    """Return integers that sort as the scores do, int64: the bits of the floats, those of negative ones reversed.

    >>> _ordered(np.array([0.0, 5e-324]), is_signed=False)
    array([0, 1])
    """
    if not is_signed:
        return np.asarray(_signed(scores).astype(np.int64))
    bits = _signed(scores + 0.0)  # -0.0 is 0.0
    return np.where(bits >= 0, bits.astype(np.int64), np.iinfo(bits.dtype).min - bits.astype(np.int64))


def _floats(integers: Array, dtype: Any) -> Array:
    """Return the scores of integers of `_ordered`.

    >>> _floats(_ordered(np.array([-0.5, 0.25]), is_signed=True), np.dtype(float))
    array([-0.5 ,  0.25])
    """
    signed = np.int64 if dtype.itemsize == 8 else np.int32
    bits = np.where(integers >= 0, integers, np.iinfo(signed).min - integers)
    return np.asarray(bits.astype(signed).view(dtype))
