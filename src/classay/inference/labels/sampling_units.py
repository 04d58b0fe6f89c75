"""How the cases of a table of labels were drawn, and the variance that this gives a measure of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.labels.influence import of_counts, of_matrix
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.sampling_units import student_quantile
from classay.measures import Measure
from classay.tables import BinaryCounts, ConfusionMatrix
from classay.tables.rows import CodedRows, RowCells
from classay.tables.running import equal_cases

Array = NDArray[Any]
Table = BinaryCounts | ConfusionMatrix
FEW = 5
"""Cases of the rarer outcome below which their spread says too little of a proportion's."""
NOTHING = 1e-18
"""A variance that is but the rounding of sums."""


@dataclass(frozen=True)
class LabelSpread:
    """The variance of a measure of labels, its degrees of freedom, and the words for its method.

    A proportion rests on `units` independent cases or clusters; `most` bounds its effective cases, where few of an
    outcome say too little of its spread. `cases` are the equal cases among which it is, in clusters or not.
    """

    variance: float
    degrees: float
    method: str
    units: float = 1.0
    most: float = inf
    cases: float = inf

    def quantile(self, level: float) -> float:
        """Student's quantile; the normal one of cases drawn alone."""
        return normal_quantile(level) if isinf(self.degrees) else student_quantile(level, self.degrees)

    def effective(self, share: float) -> float:
        """Independent cases alike of which a share would vary as much: p (1 - p) / variance; without a spread, `units`.

        Rao & Scott 1992, Biometrics 48:577.
        """
        if self.variance <= NOTHING:
            return self.units
        return min(self.most, max(share * (1 - share) / self.variance, 1.0))

    def normal_cases(self, share: float, level: float) -> float:
        """Effective cases that give with the normal quantile the interval that these give with Student's.

        Korn & Graubard 1998, Survey Methodology 24:193; for Wilson's interval, which depends on z² / n, the same.
        """
        students = self.quantile(level)
        if students == 0:  # of a level next to 0, where either quantile is
            return self.effective(share)
        return self.effective(share) * (normal_quantile(level) / students) ** 2


@dataclass(frozen=True, eq=False)
class LabelUnits:
    """How the cases of a table of labels were drawn: alike, with sampling weights, or in clusters.

    `seed` is that of random draws; `squares` a table like the table, of squared weights, None where cases count alike;
    `cells` turns values by cell of the table into values by row of `rows`, those of the clusters.
    """

    seed: int = 0
    squares: Table | None = None
    rows: CodedRows | None = None
    cells: RowCells | None = None

    @property
    def how(self) -> str:
        """The words for a variance of these units."""
        return "linearised" if self.rows is None else "clusters"

    def _squared_weights(self) -> Array:
        assert self.squares is not None
        return weights_of(self.squares)

    def sums(self, values: Array) -> Array:
        """Sum over the rows of each cluster of values by cell, times the weight of the row, `(clusters,)`."""
        assert self.rows is not None
        assert self.cells is not None
        return self.cells.sums(self.rows, values)

    def spread(self, measure: Measure, table: Table) -> LabelSpread:
        """The spread of a measure of cases with sampling weights or in clusters."""
        if measure.parts is not None:
            return self.spread_of_share(table, *_masks(measure, table))
        influence = (
            of_counts(measure, table) if isinstance(table, BinaryCounts) else of_matrix(measure, table)
        )
        if self.rows is None:
            squares = self._squared_weights()
            units = equal_cases(weights_of(table).sum(), squares.sum())
            # rows are units: the usual correction for having estimated the value
            factor = units / (units - 1) if units > 1 else float("nan")
            degrees = degrees_of_weights(weights_of(table), squares, influence)
            return LabelSpread(float((squares * influence**2).sum()) * factor, degrees, self.how)
        variance = float((self.sums(influence) ** 2).sum())
        degrees = self._degrees(influence, table)
        if degrees < 1:
            return LabelSpread(float("nan"), 1.0, self.how)
        return LabelSpread(variance * (degrees + 1) / degrees, degrees, self.how)

    def _degrees(self, influence: Array, table: Table) -> float:
        """Degrees of freedom of a sum over clusters: those of each true class, by its part of the variance.

        A class has one fewer than clusters that hold a case of it; together they have V² / sum of V_c² / df_c, and at
        most one fewer than clusters. (Satterthwaite 1946, Biometrics Bulletin 2:110.)
        """
        assert self.rows is not None
        codes, classes = true_classes(table)
        parts, degrees = [], []
        for own, held in self._by_true(influence, codes, classes):
            if held:
                parts.append(own)
                degrees.append(held - 1)
        total, most = sum(parts), len(self.rows.clusters) - 1
        if total <= NOTHING:
            return min(degrees)
        if any(df < 1 and part > NOTHING for df, part in zip(degrees, parts, strict=True)):
            return 0.0
        weighed = sum(part * part / df for df, part in zip(degrees, parts, strict=True) if df)
        return float(min(most, total * total / weighed))

    def _by_true(self, influence: Array, codes: Array, classes: int) -> list[tuple[float, int]]:
        """Of each true class the squared sums of clusters, added up, and how many clusters hold a case of it."""
        assert self.rows is not None
        assert self.cells is not None
        of, values = codes.reshape(-1), np.stack([influence.reshape(-1), np.ones(influence.size)])
        own, (sums, weight) = self.cells.sums_by_group(self.rows, values, of, classes)
        squares = np.bincount(own, sums * sums, classes)
        clusters = np.bincount(own[weight != 0], minlength=classes)
        return list(zip(squares.tolist(), clusters.tolist(), strict=True))

    def spread_of_share(self, table: Table, counted: Array, among: Array) -> LabelSpread:
        """The spread of the share of the cells `counted` (1 or 0) among the cells `among`."""
        weights = weights_of(table)
        x, m = float((weights * counted).sum()), float((weights * among).sum())
        if not m:
            return LabelSpread(float("nan"), 1.0, self.how)
        influence = (counted - x / m * among) / m
        if self.rows is None:
            squares = self._squared_weights()
            # rows are units: the usual correction for having estimated the value
            units = equal_cases(weights.sum(), squares.sum())
            factor = units / (units - 1) if units > 1 else float("nan")
            variance = float((squares * influence**2).sum()) * factor
            equal, most = self._equal_cases(weights, counted, among)
            degrees = degrees_of_weights(weights, squares, influence)
            return LabelSpread(variance, degrees, self.how, min(equal, most), most, equal)
        shown, not_shown, clusters = (
            int(np.count_nonzero(self.sums(of))) for of in (counted, among - counted, among)
        )
        if clusters < 2:
            return LabelSpread(float("nan"), 1.0, self.how)
        variance = float((self.sums(influence) ** 2).sum()) * clusters / (clusters - 1)
        cases, most = self._equal_cases(weights, counted, among)[0], inf
        if min(shown, not_shown) == 0:
            most = clusters
        elif min(shown, not_shown) < FEW:
            most = cases
        # without a spread the clusters stand for as many cases alike, whose variance is known, not estimated
        degrees = clusters - 1 if variance > NOTHING else inf
        return LabelSpread(variance, degrees, self.how, clusters, most, cases)

    def _equal_cases(self, weights: Array, counted: Array, among: Array) -> tuple[float, float]:
        """Equal cases that would say as much as those a share is of, (sum w)² / sum w², and the most it may claim.

        The most are these where few of an outcome were seen, or fewer, because cases of the outcome that were not seen
        may weigh more than the others: where high scores are oversampled, so do positive cases that are called
        negative. (Kish 1965, Survey Sampling, 8.2.)
        """
        squares = weights if self.squares is None else self._squared_weights()

        def equal(of: Array) -> float:
            return float(equal_cases((weights * of).sum(), (squares * of).sum()))

        outcomes = counted, among - counted
        rarer, other = sorted(outcomes, key=equal)
        if equal(rarer) >= FEW:
            return equal(among), inf
        typical = float((squares * other).sum() / (weights * other).sum())
        typical *= max(1.0, _heavier(weights, squares, rarer, other))
        return equal(among), max(1.0, min(equal(among), float((weights * among).sum()) / typical))


