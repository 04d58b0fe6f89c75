"""Changes over periods: breaks of a measure, each by its largest contrast, and drift of scores and shares."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, reduce
from math import isnan, log, nan, sqrt
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.main_measures import effective_share
from classay.columns import Labels
from classay.compiled import thread_count, workers
from classay.groups.change_points import CELLS, MOST_PERMUTED, PLENTY, LargestContrast, blocks
from classay.inference.draws import stream
from classay.inference.estimate import (
    Estimate,
    format_estimate,
    measure_phrase,
    number,
    p_equation,
)
from classay.inference.significance import adjust, same_shares_p
from classay.kinds import TypedFields
from classay.measures import get
from classay.tables import ScoreTable
from classay.tables.bins import BinnedScoreTable
from classay.tables.rows import CodedRows
from classay.tables.sums import ROUNDING, equal_cases, sum_by_halves

Array = NDArray[Any]
Sizes = dict[Hashable, tuple[float, float]]
"""How many independent cases each period stands for, and all others."""


BINS = 10
"""Bins of scores, of as many cases each, that the stability index compares."""
KOLMOGOROV = "Kolmogorov–Smirnov distance, both samples' bounds of Massart"
SHARES = ("prevalence", "predicted_prevalence")
"""Shares of two classes: of those that are positive, and of those called so."""


@dataclass(frozen=True)
class Drift(TypedFields):
    """Each period against all others together: scores and classes, of all cases, with a label or without.

    `psi` has the population stability index of each period, of "scores" or of "true classes" and "predicted classes",
    `usual` the value that it exceeds in 5% of the periods if nothing changes, and `p` the p-value of Pearson's χ²;
    `distance` is that of Kolmogorov and Smirnov between the scores, with limits. `shares` are the prevalence and the
    share called positive, and `changes` where they broke. `unlabelled` counts the cases without a label.
    """

    periods: tuple[Hashable, ...]
    cases: tuple[float, ...]
    unlabelled: tuple[float, ...]
    psi: Mapping[str, tuple[float, ...]]
    usual: Mapping[str, tuple[float, ...]]
    p: Mapping[str, tuple[float, ...]]
    distance: tuple[Estimate, ...] = ()
    shares: Mapping[str, tuple[Estimate, ...]] = field(default_factory=dict)
    changes: Mapping[str, LargestContrast] = field(default_factory=dict)

    @property
    def p_adjusted(self) -> dict[str, tuple[float, ...]]:
        """The p-values adjusted by Holm for the periods: the largest of many is large without any drift."""
        return {name: tuple(adjust(p).tolist()) for name, p in self.p.items()}

    def sentences(self, period: str, level: float) -> tuple[str, ...]:
        """In which period scores or classes differ most from all others, if that is shown; where shares broke."""
        sentences = [self._of_index(name, p, period, level) for name, p in self.p_adjusted.items()]
        for name, change in self.changes.items():
            if change.p < (1 - level) / len(self.changes):
                start = measure_phrase(name)
                sentences.append(
                    f"{start[:1].upper()}{start[1:]} {'rose' if change.after > change.before else 'fell'} "
                    f"{change.said}; {p_equation(change.p)}."
                )
        return tuple(filter(None, sentences))

    def _of_index(self, name: str, adjusted: Sequence[float], period: str, level: float) -> str:
        known = [k for k, p in enumerate(adjusted) if not isnan(p)]
        if not known:
            return ""
        k = min(known, key=lambda k: (adjusted[k], -self.psi[name][k]))
        alarms = sum(adjusted[index] < 1 - level for index in known)
        if not alarms:
            least = f"smallest adjusted {p_equation(adjusted[k])}"
            return f"No drift of the {name} was detected in any {period} ({least})."
        distance = f", distance {format_estimate(self.distance[k])}" if self.distance else ""
        return (
            f"{periods_that_differ(name, period, alarms, len(known), self.periods[k])}: "
            f"PSI {number(self.psi[name][k])}{distance}, adjusted {p_equation(adjusted[k])}. "
            f"Without drift, the PSI exceeds {number(self.usual[name][k])} in 5% "
            f"of such {period}s."
        )


def periods_that_differ(name: str, period: str, alarms: int, known: int, most: object) -> str:
    """Return in how many periods the scores (or what `name` says) differ from those of the others, and which most."""
    one = alarms == 1
    first, last = (f", {most},", "") if one else (",", f", most clearly in {most}")
    return (
        f"In {alarms} of {known} {period}s{first} the {name} differ from those of the other {period}s{last}"
    )


@dataclass(frozen=True)
class PeriodSeries:
    """Assessments of periods in their order, made alike, and what else is known of them.

    `when` says how many periods each is after the first, `whole` is the assessment of all; `unlabelled` holds the
    cases of each period that have no label, as if they were negative, and `order` all periods, also those without any.
    """

    periods: Mapping[Hashable, Assessment]
    whole: Assessment | None = None
    when: Sequence[float] | None = None
    unlabelled: Mapping[Hashable, Assessment] = field(default_factory=dict)
    order: tuple[Hashable, ...] = ()

    @cached_property
    def all_cases(self) -> Assessment:
        """The assessment of all periods together."""
        if self.whole is not None:
            return self.whole
        return sum_by_halves(self.periods.values(), sum(a.rows for a in self.periods.values()))

    @property
    def in_clusters(self) -> dict[Hashable, CodedRows] | None:
        """The rows of each period, with a label or without, if cases come in clusters: what drift asks of them."""
        coded: dict[Hashable, CodedRows] = {}
        for name, a in (*self.periods.items(), *self.unlabelled.items()):
            if a.coded is None:
                return None
            rows = replace(a.coded, predicted=None, amounts=None)
            coded[name] = coded[name] + rows if name in coded else rows
        return coded


def shares_of(periods: Mapping[Hashable, Assessment]) -> list[str]:
    """Return the shares of two classes that every period has."""
    return [name for name in SHARES if all(a.task.gives(get(name)) for a in periods.values())]


def drift_over(
    timed: PeriodSeries, shares: Mapping[str, tuple[Estimate, ...]], changes: Mapping[str, LargestContrast]
) -> Drift | None:
    """Return how scores changed, or classes if there are several; over all periods, also those without any label.

    None if scores are in bins of different widths. `shares` are the estimates of each period, `changes` their breaks.
    """
    periods, level = timed.periods, next(iter(timed.periods.values())).level
    names = timed.order or tuple(periods)
    tables = {name: periods[name].scores if name in periods else None for name in names}
    if timed.unlabelled:  # cases without a label carry no amounts
        tables = {name: table and replace(table, amounts=None) for name, table in tables.items()}
    for name, late in timed.unlabelled.items():
        labelled = tables[name]
        assert late.scores is not None
        tables[name] = late.scores if labelled is None else labelled + late.scores
    known = {name: table for name, table in tables.items() if table is not None}
    distance: list[Estimate] = []
    clustered = timed.in_clusters
    if len(known) == len(names):
        all_scores = None if timed.unlabelled else timed.all_cases.scores
        cases_in_all = sum(a.n for a in (*periods.values(), *timed.unlabelled.values()))
        scores = drift_of_scores(known, level, all_scores, clustered, cases_in_all)
        if scores is None:
            return None
        indices, distance = {"scores": scores[0]}, scores[1]
    else:
        names, parts = tuple(periods), [*periods.values()]
        effective = [float(a.class_totals.sum()) * effective_share(a) for a in parts]
        sizes = {name: (n, sum(effective) - n) for name, n in zip(names, effective, strict=True)}
        sizes = sizes if clustered is None else equal_of_clusters(clustered)
        indices = {
            what: drift_of_classes(each, [*sizes.values()]) for what, each in counted_classes(parts).items()
        }
    columns = {what: [tuple(column) for column in zip(*rows, strict=True)] for what, rows in indices.items()}
    cases = {name: float(a.n) for name, a in periods.items()}
    open_ = {name: float(a.n) for name, a in timed.unlabelled.items()}
    nothing = Estimate.undefined("no label is known")
    at = {name: k for k, name in enumerate(periods)}
    return Drift(
        names,
        tuple(cases.get(name, 0.0) + open_.get(name, 0.0) for name in names),
        tuple(open_.get(name, 0.0) for name in names),
        {what: statistics[0] for what, statistics in columns.items()},
        {what: statistics[1] for what, statistics in columns.items()},
        {what: statistics[2] for what, statistics in columns.items()},
        tuple(distance),
        {
            what: tuple(estimates[at[name]] if name in at else nothing for name in names)
            for what, estimates in shares.items()
        },
        changes,
    )


def equal_of_clusters(periods: Mapping[Hashable, CodedRows]) -> Sizes:
    """Return how many independent cases each period and all others stand for if those of a cluster are alike.

    (Σ m)² / Σ m² of the weights m of the clusters (Kish 1965): the least that they may stand for.
    """
    code: dict[Hashable, int] = {}
    parts: list[tuple[Array, Array]] = []
    for rows in periods.values():
        at = np.array([code.setdefault(cluster, len(code)) for cluster in rows.clusters], np.int64)
        parts.append((at, rows.sums(np.ones(rows.true.size))))
    at_all, sums = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    every = np.bincount(at_all, sums, len(code))
    sizes = {}
    for name, (at, weights) in zip(periods, parts, strict=True):
        rest = every.copy()
        rest[at] -= weights  # exactly 0 of a cluster that no other period has
        here, there = (float(equal_cases(side.sum(), (side**2).sum())) for side in (weights, rest))
        sizes[name] = here, there
    return sizes


def sizes_of_clusters(
    periods: Mapping[Hashable, CodedRows], cases: int, bins: Callable[[CodedRows], Array], number: int
) -> Sizes:
    """Return how many independent cases each period and all others stand for when clusters are counted in bins.

    N (K - 1) / Σ_k S_k / p_k of all N `cases` in K bins, S_k being the sum of squares over the clusters of each period
    of how far they are from its share of bin k: the mean design effect of the bins (Rao & Scott 1981, JASA 76:221). No
    more than there are cases; of one cluster a period, as if its cases were alike.
    """
    counts, squares, clusters, weights = np.zeros(number), np.zeros(number), 0, []
    for rows in periods.values():
        cells = rows.cluster.astype(np.int64) * number + bins(rows)
        table = np.bincount(cells, rows.weight, len(rows.clusters) * number).reshape(-1, number)
        table = table[table.sum(1) > 0]
        off = table - table.sum(1, keepdims=True) * table.sum(0) / table.sum()
        counts, squares, clusters = counts + table.sum(0), squares + (off**2).sum(0), clusters + len(table)
        weights.append(float(table.sum()))
    seen, total, beyond = counts > 0, sum(weights), clusters - len(periods)
    spread = float((squares[seen] / counts[seen]).sum()) * clusters / max(beyond, 1)
    if beyond < 1 or not spread > 0:
        return equal_of_clusters(periods)
    share = min(cases / total, (int(seen.sum()) - 1) / spread)
    return {name: (share * w, share * (total - w)) for name, w in zip(periods, weights, strict=True)}


def stability(
    counts: Array, others: Array, sizes: tuple[float, float] | None = None
) -> tuple[float, float, float]:
    """Return the population stability index of two counts of the same bins, its 95% point if nothing changed, and p.

    PSI = Σ (p - q) ln(p / q) over the bins, with ½ added to each count; bins that are empty in both are none. Its 95%
    point is that of the counts of both dealt out anew, in as many cases each: of one population the index is near
    (1/n + 1/m) χ² with bins - 1 degrees of freedom (Yurdakul & Naranjo 2020) where bins are few and full, and "above
    0.1" happens without any change in 81% of the comparisons of 100 cases with 100. p is that of Pearson's χ², which
    bins with few cases leave its power, with the mean and the variance that it has over all deals (Dawson 1954,
    Biometrika 41:280), as a gamma variable. `sizes` are n and m where cases weigh unequally.

    >>> [round(x, 3) for x in stability(np.array([120, 100, 90, 110, 80]), np.array([60, 70, 40, 90, 40]))][::2]
    [0.055, 0.032]
    """
    kept = (counts > 0) | (others > 0)
    n, m = sizes or (float(counts.sum()), float(others.sum()))
    if kept.sum() < 2 or not n or not m:
        return nan, nan, nan
    here, there = (side[kept] * (size / side.sum()) for side, size in ((counts, n), (others, m)))
    p = same_shares_p(here, there)
    return float(_index(here, there)), _usual_index(here + there, min(n, m), n + m), p


def _index(here: Array, there: Array) -> Array:
    """Return the index of counts of bins, the last axis."""
    p, q = here + 0.5, there + 0.5
    p, q = p / p.sum(-1, keepdims=True), q / q.sum(-1, keepdims=True)
    return np.asarray(((p - q) * np.log(p / q)).sum(-1))


def _usual_index(both: Array, size: float, total: float) -> float:
    """Return the 95% point of the index of so many cases, dealt from the counts of both, and of all others."""
    from scipy.special import chdtri

    if both.min() * size >= PLENTY * total or total >= MOST_PERMUTED:
        return float((1 / size + 1 / (total - size)) * chdtri(both.size - 1, 0.05))
    counts = np.maximum(np.rint(both), 1).astype(np.int64)  # of equal cases, where cases weigh unequally
    dealt = round(size / total * int(counts.sum()))
    return _drawn_index(tuple(sorted(counts.tolist())), min(max(dealt, 1), int(counts.sum()) - 1))


@lru_cache(maxsize=256)
def _drawn_index(counts: tuple[int, ...], size: int) -> float:
    draws = max(99, min(999, CELLS // (10 * len(counts))))
    both = np.array(counts)
    indices: list[Array] = []
    rng = stream(0, "stability")
    for count in blocks(draws, both.size):
        dealt = rng.multivariate_hypergeometric(both, size, size=count)
        indices.append(_index(dealt, both - dealt))
    return float(np.quantile(np.concatenate(indices), 0.95, method="higher"))


def distance_of(distance: float, sizes: tuple[float, float], level: float) -> Estimate:
    """Return a Kolmogorov–Smirnov distance with its interval, which holds whatever the two distributions are.

    Both empirical distributions lie within √(ln(2/α′) / 2n) of the true ones everywhere, with α′ = 1 - √level each
    (Massart 1990, Annals of Probability 18:1269), and the distance within the sum of both.

    >>> distance_of(0.3, (1000.0, 500.0), 0.95)
    Estimate(0.300 [0.187, 0.413] 95%, Kolmogorov–Smirnov distance, both samples' bounds of Massart)
    """
    alpha = 1 - sqrt(level)
    off = sum(sqrt(log(2 / alpha) / (2 * size)) for size in sizes)
    return Estimate(distance, max(0.0, distance - off), min(1.0, distance + off), level, KOLMOGOROV)


@dataclass(frozen=True, eq=False)
class Scores:
    """Distinct scores, ascending, the weight up to each, and how many equal cases carry as much information."""

    scores: Array
    below: Array
    cases: float
    effective: float

    @classmethod
    def of(cls, table: ScoreTable) -> Scores:
        """Return those of both classes; of bins, their places."""
        if isinstance(table, BinnedScoreTable):
            bins = table.bins
            weights, squares = bins.cases.sum(0), None if bins.squares is None else bins.squares.sum(0)
            scores = bins.keys
        else:
            weights, scores, squares = table.positives + table.negatives, table.scores, None
            if table.positive_squares is not None and table.negative_squares is not None:
                squares = table.positive_squares + table.negative_squares
        below = np.cumsum(weights[::-1])
        cases = float(below[-1]) if below.size else 0.0
        effective = cases if squares is None else cases**2 / float(squares.sum())
        # in one piece, or each search would copy them
        return cls(np.ascontiguousarray(scores[::-1]), below, cases, effective)

    def up_to(self, places: Array) -> Array:
        """Return the weight of the scores that are no greater than each of these."""
        at = np.searchsorted(self.scores, places, side="right")
        return np.where(at > 0, self.below[np.maximum(at - 1, 0)], 0)

    def shares(self, places: Array) -> tuple[Array, Array]:
        """Return the share of all weight below the scores at these places, and up to them."""
        below = np.where(places > 0, self.below[np.maximum(places - 1, 0)], 0)
        return below / self.cases, self.below[places] / self.cases


STEP = 32
"""Scores from one to the next of those that are looked at first for the largest gap."""


def largest_gap(subset: Scores, every: Scores) -> float:
    """The largest distance between the distributions of some cases and of all: at a score of the few, or just below.

    Both rise, so that what they do at every 32nd score says between which of these they may lie farther apart.
    """

    def shares(k: Array) -> tuple[Array, Array, Array, Array]:
        return *subset.shares(k), *every.shares(np.searchsorted(every.scores, subset.scores[k]))

    def largest(below: Array, at: Array, all_below: Array, all_at: Array) -> float:
        return float(np.maximum(np.abs(below - all_below), np.abs(at - all_at)).max(initial=0.0))

    first = np.append(np.arange(0, subset.scores.size - 1, STEP), subset.scores.size - 1)
    below, at, all_below, all_at = shares(first)
    gap = largest(below, at, all_below, all_at)
    most = np.maximum(below[1:] - all_at[:-1], all_below[1:] - at[:-1])
    inside = first[:-1][most > gap, None] + np.arange(1, STEP)
    return max(gap, largest(*shares(inside[inside < subset.scores.size - 1])))


def drift_of_scores(
    tables: Mapping[Hashable, ScoreTable],
    level: float,
    pooled: ScoreTable | None = None,
    clustered: Mapping[Hashable, CodedRows] | None = None,
    cases: int = 0,
) -> tuple[list[tuple[float, float, float]], list[Estimate]] | None:
    """The stability index and the distance of each period's scores from those of all others; None of unlike bins.

    `pooled` is the sum of all tables, where it is known, and `clustered` are the rows of the periods, `cases` in all,
    where these come in clusters.
    The bins of the index are those that hold a tenth of all cases each, or more where scores tie.
    """
    kinds = {
        (table.bins.bits, table.bins.finer is None) if isinstance(table, BinnedScoreTable) else None
        for table in (*tables.values(), *(() if pooled is None else (pooled,)))
    }
    if len(kinds) > 1 or (None not in kinds and not all(exact for _, exact in filter(None, kinds))):
        return None
    rows = sum(table.scores.size for table in tables.values())
    every = Scores.of(sum_by_halves(tables.values(), rows) if pooled is None else pooled)
    # a running sum of weights may be a last bit below the tenth that it reaches
    tenths = np.searchsorted(every.below, every.cases * np.arange(1, BINS) / BINS * (1 - ROUNDING))
    edges = np.unique(every.scores[tenths])
    all_counts = np.diff(every.up_to(edges), prepend=0, append=every.cases)
    share = every.effective / every.cases
    alike = None if clustered is None else equal_of_clusters(clustered)
    counted = alike
    if clustered is not None and None in kinds:  # the scores of rows are those of the tables

        def bins(rows: CodedRows) -> Array:
            return np.searchsorted(edges, np.asarray(rows.score), side="left")

        counted = sizes_of_clusters(clustered, cases, bins, edges.size + 1)

    def against_others(name: Hashable) -> tuple[tuple[float, float, float], Estimate]:
        scores = Scores.of(tables[name])
        rest = every.cases - scores.cases
        if not scores.cases or rest <= 0:
            return (nan, nan, nan), Estimate.undefined("there are no scores to compare")
        counts = np.diff(scores.up_to(edges), prepend=0, append=scores.cases)
        sizes = scores.effective, rest * share
        # F - G = (F - F of all) · all / others
        distance = min(1.0, largest_gap(scores, every) * every.cases / rest)
        return (
            stability(counts, all_counts - counts, sizes if counted is None else counted[name]),
            distance_of(distance, sizes if alike is None else alike[name], level),
        )

    with workers(thread_count(int(every.scores.size))) as run:
        pairs = run(against_others, [*tables])
    return [index for index, _ in pairs], [distance for _, distance in pairs]


def drift_of_classes(
    counts: Sequence[Array], sizes: Sequence[tuple[float, float]]
) -> list[tuple[float, float, float]]:
    """The stability index of each period's classes against those of all others; `sizes` are equal cases of both."""
    total = np.sum(counts, axis=0)
    return [stability(period, total - period, both) for period, both in zip(counts, sizes, strict=True)]


def counted_classes(periods: Sequence[Assessment]) -> dict[str, list[Array]]:
    """Return the weight of each true class in each period, and of each predicted one where there are labels."""
    labels = reduce(or_, (Labels.of(a.labels) for a in periods))
    matrices = [a.confusion_matrix for a in periods]
    if any(matrix is None for matrix in matrices):
        return {"true classes": [_over(labels, a.labels, a.class_totals) for a in periods]}
    every = reduce(or_, (Labels.of(matrix.labels) for matrix in matrices if matrix is not None))
    margins = [(matrix.labels, matrix.margins) for matrix in matrices if matrix is not None]
    return {
        "true classes": [_over(every, names, margin.true) for names, margin in margins],
        "predicted classes": [_over(every, names, margin.predicted) for names, margin in margins],
    }


def _over(labels: Sequence[Hashable], subset: Sequence[Hashable], totals: Any) -> Array:
    """Totals of some labels, in the order of all."""
    all_totals, at = np.zeros(len(labels)), {label: i for i, label in enumerate(labels)}
    all_totals[[at[label] for label in subset]] = totals
    return all_totals
