"""Intervals of measures of several classes: mean AUCs and class-wise calibration.

A case moves a mean AUC through its scores of all classes; the table says which scores are of one case. Tables of files
saved before it did have a bound instead: standard errors added up over classes, true class by true class, because cases
of different true classes are different cases. It is 1.1 to 1.8 times the standard error, the more the more classes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np

from classay.compiled import COMPILE_FROM, Part, kernel
from classay.inference.bootstrap.on_request import refuse_bootstrap
from classay.inference.calibration.deviation import (
    bins_of,
    expected_error_noise,
    gap_covariance,
    noise_norm,
)
from classay.inference.estimate import Found
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.registry import ANYHOW, CLASS_SCORES, interval
from classay.inference.sampling_units import Array, Spread, Units
from classay.inference.scales import scale_of
from classay.inference.scores.linearised import AT_END
from classay.measures import Measure
from classay.measures.calibration.bins import BINS, Bins, parted
from classay.measures.calibration.by_class import standard_class_bins
from classay.measures.classes.pairs import ranked_pairs
from classay.measures.registry import ratio
from classay.once import once
from classay.tables import ClassScoreTable
from classay.tables.classes import ClassRun, JointCases
from classay.tables.rows import CodedRows
from classay.tables.running import equal_cases
from classay.threads import core_count, workers

AUCS = ("hand_till_auc", "macro_roc_auc", "weighted_roc_auc", "weighted_one_vs_one_roc_auc")

# -- mean AUCs -------------------------------------------------------------------------------------


def pair_weights(name: str, totals: Array) -> Array:
    """How much the AUC of each ordered pair of classes counts in a mean AUC, `[own, other]`.

    The AUC of a class against the rest is the mean of those against each other class, by their sizes.
    """
    k = totals.size
    apart = ~np.eye(k, dtype=bool)
    if name == "hand_till_auc":
        return apart / (k * (k - 1))
    if name == "weighted_one_vs_one_roc_auc":
        return np.asarray(np.where(apart, totals[:, None] + totals, 0.0) / (2 * (k - 1) * totals.sum()))
    against_rest = np.where(apart, ratio(totals[None, :], (totals.sum() - totals)[:, None]), 0.0)
    if name == "macro_roc_auc":
        return np.asarray(against_rest / k)
    return np.asarray(against_rest * (totals / totals.sum())[:, None])


def _pair_influences(
    scores: Array, true: Array, weight: Array, own: int, share: Array, centre: Array, pairs: Array
) -> Array:
    group = np.cumsum(np.concatenate([[True], scores[1:] != scores[:-1]])[: scores.size]) - 1
    is_own = true == own
    of_own = np.bincount(group, np.where(is_own, weight, 0.0))
    above = ((np.cumsum(of_own) - of_own / 2) / of_own.sum())[group]
    found = np.empty((scores.size, share.shape[0]))
    for m, part in enumerate(share):
        of_others = np.bincount(group, np.where(is_own, 0.0, weight * part[true]))
        below = of_others.sum() - np.cumsum(of_others) + of_others / 2
        on_own = (below[group] - centre[m]) / of_own.sum()
        found[:, m] = np.where(is_own, on_own, part[true] * (above - pairs[true]))
    return found


@Part
def below_all(true: Array, weight: Array, own: int, share: Array, below: Array) -> Any:
    """Weight of the own cases; what all others count in each mean is written to `below`, `(means,)`."""
    total = 0.0
    below[:] = 0.0
    for i in range(true.shape[0]):
        if true[i] == own:
            total += weight[i]
        else:
            for m in range(share.shape[0]):
                below[m] += weight[i] * share[m, true[i]]
    return total


@Part
def place_of(true: Array, own: int, start: int, end: int) -> int:
    """Where the own class stands among some entries, or -1."""
    for i in range(start, end):
        if true[i] == own:
            return i
    return -1


@kernel(
    twin=_pair_influences,
    assumes="scores fall; every class is below the columns of share, and occurs once at each score",
)
def pair_influences(
    scores: Array, true: Array, weight: Array, own: int, share: Array, centre: Array, pairs: Array
) -> Array:
    """Influence of each entry of a class's scores on means of its pairs' AUCs, `pairs`, `(entries, means)`.

    `share`, `(means, classes)`, is how much a case of each class counts in each mean. The own cases are placed among
    those of each other class, and the others among the own (DeLong et al. 1988).
    """
    n, means = scores.shape[0], share.shape[0]
    found = np.empty((n, means))
    total = below_all(true, weight, own, share, found[0]) if n else 0.0
    below = found[0].copy() if n else np.zeros(means)
    above = 0.0
    start = 0
    while start < n:
        end = start + 1
        while end < n and scores[end] == scores[start]:
            end += 1
        at = place_of(true, own, start, end)
        here = np.float64(weight[at]) if at >= 0 else 0.0
        rate = (above + here / 2) / total
        if at >= 0:
            found[at] = below
        for i in range(start, end):
            if i != at:
                for m in range(means):
                    each = share[m, true[i]]
                    found[i, m] = each * (rate - pairs[true[i]])
                    below[m] -= weight[i] * each
        if at >= 0:
            found[at] = ((found[at] + below) / 2 - centre) / total
        above += here
        start = end
    return found


def _add_entries(entry: Array, found: Array, sums: Array) -> None:
    sums += found[entry]


@kernel(twin=_add_entries, assumes="every entry is below the length of found; sums are as long as entry")
def add_entries(entry: Array, found: Array, sums: Array) -> None:
    """Add what was found of its entry, `(entries, means)`, to the sums of each case, `(cases, means)`."""
    for i in range(entry.shape[0]):
        for m in range(found.shape[1]):
            sums[i, m] += found[entry[i], m]


@interval("influence", of=AUCS, tables=CLASS_SCORES, drawn=ANYHOW, references=("delong1988", "binder1983"))
def mean_auc(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """On the logit scale, by the influence of each case through all its scores."""
    if value in measure.bounds:
        return AT_END
    spreads, used = _joint_spreads(table) if rows is None else _clustered(table, rows)
    spread = spreads[AUCS.index(measure.name)]
    if np.isnan(spread.variance):
        return "a class of one case shows no spread"
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{used}, {scale.name}"


def class_totals(table: ClassScoreTable) -> Array:
    """Weight of each true class."""
    run = table.runs[0]
    return np.bincount(run.true, run.weight, len(table.labels)).astype(np.float64)


def by_size(name: str, pairs: Array, totals: Array) -> Array:
    """Derivative of a mean AUC by the weight of each class, the AUCs of the pairs as they are."""
    if name == "hand_till_auc":
        return np.zeros(totals.size)
    total, rest = totals.sum(), totals.sum() - totals
    known = np.nan_to_num(pairs)
    if name == "weighted_one_vs_one_roc_auc":
        apart = known * ~np.eye(totals.size, dtype=bool)
        mean = (pair_weights(name, totals) * apart).sum()
        return np.asarray(((apart.sum(0) + apart.sum(1)) / (2 * (totals.size - 1)) - mean) / total)
    against_rest = ratio(known @ totals, rest)
    moved = np.where(
        np.eye(totals.size, dtype=bool), 0.0, ratio(known - against_rest[:, None], rest[:, None])
    )
    if name == "macro_roc_auc":
        return np.asarray(moved.mean(0))
    share = totals / total
    return np.asarray((against_rest - share @ against_rest) / total + share @ moved)


@dataclass(frozen=True)
class _Means:
    """What the influences on the mean AUCs of `AUCS` share: pairs' weights, `[mean, own, other]`, and their AUCs."""

    totals: Array
    weights: Array
    aucs: Array

    @classmethod
    def of(cls, table: ClassScoreTable) -> _Means:
        totals = class_totals(table)
        weights = np.stack([pair_weights(name, totals) for name in AUCS])
        return cls(totals, weights, ranked_pairs(table).aucs)

    def influence(self, scores: Array, true: Array, weight: Array, own: int, rows: int) -> Array:
        """Influence of each entry of the own class's falling scores, of `rows` of all classes, `(entries, means)`."""
        centre = self.weights[:, own] @ np.nan_to_num(self.aucs[own])
        share = np.ascontiguousarray(ratio(self.weights[:, own], self.totals))
        of_entries = pair_influences.for_rows(rows)
        return np.asarray(of_entries(scores, true, weight, own, share, centre, self.aucs[own]))

    def by_size(self) -> Array:
        """Derivative of each mean by the weight of each class, `(means, classes)`."""
        return np.stack([by_size(name, self.aucs, self.totals) for name in AUCS])


