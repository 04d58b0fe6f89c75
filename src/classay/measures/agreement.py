"""Measures of a whole confusion matrix, from the hits, predicted and true weight of each class, `[..., class]`."""

from typing import Any

import numpy as np

from classay.measures.conditions import (
    CLASS_NEVER_TRUE,
    EMPTY,
    NO_ORDER_OF_CLASSES,
    ONE_PREDICTED_CLASS,
    ONE_TRUE_CLASS,
    SAME_SINGLE_CLASS,
    SAME_SINGLE_CLASS_MATRIX,
)
from classay.measures.registry import measure, proportion, ratio
from classay.tables import ConfusionMatrix, Margins
from classay.tables.running import greatest


@proportion(
    "Accuracy",
    formula="sum of hits / n",
    best=1,
    reference="zaki2014",
    undefined=(EMPTY,),
    aliases=("acc",),
)
def accuracy(hits: Any, predicted: Any, true: Any) -> Any:
    """Share of cases that are called by their true class. Judge it against `baseline_accuracy`.

    >>> print(accuracy(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])))
    0.95
    """
    return hits.sum(-1), true.sum(-1)


@proportion(
    "Error rate",
    formula="1 - accuracy",
    best=0,
    reference="zaki2014",
    undefined=(EMPTY,),
    complement="accuracy",
    aliases=("error", "misclassification_rate"),
)
def error_rate(hits: Any, predicted: Any, true: Any) -> Any:
    """Share of cases that are called by a wrong class.

    >>> print(error_rate(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])))
    0.05
    """
    return true.sum(-1) - hits.sum(-1), true.sum(-1)


@proportion(
    "Baseline (majority) accuracy",
    formula="largest class / n",
    best=None,
    reference="zaki2014",
    undefined=(EMPTY,),
    aliases=("majority_accuracy", "no_information_rate"),
)
def baseline_accuracy(hits: Any, predicted: Any, true: Any) -> Any:
    """Accuracy of always calling the largest class of the test set.

    >>> print(baseline_accuracy(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])))
    0.9
    """
    return greatest(true), true.sum(-1)


@measure(
    "Balanced accuracy",
    formula="mean recall of the classes",
    bounds=(0, 1),
    best=1,
    reference="brodersen2010",
    undefined=(CLASS_NEVER_TRUE,),
    aliases=("ba", "bacc"),
)
def balanced_accuracy(hits: Any, predicted: Any, true: Any) -> Any:
    """Accuracy if all classes were equally frequent; one half, or 1/k, for any constant prediction.

    >>> print(balanced_accuracy(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])).round(4))
    0.7944
    """
    return ratio(hits, true).mean(-1)


@measure(
    "Matthews correlation",
    formula="(c·n - sum p·t) / sqrt((n² - sum p²)(n² - sum t²))",
    bounds=(-1, 1),
    best=1,
    reference="gorodkin2004",
    undefined=(ONE_TRUE_CLASS, ONE_PREDICTED_CLASS),
    aliases=("mcc", "phi", "r_k"),
)
def matthews_correlation(hits: Any, predicted: Any, true: Any) -> Any:
    """Correlation of true and predicted class, with c hits, p predicted and t true cases; R_K beyond two classes.

    >>> print(matthews_correlation(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])).round(4))
    0.6924
    """
    (p, not_p), (t, not_t) = _shares(predicted, true), _shares(true, true)
    spread = (p * not_p).sum(-1) * (t * not_t).sum(-1)
    return ratio(_beyond_chance(hits, predicted, true), np.sqrt(spread))


def _shares(part: Any, true: Any) -> tuple[Any, Any]:
    """Each class's share of all cases, and that of the others. Products of shares cannot overflow as counts do."""
    n = true.sum(-1)[..., None]
    return ratio(part, n), ratio(n - part, n)


def _beyond_chance(hits: Any, predicted: Any, true: Any) -> Any:
    """Agreement beyond chance, p_o - p_e, as a sum over classes of TP·TN - FP·FN: no digits cancel for rare classes."""
    n = true.sum(-1)[..., None]
    fp, fn = predicted - hits, true - hits
    tp, fp, fn, tn = (ratio(part, n) for part in (hits, fp, fn, n - predicted - fn))
    return (tp * tn - fp * fn).sum(-1)


@measure(
    "Cohen's kappa",
    formula="(p_o - p_e) / (1 - p_e)",
    bounds=(-1, 1),
    best=1,
    reference="cohen1960",
    undefined=(EMPTY, SAME_SINGLE_CLASS),
    aliases=("kappa",),
)
def cohen_kappa(hits: Any, predicted: Any, true: Any) -> Any:
    """Agreement of prediction and truth beyond what their frequencies alone would give.

    >>> print(cohen_kappa(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])).round(4))
    0.6795
    """
    p, not_t = _shares(predicted, true)[0], _shares(true, true)[1]
    return ratio(_beyond_chance(hits, predicted, true), (p * not_t).sum(-1))


