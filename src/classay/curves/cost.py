"""Cost curves: what a classifier costs as the costs of errors and the prevalence vary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from classay.curves.curve import Curve
from classay.curves.registry import UNIT, Look, curve
from classay.curves.thresholds import as_given, thresholds_of
from classay.errors import InputError
from classay.measures.hull import hull
from classay.measures.registry import ratio
from classay.tables import ScoreTable


def probability_cost(prevalence: Any, cost_fp: Any, cost_fn: Any) -> Any:
    """The share of the positives in the cost of being always wrong, PC(+) = c_FN π / (c_FN π + c_FP (1 - π)).

    The x of a cost curve, in [0, 1]; NaN where nothing costs anything. Drummond & Holte 2006, Machine
    Learning 65:95.

    >>> print(probability_cost(0.1, cost_fp=1, cost_fn=5).round(4))
    0.3571
    """
    positive, negative = cost_fn * np.asarray(prevalence), cost_fp * (1 - np.asarray(prevalence))
    return ratio(positive, positive + negative)


@curve(
    "cost curve", name="cost", references=lambda table: (cost_trivial(),), look=Look(UNIT, y_from_zero=True)
)
def cost_curve(table: ScoreTable) -> Curve:
    """The normalised expected cost of the best threshold at each PC(+): the lower envelope of the lines.

    Straight between x = ΔFPR / (ΔFPR + ΔTPR) of neighbouring corners of the ROC hull. `threshold` is that of
    the stretch to the right of a point. It assumes the best threshold for every cost, found on these same
    cases. NaN where a class has no cases. Drummond & Holte 2006, Machine Learning 65:95.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> curve = cost_curve(table)
    >>> curve.x, curve.y, curve.threshold
    (array([0. , 0.5, 1. ]), array([0.  , 0.25, 0.  ]), array([0.9, 0.3, 0.1]))
    """
    corners = hull(table)
    fpr, tpr = ratio(corners.fp, table.n_negative), ratio(corners.tp, table.n_positive)
    run, rise = np.diff(fpr), np.diff(tpr)
    x = np.concatenate([[0.0], ratio(run, run + rise), [1.0]])
    best = np.concatenate([[0], np.arange(fpr.size)])  # the corner that is best to the left of each x
    y = x * (1 - tpr[best]) + (1 - x) * fpr[best]
    thresholds = thresholds_of(table, corners.point)
    last = np.append(np.diff(x) > 0, True) | np.isnan(
        x
    )  # of several points at one x, that of the last corner
    return Curve(
        "cost",
        "Cost curve",
        x[last],
        y[last],
        "probability cost, PC(+)",
        "normalised expected cost",
        threshold=np.append(thresholds, thresholds[-1])[last],
    )


def cost_line(table: ScoreTable, threshold: float) -> Curve:
    """The normalised expected cost of one threshold at each PC(+): the line from (0, FPR) to (1, FNR).

    The area under it is 1 - balanced accuracy. NaN where a class has no cases.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> cost_line(table, 0.4).y
    array([0.5, 0.5])
    """
    tp, fp, fn, tn = table.at(threshold).one_vs_rest(table.labels[1])
    return Curve(
        "cost",
        "Cost curve",
        np.array([0.0, 1.0]),
        np.array([ratio(fp, fp + tn), ratio(fn, fn + tp)]),
        "probability cost, PC(+)",
        "normalised expected cost",
        threshold=np.full(2, threshold, np.float64),
        series=f"threshold {as_given(table.thresholds, threshold)}",
    )


def cost_trivial() -> Curve:
    """The normalised expected cost of the better of calling all and calling none positive: min(x, 1 - x)."""
    return Curve(
        "cost",
        "Cost curve",
        np.array([0.0, 0.5, 1.0]),
        np.array([0.0, 0.5, 0.0]),
        "probability cost, PC(+)",
        "normalised expected cost",
        kind="reference",
        series="all or nothing",
    )


def cost_curve_area(table: ScoreTable) -> float:
    """Area under the `cost_curve`: the mean cost of the best thresholds, PC(+) uniform; in [0, 0.25], best 0.

    NaN where a class has no cases.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> cost_curve_area(table)
    0.125
    """
    curve = cost_curve(table)
    return float(np.trapezoid(curve.y, curve.x))


def normalised_cost_curve_area(table: ScoreTable) -> float:
    """Share of the trivial classifiers' area that the best thresholds save, 1 - area / 0.25; best 1.

    NaN where a class has no cases.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> normalised_cost_curve_area(table)
    0.5
    """
    return 1 - 4 * cost_curve_area(table)


def brier_curve(table: ScoreTable) -> Curve:
    """Cost 2 (c FP/n + (1 - c) FN/n) of the threshold c, where a false positive costs c, a negative 1 - c.

    What probabilities taken at their word cost: the area is the Brier score, and with the weight 1 / (2 c (1
    - c)) the log-loss. Exact: a jump at every score. Raises InputError unless the scores are probabilities;
    NaN without cases. Hernández-Orallo, Flach & Ferri 2012, Journal of Machine Learning Research 13:2813.

    >>> curve = brier_curve(ScoreTable.from_rows(np.array([0.75, 0.5]), np.array([True, False])))
    >>> print(np.trapezoid(curve.y, curve.x))
    0.15625
    """
    _check_probabilities(table)
    scores = table.scores[::-1].astype(np.float64)
    fp, fn = np.cumsum(table.negatives)[::-1], (np.cumsum(table.positives[::-1]) - table.positives[::-1])
    # from just above the score before to this one, the threshold takes in this score and all above it
    c = np.stack([np.append(0.0, scores), np.append(scores, 1.0)], -1)
    fp = np.append(fp, 0)[:, None]
    fn = np.append(fn, table.positives.sum())[:, None]
    y = 2 * ratio(c * fp + (1 - c) * fn, float(table.n_positive + table.n_negative))
    return replace(_brier_axes(), x=c.ravel(), y=y.ravel(), threshold=c.ravel())


@curve(
    "Brier curve",
    name="brier",
    references=lambda table: (brier_trivial(table),),
    needs="probabilities",
    look=Look(UNIT, y_from_zero=True),
)
def brier_curves(table: ScoreTable) -> tuple[Curve, ...]:
    """The Brier curve, and where both classes occur the lower envelope of its lines."""
    as_they_are = brier_curve(table).of("the scores as they are")
    both_classes = table.n_positive and table.n_negative
    return (as_they_are, brier_envelope(table)) if both_classes else (as_they_are,)


def brier_envelope(table: ScoreTable) -> Curve:
    """The same cost with the best threshold for each c, found on these same cases.

    Straight between the shares of positives on the edges of the ROC hull. The area is the Brier score of
    isotonically calibrated scores. NaN without cases. Hernández-Orallo, Flach & Ferri 2012, JMLR 13:2813.

    >>> table = ScoreTable.from_rows(np.array([0.75, 0.5]), np.array([True, False]))
    >>> brier_envelope(table).y
    array([0., 0.])
    """
    corners = hull(table)
    positives, negatives = np.diff(corners.tp[::-1]), np.diff(corners.fp[::-1])
    c = np.concatenate([[0.0], ratio(positives, positives + negatives), [1.0]])
    best = np.concatenate([[0], np.arange(corners.tp.size)])
    fp, fn = corners.fp[::-1][best], (corners.tp[-1] - corners.tp[::-1])[best]
    y = 2 * ratio(c * fp + (1 - c) * fn, float(table.n_positive + table.n_negative))
    last = np.append(np.diff(c) > 0, True)
    return replace(_brier_axes(), x=c[last], y=y[last], series="best threshold for each cost")


def brier_trivial(table: ScoreTable) -> Curve:
    """The same cost of the better of calling all and calling none positive: 2 min(c (1 - π), (1 - c) π).

    >>> brier_trivial(ScoreTable.from_rows(np.array([0.75, 0.5]), np.array([True, False]))).y
    array([0. , 0.5, 0. ])
    """
    share = float(ratio(table.n_positive, table.n_positive + table.n_negative))
    top = 2 * share * (1 - share)
    return replace(
        _brier_axes(),
        x=np.array([0.0, share, 1.0]),
        y=np.array([0.0, top, 0.0]),
        kind="reference",
        series="all or nothing",
    )


def _brier_axes() -> Curve:
    nothing = np.empty(0)
    titles = "cost of a false positive, c", "expected cost × 2"
    return Curve("brier", "Brier curve", nothing, nothing, *titles)


def _check_probabilities(table: ScoreTable) -> None:
    if not table.are_probabilities:
        raise InputError("the Brier curve needs probabilities: the scores are not all in [0, 1].")
