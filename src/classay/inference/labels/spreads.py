"""The spread of measures of labels whose cases have sampling weights or come in clusters: of shares, and of others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, isinf, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.design import (
    Design,
    SamplingUnits,
    VarianceEstimate,
    corrected,
    equal_units,
    left_out_factors,
    student_quantile,
)
from classay.inference.labels.delta import of_counts, of_matrix
from classay.inference.proportions import normal_quantile
from classay.measures import Measure
from classay.measures.registry import ClassShare, ratio
from classay.tables import BinaryCounts, ConfusionMatrix
from classay.tables.sums import ROUNDING, at_least, equal_cases

Array = NDArray[Any]
Table = BinaryCounts | ConfusionMatrix
FEW = 5
"""Cases of the rarer outcome below which their spread says too little of a proportion's."""
NOTHING = ROUNDING**2
"""A variance of shares that is but the rounding of sums: see `is_rounding`."""


@dataclass(frozen=True)
class ShareSpread(VarianceEstimate):
    """The variance of a share, and how many independent cases alike it may stand for.

    `most` bounds these where few of an outcome say too little of its spread. `cases` are the equal cases among which
    the share is, in clusters or not. `least` are the clusters if all were as large as the largest, `alike` as many of
    equal size: see `share_quantile`.
    """

    most: float = inf
    cases: float = inf
    least: float = 0.0
    alike: float = inf

    def effective(self, share: float) -> float:
        """Independent cases alike of which a share would vary as much: p (1 - p) / variance; without a spread, units.

        Rao & Scott 1992, Biometrics 48:577.
        """
        if self.variance <= NOTHING:
            return self.units.number
        return min(self.most, max(share * (1 - share) / self.variance, 1.0))

    def normal_cases(self, share: float, level: float) -> float:
        """Effective cases that give with the normal quantile the interval that these give with Student's.

        Korn & Graubard 1998, Survey Methodology 24:193; for Wilson's interval, which depends on z² / n, the same.
        """
        students = self.share_quantile(share, level)
        if students == 0:  # of a level next to 0, where either quantile is
            return self.effective(share)
        return self.effective(share) * (normal_quantile(level) / students) ** 2

    def share_quantile(self, share: float, level: float) -> float:
        """Student's quantile, at most that which gives the interval of clusters that are right or wrong as a whole.

        Where few clusters have errors there are one to three degrees of freedom, though no share varies more than that
        of as many cases as clusters, were all as large as the largest: Wilson's interval of these, with Student's
        quantile of the clusters of equal size, holds too. Wilson's interval depends on n / quantile².
        """
        t = self.quantile(level)
        if isinf(self.degrees) or not self.least > 0:
            return t
        return min(t, student_quantile(level, self.alike - 1) * sqrt(self.effective(share) / self.least))


@dataclass(frozen=True, eq=False)
class Among:
    """Sums over cells for shares, `(shares,)`: over the numerator of a share, and over the rest of its denominator.

    `like_counted` and `like_other` are sums over cases outside the denominator that are predicted like these (recall)
    or are truly like these (precision); 0 where there are none, as for the Jaccard index.
    """

    counted: Array
    other: Array
    like_counted: Array
    like_other: Array

    @classmethod
    def of(cls, share: ClassShare, matrix: ConfusionMatrix) -> Among:
        """Of a share of each class, from sums in the cells."""
        tp, fp, fn, tn = (np.asarray(part, np.float64) for part in matrix.class_counts())
        if share == "recall":
            return cls(tp, fn, fp, tn)
        if share == "precision":
            return cls(tp, fp, fn, tn)
        if share == "specificity":
            return cls(tn, fp, fn, tp)
        if share == "negative_predictive_value":
            return cls(tn, fn, fp, tp)
        nothing = np.zeros(tp.size)
        return cls(tp, fp + fn, nothing, nothing)

    @classmethod
    def of_one(cls, cells: Array, counted: Array, among: Array) -> Among:
        """Of the share of the cells `counted` (1 or 0) among the cells `among`."""
        other, beside = among - counted, _beside(counted, among)
        return cls(*(np.array([float((cells * of).sum())]) for of in (counted, other, *beside)))

    @property
    def all(self) -> Array:
        """Over all cells of the denominator."""
        return np.asarray(self.counted + self.other)


