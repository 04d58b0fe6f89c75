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
    NO_POSITIVES,
)
from classay.measures.counts import f0_5, f1, f2, f_score
from classay.measures.families import COST, POSITIVE, family
from classay.measures.registry import Measure, ratio
from classay.tables import ConfusionMatrix


@family(beta=POSITIVE)
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
        undefined=(EMPTY_MATRIX,),
        reference="gaudette2009",
    )
