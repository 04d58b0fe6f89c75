"""Measures of labels that only who names them sees: those with parameters, and those that few want on every page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from classay.measures.agreement import distances
from classay.measures.conditions import (
    EMPTY_MATRIX,
    NO_CASES,
    NO_NEGATIVES,
    NO_ORDER_OF_CLASSES,
    NO_POSITIVES,
)
from classay.measures.counts import f0_5, f1, f2, f_score, informedness
from classay.measures.families import BETA, COST, SHARE, family
from classay.measures.registry import Measure, ratio
from classay.tables import ConfusionMatrix


@family(beta=BETA)
def f_beta(beta: float) -> Measure:
    """Weighted harmonic mean of precision and recall; recall has beta² times the weight of precision.

    >>> from classay.measures import get
    >>> print(get("f_beta(3)")(6, 1, 4, 89).round(4))
    0.6186
    """
    known = {1.0: f1, 2.0: f2, 0.5: f0_5}
    b2 = beta * beta
    return known.get(beta) or replace(
        f1,
        name="f_beta",
        title=f"F{beta:g}",
        formula=f"{1 + b2:g} TP / ({1 + b2:g} TP + {b2:g} FN + FP)",
        function=lambda tp, fp, fn, tn: f_score(beta, tp, fp, fn),
    )


@family(fp=COST, fn=COST)
def expected_cost(fp: float, fn: float) -> Measure:
    """Mean cost of a case, where a false positive costs `fp`, a false negative `fn`, and a right answer nothing."""
    return replace(
        f1,
        name="expected_cost",
        title=f"Expected cost (false positive {fp:g}, false negative {fn:g})",
        formula=f"({fp:g} FP + {fn:g} FN) / n",
        bounds=(0.0, max(fp, fn)),
        best=0,
        undefined=(NO_CASES,),
        reference="elkan2001",
        averaged=False,
        function=lambda tp, fps, fns, tn: ratio(fp * fps + fn * fns, tp + fps + fns + tn),
    )


@family(fp=COST, fn=COST)
def normalised_expected_cost(fp: float, fn: float) -> Measure:
    """Mean cost of a case over that of being always wrong, the y of a cost curve: in [0, 1] whatever the costs."""

    def share(tp: Any, fps: Any, fns: Any, tn: Any) -> Any:
        positives, negatives = fn * np.add(tp, fns), fp * np.add(fps, tn)
        x = ratio(positives, positives + negatives)
        return x * ratio(fns, np.add(tp, fns)) + (1 - x) * ratio(fps, np.add(fps, tn))

    return replace(
        f1,
        name="normalised_expected_cost",
        title=f"Normalised expected cost (false positive {fp:g}, false negative {fn:g})",
        formula=f"({fp:g} FP + {fn:g} FN) / ({fp:g} (FP + TN) + {fn:g} (TP + FN))",
        best=0,
        undefined=(NO_POSITIVES, NO_NEGATIVES),
        reference="drummond2006",
        averaged=False,
        function=share,
    )


@family(threshold=SHARE)
def net_benefit(threshold: float) -> Measure:
    """True positives less false positives at the exchange rate of a threshold probability, by case.

    Probabilities are called positive from that threshold on (whatever the threshold of other measures is); labels are
    taken as they are, and so are those of scores that are no probabilities.

    >>> from classay import assess
    >>> a = assess([1, 0, 0, 1, 0], [0.9, 0.3, 0.1, 0.25, 0.15])
    >>> a["net_benefit(0.2)"].value == a.at(0.2)["net_benefit(0.2)"].value == (2 - 1 / 4) / 5
    True
    """
    odds = threshold / (1 - threshold)
    return replace(
        f1,
        name="net_benefit",
        title=f"Net benefit at the threshold probability {threshold:g}",
        formula=f"TP / n - {odds:.4g} FP / n",
        bounds=(-odds, 1.0),
        best=1,
        undefined=(NO_CASES,),
        reference="vickers2006",
        averaged=False,
        function=lambda tp, fp, fn, tn: ratio(tp - odds * fp, tp + fp + fn + tn),
        threshold=threshold,
    )


@family()
def corner_distance() -> Measure:
    """Distance of a threshold from the corner of the ROC plane where all is right; no cost makes it best (E-48)."""

    def distance(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return np.sqrt(ratio(fn, tp + fn) ** 2 + ratio(fp, fp + tn) ** 2)

    return replace(
        informedness,
        name="corner_distance",
        title="Distance from the corner of the ROC plane",
        formula="sqrt(FNR² + FPR²)",
        bounds=(0.0, float(np.sqrt(2))),
        best=0,
        reference="perkins2006",
        averaged=False,
        function=distance,
    )


@family()
def rate_gap() -> Measure:
    """How far the false positive and the false negative rate are apart; 0 at the equal error rate."""

    def apart(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        gap = ratio(fp, fp + tn) - ratio(fn, tp + fn)
        return np.where(np.real(gap) < 0, -gap, gap)[
            ()
        ]  # slopes are complex steps, which a modulus would lose

    return replace(
        informedness,
        name="rate_gap",
        title="Gap of the error rates",
        formula="|FPR - FNR|",
        bounds=(0.0, 1.0),
        best=0,
        reference="fawcett2006",
        averaged=False,
        function=apart,
    )


@family()
def class_mean_absolute_error() -> Measure:
    """Mean distance of the predicted from the true class in the order of the labels, in classes."""

    def distance(matrix: ConfusionMatrix) -> Any:
        apart = distances(len(matrix.labels), 1)
        return ratio((matrix.counts * apart).sum((-2, -1)), matrix.total)

    return Measure(
        "class_mean_absolute_error",
        title="Mean absolute error of ordered classes",
        function=distance,
        needs="matrix",
        formula="sum |i-j|·n_ij / n",
        bounds=(0, np.inf),
        best=0,
        undefined=(NO_ORDER_OF_CLASSES, EMPTY_MATRIX),
        reference="gaudette2009",
    )
