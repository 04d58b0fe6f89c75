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
    hits: Array,
    cases: Array,
    z: Array | float,
    to: Map = share_itself,
    together: Correlations | None = None,
    by: Array | float = 1.0,
) -> tuple[float, float]:
    """Limits of the sum of terms `by * to(hits / cases)` by MOVER: distances of Wilson limits, squared and added.

    `together`, `(terms, terms)`, are the correlations of the terms, none where it is None; `z` is the quantile, or that
    of each term, `(terms,)`. Newcombe 1998, Statistics in Medicine 17:873; Zou & Donner 2008, Statistics in Medicine
    27:1693.

    >>> low, high = square_and_add(np.array([6.0, 89.0]), np.array([10.0, 90.0]), 1.959964)
    >>> print(round(low - 1, 4), round(high - 1, 4))
    0.2974 0.8209
    """
    value = by * to(hits / cases)
    low, high = np.sort([by * to(end) for end in score_interval(hits, cases, z)], axis=0)
    below, above = (_length(end, together) for end in (value - low, high - value))
    return float(value.sum() - below), float(value.sum() + above)


def shared_quantile(
    hits: Array,
    cases: Array,
    z: Array | float,
    to: Map = share_itself,
    together: Correlations | None = None,
    by: Array | float = 1.0,
) -> tuple[float, float]:
    """Limits of the sum of terms `by * to(hits / cases)`: the sum of Wilson limits, each at its share of the quantile.

    Where a sum of normal terms is z standard errors off, each term is off, on average, by its part of the sum's
    variance: z_i = z (R a)_i / sqrt(a' R a), with R the correlations, none of them negative, and a_i how far Wilson's
    limit at one standard error is off. The squares of the z_i of independent terms add up to z², so Wilson's
    correction of the centre, which grows with z_i², is counted once for the sum; where the distances are squared and
    added at the full quantile, it is counted once for each term, and many classes are covered too little. One term gets
    Wilson's interval. The shares do not depend on the level, so intervals of two levels lie within each other.

    >>> low, high = shared_quantile(np.array([6.0, 89.0]), np.array([10.0, 90.0]), 1.959964)
    >>> print(round(low - 1, 4), round(high - 1, 4))
    0.3003 0.8215
    """
    ends = []
    for side in (0, 1):
        off = np.abs(by * (to(score_interval(hits, cases, 1.0)[side]) - to(hits / cases)))
        moved = off if together is None else together @ off
        length = _length(off, together)
        share = moved / length if length > 0 else np.full(hits.shape, hits.size**-0.5)
        ends.append(float((by * to(score_interval(hits, cases, share * z)[side])).sum()))
    return ends[0], ends[1]


def _length(distances: Array, together: Correlations | None) -> float:
    squares = (distances**2).sum() if together is None else distances @ (together @ distances)
    return float(np.sqrt(max(0.0, squares)))