def _beside(counted: Array, among: Array) -> tuple[Array, Array]:
    """Return the cells outside a share's cases: in the lines of the cells it counts, and of its other cells."""
    masks = (counted, among - counted, 1 - among)
    if counted.ndim == 1:  # tp, fp, fn, tn as [called, true], the positive class first
        masks = tuple(mask.reshape(2, 2) for mask in masks)  # type: ignore[assignment]
    of_counted, of_other, outside = masks
    for axis in (0, 1):
        first, second = (outside * (of.sum(axis, keepdims=True) > 0) for of in (of_counted, of_other))
        if not (first * second).any() and first.any() and second.any():
            return first.reshape(counted.shape), second.reshape(counted.shape)
    return np.zeros(counted.shape), np.zeros(counted.shape)


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of the cases of a table, and the sums that their spread is found from.

    `fourths` are sums of fourth powers of weights by cell, of cases that weigh alike there.
    `by_cluster` are the weights of numerator and rest in each cluster, `(shares, clusters)`.
    """

    design: Design
    weights: Among
    squares: Among
    fourths: Among
    by_cluster: tuple[Array, Array] | None = None

    @classmethod
    def of_classes(cls, share: ClassShare, design: Design) -> Shares:
        """Return a share of each class of a matrix: of hundreds of classes no cell is looked at for each of them."""
        w, ww, fourths = (
            Among.of(share, ConfusionMatrix(cells, design.table.labels)) for cells in _powers(design)
        )
        return cls(design, w, ww, fourths, None if design.rows is None else _by_cluster(share, design))

    @classmethod
    def of_one(cls, design: Design, counted: Array, among: Array) -> Shares:
        """Return the share of the cells `counted` (1 or 0) among the cells `among`."""
        w, ww, fourths = (Among.of_one(cells, counted, among) for cells in _powers(design))
        if design.rows is None:
            return cls(design, w, ww, fourths)
        counted_sums, other = design.sums(np.stack([counted.ravel(), (among - counted).ravel()]))
        return cls(design, w, ww, fourths, (counted_sums[None], other[None]))

    @property
    def values(self) -> Array:
        """The shares, NaN of one of no case."""
        return np.asarray(ratio(self.weights.counted, self.weights.all))

    @cached_property
    def moved(self) -> Array:
        """How far each cluster moves each share, `(shares, clusters)`; 0 of one of no case."""
        assert self.by_cluster is not None
        counted, other = self.by_cluster
        total = np.where(self.weights.all > 0, self.weights.all, nan)[:, None]
        return np.asarray(np.nan_to_num((counted - self.values[:, None] * (counted + other)) / total))

    @property
    def weigh_unlike(self) -> Array:
        """Whether the cells of each share's cases are known to have other weights: others cannot move it."""
        w, ww, fourths = (sums.all for sums in (self.weights, self.squares, self.fourths))
        return np.asarray(weights_differ(w, ww, fourths))

    def spreads(self) -> list[ShareSpread]:
        """Return the spread of each share; NaN of one of no case, and of one in one cluster."""
        cases, most = self._equal_cases()
        least, alike = np.zeros(most.size), np.full(most.size, inf)
        if self.by_cluster is None:
            variances, degrees = self._of_rows()
            # as in `degrees_of_weights`; where few of an outcome were seen, `most` allows for it already
            bounded = np.isinf(most) & (variances > NOTHING) & self.weigh_unlike
            degrees = np.where(bounded, np.maximum(1.0, np.minimum(degrees, cases - 1)), degrees)
            units = np.minimum(cases, most)
        else:
            counted, other = self.by_cluster
            shown, not_shown, units = (
                np.count_nonzero(sums, 1) for sums in (*self.by_cluster, counted + other)
            )
            moved, sizes = self.moved, counted + other
            shifts = moved * left_out_factors(sizes, sizes.sum(1, keepdims=True), units[:, None])
            variances = (shifts**2).sum(1) * ratio(units, units - 1)
            alike = equal_units(units, sizes.sum(1), (sizes * sizes).sum(1))
            least = ratio(sizes.sum(1), sizes.max(1, initial=0.0))
            # without a spread the clusters stand for as many cases alike, whose variance is known, not estimated
            degrees = np.where(variances > NOTHING, least_degrees(moved, units, alike), inf)
            rarer = np.minimum(shown, not_shown)
            most = np.where(rarer == 0, units, np.where(rarer < FEW, cases, inf))
        known = (self.weights.all > 0) & ((self.by_cluster is None) | (units > 1))
        name = self.design.units.name
        return [
            ShareSpread(variance, df, SamplingUnits(number, name), *bounds)
            if is_known
            else ShareSpread(nan, 1.0)
            for is_known, variance, df, number, *bounds in zip(
                *(each.tolist() for each in (known, variances, degrees, units, most, cases, least, alike)),
                strict=True,
            )
        ]

    def _of_rows(self) -> tuple[Array, Array]:
        """Variances of shares of rows with sampling weights, and their degrees: see `degrees_of_weights`."""
        equal = ratio(self.squares.all, self.weights.all)
        m = np.where(self.weights.all > 0, self.weights.all, nan)
        on_counted, on_other = (1 - self.values) / m, -self.values / m

        def sums(of: Among, power: int) -> Array:
            return np.asarray(of.counted * on_counted**power + of.other * on_other**power)

        variance, of_equal = sums(self.squares, 2), equal * sums(self.weights, 2)
        cv = ratio(sums(self.fourths, 4), variance**2) - ratio(equal**3 * sums(self.weights, 4), of_equal**2)
        uneven = (variance > NOTHING) & (of_equal > NOTHING) & (cv > 1e-9)
        degrees = np.where(uneven, np.maximum(1.0, ratio(2.0, cv)), inf)
        return variance * corrected(self.design.number), degrees

    def _equal_cases(self) -> tuple[Array, Array]:
        """Return the effective number of cases of a share, (sum w)² / sum w², and the most it may claim.

        The most are these where few of an outcome were seen, or fewer, because cases of the outcome that were not seen
        may weigh more than the others: where high scores are oversampled, so do positive cases that are called
        negative. How many times as much is taken from the cases that the share is not of: for recall the negative
        cases, which weigh by what they are called as the positive ones do, though more or less on the whole. (Kish
        1965, Survey Sampling, 8.2.)
        """
        w, ww = self.weights, self.squares
        counted, other, of_all = (
            equal_cases(getattr(w, part), getattr(ww, part)) for part in ("counted", "other", "all")
        )
        typical, of_other, beside, beside_other = (
            ratio(getattr(ww, part), getattr(w, part))
            for part in ("counted", "other", "like_counted", "like_other")
        )
        known = (w.like_counted > 0) & (w.like_other > 0)
        heavier = (ratio(beside, beside_other), ratio(beside_other, beside))
        if_counted, if_other = (
            mean_weight * np.where(known, np.fmax(1.0, times), 1.0)
            for mean_weight, times in zip((of_other, typical), heavier, strict=True)
        )
        # as many of both in every unit of weights: either may be the rarer one
        tied = at_least(counted, other) & at_least(other, counted)
        typical = np.where(counted < other, if_counted, if_other)
        typical = np.where(tied, np.fmax(if_counted, if_other), typical)
        few = ~at_least(np.minimum(counted, other), FEW) & (w.all > 0)
        return of_all, np.where(few, np.fmax(1.0, np.fmin(of_all, ratio(w.all, typical))), inf)


