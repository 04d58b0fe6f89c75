"""What a threshold from calibration cases promises: the coverage of one threshold is Beta distributed (Vovk 2012)."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np

from classay.errors import InputError
from classay.texts import hint


class CalibrationRange(NamedTuple):
    """The coverage that thresholds from so many calibration cases have: 90% of them lie between `low` and `high`.

    `below` is the share of thresholds whose coverage is below the target; with rank `sure_rank` instead of `rank`, it
    is at most 5%, None where there are too few cases.
    """

    cases: int
    target: float
    rank: int
    low: float
    high: float
    below: float
    sure_rank: int | None


def calibration_range(cases: int, target: float) -> CalibrationRange:
    """Return the range of split conformal prediction with k = ⌈(n + 1) · target⌉: Beta(k, n + 1 - k).

    >>> found = calibration_range(100, 0.9)
    >>> found.rank, round(found.low, 4), round(found.high, 4), round(found.below, 4)
    (91, 0.8482, 0.9447, 0.4513)
    >>> calibration_range(200, 0.9).sure_rank
    188
    """
    from scipy.special import betainc, betaincinv

    rank = rank_of(cases, target)
    low, high = (float(betaincinv(rank, cases + 1 - rank, tail)) for tail in (0.05, 0.95))

    def below(at: int) -> float:
        return float(betainc(at, cases + 1 - at, target))

    first, sure = rank, cases + 1
    while first < sure:
        middle = (first + sure) // 2
        first, sure = (first, middle) if below(middle) <= 0.05 else (middle + 1, sure)
    return CalibrationRange(cases, target, rank, low, high, below(rank), sure if sure <= cases else None)


def rank_of(cases: int, target: float) -> int:
    """Return ⌈(n + 1) · target⌉. Raises InputError where that is more than the calibration cases."""
    rank = ceil((cases + 1) * target * (1 - 1e-12))
    if cases < 1 or rank > cases:
        least = ceil(target / (1 - target) * (1 - 1e-12))
        raise InputError(
            f"{cases} calibration cases cannot promise a coverage of {target:g}. Use at least {least}, or a lower "
            f"{hint('target=', '--target')}."
        )
    return rank


def promise_p(covered: int, cases: int, calibration: int, target: float) -> float:
    """Return the two-sided p-value of the promise: twice the smaller tail of the beta-binomial, at most 1.

    >>> round(promise_p(431, 500, 200, 0.9), 6)
    0.149747
    """
    from scipy.special import betaln, gammaln, logsumexp

    rank = rank_of(calibration, target)
    a, b, k = rank, calibration + 1 - rank, np.arange(cases + 1)
    chosen = gammaln(cases + 1) - gammaln(k + 1) - gammaln(cases - k + 1)
    logs = chosen + betaln(k + a, cases - k + b) - betaln(a, b)
    below, above = logsumexp(logs[: covered + 1]), logsumexp(logs[covered:])
    return float(min(1.0, 2 * np.exp(min(below, above))))
