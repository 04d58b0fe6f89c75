"""Intervals of what is best on the cases at hand: a threshold, an isotonic recalibration, a convex hull.

The value is the maximum of something over many rules. At the population's best rule it has the population's mean and
is normal, with the variance it would have were that rule given (envelope theorem); the sample's best rule does better
than that on the sample, by its optimism. Hence

    value - optimism - t · se   to   value + t · se.

A maximum over thresholds has the optimism of Brownian motion with parabolic drift. Isotonic regression has, for each
block of its fit, that of 3/2 fitted means: the number of blocks is its degrees of freedom (Meyer & Woodroofe 2000,
Annals of Statistics 28:1083), its squared error is half of that where the truth rises, all of it where it is flat, and
the gain on the sample is twice the degrees of freedom less the error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from classay.inference.bootstrap.on_request import refuse_bootstrap
from classay.inference.estimate import Found
from classay.inference.registry import ANYHOW, SCORES, interval
from classay.inference.sampling_units import Array, Spread, Units
from classay.inference.scales import exp
from classay.inference.scores.influence import losses
from classay.inference.scores.linearised import FEW, TOO_FEW, share
from classay.measures import Measure
from classay.measures.calibration.isotonic import Isotonic, isotonic
from classay.measures.probability import why_infinite
from classay.measures.registry import ratio
from classay.tables import ScoreTable

PER_BLOCK = 1.5
"""Gain of a block of the isotonic fit, in units of that of a fitted mean, where the truth rises."""
DRIFTING = 0.790679
"""E max (W(t) - t²) of two-sided Brownian motion W (Janson, Louchard & Martin-Löf 2010, EJP 15:1900)."""
BRIDGE = 0.868731
"""E max |B(t)| of a Brownian bridge, the optimism without a best threshold."""
STEP = 1e-4
"""Step of the derivative of the H-measure by the prior of the costs."""
WORDS = "less optimism"


def named(units: Units) -> str:
    """The method."""
    return f"{units.how}, {WORDS}"


# -- isotonic recalibration ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rule:
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


BRIER = Rule(lambda p: ((1 - p) ** 2, p * p), _variance)
LOG = Rule(_log_loss, lambda p, pure: np.where(pure, 4 / 3, 1 / 2))


def cost_rule(a: float, b: float) -> Rule:
    """The mean cost of deciding by p > c, over c ~ Beta(a, b); its curvature at p is the density of c there."""
    from scipy.special import beta, betainc

    def loss(p: Array) -> tuple[Array, Array]:
        starts = np.flatnonzero(np.diff(p, prepend=np.nan))  # runs of one probability: betainc takes long
        each, length = p[starts], np.diff(np.append(starts, p.size))
        on_positive, on_negative = b * betainc(b + 1, a, 1 - each), a * betainc(a + 1, b, each)
        return np.repeat(on_positive, length) / (a + b), np.repeat(on_negative, length) / (a + b)

    return Rule(
        loss,
        lambda p, pure: p ** (a - 1) * (1 - p) ** (b - 1) / beta(a, b) / 2 * _variance(p, pure),
    )


def isotonic_optimism(table: ScoreTable, fit: Isotonic, units: Units, rule: Rule) -> float:
    """How much better the isotonic fit scores on these cases than the true recalibration does, on average."""
    weight = fit.positives + fit.negatives
    case = units.total / units.number
    p = (fit.positives + case / 2) / (weight + case)
    gain = rule.gain(p, (fit.positives == 0) | (fit.negatives == 0))
    return PER_BLOCK * float((gain * _size(table, fit, units)).sum()) / float(weight.sum())


def _size(table: ScoreTable, fit: Isotonic, units: Units) -> Array | float:
    """Weight of an independent case in each block: 1, sum w² / sum w, or more where clusters share it."""
    if units.rows is None and not table.is_weighted:
        return 1.0
    cuts = np.append(fit.starts, table.scores.size)
    weight = fit.positives + fit.negatives
    if table.positive_squares is not None and table.negative_squares is not None:
        alone = np.add.reduceat(table.positive_squares + table.negative_squares, fit.starts) / weight
    else:
        alone = np.ones(weight.size)
    if units.rows is None:
        return np.asarray(alone)
    p = np.repeat(fit.values, np.diff(cuts))
    together = units.variances(cuts, 1 - p, -p)
    wider = ratio(together, weight * fit.values * (1 - fit.values))
    return np.asarray(np.fmax(alone, wider))  # a block of one class has no spread of its own


def _fitted(table: ScoreTable, units: Units) -> tuple[Isotonic, Array]:
    """The isotonic fit, and its probability at each score of the units' table, on average in its groups."""
    fit = isotonic(table)
    if units.table is table:
        return fit, np.repeat(fit.values, np.diff(np.append(fit.starts, table.scores.size)))
    upto, positive, group = (
        np.concatenate([[0.0], np.cumsum(each)])
        for each in (
            fit.positives + fit.negatives,
            fit.positives,
            units.table.positives + units.table.negatives,
        )
    )
    return fit, np.clip(np.diff(np.interp(group, upto, positive)) / np.diff(group), 0, 1)


