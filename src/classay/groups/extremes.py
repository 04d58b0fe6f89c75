"""Intervals of the largest gap and the least ratio between groups.

A maximum over pairs of groups is biased upwards: among ten groups that are alike the largest gap of recalls is .17 on
average with 50 cases each, and a bootstrap of it never covers 0. Its lower end must hold for all pairs together, its
upper end only for the pair that is truly the largest, P(max L > θ) ≤ P(some L_i > θ_i): so lower ends are simultaneous,
upper ends plain, each one-sided at α/2. The mirror image holds for the least ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
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
    """A gap or ratio that is the most extreme of all pairs: its value and limits, and of which groups, by place.

    `top` and `bottom` are furthest apart as they are seen; `surest`, the higher one first, are those of the end that is
    of all pairs (the lower one of a gap, the upper one of a ratio), None where it shows no pair to be apart.
    """

    value: float
    low: float
    high: float
    top: int
    bottom: int
    surest: tuple[int, int] | None = None

    @classmethod
    def of_gap(
        cls, value: float, low: float, high: float, seen: tuple[int, int], surest: tuple[int, int]
    ) -> Extreme:
        """Return a gap, whose lower end is that of the groups `surest`."""
        low = min(max(low, 0.0), value)
        return cls(value, low, max(high, value), *seen, surest if low > 0 else None)

    @classmethod
    def of_ratio(
        cls, value: float, low: float, high: float, seen: tuple[int, int], surest: tuple[int, int]
    ) -> Extreme:
        """Return a ratio, whose upper end is that of the groups `surest`."""
        high = max(min(1.0, high), value)
        return cls(value, min(low, value), high, *seen, surest if high < 1 else None)


def quantile_of_pairs(groups: int, level: float, *, families: int = 1, are_dependent: bool = False) -> float:
    """By how many standard errors differences of all pairs must be off before their lower ends err, at (1 + level) / 2.

    Of independent groups the studentized range over √2 (Tukey 1953, Kramer 1956; conservative for unequal variances:
    Hayter 1984, Annals of Statistics 12:61), of `families` measures that err independently the range of the largest
    of them. Of groups whose errors depend on each other Bonferroni over the ordered pairs of all families. Two groups
    of one family have one difference with two sides, whose own quantile it is.

    >>> [round(quantile_of_pairs(g, 0.95), 6) for g in (2, 4)], round(quantile_of_pairs(3, 0.95, families=2), 6)
    ([1.959964, 2.817124], 2.838958)
    """
    if groups == 2 and families == 1:
        return normal_quantile(level)
    tail = (1 - level) / 2
    if are_dependent:
        return normal_quantile(1 - 2 * tail / (families * groups * (groups - 1)))
    return _range_of(groups, (1 - tail) ** (1 / families))


@lru_cache(maxsize=128)
def _range_of(groups: int, share: float) -> float:
    """Return the quantile of the studentized range of so many groups over √2, which takes milliseconds to find."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(share, groups, inf) / np.sqrt(2))


def level_of(quantile: float) -> float:
    """Return the level of a two-sided normal interval that reaches so many standard errors.

    >>> round(level_of(1.959964), 6)
    0.95
    """
    from scipy.special import ndtr

    return float(2 * ndtr(quantile) - 1)


def largest_gap(
    strict: Sequence[Estimate], plain: Sequence[Estimate], correlations: Array | None = None
) -> Extreme:
    """Return the largest difference of two groups: lower ends from `strict` intervals, the upper end from `plain` ones.

    Limits of each difference are square-and-add of those of both groups (MOVER: Zou & Donner 2008, Statistics in
    Medicine 27:1693), with the `correlations` of their errors, `(groups, groups)`, where they share clusters.

    >>> from classay.inference.proportions import wilson
    >>> def rates(level):
    ...     counts = (45, 50), (60, 80), (30, 45), (72, 80)
    ...     return [Estimate(x / n, *map(float, wilson(x, n, level)), level, "Wilson") for x, n in counts]
    >>> gap = largest_gap(rates(level_of(quantile_of_pairs(4, 0.95))), rates(0.95))
    >>> round(gap.value, 6), round(gap.low, 6), round(gap.high, 6), gap.bottom
    (0.233333, 0.025737, 0.389858, 2)
    """
    values, low, high = _ends(plain)
    _, strict_low, strict_high = _ends(strict)
    inside, outside = (values - strict_low, strict_high - values), (high - values, values - low)
    lower, *surest = _of_pairs(values, inside, correlations, -1.0)
    upper, *_ = _of_pairs(values, outside, correlations, 1.0)
    top, bottom = _apart(values, surest if lower > 0 else None)
    value = float(values[top] - values[bottom])
    return Extreme.of_gap(value, lower, upper, (top, bottom), (surest[0], surest[1]))


