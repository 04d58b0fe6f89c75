"""Curves of scores: calibration, ROC and its hull, error trade-off, precision–recall, risk–coverage; histograms."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import pairwise, starmap

import numpy as np

from classay.curves.curve import UNIT, Curve, CurveStyle, curve, thresholds_of
from classay.errors import InputError
from classay.measures.areas import hull, precision_gain, recall_gain
from classay.measures.probability_bins import Closed, ProbabilityBins, equal_mass_bins, equal_width_bins
from classay.measures.proper_parts import Isotonic, isotonic
from classay.measures.ranking import rates
from classay.measures.registry import ratio
from classay.measures.selective import confidences
from classay.measures.smoothed import calibration_smooth
from classay.tables import ScoreTable
from classay.tables.sums import ROUNDING, difference

TITLE = "Calibration curve"
X_TITLE, Y_TITLE = "probability", "share of positives"
BINS = 10
CHANGE = "its places change with the cases; the calibration curve has a band"


@curve(
    "calibration curve",
    needs="probabilities",
    thins=False,
    look=CurveStyle(UNIT, UNIT, square=True, diagonal="perfect calibration"),
)
def calibration(table: ScoreTable) -> Curve:
    """The isotonic fit of the truth on the probability: both ends of each block, straight between blocks.

    Points in [0, 1]², rising; on the diagonal when calibrated. No bins to choose, so two people draw the
    same picture (CORP). The distance from the diagonal is the miscalibration, but the fit strays from it by
    chance too: `inference.scores.calibration.likelihood_band` says how far. Raises InputError when the scores are
    no probabilities. Dimitriadis, Gneiting & Jordan 2021, PNAS 118(8):e2016191118.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> curve = calibration(table)
    >>> curve.x, curve.y
    (array([0.1, 0.6, 0.7, 0.9]), array([0. , 0.5, 0.5, 1. ]))
    """
    return isotonic_curve(fit_of(table))


def fit_of(table: ScoreTable) -> Isotonic:
    """Return the isotonic fit of a table of probabilities."""
    _check(table)
    return isotonic(table)


def isotonic_curve(fit: Isotonic) -> Curve:
    """Return the curve through both ends of each block of an isotonic fit."""
    x = np.stack([fit.lowest, fit.highest], -1)[::-1].ravel().astype(np.float64)
    y = np.repeat(fit.values[::-1], 2)
    new = np.concatenate([[True], (np.diff(x) > 0) | (np.diff(y) > 0)])  # a block of one score has one end
    return Curve("calibration", TITLE, x[new], y[new], X_TITLE, Y_TITLE)


@curve(
    "binned calibration curve",
    needs="probabilities",
    thins=False,
    look=CurveStyle(UNIT, UNIT, square=True, diagonal="perfect calibration"),
    no_band=CHANGE,
)
def binned_calibration(table: ScoreTable, bins: int = BINS, closed: Closed = "right") -> Curve:
    """Share of positives against mean probability in bins of equal width, empty bins left out.

    The picture depends on the bins and on which side they are closed: `calibration` does not. Raises
    InputError when the scores are no probabilities. DeGroot & Fienberg 1983, The Statistician 32:12.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> curve = binned_calibration(table, bins=2)
    >>> curve.x.round(4), curve.y.round(4)
    (array([0.1   , 0.7333]), array([0.    , 0.6667]))
    """
    _check(table)
    return curve_of(equal_width_bins(table, bins, closed))


@curve(
    "calibration curve in bins of equal mass",
    needs="probabilities",
    thins=False,
    look=CurveStyle(UNIT, UNIT, square=True, diagonal="perfect calibration"),
    no_band=CHANGE,
)
def equal_mass_calibration(table: ScoreTable, bins: int = BINS) -> Curve:
    """Share of positives against mean probability in bins of as nearly equal size as whole ties allow.

    Raises InputError when the scores are no probabilities.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> curve = equal_mass_calibration(table, bins=2)
    >>> curve.x.round(4), curve.y.round(4)
    (array([0.35, 0.8 ]), array([0.5, 0.5]))
    """
    _check(table)
    return curve_of(equal_mass_bins(table, bins))


@curve(
    "smooth calibration curve",
    needs="probabilities",
    thins=False,
    look=CurveStyle(UNIT, UNIT, square=True, diagonal="perfect calibration"),
)
def smooth_calibration(table: ScoreTable) -> Curve:
    """The local quadratic regression of the truth on the probability, from 0 to 1, at each group of scores.

    Its mean distance from the diagonal is the integrated calibration index. Raises InputError when the scores are no
    probabilities. Austin & Steyerberg 2019, Statistics in Medicine 38:4051.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> smooth_calibration(table).x
    array([0.1, 0.6, 0.7, 0.9])
    """
    _check(table)
    smooth = calibration_smooth(table)
    fitted = np.asarray(smooth.fitted)
    return Curve("smooth_calibration", "Smooth calibration curve", smooth.x, fitted, X_TITLE, Y_TITLE)


@curve("cumulative calibration curve", needs="probabilities", thins=False, look=CurveStyle(UNIT))
def cumulative_calibration(table: ScoreTable) -> Curve:
    """Positives minus expected positives among the cases with the lowest scores, as a share of all cases.

    Where it rises, more cases are positive than the probabilities say; if calibrated, it stays near 0. Its greatest
    distance from 0 is the cumulative calibration error. Raises InputError when the scores are no probabilities.
    Arrieta-Ibarra et al. 2022, JMLR 23(351).

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> cumulative_calibration(table).y.round(4)
    array([ 0.   , -0.025,  0.075, -0.1  , -0.075])
    """
    _check(table)
    positives, negatives = table.positives[::-1], table.negatives[::-1]
    cases = positives + negatives
    n = cases.sum()
    excess = np.cumsum(positives - cases * table.scores[::-1].astype(np.float64)) / n
    share = np.cumsum(cases) / n
    x, y = (np.concatenate([[0.0], steps]) for steps in (share, excess))
    title, y_title = "Cumulative calibration curve", "positives minus expected, share of the cases"
    return Curve("cumulative_calibration", title, x, y, "share of the cases, lowest scores first", y_title)


@curve(
    "calibration curve of the top label",
    name="top_label_calibration",
    needs="probabilities",
    thins=False,
    look=CurveStyle(UNIT, UNIT, square=True, diagonal="perfect calibration"),
)
def top_label_calibration(table: ScoreTable) -> Curve:
    """The calibration curve of `CaseTable.top`, which only several classes have."""
    return of_top_label(calibration(table))


def of_top_label(curve: Curve) -> Curve:
    """Return a calibration curve of `CaseTable.top`, under its own name and with axes that say what it is of.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.6, 0.5]), np.array([True, True, False]), ("wrong", "right"))
    >>> of_top_label(calibration(table)).y_title
    'share right'
    """
    return replace(
        curve,
        name="top_label_calibration",
        title=f"{TITLE} of the top label",
        x_title="highest probability of a case",
        y_title="share right",
    )


def curve_of(bins: ProbabilityBins) -> Curve:
    """Share of positives against mean probability in the bins that are not empty."""
    is_filled = bins.weight > 0
    return Curve("calibration", TITLE, bins.mean_score[is_filled], bins.observed[is_filled], X_TITLE, Y_TITLE)


def _check(table: ScoreTable) -> None:
    if not table.are_probabilities:
        raise InputError("A calibration curve needs probabilities, but some scores are outside [0, 1].")


@curve("ROC curve", look=CurveStyle(UNIT, UNIT, square=True, diagonal="no skill"))
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
    """Return the corners of the upper convex hull of the ROC curve: the ROC curve of isotonically calibrated scores.

    A line of slope (cost of a false positive · N) / (cost of a false negative · P) touches it at the threshold that is
    cheapest on these cases, so the area under the hull is too optimistic for new cases. NaN rates where a class has no
    cases. Fawcett & Niculescu-Mizil 2007, Machine Learning 68:97.

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


