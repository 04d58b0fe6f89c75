"""Rules that promise a risk: the lowest confidence at which cases may be decided, at a level over all places looked at.

Cases alike have one common level over geometric ranks (own work, see docs/reference). Few distinct confidences and
clusters have a fixed sequence (Angelopoulos et al. 2021, arXiv 2110.01052), graded losses bets (Waudby-Smith & Ramdas
2024, JRSSB 86:1) with the level passed on (Wiens 2003, Biopharmaceutical Statistics).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import e
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.design import degrees_by_moments, equal_units, left_out_factors, student_quantile
from classay.inference.draws import stream
from classay.inference.proportions import score_interval
from classay.selective.levels import common_level, fewest, geometric, p_of_errors
from classay.selective.ranked import RankedCases

Array = NDArray[Any]
FEW_LEVELS = 10
"""Up to so many distinct confidences are looked at in a fixed sequence."""
CLUSTER_RANKS = 8
BET_RANKS = 12
COMMON = "one common level, exact"
SEQUENCE = "fixed sequence over confidences, exact"
OF_CLUSTERS = "fixed sequence over clusters, jackknife limit"
BETS = "betting, level passed on"


@dataclass(frozen=True)
class Promised:
    """The place of the lowest confidence that keeps a promise, None without any; `level` is that of its limit."""

    place: int | None
    rule: str
    level: float


def promised(ranked: RankedCases, risk: float, delta: float, seed: int = 0) -> Promised:
    """Return the lowest confidence down to which the risk is promised, with probability 1 - delta.

    >>> ranked = RankedCases.of_rows(np.linspace(1, 0, 100), np.arange(100) >= 60)
    >>> found = promised(ranked, 0.1, 0.05)
    >>> found.place, round(found.level, 6)
    (58, 0.021641)
    """
    if ranked.losses is not None:
        return _by_bets(ranked, risk, delta, seed)
    if ranked.clusters is not None:
        return _of_clusters(ranked, risk, delta)
    first = fewest(risk, delta)
    if ranked.cases.size <= FEW_LEVELS:
        places = np.flatnonzero(ranked.covered >= first)
        p = p_of_errors(ranked.wrong[places], ranked.covered[places], risk)
        return Promised(_last_of_sequence(places, p <= delta), SEQUENCE, delta)
    if ranked.n < first:
        return Promised(None, COMMON, delta)
    places = ranked.ends(geometric(first, ranked.n))
    ranks = ranked.covered[places]
    level = common_level(tuple(ranks.tolist()), risk, delta)
    passed = p_of_errors(ranked.wrong[places], ranks, risk) <= level
    return Promised(int(places[passed][-1]) if passed.any() else None, COMMON, level)


def _last_of_sequence(places: Array, passed: Array) -> int | None:
    """Return the last place before the first that fails."""
    held = int(np.argmin(passed)) if not passed.all() else passed.size
    return int(places[held - 1]) if held else None


def _of_clusters(ranked: RankedCases, risk: float, delta: float) -> Promised:
    """Look from half of the cases down, where enough clusters are covered for a limit."""
    assert ranked.clusters is not None
    number = ranked.clusters.number
    ranks = np.ceil(ranked.n * geometric(max(1, number // 2), number, CLUSTER_RANKS) / number)
    places = ranked.ends(ranks.astype(np.int64))
    for k, place in enumerate(places.tolist()):
        if limit_of_clusters(ranked, place, delta) > risk:
            return Promised(int(places[k - 1]) if k else None, OF_CLUSTERS, delta)
    return Promised(int(places[-1]), OF_CLUSTERS, delta)


def limit_of_clusters(ranked: RankedCases, place: int, delta: float) -> float:
    """Return the upper limit of the risk down to a place, by Wilson's interval with the jackknife over clusters.

    Without an error it is that of as many cases as there are clusters.
    """
    rows = ranked.clusters
    assert rows is not None
    decided = rows.level <= place
    codes, cluster = np.unique(rows.cluster[decided], return_inverse=True)
    cases = np.bincount(cluster, minlength=codes.size).astype(np.float64)
    errors = np.bincount(cluster, rows.wrong[decided], codes.size)
    total, wrong, units = float(cases.sum()), float(errors.sum()), codes.size
    if units < 2:
        return 1.0
    share = wrong / total
    residual = errors - share * cases
    moved = residual * left_out_factors(cases, total, units)
    variance = float((moved**2).sum()) / total**2 * units / (units - 1)
    alike = float(equal_units(units, total, float((cases**2).sum())))
    squares, fourths = float((residual**2).sum()), float((residual**4).sum())
    freedom = max(1.0, min(degrees_by_moments(squares, fourths, units) if squares else units - 1, alike - 1))
    quantile = student_quantile(1 - 2 * delta, freedom)
    if variance == 0:
        return float(score_interval(units * share, units, quantile)[1])
    effective = share * (1 - share) / variance
    return float(score_interval(share * effective, effective, quantile)[1])


def fewest_clusters(risk: float, delta: float) -> int:
    """Return how many clusters of one size without an error promise a risk.

    >>> fewest_clusters(0.05, 0.05)
    54
    """

    def is_too_few(units: int) -> bool:
        return float(score_interval(0.0, units, student_quantile(1 - 2 * delta, units - 1))[1]) > risk

    return first_that_suffices(is_too_few)


def _by_bets(ranked: RankedCases, risk: float, delta: float, seed: int) -> Promised:
    """Bet on the losses down to each rank; the level of a rank that passes is added to that of the next.

    Ranks are of cases, or of clusters.
    """
    first = fewest(risk, delta)
    units = ranked.n if ranked.clusters is None else ranked.clusters.number
    if units < first:
        return Promised(None, BETS, delta)
    ranks = geometric(first, units, BET_RANKS)
    places = ranked.ends(np.ceil(ranks * (ranked.n / units)).astype(np.int64))
    share, level, last = delta / places.size, 0.0, None
    used = share
    for place in places.tolist():
        level += share
        if p_of_bets(ranked.losses_to_bet_on(place, risk), risk, delta, seed) <= level:
            last, used = place, level
        else:
            level = 0.0
    return Promised(last, BETS, used)


@cache
def fewest_to_bet_on(risk: float, delta: float) -> int:
    """Return how many cases, or clusters, without a loss promise a risk by bets.

    >>> fewest_to_bet_on(0.1, 0.05)
    59
    """

    def is_too_few(units: int) -> bool:
        ranked = RankedCases.of_losses(-np.arange(units), np.zeros(units))
        return _by_bets(ranked, risk, delta, 0).place is None

    return first_that_suffices(is_too_few)


def first_that_suffices(is_too_few: Callable[[int], bool]) -> int:
    """Return the least number that is not too few."""
    low, high = 1, 2
    while is_too_few(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_too_few(middle) else (low, middle)
    return high


def p_of_bets(losses: Array, risk: float, delta: float, seed: int = 0) -> float:
    """Return a valid p of a mean loss of at least the risk: one over the most that bets against it have won.

    Bets are made in a random order, each as large as the losses before it advise.

    >>> round(p_of_bets(np.zeros(60), 0.1, 0.05), 4)
    0.0035
    """
    drawn = np.asarray(losses)[stream(seed, "bets on losses").permutation(losses.size)]
    before = np.arange(1, drawn.size + 1)
    mean = (0.5 + np.cumsum(drawn)) / (before + 1)
    spread = (0.25 + np.cumsum((drawn - mean) ** 2)) / (before + 1)
    spread = np.concatenate([[0.25], spread[:-1]])
    bet = np.minimum(0.9 / (1 - risk), np.sqrt(2 * np.log(1 / delta) / (drawn.size * spread)))
    won = np.cumsum(np.log1p(-bet * (drawn - risk)))
    return float(min(1.0, np.exp(-won.max(initial=0.0))))


def p_of_hoeffding_bentkus(loss: float, cases: int, risk: float) -> float:
    """Return a valid p of a mean loss of at least the risk, from the sum of the losses only.

    >>> round(p_of_hoeffding_bentkus(2.5, 100, 0.1), 12)
    0.013057036497
    """
    from scipy.special import xlogy

    mean = min(loss / cases, risk)
    hoeffding = np.exp(-cases * (xlogy(mean, mean / risk) + xlogy(1 - mean, (1 - mean) / (1 - risk))))
    return float(min(1.0, hoeffding, e * p_of_errors(np.ceil(loss - 1e-9), cases, risk)))
