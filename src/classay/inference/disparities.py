"""The largest gap and the least ratio between groups, each with an interval that holds although it is an extreme.

A maximum over pairs of groups is biased upwards: among ten groups that are alike the largest gap of recalls is .17 on
average with 50 cases each, and a bootstrap of it never covers 0. Its lower end must hold for all pairs together, its
upper end only for the pair that is truly the largest, P(max L > θ) ≤ P(some L_i > θ_i): so lower ends are simultaneous,
upper ends plain, each one-sided at α/2. The mirror image holds for the least ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.estimate import Estimate
from classay.inference.proportions import normal_quantile, wilson

Array = NDArray[Any]
POWER = 0.8
"""The power with which a gap is found that is named as one that would be."""


@dataclass(frozen=True)
class Extreme:
    """A gap or ratio that is the most extreme of all pairs: its value and limits, and of which groups, by place."""

    value: float
    low: float
    high: float
    top: int
    bottom: int


def quantile_of_pairs(groups: int, level: float, *, families: int = 1, are_dependent: bool = False) -> float:
    """By how many standard errors differences of all pairs must be off before their lower ends err, at (1 + level) / 2.

    Of independent groups the studentized range over √2 (Tukey 1953, Kramer 1956; conservative for unequal variances:
    Hayter 1984, Annals of Statistics 12:61), of `families` measures that err independently the range of the largest
    of them. Of groups whose errors depend on each other Bonferroni over the ordered pairs of all families. Two groups
    of one family have one difference with two sides, whose own quantile it is.

    >>> [round(quantile_of_pairs(g, 0.95), 6) for g in (2, 4)], round(quantile_of_pairs(3, 0.95, families=2), 6)
    ([1.959964, 2.817124], 2.838958)
    """
    from scipy.stats import studentized_range

    if groups == 2 and families == 1:
        return normal_quantile(level)
    tail = (1 - level) / 2
    if are_dependent:
        return normal_quantile(1 - 2 * tail / (families * groups * (groups - 1)))
    return float(studentized_range.ppf((1 - tail) ** (1 / families), groups, inf) / np.sqrt(2))


def level_of(quantile: float) -> float:
    """The level of a two-sided normal interval that reaches so many standard errors.

    >>> round(level_of(1.959964), 6)
    0.95
    """
    from scipy.special import ndtr

    return float(2 * ndtr(quantile) - 1)


def largest_gap(
    strict: Sequence[Estimate], plain: Sequence[Estimate], correlations: Array | None = None
) -> Extreme:
    """The largest difference of two groups: lower ends from `strict` intervals, the upper end from `plain` ones.

    Limits of each difference are square-and-add of those of both groups (MOVER: Zou & Donner 2008, Statistics in
    Medicine 27:1693), with the `correlations` of their errors, `(groups, groups)`, where they share clusters.

    >>> from classay.inference.proportions import wilson
    >>> def rates(level):
    ...     counts = (45, 50), (60, 80), (30, 45), (72, 80)
    ...     return [Estimate(x / n, *map(float, wilson(x, n, level)), level, "Wilson") for x, n in counts]
    >>> found = largest_gap(rates(level_of(quantile_of_pairs(4, 0.95))), rates(0.95))
    >>> round(found.value, 6), round(found.low, 6), round(found.high, 6), found.bottom
    (0.233333, 0.025737, 0.389858, 2)
    """
    values, low, high = _ends(plain)
    _, strict_low, strict_high = _ends(strict)
    gaps = values[:, None] - values
    own = np.zeros_like(gaps) if correlations is None else correlations

    def reach(one: Array, other: Array) -> Array:
        squares = one[:, None] ** 2 + other**2 - 2 * own * one[:, None] * other
        return np.asarray(np.sqrt(np.maximum(squares, 0)))

    lower = gaps - reach(values - strict_low, strict_high - values)
    upper = gaps + reach(high - values, values - low)
    np.fill_diagonal(lower, 0)
    np.fill_diagonal(upper, 0)
    top, bottom = _first(gaps)
    value = float(gaps[top, bottom])
    return Extreme(value, float(min(max(lower.max(), 0), value)), float(max(upper.max(), value)), top, bottom)


def least_ratio(strict: Sequence[Estimate], plain: Sequence[Estimate]) -> Extreme:
    """The least ratio of two groups' values, 0 or more: its lower end from `plain` intervals, the upper from `strict`.

    Limits of each ratio are recovered from those of both groups (Donner & Zou 2012, Statistical Methods in Medical
    Research 21:347). The bottom group is the one of the numerator. Undefined, NaN, where all values are 0.

    >>> from classay.inference.proportions import wilson
    >>> def rates(level):
    ...     counts = (45, 50), (60, 80), (30, 45), (72, 80)
    ...     return [Estimate(x / n, *map(float, wilson(x, n, level)), level, "Wilson") for x, n in counts]
    >>> found = least_ratio(rates(level_of(quantile_of_pairs(4, 0.95))), rates(0.95))
    >>> round(found.value, 6), round(found.low, 6), round(found.high, 6)
    (0.740741, 0.574595, 0.968434)
    """
    values, lows, highs = _ends(plain)
    top, bottom = int(values.argmax()), values.size - 1 - int(values[::-1].argmin())
    if values[top] <= 0:
        return Extreme(float("nan"), float("nan"), float("nan"), top, bottom)
    _, strict_lows, strict_highs = _ends(strict)
    lower = _ratio_ends(values, lows, highs)[0]
    upper = _ratio_ends(values, strict_lows, strict_highs)[1]
    apart = ~np.eye(values.size, dtype=bool)
    value = float(values[bottom] / values[top])
    low, high = float(np.nanmin(lower[apart])), float(min(1.0, np.nanmin(upper[apart])))
    return Extreme(value, min(low, value), max(high, value), top, bottom)


def _ratio_ends(values: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Lower and upper limits of each value over each other one, `(numerator, denominator)`."""
    p, q = values[:, None], values[None, :]

    def part(end: Array, value: Array) -> Array:
        return np.asarray(end * (2 * value - end))

    def root(above: Array, below: Array) -> Array:
        return np.asarray(np.sqrt(np.maximum((p * q) ** 2 - above * below, 0)))

    with np.errstate(divide="ignore", invalid="ignore"):
        above, below = part(low[:, None], p), part(high[None, :], q)
        lower = np.where(p > 0, above / (p * q + root(above, below)), 0.0)
        above, below = part(high[:, None], p), part(low[None, :], q)
        upper = np.where(below > 0, (p * q + root(above, below)) / below, inf)
    return lower, upper