def _of_pairs(
    values: Array, reaches: tuple[Array, Array], correlations: Array | None, sign: float
) -> tuple[float, int, int]:
    """Return the greatest gap of two groups, with a reach of both added or taken away; and which they are."""
    above, below = reaches
    if correlations is not None:
        reach = above[:, None] ** 2 + below**2 - 2 * correlations * above[:, None] * below
        gaps = values[:, None] - values + sign * np.sqrt(np.maximum(reach, 0))
        np.fill_diagonal(gaps, -inf)
        top, bottom = np.unravel_index(int(gaps.argmax()), gaps.shape)
        return float(gaps[top, bottom]), int(top), int(bottom)
    first, second = _leaders(values, sign * above), _leaders(-values, sign * below)
    gaps = values[first, None] - values[second] + sign * np.hypot(above[first, None], below[second])
    gaps[first[:, None] == second] = -inf
    at, beside = np.unravel_index(int(gaps.argmax()), gaps.shape)
    return float(gaps[at, beside]), int(first[at]), int(second[beside])


def _leaders(one: Array, other: Array) -> Array:
    """Return the places that are not behind two others in both numbers, rising.

    What rises with both numbers of one group, and is sought over pairs of different groups, is greatest at one of them:
    whoever is behind two others can be replaced by the one of them that is not the partner. Without it all pairs of
    10,000 groups would have to be looked at.

    >>> _leaders(np.array([1.0, 3.0, 2.0, 0.0]), np.array([5.0, 1.0, 0.5, 0.0])).tolist()
    [0, 1, 2]
    """
    left, leaders = np.arange(one.size), []
    for _ in range(2):
        left = left[np.lexsort((-other[left], -one[left]))]
        before = np.concatenate([[-inf], np.maximum.accumulate(other[left])[:-1]])
        leads = other[left] > before
        leaders.append(left[leads])
        left = left[~leads]
    return np.sort(np.concatenate(leaders))


def least_ratio(strict: Sequence[Estimate], plain: Sequence[Estimate]) -> Extreme:
    """The least ratio of two groups' values, 0 or more: its lower end from `plain` intervals, the upper from `strict`.

    Limits of each ratio are recovered from those of both groups (Donner & Zou 2012, Statistical Methods in Medical
    Research 21:347). The bottom group is the one of the numerator. Undefined, NaN, where all values are 0.

    >>> from classay.inference.proportions import wilson
    >>> def rates(level):
    ...     counts = (45, 50), (60, 80), (30, 45), (72, 80)
    ...     return [Estimate(x / n, *map(float, wilson(x, n, level)), level, "Wilson") for x, n in counts]
    >>> least = least_ratio(rates(level_of(quantile_of_pairs(4, 0.95))), rates(0.95))
    >>> round(least.value, 6), round(least.low, 6), round(least.high, 6)
    (0.740741, 0.574595, 0.968434)
    """
    values, lows, highs = _ends(plain)
    if values.max() <= 0:
        return Extreme(float("nan"), float("nan"), float("nan"), *_apart(values))
    _, strict_lows, strict_highs = _ends(strict)
    low, *_ = _least(values, lows, highs, 0)
    high, below, above = _least(values, strict_lows, strict_highs, 1)
    top, bottom = _apart(values, (above, below) if high < 1 else None)
    value = float(values[bottom] / values[top])
    return Extreme.of_ratio(value, low, high, (top, bottom), (above, below))


