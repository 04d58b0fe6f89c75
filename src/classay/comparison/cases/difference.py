"""Differences with a standard error: interval, test, sign flips, size that would settle it; proportions compared."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from math import expm1, inf, isfinite, isnan, log, log1p, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.comparison.claims import cases_needed
from classay.comparison.comparison import TEST_CASES, Comparison, Criterion, SignificanceTest, UnitsTested
from classay.comparison.named_tests import DIFFERENT_TEST_SETS, ONE_TEST_SET, ComparedInput, cite, test
from classay.compiled import core_count, workers
from classay.errors import InputError
from classay.inference.bootstrap.bootstrapping import MOST_UNDEFINED, ends_of
from classay.inference.bootstrap.draw_kernels import flipped_sums
from classay.inference.design import SamplingUnits, VarianceEstimate
from classay.inference.draws import DRAWS, stream
from classay.inference.estimate import Estimate
from classay.inference.paired_shares import connor_cases
from classay.inference.proportions import INDEPENDENT_METHODS, PAIRED_METHODS, normal_quantile
from classay.inference.significance import CHI_SQUARED, MCNEMAR, chi_squared_p, greater_p, statistic
from classay.tables import PairedCounts
from classay.tables.sums import is_rounding

Array = NDArray[Any]
FLIPS = 9_999
"""Random flips: with the observed one, a p-value in steps of 1/10,000."""
ENUMERATED = 16
"""Differences up to which all 2^n flips are tried: the test is exact."""
NEAR = 1e-12
"""Sums of flips closer than this, relative to the greatest, are ties."""


def tails_of_flips(sums: Array, observed: float, slack: float, added: int = 0) -> tuple[float, float]:
    """Return both one-sided p-values, greater and less, of a sum among the sums of flipped signs.

    `added` is 1 where the flips were drawn, so that the observed sum counts among them. Each flip counts with its
    mirror image, so that models that change places change the two p-values.

    >>> tails_of_flips(np.array([-3.0, -1.0, 1.0, 3.0]), 1.0, 1e-12)
    (0.5, 0.75)
    """

    def beyond(least: float) -> float:
        met = ((sums >= least).sum() + (sums <= -least).sum()) / 2
        return float((added + met) / (added + sums.size))

    return beyond(observed - slack), beyond(-observed - slack)


def sign_flips(differences: Array, *, seed: int = 0) -> tuple[float, tuple[float, float]]:
    """Two-sided p and both one-sided ones of the sum of differences when each sign is a toss: a permutation test.

    All 2^n flips up to 16 differences that are not 0; beyond, (1 + flips at least as extreme) / (1 + flips), so
    that it is never 0. Cases that belong together are flipped together: pass the sums over clusters. Pitman 1937,
    Supplement to JRSS 4:119; Ojala & Garriga 2010, JMLR 11:1833.
    """
    signed = np.asarray(differences, np.float64)
    # The sizes in their own order: neither the order of the cases nor that of the models changes the flips.
    values = np.sort(np.abs(signed[signed != 0]))
    total, slack = float(signed.sum()), NEAR * float(values.sum())
    observed = abs(total) - slack
    if values.size <= ENUMERATED:
        sums = np.zeros(1)
        for size in values:
            sums = np.concatenate([sums + size, sums - size])
        return float((np.abs(sums) >= observed).mean()), tails_of_flips(sums, total, slack)
    keys = stream(seed, "sign flips").integers(0, 2**64, FLIPS, dtype=np.uint64)
    out = np.empty(FLIPS)
    flip = flipped_sums.for_draws(values.size, FLIPS)
    threads = core_count() if FLIPS * values.size > 10_000_000 else 1
    parts = np.array_split(np.arange(FLIPS), threads)
    with workers(threads) as each_part:
        each_part(lambda part: flip(keys[part], values, out[part[0] : part[-1] + 1]), parts)
    p = float((1 + (np.abs(out) >= observed).sum()) / (1 + FLIPS))
    return p, tails_of_flips(out, total, slack, 1)


FEW_BEYOND = 10
"""Draws beyond 0 below which a p-value of 2,000 is coarse: it is 1% or less."""
MOST_DRAWS = 50_000
"""Draws that a large family of tests takes at most: p-values of 0.00004."""
NOTHING = 1e-13
"""Share of the variance of one model below which that of a difference is rounding."""


@dataclass(frozen=True)
class ComparisonMethod:
    """The name of the interval, that of the test, and their sources."""

    interval: str
    test: str
    sources: tuple[str, ...]


def of_spread(
    models: tuple[str, str],
    measure: str,
    values: tuple[float, float],
    spread: VarianceEstimate,
    how: ComparisonMethod,
    *,
    level: float,
    width: float = inf,
    size: float = 0.0,
) -> Comparison:
    """Return the comparison of two values whose difference has this spread: Δ ± q·se, and Δ / se as z or t.

    `width` is the greatest difference that the range of the measure allows; the interval is cut to it. `size` is that
    of the values of the cases, where their mean may be nearer to 0: a standard error that is rounding beside it is 0.
    """
    variance, units = spread.variance, spread.units
    if any(map(isnan, values)) or isnan(variance):
        return undefined(models, measure, f"too few {units.name} vary", values)
    delta, se = values[0] - values[1], sqrt(max(variance, 0.0))
    size = max(size, *map(abs, values))
    if is_rounding(se, size):
        why = f"the {units.name} show no variation of the difference"
        return _without_spread(models, measure, values, units, how, level, why, size)
    quantile, statistic = spread.quantile(level), delta / se
    p = spread.p(statistic)
    low, high = max(delta - quantile * se, -width), min(delta + quantile * se, width)
    needed = cases_needed(units.number, delta, se, level, spread.degrees)
    return Comparison(
        models,
        measure,
        Estimate(delta, low, high, level, how.interval),
        p,
        how.test,
        TEST_CASES,
        values=values,
        test=SignificanceTest(
            statistic=statistic,
            reference=cite(*how.sources),
            df=spread.degrees if isfinite(spread.degrees) else None,
        ),
        sample=UnitsTested(units.number, units.name, needed),
        criterion=Criterion(level=level),
    )


def _without_spread(
    models: tuple[str, str],
    measure: str,
    values: tuple[float, float],
    units: SamplingUnits,
    how: ComparisonMethod,
    level: float,
    why: str,
    size: float,
) -> Comparison:
    """Return two models whose difference does not vary: equal if it is only the rounding of values of this size."""
    if not is_rounding(values[0] - values[1], size):
        return undefined(models, measure, why, values)
    return no_difference(models, measure, values, units, how, level)


def no_difference(
    models: tuple[str, str],
    measure: str,
    values: tuple[float, float],
    units: SamplingUnits,
    how: ComparisonMethod,
    level: float,
    *,
    trials: float = 0,
    width: float = inf,
) -> Comparison:
    """Return two models that no unit tells apart: p = 1, which by itself is no evidence that they are equal.

    A variance of zero gives no interval. There is one if `trials` independent trials could each have told the models
    apart, and the difference is at most `width` times the chance that one does: after m trials without such an event
    its chance is at most 1 - ((1 - level) / 2)^(1/m). Each end errs with half of 1 - level, because gates and one-sided
    tests read one end alone, and all such events may favour one model. Clopper & Pearson 1934, Biometrika 26:404.

    >>> test = ComparisonMethod("t", "t", ("student1908",))
    >>> no_difference(
    ...     ("a", "b"), "brier_score", (0.1, 0.1), SamplingUnits(300), test, 0.95, trials=300, width=1.0
    ... ).effect
    Estimate(0.000 [-0.012, 0.012] 95%, Clopper-Pearson of no case)
    """
    effect = Estimate.bare(0.0, f"no {units.name} distinguish the models, which shows no variation")
    most = width * -expm1((log1p(-level) - log(2)) / trials) if trials else inf
    if isfinite(most):
        effect = Estimate(0.0, -most, most, level, "Clopper-Pearson of no case")
    return Comparison(
        models,
        measure,
        effect,
        1.0,
        how.test,
        TEST_CASES,
        values=values,
        test=SignificanceTest(statistic=0.0, reference=cite(*how.sources)),
        sample=UnitsTested(n=units.number, units=units.name),
        criterion=Criterion(level=level),
    )


def few_decide(differences: Array) -> Array:
    """Whether each difference, `[..., draw]`, has so few draws beyond 0 that more of them would move a small p-value.

    >>> few_decide(np.stack([np.ones(2000), np.arange(2000) - 500])).tolist()
    [True, False]
    """
    tails = np.minimum((differences <= 0).sum(-1), (differences >= 0).sum(-1))
    return np.asarray(tails < FEW_BEYOND)


def draws_for(family: int, level: float) -> int:
    """Return how many draws a family of tests needs: the least possible p, adjusted, is then a fifth of 1 - level.

    >>> draws_for(1, 0.95), draws_for(50, 0.95), draws_for(10_000, 0.95)
    (2000, 10000, 50000)
    """
    return min(max(DRAWS, round(10 * family / (1 - level))), MOST_DRAWS)


def of_replicates(
    models: tuple[str, str],
    measure: str,
    values: tuple[float, float],
    draws: Array,
    units: SamplingUnits,
    how: ComparisonMethod,
    *,
    level: float,
    bias: float = 0.0,
) -> Comparison:
    """Return the comparison by draws of the difference: its central share, and twice the smaller tail beyond 0.

    The p-value is the level of the narrowest such interval that reaches 0, with one draw added to each tail, so that it
    is never 0; draws at 0 count half. The difference of some statistics, such as maxima, is biased by up to `bias`
    times the bias that the draws show. For these the interval is widened to cover the normal intervals around the
    difference without a correction and with the full one, and p is the greatest of all.
    """
    defined = draws[~np.isnan(draws)]
    if any(map(isnan, values)) or defined.size < (1 - MOST_UNDEFINED) * draws.size:
        return undefined(models, measure, "it is not defined in more than 5% of the resamples", values)
    delta, spread = values[0] - values[1], float(defined.std(ddof=1))
    size = max(map(abs, values))
    if is_rounding(spread, size):
        why = "every resample gives the same difference"
        return _without_spread(models, measure, values, units, how, level, why, size)
    low, high, noise = ends_of(defined, (1 - level) / 2, (1 + level) / 2)
    below, at = float((defined < 0).sum()), float((defined == 0).sum())
    tail = min(below + at / 2, defined.size - below - at / 2)
    p = min(1.0, 2 * (tail + 1) / (defined.size + 2))
    if bias:
        centres = delta, delta - bias * (float(defined.mean()) - delta)
        half = normal_quantile(level) * spread
        low, high = min(low, min(centres) - half), max(high, max(centres) + half)
        p = max(p, _normal_p(centres, spread))
    needed = cases_needed(units.number, delta, spread, level)
    return Comparison(
        models,
        measure,
        Estimate(delta, min(low, delta), max(high, delta), level, how.interval),
        1.0 if delta == 0 else p,
        how.test,
        TEST_CASES,
        values=values,
        noise=noise,
        test=SignificanceTest(reference=cite(*how.sources), note=_note(defined.size, tail, at)),
        sample=UnitsTested(units.number, units.name, needed),
        criterion=Criterion(level=level),
    )


def _note(draws: int, tail: float, at: float) -> str:
    """Return why p and interval of the same draws may be on two sides of a level."""
    if tail < 1:
        return f"{draws:,} draws give no p below {2 / (draws + 2):.2g}"
    return f"p counts resamples without a difference as one half ({at:,.0f} of {draws:,})" if at else ""


def _normal_p(centres: tuple[float, float], spread: float) -> float:
    """Return the greatest two-sided p of normal tests around any place between two centres."""
    from scipy.special import ndtr

    near = 0.0 if min(centres) <= 0 <= max(centres) else min(map(abs, centres))
    return 2 * float(ndtr(-near / spread))


def undefined(
    models: tuple[str, ...], measure: str, reason: str, values: tuple[float, ...] = ()
) -> Comparison:
    """Return the comparison of what has no value or no test, with the reason."""
    both = len(values) == 2 and not any(map(isnan, values))
    effect = Estimate.bare(values[0] - values[1], reason) if both else Estimate.undefined(reason)
    return Comparison(
        models,
        measure,
        effect,
        float("nan"),
        "none",
        TEST_CASES,
        values=values,
        test=SignificanceTest(reason=reason),
    )


PROPORTIONS = ComparedInput[PairedCounts, Comparison]("proportions")
UNPAIRED_PROPORTIONS = ComparedInput[tuple[float, float], Comparison]("proportions")
CLUSTERED_PROPORTIONS = ComparedInput[ArrayLike, Comparison]("proportions of clustered cases")
"""What these tests are of."""
SOURCES = {
    "Tango": "tango1998",
    "Newcombe": "newcombe1998b",
    "Bonett-Price": "bonett2012",
    "mid-P": "fagerland2013",
    "exact": "mcnemar1947",
    "asymptotic": "mcnemar1947",
    "continuity-corrected": "mcnemar1947",
    "Newcombe, unpaired": "newcombe1998",
    "Miettinen-Nurminen, unpaired": "miettinen1985",
    "Agresti-Caffo, unpaired": "agresti2000",
}


def mcnemar(
    counts: PairedCounts,
    models: tuple[str, str] = ("first", "second"),
    *,
    measure: str = "accuracy",
    test: str = "mid-P",
    interval: str = "Tango",
    level: float = 0.95,
    units: str = "cases",
) -> Comparison:
    """Compare two proportions of the same cases: McNemar's test, and an interval for the difference.

    `counts` say how many cases both classifiers get right, only the first, only the second, neither. Accuracy
    counts all cases; recall those of one class, and specificity the others. It compares two trained models,
    not two ways of training. `test` is "mid-P", "exact", "asymptotic" or "continuity-corrected", `interval`
    "Tango", "Newcombe" or "Bonett-Price". Raises InputError for other names.

    >>> mcnemar(PairedCounts(59, 6, 16, 80))
    Comparison(accuracy of first minus second: -0.062 [-0.124, -0.005] 95%, Tango; p = 0.035, McNemar, mid-P)
    """
    _known("test", test, MCNEMAR)
    _known("interval", interval, PAIRED_METHODS)
    both, b, c, neither = (float(count) for count in counts)
    n = both + b + c + neither
    if n == 0:
        return undefined(models, measure, f"there are no {units}")
    low, high = _paired_limits(counts, interval, level)
    p = float(MCNEMAR[test](b, c))
    return Comparison(
        models,
        measure,
        Estimate((b - c) / n, float(low), float(high), level, interval),
        p,
        f"McNemar, {test}",
        TEST_CASES,
        values=((both + b) / n, (both + c) / n),
        test=SignificanceTest(
            statistic=statistic(test, b, c),
            reference=cite(SOURCES[test], SOURCES[interval]),
            df=1 if test in CHI_SQUARED else None,
            tails=(float(greater_p(test, b, c)), float(greater_p(test, c, b))),
        ),
        sample=UnitsTested(
            n=n, units=units, needed=None if b == c else connor_cases(b / n, c / n, level=level)
        ),
        criterion=Criterion(level=level),
    )


def _paired_limits(counts: PairedCounts, interval: str, level: float) -> tuple[float, float]:
    """Return the limits, those of classifiers in the other order mirrored to the last bit."""
    both, b, c, neither = counts
    turned = PairedCounts(both, c, b, neither)
    low, high = PAIRED_METHODS[interval](counts if b > c else turned, level)
    if b == c:
        return -float(high), float(high)
    return (float(low), float(high)) if b > c else (-float(high), -float(low))


def independent(
    successes: tuple[float, float],
    cases: tuple[float, float],
    models: tuple[str, str] = ("first", "second"),
    *,
    measure: str = "accuracy",
    interval: str = "Newcombe",
    level: float = 0.95,
) -> Comparison:
    """Compare proportions of different cases: two models on two test sets, one model in two groups.

    The p-value is that of the pooled two-sample z, without continuity correction, which rejects just where
    the score interval leaves out 0. `interval` is "Newcombe", "Miettinen-Nurminen" or "Agresti-Caffo".

    >>> independent((56, 48), (70, 80))
    Comparison(accuracy of first minus second: 0.200 [0.052, 0.334] 95%, Newcombe, unpaired; p = 0.0080, two-sample z)
    """
    from scipy.special import ndtr

    _known("interval", interval, INDEPENDENT_METHODS)
    (x1, x2), (n1, n2) = successes, cases
    if min(n1, n2) == 0:
        return undefined(models, measure, f"there are no cases of {models[0 if n1 == 0 else 1]}")
    low, high = INDEPENDENT_METHODS[interval](x1, n1, x2, n2, level)
    pooled = (x1 + x2) / (n1 + n2)
    spread = pooled * (1 - pooled) * (1 / n1 + 1 / n2)
    z = (x1 / n1 - x2 / n2) / sqrt(spread) if spread > 0 else 0.0
    return Comparison(
        models,
        measure,
        Estimate(x1 / n1 - x2 / n2, float(low), float(high), level, f"{interval}, unpaired"),
        2 * float(ndtr(-abs(z))),
        "two-sample z",
        TEST_CASES,
        values=(x1 / n1, x2 / n2),
        test=SignificanceTest(statistic=z, reference=cite(SOURCES[f"{interval}, unpaired"])),
        sample=UnitsTested(n=n1 + n2),
        criterion=Criterion(level=level),
    )


def cochran_q(right: ArrayLike, models: tuple[str, ...] | None = None, *, level: float = 0.95) -> Comparison:
    """Check whether several classifiers are equally often right on the same cases: Cochran's Q.

    Q = (k - 1) (k ΣG² - T²) / (kT - ΣL²) with G the successes of each of k classifiers, L those of each case and
    T all of them; chi-squared with k - 1 degrees of freedom. `right` is `(cases, classifiers)`, booleans. Raises
    InputError for fewer than two classifiers. Cochran 1950, Biometrika 37:256.

    >>> cochran_q([[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 1]]).p.__round__(4)
    0.1054
    """
    from scipy.special import chdtrc

    table = np.asarray(right, bool)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError(f"right must have shape (cases, classifiers), but has shape {table.shape}.")
    n, k = table.shape
    names = models or tuple(f"model {i + 1}" for i in range(k))
    by_model, by_case = table.sum(0).astype(float), table.sum(1).astype(float)
    total = by_model.sum()
    below = k * total - (by_case**2).sum()
    q = (k - 1) * (k * (by_model**2).sum() - total**2) / below if below > 0 else 0.0
    return Comparison(
        names,
        "accuracy",
        None,
        float(chdtrc(k - 1, q)),
        "Cochran Q",
        TEST_CASES,
        values=tuple((by_model / n).tolist()) if n else (),
        test=SignificanceTest(statistic=q, reference=cite("cochran1950"), df=k - 1),
        sample=UnitsTested(n=n),
        criterion=Criterion(level=level),
    )


@test(
    "clustered-mcnemar",
    "clustered McNemar",
    where=ONE_TEST_SET,
    of=CLUSTERED_PROPORTIONS,
    references=("obuchowski1998",),
)
def clustered_mcnemar(
    first: ArrayLike,
    second: ArrayLike,
    cluster: Array,
    models: tuple[str, str] = ("first", "second"),
    *,
    measure: str = "accuracy",
    level: float = 0.95,
) -> Comparison:
    """Obuchowski's test of two proportions of cases in clusters, with the variance that holds if they are equal.

    χ² = (I - 1) / I · (Σ d)² / Σ d² over I clusters, d the first's successes minus the second's in a cluster;
    with one case a cluster it is McNemar's χ² times (I - 1) / I. `first` and `second` say of each case whether it
    is a success, `cluster` are whole numbers from 0. It has no interval; `difference` by influence has. Obuchowski
    1998, Statistics in Medicine 17:1495.

    >>> clustered_mcnemar([1, 1, 1, 0, 1, 1], [0, 0, 1, 0, 1, 0], np.array([0, 0, 1, 1, 2, 2])).p.__round__(4)
    0.2733
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    net = np.bincount(cluster, weights=a - b)
    clusters = int(np.unique(cluster).size)
    squares = float((net**2).sum())
    chi2 = (clusters - 1) / clusters * float(net.sum()) ** 2 / squares if squares > 0 else 0.0
    return Comparison(
        models,
        measure,
        Estimate.bare(float((a - b).mean()), "the test has none"),
        float(chi_squared_p(np.sqrt(chi2), 1.0)),
        "clustered McNemar",
        TEST_CASES,
        values=(float(a.mean()), float(b.mean())),
        test=SignificanceTest(statistic=chi2, reference=cite("obuchowski1998"), df=1),
        sample=UnitsTested(n=clusters, units="clusters"),
        criterion=Criterion(level=level),
    )


