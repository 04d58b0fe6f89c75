"""Scales on which estimates are nearly normal, and the way back: they keep intervals inside a measure's range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isinf
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Scale:
    """A monotone map of a measure's range onto the real line, its inverse and its slope."""

    name: str
    to: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]

    def interval(self, value: float, se: float, quantile: float) -> tuple[float, float]:
        """value ± quantile · se, taken on this scale (delta method) and brought back."""
        centre, half = self.to(value), quantile * se * self.slope(value)
        with np.errstate(over="ignore"):  # what is beyond all numbers is the end of the range
            return float(self.back(centre - half)), float(self.back(centre + half))


def exp(x: Any) -> Any:
    """e^x; endless where that is beyond floating-point numbers, as the end of an interval of huge width may be.

    >>> float(exp(0.0)), float(exp(1000.0))
    (1.0, inf)
    """
    with np.errstate(over="ignore"):
        return np.exp(x)


PLAIN = Scale("plain", lambda x: x, lambda x: x, lambda x: 1.0)


def scale_of(bounds: tuple[float, float]) -> Scale:
    """Logit for a finite range (Fisher's z on [-1, 1]), log for [0, ∞), mirrored log for (-∞, 1], plain for all.

    >>> low, high = scale_of((0, 1)).interval(0.8, 0.05, 1.96)
    >>> print(round(low, 4), round(high, 4))
    0.6843 0.8807
    """
    low, high = bounds
    if isinf(low) and isinf(high):
        return PLAIN
    if isinf(low):
        return Scale(
            "log(1 - x)", lambda x: -np.log(high - x), lambda u: high - np.exp(-u), lambda x: 1 / (high - x)
        )
    if isinf(high):
        return Scale("log", np.log, np.exp, lambda x: 1 / x)
    width = high - low
    return Scale(
        "Fisher z" if (low, high) == (-1, 1) else "logit",
        lambda x: np.log((x - low) / (high - x)),
        lambda u: low + width / (1 + np.exp(-u)),
        lambda x: width / ((x - low) * (high - x)),
    )
