"""Measures of how well a score ranks cases, and readings of it at a wanted rate; arrays may have leading axes.

Reading a score table at a wanted rate: the rate on the other axis, and the threshold that gives it.

A score table has few attainable pairs of rates, so a reading is the best attainable one by default ("step");
the straight line between two of them ("linear") is attained only by choosing between two thresholds at
random. All take leading axes, and choose a threshold for each place along them.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.errors import InputError, check_word
from classay.measures.class_pairs import ranked_pairs
from classay.measures.registry import Influence, measure, ratio
from classay.measures.vocabulary import (
    CLASS_WITHOUT_CASES,
    NO_NEGATIVE_SCORES,
    NO_POSITIVE_SCORES,
    ONE_CLASS_SEEN,
    Condition,
)
from classay.once import memoize
from classay.tables import ClassScoreTable, ScoreTable
from classay.tables.bins import BinnedClassScoreTable
from classay.tables.sums import EXACT, at_least, at_most, equal_cases, total

LARGEST_WHOLE = 2.0**62
"""Twice the pairs of cases from which they are counted in floats, because whole numbers would overflow."""
MAX_FPR = 0.1
"""The range of false positive rates, from 0, of the registered partial areas."""

BOTH_CLASSES = (NO_POSITIVE_SCORES, NO_NEGATIVE_SCORES)


def negative_cases(scores: ScoreTable) -> Any:
    """Number of negative cases; of weighted ones the effective number, (sum w)² / sum w², which has no scale."""
    if scores.negative_squares is None:
        return scores.n_negative
    return equal_cases(scores.n_negative, scores.negative_squares.sum(-1))


TOO_FEW_NEGATIVES = Condition(
    f"FPR up to {MAX_FPR:g} is less than one false positive for fewer than {1 / MAX_FPR:g} negative cases",
    f"FPR up to {MAX_FPR:g} is less than one false positive for fewer than {1 / MAX_FPR:g} negative cases",
    lambda scores: negative_cases(scores) * MAX_FPR < 1,
)


def _concordance(positives: Any, negatives: Any) -> tuple[Any, Any, Any]:
    above = np.cumsum(positives, -1)
    return (negatives * (2 * above - positives)).sum(-1), positives.sum(-1), negatives.sum(-1)


@kernel(twin=_concordance)
def concordance(positives: Any, negatives: Any) -> tuple[Any, Any, Any]:
    """Twice the pairs where the positive outranks the negative, ties counting once; and the classes' totals.

    Exact for whole numbers.
    """
    above = positives[0] - positives[0]
    total = above
    below = above
    for i in range(positives.shape[0]):
        total += negatives[i] * (2 * above + positives[i])
        above += positives[i]
        below += negatives[i]
    return total, above, below


@memoize
def _concordance_of(scores: ScoreTable) -> tuple[Any, Any, Any]:
    """For the AUC and what is made of it."""
    count = concordance if scores.positives.ndim == 1 and scores.scores.size else _concordance
    return count(scores.positives, scores.negatives)


@memoize
def _weighted_chance_of(scores: ScoreTable) -> Any:
    """`_chance_above` of a table, for the AUC and what is made of it."""
    return _chance_above(scores.positives, scores.negatives)


def _chance_above(positives: Any, negatives: Any) -> Any:
    """Return the AUC of weights as the mean over the negatives of the rate above them: exactly 0 or 1 at its ends."""
    above = np.cumsum(positives, -1)
    rate = ratio(above - positives / 2, above[..., -1:])
    return ratio(total(negatives * rate), total(negatives))


def auc_influence(table: ScoreTable, auc: float) -> Influence:
    """Influence on the AUC, (placement - AUC) / weight of the class.

    DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837, weighted.
    """
    p, n = float(table.n_positive), float(table.n_negative)
    above = np.cumsum(table.positives) - table.positives / 2
    below = n - np.cumsum(table.negatives) + table.negatives / 2
    return (below / n - auc) / p, (above / p - auc) / n


def gini_influence(table: ScoreTable, value: float) -> Influence:
    """Influence on the Gini coefficient, twice that on the AUC."""
    on_positive, on_negative = auc_influence(table, (value + 1) / 2)
    return 2 * on_positive, 2 * on_negative


@measure(
    "ROC AUC",
    formula="P(S+ > S-) + P(S+ = S-) / 2",
    bounds=(0, 1),
    best=1,
    reference="hanley1982",
    undefined=BOTH_CLASSES,
    aliases=("auc", "auroc", "c_statistic"),
    traits=("rises with the ROC curve", "unmoved by the prevalence", "of either class"),
    influence=auc_influence,
)
def roc_auc(scores: ScoreTable) -> Any:
    """Probability that a random positive case scores higher than a random negative case. Ties count one half.

    >>> from classay.tables import ScoreTable
    >>> print(roc_auc(ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))))
    0.875
    """
    if scores.positives.dtype.kind == "f":
        return _weighted_chance_of(scores)
    concordant, n_positive, n_negative = _concordance_of(scores)
    pairs = 2.0 * n_positive * n_negative
    if np.max(pairs) > LARGEST_WHOLE:
        return _chance_above(1.0 * scores.positives, 1.0 * scores.negatives)
    return ratio(concordant, pairs)


@measure(
    "Gini coefficient",
    formula="2 AUC - 1",
    bounds=(-1, 1),
    best=1,
    reference="hand2001",
    undefined=BOTH_CLASSES,
    traits=("rises with the ROC curve", "unmoved by the prevalence", "of either class"),
    influence=gini_influence,
)
def gini(scores: ScoreTable) -> Any:
    """ROC AUC on a scale from -1 (inverted) over 0 (no ranking information) to 1.

    >>> from classay.tables import ScoreTable
    >>> print(gini(ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))))
    0.75
    """
    return 2 * roc_auc(scores) - 1


def _average_precision(positives: Any, negatives: Any) -> Any:
    tp, fp = np.cumsum(positives, -1), np.cumsum(negatives, -1)
    return total(np.nan_to_num(positives * ratio(tp, tp + fp)))


@kernel(twin=_average_precision)
def summed_precision(positives: Any, negatives: Any) -> Any:
    """Sum over the positive cases of the precision at their score."""
    tp = fp = 0.0
    summed = 0.0
    for i in range(positives.shape[0]):
        tp += positives[i]
        fp += negatives[i]
        if positives[i] > 0:
            summed += positives[i] * (tp / (tp + fp))
    return summed


def average_precision_influence(table: ScoreTable, ap: float) -> Influence:
    """By how much each case moves the average precision AP.

    With AP = E[Prec(S) | Y = 1] and Prec(t) = P(Y = 1 | S >= t), a case (y, s) moves AP by

        ( y (Prec(s) - AP) + y G(s) - H(s) ) / P,
        G(s) = E[Y 1(S <= s) / P(S >= S)],   H(s) = E[Y 1(S <= s) Prec(S) / P(S >= S)]

    where the last P is the share of all cases scoring at least S.
    """
    up_p, up_n = table.positives[::-1], table.negatives[::-1]
    p, n = float(table.n_positive), float(table.n_negative)
    tp = p - np.cumsum(up_p) + up_p
    called = tp + n - np.cumsum(up_n) + up_n
    precision = ratio(tp, called)
    gain = np.cumsum(ratio(1.0 * up_p, called))
    loss = np.cumsum(ratio(up_p * precision, called))
    return ((precision - ap + gain - loss) / p)[::-1], (-loss / p)[::-1]


@measure(
    "Average precision",
    formula="sum over thresholds of (R_i - R_i-1) · P_i",
    bounds=(0, 1),
    best=1,
    reference="davis2006",
    undefined=BOTH_CLASSES,
    aliases=("ap", "pr_auc"),
    influence=average_precision_influence,
)
def average_precision(scores: ScoreTable) -> Any:
    """Mean over positive cases of the precision at their score. Equals the area under the precision-recall steps.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> print(average_precision(table).round(4))
    0.8333
    """
    one_table = scores.positives.ndim == 1 and scores.scores.size
    summed = (summed_precision if one_table else _average_precision)(scores.positives, scores.negatives)
    return np.where(scores.n_negative == 0, np.nan, ratio(summed, scores.n_positive))[()]


def rates(scores: ScoreTable) -> tuple[Any, Any]:
    """False and true positive rate at each distinct threshold, descending, `[..., m]`."""
    fpr = ratio(np.cumsum(scores.negatives, -1), np.expand_dims(scores.n_negative, -1))
    return fpr, ratio(np.cumsum(scores.positives, -1), np.expand_dims(scores.n_positive, -1))


def _largest_gap(positives: Any, negatives: Any) -> Any:
    tp, fp = np.cumsum(positives, -1), np.cumsum(negatives, -1)
    return np.abs(ratio(tp, tp[..., -1:]) - ratio(fp, fp[..., -1:])).max(-1)


@kernel(twin=_largest_gap)
def largest_gap(positives: Any, negatives: Any) -> Any:
    """Greatest distance of true and false positive rate over all thresholds."""
    p = n = 0.0
    for i in range(positives.shape[0]):
        p += positives[i]
        n += negatives[i]
    tp = fp = 0.0
    gap = 0.0
    for i in range(positives.shape[0]):
        tp += positives[i]
        fp += negatives[i]
        here = abs(tp / p - fp / n)
        gap = max(gap, here)
    return gap


@measure(
    "Kolmogorov-Smirnov",
    formula="max |TPR - FPR|",
    bounds=(0, 1),
    best=1,
    reference="massey1951",
    undefined=BOTH_CLASSES,
    aliases=("ks", "ks_statistic"),
    traits=("unmoved by the prevalence", "of either class"),
)
def kolmogorov_smirnov(scores: ScoreTable) -> Any:
    """Largest absolute distance between the cumulative score distributions of positive and negative cases.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> print(kolmogorov_smirnov(table))
    0.5
    """
    if scores.positives.ndim > 1 or not scores.n_positive or not scores.n_negative:
        return _largest_gap(scores.positives, scores.negatives)
    return np.float64(largest_gap(scores.positives, scores.negatives))


def _area_up_to(positives: Any, negatives: Any, max_fpr: float) -> Any:
    p, n = (np.expand_dims(total(counts), -1) for counts in (positives, negatives))
    zero = np.zeros((*positives.shape[:-1], 1))
    if positives.ndim == 1:  # what lies beyond the end changes nothing
        stop = 1 + np.searchsorted(ratio(np.cumsum(negatives), n), max_fpr)
        positives, negatives = positives[:stop], negatives[:stop]
    tpr = np.concatenate([zero, ratio(np.cumsum(positives, -1), p)], -1)
    fpr = np.concatenate([zero, ratio(np.cumsum(negatives, -1), n)], -1)
    x0, x1, y0, y1 = fpr[..., :-1], fpr[..., 1:], tpr[..., :-1], tpr[..., 1:]
    right = np.minimum(x1, max_fpr)
    share = ratio(right - x0, x1 - x0)
    at_right = y0 + np.where(x1 > x0, share, 0) * (y1 - y0)
    return np.where(x0 < max_fpr, (right - x0) * (y0 + at_right) / 2, 0.0).sum(-1)


@kernel(twin=_area_up_to)
def area_up_to(positives: Any, negatives: Any, max_fpr: float) -> Any:
    """Area under the ROC curve from FPR 0 to max_fpr, in straight lines between thresholds, to the cut too."""
    p = n = 0.0
    for i in range(positives.shape[0]):
        p += positives[i]
        n += negatives[i]
    tp = fp = 0.0
    area = 0.0
    for i in range(positives.shape[0]):
        x0, y0 = fp / n, tp / p
        tp += positives[i]
        fp += negatives[i]
        x1, y1 = fp / n, tp / p
        if x1 >= max_fpr:
            if x1 > x0:
                at_cut = y0 + (max_fpr - x0) / (x1 - x0) * (y1 - y0)
                area += (max_fpr - x0) * (y0 + at_cut) / 2
            break
        area += (x1 - x0) * (y0 + y1) / 2
    return area


def area_between(positives: Any, negatives: Any, low: float, high: float) -> Any:
    """Area under the ROC curve from FPR `low` to `high`; NaN without both classes."""
    refused = (positives.sum(-1) == 0) | (negatives.sum(-1) == 0)
    area = _area_up_to(positives, negatives, high)
    if low > 0:
        area = area - _area_up_to(positives, negatives, low)
    return np.where(refused, np.nan, area)[()]


def partial_auc_influence(table: ScoreTable, area: float, max_fpr: float = MAX_FPR) -> Influence:
    """Return the area is the mean over negatives of min(TPR(s) - c, 0), plus c times the range, c the TPR at its end.

    By the envelope theorem, moving the end changes nothing: no density is needed. He & Escobar 2008, Statistics in
    Medicine 27:5291.
    """
    p, n = float(table.n_positive), float(table.n_negative)
    tpr, fpr = np.cumsum(table.positives) / p, np.cumsum(table.negatives) / n
    fpr[np.abs(fpr - max_fpr) <= EXACT] = max_fpr  # a step at the end is there in every unit of weights
    at_end = np.interp(max_fpr, np.concatenate([[0], fpr]), np.concatenate([[0], tpr]))
    fpr, tpr = fpr - table.negatives / (2 * n), tpr - table.positives / (2 * p)
    within = np.where(fpr < max_fpr, tpr - at_end, 0.0)
    return (np.maximum(max_fpr - fpr, 0) - area) / p, (within + at_end * max_fpr - area) / n


@measure(
    f"Partial ROC AUC (FPR up to {MAX_FPR:g})",
    formula=f"area under the ROC curve for FPR in [0, {MAX_FPR:g}]",
    bounds=(0, MAX_FPR),
    best=MAX_FPR,
    reference="mcclish1989",
    undefined=(*BOTH_CLASSES, TOO_FEW_NEGATIVES),
    aliases=("pauc", "partial_auc"),
    traits=("rises with the ROC curve", "unmoved by the prevalence"),
    influence=partial_auc_influence,
)
def partial_roc_auc(scores: ScoreTable, max_fpr: float = MAX_FPR) -> Any:
    """Area under the part of the ROC curve with few false positives, interpolated linearly at the limit.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> print(partial_roc_auc(table, max_fpr=0.5))
    0.375
    """
    positives, negatives = scores.positives, scores.negatives
    refused = (scores.n_positive == 0) | (scores.n_negative == 0) | (negative_cases(scores) * max_fpr < 1)
    if positives.ndim > 1:
        return np.where(refused, np.nan, _area_up_to(positives, negatives, max_fpr))
    return np.float64("nan") if refused else np.float64(area_up_to(positives, negatives, max_fpr))


@measure(
    f"Standardized partial ROC AUC (FPR up to {MAX_FPR:g})",
    formula="(1 + (pAUC - min) / (max - min)) / 2",
    bounds=(0, 1),
    best=1,
    reference="mcclish1989",
    undefined=(*BOTH_CLASSES, TOO_FEW_NEGATIVES),
    aliases=("mcclish_auc", "mcclish"),
    traits=("rises with the ROC curve", "unmoved by the prevalence"),
)
def standardized_partial_roc_auc(scores: ScoreTable, max_fpr: float = MAX_FPR) -> Any:
    """Partial ROC AUC rescaled to 0.5 for no information and 1 for perfect ranking. Depends on the range.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> print(standardized_partial_roc_auc(table, max_fpr=0.5).round(4))
    0.8333
    """
    least, most = max_fpr * max_fpr / 2, max_fpr
    return (1 + (partial_roc_auc(scores, max_fpr=max_fpr) - least) / (most - least)) / 2


@measure(
    "Hand-Till AUC",
    formula="2 / (k (k-1)) · sum over i<j of (A(i|j) + A(j|i)) / 2",
    bounds=(0, 1),
    best=1,
    reference="hand2001",
    undefined=(CLASS_WITHOUT_CASES,),
    aliases=("multiclass_auc", "roc_auc_ovo", "auc_ovo"),
)
def hand_till_auc(class_scores: ClassScoreTable) -> Any:
    """Mean AUC over all pairs of classes, A(i|j) by the score of i in cases of i and j. Ignores class sizes.

    >>> from classay.tables import ClassScoreTable
    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> print(hand_till_auc(ClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"))))
    1.0
    """
    if CLASS_WITHOUT_CASES.met(class_scores):
        return np.float64("nan")
    return ranked_pairs(class_scores).aucs[~np.eye(len(class_scores.labels), dtype=bool)].mean()


@measure(
    "ROC AUC, one-vs-rest macro average",
    formula="mean over the classes of the AUC against the rest",
    bounds=(0, 1),
    best=1,
    reference="provost2001",
    undefined=(CLASS_WITHOUT_CASES,),
    aliases=("roc_auc_ovr", "auc_ovr"),
    traits=("mean of classes against the rest",),
    average=("macro", roc_auc),
)
def macro_roc_auc(class_scores: ClassScoreTable | BinnedClassScoreTable) -> Any:
    """Mean AUC of each class against all others, by its own score.

    >>> from classay.tables import ClassScoreTable
    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> print(macro_roc_auc(ClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"))))
    1.0
    """
    return _against_rest(class_scores).mean()


@measure(
    "ROC AUC, one-vs-rest weighted average",
    formula="mean over the classes of the AUC against the rest, by how often each is true",
    bounds=(0, 1),
    best=1,
    reference="provost2001",
    undefined=(ONE_CLASS_SEEN,),
    aliases=("roc_auc_ovr_weighted",),
    traits=("mean of classes against the rest",),
    average=("weighted", roc_auc),
)
def weighted_roc_auc(class_scores: ClassScoreTable | BinnedClassScoreTable) -> Any:
    """Mean AUC of each class against the others, weighted by how often it is true; one never true counts nothing.

    >>> from classay.tables import ClassScoreTable
    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> print(weighted_roc_auc(ClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"))))
    1.0
    """
    if ONE_CLASS_SEEN.met(class_scores):
        return np.float64("nan")
    totals = class_scores.class_totals
    occurring = totals > 0
    return np.average(_against_rest(class_scores)[occurring], weights=totals[occurring])


def _against_rest(class_scores: ClassScoreTable | BinnedClassScoreTable) -> NDArray[Any]:
    """Return the AUC of each class against all others, `(classes,)`."""
    if isinstance(class_scores, BinnedClassScoreTable):
        return np.array([roc_auc(table) for table in class_scores.tables])
    return ranked_pairs(class_scores).against_rest


Interpolation = Literal["step", "linear"]


class RateAtThreshold(NamedTuple):
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


def tpr_at(scores: ScoreTable, fpr: float, interpolation: Interpolation = "step") -> RateAtThreshold:
    """Return the greatest true positive rate with a false positive rate of at most `fpr`: max TPR with FPR <= f.

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
        return RateAtThreshold(_between(x, y, last, fpr), np.full(last.shape, np.nan)[()])
    allowed = np.where(at_most(x, fpr), y, -1.0)
    return _reading(scores, y, allowed.argmax(-1))


def fpr_at(scores: ScoreTable, tpr: float, interpolation: Interpolation = "step") -> RateAtThreshold:
    """Return the least false positive rate with a true positive rate of at least `tpr`: min FPR with TPR >= t.

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
        fpr = np.where(below == 0, x[..., 0], _between(y, x, np.maximum(below - 1, 0), tpr))
        return RateAtThreshold(fpr[()], np.full(below.shape, np.nan)[()])
    first = np.minimum((~at_least(y, tpr)).sum(-1), x.shape[-1] - 1)
    least = np.take_along_axis(x, np.expand_dims(first, -1), -1)
    return _reading(scores, x, np.maximum((x <= least).sum(-1) - 1, 0))


def precision_at(scores: ScoreTable, recall: float) -> RateAtThreshold:
    """Return the greatest precision with a recall of at least `recall`: max TP / (TP + FP) with TPR >= r.

    Of the thresholds that attain it, the one with the greatest recall. NaN where no case is positive. There
    is no line to read: precision is not linear between thresholds (Davis & Goadrich 2006, ICML 233).

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.4, 0.1]), np.array([True, False, True, False]))
    >>> reading = precision_at(table, recall=0.8)
    >>> print(reading.value.round(4), reading.threshold)
    0.6667 0.4
    """
    _check_share("recall", recall)
    tp, fp = (_from_zero(np.cumsum(counts, -1)) for counts in (scores.positives, scores.negatives))
    precision = ratio(1.0 * tp, tp + fp)
    enough = at_least(ratio(tp, tp[..., -1:]), recall)
    allowed = np.where(enough, np.nan_to_num(precision, nan=-1.0), -1.0)
    best = _last(at_least(allowed, allowed.max(-1, keepdims=True)) & enough)
    return _reading(scores, np.where(tp[..., -1:] > 0, precision, np.nan), best)


def threshold_for(
    scores: ScoreTable, *, fpr: float | None = None, tpr: float | None = None
) -> RateAtThreshold:
    """Return the threshold with a false positive rate of at most `fpr`, or a true positive rate of at least `tpr`.

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
    raise InputError(f"threshold_for needs either fpr or tpr, but has fpr={fpr!r} and tpr={tpr!r}.")


def _check_share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise InputError(f"{name} must be a number from 0 to 1, but is {value!r}.")


def _last(met: Any) -> Any:
    """Return the last place along the last axis where something is met."""
    return met.shape[-1] - 1 - met[..., ::-1].argmax(-1)


def _from_zero(values: Any) -> Any:
    return np.concatenate([np.zeros_like(values[..., :1]), values], -1)


def _roc_points(scores: ScoreTable) -> tuple[Any, Any]:
    """False and true positive rates from (0, 0) on, all NaN where either class has no cases."""
    fpr, tpr = (_from_zero(rate) for rate in rates(scores))
    missing = np.isnan(fpr[..., -1:] + tpr[..., -1:])
    return np.where(missing, np.nan, fpr), np.where(missing, np.nan, tpr)


def _reading(scores: ScoreTable, values: Any, at: Any) -> RateAtThreshold:
    thresholds = np.concatenate([[np.inf], scores.thresholds.astype(np.float64)])
    value = np.take_along_axis(values, np.expand_dims(at, -1), -1)[..., 0]
    return RateAtThreshold(value[()], np.where(np.isnan(value), np.nan, thresholds[at])[()])


def _between(x: Any, y: Any, last: Any, at: float) -> Any:
    """y at `at`, on the line from the point `last`, the last one not beyond it, to the next."""
    after = np.minimum(last + 1, x.shape[-1] - 1)
    (x0, x1), (y0, y1) = (
        [np.take_along_axis(coordinates, np.expand_dims(i, -1), -1)[..., 0] for i in (last, after)]
        for coordinates in (x, y)
    )
    share = np.where(x1 > x0, ratio(at - x0, x1 - x0), 0.0)
    return (y0 + share * (y1 - y0))[()]