def _known(what: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        raise InputError(f"Unknown {what} {name!r}. Available: {', '.join(known)}.")


_PAIRED = {
    "mid-p": ("mid-P", "Tango"),
    "exact": ("exact", "Tango"),
    "asymptotic": ("asymptotic", "Tango"),
    "continuity-corrected": ("continuity-corrected", "Tango"),
    "newcombe": ("mid-P", "Newcombe"),
    "bonett-price": ("mid-P", "Bonett-Price"),
}
"""Names of methods: McNemar's test and the interval beside it."""
for _name, (_test, _interval) in _PAIRED.items():
    test(
        _name,
        f"McNemar, {_test}" if _interval == "Tango" else f"McNemar, {_test}, with {_interval}'s interval",
        where=ONE_TEST_SET,
        of=PROPORTIONS,
        references=(SOURCES[_test], SOURCES[_interval]),
    )(partial(mcnemar, test=_test, interval=_interval))
for _interval in INDEPENDENT_METHODS:
    test(
        _interval.lower(),
        f"two-sample z, with {_interval}'s interval",
        where=DIFFERENT_TEST_SETS,
        of=UNPAIRED_PROPORTIONS,
        references=(SOURCES[f"{_interval}, unpaired"],),
    )(partial(independent, interval=_interval))
