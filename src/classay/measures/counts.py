"""Measures of one class against the rest, from (tp, fp, fn, tn), arrays of one shape: rates and their compounds."""

from typing import Any

import numpy as np

from classay.measures.registry import MACRO_AND_WEIGHTED, SumOfShares, measure, odds_ratio, proportion, ratio
from classay.measures.vocabulary import (
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
from classay.tables.sums import settled


@proportion(
    "Precision (positive predictive value)",
    formula="TP / (TP + FP)",
    best=1,
    reference="fawcett2006",
    undefined=(NONE_PREDICTED,),
    aliases=("ppv", "positive_predictive_value"),
    averages={"macro": (), "weighted": (), "micro": ()},
    share_of=SumOfShares("precision"),
)
def precision(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of positive predictions that are correct.

    >>> print(precision(6, 1, 4, 89).round(4))
    0.8571
    """
    return tp, tp + fp


@proportion(
    "Negative predictive value",
    formula="TN / (TN + FN)",
    best=1,
    reference="altman1994",
    undefined=(ALL_PREDICTED,),
    aliases=("npv",),
    averages=MACRO_AND_WEIGHTED,
    share_of=SumOfShares("negative_predictive_value", stretched=True),
)
def negative_predictive_value(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of negative predictions that are correct.

    >>> print(negative_predictive_value(6, 1, 4, 89).round(4))
    0.957
    """
    return tn, tn + fn


@proportion(
    "Recall (sensitivity)",
    formula="TP / (TP + FN)",
    best=1,
    reference="fawcett2006",
    undefined=(NO_POSITIVES,),
    aliases=("sensitivity", "tpr", "true_positive_rate", "hit_rate", "pod", "probability_of_detection"),
    averages={"macro": (), "weighted": (), "micro": ()},
    traits=("share of right answers",),
    share_of=SumOfShares("recall"),
)
def recall(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of positive cases predicted positive.

    >>> print(recall(6, 1, 4, 89))
    0.6
    """
    return tp, tp + fn


@proportion(
    "Specificity",
    formula="TN / (TN + FP)",
    best=1,
    reference="fawcett2006",
    undefined=(NO_NEGATIVES,),
    aliases=("tnr", "true_negative_rate"),
    averages=MACRO_AND_WEIGHTED,
    traits=("share of right answers",),
    share_of=SumOfShares("specificity", stretched=True),
)
def specificity(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of negative cases predicted negative.

    >>> print(specificity(6, 1, 4, 89).round(4))
    0.9889
    """
    return tn, tn + fp


@proportion(
    "False positive rate",
    formula="FP / (FP + TN)",
    best=0,
    reference="fawcett2006",
    undefined=(NO_NEGATIVES,),
    aliases=("fpr", "fall_out", "false_acceptance_rate"),
    averages=MACRO_AND_WEIGHTED,
    complement="specificity",
)
def false_positive_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of negative cases predicted positive, 1 - specificity.

    >>> print(false_positive_rate(6, 1, 4, 89).round(4))
    0.0111
    """
    return fp, fp + tn


@proportion(
    "False negative rate",
    formula="FN / (FN + TP)",
    best=0,
    reference="fawcett2006",
    undefined=(NO_POSITIVES,),
    aliases=("fnr", "miss_rate"),
    averages=MACRO_AND_WEIGHTED,
    complement="recall",
)
def false_negative_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of positive cases predicted negative, 1 - recall.

    >>> print(false_negative_rate(6, 1, 4, 89))
    0.4
    """
    return fn, fn + tp


@proportion(
    "False discovery rate",
    formula="FP / (TP + FP)",
    best=0,
    reference="fawcett2006",
    undefined=(NONE_PREDICTED,),
    aliases=("fdr", "false_alarm_ratio"),
    averages=MACRO_AND_WEIGHTED,
    complement="precision",
)
def false_discovery_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of positive predictions that are incorrect, 1 - precision.

    >>> print(false_discovery_rate(6, 1, 4, 89).round(4))
    0.1429
    """
    return fp, tp + fp


@proportion(
    "False omission rate",
    formula="FN / (TN + FN)",
    best=0,
    reference="sokolova2009",
    undefined=(ALL_PREDICTED,),
    aliases=("for",),
    averages=MACRO_AND_WEIGHTED,
    complement="negative_predictive_value",
)
def false_omission_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of negative predictions that are incorrect, 1 - negative predictive value.

    >>> print(false_omission_rate(6, 1, 4, 89).round(4))
    0.043
    """
    return fn, tn + fn


UNBOUNDED = (0.0, float("inf"))


def f_score(beta: float, tp: Any, fp: Any, fn: Any) -> Any:
    """F-beta from counts, (1 + b²) TP / ((1 + b²) TP + b² FN + FP); b > 1 weights recall (van Rijsbergen 1979).

    >>> print(f_score(2, 6, 1, 4).round(4))
    0.6383
    """
    b2 = beta * beta
    return ratio((1 + b2) * tp, (1 + b2) * tp + b2 * fn + fp)


def f1_of_jaccard(share: Any) -> Any:
    """F1 = 2J / (1 + J)."""
    return 2 * share / (1 + share)


@measure(
    "F1",
    formula="2 TP / (2 TP + FP + FN)",
    bounds=(0, 1),
    best=1,
    reference="vanrijsbergen1979",
    undefined=(NEVER_SEEN,),
    aliases=("f_measure", "f_score", "dice"),
    averages={"macro": ("overall_f", "macro_f"), "weighted": (), "micro": ()},
    share_of=SumOfShares("jaccard", f1_of_jaccard),
)
def f1(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Harmonic mean of precision and recall, computed from counts. 0 where only precision is not defined.

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
    averages=MACRO_AND_WEIGHTED,
)
def f2(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """F-beta with beta = 2: recall has four times the weight of precision.

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
    averages=MACRO_AND_WEIGHTED,
)
def f0_5(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """F-beta with beta = 0.5: precision has four times the weight of recall.

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
    averages={"macro": ("mean_iou",), "weighted": ()},
    share_of=SumOfShares("jaccard"),
)
def jaccard(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """True positives divided by all cases that are positive or predicted positive.

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
    aliases=("youden", "youden_j", "bookmaker", "peirce", "peirce_skill_score"),
    share_of=SumOfShares("recall", each="sum", added=-1.0),
)
def informedness(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Recall plus specificity minus 1. 0 for predictions by chance.

    >>> print(informedness(6, 1, 4, 89).round(4))
    0.5889
    """
    return settled(ratio(tp, tp + fn) + ratio(tn, tn + fp) - 1, 1.0)


def benefit_of(tp: Any, fp: Any, n: Any, threshold: Any) -> Any:
    """Net benefit, TP/n - FP/n · t / (1 - t), which is exactly 0 where true and false positives balance.

    >>> print(benefit_of(6, 1, 100, 0.1).round(4), benefit_of(3, 2, 9, 0.6))
    0.0589 0.0
    """
    return ratio(settled(tp - fp * (threshold / (1 - np.asarray(threshold))), tp), n)


@measure(
    "Markedness",
    formula="PPV + NPV - 1",
    bounds=(-1, 1),
    best=1,
    reference="powers2011",
    undefined=(NONE_PREDICTED, ALL_PREDICTED),
    aliases=("delta_p",),
    share_of=SumOfShares("precision", each="sum", added=-1.0),
)
def markedness(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Precision plus negative predictive value minus 1. 0 for predictions by chance.

    >>> print(markedness(6, 1, 4, 89).round(4))
    0.8141
    """
    return settled(ratio(tp, tp + fp) + ratio(tn, tn + fn) - 1, 1.0)


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
    """Harmonic mean of precision, recall, specificity and negative predictive value, computed from counts.

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
    """Precision divided by prevalence.

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
    """Factor by which a positive prediction changes the odds of a positive case. Infinite without false positives.

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
    """Factor by which a negative prediction changes the odds of a positive case. Infinite without true negatives.

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
    """Odds of a positive prediction in positive cases divided by those in negative cases. Infinite if FP or FN is 0.

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
    traits=("set by the prevalence",),
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
    share_of=SumOfShares("recall", each="mean"),
)
def single_point_auc(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Area under the two-segment ROC curve of predicted labels. Equals balanced accuracy, not the AUC of the scores.

    >>> print(single_point_auc(6, 1, 4, 89).round(4))
    0.7944
    """
    return (ratio(tp, tp + fn) + ratio(tn, tn + fp)) / 2
