"""Cuts: what every threshold of a score does, from the running sums of its table, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
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
            return cls(table.positives[None], table.negatives[None])
        negative, positive = (
            np.concatenate([np.asarray(count, np.float64)[None], table.amounts.sums[:, i]])
            for i, count in enumerate(counts)
        )
        return cls(positive, negative)

    def factors(self, prevalence: float | None) -> Array:
        """What negatives and positives are multiplied by for a share `prevalence` of positives, `[..., 2]`."""
        n, p = (each[..., 0, :].sum(-1) for each in (self.negative, self.positive))
        if prevalence is None:
            return np.ones((*p.shape, 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.stack([(1 - prevalence) * (p + n) / n, prevalence * (p + n) / p], -1)

    def at_prevalence(self, prevalence: float | None) -> Sums:
        """The same with a share `prevalence` of positives, of as many cases in all."""
        if prevalence is None:
            return self
        by_negative, by_positive = np.moveaxis(self.factors(prevalence), -1, 0)[..., None, None]
        with np.errstate(invalid="ignore"):  # of a class without cases: nothing times infinity
            return Sums(self.positive * by_positive, self.negative * by_negative)


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
        return cls(tp, fp, p, n, mean_costs(sums, cost))

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


def mean_costs(sums: Sums, cost: Array) -> Array:
    """The mean cost of a case at every cut, `[..., m + 1]`; `cost` is `[predicted, true, 1 + amount]`."""
    change = dot(cost[1, 1] - cost[0, 1], sums.positive) + dot(cost[1, 0] - cost[0, 0], sums.negative)
    found = _running(change)
    none, cases = none_called(sums, cost)
    found += none[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        found /= cases[..., None]
    return found


def upto(sums: Sums, cut: Array) -> Array:
    """The sums down to one cut of each leading place, of negatives and of positives, `[..., 2, z]`."""
    both = sums.negative, sums.positive
    if not np.ndim(cut):
        return np.stack([each[..., :cut].sum(-1) for each in both], -2)
    above = (np.arange(sums.positive.shape[-1]) < np.asarray(cut)[..., None])[..., None, :]
    return np.stack([np.where(above, each, 0.0).sum(-1) for each in both], -2)


def mean_cost_at(sums: Sums, cost: Array, cut: Array) -> Array:
    """The mean cost of a case at one cut of each leading place, `[...]`."""
    none, cases = none_called(sums, cost)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((none + ((cost[1] - cost[0]) * upto(sums, cut)).sum((-2, -1))) / cases)


def none_called(sums: Sums, cost: Array) -> tuple[Array, Array]:
    """What it costs to call nobody, and the number of cases, `[...]`."""
    positive, negative = sums.positive.sum(-1), sums.negative.sum(-1)
    return positive @ cost[0, 1] + negative @ cost[0, 0], positive[..., 0] + negative[..., 0]


def threshold_of(scores: Array, cut: int) -> float:
    """The threshold of a cut of descending scores: infinite for none called, the lowest called, -infinite for all.

    No score is too low for "call everybody", those of new cases below all that were seen included.

    >>> [threshold_of(np.array([0.9, 0.4]), cut) for cut in (0, 1, 2)]
    [inf, 0.9, -inf]
    """
    return inf if cut == 0 else -inf if cut == scores.size else float(scores[cut - 1])


def _running(values: Array) -> Array:
    made = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, -1, out=made[..., 1:])
    return made


def dot(factors: Array, sums: Array) -> Array:
    """Sum over z of factor times sum, `[..., score]`, without those that are nothing."""
    found = np.zeros(())
    for i, factor in enumerate(factors):
        if factor:
            found = found + factor * sums[..., i, :]
    return np.broadcast_to(found, (*sums.shape[:-2], sums.shape[-1]))