def _least(values: Array, low: Array, high: Array, end: int) -> tuple[float, int, int]:
    """The least lower limit (0) or upper limit (1) of the ratios of two groups; and the one above and below the line.

    A lower limit falls with the numerator and its distance to its own lower end, and with what the denominator may be;
    an upper limit the other way round, so that few groups need be looked at.
    """
    first = second = np.arange(values.size)
    if np.isfinite(low).all() and np.isfinite(high).all():
        sign = 1.0 if end == 0 else -1.0
        reach, other = (values - low, high - values) if end == 0 else (high - values, values - low)
        first, second = _leaders(-values, sign * reach), _leaders(values, sign * other)
    columns = values, low, high
    ratios = _ratio_ends(tuple(of[first, None] for of in columns), tuple(of[second] for of in columns))[end]
    ratios[np.isnan(ratios) | (first[:, None] == second)] = inf
    at, beside = np.unravel_index(int(ratios.argmin()), ratios.shape)
    return float(ratios[at, beside]), int(first[at]), int(second[beside])


def _ratio_ends(one: tuple[Array, ...], other: tuple[Array, ...]) -> tuple[Array, Array]:
    """Lower and upper limits of values of `one` over those of `other`, both as values, lower and upper ends."""
    (p, low, high), (q, least, most) = one, other

    def part(end: Array, value: Array) -> Array:
        return np.asarray(end * (2 * value - end))

    def root(above: Array, below: Array) -> Array:
        return np.asarray(np.sqrt(np.maximum((p * q) ** 2 - above * below, 0)))

    with np.errstate(divide="ignore", invalid="ignore"):
        above, below = part(low, p), part(most, q)
        lower = np.where(p > 0, above / (p * q + root(above, below)), 0.0)
        above, below = part(high, p), part(least, q)
        upper = np.where(below > 0, (p * q + root(above, below)) / below, inf)
    return lower, upper


def corrected_gap(extreme: Extreme, estimates: Sequence[Estimate]) -> float | None:
    """The largest gap of values that are shrunk by what chance alone spreads them, and no less than the lower end.

    A value moves to their mean by √(t / (t + v)): v is its own sampling variance, as its interval implies it, so that a
    small group's noise shrinks no other; t is the variance between groups, of Cochran's Q (DerSimonian & Laird 1986,
    Controlled Clinical Trials 7:177). Groups of one v have g √(1 - v / s²), s² the variance of the values (constrained
    empirical Bayes: Louis 1984, JASA 79:393; Ghosh 1992, JASA 87:533). What the interval leaves out is no estimate.
    None of two groups, of which it says too little.

    >>> from classay.inference.proportions import wilson
    >>> counts = (300, 1000), (400, 1000), (5, 12)
    >>> estimates = [Estimate(x / n, *map(float, wilson(x, n, 0.95)), 0.95, "Wilson") for x, n in counts]
    >>> gap = largest_gap(estimates, estimates)
    >>> round(gap.value, 3), round(corrected_gap(gap, estimates), 3)
    (0.117, 0.098)
    """
    if len(estimates) < 3:
        return None
    values, *_ = _ends(estimates)
    v = _variances(estimates)
    if not np.isfinite(v).any():
        return extreme.low
    v = np.maximum(v, max(1e-30, 1e-12 * v[np.isfinite(v)].max()))
    weight = v.min() / v
    q = float((weight * (values - np.average(values, weights=weight)) ** 2).sum())
    left = weight.sum() - (weight**2).sum() / weight.sum()
    between = max(0.0, (q - (values.size - 1) * float(v.min())) / left)
    mean = np.average(values, weights=1 / (between + v))
    shrunk = mean + np.sqrt(between / (between + v)) * (values - mean)
    return min(max(float(np.ptp(shrunk)), extreme.low), extreme.value)