@once
def _joint_spreads(table: ClassScoreTable) -> tuple[list[Spread], str]:
    """The spread of each mean of `AUCS`, and how it was found."""
    means = _Means.of(table)
    alike = table.runs[0].squares is None
    used = "influence" if alike else "linearised"
    if table.cases is None:
        return _bounded(table, means), f"{used}, bounded over classes"
    influence = _of_cases(table, table.cases, means)
    each = np.ones(len(influence)) if table.cases.weight is None else table.cases.weight.astype(np.float64)
    squares = each if alike else each * each
    pairs = zip(influence.T, means.by_size(), strict=True)
    spreads = [_joint(table.cases.true, own, each, squares, means.totals, moved) for own, moved in pairs]
    return spreads, used


def _of_cases(table: ClassScoreTable, cases: JointCases, means: _Means) -> Array:
    """Influence of each case through its scores of all classes, `(cases, means)`; classes are added in their order."""
    sums, rows = np.zeros((cases.true.size, len(AUCS))), cases.entry.size
    threads = core_count() if rows >= COMPILE_FROM else 1
    edges = np.linspace(0, cases.true.size, threads + 1).astype(np.int64).tolist()
    held = np.flatnonzero(means.totals).tolist()

    def find(own: int) -> Array:
        run = table.runs[own]
        return means.influence(run.scores, run.true, run.weight, own, rows)

    with workers(threads) as each:
        for first in range(0, len(held), threads):
            some = held[first : first + threads]
            found = each(find, some)

            def add(part: tuple[int, int], some: list[int] = some, found: list[Array] = found) -> None:
                at = slice(*part)
                for own, of_entries in zip(some, found, strict=True):
                    add_entries.for_rows(rows)(cases.entry.T[own, at], of_entries, sums[at])

            each(add, pairwise(edges))
    return sums


