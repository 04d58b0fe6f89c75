"""Measures of the precision-recall curve and of its gains; arrays may have leading axes."""

from typing import Any

import numpy as np

from classay.compiled import kernel
from classay.measures.conditions import NO_POSITIVE_SCORES
from classay.measures.ranking import BOTH_CLASSES
from classay.measures.registry import measure, ratio
from classay.tables import ScoreTable
from classay.tables.running import total


def _greatest_f1(positives: Any, negatives: Any) -> Any:
    tp, fp = np.cumsum(positives, -1), np.cumsum(negatives, -1)
    return ratio(2.0 * tp, tp + fp + tp[..., -1:]).max(-1)


@kernel(twin=_greatest_f1)
def greatest_f1(positives: Any, negatives: Any) -> Any:
    """Greatest 2 TP / (TP + FP + P) over all thresholds."""
    p = 0.0
    for i in range(positives.shape[0]):
        p += positives[i]
    tp = fp = 0.0
    best = 0.0
    for i in range(positives.shape[0]):
        tp += positives[i]
        fp += negatives[i]
        best = max(best, 2 * tp / (tp + fp + p))
    return best


@measure(
    "Greatest F1",
    formula="max over thresholds of 2 TP / (2 TP + FP + FN)",
    bounds=(0, 1),
    best=1,
    reference="vanrijsbergen1979",
    undefined=(NO_POSITIVE_SCORES,),
    aliases=("f1_max", "best_f1"),
)
def max_f1(scores: ScoreTable) -> Any:
    """F1 at the threshold that is best on these same cases, and so too good on new ones.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> print(max_f1(table))
    0.8
    """
    if not scores.scores.size:
        return np.full(scores.positives.shape[:-1], np.nan)[()]
    if scores.positives.ndim > 1 or not scores.n_positive:
        return np.where(scores.n_positive > 0, _greatest_f1(scores.positives, scores.negatives), np.nan)[()]
    return np.float64(greatest_f1(scores.positives, scores.negatives))


def _gain_area(positives: Any, negatives: Any) -> Any:
    p, n = (1.0 * np.expand_dims(total(each), -1) for each in (positives, negatives))
    tp, fp = np.cumsum(positives, -1), np.cumsum(negatives, -1)
    tp0, fp0 = tp - positives, fp - negatives
    least = p * ratio(p, p + n)
    start = np.clip(tp0, least, None)
    fp_start = fp0 + ratio(start - tp0, positives) * negatives
    wins = np.where(tp > start, precision_gain(start, fp_start, p, n) + precision_gain(tp, fp, p, n), 0.0)
    run = np.where(tp > start, recall_gain(tp, p, n) - recall_gain(start, p, n), 0.0)
    return (wins * run).sum(-1) / 2


def recall_gain(tp: Any, p: Any, n: Any) -> Any:
    """1 - P/N · FN/TP: 0 where recall is the prevalence, 1 where it is 1."""
    return 1 - ratio(p * (p - tp), n * tp)


def precision_gain(tp: Any, fp: Any, p: Any, n: Any) -> Any:
    """1 - P/N · FP/TP: 0 where precision is the prevalence, 1 where it is 1."""
    return 1 - ratio(p * fp, n * tp)


@kernel(twin=_gain_area)
def gain_area(positives: Any, negatives: Any) -> Any:
    """Area under the precision-recall-gain curve from recall gain 0, straight between thresholds."""
    p = n = 0.0
    for i in range(positives.shape[0]):
        p += positives[i]
        n += negatives[i]
    odds = p / n
    least = p * (p / (p + n))
    tp = fp = 0.0
    area = 0.0
    for i in range(positives.shape[0]):
        tp0, fp0 = tp, fp
        tp += positives[i]
        fp += negatives[i]
        if tp <= least or positives[i] == 0:
            continue
        if tp0 < least:
            fp0 += (least - tp0) / positives[i] * negatives[i]
            tp0 = least
        run = odds * ((p - tp0) / tp0 - (p - tp) / tp)
        area += run * (2 - odds * (fp0 / tp0 + fp / tp)) / 2
    return area


@measure(
    "Area under the precision-recall-gain curve",
    formula="area for recall gain in [0, 1]; gain of x = (x - π) / ((1 - π) x)",
    bounds=(-float("inf"), 1),
    best=1,
    reference="flach2015",
    undefined=BOTH_CLASSES,
    aliases=("auprg", "prg_auc"),
)
def area_under_prg(scores: ScoreTable) -> Any:
    """Area under precision gain against recall gain, in straight lines, which are right here; 0 is no skill.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> print(area_under_prg(table))
    0.25
    """
    one_class = (scores.n_positive == 0) | (scores.n_negative == 0)
    if scores.positives.ndim > 1 or one_class:
        return np.where(one_class, np.nan, _gain_area(scores.positives, scores.negatives))[()]
    return np.float64(gain_area(scores.positives, scores.negatives))


def interpolated_pr_area(scores: ScoreTable) -> Any:
    """Area under the precision-recall curve with FP, not precision, in straight lines between thresholds.

    Between two thresholds FP is linear in TP: FP = h TP + c, so precision is TP / ((1 + h) TP + c), which is
    integrated over TP / P exactly. NaN where no case is positive. Davis & Goadrich 2006, ICML 233; Keilwagen,
    Grosse & Grau 2014, PLoS ONE 9:e92209.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> print(interpolated_pr_area(table).round(4))
    0.8873
    """
    positives, negatives = scores.positives, scores.negatives
    tp, fp = np.cumsum(positives, -1), np.cumsum(negatives, -1)
    called = tp - positives + fp - negatives  # predicted positive before each threshold
    a = 1 + ratio(negatives, positives)
    offset = called - a * (tp - positives)
    # from nothing on, precision is constant: the logarithm's factor is zero
    grown = np.log1p(ratio(a * positives, called))
    areas = positives / a - np.where(called > 0, offset / a**2 * grown, 0.0)
    return ratio(np.where(positives > 0, areas, 0.0).sum(-1), scores.n_positive)
