"""Measures composed of several rates of one class against the rest, from (tp, fp, fn, tn), arrays of any one shape."""

from typing import Any

import numpy as np

from classay.measures.conditions import (
    ALL_PREDICTED,
    NEVER_SEEN,
    NO_CASES,
    NO_HITS_NO_FALSE_ALARMS,
    NO_MISSES_NO_REJECTIONS,
    NO_NEGATIVES,
    NO_POSITIVES,
    NONE_PREDICTED,
    ZERO_OVER_ZERO_ODDS,
    ZERO_OVER_ZERO_P4,
)
from classay.measures.registry import measure, odds_ratio, proportion, ratio

UNBOUNDED = (0.0, float("inf"))


def f_score(beta: float, tp: Any, fp: Any, fn: Any) -> Any:
    """F-beta from counts, (1 + b²) TP / ((1 + b²) TP + b² FN + FP); b > 1 weights recall (van Rijsbergen 1979).

    >>> print(f_score(2, 6, 1, 4).round(4))
    0.6383
    """
    b2 = beta * beta
    return ratio((1 + b2) * tp, (1 + b2) * tp + b2 * fn + fp)


@measure(
    "F1",
    formula="2 TP / (2 TP + FP + FN)",
    bounds=(0, 1),
    best=1,
    reference="vanrijsbergen1979",
    undefined=(NEVER_SEEN,),
    aliases=("f_measure", "f_score", "dice"),
    averaged=True,
)
def f1(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Harmonic mean of precision and recall, taken from counts, so that it is 0 where precision alone is undefined.

    >>> print(f1(6, 1, 4, 89).round(4))
    0.7059
    """
    return f_score(1, tp, fp, fn)


@measure(
    "F2",
    formula="5 TP / (5 TP + 4 FN + FP)",
    bounds=(0, 1),
    best=1,
    reference="vanrijsbergen1979",
    undefined=(NEVER_SEEN,),
    averaged=True,
)
def f2(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """F-beta that gives recall four times the weight of precision.

    >>> print(f2(6, 1, 4, 89).round(4))
    0.6383
    """
    return f_score(2, tp, fp, fn)


@measure(
    "F0.5",
    formula="1.25 TP / (1.25 TP + 0.25 FN + FP)",
    bounds=(0, 1),
    best=1,
    reference="vanrijsbergen1979",
    undefined=(NEVER_SEEN,),
    aliases=("f0.5", "f05"),
    averaged=True,
)
def f0_5(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """F-beta that gives precision four times the weight of recall.

    >>> print(f0_5(6, 1, 4, 89).round(4))
    0.7895
    """
    return f_score(0.5, tp, fp, fn)


@proportion(
    "Jaccard index",
    formula="TP / (TP + FP + FN)",
    best=1,
    reference="jaccard1912",
    undefined=(NEVER_SEEN,),
    aliases=("csi", "critical_success_index", "threat_score"),
    averaged=True,
)
def jaccard(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Overlap of the positive cases and the positive predictions.

    >>> print(jaccard(6, 1, 4, 89).round(4))
    0.5455
    """
    return tp, tp + fp + fn


@measure(
    "Informedness (Youden's J)",
    formula="TPR + TNR - 1",
    bounds=(-1, 1),
    best=1,
    reference="youden1950",
    undefined=(NO_POSITIVES, NO_NEGATIVES),
    aliases=("youden", "youden_j", "bookmaker"),
)
def informedness(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """How much better than chance both classes are recognised.

    >>> print(informedness(6, 1, 4, 89).round(4))
    0.5889
    """
    return ratio(tp, tp + fn) + ratio(tn, tn + fp) - 1


@measure(
    "Markedness",
    formula="PPV + NPV - 1",
    bounds=(-1, 1),
    best=1,
    reference="powers2011",
    undefined=(NONE_PREDICTED, ALL_PREDICTED),
    aliases=("delta_p",),
)
def markedness(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """How much more often than chance both predictions come true.

    >>> print(markedness(6, 1, 4, 89).round(4))
    0.8141
    """
    return ratio(tp, tp + fp) + ratio(tn, tn + fn) - 1


@measure(
    "Fowlkes-Mallows index",
    formula="sqrt(PPV · TPR)",
    bounds=(0, 1),
    best=1,
    reference="fowlkes1983",
    undefined=(NONE_PREDICTED, NO_POSITIVES),
    aliases=("fm",),
)
def fowlkes_mallows(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Geometric mean of precision and recall.

    >>> print(fowlkes_mallows(6, 1, 4, 89).round(4))
    0.7171
    """
    return np.sqrt(ratio(tp, tp + fp) * ratio(tp, tp + fn))


@measure(
    "G-mean",
    formula="sqrt(TPR · TNR)",
    bounds=(0, 1),
    best=1,
    reference="kubat1997",
    undefined=(NO_POSITIVES, NO_NEGATIVES),
    aliases=("gmean", "geometric_mean"),
)
def g_mean(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Geometric mean of recall and specificity.

    >>> print(g_mean(6, 1, 4, 89).round(4))
    0.7703
    """
    return np.sqrt(ratio(tp, tp + fn) * ratio(tn, tn + fp))


@measure(
    "P4",
    formula="4 TP·TN / (4 TP·TN + (TP + TN)(FP + FN))",
    bounds=(0, 1),
    best=1,
    reference="sitarz2022",
    undefined=(ZERO_OVER_ZERO_P4,),
)
def p4(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Harmonic mean of precision, recall, specificity and negative predictive value, from counts.

    It is 0 where all four are.

    >>> print(p4(6, 1, 4, 89).round(4), p4(0, 50, 50, 0))
    0.8181 0.0
    """
    hits, all_wrong = 4.0 * tp * tn, (tp + tn == 0) & (fp > 0) & (fn > 0)
    return ratio(hits, hits + 1.0 * (tp + tn) * (fp + fn) + all_wrong)


@measure(
    "Lift",
    formula="PPV / prevalence",
    bounds=UNBOUNDED,
    best=float("inf"),
    reference="brin1997",
    undefined=(NONE_PREDICTED, NO_POSITIVES),
)
def lift(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """How much richer in positives the positive predictions are than all cases.

    >>> print(lift(6, 1, 4, 89).round(4))
    8.5714
    """
    return ratio(ratio(tp, tp + fp), ratio(tp + fn, tp + fp + fn + tn))


@measure(
    "Positive likelihood ratio",
    formula="TPR / FPR",
    bounds=UNBOUNDED,
    best=float("inf"),
    reference="altman1994",
    undefined=(NO_POSITIVES, NO_NEGATIVES, NO_HITS_NO_FALSE_ALARMS),
    aliases=("lr_plus", "lr_positive", "plr"),
)
def positive_likelihood_ratio(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """How much a positive prediction multiplies the odds of a positive case; infinite without false positives.

    >>> print(positive_likelihood_ratio(6, 1, 4, 89).round(4))
    54.0
    """
    return odds_ratio(ratio(tp, tp + fn), ratio(fp, fp + tn))


@measure(
    "Negative likelihood ratio",
    formula="FNR / TNR",
    bounds=UNBOUNDED,
    best=0,
    reference="altman1994",
    undefined=(NO_POSITIVES, NO_NEGATIVES, NO_MISSES_NO_REJECTIONS),
    aliases=("lr_minus", "lr_negative", "nlr"),
)
def negative_likelihood_ratio(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """How much a negative prediction multiplies the odds of a positive case; infinite without true negatives.

    >>> print(negative_likelihood_ratio(6, 1, 4, 89).round(4))
    0.4045
    """
    return odds_ratio(ratio(fn, tp + fn), ratio(tn, fp + tn))


@measure(
    "Diagnostic odds ratio",
    formula="TP·TN / (FP·FN)",
    bounds=UNBOUNDED,
    best=float("inf"),
    reference="glas2003",
    undefined=(ZERO_OVER_ZERO_ODDS,),
    aliases=("dor",),
)
def diagnostic_odds_ratio(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Odds of a positive prediction among positives over those among negatives; infinite without one kind of error.

    >>> print(diagnostic_odds_ratio(6, 1, 4, 89))
    133.5
    """
    return odds_ratio(1.0 * tp * tn, 1.0 * fp * fn)


@proportion(
    "Prevalence",
    formula="(TP + FN) / n",
    best=None,
    reference="altman1994",
    undefined=(NO_CASES,),
    aliases=("base_rate",),
)
def prevalence(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of positive cases.

    >>> print(prevalence(6, 1, 4, 89))
    0.1
    """
    return tp + fn, tp + fp + fn + tn


@proportion(
    "Predicted prevalence",
    formula="(TP + FP) / n",
    best=None,
    reference="fawcett2006",
    undefined=(NO_CASES,),
    aliases=("selection_rate", "predicted_positive_rate"),
)
def predicted_prevalence(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of positive predictions.

    >>> print(predicted_prevalence(6, 1, 4, 89))
    0.07
    """
    return tp + fp, tp + fp + fn + tn


@measure(
    "Single-point AUC",
    formula="(TPR + TNR) / 2",
    bounds=(0, 1),
    best=1,
    reference="fawcett2006",
    undefined=(NO_POSITIVES, NO_NEGATIVES),
)
def single_point_auc(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Area under the two-segment ROC curve of the hard labels: balanced accuracy, not the AUC of the scores.

    >>> print(single_point_auc(6, 1, 4, 89).round(4))
    0.7944
    """
    return (ratio(tp, tp + fn) + ratio(tn, tn + fp)) / 2
