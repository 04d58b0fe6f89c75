"""Measures of probabilities: proper scores, from a ScoreTable (binary) or a CaseTable (one score per class)."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.scales import improper_rows
from classay.compiled import Kernel, kernel
from classay.measures.registry import Influence, Measure, mean_loss, measure, proportion, ratio
from classay.measures.vocabulary import EMPTY_CASES, NOT_PROBABILITIES, ONE_TRUE_CLASS_SEEN
from classay.once import memoize
from classay.tables import CaseTable, ExactSum, ScoreTable
from classay.tables.binning import Losses
from classay.tables.bins import BinnedScoreTable
from classay.tables.scores import ends

Array = NDArray[Any]
UNBOUNDED = (0.0, float("inf"))
SKILL = (-float("inf"), 1.0)


def _log_losses(scores: Any, positives: Any, negatives: Any) -> tuple[Any, Any]:
    p = scores.astype(np.float64)
    with np.errstate(divide="ignore"):
        on_positive, on_negative = -np.log(p), -np.log1p(-p)

    def total(a: Any, b: Any) -> Any:
        # infinity times no case is no loss
        return np.where(positives > 0, positives * a, 0.0).sum(-1) + np.where(
            negatives > 0, negatives * b, 0.0
        ).sum(-1)

    with np.errstate(invalid="ignore"):
        return total(on_positive, on_negative), total(on_positive**2, on_negative**2)


@kernel(twin=_log_losses, nanoseconds=70)
def log_losses(scores: Any, positives: Any, negatives: Any) -> tuple[Any, Any]:
    """Sum over cases of the log-loss and of its square."""
    total = squares = 0.0
    m = scores.shape[0]
    for start in range(0, m, 1024):  # short partial sums keep the rounding error small
        part = part_squares = 0.0
        for i in range(start, min(start + 1024, m)):
            p = np.float64(scores[i])
            if positives[i] > 0:
                loss = -np.log(p)
                part += positives[i] * loss
                part_squares += positives[i] * loss * loss
            if negatives[i] > 0:
                loss = -np.log1p(-p)
                part += negatives[i] * loss
                part_squares += negatives[i] * loss * loss
        total += part
        squares += part_squares
    return total, squares


def _brier_losses(scores: Any, positives: Any, negatives: Any) -> tuple[Any, Any]:
    p = scores.astype(np.float64)
    on_positive, on_negative = (1 - p) ** 2, p**2
    return (
        (positives * on_positive + negatives * on_negative).sum(-1),
        (positives * on_positive**2 + negatives * on_negative**2).sum(-1),
    )


@kernel(twin=_brier_losses)
def brier_losses(scores: Any, positives: Any, negatives: Any) -> tuple[Any, Any]:
    """Sum over cases of the squared error of the probability and of its square."""
    total = squares = 0.0
    m = scores.shape[0]
    for start in range(0, m, 1024):
        part = part_squares = 0.0
        for i in range(start, min(start + 1024, m)):
            p = np.float64(scores[i])
            a, b = (1 - p) ** 2, p * p
            part += positives[i] * a + negatives[i] * b
            part_squares += positives[i] * a * a + negatives[i] * b * b
        total += part
        squares += part_squares
    return total, squares


@memoize
def _log_moments(scores: ScoreTable) -> tuple[Any, Any, Any]:
    kept = _kept(scores)
    return (
        _moments(log_losses, scores)
        if kept is None
        else _of_sums(scores, kept.log_loss, kept.log_loss_squares)
    )


@memoize
def _brier_moments(scores: ScoreTable) -> tuple[Any, Any, Any]:
    kept = _kept(scores)
    return (
        _moments(brier_losses, scores) if kept is None else _of_sums(scores, kept.brier, kept.brier_squares)
    )


def _kept(scores: ScoreTable) -> Losses | None:
    """Return the sums that bins keep, because their scores are blurred."""
    return scores.bins.losses if isinstance(scores, BinnedScoreTable) else None


def _of_sums(scores: ScoreTable, total: ExactSum, squares: ExactSum) -> tuple[Any, Any, Any]:
    return scores.n_positive + scores.n_negative, np.float64(total.value), np.float64(squares.value)


def _moments(losses: Kernel, scores: ScoreTable) -> tuple[Any, Any, Any]:
    """Cases, and the sums of a loss kernel over them; NaN where the scores are no probabilities."""
    n = scores.n_positive + scores.n_negative
    if not scores.are_probabilities:
        return n, np.full_like(n, np.nan, np.float64), np.full_like(n, np.nan, np.float64)
    how = losses if scores.positives.ndim == 1 else losses.twin  # the twin also knows leading axes
    return n, *how(scores.scores, scores.positives, scores.negatives)


def _case_moments(total: Any, squares: Any, cases: Any) -> tuple[Any, Any, Any]:
    n = cases.true.sum()
    if not cases.are_probabilities:
        return n, np.float64("nan"), np.float64("nan")
    return n, np.float64(total.value), np.float64(squares.value)


def are_probabilities(scores: Array) -> bool:
    """Check whether all scores lie in [0, 1], and those of several classes sum to 1."""
    if not scores.size:
        return False
    if scores.ndim == 2:
        return not improper_rows(scores).any()
    return bool(scores.min() >= 0 and scores.max() <= 1)


def log_losses_of_cases(scores: Array, true: Array) -> Array | None:
    """-ln p(true class) of each case; None where the scores are no probabilities.

    `scores` are those of the positive class, `(cases,)`, with `true` 0 or 1, or those of all classes, `(cases,
    classes)`, with codes.

    >>> print(log_losses_of_cases(np.array([0.9, 0.2]), np.array([1, 0])).round(4))
    [0.1054 0.2231]
    """
    if not are_probabilities(scores):
        return None
    with np.errstate(divide="ignore"):
        if scores.ndim == 1:
            p = scores.astype(np.float64)
            return np.asarray(-np.where(true == 1, np.log(p), np.log1p(-p)))
        return np.asarray(-np.log(_own(scores, true)))


def brier_losses_of_cases(scores: Array, true: Array) -> Array | None:
    """(p - y)² of each case, summed over the classes of several; None where the scores are no probabilities.

    >>> print(brier_losses_of_cases(np.array([0.9, 0.2]), np.array([1, 0])).round(4))
    [0.01 0.04]
    """
    if not are_probabilities(scores):
        return None
    p = scores.astype(np.float64)
    if p.ndim == 1:
        return np.asarray((p - (true == 1)) ** 2)
    p_true = _own(scores, true)
    return np.asarray((p**2).sum(1) - p_true**2 + (1 - p_true) ** 2)


def _own(scores: Array, true: Array) -> Array:
    return np.take_along_axis(scores, true[:, None].astype(np.intp), axis=1)[:, 0].astype(np.float64)


def losses_at_scores(table: ScoreTable, name: str) -> Influence:
    """Return the loss of a positive and a negative case at each score."""
    return losses_of(table.scores.astype(np.float64), name)


def losses_of(p: Array, name: str) -> Influence:
    """Return the loss of a positive and a negative case of each probability."""
    with np.errstate(divide="ignore"):
        return (-np.log(p), -np.log1p(-p)) if name.startswith("log") else ((1 - p) ** 2, p**2)


def greatest_loss(table: ScoreTable, name: str) -> float:
    """Return the greatest loss of a case: of the positive with the lowest score, or the negative with the highest."""
    (_, last), (first, _) = ends(table)
    on_positive, on_negative = losses_of(table.scores[[last, first]].astype(np.float64), name)
    used = table.positives[last] > 0, table.negatives[first] > 0
    return max(float(loss) for loss, any_ in zip((on_positive[0], on_negative[1]), used, strict=True) if any_)


def mean_loss_influence(name: str) -> Callable[[ScoreTable, float], Influence]:
    """(loss - mean) / n."""

    def influence(table: ScoreTable, value: float) -> Influence:
        total = float(table.n_positive + table.n_negative)
        on_positive, on_negative = losses_at_scores(table, name)
        return (on_positive - value) / total, (on_negative - value) / total

    return influence


def base_rate_loss(table: ScoreTable, name: str) -> tuple[float, Any]:
    """The mean loss of always saying the base rate, and what a positive and a negative case add to it, `(2,)`."""
    p, n = float(table.n_positive), float(table.n_negative)
    share = np.array([p, n]) / (p + n)
    if name.startswith("log"):
        surprise = -np.log(share)
        return float(share @ surprise), surprise
    base = float(share.prod())
    return base, base + (1 - 2 * share) * (1 - share)


def skill_influence(name: str) -> Callable[[ScoreTable, float], Influence]:
    """Through the mean loss, and through the base rate's loss that it is measured by."""

    def influence(table: ScoreTable, value: float) -> Influence:
        base, surprise = base_rate_loss(table, name)
        total = float(table.n_positive + table.n_negative)
        parts = zip(losses_at_scores(table, name), surprise, strict=True)
        on_positive, on_negative = (((1 - value) * prior - loss) / base / total for loss, prior in parts)
        return on_positive, on_negative

    return influence


