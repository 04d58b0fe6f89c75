"""The scale of bins: the bits of a score, in an order that is as fine near 1 as near 0.

Floating-point numbers lie densely near 0 and, next to that, sparsely near 1, where many classifiers put their best
scores. For a score s of at least a half, 1 - s is exact in floating point, so from a half on the order counts down the
numbers between 1 - s and 0. Bins are runs of `2^(52 - bits)` places in that order: `bits` of the significand tell them
apart, so that scores of one bin differ by at most 2^-bits of their distance from the nearer of 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SIGNIFICAND = 52
"""Bits of the significand of a float64; a power of two has so many places to the next."""
OF_HALF, OF_ONE, OF_INFINITE = 1022 << 52, 1023 << 52, 2047 << 52
"""The bits of 0.5, 1 and infinity."""
OF_LAST = 969 << 52
"""What stands for the bits of 1 - s where that is 0: 1 - s is a multiple of 2^-53, whose bits are the next power."""
TINY = 62 << 52
"""The bits of 2^-961: negative scores nearer to 0 count as it, for places to fit 64 bits."""
ZERO = -58 << 52
"""The places of 0, 0.5 and 1, and of both infinities: the whole of int64 is about used up."""
HALF = ZERO + OF_HALF
ONE = HALF + OF_HALF - OF_LAST
LEAST, MOST = ZERO - OF_INFINITE + TINY, ONE + OF_INFINITE - OF_ONE


@dataclass(frozen=True, eq=False)
class Scale:
    """How fine bins are: `bits` of the significand, and `finer` bits more in those bins whose keys `split` names.

    `split`, ascending, and `finer` have the shape `(split bins,)`.

    >>> scale = Scale(2, split=np.array([3]), finer=np.array([4]))
    >>> scale.bits_of(np.array([2, 3, 4]))
    array([2, 6, 2])
    """

    bits: int
    split: Array
    finer: Array

    @classmethod
    def of(cls, bits: int | Scale) -> Scale:
        """The scale of so many bits everywhere; a scale is itself."""
        return bits if isinstance(bits, Scale) else cls(bits, np.empty(0, np.int64), np.empty(0, np.int64))

    def bits_of(self, keys: Array) -> Array:
        """The bits that are kept in each of the bins of `bits` bits."""
        if not self.split.size:
            return np.full(keys.shape, self.bits)
        at = np.minimum(np.searchsorted(self.split, keys), self.split.size - 1)
        return self.bits + np.where(self.split[at] == keys, self.finer[at], 0)


def places(scores: Array) -> Array:
    """The place of each score among all numbers, int64: increasing, and symmetric about a half where scores crowd.

    Scores are floats of any precision and not NaN; -0.0 is 0.0.

    >>> found = places(np.array([-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 2.0]))
    >>> found[3] - found[2] == found[4] - found[3], bool((np.diff(found) > 0).all())
    (np.True_, True)
    """
    s = scores.astype(np.float64) + 0.0
    in_upper = (s >= 0.5) & (s <= 1)
    bits = np.where(in_upper, 1 - np.where(in_upper, s, 1), np.abs(s)).view(np.int64)
    return np.select(
        [s < 0, s < 0.5, s <= 1],
        [ZERO + TINY - np.maximum(bits, TINY + 1), ZERO + bits, HALF + OF_HALF - np.maximum(bits, OF_LAST)],
        ONE + np.maximum(bits, OF_ONE) - OF_ONE,
    )


def scores_at(found: Array) -> Array:
    """The scores at places, float64: the inverse of `places`.

    >>> scores = np.array([-np.inf, -0.3, 0.0, 1e-300, 0.3, 0.7, 1 - 2.0**-53, 1.0, 5.0, np.inf])
    >>> bool((scores_at(places(scores)) == scores).all())
    True
    """
    regions = [found < ZERO, found < HALF, found < ONE, found == ONE]
    of_region = [
        ZERO + TINY - np.minimum(found, ZERO),
        found - ZERO,
        OF_HALF + HALF - np.clip(found, HALF, ONE),
        np.zeros_like(found),
    ]
    bits = np.select(regions, of_region, np.maximum(found, ONE) - ONE + OF_ONE)
    size = bits.astype(np.int64).view(np.float64)
    return np.select(regions, [-size, size, 1 - size, np.ones_like(size)], size)