def spread_of(measure: Measure, design: Design) -> VarianceEstimate:
    """Return the spread of a measure of cases with sampling weights or in clusters."""
    if measure.parts is not None:
        return spread_of_share(measure, design)
    table = design.table
    influence = of_counts(measure, table) if isinstance(table, BinaryCounts) else of_matrix(measure, table)
    if design.rows is None:
        return design.spread(influence, degrees=degrees_of_weights(design, influence))
    degrees, counted = degrees_by_class(design, influence)
    if degrees < 1:
        return VarianceEstimate(nan, 1.0, design.units)
    moved = design.sums(influence.reshape(1, -1))
    least = float(least_degrees(moved, np.array([design.number]), np.array([degrees + 1]))[0])
    variance = float((design.left_out(influence) ** 2).sum()) * (counted + 1) / counted
    return VarianceEstimate(variance, least, design.units)


def least_degrees(moved: Array, units: Array, equal: Array) -> Array:
    """The lesser of one fewer than clusters of equal size, and those of the fourth moments of clusters; at least 1.

    `moved`, `(numbers, clusters)`, is how far each of so many `units` moves a number, `equal` as many of equal size. A
    variance that rests on few clusters with errors has few degrees, however alike their sizes are. (Satterthwaite 1946,
    Biometrics Bulletin 2:110.)
    """
    squared = moved * moved
    squares, fourths = squared.sum(1), (squared * squared).sum(1)
    uneven = fourths - squares * squares / np.maximum(units, 1)
    by_moments = np.where(uneven > 0, ratio(2 * squares * squares, np.where(uneven > 0, uneven, 1.0)), inf)
    return np.asarray(np.maximum(1.0, np.minimum(by_moments, equal - 1.0)))