@mean_loss(
    "Log-loss",
    formula="-mean ln p(true class)",
    bounds=UNBOUNDED,
    reference="good1952",
    undefined=(NOT_PROBABILITIES,),
    aliases=("cross_entropy", "logloss", "ll"),
    traits=("of either class", "summed beside bins"),
    influence=mean_loss_influence("log_loss"),
    losses=log_losses_of_cases,
)
def log_loss(probabilities: ScoreTable | CaseTable) -> Any:
    """Mean negative natural logarithm of the probability of the true class. Infinite if that probability is 0.

    >>> from classay.tables import ScoreTable
    >>> print(log_loss(ScoreTable.from_rows(np.array([0.9, 0.2]), np.array([True, False]))).round(4))
    0.1643
    """
    if isinstance(probabilities, CaseTable):
        return _case_moments(probabilities.log_loss, probabilities.sums.log_loss_squares, probabilities)
    return _log_moments(probabilities)


@mean_loss(
    "Brier score",
    formula="mean (p - y)²",
    bounds=(0, 1),
    reference="brier1950",
    undefined=(NOT_PROBABILITIES,),
    aliases=("brier", "brier_score_loss"),
    traits=("of either class", "summed beside bins"),
    influence=mean_loss_influence("brier_score"),
    losses=brier_losses_of_cases,
)
def brier_score(scores: ScoreTable) -> Any:
    """Mean squared error of the probability of the positive class.

    >>> from classay.tables import ScoreTable
    >>> print(brier_score(ScoreTable.from_rows(np.array([0.9, 0.2]), np.array([True, False]))).round(4))
    0.025
    """
    return _brier_moments(scores)


