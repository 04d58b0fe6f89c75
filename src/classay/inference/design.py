"""Design: how cases were drawn. Variances and covariances from influences.

Cases are counted by cell (`CellWeights`): a cell of a table of labels, a class at a score, a joint cell of two
classifiers; a row where nothing coarser serves. The influence of a cell is how far one more case in it moves a
number: the derivative by the weight there. What was drawn independently is a unit, a case or a cluster. With S the
sum over a unit of weight times influence, `(numbers,)`, the covariance of the numbers is n / (n - 1) · the sum over
the n units of S S'. (Binder 1983, International Statistical Review 51:279; Demnati & Rao 2004, Survey Methodology
30:17.) In clusters of unequal size each S is as far as the numbers move without the cluster: see `left_out_factors`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import frexp, inf, isfinite, isinf, nan
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.inference.proportions import normal_quantile
from classay.measures import Measure
from classay.measures.probability_bins import GROUPED_FROM, group_of_score, grouped, smooth_groups
from classay.once import memoize, memoize_with
from classay.tables import BinaryCounts, ConfusionMatrix, PairedTable, ScoreTable
from classay.tables.own import OwnTable
from classay.tables.rows import Clustered, CodedRows, RowCells, RowClusters
from classay.tables.sums import ROUNDING, equal_cases, is_rounding
from classay.wings import register

Array = NDArray[Any]
INFLUENCE = "influence function"
"""The words for a variance of independent, equally weighted cases."""
FEWEST = 20
"""Clusters in common below which their correlation says too little."""
MOST_BLOCKS = 64
"""Blocks of clusters left out in turn; more would hardly make a correlation more certain."""


def blocks_of(clusters: tuple[Hashable, ...]) -> dict[Hashable, int]:
    """Return the block of each cluster: one of its own, or with more than 64 clusters one of 64."""
    return {cluster: i % MOST_BLOCKS for i, cluster in enumerate(clusters)}


def without_blocks(
    measure: Measure,
    table: BinaryCounts | ConfusionMatrix | ScoreTable,
    rows: CodedRows,
    cells: Callable[[Array], Array],
    blocks: Mapping[Hashable, int],
) -> Array:
    """Return a measure without each block of clusters in turn, `(blocks,)`; NaN where it is undefined then.

    `cells` makes values by cell of the table values by row, as in `dependent.clustered`.
    """
    block = np.array([blocks[cluster] for cluster in rows.clusters])[rows.cluster]
    weight = np.ones(block.size) if rows.weight is None else rows.weight
    shape = (2, table.scores.size) if isinstance(table, ScoreTable) else np.shape(_counts(table))
    size = int(np.prod(shape))
    cell = cells(np.arange(size).reshape(shape))
    total = np.bincount(cell, weight, size)
    count = max(blocks.values()) + 1
    order = np.argsort(block, kind="stable")
    ends = np.cumsum(np.bincount(block, minlength=count))
    values = np.empty(count)
    for i, block_rows in enumerate(np.split(order, ends[:-1])):
        left = total - np.bincount(cell[block_rows], weight[block_rows], size)
        values[i] = measure(_like(table, left.reshape(shape)))
    return values


def correlation(first: Array, second: Array) -> float:
    """Correlation of the errors of two estimates, from their values without each block in turn (jackknife).

    0 where one of them does not vary, or is undefined or infinite without some block.
    """
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return 0.0
    deviations = [values - values.mean() for values in (first, second)]
    scale = float(np.sqrt((deviations[0] ** 2).sum() * (deviations[1] ** 2).sum()))
    return float((deviations[0] * deviations[1]).sum()) / scale if scale > 0 else 0.0


def _counts(table: BinaryCounts | ConfusionMatrix) -> Array:
    return np.array(table, float) if isinstance(table, BinaryCounts) else table.counts


def _like(table: BinaryCounts | ConfusionMatrix | ScoreTable, counts: Array) -> Any:
    if isinstance(table, BinaryCounts):
        return BinaryCounts(*counts)
    if isinstance(table, ConfusionMatrix):
        return ConfusionMatrix(counts, table.labels)
    positives, negatives = np.maximum(counts, 0)  # sums of weights may leave a rounding error behind
    return ScoreTable(table.scores, positives, negatives, table.labels).read_like(table)


Degrees = Literal["normal", "units", "moments", "classes"]
"""Degrees of freedom of a variance: infinite ("normal"); units of equal size minus one; by Satterthwaite, from its
moments, or from what each true class adds."""


class SamplingUnits(NamedTuple):
    """What was drawn independently: how many, of what. Of weighted cases, the effective number, (Σw)²/Σw²."""

    number: float
    name: str = "cases"


UNKNOWN = SamplingUnits(nan)
MOST_UNKNOWN = 0.05
"""Of what moves a number, the part that classes of one unit may have, of which nobody knows how much it varies."""
SMALL = 1e-60
"""An influence below which its fourth power, and that of its inverse, come near the ends of what numbers can be."""


@dataclass(frozen=True)
class VarianceEstimate:
    """The covariance of numbers, `(numbers, numbers)`, or the variance of one; its degrees of freedom and units."""

    covariance: Any
    degrees: float = inf
    units: SamplingUnits = UNKNOWN

    @classmethod
    def of_sums(cls, squares: float, fourths: float, number: float, size: float) -> VarianceEstimate:
        """From the sums of squares and fourth powers of the influences of `number` units, of which `size` vary."""
        if size < 2:
            return cls(nan, 1.0)
        return cls(squares * corrected(size), degrees_by_moments(squares, fourths, number))

    @property
    def variance(self) -> float:
        """The variance of the first number."""
        return float(np.ravel(self.covariance)[0])

    @property
    def se(self) -> float:
        """Its standard error."""
        return float(np.sqrt(self.variance))

    def is_none(self, size: float = 1.0) -> bool:
        """Check whether there is none, but the rounding of values of this size, or it is undefined."""
        return not self.variance > 0 or bool(is_rounding(self.se, size))

    def along(self, contrast: Sequence[float]) -> float:
        """Return the variance of a combination of the numbers: [1, -1] is that of a difference."""
        by = np.asarray(contrast, np.float64)
        return float(by @ self.covariance @ by)

    @property
    def correlation(self) -> float:
        """The correlation of the first two numbers, rates; 0 where one of them does not vary, but for rounding."""
        covariance = np.asarray(self.covariance)
        if not (covariance.diagonal()[:2] > ROUNDING**2).all():
            return 0.0
        return float(np.clip(covariance[0, 1] / float(covariance[0, 0] * covariance[1, 1]) ** 0.5, -1.0, 1.0))

    def quantile(self, level: float) -> float:
        """Student's two-sided quantile; the normal one of a variance that is known."""
        return normal_quantile(level) if isinf(self.degrees) else student_quantile(level, self.degrees)

    def half(self, level: float) -> float:
        """Half the width of the interval of the first number."""
        return self.quantile(level) * self.se

    def p(self, statistic: float) -> float:
        """Return the two-sided p-value of a number over its standard error."""
        from scipy.special import ndtr, stdtr

        beyond = -abs(statistic)
        return 2 * float(ndtr(beyond) if isinf(self.degrees) else stdtr(self.degrees, beyond))


