"""Intervals of measures of the scores of several labels a case: areas over tags, means of the ranks of cases."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.design import Design, corrected, satterthwaite, student_quantile
from classay.inference.estimate import IntervalResult
from classay.inference.exponential_scores import hanley_mcneil_variance
from classay.inference.labels.positive_correlations import BLOCK, PositiveCorrelations, standard_errors
from classay.inference.labels.shares import shared_quantile
from classay.inference.labels.smooth import AT_RANDOM
from classay.inference.methods import ANYHOW, interval
from classay.inference.proportions import normal_quantile, scale_of
from classay.measures import Measure
from classay.multilabel.tag_labels import (
    by_moments,
    extend_by_case,
    influence_of_means,
    is_mean_over_cases,
    mean_of_cases,
)
from classay.multilabel.tag_ranking import TagRanking, add_case_at_random, tag_ranking
from classay.multilabel.tag_scores import MultilabelScores, entries_at
from classay.multilabel.tag_tables import unmarked_sums
from classay.tables.sums import equal_cases

Array = NDArray[Any]
MOST_ADDED_TO = 1_000
"""Cases from which one more case moves an end by less than a few hundredths of the half-width."""
FEW = 2.0
"""Positives that the variance of a model counts for, beside those of a tag."""


@interval(
    "influence function, moderated variance",
    of=("macro_roc_auc",),
    tables=(MultilabelScores,),
    drawn=ANYHOW,
    references=("delong1988", "hanley1982", "smyth2004", "satterthwaite1946"),
)
def mean_auc_of_tags(
    measure: Measure, table: MultilabelScores, value: float, design: Design, level: float
) -> IntervalResult:
    """value ± t · se on the logit scale, the variance of each tag moderated by that of a model.

    A tag of few positives shows too little spread: V becomes (P V + 2 H) / (P + 2), with P the tag's positives and H
    the variance of exponential scores at its AUC with one more positive, which ranks as the tags do on average: one
    positive alone often ranks first. Tags vary together as their influences do.
    """
    ranking = tag_ranking(table)
    positives, negatives = _effective(table, design)
    covariances = Covariances(ranking, table, design)
    variances = covariances.delong(positives, negatives)
    auc = (positives * ranking.aucs + value) / (positives + 1)
    model = np.array([hanley_mcneil_variance(*each) for each in zip(auc, positives, negatives, strict=True)])
    moderated = (positives * variances + FEW * model) / (positives + FEW)
    sd = np.sqrt(moderated)
    parts = sd * (covariances.together @ sd) / sd.size**2
    se, degrees = float(np.sqrt(parts.sum())), satterthwaite(parts.sum(), parts, positives + 2)
    if value in measure.bounds:
        return _at_end(table, value, design, level)
    scale = scale_of(measure.bounds)
    name = f"{design.before}influence function, moderated variance, t, {scale.name}"
    return *scale.interval(value, se, student_quantile(level, degrees)), name


def _effective(table: MultilabelScores, design: Design) -> tuple[Array, Array]:
    """The positives and negatives of each tag as cases that count alike; in clusters at most as many as these."""
    places = design.places
    true = table.truth.T.astype(np.float64)
    plus, squares = true @ places.weight, true @ places.squares
    minus, others = (unmarked_sums(table.truth, weights) for weights in (places.weight, places.squares))
    positives, negatives = plus * plus / squares, minus * minus / others
    if design.rows is None:
        return positives, negatives
    with_tag, free = _clusters_of(table)
    return np.minimum(positives, with_tag), np.minimum(negatives, free)


def _clusters_of(table: MultilabelScores) -> tuple[Array, Array]:
    """In how many clusters cases truly have each tag, and in how many cases lack it, `(tags,)` each."""
    from scipy.sparse import csr_array

    assert table.cluster is not None
    clusters, rows = len(table.clusters or ()), np.arange(table.rows)
    of = csr_array((np.ones(table.rows), (table.cluster, rows)), (clusters, table.rows))
    true = (of @ table.truth.astype(np.float64)).tocoo()
    sizes, tags = np.bincount(table.cluster, minlength=clusters), len(table.labels)
    with_tag = np.bincount(true.col[true.data > 0], minlength=tags)
    return with_tag, clusters - np.bincount(true.col[true.data == sizes[true.row]], minlength=tags)


def _at_end(table: MultilabelScores, value: float, design: Design, level: float) -> IntervalResult:
    """Wilson's limits of the tags where each ranks all cases right, or all wrong, as shares of its rarer class.

    They are shared out as if two tags went together as far as the same cases have them, by their squared weights, as in
    a variance: a case of frequency f is f cases.
    """
    cases = np.minimum(*_effective(table, design))
    truth, squares = table.truth.astype(np.float64), design.places.squares
    together = PositiveCorrelations(
        lambda first, last: (_scaled(truth[:, first:last], squares).T @ truth).tocsr(),
        np.sqrt(truth.T @ squares),
    )
    share, z = np.full(cases.size, 1 / cases.size), normal_quantile(level)
    low, high = shared_quantile(value * cases, cases, z, together=together, by=share)
    return min(value, max(0.0, low)), max(value, min(1.0, high)), f"{design.before}Wilson limits combined"


class Covariances:
    """Covariances of the AUCs of tags, from the influences of each case; absent scores have one of their own."""

    def __init__(self, ranking: TagRanking, table: MultilabelScores, design: Design) -> None:
        self.correction = corrected(design.number)
        self.table, self.influences, self.squares = table, ranking.influences, design.places.squares
        influences, rests, weight = ranking.influences, ranking.rests, table.weights
        if table.cluster is None:
            root = np.sqrt(design.places.squares)
            self.sizes = root
            self.sums = _scaled(influences, root)
        else:
            from scipy.sparse import csr_array

            rows = np.arange(table.rows)
            of = csr_array((weight, (table.cluster, rows)), (len(table.clusters or ()), table.rows))
            self.sums, self.sizes = of @ influences, np.asarray(of @ np.ones(table.rows))
            if not (
                design.number < 2 or (design.factors == 1).all()
            ):  # as far as they move without the cluster
                self.sums, self.sizes = _scaled(self.sums, design.factors), self.sizes * design.factors
        self.rests = rests

    def rows(self, first: int, last: int) -> Array:
        """Covariances of some tags with all, `(some, tags)`."""
        return self._of_few[first:last] if self.rests.size <= BLOCK else self._of_some(first, last)

    @cached_property
    def _of_few(self) -> Array:
        """All covariances, of so few tags that they are found together."""
        return self._of_some(0, self.rests.size)

    def _of_some(self, first: int, last: int) -> Array:
        some, rests = self.sums[:, first:last], self.rests
        products = some.T @ self.sums
        products = (products.toarray() if hasattr(products, "toarray") else products).astype(np.float64)
        if rests.any():
            by_size = np.asarray(self.sums.T @ self.sizes)
            products += by_size[first:last, None] * rests + rests[first:last, None] * by_size
            products += float(self.sizes @ self.sizes) * rests[first:last, None] * rests
        return np.asarray(products * self.correction)

    @cached_property
    def variances(self) -> Array:
        """The variance of the AUC of each tag."""
        sums, rests = self.sums, self.rests
        if rests.size <= BLOCK:
            return np.diagonal(self._of_few)
        squares = (
            sums.multiply(sums).sum(0) if hasattr(sums, "multiply") else np.einsum("ij,ij->j", sums, sums)
        )
        by_size = np.asarray(sums.T @ self.sizes)
        return np.asarray(
            (
                np.asarray(squares, np.float64)
                + 2 * rests * by_size
                + float(self.sizes @ self.sizes) * rests**2
            )
            * self.correction
        )

    def delong(self, positives: Array, negatives: Array) -> Array:
        """Return the same with each class's own correction n / (n - 1), of cases drawn alone (DeLong et al. 1988)."""
        if self.table.cluster is not None:
            return self.variances
        of_true = self._of_true()
        others = np.maximum(self.variances / self.correction - of_true, 0.0)
        plus, minus = (np.where(n > 1, n / np.maximum(n - 1, 1e-9), 1.0) for n in (positives, negatives))
        return np.asarray(of_true * plus + others * minus)

    def _of_true(self) -> Array:
        """Return what the cases that have each tag add to its sum of squares."""
        truth, tags = self.table.by_tag, self.rests.size
        if self.table.is_sparse:
            column = np.repeat(np.arange(tags), np.diff(truth.indptr))
            influence = entries_at(self.influences, truth.indices, column) + self.rests[column]
            return np.bincount(column, self.squares[truth.indices] * influence * influence, tags)
        sums = np.zeros(tags)
        for at, column in enumerate(self.influences.T):
            rows = truth.indices[truth.indptr[at] : truth.indptr[at + 1]]
            influence = column[rows].astype(np.float64)
            sums[at] = self.squares[rows] @ (influence * influence)
        return sums

    @property
    def together(self) -> PositiveCorrelations:
        """The correlations of the AUCs."""
        return PositiveCorrelations(self.rows, standard_errors(self.variances))


