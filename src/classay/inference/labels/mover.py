"""Sums of shares: intervals of macro averages and of balanced accuracy from those of their terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from classay.inference.proportions.binomial import score_interval

Array = NDArray[Any]
Map = Callable[[Any], Any]
"""A rising function of a share, such as F1 = 2J / (1 + J)."""


class Correlations(Protocol):
    """Correlations of terms, a matrix `(terms, terms)` or what multiplies as one."""

    def __matmul__(self, values: Array, /) -> Array:
        """R v, `(terms,)`."""
        ...


def share_itself(share: Any) -> Any:
    """The share as it is."""
    return share


def f1_of_jaccard(share: Any) -> Any:
    """F1 = 2J / (1 + J)."""
    return 2 * share / (1 + share)


def square_and_add(
    hits: Array, cases: Array, z: float, to: Map = share_itself, together: Correlations | None = None
) -> tuple[float, float]:
    """Limits of the sum of terms `to(hits / cases)` by MOVER: the distances of their Wilson limits, squared and added.

    `together`, `(terms, terms)`, are the correlations of the terms, none where it is None. Newcombe 1998, Statistics in
    Medicine 17:873; Zou & Donner 2008, Statistics in Medicine 27:1693.

    >>> low, high = square_and_add(np.array([6.0, 89.0]), np.array([10.0, 90.0]), 1.959964)
    >>> print(round(low - 1, 4), round(high - 1, 4))
    0.2974 0.8209
    """
    each = to(hits / cases)
    low, high = (to(end) for end in score_interval(hits, cases, z))
    below, above = (_length(end, together) for end in (each - low, high - each))
    return float(each.sum() - below), float(each.sum() + above)


def shared_quantile(
    hits: Array, cases: Array, z: float, to: Map = share_itself, together: Correlations | None = None
) -> tuple[float, float]:
    """Limits of the sum of terms `to(hits / cases)`: the sum of their Wilson limits, each at its share of the quantile.

    Where a sum of normal terms is z standard errors off, each term is off, on average, by its part of the sum's
    variance: z_i = z (R a)_i / sqrt(a' R a), with R the correlations and a_i how far a term moves by unit of z_i. The
    squares of the z_i of independent terms add up to z², so Wilson's correction of the centre, which grows with z_i²,
    is counted once for the sum; where the distances are squared and added at the full quantile, it is counted once for
    each term, and many classes are covered too little. One term gets Wilson's interval.

    >>> low, high = shared_quantile(np.array([6.0, 89.0]), np.array([10.0, 90.0]), 1.959964)
    >>> print(round(low - 1, 4), round(high - 1, 4))
    0.3006 0.8214
    """
    each = to(hits / cases)
    ends = []
    for side in (-1, 1):
        full = np.abs(to(score_interval(hits, cases, z)[(side + 1) // 2]) - each) / z
        moved = full if together is None else together @ full
        length = _length(full, together)
        own = side * z * moved / length if length > 0 else np.full(hits.shape, side * z / hits.size**0.5)
        low, high = score_interval(hits, cases, np.abs(own))
        ends.append(float(to(np.where(own < 0, low, high)).sum()))
    return min(ends[0], float(each.sum())), max(ends[1], float(each.sum()))


def _length(distances: Array, together: Correlations | None) -> float:
    squares = (distances**2).sum() if together is None else distances @ (together @ distances)
    return float(np.sqrt(max(0.0, squares)))
