"""P-values: McNemar's tests, differences between two samples, and the adjustment of a family of tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.errors import InputError, nearest
from classay.inference.estimate import Estimate
from classay.inference.proportions import binomial_cdf, methods_said, normal_quantile
from classay.tables.sums import is_rounding, rounded_difference

Array = NDArray[Any]


def bonferroni(p: Array) -> Array:
    """m · p: holds the chance of any false claim in the family, under any dependence. Dunn 1961."""
    return np.asarray(np.minimum(p.size * p, 1))


def holm(p: Array, weights: Array | None = None) -> Array:
    """Step-down Bonferroni: holds the same chance under any dependence, and is never weaker. Holm 1979.

    With weights w, the tests are taken in the order of p / w, and each p counts (sum of the weights of those not yet
    taken) / w times. Holm 1979, section 4; Bretz, Maurer, Brannath & Posch 2009, Statistics in Medicine 28:586.
    """
    w = np.ones(p.size) if weights is None else weights
    order = np.argsort(p / w, kind="stable")
    left = np.cumsum(w[order][::-1])[::-1]
    stepped = np.maximum.accumulate(left / w[order] * p[order])
    return np.asarray(np.minimum(_back(stepped, order), 1))


def hochberg(p: Array) -> Array:
    """Step-up: for independent or positively dependent tests. Hochberg 1988, Biometrika 75:800."""
    order = np.argsort(p)[::-1]
    return _back(np.minimum.accumulate((1 + np.arange(p.size)) * p[order]), order)


def hommel(p: Array) -> Array:
    """Closed testing by Simes' test: for independent or positively dependent tests. Hommel 1988, Biometrika 75:383.

    The adjusted p-value is the greatest Simes p-value of all subfamilies that hold the test. Among those of one
    size the greatest joins it with the largest p-values, so that m subfamilies are enough.
    """
    order = np.argsort(p)
    ranked, m = p[order], p.size
    adjusted = ranked.copy()
    for size in range(2, m + 1):
        largest = ranked[m - size :]
        of_largest = (size / (1 + np.arange(size)) * largest).min()
        with_others = (size / (2 + np.arange(size - 1)) * ranked[m - size + 1 :]).min()
        inside = np.arange(m) >= m - size
        adjusted = np.maximum(adjusted, np.where(inside, of_largest, np.minimum(size * ranked, with_others)))
    return _back(adjusted, order)


def benjamini_hochberg(p: Array) -> Array:
    """Holds the expected share of false claims among the claims, for independent or positively dependent tests.

    Benjamini & Hochberg 1995, JRSS B 57:289.
    """
    order = np.argsort(p)[::-1]
    return _back(np.minimum.accumulate(p.size / (p.size - np.arange(p.size)) * p[order]), order)


def benjamini_yekutieli(p: Array) -> Array:
    """Holds the expected share of false claims under any dependence. Benjamini & Yekutieli 2001, Ann. Stat. 29:1165."""
    return np.asarray(np.minimum((1 / (1 + np.arange(p.size))).sum() * benjamini_hochberg(p), 1))


METHODS: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "holm": ("Holm", holm),
    "bonferroni": ("Bonferroni", bonferroni),
    "hommel": ("Hommel", hommel),
    "hochberg": ("Hochberg", hochberg),
    "benjamini_hochberg": ("Benjamini–Hochberg", benjamini_hochberg),
    "benjamini_yekutieli": ("Benjamini–Yekutieli", benjamini_yekutieli),
}
"""Adjustments by name: the name that is printed, and the function."""


def adjust(p: ArrayLike, method: str = "holm", *, weights: ArrayLike | None = None) -> Array:
    """Adjust the p-values of one family of tests.

    Claim a finding if its adjusted p-value is at most α.

    Parameters
    ----------
    p : array-like
        P-values, `(tests,)`. A NaN is no test. It stays NaN and does not count.
    method : str, default "holm"
        "holm", "bonferroni", "hommel" and "hochberg" control the probability of any false claim.
        "benjamini_hochberg" and "benjamini_yekutieli" control the expected share of false claims.
    weights : array-like, optional
        Weights of the tests in Holm's procedure, above 0, for tests that are likelier to be claimed. They
        must be prespecified.

    Returns
    -------
    array
        Adjusted p-values, `(tests,)`.

    Raises
    ------
    InputError
        If `method` is unknown.
        If a value is outside [0, 1].
        If weights are not above 0, or `method` takes none.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> adjust([0.02, 0.04, 0.03], weights=[2, 1, 1]).round(3).tolist()
    [0.04, 0.06, 0.06]
    """
    values = np.atleast_1d(np.asarray(p, np.float64))
    if values.ndim != 1 or ((values < 0) | (values > 1)).any():
        raise InputError(f"p values must be a list of numbers from 0 to 1, not {p!r}.")
    adjusted, tested = values.copy(), ~np.isnan(values)
    if weights is not None:
        w = np.asarray(weights, np.float64)
        if method != "holm" or w.shape != values.shape or not ((w > 0) & np.isfinite(w)).all():
            raise InputError(
                f"Weights need a number above 0 for each p value and the method 'holm', but are {weights!r} "
                f"for {values.size} p values with {method!r}."
            )
        adjusted[tested] = holm(values[tested], w[tested])
    elif tested.any():
        adjusted[tested] = adjustment_of(method)[1](values[tested])
    return adjusted


def adjustment_of(method: str) -> tuple[str, Callable[[Array], Array]]:
    """Return the printed name and the function of an adjustment. Raises InputError for an unknown one."""
    if method not in METHODS:
        near = nearest(str(method), METHODS) or "."
        raise InputError(f"Unknown adjustment {method!r}. Adjustments: {', '.join(METHODS)}{near}")
    return METHODS[method]


def _back(values: Array, order: Array) -> Array:
    """Values in sorted order, put back where they came from."""
    restored = np.empty_like(values)
    restored[order] = values
    return restored


def mid_p(first: Any, second: Any) -> Any:
    """McNemar's test with half the probability of the observed split: the default.

    p = 2 P(X < m) + P(X = m) with m the smaller of the discordant counts and X ~ Bin(first + second, 1/2);
    1 - P(X = m) / 2 when they are equal, and 1 without any. Keeps to its level nearly everywhere, without the
    conservatism of the exact test. Fagerland, Lydersen & Laake 2013.

    >>> print(round(float(mid_p(1, 7)), 6))
    0.039062
    """
    m, total = np.minimum(first, second), np.add(first, second)
    below, through = binomial_cdf(np.subtract(m, 1), total, 0.5), binomial_cdf(m, total, 0.5)
    p = np.where(np.equal(first, second), 1 - (through - below) / 2, below + through)
    return np.where(total > 0, np.minimum(p, 1), 1.0)[()]


def exact_p(first: Any, second: Any) -> Any:
    """McNemar's exact test: min(1, 2 P(X <= m)), never above its level, and well below it in small samples.

    >>> print(round(float(exact_p(1, 7)), 6))
    0.070312
    """
    m, total = np.minimum(first, second), np.add(first, second)
    return np.where(total > 0, np.minimum(2 * binomial_cdf(m, total, 0.5), 1), 1.0)[()]


def asymptotic_p(first: Any, second: Any) -> Any:
    """McNemar's chi-squared test, (b - c)² / (b + c); McNemar 1947.

    >>> print(round(float(asymptotic_p(6, 16)), 6))
    0.033006
    """
    return chi_squared_p(np.abs(np.subtract(first, second)) * 1.0, np.add(first, second))


def corrected_p(first: Any, second: Any) -> Any:
    """Return the same with Edwards' continuity correction, (|b - c| - 1)² / (b + c): needlessly conservative.

    >>> print(round(float(corrected_p(6, 16)), 6))
    0.055009
    """
    gap = np.maximum(np.abs(np.subtract(first, second)) - 1.0, 0)
    return chi_squared_p(gap, np.add(first, second))


MCNEMAR = {"mid-P": mid_p, "exact": exact_p, "asymptotic": asymptotic_p, "continuity-corrected": corrected_p}
CHI_SQUARED = ("asymptotic", "continuity-corrected")
"""Those whose statistic is χ² with one degree of freedom."""


def statistic(test: str, first: float, second: float) -> float:
    """Return what a McNemar test refers to its distribution, by its name in `MCNEMAR`.

    χ² of the asymptotic test and of that with the continuity correction; the smaller count, binomial, of the others.

    >>> round(statistic("asymptotic", 6, 16), 6), round(statistic("continuity-corrected", 6, 16), 6)
    (4.545455, 3.681818)
    >>> statistic("mid-P", 6, 16)
    6
    """
    if test not in CHI_SQUARED:
        return min(first, second)
    gap = max(abs(first - second) - (test == "continuity-corrected"), 0)
    return gap**2 / (first + second) if first + second else 0.0


def greater_p(test: str, first: Any, second: Any) -> Any:
    """Return the one-sided p of a McNemar test, by its name in `MCNEMAR`, of the first count being the larger.

    Exact P(X >= first), mid-P with half of P(X = first), X ~ Bin(first + second, 1/2); asymptotic the normal
    distribution, continuity-corrected with the difference one smaller. That of the second count: change them.

    >>> print(float(greater_p("exact", 1, 1)), float(greater_p("mid-P", 1, 1)))
    0.75 0.5
    """
    from scipy.special import ndtr

    total = np.add(first, second)
    if test in ("exact", "mid-P"):
        through = binomial_cdf(second, total, 0.5)
        below = binomial_cdf(np.subtract(second, 1), total, 0.5)
        return through if test == "exact" else (below + through) / 2
    gap = np.subtract(second, first) + (test == "continuity-corrected") * 1.0
    some = np.greater(total, 0)
    return np.where(some, ndtr(gap / np.sqrt(np.where(some, total, 1))), 0.5)[()]


def chi_squared_p(gap: Any, total: Any) -> Any:
    """p of gap² / total as chi-squared with one degree of freedom; 1 where there is nothing."""
    from scipy.special import chdtrc

    some = np.greater(total, 0)
    return np.where(some, chdtrc(1, np.square(gap) / np.where(some, total, 1)), 1.0)[()]


def same_shares_p(here: Array, there: Array) -> float:
    """p of Pearson's χ² that two rows of counts, `(bins,)`, have the same shares, also where the counts are small.

    χ² is read as a gamma variable with the mean and the variance that it has over all ways to deal the counts of both
    rows out again (Dawson 1954, Biometrika 41:280). No bin is empty in both; counts may be effective ones, which need
    not be whole. 1 where the deals do not differ, such as of bins of one case each.

    >>> round(same_shares_p(np.array([12.0, 7, 3, 1]), np.array([40.0, 45, 38, 30])), 3)
    0.036
    """
    from scipy.special import gammaincc

    both, bins = here + there, here.size
    n, m = float(here.sum()), float(there.sum())
    total = n + m
    if total <= 3:
        return 1.0
    statistic = float((((here * m - there * n) ** 2) / both).sum() / (n * m))
    mean = total * (bins - 1) / (total - 1)
    of_sizes = (total / n + total / m - 4) / (total - 2)
    of_bins = (total * float((1 / both).sum()) - bins**2) / (total - 2)
    even = ((total - 2) / (total - 1) - of_sizes) * ((bins - 1) * (total - bins) / (total - 1) - of_bins)
    variance = 2 * total / (total - 3) * even + total**2 / (total - 1) * of_sizes * of_bins
    if not variance > 0 or is_rounding(sqrt(variance), mean):
        return 1.0
    return float(gammaincc(mean**2 / variance, statistic * mean / variance))


@dataclass(frozen=True)
class SampleDifference:
    """What one sample's estimate is above another's, with the p-value of there being no difference.

    `p` is NaN where there is no interval; the reason stands in the estimate.
    """

    estimate: Estimate
    p: float

    @classmethod
    def undefined(cls, reason: str) -> SampleDifference:
        """Return the difference of what cannot be compared, with the reason."""
        return cls(Estimate.undefined(reason), float("nan"))


REFERENCE = 0.95
"""Level of the limits that p-values are read from, whatever level is shown."""


def difference(
    first: Estimate,
    second: Estimate,
    correlation: float = 0.0,
    *,
    reference: tuple[Estimate, Estimate] | None = None,
) -> SampleDifference:
    """first - second, of the same measure in two samples, with its interval and p-value.

    Samples are independent unless a correlation of the errors of both estimates is given.

    The interval is square-and-add of the distances to the limits that lie towards the other estimate, and away
    from it (MOVER: Zou & Donner 2008, Statistics in Medicine 27:1693; with correlated errors Zou 2007, Psychological
    Methods 12:399): from Wilson's limits of two proportions it is Newcombe's hybrid score interval (1998, Statistics in
    Medicine 17:873, method 10).

    The p-value is two-sided, from z = |difference| / se, where se is the same square root on the side of 0 divided
    by the normal quantile of the level: the variance that the limits imply where it matters. So p is below
    1 - level exactly when the interval leaves out 0. A p-value has no level: where another level than 0.95 is shown,
    `reference` are both estimates at 0.95, which p is read from. (The level at which the interval just touches 0
    would agree with intervals of every level, and rejects 3.4 times too often at 0.001 between 20 and 200 cases of
    accuracy 0.95; this one 0.07 times.) In simulations its size stays near or below nominal, also at
    0.001 and in samples of 60 against 540, where the test of unpaired AUCs on DeLong's variances (DeLong et al.
    1988) rejects ten times too often (docs/evidence/groups.md).

    Undefined where either estimate is; without interval and p where either has no interval.

    >>> from classay.inference.proportions import wilson
    >>> rates = [Estimate(x / m, *map(float, wilson(x, m)), 0.95, "Wilson") for x, m in ((56, 70), (48, 80))]
    >>> gap = difference(*rates)
    >>> gap.estimate, round(gap.p, 4)
    (Estimate(0.200 [0.052, 0.334] 95%, Newcombe), 0.0079)
    """
    for estimate, where in ((first, ""), (second, " in the reference")):
        if estimate.is_undefined:
            return SampleDifference.undefined(f"not defined{where} ({estimate.reason})")
        if not isfinite(estimate.value):
            return SampleDifference.undefined(f"infinite{where}")
    value = float(rounded_difference(first.value, second.value))
    for estimate, where in ((first, ""), (second, " in the reference")):
        if not estimate.has_interval:
            return SampleDifference(Estimate.bare(value, f"no CI{where} ({estimate.reason})"), float("nan"))
    low = value - _reach(first.value - first.low, second.high - second.value, correlation)
    high = value + _reach(first.high - first.value, second.value - second.low, correlation)
    estimated = Estimate(value, low, high, first.level, _method(first, second, correlation))
    return SampleDifference(estimated, _p_value(*(reference or (first, second)), correlation))


def contrast(
    estimates: Sequence[Estimate], coefficients: ArrayLike, *, reference: Sequence[Estimate] | None = None
) -> SampleDifference:
    """Σ cᵢ θᵢ of independent samples, with its interval and p-value: `difference` is that of 1 and -1.

    MOVER again: each limit adds the squares of cᵢ times the distance to the limit that lies on its side (Zou & Donner
    2008); p is read on the side of 0, from `reference` where another level than 0.95 is shown. All estimates have
    intervals.

    >>> from classay.inference.proportions import wilson
    >>> rates = [Estimate(x / m, *map(float, wilson(x, m)), 0.95, "Wilson") for x, m in ((56, 70), (48, 80))]
    >>> contrast(rates, [1, -1]) == difference(*rates)
    True
    """
    by = np.asarray(coefficients, np.float64)
    value, below, above = _sides(estimates, by)
    level = estimates[0].level or 0.95
    name = _mover([str(estimate.method) for estimate in estimates])
    estimated = Estimate(value, value - below, value + above, level, name)
    of_zero, down, up = _sides(reference or estimates, by)
    reach = down if of_zero > 0 else up
    if of_zero == 0 or reach == 0:
        return SampleDifference(estimated, 1.0 if of_zero == 0 else float("nan"))
    at = (reference or estimates)[0].level or 0.95
    return SampleDifference(estimated, _normal_p(normal_quantile(at) * abs(of_zero) / reach))


def _sides(estimates: Sequence[Estimate], by: Array) -> tuple[float, float, float]:
    """Σ cᵢ θᵢ, and how far below and above it the truth may be."""
    value, low, high = (
        np.array([getattr(estimate, part) for estimate in estimates]) for part in ("value", "low", "high")
    )
    below = np.where(by > 0, value - low, high - value) * by
    above = np.where(by > 0, high - value, value - low) * by
    total = float(by @ value)
    total = 0.0 if is_rounding(total, np.abs(by * value).max()) else total
    return total, float(np.sqrt(below @ below)), float(np.sqrt(above @ above))


def _reach(one: float, other: float, correlation: float) -> float:
    """Return how far the difference of two estimates may be off, from how far each of them may be."""
    return sqrt(max(0.0, one * one + other * other - 2 * correlation * one * other))


def _method(first: Estimate, second: Estimate, correlation: float) -> str:
    methods = [str(first.method), str(second.method)]
    if correlation:
        return f"MOVER of {methods_said(methods)}, correlation {correlation:.2f}"
    return _mover(methods)


def _mover(methods: Sequence[str]) -> str:
    return "Newcombe" if {*methods} == {"Wilson"} else f"MOVER of {methods_said(methods)}"


def _p_value(first: Estimate, second: Estimate, correlation: float) -> float:
    if not rounded_difference(first.value, second.value):
        return 1.0
    upper, lower = (first, second) if first.value > second.value else (second, first)
    reach = _reach(upper.value - upper.low, lower.high - lower.value, correlation)
    if reach == 0:  # both intervals end at their values, on the sides that face each other
        return float("nan")
    return _normal_p(normal_quantile(first.level or 0.95) * (upper.value - lower.value) / reach)


def _normal_p(z: float) -> float:
    from scipy.special import ndtr

    return float(2 * ndtr(-z))


def fisher_exact(a: int, b: int, c: int, d: int) -> float:
    """The two-sided p-value of Fisher's exact test: the probability of all 2 x 2 tables of these margins no likelier.

    Fisher 1935, Journal of the Royal Statistical Society 98:39.

    >>> round(fisher_exact(1, 9, 11, 3), 6)
    0.002759
    """
    from scipy.special import gammaln

    row, column, n = a + b, a + c, a + b + c + d
    if not n:
        return 1.0
    # beyond 40 standard deviations of the cell and 400 cases nothing has a chance that a float holds
    mean = row * column / n
    wide = 400 + 40 * np.sqrt(mean * (1 - row / n))
    least, most = max(0, row + column - n, int(mean - wide)), min(row, column, int(mean + wide) + 1)
    if not least <= a <= most:
        return 0.0
    x = np.arange(least, most + 1, dtype=np.float64)
    cells = (x, row - x, column - x, n - row - column + x)
    logs = -sum(gammaln(cell + 1) for cell in cells)
    chance = np.exp(logs - logs.max())
    observed = chance[int(a - x[0])]
    return float(min(1.0, chance[chance <= observed * (1 + 1e-7)].sum() / chance.sum()))


def hypergeometric_tail(x: Any, cases: int, wrong: int, drawn: Any) -> Array:
    """P(X ≥ x) of the wrong ones among `drawn` of so many cases, of which so many are wrong.

    Terms are added outwards from x, away from the mean, each from the one before it.

    >>> print(hypergeometric_tail([3], 10, 4, [5]).round(6))
    [0.261905]
    """
    from scipy.special import gammaln

    x, m = np.asarray(x, float), np.asarray(drawn, float)
    n, e = float(cases), float(wrong)
    upper = x > m * e / max(n, 1)
    k = np.where(upper, x, x - 1)  # below the mean, 1 less the lower tail
    possible = (k >= np.maximum(0, m + e - n)) & (k <= np.minimum(m, e))
    at = np.where(possible, k, np.maximum(0, m + e - n))
    logs = sum(
        sign * gammaln(count + 1)
        for sign, count in (
            (1, e),
            (1, n - e),
            (1, m),
            (1, n - m),
            (-1, n),
            (-1, at),
            (-1, e - at),
            (-1, m - at),
        )
    ) - gammaln(n - e - m + at + 1)
    term = np.where(possible, np.exp(logs), 0.0)
    total, live = term.copy(), np.flatnonzero(term > 0)
    while live.size:
        j, size, up = at[live], m[live], upper[live]
        more = (e - j) * (size - j) / ((j + 1) * np.maximum(n - e - size + j + 1, 1))
        less = j * np.maximum(n - e - size + j, 0) / ((e - j + 1) * (size - j + 1))
        term[live] *= np.where(up, more, less)
        total[live] += term[live]
        at[live] += np.where(up, 1, -1)
        live = live[term[live] > 1e-17 * total[live]]
    return np.asarray(np.clip(np.where(upper, total, 1 - total), 0.0, 1.0))