def spread_of_share(measure: Measure, design: Design) -> ShareSpread:
    """Return the same of a measure that is a plain share of cases."""
    return Shares.of_one(design, *_masks(measure, design.table)).spreads()[0]


def degrees_of_weights(design: Design, influence: Array) -> float:
    """Degrees of freedom of a variance, by how much less sure it is than that of as many cases of equal weight.

    Satterthwaite's 2 / cv² with the squared coefficient of variation of sum (w z)² over the cases minus that of equal
    cases, for which the interval allows already; infinite for equal weights. The cases of a cell are taken to weigh
    alike, as its sums say no more. Where they do not, there are fewer: so they are one fewer than effective cases at
    most. Cells that do not move the measure say nothing of it. (Satterthwaite 1946, Biometrics Bulletin 2:110.)
    """
    moves = (design.places.weight > 0) & (np.abs(influence) > ROUNDING * np.abs(influence).max(initial=0.0))
    w, ww, z = design.places.weight[moves], design.places.squares[moves], influence[moves]
    if not w.size:
        return inf
    unit, equal = ww / w, float(ww.sum() / w.sum())
    variance, of_equal = float((w * unit * z**2).sum()), float((w * equal * z**2).sum())
    if variance <= NOTHING or of_equal <= NOTHING:
        return inf
    cv = float((w * unit**3 * z**4).sum()) / variance**2 - float((w * equal**3 * z**4).sum()) / of_equal**2
    most = design.number - 1 if weights_differ(w.sum(), ww.sum(), (w * unit**3).sum()) else inf
    return max(1.0, min(most, 2 / cv if cv > 1e-9 else inf))


def weights_differ(total: Any, squares: Any, fourths: Any) -> Any:
    """Check whether some cell has other weights than the others, from sums of w, w² and w⁴ of cells that weigh alike.

    Only then are they known to differ. Of weights all alike the mean of cubes is the cube of the mean.

    >>> bool(weights_differ(6.0, 12.0, 48.0)), bool(weights_differ(6.0, 14.0, 98.0))
    (False, True)
    """
    return fourths * total**2 > squares**3 * (1 + ROUNDING)


