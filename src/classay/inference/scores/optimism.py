"""Intervals of what is best on the cases at hand: a threshold, a recalibration, a hull, a crossing; Murphy's parts.

The value is the maximum of something over many rules. At the population's best rule it has the population's mean and
is normal, with the variance it would have were that rule given (envelope theorem); the sample's best rule does better
than that on the sample, by its optimism. Hence

    value - optimism - t · se   to   value + t · se.

A maximum over thresholds has the optimism of Brownian motion with parabolic drift. Isotonic regression has, for each
block of its fit, that of 3/2 fitted means: the number of blocks is its degrees of freedom (Meyer & Woodroofe 2000,
Annals of Statistics 28:1083), its squared error is half of that where the truth rises, all of it where it is flat, and
the gain on the sample is twice the degrees of freedom less the error.

Intervals of rates where curves cross: the equal error rate, recall at a precision or at a specificity.

The threshold is chosen on the same cases, and no density of the scores is needed. The equal error rate is e if some
threshold has both error rates equal to e; each threshold is tested with the score test of the two shares, and those e
are in the interval for which one threshold passes (the profile of the score test over thresholds, as of an empirical
likelihood: Owen 1990, Annals of Statistics 18:90). Recall at a precision is drawn at resampled thresholds, as the
readings of curves are.

Intervals of the parts of the Brier score in bins: reliability as a calibration error, resolution less optimism.

Reliability is the square of the root mean squared calibration error, and has the square of its interval. Resolution is
what the shares of positives of the bins, fitted to these cases, save of the loss of the base rate. That is a maximum,
too good by a fitted mean for each bin, less one for the base rate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from classay.inference.bootstrap.bootstrap_intervals import refuse_bootstrap
from classay.inference.design import Array, Design, VarianceEstimate
from classay.inference.draws import DRAWS, percentile, stream
from classay.inference.estimate import IntervalResult
from classay.inference.methods import ANYHOW, SCORES, interval
from classay.inference.proportions import exp, normal_quantile, score_interval, wilson
from classay.inference.readings import (
    FPR,
    PRECISION,
    TPR,
    correlation,
    drawn,
    last_at_most,
    parted_at,
    rate_at,
    why_few_clusters,
)
from classay.inference.readings import share as share_at
from classay.inference.scores.deviation import as_in_clusters, bins_of, root_mean_square, share_variance
from classay.inference.scores.linearised import FEW, TOO_FEW
from classay.measures import Measure
from classay.measures.probability import losses_at_scores, why_infinite
from classay.measures.probability_bins import ProbabilityBins, bins_between, parted
from classay.measures.proper_parts import Isotonic, isotonic
from classay.measures.ranking import complement_of, tpr_at
from classay.measures.registry import ratio
from classay.tables import ScoreTable
from classay.tables.sums import at_least

PER_BLOCK = 1.5
"""Gain of a block of the isotonic fit, in units of that of a fitted mean, where the truth rises."""
DRIFTING = 0.790679
"""E max (W(t) - t²) of two-sided Brownian motion W (Janson, Louchard & Martin-Löf 2010, EJP 15:1900)."""
BRIDGE = 0.868731
"""E max |B(t)| of a Brownian bridge, the optimism without a best threshold."""
STEP = 1e-4
"""Step of the derivative of the H-measure by the prior of the costs."""
WORDS = "optimism-corrected lower limit"
ONE_BLOCK = "recalibration makes all scores equal, so the cases show no variation"


def named(design: Design) -> str:
    """Return the method."""
    return f"{design.how}, {WORDS}"


# -- isotonic recalibration ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ScoringRule:
    """A proper scoring rule: the loss of a positive and a negative case given a probability.

    `gain(p, pure)` is by how much a mean fitted to cases beats the true one on them; where all are of one class (pure),
    their share hides its spread, and what stands for it is from simulations.
    """

    loss: Callable[[Array], tuple[Array, Array]]
    gain: Callable[[Array, Array], Array]


def _log_loss(p: Array) -> tuple[Array, Array]:
    with np.errstate(divide="ignore"):
        return -np.log(p), -np.log1p(-p)


def _variance(p: Array, pure: Array) -> Array:
    spread = p * (1 - p)
    return np.asarray(np.where(pure, np.maximum(spread, 1 / 6), spread))


BRIER = ScoringRule(lambda p: ((1 - p) ** 2, p * p), _variance)
LOG = ScoringRule(_log_loss, lambda p, pure: np.where(pure, 4 / 3, 1 / 2))


def cost_rule(a: float, b: float) -> ScoringRule:
    """Return the mean cost of deciding by p > c, over c ~ Beta(a, b); its curvature at p is the density of c there."""
    from scipy.special import beta, betainc

    def loss(p: Array) -> tuple[Array, Array]:
        starts = np.flatnonzero(np.diff(p, prepend=np.nan))  # runs of one probability: betainc takes long
        distinct, length = p[starts], np.diff(np.append(starts, p.size))
        on_positive, on_negative = b * betainc(b + 1, a, 1 - distinct), a * betainc(a + 1, b, distinct)
        return np.repeat(on_positive, length) / (a + b), np.repeat(on_negative, length) / (a + b)

    return ScoringRule(
        loss,
        lambda p, pure: p ** (a - 1) * (1 - p) ** (b - 1) / beta(a, b) / 2 * _variance(p, pure),
    )


def isotonic_optimism(table: ScoreTable, fit: Isotonic, design: Design, rule: ScoringRule) -> float:
    """Return how much better the isotonic fit scores on these cases than the true recalibration does, on average."""
    weight = fit.positives + fit.negatives
    case = design.total / design.number
    p = (fit.positives + case / 2) / (weight + case)
    gain = rule.gain(p, (fit.positives == 0) | (fit.negatives == 0))
    return PER_BLOCK * float((gain * _size(table, fit, design)).sum()) / float(weight.sum())


def _size(table: ScoreTable, fit: Isotonic, design: Design) -> Array | float:
    """Weight of an independent case in each block: 1, sum w² / sum w, or more where clusters share it."""
    if design.rows is None and not table.is_weighted:
        return 1.0
    cuts = np.append(fit.starts, table.scores.size)
    weight = fit.positives + fit.negatives
    if table.positive_squares is not None and table.negative_squares is not None:
        alone = np.add.reduceat(table.positive_squares + table.negative_squares, fit.starts) / weight
    else:
        alone = np.ones(weight.size)
    if design.rows is None:
        return np.asarray(alone)
    p = np.repeat(fit.values, np.diff(cuts))
    together = design.variances(cuts, (1 - p, -p))
    wider = ratio(together, weight * fit.values * (1 - fit.values))
    return np.asarray(np.fmax(alone, wider))  # a block of one class has no spread of its own


def _fitted(table: ScoreTable, design: Design) -> tuple[Isotonic, Array]:
    """Return the isotonic fit, and its probability at each score of the units' table, on average in its groups."""
    fit = isotonic(table)
    if design.table is table:
        return fit, np.repeat(fit.values, np.diff(np.append(fit.starts, table.scores.size)))
    upto, positive, group = (
        np.concatenate([[0.0], np.cumsum(sums)])
        for sums in (
            fit.positives + fit.negatives,
            fit.positives,
            design.table.positives + design.table.negatives,
        )
    )
    width, last = np.diff(group), fit.values.size - 1
    first = np.clip(np.searchsorted(upto, group[:-1]) - 1, 0, last)
    end = np.clip(np.searchsorted(upto, group[1:], "right") - 1, first, last)
    highest, lowest = fit.values[first], fit.values[end]
    p = np.divide(np.diff(np.interp(group, upto, positive)), width, out=highest.copy(), where=width > 0)
    # a weight that is lost in the sums is not of a probability that excludes it
    p = np.where((p <= 0) & (design.table.positives > 0), highest, np.clip(p, lowest, highest))
    return fit, np.where((p >= 1) & (design.table.negatives > 0), lowest, p)


