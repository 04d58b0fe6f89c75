"""The curves of an evaluation that a page shows: calibration of all folds together, ROC curves of single ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.errors import InputError
from classay.resampling.baseline import BASELINE

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.model_folds import ModelFolds

FOLDS = 10
"""Folds whose curves are drawn: more lines than these are a cloud."""
NEAR = 0.002
"""Greatest vertical error of a curve that is drawn thin among many."""


def pooled_and_single(e: Evaluation) -> tuple[tuple[Curve, ...], dict[str, tuple[Curve, ...]]]:
    """The calibration of each model over all folds together, and by model its ROC curves in the first folds.

    A probability means the same whichever fold's model says it, so that calibration may be pooled; scores of
    different models have no common order, so that ROC curves may not.
    """
    calibration: list[Curve] = []
    by_fold: dict[str, tuple[Curve, ...]] = {}
    for run, model, folds in e.model_folds():
        if model == BASELINE or run.cases.positive is None or not folds.places:
            continue
        name = f"{model} on {run.cases.name}" if len(e.runs) > 1 else model
        calibration += (
            replace(each, series=name, title="Calibration, all folds") for each in _calibration(folds)
        )
        curves = [each for i in range(min(FOLDS, len(folds.places))) for each in _roc(folds, i)]
        if curves:
            by_fold[name] = tuple(curves)
    return tuple(calibration), by_fold


def _calibration(folds: ModelFolds) -> list[Curve]:
    if folds.results[0].kind_of_score != "probability":
        return []
    try:
        return [for_display(folds.whole.calibration.curve, NEAR, few=50)]
    except InputError:  # there is no such curve of these cases
        return []


def _roc(folds: ModelFolds, fold: int) -> list[Curve]:
    try:
        return [for_display(folds.assessments[fold].roc.curve, NEAR, few=50)]
    except InputError:
        return []
