"""Estimates of the parts of a loss, over test rows and rounds together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import e, exp, isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.improving.parts import Part, Parts, Scheme
from classay.improving.rounds import RoundTable
from classay.improving.units import ALIKE, Units
from classay.inference.estimate import Estimate
from classay.inference.proportions.binomial import score_interval

Array = NDArray[Any]
FEWEST = 3
"""Rounds from which on there is an interval: without a block of them, two must be left to show variance."""
NOISE_UNKNOWN = "one label a row does not tell noise from bias: here it is part of the bias"
INFINITE = "some round gives a class probability 0, so that log-loss is infinite"


@dataclass(frozen=True)
class Spread:
    """The variance of a mean over rows and rounds, and its degrees of freedom."""

    variance: float
    df: float


def spread(each: Array, without: Array) -> Spread:
    """The variance of the mean over rows, when rows and rounds are both random.

    `each`, `(rows,)`, are the values of the rows; `without`, `(blocks, rows)`, the same without one block of rounds.
    Rows and rounds are crossed, so the variance is that of the rows (which takes in what is random in both), and the
    delete-a-block jackknife's of the rounds, less what both have counted: the two-way variance of Cameron, Gelbach &
    Miller (2011, J Business & Economic Statistics 29:238), and never less than either of the first two. Degrees of
    freedom are Satterthwaite's, from those that each variance has by the kurtosis k of what it is of, 2n / (k - 1): a
    few rows that hold most of a part tell less of its variance than as many normal ones.
    """
    rows, blocks = each.size, without.shape[0]
    each = _without_rounding(each)
    of_rows = float(each.var(ddof=1)) / rows if rows > 1 else float("nan")
    factor = (blocks - 1) / blocks
    means = _without_rounding(without.mean(1))
    of_rounds = factor * float(((means - means.mean()) ** 2).sum())
    of_both = factor * float(((without - without.mean(0)) ** 2).sum()) / rows**2
    variance = max(of_rows + of_rounds - of_both, of_rows, of_rounds)
    parts = of_rows**2 / _degrees(each) + of_rounds**2 / _degrees(means)
    return Spread(variance, (of_rows + of_rounds) ** 2 / parts if parts > 0 else float(rows - 1))


def _without_rounding(values: Array) -> Array:
    """Values whose spread is that of the given ones: 0, where the mean of equal ones is not quite one of them."""
    is_flat = np.ptp(values) <= ROUNDING * np.abs(values).max()
    return np.zeros_like(values) if is_flat else values


def _degrees(values: Array) -> float:
    """The degrees of freedom of the variance of values, by their kurtosis; at most n - 1, as for normal ones."""
    n, gaps = values.size, values - values.mean()
    square = float((gaps**2).mean())
    if square == 0:
        return float(n - 1)
    excess = float((gaps**4).mean()) / square**2 - 1
    return min(n - 1.0, max(2 * n / excess, 1.0) if excess > 0 else n - 1.0)


@dataclass(frozen=True, eq=False)
class Terms:
    """The parts of a scheme, of a table whose rows were all tested in two rounds or more.

    `noise_known` says whether `truth` of the table is the distribution of the class, or the one label seen; `units`
    how the rows count, which are independent or lie in clusters.
    """

    table: RoundTable
    scheme: Scheme
    level: float
    noise_known: bool
    units: Units = ALIKE

    @cached_property
    def rows(self) -> Parts:
        """Each part at each row, `(rows,)`, without the bias of few rounds."""
        if self.scheme.corrected is not None:
            return self.scheme.corrected(self.table.pooled)
        blocks = self.table.blocks
        plain = self.scheme.at(self.table.pooled)
        with np.errstate(invalid="ignore"):  # infinite less infinite
            return {
                name: blocks * each - (blocks - 1) * self._without[name].mean(0)
                if np.isfinite(each).all()
                else each
                for name, each in plain.items()
            }

    @cached_property
    def _without(self) -> Parts:
        """The same without each block of rounds, `(blocks, rows)`."""
        table = self.table.without
        found = (self.scheme.corrected or self.scheme.at)(table)
        return {
            name: np.broadcast_to(each, table.n.shape) for name, each in found.items()
        }  # noise has no rounds

    def estimate(self, name: str) -> Estimate:
        """A part with its interval."""
        part = self.scheme.part(name)
        if not self.noise_known and name in ("noise", "net_noise"):
            return Estimate.undefined(NOISE_UNKNOWN)
        return self._estimate(self.rows[name], self._without[name], part)

    @property
    def leaning(self) -> Estimate:
        """What variance adds to the loss less what bias does: above 0 where variance is the greater part."""
        bias, variance = self.scheme.bias, self.scheme.variance
        with np.errstate(invalid="ignore"):  # infinite less infinite
            values, without = (each[variance] - each[bias] for each in (self.rows, self._without))
        return self._estimate(values, without, Part("leaning", "", "", float("inf"), -float("inf"), "signed"))

    def _estimate(self, each: Array, without: Array, part: Part) -> Estimate:
        value = float(self.units.mean(each))
        if not isfinite(value):
            if np.isnan(value):
                return Estimate.undefined(INFINITE)
            return Estimate.bare(value, INFINITE)
        if abs(value) <= ROUNDING * float(np.abs(each).max(initial=0.0)):
            value = 0.0  # parts of both signs that cancel
        each = self.units.of(each)
        if each.size < 2:
            return Estimate.bare(value, f"one test {self.units.name} shows no spread")
        if self.table.n.sum(0).min() < FEWEST:
            return Estimate.bare(value, "two rounds show too little of their own spread: take three or more")
        if not np.isfinite(without).all():
            return Estimate.bare(value, "it is infinite without some rounds")
        found = spread(each, self.units.of(without))
        method, interval = INTERVALS[part.scale]
        low, high = interval(value, found, each.size, self.level)
        low, high = max(low, min(part.low, value)), min(high, max(part.high, value))
        return Estimate(value, low, high, self.level, method)


def _quantile(df: float, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + level / 2))


def _means(value: float, found: Spread, rows: int, level: float) -> tuple[float, float]:
    half = _quantile(found.df, level) * sqrt(found.variance)
    return value - half, value + half


def _shares(value: float, found: Spread, rows: int, level: float) -> tuple[float, float]:
    """The score interval of as many cases as would give a share this variance; of all rows where none varies."""
    share = min(max(value, 0.0), 1.0)
    cases = share * (1 - share) / found.variance if found.variance > 0 and 0 < share < 1 else float(rows)
    low, high = score_interval(share * cases, cases, _quantile(found.df, level))
    return float(low), float(high)


def _positive(value: float, found: Spread, rows: int, level: float) -> tuple[float, float]:
    """Student's interval of the logarithm: means of squares and of losses are skewed, and their spread grows with them.

    Of few units, or few clusters, the plain interval ends too low.
    """
    if not value > 0:
        return _means(value, found, rows, level)
    half = _quantile(found.df, level) * sqrt(found.variance)
    reach = half / value
    # beyond a reach of 1 the upper end goes on in a line, because it would soon say nothing
    return value * exp(-reach), value * exp(reach) if reach <= 1 else value + (e - 1) * half


ROUNDING = 1e-14
"""A mean so small beside its rows is 0, and so is their spread beside it, but for the rounding of sums."""
INTERVALS = {
    "share": ("two-way score", _shares),
    "signed": ("two-way t", _means),
    "positive": ("two-way t of the logarithm", _positive),
}
"""Methods: of parts that are shares of rows and rounds, of means of any sign, and of means that are never below 0."""
