"""Mean losses compared: log-loss and Brier score, case by case."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.difference import How, Units, alike, of_clusters, of_variance, undefined
from classay.comparison.cases.sign_flips import sign_flips
from classay.comparison.comparison import Comparison
from classay.comparison.references import cite
from classay.comparison.registry import ONE_TEST_SET, Of, test
from classay.errors import InputError
from classay.tables.running import rounded_difference

Array = NDArray[Any]
LOSSES_OF_CASES = Of[Array, Comparison]("losses")
"""What these tests are of."""
PAIRED_T = How("paired t", "paired t", ("student1908",))
LINEARISED = How("linearised", "linearised z", ("binder1983",))
CLUSTERS = How("clusters, t", "t over clusters", ("binder1983", "rao1992"))
TOLERANCE = 1e-6


def log_losses(scores: Array, true: Array) -> Array | None:
    """-ln p(true class) of each case; None where the scores are no probabilities.

    `scores` are those of the positive class, `(cases,)`, with `true` 0 or 1, or those of all classes, `(cases,
    classes)`, with codes.

    >>> print(log_losses(np.array([0.9, 0.2]), np.array([1, 0])).round(4))
    [0.1054 0.2231]
    """
    if not are_probabilities(scores):
        return None
    with np.errstate(divide="ignore"):
        if scores.ndim == 1:
            p = scores.astype(np.float64)
            return np.asarray(-np.where(true == 1, np.log(p), np.log1p(-p)))
        return np.asarray(-np.log(_own(scores, true)))


def brier_losses(scores: Array, true: Array) -> Array | None:
    """(p - y)² of each case, summed over the classes of several; None where the scores are no probabilities.

    >>> print(brier_losses(np.array([0.9, 0.2]), np.array([1, 0])).round(4))
    [0.01 0.04]
    """
    if not are_probabilities(scores):
        return None
    p = scores.astype(np.float64)
    if p.ndim == 1:
        return np.asarray((p - (true == 1)) ** 2)
    own = _own(scores, true)
    return np.asarray((p**2).sum(1) - own**2 + (1 - own) ** 2)


LOSSES = {"log_loss": log_losses, "brier_score": brier_losses, "multiclass_brier_score": brier_losses}


def are_probabilities(scores: Array) -> bool:
    """Whether all scores lie in [0, 1], and those of several classes sum to 1."""
    if not scores.size:
        return False
    inside = bool(scores.min() >= 0 and scores.max() <= 1)
    return inside and (
        scores.ndim == 1 or bool((np.abs(scores.astype(np.float64).sum(1) - 1) <= TOLERANCE).all())
    )


def compare_losses(
    first: Array,
    second: Array,
    models: tuple[str, str] = ("first", "second"),
    *,
    measure: str = "log_loss",
    frequency: Array | None = None,
    weight: Array | None = None,
    cluster: Array | None = None,
    method: str | None = None,
    level: float = 0.95,
    width: float = inf,
    seed: int = 0,
) -> Comparison:
    """Compare two models by the losses of the same cases, `(cases,)` each: the paired t test and interval.

    method="permutation" takes the p-value from sign flips of the differences, of clusters' sums where there are
    clusters. `frequency` are numbers of identical cases; `weight` sampling weights, for which the variance is
    linearised; `cluster` whole numbers from 0 without gaps, for Student's t over clusters. A loss that is infinite
    leaves no test. Raises InputError for another method, or a permutation of weighted cases.

    >>> a, b = np.array([0.1, 0.4, 0.2, 0.3]), np.array([0.2, 0.4, 0.5, 0.4])
    >>> compare_losses(a, b, ("new", "old"))
    Comparison(log_loss of new less old: -0.125 [-0.325, 0.075] 95 %, paired t; p = 0.14, paired t)
    """
    if method not in (None, "t", "permutation"):
        raise InputError(f"no method for losses is named {method!r}: pass 't' or 'permutation'.")
    w = (
        np.ones(first.size)
        if weight is None and frequency is None
        else weight
        if frequency is None
        else frequency
    )
    assert w is not None
    values = (_mean(first, w), _mean(second, w))
    for name, value in zip(models, values, strict=True):
        if not np.isfinite(value):
            return undefined(
                models, measure, f"that of {name} is infinite: some case's true class got probability 0"
            )
    apart = rounded_difference(first, second)
    variance, units, how = _spread(apart, w, weight, cluster)
    if bool((apart == 0).all()):
        trials = units.n if how is PAIRED_T else 0
        return alike(models, measure, values, units, how, level, trials=trials, width=width)
    size = max(_mean(np.abs(first), w), _mean(np.abs(second), w))
    found = of_variance(models, measure, values, variance, units, how, level=level, width=width, size=size)
    if method != "permutation" or found.reason is not None or not found.statistic:
        return found
    if weight is not None:
        raise InputError("sampling weights have no permutation test: leave method out.")
    if cluster is not None:
        apart = np.bincount(cluster, w * apart)
    elif frequency is not None:
        apart = np.repeat(apart, frequency)
    return _replaced(found, *sign_flips(apart, seed=seed))


@test(
    "permutation", "sign-flip permutation", where=ONE_TEST_SET, of=LOSSES_OF_CASES, references=("pitman1937",)
)
def by_permutation(first: Array, /, second: Array, models: tuple[str, str], **how: Any) -> Comparison:
    """`compare_losses` with the p-value from sign flips."""
    return compare_losses(first, second, models, method="permutation", **how)


def _spread(apart: Array, w: Array, weight: Array | None, cluster: Array | None) -> tuple[float, Units, How]:
    """The variance of the mean difference, over what was drawn independently."""
    total = float(w.sum())
    off = w * (apart - float((w * apart).sum()) / total)
    if cluster is not None:
        return *of_clusters(np.bincount(cluster, off) / total), CLUSTERS
    if weight is not None:
        effective = total**2 / float((w**2).sum())
        factor = effective / (effective - 1) if effective > 1 else nan
        return factor * float((off**2).sum()) / total**2, Units(effective, "effective cases"), LINEARISED
    squares = float((off * off / np.where(w > 0, w, 1)).sum())
    variance = squares / (total - 1) / total if total > 1 else nan
    return variance, Units(total, "cases", total - 1), PAIRED_T


def _replaced(found: Comparison, p: float, tails: tuple[float, float]) -> Comparison:
    reference = f"{found.reference}; {cite('pitman1937')}"
    return replace(found, p=p, tails=tails, method="sign-flip permutation", reference=reference)


def _mean(losses: Array, w: Array) -> float:
    with np.errstate(invalid="ignore"):
        return float((losses * w).sum() / w.sum())


def _own(scores: Array, true: Array) -> Array:
    return np.take_along_axis(scores, true[:, None].astype(np.intp), axis=1)[:, 0].astype(np.float64)
