"""Readings of curves with their intervals: a rate at a wanted rate, a threshold, the top of the list.

The threshold is chosen on the same cases, so it is chosen anew in every resample. Where cases are
independent, no resample need be made: the k-th case of a class in a resample of n is at a place with a Beta
distribution, the cases above it are binomial, and so a draw costs the same for a hundred cases and for ten
million.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves import gain
from classay.inference.draws import DRAWS, percentile, stream
from classay.inference.estimate import Estimate
from classay.inference.replicate_intervals import How, Shape, interval
from classay.inference.scored_cases import ScoredCases
from classay.measures import readings
from classay.measures.readings import Reading
from classay.measures.registry import ratio
from classay.tables import ScoreTable

Array = NDArray[Any]
REPLICATES = 1000
"""Resamples behind a reading that needs whole tables."""
FEWEST = 2
"""Cases on the wrong side of a threshold, of the class that sets it, below which resampling covers too little."""
SHARE = Shape((0.0, 1.0), (0.0, 1.0))
TopReader = Callable[[ScoreTable, float], gain.TopReading]


def tpr_at(cases: ScoredCases, fpr: float) -> Estimate:
    """The greatest true positive rate with a false positive rate of at most `fpr`.

    In each draw the threshold is that of a resample, and the rate at it one from its Jeffreys posterior, for
    the positives are another sample: the interval covers at the ends of the range too. None where fewer than
    two false positives are allowed. Raises InputError unless `fpr` is a share. Value: `measures.tpr_at`.

    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 + np.arange(200) / 90 > 2)
    >>> tpr_at(ScoredCases(table), fpr=0.2)
    Estimate(0.505 [0.345, 0.672] 95 %, Jeffreys at resampled thresholds, 2,000 draws)
    """
    found = readings.tpr_at(cases.table, fpr)
    return _rate(cases, found, _by_negatives, fpr, lambda table: readings.tpr_at(table, fpr))


def fpr_at(cases: ScoredCases, tpr: float) -> Estimate:
    """The least false positive rate with a true positive rate of at least `tpr`; see `tpr_at`.

    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 + np.arange(200) / 90 > 2)
    >>> fpr_at(ScoredCases(table), tpr=0.8)
    Estimate(0.516 [0.301, 0.689] 95 %, Jeffreys at resampled thresholds, 2,000 draws)
    """
    found = readings.fpr_at(cases.table, tpr)
    return _rate(cases, found, _by_positives, tpr, lambda table: readings.fpr_at(table, tpr))


def threshold_for(cases: ScoredCases, *, fpr: float | None = None, tpr: float | None = None) -> Estimate:
    """The threshold with a false positive rate of at most `fpr`, or a true positive rate of at least `tpr`.

    The best such for the other rate. The interval is that of the thresholds of resamples, by percentiles.
    Raises InputError unless exactly one share is given. Value: `measures.threshold_for`.

    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 + np.arange(200) / 90 > 2)
    >>> threshold_for(ScoredCases(table), fpr=0.2)
    Estimate(0.635 [0.515, 0.740] 95 %, percentile, cohort bootstrap of 2,000)
    """
    found = readings.threshold_for(cases.table, fpr=fpr, tpr=tpr)
    if np.isnan(found.threshold):
        return Estimate.undefined(_why_undefined(cases.table))
    value = float(found.threshold)
    drawer, wanted = (_by_positives, tpr or 0.0) if fpr is None else (_by_negatives, fpr)
    why = cases.why_not_resampled or _why_extreme(cases.table, drawer, wanted)
    if why is not None:
        return Estimate.bare(value, why)
    if cases.rows is None:
        _, thresholds = drawer(cases.table, wanted, stream(cases.seed, "threshold"))
    else:
        tables = cases.resamples(REPLICATES, "threshold")
        thresholds = np.array([readings.threshold_for(each, fpr=fpr, tpr=tpr).threshold for each in tables])
    return _of_draws(cases, value, thresholds, "percentile", Shape())


def precision_at(cases: ScoredCases, recall: float) -> Estimate:
    """The greatest precision with a recall of at least `recall`, its threshold chosen anew in each resample.

    Beyond 20,000 distinct scores, neighbours are resampled together. Raises InputError unless `recall` is a
    share. Value: `measures.precision_at`.

    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 + np.arange(200) / 90 > 2)
    >>> precision_at(ScoredCases(table), recall=0.5).method
    'normal on the logit scale, bias-corrected, cohort bootstrap of 1,000'
    """
    value = float(readings.precision_at(cases.table, recall).value)
    if np.isnan(value):
        return Estimate.undefined(_why_undefined(cases.table))
    if cases.why_not_resampled is not None:
        return Estimate.bare(value, cases.why_not_resampled)
    tables = cases.resamples(REPLICATES, "precision at recall")
    values = np.array([readings.precision_at(each, recall).value for each in tables])
    return _of_draws(cases, value, values, "normal", SHARE)


def top_of_list(cases: ScoredCases, k: float, read: TopReader) -> Estimate:
    """A reading of the k highest scores, `gain.precision_at_k` or its kin: of a list of k, re-ranked.

    The interval is for the list of the k highest scores of as many other cases, ties at the cut in any order.
    Raises InputError unless k is a number of cases.

    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 + np.arange(200) / 90 > 2)
    >>> top_of_list(ScoredCases(table), 50, gain.precision_at_k)
    Estimate(0.780 [0.660, 0.900] 95 %, percentile, cohort bootstrap of 2,000)
    """
    found = read(cases.table, k)
    if np.isnan(found.value):
        return Estimate.undefined(_why_undefined(cases.table))
    if cases.why_not_resampled is not None:
        return Estimate.bare(found.value, cases.why_not_resampled)
    if cases.rows is None:
        tops = _tops(cases.table, int(k), stream(cases.seed, "top of the list"))
        values = np.array([read(each, k).value for each in tops])
    else:
        tables = cases.resamples(REPLICATES, "top of the list")
        values = np.array([read(each, min(k, _total(each))).value for each in tables])
    shape = Shape((0.0, np.inf)) if read is gain.lift_at_k else SHARE
    made = _of_draws(cases, found.value, values, "percentile", shape)
    if found.worst == found.best or not made.has_interval:
        return made
    ties = f"{made.method}; ties at the cut: {found.worst:.3g} to {found.best:.3g}"
    return Estimate(made.value, made.low, made.high, made.level, ties)


Drawer = Callable[[ScoreTable, float, np.random.Generator], tuple[Array, Array]]
"""From a table and a wanted rate: the cells at or above the threshold of each draw, and the threshold."""


def _rate(
    cases: ScoredCases, found: Reading, drawer: Drawer, wanted: float, read: Callable[[ScoreTable], Reading]
) -> Estimate:
    value = float(found.value)
    if np.isnan(value):
        return Estimate.undefined(_why_undefined(cases.table))
    why = cases.why_not_resampled or _why_extreme(cases.table, drawer, wanted)
    if why is not None:
        return Estimate.bare(value, why)
    if cases.rows is not None:
        values = np.array([read(each).value for each in cases.resamples(REPLICATES, "rate at a rate")])
        return _of_draws(cases, value, values, "percentile", SHARE)
    rng = stream(cases.seed, "rate at a rate")
    cells, _ = drawer(cases.table, wanted, rng)
    other = cases.table.positives if drawer is _by_negatives else cases.table.negatives
    above = _from_zero(other)[cells]
    low, high = percentile(rng.beta(above + 0.5, other.sum() - above + 0.5), cases.level)
    low, high = (0.0 if value == 0 else min(low, value)), (1.0 if value == 1 else max(high, value))
    return Estimate(value, low, high, cases.level, f"Jeffreys at resampled thresholds, {DRAWS:,} draws")


def _by_negatives(table: ScoreTable, fpr: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """The threshold lies above the first negative too many."""
    p, n = _class_sizes(table, rng)
    k = np.floor(fpr * n).astype(np.int64)
    k += (k + 1) / n <= fpr
    cells = np.full(DRAWS, table.scores.size)  # where every negative is allowed
    some = k < n
    cells[some] = _cell(table.negatives, rng.beta(k[some] + 1, n[some] - k[some]))
    share = _from_zero(table.positives)[cells] / table.positives.sum()
    hits = rng.binomial(p, share)
    lowest = share * rng.random(DRAWS) ** (1 / np.maximum(hits, 1))  # of so many positives drawn above
    return cells, np.where(hits > 0, _score(table, _cell(table.positives, lowest)), np.inf)


def _by_positives(table: ScoreTable, tpr: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """The threshold is at the last positive needed, or at any below it before the next negative."""
    p, n = _class_sizes(table, rng)
    k = np.ceil(tpr * p).astype(np.int64)
    k -= (k - 1) / p >= tpr
    place = rng.beta(np.maximum(k, 1), p - np.maximum(k, 1) + 1)
    cells = np.where(k > 0, _cell(table.positives, place) + 1, 0)
    place = np.where(k > 0, place, 0.0)
    above = _from_zero(table.negatives)[cells] / table.negatives.sum()
    left = n - rng.binomial(n, above)
    next_ = above + (1 - above) * (1 - rng.random(DRAWS) ** (1 / np.maximum(left, 1)))
    end = np.where(left > 0, _cell(table.negatives, next_), table.scores.size)
    room = np.maximum(_from_zero(table.positives)[end] / table.positives.sum() - place, 0.0)
    more = rng.binomial(p - k, np.minimum(room / np.maximum(1 - place, 1e-300), 1.0))
    further = _cell(table.positives, place + room * rng.random(DRAWS) ** (1 / np.maximum(more, 1)))
    at = np.where(more > 0, np.maximum(further, cells - 1), cells - 1)
    return cells, np.where(at >= 0, _score(table, at), np.inf)


def _tops(table: ScoreTable, k: int, rng: np.random.Generator) -> list[ScoreTable]:
    """Resamples with all cases above the score of the k-th together, those that share it, and those below."""
    n, both = int(_total(table)), table.positives + table.negatives
    k = max(k, 1)
    place = rng.beta(k, n - k + 1, DRAWS)
    at, edges = _cell(both, place), _from_zero(both) / n
    above = rng.binomial(k - 1, np.minimum(edges[at] / place, 1.0))
    tied = k - above + rng.binomial(n - k, np.clip((edges[at + 1] - place) / (1 - place), 0.0, 1.0))
    sizes = np.stack([above, tied, n - above - tied])
    ends = np.stack([np.zeros_like(at), at, at + 1, np.full_like(at, both.size)])
    hits, all_ = (np.diff(_from_zero(each)[ends], axis=0) for each in (table.positives, both))
    positives = rng.binomial(sizes, ratio(hits, np.maximum(all_, 1)))
    heights = np.array([2.0, 1.0, 0.0])
    return [ScoreTable(heights, p, m - p, table.labels) for p, m in zip(positives.T, sizes.T, strict=True)]


def _class_sizes(table: ScoreTable, rng: np.random.Generator) -> tuple[Array, Array]:
    """Positives and negatives of resamples, at least one of each."""
    p, total = int(table.n_positive), int(_total(table))
    drawn = np.clip(rng.binomial(total, p / total, DRAWS), 1, total - 1)
    return drawn, total - drawn


def _cell(counts: Array, place: Array) -> Array:
    """The cell of a class at a share of its cases, counted from the highest score."""
    running = np.cumsum(counts)
    return np.asarray(np.searchsorted(running, place * running[-1]).clip(max=counts.size - 1))


def _score(table: ScoreTable, cells: Array) -> Array:
    return np.asarray(table.scores[np.minimum(cells, table.scores.size - 1)].astype(np.float64))


def _from_zero(counts: Array) -> Array:
    return np.concatenate([[0], np.cumsum(counts)])


def _total(table: ScoreTable) -> float:
    return float(table.n_positive + table.n_negative)


def _of_draws(cases: ScoredCases, value: float, values: Array, how: How, shape: Shape) -> Estimate:
    if value in shape.ends:
        return Estimate.bare(
            value, "the value is at the end of its range, where resamples show one side only"
        )
    found = interval(how, values, value, cases.level, shape)
    if isinstance(found, str):
        return Estimate.bare(value, found)
    low, high, used = found
    used = f"{used}, {cases.unit} bootstrap of {values.size:,}"
    return Estimate(value, min(low, value), max(high, value), cases.level, used)


def _why_extreme(table: ScoreTable, drawer: Drawer, wanted: float) -> str | None:
    """Why the threshold is too near the end of the class that sets it, or None."""
    of_negatives = drawer is _by_negatives
    total, share = (table.n_negative, wanted) if of_negatives else (table.n_positive, 1 - wanted)
    if total * share >= FEWEST or total * (1 - share) == 0:
        return None
    what = "negatives may be called positive" if of_negatives else "positives may be missed"
    return f"only {total * share:.3g} of {float(total):,.6g} {what}: too few to say how the threshold varies"


def _why_undefined(table: ScoreTable) -> str:
    if not table.n_positive:
        return "no case is positive"
    return "no case is negative" if not table.n_negative else "it cannot be attained"
