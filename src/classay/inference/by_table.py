"""The interval of every measure of scores: which method, whatever way the cases were drawn."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

from classay.inference import calibration, deviation, linearised, optimism, several, smooth_deviation
from classay.inference.auc import gini, hull_auc, roc_auc
from classay.inference.estimate import Found
from classay.inference.score_influence import INFLUENCES
from classay.inference.units import Units
from classay.measures import Measure
from classay.tables import ClassScoreTable, ScoreTable
from classay.tables.rows import CodedRows

Method = Callable[[Measure, ScoreTable, float, Units, float], Found]

NO_ESTIMATES = calibration.NONE
"""Measures that have no interval by their nature, with the reason."""
NOT_YET = "none is known to be valid yet"
NOTHING = 1e-9
"""Width of an interval below which a spread is rounding."""

OF_SCORES: dict[str, Method] = {
    **dict.fromkeys(INFLUENCES, linearised.linearised),
    "log_loss": linearised.mean_loss,
    "brier_score": linearised.mean_loss,
    "partial_roc_auc": linearised.partial_area,
    "standardized_partial_roc_auc": linearised.partial_area,
    "area_under_prg": linearised.precision_recall_gain,
    "area_under_risk_coverage": linearised.risk_coverage,
    "brier_uncertainty": linearised.uncertainty,
    "log_loss_uncertainty": linearised.uncertainty,
    "roc_auc": roc_auc,
    "gini": gini,
    "hull_auc": hull_auc,
    **calibration.INTERVALS,
    **deviation.INTERVALS,
    **smooth_deviation.INTERVALS,
    **optimism.INTERVALS,
}


def of_scores(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """The interval of a measure of a score table, or the reason why there is none."""
    if measure.name in NO_ESTIMATES:
        return NO_ESTIMATES[measure.name]
    if table.scores.size == 1 and measure.needs == "scores" and measure.moments is None:
        return "all scores are equal"
    method = OF_SCORES.get(measure.name)
    return NOT_YET if method is None else _seen(method(measure, table, value, units, level))


def of_several(measure: Measure, table: Any, value: float, rows: CodedRows | None, level: float) -> Found:
    """The interval of a measure of several classes' scores; `rows` are those of clusters."""
    methods = several.OF_CLASS_SCORES if isinstance(table, ClassScoreTable) else several.OF_CASES
    method = methods.get(measure.name)
    return NOT_YET if method is None else _seen(method(measure, table, value, rows, level))


def _seen(found: Found) -> Found:
    """The interval, if the cases show any spread at all: [x, x] would claim certainty."""
    if isinstance(found, str):
        return found
    low, high, _ = found
    if isnan(low) or isnan(high):
        return "one case shows no spread"
    return found if high - low > NOTHING * max(1.0, abs(high)) else "the cases at hand show no spread of it"
