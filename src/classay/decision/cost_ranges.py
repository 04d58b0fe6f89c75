"""Ranges of costs: where which model costs least, and where it wins, for all costs at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from classay.tables.running import equal_cases

Array = NDArray[Any]
TRIVIAL = "all or nothing"
DRAWS = 2000
NOTHING = 1e-12
"""A standard deviation below which a difference does not vary."""


@dataclass(frozen=True)
class Range:
    """A stretch of probability costs where one model, or a trivial rule, costs least.

    `wins` says whether it costs significantly less than every other throughout: simultaneously for all probability
    costs and all pairs, at the level of the whole.
    """

    low: float
    high: float
    best: str
    wins: bool


@dataclass(frozen=True, eq=False)
class Spread:
    """The normalised costs of models at each x, `[model, x]`, and their covariance over samples of the cases.

    `covariance` is `[model · x, model · x]`, each cost linearised as a sum over independent units. `rests_on` is how
    many units alike would make the difference of each pair, `[pair, x]`: few at extreme costs, where hardly any case is
    called otherwise.
    """

    names: tuple[str, ...]
    costs: Array
    covariance: Array
    rests_on: Array

    @classmethod
    def of(cls, sums: Mapping[str, Array], shares: Array) -> Spread:
        """From what each unit adds to the costs, `[unit, x]`, and its share in each class, `[unit, 2]`.

        A rate is a mean over the cases of its class: from each unit its part of both is taken off.
        """
        number = shares.shape[0]
        inverse = np.linalg.pinv(shares.T @ shares)
        parts = [each - shares @ (inverse @ (shares.T @ each)) for each in sums.values()]
        off = np.concatenate(parts, 1)
        covariance = off.T @ off * number / max(number - 1, 1)
        squares = [(second - first) ** 2 for first, second in combinations(parts, 2)]
        rests_on = [equal_cases(each.sum(0), (each**2).sum(0)) for each in squares]
        return cls(
            tuple(sums), np.stack([each.sum(0) for each in sums.values()]), covariance, np.array(rests_on)
        )

    def differences(self) -> tuple[Array, Array, Array]:
        """Pairs of models `[pair, 2]`, their differences of costs, second less first, and standard deviations.

        `[pair, x]` both.
        """
        m, g = self.costs.shape
        pairs = np.array([*combinations(range(m), 2)])
        own = self.covariance.reshape(m, g, m, g)
        same = np.einsum("aibi->abi", own)
        first, second = pairs.T
        variance = same[first, first] + same[second, second] - 2 * same[first, second]
        return pairs, self.costs[second] - self.costs[first], np.sqrt(np.maximum(variance, 0.0))

    def critical(self, level: float, rng: np.random.Generator) -> float:
        """How many standard deviations no difference exceeds, of all pairs at all x at once, with chance `level`.

        The quantile of the greatest of all, in normal draws with this covariance. Montiel Olea & Plagborg-Møller 2019,
        Journal of Applied Econometrics 34:1.
        """
        pairs, _, sd = self.differences()
        varies = sd > NOTHING
        if not varies.any():
            return 0.0
        values, vectors = np.linalg.eigh(self.covariance)
        kept = values > NOTHING * values[-1]
        root = vectors[:, kept] * np.sqrt(values[kept])
        drawn = (rng.standard_normal((DRAWS, int(kept.sum()))) @ root.T).reshape(DRAWS, *self.costs.shape)
        greatest = np.zeros(DRAWS)
        for (a, b), own, here in zip(pairs.tolist(), sd, varies, strict=True):
            if here.any():
                apart = np.abs(drawn[:, b, here] - drawn[:, a, here]) / own[here]
                greatest = np.maximum(greatest, apart.max(1))
        return float(np.quantile(greatest, level))

    def edges(self, level: float, rng: np.random.Generator) -> Array:
        """The same of each pair at each x, `[pair, x]`: by Student's t, because few units say how they differ.

        As likely to be exceeded as the critical value of normal draws; the degrees of freedom are those of the units
        that the difference rests on.
        """
        return np.asarray(stdtrit(np.maximum(self.rests_on - 1, 1.0), ndtr(self.critical(level, rng))))


def cost_ranges(x: Array, spread: Spread, level: float, rng: np.random.Generator) -> tuple[Range, ...]:
    """The stretches of x with one best model, and whether it wins there against each other."""
    costs, names = spread.costs, spread.names
    best = costs.argmin(0)
    trivial = names.index(TRIVIAL)
    best = np.where(costs[trivial] <= costs.min(0) * (1 + 1e-12), trivial, best)
    pairs, apart, sd = spread.differences()
    edges = spread.edges(level, rng)
    wins = np.ones(x.size, bool)
    for (a, b), difference, own, edge in zip(pairs.tolist(), apart, sd, edges, strict=True):
        wins &= (best != a) | (difference > edge * own)
        wins &= (best != b) | (-difference > edge * own)
    starts = [0, *(j for j in range(1, x.size) if best[j] != best[j - 1] or wins[j] != wins[j - 1])]
    ends = [float((x[j - 1] + x[j]) / 2) for j in starts[1:]]
    return tuple(
        Range(low, high, names[best[start]], bool(wins[start]))
        for start, low, high in zip(starts, [float(x[0]), *ends], [*ends, float(x[-1])], strict=True)
    )


def by_unit(values: Array, units: Array, number: int) -> Array:
    """Sums over the cases of each unit, `[unit, …]`."""
    if number == values.shape[0]:
        return values
    return np.stack([np.bincount(units, column, number) for column in values.T], 1)
