"""Cases on which McNemar's test finds a difference, from the shares that only one of two models gets right."""

from __future__ import annotations

from math import sqrt

from classay.errors import InputError
from classay.inference.proportions import normal_quantile


def connor_cases(first_only: float, second_only: float, power: float = 0.8, *, level: float = 0.95) -> float:
    """Connor's number of cases, not rounded.

    >>> round(connor_cases(0.05, 0.02), 4)
    608.1052
    """
    refuse_shares(first_only, second_only)
    from scipy.special import ndtri

    either, difference = first_only + second_only, abs(first_only - second_only)
    total = normal_quantile(level) * sqrt(either) + float(ndtri(power)) * sqrt(either - difference**2)
    root = total / difference  # squared last: the square of a small difference is 0
    return root * root


def refuse_shares(first_only: float, second_only: float) -> None:
    """Refuse shares of cases that only one of two models gets right which no test can tell apart."""
    if min(first_only, second_only) < 0 or first_only + second_only > 1 or first_only == second_only:
        raise InputError(
            "first_only and second_only must be different shares of all cases with a sum of at most 1, but "
            f"are {first_only!r} and {second_only!r}."
        )
