"""Variance and intervals of the AUC."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.compiled import kernel
from classay.inference.estimate import Found
from classay.inference.proportions import normal_quantile
from classay.inference.registry import ANYHOW, SCORES, interval
from classay.inference.scales import scale_of
from classay.inference.score_influence import roc_auc as auc_influence
from classay.inference.units import Units
from classay.measures import Measure
from classay.measures import roc_auc as auc_of
from classay.once import once
from classay.tables import ScoreTable

FEW = 30
"""Cases of the smaller class below which DeLong's interval covers too little and Newcombe's is used."""
FEW_MISRANKED = 2
"""The same for the smaller class times the AUC's distance from 0 or 1: hardly a case tells how large the spread is."""


OF_AUC = ("delong1988", "newcombe2006", "obuchowski1997")


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


@once
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


def obuchowski_variance(units: Units) -> float:
    """Variance of the AUC of clustered cases; clusters of one case each give DeLong's.

    Obuchowski 1997, Biometrics 53:567. NaN with fewer than two clusters that hold cases of a class.
    """
    assert units.rows is not None
    assert units.cells is not None
    on_positive, on_negative = auc_influence(units.table, float(auc_of(units.table)))
    nothing, one = np.zeros_like(on_positive), np.ones_like(on_positive)

    def summed(of_positive: Any, of_negative: Any) -> Any:
        return units.rows.sums(units.cells(np.stack([of_positive, of_negative])))  # type: ignore[misc, union-attr]

    of_positive, of_negative = summed(on_positive, nothing), summed(nothing, on_negative)
    with_positive, with_negative = (
        int((each > 0).sum()) for each in (summed(one, nothing), summed(nothing, one))
    )
    clusters = units.number
    if min(with_positive, with_negative) < 2:
        return float("nan")
    return float(
        with_positive / (with_positive - 1) * (of_positive**2).sum()
        + with_negative / (with_negative - 1) * (of_negative**2).sum()
        + 2 * clusters / (clusters - 1) * (of_positive * of_negative).sum()
    )


def auc_interval(auc: float, value: float, table: ScoreTable, units: Units, level: float) -> Found:
    """The interval around a value on the scale of the AUC, with the spread of the AUC of the table.

    Cases that are independent and alike: logit-DeLong, or Newcombe's method 5 where too few tell the spread.
    """
    p, n = float(table.n_positive), float(table.n_negative)
    alike = units.rows is None and not table.is_weighted
    if alike and (min(p, n) < FEW or min(p, n) * min(auc, 1 - auc) < FEW_MISRANKED):
        return *newcombe5(value, int(p), int(n), level), "Newcombe-5"
    if alike:
        variance, half, used = delong_variance(units.table), normal_quantile(level), "logit-DeLong"
    elif units.rows is None:
        spread = units.spread(*auc_influence(units.table, auc))
        variance, half, used = (
            spread.variance,
            spread.half(level) / max(spread.se, 1e-300),
            "linearised, logit",
        )
    else:
        variance, half, used = obuchowski_variance(units), units.quantile(level), "Obuchowski, logit"
    if variance <= 1e-18 or value in (0, 1):
        return "the estimated variance is zero"
    return *scale_of((0, 1)).interval(value, float(np.sqrt(variance)), half), used


@interval("logit-DeLong", of=("roc_auc",), tables=SCORES, drawn=ANYHOW, references=OF_AUC)
def roc_auc(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """The interval of the AUC."""
    return auc_interval(value, value, table, units, level)


@interval("logit-DeLong", of=("gini",), tables=SCORES, drawn=ANYHOW, references=OF_AUC)
def gini(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """That of the AUC, on the scale from -1 to 1."""
    auc = (value + 1) / 2
    found = auc_interval(auc, auc, table, units, level)
    return found if isinstance(found, str) else (2 * found[0] - 1, 2 * found[1] - 1, found[2])


@interval("logit-DeLong", of=("hull_auc",), tables=SCORES, drawn=ANYHOW, references=OF_AUC)
def hull_auc(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """Below, the end of the AUC's interval; above, that of an interval around the area under the hull.

    The area under the population's hull is at least its AUC, and the area under the sample's hull at least what the
    population's recalibration gives on the sample.
    """
    auc = float(auc_of(table))
    low = auc_interval(auc, auc, table, units, level)
    high = (value, 1.0, "") if value == 1 else auc_interval(auc, value, table, units, level)
    if isinstance(low, str) or isinstance(high, str):
        return low if isinstance(low, str) else str(high)
    return max(0.5, low[0]), max(value, high[1]), f"{low[2]} of the AUC below, of the hull above"