def _scaled(influences: Any, root: Array) -> Any:
    """Influences (or marks) of each case times a factor, such as the root of its squared weight."""
    if (root == 1).all():
        return influences
    return (
        influences.multiply(root[:, None]).tocsc()
        if hasattr(influences, "multiply")
        else influences * root[:, None]
    )


@interval(
    "influence function",
    of=(
        "micro_roc_auc",
        "weighted_roc_auc",
        "micro_average_precision",
    ),
    tables=(MultilabelScores,),
    drawn=ANYHOW,
    references=("obuchowski1997", "binder1983", "satterthwaite1946", "wilson1927"),
)
def area_of_tags(
    measure: Measure, table: MultilabelScores, value: float, design: Design, level: float
) -> IntervalResult:
    """value ± t · se on the logit scale, by what the scores of each case add together; at an end Wilson's.

    There the cases count that have a true tag, or lack one, whichever are fewer. Of one ranking of all pairs the lower
    end is no higher than the normal one with one pseudo-case added, whose scores do not depend on its tags: a
    sample may lack the few cases that are ranked incorrectly in most tags. From `MOST_ADDED_TO` cases on, one more is
    negligible.
    """
    true = np.diff(table.truth.indptr)
    weights = design.places.weight
    has, lacks = true > 0, true < len(table.labels)
    about = has if (weights * has).sum() <= (weights * lacks).sum() else lacks
    influence = _influence(measure, table, value)
    limits = by_moments(measure, value, influence, design, level, about)
    area = {"micro_roc_auc": 0, "micro_average_precision": 1}.get(measure.name)
    is_small = equal_cases(design.total, design.places.squares.sum()) < MOST_ADDED_TO
    if isinstance(limits, str) or value in measure.bounds or area is None or not is_small:
        return limits
    slope, variance = add_case_at_random(table)[area], design.spread(influence).variance
    low, high = extend_by_case(measure, value, limits[:2], slope, variance, design, level, influence)
    return low, high, f"{limits[2]}, {AT_RANDOM}"


