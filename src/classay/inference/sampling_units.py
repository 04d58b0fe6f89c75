"""Units: what was drawn independently, each case or each cluster of them, and the spread that this gives a sum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.proportions.binomial import normal_quantile
from classay.measures.calibration.bins import GROUPED_FROM, group_of_score, grouped
from classay.once import once_with
from classay.tables import ScoreTable
from classay.tables.rows import CodedRows, RowCells
from classay.tables.running import equal_cases

Array = NDArray[Any]


@dataclass(frozen=True)
class Spread:
    """A variance, and the degrees of freedom that its estimate has."""

    variance: float
    degrees: float

    @property
    def se(self) -> float:
        """The standard error."""
        return float(np.sqrt(self.variance))

    @classmethod
    def of_sums(cls, squares: float, fourths: float, number: float, size: float) -> Spread:
        """From the sums of the squares and fourth powers of the influences of so many units; `size` units vary.

        Degrees of freedom by Satterthwaite (1946, Biometrics 2:110): 2 V² / var(V), from the fourth moments, so a
        variance that rests on few cases has few.
        """
        if size < 2:
            return cls(float("nan"), 1.0)
        uneven = fourths - squares * squares / number
        degrees = min(number, 2 * squares * squares / uneven if uneven > 0 else number) - 1
        return cls(float(squares * size / (size - 1)), max(1.0, float(degrees)))

    def half(self, level: float) -> float:
        """Half the width of Student's interval."""
        return student_quantile(level, self.degrees) * self.se


def satterthwaite(variance: float, parts: Array, sizes: Array) -> float:
    """Degrees of freedom of a variance by those of its parts, each of so many units (1946, Biometrics 2:110).

    Infinite where nothing varies.

    >>> round(satterthwaite(5.0, np.array([4.0, 1.0]), np.array([3.0, 11.0])), 3)
    3.086
    """
    uneven = float((np.asarray(parts) ** 2 / (np.asarray(sizes) - 1)).sum())
    return float(variance) ** 2 / uneven if uneven > 0 else float("inf")