def degrees_by_class(design: Design, influence: Array) -> tuple[float, float]:
    """Degrees of freedom of a sum over clusters: those of each true class, by its part of the variance.

    A class has one fewer than clusters of equal size that hold it; together they have V² / sum of V_c² / df_c, and at
    most one fewer than all clusters of equal size. The second number is the same of clusters as they are counted, by
    which the variance is corrected. (Satterthwaite 1946, Biometrics Bulletin 2:110.)
    """
    assert design.rows is not None
    assert design.cells is not None
    assert design.places.true is not None
    classes, codes = design.places.classes, design.places.true.reshape(-1)
    values = np.stack([influence.reshape(-1), np.ones(influence.size)])
    group, (sums, weight) = design.cells.sums_by_group(design.rows, values, codes, classes)
    clusters = np.bincount(group[weight != 0], minlength=classes)
    occurs = clusters > 0
    sizes, squares = (np.bincount(group, powers, classes)[occurs] for powers in (weight, weight * weight))
    parts, counted = np.bincount(group, sums * sums, classes)[occurs], clusters[occurs] - 1.0
    degrees, enough = counted.copy(), counted >= 1
    degrees[enough] = equal_units(clusters[occurs], sizes, squares)[enough] - 1  # one cluster has none
    total = float(parts.sum())
    if total <= NOTHING:
        return float(degrees.min()), float(counted.min())
    if (degrees[parts > NOTHING] < 1).any():
        return 0.0, 0.0

    def together(class_degrees: Array, most: float) -> float:
        return float(min(most, total * total / float((parts[enough] ** 2 / class_degrees[enough]).sum())))

    return together(degrees, design.equal_units - 1), together(counted, design.number - 1)


def _powers(design: Design) -> tuple[Array, Array, Array]:
    """Sums of weights in the cells, of their squares, and of Σw² by the square of the mean weight."""
    w, ww = design.places.weight, design.places.squares
    mean_weight = ratio(ww, np.where(w > 0, w, 1))
    return w, ww, np.where(w > 0, ww * mean_weight * mean_weight, 0.0)


def _masks(measure: Measure, table: Table) -> tuple[Array, Array]:
    """Return the cells of the numerator of a proportion, and those of its denominator, 1 or 0."""
    assert measure.parts is not None
    if isinstance(table, BinaryCounts):
        counted, among = (np.asarray(cells, float) for cells in measure.parts(*np.eye(4)))
        return counted, among
    among = np.ones((len(table.labels),) * 2)
    x, m = (float(count) for count in measure.parts(*measure.read((table,))))
    return np.rint(of_matrix(measure, table) * m + x / m * among), among


def _by_cluster(share: ClassShare, design: Design) -> tuple[Array, Array]:
    """Return the weights of numerator and rest of each class's share in each cluster, `(classes, clusters)`."""
    return _of_parts(share, *marks_by_cluster(design))


def marks_by_cluster(design: Design) -> tuple[Array, Array, Array]:
    """Return the weights of hits, false calls and misses of each class in each cluster, `(classes, clusters)` each."""
    rows, at = design.rows, design.cells
    assert rows is not None
    assert at is not None
    classes, clusters, known = len(design.table.labels), len(rows.clusters), at.of_clusters
    if known is not None:
        cells = known.reshape(clusters, classes, classes)
        off = np.where(np.eye(classes, dtype=bool), 0.0, cells)
        return cells.diagonal(axis1=1, axis2=2).T, off.sum(2).T, off.sum(1).T
    predicted, true = np.divmod(at.at, classes)
    hit = predicted == true

    def sums(code: Array, of: Array) -> Array:
        place = code[of].astype(np.int64) * clusters + rows.cluster[of]
        weight = None if rows.weight is None else rows.weight[of]
        return np.bincount(place, weight, classes * clusters).reshape(classes, clusters).astype(np.float64)

    return sums(true, hit), sums(predicted, ~hit), sums(true, ~hit)


def _of_parts(share: ClassShare, hits: Array, called: Array, missed: Array) -> tuple[Array, Array]:
    """What a share counts and what else, from hits, false calls and misses of each class, `(classes, clusters)` all."""
    if share == "recall":
        return hits, missed
    if share == "precision":
        return hits, called
    if share == "jaccard":
        return hits, called + missed
    every = (hits + missed).sum(0)
    rest = every - hits - called - missed
    rest = np.where(rest > 1e-12 * every, rest, 0.0)  # what rounding leaves of weights is no case
    return rest, called if share == "specificity" else missed
