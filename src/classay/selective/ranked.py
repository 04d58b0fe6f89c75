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
    """Each case of a design with clusters: the place of its confidence, whether it is wrong, and its cluster."""

    level: Array
    wrong: Array
    cluster: Array

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
    def of_rows(cls, confidence: Array, wrong: Array, cluster: Array | None = None) -> RankedCases:
        """Count single cases by their confidence."""
        values, inverse, counts = _counted(np.asarray(confidence))
        errors = np.bincount(inverse, np.asarray(wrong, np.float64), values.size).astype(np.int64)
        clusters = None if cluster is None else CasesInClusters(inverse, np.asarray(wrong), cluster)
        return cls(values, counts, errors, int(inverse.size), clusters)

    @classmethod
    def of_losses(cls, confidence: Array, losses: Array) -> RankedCases:
        """Rank graded losses of single cases by their confidence."""
        order = np.argsort(-np.asarray(confidence), kind="stable")
        values, inverse, counts = _counted(np.asarray(confidence))
        sums = np.bincount(inverse, losses, values.size)
        return cls(values, counts, sums, int(inverse.size), losses=np.asarray(losses, np.float64)[order])

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
        both = (np.diff(each, prepend=0) for each in (covered, wrong))
        return RankedCases(self.confidence, *both, of=int(np.ceil(self.of * factor)))


def _counted(confidence: Array) -> tuple[Array, Array, Array]:
    """Return the distinct values, falling, the place of each row among them, and their numbers of rows."""
    order = np.argsort(confidence)[::-1]
    ranked = confidence[order]
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]])) if ranked.size else order
    counts = np.diff(np.append(starts, ranked.size))
    inverse = np.empty(order.size, np.int64)
    inverse[order] = np.repeat(np.arange(starts.size), counts)
    return ranked[starts], inverse, counts