def distances(k: int, power: int) -> Any:
    """|i - j|^power between k ordered classes, `[class, class]`.

    >>> distances(3, 1)
    array([[0, 1, 2],
           [1, 0, 1],
           [2, 1, 0]])
    """
    at = np.arange(k)
    return np.abs(at[:, None] - at[None, :]) ** power


def mean_distances(share: Any, power: int) -> Any:
    """The mean of |i - j|^power from each of k ordered classes to a class j drawn by its share, `[..., class]`.

    Sums over the classes, of parts that are never negative, instead of the k x k distances.

    >>> mean_distances(np.array([0.5, 0.5, 0.0]), 1)
    array([0.5, 0.5, 1.5])
    """
    if power == 2:  # the spread around the mean, and how far the class is from it
        # classes first, as draws lie in memory: long stretches of each class
        share = np.moveaxis(share, -1, 0)
        at = np.arange(share.shape[0]).reshape(-1, *[1] * (share.ndim - 1))
        whole = share.sum(0)
        apart = (at - ratio((share * at).sum(0), whole)) ** 2
        return np.moveaxis((share * apart).sum(0) + whole * apart, 0, -1)
    return _passed(share) + _passed(share[..., ::-1])[..., ::-1]


def _passed(share: Any) -> Any:
    """Sum of how far above the classes below it each class is: the shares, added up twice."""
    found, below = np.zeros_like(share), 0
    # class by class over all leading axes at once: `cumsum` goes through them one after another
    for at in range(share.shape[-1] - 1):
        below = below + share[..., at]
        found[..., at + 1] = found[..., at] + below
    return found


_DISTANCES = 1_000_000


def weighted_kappa(matrix: ConfusionMatrix, power: int) -> Any:
    """1 - observed / expected disagreement, |i - j|^power apart (Cohen 1968)."""
    return kappa_of_distances(_disagreement(matrix, power), matrix.total, matrix.margins, power)


def kappa_of_distances(apart: Any, n: Any, margins: Margins, power: int) -> Any:
    """The same, of the sum of the cells by |i - j|^power, `apart`, and of all of them, `n`, of the leading shape."""
    _, predicted, true = margins
    p, t = ratio(predicted, n[..., None]), ratio(true, n[..., None])
    return 1 - ratio(ratio(apart, n), (p * mean_distances(t, power)).sum(-1))


def _disagreement(matrix: ConfusionMatrix, power: int) -> Any:
    """Sum of the cells by how far they are off the diagonal, of the leading shape.

    Of one matrix the cells that occur are read; of many, blocks of the k x k distances are made one after another.
    """
    if matrix.is_one:
        predicted, true, cases = matrix.occupied
        return (cases * np.abs(predicted - true) ** power).sum()
    at = np.arange(matrix.counts.shape[-1])
    block, total = max(1, _DISTANCES // at.size), 0
    for first in range(0, at.size, block):
        apart = np.abs(at[first : first + block, None] - at[None, :]) ** power
        total = total + (matrix.counts[..., first : first + block, :] * apart).sum((-2, -1))
    return total


@measure(
    "Kappa, linear weights",
    formula="1 - sum |i-j|·n_ij / expected",
    bounds=(-1, 1),
    best=1,
    reference="cohen1968",
    undefined=(NO_ORDER_OF_CLASSES, SAME_SINGLE_CLASS_MATRIX),
    aliases=("linear_weighted_kappa",),
)
def linear_kappa(matrix: ConfusionMatrix) -> Any:
    """Cohen's kappa for ordered classes: an error counts by how many classes it is off, in the order of the labels.

    >>> from classay.tables import ConfusionMatrix
    >>> rows = [[50, 3, 2], [10, 30, 5], [4, 6, 40]]
    >>> print(linear_kappa(ConfusionMatrix.from_array(rows, "abc", rows="true", ordered=True)).round(4))
    0.7386
    """
    return weighted_kappa(matrix, 1)


@measure(
    "Kappa, quadratic weights",
    formula="1 - sum (i-j)²·n_ij / expected",
    bounds=(-1, 1),
    best=1,
    reference="cohen1968",
    undefined=(NO_ORDER_OF_CLASSES, SAME_SINGLE_CLASS_MATRIX),
    aliases=("quadratic_weighted_kappa", "qwk"),
)
def quadratic_kappa(matrix: ConfusionMatrix) -> Any:
    """Cohen's kappa for ordered classes: an error counts by the square of how many classes it is off.

    >>> from classay.tables import ConfusionMatrix
    >>> rows = [[50, 3, 2], [10, 30, 5], [4, 6, 40]]
    >>> print(quadratic_kappa(ConfusionMatrix.from_array(rows, "abc", rows="true", ordered=True)).round(4))
    0.7766
    """
    return weighted_kappa(matrix, 2)
