"""Intervals of mean AUCs of several classes, by the influence of each case, or from bins; AUCs of pairs of classes.

The table says which scores are of one case. Tables of files saved before it did have a bound instead: standard errors
added up over classes, true class by true class, because cases of different true classes are different cases. It is 1.1
to 1.8 times the standard error, the more the more classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from classay.compiled import COMPILE_FROM, KernelStep, core_count, kernel, workers
from classay.inference.design import (
    INFLUENCE,
    Array,
    Design,
    VarianceEstimate,
    corrected,
    left_out_factors,
    satterthwaite,
)
from classay.inference.estimate import IntervalResult
from classay.inference.exponential_scores import placement_variances
from classay.inference.methods import ANYHOW, BINNED_CLASS_SCORES, CLASS_SCORES, interval
from classay.inference.proportions import scale_of
from classay.inference.scores.linearised import AT_END
from classay.measures import Measure, roc_auc
from classay.measures.class_pairs import placements, ranked_pairs
from classay.measures.ranking import auc_influence, macro_roc_auc
from classay.measures.registry import names_with, ratio
from classay.once import memoize
from classay.tables import ClassScoreTable
from classay.tables.bins import BinnedClassScoreTable, BinnedScoreTable
from classay.tables.class_scores import ClassRows, ClassRun, ClassRuns, case_order
from classay.tables.rows import CodedRows
from classay.tables.sums import equal_cases


def pair_weights(name: str, totals: Array) -> Array:
    """Return how much the AUC of each ordered pair of classes counts in a mean AUC, `[own, other]`.

    The AUC of a class against the rest is the mean of those against each other class, by their sizes.
    """
    k = totals.size
    is_pair = ~np.eye(k, dtype=bool)
    if name == "hand_till_auc":
        return is_pair / (k * (k - 1))
    if name == "weighted_one_vs_one_roc_auc":
        return np.asarray(np.where(is_pair, totals[:, None] + totals, 0.0) / (2 * (k - 1) * totals.sum()))
    against_rest = np.where(is_pair, ratio(totals[None, :], (totals.sum() - totals)[:, None]), 0.0)
    if name == "macro_roc_auc":
        return np.asarray(against_rest / k)
    return np.asarray(against_rest * (totals / totals.sum())[:, None])


def _place_cases(
    scores: Array, true: Array, weight: Array, own_class: int, share: Array, centre: Array, on_own: Array
) -> Array:
    group = np.cumsum(np.concatenate([[True], scores[1:] != scores[:-1]])[: scores.size]) - 1
    is_own = true == own_class
    of_own = np.bincount(group, np.where(is_own, weight, 0.0))
    above = ((np.cumsum(of_own) - of_own / 2) / of_own.sum())[group]
    for m, part in enumerate(share.T):
        of_others = np.bincount(group, np.where(is_own, 0.0, weight * part[true]))
        below = of_others.sum() - np.cumsum(of_others) + of_others / 2
        on_own[:, m] = (below[group[is_own]] - centre[m]) / of_own.sum()
    return np.where(is_own, np.cumsum(is_own) - 1.0, above)


@KernelStep
def below_all(true: Array, weight: Array, own_class: int, share: Array, below: Array) -> Any:
    """Weight of the own cases; what all others count in each mean is written to `below`, `(means,)`."""
    total = 0.0
    below[:] = 0.0
    for i in range(true.shape[0]):
        if true[i] == own_class:
            total += weight[i]
        else:
            for m in range(share.shape[1]):
                below[m] += weight[i] * share[true[i], m]
    return total


@KernelStep
def place_of(true: Array, own_class: int, start: int, end: int) -> int:
    """Return where the own class stands among some entries, or -1."""
    for i in range(start, end):
        if true[i] == own_class:
            return i
    return -1


@kernel(
    twin=_place_cases,
    assumes="scores fall; every class is below the rows of share, and occurs once at each score; on_own has a row for "
    "each entry of the own class",
)
def place_cases(
    scores: Array, true: Array, weight: Array, own_class: int, share: Array, centre: Array, on_own: Array
) -> Array:
    """Return where the cases of each entry of a class's scores stand, `(entries,)` (placements, DeLong et al. 1988).

    Of another class's case, the share of the own cases that score higher, equal ones counting half: all that its
    influence on a pair's AUC needs. Of an own case, the row of `on_own` that its influence on each mean is written to,
    `(own entries, means)`: it is placed among the cases of every other class, which count `share`, `(classes, means)`.
    """
    n, means = scores.shape[0], share.shape[1]
    placed, below = np.empty(n), np.empty(means)
    total = below_all(true, weight, own_class, share, below)
    above = 0.0
    row = 0
    start = 0
    while start < n:
        end = start + 1
        while end < n and scores[end] == scores[start]:
            end += 1
        at = place_of(true, own_class, start, end)
        here = np.float64(weight[at]) if at >= 0 else 0.0
        rate = (above + here / 2) / total
        if at >= 0:
            placed[at] = row
            for m in range(means):
                on_own[row, m] = below[m]
        for i in range(start, end):
            if i != at:
                placed[i] = rate
                for m in range(means):
                    below[m] -= weight[i] * share[true[i], m]
        if at >= 0:
            for m in range(means):
                on_own[row, m] = ((on_own[row, m] + below[m]) / 2 - centre[m]) / total
            row += 1
        above += here
        start = end
    return placed


def _add_influences(
    entry: Array, true: Array, own: int, placed: Array, on_own: Array, share: Array, pairs: Array, sums: Array
) -> None:
    placements, is_own = placed[entry], true == own
    influence = share[true] * (placements - pairs[true])[:, None]
    influence[is_own] = on_own[placements[is_own].astype(np.intp)]
    sums += influence


@kernel(
    twin=_add_influences,
    assumes="every entry is below the length of placed, which has rows of on_own for the own cases; true and sums are "
    "as long as entry",
)
def add_influences(
    entry: Array, true: Array, own: int, placed: Array, on_own: Array, share: Array, pairs: Array, sums: Array
) -> None:
    """Add the influence of each case, through its score of a class, on the means of AUCs, `(cases, means)`.

    `placed` and `on_own` are what `place_cases` found of the entries; `pairs` are the AUCs of the own class against
    each other, `(classes,)`. One number an entry is looked up, in no order, instead of one for each mean.
    """
    for i in range(entry.shape[0]):
        code = true[i]
        at = placed[entry[i]]
        if code == own:
            row = np.int64(at)
            for m in range(sums.shape[1]):
                sums[i, m] += on_own[row, m]
        else:
            moved = at - pairs[code]
            for m in range(sums.shape[1]):
                sums[i, m] += share[code, m] * moved


def _centred_sums(
    starts: Array, rates: Array, below: Array, by_rate: Array, by_below: Array, centre: Array, out: Array
) -> None:
    for code in range(starts.size - 1):
        at = slice(starts[code], starts[code + 1])
        out[at] = by_rate[code] @ rates[:, at] + by_below[code] @ below[:, at] - centre[code]


@kernel(twin=_centred_sums, assumes="starts rise, and end within rates, below and out", nanoseconds=2)
def centred_sums(
    starts: Array, rates: Array, below: Array, by_rate: Array, by_below: Array, centre: Array, out: Array
) -> None:
    """Each case's rates and weights below times what they count in its class, less that class's centre, `(cases,)`."""
    for code in range(starts.shape[0] - 1):
        a, b, c, d = by_rate[code, 0], by_rate[code, 1], by_rate[code, 2], by_rate[code, 3]
        e, f, less = by_below[code, 0], by_below[code, 1], centre[code]
        for i in range(starts[code], starts[code + 1]):
            out[i] = a * rates[0, i] + b * rates[1, i] + c * rates[2, i] + d * rates[3, i]
            out[i] += e * below[0, i] + f * below[1, i] - less


def _sum_powers(starts: Array, influence: Array, squares: Any, fourths: Any) -> Array:
    sums = np.zeros((2, starts.size - 1))
    for code in range(starts.size - 1):
        at = slice(starts[code], starts[code + 1])
        for i, weight in enumerate((squares, fourths)):
            counts = 1.0 if weight is None else weight[at]
            sums[i, code] = (counts * (influence[at] * influence[at]) ** (i + 1)).sum()
    return sums


@kernel(twin=_sum_powers, assumes="starts rise, and end within influence and the weights", nanoseconds=4)
def sum_powers(starts: Array, influence: Array, squares: Any, fourths: Any) -> Array:
    """For each class the sums of its cases' influences, squared and to the fourth, `(2, classes)`.

    `squares` and `fourths` are what these powers are weighted with, None where each case counts once.
    """
    sums = np.zeros((2, starts.shape[0] - 1))
    for code in range(starts.shape[0] - 1):
        for first in range(
            starts[code], starts[code + 1], 1024
        ):  # short partial sums keep the rounding error small
            second = fourth = 0.0
            for i in range(first, min(first + 1024, starts[code + 1])):
                square = influence[i] * influence[i]
                if squares is None:
                    second += square
                    fourth += square * square
                else:
                    second += squares[i] * square
                    fourth += fourths[i] * (square * square)
            sums[0, code] += second
            sums[1, code] += fourth
    return sums


def by_size(name: str, pairs: Array, totals: Array) -> Array:
    """Derivative of a mean AUC by the weight of each class, the AUCs of the pairs as they are."""
    if name == "hand_till_auc":
        return np.zeros(totals.size)
    total, rest = totals.sum(), totals.sum() - totals
    known = np.nan_to_num(pairs)
    if name == "weighted_one_vs_one_roc_auc":
        pair_aucs = known * ~np.eye(totals.size, dtype=bool)
        mean = (pair_weights(name, totals) * pair_aucs).sum()
        return np.asarray(((pair_aucs.sum(0) + pair_aucs.sum(1)) / (2 * (totals.size - 1)) - mean) / total)
    against_rest = ratio(known @ totals, rest)
    moved = np.where(
        np.eye(totals.size, dtype=bool), 0.0, ratio(known - against_rest[:, None], rest[:, None])
    )
    if name == "macro_roc_auc":
        return np.asarray(moved.mean(0))
    share = totals / total
    return np.asarray((against_rest - share @ against_rest) / total + share @ moved)


FEW = 60.0
"""Cases of a class about which a model's variance of their influences counts for one case more."""
MODERATED = "influence function, moderated variance", "linearised, moderated variance"
"""How the spread of cases alike, and of weighted ones, was found."""
AUCS = ("hand_till_auc", "macro_roc_auc", "weighted_roc_auc", "weighted_one_vs_one_roc_auc")

