"""Differences with a standard error: from it the interval, the test, and how many cases would settle it."""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, inf, isfinite, isnan, log1p, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import TEST_CASES, Comparison
from classay.comparison.power import cases_needed
from classay.comparison.references import cite
from classay.inference.draws import DRAWS
from classay.inference.estimate import Estimate
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.words import p_text
from classay.tables.running import is_rounding

Array = NDArray[Any]
FEW_BEYOND = 10
"""Draws beyond 0 below which a p-value of 2,000 is coarse: it is 1 % or less."""
MOST_DRAWS = 50_000
"""Draws that a large family of tests takes at most: p-values of 0.00004."""
NOTHING = 1e-13
"""Share of the variance of one model below which that of a difference is rounding."""


@dataclass(frozen=True)
class Units:
    """What was drawn independently: how many, of what, and the degrees of freedom of a variance over them."""

    n: float
    name: str = "cases"
    df: float = inf


def of_clusters(sums: Array) -> tuple[float, Units]:
    """The variance of a difference by the sums of its influences over clusters, and Satterthwaite's degrees for it.

    The variance is I / (I - 1) Σ s² over the I clusters. Its degrees are 2 V² / var(V) - 1 from the fourth moments,
    one for the mean, from 1 to I - 1: a few clusters that decide the difference have few. Satterthwaite 1946,
    Biometrics Bulletin 2:110.

    >>> even, uneven = np.tile([1.0, -1.0], 5), np.append([3.0, -3.0], np.zeros(8))
    >>> of_clusters(even)[1].df, of_clusters(uneven)[1].df
    (9.0, 4.0)
    """
    n = sums.size
    if n < 2:
        return float("nan"), Units(n, "clusters", n - 1)
    squares, fourths = float((sums**2).sum()), float((sums**4).sum())
    uneven = fourths - squares * squares / n
    degrees = min(n, 2 * squares * squares / uneven) if uneven > 0 else n
    return n / (n - 1) * squares, Units(n, "clusters", max(1.0, degrees - 1.0))


@dataclass(frozen=True)
class How:
    """The name of the interval, that of the test, and their sources."""

    interval: str
    test: str
    sources: tuple[str, ...]


def of_variance(
    models: tuple[str, str],
    measure: str,
    values: tuple[float, float],
    variance: float,
    units: Units,
    how: How,
    *,
    level: float,
    width: float = inf,
    size: float = 0.0,
) -> Comparison:
    """The comparison of two values whose difference has this variance: Δ ± q·se, and Δ / se as z or t.

    `width` is the greatest difference that the range of the measure allows; the interval is cut to it. `size` is that
    of the values of the cases, where their mean may be nearer to 0: a standard error that is rounding beside it is 0.
    """
    from scipy.special import ndtr, stdtr, stdtrit

    if any(map(isnan, values)) or isnan(variance):
        return undefined(models, measure, f"too few {units.name} show a spread", values)
    delta, se = values[0] - values[1], sqrt(max(variance, 0.0))
    size = max(size, *map(abs, values))
    if is_rounding(se, size):
        why = f"the {units.name} show no spread of the difference"
        return _without_spread(models, measure, values, units, how, level, why, size)
    is_normal = not isfinite(units.df)
    quantile = normal_quantile(level) if is_normal else float(stdtrit(units.df, 0.5 + level / 2))
    statistic = delta / se
    p = 2 * float(ndtr(-abs(statistic)) if is_normal else stdtr(units.df, -abs(statistic)))
    low, high = max(delta - quantile * se, -width), min(delta + quantile * se, width)
    return Comparison(
        models,
        measure,
        Estimate(delta, low, high, level, how.interval),
        p,
        how.test,
        TEST_CASES,
        statistic=statistic,
        reference=cite(*how.sources),
        n=units.n,
        units=units.name,
        values=values,
        df=None if is_normal else units.df,
        needed=cases_needed(units.n, delta, se, level),
        level=level,
    )


def _without_spread(
    models: tuple[str, str],
    measure: str,
    values: tuple[float, float],
    units: Units,
    how: How,
    level: float,
    why: str,
    size: float,
) -> Comparison:
    """Two models whose difference does not vary: alike where it is but the rounding of values of this size."""
    if not is_rounding(values[0] - values[1], size):
        return undefined(models, measure, why, values)
    return alike(models, measure, values, units, how, level)


def alike(
    models: tuple[str, str],
    measure: str,
    values: tuple[float, float],
    units: Units,
    how: How,
    level: float,
    *,
    trials: float = 0,
    width: float = inf,
) -> Comparison:
    """Two models of which nothing tells one from the other: p = 1, and by itself no evidence that they are equal.

    A variance of zero makes no interval. Where `trials` independent trials were made that could have told them apart,
    of which the difference is at most `width` times the chance of such a one, there is an interval: of no event in m
    trials the chance is at most 1 - (1 - level)^(1/m). Clopper & Pearson 1934, Biometrika 26:404.

    >>> alike(("a", "b"), "brier_score", (0.1, 0.1), Units(300), How("t", "t", ("student1908",)), 0.95,
    ...       trials=300, width=1.0).effect
    Estimate(0.000 [-0.010, 0.010] 95 %, Clopper-Pearson of no case)
    """
    effect = Estimate.bare(0.0, f"no {units.name} tell them apart, which shows no spread")
    most = width * -expm1(log1p(-level) / trials) if trials else inf
    if isfinite(most):
        effect = Estimate(0.0, -most, most, level, "Clopper-Pearson of no case")
    return Comparison(
        models,
        measure,
        effect,
        1.0,
        how.test,
        TEST_CASES,
        statistic=0.0,
        reference=cite(*how.sources),
        n=units.n,
        units=units.name,
        values=values,
        level=level,
    )