def difference(units: Units, first: tuple[Array, Array], second: tuple[Array, Array]) -> Spread:
    """Spread of the mean of first less second, two losses of the same cases."""
    parts = (units.table.positives, units.table.negatives)
    with np.errstate(invalid="ignore"):  # what no case has may be infinite
        apart = [np.where(held > 0, a - b, 0.0) for held, a, b in zip(parts, first, second, strict=True)]
    mean = units.sum(*apart) / units.total
    return units.spread(*((each - mean) / units.total for each in apart))


@interval(
    "less optimism",
    of=("brier_miscalibration", "log_loss_miscalibration"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("meyer2000",),
)
def miscalibration(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """Loss of the probabilities less that of the recalibrated ones, whose best is a minimum."""
    if not isfinite(value):
        return why_infinite(table)
    rule = LOG if measure.name.startswith("log") else BRIER
    fit, recalibrated = _fitted(table, units)
    given = losses(units.table, measure.name)
    half = difference(units, given, rule.loss(recalibrated)).half(level)
    optimism = isotonic_optimism(table, fit, units, rule)
    return max(0.0, value - optimism - half), min(measure.bounds[1], value + half), named(units)


@interval(
    "less optimism",
    of=("brier_discrimination", "log_loss_discrimination"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("meyer2000",),
)
def discrimination(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """Loss of the base rate less that of the recalibrated probabilities, whose best is a minimum."""
    if units.smaller_class < FEW:
        return TOO_FEW
    rule = LOG if measure.name.startswith("log") else BRIER
    fit, recalibrated = _fitted(table, units)
    base = rule.loss(np.full(recalibrated.shape, float(units.table.n_positive) / units.total))
    half = difference(units, base, rule.loss(recalibrated)).half(level)
    optimism = isotonic_optimism(table, fit, units, rule)
    return max(0.0, value - optimism - half), min(measure.bounds[1], value + half), named(units)


@interval("less optimism", of=("h_measure",), tables=SCORES, drawn=ANYHOW, references=("meyer2000",))
def h_measure(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """A skill by the scoring rule that weighs costs c by Beta(1 + π, 2 - π), on the scale log(1 - x)."""
    if units.smaller_class < FEW:
        return TOO_FEW
    if value == 1:
        return "it is 1: nothing in the data shows how far below 1 it might be"
    prevalence = float(units.table.n_positive) / units.total
    fit, p = _fitted(table, units)
    rule, base_of = cost_rule(1 + prevalence, 2 - prevalence), np.array([prevalence])
    base_positive, base_negative = (float(each[0]) for each in rule.loss(base_of))
    base = prevalence * base_positive + (1 - prevalence) * base_negative

    def skill(a: float) -> float:
        prior = cost_rule(a, 3 - a)
        of_positive, of_negative = (float(each[0]) for each in prior.loss(base_of))
        return 1 - units.sum(*prior.loss(p)) / units.total / (
            prevalence * of_positive + (1 - prevalence) * of_negative
        )

    by_prior = (skill(1 + prevalence + STEP) - skill(1 + prevalence - STEP)) / (2 * STEP)
    worse = 1 - value
    on_positive, on_negative = rule.loss(p)
    half = units.spread(
        ((worse * base_positive - on_positive) / base + by_prior * (1 - prevalence)) / units.total,
        ((worse * base_negative - on_negative) / base - by_prior * prevalence) / units.total,
    ).half(level)
    least = worse + isotonic_optimism(table, fit, units, rule) / base
    low, high = 1 - least * exp(half / least), 1 - worse * exp(-half / worse)
    return max(0.0, float(low)), min(1.0, float(high)), f"{named(units)}, log(1 - x)"


# -- the best threshold ----------------------------------------------------------------------------

ROUNDING = 1e-9
"""Share of cases that is none, but for the rounding of sums of weights."""


@dataclass(frozen=True)
class Best:
    """A best threshold: places of the table above it, share of cases there, and slope of the share of positives."""

    place: int
    covered: float
    slope: float


def _at_best(
    units: Units, of: Callable[[Array, Array], Array], limits: Callable[[Best, float], tuple[float, float]]
) -> tuple[float, float]:
    """What the limits at the first and at the last of equally good thresholds cover.

    `of` is the function of TP and FP that is greatest there. Which of them is found first depends on the order of the
    scores, and on rounding where weights are not whole: a chance that must not choose the interval.
    """
    at = units.table
    tp, fp = (np.concatenate([[0.0], np.cumsum(each)]) for each in (at.positives, at.negatives))
    values = of(tp, fp)
    greatest = float(values.max())
    equal = np.flatnonzero(values >= greatest - ROUNDING)
    low, high = zip(
        *(limits(_best(units, tp, fp, int(place)), greatest) for place in {equal[0], equal[-1]}), strict=True
    )
    return min(low), max(high)


def _best(units: Units, tp: Array, fp: Array, place: int) -> Best:
    """The threshold with so many places of the table above it.

    The slope, by share of cases, is that between cases up to n^(-1/5) / 2 above and below: rough, and good enough
    for its cube root. It is negative where scores are low for positives, so that the share of positives rises.
    """
    covered, positive = (tp + fp) / units.total, tp / units.total
    reach = 0.5 * units.number**-0.2
    here = covered[place]
    left, right = max(0.0, here - reach), min(1.0, here + reach)
    ends = np.interp([left, right], covered, positive)
    slope = 0.0
    if min(here - left, right - here) > ROUNDING:
        above = (positive[place] - ends[0]) / (here - left)
        below = (ends[1] - positive[place]) / (right - here)
        slope = 2 * (above - below) / (right - left)
    return Best(place, float(here), float(slope))


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
    "less optimism",
    of=("kolmogorov_smirnov",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("kim1990", "newcombe1998"),
)
def kolmogorov_smirnov(
    measure: Measure, table: ScoreTable, value: float, units: Units, level: float
) -> Found:
    """TPR - FPR at the best threshold: square-and-add of their Wilson intervals, as if it were given.

    Rates of the same clusters go together, which their correlation takes off (Zou & Donner 2008, Statistics in
    Medicine 27:1693).
    """
    p, n = float(units.table.n_positive), float(units.table.n_negative)
    one = np.ones(units.table.scores.size)
    kappa = p * n / units.total**2
    noise = 1 / (units.number * kappa)

    def limits(best: Best, centre: float) -> tuple[float, float]:
        above, none = (np.arange(one.size) < best.place).astype(float), 0 * one
        tpr = share(units, (above, none), (one, none), level)
        fpr = share(units, (none, above), (none, one), level)
        (first, low_1, high_1), (second, low_2, high_2) = sorted([tpr, fpr], reverse=True)
        together = _correlation(units, ((above - tpr[0]) / p, none), (none, (above - fpr[0]) / n))
        below = _apart(first - low_1, high_2 - second, together)
        beyond = _apart(high_1 - first, second - low_2, together)
        falls = best.slope if tpr[0] >= fpr[0] else -best.slope
        optimism = _threshold_optimism(noise, falls / (2 * kappa), BRIDGE * float(np.sqrt(noise)))
        return _less_optimism(value, centre - below, centre + beyond, centre, optimism)

    ends = _at_best(units, lambda tp, fp: np.abs(tp / p - fp / n), limits)
    return *ends, f"{_wilson(units)}MOVER-Wilson, {WORDS}"


def _apart(a: float, b: float, together: float) -> float:
    """Square-and-add of two distances whose correlation is given."""
    return float(np.sqrt(a * a + b * b - 2 * together * a * b))


def _correlation(units: Units, first: tuple[Array, Array], second: tuple[Array, Array]) -> float:
    """Correlation of two rates with these influences; 0 for those of different cases, drawn alone."""
    if units.rows is None:
        return 0.0
    a, b, both = (
        units.spread(*each).variance for each in (first, second, (first[0] + second[0], first[1] + second[1]))
    )
    return float(np.clip((both - a - b) / (2 * np.sqrt(a * b)), -1, 1)) if a * b > 0 else 0.0


@interval("less optimism", of=("max_f1",), tables=SCORES, drawn=ANYHOW, references=("kim1990", "wilson1927"))
def max_f1(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """F1 = 2J / (1 + J) at the best threshold, J a proportion: Wilson's interval, as if it were given."""
    p = float(units.table.n_positive)
    everywhere = np.ones(units.table.scores.size)

    def limits(best: Best, centre: float) -> tuple[float, float]:
        above = (np.arange(everywhere.size) < best.place).astype(float)
        _, *ends = share(units, (above, 0 * above), (everywhere, above), level)
        low, high = (2 * end / (1 + end) for end in ends)
        called = best.covered + p / units.total
        noise = centre * (2 - centre) / (units.number * called**2)
        optimism = _threshold_optimism(noise, best.slope / called, float(np.sqrt(noise)))
        return _less_optimism(value, low, high, centre, optimism)

    ends = _at_best(units, lambda tp, fp: 2 * tp / (tp + fp + p), limits)
    return *ends, f"{_wilson(units)}Wilson on Jaccard, {WORDS}"


def _wilson(units: Units) -> str:
    return "" if units.how == "influence" else f"{units.how}, "


refuse_bootstrap(("brier_miscalibration", "log_loss_miscalibration"))
