"""The spread of one share of every class, its recall, precision or Jaccard index, say, from sums by class.

What `LabelUnits.spread_of_share` finds of one share from the cells of a whole matrix, found for all classes at once: of
hundreds of classes one matrix of cells for each would be looked at for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.inference.labels.sampling_units import FEW, NOTHING, LabelSpread, LabelUnits, weights_of
from classay.measures.registry import ratio
from classay.tables import ConfusionMatrix
from classay.tables.running import equal_cases

Array = NDArray[Any]
Share = Literal["recall", "precision", "jaccard", "specificity", "negative_predictive_value"]


@dataclass(frozen=True, eq=False)
class Among:
    """Of the cells of a matrix: what a share counts of each class, what else it is of, `(classes,)` each.

    `like_counted` and `like_other` are what lies beside these among the cases that the share is not of: called as
    they are for recall, true as they are for precision; nothing for the Jaccard index.
    """

    counted: Array
    other: Array
    like_counted: Array
    like_other: Array

    @classmethod
    def of(cls, share: Share, cells: Array, labels: tuple[Any, ...]) -> Among:
        """Of sums in the cells `[predicted, true]`."""
        tp, fp, fn, tn = (
            np.asarray(part, np.float64) for part in ConfusionMatrix(cells, labels).class_counts()
        )
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

    @property
    def all(self) -> Array:
        """Of all cases that the share is of."""
        return np.asarray(self.counted + self.other)


@dataclass(frozen=True, eq=False)
class ClassShares:
    """A share of each class of a matrix, how the cases were drawn, and the sums that its spread is found from.

    `by_cluster` is how far each cluster moves the share of each class, `(classes, clusters)`; of rows drawn alone None.
    """

    share: Share
    matrix: ConfusionMatrix
    units: LabelUnits
    weights: Among
    squares: Among
    by_cluster: Array | None = None
    held: tuple[Array, Array, Array] | None = None

    @classmethod
    def of(cls, share: Share, matrix: ConfusionMatrix, units: LabelUnits) -> ClassShares:
        """The shares of a matrix, whose rows came in clusters or have sampling weights."""
        cells, labels = weights_of(matrix), matrix.labels
        weights = Among.of(share, cells, labels)
        squares = weights if units.squares is None else Among.of(share, weights_of(units.squares), labels)
        found = cls(share, matrix, units, weights, squares)
        if units.rows is None:
            return found
        counted, other = _by_cluster(share, len(labels), units)
        total = np.where(weights.all > 0, weights.all, nan)[:, None]
        value = ratio(weights.counted, weights.all)[:, None]
        moved = np.nan_to_num((counted - value * (counted + other)) / total)
        shown, not_shown, holding = (
            np.count_nonzero(each, axis=1) for each in (counted, other, counted + other)
        )
        return replace(found, by_cluster=moved, held=(shown, not_shown, holding))

    @property
    def values(self) -> Array:
        """The share of each class, NaN of a class without a case, `(classes,)`."""
        return np.asarray(ratio(self.weights.counted, self.weights.all))

    def spreads(self) -> list[LabelSpread]:
        """The spread of the share of each class; NaN of one without a case."""
        bounds = [self._equal_cases(i) for i in range(len(self.matrix.labels))]
        if self.by_cluster is None:
            return self._of_rows(bounds)
        assert self.held is not None
        how, found = self.units.how, []
        variances = (self.by_cluster**2).sum(1)
        for variance, shown, not_shown, clusters, (cases, _) in zip(
            variances.tolist(), *(each.tolist() for each in self.held), bounds, strict=True
        ):
            if clusters < 2:
                found.append(LabelSpread(nan, 1.0, how))
                continue
            spread, most = variance * clusters / (clusters - 1), inf
            if min(shown, not_shown) == 0:
                most = clusters
            elif min(shown, not_shown) < FEW:
                most = cases
            degrees = clusters - 1 if spread > NOTHING else inf
            found.append(LabelSpread(spread, degrees, how, clusters, most, cases))
        return found

    def _of_rows(self, bounds: list[tuple[float, float]]) -> list[LabelSpread]:
        """Of rows with sampling weights; see `degrees_of_weights` for the degrees of freedom."""
        assert isinstance(self.units.squares, ConfusionMatrix)
        w, ww = weights_of(self.matrix), weights_of(self.units.squares)
        units = equal_cases(w.sum(), ww.sum())
        factor = units / (units - 1) if units > 1 else nan
        held = w > 0
        each = ratio(ww, np.where(held, w, 1))
        cubes = Among.of(self.share, np.where(held, ww * each * each, 0.0), self.matrix.labels)
        equal = float(ww[held].sum() / w.sum())
        m = np.where(self.weights.all > 0, self.weights.all, nan)
        on_counted, on_other = (1 - self.values) / m, -self.values / m

        def sums(of: Among, power: int) -> Array:
            return np.asarray(of.counted * on_counted**power + of.other * on_other**power)

        variance, of_equal = sums(self.squares, 2), equal * sums(self.weights, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            uneven = sums(cubes, 4) / variance**2 - equal**3 * sums(self.weights, 4) / of_equal**2
            students = np.where(uneven > 1e-9, np.maximum(1.0, 2 / uneven), inf)
        degrees = np.where((variance <= NOTHING) | (of_equal <= NOTHING), inf, students)
        return [
            LabelSpread(nan, 1.0, self.units.how)
            if not total > 0
            else LabelSpread(spread * factor, df, self.units.how, min(cases, most), most, cases)
            for total, spread, df, (cases, most) in zip(
                self.weights.all.tolist(), variance.tolist(), degrees.tolist(), bounds, strict=True
            )
        ]

    def _equal_cases(self, i: int) -> tuple[float, float]:
        """See `LabelUnits._equal_cases`."""
        w, ww = self.weights, self.squares
        outcomes = (w.counted[i], ww.counted[i]), (w.other[i], ww.other[i])
        beside = (w.like_counted[i], ww.like_counted[i]), (w.like_other[i], ww.like_other[i])
        equal = [float(equal_cases(*each)) for each in outcomes]
        of_all = float(equal_cases(w.all[i], ww.all[i]))
        rarer = int(equal[1] < equal[0])
        if equal[rarer] >= FEW or not w.all[i] > 0:
            return of_all, inf
        typical = float(outcomes[1 - rarer][1] / outcomes[1 - rarer][0])
        if all(weight > 0 for weight, _ in beside):
            heavier = [float(square / weight) for weight, square in beside]
            typical *= max(1.0, heavier[rarer] / heavier[1 - rarer])
        return of_all, max(1.0, min(of_all, float(w.all[i]) / typical))


def _by_cluster(share: Share, classes: int, units: LabelUnits) -> tuple[Array, Array]:
    """The weight in each cluster of what a share counts of each class, and of what else, `(classes, clusters)`."""
    assert units.rows is not None
    assert units.cells is not None
    rows, clusters, known = units.rows, len(units.rows.clusters), units.cells.of_clusters
    if known is not None:
        cells = known.reshape(clusters, classes, classes)
        off = np.where(np.eye(classes, dtype=bool), 0.0, cells)
        hits = cells.diagonal(axis1=1, axis2=2).T
        return _of_parts(share, hits, off.sum(2).T, off.sum(1).T)
    predicted, true = np.divmod(units.cells.at, classes)
    hit = predicted == true

    def sums(code: Array, of: Array) -> Array:
        at = code[of].astype(np.int64) * clusters + rows.cluster[of]
        weight = None if rows.weight is None else rows.weight[of]
        return np.bincount(at, weight, classes * clusters).reshape(classes, clusters).astype(np.float64)

    return _of_parts(share, sums(true, hit), sums(predicted, ~hit), sums(true, ~hit))


def _of_parts(share: Share, hits: Array, called: Array, missed: Array) -> tuple[Array, Array]:
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
