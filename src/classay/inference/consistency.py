"""How calibration curves look by chance when the probabilities are right: consistency bands and bars."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.calibration import calibration, curve_of, fit_of
from classay.curves.curve import Curve
from classay.errors import InputError
from classay.inference.draws import stream
from classay.measures.binning import Bins
from classay.measures.isotonic import Isotonic, pool
from classay.measures.registry import ratio
from classay.tables import ScoreTable

Array = NDArray[Any]
REPLICATES = 200
"""Simulated data sets behind a band. The 5 % and 95 % points then rest on 10 of them each."""
PLACES = 200
"""Scores at which the band is computed, besides the corners of the curve."""
THREADS_FROM = 100_000
"""Distinct scores from which replicates are simulated in threads."""


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
    values = simulated_fits(table, places, replicates, seed)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return replace(
        calibration(table),
        x=table.scores[places].astype(np.float64),
        y=fit.at(places),
        low=low,
        high=high,
        band=f"{100 * level:g} % pointwise consistency band, {replicates} simulations",
    )


def simulated_fits(table: ScoreTable, places: Array, replicates: int, seed: int) -> Array:
    """Isotonic fits, at places of the table, to truths drawn from it, `(replicates, places)`."""
    cases, each = _cases(table)
    p = table.scores.astype(np.float64)
    alone = bool((cases == 1).all())

    def fitted(rng: np.random.Generator) -> Array:
        positives = (rng.random(p.size) < p).astype(np.int64) if alone else rng.binomial(cases, p)
        negatives = cases - positives
        if each is not None:
            positives, negatives = positives * each, negatives * each
        starts, plus, minus = pool(positives, negatives)
        return np.asarray(ratio(plus, plus + minus)[np.searchsorted(starts, places, side="right") - 1])

    streams = stream(seed, "consistency band").spawn(replicates)
    if table.scores.size < THREADS_FROM:
        return np.stack([fitted(rng) for rng in streams])
    with ThreadPoolExecutor(_threads()) as threads:
        return np.stack(list(threads.map(fitted, streams)))


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


def _cases(table: ScoreTable) -> tuple[Array, Array | None]:
    """Number of cases at each score, and the weight of one of them (None: all weigh 1)."""
    weight = table.positives + table.negatives
    if table.positive_squares is None or table.negative_squares is None:
        return weight.astype(np.int64), None
    effective = ratio(weight**2, table.positive_squares + table.negative_squares)
    cases = np.maximum(np.nan_to_num(effective).round(), 1).astype(np.int64)
    return cases, weight / cases


def _threads() -> int:
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1
