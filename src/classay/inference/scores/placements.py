"""Placements: how each case stands among those of the other class; what DeLong's variances are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import from_16_bits
from classay.compiled import kernel
from classay.threads import core_count, workers

Array = NDArray[Any]


def _place(order: Array, score: Array, positive: Array, weight: Any, p: float, n: float, out: Array) -> None:
    ordered = score[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    group = np.repeat(np.arange(starts.size), np.diff(np.append(starts, order.size)))
    w = np.ones(order.size) if weight is None else weight[order]
    is_positive = positive[order]
    negatives = np.bincount(group, weights=np.where(is_positive, 0.0, w))
    positives = np.bincount(group, weights=np.where(is_positive, w, 0.0))
    below, above = np.cumsum(negatives) - negatives, p - np.cumsum(positives)
    of_positive, of_negative = (below + negatives / 2) / n, (above + positives / 2) / p
    out[order] = np.where(is_positive, of_positive[group], of_negative[group])


@kernel(
    twin=_place,
    assumes="order holds each row once",
)
def place(order: Array, score: Array, positive: Array, weight: Any, p: float, n: float, out: Array) -> None:
    """Write each case's placement to `out`, in the order of the rows; `order` sorts the scores, ascending.

    That of a positive is the share of negatives it outranks, ties half; of a negative, the share of positives
    that outrank it. `p` and `n` are the weights of the classes.
    """
    rows = order.shape[0]
    below = above = 0.0
    start = 0
    while start < rows:
        stop = start
        here = score[order[start]]
        positives = negatives = 0.0
        while stop < rows and score[order[stop]] == here:
            row = order[stop]
            each = 1.0 if weight is None else weight[row]
            if positive[row]:
                positives += each
            else:
                negatives += each
            stop += 1
        of_positive = (below + negatives / 2) / n
        of_negative = (p - above - positives / 2) / p
        for i in range(start, stop):
            row = order[i]
            out[row] = of_positive if positive[row] else of_negative
        below += negatives
        above += positives
        start = stop


@dataclass(frozen=True, eq=False)
class Placements:
    """The placements of the same cases by several scores, `[model, case]`, the AUC of each, and the classes.

    `positive` are booleans, `weight` sampling weights or numbers of identical cases, or None; `(cases,)` each.
    """

    aucs: Array
    values: Array
    positive: Array
    weight: Array | None = None

    @classmethod
    def of(cls, scores: list[Array], positive: Array, weight: Array | None = None) -> Placements:
        """Rank the cases once by each score, O(n log n), on a thread for each. Sun & Xu 2014, IEEE SPL 21:1389.

        >>> found = Placements.of([np.array([0.9, 0.8, 0.7, 0.2])], np.array([True, False, True, False]))
        >>> found.aucs, found.values
        (array([0.75]), array([[1. , 0.5, 0.5, 1. ]]))
        """
        counts = np.ones(positive.size) if weight is None else weight.astype(np.float64)
        p, n = float(counts[positive].sum()), float(counts[~positive].sum())
        values = np.full((len(scores), positive.size), np.nan)
        given = None if weight is None else counts

        def rank(score: Array, out: Array) -> None:
            score = from_16_bits(score)
            place(np.argsort(score), score, positive, given, p, n, out)

        if p > 0 and n > 0:
            threads = min(len(scores), core_count()) if positive.size >= LONG else 1
            with workers(threads) as each:
                each(rank, scores, values)
        share = np.where(positive, counts, 0.0)
        known = p > 0 and n > 0
        aucs = np.array([float(np.dot(each, share)) / p if known else np.nan for each in values])
        return cls(aucs, values, positive, weight)

    def influence(self) -> Array:
        """How much each case moves each AUC, `[model, case]`: (placement - AUC) / weight of its class."""
        counts = np.ones(self.positive.size) if self.weight is None else self.weight
        p, n = float(counts[self.positive].sum()), float(counts[~self.positive].sum())
        return (self.values - self.aucs[:, None]) / np.where(self.positive, p, n)


LONG = 10_000
"""Cases from which a thread is worth starting."""


def _products(rows: Array, weight: Array | None = None) -> Array:
    """Sums of products of all pairs of rows, `[row, row]`: each pair by itself, for the same bits in any order."""
    found = np.empty((len(rows),) * 2)
    for i, one in enumerate(rows):
        for j, other in enumerate(rows[: i + 1]):
            found[i, j] = np.dot(one, other) if weight is None else np.dot(one * other, weight)
            found[j, i] = found[i, j]
    return found


def delong_covariance(placements: Placements) -> Array:
    """Covariances of the AUCs, `[model, model]`: those of the placements of positives, and of negatives.

    S10 / P + S01 / N with sample covariances. A weight counts identical cases here. DeLong, DeLong &
    Clarke-Pearson 1988, Biometrics 44:837. NaN with fewer than two cases of a class.
    """
    counts = np.ones(placements.positive.size) if placements.weight is None else placements.weight
    total = np.zeros((placements.aucs.size,) * 2)
    for kind in (placements.positive, ~placements.positive):
        own = placements.values[:, kind] - placements.aucs[:, None]
        m = float(counts[kind].sum())
        spread = _products(own, None if placements.weight is None else counts[kind])
        total += spread / (m - 1) / m if m > 1 else np.nan
    return total


def linearised_covariance(placements: Placements) -> Array:
    """Covariances of the AUCs of rows with sampling weights: sum of w² z² over rows, times u / (u - 1).

    z is the influence of a row and u = (Σw)² / Σw² the effective number of rows (Binder 1983).
    """
    assert placements.weight is not None
    each = placements.influence() * placements.weight
    units = float(placements.weight.sum() ** 2 / (placements.weight**2).sum())
    return np.asarray(_products(each) * (units / (units - 1) if units > 1 else np.nan))


def clustered_covariance(placements: Placements, cluster: Array) -> Array:
    """Covariances of the AUCs of cases in clusters, whole numbers from 0 without gaps.

    Obuchowski 1997, Biometrics 53:567: sums of placements over clusters, those of positives and of negatives
    each with the correction for the clusters that have any, and the covariance between the two. Clusters of one
    case give DeLong's. NaN with fewer than two clusters that hold a class.
    """
    clusters = int(cluster.max()) + 1
    influence = placements.influence()
    if placements.weight is not None:
        influence = influence * placements.weight
    sums, corrections = [], []
    for kind in (placements.positive, ~placements.positive):
        sums.append(
            np.stack([np.bincount(cluster, np.where(kind, each, 0.0), clusters) for each in influence])
        )
        holding = int(np.unique(cluster[kind]).size)
        corrections.append(holding / (holding - 1) if holding > 1 else np.nan)
    cross = np.array([[float(np.dot(one, other)) for other in sums[1]] for one in sums[0]])
    own = [factor * _products(each) for factor, each in zip(corrections, sums, strict=True)]
    return (
        own[0] + own[1] + clusters / (clusters - 1) * (cross + cross.T) if clusters > 1 else own[0] * np.nan
    )
