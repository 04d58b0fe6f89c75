"""The common level of a guarantee: how rare errors must be at a rank, so that all ranks together promise a risk."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
RANKS = 20
"""Ranks at which a threshold may lie, in geometric steps."""
FAR = 12.0
"""Standard deviations beyond which errors are taken not to happen: less than 1e-32."""


def fewest(risk: float, delta: float) -> int:
    """Return how many cases without an error promise a risk: the least m with (1 - risk)^m <= delta.

    >>> fewest(0.1, 0.05)
    29
    """
    return max(1, ceil(log(delta) / log1p(-risk) - 1e-12))


def geometric(first: int, last: int, number: int = RANKS) -> Array:
    """Return ranks in geometric steps, both ends among them.

    >>> geometric(29, 100).tolist()[:5]
    [29, 30, 33, 35, 37]
    """
    steps = first * (last / first) ** (np.arange(number) / (number - 1))
    ranks = np.floor(steps + 1e-9).astype(np.int64)
    ranks[-1] = last
    return np.unique(ranks)


def p_of_errors(errors: Any, cases: Any, risk: float) -> Array:
    """Return P(Bin(m, r) <= x): how likely as few errors are where the risk is r."""
    from scipy.special import bdtr

    x, m = np.asarray(errors), np.asarray(cases)
    return np.where(x < 0, 0.0, bdtr(np.maximum(x, 0).astype(np.float64), m, risk))


@lru_cache(maxsize=256)
def common_level(ranks: tuple[int, ...], risk: float, delta: float) -> float:
    """Return the level below which p is at any rank with probability delta at most, where every case errs at the risk.

    It is exact: the errors among the surest cases are followed from rank to rank. Where confidence orders risk, the
    lowest rank with p at most the level then has at most this risk, with probability 1 - delta.

    >>> round(common_level(tuple(geometric(29, 100).tolist()), 0.1, 0.05), 12)
    0.021640908247
    """
    steps = _p_between(ranks, risk, delta / len(ranks), delta)
    low, high = 0, steps.size  # with p up to steps[low - 1] the promise holds, with steps[high] it does not
    while low < high:
        middle = (low + high) // 2
        if chance_of_any(ranks, risk, float(steps[middle])) <= delta:
            low = middle + 1
        else:
            high = middle
    return float(steps[low - 1]) if low else delta / len(ranks)


def _p_between(ranks: tuple[int, ...], risk: float, least: float, most: float) -> Array:
    """Return all values that p may have at these ranks between two limits, rising."""
    values = []
    for cases in ranks:
        x = np.arange(_most_errors(cases, risk, least), _most_errors(cases, risk, most) + 2)
        values.append(p_of_errors(x, cases, risk))
    p = np.unique(np.concatenate(values))
    return np.asarray(p[(p >= least) & (p <= most)])


def _most_errors(cases: int, risk: float, level: float) -> int:
    """Return the most errors with p at most the level, -1 where none are few enough."""
    low, high = -1, int(cases * risk) + 1
    while low < high:
        middle = (low + high + 1) // 2
        if p_of_errors(middle, cases, risk) <= level:
            low = middle
        else:
            high = middle - 1
    return low


def chance_of_any(ranks: tuple[int, ...], risk: float, level: float) -> float:
    """Return how likely p is at most the level at any of the ranks, where every case errs at the risk.

    >>> round(chance_of_any((29,), 0.1, 0.05), 9)
    0.047101287
    """
    first, chance, at, stopped = 0, np.ones(1), 0, 0.0
    for cases in ranks:
        lowest, added = _chances(cases - at, risk)
        chance, first, at = _sum_of(chance, added), first + lowest, cases
        few = _most_errors(cases, risk, level) - first + 1
        if few > 0:
            stopped += float(chance[:few].sum())
            chance, first = chance[few:], first + few
        if not chance.size:
            break
        kept = np.flatnonzero(chance > 1e-18)
        chance, first = chance[kept[0] : kept[-1] + 1], first + int(kept[0])
    return stopped


def _chances(cases: int, risk: float) -> tuple[int, Array]:
    """Return the fewest errors that may happen, and the probabilities of so many and more."""
    from scipy.special import gammaln

    spread = FAR * float(np.sqrt(cases * risk * (1 - risk))) + FAR * 3
    lowest, highest = max(0, int(cases * risk - spread)), min(cases, int(cases * risk + spread) + 1)
    x = np.arange(lowest, highest + 1, dtype=np.float64)
    logs = gammaln(cases + 1.0) - gammaln(x + 1) - gammaln(cases - x + 1)
    return lowest, np.exp(logs + x * log(risk) + (cases - x) * log1p(-risk))


def _sum_of(first: Array, second: Array) -> Array:
    """Return the probabilities of a sum; of many values by Fourier transforms."""
    size = first.size + second.size - 1
    if min(first.size, second.size) < 200:
        return np.convolve(first, second)
    length = 1 << (size - 1).bit_length()
    product = np.fft.rfft(first, length) * np.fft.rfft(second, length)
    return np.maximum(np.fft.irfft(product, length)[:size], 0.0)