def _joint(
    true: Array, influence: Array, each: Array, squares: Array, totals: Array, by_size: Array
) -> Spread:
    """The variance of a sum over cases; both the own and the other cases of a class are taken from their mean.

    Degrees of freedom by Satterthwaite (1946, Biometrics 2:110), and no more than the cases of the rarest class, less
    one.
    """
    k = totals.size
    size = ratio(totals**2, np.bincount(true, squares, k))
    within = np.bincount(true, squares * influence**2, k)
    held = totals > 0
    if (size[held] < 2).any():
        return Spread(float("nan"), 1.0)
    own = within[held] * size[held] / (size[held] - 1)
    moved = np.bincount(true, squares, k) * by_size**2
    variance = float(own.sum() + moved.sum())
    fourths = np.bincount(true, squares * (squares / each) ** 2 * influence**4, k)[held]
    uneven = float((fourths - within[held] ** 2 / size[held]).sum())
    degrees = 2 * variance**2 / uneven if uneven > 0 else np.inf
    by_sizes = variance**2 / max(float((own**2 / (size[held] - 1)).sum()), 1e-300)
    return Spread(variance, max(1.0, min(degrees, by_sizes)))


def _bounded(table: ClassScoreTable, means: _Means) -> list[Spread]:
    totals = means.totals
    k = totals.size
    deviations, squares = np.zeros((k, len(AUCS))), np.zeros(k)
    for i, run in enumerate(table.runs):
        if not totals[i]:
            continue
        centred = means.influence(run.scores, run.true, run.weight, i, run.scores.size)
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


def _clustered(table: ClassScoreTable, rows: CodedRows) -> tuple[list[Spread], str]:
    assert rows.score is not None
    means, true = _Means.of(table), rows.true.astype(np.int64)
    weight = np.ones(true.size) if rows.weight is None else rows.weight
    influence = means.by_size().T[true]
    for own in np.flatnonzero(means.totals).tolist():
        run, went = ClassRun.group(rows.score[:, own], true, weight, None)
        influence += means.influence(run.scores, run.true, run.weight, own, rows.score.size)[went]
    return [spread_of_rows(rows, each) for each in influence.T], "clusters"


def spread_of_rows(rows: CodedRows, influence: Array) -> Spread:
    """The spread of a sum over the rows of two clusters or more, by the sums of its clusters."""
    clusters = len(rows.clusters)
    return Spread(float((rows.sums(influence) ** 2).sum()) * clusters / (clusters - 1), clusters - 1)


# -- class-wise calibration ------------------------------------------------------------------------


@interval(
    "triangle inequality",
    of=("classwise_calibration_error",),
    tables=CLASS_SCORES,
    drawn=ANYHOW,
    references=("nabeya1951",),
)
def class_wise_error(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """The mean over classes of a norm: bounded as if the noise of all classes were one."""
    above = below = 0.0
    z = normal_quantile(level)
    for units, cuts, bins in _binned(measure, table, rows):
        covariance = bins.share[:, None] * gap_covariance(units.table, units, cuts, bins) * bins.share
        mean, variance = noise_norm(covariance)
        above += mean + z * sqrt(variance)
        below += expected_error_noise(units.table, bins, cuts, units, level)[1]
        wider = units.quantile(level) / z
        how = units.how
    k = len(table.labels)
    low, high = max(0.0, value - wider * above / k), min(1.0, value + wider * below / k)
    words = "triangle inequality, bounded over classes"
    return low, high, words if how == "influence" else f"{how}, {words}"


def _units(table: ClassScoreTable, rows: CodedRows | None, code: int, label: Hashable) -> Units:
    if rows is None:
        return Units(table.unmerged(code))
    return Units.of_clusters(table.one_vs_rest(label), rows, code)


def _binned(
    measure: Measure, table: ClassScoreTable, rows: CodedRows | None
) -> Iterator[tuple[Units, Array, Bins]]:
    """Each class against the rest: what was drawn, and its bins."""
    standard = bins_of(measure) == BINS and table.runs[0].squares is None
    if rows is None and standard:
        units = Units(table.unmerged(0))  # how each was drawn; the bins say the rest
        yield from ((units, cuts, bins) for cuts, bins in standard_class_bins(table))
        return
    for code, label in enumerate(table.labels):
        units = _units(table, rows, code, label)
        yield units, *parted(units.table, bins_of(measure))


refuse_bootstrap(("classwise_calibration_error",))