def _heavier(weights: Array, squares: Array, rarer: Array, other: Array) -> float:
    """How many times as much as those of another outcome cases of the rarer one may weigh.

    It is taken from the cases that the share is not of: for recall the negative cases, which weigh by what they are
    called as the positive ones do, though more or less on the whole. 1 where there are none to compare.
    """
    cells = [_as_matrix(each) for each in (weights, squares, rarer, other)]
    w, ww, of_rarer, of_other = cells
    outside = 1 - of_rarer - of_other
    for axis in (0, 1):
        lines = [outside * (of.sum(axis, keepdims=True) > 0) for of in (of_rarer, of_other)]
        if not (lines[0] * lines[1]).any() and all((w * line).sum() > 0 for line in lines):
            first, second = (float((ww * line).sum() / (w * line).sum()) for line in lines)
            return first / second
    return 1.0


def _as_matrix(cells: Array) -> Array:
    """Values of the four cells of counts as `[predicted, true]`, the positive class last; those of a matrix as is."""
    if cells.ndim > 1:
        return cells
    tp, fp, fn, tn = cells
    return np.array([[tn, fn], [fp, tp]])


def degrees_of_weights(weights: Array, squares: Array, influence: Array) -> float:
    """Degrees of freedom of a variance, by how much less sure it is than that of as many cases of equal weight.

    Satterthwaite's 2 / cv² with the squared coefficient of variation of sum (w z)² over the cases less that of equal
    cases, for which the interval allows already; infinite for equal weights. The cases of a cell are taken to weigh
    alike. (Satterthwaite 1946, Biometrics Bulletin 2:110.)
    """
    held = weights > 0
    w, each, z = weights[held], squares[held] / weights[held], influence[held]
    equal = float(squares[held].sum() / w.sum())
    variance, of_equal = float((w * each * z**2).sum()), float((w * equal * z**2).sum())
    if variance <= NOTHING or of_equal <= NOTHING:
        return inf
    cv = float((w * each**3 * z**4).sum()) / variance**2 - float((w * equal**3 * z**4).sum()) / of_equal**2
    return max(1.0, 2 / cv) if cv > 1e-9 else inf


def weights_of(table: Table) -> Array:
    """The weight of each cell: `(4,)` of counts, `[predicted, true]` of a matrix."""
    if isinstance(table, BinaryCounts):
        return np.array([float(each) for each in table])
    return np.asarray(table.counts, np.float64)


def true_classes(table: Table) -> tuple[Array, int]:
    """The code of the true class of each cell, like the cells, and how many classes there are."""
    if isinstance(table, BinaryCounts):
        return np.array([1, 0, 1, 0]), 2
    k = len(table.labels)
    return np.tile(np.arange(k), (k, 1)), k


def _masks(measure: Measure, table: Table) -> tuple[Array, Array]:
    """The cells that a proportion counts, and those that it is of, 1 or 0."""
    assert measure.parts is not None
    if isinstance(table, BinaryCounts):
        counted, among = (np.asarray(each, float) for each in measure.parts(*np.eye(4)))
        return counted, among
    among = np.ones((len(table.labels),) * 2)
    x, m = (float(each) for each in measure.parts(*measure.read((table,))))
    return np.rint(of_matrix(measure, table) * m + x / m * among), among
