"""Intervals of calibration errors: norms of how far the truth is from the probabilities.

A calibration error is a norm of a deviation, gaps in bins or a walk along the scores. The sample's deviation is the
population's plus noise, so by the triangle inequality the value lies above the truth by the norm of the noise at most;
and it lies below by no more than the noise in one direction, that of the deviation, which is normal. Hence

    value - quantile of the norm of the noise   to   value + z · se of the noise in the direction of the deviation,

cut at 0. It holds at perfect calibration, where the errors are biased upwards and resampling fails: a resample adds
a second noise to that of the sample, and its intervals exclude the truth nearly always (docs/intervals.md).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from classay.inference.bootstrap.on_request import refuse_bootstrap
from classay.inference.calibration.overall import brownian_exceedance
from classay.inference.estimate import Found
from classay.inference.proportions.binomial import clopper_pearson, normal_quantile
from classay.inference.registry import ANYHOW, SCORES, Registering, interval
from classay.inference.sampling_units import Array, Units
from classay.measures import Measure
from classay.measures.calibration.bins import (
    BINS,
    Bins,
    mass_cuts,
    mass_parted,
    parted,
    sum_stretches,
    with_two_cases,
)
from classay.measures.registry import ratio
from classay.once import once_with
from classay.tables import ScoreTable
from classay.tables.rows import CodedRows

FOLDED = float(np.sqrt(2 / np.pi))
"""Mean of |Z|, Z standard normal."""
PLACES = 50
"""Groups of equal mass at which the walk of clustered cases is looked at."""
_AT_ONCE = 50
"""Rows of a covariance looked at together, which stay in the processor's cache."""
WORDS = "triangle inequality"


def named(units: Units) -> str:
    """The method, and where cases are not independent and alike how its noise was found."""
    return WORDS if units.how == "influence" else f"{units.how}, {WORDS}"


def calibration_error(name: str, *references: str) -> Registering[ScoreTable]:
    """Register the interval of a calibration error, which a bootstrap would miss."""
    refuse_bootstrap((name,))
    return interval("triangle inequality", of=(name,), tables=SCORES, drawn=ANYHOW, references=references)


def bins_of(measure: Measure) -> int:
    """How many bins a measure has."""
    return int(measure.parameters.get("bins", BINS))


# -- bins ------------------------------------------------------------------------------------------


def gap_covariance(table: ScoreTable, units: Units, cuts: Array, bins: Bins) -> Array:
    """Covariance of the gaps of bins, lowest first: o (1 - o) / n of bins of n cases, o with half a case of each class.

    Weights that go with the truth, and clusters, add what they add.
    """
    alone = share_variance(table, cuts, bins)
    if units.rows is None:
        return np.diag(alone)
    at = np.repeat(np.arange(cuts.size - 1), np.diff(cuts))
    weight, gap = bins.weight[::-1][at], bins.gap[::-1][at]
    p = table.scores.astype(np.float64)
    found = units.covariance(cuts, (1 - p - gap) / weight, (-p - gap) / weight)[::-1, ::-1]
    np.fill_diagonal(found, np.maximum(found.diagonal(), alone))
    return found


def share_variance(table: ScoreTable, cuts: Array, bins: Bins) -> Array:
    """Variance of the share of positives of each bin, lowest first, of cases that are independent."""
    by_weight = weighted_variance(table, cuts, bins.weight, _likely_share(bins))
    return np.where(bins.weight > 0, np.maximum(binomial_variance(bins), by_weight), 0.0)


def binomial_variance(bins: Bins) -> Array:
    """The same where all cases count alike."""
    o, held = _likely_share(bins), bins.weight > 0
    return np.where(held, o * (1 - o) / np.where(held, bins.effective, 1), 0.0)


def _likely_share(bins: Bins) -> Array:
    """Share of positives of each bin, with half a case of each class added; one half of an empty bin."""
    held = bins.weight > 0
    n = np.where(held, bins.effective, 1)
    return np.where(held, (np.nan_to_num(bins.observed) * n + 0.5) / (n + 1), 0.5)


def weighted_variance(table: ScoreTable, cuts: Array, weight: Array, likely: Array) -> Array | float:
    """Variance of the share of positives in each bin, lowest first, by the squared weights of each class."""
    if table.positive_squares is None or table.negative_squares is None:
        return 0.0
    both, plus, _ = sum_stretches(table.scores, table.positive_squares, table.negative_squares, cuts)[:, ::-1]
    squares = plus * (1 - likely) ** 2 + (both - plus) * likely**2
    return np.asarray(ratio(squares, weight * weight))


