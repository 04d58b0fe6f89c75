"""Intervals for a proportion of x in m independent cases. All take arrays of one shape and a level in (0, 1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Interval = tuple[Any, Any]


def normal_quantile(level: float) -> float:
    """The two-sided standard normal quantile, 1.96 for level 0.95.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def wilson(x: Any, m: Any, level: float = 0.95) -> Interval:
    """Score interval: all p with |x/m - p| <= z sqrt(p (1 - p) / m). The default.

    Wilson 1927, JASA 22:209. Mean coverage near nominal, never of zero width, inside [0, 1].

    >>> low, high = wilson(6, 10)
    >>> print(round(low, 4), round(high, 4))
    0.3127 0.8318
    """
    return score_interval(x, m, normal_quantile(level))


def score_interval(x: Any, m: Any, z: float) -> Interval:
    """Wilson's interval with a quantile of any law, Student's for one.

    >>> low, high = score_interval(6, 10, 2.262)
    >>> print(round(low, 4), round(high, 4))
    0.2791 0.8532
    """
    p = np.divide(x, m)
    centre = p + z * z / (2 * np.asarray(m))
    half = z * np.sqrt(p * (1 - p) / m + z * z / (4 * np.square(np.asarray(m, float))))
    scale = 1 + z * z / np.asarray(m)
    low, high = (centre - half) / scale, (centre + half) / scale
    return _closed(x, m, low, high)


def clopper_pearson(x: Any, m: Any, level: float = 0.95) -> Interval:
    """Exact interval: all p that neither one-sided binomial test at (1 - level) / 2 rejects; coverage never below.

    Clopper & Pearson 1934, Biometrika 26:404.

    >>> low, high = clopper_pearson(6, 10)
    >>> print(round(low, 4), round(high, 4))
    0.2624 0.8784
    """
    from scipy.special import betaincinv

    x, m = np.asarray(x, float), np.asarray(m, float)
    tail = (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = betaincinv(np.where(x > 0, x, 1), m - x + 1, tail)
        high = betaincinv(x + 1, np.where(x < m, m - x, 1), 1 - tail)
    return _closed(x, m, low, high)


def mid_p(x: Any, m: Any, level: float = 0.95) -> Interval:
    """Exact interval with half the probability of the observed count in each tail: mean coverage near nominal.

    Berry & Armitage 1995, The Statistician 44:417.

    >>> low, high = mid_p(6, 10)
    >>> print(round(low, 4), round(high, 4))
    0.2911 0.8577
    """
    from scipy.special import betainc

    x, m = np.asarray(x, float), np.asarray(m, float)
    tail = (1 - level) / 2

    def above(p: Any) -> Any:
        """P(X > x) + P(X = x) / 2 of Bin(m, p), rising in p."""
        more = np.where(x < m, betainc(x + 1, np.where(x < m, m - x, 1), p), 0.0)
        at_least = np.where(x > 0, betainc(np.where(x > 0, x, 1), m - x + 1, p), 1.0)
        return (more + at_least) / 2

    return _closed(x, m, _bisect(above, tail, x.shape), _bisect(above, 1 - tail, x.shape))


def jeffreys(x: Any, m: Any, level: float = 0.95) -> Interval:
    """Equal-tailed posterior interval under the Beta(1/2, 1/2) prior, closed at 0 for x = 0 and at 1 for x = m.

    Brown, Cai & DasGupta 2001, Statistical Science 16:101.

    >>> low, high = jeffreys(6, 10)
    >>> print(round(low, 4), round(high, 4))
    0.3037 0.8469
    """
    from scipy.special import betaincinv

    x, m = np.asarray(x, float), np.asarray(m, float)
    tail = (1 - level) / 2
    low, high = (betaincinv(x + 0.5, m - x + 0.5, q) for q in (tail, 1 - tail))
    return _closed(x, m, low, high)


def agresti_coull(x: Any, m: Any, level: float = 0.95) -> Interval:
    """Normal interval after adding z²/2 successes and as many failures, cut to [0, 1].

    Agresti & Coull 1998, The American Statistician 52:119.

    >>> low, high = agresti_coull(6, 10)
    >>> print(round(low, 4), round(high, 4))
    0.3116 0.8329
    """
    z = normal_quantile(level)
    n = np.asarray(m) + z * z
    p = (np.asarray(x) + z * z / 2) / n
    half = z * np.sqrt(p * (1 - p) / n)
    return np.clip(p - half, 0, 1)[()], np.clip(p + half, 0, 1)[()]


def wald(x: Any, m: Any, level: float = 0.95) -> Interval:
    """p ± z sqrt(p (1 - p) / m), cut to [0, 1]: the textbook's, to compare with published work only.

    It has no width where p is 0 or 1, and covers too little in small samples. Agresti & Coull 1998, The American
    Statistician 52:119, show how far.

    >>> low, high = wald(6, 10)
    >>> print(round(low, 4), round(high, 4))
    0.2964 0.9036
    """
    p = np.asarray(x) / np.asarray(m)
    half = normal_quantile(level) * np.sqrt(p * (1 - p) / np.asarray(m))
    return np.clip(p - half, 0, 1)[()], np.clip(p + half, 0, 1)[()]


PROPORTION_METHODS: dict[str, Callable[[Any, Any, float], Interval]] = {
    "Wilson": wilson,
    "Clopper-Pearson": clopper_pearson,
    "mid-P": mid_p,
    "Jeffreys": jeffreys,
    "Agresti-Coull": agresti_coull,
    "Wald": wald,
}


def _closed(x: Any, m: Any, low: Any, high: Any) -> Interval:
    """Bounds within [0, 1] that reach 0 for no successes and 1 for nothing but."""
    low = np.where(np.equal(x, 0), 0.0, np.minimum(np.maximum(low, 0), 1))
    high = np.where(np.equal(x, m), 1.0, np.minimum(np.maximum(high, 0), 1))
    return low[()], high[()]


def _bisect(rising: Callable[[Any], Any], target: float, shape: tuple[int, ...]) -> Any:
    """Where a rising function on [0, 1] meets the target, to the last bit or two."""
    low, high = np.zeros(shape), np.ones(shape)
    for _ in range(60):
        middle = (low + high) / 2
        below = rising(middle) < target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def size_in_words(effective: float, cases: float) -> str:
    """How much cases that are not alike say: as how many alike, and where they say more, their design effect.

    "n" would then be more cases than there are.

    >>> size_in_words(81.53, 120.0), size_in_words(407.3, 300.0)
    ('effective n 81.53', 'design effect 0.74')
    """
    return f"effective n {effective:.4g}" if effective <= cases else f"design effect {cases / effective:.2g}"