def satterthwaite(variance: float, parts: Array, sizes: Array) -> float:
    """Degrees of freedom of a variance by those of its parts, each of so many units (1946, Biometrics 2:110).

    Infinite where nothing varies.

    >>> round(satterthwaite(5.0, np.array([4.0, 1.0]), np.array([3.0, 11.0])), 3)
    3.086
    """
    uneven = float((np.asarray(parts) ** 2 / (np.asarray(sizes) - 1)).sum())
    return float(variance) ** 2 / uneven if uneven > 0 else inf


def degrees_by_moments(squares: float, fourths: float, units: float) -> float:
    """Degrees of freedom of a variance, from the sums of squares and fourth powers of so many units.

    2 V² / var(V), at most as many as units, less one for the mean, and at least 1: a variance that rests on few units
    has few. (Satterthwaite 1946, Biometrics 2:110.)

    >>> degrees_by_moments(10.0, 10.0, 10), degrees_by_moments(18.0, 162.0, 10)
    (9.0, 4.0)
    """
    uneven = fourths - squares * squares / units
    return max(1.0, float(min(units, 2 * squares * squares / uneven if uneven > 0 else units)) - 1)


def student_quantile(level: float, degrees: float) -> float:
    """Return the two-sided quantile of Student's t.

    >>> round(student_quantile(0.95, 10), 4)
    2.2281
    """
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + level / 2))


@dataclass(frozen=True, eq=False)
class CellWeights:
    """The sums of the weights and of their squares in each cell, and the code of its true class, of one shape.

    The squares are the weights themselves where cases count alike. `true` is None where nothing needs it.
    """

    weight: Array
    squares: Array
    true: Array | None = None
    classes: int = 2

    @property
    def is_weighted(self) -> bool:
        """Whether the cases have sampling weights."""
        return self.squares is not self.weight

    @cached_property
    def occupied(self) -> Array:
        """The cells that hold a case, flat: elsewhere an influence may be infinite."""
        return np.flatnonzero(self.weight.ravel() > 0)

    @cached_property
    def roots(self) -> Array:
        """The roots of the sums of squared weights in occupied cells."""
        return np.sqrt(self.squares.ravel()[self.occupied])

    @cached_property
    def of_case(self) -> Array:
        """The factor in each occupied cell from squared sums of squares, (Σ w² z²)², to sums of fourth powers, Σ w⁴ z⁴.

        Cases of one cell are taken to weigh alike.
        """
        weight = self.weight.ravel()[self.occupied]
        return np.asarray((self.roots / weight) ** 2 if self.is_weighted else 1 / weight)

    @property
    def kinds(self) -> Array:
        """Which cells are of each class, flat, `(classes, cells)`."""
        true = np.broadcast_to(np.asarray(self.true), self.weight.shape).ravel()
        return np.asarray(true == np.arange(self.classes)[:, None])

    def held_by_class(self, values: Array) -> Array:
        """Sums of the values of occupied cells by their true class, `(classes,)`."""
        true = np.asarray(self.true)
        if (
            true.ndim == 2 and true.shape[-1] == 1
        ):  # a row of cells for each class: stretches of the occupied ones
            ends = np.searchsorted(self.occupied, np.arange(len(true) + 1) * self.weight.shape[-1]).tolist()
            sums = np.array([values[start:end].sum() for start, end in pairwise(ends)])
            return sums[np.argsort(true[:, 0])]
        codes = np.broadcast_to(true, self.weight.shape).ravel()[self.occupied]
        return np.bincount(codes, values, self.classes)

    def by_class(self, values: Array) -> Array:
        """Sums of the values of cells by their true class, `(classes,)`."""
        true = np.asarray(self.true)
        if true.ndim == 2 and true.shape[-1] == 1:  # a row of cells for each class
            return np.asarray(values.sum(-1)[np.argsort(true[:, 0])])
        return np.bincount(np.broadcast_to(true, values.shape).ravel(), values.ravel(), self.classes)


