"""Intervals for the mean of a per-case loss."""

from __future__ import annotations

import numpy as np


def t_interval(
    total: float, squares: float, n: float, level: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """mean ± t · s / sqrt(n) with n - 1 degrees of freedom, cut to the range of the loss.

    `total` and `squares` are the sums of the losses and of their squares. Student 1908, Biometrika 6:1.

    >>> low, high = t_interval(6.0, 14.0, 3, 0.95, (0, float("inf")))
    >>> print(low, round(high, 4))
    0.0 4.4841
    """
    from scipy.special import stdtrit

    mean = total / n
    variance = max(0.0, (squares - n * mean * mean) / (n - 1))
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * float(np.sqrt(variance / n))
    return float(max(bounds[0], mean - half)), float(min(bounds[1], mean + half))