def found_by_power(quantile: float, estimates: Sequence[Estimate]) -> float:
    """The gap that is found with a power of 80% between any two of the groups: (c + z) √(v + w), v, w the largest.

    >>> from classay.inference.proportions import wilson
    >>> rate = Estimate(0.8, 0.8 - 0.0554, 0.8 + 0.0554, 0.95, "Wald")
    >>> round(found_by_power(1.959964, [rate, rate]), 3)
    0.112
    """
    largest = np.sort(_variances(estimates))[-2:]
    return float((quantile + normal_quantile(2 * POWER - 1)) * np.sqrt(largest.sum()))


def _variances(estimates: Sequence[Estimate]) -> Array:
    """Return the sampling variances that intervals imply."""
    _, low, high = _ends(estimates)
    of_level = {level: normal_quantile(level or 0.95) for level in {estimate.level for estimate in estimates}}
    quantiles = np.array([of_level[estimate.level] for estimate in estimates])
    return np.asarray(((high - low) / 2 / quantiles) ** 2)


def _ends(estimates: Sequence[Estimate]) -> tuple[Array, Array, Array]:
    """Values and limits as arrays."""
    return (
        np.array([estimate.value for estimate in estimates]),
        np.array([estimate.low for estimate in estimates]),
        np.array([estimate.high for estimate in estimates]),
    )


def _apart(values: Array, surest: Sequence[int] | None = None) -> tuple[int, int]:
    """The groups of the largest gap, two also where all are alike; of several that are as far apart, the surest."""
    top, bottom = int(values.argmax()), int(values.argmin())
    if surest is not None and [*values[[*surest]]] == [values[top], values[bottom]]:
        return surest[0], surest[1]
    return (top, bottom) if top != bottom else (0, 1)


def pooled_difference(x: Array, n: Array, others: Array, of: Array) -> tuple[Any, Any]:
    """Return the difference of two rates over strata, x of n and `others` of `of` in each, and its standard error.

    d = Σ (x₁n₀ - x₀n₁) / N / Σ n₁n₀ / N (Mantel & Haenszel 1959, in Greenland & Robins 1985, Biometrics 41:55), with
    Sato's variance, which holds for few large and for many small strata (Sato 1989, Biometrics 45:1323). NaN where no
    stratum has cases of both. Arrays are `(..., strata)`.

    >>> d, se = pooled_difference(*np.array([(30, 8, 15), (40, 30, 20), (20, 6, 30), (40, 50, 50)], float))
    >>> print(d.round(6), se.round(6))
    0.186532 0.060762
    """
    x, n, others, of, total = _where_both(x, n, others, of)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = (n * of / total).sum(-1)
        d = ((x * of - others * n) / total).sum(-1) / weight
        p = (n**2 * others - of**2 * x + n * of * (of - n) / 2) / total**2
        q = (x * (of - others) + others * (n - x)) / (2 * total)
        return d, np.sqrt(np.maximum(0.0, d * p.sum(-1) + q.sum(-1))) / weight


def pooled_ratio(x: Array, n: Array, others: Array, of: Array) -> tuple[Any, Any]:
    """Return the ratio of two rates over strata, and the standard error of its logarithm.

    Σ x₁n₀ / N / Σ x₀n₁ / N with the variance of Greenland & Robins 1985, Biometrics 41:55. NaN where it is 0 / 0.
    Arrays are `(..., strata)`.

    >>> ratio, se = pooled_ratio(*np.array([(30, 8, 15), (40, 30, 20), (20, 6, 30), (40, 50, 50)], float))
    >>> print(ratio.round(6), se.round(6))
    1.475129 0.127746
    """
    x, n, others, of, total = _where_both(x, n, others, of)
    above, below = (x * of / total).sum(-1), (others * n / total).sum(-1)
    squares = ((n * of * (x + others) - x * others * total) / total**2).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return above / below, np.where(above > 0, np.sqrt(squares / (above * below)), np.nan)


def _where_both(*counts: Array) -> tuple[Array, ...]:
    """Events and cases of both groups, 0 in strata that one of them lacks; and the cases of both, 1 there."""
    counts = tuple(np.broadcast_arrays(*counts))
    both = (counts[1] > 0) & (counts[3] > 0)
    x, n, others, of = (np.where(both, column, 0.0) for column in counts)
    return x, n, others, of, np.where(both, n + of, 1.0)


