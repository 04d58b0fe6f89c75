"""Cuts: what every threshold of a score does, from the running sums of its table, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.tables import ScoreTable
from classay.tables.running import difference

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of z over the positives and the negatives at each score, `[..., 1 + amount, score]`.

    z is the constant 1, which counts cases or their weight, followed by the amounts that rows carry.
    """

    positive: Array
    negative: Array

    @classmethod
    def of(cls, table: ScoreTable) -> Sums:
        """Those of a score table."""
        counts = table.negatives, table.positives
        if table.amounts is None:
            negative, positive = (np.asarray(each, np.float64)[None] for each in counts)
            return cls(positive, negative)
        negative, positive = (
            np.concatenate([np.asarray(count, np.float64)[None], table.amounts.sums[:, i]])
            for i, count in enumerate(counts)
        )
        return cls(positive, negative)

    def at_prevalence(self, prevalence: float | None) -> Sums:
        """The same with a share `prevalence` of positives, of as many cases in all."""
        if prevalence is None:
            return self
        p, n = (each[..., 0, :].sum(-1)[..., None, None] for each in (self.positive, self.negative))
        with np.errstate(divide="ignore", invalid="ignore"):
            return Sums(
                self.positive * (prevalence * (p + n) / p), self.negative * ((1 - prevalence) * (p + n) / n)
            )


@dataclass(frozen=True, eq=False)
class Cuts:
    """Counts and mean cost of "positive" down to each of m scores: `[..., m + 1]`, from none called to all.

    `positives` and `negatives` are the totals, `[..., 1]`; `cost` is None where nothing has a cost.
    """

    tp: Array
    fp: Array
    positives: Array
    negatives: Array
    cost: Array | None = None

    @classmethod
    def of(cls, sums: Sums, cost: Array | None = None) -> Cuts:
        """From the sums by score; `cost` is `[predicted, true, 1 + amount]`, the negative class first."""
        tp, fp = (_running(each[..., 0, :]) for each in (sums.positive, sums.negative))
        p, n = tp[..., -1:], fp[..., -1:]
        if cost is None:
            return cls(tp, fp, p, n)
        change = _dot(cost[1, 1] - cost[0, 1], sums.positive) + _dot(cost[1, 0] - cost[0, 0], sums.negative)
        none = _dot(cost[0, 1], sums.positive).sum(-1) + _dot(cost[0, 0], sums.negative).sum(-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return cls(tp, fp, p, n, (none[..., None] + _running(change)) / (p + n))

    @property
    def counts(self) -> tuple[Array, Array, Array, Array]:
        """True and false positives, false and true negatives, `[..., m + 1]`."""
        return self.tp, self.fp, difference(self.positives, self.tp), difference(self.negatives, self.fp)

    @property
    def called(self) -> Array:
        """Cases called positive, `[..., m + 1]`."""
        return self.tp + self.fp

    def take(self, cut: Array) -> Cuts:
        """One cut of each leading place, `[..., 1]`."""
        at = np.asarray(cut)[..., None]
        tp, fp = (np.take_along_axis(each, at, -1) for each in (self.tp, self.fp))
        cost = None if self.cost is None else np.take_along_axis(self.cost, at, -1)
        return Cuts(tp, fp, self.positives, self.negatives, cost)


def _running(values: Array) -> Array:
    made = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, -1, out=made[..., 1:])
    return made


def _dot(factors: Array, sums: Array) -> Array:
    """Sum over z of factor times sum, `[..., score]`, without those that are nothing."""
    found = np.zeros(())
    for i, factor in enumerate(factors):
        if factor:
            found = found + factor * sums[..., i, :]
    return np.broadcast_to(found, (*sums.shape[:-2], sums.shape[-1]))
