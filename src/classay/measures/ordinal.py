"""Measures of classes in an order: how far off labels and probabilities are, and whether they rise with the truth."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from classay.columns.scales import improper_rows
from classay.errors import InputError
from classay.measures import ranking
from classay.measures.matrices import linear_kappa
from classay.measures.registry import COST, COUNT, Measure, family, like, ratio
from classay.measures.vocabulary import (
    CLASS_NEVER_TRUE,
    EMPTY_MATRIX,
    NO_ORDER_OF_CLASSES,
    ONE_CLASS_SEEN,
    ONE_PREDICTED_CLASS,
    ONE_TRUE_CLASS,
    Condition,
)
from classay.tables import ClassScoreTable, ConfusionMatrix
from classay.tables.sums import are_greatest

__all__ = [
    "accuracy_within",
    "concordance",
    "goodman_kruskal_gamma",
    "kendall_tau_b",
    "macro_mean_absolute_error",
    "mean_absolute_error",
    "mean_signed_error",
    "mean_squared_error",
    "ranked_probability_score",
    "ranked_probability_skill",
    "somers_d",
    "weighted_kappa",
]

SHOWN = (
    "mean_absolute_error",
    "mean_signed_error",
    "accuracy_within(1)",
    "kendall_tau_b",
    "mean_squared_error",
    "macro_mean_absolute_error",
    "somers_d",
    "goodman_kruskal_gamma",
    "concordance",
    "ranked_probability_score",
    "ranked_probability_skill",
)
"""What reports show of classes whose order somebody gave, the first few of them on top."""
Off = Callable[[Any], Any]
"""A loss of a case by how many places its predicted class is above its true one."""


def _of_margins(condition: Condition) -> Condition:
    return Condition(condition.text, condition.of_class, lambda matrix: condition.met(*matrix.margins))


ONE_TRUE, ONE_PREDICTED, NEVER_TRUE = map(
    _of_margins, (ONE_TRUE_CLASS, ONE_PREDICTED_CLASS, CLASS_NEVER_TRUE)
)
NO_PAIR = Condition(
    "no two cases differ both in their true and in their predicted class",
    "no two cases differ both in their true and in their predicted class",
    lambda matrix: ~(sum(pair_shares(matrix)) > 0),
)


# -- how far off -----------------------------------------------------------------------------------


def places_off(classes: int) -> Any:
    """Return how many places each predicted class is above each true one, `[predicted, true]`.

    >>> places_off(3)
    array([[ 0, -1, -2],
           [ 1,  0, -1],
           [ 2,  1,  0]])
    """
    at = np.arange(classes)
    return at[:, None] - at[None, :]


def _sum_off(matrix: ConfusionMatrix, off: Off) -> Any:
    """Sum of a loss over the cases, of the leading shape; of one matrix only the cells that occur are read."""
    if matrix.is_one:
        predicted, true, cases = matrix.occupied
        return (cases * off(predicted - true)).sum()
    return (matrix.counts * off(places_off(len(matrix.labels)))).sum((-2, -1))


def _mean_off(off: Callable[[ConfusionMatrix], Off]) -> dict[str, Any]:
    """Return the mean of a loss over the cases, and its influence."""

    def mean(matrix: ConfusionMatrix) -> Any:
        return ratio(_sum_off(matrix, off(matrix)), matrix.total)

    def influence(matrix: ConfusionMatrix, predicted: Any, true: Any) -> Any:
        return (off(matrix)(predicted - true) - mean(matrix)) / float(matrix.total)

    return {"function": mean, "cell_influence": influence}


def _macro_off(off: Callable[[ConfusionMatrix], Off]) -> dict[str, Any]:
    """Return the mean over the true classes of the mean loss of their cases, and its influence."""

    def of_classes(matrix: ConfusionMatrix) -> Any:
        sums = (matrix.counts * off(matrix)(places_off(len(matrix.labels)))).sum(-2)
        return ratio(sums, matrix.margins.true)

    def influence(matrix: ConfusionMatrix, predicted: Any, true: Any) -> Any:
        of_class, cases = of_classes(matrix), np.asarray(matrix.margins.true, np.float64)
        return (off(matrix)(predicted - true) - of_class[true]) / cases[true] / len(matrix.labels)

    return {"function": lambda matrix: of_classes(matrix).mean(-1), "cell_influence": influence}


def losses_of_steps(steps: tuple[float, ...]) -> Callable[[ConfusionMatrix], Off]:
    """What a case costs by how many steps it is off: the steps themselves, or of each number of them what is given.

    Raises InputError for steps that begin with another number than 0, descend, or are fewer than the classes.
    """
    if not steps:
        return lambda matrix: np.abs
    text = ", ".join(f"{step:g}" for step in steps)
    if steps[0] != 0 or any(here > there for here, there in pairwise(steps)):
        raise InputError(
            f"steps must be costs of errors by 0, 1, 2, … classes that start at 0 and do not decrease, but are {text}."
        )
    if steps[-1] == 0:
        raise InputError(f"steps must give a cost above 0 to at least one error, but are {text}.")
    losses = np.array(steps)

    def of(matrix: ConfusionMatrix) -> Off:
        if len(matrix.labels) > losses.size:
            raise InputError(
                f"steps must be {len(matrix.labels)} numbers for {len(matrix.labels)} classes, but are {text}."
            )
        return lambda off: losses[np.abs(off)]

    return of


def losses_of(measure: Measure, matrix: ConfusionMatrix) -> Any:
    """Return what a case counts in a mean error of these classes, `[predicted, true]`."""
    off = places_off(len(matrix.labels))
    if measure.name == "mean_squared_error":
        return np.square(off)
    return losses_of_steps(measure.parameters.get("steps", ()))(matrix)(off).astype(np.float64)


def _steps_in_words(steps: tuple[float, ...]) -> str:
    return f" (steps {', '.join(f'{step:g}' for step in steps)})" if steps else ""


@family(steps=COST)
def mean_absolute_error(*steps: float) -> Measure:
    """Mean number of classes that predictions are off. `steps` are the costs of errors by 0, 1, 2, … classes.

    >>> from classay.measures import get
    >>> from classay.tables import ClassScoreTable, ConfusionMatrix
    >>> rows = [[50, 3, 2], [10, 30, 5], [4, 6, 40]]
    >>> matrix = ConfusionMatrix.from_array(rows, "abc", rows="true", ordered=True)
    >>> print(get("mean_absolute_error")(matrix), get("mean_absolute_error(0, 1, 4)")(matrix))
    0.24 0.32
    """
    return Measure(
        "mean_absolute_error",
        title=f"Mean absolute error{_steps_in_words(steps)}",
        needs="matrix",
        formula="sum |i-j|·n_ij / n",
        bounds=(0, np.inf),
        best=0,
        undefined=(NO_ORDER_OF_CLASSES, EMPTY_MATRIX),
        reference="gaudette2009",
        **_mean_off(losses_of_steps(steps)),
    )


@family()
def mean_squared_error() -> Measure:
    """Mean squared number of classes that predictions are off. An error by two classes counts four times."""
    return like(
        mean_absolute_error(),
        name="mean_squared_error",
        title="Mean squared error",
        formula="sum (i-j)²·n_ij / n",
        **_mean_off(lambda matrix: np.square),
    )


@family()
def mean_signed_error() -> Measure:
    """Mean number of classes by which the prediction is above the true class. Below 0: predictions are too low."""
    return like(
        mean_absolute_error(),
        name="mean_signed_error",
        title="Mean signed error",
        formula="sum (i-j)·n_ij / n, i predicted, j true",
        bounds=(-np.inf, np.inf),
        **_mean_off(lambda matrix: lambda off: off),
    )


@family(steps=COST)
def macro_mean_absolute_error(*steps: float) -> Measure:
    """Mean over true classes of the mean absolute error, so that all classes have equal weight."""
    return like(
        mean_absolute_error(),
        name="macro_mean_absolute_error",
        title=f"Mean absolute error, macro average{_steps_in_words(steps)}",
        formula="mean over true classes j of sum_i |i-j|·n_ij / n_j",
        undefined=(NO_ORDER_OF_CLASSES, NEVER_TRUE),
        reference="baccianella2009",
        **_macro_off(losses_of_steps(steps)),
    )


@family(k=COUNT)
def accuracy_within(k: int) -> Measure:
    """Share of cases with a predicted class at most k classes from the true class."""

    def parts(matrix: ConfusionMatrix) -> tuple[Any, Any]:
        return _sum_off(matrix, lambda off: np.abs(off) <= k), matrix.total

    def influence(matrix: ConfusionMatrix, predicted: Any, true: Any) -> Any:
        inside = np.abs(predicted - true) <= k
        return (inside - ratio(*parts(matrix))) / float(matrix.total)

    return like(
        mean_absolute_error(),
        name="accuracy_within",
        title=f"Accuracy within {k} step{'' if k == 1 else 's'}",
        formula=f"cases with |i-j| <= {k} / n",
        bounds=(0.0, 1.0),
        best=1,
        function=lambda matrix: ratio(*parts(matrix)),
        parts=parts,
        cell_influence=influence,
    )


@family(steps=COST)
def weighted_kappa(*steps: float) -> Measure:
    """Cohen's kappa for ordered classes. `steps` are the weights of errors by 0, 1, 2, … classes. Default: linear."""
    if not steps:
        return linear_kappa
    off = losses_of_steps(steps)

    def expected(matrix: ConfusionMatrix) -> Any:
        """Return what an error of each true class counts with predictions drawn at random, `[true]`."""
        losses = off(matrix)(places_off(len(matrix.labels)))
        return ratio(matrix.margins.predicted, np.asarray(matrix.total)[..., None]) @ losses

    def kappa(matrix: ConfusionMatrix) -> Any:
        n = np.asarray(matrix.total)
        by_chance = (ratio(matrix.margins.true, n[..., None]) * expected(matrix)).sum(-1)
        return 1 - ratio(ratio(_sum_off(matrix, off(matrix)), n), by_chance)

    def influence(matrix: ConfusionMatrix, predicted: Any, true: Any) -> Any:
        of, n = off(matrix), float(matrix.total)
        of_true = expected(matrix)
        losses = of(places_off(len(matrix.labels)))
        t = np.asarray(matrix.margins.true) / n
        of_predicted, by_chance = losses @ t, float(of_true @ t)
        observed = float(_sum_off(matrix, of)) / n
        moved = of_predicted[predicted] + of_true[true] - 2 * by_chance
        return (observed / by_chance**2 * moved - (of(predicted - true) - observed) / by_chance) / n

    return like(
        linear_kappa,
        name="weighted_kappa",
        title=f"Kappa{_steps_in_words(steps)}",
        formula="1 - sum s(|i-j|)·n_ij / expected",
        function=kappa,
        cell_influence=influence,
    )


