"""Measures of several classes' scores that only who names them sees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from classay.errors import InputError
from classay.measures import ranking
from classay.measures.classes.pairs import ranked_pairs
from classay.measures.conditions import (
    CLASS_WITHOUT_CASES,
    EMPTY_CASES,
    NO_ORDER_OF_CLASSES,
    Condition,
)
from classay.measures.families import COUNT, family
from classay.measures.probability import top_2_accuracy, top_3_accuracy, top_5_accuracy, top_cases
from classay.measures.ranking import (
    average_precision,
)
from classay.measures.registry import Measure, ratio
from classay.tables import CaseTable, ClassScoreTable


@family(k=COUNT)
def top_k_accuracy(k: int) -> Measure:
    """Share of cases whose true class is among the k highest scores, equal scores in the order of the labels."""
    known = {2: top_2_accuracy, 3: top_3_accuracy, 5: top_5_accuracy}
    return known.get(k) or replace(
        top_5_accuracy,
        name="top_k_accuracy",
        title=f"Top-{k} accuracy",
        formula=f"cases whose true class has one of the {k} best scores / n",
        function=lambda cases: ratio(*top_cases(cases, k)),
        parts=lambda cases: top_cases(cases, k),
    )


@family()
def mean_reciprocal_rank() -> Measure:
    """Mean over cases of 1 / the rank of the true class among the scores, equal scores in the order of the labels."""

    def moments(cases: CaseTable) -> tuple[Any, Any, Any]:
        ranks, reciprocal = cases.ranks, 1 / np.arange(1, cases.ranks.shape[-1] + 1)
        return ranks.sum(-1), (ranks * reciprocal).sum(-1), (ranks * reciprocal**2).sum(-1)

    def mean(cases: CaseTable) -> Any:
        n, total, _ = moments(cases)
        return ratio(total, n)

    return Measure(
        "mean_reciprocal_rank",
        title="Mean reciprocal rank",
        function=mean,
        needs="cases",
        formula="mean of 1 / rank of the true class",
        bounds=(0, 1),
        best=1,
        undefined=(EMPTY_CASES,),
        reference="voorhees1999",
        moments=moments,
    )


@family()
def macro_average_precision() -> Measure:
    """Mean over the classes of the average precision of each against the rest, by its own score."""
    return replace(
        ranking.macro_roc_auc,
        name="macro_average_precision",
        title="Average precision, one-vs-rest macro average",
        formula="mean over the classes of the average precision against the rest",
        reference="davis2006",
        function=_over_classes(average_precision),
    )


@family()
def weighted_one_vs_one_roc_auc() -> Measure:
    """Mean over the pairs of classes of their AUC, each pair weighted by how many cases both have."""

    def mean(class_scores: ClassScoreTable) -> Any:
        if CLASS_WITHOUT_CASES.met(class_scores):
            return np.float64("nan")
        pairs = ranked_pairs(class_scores)
        apart = ~np.eye(len(class_scores.labels), dtype=bool)
        sizes = (np.diagonal(pairs.other)[:, None] + pairs.other)[apart]
        return (sizes * pairs.aucs[apart]).sum() / sizes.sum()

    return replace(
        ranking.hand_till_auc,
        name="weighted_one_vs_one_roc_auc",
        title="ROC AUC, one-vs-one, weighted by prevalence",
        formula="sum over i≠j of (n_i + n_j) · A(i|j) / sum of (n_i + n_j)",
        function=mean,
    )


def ranked_losses(scores: Any, true: Any) -> Any:
    """Of each case the mean over k < K of (P(class <= k) - [true <= k])², `(cases,)`; scores `(cases, classes)`."""
    k = scores.shape[1]
    below = (np.arange(k) >= np.asarray(true)[:, None])[:, :-1]
    return ((scores.astype(float).cumsum(1)[:, :-1] - below) ** 2).sum(1) / (k - 1)


@family()
def ranked_probability_score() -> Measure:
    """Mean squared distance of the cumulated class probabilities from the truth, by the order of the labels."""

    def mean(class_scores: ClassScoreTable) -> Any:
        rows = class_scores.rows
        if rows is None:
            raise InputError(
                "the ranked probability score needs the cases, which a file of an early version lacks."
            )
        if _improper(class_scores):
            return np.float64("nan")
        return np.average(ranked_losses(rows.scores.T, rows.true), weights=rows.weight)

    return replace(
        ranking.macro_roc_auc,
        name="ranked_probability_score",
        title="Ranked probability score",
        formula="mean of sum over k<K of (P(class <= k) - [true <= k])² / (K - 1)",
        best=0,
        reference="epstein1969",
        undefined=(NO_ORDER_OF_CLASSES, NO_DISTRIBUTIONS),
        function=mean,
    )


def _improper(class_scores: ClassScoreTable) -> bool:
    if class_scores.rows is None:  # the measure says so itself
        return False
    scores = class_scores.rows.scores
    if not scores.size or scores.min() < 0:
        return True
    return bool(np.abs(scores.sum(0, dtype=np.float64) - 1).max() > 1e-6)


NO_DISTRIBUTIONS = Condition(
    "class scores are no probabilities that sum to 1",
    "class scores are no probabilities that sum to 1",
    _improper,
)


def _over_classes(of: Measure) -> Any:
    def mean(class_scores: ClassScoreTable) -> Any:
        if CLASS_WITHOUT_CASES.met(class_scores):
            return np.float64("nan")
        return np.mean([of(class_scores.one_vs_rest(label)) for label in class_scores.labels])

    return mean
