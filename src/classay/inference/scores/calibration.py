"""Intervals and tests of calibration; limits around its curve, and how that looks where probabilities are right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, isfinite, isinf
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import thread_count, workers
from classay.curves.curve import Curve
from classay.curves.of_scores import fit_of, isotonic_curve
from classay.errors import InputError
from classay.inference.design import Design
from classay.inference.draws import stream
from classay.inference.estimate import IntervalResult
from classay.inference.methods import ANYHOW, ON_REQUEST, SCORES, interval, refuse, register_statistic
from classay.inference.proportions import clopper_pearson, normal_quantile
from classay.inference.scores.linearised import ONE_MORE, LossMoments, linearised
from classay.measures.calibration_errors import effective_cases, expected_positives
from classay.measures.probability_bins import bins_between, mass_cuts
from classay.measures.proper_parts import Isotonic, blocks, fits_of_each, tie_of
from classay.measures.recalibration import certain_cases, cox_recalibration, doubtful, offset_recalibration
from classay.measures.registry import Measure, ratio
from classay.tables import ScoreTable
from classay.tables.sums import ROUNDING

Array = NDArray[Any]
REPLICATES = 200
"""Simulated data sets behind a band. The 5% and 95% points then rest on 10 of them each."""
PLACES = 200
"""Scores at which the band is computed, besides the corners of the curve."""
AT_ONCE = 10_000
"""Scores that are simulated together, of several replicates: the arrays stay in the processor's cache."""
GROUPED_FROM = 100_000
"""Distinct scores beyond which neighbours are simulated together."""
GROUPS = 20_000
"""Groups of neighbouring scores, of nearly equal weight, that are then simulated.

Blocks of the isotonic fit of n cases are about n^(-1/3) of them wide, 100 groups for ten million cases.
"""
FITTED_FROM = 20_000
"""Distinct scores beyond which neighbours are fitted together, in groups of nearly equal weight."""
FITTED_GROUPS = 10_000
HALVINGS = 26


def consistency_band(
    table: ScoreTable, *, level: float = 0.9, replicates: int = REPLICATES, seed: int = 0
) -> Curve:
    """Return the calibration curve with the band that it would stay in were the probabilities right, at each score.

    Simulates the truth of every case from its probability, refits the isotonic regression, and takes
    pointwise quantiles: exact up to the number of replicates, which the band names. It is pointwise: a curve
    that leaves it somewhere is no proof. Computed at the corners of the curve and at up to 200 scores evenly
    placed by rank and as many evenly placed on [0, 1], straight between. With sampling weights, cases that
    share a score are taken to weigh alike. One stream of random numbers a replicate: the same band on any
    number of threads. Raises InputError when the scores are no probabilities. Dimitriadis, Gneiting & Jordan
    2021, PNAS 118(8):e2016191118.

    Beyond 100,000 distinct scores the simulated data are of 20,000 groups of neighbouring scores, at their mean.

    >>> score = np.repeat([0.1, 0.5, 0.9], 40)
    >>> truth = np.concatenate([np.arange(40) < 12, np.arange(40) < 20, np.arange(40) < 36])
    >>> curve = consistency_band(ScoreTable.from_rows(score, truth))
    >>> curve.y > curve.high
    array([ True, False, False])
    """
    if not 0 < level < 1 or replicates < 2:
        raise InputError(
            f"level must be between 0 and 1, and replicates at least 2, but they are {level!r} and "
            f"{replicates!r}."
        )
    fit = fit_of(table)
    places = band_places(table, fit)
    values = simulated_fits(*simulated_cases(table, places), replicates, seed)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return replace(
        isotonic_curve(fit),
        x=table.scores[places].astype(np.float64),
        y=fit.at(places),
        low=low,
        high=high,
        band=f"{100 * level:g}% pointwise consistency band, {replicates} simulations",
    )


@dataclass(frozen=True, eq=False)
class SimulatedCases:
    """What is simulated, from the highest score: `cases` of probability `p`, each of the weight `each` (None: 1).

    `scores` is how many distinct scores there are, of which neighbours may be simulated together.
    """

    p: Array
    cases: Array
    each: Array | None
    scores: int


