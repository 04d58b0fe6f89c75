"""Strata by score: how many labels each gets, and the half-widths of intervals that these labels lead one to expect.

All arrays have the strata as their last axis, from the lowest scores to the highest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.along_the_way import CalledCells, CellShares, finite_counts, linear, wilson_end
from classay.inference.proportions import normal_quantile
from classay.measures import get

Array = NDArray[Any]
TARGETS = ("recall", "precision", "f1", "prevalence")
"""The measures that a plan can aim at."""
BINOMIAL = "binomial limit"
RARE, FEW = 2, 30
"""Labels of one kind, of so many at most, whose limit is binomial. Of twice as many it is Wilson's."""


def counts_of(labels: Array, sizes: Array) -> Array:
    """Return the labels that say as much of endless cases; endless where all cases of a stratum are labeled.

    >>> print(counts_of(np.array([1.0, 40.0]), np.array([1.0, 600.0])).round(4))
    [    inf 42.7857]
    """
    return np.where(labels >= sizes, np.inf, finite_counts(labels, np.maximum(sizes, labels + 1)))


@dataclass(frozen=True, eq=False)
class LabeledShares(CellShares):
    """The same, with other limits of strata in which few labels have 1 or 2 of one kind.

    There Wilson's limit towards none of this kind is too near. It is the farther one of Wilson's and the binomial limit
    at twice the error, because a share cannot be missed on the other side (Brown, Cai and DasGupta 2001, Stat Sci
    16:101). With 30 to 60 labels the limit passes from that one to Wilson's, so that one label more does not move it
    by far. Of a finite stratum the binomial limit is of its effective labels, and so not exact.
    """

    labels: Array = field(default_factory=lambda: np.zeros(0))

    def ends(self, z: Any, side: Array) -> Array:
        """Return the limit of each stratum on its side."""
        from scipy.special import betaincinv, ndtr

        ends, error = super().ends(z, side), 2 * ndtr(-np.abs(z))
        for towards, shares in ((-1, self.shares), (1, 1 - self.shares)):
            weight = np.where(side == towards, self._binomial(shares), 0.0)
            is_rare = weight > 0
            if is_rare.any():
                counts = np.where(is_rare, self.counts, 1.0)
                limit = betaincinv(np.where(is_rare, shares * counts, 1.0), counts * (1 - shares) + 1, error)
                nearer = np.minimum(ends, limit) if towards < 0 else np.maximum(ends, 1 - limit)
                ends = np.where(is_rare, weight * nearer + (1 - weight) * ends, ends)
        return ends

    def _binomial(self, shares: Array) -> Array:
        """Return the weight of the binomial limit towards none in each stratum, of shares of one kind of labels."""
        found = shares * self.labels
        is_rare = (found > 0) & (found <= RARE + 1e-9) & np.isfinite(self.counts)
        return np.where(is_rare, np.clip(2 - self.labels / FEW, 0, 1), 0.0)

    def named(self, method: str) -> str:
        """Return the name of a method, with the strata that have a binomial limit in a direction of the measure."""
        slopes = self.slopes(self.shares)
        shares = (
            np.where(slopes > 0, self.shares, 1 - self.shares),
            np.where(slopes < 0, self.shares, 1 - self.shares),
        )
        is_binomial = np.any([self._binomial(of) > 0 for of in shares], 0) & (slopes != 0)
        number = int(is_binomial.sum())
        strata = f"{number} {'stratum' if number == 1 else 'strata'}"
        return f"{method}, {BINOMIAL} in {strata}" if number else method


def tool_of(
    name: str, sizes: Array, is_called: Array, shares: Array, labels: Array, *, is_finite: bool = True
) -> LabeledShares:
    """Return a measure of four counts, with its limits, from the shares of positives and the labels of strata."""
    counts = counts_of(labels, sizes) if is_finite else labels.astype(float)
    if name == "prevalence":
        weights = sizes / sizes.sum()
        mean = (weights * shares).sum(-1, keepdims=True)
        spread = (weights * (shares - mean) ** 2).sum(-1)
        error = 0.0 * spread if is_finite else np.sqrt(spread / sizes.sum())
        tool = linear(weights, shares, counts, error)
    else:
        tool = CalledCells(sizes, is_called).of(get(name), shares, counts, is_finite=is_finite)
    return LabeledShares(**vars(tool), labels=labels)


