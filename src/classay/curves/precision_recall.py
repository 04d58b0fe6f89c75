"""Precision–recall curves, and the same on the scale of gains over the baseline."""

from __future__ import annotations

import numpy as np

from classay.curves.curve import Curve
from classay.curves.registry import UNIT, Look, curve
from classay.measures.precision_recall import precision_gain, recall_gain
from classay.measures.registry import ratio
from classay.tables import ScoreTable


@curve(
    "precision–recall curve",
    references=lambda table: (precision_recall_baseline(table),),
    look=Look(UNIT, UNIT, square=True),
)
def precision_recall(table: ScoreTable) -> Curve:
    """Precision TP / (TP + FP) against recall TP / P at every distinct threshold, in steps.

    The area of the steps is average precision: each precision holds back to the recall before it, for that is
    where the cases at its threshold lie. No point (0, 1) is made up, and no straight lines drawn: they are
    too good (Davis & Goadrich 2006, ICML 233). Precision is NaN where nothing is predicted positive, recall
    where no case is positive.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, False, True]))
    >>> curve = precision_recall(table)
    >>> curve.x, curve.y.round(2)
    (array([0.5, 0.5, 1. ]), array([1.  , 0.5 , 0.67]))
    """
    tp, fp = np.cumsum(table.positives), np.cumsum(table.negatives)
    return Curve(
        "precision_recall",
        "Precision–recall curve",
        ratio(tp, table.n_positive),
        ratio(tp, tp + fp),
        "recall",
        "precision",
        kind="steps_back",
        threshold=table.thresholds.astype(np.float64),
    )


def precision_recall_baseline(table: ScoreTable) -> Curve:
    """The precision of calling cases positive at random: the prevalence, at any recall. NaN without cases.

    >>> precision_recall_baseline(ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False]))).y
    array([0.5, 0.5])
    """
    share = float(ratio(table.n_positive, table.n_positive + table.n_negative))
    return Curve(
        "precision_recall",
        "Precision–recall curve",
        np.array([0.0, 1.0]),
        np.array([share, share]),
        "recall",
        "precision",
        kind="reference",
        series=f"prevalence {share:.3g}",
    )


@curve(
    "precision–recall–gain curve",
    references=lambda table: (precision_recall_gain_baseline(),),
    look=Look(UNIT, UNIT, square=True),
)
def precision_recall_gain(table: ScoreTable) -> Curve:
    """Precision gain 1 - P/N · FP/TP against recall gain 1 - P/N · FN/TP, from 0 on; the area is AUPRG.

    Both are 0 for calling everything positive and 1 at best, and straight lines between points are right. It
    starts where it crosses recall gain 0, between thresholds (NaN there). Empty where a class has no cases.
    Flach & Kull 2015, NeurIPS 28.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> curve = precision_recall_gain(table)
    >>> curve.x, curve.y
    (array([0., 0., 1., 1.]), array([1. , 0. , 0.5, 0. ]))
    """
    p, n = float(table.n_positive), float(table.n_negative)
    least = p * p / (p + n) if p and n else np.inf
    tp, fp = (np.concatenate([[0.0], np.cumsum(each)]) for each in (table.positives, table.negatives))
    start = int(np.searchsorted(tp, least))
    threshold, points = table.thresholds[max(start - 1, 0) :].astype(np.float64), slice(start, None)
    tp_shown, fp_shown = tp[points], fp[points]
    if 0 < start < tp.size and tp[start] > least:
        share = (least - tp[start - 1]) / (tp[start] - tp[start - 1])
        fp_shown = np.concatenate([[fp[start - 1] + share * (fp[start] - fp[start - 1])], fp_shown])
        tp_shown, threshold = np.concatenate([[least], tp_shown]), np.concatenate([[np.nan], threshold])
    return Curve(
        "precision_recall_gain",
        "Precision–recall–gain curve",
        np.clip(recall_gain(tp_shown, p, n), 0.0, 1.0),
        precision_gain(tp_shown, fp_shown, p, n),
        "recall gain",
        "precision gain",
        threshold=threshold[: tp_shown.size],
    )


def precision_recall_gain_baseline() -> Curve:
    """The precision gain of calling everything, or cases at random, positive: 0."""
    return Curve(
        "precision_recall_gain",
        "Precision–recall–gain curve",
        np.array([0.0, 1.0]),
        np.zeros(2),
        "recall gain",
        "precision gain",
        kind="reference",
        series="no skill",
    )
