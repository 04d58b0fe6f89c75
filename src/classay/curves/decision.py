"""Decision curves: the net benefit of acting on a score, by the probability at which one would act."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.curves.curve import Curve
from classay.curves.registry import Look, curve
from classay.errors import InputError
from classay.measures.registry import ratio
from classay.tables import ScoreTable
from classay.tables.running import Running

Array = NDArray[Any]
THRESHOLDS = np.arange(100) / 100
"""Probabilities at which a decision curve is evaluated unless others are given."""


def net_benefit(tp: Any, fp: Any, n: Any, threshold: Any) -> Any:
    """True positives less false positives at the exchange rate of the threshold: TP/n - FP/n · t / (1 - t).

    Arrays of one shape; `n` is the number of all cases, `threshold` in [0, 1). At most the prevalence,
    unbounded below; NaN without cases. Vickers & Elkin 2006, Medical Decision Making 26:565.

    >>> print(net_benefit(6, 1, 100, 0.1).round(4))
    0.0589
    """
    return ratio(tp - fp * (threshold / (1 - np.asarray(threshold))), n)


@curve(
    "decision curve",
    name="net_benefit",
    references=lambda table: (treat_all(table), treat_none()),
    needs="probabilities",
    thins=False,  # near the threshold 1, a false positive weighs as much as a hundred true ones
    look=Look(floor=0.25),
)
def decision_curve(
    table: ScoreTable, thresholds: ArrayLike = THRESHOLDS, *, prevalence: float | None = None
) -> Curve:
    """The net benefit of acting on the cases whose probability is at least t, against t.

    Compare with `treat_all` and `treat_none`, over the thresholds that make sense for the decision.
    `prevalence` is that of the population where the cases were chosen by class. Raises InputError unless the
    scores are probabilities and the thresholds in [0, 1); NaN without cases, or of one class under another
    prevalence. Vickers & Elkin 2006, Medical Decision Making 26:565.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> decision_curve(table, [0.25, 0.5]).y.round(4)
    array([0.4167, 0.25  ])
    """
    if not table.are_probabilities:
        raise InputError("net benefit needs probabilities: the scores are not all in [0, 1].")
    t = _checked(thresholds)
    above = table.reached(t)
    tp, fp = (Running(each).upto(above) for each in (table.positives, table.negatives))
    return _curve(t, _benefit(table, tp, fp, t, prevalence))


def benefit_of_acting(tp: Any, fp: Any, n: Any, threshold: Array) -> Curve:
    """The net benefit of acting on TP and FP of n cases, at each threshold probability.

    >>> benefit_of_acting(6, 1, 100, np.array([0.1])).y.round(4)
    array([0.0589])
    """
    return _curve(threshold, np.asarray(net_benefit(tp, fp, float(n), threshold)))


def treat_all(
    table: ScoreTable, thresholds: ArrayLike = THRESHOLDS, *, prevalence: float | None = None
) -> Curve:
    """The net benefit of acting on every case: π - (1 - π) t / (1 - t).

    >>> treat_all(ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False])), [0.0, 0.5]).y
    array([0.5, 0. ])
    """
    t = _checked(thresholds)
    y = _benefit(table, table.n_positive, table.n_negative, t, prevalence)
    return replace(_curve(t, y), kind="reference", threshold=None, series="act on all")


def treat_none(thresholds: ArrayLike = THRESHOLDS) -> Curve:
    """The net benefit of acting on no case: 0.

    >>> treat_none([0.0, 0.5]).y
    array([0., 0.])
    """
    t = _checked(thresholds)
    return replace(_curve(t, np.zeros(t.size)), kind="reference", threshold=None, series="act on none")


def standardized(curve: Curve, prevalence: float) -> Curve:
    """A decision curve over the prevalence, so that 1 is the most that any classifier can reach.

    Kerr, Brown, Zhu & Janes 2016, Journal of Clinical Oncology 34:2534.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False]))
    >>> standardized(decision_curve(table, [0.5]), prevalence=0.5).y
    array([1.])
    """
    low, high = (None if side is None else ratio(side, prevalence) for side in (curve.low, curve.high))
    y = ratio(curve.y, prevalence)
    return replace(curve, y=y, low=low, high=high, y_title="standardized net benefit")


def _benefit(table: ScoreTable, tp: Any, fp: Any, t: Array, prevalence: float | None) -> Array:
    n = float(table.n_positive + table.n_negative)
    if prevalence is None:
        return np.asarray(net_benefit(tp, fp, n, t))
    if not 0 <= prevalence <= 1:
        raise InputError(f"prevalence is {prevalence!r}: pass a share from 0 to 1.")
    tpr, fpr = ratio(tp, float(table.n_positive)), ratio(fp, float(table.n_negative))
    return np.asarray(net_benefit(prevalence * tpr, (1 - prevalence) * fpr, 1.0, t))


def _checked(thresholds: ArrayLike) -> Array:
    t = np.atleast_1d(np.asarray(thresholds, np.float64))
    if not ((t >= 0) & (t < 1)).all():
        raise InputError("a decision curve has thresholds from 0 to below 1: leave the others out.")
    return t


def _curve(t: Array, y: Array) -> Curve:
    return Curve("net_benefit", "Decision curve", t, y, "threshold probability", "net benefit", threshold=t)