def corrected_gap(gap: float, estimates: Sequence[Estimate]) -> float | None:
    """The largest gap, shrunk by what chance alone spreads the values of groups: g √max(0, 1 - v / s²).

    v is the mean sampling variance, as the intervals imply it, s² the variance of the values (constrained empirical
    Bayes: Ghosh 1992, JASA 87:533). None of two groups, of which it says too little.
    """
    if len(estimates) < 3:
        return None
    values, *_ = _ends(estimates)
    spread = float(values.var(ddof=1))
    return gap * sqrt(max(0.0, 1 - float(_variances(estimates).mean()) / spread)) if spread > 0 else 0.0


def found_by_power(quantile: float, estimates: Sequence[Estimate]) -> float:
    """The gap that is found with a power of 80 % between any two of the groups: (c + z) √(v + w), v, w the largest.

    >>> from classay.inference.proportions import wilson
    >>> rate = Estimate(0.8, 0.8 - 0.0554, 0.8 + 0.0554, 0.95, "Wald")
    >>> round(found_by_power(1.959964, [rate, rate]), 3)
    0.112
    """
    largest = np.sort(_variances(estimates))[-2:]
    return float((quantile + normal_quantile(2 * POWER - 1)) * np.sqrt(largest.sum()))


def _variances(estimates: Sequence[Estimate]) -> Array:
    """The sampling variances that intervals imply."""
    _, low, high = _ends(estimates)
    quantiles = np.array([normal_quantile(each.level or 0.95) for each in estimates])
    return np.asarray(((high - low) / 2 / quantiles) ** 2)


