"""Reading a score table at a wanted rate: the rate on the other axis, and the threshold that gives it.

A score table has few attainable pairs of rates, so a reading is the best attainable one by default ("step");
the straight line between two of them ("linear") is attained only by choosing between two thresholds at
random. All take leading axes, and choose the threshold anew along them.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from classay.errors import InputError, check_word
from classay.measures.ranking import rates
from classay.measures.registry import ratio
from classay.tables import ScoreTable
from classay.tables.running import at_least, at_most

Interpolation = Literal["step", "linear"]


class Reading(NamedTuple):
    """A rate and the threshold that attains it: +inf if nothing may be predicted positive, NaN if none does.

    Both are of the table's leading shape. A value is NaN where it is undefined or cannot be attained.
    """

    value: Any
    threshold: Any


def complement_of(share: float) -> float:
    """1 - share as one writes it.

    >>> complement_of(0.9), 1 - 0.9
    (0.1, 0.09999999999999998)
    """
    from fractions import Fraction

    return float(1 - Fraction(repr(float(share))))


def tpr_at(scores: ScoreTable, fpr: float, interpolation: Interpolation = "step") -> Reading:
    """The greatest true positive rate with a false positive rate of at most `fpr`: max TPR with FPR <= f.

    Of the thresholds that attain it, the one with the fewest false positives. "linear" reads the line between
    the ROC points, and has no threshold. NaN where a class has no cases. Statistics of ROC curves: Fawcett
    2006, Pattern Recognition Letters 27:861.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.4, 0.1]), np.array([True, False, True, False]))
    >>> reading = tpr_at(table, fpr=0.5)
    >>> print(reading.value, reading.threshold)
    1.0 0.4
    """
    _check_share("fpr", fpr)
    check_word("interpolation", interpolation, get_args(Interpolation))
    x, y = _roc_points(scores)
    if interpolation == "linear":
        last = np.maximum(at_most(x, fpr).sum(-1) - 1, 0)
        return Reading(_between(x, y, last, fpr), np.full(last.shape, np.nan)[()])
    allowed = np.where(at_most(x, fpr), y, -1.0)
    return _reading(scores, y, allowed.argmax(-1))


def fpr_at(scores: ScoreTable, tpr: float, interpolation: Interpolation = "step") -> Reading:
    """The least false positive rate with a true positive rate of at least `tpr`: min FPR with TPR >= t.

    Of the thresholds that attain it, the one with the most true positives. "linear" reads the line between
    the ROC points, and has no threshold. NaN where a class has no cases.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.4, 0.1]), np.array([True, False, True, False]))
    >>> reading = fpr_at(table, tpr=0.6)
    >>> print(reading.value, reading.threshold)
    0.5 0.4
    """
    _check_share("tpr", tpr)
    check_word("interpolation", interpolation, get_args(Interpolation))
    x, y = _roc_points(scores)
    if interpolation == "linear":
        below = (~at_least(y, tpr)).sum(-1)
        found = np.where(below == 0, x[..., 0], _between(y, x, np.maximum(below - 1, 0), tpr))
        return Reading(found[()], np.full(below.shape, np.nan)[()])
    first = np.minimum((~at_least(y, tpr)).sum(-1), x.shape[-1] - 1)
    least = np.take_along_axis(x, np.expand_dims(first, -1), -1)
    return _reading(scores, x, np.maximum((x <= least).sum(-1) - 1, 0))


def precision_at(scores: ScoreTable, recall: float) -> Reading:
    """The greatest precision with a recall of at least `recall`: max TP / (TP + FP) with TPR >= r.

    Of the thresholds that attain it, the one with the greatest recall. NaN where no case is positive. There
    is no line to read: precision is not linear between thresholds (Davis & Goadrich 2006, ICML 233).

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.4, 0.1]), np.array([True, False, True, False]))
    >>> reading = precision_at(table, recall=0.8)
    >>> print(reading.value.round(4), reading.threshold)
    0.6667 0.4
    """
    _check_share("recall", recall)
    tp, fp = (_from_zero(np.cumsum(each, -1)) for each in (scores.positives, scores.negatives))
    precision = ratio(1.0 * tp, tp + fp)
    enough = at_least(ratio(tp, tp[..., -1:]), recall)
    allowed = np.where(enough, np.nan_to_num(precision, nan=-1.0), -1.0)
    best = _last(at_least(allowed, allowed.max(-1, keepdims=True)) & enough)
    return _reading(scores, np.where(tp[..., -1:] > 0, precision, np.nan), best)


def threshold_for(scores: ScoreTable, *, fpr: float | None = None, tpr: float | None = None) -> Reading:
    """The threshold with a false positive rate of at most `fpr`, or a true positive rate of at least `tpr`.

    The best such threshold for the other rate, which is the value of the reading: `tpr_at` or `fpr_at`. It is
    chosen on these cases; on new ones the rate will be another. Raises InputError unless exactly one rate is
    given.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.4, 0.1]), np.array([True, False, True, False]))
    >>> print(threshold_for(table, fpr=0.1).threshold, threshold_for(table, tpr=1.0).threshold)
    0.9 0.4
    """
    if fpr is not None and tpr is None:
        return tpr_at(scores, fpr)
    if tpr is not None and fpr is None:
        return fpr_at(scores, tpr)
    raise InputError(f"threshold_for got fpr={fpr!r} and tpr={tpr!r}: give one of the two.")


def _check_share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise InputError(f"{name} is {value!r}: give a rate from 0 to 1.")


def _last(met: Any) -> Any:
    """The last place along the last axis where something is met."""
    return met.shape[-1] - 1 - met[..., ::-1].argmax(-1)


def _from_zero(values: Any) -> Any:
    return np.concatenate([np.zeros_like(values[..., :1]), values], -1)


def _roc_points(scores: ScoreTable) -> tuple[Any, Any]:
    """False and true positive rates from (0, 0) on, all NaN where either class has no cases."""
    fpr, tpr = (_from_zero(each) for each in rates(scores))
    missing = np.isnan(fpr[..., -1:] + tpr[..., -1:])
    return np.where(missing, np.nan, fpr), np.where(missing, np.nan, tpr)


def _reading(scores: ScoreTable, values: Any, at: Any) -> Reading:
    thresholds = np.concatenate([[np.inf], scores.thresholds.astype(np.float64)])
    value = np.take_along_axis(values, np.expand_dims(at, -1), -1)[..., 0]
    return Reading(value[()], np.where(np.isnan(value), np.nan, thresholds[at])[()])


def _between(x: Any, y: Any, last: Any, at: float) -> Any:
    """y at `at`, on the line from the point `last`, the last one not beyond it, to the next."""
    after = np.minimum(last + 1, x.shape[-1] - 1)
    (x0, x1), (y0, y1) = (
        [np.take_along_axis(each, np.expand_dims(i, -1), -1)[..., 0] for i in (last, after)]
        for each in (x, y)
    )
    share = np.where(x1 > x0, ratio(at - x0, x1 - x0), 0.0)
    return (y0 + share * (y1 - y0))[()]
