"""How calibration curves look by chance when the probabilities are right: consistency bands and bars."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.calibration import curve_of, fit_of, isotonic_curve
from classay.curves.curve import Curve
from classay.errors import InputError
from classay.inference.draws import stream
from classay.measures.calibration.bins import Bins, bins_between, mass_cuts
from classay.measures.calibration.isotonic import Isotonic, blocks
from classay.measures.registry import ratio
from classay.tables import ScoreTable
from classay.threads import thread_count, workers

Array = NDArray[Any]
REPLICATES = 200
"""Simulated data sets behind a band. The 5 % and 95 % points then rest on 10 of them each."""
PLACES = 200
"""Scores at which the band is computed, besides the corners of the curve."""
GROUPED_FROM = 100_000
"""Distinct scores beyond which neighbours are simulated together."""
GROUPS = 20_000
"""Groups of neighbouring scores, of nearly equal weight, that are then simulated.

Blocks of the isotonic fit of n cases are about n^(-1/3) of them wide, 100 groups for ten million cases.
"""


def consistency_band(
    table: ScoreTable, *, level: float = 0.9, replicates: int = REPLICATES, seed: int = 0
) -> Curve:
    """The calibration curve with the band that it would stay in were the probabilities right, at each score.

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
            f"level is {level!r}, replicates {replicates!r}: pass a share in (0, 1), and at least 2."
        )
    fit = fit_of(table)
    places = _places(table, fit)
    values = simulated_fits(*simulated_cases(table, places), replicates, seed)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return replace(
        isotonic_curve(fit),
        x=table.scores[places].astype(np.float64),
        y=fit.at(places),
        low=low,
        high=high,
        band=f"{100 * level:g} % pointwise consistency band, {replicates} simulations",
    )


@dataclass(frozen=True, eq=False)
class Cases:
    """What is simulated, from the highest score: `cases` of probability `p`, each of the weight `each` (None: 1).

    `scores` is how many distinct scores there are, of which neighbours may be simulated together.
    """

    p: Array
    cases: Array
    each: Array | None
    scores: int


def simulated_cases(table: ScoreTable, places: Array) -> tuple[Cases, Array]:
    """The cases at each score of a table, or in groups of many scores, and where its places are among these."""
    if table.scores.size <= GROUPED_FROM:
        weight = table.positives + table.negatives
        return _cases(table, table.scores.astype(np.float64), weight, _effective(table)), places
    cuts = mass_cuts(table.positives, table.negatives, GROUPS)
    groups = bins_between(table, cuts)
    held = groups.weight > 0
    p, weight, effective = (
        each[held][::-1] for each in (np.asarray(groups.mean_score), groups.weight, groups.effective)
    )
    starts = cuts[:-1][held[::-1]]
    return _cases(table, np.clip(p, 0, 1), weight, effective), (
        np.searchsorted(starts, places, side="right") - 1
    )


def simulated_fits(of: Cases, places: Array, replicates: int, seed: int) -> Array:
    """Isotonic fits, at places of the cases, to truths drawn for them, `(replicates, places)`."""
    alone = bool((of.cases == 1).all())

    def fitted(rng: np.random.Generator) -> Array:
        positives = (rng.random(of.p.size) < of.p).astype(np.int64) if alone else rng.binomial(of.cases, of.p)
        negatives = of.cases - positives
        if of.each is not None:
            positives, negatives = positives * of.each, negatives * of.each
        starts, plus, minus = blocks(positives, negatives, of.scores)
        return np.asarray(ratio(plus, plus + minus)[np.searchsorted(starts, places, side="right") - 1])

    with workers(thread_count(replicates * of.p.size)) as run:
        return np.stack(list(run(fitted, stream(seed, "consistency band").spawn(replicates))))


def consistency_bars(bins: Bins, *, level: float = 0.9) -> Curve:
    """The binned calibration curve with the range that each bin would stay in were the probabilities right.

    Quantiles of Bin(n_b, mean p) / n_b; with sampling weights, of the effective number of cases, rounded.
    Bröcker & Smith 2007, Weather and Forecasting 22:651.

    >>> bins = Bins(np.array([50.0]), np.array([30.0]), np.array([15.0]), np.array([50.0]))
    >>> curve = consistency_bars(bins)
    >>> curve.low, curve.high
    (array([0.2]), array([0.4]))
    """
    if not 0 < level < 1:
        raise InputError(f"level is {level!r}: pass a share in (0, 1).")
    held = bins.weight > 0
    n, p = np.maximum(1, bins.effective[held].round()), np.clip(bins.mean_score[held], 0, 1)
    low, high = (binomial_quantile(share, n, p) / n for share in ((1 - level) / 2, (1 + level) / 2))
    return replace(curve_of(bins), low=low, high=high, band=f"{100 * level:g} % consistency bars")


def binomial_quantile(share: float, n: Any, p: Any) -> Array:
    """The least k with P(X <= k) >= share for X ~ Bin(n, p).

    >>> binomial_quantile(0.05, np.array([50.0]), np.array([0.3]))
    array([10.])
    """
    n, p = np.broadcast_arrays(np.asarray(n, float), np.asarray(p, float))
    below, enough = np.full(n.shape, -1.0), np.array(n)
    while (enough - below > 1).any():
        middle = np.floor((below + enough) / 2)
        held = binomial_cdf(middle, n, p) >= share
        below, enough = np.where(held, below, middle), np.where(held, middle, enough)
    return enough


def binomial_cdf(k: Any, n: Any, p: Any) -> Any:
    """P(X <= k) for X ~ Bin(n, p), k whole: 0 below 0, 1 from n on.

    >>> print(binomial_cdf(1, 2, 0.5))
    0.75
    """
    from scipy.special import betainc

    k, n = np.asarray(k, float), np.asarray(n, float)
    inside = (k >= 0) & (k < n)
    at = np.where(inside, k, 0.0)
    return np.where(inside, betainc(np.where(inside, n - at, 1.0), at + 1, 1 - np.asarray(p)), k >= n)[()]


def _places(table: ScoreTable, fit: Isotonic) -> Array:
    """Where to compute the band, lowest score first: corners, and places even by rank and by probability."""
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


def _cases(table: ScoreTable, p: Array, weight: Array, effective: Array) -> Cases:
    cases = np.maximum(np.nan_to_num(effective).round(), int(table.is_weighted)).astype(np.int64)
    return Cases(p, cases, weight / cases if table.is_weighted else None, table.scores.size)
