"""What is certain of a measure when scores were counted in bins: the least and the greatest value that they allow."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.measures.ranking import roc_auc
from classay.measures.registry import Measure
from classay.tables import ScoreTable
from classay.tables.binned.classes import BinnedClassScoreTable
from classay.tables.binned.table import BinnedScoreTable

OF_DOMINANCE = frozenset(
    {
        "roc_auc",
        "gini",
        "partial_roc_auc",
        "standardized_partial_roc_auc",
        "hull_auc",
        "h_measure",
        "max_f1",
    }
)
"""Measures that grow when a ROC curve rises above another everywhere."""
OF_SUMS = frozenset({"log_loss", "brier_score", "log_loss_skill", "brier_skill"})
"""Measures of sums that are kept beside the bins."""
OF_RESTS = ("macro_roc_auc", "weighted_roc_auc")
"""Measures of several classes that look at each class against all others only, which is all that bins keep."""
OF_MEANS = frozenset({"observed_expected_ratio", "brier_uncertainty", "log_loss_uncertainty"})


def certain(measure: Measure, table: BinnedScoreTable | BinnedClassScoreTable) -> tuple[float, float] | None:
    """The ends between which the measure of the exact scores lies; None where no bound is known.

    With positives before negatives in every bin the ROC curve lies above that of every order that the bins allow, with
    negatives first below it, so that what grows with the curve is bounded by its values there; both ends are attained
    for the AUC. The mean of a loss is exact: its sums are kept.

    >>> rng = np.random.default_rng(0)
    >>> positive = rng.random(2000) < 0.3
    >>> score = rng.beta(1 + 2 * positive, 2)
    >>> from classay.measures import get
    >>> binned = BinnedScoreTable.of_rows(score, positive, bits=4)
    >>> low, high = certain(get("roc_auc"), binned)
    >>> low < get("roc_auc")(ScoreTable.from_rows(score, positive)) < high
    np.True_
    """
    if isinstance(table, BinnedClassScoreTable):
        return _certain_mean(measure, table)
    if measure.name in OF_SUMS:
        value = float(measure(table))
        return (value, value) if table.bins.losses is not None else None
    lowest, highest = table.laid_out("lowest"), table.laid_out("highest")
    if measure.name in OF_DOMINANCE:
        return float(measure(lowest)), float(measure(highest))
    if measure.name == "kolmogorov_smirnov":
        # thresholds between bins are there in any order; the corners of the two extremes are the farthest points
        return float(measure(table)), max(float(measure(lowest)), float(measure(highest)))
    if measure.name == "average_precision":
        return _least_average_precision(lowest), float(measure(highest))
    return None


def _certain_mean(measure: Measure, table: BinnedClassScoreTable) -> tuple[float, float] | None:
    """The ends of a mean AUC: each class's own are attained, whatever the order in the bins of the others."""
    if measure.name not in OF_RESTS or np.isnan(measure(table)):
        return None
    totals = table.class_totals
    weight = totals if measure.name == "weighted_roc_auc" else np.ones(totals.size)
    held = np.flatnonzero(totals)
    ends = [
        [float(roc_auc(table.tables[at].laid_out(order))) for order in ("lowest", "highest")] for at in held
    ]
    low, high = np.average(ends, axis=0, weights=weight[held])
    return float(low), float(high)


def _least_average_precision(lowest: ScoreTable) -> float:
    """Average precision with the negatives of every bin before its positives, and no positives tied.

    With T positives and F negatives before it, the j-th positive of p in a bin has precision (T + j) / (T + j + F): the
    sum over j is p - F times the sum of 1 / (T + F + j). Positives of weights have at least what ever smaller ones
    would: there the sum is the integral, ln((T + F + p) / (T + F)), which does not depend on the unit of weights.
    """
    p = np.asarray(lowest.positives, np.float64)
    negatives = np.cumsum(np.asarray(lowest.negatives, np.float64))
    start = np.cumsum(p) - p + negatives
    of_reciprocals = _log_rise if lowest.is_weighted else _digamma_rise
    return float((p - negatives * of_reciprocals(start, p)).sum() / p.sum()) if p.sum() else float("nan")


def _digamma_rise(start: Any, steps: Any) -> Any:
    """The sum of 1 / (start + j) for j from 1 to steps, digamma(start + steps + 1) - digamma(start + 1)."""
    from scipy.special import digamma

    return digamma(start + steps + 1) - digamma(start + 1)


def _log_rise(start: Any, steps: Any) -> Any:
    """The integral of 1 / (start + x) for x from 0 to steps; 0 where it begins at 0, before any negative."""
    return np.log1p(np.divide(steps, start, out=np.zeros_like(steps), where=start > 0))
