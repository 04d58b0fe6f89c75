"""Rates of one class against the rest, from (tp, fp, fn, tn), arrays of any one shape."""

from typing import Any

from classay.measures.conditions import (
    ALL_PREDICTED,
    NO_NEGATIVES,
    NO_POSITIVES,
    NONE_PREDICTED,
)
from classay.measures.registry import proportion


@proportion(
    "Precision",
    formula="TP / (TP + FP)",
    best=1,
    reference="fawcett2006",
    undefined=(NONE_PREDICTED,),
    aliases=("ppv", "positive_predictive_value"),
    averaged=True,
)
def precision(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of positive predictions that are right.

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
    averaged=True,
)
def negative_predictive_value(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of negative predictions that are right.

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
    aliases=("sensitivity", "tpr", "true_positive_rate", "hit_rate"),
    averaged=True,
)
def recall(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of positive cases that are found.

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
    averaged=True,
)
def specificity(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of negative cases that are called negative.

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
    aliases=("fpr", "fall_out"),
    averaged=True,
    complement="specificity",
)
def false_positive_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of negative cases that are called positive, 1 - specificity.

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
    averaged=True,
    complement="recall",
)
def false_negative_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of positive cases that are missed, 1 - recall.

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
    aliases=("fdr",),
    averaged=True,
    complement="precision",
)
def false_discovery_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of positive predictions that are wrong, 1 - precision.

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
    averaged=True,
    complement="negative_predictive_value",
)
def false_omission_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Share of negative predictions that are wrong.

    >>> print(false_omission_rate(6, 1, 4, 89).round(4))
    0.043
    """
    return fn, tn + fn