@dataclass(frozen=True, eq=False)
class Planned:
    """Strata as a plan has them: cases, whether they are predicted positive, planned shares, and sums of spreads.

    `spreads` are the sums of √(p (1 - p)) over the cases of each stratum.
    """

    sizes: Array
    is_called: Array
    shares: Array
    spreads: Array

    @classmethod
    def of_shares(cls, sizes: Array, is_called: Array, shares: Array) -> Planned:
        """Return strata whose cases have all the same planned share."""
        return cls(sizes, is_called, shares, sizes * np.sqrt(shares * (1 - shares)))

    @property
    def totals(self) -> tuple[float, float, float]:
        """The planned true positives, all predicted positives, and all positives."""
        positives = self.sizes * self.shares
        return (
            float(positives[self.is_called].sum()),
            float(self.sizes[self.is_called].sum()),
            float(positives.sum()),
        )

    def weights(self, measures: tuple[str, ...]) -> Array:
        """Return the shares of labels that serve some measures best (Neyman), each weighted alike.

        >>> plan = Planned.of_shares(
        ...     np.array([80000.0, 15000, 3000, 1400, 600]),
        ...     np.array([False] * 3 + [True] * 2),
        ...     np.array([0.004, 0.06, 0.2, 0.42, 0.75]),
        ... )
        >>> print((300 * plan.weights(("recall",))).round(3))
        [131.969  93.1    31.362  31.664  11.905]
        """
        true_positives, called, positives = self.totals
        recall = true_positives / positives
        f1 = 2 * true_positives / (called + positives)
        sides = {
            "recall": ((1 - recall) / positives, recall / positives),
            "precision": (1 / called, 0.0),
            "f1": ((2 - f1) / (called + positives), f1 / (called + positives)),
            "prevalence": (1 / self.sizes.sum(), 1 / self.sizes.sum()),
        }
        squares = np.zeros(self.sizes.size)
        for name in measures:
            above, below = sides[name]
            by = np.where(self.is_called, above, below)
            squares += by * by / ((by * self.spreads) ** 2).sum()
        weights = np.sqrt(squares) * self.spreads
        return np.asarray(weights / weights.sum())

    def half_widths(self, labels: Array, measures: tuple[str, ...], level: float) -> dict[str, Array]:
        """Return the half-widths of intervals that labels, `(…, strata)`, give if the planned shares are correct."""
        shares = np.broadcast_to(self.shares, labels.shape)
        tools = {name: tool_of(name, self.sizes, self.is_called, shares, labels) for name in measures}
        ends = {name: tool.limits(normal_quantile(level)) for name, tool in tools.items()}
        return {name: (high - low) / 2 for name, (low, high) in ends.items()}

    def of_random(self, budget: int, measures: tuple[str, ...], level: float) -> dict[str, float]:
        """Return the half-widths of a simple random sample, which uses only the labels that a measure is about."""
        true_positives, called, positives = self.totals
        cases = float(self.sizes.sum())
        union = called + positives - true_positives
        about = {
            "recall": (positives, true_positives / positives),
            "precision": (called, true_positives / called),
            "f1": (union, true_positives / union),
            "prevalence": (cases, positives / cases),
        }
        z, half = normal_quantile(level), {}
        for name in measures:
            size, share = about[name]
            count = counts_of(np.array(budget * size / cases), np.array(size))
            low, high = (float(wilson_end(np.array(share), count, z, side)) for side in (-1, 1))
            if name == "f1":  # F1 is 2J / (1 + J) of the Jaccard index
                low, high = (2 * end / (1 + end) for end in (low, high))
            half[name] = (high - low) / 2
        return half


def allotted(weights: Array, sizes: Array, budget: int, least: Array) -> Array:
    """Return whole labels near the weights, at least `least`, at most the cases, and as many as the budget in sum.

    >>> print(allotted(np.array([0.7, 0.2, 0.1]), np.array([50, 500, 500]), 100, np.array([5, 5, 15])))
    [50 33 17]
    """
    weights = weights + 1e-12 * sizes / sizes.sum()
    low = np.minimum(least, sizes).astype(float)

    def shares_at(scale: float) -> Array:
        return np.clip(scale * weights, low, sizes)

    inner, outer = 0.0, budget / weights.min()
    for _ in range(200):
        middle = (inner + outer) / 2
        if not inner < middle < outer:
            break
        inner, outer = (middle, outer) if shares_at(middle).sum() < budget else (inner, middle)
    exact = shares_at(outer)
    labels = np.minimum(np.floor(exact + 1e-9), sizes)
    for place in np.argsort(labels - exact, kind="stable"):
        if labels.sum() < budget and labels[place] < sizes[place]:
            labels[place] += 1
    return labels.astype(np.int64)
