"""Intervals of mean AUCs of several classes, by the influence of each case through its scores of all classes.

The table says which scores are of one case. Tables of files saved before it did have a bound instead: standard errors
added up over classes, true class by true class, because cases of different true classes are different cases. It is 1.1
to 1.8 times the standard error, the more the more classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classay.compiled import COMPILE_FROM
from classay.inference.estimate import Found
from classay.inference.registry import ANYHOW, CLASS_SCORES, interval
from classay.inference.sample_size import placement_variances
from classay.inference.sampling_units import Array, Spread, satterthwaite
from classay.inference.scales import scale_of
from classay.inference.scores.linearised import AT_END
from classay.inference.scores.pairs import (
    add_influences,
    by_size,
    centred_sums,
    pair_weights,
    place_cases,
    sum_powers,
)
from classay.measures import Measure
from classay.measures.classes.pairs import ranked_pairs
from classay.measures.classes.placements import placements
from classay.measures.registry import ratio
from classay.once import once
from classay.tables import ClassScoreTable
from classay.tables.classes import ClassRows, ClassRun, ClassRuns
from classay.tables.classes.rows import case_order
from classay.tables.rows import CodedRows
from classay.tables.running import equal_cases
from classay.threads import core_count, workers

FEW = 60.0
"""Cases of a class about which a model's variance of their influences counts for one case more."""
MODERATED = "moderated influence", "linearised, moderated"
"""How the spread of cases alike, and of weighted ones, was found."""
AUCS = ("hand_till_auc", "macro_roc_auc", "weighted_roc_auc", "weighted_one_vs_one_roc_auc")

OF_MEANS = ("delong1988", "binder1983", "smyth2004")


