"""Measures of how well a score ranks cases, from a ScoreTable; arrays may have leading axes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.measures.classes.pairs import ranked_pairs
from classay.measures.conditions import (
    CLASS_WITHOUT_CASES,
    NO_NEGATIVE_SCORES,
    NO_POSITIVE_SCORES,
    ONE_CLASS_SEEN,
    Condition,
)
from classay.measures.registry import measure, ratio
from classay.tables import ClassScoreTable, ScoreTable
from classay.tables.binned.classes import BinnedClassScoreTable
from classay.tables.running import equal_cases, total

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
    f"FPR up to {MAX_FPR:g} holds less than one false positive, having under {1 / MAX_FPR:g} negatives",
    f"FPR up to {MAX_FPR:g} holds less than one false positive, having under {1 / MAX_FPR:g} negatives",
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


def _chance_above(positives: Any, negatives: Any) -> Any:
    """The AUC of weights as the mean over the negatives of the rate above them: exactly 0 or 1 at its ends."""
    above = np.cumsum(positives, -1)
    rate = ratio(above - positives / 2, above[..., -1:])
    return ratio(total(negatives * rate), total(negatives))


@measure(
    "ROC AUC",
    formula="P(S+ > S-) + P(S+ = S-) / 2",
    bounds=(0, 1),
    best=1,
    reference="hanley1982",
    undefined=BOTH_CLASSES,
    aliases=("auc", "auroc", "c_statistic"),
)
def roc_auc(scores: ScoreTable) -> Any:
    """Chance that a random positive case gets a higher score than a random negative one, ties counting half.

    >>> from classay.tables import ScoreTable
    >>> print(roc_auc(ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))))
    0.875
    """
    count = concordance if scores.positives.ndim == 1 and scores.scores.size else _concordance
    if scores.positives.dtype.kind == "f":
        return _chance_above(scores.positives, scores.negatives)
    concordant, n_positive, n_negative = count(scores.positives, scores.negatives)
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
    aliases=("somers_d",),
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


@measure(
    "Average precision",
    formula="sum over thresholds of (R_i - R_i-1) · P_i",
    bounds=(0, 1),
    best=1,
    reference="davis2006",
    undefined=BOTH_CLASSES,
    aliases=("ap", "pr_auc"),
)
def average_precision(scores: ScoreTable) -> Any:
    """Mean over the positive cases of the precision at their score: the area under the precision-recall steps.

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
)
def kolmogorov_smirnov(scores: ScoreTable) -> Any:
    """Greatest distance between the score distributions of positives and negatives, whichever way round.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> print(kolmogorov_smirnov(table))
    0.5
    """
    if scores.positives.ndim > 1 or not scores.n_positive or not scores.n_negative:
        return _largest_gap(scores.positives, scores.negatives)
    return np.float64(largest_gap(scores.positives, scores.negatives))


def _area_up_to(positives: Any, negatives: Any, max_fpr: float) -> Any:
    p, n = (np.expand_dims(total(each), -1) for each in (positives, negatives))
    zero = np.zeros((*positives.shape[:-1], 1))
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
    """Area under the ROC curve from FPR `low` to `high`; NaN without both classes, or less than a negative between."""
    refused = (positives.sum(-1) == 0) | (negatives.sum(-1) == 0)
    area = _area_up_to(positives, negatives, high)
    if low > 0:
        area = area - _area_up_to(positives, negatives, low)
    return np.where(refused, np.nan, area)[()]


@measure(
    f"Partial ROC AUC (FPR up to {MAX_FPR:g})",
    formula=f"area under the ROC curve for FPR in [0, {MAX_FPR:g}]",
    bounds=(0, MAX_FPR),
    best=MAX_FPR,
    reference="mcclish1989",
    undefined=(*BOTH_CLASSES, TOO_FEW_NEGATIVES),
    aliases=("pauc", "partial_auc"),
)
def partial_roc_auc(scores: ScoreTable, max_fpr: float = MAX_FPR) -> Any:
    """Raw area under the part of the ROC curve with few false alarms, a straight line to the cut.

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
)
def standardized_partial_roc_auc(scores: ScoreTable, max_fpr: float = MAX_FPR) -> Any:
    """Partial ROC AUC rescaled so that one half is no information and 1 is perfect; it depends on the range.

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
    """Mean AUC over all ordered pairs of classes, A(i|j) by i's score on the cases of i and j; ignores class sizes.

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
    held = totals > 0
    return np.average(_against_rest(class_scores)[held], weights=totals[held])


def _against_rest(class_scores: ClassScoreTable | BinnedClassScoreTable) -> NDArray[Any]:
    """The AUC of each class against all others, `(classes,)`."""
    if isinstance(class_scores, BinnedClassScoreTable):
        return np.array([roc_auc(each) for each in class_scores.tables])
    return ranked_pairs(class_scores).against_rest