@curve("DET curve", look=CurveStyle(square=True))
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


BINS_OF_HISTOGRAMS = 40


@curve(
    "histogram of the scores",
    name="histogram",
    needs="scores",
    thins=False,
    look=CurveStyle(y_from_zero=True),
    no_band="use those of the ROC curve",
)
def score_histograms(table: ScoreTable, bins: int = BINS_OF_HISTOGRAMS) -> tuple[Curve, Curve]:
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
    # each edge rounded once; the whole reach may be beyond floating-point numbers
    half = high / 2 - low / 2
    edges = 2 * (low / 2 + half * (np.arange(bins) / bins))
    # a score on an edge, but for rounding, is of the bar above
    least = (edges - 2 * ROUNDING * half).astype(ascending.dtype)
    starts = [max(first, bisect_left(ascending, edge)) for edge in least]
    curves = []
    for series, weight in ((table.labels[1], table.positives), (table.labels[0], table.negatives)):
        by_score = weight[::-1]
        counts = np.array([by_score[at].sum() for at in starmap(slice, pairwise([*starts, last]))])
        total = float(weight.sum())
        curves.append(
            Curve(
                "histogram",
                "Scores by class",
                edges,
                counts / total if total else counts.astype(float),
                "score",
                "share of the class",
                kind="bars",
                width=2 * (half / bins),
                series=str(series),
            )
        )
    return curves[0], curves[1]


