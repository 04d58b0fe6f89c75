"""What acting on a score brings: cumulative gain and lift, cost curves, and net benefit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.curves.curve import UNIT, Curve, CurveStyle, as_given, curve, thresholds_of
from classay.errors import InputError
from classay.measures.areas import hull
from classay.measures.counts import benefit_of
from classay.measures.registry import ratio
from classay.once import memoize
from classay.tables import ScoreTable
from classay.tables.sums import ROUNDING, Running, are_greatest, at_most, total

SELECTED = "share of cases selected"


def cumulative_gain_references(table: ScoreTable) -> tuple[Curve, Curve]:
    """Return the gain of selecting at random, and of a perfect ranking, which has every positive first.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False]))
    >>> random, perfect = cumulative_gain_references(table)
    >>> perfect.x, perfect.y
    (array([0. , 0.5, 1. ]), array([0., 1., 1.]))
    """
    share = float(ratio(table.n_positive, table.n_positive + table.n_negative))
    ends = np.array([0.0, 1.0])
    random = Curve(
        "cumulative_gain",
        "Cumulative gain",
        ends,
        ends,
        SELECTED,
        "share of positives found",
        kind="reference",
        series="at random",
    )
    perfect = replace(
        random, x=np.array([0.0, share, 1.0]), y=np.array([0.0, 1.0, 1.0]), series="perfect ranking"
    )
    return random, perfect


@curve("gain curve", references=cumulative_gain_references, look=CurveStyle(UNIT, UNIT, square=True))
def cumulative_gain(table: ScoreTable) -> Curve:
    """The share of the positives found, TP / P, against the share of all cases selected, (TP + FP) / n.

    From (0, 0) to (1, 1), a point at every distinct threshold. NaN where no case is positive.

    >>> rows = np.array([0.9, 0.4, 0.1, 0.0]), np.array([True, True, False, False])
    >>> curve = cumulative_gain(ScoreTable.from_rows(*rows))
    >>> curve.x, curve.y
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0. , 0.5, 1. , 1. , 1. ]))
    """
    tp, called = np.cumsum(table.positives), np.cumsum(table.positives + table.negatives)
    return Curve(
        "cumulative_gain",
        "Cumulative gain",
        np.concatenate([[0.0], ratio(called, total(table.positives + table.negatives))]),
        np.concatenate([[0.0], ratio(tp, table.n_positive)]),
        SELECTED,
        "share of positives found",
        threshold=np.concatenate([[np.inf], table.thresholds.astype(np.float64)]),
    )


@curve(
    "lift curve",
    name="lift",
    references=lambda table: (lift_reference(),),
    look=CurveStyle(UNIT, y_from_zero=True),
)
def lift_curve(table: ScoreTable) -> Curve:
    """Lift, precision / prevalence, against the share of all cases selected, at every distinct threshold.

    How many times as many positives the selected cases hold as equally many random cases. NaN where no case is positive
    or nothing is selected.

    >>> rows = np.array([0.9, 0.4, 0.1, 0.0]), np.array([True, True, False, False])
    >>> curve = lift_curve(ScoreTable.from_rows(*rows))
    >>> curve.x, curve.y.round(2)
    (array([0.25, 0.5 , 0.75, 1.  ]), array([2.  , 2.  , 1.33, 1.  ]))
    """
    tp, called = np.cumsum(table.positives), np.cumsum(table.positives + table.negatives)
    share = ratio(table.n_positive, table.n_positive + table.n_negative)
    return Curve(
        "lift",
        "Lift",
        ratio(called, total(table.positives + table.negatives)),
        ratio(ratio(tp, called), share),
        SELECTED,
        "lift",
        threshold=table.scores.astype(np.float64),
    )


def lift_reference() -> Curve:
    """Return the lift of selecting at random: 1."""
    ends = np.array([0.0, 1.0])
    return Curve("lift", "Lift", ends, np.ones(2), SELECTED, "lift", kind="reference", series="at random")


@curve(
    "KS curve",
    name="ks",
    references=lambda table: (ks_gap(table),),
    look=CurveStyle(y=UNIT),
    no_band="use those of the ROC curve",
)
def ks_curves(table: ScoreTable) -> tuple[Curve, Curve]:
    """The share of the positives and of the negatives at or above each distinct score, ascending.

    Their greatest distance is the Kolmogorov-Smirnov statistic (`ks_gap`). NaN for a class without cases.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False]))
    >>> positive, negative = ks_curves(table)
    >>> positive.x, positive.y, negative.y
    (array([0.1, 0.4, 0.9]), array([1. , 1. , 0.5]), array([1., 0., 0.]))
    """
    curves = []
    for label, cases in ((table.labels[1], table.positives), (table.labels[0], table.negatives)):
        share = ratio(np.cumsum(cases), total(cases))[::-1]
        scores = table.thresholds[::-1].astype(np.float64)
        curves.append(
            Curve(
                "ks",
                "Scores at or above the threshold",
                scores,
                share,
                "threshold",
                "share of the class",
                kind="steps_back",
                threshold=scores,
                series=str(label),
            )
        )
    return curves[0], curves[1]


def ks_gap(table: ScoreTable) -> Curve:
    """Return where the two curves of `ks_curves` are furthest apart: |TPR - FPR|, from the lower to the higher.

    Of several such thresholds the highest. NaN where a class has no cases, and empty without scores.

    >>> gap = ks_gap(ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False])))
    >>> gap.x, gap.y
    (array([0.4, 0.4]), array([0., 1.]))
    """
    positive, negative = ks_curves(table)
    distance = np.abs(positive.y - negative.y)[::-1]
    at = slice(distance.size - 1 - int(are_greatest(distance).argmax()), None) if distance.size else slice(0)
    ends = np.sort([positive.y[at][:1], negative.y[at][:1]], axis=None)
    x = np.repeat(positive.x[at][:1], 2)
    return replace(positive, x=x, y=ends, kind="reference", threshold=x, series="greatest distance")


@dataclass(frozen=True)
class TopReading:
    """A measure of the k highest scores: expected over the order of ties at the cut, at worst and at best."""

    k: float
    value: float
    worst: float
    best: float


def precision_at_k(table: ScoreTable, k: float) -> TopReading:
    """Return the share of positives among the k cases with the highest scores, hits / k.

    `k` is a number of cases, or of weight where cases are weighted; InputError unless 0 < k <= their total.

    >>> precision_at_k(ScoreTable.from_rows(np.array([0.9, 0.4, 0.4]), np.array([True, True, False])), 2)
    TopReading(k=2, value=0.75, worst=0.5, best=1.0)
    """
    return _per(table, k, k)


def recall_at_k(table: ScoreTable, k: float) -> TopReading:
    """Return the share of all positives among the k cases with the highest scores, hits / P; NaN without positives.

    >>> recall_at_k(ScoreTable.from_rows(np.array([0.9, 0.4, 0.4]), np.array([True, True, False])), 2)
    TopReading(k=2, value=0.75, worst=0.5, best=1.0)
    """
    return _per(table, k, table.n_positive)


def lift_at_k(table: ScoreTable, k: float) -> TopReading:
    """Precision at k over the prevalence: hits / (k P / n); NaN without positives.

    >>> rows = np.array([0.9, 0.4, 0.1, 0.0]), np.array([True, True, False, False])
    >>> lift_at_k(ScoreTable.from_rows(*rows), 2)
    TopReading(k=2, value=2.0, worst=2.0, best=2.0)
    """
    return _per(table, k, k * ratio(table.n_positive, table.n_positive + table.n_negative))


@memoize
def _called(table: ScoreTable) -> Any:
    """Cases at or above each score."""
    return np.cumsum(table.positives + table.negatives)


def _per(table: ScoreTable, k: float, of: Any) -> TopReading:
    """Positives among the k highest scores, over the whole, by the order of ties."""
    called = _called(table)
    most = float(called[-1]) if called.size else 0.0
    if not most:
        raise InputError("Measures at k need at least one case, but the scores are of 0 cases.")
    if not (k > 0 and at_most(k, most)):
        raise InputError(f"k must be above 0 and at most {most:,.6g} (the number of cases), but is {k!r}.")
    cut = int(np.searchsorted(called, k * (1 - ROUNDING)))
    positives, negatives = float(table.positives[cut]), float(table.negatives[cut])
    above = float(table.positives[:cut].sum())
    room = min(max(k - (float(called[cut]) - positives - negatives), 0.0), positives + negatives)
    hits = (
        above + room * positives / (positives + negatives),
        above + max(0.0, room - negatives),
        above + min(room, positives),
    )
    return TopReading(k, *(float(ratio(count, of)) for count in hits))


def probability_cost(prevalence: Any, cost_fp: Any, cost_fn: Any) -> Any:
    """Return the share of the positives in the cost of being always wrong, PC(+) = c_FN π / (c_FN π + c_FP (1 - π)).

    The x of a cost curve, in [0, 1]; NaN where nothing costs anything. Drummond & Holte 2006, Machine
    Learning 65:95.

    >>> print(probability_cost(0.1, cost_fp=1, cost_fn=5).round(4))
    0.3571
    """
    positive, negative = cost_fn * np.asarray(prevalence), cost_fp * (1 - np.asarray(prevalence))
    return ratio(positive, positive + negative)


@curve(
    "cost curve",
    name="cost",
    references=lambda table: (cost_trivial(),),
    look=CurveStyle(UNIT, y_from_zero=True),
)
def cost_curve(table: ScoreTable) -> Curve:
    """The normalised expected cost of the best threshold at each PC(+): the lower envelope of the lines.

    Straight between x = ΔFPR / (ΔFPR + ΔTPR) of neighbouring corners of the ROC hull. `threshold` is that of the
    stretch to the right of a point. The curve assumes the best threshold for every cost, found on these same cases. NaN
    where a class has no cases. Drummond & Holte 2006, Machine Learning 65:95.

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
    """Return the normalised expected cost of one threshold at each PC(+): the line from (0, FPR) to (1, FNR).

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
    """Return the normalised expected cost of the better of calling all and calling none positive: min(x, 1 - x)."""
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


def brier_curve(table: ScoreTable) -> Curve:
    """Cost 2 (c FP/n + (1 - c) FN/n) of the threshold c, where a false positive costs c, a false negative 1 - c.

    It is the cost of taking probabilities at their word: the area is the Brier score, and with the weight
    1 / (2 c (1 - c)) the log-loss. Exact: a jump at every score. Raises InputError unless the scores are probabilities;
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
    look=CurveStyle(UNIT, y_from_zero=True),
)
def brier_curves(table: ScoreTable) -> tuple[Curve, ...]:
    """The Brier curve, and where both classes occur the lower envelope of its lines."""
    as_they_are = brier_curve(table).of("the scores as they are")
    both_classes = table.n_positive and table.n_negative
    return (as_they_are, brier_envelope(table)) if both_classes else (as_they_are,)