def _of_blocks(table: ScoreTable, design: Design) -> tuple[Isotonic, Design, Array]:
    """The fit, the units by block of it, and its probabilities: for what depends on the fit, and not on the scores.

    Of cases of unequal weight or in clusters they are by score, as those of `_fitted`.
    """
    if not design.is_alike:
        fit, recalibrated = _fitted(table, design.near)
        return fit, design.near, recalibrated
    fit = isotonic(table)
    by_block = ScoreTable(fit.highest, fit.positives, fit.negatives, table.labels)
    return fit, replace(design, table=by_block), fit.values


def difference(design: Design, first: tuple[Array, Array], second: tuple[Array, Array]) -> VarianceEstimate:
    """Spread of the mean of first minus second, two losses of the same cases."""
    parts = (design.table.positives, design.table.negatives)
    with np.errstate(invalid="ignore"):  # what no case has may be infinite
        gaps = [np.where(cases > 0, a - b, 0.0) for cases, a, b in zip(parts, first, second, strict=True)]
    mean = design.sum(gaps) / design.total
    return design.spread([(gap - mean) / design.total for gap in gaps])


@interval(
    WORDS,
    of=("brier_miscalibration", "log_loss_miscalibration"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("meyer2000",),
)
def miscalibration(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """Loss of the probabilities minus that of the recalibrated ones, whose best is a minimum."""
    if not isfinite(value):
        return why_infinite(table)
    rule, near = LOG if measure.name.startswith("log") else BRIER, design.near
    fit, recalibrated = _fitted(table, near)
    losses = losses_at_scores(near.table, measure.name)
    half = difference(near, losses, rule.loss(recalibrated)).half(level)
    optimism = isotonic_optimism(table, fit, design, rule)
    return max(0.0, value - optimism - half), min(measure.bounds[1], value + half), named(design)


@interval(
    WORDS,
    of=("brier_discrimination", "log_loss_discrimination"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("meyer2000",),
)
def discrimination(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """Loss of the base rate minus that of the recalibrated probabilities, whose best is a minimum."""
    if design.smaller_class < FEW:
        return TOO_FEW
    if design.rows is not None and design.equal_units < FEWEST_CLUSTERS:
        return TOO_FEW_CLUSTERS
    rule = LOG if measure.name.startswith("log") else BRIER
    fit, by_block, recalibrated = _of_blocks(table, design)
    if fit.values.size == 1:
        return ONE_BLOCK
    base = rule.loss(np.full(recalibrated.shape, float(design.table.n_positive) / design.total))
    half = difference(by_block, base, rule.loss(recalibrated)).half(level)
    optimism = isotonic_optimism(table, fit, design, rule)
    return max(0.0, value - optimism - half), min(measure.bounds[1], value + half), named(design)


@interval(WORDS, of=("h_measure",), tables=SCORES, drawn=ANYHOW, references=("meyer2000",))
def h_measure(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """A skill by the scoring rule that weighs costs c by Beta(1 + π, 2 - π), or as named, on its logarithm."""
    if design.smaller_class < FEW:
        return TOO_FEW
    if value == 1:
        return "the estimate is at the boundary of its range"
    prevalence = float(design.table.n_positive) / design.total
    fit, by_block, p = _of_blocks(table, design)
    if fit.values.size == 1:
        return ONE_BLOCK
    is_fixed = "a" in measure.parameters
    a, b = measure.parameters.get("a", 1 + prevalence), measure.parameters.get("b", 2 - prevalence)
    rule, base_of = cost_rule(a, b), np.array([prevalence])
    base_positive, base_negative = (float(losses[0]) for losses in rule.loss(base_of))
    base = prevalence * base_positive + (1 - prevalence) * base_negative

    def skill(a: float) -> float:
        prior = cost_rule(a, 3 - a)
        of_positive, of_negative = (float(losses[0]) for losses in prior.loss(base_of))
        return 1 - by_block.sum(prior.loss(p)) / design.total / (
            prevalence * of_positive + (1 - prevalence) * of_negative
        )

    by_prior = 0.0 if is_fixed else (skill(1 + prevalence + STEP) - skill(1 + prevalence - STEP)) / (2 * STEP)
    worse = 1 - value
    on_positive, on_negative = rule.loss(p)
    influence = (
        ((worse * base_positive - on_positive) / base + by_prior * (1 - prevalence)) / design.total,
        ((worse * base_negative - on_negative) / base - by_prior * prevalence) / design.total,
    )
    half = by_block.spread(influence).half(level)
    least = worse + isotonic_optimism(table, fit, design, rule) / base
    low, high = 1 - least * exp(half / least), 1 - worse * exp(-half / worse)
    return max(0.0, float(low)), min(1.0, float(high)), f"{named(design)}, log(1 - value)"


FEWEST_CLUSTERS = 40
"""Clusters of equal size below which the optimism of an isotonic fit is larger than its correction: 91% covered.

Miscalibration and the H measure need no such limit: with 12 and 25 clusters their intervals covered 98% or more.
"""
TOO_FEW_CLUSTERS = (
    f"the effective number of clusters is below {FEWEST_CLUSTERS}, too few to correct the optimism of the isotonic "
    "fit"
)

# -- the best threshold ----------------------------------------------------------------------------

SEARCHED = 100_000
"""Distinct scores up to which the best threshold is one of all of them, and beyond which of groups of neighbours."""
ROUNDING = 1e-9
"""Share of cases that is none, but for the rounding of sums of weights."""


@dataclass(frozen=True)
class BestThreshold:
    """A best threshold: places of the table above it, share of cases there, and slope of the share of positives."""

    place: int
    covered: float
    slope: float


def _searched(table: ScoreTable, design: Design) -> Design:
    """Return the units by score: which threshold is best is found among all scores, but for very many."""
    is_searched = design.rows is None and table.scores.size <= SEARCHED
    return replace(design, table=table) if is_searched else design


def _at_best(
    design: Design,
    at: ScoreTable,
    of: Callable[[Array, Array], Array],
    limits: Callable[[BestThreshold, float], tuple[float, float]],
) -> tuple[float, float]:
    """Return what the limits at the first and at the last of equally good thresholds of a table cover.

    `of` is the function of TP and FP that is greatest there. Which of them is found first depends on the order of the
    scores, and on rounding where weights are not whole: a chance that must not choose the interval.
    """
    tp, fp = (np.concatenate([[0.0], np.cumsum(counts)]) for counts in (at.positives, at.negatives))
    values = of(tp, fp)
    greatest = float(values.max())
    equal = np.flatnonzero(values >= greatest - ROUNDING)
    low, high = zip(
        *(limits(_best(design, tp, fp, int(place)), greatest) for place in {equal[0], equal[-1]}), strict=True
    )
    return min(low), max(high)


def _best(design: Design, tp: Array, fp: Array, place: int) -> BestThreshold:
    """Return the threshold with so many places of the table above it.

    The slope, by share of cases, is that between cases up to n^(-1/5) / 2 above and below: rough, and good enough
    for its cube root. It is negative where scores are low for positives, so that the share of positives rises.
    """
    covered, positive = (tp + fp) / design.total, tp / design.total
    reach = 0.5 * design.number**-0.2
    here = covered[place]
    left, right = max(0.0, here - reach), min(1.0, here + reach)
    ends = np.interp([left, right], covered, positive)
    slope = 0.0
    if min(here - left, right - here) > ROUNDING:
        above = (positive[place] - ends[0]) / (here - left)
        below = (ends[1] - positive[place]) / (right - here)
        slope = 2 * (above - below) / (right - left)
    return BestThreshold(place, float(here), float(slope))


def _threshold_optimism(variance: float, curvature: float, most: float) -> float:
    """Optimism of a maximum of curve and noise, this variance per share of cases, curve -curvature · share²."""
    if not curvature > 0:
        return most
    return min(most, float(DRIFTING * variance ** (2 / 3) * curvature ** (-1 / 3)))


def _less_optimism(
    value: float, low: float, high: float, centre: float, optimism: float
) -> tuple[float, float]:
    """The interval at the best threshold as if it were given, lower by the optimism, half of which is uncertain."""
    below = float(np.hypot(centre - low, optimism / 2))
    return max(0.0, value - optimism - below), min(1.0, value + high - centre)


@interval(
    WORDS,
    of=("kolmogorov_smirnov",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("kim1990", "newcombe1998"),
)
def kolmogorov_smirnov(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """TPR - FPR at the best threshold: square-and-add of their Wilson intervals, as if it were given.

    Rates of the same clusters go together, which their correlation takes off (Zou & Donner 2008, Statistics in
    Medicine 27:1693).
    """
    searched = _searched(table, design)
    p, n = float(design.table.n_positive), float(design.table.n_negative)
    above, none, one = np.array([1.0, 0.0]), np.zeros(2), np.ones(2)
    kappa = p * n / design.total**2
    noise = 1 / (design.number * kappa)

    def limits(best: BestThreshold, centre: float) -> tuple[float, float]:
        halves = parted_at(searched, best.place)
        tpr = _rate(halves, (above, none), (one, none), level)
        fpr = _rate(halves, (none, above), (none, one), level)
        (first, low_1, high_1), (second, low_2, high_2) = sorted([tpr, fpr], reverse=True)
        together = _correlation(halves, ((above - tpr[0]) / p, none), (none, (above - fpr[0]) / n))
        below = _apart(first - low_1, high_2 - second, together)
        beyond = _apart(high_1 - first, second - low_2, together)
        falls = best.slope if tpr[0] >= fpr[0] else -best.slope
        optimism = _threshold_optimism(noise, falls / (2 * kappa), BRIDGE * float(np.sqrt(noise)))
        return _less_optimism(value, centre - below, centre + beyond, centre, optimism)

    ends = _at_best(design, searched.table, lambda tp, fp: np.abs(tp / p - fp / n), limits)
    return *ends, f"{design.before}MOVER-Wilson, {WORDS}"


def _rate(
    design: Design, counted: tuple[Array, Array], among: tuple[Array, Array], level: float
) -> tuple[float, float, float]:
    """Return a rate with its Wilson interval, as if the threshold were given.

    Both are 1 or 0 for the positives and the negatives at each score. Cases that are not independent and alike count as
    the number of such cases that would have this variance (Rao & Scott 1992, Biometrics 48:577), few of an outcome
    too: below its optimism the limits hold without the bound of `ShareSpread.most` (94% and more of 24 to 400 weighted
    cases).
    """
    x, m = design.sum(counted), design.sum(among)
    p = x / m
    if design.is_alike:
        low, high = wilson(x, m, level)
        return p, float(low), float(high)
    plus, minus = ((in_ - p * all_) / m for in_, all_ in zip(counted, among, strict=True))
    spread = design.spread((plus, minus))
    effective = m / design.total * design.number
    if not spread.is_none():
        effective = max(1.0, p * (1 - p) / spread.variance)
    low, high = score_interval(p * effective, effective, design.quantile(level))
    return p, float(low), float(high)


def _apart(a: float, b: float, together: float) -> float:
    """Square-and-add of two distances whose correlation is given."""
    return float(np.sqrt(a * a + b * b - 2 * together * a * b))


def _correlation(design: Design, first: tuple[Array, Array], second: tuple[Array, Array]) -> float:
    """Correlation of two rates with these influences; 0 for those of different cases, drawn alone."""
    return 0.0 if design.rows is None else design.spread([first, second]).correlation


@interval(WORDS, of=("max_f1",), tables=SCORES, drawn=ANYHOW, references=("kim1990", "wilson1927"))
def max_f1(measure: Measure, table: ScoreTable, value: float, design: Design, level: float) -> IntervalResult:
    """F1 = 2J / (1 + J) at the best threshold, J a proportion: Wilson's interval, as if it were given."""
    searched, above = _searched(table, design), np.array([1.0, 0.0])
    p = float(design.table.n_positive)

    def limits(best: BestThreshold, centre: float) -> tuple[float, float]:
        halves = parted_at(searched, best.place)
        _, *ends = _rate(halves, (above, 0 * above), (np.ones(2), above), level)
        low, high = (2 * end / (1 + end) for end in ends)
        called = best.covered + p / design.total
        noise = centre * (2 - centre) / (design.number * called**2)
        optimism = _threshold_optimism(noise, best.slope / called, float(np.sqrt(noise)))
        return _less_optimism(value, low, high, centre, optimism)

    ends = _at_best(design, searched.table, lambda tp, fp: 2 * tp / (tp + fp + p), limits)
    return *ends, f"{design.before}Wilson via the Jaccard index, {WORDS}"


refuse_bootstrap(("brier_miscalibration", "log_loss_miscalibration"))


FEWEST_CALLED = 40
"""Cases at the precision or above, fewer than which reach it by chance too often."""
HALVINGS = 40
"""Steps to the end of an interval, each of which halves what is left."""


@interval(
    "score test over thresholds",
    of=("equal_error_rate",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("wilson1927", "owen1990"),
)
def equal_error_rate(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """The rates e of which some threshold, or two mixed, may have as many false alarms and as many misses."""
    why = why_few_clusters(design)
    if why is not None:
        return why
    fpr, fnr = (_from_zero(counts) for counts in (design.table.negatives, design.table.positives))
    fnr = 1 - fnr
    cut = int(np.abs(fpr - fnr).argmin())
    alarms, hits = share_at(design, FPR, cut, level), share_at(design, TPR, cut, level)
    sizes = np.array([alarms.size, hits.size])
    together = -correlation(design, cut, alarms, hits)
    points = np.stack([fpr, fnr])
    allowed = normal_quantile(level) ** 2

    def passes(rate: float) -> bool:
        scaled = (points - rate) * np.sqrt(sizes / (rate * (1 - rate)))[:, None]
        return _nearest(scaled, together) <= allowed

    how = design.before
    return _end(value, 0.0, passes), _end(value, 1.0, passes), f"{how}score test over thresholds"


def _nearest(points: Array, together: float) -> float:
    """Return the least squared distance from 0 of a chain of points, where coordinates have a correlation."""
    r = min(max(together, -0.99), 0.99)
    x, y = points[0], (points[1] - r * points[0]) / np.sqrt(1 - r * r)
    dx, dy = np.diff(x), np.diff(y)
    length = dx * dx + dy * dy
    at = np.clip(-(x[:-1] * dx + y[:-1] * dy) / np.where(length > 0, length, 1), 0, 1)
    return float(((x[:-1] + at * dx) ** 2 + (y[:-1] + at * dy) ** 2).min())


def _end(inside: float, limit: float, passes: Callable[[float], bool]) -> float:
    """Return the last value that passes, between one that does and the end of the range."""
    outside = limit
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        if 0 < middle < 1 and passes(middle):
            inside = middle
        else:
            outside = middle
    return limit if abs(inside - limit) < 1e-9 else inside


@interval(
    "Jeffreys, resampled thresholds",
    of=("recall_at_precision",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("brown2001", "rao1992"),
)
def recall_at_precision(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """Recall at the last threshold with the precision, whose place is drawn from the posterior of the precision.

    Where few cases are called at it, the greatest recall is mostly chance, and nothing speaks against a recall of 0. If
    there were no interval then, those that are given would be of samples whose recall is too high.
    """
    wanted = float(measure.parameters["precision"])
    why = why_few_clusters(design)
    if why is not None:
        return why
    if value == 0:
        return "no threshold reaches this precision"
    tp, fp = (np.cumsum(counts) for counts in (design.table.positives, design.table.negatives))
    precision = np.concatenate([[np.inf], ratio(tp, tp + fp)])
    cut = int(np.flatnonzero(at_least(precision, wanted))[-1])
    by, rate = share_at(design, PRECISION, cut, level), share_at(design, TPR, cut, level)
    rising, cuts = np.maximum.accumulate(precision[::-1]), []

    def last(place: Array) -> Array:
        cuts.append(precision.size - 1 - np.searchsorted(rising, place))
        return cuts[0]

    values = drawn(design, by, rate, cut, wanted, last, stream(design.seed, "recall at a precision"))
    values[cuts[0] == precision.size - 1] = 1.0  # who calls all cases misses none
    low, high = percentile(values, level)
    low = max(0.0, low - max(0.0, float(values.mean()) - value))
    used = f"{design.before}Jeffreys, resampled thresholds, {DRAWS:,} draws"
    if by.size < FEWEST_CALLED:
        low, used = 0.0, f"{used}, from 0, because fewer than {FEWEST_CALLED} cases are predicted positive"
    return min(low, value), 1.0 if value == 1 else max(high, value), used


@interval(
    "Jeffreys, resampled thresholds",
    of=("recall_at_specificity",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("brown2001", "rao1992"),
)
def recall_at_specificity(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """That of the ROC curve's reading at the false positive rate which the specificity leaves."""
    fpr = complement_of(float(measure.parameters["specificity"]))
    return rate_at(design, tpr_at(design.table, fpr), (FPR, TPR), fpr, last_at_most, level, design.seed)


def _from_zero(counts: Array) -> Array:
    summed = np.concatenate([[0.0], np.cumsum(counts)])
    return np.asarray(summed / summed[-1])


FEWEST = 5
"""Cases of a distinct probability, on average, below which their share of positives is mostly chance."""
RELIABILITY = ("murphy_reliability", "exact_murphy_reliability")
RESOLUTION = ("murphy_resolution", "exact_murphy_resolution")


def _bins(measure: Measure, table: ScoreTable) -> tuple[Array, ProbabilityBins] | str:
    """Return the bins of a measure and the places that part the table into them, or why these say too little."""
    if not measure.name.startswith("exact"):
        return parted(table, bins_of(measure))
    cuts = np.arange(table.scores.size + 1)
    bins = bins_between(table, cuts)
    if bins.effective.mean() < FEWEST:
        return (
            f"fewer than {FEWEST} cases per distinct probability on average, so chance determines most of "
            "the value"
        )
    return cuts, bins


@interval(
    "sampling-error bound", of=RELIABILITY, tables=SCORES, drawn=ANYHOW, references=("satterthwaite1946",)
)
def reliability(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """The squares of the limits of the root mean squared gap."""
    binned = _bins(measure, table)
    if isinstance(binned, str):
        return binned
    ends = root_mean_square(table, *binned, float(np.sqrt(value)), design, level)
    if isinstance(ends, str):
        return ends
    return min(ends[0] ** 2, value), max(ends[1] ** 2, value), ends[2]


@interval(WORDS, of=RESOLUTION, tables=SCORES, drawn=ANYHOW, references=("binder1983",))
def resolution(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """Loss of the base rate minus that of the shares of the bins, whose best is a minimum."""
    if design.smaller_class < FEW:
        return TOO_FEW
    at = design.table
    binned = _bins(measure, at)
    if isinstance(binned, str):
        return binned
    cuts, bins = binned
    shares = np.repeat(bins.observed[::-1], np.diff(cuts))
    base = np.full(shares.shape, float(at.n_positive) / design.total)
    half = difference(design, BRIER.loss(base), BRIER.loss(shares)).half(level)
    fitted = float((bins.share * _variances(design, cuts, bins, shares)).sum())
    of_base = design.spread(((1 - base) / design.total, -base / design.total)).variance
    optimism = max(0.0, fitted - of_base)
    return max(0.0, value - optimism - half), min(0.25, value + half), named(design)


def _variances(design: Design, cuts: Array, bins: ProbabilityBins, shares: Array) -> Array:
    """Variance of the share of positives of each bin; clusters add what they add."""
    if design.rows is None:
        return share_variance(design.table, cuts, bins)
    weight = np.repeat(bins.weight[::-1], np.diff(cuts))
    between = design.variances(cuts, ((1 - shares) / weight, -shares / weight))[::-1]
    return as_in_clusters(between, design.table, cuts, bins, design.equal_units)


refuse_bootstrap((*RELIABILITY, *RESOLUTION))