# -- pairs of cases --------------------------------------------------------------------------------


def _shares(matrix: ConfusionMatrix) -> Any:
    return ratio(matrix.counts, np.asarray(matrix.total)[..., None, None])


def _before(share: Any) -> Any:
    """Of each cell the sum over the cells that are before it on both axes, `[..., predicted, true]`."""
    sums = np.zeros_like(share, np.float64)
    sums[..., 1:, 1:] = share[..., :-1, :-1].cumsum(-1).cumsum(-2)
    return sums


def _agreeing(share: Any) -> Any:
    """Of each cell the share of cases that differ from it on both axes in the same direction."""
    return _before(share) + _before(share[..., ::-1, ::-1])[..., ::-1, ::-1]


def pair_shares(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Shares of ordered pairs of cases that are concordant and discordant, of the leading shape.

    >>> from classay.tables import ClassScoreTable, ConfusionMatrix
    >>> [float(share) for share in pair_shares(ConfusionMatrix(np.array([[3, 1], [0, 1]]), (0, 1)))]
    [0.24, 0.0]
    """
    share = _shares(matrix)
    concordant = 2 * (share * _before(share)).sum((-2, -1))
    turned = share[..., ::-1]
    return concordant, 2 * (turned * _before(turned)).sum((-2, -1))


def extreme_cells(matrix: ConfusionMatrix) -> list[tuple[int, int]]:
    """The cells where one more case would be discordant with most others, and where it would be concordant, with ties.

    >>> extreme_cells(ConfusionMatrix(np.array([[3, 1, 0], [1, 4, 1], [0, 1, 3]]), (0, 1, 2)))
    [(0, 2), (2, 0), (0, 0), (2, 2)]
    """
    share = _shares(matrix)
    against, along = _agreeing(share[:, ::-1])[:, ::-1], _agreeing(share)
    most = [np.flatnonzero(are_greatest(agreement.ravel())) for agreement in (against, along)]
    return [divmod(place, share.shape[0]) for place in np.concatenate(most).tolist()]


def _spread(of_class: Any, total: Any) -> Any:
    """Return the share of ordered pairs of cases that differ in their class, 1 - sum p², of the leading shape."""
    n = np.asarray(total)[..., None]
    return (ratio(of_class, n) * ratio(n - of_class, n)).sum(-1)


def _of_true(matrix: ConfusionMatrix) -> Any:
    return _spread(matrix.margins.true, matrix.total)


def _of_predicted(matrix: ConfusionMatrix) -> Any:
    return _spread(matrix.margins.predicted, matrix.total)


class _Pairs:
    """What the influence of a measure of pairs is made of: shares of pairs with each cell, and of all."""

    def __init__(self, matrix: ConfusionMatrix, predicted: Any, true: Any) -> None:
        share, margins, n = _shares(matrix), matrix.margins, float(matrix.total)
        self.n = n
        self.concordant = _agreeing(share)[predicted, true]
        self.discordant = _agreeing(share[:, ::-1])[:, ::-1][predicted, true]
        self.c, self.d = (float(pair_share) for pair_share in pair_shares(matrix))
        self.of_true, self.of_predicted = float(_of_true(matrix)), float(_of_predicted(matrix))
        self.beside_true = 1 - np.asarray(margins.true)[true] / n - self.of_true
        self.beside_predicted = 1 - np.asarray(margins.predicted)[predicted] / n - self.of_predicted
        self.apart = 2 * (self.concordant - self.discordant - (self.c - self.d))


def _tau_b(matrix: ConfusionMatrix) -> Any:
    concordant, discordant = pair_shares(matrix)
    return ratio(concordant - discordant, np.sqrt(_of_true(matrix) * _of_predicted(matrix)))


def _tau_b_influence(matrix: ConfusionMatrix, predicted: Any, true: Any) -> Any:
    of = _Pairs(matrix, predicted, true)
    tau = float(_tau_b(matrix))
    both = of.beside_true / of.of_true + of.beside_predicted / of.of_predicted
    return (of.apart / np.sqrt(of.of_true * of.of_predicted) - tau * both) / of.n


@family()
def kendall_tau_b() -> Measure:
    """Rank correlation of true and predicted classes, adjusted for ties on both sides."""
    return like(
        linear_kappa,
        name="kendall_tau_b",
        title="Kendall's tau-b",
        formula="(C - D) / sqrt((1 - sum p_j²)(1 - sum p_i²)), C and D shares of concordant and discordant pairs",
        undefined=(NO_ORDER_OF_CLASSES, ONE_TRUE, ONE_PREDICTED),
        reference="kendall1945",
        function=_tau_b,
        cell_influence=_tau_b_influence,
    )


def _somers_d(matrix: ConfusionMatrix) -> Any:
    concordant, discordant = pair_shares(matrix)
    return ratio(concordant - discordant, _of_true(matrix))


def _somers_d_influence(matrix: ConfusionMatrix, predicted: Any, true: Any) -> Any:
    of = _Pairs(matrix, predicted, true)
    return (of.apart - 2 * (of.c - of.d) / of.of_true * of.beside_true) / of.of_true / of.n


@family()
def somers_d() -> Measure:
    """Share of concordant minus share of discordant pairs, among pairs of cases with different true classes.

    Somers' D of the prediction given the truth: pairs with equal predictions count as neither.
    """
    return like(
        linear_kappa,
        name="somers_d",
        title="Somers' D of the prediction given the truth",
        formula="(C - D) / (1 - sum p_j²), j true",
        undefined=(NO_ORDER_OF_CLASSES, ONE_TRUE),
        reference="somers1962",
        function=_somers_d,
        cell_influence=_somers_d_influence,
    )


def _gamma(matrix: ConfusionMatrix) -> Any:
    concordant, discordant = pair_shares(matrix)
    return ratio(concordant - discordant, concordant + discordant)


def _gamma_influence(matrix: ConfusionMatrix, predicted: Any, true: Any) -> Any:
    of = _Pairs(matrix, predicted, true)
    return 4 * (of.concordant * of.d - of.discordant * of.c) / (of.c + of.d) ** 2 / of.n


@family()
def goodman_kruskal_gamma() -> Measure:
    """Share of concordant minus share of discordant pairs, among pairs that differ in true and in predicted class.

    It leaves ties out, and is never nearer to 0 than tau-b and Somers' D.
    """
    return like(
        linear_kappa,
        name="goodman_kruskal_gamma",
        title="Goodman and Kruskal's gamma",
        formula="(C - D) / (C + D)",
        undefined=(NO_ORDER_OF_CLASSES, NO_PAIR),
        reference="goodman1954",
        function=_gamma,
        cell_influence=_gamma_influence,
    )


@family()
def concordance() -> Measure:
    """Probability that two cases of different true classes have predictions in the correct order. Ties count one half.

    The ordinal c-index, (1 + Somers' D) / 2: of two classes, the AUC of the one point that labels are.
    """
    return like(
        somers_d(),
        name="concordance",
        title="Concordance (ordinal c-index)",
        formula="(C + ties of the prediction / 2) / (1 - sum p_j²)",
        bounds=(0.0, 1.0),
        function=lambda matrix: (1 + _somers_d(matrix)) / 2,
        cell_influence=lambda matrix, predicted, true: _somers_d_influence(matrix, predicted, true) / 2,
    )


# -- probabilities of the classes ------------------------------------------------------------------


def ranked_losses(scores: Any, true: Any) -> Any:
    """Of each case the mean over k < K of (P(class <= k) - [true <= k])², `(cases,)`; scores `(cases, classes)`."""
    k = scores.shape[1]
    below = (np.arange(k) >= np.asarray(true)[:, None])[:, :-1]
    return ((scores.astype(float).cumsum(1)[:, :-1] - below) ** 2).sum(1) / (k - 1)


def _ranked_or_none(scores: Any, true: Any) -> Any:
    """Return the same; None of scores that are no probabilities that sum to 1."""
    return None if improper_rows(scores).any() else ranked_losses(scores, true)


def ranked_influence(table: ClassScoreTable, value: float, scores: Any, true: Any) -> Any:
    """Influence of each case on the mean ranked loss, times all cases, `(cases,)`."""
    return ranked_losses(scores, true) - value


@family()
def ranked_probability_score() -> Measure:
    """Mean squared distance of cumulative class probabilities from the true class, in the order of the labels."""

    def mean(class_scores: ClassScoreTable) -> Any:
        rows = class_scores.rows
        if rows is None:
            raise InputError(
                "The ranked probability score needs single cases, but a file of an early version has none."
            )
        if _improper(class_scores):
            return np.float64("nan")
        return np.average(ranked_losses(rows.scores.T, rows.true), weights=rows.weight)

    return like(
        ranking.macro_roc_auc,
        name="ranked_probability_score",
        title="Ranked probability score",
        formula="mean of sum over k<K of (P(class <= k) - [true <= k])² / (K - 1)",
        best=0,
        reference="epstein1969",
        undefined=(NO_ORDER_OF_CLASSES, NO_DISTRIBUTIONS),
        influence=ranked_influence,
        losses=_ranked_or_none,
        function=mean,
    )


def losses_of_shares(class_scores: ClassScoreTable) -> Any:
    """What each true class would cost if every case were given the class shares, `(classes,)`; their mean is R0."""
    share = np.asarray(class_scores.class_totals, np.float64)
    share = share / share.sum()
    return ranked_losses(np.tile(share, (share.size, 1)), np.arange(share.size))


def reference_of_ranks(class_scores: ClassScoreTable) -> float:
    totals = np.asarray(class_scores.class_totals, np.float64)
    return float(losses_of_shares(class_scores) @ totals / totals.sum())


def skill_influence(table: ClassScoreTable, value: float, scores: Any, true: Any) -> Any:
    """Influence of each case on the share of the reference loss that is saved, times all cases, `(cases,)`.

    The class shares have the least reference loss, so that it moves by the loss of the case alone.
    """
    base, reference_losses = reference_of_ranks(table), losses_of_shares(table)[true]
    return -(ranked_losses(scores, true) - (1 - value) * reference_losses) / base


@family()
def ranked_probability_skill() -> Measure:
    """Reduction of the ranked probability score relative to predicting the class shares for every case."""

    def skill(class_scores: ClassScoreTable) -> Any:
        value = ranked_probability_score().raw(class_scores)
        if np.isnan(value) or ONE_CLASS_SEEN.met(class_scores):
            return np.float64("nan")
        return 1 - value / reference_of_ranks(class_scores)

    return like(
        ranked_probability_score(),
        name="ranked_probability_skill",
        title="Ranked probability skill",
        formula="1 - RPS / RPS of predicting the class shares",
        bounds=(-np.inf, 1.0),
        best=1,
        undefined=(NO_ORDER_OF_CLASSES, NO_DISTRIBUTIONS, ONE_CLASS_SEEN),
        influence=skill_influence,
        losses=None,
        function=skill,
    )


def _improper(class_scores: ClassScoreTable) -> bool:
    if class_scores.rows is None:  # the measure says so itself
        return False
    scores = class_scores.rows.scores
    return not scores.size or bool(improper_rows(scores.T).any())


NO_DISTRIBUTIONS = Condition(
    "class scores are not probabilities that sum to 1",
    "class scores are not probabilities that sum to 1",
    _improper,
)