def student_quantile(level: float, degrees: float) -> float:
    """The two-sided quantile of Student's t.

    >>> round(student_quantile(0.95, 10), 4)
    2.2281
    """
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + level / 2))


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a score table: cases, or with `rows` the clusters that hold them.

    `table` is where influences are taken: one of groups of neighbouring scores when there are very many, unless `rows`
    tell the score of each case. `cells` makes values by class and score, `(2, m)`, values by row. With `by_class` both
    classes were drawn apart, so that how far their means differ is no chance. `seed` is that of random
    draws.
    """

    table: ScoreTable
    rows: CodedRows | None = None
    cells: RowCells | None = None
    by_class: bool = False
    seed: int = 0

    @classmethod
    def of_cases(cls, table: ScoreTable, seed: int = 0) -> Units:
        """Cases drawn alone, alike or with sampling weights."""
        return cls(grouped(table), seed=seed)

    @classmethod
    def of_clusters(cls, table: ScoreTable, rows: CodedRows, code: int) -> Units:
        """Clusters of rows; the table is that of the class with this code, against all others."""
        return cls(table, rows, _cells(table, rows, code))

    @property
    def near(self) -> Units:
        """The units with groups of neighbouring scores when there are very many, for what only a spread is taken from.

        Of cases drawn alone the table is one of groups at once.
        """
        if self.rows is None or self.cells is None or self.table.scores.size <= GROUPED_FROM:
            return self
        return replace(self, table=grouped(self.table), cells=_near_cells(self.table, self.rows, self.cells))

    @property
    def squares(self) -> tuple[Array, Array]:
        """Sum of squared weights of the positives and the negatives at each score."""
        if self.table.positive_squares is None or self.table.negative_squares is None:
            return self.table.positives, self.table.negatives
        return self.table.positive_squares, self.table.negative_squares

    @property
    def total(self) -> float:
        """Weight of all cases."""
        return float(self.table.n_positive + self.table.n_negative)

    def sum(self, on_positive: Array, on_negative: Array) -> float:
        """Sum over the cases of values of a positive and a negative one at each score; where there is none, nothing."""
        parts = (self.table.positives, on_positive), (self.table.negatives, on_negative)
        return float(sum(np.where(held > 0, held * each, 0.0).sum() for held, each in parts))

    @property
    def number(self) -> float:
        """Independent units: clusters, cases, or equally weighted cases that would say as much."""
        if self.rows is not None:
            return len(self.rows.clusters)
        plus, minus = self.squares
        return float(equal_cases(self.total, plus.sum() + minus.sum()))

    @property
    def smaller_class(self) -> float:
        """Cases of the smaller class, or equally weighted ones that would say as much."""
        totals = float(self.table.n_positive), float(self.table.n_negative)
        pairs = zip(totals, self.squares, strict=True)
        return min(float(equal_cases(total, squares.sum())) for total, squares in pairs)

    @property
    def how(self) -> str:
        """The words for a variance of these units."""
        if self.by_class:
            return "reweighted" if self.rows is None else "reweighted, clusters"
        if self.rows is not None:
            return "clusters"
        return "linearised" if self.table.is_weighted else "influence"

    def quantile(self, level: float) -> float:
        """The normal quantile of a sum of many cases; Student's of clusters, one degree fewer than there are."""
        return normal_quantile(level) if self.rows is None else student_quantile(level, self.number - 1)

    def spread(self, on_positive: Array, on_negative: Array) -> Spread:
        """The variance of a measure with these influences of a positive and a negative case at each score.

        The influences are derivatives by the weight of a case, and sum to zero. Of classes drawn apart, each is taken
        from the mean of its class (Särndal, Swensson & Wretman 1992, Model Assisted Survey Sampling, section 5.5).
        """
        if self.by_class:
            on_positive = _from_mean(self.table.positives, on_positive)
            on_negative = _from_mean(self.table.negatives, on_negative)
        size = _size(on_positive, on_negative)
        on_positive, on_negative = on_positive / size, on_negative / size
        if self.rows is not None and self.cells is not None:
            each = self.cells.sums(self.rows, np.stack([on_positive, on_negative]))
            squares, fourths = (each**2).sum(), (each**4).sum()
        else:
            parts = [
                moments(weight, square, influence)
                for weight, square, influence in zip(
                    (self.table.positives, self.table.negatives),
                    self.squares,
                    (on_positive, on_negative),
                    strict=True,
                )
            ]
            squares, fourths = np.sum(parts, axis=0)
        n = self.smaller_class if self.by_class and self.rows is None else self.number
        found = Spread.of_sums(squares, fourths, self.number, n)
        return Spread(found.variance * size * size, found.degrees)

    def covariance(self, cuts: Array, on_positive: Array, on_negative: Array) -> Array:
        """Covariance of the sums of influences over the stretches between cuts of the table, `(stretches,) * 2`."""
        if self.rows is None or self.cells is None:
            return np.diag(self.variances(cuts, on_positive, on_negative))
        by_row, stretch = self._by_row(cuts, on_positive, on_negative)
        return self.rows.products(by_row, stretch, cuts.size - 1) * self.number / (self.number - 1)

    def variances(self, cuts: Array, on_positive: Array, on_negative: Array) -> Array:
        """Variance of the sum of influences over each stretch between cuts of the table, `(stretches,)`."""
        stretches = cuts.size - 1
        if self.rows is None or self.cells is None:
            plus, minus = self.squares
            each = plus * on_positive**2 + minus * on_negative**2
            return np.bincount(_stretch_of_score(cuts), each, stretches)
        by_row, stretch = self._by_row(cuts, on_positive, on_negative)
        weighed = by_row if self.rows.weight is None else by_row * self.rows.weight
        met, at = np.unique(self.rows.cluster.astype(np.int64) * stretches + stretch, return_inverse=True)
        return np.bincount(met % stretches, np.bincount(at, weighed) ** 2, stretches)

    def _by_row(self, cuts: Array, on_positive: Array, on_negative: Array) -> tuple[Array, Array]:
        """The influence of each row, and the stretch it lies in."""
        assert self.cells is not None
        of_score = _stretch_of_score(cuts)
        return self.cells(np.stack([on_positive, on_negative])), self.cells(np.stack([of_score, of_score]))


def _size(*influences: Array) -> float:
    """The power of two next to the largest influence: fourth powers of huge and of tiny ones are no numbers.

    Divided by it, an influence keeps all its digits.
    """
    largest = max(float(np.abs(each[np.isfinite(each)]).max(initial=0.0)) for each in influences)
    return float(2.0 ** min(frexp(largest)[1], 1023)) if largest > 0 else 1.0


@once_with
def _cells(table: ScoreTable, rows: CodedRows, code: int) -> RowCells:
    """Where each row stands in the table of the class with this code: positives, then negatives."""
    assert rows.score is not None
    score = rows.score if rows.score.ndim == 1 else rows.score[:, code]
    at = np.searchsorted(-table.scores, -score)
    return RowCells(np.where(rows.true == code, at, at + table.scores.size))


@once_with
def _near_cells(table: ScoreTable, rows: CodedRows, cells: RowCells) -> RowCells:
    """The same in the table of groups of neighbouring scores."""
    group, m = group_of_score(table), table.scores.size
    at = group[cells.at % m]
    return RowCells(np.where(cells.at < m, at, at + grouped(table).scores.size))


def _from_mean(weight: Array, influence: Array) -> Array:
    """Influences on the cases of a class, from their mean."""
    held = np.where(weight > 0, influence, 0.0)  # infinite where no case is
    return np.asarray(held - (weight * held).sum() / weight.sum())


def _stretch_of_score(cuts: Array) -> Array:
    return np.repeat(np.arange(cuts.size - 1), np.diff(cuts))


def moments(weight: Array, square: Array, influence: Array) -> tuple[float, float]:
    """Sums over cases of (w z)² and (w z)⁴; cases of one score that differ in weight are taken to weigh alike."""
    held = weight > 0
    w, ww, z = weight[held], square[held], influence[held] ** 2
    return float((ww * z).sum()), float((ww * (ww / w) * (ww / w) * z * z).sum())