@dataclass(frozen=True)
class PooledPairs:
    """Two rates over the strata that hold both groups, each with its strata's counts of events and cases.

    a = Σ w x₁ / n₁ / Σ w with w = n₁n₀ / N, and b likewise: their difference is Mantel and Haenszel's, their ratio too.
    Arrays are `(pairs, strata)`, 0 where a stratum does not hold both groups.
    """

    x: Array
    n: Array
    others: Array
    of: Array

    @classmethod
    def of_strata(cls, x: Array, n: Array, others: Array, of: Array) -> PooledPairs:
        """Return those of the strata with cases of both."""
        return cls(*_where_both(x, n, others, of)[:4])

    @property
    def are_known(self) -> Array:
        """Which pairs have a stratum with cases of both."""
        return np.asarray((self.n > 0).any(-1))

    @property
    def are_sparse(self) -> Array:
        """Where a group has so few events, or others, that the variance of a sum tells too little."""
        events = self.x, self.n - self.x, self.others, self.of - self.others
        return np.asarray(np.min([counts.sum(-1) for counts in events], axis=0) < FEW_EVENTS)

    def taken(self, pairs: Array) -> PooledPairs:
        """Return some of the pairs."""
        return PooledPairs(self.x[pairs], self.n[pairs], self.others[pairs], self.of[pairs])

    def rates(self, quantile: float) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        """Both rates with their limits: of standardised rates of few events, or others (see `standardised_rate`)."""
        weight = self.n * self.of / np.where(self.n > 0, self.n + self.of, 1.0)
        weight = weight / weight.sum(-1, keepdims=True)
        one, other = (
            standardised_rate(x, n, weight, quantile) for x, n in ((self.x, self.n), (self.others, self.of))
        )
        return one, other

    def differences(self, quantile: float) -> Array:
        """Return their differences with their limits, `(3, pairs)`."""
        d, error = pooled_difference(self.x, self.n, self.others, self.of)
        limits = np.stack([d, d - quantile * error, d + quantile * error])
        sparse = np.flatnonzero(self.are_sparse)
        if sparse.size:
            (a, a_low, a_high), (b, b_low, b_high) = self.taken(sparse).rates(quantile)
            d = a - b
            below, above = np.hypot(a - a_low, b_high - b), np.hypot(a_high - a, b - b_low)
            limits[:, sparse] = d, d - below, d + above
        return limits

    def ratios(self, quantile: float) -> Array:
        """Return their ratios with their limits, `(3, pairs)`; NaN where the second rate is 0."""
        ratio, error = pooled_ratio(self.x, self.n, self.others, self.of)
        with np.errstate(invalid="ignore"):
            limits = np.stack([ratio, ratio * np.exp(-quantile * error), ratio * np.exp(quantile * error)])
        sparse = np.flatnonzero(self.are_sparse)
        if sparse.size:
            one, other = self.taken(sparse).rates(quantile)
            lower, upper = _ratio_ends(one, other)
            with np.errstate(divide="ignore", invalid="ignore"):
                limits[:, sparse] = one[0] / other[0], lower, upper
        limits[:, self.others.sum(-1) == 0] = np.nan
        return limits


