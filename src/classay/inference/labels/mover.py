"""MOVER: intervals of sums from those of their terms."""

from __future__ import annotations

import numpy as np


def mover(
    rates: list[float], intervals: list[tuple[float, float]], weights: list[float]
) -> tuple[float, float]:
    """Interval for a weighted sum of independent rates from theirs: square-and-add.

    Newcombe 1998, Statistics in Medicine 17:873; Zou & Donner 2008, Statistics in Medicine 27:1693.
    """
    centre = sum(w * rate for w, rate in zip(weights, rates, strict=True))
    below = sum((w * (rate - low)) ** 2 for w, rate, (low, _) in zip(weights, rates, intervals, strict=True))
    above = sum(
        (w * (high - rate)) ** 2 for w, rate, (_, high) in zip(weights, rates, intervals, strict=True)
    )
    return centre - float(np.sqrt(below)), centre + float(np.sqrt(above))