def why_infinite(probabilities: ScoreTable | CaseTable) -> str:
    """Return why a log-loss is infinite: how many cases got probability 0 for their true class."""
    if isinstance(probabilities, CaseTable):
        return _infinite(probabilities.log_loss.infinite)
    if probabilities.is_weighted:
        return _infinite(None)
    at = probabilities.scores
    return _infinite(probabilities.positives[at == 0].sum() + probabilities.negatives[at == 1].sum())


UNBOUNDED_BY_ENDS = ("log_loss", "log_loss_skill", "log_loss_miscalibration")
"""Measures that the first wrong case with a score of exactly 0 or 1 makes infinite."""


def why_unbounded(measure: Measure, probabilities: ScoreTable | CaseTable) -> str | None:
    """Why a finite log-loss has no interval: scores of exactly 0 or 1, right ones too; None where it may have one."""
    if measure.base not in UNBOUNDED_BY_ENDS or not probabilities.are_probabilities:
        return None
    if isinstance(probabilities, CaseTable):
        count: float | None = probabilities.at_ends
        return ends_in_words(count, probabilities.cases, "cases have a score of") if count else None
    if isinstance(probabilities, BinnedScoreTable):
        count = None if probabilities.has_ends else 0
    else:
        p = probabilities.scores
        at_ends = (p == 0) | (p == 1)
        count = float((probabilities.positives + probabilities.negatives)[at_ends].sum())
    if count == 0:
        return None
    is_known = count is not None and not probabilities.is_weighted
    return ends_in_words(count if is_known else None, probabilities.n_positive + probabilities.n_negative)


def ends_in_words(count: float | None, total: float, what: str = "scores are") -> str:
    """Why scores of exactly 0 or 1 leave the log-loss without an interval; the count is None where it is unknown.

    >>> ends_in_words(3, 80)[:67]
    '3 of 80 scores are exactly 0 or 1, so the log loss has no upper lim'
    """
    some = "some" if count is None else f"{int(count):,} of {int(total):,}"
    what = what.replace("are", "is").replace("have", "has") if count == 1 else what
    return (
        f"{some} {what} exactly 0 or 1, so the log loss has no upper limit (use the Brier score, or scores before "
        "rounding)"
    )


def _infinite(cases: int | None) -> str:
    whose = "some cases" if cases is None else "1 case" if cases == 1 else f"{cases:,} cases"
    return f"infinite because the true class of {whose} has probability 0"


def _skill(value: Any, base: Any) -> Any:
    return 1 - ratio(value, base)


def entropy(shares: Any) -> Any:
    """-sum p ln p over the last axis, in natural logarithms.

    >>> print(entropy(np.array([0.5, 0.5])).round(4))
    0.6931
    """
    return -(shares * np.log(np.where(shares > 0, shares, 1))).sum(-1)


@measure(
    "Log-loss skill",
    formula="1 - log-loss / entropy of the class shares",
    bounds=SKILL,
    best=1,
    reference="murphy1973",
    undefined=(NOT_PROBABILITIES, ONE_TRUE_CLASS_SEEN),
    aliases=("mcfadden_r2",),
    traits=("of either class", "summed beside bins"),
    influence=skill_influence("log_loss"),
)
def log_loss_skill(probabilities: ScoreTable | CaseTable) -> Any:
    """Reduction of the log loss relative to predicting the class shares for every case. 0: no reduction.

    >>> from classay.tables import ScoreTable
    >>> print(log_loss_skill(ScoreTable.from_rows(np.array([0.9, 0.2]), np.array([True, False]))).round(4))
    0.763
    """
    classes = probabilities.class_totals
    return _skill(log_loss(probabilities), entropy(ratio(classes, classes.sum(-1, keepdims=True))))