def few_decide(differences: Array) -> Array:
    """Whether each difference, `[..., draw]`, has so few draws beyond 0 that more of them would move a small p-value.

    >>> few_decide(np.stack([np.ones(2000), np.arange(2000) - 500])).tolist()
    [True, False]
    """
    tails = np.minimum((differences <= 0).sum(-1), (differences >= 0).sum(-1))
    return np.asarray(tails < FEW_BEYOND)


def draws_for(family: int, level: float) -> int:
    """How many draws let each of a family of tests decide: the least p of as many, adjusted, is a fifth of 1 - level.

    >>> draws_for(1, 0.95), draws_for(50, 0.95), draws_for(10_000, 0.95)
    (2000, 10000, 50000)
    """
    return min(max(DRAWS, round(10 * family / (1 - level))), MOST_DRAWS)


def of_replicates(
    models: tuple[str, str],
    measure: str,
    values: tuple[float, float],
    draws: Array,
    units: Units,
    how: How,
    *,
    level: float,
    bias: float = 0.0,
) -> Comparison:
    """The comparison by draws of the difference: its central share, and twice the smaller tail beyond 0.

    The p-value is the level of the narrowest such interval that reaches 0, with one draw added to each tail,
    so that it is never 0; draws at 0 count half. Where the draws' own bias shows between none and `bias` times as much
    of that of the difference, as of maxima, the interval is widened to the normal ones so corrected, and p is the
    greatest of theirs.
    """
    defined = draws[~np.isnan(draws)]
    if any(map(isnan, values)) or defined.size < 0.95 * draws.size:
        return undefined(models, measure, "it is undefined in more than 5 % of the resamples", values)
    delta, spread = values[0] - values[1], float(defined.std(ddof=1))
    size = max(map(abs, values))
    if is_rounding(spread, size):
        why = "every resample gives the same difference"
        return _without_spread(models, measure, values, units, how, level, why, size)
    (low, of_low), (turned, of_high) = _end(defined, level), _end(-defined, level)
    high = -turned
    below, at = float((defined < 0).sum()), float((defined == 0).sum())
    tail = min(below + at / 2, defined.size - below - at / 2)
    p = min(1.0, 2 * (tail + 1) / (defined.size + 2))
    if bias:
        centres = delta, delta - bias * (float(defined.mean()) - delta)
        half = normal_quantile(level) * spread
        low, high = min(low, min(centres) - half), max(high, max(centres) + half)
        p = max(p, _normal_p(centres, spread))
    return Comparison(
        models,
        measure,
        Estimate(delta, min(low, delta), max(high, delta), level, how.interval),
        1.0 if delta == 0 else p,
        how.test,
        TEST_CASES,
        reference=cite(*how.sources),
        n=units.n,
        units=units.name,
        values=values,
        needed=cases_needed(units.n, delta, spread, level),
        level=level,
        note=_note(defined.size, tail, at),
        noise=(of_low, of_high),
    )


def _note(draws: int, tail: float, at: float) -> str:
    """Why p and interval of the same draws may be on two sides of a level."""
    if tail < 1:
        return f"{draws:,} draws give no p below {p_text(2 / (draws + 2))}"
    return f"p counts draws without a difference as one half, {at:,.0f} of {draws:,}" if at else ""


def _normal_p(centres: tuple[float, float], spread: float) -> float:
    """The greatest two-sided p of normal tests around any place between two centres."""
    from scipy.special import ndtr

    near = 0.0 if min(centres) <= 0 <= max(centres) else min(map(abs, centres))
    return 2 * float(ndtr(-near / spread))


def _end(draws: Array, level: float) -> tuple[float, float]:
    """The lower end of the central share of draws, and its Monte-Carlo standard error.

    That is half the distance of the order statistics one standard error of the binomial count away. The upper end is
    that of the negated draws, so that models that change places mirror the interval exactly.
    """
    tail = (1 - level) / 2
    off = sqrt(tail * (1 - tail) / draws.size)
    low, at, high = np.quantile(draws, [max(tail - off, 0.0), tail, min(tail + off, 1.0)]).tolist()
    return at, (high - low) / 2


def undefined(
    models: tuple[str, ...], measure: str, reason: str, values: tuple[float, ...] = ()
) -> Comparison:
    """The comparison of what has no value or no test, with the reason."""
    both = len(values) == 2 and not any(map(isnan, values))
    effect = Estimate.bare(values[0] - values[1], reason) if both else Estimate.undefined(reason)
    return Comparison(models, measure, effect, float("nan"), "none", TEST_CASES, reason=reason, values=values)
