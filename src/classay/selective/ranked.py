"""Cases by confidence, the surest first, with their errors: all that a guarantee is a function of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class CasesInClusters:
    """Each case of a design with clusters: the place of its confidence, its error or loss, and its cluster.

    `largest` is the greatest size that a cluster can have, which bets need.
    """

    level: Array
    wrong: Array
    cluster: Array
    largest: int = 0

    @cached_property
    def number(self) -> int:
        """How many clusters have a case."""
        return int(np.unique(self.cluster).size)


@dataclass(frozen=True, eq=False)
class RankedCases:
    """Distinct confidences, falling, with the cases and the errors at each; `of` counts all cases, decidable or not.

    `losses` are the graded losses of single cases in this order, where errors are no whole numbers.

    >>> ranked = RankedCases.of_rows(np.array([0.9, 0.8, 0.9]), np.array([0, 1, 0]))
    >>> ranked.cases.tolist(), ranked.errors.tolist()
    ([2, 1], [0, 1])
    """

    confidence: Array
    cases: Array
    errors: Array
    of: int
    clusters: CasesInClusters | None = None
    losses: Array | None = None

    @classmethod
    def of_rows(
        cls, confidence: Array, wrong: Array, cluster: Array | None = None, times: Array | None = None
    ) -> RankedCases:
        """Count rows by their confidence, each as often as it occurs."""
        order = np.argsort(confidence)[::-1]
        ranked, wrong_ranked = confidence[order], np.asarray(wrong)[order]
        starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]])) if order.size else order
        number = np.ones(order.size, np.int64) if times is None else times[order].astype(np.int64)
        if not order.size:
            return cls(ranked, number, number, 0)
        cases, errors = np.add.reduceat(number, starts), np.add.reduceat(number * wrong_ranked, starts)
        clusters = None
        if cluster is not None:
            level = np.repeat(np.arange(starts.size), np.diff(np.append(starts, order.size)))
            clusters = CasesInClusters(level, wrong_ranked, cluster[order])
        return cls(ranked[starts], cases, errors, int(number.sum()), clusters)

    @classmethod
    def of_losses(
        cls, confidence: Array, losses: Array, cluster: Array | None = None, largest: int = 0
    ) -> RankedCases:
        """Rank graded losses of single cases by their confidence, in clusters of at most `largest` cases."""
        order = np.argsort(-np.asarray(confidence), kind="stable")
        ranked, loss = np.asarray(confidence)[order], np.asarray(losses, np.float64)[order]
        starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
        cases = np.diff(np.append(starts, order.size))
        clusters = None
        if cluster is not None:
            level = np.repeat(np.arange(starts.size), cases)
            clusters = CasesInClusters(level, loss, np.asarray(cluster)[order], largest)
        return cls(ranked[starts], cases, np.add.reduceat(loss, starts), order.size, clusters, loss)

    def losses_to_bet_on(self, place: int, risk: float) -> Array:
        """Return the graded losses down to a place, or for each cluster one loss from 0 to 1.

        That of a cluster is the risk plus its losses above the risk, added up and divided by the greatest size that a
        cluster can have, so that it is from 0 to 1 in every sample. Its mean exceeds the risk where that of the cases
        does, however they depend on each other.
        """
        assert self.losses is not None
        losses = self.losses[: int(self.covered[place])]
        if self.clusters is None:
            return losses
        codes = self.clusters.cluster[: losses.size]
        _, first, cluster = np.unique(codes, return_index=True, return_inverse=True)
        sums = np.bincount(cluster.ravel(), losses - risk)[np.argsort(first)]  # bets go by place, not by name
        return risk + sums / self.clusters.largest

    @cached_property
    def covered(self) -> Array:
        """The cases of at least each confidence."""
        return np.cumsum(self.cases)

    @cached_property
    def wrong(self) -> Array:
        """The errors among the cases of at least each confidence."""
        return np.cumsum(self.errors)

    @property
    def n(self) -> int:
        """The cases that may be decided."""
        return int(self.covered[-1]) if self.cases.size else 0

    def ends(self, ranks: Array) -> Array:
        """Return the places at which so many of the surest cases end, ties down to the end of their confidence."""
        places = np.searchsorted(self.covered, np.minimum(ranks, self.n))
        return np.unique(places)

    def times(self, factor: float) -> RankedCases:
        """Return as many times as many cases, errors rounded up: what a larger sample would be if nothing changed."""
        covered = np.ceil(self.covered * factor).astype(np.int64)
        wrong = np.minimum(np.ceil(self.wrong * factor - 1e-9), covered).astype(np.int64)
        cases, errors = np.diff(covered, prepend=0), np.diff(wrong, prepend=0)
        return RankedCases(self.confidence, cases, errors, int(np.ceil(self.of * factor)))
