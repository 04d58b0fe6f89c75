"""Quantiles of Kolmogorov's greatest distance between an empirical and the true distribution."""

from __future__ import annotations

from math import factorial, pi, sqrt

import numpy as np

EXACT_TO = 140
"""Cases up to which the distribution is computed exactly; beyond, by an expansion that errs by 1e-7 and less."""
LEAST, MOST = 0.05, 6.0
"""Distances times the root of the cases below and beyond which the probability is 0 and 1 to the last digit."""
TERMS = np.arange(-20, 21)
HALVINGS = 60


def distance_quantile(m: int, level: float) -> float:
    """The distance that m cases of a continuous score stay within with probability `level`.

    >>> round(distance_quantile(10, 0.95), 5), round(distance_quantile(1000, 0.95), 6)
    (0.40925, 0.042777)
    """
    chance = _exact if m <= EXACT_TO else _expanded
    low, high = 0.5 / m, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(m, middle) < level else (low, middle)
    return high


def _exact(m: int, distance: float) -> float:
    """P(D <= distance) as a power of a matrix. Marsaglia, Tsang & Wang 2003, Journal of Statistical Software 8(18)."""
    k = int(m * distance) + 1
    h, size = k - m * distance, 2 * k - 1
    i, j = np.indices((size, size))
    matrix = np.where(i - j + 1 >= 0, 1.0, 0.0)
    powers = h ** np.arange(1, size + 1)
    matrix[:, 0] -= powers
    matrix[-1] -= powers[::-1]
    matrix[-1, 0] += max(2 * h - 1, 0.0) ** size
    matrix /= np.array([float(factorial(n)) for n in range(size + 1)])[np.maximum(i - j + 1, 0)]
    scale = float(np.prod(np.arange(1, m + 1) / m))
    return float(np.linalg.matrix_power(matrix, m)[k - 1, k - 1] * scale)


def _expanded(m: int, distance: float) -> float:
    """P(D <= distance) to the order m^(-3/2). Pelz & Good 1976, Journal of the Royal Statistical Society B 38:152."""
    z = sqrt(m) * distance
    if not LEAST < z < MOST:
        return float(z >= MOST)
    odd, even = (pi * (TERMS + 0.5)) ** 2, (pi * TERMS) ** 2
    at_odd, at_even = np.exp(-odd / (2 * z**2)), np.exp(-even / (2 * z**2))
    first = (at_odd / z).sum()
    second = ((odd - z**2) * at_odd).sum() / (6 * z**4)
    third = ((6 * z**6 + 2 * z**4 + (2 * z**4 - 5 * z**2) * odd + (1 - 2 * z**2) * odd**2) * at_odd).sum() / (
        72 * z**7
    ) - (even * at_even).sum() / (36 * z**3)
    fourth = (
        (
            (5 - 30 * z**2) * odd**3
            + (212 * z**4 - 60 * z**2) * odd**2
            + (135 * z**4 - 96 * z**6) * odd
            - (30 * z**6 + 90 * z**8)
        )
        * at_odd
    ).sum() / (6480 * z**10) + ((3 * z**2 * even - even**2) * at_even).sum() / (216 * z**6)
    return float(sqrt(pi / 2) * (first + second / sqrt(m) + third / m + fourth / m**1.5))
