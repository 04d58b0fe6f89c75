"""How the cases of a table of labels were drawn, and the variance that this gives a measure of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.influence import of_counts, of_matrix
from classay.inference.proportions import normal_quantile
from classay.inference.units import student_quantile
from classay.measures import Measure
from classay.tables import BinaryCounts, ConfusionMatrix
from classay.tables.rows import CodedRows

Array = NDArray[Any]
FEW = 5
"""Cases of the rarer outcome below which their spread says too little of a proportion's."""


@dataclass(frozen=True, eq=False)
class LabelUnits:
    """How the cases of a table of labels were drawn: alike, with sampling weights, or in clusters.

    `seed` is that of random draws; `squares` a table like the table, of squared weights; `cells` turns values by cell
    of the table into values by row of `rows`, those of the clusters.
    """

    seed: int = 0
    squares: Any = None
    rows: CodedRows | None = None
    cells: Callable[[Array], Array] | None = None

    def spread(self, measure: Measure, table: BinaryCounts | ConfusionMatrix, level: float) -> LabelSpread:
        """The spread of a measure of cases with sampling weights or in clusters."""
        if self.rows is not None and self.cells is not None:
            return spread_of_clusters(measure, table, self.rows, self.cells, level)
        return spread_of_weights(measure, table, self.squares, level)


@dataclass(frozen=True)
class LabelSpread:
    """The variance of a measure of labels, its quantile, and the words for its method.

    A proportion rests on `units` independent cases or clusters; `most` bounds its effective cases, where few of an
    outcome say too little of its spread.
    """

    variance: float
    quantile: float
    method: str
    units: float = 1.0
    most: float = inf

    def effective(self, share: float) -> float:
        """Independent cases alike of which a share would vary as much: p (1 - p) / variance; without a spread, `units`.

        Rao & Scott 1992, Biometrics 48:577.
        """
        if self.variance <= 1e-18:
            return self.units
        return min(self.most, max(share * (1 - share) / self.variance, 1.0))


def spread_of_weights(
    measure: Measure, table: BinaryCounts | ConfusionMatrix, squares: Any, level: float
) -> LabelSpread:
    """The spread of a measure of labels of sampling weights."""
    cells = _influence(measure, table)
    weights = np.array(squares, float) if isinstance(table, BinaryCounts) else squares.counts
    units = _total(table) ** 2 / _total(squares)
    # rows are units: the usual correction for having estimated the value
    variance = float((weights * cells**2).sum()) * units / (units - 1) if units > 1 else float("nan")
    return LabelSpread(variance, normal_quantile(level), "linearised", *_equal_cases(measure, table, squares))


def spread_of_clusters(
    measure: Measure,
    table: BinaryCounts | ConfusionMatrix,
    rows: CodedRows,
    cells: Callable[[Array], Array],
    level: float,
) -> LabelSpread:
    """The spread of a measure of labels of rows in two clusters or more."""
    variance = clustered_variance(measure, table, rows, cells)
    rests = _equal_clusters(measure, table, rows, cells)
    return LabelSpread(variance, student_quantile(level, len(rows.clusters) - 1), "clusters", *rests)


def clustered_variance(
    measure: Measure, table: BinaryCounts | ConfusionMatrix, rows: CodedRows, cells: Callable[[Array], Array]
) -> float:
    """Variance of a measure of labels of clustered cases: I / (I - 1) · sum over I clusters of their influence²."""
    clusters = len(rows.clusters)
    return float((rows.sums(cells(_influence(measure, table))) ** 2).sum()) * clusters / (clusters - 1)


def _equal_cases(measure: Measure, table: Any, squares: Any) -> tuple[float, float]:
    """Equal cases that would say as much as those a proportion is of, (sum w)² / sum w², and the most it may claim.

    The most are these where few of an outcome were seen. (Kish 1965, Survey Sampling, 8.2.)
    """
    if measure.parts is None:
        return 1.0, inf
    x, m = (float(each) for each in measure.parts(*measure.read((table,))))
    xx, mm = (float(each) for each in measure.parts(*measure.read((squares,))))
    rarer = min(
        part * part / squared if squared > 0 else 0.0 for part, squared in ((x, xx), (m - x, mm - xx))
    )
    equal = m * m / mm
    return equal, equal if rarer < FEW else inf


def _equal_clusters(
    measure: Measure, table: BinaryCounts | ConfusionMatrix, rows: CodedRows, cells: Callable[[Array], Array]
) -> tuple[float, float]:
    """The clusters that hold the cases a proportion is of, and the most effective cases that it may claim.

    The most are the cases it is of where few clusters show an outcome, and its clusters where none does.
    """
    if measure.parts is None:
        return 1.0, inf
    if isinstance(table, BinaryCounts):
        seen, of = (np.asarray(each, float) for each in measure.parts(*np.eye(4)))
    else:
        seen, of = np.eye(len(table.labels)), np.ones((len(table.labels),) * 2)
    counted, held = cells(seen), cells(of)
    shown, not_shown, clusters = (
        int(np.count_nonzero(rows.sums(each))) for each in (counted, held - counted, held)
    )
    if min(shown, not_shown) == 0:
        return clusters, clusters
    weight = held if rows.weight is None else held * rows.weight
    return clusters, float(weight.sum() ** 2 / (weight**2).sum()) if min(shown, not_shown) < FEW else inf


def _influence(measure: Measure, table: BinaryCounts | ConfusionMatrix) -> Array:
    return of_counts(measure, table) if isinstance(table, BinaryCounts) else of_matrix(measure, table)


def _total(table: BinaryCounts | ConfusionMatrix) -> float:
    return float(sum(table)) if isinstance(table, BinaryCounts) else float(table.total)