def simulated_cases(table: ScoreTable, places: Array) -> tuple[SimulatedCases, Array]:
    """Return the cases at each score of a table, or in groups of many scores, and where its places are among these."""
    if table.scores.size <= GROUPED_FROM:
        weight = table.positives + table.negatives
        return _cases(table, table.scores.astype(np.float64), weight, _effective(table)), places
    cuts = mass_cuts(table.positives, table.negatives, GROUPS)
    groups = bins_between(table, cuts)
    nonempty = groups.weight > 0
    p, weight, effective = (
        column[nonempty][::-1] for column in (np.asarray(groups.mean_score), groups.weight, groups.effective)
    )
    starts = cuts[:-1][nonempty[::-1]]
    return _cases(table, np.clip(p, 0, 1), weight, effective), (
        np.searchsorted(starts, places, side="right") - 1
    )


def simulated_fits(of: SimulatedCases, places: Array, replicates: int, seed: int) -> Array:
    """Isotonic fits, at places of the cases, to truths drawn for them, `(replicates, places)`."""
    alone = bool((of.cases == 1).all())

    def drawn(rng: np.random.Generator) -> Array:
        return (rng.random(of.p.size) < of.p).astype(np.int64) if alone else rng.binomial(of.cases, of.p)

    def fitted(streams: list[np.random.Generator]) -> Array:
        positives = np.stack([drawn(rng) for rng in streams])
        negatives = of.cases - positives
        if of.each is not None:
            positives, negatives = positives * of.each, negatives * of.each
        return fits_of_each(positives, negatives, of.scores)[:, places]

    streams = stream(seed, "consistency band").spawn(replicates)
    many = max(1, AT_ONCE // of.p.size)
    with workers(thread_count(replicates * of.p.size)) as run:
        return np.concatenate(run(fitted, [streams[i : i + many] for i in range(0, replicates, many)]))


def band_places(table: ScoreTable, fit: Isotonic) -> Array:
    """Return where to compute a band, lowest score first: corners, and places even by rank and by probability."""
    m = table.scores.size
    corners = np.concatenate([fit.starts, np.append(fit.starts[1:], m) - 1])
    by_rank = np.linspace(0, m - 1, min(m, PLACES)).round()
    even = m - 1 - np.searchsorted(table.scores[::-1], np.arange(PLACES + 1) / PLACES)
    return np.unique(np.concatenate([corners, by_rank, np.clip(even, 0, m - 1)])).astype(np.int64)[::-1]


def _effective(table: ScoreTable) -> Array:
    """Number of cases at each score, or of equally weighted cases that would say as much."""
    weight = table.positives + table.negatives
    if table.positive_squares is None or table.negative_squares is None:
        return weight
    return np.asarray(ratio(weight**2, table.positive_squares + table.negative_squares))


def _cases(table: ScoreTable, p: Array, weight: Array, effective: Array) -> SimulatedCases:
    cases = np.maximum(np.nan_to_num(effective).round(), int(table.is_weighted)).astype(np.int64)
    return SimulatedCases(p, cases, weight / cases if table.is_weighted else None, table.scores.size)


def likelihood_band(table: ScoreTable, *, level: float = 0.95) -> Curve:
    """Return the calibration curve with limits around it: at each score, the rates that the truth does not contradict.

    At a score a rate is inside where twice the log likelihood of the isotonic fit exceeds that of the best rising fit
    through it by no more than a quantile of chi-squared with one degree of freedom: that of (1 + level) / 2, 5.02 at
    95%. The quantile of the level itself, 3.84, is right for many cases that share a score, and too great where each
    score is of one case, 2.27 there; it is too small at the ends of a stretch where all rates are alike, because the
    fit leans outwards there. Simulated at five places each, 95% limits held in 93 to 100% of 200 cases.
    Pointwise: they hold at a score named beforehand, not at all scores at once, and assume that the share of
    positives never falls as the score rises. With sampling weights the difference is divided by the design effect of
    the block that the score lies in (Rao & Scott 1981). Raises InputError when the scores are no probabilities.
    Banerjee & Wellner 2001, Annals of Statistics 29:1699.

    Beyond 20,000 distinct scores the fits are of 10,000 groups of neighbouring scores.

    >>> score = np.repeat([0.1, 0.5, 0.9], 40)
    >>> truth = np.concatenate([np.arange(40) < 12, np.arange(40) < 20, np.arange(40) < 36])
    >>> band = likelihood_band(ScoreTable.from_rows(score, truth))
    >>> print(band.low.round(3), band.high.round(3))
    [0.158 0.328 0.762] [0.474 0.672 0.974]
    """
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1, but is {level!r}.")
    fit = fit_of(table)
    places = band_places(table, fit)
    positives, negatives, squares, of_place = _rising(table, places)
    at, back = np.unique(of_place, return_inverse=True)
    most = normal_quantile((1 + level) / 2) ** 2 * _effects(positives, negatives, squares, at)
    limits = tuple(limit[back] for limit in _limits(positives, negatives, at, most))
    value = fit.at(places)
    return replace(
        isotonic_curve(fit),
        x=table.scores[places].astype(np.float64),
        y=value,
        low=np.minimum(limits[0], value),
        high=np.maximum(limits[1], value),
        band=f"pointwise {100 * level:g}%, likelihood ratio of rising rates",
    )


def _rising(table: ScoreTable, places: Array) -> tuple[Array, Array, tuple[Array, Array] | None, Array]:
    """Positives and negatives by score, the lowest first, their squares, and where the places of a table are there."""
    parts = [table.positives, table.negatives]
    if table.positive_squares is not None and table.negative_squares is not None:
        parts += [table.positive_squares, table.negative_squares]
    m = table.scores.size
    starts = np.linspace(0, m, min(m, FITTED_GROUPS) if m > FITTED_FROM else m, endpoint=False).astype(
        np.int64
    )
    parts = [np.add.reduceat(sums, starts) for sums in parts]
    nonempty = parts[0] + parts[1] > 0
    starts, parts = starts[nonempty], [sums[nonempty] for sums in parts]
    at = starts.size - np.searchsorted(starts, places, side="right").clip(1)
    rising = [np.asarray(sums[::-1], np.float64) for sums in parts]
    return rising[0], rising[1], (rising[2], rising[3]) if len(rising) > 2 else None, at


def _effects(positives: Array, negatives: Array, squares: tuple[Array, Array] | None, at: Array) -> Array:
    """Return how much weight tells less than as many cases: the design effect of the block that each place lies in."""
    if squares is None:
        return np.ones(at.size)
    starts = _fit(positives, negatives)[0]
    p, n, p2, n2 = (np.add.reduceat(sums, starts) for sums in (positives, negatives, *squares))
    rate = ratio(p, p + n)
    spread, plain = p2 * (1 - rate) ** 2 + n2 * rate**2, rate * (1 - rate) * (p + n)
    effect = np.where(plain > 0, ratio(spread, plain), ratio(p2 + n2, p + n))
    return np.asarray(effect[np.searchsorted(starts, at, side="right") - 1])


def _fit(positives: Array, negatives: Array) -> tuple[Array, Array, Array]:
    """The blocks of the rising fit of counts by ascending score: where they start, and the weight of each class."""
    starts, p, n = blocks(positives[::-1], negatives[::-1])
    ends = positives.size - np.append(starts[1:], positives.size)
    return ends[::-1], p[::-1], n[::-1]


def _fits_below(positives: Array, negatives: Array, at: Array) -> list[tuple[Array, Array]]:
    """Return the weight of each class in the blocks of the fit of all scores below each of the ascending places.

    Each begins with the blocks of the one before it: what was pooled stays so.
    """
    p: list[float] = []
    n: list[float] = []
    blocks, tie = [], tie_of(positives)
    for start, end in pairwise([0, *at.tolist()]):
        for a, b in zip(positives[start:end].tolist(), negatives[start:end].tolist(), strict=True):
            p.append(a)
            n.append(b)
            # one stack for all places, as `pool` has for one
            while len(p) > 1 and p[-2] * n[-1] * tie >= p[-1] * n[-2]:
                last = p.pop(), n.pop()
                p[-1] += last[0]
                n[-1] += last[1]
        blocks.append((np.array(p), np.array(n)))
    return blocks


@dataclass(frozen=True, eq=False)
class SideBlocks:
    """The blocks on one side of each place, those nearest to it last, and sums over all blocks up to each.

    `[place, block]`, with as many rows as places; `rate` rises towards the place and is 2 beyond the last block.
    """

    rate: Array
    positives: Array
    negatives: Array
    likelihood: Array

    def loss(self, rate: Array) -> Array:
        """Return the log likelihood that these blocks lose where their rates may not exceed that of the place."""
        kept = (self.rate <= rate[:, None]).sum(axis=1)
        rows = np.arange(rate.size)
        p, n, likelihood = (
            sums[rows, -1] - sums[rows, kept] for sums in (self.positives, self.negatives, self.likelihood)
        )
        return np.asarray(likelihood - _likelihood(p, n, rate))


def _beside(sides: list[tuple[Array, Array]]) -> SideBlocks:
    sizes = np.array([p.size for p, _ in sides])
    rows = np.repeat(np.arange(sizes.size), sizes)
    columns = np.arange(rows.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rate, sums = np.full((sizes.size, sizes.max()), 2.0), np.zeros((3, sizes.size, sizes.max() + 1))
    positives, negatives = (np.concatenate(blocks) for blocks in zip(*sides, strict=True))
    rate[rows, columns] = of_block = positives / (positives + negatives)
    likelihood = _likelihood(positives, negatives, of_block)
    sums[:, rows, columns + 1] = positives, negatives, likelihood
    p, n, likelihoods = np.cumsum(sums, axis=2, out=sums)
    return SideBlocks(rate, p, n, likelihoods)


def _likelihood(positives: Array, negatives: Array, rate: Array) -> Array:
    """Return the log likelihood of counts at a rate, 0 for those of none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(positives > 0, positives * np.log(rate), 0.0)
        return np.asarray(hit + np.where(negatives > 0, negatives * np.log1p(-rate), 0.0))


def _limits(positives: Array, negatives: Array, at: Array, most: Array) -> tuple[Array, Array]:
    """Return the least and the greatest rate at each of ascending places whose likelihood ratio is at most that."""
    mirrored = positives.size - 1 - at[::-1]  # seen from the other end, with both classes changed
    below = _beside(_fits_below(positives, negatives, at))
    above = _beside(_fits_below(negatives[::-1], positives[::-1], mirrored)[::-1])
    p, n = positives[at], negatives[at]
    saturated = _likelihood(p, n, p / (p + n))
    _, blocks_p, blocks_n = fit = _fit(positives, negatives)
    best = _likelihood(blocks_p, blocks_n, blocks_p / (blocks_p + blocks_n)).sum()
    separate_gain = below.likelihood[:, -1] + above.likelihood[:, -1] + saturated - best
    value = (blocks_p / (blocks_p + blocks_n))[np.searchsorted(fit[0], at, side="right") - 1]

    def ratio_at(rate: Array) -> Array:
        lost = below.loss(rate) + above.loss(1 - rate) + saturated - _likelihood(p, n, rate)
        return np.asarray(2 * (lost - separate_gain))

    ends = []
    for end in (0.0, 1.0):
        outside, inside = np.full(value.size, end), value.copy()
        for _ in range(HALVINGS):
            middle = (outside + inside) / 2
            is_in = ratio_at(middle) <= most
            inside, outside = np.where(is_in, middle, inside), np.where(is_in, outside, middle)
        ends.append(np.where(ratio_at(np.full(value.size, end)) <= most, end, inside))
    return ends[0], ends[1]


RECALIBRATION = ("calibration_slope", "calibration_intercept", "calibration_in_the_large")


def without_certain(limits: IntervalResult, table: ScoreTable, total: float) -> IntervalResult:
    """With how many cases of probability 0 or 1 are left out; of weighted ones, which share of the weight."""
    left_out = certain_cases(table)
    if isinstance(limits, str) or left_out <= 1e-12 * total:
        return limits
    if table.is_weighted:  # a share, because weights have no scale
        what = f"{100 * left_out / total:.3g}% of the weight,"
    else:
        what = f"{left_out:,.6g} {'case' if left_out == 1 else 'cases'}"
    return *limits[:2], f"{limits[2]}, without {what} of probability 0 or 1"


Equation = Callable[[Array], tuple[Array, Array]]
"""From intercepts, `[side, group]`, infinite ones too, to the sum of the residuals y - p there and its variance."""
DOUBLINGS = 60
"""How often the distance to an end is doubled at most: probabilities may be as small as numbers can be."""
STEPS = 60
PRECISE = 1e-12
"""Steps to an end at most, and the share of the quantile by which it may be missed."""
FARTHEST = 0.9
"""The share of what the statistic reaches at an endless intercept, beyond which an end may lie anywhere."""
SIDES = np.array([[-1.0], [1.0]])


def score_ends(equation: Equation, value: Array, half: Array, quantile: Array) -> tuple[Array, Array]:
    """The intercepts at which the residuals add up to no more than chance allows, `[side, group]`, and where there are.

    The ends of all a with |sum (y - p_a)| <= quantile · its standard error, p_a the probabilities with a added to their
    logits. With few cases of a class no a is too far, however great: that end is `half` from the value, and no nearer
    than that of the greatest quantile that still has one, so that a higher level has a wider interval.
    """

    def statistic(distance: Array) -> Array:
        total, variance = equation(value + SIDES * distance)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(SIDES * total / np.sqrt(variance))

    greatest = -FARTHEST * statistic(np.full((2, value.size), inf))
    is_there = quantile <= greatest
    target = np.minimum(quantile, greatest)
    near, above, beyond = np.zeros(target.shape), target, half * (target / quantile)
    below = statistic(beyond) + target
    for _ in range(DOUBLINGS):
        is_short = below >= 0
        if not is_short.any():
            break
        near, above = np.where(is_short, beyond, near), np.where(is_short, below, above)
        beyond = np.where(is_short, 2 * beyond, beyond)
        below = statistic(beyond) + target
    distance = _root(statistic, -target, near, beyond, above, below)
    return value + SIDES * np.where(is_there, distance, np.maximum(distance, half)), is_there


def _root(
    falling: Callable[[Array], Array], target: Array, low: Array, high: Array, above: Array, below: Array
) -> Array:
    """Return where a smooth function meets the target between ends at which it is `above` and `below` it: regula falsi.

    By the Illinois method, until it is met to rounding.
    """
    root, side = high, np.zeros(low.shape)
    for _ in range(STEPS):
        with np.errstate(invalid="ignore", divide="ignore"):
            root = (low * below - high * above) / (below - above)
        off = falling(root) - target
        is_above = off > 0
        if not (np.abs(off) > PRECISE * np.abs(target)).any():
            break
        below = np.where(is_above, np.where(side > 0, below / 2, below), off)
        above = np.where(is_above, off, np.where(side < 0, above / 2, above))
        low, high = np.where(is_above, root, low), np.where(is_above, high, root)
        side = np.where(is_above, 1, -1)
    return root


def moved(scores: Array, intercept: Array) -> Array:
    """The probabilities with intercepts added to their logits, infinite ones too; NaN of certain ones at these."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(scores / (scores + (1 - scores) * np.exp(-intercept)))


def _smoothed(measure: Measure, table: ScoreTable, value: float, design: Design) -> tuple[Design, Array]:
    """Return the design of the cases that are not certain, and the influence of each."""
    doubted = doubtful(table)
    if design.rows is None or doubted is table:  # in clusters, those of certain cases alone are units too
        design = design.smooth(doubted)
    assert measure.influence is not None
    return design, np.stack(measure.influence(design.table, value))


@interval(
    "score test",
    of=("calibration_in_the_large",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("cox1958", "white1982", "satterthwaite1946"),
)
def in_the_large(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """Every a for which the mean residual y - p_a may be 0, by the variance of the residuals, with Student's quantile.

    It needs no logistic model to be right. The sandwich takes the spread of the residuals at the value, and a sample of
    an easy problem that lacks the few cases near 1/2 shows too little of it: it covers 86 to 90% where few labels are
    wrong. At the ends of this interval the residuals are larger. Not centred; degrees of freedom by the moments of the
    residuals at the value.
    """
    if not isfinite(value):
        return "the value is infinite"
    design, influence = _smoothed(measure, table, value, design)
    scale = float((influence[0] - influence[1]).max())  # of 1e280, whose squares are no numbers
    residuals = influence / scale
    spread = design.spread(residuals)
    if not spread.variance > 0:
        return "the estimated variance is zero"
    ends, is_there = score_ends(
        _equation(design, residuals, spread.variance),
        np.array([value]),
        np.array([spread.half(level) * scale]),
        np.array([spread.quantile(level)]),
    )
    limits = in_the_large_found(ends[:, 0], is_there[:, 0], design.before)
    return without_certain(limits, table, design.total)


def _equation(design: Design, residuals: Array, variance: float) -> Equation:
    """Return the residuals of a design, of which those at the value, `[class, score]`, have this variance."""
    scores, places = design.table.scores.astype(np.float64), design.places
    (positives, negatives), (positive_squares, negative_squares) = places.weight, places.squares
    certain = (scores == 0) | (scores == 1)

    def squares(on_positive: Array, on_negative: Array) -> Array:
        """Return their sum over the units, `[side]`, of values of positives and negatives, `[side, score]`."""
        if design.rows is None and not design.by_class:
            by_class = (on_positive, positive_squares), (on_negative, negative_squares)
            sums = [np.einsum("sm,sm,m->s", values, values, weights) for values, weights in by_class]
            return np.asarray(sums[0] + sums[1])
        sides = [design.centred(np.stack(pair)) for pair in zip(on_positive, on_negative, strict=True)]
        if design.rows is None:
            return np.array([(places.squares * side**2).sum() for side in sides])
        return np.asarray((design.sums(np.stack([side.ravel() for side in sides])) ** 2).sum(1))

    factor = variance / float(squares(*residuals[:, None])[0])

    def equation(at: Array) -> tuple[Array, Array]:
        p = moved(scores, at)
        rest = 1 - p
        if certain.any():
            p, rest = (np.where(certain, 0.0, values) for values in (p, rest))
        total = np.einsum("sm,m->s", rest, positives) - np.einsum("sm,m->s", p, negatives)
        return total[:, None], factor * squares(rest, -p)[:, None]

    return equation


def in_the_large_found(ends: Array, is_there: Array, before: str = "") -> tuple[float, float, str]:
    """Return the interval with the name of its method: of an end that no intercept is, as the sandwich has it."""
    sandwich = "robust (sandwich) variance"
    how = f"score test, robust variance, t{'' if is_there.all() else f', one limit by {sandwich}'}"
    if not is_there.any():
        how = f"{sandwich}, t"
    return float(ends[0]), float(ends[1]), f"{before}{how}"


@interval(
    "robust (sandwich) variance",
    of=RECALIBRATION,
    tables=SCORES,
    drawn=ANYHOW,
    references=("cox1958", "white1982", "satterthwaite1946"),
)
def recalibration(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """value ± t · se by the influence of the cases, which needs no logistic model to be right.

    The information matrix (`wald`) takes the recalibrated probabilities for the right ones. Where they are not, it
    covers too little: 80 to 84% of the slope of heavy-tailed scores, and of calibration in the large where the slope
    is 2. (White 1982, Econometrica 50:1.)
    """
    if not isfinite(value):
        return "the value is infinite"
    design, influence = _smoothed(measure, table, value, design)
    spread = design.spread(influence)
    if not spread.variance > 0:
        return "the estimated variance is zero"
    half = spread.half(level)
    return without_certain(
        (value - half, value + half, f"{design.before}robust (sandwich) variance, t"), table, design.total
    )


@interval("Wald", of=RECALIBRATION, tables=SCORES, when=ON_REQUEST, references=("cox1958",))
def wald(measure: Measure, table: ScoreTable, value: float, design: Design, level: float) -> IntervalResult:
    """value ± z · se by the information matrix, as logistic regression has it."""
    large = measure.name == "calibration_in_the_large"
    fit = offset_recalibration(table) if large else cox_recalibration(table)
    variance = fit.slope_variance if measure.name == "calibration_slope" else fit.intercept_variance
    if not variance > 0:
        return "the estimated variance is zero"
    half = normal_quantile(level) * float(np.sqrt(variance))
    return without_certain((value - half, value + half, "Wald"), table, design.total)


@interval("log", of=("observed_expected_ratio",), tables=SCORES, drawn=ANYHOW, references=("cochran1977",))
def observed_expected(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """On the log scale, by the variance of a ratio of two means of the same cases, with Student's quantile.

    With O positives, R = O/E and E = sum p: var(log R) = n / (n - 1) · sum (y - R p)² / O². (Cochran 1977, Sampling
    Techniques, 3rd ed., section 6.3.) Where cases weigh unequally, either end is that with one more case like the one
    that moves the ratio farthest: few cases are rarely sampled and weigh much, and a sample may lack them. Without
    positives, from 0 to the exact bound of the prevalence over the mean probability.
    """
    n = float(table.n_positive + table.n_negative)
    expected = float(expected_positives(table))
    if expected == 0:
        return "every probability is 0"
    if isinf(value):
        return "the value is infinite, because every probability is close to 0"
    if value == 0:
        cases = min(design.number, float(effective_cases(table)))
        return (
            0.0,
            float(clopper_pearson(0, cases, level)[1]) * n / expected,
            "Clopper-Pearson on the prevalence",
        )
    limits = linearised(measure, table, value, design.smooth(table), level)
    if isinstance(limits, str) or design.rows is not None or design.by_class or design.is_alike:
        return limits
    assert measure.influence is not None
    influence, nonempty = np.stack(measure.influence(design.table, value)), design.places.weight > 0
    mean_weight = design.places.squares[nonempty] / design.places.weight[nonempty]
    if mean_weight.max() <= mean_weight.min() * (1 + ROUNDING) or value > HUGE:
        return limits
    units = LossMoments.of_influence(value, influence, design, value)
    moved = design.number * mean_weight * influence[nonempty]
    return *units.farther(moved, limits[:2], level, measure.bounds), f"{limits[2]}, {ONE_MORE}"


HUGE = 1e60
"""A ratio beyond which fourth powers are no numbers."""


refuse(("expected_calibration_error_null",), "a reference value under perfect calibration, not an estimate")
register_statistic("spiegelhalter_z", lambda z: 2 * NormalDist().cdf(-abs(z)))


def brownian_exceedance(x: float) -> float:
    """P(max |B(t)| > x over t in [0, 1]) of Brownian motion B.

    >>> round(brownian_exceedance(2.2414), 4)
    0.05
    """
    if not x > 0:
        return 1.0 if x == 0 else float("nan")
    k = 2 * np.arange(50) + 1
    if x < 1:
        return float(
            1 - 4 / np.pi * ((-1.0) ** np.arange(50) / k * np.exp(-((k * np.pi / x) ** 2) / 8)).sum()
        )
    from scipy.special import ndtr

    # by reflections, exact in the far tail too: 4 sum (-1)^j P(B(1) > (2j + 1) x)
    return float(min(1.0, 4 * ((-1.0) ** np.arange(50) * ndtr(-k * x)).sum()))