OF_MEANS = ("delong1988", "binder1983", "smyth2004")


@interval("influence function", of=AUCS, tables=CLASS_SCORES, drawn=ANYHOW, references=OF_MEANS)
def mean_auc(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """On the logit scale, by the influence of each case through all its scores."""
    if value in measure.bounds:
        return AT_END
    spreads, used = _joint_spreads(table) if rows is None else _clustered(table, rows)
    spread = spreads[AUCS.index(measure.name)]
    if np.isnan(spread.variance):
        return f"a class of one {'case' if rows is None else 'cluster'} shows no variation"
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{used}, {scale.name}"


@interval(
    "influence function",
    of=("macro_roc_auc_over_occurring_classes",),
    tables=CLASS_SCORES,
    drawn=ANYHOW,
    references=OF_MEANS,
)
def mean_auc_of_occurring(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """That of the macro AUC of the classes that occur: which these are is taken as given."""
    occurs, occurring = table.class_totals > 0, table.occurring
    assert occurring is not None
    if rows is not None and not occurs.all():
        assert rows.score is not None
        kept, place = occurs[rows.true], np.cumsum(occurs) - 1
        left = (column if column is None else column[kept] for column in (rows.cluster, rows.weight))
        cluster, weight = left
        assert cluster is not None
        rows = replace(
            rows,
            labels=occurring.labels,
            cluster=cluster,
            true=place[rows.true[kept]],
            predicted=None,
            score=np.ascontiguousarray(rows.score[kept][:, occurs]),
            weight=weight,
            amounts=None,
        )
    return mean_auc(macro_roc_auc, occurring, value, rows, level)


@dataclass(frozen=True)
class PlacedEntries:
    """The entries of a class's scores: where their cases stand, `(entries,)`, and what they count in each mean.

    See `place_cases` for `placed` and `on_own`, and `add_influences` for `share` and `pairs`.
    """

    own: int
    placed: Array
    on_own: Array
    share: Array
    pairs: Array

    def add(self, entry: Array, true: Array, sums: Array, rows: int) -> None:
        """Add the influence of cases, by their entries and true classes, to `sums`, `(cases, means)`."""
        add_influences.for_rows(rows)(
            entry, true, self.own, self.placed, self.on_own, self.share, self.pairs, sums
        )

    def of_entries(self, true: Array) -> Array:
        """Return the influence of each entry, by its true class, `(entries, means)`."""
        influence = np.zeros((true.size, self.share.shape[1]))
        self.add(np.arange(true.size), true, influence, true.size)
        return influence


@dataclass(frozen=True)
class MeanAucs:
    """What the influences on the mean AUCs of `AUCS` share: pairs' weights, `[mean, own, other]`, and their AUCs."""

    totals: Array
    weights: Array
    aucs: Array

    @classmethod
    def of(cls, table: ClassScoreTable) -> MeanAucs:
        """Of a table."""
        totals = table.class_totals.astype(np.float64)
        weights = np.stack([pair_weights(name, totals) for name in AUCS])
        return cls(totals, weights, ranked_pairs(table).aucs)

    def of_class(self, run: ClassRun, own_class: int, rows: int) -> PlacedEntries:
        """Return what the influences through the scores of a class need, of `rows` scores of all classes."""
        share = np.ascontiguousarray(ratio(self.weights[:, own_class], self.totals).T)
        centre = self.weights[:, own_class] @ np.nan_to_num(self.aucs[own_class])
        on_own = np.empty((np.count_nonzero(run.true == own_class), len(AUCS)))
        place = place_cases.for_rows(rows)
        placed = place(run.scores, run.true, run.weight, own_class, share, centre, on_own)
        return PlacedEntries(own_class, placed, on_own, share, self.aucs[own_class])

    def of_placements(self) -> tuple[Array, Array, Array]:
        """What a case of each class moves each mean by, times each number of its `ClassPlacements`, and minus what.

        `(means, classes, 4)` for its rates, `(means, classes, 2)` for its `below`, and `(means, classes)`.
        """
        k, n, others = self.totals.size, self.totals, self.totals.sum() - self.totals
        total, zeros = self.totals.sum(), np.zeros(self.totals.size)
        one, per_case, per_pair = zeros + 1, ratio(1.0, n), 2 * (k - 1) * total
        by_rate = {
            "hand_till_auc": (zeros, zeros, per_case / (k * (k - 1)), zeros),
            "macro_roc_auc": (one / k, zeros, zeros, zeros),
            "weighted_roc_auc": (zeros, one / total, zeros, zeros),
            "weighted_one_vs_one_roc_auc": (zeros, zeros, one / per_pair, per_case / per_pair),
        }
        by_below = {
            "hand_till_auc": (zeros, per_case / (k * (k - 1))),
            "macro_roc_auc": (ratio(per_case, k * others), zeros),
            "weighted_roc_auc": (ratio(one, total * others), zeros),
            "weighted_one_vs_one_roc_auc": (per_case / per_pair, one / per_pair),
        }
        weighed = self.weights * np.nan_to_num(self.aucs)
        centre = (weighed.sum(1) + weighed.sum(2)) * per_case
        return (
            np.array([np.stack(by_rate[name], -1) for name in AUCS]),
            np.array([np.stack(by_below[name], -1) for name in AUCS]),
            np.nan_to_num(centre),
        )

    def of_model(self) -> Array:
        """Return how much the influences of the cases of a class vary by a model of its mean AUCs, `(means, classes)`.

        The model is exponential scores; a case's own score and those of other classes vary together.
        """
        variances, known = [], np.nan_to_num(self.aucs)
        for weights in self.weights:
            parts = []
            for axis, of_case in ((1, 0), (0, 1)):
                weight = weights.sum(axis)
                auc = np.nan_to_num(ratio((weights * known).sum(axis), weight))
                parts.append(weight * np.sqrt(np.maximum(placement_variances(auc)[of_case], 0.0)))
            variances.append((parts[0] + parts[1]) ** 2)
        return np.array(variances)

    def by_size(self) -> Array:
        """Derivative of each mean by the weight of each class, `(means, classes)`."""
        return np.stack([by_size(name, self.aucs, self.totals) for name in AUCS])


@memoize
def _joint_spreads(table: ClassScoreTable) -> tuple[list[VarianceEstimate], str]:
    """Return the spread of each mean of `AUCS`, and how it was found."""
    means, rows = MeanAucs.of(table), table.rows
    if rows is None:
        used = "linearised" if table.is_weighted else INFLUENCE
        return _bounded(table.sorted_scores(), means), f"{used}, bounded over classes"
    parts = zip(influences(rows, means), means.by_size(), means.of_model(), strict=True)
    spreads = [_joint(rows, influence, means.totals, moved, model) for influence, moved, model in parts]
    return spreads, MODERATED[table.is_weighted]


def influences(rows: ClassRows, means: MeanAucs) -> Array:
    """Influence of each case on each mean, `(means, cases)`, through its scores of all classes, their sizes apart."""
    influence, parts = np.empty((len(AUCS), rows.scores.shape[1])), placements(rows)
    by_rate, by_below, centre = means.of_placements()
    add = centred_sums.for_rows(rows.scores.size)
    threads = core_count() if rows.scores.size >= COMPILE_FROM else 1
    with workers(threads) as run:
        run(
            lambda m: add(
                rows.starts, parts.rates, parts.below, by_rate[m], by_below[m], centre[m], influence[m]
            ),
            range(len(AUCS)),
        )
    return influence


def moderated(variance: Array, model: Array, size: Array) -> tuple[Array, Array]:
    """Return the variance of one case's influence in each class, and how many cases it rests on, `(classes,)`.

    Where that of the cases is smaller than that of a model, this counts for 60 / cases further ones: a few cases that
    happen to lie near each other do not claim certainty. The model is less by the share of it that the cases of all
    classes show, beside as many, and 60 more, that show all of it. (Moderated variances: Smyth 2004, Stat Appl Genet
    Mol Biol 3:3, where the prior variance is taken from all genes, too.)

    >>> moderated(np.array([1.0, 1.0, 3.0]), np.array([2.0, 2.0, 2.0]), np.array([7.0, 601.0, 7.0]))[0].round(3)
    array([1.313, 1.   , 3.   ])
    """
    known = (size - 1) * (model > 0)
    seen = (known * ratio(variance, model))[known > 0].sum()
    model = model * min(1.0, (seen + known.sum() + FEW) / (2 * known.sum() + FEW))
    prior = np.where(variance < model, FEW / size, 0.0)
    return ((size - 1) * variance + prior * model) / (size - 1 + prior), size + prior


def _joint(
    rows: ClassRows, influence: Array, totals: Array, by_size: Array, model: Array
) -> VarianceEstimate:
    """Return the variance of a sum over cases; both the own and the other cases of a class are taken from their mean.

    That of few cases is moderated by a model's. Degrees of freedom by Satterthwaite (1946, Biometrics 2:110), from the
    fourth moments and from the cases of each class.
    """
    squares = fourths = rows.weight
    if rows.weight is not None and rows.is_weighted:
        squares, fourths = rows.weight**2, rows.weight**4
    within, powers = sum_powers.for_rows(influence.size)(rows.starts, influence, squares, fourths)
    of_squares = totals if squares is None else np.bincount(rows.true, squares, totals.size)
    size = ratio(totals**2, of_squares)
    occurs = totals > 0
    if (size[occurs] < 2).any():
        return VarianceEstimate(float("nan"), 1.0)
    size, within = size[occurs], within[occurs]
    variances, units = moderated(within * size / (size - 1), model[occurs] / size, size)
    number = equal_cases(totals.sum(), of_squares.sum())
    of_sizes = float((of_squares * by_size**2).sum()) * number / (number - 1)
    if rows.is_weighted:  # in a class, heavy cases may lie on one side
        leaning = np.bincount(rows.true, squares * influence, totals.size)
        of_sizes += 2 * float((leaning * by_size).sum()) * number / (number - 1)
    variance = float(variances.sum()) + of_sizes
    certain = (size - 1) / (units - 1)  # as far as the cases tell, and not the model
    uneven = float(((powers[occurs] - within**2 / size) * certain**2).sum())
    degrees = 2 * variance**2 / uneven if uneven > 0 else np.inf
    return VarianceEstimate(variance, max(1.0, min(degrees, satterthwaite(variance, variances, units))))


def _bounded(sorted_scores: ClassRuns, means: MeanAucs) -> list[VarianceEstimate]:
    totals = means.totals
    k = totals.size
    deviations, squares = np.zeros((k, len(AUCS))), np.zeros(k)
    for i, run in enumerate(sorted_scores.runs):
        if not totals[i]:
            continue
        centred = means.of_class(run, i, run.scores.size).of_entries(run.true)
        powers = run.weight if run.squares is None else run.squares
        deviations += np.sqrt([np.bincount(run.true, powers * influence**2, k) for influence in centred.T]).T
        squares = np.bincount(run.true, powers, k).astype(np.float64)
    cases = ratio(totals**2, squares)
    units = equal_cases(totals.sum(), squares.sum())
    spreads = []
    for deviation, moved in zip(deviations.T, means.by_size(), strict=True):
        within = np.where(
            totals > 0, deviation**2 * ratio(cases, cases - 1), 0.0
        )  # NaN for a class of one case
        variance = float(within.sum() + (squares * moved**2).sum())
        spreads.append(VarianceEstimate(variance * units / (units - 1), units - 1))
    return spreads


def _clustered(table: ClassScoreTable, coded: CodedRows) -> tuple[list[VarianceEstimate], str]:
    assert coded.score is not None
    means, true = MeanAucs.of(table), coded.true.astype(np.int64)
    order = case_order(coded.score, true, coded.weight)
    rows = ClassRows.of(coded.score, true, coded.weight, order)
    case_influences = np.empty((len(AUCS), true.size))
    case_influences[:, order] = influences(rows, means)
    holding = _Holding.of(coded, true, means.totals)
    pairs = zip(case_influences, means.by_size()[:, true], strict=True)
    return [holding.spread(coded, influence, moved) for influence, moved in pairs], "clusters"


@dataclass(frozen=True)
class _Holding:
    """Which clusters hold cases of which class: the pair of cluster and class of each row, `(rows,)`; both of a pair.

    `factors` are the `left_out_factors` of each pair within its class. `clusters` are how many hold each class that has
    cases, `(classes,)`, and 0 of others.
    """

    pair: Array
    of_class: Array
    of_cluster: Array
    factors: Array
    clusters: Array

    @classmethod
    def of(cls, rows: CodedRows, true: Array, totals: Array) -> _Holding:
        """Of rows in clusters, by their true class."""
        pairs, pair = np.unique(rows.cluster.astype(np.int64) * totals.size + true, return_inverse=True)
        of_class = pairs % totals.size
        clusters, sizes = np.bincount(of_class, minlength=totals.size), np.bincount(pair, rows.weight)
        factors = left_out_factors(sizes, np.bincount(of_class, sizes)[of_class], clusters[of_class])
        return cls(pair, of_class, pairs // totals.size, factors, clusters)

    def spread(self, rows: CodedRows, influence: Array, moved: Array) -> VarianceEstimate:
        """The spread of a sum over rows, by the influence of each through its scores, and through the sizes of classes.

        A class is as many units as clusters hold it, as in Obuchowski's variance (1997, Biometrics 53:567), of two
        classes. Without a cluster the AUCs move by its part of each class, and the sizes of classes by its part of all
        cases. NaN where one cluster holds all cases of a class. Degrees of freedom by Satterthwaite, from the fourth
        moments of clusters, as many as of equal size say as much, and from the clusters that hold each class.
        """
        occurs = self.clusters > 0
        number = self.clusters[occurs]
        if (number < 2).any():
            return VarianceEstimate(float("nan"), 1.0)
        clusters, weight = len(rows.clusters), 1.0 if rows.weight is None else rows.weight
        within, design = np.bincount(self.pair, influence * weight) * self.factors, Design.of_coded(rows)
        parts = np.bincount(self.of_class, within**2, occurs.size)[occurs]
        shifts = np.bincount(self.of_cluster, within, clusters) + rows.sums(moved) * design.factors
        together = float((shifts**2).sum()) * corrected(clusters)
        variance = together + float((parts * (number / (number - 1) - corrected(clusters))).sum())
        parts = parts * number / (number - 1)
        squares = rows.sums(influence + moved) ** 2
        pooled = VarianceEstimate.of_sums(
            float(squares.sum()), float((squares**2).sum()), design.equal_units, clusters
        )
        return VarianceEstimate(
            variance, max(1.0, min(pooled.degrees, satterthwaite(variance, parts, number)))
        )


@interval(
    "influence function",
    of=names_with("mean of classes against the rest"),
    tables=BINNED_CLASS_SCORES,
    drawn=("alike", "weighted"),
    references=OF_MEANS,
)
def mean_auc_of_bins(
    measure: Measure, table: BinnedClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """On the logit scale; the influences of a case through the scores of other classes than its own are bounded.

    The own cases of different classes are different cases, whose variances add up. What a case adds as one of the
    others of every class may go together: of these parts the standard errors are added up, weighted, and then that of
    the own cases. Degrees of freedom by the sizes of the classes, so that a rare one has few.
    """
    if value in measure.bounds:
        return AT_END
    totals, squares = (np.array(column) for column in zip(*map(_sizes, table.tables), strict=True))
    cases, total = ratio(totals**2, squares), totals.sum()
    if (cases[totals > 0] < 2).any():
        return "a class of one case shows no variation"
    is_weighted = measure.name == "weighted_roc_auc"
    share = totals / total if is_weighted else np.full(totals.size, 1 / totals.size)
    variances, by_size, others = np.zeros((3, totals.size))
    model = np.zeros(totals.size)
    for i in np.flatnonzero(totals):
        class_table = table.tables[i]
        auc = float(roc_auc(class_table))
        of_others, of_own = Design(class_table).powers_of_classes(auc_influence(class_table, auc))[0]
        variances[i], model[i] = of_own * cases[i] / (cases[i] - 1), placement_variances(auc)[0] / cases[i]
        by_size[i] = squares[i] * ((auc - value) / total) ** 2 if is_weighted else 0.0
        others[i] = share[i] * np.sqrt(of_others)
    occurs, sizes = totals > 0, np.ones(totals.size)
    variances[occurs], sizes[occurs] = moderated(variances[occurs], model[occurs], cases[occurs])
    variances = variances * share**2 + by_size
    units = equal_cases(total, squares.sum())
    variance = (np.sqrt(variances.sum()) + others.sum()) ** 2 * units / (units - 1)
    degrees = satterthwaite(variances.sum(), variances[occurs], sizes[occurs])
    scale = scale_of(measure.bounds)
    used = MODERATED[table.bins[0].squares is not None]
    spread = VarianceEstimate(float(variance), max(1.0, min(degrees, units - 1)))
    return *scale.interval(value, spread.half(level), 1.0), f"{used}, bounded over classes, {scale.name}"


def _sizes(table: BinnedScoreTable) -> tuple[float, float]:
    """Return the weight of a class, and the sum of its squared weights."""
    return float(table.n_positive), float(Design(table).places.squares[0].sum())