@curve(
    "precision–recall curve",
    references=lambda table: (precision_recall_baseline(table),),
    look=CurveStyle(UNIT, UNIT, square=True),
)
def precision_recall(table: ScoreTable) -> Curve:
    """Precision TP / (TP + FP) against recall TP / P at every distinct threshold, in steps.

    The area of the steps is average precision: each precision holds back to the recall before it, because the cases at
    its threshold lie there. No point (0, 1) is made up, and no straight lines are drawn, which would be too optimistic
    (Davis & Goadrich 2006, ICML 233). Precision is NaN where nothing is predicted positive, recall where no case is
    positive.

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
    """Return the precision of calling cases positive at random: the prevalence, at any recall. NaN without cases.

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
    look=CurveStyle(UNIT, UNIT, square=True),
)
def precision_recall_gain(table: ScoreTable) -> Curve:
    """Precision gain 1 - P/N · FP/TP against recall gain 1 - P/N · FN/TP, from 0 on; the area is AUPRG.

    Both are 0 for calling everything positive and 1 at best, and straight lines between points are right. The curve
    starts where it crosses recall gain 0, between thresholds (its `threshold` is NaN there). Empty where a class has no
    cases. Flach & Kull 2015, NeurIPS 28.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> curve = precision_recall_gain(table)
    >>> curve.x, curve.y
    (array([0., 0., 1., 1.]), array([1. , 0. , 0.5, 0. ]))
    """
    p, n = float(table.n_positive), float(table.n_negative)
    least = p * p / (p + n) if p and n else np.inf
    tp, fp = (np.concatenate([[0.0], np.cumsum(weights)]) for weights in (table.positives, table.negatives))
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
    """Return the precision gain of calling everything, or cases at random, positive: 0."""
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


@curve("risk–coverage curve", needs="probabilities", look=CurveStyle(UNIT, y_from_zero=True))
def risk_coverage(table: ScoreTable) -> Curve:
    """The error rate on the cases of at least each distinct confidence max(p, 1 - p), against their share.

    Positive is predicted from p = 0.5; `threshold` is the confidence. The curve shows what a classifier gains by
    declining cases; its mean over coverages is the area under it (AURC), ties averaged. Raises InputError unless the
    scores are probabilities; NaN without cases. El-Yaniv & Wiener 2010, Journal of Machine Learning Research 11:1605.

    >>> rows = np.array([0.9, 0.6, 0.2, 0.1]), np.array([True, False, False, False])
    >>> curve = risk_coverage(ScoreTable.from_rows(*rows))
    >>> curve.x, curve.y.round(2), curve.threshold
    (array([0.5 , 0.75, 1.  ]), array([0.  , 0.  , 0.25]), array([0.9, 0.8, 0.6]))
    """
    if not table.are_probabilities:
        raise InputError("The risk–coverage curve needs probabilities, but some scores are outside [0, 1].")
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