@interval("influence", of=AUCS, tables=CLASS_SCORES, drawn=ANYHOW, references=OF_MEANS)
def mean_auc(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """On the logit scale, by the influence of each case through all its scores."""
    if value in measure.bounds:
        return AT_END
    spreads, used = _joint_spreads(table) if rows is None else _clustered(table, rows)
    spread = spreads[AUCS.index(measure.name)]
    if np.isnan(spread.variance):
        return f"a class of one {'case' if rows is None else 'cluster'} shows no spread"
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{used}, {scale.name}"


@dataclass(frozen=True)
class Placed:
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
        """The influence of each entry, by its true class, `(entries, means)`."""
        found = np.zeros((true.size, self.share.shape[1]))
        self.add(np.arange(true.size), true, found, true.size)
        return found


@dataclass(frozen=True)
class Means:
    """What the influences on the mean AUCs of `AUCS` share: pairs' weights, `[mean, own, other]`, and their AUCs."""

    totals: Array
    weights: Array
    aucs: Array

    @classmethod
    def of(cls, table: ClassScoreTable) -> Means:
        """Of a table."""
        totals = table.class_totals.astype(np.float64)
        weights = np.stack([pair_weights(name, totals) for name in AUCS])
        return cls(totals, weights, ranked_pairs(table).aucs)

    def of_class(self, run: ClassRun, own: int, rows: int) -> Placed:
        """What the influences through the scores of a class need, of `rows` scores of all classes."""
        share = np.ascontiguousarray(ratio(self.weights[:, own], self.totals).T)
        centre = self.weights[:, own] @ np.nan_to_num(self.aucs[own])
        on_own = np.empty((np.count_nonzero(run.true == own), len(AUCS)))
        place = place_cases.for_rows(rows)
        placed = place(run.scores, run.true, run.weight, own, share, centre, on_own)
        return Placed(own, placed, on_own, share, self.aucs[own])

    def of_placements(self) -> tuple[Array, Array, Array]:
        """What a case of each class moves each mean by, times each number of its `Placements`, and less what.

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
        """How much the influences of the cases of a class vary by a model of its mean AUCs, `(means, classes)`.

        That of exponential scores, for a case's own score and for those of other classes, which vary together.
        """
        found, known = [], np.nan_to_num(self.aucs)
        for weights in self.weights:
            parts = []
            for axis, of_case in ((1, 0), (0, 1)):
                weight = weights.sum(axis)
                auc = np.nan_to_num(ratio((weights * known).sum(axis), weight))
                parts.append(weight * np.sqrt(np.maximum(placement_variances(auc)[of_case], 0.0)))
            found.append((parts[0] + parts[1]) ** 2)
        return np.array(found)

    def by_size(self) -> Array:
        """Derivative of each mean by the weight of each class, `(means, classes)`."""
        return np.stack([by_size(name, self.aucs, self.totals) for name in AUCS])


@once
def _joint_spreads(table: ClassScoreTable) -> tuple[list[Spread], str]:
    """The spread of each mean of `AUCS`, and how it was found."""
    means, rows = Means.of(table), table.rows
    if rows is None:
        used = "linearised" if table.is_weighted else "influence"
        return _bounded(table.sorted_scores(), means), f"{used}, bounded over classes"
    parts = zip(influences(rows, means), means.by_size(), means.of_model(), strict=True)
    found = [_joint(rows, own, means.totals, moved, model) for own, moved, model in parts]
    return found, MODERATED[table.is_weighted]


def influences(rows: ClassRows, means: Means) -> Array:
    """Influence of each case on each mean, `(means, cases)`, through its scores of all classes, their sizes apart."""
    found, parts = np.empty((len(AUCS), rows.scores.shape[1])), placements(rows)
    by_rate, by_below, centre = means.of_placements()
    add = centred_sums.for_rows(rows.scores.size)
    threads = core_count() if rows.scores.size >= COMPILE_FROM else 1
    with workers(threads) as run:
        run(
            lambda m: add(
                rows.starts, parts.rates, parts.below, by_rate[m], by_below[m], centre[m], found[m]
            ),
            range(len(AUCS)),
        )
    return found


def moderated(variance: Array, model: Array, size: Array) -> tuple[Array, Array]:
    """Variances of the mean of a case of each class, and how many cases each of them rests on, `(classes,)`.

    Where that of the cases is smaller than that of a model, this counts for 60 / cases further ones: a few cases that
    happen to lie near each other do not claim certainty. (Moderated variances: Smyth 2004, Stat Appl Genet Mol Biol
    3:3.)

    >>> moderated(np.array([1.0, 1.0, 3.0]), np.array([2.0, 2.0, 2.0]), np.array([7.0, 601.0, 7.0]))[0].round(3)
    array([1.588, 1.   , 3.   ])
    """
    prior = np.where(variance < model, FEW / size, 0.0)
    return ((size - 1) * variance + prior * model) / (size - 1 + prior), size + prior


def _joint(rows: ClassRows, influence: Array, totals: Array, by_size: Array, model: Array) -> Spread:
    """The variance of a sum over cases; both the own and the other cases of a class are taken from their mean.

    That of few cases is moderated by a model's. Degrees of freedom by Satterthwaite (1946, Biometrics 2:110), from the
    fourth moments and from the cases of each class.
    """
    squares = fourths = rows.weight
    if rows.weight is not None and rows.is_weighted:
        squares, fourths = rows.weight**2, rows.weight**4
    within, powers = sum_powers.for_rows(influence.size)(rows.starts, influence, squares, fourths)
    of_squares = totals if squares is None else np.bincount(rows.true, squares, totals.size)
    size = ratio(totals**2, of_squares)
    held = totals > 0
    if (size[held] < 2).any():
        return Spread(float("nan"), 1.0)
    size, within = size[held], within[held]
    own, units = moderated(within * size / (size - 1), model[held] / size, size)
    variance = float(own.sum() + (of_squares * by_size**2).sum())
    certain = (size - 1) / (units - 1)  # as far as the cases tell, and not the model
    uneven = float(((powers[held] - within**2 / size) * certain**2).sum())
    degrees = 2 * variance**2 / uneven if uneven > 0 else np.inf
    return Spread(variance, max(1.0, min(degrees, satterthwaite(variance, own, units))))


def _bounded(sorted_scores: ClassRuns, means: Means) -> list[Spread]:
    totals = means.totals
    k = totals.size
    deviations, squares = np.zeros((k, len(AUCS))), np.zeros(k)
    for i, run in enumerate(sorted_scores.runs):
        if not totals[i]:
            continue
        centred = means.of_class(run, i, run.scores.size).of_entries(run.true)
        each = run.weight if run.squares is None else run.squares
        deviations += np.sqrt([np.bincount(run.true, each * own**2, k) for own in centred.T]).T
        squares = np.bincount(run.true, each, k).astype(np.float64)
    cases = ratio(totals**2, squares)
    units = equal_cases(totals.sum(), squares.sum())
    found = []
    for deviation, moved in zip(deviations.T, means.by_size(), strict=True):
        within = np.where(
            totals > 0, deviation**2 * ratio(cases, cases - 1), 0.0
        )  # NaN for a class of one case
        variance = float(within.sum() + (squares * moved**2).sum())
        found.append(Spread(variance * units / (units - 1), units - 1))
    return found


def _clustered(table: ClassScoreTable, coded: CodedRows) -> tuple[list[Spread], str]:
    assert coded.score is not None
    means, true = Means.of(table), coded.true.astype(np.int64)
    order = case_order(coded.score, true, means.totals.size, coded.weight)
    rows = ClassRows.of(coded.score, true, coded.weight, order)
    each = np.empty((len(AUCS), true.size))
    each[:, order] = influences(rows, means)
    holding = _Holding.of(coded, true, means.totals)
    pairs = zip(each, means.by_size()[:, true], strict=True)
    return [holding.spread(coded, influence, moved) for influence, moved in pairs], "clusters"


@dataclass(frozen=True)
class _Holding:
    """Which clusters hold cases of which class: the pair of both that each row is of, `(rows,)`, and each pair's class.

    `clusters` are how many hold each class that has cases, `(classes,)`, and 0 of others.
    """

    pair: Array
    of_class: Array
    clusters: Array

    @classmethod
    def of(cls, rows: CodedRows, true: Array, totals: Array) -> _Holding:
        """Of rows in clusters, by their true class."""
        pairs, pair = np.unique(rows.cluster.astype(np.int64) * totals.size + true, return_inverse=True)
        of_class = pairs % totals.size
        return cls(pair, of_class, np.bincount(of_class, minlength=totals.size))

    def spread(self, rows: CodedRows, influence: Array, moved: Array) -> Spread:
        """The spread of a sum over rows, by the influence of each through its scores, and through the sizes of classes.

        A class is as many units as clusters hold it, as in Obuchowski's variance (1997, Biometrics 53:567), of two
        classes. NaN where one cluster holds all cases of a class. Degrees of freedom by Satterthwaite, from the fourth
        moments of clusters, and from the clusters that hold each class.
        """
        held = self.clusters > 0
        number = self.clusters[held]
        if (number < 2).any():
            return Spread(float("nan"), 1.0)
        weighed = influence if rows.weight is None else influence * rows.weight
        own = np.bincount(self.of_class, np.bincount(self.pair, weighed) ** 2, held.size)[held]
        squares, clusters = rows.sums(influence + moved) ** 2, len(rows.clusters)
        whole = Spread.of_sums(float(squares.sum()), float((squares**2).sum()), clusters, clusters)
        parts = own * number / (number - 1)
        variance = whole.variance + float((parts - own * clusters / (clusters - 1)).sum())
        return Spread(variance, max(1.0, min(whole.degrees, satterthwaite(variance, parts, number))))


def spread_of_rows(rows: CodedRows, influence: Array) -> Spread:
    """The spread of a sum over rows in clusters, by the influence of each row."""
    clusters = len(rows.clusters)
    return Spread(float((rows.sums(influence) ** 2).sum()) * clusters / (clusters - 1), clusters - 1)