def brier_envelope(table: ScoreTable) -> Curve:
    """Return the cost of `brier_curve` with the best threshold for each c, found on these same cases.

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
    """The cost of `brier_curve` for the better of calling all and calling none positive: 2 min(c (1 - π), (1 - c) π).

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
        raise InputError("The Brier curve needs probabilities, but some scores are outside [0, 1].")


Array = NDArray[Any]
THRESHOLDS = np.arange(100) / 100
"""Probabilities at which a decision curve is evaluated unless others are given."""


def net_benefit(tp: Any, fp: Any, n: Any, threshold: Any) -> Any:
    """True positives minus false positives at the exchange rate of the threshold: TP/n - FP/n · t / (1 - t).

    Arrays of one shape; `n` is the number of all cases, `threshold` in [0, 1). At most the prevalence,
    unbounded below; NaN without cases. Vickers & Elkin 2006, Medical Decision Making 26:565.

    >>> print(net_benefit(6, 1, 100, 0.1).round(4))
    0.0589
    """
    return benefit_of(tp, fp, n, threshold)


@curve(
    "decision curve",
    name="net_benefit",
    references=lambda table: (treat_all(table), treat_none()),
    needs="probabilities",
    thins=False,  # near the threshold 1, a false positive weighs as much as a hundred true ones
    look=CurveStyle(floor=0.25),
)
def decision_curve(
    table: ScoreTable, thresholds: ArrayLike = THRESHOLDS, *, prevalence: float | None = None
) -> Curve:
    """The net benefit of acting on the cases whose probability is at least t, against t.

    Compare with `treat_all` and `treat_none`, over the thresholds that make sense for the decision. If the cases were
    chosen by class, pass the `prevalence` of the population. Raises InputError unless the scores are probabilities and
    the thresholds in [0, 1); NaN without cases, or if only one class has cases under another prevalence. Vickers &
    Elkin 2006, Medical Decision Making 26:565.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> decision_curve(table, [0.25, 0.5]).y.round(4)
    array([0.4167, 0.25  ])
    """
    if not table.are_probabilities:
        raise InputError("Net benefit needs probabilities, but some scores are outside [0, 1].")
    t = _checked(thresholds)
    above = table.reached(t)
    tp, fp = (Running(cases).upto(above) for cases in (table.positives, table.negatives))
    return _curve(t, _benefit(table, tp, fp, t, prevalence))


