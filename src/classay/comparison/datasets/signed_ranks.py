"""Wilcoxon's signed ranks: exact distribution with ties, Walsh averages and their interval."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.inference.estimate import Estimate

Array = NDArray[Any]
EXACT = 200
"""Up to so many differences p-values and intervals are exact."""


class SignedRanks(NamedTuple):
    """Sums of the ranks of the positive and of the negative differences, and the ranks themselves."""

    positive: float
    negative: float
    ranks: Array


def signed_ranks(differences: Array) -> SignedRanks:
    """Ranks of the sizes of the differences that are not zero; ties share the middle rank.

    >>> found = signed_ranks(np.array([0.2, -0.1, 0.0, 0.2]))
    >>> float(found.positive), float(found.negative), found.ranks.tolist()
    (5.0, 1.0, [2.5, 1.0, 2.5])
    """
    kept = differences[differences != 0]
    sizes = np.abs(kept)
    below = (sizes[None, :] < sizes[:, None]).sum(1)
    same = (sizes[None, :] == sizes[:, None]).sum(1)
    ranks = below + (same + 1) / 2
    return SignedRanks(float(ranks[kept > 0].sum()), float(ranks[kept < 0].sum()), ranks)


def p_value(found: SignedRanks) -> float:
    """Two-sided p of signed ranks: from all 2^n signs of these very ranks, or the normal limit beyond 200.

    >>> p_value(signed_ranks(np.array([0.01, -0.02, 0.03, 0.06, 0.05, 0.08, 0.07, 0.09])))
    0.0234375
    """
    least = min(found.positive, found.negative)
    if found.ranks.size == 0:
        return 1.0
    if found.ranks.size > EXACT:
        return _normal_p(found)
    chances = _distribution(np.rint(2 * found.ranks).astype(np.int64))
    return float(min(1.0, 2 * chances[: round(2 * least) + 1].sum()))


def tails(found: SignedRanks) -> tuple[float, float] | None:
    """One-sided p of more and of less, from the same signs; None beyond 200, where the limit has no steps.

    >>> tails(signed_ranks(np.array([0.1, 0.2, -0.3])))
    (0.625, 0.625)
    """
    if found.ranks.size > EXACT:
        return None
    chances = _distribution(np.rint(2 * found.ranks).astype(np.int64))
    more, less = (
        float(min(1.0, chances[: round(2 * other) + 1].sum())) for other in (found.negative, found.positive)
    )
    return more, less


def _normal_p(found: SignedRanks) -> float:
    """The normal limit, with the variance of the ranks as they are (ties shared)."""
    from scipy.special import ndtr

    spread = np.sqrt((found.ranks**2).sum() / 4)
    return float(2 * ndtr(-abs(found.positive - found.ranks.sum() / 2) / spread))


def _distribution(whole: Array) -> Array:
    """Chances of each sum of a random subset of whole numbers, index by the sum."""
    chances = np.zeros(int(whole.sum()) + 1)
    chances[0] = 1.0
    for rank in whole.tolist():
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: chances.size - rank]
        chances = (chances + moved) / 2
    return chances


def pseudomedian(differences: Array, level: float) -> Estimate:
    """The Hodges-Lehmann estimate, the median of the means of all pairs, with the interval that inverts the test.

    The interval runs from the c-th least to the c-th greatest of the n(n + 1)/2 means, c the critical sum of ranks
    of n differences without ties. None where n is too small for the level. Hodges & Lehmann 1963, Ann. Math. Stat.
    34:598.
    """
    n = differences.size
    i, j = np.triu_indices(n)
    walsh = np.sort((differences[i] + differences[j]) / 2)
    value = float(np.median(walsh))
    if not differences.any():
        return Estimate.bare(0.0, "both have the same value on every data set, which shows no spread")
    critical = _critical(n, (1 - level) / 2)
    if critical == 0:
        return Estimate.bare(value, f"{n} data sets are too few for an interval at level {level:g}")
    low, high = float(walsh[critical - 1]), float(walsh[-critical])
    return Estimate(value, low, high, level, "Hodges-Lehmann, signed ranks")


def _critical(n: int, tail: float) -> int:
    """How many sums of ranks, from 0 up, have together at most the chance `tail`."""
    if n > EXACT:
        from scipy.special import ndtri

        return int(n * (n + 1) / 4 + ndtri(tail) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    chances = _distribution(np.arange(1, n + 1))
    return int((np.cumsum(chances) <= tail * (1 + 1e-12)).sum())