def noise_norm(covariance: Array) -> tuple[float, float]:
    """Mean and variance of the sum of |Z_i|, Z normal with mean zero and this covariance.

    cov(|X|, |Y|) = 2/π (ρ arcsin ρ + sqrt(1 - ρ²) - 1) σ τ. (Nabeya 1951, Ann Inst Statist Math 3:2.)
    """
    sd = np.sqrt(np.maximum(covariance.diagonal(), 0))
    variance = 0.0
    for first in range(0, sd.size, _AT_ONCE):
        rows = slice(first, first + _AT_ONCE)
        # each pair once, and then twice: rows with the columns before them, and among themselves
        before, own = slice(first), rows
        variance += 2 * _shared(covariance[rows, before], sd[rows], sd[before])
        variance += _shared(covariance[rows, own], sd[rows], sd[own])
    return FOLDED * float(sd.sum()), variance


def _shared(covariance: Array, sd: Array, other: Array) -> float:
    """Sum of cov(|X|, |Y|) over the pairs of normal variables with these covariances and standard deviations."""
    outer = sd[:, None] * other
    rho = np.clip(ratio(covariance, np.where(outer > 0, outer, 1)), -1, 1)
    shared = rho * np.arcsin(rho) + np.sqrt(1 - rho * rho) - 1
    return 2 / np.pi * float((shared * outer).sum())


def gamma_quantile(mean: float, variance: float, share: float) -> float:
    """The quantile of the gamma distribution with these moments."""
    from scipy.special import gammaincinv

    return float(gammaincinv(mean * mean / variance, share)) * variance / mean if variance > 0 else mean


def around(value: float, above: float, below: float, units: Units, level: float) -> Found:
    """From `above` less than the value to `below` more; quantiles of few clusters are wider."""
    wider = units.quantile(level) / normal_quantile(level)
    return max(0.0, value - wider * above), min(1.0, value + wider * below), named(units)


def expected_error(
    measure: Measure, table: ScoreTable, value: float, units: Units, level: float, *, equal_mass: bool
) -> Found:
    """The sum over bins of share · |gap|."""
    cuts, bins = (mass_parted if equal_mass else parted)(table, bins_of(measure))
    above, below = expected_error_noise(table, bins, cuts, units, level)
    return around(value, above, below, units, level)


def expected_error_noise(
    table: ScoreTable, bins: Bins, cuts: Array, units: Units, level: float
) -> tuple[float, float]:
    """How far the sum over bins of share · |gap| may lie above and below the truth."""
    covariance = bins.share[:, None] * gap_covariance(table, units, cuts, bins) * bins.share
    return gamma_quantile(*noise_norm(covariance), 0.5 + level / 2), noise_below(covariance, bins, level)


def noise_below(covariance: Array, bins: Bins, level: float) -> float:
    """How far the sum over bins may lie below the truth: the noise in the direction of the gaps."""
    direction = np.where(bins.gap < 0, -1.0, 1.0)
    return normal_quantile(level) * float(np.sqrt(direction @ covariance @ direction))


@calibration_error("root_mean_squared_calibration_error", "satterthwaite1946")
def root_mean_squared_error(
    measure: Measure, table: ScoreTable, value: float, units: Units, level: float
) -> Found:
    """Of the gaps in bins of equal width."""
    return root_mean_square(table, *parted(table, bins_of(measure)), value, units, level)


def root_mean_square(
    table: ScoreTable, cuts: Array, bins: Bins, value: float, units: Units, level: float
) -> Found:
    """The square of the norm of the noise is nearly gamma (Satterthwaite 1946, Biometrics 2:110)."""
    root = np.sqrt(bins.share)
    covariance = root[:, None] * gap_covariance(table, units, cuts, bins) * root
    direction = root * bins.gap / value if value > 0 else root
    above = gamma_quantile(float(covariance.trace()), 2 * float((covariance**2).sum()), 0.5 + level / 2)
    below = normal_quantile(level) * float(np.sqrt(direction @ covariance @ direction))
    return around(value, float(np.sqrt(above)), below, units, level)