def standardised_rate(x: Array, n: Array, weight: Array, quantile: float) -> tuple[Array, Array, Array]:
    """Return a weighted mean of rates over strata, `(..., strata)`, with its limits: gamma ones of the rarer outcome.

    A sum of events w x has as many as y² / v that weigh alike, y = Σ w x and v = Σ w² x; of the upper limit one more is
    added, of the greatest weight (Fay & Feuer 1997, Statistics in Medicine 16:791). One stratum has Wilson's limits;
    those of many strata, squared and added, lay above one truth in nine: without events, none reaches below its rate.

    >>> x, n = np.array([[0.0, 1.0, 0.0]]), np.array([[5.0, 5.0, 10.0]])
    >>> value, low, high = standardised_rate(x, n, np.array([[0.25, 0.25, 0.5]]), 1.959964)
    >>> print(value.round(3), low.round(4), high.round(3))
    [0.05] [0.0013] [0.279]
    """
    from scipy.special import gammaincinv, ndtr

    cases = np.where(n > 0, n, 1.0)  # of no weight
    turned = (weight * x / cases).sum(-1) > 0.5
    rarer = np.where(turned[..., None], n - x, x)
    unit_weight = weight / cases
    y, v, most = (unit_weight * rarer).sum(-1), (unit_weight**2 * rarer).sum(-1), unit_weight.max(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.where(y > 0, gammaincinv(y * y / v, ndtr(-quantile)) * v / y, 0.0)
    above, more = y + most, v + most * most
    beyond = np.minimum(1.0, gammaincinv(above * above / more, ndtr(quantile)) * more / above)
    value, low, high = y, np.minimum(below, y), np.maximum(beyond, y)
    alone = np.count_nonzero(weight, -1) == 1  # Wilson's own
    of_one = wilson(
        (np.where(weight > 0, rarer, 0)).sum(-1), np.where(weight > 0, cases, 0).sum(-1), level_of(quantile)
    )
    low, high = (np.where(alone, single, limit) for single, limit in zip(of_one, (low, high), strict=True))
    return tuple(
        np.where(turned, 1 - one, other) for one, other in ((value, value), (high, low), (low, high))
    )


def are_few_within(x: Array, n: Array) -> bool:
    """Check whether a pair of groups has so few events, or others, that its limits are those of standardised rates."""
    pairs = (PooledPairs.of_strata(one, cases, x, n) for one, cases in zip(x, n, strict=True))
    return any(bool((group_pairs.are_sparse & group_pairs.are_known).any()) for group_pairs in pairs)


FEW_EVENTS = 5
"""Events, or others, of a group over all strata, below which its rates' own limits are combined."""


def extreme_within(
    x: Array, n: Array, quantile: float, plain: float, *, ratio: bool = False
) -> tuple[Extreme, float | None]:
    """Return the largest gap, or least ratio, of rates over strata, `(groups, strata)`; and the gap found by 80% power.

    Each pair of groups has its own pooled difference: Sato's limits, or where events are few those of both standardised
    rates, squared and added (Fay & Feuer 1997, Statistics in Medicine 16:791). Lower ends (upper ends of ratios) reach
    `quantile` standard errors, the others `plain`. NaN where no pair has a stratum with cases of both, or all rates
    are 0.
    """
    columns = [np.empty((7, 0))]
    for i in range(len(x)):
        pairs = PooledPairs.of_strata(x[i], n[i], x, n)
        places = np.flatnonzero(pairs.are_known & (np.arange(len(x)) != i))
        if places.size:
            pairs = pairs.taken(places)
            strict, loose = (pairs.ratios(q) if ratio else pairs.differences(q) for q in (quantile, plain))
            columns.append(
                np.stack([*strict, *loose[1:], np.full(places.size, float(i)), places.astype(float)])
            )
    values, strict_lows, strict_highs, lows, highs, first, second = np.concatenate(columns, axis=1)
    if np.isnan(values).all():
        nan = float("nan")
        return Extreme(nan, nan, nan, 0, 0), None
    if ratio:
        sure = int(np.where(np.isnan(strict_highs), inf, strict_highs).argmin())
        at = int(np.nanargmin(values))
        at = sure if strict_highs[sure] < 1 and values[sure] == values[at] else at
        seen, surest = ((int(second[index]), int(first[index])) for index in (at, sure))
        value, low, high = (float(end) for end in (values[at], np.nanmin(lows), strict_highs[sure]))
        return Extreme.of_ratio(min(value, 1.0), low, high, seen, surest), None
    sure = int(strict_lows.argmax())
    at = int(values.argmax())
    at = sure if strict_lows[sure] > 0 and values[sure] == values[at] else at
    seen, surest = ((int(first[index]), int(second[index])) for index in (at, sure))
    value, low, high = (float(end) for end in (values[at], strict_lows[sure], highs.max()))
    widest = float(((highs - lows) / (2 * plain)).max())
    power = quantile + normal_quantile(2 * POWER - 1)
    return Extreme.of_gap(value, low, min(1.0, high), seen, surest), power * widest
