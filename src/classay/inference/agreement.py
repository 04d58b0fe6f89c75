"""How far readers of the same cases agree: kappa of their labels, Spearman's correlation of their scores.

Each is a function of all cases, whose influence says how far one more case moves it; so its interval knows how the
cases were drawn, and that the same cases tell of all pairs of readers.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.design import Design
from classay.inference.estimate import Estimate
from classay.inference.proportions import scale_of
from classay.tables.sums import is_rounding

Array = NDArray[Any]
FLEISS, COHEN = "Fleiss' kappa", "Cohen's kappa"


def kappa(called: Array) -> tuple[str, float, Array]:
    """Which kappa it is, its value, and how much one more case moves it, `(cases,)`; `called` are `(readers, cases)`.

    (P - E) / (1 - E), with P the share of pairs of readers that agree on a case and E what chance would give: of two
    readers by the share of positive calls of each (Cohen 1960, Educational and Psychological Measurement 20:37), of
    more by that of all (Fleiss 1971, Psychological Bulletin 76:378). NaN where all calls are alike.

    >>> kappa(np.array([[1, 1, 0, 0], [1, 0, 0, 0]], bool))[:2]
    ("Cohen's kappa", 0.5)
    """
    readers, cases = called.shape
    shares = called.mean(1)
    yes = called.sum(0)
    agree = 1 - 2.0 * yes * (readers - yes) / (readers * (readers - 1))
    if readers == 2:
        name, chance = COHEN, shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
        slopes = 2 * shares[::-1] - 1
    else:
        whole = float(shares.mean())
        name, chance = FLEISS, whole**2 + (1 - whole) ** 2
        slopes = np.full(readers, (4 * whole - 2) / readers)
    observed, left = agree.mean(), 1 - chance
    if not left > 0:
        return name, float("nan"), np.full(cases, np.nan)
    by_chance = (slopes[:, None] * (called - shares[:, None])).sum(0)
    influence = ((agree - observed) / left - (1 - observed) / left**2 * by_chance) / cases
    return name, float((observed - chance) / left), influence


def rank_correlation(scores: Array) -> tuple[float, Array]:
    """The mean of Spearman's correlations of all pairs of readers, `(readers, cases)`, and how much a case moves it.

    That of mid-ranks; a case counts itself, and moves the ranks of all others (Croux & Dehon 2010, Statistical Methods
    & Applications 19:497). NaN where a reader scores all cases alike.

    >>> rank_correlation(np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]]))[0].__round__(3)
    0.8
    """
    cases = scores.shape[1]
    groups = [np.unique(each, return_inverse=True)[1] for each in scores]
    ranks = [1 - _above(group, np.ones(cases)) for group in groups]
    own = [_moved(group, group, rank, rank) for group, rank in zip(groups, ranks, strict=True)]
    values, influences = [], []
    for i, j in combinations(range(len(scores)), 2):
        together, (a, b) = _moved(groups[i], groups[j], ranks[i], ranks[j]), (own[i], own[j])
        scale = float(np.sqrt(a[0] * b[0]))
        if not scale > 0:
            return float("nan"), np.full(cases, np.nan)
        value = together[0] / scale
        values.append(value)
        influences.append(together[1] / scale - value / 2 * (a[1] / a[0] + b[1] / b[0]))
    return float(np.mean(values)), np.mean(influences, axis=0) / cases


def _above(group: Array, values: Array) -> Array:
    """The mean over all cases of the values of those that stand above each case, ties half."""
    sums = np.bincount(group, values)
    return np.asarray((sums[::-1].cumsum()[::-1] - sums / 2)[group] / group.size)


def _moved(group: Array, other: Array, rank: Array, beside: Array) -> tuple[float, Array]:
    """The covariance of two columns of ranks, and how much each case moves it, times the number of cases."""
    product = float((rank * beside).mean())
    influence = rank * beside + _above(group, beside) + _above(other, rank) - 3 * product
    return product - 0.25, influence


def agreement(value: float, influence: Array, design: Design, level: float) -> Estimate:
    """The estimate of a kappa or a correlation, on the scale of Fisher's z, with Student's t for few units."""
    if np.isnan(value):
        return Estimate.undefined("the answers are all alike")
    spread = design.spread(influence)
    if abs(value) >= 1 or not spread.variance > 0 or is_rounding(spread.se, 1.0):
        return Estimate.bare(value, "the cases at hand show no spread of it")
    low, high = scale_of((-1, 1)).interval(value, spread.half(level), 1.0)
    return Estimate(value, low, high, level, f"{design.before}Fisher z")