@interval(
    "Clopper-Pearson in all bins",
    of=("maximum_calibration_error",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("clopper1934", "rao1992"),
)
def maximum_error(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """Exact intervals of the shares of positives: of all bins at once below, of the worst bin above.

    It speaks of the bins that hold cases.
    """
    cuts, bins = parted(table, bins_of(measure))
    variance = gap_covariance(table, units, cuts, bins).diagonal()
    held = bins.weight > 0
    n, o, p = bins.effective[held], bins.observed[held], bins.mean_score[held]
    likely = (o * n + 0.5) / (n + 1)
    n = np.minimum(n, likely * (1 - likely) / variance[held])
    all_at_once = 1 - 2 * (1 - (0.5 + level / 2) ** (1 / n.size))
    low, high = clopper_pearson(o * n, n, all_at_once)
    least = float(np.maximum(0, np.maximum(low - p, p - high)).max())
    low, high = clopper_pearson(o * n, n, level)
    most = float(np.maximum(high - p, p - low).max())
    return min(value, least), max(value, min(1.0, most)), f"{_before(units)}Clopper-Pearson in all bins"


def _before(units: Units) -> str:
    return "" if units.how == "influence" else f"{units.how}, "


@interval(
    "normal",
    of=("debiased_squared_calibration_error", "debiased_murphy_reliability"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("kumar2019",),
)
def debiased_squared_error(
    measure: Measure, table: ScoreTable, value: float, units: Units, level: float
) -> Found:
    """Normal: the variance of a sum of squared gaps, 4 γ² v + 2 v², and that of the shares of the bins."""
    if units.rows is not None:
        return "what it takes off for chance is that of independent cases"
    bins = with_two_cases(parted(table, bins_of(measure))[1])
    o = (bins.observed * bins.effective + 0.5) / (bins.effective + 1)
    v, gap, w = o * (1 - o) / bins.effective, bins.gap, bins.share
    n = units.number
    of_shares = ((w * gap**4).sum() - (w * gap**2).sum() ** 2) / n
    half = normal_quantile(level) * float(
        np.sqrt((w * w * (4 * gap * gap * v + 2 * v * v)).sum() + of_shares)
    )
    low, high = measure.bounds
    return max(low, value - half), min(high, value + half), f"{_before(units)}normal"


# -- a walk along the scores -----------------------------------------------------------------------


def walk_deviation(units: Units) -> float:
    """Greatest standard error of the mean of y - p over the cases up to a score, from either end of the scores."""
    if units.rows is not None:
        return _walk_of_clusters(units.table, units.rows, units.near)
    p = units.table.scores.astype(np.float64) / units.total
    plus, minus = units.squares
    return float(np.sqrt((plus * (1 / units.total - p) ** 2 + minus * p**2).sum()))


@once_with
def _walk_of_clusters(whole: ScoreTable, rows: CodedRows, units: Units) -> float:
    """The same of clusters, whose cases vary together: from sums between places."""
    table = units.table
    p = table.scores.astype(np.float64) / units.total
    on_positive, on_negative = 1 / units.total - p, -p
    cuts = mass_cuts(table.positives, table.negatives, PLACES)
    apart = units.covariance(cuts, on_positive, on_negative)
    ends = (each.cumsum(0).cumsum(1).diagonal().max() for each in (apart, apart[::-1, ::-1]))
    return float(np.sqrt(max(ends)))


@calibration_error("cumulative_calibration_error", "arrieta2022")
def cumulative_error(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """The noise is a Brownian motion in the variance of y - p: its greatest distance from 0."""
    se = walk_deviation(units)
    return around(value, se * exceeded(brownian_exceedance, level), se * normal_quantile(level), units, level)


@calibration_error("cumulative_calibration_range", "feller1951")
def cumulative_range(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """The noise is a Brownian motion in the variance of y - p: its range."""
    se = walk_deviation(units)
    return around(value, se * exceeded(range_exceedance, level), se * normal_quantile(level), units, level)


def range_exceedance(x: float) -> float:
    """P(max B - min B > x over t in [0, 1]) of Brownian motion B: 8 sum (-1)^(k-1) k (1 - Φ(k x)).

    Feller 1951, Annals of Mathematical Statistics 22:427.

    >>> round(range_exceedance(2.4977), 4)
    0.05
    """
    from scipy.special import ndtr

    k = np.arange(1, 50)
    return float(8 * ((-1.0) ** (k - 1) * k * ndtr(-k * x)).sum())


def exceeded(exceedance: Callable[[float], float], level: float) -> float:
    """What a maximum exceeds with probability (1 - level) / 2."""
    low, high = 1.0, 10.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if exceedance(middle) > (1 - level) / 2 else (low, middle)
    return high


for _equal_mass, _name in ((False, "expected_calibration_error"), (True, "equal_mass_calibration_error")):
    calibration_error(_name, "nabeya1951")(partial(expected_error, equal_mass=_equal_mass))
refuse_bootstrap(
    ("maximum_calibration_error", "debiased_squared_calibration_error", "debiased_murphy_reliability")
)
