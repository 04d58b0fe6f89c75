"""Readings of curves with intervals: a rate at a wanted rate, a threshold chosen on these cases, the top of a list.

Rates at a threshold that is chosen on the same cases: how both vary together, alike, weighted or in clusters.

A threshold is where a share of the cases lies at or above it, so it varies as that share does. Both this share and the
rate of interest are drawn from their Jeffreys posteriors, with the correlation that their influences have, for as many
independent cases alike as would vary as much (Rao & Scott 1992, Biometrics 48:577); with few clusters for as many fewer
as Student's quantile is wider (Korn & Graubard 1998, Survey Methodology 24:193).

The threshold is chosen on the same cases, so it is chosen anew in every resample. Where cases are
independent, no resample need be made: the k-th case of a class in a resample of n is at a place with a Beta
distribution, the cases above it are binomial, and so a draw costs the same for a hundred cases and for ten
million. Weighted and clustered cases are drawn as the number of independent ones that would vary as much; see
`classay.inference.readings`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.curves import acting
from classay.errors import InputError
from classay.inference.design import Design, VarianceEstimate
from classay.inference.draws import DRAWS, percentile, stream
from classay.inference.estimate import Estimate, IntervalResult
from classay.inference.proportions import normal_quantile
from classay.measures import ranking
from classay.measures.ranking import RateAtThreshold
from classay.measures.registry import ratio
from classay.once import memoize
from classay.tables import ScoreTable
from classay.tables.rows import CodedRows, RowCells
from classay.tables.sums import ROUNDING, at_least, at_most, equal_cases

if TYPE_CHECKING:
    from classay.inference.bootstrap.score_samples import ScoredCases

Array = NDArray[Any]
Pair = tuple[int, int]


@dataclass(frozen=True)
class RateKind:
    """Which of the cases at or above a threshold a share counts, and among which: positives, negatives, as 1 or 0."""

    counted: Pair
    among: Pair
    among_called: bool = False


TPR = RateKind((1, 0), (1, 0))
FPR = RateKind((0, 1), (0, 1))
CALLED = RateKind((1, 1), (1, 1))
PRECISION = RateKind((1, 0), (1, 1), among_called=True)


@dataclass(frozen=True, eq=False)
class Share:
    """A share at every cut of a table, and how well it is known at one of them.

    `counted` and `among`, `(m + 1,)`, belong to the cuts before, between and after the m scores. `size` is how many
    independent cases alike would vary as much; `influence` is that of a positive and a negative case above
    and below the cut, `(2,)` each, `variance` what it makes.
    """

    counted: Array
    among: Array
    influence: tuple[Array, Array]
    variance: float
    size: float

    @property
    def at_cuts(self) -> Array:
        """The share itself, `(m + 1,)`, where it is among the same cases at every cut."""
        return np.asarray(self.counted / self.among[-1])


def design_of(cases: ScoredCases) -> Design:
    """Cases drawn alone, or the clusters of their rows."""
    rows = cases.rows
    if rows is None or rows.cluster is None:
        return Design(cases.table)
    clusters = tuple(range(int(rows.cluster.max(initial=-1)) + 1))
    coded = CodedRows(
        clusters, cases.table.labels, rows.cluster, 1 * rows.positive, None, rows.score, rows.weight
    )
    return Design.of_clusters(cases.table, coded, 1)


def cut_at(table: ScoreTable, threshold: float) -> int:
    """Return the scores at or above a threshold."""
    return int(np.count_nonzero(table.thresholds >= threshold))


def share(design: Design, kind: RateKind, cut: int, level: float) -> Share:
    """Return a share of the cases, known as well as at this cut."""
    parted = parted_at(design, cut)
    counted, called = (_sums(design, classes) for classes in (kind.counted, kind.among))
    among = called if kind.among_called else np.broadcast_to(called[-1], called.shape)
    m = float(among[cut])
    p = float(counted[cut]) / m
    above, among_mask = np.array([1, 0]), np.array([1, 0 if kind.among_called else 1])
    on_positive, on_negative = (
        (x * above - p * a * among_mask) / m for x, a in zip(kind.counted, kind.among, strict=True)
    )
    positives, negatives = parted.places.squares
    squares = kind.among[0] * positives + kind.among[1] * negatives
    cases = equal_cases(m, squares[0] if kind.among_called else squares.sum())
    variance = parted.spread((on_positive, on_negative)).variance
    size = _alike(design, p, variance, cases, m)
    if design.rows is not None:
        size *= (normal_quantile(level) / design.quantile(level)) ** 2
    return Share(counted, among, (on_positive, on_negative), variance, size)


def drawn(
    design: Design,
    by: Share,
    rate: Share,
    cut: int,
    wanted: float,
    cuts: Callable[[Array], Array],
    rng: np.random.Generator,
) -> Array:
    """Draws of a rate at the threshold that a wanted share sets; `cuts` are those that drawn shares lead to.

    What a resample takes for the wanted share lies below it in the cases at hand by as much as it draws it too high.
    """
    from scipy.special import betaincinv, ndtr

    together = correlation(design, cut, by, rate)
    first, second = rng.normal(size=(2, DRAWS))
    second = together * first + np.sqrt(1 - together**2) * second
    place = betaincinv(by.size * wanted + 0.5, by.size * (1 - wanted) + 0.5, ndtr(-first))
    at = cuts(place)
    per_case = rate.size / rate.among[cut]
    x, m = (_between(sums, at) * per_case for sums in (rate.counted, rate.among))
    return np.asarray(betaincinv(x + 0.5, np.maximum(m - x, 0.0) + 0.5, ndtr(second)))


def correlation(design: Design, cut: int, one: Share, other: Share) -> float:
    """Return the correlation of two shares at a cut; 0 where one of them does not vary."""
    return parted_at(design, cut).spread([one.influence, other.influence]).correlation


def _alike(design: Design, p: float, variance: float, cases: float, weight: float) -> float:
    """Independent cases alike with this variance of a share: no more than there are, nor, of none seen, than units."""
    if design.is_alike:
        return cases
    if not VarianceEstimate(variance, 1.0).is_none():
        return max(1.0, min(cases, p * (1 - p) / variance))
    return max(1.0, min(cases, weight / design.total * design.number))


@memoize
def _parted_last(design: Design) -> dict[int, Design]:
    """Return the parts at the cut that was asked for last: several shares are read there."""
    return {}


def parted_at(design: Design, cut: int) -> Design:
    """Return the same units with two scores only, above and below a cut."""
    kept = _parted_last(design)
    parted = kept.get(cut)
    if parted is None:
        parted = _part(design, cut)
        kept.clear()
        kept[cut] = parted
    return parted


def _part(design: Design, cut: int) -> Design:
    table, rows_of = design.table, design.cells
    parts = table.positives, table.negatives, table.positive_squares, table.negative_squares
    p, n, pp, nn = (
        None if column is None else np.array([column[:cut].sum(), column[cut:].sum()]) for column in parts
    )
    assert p is not None
    assert n is not None
    halves = ScoreTable(np.array([1.0, 0.0]), p, n, table.labels, pp, nn)
    if rows_of is None or design.rows is None:
        return Design(halves, by_class=design.by_class, seed=design.seed)
    of_negative, place = np.divmod(rows_of.at, table.scores.size)
    return Design(
        halves,
        rows=design.rows,
        cells=RowCells.of(design.rows, 2 * of_negative + (place >= cut), 4),
        by_class=design.by_class,
        seed=design.seed,
    )


def _between(values: Array, cuts: Array) -> Array:
    """Values at cuts, and on the line between two where a cut is no whole number."""
    first = np.floor(cuts).astype(np.int64)
    after = np.minimum(first + 1, values.size - 1)
    return np.asarray(values[first] + (cuts - first) * (values[after] - values[first]))


def _sums(design: Design, of: Pair) -> Array:
    return heights(design)[of[0] + 2 * of[1] - 1]


@memoize
def heights(design: Design) -> tuple[Array, Array, Array]:
    """Running sums of positives, of negatives and of both down to each cut, `(m + 1,)` each."""
    sums = np.zeros((3, design.table.scores.size + 1))
    np.cumsum(design.table.positives, out=sums[0, 1:])
    np.cumsum(design.table.negatives, out=sums[1, 1:])
    np.cumsum(design.table.positives + design.table.negatives, out=sums[2, 1:])
    return sums[0], sums[1], sums[2]


FEWEST = 2
"""Cases on the wrong side of a threshold, of the class that sets it, below which resampling covers too little."""
FEW_CLUSTERS = 8
"""Clusters below which nothing is said of how they vary."""
Sizes = tuple[float, float]
"""Independent positives and negatives alike that would vary as much."""
TopReader = Callable[[ScoreTable, float], acting.TopReading]


def tpr_at(cases: ScoredCases, fpr: float) -> Estimate:
    """Return the greatest true positive rate with a false positive rate of at most `fpr`.

    In each draw the threshold is that of a resample, and the rate at it one from its Jeffreys posterior, for
    the positives are another sample: the interval covers at the ends of the range too. None where fewer than
    two false positives are allowed. Raises InputError unless `fpr` is a share. Value: `measures.tpr_at`.

    >>> from classay.inference.bootstrap.score_samples import ScoredCases
    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 + np.arange(200) / 90 > 2)
    >>> tpr_at(ScoredCases(table), fpr=0.2)
    Estimate(0.505 [0.346, 0.671] 95%, Jeffreys, resampled thresholds, 2,000 draws)
    """
    reading = ranking.tpr_at(cases.table, fpr)
    return _rate(cases, reading, (FPR, TPR), fpr, last_at_most)


def fpr_at(cases: ScoredCases, tpr: float) -> Estimate:
    """Return the least false positive rate with a true positive rate of at least `tpr`; see `tpr_at`.

    >>> from classay.inference.bootstrap.score_samples import ScoredCases
    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 + np.arange(200) / 90 > 2)
    >>> fpr_at(ScoredCases(table), tpr=0.8)
    Estimate(0.516 [0.306, 0.691] 95%, Jeffreys, resampled thresholds, 2,000 draws)
    """
    reading = ranking.fpr_at(cases.table, tpr)
    return _rate(cases, reading, (TPR, FPR), tpr, _first_at_least)


def threshold_for(cases: ScoredCases, *, fpr: float | None = None, tpr: float | None = None) -> Estimate:
    """Return the threshold with a false positive rate of at most `fpr`, or a true positive rate of at least `tpr`.

    The best such for the other rate. The interval is that of the thresholds of resamples, by percentiles, down or up
    to the case that sets them: cases of the other class are few there, and between them all thresholds do.
    Raises InputError unless exactly one share is given. Value: `measures.threshold_for`.

    >>> from classay.inference.bootstrap.score_samples import ScoredCases
    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 + np.arange(200) / 90 > 2)
    >>> threshold_for(ScoredCases(table), fpr=0.2)
    Estimate(0.635 [0.510, 0.740] 95%, bootstrap percentile, 2,000 draws)
    """
    reading = ranking.threshold_for(cases.table, fpr=fpr, tpr=tpr)
    if np.isnan(reading.threshold):
        return Estimate.undefined(_why_undefined(cases.table))
    value, design = float(reading.threshold), design_of(cases)
    cut = cut_at(cases.table, value)
    sizes = tuple(share(design, kind, cut, cases.level).size for kind in (TPR, FPR))
    from classay.inference.bootstrap.bootstrapping import Shape, interval

    by, wanted = (TPR, tpr or 0.0) if fpr is None else (FPR, fpr)
    why = why_few_clusters(design) or _why_few(by, sizes[by is FPR], wanted)
    if why is not None:
        return Estimate.bare(value, why)
    draw = _by_positives if by is TPR else _by_negatives
    thresholds = draw(cases.table, (sizes[0], sizes[1]), wanted, stream(cases.seed, "threshold"))
    found_ends = [interval("percentile", sample, value, cases.level, Shape()) for sample in thresholds]
    ends = [limits for limits in found_ends if not isinstance(limits, str)]
    if not ends:
        return Estimate.bare(value, str(found_ends[0]))
    low, high = min(limits[0] for limits in ends), max(limits[1] for limits in ends)
    used = f"bootstrap percentile, {DRAWS:,} draws"
    return Estimate(value, min(low, value), max(high, value), cases.level, used)


def precision_at(cases: ScoredCases, recall: float) -> Estimate:
    """Return the greatest precision with a recall of at least `recall`, its threshold chosen anew in each draw.

    Raises InputError unless `recall` is a share. Value: `measures.precision_at`.

    >>> from classay.inference.bootstrap.score_samples import ScoredCases
    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 + np.arange(200) / 90 > 2)
    >>> precision_at(ScoredCases(table), recall=0.5).method
    'Jeffreys, resampled thresholds, 2,000 draws'
    """
    reading = ranking.precision_at(cases.table, recall)
    return _rate(cases, reading, (TPR, PRECISION), recall, _most_precise)


def top_of_list(cases: ScoredCases, k: float, read: TopReader, design: Design | None = None) -> Estimate:
    """Return a reading of the k highest scores, `acting.precision_at_k` or its kin: of a list of k, re-ranked.

    The interval is for the list of the k highest scores of as many other cases, ties at the cut in any order.
    Of sampling weights, k of n cases are the share k / n of the weight: scaling all weights changes nothing.
    Several readings of one list share its `units`. Raises InputError unless k is a number of cases.

    >>> from classay.inference.bootstrap.score_samples import ScoredCases
    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 + np.arange(200) / 90 > 2)
    >>> top_of_list(ScoredCases(table), 50, acting.precision_at_k)
    Estimate(0.780 [0.652, 0.890] 95%, Jeffreys, resampled thresholds, 2,000 draws)
    """
    return tops_of_list(cases, k, (read,), design)[0]


def tops_of_list(
    cases: ScoredCases, k: float, reads: Sequence[TopReader], design: Design | None = None
) -> list[Estimate]:
    """Several readings of the k highest scores, as by `top_of_list`; recall and lift, recall n / k, are drawn once."""
    n = _total(cases.table) / cases.weight_per_case
    if not (at_least(k, 1) and at_most(k, n)):
        share = f". For the top {100 * k:g}%, use k={k * n:,.6g}" if 0 < k < 1 else ""
        raise InputError(f"k must be between 1 and the number of cases ({n:,.6g}), but is {k!r}{share}.")
    k = k * cases.weight_per_case
    readings = [read(cases.table, k) for read in reads]
    undefined = Estimate.undefined(_why_undefined(cases.table))
    if all(np.isnan(reading.value) for reading in readings):
        return [undefined] * len(readings)
    design, of_all = design_of(cases) if design is None else design, k / _total(cases.table)
    why = why_few_clusters(design)
    if why is not None:
        return [undefined if np.isnan(each.value) else Estimate.bare(each.value, why) for each in readings]
    cut = int(np.searchsorted(heights(design)[2][1:], k * (1 - ROUNDING))) + 1
    ends: dict[RateKind, tuple[float, float, str]] = {}
    estimates = []
    for read, reading in zip(reads, readings, strict=True):
        if np.isnan(reading.value):  # recall without positives, beside a precision of 0
            estimates.append(undefined)
            continue
        kind = PRECISION if read is acting.precision_at_k else TPR
        if kind is TPR and at_least(of_all, 1):
            estimates.append(Estimate.bare(reading.value, "every case is predicted positive"))
            continue
        per = of_all if read is acting.lift_at_k else 1.0
        if kind not in ends:
            value = float(reading.value * per)
            ends[kind] = _around(design, value, (CALLED, kind), cut, of_all, _along, cases.level, cases.seed)
        low, high, used = ends[kind]
        tied = (
            ""
            if at_least(reading.worst, reading.best)
            else f"; ties at the cut: {reading.worst:.3g} to {reading.best:.3g}"
        )
        low, high = min(low / per, reading.value), max(high / per, reading.value)  # apart by rounding at most
        estimates.append(Estimate(reading.value, low, high, cases.level, f"{used}{tied}"))
    return estimates


Cuts = Callable[[Share, Share, Array], Array]
"""From what sets the threshold, the rate at it and drawn shares of the first: the cuts of the table there."""


def last_at_most(by: Share, rate: Share, place: Array) -> Array:
    """Return the last cut with at most the drawn share."""
    return np.asarray(np.searchsorted(by.at_cuts, place, side="right") - 1)


def _first_at_least(by: Share, rate: Share, place: Array) -> Array:
    return np.asarray(np.searchsorted(by.at_cuts, place).clip(max=by.counted.size - 1))


def _most_precise(by: Share, rate: Share, place: Array) -> Array:
    """Of the cuts with so much recall, the one with the greatest precision, and of those the last."""
    precision = np.nan_to_num(ratio(rate.counted, rate.among), nan=-1.0)[::-1]
    best = np.maximum.accumulate(precision)
    first = np.maximum.accumulate(
        np.where(~at_most(best, np.append(-2.0, best[:-1])), np.arange(best.size), 0)
    )
    return np.asarray((best.size - 1 - first[::-1])[_first_at_least(by, rate, place)])


def _along(by: Share, rate: Share, place: Array) -> Array:
    """Between two cuts in proportion: those that tie come in any order."""
    total = by.among[-1]
    first, last = np.searchsorted(by.counted, [place.min() * total, place.max() * total])
    near = slice(max(int(first) - 2, 0), int(last) + 3)
    return np.interp(place, by.counted[near] / total, np.arange(by.counted.size)[near])


def _rate(
    cases: ScoredCases, reading: RateAtThreshold, kinds: tuple[RateKind, RateKind], wanted: float, cuts: Cuts
) -> Estimate:
    value = float(reading.value)
    if np.isnan(value):
        return Estimate.undefined(_why_undefined(cases.table))
    limits = rate_at(design_of(cases), reading, kinds, wanted, cuts, cases.level, cases.seed)
    return (
        Estimate.bare(value, limits)
        if isinstance(limits, str)
        else Estimate(value, *limits[:2], cases.level, limits[2])
    )


def rate_at(
    design: Design,
    reading: RateAtThreshold,
    kinds: tuple[RateKind, RateKind],
    wanted: float,
    cuts: Cuts,
    level: float,
    seed: int,
) -> IntervalResult:
    """Return the interval of a rate that is read at a threshold which another sets at `wanted`, or why it has none."""
    cut = cut_at(design.table, float(reading.threshold))
    why = why_few_clusters(design) or _why_few(kinds[0], share(design, kinds[0], cut, level).size, wanted)
    if why is not None:
        return why
    return _around(design, float(reading.value), kinds, cut, wanted, cuts, level, seed)


def _around(
    design: Design,
    value: float,
    kinds: tuple[RateKind, RateKind],
    cut: int,
    wanted: float,
    cuts: Cuts,
    level: float,
    seed: int,
) -> tuple[float, float, str]:
    by, rate = (share(design, kind, cut, level) for kind in kinds)
    rng = stream(seed, "rate at a chosen threshold")
    values = drawn(design, by, rate, cut, wanted, lambda place: cuts(by, rate, place), rng)
    low, high = percentile(values, level)
    low, high = (0.0 if value == 0 else min(low, value)), (1.0 if value == 1 else max(high, value))
    return low, high, f"{design.before}Jeffreys, resampled thresholds, {DRAWS:,} draws"


def _by_negatives(
    table: ScoreTable, sizes: Sizes, fpr: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Thresholds above the first negative too many, at the lowest positive there; and the score of that negative."""
    p, n = _class_sizes(sizes, rng)
    k = np.floor(fpr * n).astype(np.int64)
    k += (k + 1) / n <= fpr
    cells = np.full(DRAWS, table.scores.size)  # where every negative is allowed
    some = k < n
    cells[some] = _cell(table.negatives, rng.beta(k[some] + 1, n[some] - k[some]))
    share = np.minimum(_from_zero(table.positives)[cells] / table.positives.sum(), 1.0)
    hits = rng.binomial(p, share)
    lowest = share * rng.random(DRAWS) ** (1 / np.maximum(hits, 1))  # of so many positives drawn above
    best = np.where(hits > 0, _score(table, _cell(table.positives, lowest)), np.inf)
    return best, _score(table, cells)