def _ends(estimates: Sequence[Estimate]) -> tuple[Array, Array, Array]:
    """Values and limits as arrays."""
    return (
        np.array([each.value for each in estimates]),
        np.array([each.low for each in estimates]),
        np.array([each.high for each in estimates]),
    )


def _first(gaps: Array) -> tuple[int, int]:
    """The pair of the largest gap, of two groups also where all are alike."""
    apart = np.where(np.eye(len(gaps), dtype=bool), -1.0, gaps)
    top, bottom = np.unravel_index(int(apart.argmax()), gaps.shape)
    return int(top), int(bottom)


def pooled_difference(x: Array, n: Array, others: Array, of: Array) -> tuple[float, float]:
    """The difference of two rates over strata, x of n and `others` of `of` in each, and its standard error.

    d = Σ (x₁n₀ - x₀n₁) / N / Σ n₁n₀ / N (Mantel & Haenszel 1959, in Greenland & Robins 1985, Biometrics 41:55), with
    Sato's variance, which holds for few large and for many small strata (Sato 1989, Biometrics 45:1323). NaN where no
    stratum has cases of both.

    >>> d, se = pooled_difference(*np.array([(30, 8, 15), (40, 30, 20), (20, 6, 30), (40, 50, 50)], float))
    >>> round(d, 6), round(se, 6)
    (0.186532, 0.060762)
    """
    both = (n > 0) & (of > 0)
    x, n, others, of = x[both], n[both], others[both], of[both]
    total = n + of
    weight = float((n * of / total).sum())
    if weight == 0:
        return float("nan"), float("nan")
    d = float(((x * of - others * n) / total).sum()) / weight
    p = (n**2 * others - of**2 * x + n * of * (of - n) / 2) / total**2
    q = (x * (of - others) + others * (n - x)) / (2 * total)
    return d, sqrt(max(0.0, d * float(p.sum()) + float(q.sum()))) / weight


def pooled_ratio(x: Array, n: Array, others: Array, of: Array) -> tuple[float, float]:
    """The ratio of two rates over strata, and the standard error of its logarithm.

    Σ x₁n₀ / N / Σ x₀n₁ / N with the variance of Greenland & Robins 1985, Biometrics 41:55. NaN where it is 0 / 0.

    >>> ratio, se = pooled_ratio(*np.array([(30, 8, 15), (40, 30, 20), (20, 6, 30), (40, 50, 50)], float))
    >>> round(ratio, 6), round(se, 6)
    (1.475129, 0.127746)
    """
    both = (n > 0) & (of > 0)
    x, n, others, of = x[both], n[both], others[both], of[both]
    total = n + of
    above, below = float((x * of / total).sum()), float((others * n / total).sum())
    if below == 0:
        return (inf if above else float("nan")), float("nan")
    squares = float(((n * of * (x + others) - x * others * total) / total**2).sum())
    return above / below, sqrt(squares / (above * below)) if above else float("nan")


