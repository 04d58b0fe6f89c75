"""Curves of a ranking: ROC and its hull, detection error trade-off, precision–recall, risk–coverage; histograms."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise, starmap

import numpy as np

from classay.curves.curve import UNIT, Curve, Look, curve, thresholds_of
from classay.errors import InputError
from classay.measures.areas import hull, precision_gain, recall_gain
from classay.measures.ranking import rates
from classay.measures.registry import ratio
from classay.measures.selective import confidences
from classay.tables import ScoreTable
from classay.tables.sums import difference


@curve("ROC curve", look=Look(UNIT, UNIT, square=True, diagonal="no skill"))
def roc(table: ScoreTable) -> Curve:
    """True against false positive rate at every distinct threshold, from (0, 0) to (1, 1).

    NaN rates where a class has no cases. Fawcett 2006, Pattern Recognition Letters 27:861.

    >>> curve = roc(ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False])))
    >>> curve.x, curve.y
    (array([0., 0., 0., 1.]), array([0. , 0.5, 1. , 1. ]))
    """
    fpr, tpr = rates(table)
    return Curve(
        "roc",
        "ROC curve",
        np.concatenate([[0.0], fpr]),
        np.concatenate([[0.0], tpr]),
        "false positive rate",
        "true positive rate",
        threshold=np.concatenate([[np.inf], table.thresholds.astype(np.float64)]),
    )


def convex_hull(table: ScoreTable) -> Curve:
    """The corners of the upper convex hull of the ROC curve: the ROC curve of isotonically calibrated scores.

    A line of slope (cost of a false positive · N) / (cost of a false negative · P) touches it at the
    threshold that is cheapest on these cases, so the area under it is too good on new ones. NaN rates where a
    class has no cases. Fawcett & Niculescu-Mizil 2007, Machine Learning 68:97.

    >>> rows = np.array([0.9, 0.8, 0.4, 0.3, 0.1]), np.array([True, False, True, False, False])
    >>> curve = convex_hull(ScoreTable.from_rows(*rows))
    >>> curve.x.round(2), curve.y, curve.threshold
    (array([0.  , 0.  , 0.33, 1.  ]), array([0. , 0.5, 1. , 1. ]), array([inf, 0.9, 0.4, 0.1]))
    """
    corners = hull(table)
    return Curve(
        "roc",
        "ROC curve",
        ratio(corners.fp, table.n_negative),
        ratio(corners.tp, table.n_positive),
        "false positive rate",
        "true positive rate",
        threshold=thresholds_of(table, corners.point),
        series="convex hull",
    )


@curve("DET curve", look=Look(square=True))
def det(table: ScoreTable) -> Curve:
    """False negative against false positive rate at every distinct threshold, for axes of normal quantiles.

    On these axes normally distributed scores give a straight line, and good classifiers are told apart. NaN
    rates where a class has no cases. Martin, Doddington, Kamm, Ordowski & Przybocki 1997, Eurospeech 1895.

    >>> curve = det(ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False])))
    >>> curve.x, curve.y, curve.x_scale
    (array([0., 0., 0., 1.]), array([1. , 0.5, 0. , 0. ]), 'normal')
    """
    fp, fn = np.cumsum(table.negatives), difference(table.n_positive, np.cumsum(table.positives))
    return Curve(
        "det",
        "Detection error trade-off",
        np.concatenate([[0.0], ratio(fp, table.n_negative)]),
        np.concatenate([[1.0], ratio(fn, table.n_positive)]),
        "false positive rate",
        "false negative rate",
        threshold=np.concatenate([[np.inf], table.thresholds.astype(np.float64)]),
        x_scale="normal",
        y_scale="normal",
    )


BINS = 40


@curve(
    "histogram of the scores",
    name="histogram",
    needs="scores",
    thins=False,
    look=Look(y_from_zero=True),
    no_band="use those of the ROC curve",
)
def score_histograms(table: ScoreTable, bins: int = BINS) -> tuple[Curve, Curve]:
    """The share of the positive and of the negative cases in equal bins of the finite scores, to look at.

    Scores in [0, 1] are binned over [0, 1], others from the least to the greatest finite score.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False]))
    >>> positive, negative = score_histograms(table, bins=2)
    >>> positive.y, negative.y
    (array([0.5, 0.5]), array([1., 0.]))
    """
    ascending = table.scores[::-1]
    first, last = bisect_right(ascending, -np.inf), bisect_left(ascending, np.inf)
    low, high = 0.0, 1.0
    if not table.are_probabilities and first < last:
        low, high = (float(ascending[at]) for at in (first, last - 1))
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = 2 * np.linspace(
        low / 2, high / 2, bins + 1
    )  # the whole reach may be beyond floating-point numbers
    starts = [max(first, bisect_left(ascending, edge)) for edge in edges[:-1]]
    made = []
    for series, weight in ((table.labels[1], table.positives), (table.labels[0], table.negatives)):
        by_score = weight[::-1]
        counts = np.array([by_score[at].sum() for at in starmap(slice, pairwise([*starts, last]))])
        total = float(weight.sum())
        made.append(
            Curve(
                "histogram",
                "Scores by class",
                edges[:-1],
                counts / total if total else counts.astype(float),
                "score",
                "share of the class",
                kind="bars",
                width=float(edges[1] - edges[0]),
                series=str(series),
            )
        )
    return made[0], made[1]


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


@curve("risk–coverage curve", needs="probabilities", look=Look(UNIT, y_from_zero=True))
def risk_coverage(table: ScoreTable) -> Curve:
    """The error rate on the cases of at least each distinct confidence max(p, 1 - p), against their share.

    Positive is predicted from p = 0.5; `threshold` is the confidence. What a classifier that may decline
    gains by it; the mean over coverages is the area under the curve (AURC), ties averaged. Raises InputError
    unless the scores are probabilities; NaN without cases. El-Yaniv & Wiener 2010, Journal of Machine
    Learning Research 11:1605.

    >>> rows = np.array([0.9, 0.6, 0.2, 0.1]), np.array([True, False, False, False])
    >>> curve = risk_coverage(ScoreTable.from_rows(*rows))
    >>> curve.x, curve.y.round(2), curve.threshold
    (array([0.5 , 0.75, 1.  ]), array([0.  , 0.  , 0.25]), array([0.9, 0.8, 0.6]))
    """
    if not table.are_probabilities:
        raise InputError("the risk–coverage curve needs probabilities: the scores are not all in [0, 1].")
    confidence, cases, errors, _ = confidences(table)
    covered = np.cumsum(cases)
    return Curve(
        "risk_coverage",
        "Risk–coverage curve",
        ratio(covered, covered[-1:]),
        ratio(np.cumsum(errors), covered),
        "coverage: share of cases decided",
        "risk: error rate on them",
        threshold=confidence,
    )
