"""Intervals for the difference of two proportions, on the same cases or on different ones.

All take arrays of one shape and a level in (0, 1). Paired proportions come as counts of the cases that both
classifiers get right, only the first, only the second, neither; the difference is the first's less the second's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.proportions.binomial import Interval, normal_quantile, wilson
from classay.tables import PairedCounts

Array = NDArray[Any]


def tango(counts: PairedCounts, level: float = 0.95) -> Interval:
    """Score interval for a paired difference: all δ with |b - c - nδ| <= z sqrt(n (2q + δ(1 - δ))). The default.

    b and c are the discordant counts and q the share of c most likely under δ. Never of zero width, inside
    [-1, 1], and right where cells are empty. Tango 1998, Statistics in Medicine 17:891.

    >>> low, high = tango(PairedCounts(53, 16, 8, 9))
    >>> print(round(low, 4), round(high, 4))
    -0.0197 0.2069
    """
    _, b, c, _ = _floats(counts)
    n, z = sum(_floats(counts)), normal_quantile(level)
    apart = b - c

    def beyond(delta: Any) -> Any:
        """The score statistic of δ, falling in δ."""
        half = b + c - (2 * n - apart) * delta
        root = np.sqrt(np.maximum(half**2 + 8 * n * c * delta * (1 - delta), 0))
        q = (half + root) / (4 * n)
        spread = np.sqrt(np.maximum(n * (2 * q + delta * (1 - delta)), 0))
        return _ratio(apart - n * delta, spread)

    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(n > 0, apart / n, np.nan)
        low = falling_root(beyond, z, np.full_like(found, -1.0), found)
        high = falling_root(beyond, -z, found, np.ones_like(found))
    low, high = np.where(apart == -n, -1.0, low), np.where(apart == n, 1.0, high)
    return np.where(n > 0, low, np.nan)[()], np.where(n > 0, high, np.nan)[()]


def newcombe_paired(counts: PairedCounts, level: float = 0.95) -> Interval:
    """Square-and-add of the two Wilson intervals, with the correlation of the two classifiers taken into account.

    Newcombe 1998, Statistics in Medicine 17:2635, method 10.

    >>> low, high = newcombe_paired(PairedCounts(53, 16, 8, 9))
    >>> print(round(low, 4), round(high, 4))
    -0.0201 0.2039
    """
    a, b, c, d = _floats(counts)
    n = a + b + c + d
    first, second = (a + b) / n, (a + c) / n
    (l1, u1), (l2, u2) = wilson(a + b, n, level), wilson(a + c, n, level)
    cross = a * d - b * c
    cross = np.where(cross >= 0, np.maximum(cross - n / 2, 0), cross)
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    phi = np.where(margins > 0, cross / np.sqrt(np.where(margins > 0, margins, 1)), 0.0)
    below, above = _added(first - l1, u2 - second, phi), _added(second - l2, u1 - first, phi)
    return (first - second - below)[()], (first - second + above)[()]


def bonett_price(counts: PairedCounts, level: float = 0.95) -> Interval:
    """Wald interval after adding a case to each discordant cell, cut to [-1, 1].

    Bonett & Price 2012, J Educational and Behavioral Statistics 37:479.

    >>> low, high = bonett_price(PairedCounts(53, 16, 8, 9))
    >>> print(round(low, 4), round(high, 4))
    -0.0211 0.2029
    """
    _, b, c, _ = _floats(counts)
    n = sum(_floats(counts)) + 2
    p, q = (b + 1) / n, (c + 1) / n
    half = normal_quantile(level) * np.sqrt((p + q - (p - q) ** 2) / n)
    return np.maximum(p - q - half, -1.0)[()], np.minimum(p - q + half, 1.0)[()]


def newcombe_independent(x1: Any, n1: Any, x2: Any, n2: Any, level: float = 0.95) -> Interval:
    """Square-and-add of the Wilson intervals of x1 of n1 and x2 of n2, on different cases. The default.

    Newcombe 1998, Statistics in Medicine 17:873, method 10.

    >>> low, high = newcombe_independent(56, 70, 48, 80)
    >>> print(round(low, 4), round(high, 4))
    0.0524 0.3339
    """
    p1, p2 = np.divide(x1, n1), np.divide(x2, n2)
    (l1, u1), (l2, u2) = wilson(x1, n1, level), wilson(x2, n2, level)
    low = p1 - p2 - np.hypot(p1 - l1, u2 - p2)
    high = p1 - p2 + np.hypot(u1 - p1, p2 - l2)
    return low[()], high[()]


def miettinen_nurminen(x1: Any, n1: Any, x2: Any, n2: Any, level: float = 0.95) -> Interval:
    """Score interval for x1 of n1 less x2 of n2, with the variance at the most likely proportions under δ.

    Miettinen & Nurminen 1985, Statistics in Medicine 4:213.

    >>> low, high = miettinen_nurminen(56, 70, 48, 80)
    >>> print(round(low, 4), round(high, 4))
    0.0528 0.3382
    """
    x1, n1, x2, n2 = (np.asarray(each, float) for each in (x1, n1, x2, n2))
    z, n, found = normal_quantile(level), n1 + n2, np.asarray(x1 / n1 - x2 / n2)

    def beyond(delta: Any) -> Any:
        p2 = _likeliest(x1, n1, x2, n2, delta)
        p1 = p2 + delta
        variance = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * n / (n - 1)
        gap = found - delta
        return _ratio(gap, np.sqrt(np.maximum(variance, 0)))

    low = falling_root(beyond, z, np.full_like(found, -1.0), found)
    high = falling_root(beyond, -z, found, np.ones_like(found))
    return np.where(found == -1, -1.0, low)[()], np.where(found == 1, 1.0, high)[()]


def agresti_caffo(x1: Any, n1: Any, x2: Any, n2: Any, level: float = 0.95) -> Interval:
    """Wald interval after adding a success and a failure to each sample, cut to [-1, 1].

    Agresti & Caffo 2000, The American Statistician 54:280.

    >>> low, high = agresti_caffo(56, 70, 48, 80)
    >>> print(round(low, 4), round(high, 4))
    0.0525 0.3358
    """
    m1, m2 = np.asarray(n1, float) + 2, np.asarray(n2, float) + 2
    p1, p2 = (np.asarray(x1) + 1) / m1, (np.asarray(x2) + 1) / m2
    half = normal_quantile(level) * np.sqrt(p1 * (1 - p1) / m1 + p2 * (1 - p2) / m2)
    return np.maximum(p1 - p2 - half, -1.0)[()], np.minimum(p1 - p2 + half, 1.0)[()]


PAIRED_METHODS: dict[str, Callable[[PairedCounts, float], Interval]] = {
    "Tango": tango,
    "Newcombe": newcombe_paired,
    "Bonett-Price": bonett_price,
}
INDEPENDENT_METHODS: dict[str, Callable[[Any, Any, Any, Any, float], Interval]] = {
    "Newcombe": newcombe_independent,
    "Miettinen-Nurminen": miettinen_nurminen,
    "Agresti-Caffo": agresti_caffo,
}


def falling_root(falling: Callable[[Any], Any], target: float, low: Any, high: Any) -> Any:
    """Where a falling function meets the target between two ends, to the last bit or two."""
    low, high = np.array(low, float), np.array(high, float)
    for _ in range(60):
        middle = (low + high) / 2
        above = falling(middle) > target
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return (low + high) / 2


def _ratio(gap: Any, spread: Any) -> Any:
    """gap / spread, beyond every quantile where there is a gap and no spread."""
    none = spread < 1e-15
    beyond = np.where(gap > 0, np.inf, np.where(gap < 0, -np.inf, 0.0))
    return np.where(none, beyond, gap / np.where(none, 1, spread))


def _floats(counts: PairedCounts) -> tuple[Array, Array, Array, Array]:
    a, b, c, d = (np.asarray(each, float) for each in counts)
    return a, b, c, d


def _added(x: Any, y: Any, correlation: Any) -> Any:
    return np.sqrt(np.maximum(x * x - 2 * correlation * x * y + y * y, 0))


def _likeliest(x1: Any, n1: Any, x2: Any, n2: Any, delta: Any) -> Any:
    """The most likely p2 when p1 = p2 + δ: the root of the likelihood equation, a cubic, in [0, 1]."""
    n, x = n1 + n2, x1 + x2
    c2 = (n1 + 2 * n2) * delta - n - x
    c1 = (n2 * delta - n - 2 * x2) * delta + x
    c0 = x2 * delta * (1 - delta)
    shift = c2**3 / (27 * n**3) - c1 * c2 / (6 * n**2) + c0 / (2 * n)
    size = np.sqrt(np.maximum(c2**2 / (9 * n**2) - c1 / (3 * n), 0))
    size = np.where(shift >= 0, size, -size)
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = np.where(size != 0, shift / np.where(size != 0, size, 1) ** 3, 0.0)
    angle = (np.pi + np.arccos(np.clip(cosine, -1, 1))) / 3
    p2 = 2 * size * np.cos(angle) - c2 / (3 * n)
    return np.clip(p2, np.maximum(0, -delta), np.minimum(1, 1 - delta))