def benefit_of_acting(tp: Any, fp: Any, n: Any, threshold: Array) -> Curve:
    """Return the net benefit of acting on TP and FP of n cases, at each threshold probability.

    >>> benefit_of_acting(6, 1, 100, np.array([0.1])).y.round(4)
    array([0.0589])
    """
    return _curve(threshold, np.asarray(net_benefit(tp, fp, float(n), threshold)))


def treat_all(
    table: ScoreTable, thresholds: ArrayLike = THRESHOLDS, *, prevalence: float | None = None
) -> Curve:
    """Return the net benefit of acting on every case: π - (1 - π) t / (1 - t).

    >>> treat_all(ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False])), [0.0, 0.5]).y
    array([0.5, 0. ])
    """
    t = _checked(thresholds)
    y = _benefit(table, table.n_positive, table.n_negative, t, prevalence)
    return replace(_curve(t, y), kind="reference", threshold=None, series="act on all")


def treat_none(thresholds: ArrayLike = THRESHOLDS) -> Curve:
    """Return the net benefit of acting on no case: 0.

    >>> treat_none([0.0, 0.5]).y
    array([0., 0.])
    """
    t = _checked(thresholds)
    return replace(_curve(t, np.zeros(t.size)), kind="reference", threshold=None, series="act on none")


def _benefit(table: ScoreTable, tp: Any, fp: Any, t: Array, prevalence: float | None) -> Array:
    n = float(table.n_positive + table.n_negative)
    if prevalence is None:
        return np.asarray(net_benefit(tp, fp, n, t))
    if not 0 <= prevalence <= 1:
        raise InputError(f"prevalence must be a number from 0 to 1, but is {prevalence!r}.")
    tpr, fpr = ratio(tp, float(table.n_positive)), ratio(fp, float(table.n_negative))
    return np.asarray(net_benefit(prevalence * tpr, (1 - prevalence) * fpr, 1.0, t))


def _checked(thresholds: ArrayLike) -> Array:
    t = np.atleast_1d(np.asarray(thresholds, np.float64))
    if not ((t >= 0) & (t < 1)).all():
        raise InputError("Thresholds of a decision curve must be at least 0 and below 1. Remove the others.")
    return t


def _curve(t: Array, y: Array) -> Curve:
    return Curve("net_benefit", "Decision curve", t, y, "threshold probability", "net benefit", threshold=t)