def _by_positives(
    table: ScoreTable, sizes: Sizes, tpr: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Thresholds at the last positive below the last one needed, before the next negative; and that one's score."""
    p, n = _class_sizes(sizes, rng)
    k = np.ceil(tpr * p).astype(np.int64)
    k -= (k - 1) / p >= tpr
    place = rng.beta(np.maximum(k, 1), p - np.maximum(k, 1) + 1)
    cells = np.where(k > 0, _cell(table.positives, place) + 1, 0)
    place = np.where(k > 0, place, 0.0)
    above = np.minimum(_from_zero(table.negatives)[cells] / table.negatives.sum(), 1.0)
    left = n - rng.binomial(n, above)
    next_ = above + (1 - above) * (1 - rng.random(DRAWS) ** (1 / np.maximum(left, 1)))
    end = np.where(left > 0, _cell(table.negatives, next_), table.scores.size)
    room = np.maximum(_from_zero(table.positives)[end] / table.positives.sum() - place, 0.0)
    more = rng.binomial(p - k, np.minimum(room / np.maximum(1 - place, 1e-300), 1.0))
    further = _cell(table.positives, place + room * rng.random(DRAWS) ** (1 / np.maximum(more, 1)))
    at = np.where(more > 0, np.maximum(further, cells - 1), cells - 1)
    needed = np.where(cells > 0, _score(table, cells - 1), np.inf)
    return np.where(at >= 0, _score(table, at), np.inf), needed


def _class_sizes(sizes: Sizes, rng: np.random.Generator) -> tuple[Array, Array]:
    """Positives and negatives of resamples, at least one of each."""
    p, n = (max(1, round(size)) for size in sizes)
    drawn = np.clip(rng.binomial(p + n, p / (p + n), DRAWS), 1, p + n - 1)
    return drawn, p + n - drawn


def _cell(counts: Array, place: Array) -> Array:
    """Return the cell of a class at a share of its cases, counted from the highest score."""
    running = np.cumsum(counts)
    return np.asarray(np.searchsorted(running, place * running[-1]).clip(max=counts.size - 1))


def _score(table: ScoreTable, cells: Array) -> Array:
    return np.asarray(table.thresholds[np.minimum(cells, table.scores.size - 1)].astype(np.float64))


def _from_zero(counts: Array) -> Array:
    return np.concatenate([[0], np.cumsum(counts)])


def _total(table: ScoreTable) -> float:
    return float(table.n_positive + table.n_negative)


def why_few_clusters(design: Design) -> str | None:
    """Return why clusters are too few to say how they vary, or None."""
    if design.rows is None or design.number >= FEW_CLUSTERS:
        return None
    return f"only {design.number:g} clusters, too few to estimate their variation"


def _why_few(by: RateKind, size: float, wanted: float) -> str | None:
    """Return why the threshold is too near the end of the class that sets it, or None."""
    left = wanted if by is FPR else 1 - wanted
    if size * left >= FEWEST or left == 1:
        return None
    what = "negatives may be predicted positive" if by is FPR else "positives may be missed"
    return f"only {size * left:.3g} of {size:,.6g} {what}, too few to estimate the variation of the threshold"


def _why_undefined(table: ScoreTable) -> str:
    if not table.n_positive:
        return "no case is positive"
    return "no case is negative" if not table.n_negative else "not attainable"