@measure(
    "Brier skill",
    formula="1 - Brier / (prevalence (1 - prevalence))",
    bounds=SKILL,
    best=1,
    reference="murphy1973",
    undefined=(NOT_PROBABILITIES, ONE_TRUE_CLASS_SEEN),
    aliases=("bss", "brier_skill_score"),
    traits=("of either class", "summed beside bins"),
    influence=skill_influence("brier_score"),
)
def brier_skill(scores: ScoreTable) -> Any:
    """Reduction of the Brier score relative to predicting the prevalence for every case. 0: no reduction.

    >>> from classay.tables import ScoreTable
    >>> print(brier_skill(ScoreTable.from_rows(np.array([0.9, 0.2]), np.array([True, False]))).round(4))
    0.9
    """
    p = ratio(scores.n_positive, scores.n_positive + scores.n_negative)
    return _skill(brier_score(scores), p * (1 - p))


@mean_loss(
    "Brier score, several classes",
    formula="mean sum over classes of (p - y)²",
    bounds=(0, 2),
    reference="brier1950",
    undefined=(NOT_PROBABILITIES,),
    aliases=("multiclass_brier",),
    losses=brier_losses_of_cases,
)
def multiclass_brier_score(cases: CaseTable) -> Any:
    """Mean squared distance of class probabilities from the true class (0 to 2). Two classes: twice the Brier score.

    >>> from classay.tables import CaseTable
    >>> rows = CaseTable.from_rows(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]]), np.array([0, 1]), ("a", "b", "c"))
    >>> print(multiclass_brier_score(rows).round(4))
    0.32
    """
    return _case_moments(cases.brier, cases.sums.brier_squares, cases)


@measure(
    "Brier skill, several classes",
    formula="1 - Brier / (1 - sum of squared class shares)",
    bounds=SKILL,
    best=1,
    reference="murphy1973",
    undefined=(NOT_PROBABILITIES, ONE_TRUE_CLASS_SEEN),
)
def multiclass_brier_skill(cases: CaseTable) -> Any:
    """Reduction of the Brier score relative to predicting the class shares for every case. 0: no reduction.

    >>> from classay.tables import CaseTable
    >>> rows = CaseTable.from_rows(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]]), np.array([0, 1]), ("a", "b", "c"))
    >>> print(multiclass_brier_skill(rows).round(4))
    0.36
    """
    shares = ratio(cases.true, cases.true.sum())
    return _skill(multiclass_brier_score(cases), 1 - (shares * shares).sum())


def top_cases(cases: CaseTable, k: int) -> tuple[Any, Any]:
    """Weight of the cases whose true class is among the k best scores, and of all cases."""
    return cases.ranks[..., :k].sum(-1), cases.ranks.sum(-1)


@proportion(
    "Top-2 accuracy",
    formula="cases whose true class has one of the 2 best scores / n",
    best=1,
    reference="sokolova2009",
    undefined=(EMPTY_CASES,),
    aliases=("top2_accuracy", "top2"),
)
def top_2_accuracy(cases: CaseTable) -> Any:
    """Share of cases whose true class is among the 2 highest scores, equal scores in the order of the labels.

    >>> from classay.tables import CaseTable
    >>> rows = CaseTable.from_rows(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]]), np.array([2, 1]), ("a", "b", "c"))
    >>> print(top_2_accuracy(rows))
    0.5
    """
    return top_cases(cases, 2)


@proportion(
    "Top-3 accuracy",
    formula="cases whose true class has one of the 3 best scores / n",
    best=1,
    reference="sokolova2009",
    undefined=(EMPTY_CASES,),
    aliases=("top3_accuracy", "top3"),
)
def top_3_accuracy(cases: CaseTable) -> Any:
    """Share of cases whose true class is among the 3 highest scores, equal scores in the order of the labels.

    >>> from classay.tables import CaseTable
    >>> rows = CaseTable.from_rows(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]]), np.array([2, 1]), ("a", "b", "c"))
    >>> print(top_3_accuracy(rows))
    1.0
    """
    return top_cases(cases, 3)


@proportion(
    "Top-5 accuracy",
    formula="cases whose true class has one of the 5 best scores / n",
    best=1,
    reference="sokolova2009",
    undefined=(EMPTY_CASES,),
    aliases=("top5_accuracy", "top5"),
)
def top_5_accuracy(cases: CaseTable) -> Any:
    """Share of cases whose true class is among the 5 highest scores, equal scores in the order of the labels.

    >>> from classay.tables import CaseTable
    >>> rows = CaseTable.from_rows(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]]), np.array([2, 1]), ("a", "b", "c"))
    >>> print(top_5_accuracy(rows))
    1.0
    """
    return top_cases(cases, 5)
