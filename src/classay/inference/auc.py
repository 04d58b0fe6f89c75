"""Variance and intervals of the AUC."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.compiled import kernel
from classay.inference.proportions import normal_quantile
from classay.inference.scales import scale_of
from classay.tables import ScoreTable

FEW = 30
"""Cases of the smaller class below which DeLong's interval covers too little and Newcombe's is used."""
FEW_MISRANKED = 2
"""The same for the smaller class times the AUC's distance from 0 or 1: hardly a case tells how large the spread is."""


def _placement_moments(positives: Any, negatives: Any) -> tuple[float, float, float]:
    p, n = positives.sum(), negatives.sum()
    above = np.cumsum(positives) - positives
    below = n - np.cumsum(negatives)
    of_positive = (below + negatives / 2) / n
    of_negative = (above + positives / 2) / p
    auc = float((positives * of_positive).sum() / p)
    return (
        auc,
        float((positives * (of_positive - auc) ** 2).sum()),
        float((negatives * (of_negative - auc) ** 2).sum()),
    )


@kernel(twin=_placement_moments)
def placement_moments(positives: Any, negatives: Any) -> tuple[float, float, float]:
    """AUC, and the sums of squared deviations from it of the placements of positives and of negatives.

    The placement of a positive is the share of negatives it outranks, ties half; of a negative, the share of
    positives that outrank it.
    """
    p, n = 1.0 * positives.sum(), 1.0 * negatives.sum()
    total = above = 0.0
    for i in range(positives.shape[0]):
        total += negatives[i] * (above + positives[i] / 2)
        above += positives[i]
    auc = total / p / n
    spread_p = spread_n = above = seen = 0.0
    for i in range(positives.shape[0]):
        seen += negatives[i]
        spread_p += positives[i] * ((n - seen + negatives[i] / 2) / n - auc) ** 2
        spread_n += negatives[i] * ((above + positives[i] / 2) / p - auc) ** 2
        above += positives[i]
    return auc, spread_p, spread_n


def delong_variance(table: ScoreTable) -> float:
    """Variance of the AUC from the placements of all cases, in one pass over the sorted table.

    DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837. NaN with fewer than two cases of a class.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.7, 0.2]), np.array([True, False, True, False]))
    >>> delong_variance(table)
    0.125
    """
    p, n = int(table.n_positive), int(table.n_negative)
    if min(p, n) < 2:
        return float("nan")
    _, spread_p, spread_n = placement_moments(table.positives, table.negatives)
    return float(spread_p / (p - 1) / p + spread_n / (n - 1) / n)


def logit_delong(auc: float, variance: float, level: float) -> tuple[float, float]:
    """DeLong's interval taken on the logit scale, which keeps it inside (0, 1)."""
    return scale_of((0, 1)).interval(auc, float(np.sqrt(variance)), normal_quantile(level))


def newcombe5(auc: float, p: int, n: int, level: float) -> tuple[float, float]:
    """Score-type interval from the AUC and the class sizes alone; valid at 0 and 1 too.

    All theta with (auc - theta)² <= z² V(theta), V the Hanley-McNeil variance with both class sizes replaced by
    their mean in the numerator: Newcombe 2006, Statistics in Medicine 25:559, method 5.

    >>> low, high = newcombe5(1.0, 8, 12, 0.95)
    >>> print(round(low, 4), high)
    0.793 1.0
    """
    z2 = normal_quantile(level) ** 2
    extra = (p + n) / 2 - 1

    def outside(theta: float) -> bool:
        spread = 1 + extra * (1 - theta) / (2 - theta) + extra * theta / (1 + theta)
        return (auc - theta) ** 2 > z2 * theta * (1 - theta) * spread / (p * n)

    def edge(out: float, inside: float) -> float:
        for _ in range(60):
            middle = (out + inside) / 2
            if outside(middle):
                out = middle
            else:
                inside = middle
        return inside

    return (0.0 if auc == 0 else edge(0.0, auc)), (1.0 if auc == 1 else edge(1.0, auc))
