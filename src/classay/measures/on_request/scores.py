"""Measures of two classes' scores that only who names them sees."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from classay.errors import InputError
from classay.measures import ranking
from classay.measures.conditions import (
    NO_POSITIVE_SCORES,
    Condition,
)
from classay.measures.families import RATE, family
from classay.measures.precision_recall import interpolated_pr_area as interpolated_area
from classay.measures.ranking import (
    BOTH_CLASSES,
    MAX_FPR,
    area_between,
    average_precision,
    negative_cases,
    roc_auc,
)
from classay.measures.readings import complement_of
from classay.measures.registry import Measure, ratio
from classay.tables import ScoreTable
from classay.tables.running import at_least, at_most

"""How far a rate that is the wanted one may be off it."""


@family(min_fpr=RATE, max_fpr=RATE)
def partial_roc_auc(max_fpr: float = MAX_FPR, min_fpr: float = 0.0) -> Measure:
    """Area under the part of the ROC curve between two false positive rates, straight between thresholds."""
    if (min_fpr, max_fpr) == (0, MAX_FPR):
        return ranking.partial_roc_auc
    width = _width(min_fpr, max_fpr, "fpr")
    return replace(
        ranking.partial_roc_auc,
        name="partial_roc_auc",
        title=f"Partial ROC AUC (FPR {min_fpr:g} to {max_fpr:g})",
        formula=f"area under the ROC curve for FPR in [{min_fpr:g}, {max_fpr:g}]",
        bounds=(0.0, width),
        best=width,
        undefined=(*BOTH_CLASSES, _less_than_one("FPR", "negatives", negative_cases, min_fpr, max_fpr)),
        function=lambda scores: area_between(scores.positives, scores.negatives, min_fpr, max_fpr),
    )


@family(min_tpr=RATE, max_tpr=RATE)
def partial_roc_auc_by_tpr(min_tpr: float, max_tpr: float = 1.0) -> Measure:
    """Area beside the part of the ROC curve between two true positive rates: the specificity, summed over them."""
    width = _width(min_tpr, max_tpr, "tpr")

    def area(scores: ScoreTable) -> Any:
        swapped = (
            scores.negatives[..., ::-1],
            scores.positives[..., ::-1],
        )  # the curve seen from its other end
        return area_between(*swapped, 1 - max_tpr, 1 - min_tpr)

    return replace(
        ranking.partial_roc_auc,
        name="partial_roc_auc_by_tpr",
        title=f"Partial ROC AUC (TPR {min_tpr:g} to {max_tpr:g})",
        formula=f"area of 1 - FPR for TPR in [{min_tpr:g}, {max_tpr:g}]",
        bounds=(0.0, width),
        best=width,
        undefined=(*BOTH_CLASSES, _less_than_one("TPR", "positives", _positive_cases, min_tpr, max_tpr)),
        function=area,
    )


@family(max_fpr=RATE)
def standardized_partial_roc_auc(max_fpr: float = MAX_FPR) -> Measure:
    """Partial ROC AUC rescaled so that one half is no information and 1 is perfect."""
    if max_fpr == MAX_FPR:
        return ranking.standardized_partial_roc_auc
    return replace(
        ranking.standardized_partial_roc_auc,
        title=f"Standardized partial ROC AUC (FPR up to {max_fpr:g})",
        undefined=(*BOTH_CLASSES, _less_than_one("FPR", "negatives", negative_cases, 0.0, max_fpr)),
        function=partial(ranking.standardized_partial_roc_auc.raw, max_fpr=max_fpr),
    )


@family(precision=RATE)
def recall_at_precision(precision: float) -> Measure:
    """Greatest recall of a threshold whose precision is at least the wanted one; 0 where none is."""

    def greatest(scores: ScoreTable) -> Any:
        tp, fp = np.cumsum(scores.positives, -1), np.cumsum(scores.negatives, -1)
        recall = ratio(tp, np.expand_dims(scores.n_positive, -1))
        reached = np.where(at_least(ratio(tp, tp + fp), precision), recall, 0.0).max(-1, initial=0.0)
        return np.where(scores.n_positive == 0, np.nan, reached)[()]

    return replace(
        average_precision,
        name="recall_at_precision",
        title=f"Recall at precision {precision:g}",
        formula=f"max recall over thresholds with precision >= {precision:g}",
        undefined=(NO_POSITIVE_SCORES,),
        function=greatest,
    )


@family(specificity=RATE)
def recall_at_specificity(specificity: float) -> Measure:
    """Greatest recall (sensitivity) of a threshold whose specificity is at least the wanted one; 0 where none is."""

    def greatest(scores: ScoreTable) -> Any:
        fpr, tpr = ranking.rates(scores)
        reached = np.where(at_most(fpr, complement_of(specificity)), tpr, 0.0).max(-1, initial=0.0)
        return np.where((scores.n_positive == 0) | (scores.n_negative == 0), np.nan, reached)[()]

    return replace(
        roc_auc,
        name="recall_at_specificity",
        title=f"Recall at specificity {specificity:g}",
        formula=f"max recall over thresholds with specificity >= {specificity:g}",
        bounds=(0, 1),
        best=1,
        reference="fawcett2006",
        function=greatest,
    )


@family()
def equal_error_rate() -> Measure:
    """Where the ROC curve, straight between thresholds, has as many false alarms as misses: FPR = 1 - TPR."""

    def crossing(scores: ScoreTable) -> Any:
        fpr, tpr = (_from_zero(each) for each in ranking.rates(scores))
        gap = 1 - tpr - fpr  # falls from 1 to -1
        after = np.argmax(gap <= 0, -1)[..., None]
        (g0, g1), (x0, x1) = (
            (np.take_along_axis(each, after - 1, -1), np.take_along_axis(each, after, -1))
            for each in (gap, fpr)
        )
        value = (x0 + ratio(g0, g0 - g1) * (x1 - x0))[..., 0]
        return np.where((scores.n_positive == 0) | (scores.n_negative == 0), np.nan, value)[()]

    return replace(
        roc_auc,
        name="equal_error_rate",
        title="Equal error rate",
        formula="FPR where FPR = 1 - TPR",
        bounds=(0, 1),
        best=0,
        reference="fawcett2006",
        function=crossing,
    )


@family()
def interpolated_pr_area() -> Measure:
    """Area under the precision-recall curve, interpolated between thresholds as the ROC curve is."""
    return replace(
        average_precision,
        name="interpolated_pr_area",
        title="Interpolated PR area",
        formula="integral of the interpolated precision over recall",
        function=interpolated_area,
    )


def _width(low: float, high: float, rate: str) -> float:
    if low >= high:
        raise InputError(f"min_{rate} is {low:g} and max_{rate} {high:g}: pass a range that is not empty.")
    return high - low


def _positive_cases(scores: ScoreTable) -> Any:
    if scores.positive_squares is None:
        return scores.n_positive
    return ratio(scores.n_positive**2, scores.positive_squares.sum(-1))


def _less_than_one(axis: str, cases: str, count: Any, low: float, high: float) -> Condition:
    text = (
        f"{axis} from {low:g} to {high:g} holds less than one case, having under {1 / (high - low):g} {cases}"
    )
    return Condition(text, text, lambda scores: count(scores) * (high - low) < 1 - 1e-12)


def _from_zero(rate: Any) -> Any:
    return np.concatenate([np.zeros((*rate.shape[:-1], 1)), rate], -1)