@dataclass(frozen=True, eq=False)
class ByTrueClass:
    """Rows by cluster and true class: `own` is the class of each such pair, `at`, `(rows,)`, the pair of each row.

    `units` are the clusters that hold each class, `alike` as many of equal size (see `Design.equal_units`). `cluster`
    is that of each pair, `factor` its `left_out_factors` within the class.
    """

    own: Array
    at: Array
    units: Array
    alike: Array
    cluster: Array
    factor: Array

    @classmethod
    def of(cls, rows: Clustered, code: Array, classes: int) -> ByTrueClass:
        """Of the classes of rows, `(rows,)`."""
        clusters = len(rows.clusters)
        at = rows.cluster.astype(np.int64) * classes + code
        pairs = np.arange(clusters * classes)
        if pairs.size > 4 * at.size:
            pairs, at = np.unique(at, return_inverse=True)
        codes, sizes = pairs % classes, np.bincount(at, rows.weight, pairs.size)
        units, totals = np.bincount(codes[sizes > 0], minlength=classes), np.bincount(codes, sizes, classes)
        alike = equal_units(units, totals, np.bincount(codes, sizes * sizes, classes))
        factor = left_out_factors(sizes, totals[codes], units[codes])
        return cls(codes, at, units, alike, pairs // classes, factor)

    def sums(self, rows: Clustered, cells: RowCells | None, values: Array) -> Array:
        """Return the sum of values by cell over the rows of each pair."""
        row_values = values if cells is None else cells(values)
        if rows.weight is not None:  # of no weight, an influence may be infinite
            row_values = np.where(rows.weight > 0, row_values, 0.0) * rows.weight
        return np.bincount(self.at, row_values, self.own.size)


@dataclass(frozen=True, eq=False)
class Design:
    """How the cases of a table were drawn: alike, with sampling weights, or in clusters of `rows`.

    Influences have the shape of the cells of the table: `(4,)` for counts of labels, `[predicted, true]` for a matrix,
    `[true, first, second]` for two classifiers, `[class, score]`, positives first, for scores, or `(rows,)`. `squared`
    is a table like the table, of squared weights, where it does not hold them itself; None where cases count alike.
    `cells` says in which cell each row of the clusters is counted, None where the rows are the cells. `by_class` says
    that both classes were drawn apart, so that how far their means differ is no chance. `seed` is that of random draws.
    The table of scores may be one of groups of neighbouring scores, where there are very many.
    """

    table: Any
    squared: Any = None
    rows: Clustered | None = None
    cells: RowCells | None = None
    by_class: bool = False
    seed: int = 0

    @classmethod
    def of_cases(cls, table: ScoreTable, seed: int = 0) -> Design:
        """Scores of cases drawn alone, alike or with sampling weights."""
        return cls(grouped(table), seed=seed)

    @classmethod
    def of_clusters(cls, table: ScoreTable, rows: CodedRows, code: int) -> Design:
        """Scores of rows in clusters; the table is that of the class with this code, against all others."""
        return cls(table, rows=rows, cells=cells_of_scores(table, rows, code))

    @classmethod
    def of_rows(
        cls,
        rows: int,
        *,
        frequency: Array | None = None,
        weight: Array | None = None,
        cluster: Array | None = None,
        true: Array | None = None,
    ) -> Design:
        """Return each row its own cell: `frequency` are numbers of identical cases, `weight` sampling weights.

        `cluster` are whole numbers from 0 without gaps, `true` codes of the true classes; `(rows,)` each.
        """
        row_weight = weight if frequency is None else frequency
        weights = np.ones(rows) if row_weight is None else row_weight.astype(np.float64)
        classes = 2 if true is None else max(2, int(true.max(initial=0)) + 1)
        places = CellWeights(weights, weights if weight is None else weights * weights, true, classes)
        return cls(places, rows=None if cluster is None else RowClusters(cluster, row_weight))

    @classmethod
    def of_coded(cls, rows: CodedRows) -> Design:
        """Rows of clusters, each its own cell."""
        weight = np.ones(rows.true.size) if rows.weight is None else rows.weight
        return cls(CellWeights(weight, weight, rows.true, len(rows.labels)), rows=rows)

    @cached_property
    def places(self) -> CellWeights:
        """The sums of weights in each cell."""
        return known_places(self.table) if self.squared is None else places_of(self.table, self.squared)

    @property
    def is_weighted(self) -> bool:
        """Whether the cases have sampling weights."""
        if self.squared is not None or isinstance(self.table, BinaryCounts | ConfusionMatrix):
            return self.squared is not None
        if isinstance(self.table, PairedTable):
            return self.table.squares is not None
        return bool(self.table.is_weighted)

    @property
    def is_alike(self) -> bool:
        """Whether the cases were drawn independently and count alike."""
        return self.rows is None and not self.is_weighted

    @property
    def near(self) -> Design:
        """The same with groups of neighbouring scores when there are very many, for what only a spread is taken from.

        Of cases drawn alone the table is one of groups at once.
        """
        if self.rows is None or self.cells is None or self.table.scores.size <= GROUPED_FROM:
            return self
        return self._near

    @cached_property
    def _near(self) -> Design:
        assert self.rows is not None
        assert self.cells is not None
        return replace(self, table=grouped(self.table), cells=_near_cells(self.table, self.rows, self.cells))

    def smooth(self, table: ScoreTable) -> Design:
        """The same for influences that change smoothly with the score: of cases drawn alone, by groups of the table."""
        if self.rows is not None or smooth_groups(table) is self.table:
            return self.near
        return _smoothed(table, self)

    def among(self, has: Array) -> Design:
        """How the cases of some cells were drawn, `has` of the shape of the cells; clusters without one are none."""
        places = self.places
        weight = np.where(has, places.weight, 0.0)
        squares = np.where(has, places.squares, 0.0) if places.is_weighted else weight
        narrowed = Design(CellWeights(weight, squares, places.true, places.classes), seed=self.seed)
        rows = self.rows
        if rows is None:
            return narrowed
        counts = has if self.cells is None else self.cells(has)
        at = np.flatnonzero(counts if rows.weight is None else counts & (rows.weight > 0))
        cluster = np.unique(rows.cluster[at], return_inverse=True)[1]
        left = RowClusters(cluster, None if rows.weight is None else rows.weight[at])
        return replace(narrowed, rows=left, cells=RowCells(at if self.cells is None else self.cells.at[at]))

    @cached_property
    def total(self) -> float:
        """Weight of all cases."""
        if isinstance(self.table, ScoreTable):
            return float(self.table.n_positive + self.table.n_negative)
        return float(self.places.weight.sum())

    @cached_property
    def units(self) -> SamplingUnits:
        """What was drawn independently."""
        if self.rows is not None:
            return SamplingUnits(len(self.rows.clusters), "clusters")
        number = float(equal_cases(self.total, self.places.squares.sum()))
        if self.is_weighted:
            return SamplingUnits(number, "effective cases")
        return SamplingUnits(int(number) if number.is_integer() else number)

    @property
    def number(self) -> float:
        """Independent units: clusters, cases, or of weighted cases the effective number, (Σw)²/Σw²."""
        return self.units.number

    @cached_property
    def equal_units(self) -> float:
        """How many units of equal size say as much of a variance: of clusters (Σw)²/Σw² of their sizes, at least 2.

        A variance between clusters rests on the large ones. With degrees of freedom by the number of clusters,
        intervals held 78 to 91% where one of 16 has half of the cases. (Kish 1965, Survey Sampling, 8.2; Carter,
        Schnepel & Steigerwald 2017, Review of Economics and Statistics 99:698.)
        """
        if self.rows is None or self.number < 2:
            return self.number
        sizes = self._sizes
        return float(equal_units(self.number, sizes.sum(), (sizes * sizes).sum()))

    @property
    def least_units(self) -> float:
        """The clusters, if all were as large as the largest: nothing varies more than over so many cases."""
        return float(self._sizes.sum() / self._sizes.max())

    @cached_property
    def _sizes(self) -> Array:
        """The weight of each cluster, `(clusters,)`."""
        assert self.rows is not None
        return np.bincount(self.rows.cluster, self.rows.weight, len(self.rows.clusters)).astype(np.float64)

    @cached_property
    def _sizes_of_class(self) -> Array:
        """The weight of the cases of each class in each cluster, `(classes, clusters)`."""
        return self.sums(self.places.kinds.astype(np.float64))

    @cached_property
    def _factors_of_class(self) -> Array:
        """`left_out_factors` of clusters by their cases of each class, `(classes, clusters)`."""
        sizes = self._sizes_of_class
        return left_out_factors(sizes, sizes.sum(1, keepdims=True), self.units_of_class[:, None])

    @cached_property
    def factors(self) -> Array:
        """`left_out_factors` of clusters by all their cases, `(clusters,)`."""
        return left_out_factors(self._sizes, self._sizes.sum(), np.count_nonzero(self._sizes))

    @cached_property
    def _factors(self) -> dict[bytes, Array]:
        """`left_out_factors` of the cases of some classes, as they were asked for."""
        return {}

    @property
    def smaller_class(self) -> float:
        """The size of the smallest class, as in `of_class`."""
        return float(self.of_class.min())

    @cached_property
    def of_class(self) -> Array:
        """Cases of each class, of weighted ones the effective number, `(classes,)`, in clusters or not."""
        of_class = self.places.by_class
        return np.asarray(equal_cases(of_class(self.places.weight), of_class(self.places.squares)))

    @cached_property
    def units_of_class(self) -> Array:
        """Units that hold cases of each class, `(classes,)`."""
        if self.rows is None:
            return self.of_class
        return np.asarray(np.count_nonzero(self._sizes_of_class, axis=1))

    @cached_property
    def equal_units_of_class(self) -> Array:
        """The same as units of equal size: see `equal_units`."""
        if self.rows is None:
            return self.of_class
        sizes = self._sizes_of_class
        return np.asarray(equal_units(self.units_of_class, sizes.sum(1), (sizes * sizes).sum(1)))

    @property
    def how(self) -> str:
        """The words for a variance of these units."""
        if self.by_class:
            return "reweighted" if self.rows is None else "reweighted, clusters"
        if self.rows is not None:
            return "clusters"
        return "linearised" if self.is_weighted else INFLUENCE

    @property
    def before(self) -> str:
        """`how` as a prefix of the name of a method; "" for cases alike."""
        return "" if self.how == INFLUENCE else f"{self.how}, "

    def quantile(self, level: float) -> float:
        """Return the normal quantile of a sum of many cases; Student's of clusters, one degree fewer than there are."""
        return normal_quantile(level) if self.rows is None else student_quantile(level, self.equal_units - 1)

    def sum(self, values: Any) -> float:
        """Sum over the cases of the value of their cell; cells without a case add nothing."""
        weight = self.places.weight
        return float(np.where(weight > 0, weight * np.asarray(values), 0.0).sum())

    def sums(self, influence: Array) -> Array:
        """Sum over the rows of each cluster of weight times influence, `(numbers, clusters)`."""
        assert self.rows is not None
        rows, number = self.rows, len(self.rows.clusters)
        if self.cells is not None:
            cells = self.cells
            return np.stack([cells.sums(rows, each) for each in influence])
        if rows.weight is not None:  # of no weight, an influence may be infinite
            influence = np.where(rows.weight > 0, influence, 0.0) * rows.weight
        return np.stack([np.bincount(rows.cluster, each, number) for each in influence])

    def spread(
        self, influence: Any, *, by_class: bool = False, degrees: Degrees | float = "moments"
    ) -> VarianceEstimate:
        """Return the spread of numbers from their influences, `(numbers, *cells)`, or of one number from `(*cells,)`.

        Influences sum to zero over the cases. With `by_class` those of each class do, and each class has its own
        correction n / (n - 1), as in DeLong's variance (1988, Biometrics 44:837) and Obuchowski's of clusters (1997,
        Biometrics 53:567). `degrees` are a number, or named: those by moments and by classes are of the first number.
        Where they are by true classes, so is the correction of clusters. Of classes drawn
        apart, influences are taken from the mean of the class (Särndal, Swensson & Wretman 1992, Model Assisted Survey
        Sampling, section 5.5). NaN with fewer than two units.
        """
        z, size = self._scaled(influence)
        if degrees == "classes":
            spread = self._of_true_classes(z)
            return replace(spread, covariance=spread.covariance * size * size)
        terms = self._each(z)
        if by_class:
            products = self._of_classes(z, terms)
        else:
            products = products_of(self._left_out(z, terms)) * corrected(self._varying)
        if degrees == "moments" and self._varying < 2:
            products, degrees = products * nan, 1.0
        elif degrees == "moments":
            degrees = degrees_by_moments(*self._powers(terms[0]), self.equal_units)
        elif degrees == "units":
            degrees = self.equal_units - 1
        with np.errstate(over="ignore"):
            covariance = products * size * size
        return VarianceEstimate(covariance, inf if degrees == "normal" else float(degrees), self.units)

    def _of_true_classes(self, z: Array) -> VarianceEstimate:
        """By what the units of each true class add: a class of few says little, however many others there are.

        A class has as many degrees of freedom as units alike that hold it, less one; all have Satterthwaite's, or those
        by moments where these are fewer (1946, Biometrics Bulletin 2:110). What clusters of a class add has its own
        correction n / (n - 1) too. NaN where a class that matters lies in one unit. Of classes in two or
        three clusters tests at 5% still find 7 to 11% of nothing.
        """
        terms, classes, true = self._each(z), self.places.classes, self._true
        weight = self.places.weight.ravel()
        if self.rows is None:
            codes, sums = true[self.places.occupied], terms
            units, alike = self.of_class, self.of_class
        else:
            codes, units, alike = self._by_true.own, self._by_true.units, self._by_true.alike
            sums = np.stack([self._by_true.sums(self.rows, self.cells, one) for one in z])
        parts = np.bincount(codes, sums[0] * sums[0], classes)
        # a class of one unit adds nothing where its influences sum to 0, and could have added anything
        moved = weight * np.where(weight > 0, z[0], 0.0) ** 2
        of_one = units < 2 if self.rows is not None else units <= 1
        unknown = np.bincount(true, moved, classes)[of_one].sum() > MOST_UNKNOWN * moved.sum()
        if self._varying < 2 or unknown:
            return VarianceEstimate(products_of(terms) * nan, 1.0, self.units)
        correction = corrected(self.units.number)
        if self.rows is None:
            products = products_of(terms) * correction
        else:  # of what goes together too: a cluster may hold cases of several classes
            shifts, number = sums * self._by_true.factor, len(self.rows.clusters)
            together = [np.bincount(self._by_true.cluster, one, number) for one in shifts]
            more = np.where(units > 1, units / np.maximum(units - 1, 1), 1.0)[codes] - correction
            products = products_of(np.stack(together)) * correction + (shifts * more) @ shifts.T
        is_varying = parts > ROUNDING**2 * parts.sum()
        by_class = satterthwaite(float(parts.sum()), parts[is_varying], np.maximum(alike[is_varying], 2.0))
        degrees = min(by_class, degrees_by_moments(*self._powers(terms[0]), self.equal_units))
        return VarianceEstimate(products, max(1.0, degrees), self.units)

    @cached_property
    def _true(self) -> Array:
        """The code of the true class of each cell, flat."""
        return np.broadcast_to(np.asarray(self.places.true), self.places.weight.shape).ravel()

    @cached_property
    def _by_true(self) -> ByTrueClass:
        assert self.rows is not None
        code = self._true if self.cells is None else self._true[self.cells.at]
        return ByTrueClass.of(self.rows, code.astype(np.int64), self.places.classes)

    def powers(self, influence: Any) -> tuple[float, float]:
        """Sums over the units of the squares and fourth powers of weight times influence, of one number."""
        z = np.asarray(influence, np.float64).reshape(1, -1)
        return self._powers(self._each(z)[0])

    def centred(self, influence: Any) -> Array:
        """Influences as they vary: of classes drawn apart, from the mean of the class."""
        z = np.asarray(influence, np.float64)
        return self._from_means(z) if self.by_class else z

    def moments(self, influence: Any) -> tuple[float, float, float]:
        """Sums over the units of the squares, cubes and fourth powers of weight times influence, of one number."""
        terms = self._each(np.asarray(influence, np.float64).reshape(1, -1))[0]
        squares, fourths = self._powers(terms)
        cubes = terms * terms * terms  # a power of an array takes ten times as long
        if self.rows is None:
            cubes *= np.sqrt(self.places.of_case)
        return squares, float(cubes.sum()), fourths

    def powers_of_classes(self, influence: Any) -> tuple[Array, Array]:
        """`powers` of the cases of each class, `(classes,)`, for cases drawn alone."""
        squares = self._each(np.asarray(influence, np.float64).reshape(1, -1))[0] ** 2
        fourths = squares * squares * self.places.of_case
        return self.places.held_by_class(squares), self.places.held_by_class(fourths)

    def variances(self, cuts: Array, influence: Any) -> Array:
        """Variance of the sum of influences over each stretch between cuts of a table of scores, `(stretches,)`.

        It is not corrected for what was estimated.
        """
        z, of = _of_stretches(cuts, influence)
        if self.rows is None or self.cells is None:
            return np.bincount(of.ravel(), (self.places.squares * z**2).ravel(), cuts.size - 1)
        return self.cells.squares(self.rows, z, of, cuts.size - 1)

    def covariance(self, cuts: Array, influence: Any) -> Array:
        """Covariance of the sums of influences over the stretches between cuts, `(stretches, stretches)`."""
        if self.rows is None or self.cells is None:
            return np.diag(self.variances(cuts, influence))
        covariance = self.cells.products(self.rows, *_of_stretches(cuts, influence), cuts.size - 1)
        return covariance * corrected(self.number)

    def _scaled(self, influence: Any) -> tuple[Array, float]:
        """Influences, `(numbers, cells)`, over a power of two, and this: fourth powers of huge ones would overflow."""
        z = np.asarray(influence, np.float64).reshape(-1, *self.places.weight.shape)
        if self.by_class:
            z = np.stack([self._from_means(each) for each in z])
        z = z.reshape(len(z), -1)
        largest = max(float(z.max(initial=0.0)), -float(z.min(initial=0.0)))  # without a copy of all sizes
        if not isfinite(largest):  # where no case is, or undefined
            largest = float(np.abs(z[np.isfinite(z)]).max(initial=0.0))
        if largest == 0 or SMALL < largest < 1 / SMALL:
            return z, 1.0
        size = float(2.0 ** min(frexp(largest)[1], 1023))
        return z / size, size

    @property
    def _varying(self) -> float:
        """The units that vary: of classes drawn apart the cases of the smaller one."""
        return self.smaller_class if self.by_class and self.rows is None else self.number

    def _each(self, influence: Array) -> Array:
        """Terms whose squares add up to the variance: sums by cluster, or influence · √Σw² in each occupied cell."""
        if self.rows is not None:
            return self.sums(influence)
        in_cells = (
            influence
            if self.places.occupied.size == influence.shape[1]
            else influence[:, self.places.occupied]
        )
        roots = self.places.roots
        return (
            in_cells if (roots == 1).all() else in_cells * roots
        )  # of many models, a copy of all their influences

    def left_out(self, influence: Any) -> Array:
        """Return how far a number moves without each cluster, as far as it goes in equal clusters, `(clusters,)`.

        The squares add up to its variance, but for the correction n / (n - 1): see `left_out_factors`.
        """
        z = np.asarray(influence, np.float64).reshape(1, -1)
        return np.asarray(self._left_out(z, self._each(z))[0])

    def _left_out(self, influence: Array, terms: Array) -> Array:
        """Return the terms, those of clusters by how far the numbers move without the cluster."""
        if self.rows is None or self.number < 2:
            return terms
        return np.asarray(terms * np.stack([self._factor_of(one) for one in influence]))

    def _factor_of(self, influence: Array) -> Array:
        """`left_out_factors` of the cases of all true classes that move a number, `(clusters,)`."""
        if self.places.true is None:
            return self.factors
        moving = np.flatnonzero(np.abs(influence) > ROUNDING * np.abs(influence).max(initial=0.0))
        moving = moving[self.places.weight.ravel()[moving] > 0]
        has = np.bincount(self._true[moving], minlength=self.places.classes) > 0
        has |= self.of_class == 0
        if has.all() or not moving.size:
            return self.factors
        key = has.tobytes()
        if key not in self._factors:
            sizes = self.sums(has[self._true].astype(np.float64)[None])[0]
            self._factors[key] = left_out_factors(sizes, sizes.sum(), np.count_nonzero(sizes))
        return self._factors[key]

    def _powers(self, terms: Array) -> tuple[float, float]:
        """See `powers`."""
        squared = terms * terms
        fourths = squared * squared
        if self.rows is None:
            fourths *= self.places.of_case
        return float(squared.sum()), float(fourths.sum())

    def _of_classes(self, influence: Array, terms: Array) -> Array:
        """Return the covariance of numbers of which each class has its own mean."""
        corrections = [corrected(number) for number in self.units_of_class.tolist()]
        if self.rows is None:
            kinds = self.places.kinds[:, self.places.occupied]
            parts = [np.take(terms, np.flatnonzero(kind), 1) for kind in kinds]
            return np.asarray(
                sum(products_of(part) * by for part, by in zip(parts, corrections, strict=True))
            )
        correction = corrected(
            self.number
        )  # of what goes together too: a cluster may hold cases of several classes
        parts = [
            self.sums(np.where(kind, influence, 0.0)) * factors
            for kind, factors in zip(self.places.kinds, self._factors_of_class, strict=True)
        ]
        within = [products_of(part) * (by - correction) for part, by in zip(parts, corrections, strict=True)]
        return np.asarray(products_of(np.sum(parts, 0)) * correction + sum(within))

    def _from_means(self, influence: Array) -> Array:
        """Influences on the cases of each class, from their mean."""
        weight, of_class = self.places.weight, self.places.by_class
        finite = np.where(weight > 0, influence, 0.0)  # infinite where no case is
        return np.asarray(finite - (of_class(weight * finite) / of_class(weight))[self.places.true])


DESIGNS: dict[type[OwnTable], Callable[[Any], Design]] = {}
"""By the type of a table of another task, how its cases were drawn."""


def design_of(table: OwnTable) -> Design:
    """Return how the cases of a table were drawn that says it itself."""
    if type(table) not in DESIGNS:
        register("intervals")
    return DESIGNS[type(table)](table)


def _of_stretches(cuts: Array, influence: Any) -> tuple[Array, Array]:
    """Influences at each class and score, and the stretch that each lies in."""
    of = np.repeat(np.arange(cuts.size - 1), np.diff(cuts))
    return np.asarray(influence, np.float64), np.stack([of, of])


def equal_units(number: Any, total: Any, squares: Any) -> Any:
    """See `Design.equal_units`: of so many clusters, from the sums of their sizes and of the squares of these."""
    return np.minimum(number, np.maximum(2.0, equal_cases(total, squares)))


def left_out_factors(sizes: Array, total: Any, units: Any) -> Array:
    """How many times as far a cluster of some size moves a number as an equal one: (1 - 1/n) / (1 - size / total).

    Without a cluster that has a part h of the cases, a mean moves by S / (1 - h), S being the sum of its influences:
    large clusters pull the mean towards themselves, and so hide how far off they are. With the correction n / (n - 1),
    the variance is (n - 1) / n times the sum of (S / (1 - h))², the jackknife around the value (CV3). It is 1 of equal
    clusters, and where fewer than two hold a case. (MacKinnon & White 1985, Journal of Econometrics 29:305; Bell &
    McCaffrey 2002, Survey Methodology 28:169.)

    >>> left_out_factors(np.array([2.0, 2.0, 2.0]), 6.0, 3), left_out_factors(np.array([6.0, 2.0]), 8.0, 2)
    (array([1., 1., 1.]), array([2.        , 0.66666667]))
    """
    rest = total - np.asarray(sizes, np.float64)
    has_rest = (rest > ROUNDING * total) & (units > 1)
    return np.where(has_rest, (units - 1.0) * total / np.where(has_rest, units * rest, 1.0), 1.0)


def corrected(units: float) -> float:
    """n / (n - 1), for having estimated what varies from as many units; NaN of fewer than two."""
    return units / (units - 1) if units > 1 else nan


def products_of(rows: Array) -> Array:
    """Sums of products of all pairs of rows, `(rows, rows)`: pair by pair, so that the order of rows changes no bit.

    Long rows are taken in parts, which stay in the processor's cache for all pairs.
    """
    products = np.zeros((len(rows),) * 2)
    for start in range(0, rows.shape[1], PART):
        part = rows[:, start : start + PART]
        for i, one in enumerate(part):
            for j, other in enumerate(part[: i + 1]):
                products[i, j] += np.dot(one, other)
    return products if len(rows) == 1 else np.where(np.tri(len(rows), dtype=bool), products, products.T)


PART = 8_192
"""Units of a part of long rows."""


def known_places(table: Any) -> CellWeights:
    """`places_of` a table, remembered for up to 50,000 scores."""
    if isinstance(table, CellWeights):
        return table
    is_small = isinstance(table, ScoreTable) and table.scores.size <= GROUPED_FROM
    return _places_once(table) if is_small else places_of(table)


def places_of(table: Any, squared: Any = None) -> CellWeights:
    """The sums of weights in each cell; `squared` is a table of squared weights, if the table itself holds none."""
    weight = weights_of(table)
    squares = squares_of(table) if squared is None else weights_of(squared)
    true, classes = true_classes(table)
    return CellWeights(weight, weight if squares is None else squares, true, classes)


_places_once = memoize(places_of)


def weights_of(table: Any) -> Array:
    """Return the weight in each cell of a table."""
    if isinstance(table, BinaryCounts):
        return np.array([float(count) for count in table])
    if isinstance(table, ConfusionMatrix | PairedTable):
        return np.asarray(table.counts, np.float64)
    return np.stack([table.positives, table.negatives]).astype(np.float64)


def squares_of(table: Any) -> Array | None:
    """Return the squared weights in each cell, where the table holds them itself; else None."""
    if isinstance(table, BinaryCounts | ConfusionMatrix):
        return None
    if isinstance(table, PairedTable):
        return table.squares
    if table.positive_squares is None:
        return None
    return np.stack([table.positive_squares, table.negative_squares])


def true_classes(table: Any) -> tuple[Array, int]:
    """Return the code of the true class of each cell, and the number of classes."""
    if isinstance(table, BinaryCounts):
        return np.array([1, 0, 1, 0]), 2
    if isinstance(table, ConfusionMatrix):
        k = len(table.labels)
        return np.tile(np.arange(k), (k, 1)), k
    if isinstance(table, PairedTable):
        k = len(table.labels)
        return np.arange(k)[:, None, None], k
    return np.array([[1], [0]]), 2


@memoize_with
def _smoothed(table: ScoreTable, design: Design) -> Design:
    return replace(design, table=smooth_groups(table))


@memoize_with
def cells_of_scores(table: ScoreTable, rows: CodedRows, code: int) -> RowCells:
    """Return the cell of each row in the score table of the class with this code: positives, then negatives."""
    assert rows.score is not None
    score = rows.score if rows.score.ndim == 1 else rows.score[:, code]
    down = np.argsort(-score)
    at = np.empty(score.size, np.int64)
    at[down] = np.searchsorted(-table.scores, -score[down])  # in order, from one score to the next
    return RowCells(np.where(rows.true == code, at, at + table.scores.size))


@memoize_with
def _near_cells(table: ScoreTable, rows: Clustered, cells: RowCells) -> RowCells:
    """Return the cell of each row in the table of groups of neighbouring scores."""
    group, m = group_of_score(table), table.scores.size
    at = group[cells.at % m]
    return RowCells(np.where(cells.at < m, at, at + grouped(table).scores.size))