@dataclass(frozen=True)
class PooledPair:
    """Two rates over the strata that hold both groups, a and b, each with its strata's counts of events and cases.

    a = Σ w x₁ / n₁ / Σ w with w = n₁n₀ / N, and b likewise: their difference is Mantel and Haenszel's, their ratio too.
    """

    x: Array
    n: Array
    others: Array
    of: Array

    @classmethod
    def of_strata(cls, x: Array, n: Array, others: Array, of: Array) -> PooledPair | None:
        """Those of the strata with cases of both; None where there are none."""
        both = (n > 0) & (of > 0)
        return cls(x[both], n[both], others[both], of[both]) if both.any() else None

    @property
    def is_sparse(self) -> bool:
        """Whether a group has so few events, or others, that the variance of a sum tells too little."""
        events = [self.x.sum(), (self.n - self.x).sum(), self.others.sum(), (self.of - self.others).sum()]
        return bool(min(events) < FEW_EVENTS)

    def rates(self, quantile: float) -> tuple[Array, Array, Array]:
        """Both rates with their limits: those of the strata's Wilson limits, squared and added (Yan & Su 2010)."""
        weight = self.n * self.of / (self.n + self.of)
        weight /= weight.sum()
        ends = []
        for x, n in ((self.x, self.n), (self.others, self.of)):
            low, high = wilson(x, n, level_of(quantile))
            p = x / n
            value = float((weight * p).sum())
            below, above = (sqrt(float((weight**2 * off**2).sum())) for off in (p - low, high - p))
            ends.append((value, max(0.0, value - below), min(1.0, value + above)))
        values, lows, highs = np.array(ends).T
        return values, lows, highs

    def difference(self, quantile: float) -> tuple[float, float, float]:
        """Their difference with its limits."""
        if not self.is_sparse:
            d, error = pooled_difference(self.x, self.n, self.others, self.of)
            return d, d - quantile * error, d + quantile * error
        (a, b), (a_low, b_low), (a_high, b_high) = self.rates(quantile)
        d = float(a - b)
        return d, d - float(np.hypot(a - a_low, b_high - b)), d + float(np.hypot(a_high - a, b - b_low))

    def ratio(self, quantile: float) -> tuple[float, float, float] | None:
        """Their ratio with its limits; None where the second rate is 0."""
        if self.others.sum() == 0:
            return None
        if not self.is_sparse:
            ratio, error = pooled_ratio(self.x, self.n, self.others, self.of)
            return ratio, ratio * exp(-quantile * error), ratio * exp(quantile * error)
        values, lows, highs = self.rates(quantile)
        lower, upper = _ratio_ends(values, lows, highs)
        return float(values[0] / values[1]), float(lower[0, 1]), float(upper[0, 1])


FEW_EVENTS = 5
"""Events, or others, of a group over all strata, below which its rates' own limits are combined."""


def extreme_within(
    x: Array, n: Array, quantile: float, plain: float, *, ratio: bool = False
) -> tuple[Extreme, float | None]:
    """The largest gap, or least ratio, of rates over strata, `(groups, strata)`; and the gap found by 80 % power.

    Each pair of groups has its own pooled difference: Sato's limits, or where events are few those of both rates
    (square-and-add of Wilson's: Yan & Su 2010, Statistics in Biopharmaceutical Research 2:329). Lower ends (upper ends
    of ratios) reach `quantile` standard errors, the others `plain`. NaN where no pair has a stratum with cases of both,
    or all rates are 0.
    """
    found = []
    for i, j in ((i, j) for i in range(len(x)) for j in range(len(x)) if i != j):
        pair = PooledPair.of_strata(x[i], n[i], x[j], n[j])
        ends = (
            []
            if pair is None
            else [pair.ratio(q) if ratio else pair.difference(q) for q in (quantile, plain)]
        )
        if pair is not None and None not in ends:
            (value, strict_low, strict_high), (_, low, high) = (each for each in ends if each is not None)
            found.append((value, strict_low, low, strict_high, high, i, j))
    if not found:
        nan = float("nan")
        return Extreme(nan, nan, nan, 0, 0), None
    values, strict_lows, lows, strict_highs, highs, first, second = np.array(found).T
    if ratio:
        at = int(values.argmin())
        value = float(min(values[at], 1.0))
        low, high = float(min(value, lows.min())), float(min(1.0, max(value, strict_highs.min())))
        return Extreme(value, low, high, int(second[at]), int(first[at])), None
    at = int(values.argmax())
    value = float(values[at])
    low, high = float(min(max(strict_lows.max(), 0), value)), float(min(1.0, max(value, highs.max())))
    widest = float(((highs - lows) / (2 * plain)).max())
    return Extreme(value, low, high, int(first[at]), int(second[at])), (
        quantile + normal_quantile(2 * POWER - 1)
    ) * widest