@interval(
    "influence function, moderated variance",
    of=("macro_average_precision",),
    tables=(MultilabelScores,),
    drawn=ANYHOW,
    references=("boyd2013", "smyth2004", "satterthwaite1946"),
)
def mean_precision_of_tags(
    measure: Measure, table: MultilabelScores, value: float, design: Design, level: float
) -> IntervalResult:
    """value ± t · se on the logit scale, the variance of each tag moderated by that of a share of its positives.

    A tag of few positives shows too little spread: V becomes (P V + 2 H) / (P + 2), with P the tag's positives and H
    the variance of a share of P (Boyd et al. 2013) at an average precision of at most 1 - 1 / (2 P). What cases add to
    the mean varies by as much more as the sum of these does.
    """
    if design.number < 2:
        return "one case shows no variation"
    if value in measure.bounds:
        return _at_end(table, value, design, level)
    ranking = tag_ranking(table)
    positives, _ = _effective(table, design)
    ap = np.minimum(ranking.aps, 1 - 0.5 / positives)
    model = ap * (1 - ap) / positives
    moderated = (positives * ranking.ap_squares + FEW * model) / (positives + FEW)
    spread = design.spread(ranking.of_aps)
    together = spread.variance * moderated.sum() / ranking.ap_squares.sum()
    parts = moderated / moderated.sum()
    degrees = satterthwaite(1.0, parts, positives + 2)
    scale = scale_of(measure.bounds)
    name = f"{design.before}influence function, moderated variance, t, {scale.name}"
    quantile = student_quantile(level, min(degrees, max(1.0, spread.degrees)))
    return *scale.interval(value, float(np.sqrt(together)), quantile), name


def influence_on_ranks(measure: Measure, table: MultilabelScores, value: float) -> Array:
    """Return what one more of each row adds to a measure of scores, `(rows,)`."""
    if measure.of_cases is not None:
        return influence_of_means(measure.of_cases(table), table.weights, value)
    if measure.name == "macro_roc_auc":
        return tag_ranking(table).of_mean(np.full(len(table.labels), 1 / len(table.labels)))
    return _influence(measure, table, value)


def _influence(measure: Measure, table: MultilabelScores, value: float) -> Array:
    ranking = tag_ranking(table)
    if measure.name == "micro_roc_auc":
        return ranking.micro.of_auc
    if measure.name == "micro_average_precision":
        return ranking.micro.of_ap
    if measure.name == "macro_average_precision":
        return ranking.of_aps
    share = ranking.positives / ranking.positives.sum()
    known = np.nan_to_num(ranking.aucs)
    return np.asarray(
        ranking.of_mean(share)
        + table.truth @ np.where(share > 0, known - value, 0.0) / ranking.positives.sum()
    )


interval(
    "one pseudo-case added",
    of=is_mean_over_cases,
    tables=(MultilabelScores,),
    drawn=ANYHOW,
    references=("student1908", "satterthwaite1946", "binder1983"),
)(mean_of_cases)
