"""McNemar's tests of two proportions of the same cases: p-values from the two discordant counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.inference.calibration.consistency import binomial_cdf


def mid_p(first: Any, second: Any) -> Any:
    """McNemar's test with half the probability of the observed split: the default.

    p = 2 P(X < m) + P(X = m) with m the smaller of the discordant counts and X ~ Bin(first + second, 1/2);
    1 - P(X = m) / 2 when they are equal, and 1 without any. Keeps to its level nearly everywhere, without the
    conservatism of the exact test. Fagerland, Lydersen & Laake 2013.

    >>> print(round(float(mid_p(1, 7)), 6))
    0.039062
    """
    m, total = np.minimum(first, second), np.add(first, second)
    below, through = binomial_cdf(np.subtract(m, 1), total, 0.5), binomial_cdf(m, total, 0.5)
    p = np.where(np.equal(first, second), 1 - (through - below) / 2, below + through)
    return np.where(total > 0, np.minimum(p, 1), 1.0)[()]


def exact_p(first: Any, second: Any) -> Any:
    """McNemar's exact test: min(1, 2 P(X <= m)), never above its level, and well below it in small samples.

    >>> print(round(float(exact_p(1, 7)), 6))
    0.070312
    """
    m, total = np.minimum(first, second), np.add(first, second)
    return np.where(total > 0, np.minimum(2 * binomial_cdf(m, total, 0.5), 1), 1.0)[()]


def asymptotic_p(first: Any, second: Any) -> Any:
    """McNemar's chi-squared test, (b - c)² / (b + c); McNemar 1947.

    >>> print(round(float(asymptotic_p(6, 16)), 6))
    0.033006
    """
    return chi_squared_p(np.abs(np.subtract(first, second)) * 1.0, np.add(first, second))


def corrected_p(first: Any, second: Any) -> Any:
    """The same with Edwards' continuity correction, (|b - c| - 1)² / (b + c): needlessly conservative.

    >>> print(round(float(corrected_p(6, 16)), 6))
    0.055009
    """
    gap = np.maximum(np.abs(np.subtract(first, second)) - 1.0, 0)
    return chi_squared_p(gap, np.add(first, second))


MCNEMAR = {
    "mid-P": mid_p,
    "exact": exact_p,
    "asymptotic": asymptotic_p,
    "continuity-corrected": corrected_p,
}
CHI_SQUARED = ("asymptotic", "continuity-corrected")
"""Those whose statistic is χ² with one degree of freedom."""


def statistic(test: str, first: float, second: float) -> float:
    """What a McNemar test refers to its distribution, by its name in `MCNEMAR`.

    χ² of the asymptotic test and of that with the continuity correction; the smaller count, binomial, of the others.

    >>> round(statistic("asymptotic", 6, 16), 6), round(statistic("continuity-corrected", 6, 16), 6)
    (4.545455, 3.681818)
    >>> statistic("mid-P", 6, 16)
    6
    """
    if test not in CHI_SQUARED:
        return min(first, second)
    gap = max(abs(first - second) - (test == "continuity-corrected"), 0)
    return gap**2 / (first + second) if first + second else 0.0


def greater_p(test: str, first: Any, second: Any) -> Any:
    """The one-sided p of a McNemar test, by its name in `MCNEMAR`, of the first count being the larger.

    Exact P(X >= first), mid-P with half of P(X = first), X ~ Bin(first + second, 1/2); asymptotic the normal
    distribution, continuity-corrected with the difference one smaller. That of the second count: change them.

    >>> print(float(greater_p("exact", 1, 1)), float(greater_p("mid-P", 1, 1)))
    0.75 0.5
    """
    from scipy.special import ndtr

    total = np.add(first, second)
    if test in ("exact", "mid-P"):
        through = binomial_cdf(second, total, 0.5)
        below = binomial_cdf(np.subtract(second, 1), total, 0.5)
        return through if test == "exact" else (below + through) / 2
    gap = np.subtract(second, first) + (test == "continuity-corrected") * 1.0
    some = np.greater(total, 0)
    return np.where(some, ndtr(gap / np.sqrt(np.where(some, total, 1))), 0.5)[()]


def chi_squared_p(gap: Any, total: Any) -> Any:
    """p of gap² / total as chi-squared with one degree of freedom; 1 where there is nothing."""
    from scipy.special import chdtrc

    some = np.greater(total, 0)
    return np.where(some, chdtrc(1, np.square(gap) / np.where(some, total, 1)), 1.0)[()]
