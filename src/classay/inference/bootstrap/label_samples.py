"""Tables of labels made ready for resampling: counts, matrices, matrices of clusters, rows with weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.bootstrap.draw_kernels import sum_cells_drawn
from classay.inference.bootstrap.sampling import CellDraws, Sample, UnitDraws
from classay.inference.draws import order_of_clusters, order_of_held
from classay.measures.matrices import kappa_of_distances
from classay.measures.registry import Measure
from classay.tables import BinaryCounts, ConfusionMatrix, Margins
from classay.tables.sparse import SparseConfusionMatrix

Array = NDArray[Any]
Statistic = Measure | Callable[[Any], Any]
KAPPAS = {"linear_kappa": 1, "quadratic_kappa": 2}
"""Measures of the whole matrix that need no more than its margins and how far its cells are off the diagonal."""
DENSE = 16
"""Places a row up to which a table of clusters and cells is multiplied sooner than its pairs are looked up."""


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows of labels, for what a matrix cannot say: sampling weights of rows, and which rows belong together.

    `predicted` and `true` are codes into `labels`, `cluster` whole numbers from 0 without gaps; `(rows,)`
    each.
    """

    predicted: Array
    true: Array
    labels: tuple[Hashable, ...]
    weight: Array | None = None
    cluster: Array | None = None


@dataclass(frozen=True, eq=False)
class Cells:
    """The occupied cells of a matrix, each true class in one run, and the tables their weights make."""

    predicted: Array
    true: Array
    labels: tuple[Hashable, ...]
    by_predicted: Array

    @classmethod
    def of(cls, predicted: Array, true: Array, labels: tuple[Hashable, ...]) -> Cells:
        """Cells given by the codes of both classes, those of a true class side by side."""
        return cls(predicted, true, labels, np.argsort(predicted, kind="stable"))

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """The run of cells of each true class."""
        return runs_of(self.true)

    def margins(self, weights: Array) -> Margins:
        """Hits, predicted and true weight of each class, `[replicate, class]`, of `[replicate, cell]`."""
        k, by_cell = len(self.labels), np.ascontiguousarray(weights.T)
        hits, predicted, true = (np.zeros((k, weights.shape[0]), weights.dtype) for _ in range(3))
        on_diagonal = np.flatnonzero(self.predicted == self.true)
        hits[self.true[on_diagonal]] = by_cell[on_diagonal]
        for margin, code, cells in (
            (true, self.true, by_cell),
            (predicted, self.predicted[self.by_predicted], by_cell[self.by_predicted]),
        ):
            starts = np.flatnonzero(np.diff(code, prepend=-1))
            margin[code[starts]] = np.add.reduceat(cells, starts, axis=0)
        return Margins(hits.T, predicted.T, true.T)

    def matrix(self, weights: Array) -> ConfusionMatrix:
        """Return the whole matrices, `[replicate, predicted, true]`."""
        k = len(self.labels)
        counts = np.zeros((weights.shape[0], k, k), weights.dtype)
        counts[:, self.predicted, self.true] = weights
        return ConfusionMatrix(counts, self.labels)

    def values(self, statistics: Sequence[Statistic], weights: Array) -> Array:
        """Return the statistics, `[statistic, replicate]`."""
        if weights.dtype.kind == "u":
            weights = weights.astype(np.int64)
        margins = matrix = None
        values = []
        for statistic in statistics:
            if isinstance(statistic, Measure) and statistic.needs == "margins":
                margins = margins or self.margins(weights)
                values.append(checked(statistic.raw(*margins), statistic, weights))
            elif isinstance(statistic, Measure) and statistic.name in KAPPAS:
                margins = margins or self.margins(weights)
                values.append(checked(self._kappa(statistic, weights, margins), statistic, weights))
            elif isinstance(statistic, Measure) and statistic.needs != "matrix":
                raise InputError(
                    f"{statistic.name} is not a measure of a confusion matrix. Pass "
                    + ("matrix.one_vs_rest(label)." if statistic.needs == "counts" else "the table it needs.")
                )
            else:
                matrix = matrix or self.matrix(weights)
                values.append(checked(statistic(matrix), statistic, weights))
        return np.stack(values)

    def _kappa(self, kappa: Measure, weights: Array, margins: Margins) -> Array:
        """Return a weighted kappa of each replicate, without its whole matrix."""
        power = KAPPAS[kappa.name]
        distances = weights @ np.abs(self.predicted - self.true) ** power
        kappas = kappa_of_distances(distances, weights.sum(-1), margins, power)
        return np.asarray(np.clip(kappas, *kappa.bounds))

    def width(self, statistics: Sequence[Statistic]) -> int:
        """Places one replicate takes."""
        dense = any(
            not (
                isinstance(statistic, Measure) and (statistic.needs == "margins" or statistic.name in KAPPAS)
            )
            for statistic in statistics
        )
        k = len(self.labels)
        return max(self.true.size, 3 * k, k * k if dense else 0)


def checked(values: Any, statistic: Statistic, draws: Array) -> Array:
    """Return the values, if there is one for each replicate."""
    replicates: Array = np.asarray(values, np.float64)
    if replicates.shape != draws.shape[:1]:
        name = getattr(statistic, "name", None) or getattr(statistic, "__name__", "the statistic")
        raise InputError(
            f"{name} returned shape {replicates.shape} for {draws.shape[0]} replicates. Return one value per "
            "replicate: sum over axis -1 (or -2 and -1) only."
        )
    return replicates


def cells_of(counts: Array, labels: tuple[Hashable, ...]) -> tuple[Cells, Array]:
    """Return the occupied cells of a `[..., predicted, true]` array, and their weights, `[..., cell]`."""
    total = counts.sum(tuple(range(counts.ndim - 2)))
    predicted, true = np.nonzero((counts != 0).any(tuple(range(counts.ndim - 2))))
    order = _in_order(predicted, true, total[predicted, true], len(labels))
    predicted, true = predicted[order], true[order]
    return Cells.of(predicted, true, labels), counts[..., predicted, true]


def _cells_of_one(matrix: ConfusionMatrix) -> tuple[Cells, Array]:
    """Return the occupied cells of one matrix, and their weights, `(cells,)`."""
    cells = SparseConfusionMatrix.of_matrix(matrix)
    predicted, true = np.divmod(cells.places, len(cells.labels))
    order = _in_order(predicted, true, cells.held, len(cells.labels))
    return Cells.of(predicted[order], true[order], matrix.labels), cells.held[order]


def _in_order(predicted: Array, true: Array, weights: Array, classes: int) -> Array:
    """Return the places of cells by their true class, then the predicted one, both in an order without names."""
    place = np.argsort(order_of_held(predicted, true, weights, classes))
    return np.lexsort((place[predicted], place[true]))


def of_matrix(matrix: ConfusionMatrix, statistics: Sequence[Statistic]) -> Sample:
    """Cases resampled by cells, or, where the matrix has one leading axis, clusters resampled whole."""
    if not matrix.is_one and matrix.counts.ndim > 3:
        raise InputError(
            f"The matrix has shape {matrix.counts.shape}. Pass one matrix, or matrices with one leading axis "
            "of clusters."
        )
    cells, weights = _cells_of_one(matrix) if matrix.is_one else cells_of(matrix.counts, matrix.labels)
    if not weights.size:
        raise InputError("The matrix has no cases to resample.")
    width = cells.width(statistics)
    if not matrix.is_one:
        units = weights.shape[0]
        owner, cell = np.nonzero(weights)
        place = np.full(units, -1)
        place[owner] = order_of_clusters(owner, cell, weights[owner, cell])
        cluster_weights = weights.astype(np.float64)[np.argsort(place, kind="stable")]
        return Sample(
            UnitDraws(units),
            lambda drawn: cells.values(statistics, drawn.astype(np.float64) @ cluster_weights),
            max(units, width),
            ((0, units),),
            clusters=True,
        )
    if matrix.is_weighted:
        raise InputError(
            "A matrix of sampling weights cannot be resampled without its rows. Pass LabelledRows, or "
            "matrices of clusters."
        )
    return Sample(CellDraws(weights), lambda drawn: cells.values(statistics, drawn), width, cells.runs)


def of_counts(counts: BinaryCounts, statistics: Sequence[Statistic]) -> Sample:
    """Cases resampled by the four cells, the positives first."""
    observed = np.array([counts.tp, counts.fn, counts.fp, counts.tn])
    if observed.ndim != 1 or observed.dtype.kind not in "iu":
        raise InputError("Counts must be four whole numbers of cases. Pass weighted rows as LabelledRows.")

    def evaluate(drawn: Array) -> Array:
        tp, fn, fp, tn = np.ascontiguousarray(drawn.T)
        table = BinaryCounts(tp, fp, fn, tn)
        margins = Margins(
            *(np.stack(pair, -1) for pair in ((tn, tp), (tn + fn, tp + fp), (tn + fp, tp + fn)))
        )
        values = []
        for statistic in statistics:
            if isinstance(statistic, Measure) and statistic.needs not in ("counts", "margins"):
                raise InputError(
                    f"{statistic.name} is not a measure of four counts. Pass the table it needs."
                )
            of_margins = isinstance(statistic, Measure) and statistic.needs == "margins"
            values.append(checked(statistic(margins if of_margins else table), statistic, drawn))
        return np.stack(values)

    return Sample(CellDraws(observed), evaluate, 4, ((0, 4),))


def of_rows(rows: LabelledRows, statistics: Sequence[Statistic]) -> Sample:
    """Rows resampled with their weights, or clusters of them whole."""
    k = len(rows.labels)
    classes = order_of_held(rows.predicted, rows.true, None, k)
    place = np.argsort(classes)
    code = place[rows.true] * k + place[rows.predicted]
    weight = np.ones(code.size) if rows.weight is None else np.asarray(rows.weight, np.float64)
    order = np.lexsort((weight, code))
    code, weight = code[order], weight[order]
    occupied, cell = np.unique(code, return_inverse=True)
    cells = Cells.of(classes[occupied % k], classes[occupied // k], rows.labels)
    if rows.cluster is not None:
        cluster = order_of_clusters(rows.cluster[order], cell, weight)
        return _of_clusters(cells, occupied.size, cell, weight, cluster, statistics)

    def evaluate(drawn: Array) -> Array:
        out = np.empty((drawn.shape[0], occupied.size))
        sum_cells_drawn.for_draws(drawn.shape[1])(drawn, cell, weight, out)
        return cells.values(statistics, out)

    draws, width = unit_draws(code.size, None)
    return Sample(draws, evaluate, max(width, cells.width(statistics)), runs_of(rows.true[order]))


def _of_clusters(
    cells: Cells,
    many: int,
    cell: Array,
    weight: Array,
    cluster: Array,
    statistics: Sequence[Statistic],
) -> Sample:
    draws, _ = unit_draws(cell.size, cluster)
    sums = ClusterSums.of(cluster, cell, weight, draws.units, many)
    return Sample(
        draws,
        lambda drawn: cells.values(statistics, sums.drawn(drawn)),
        max(sums.width, cells.width(statistics)),
        ((0, draws.units),),
        clusters=True,
    )


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """The weight of each cluster in each of `cells` cells, as a table where that is small, else pair by pair.

    A replicate multiplies these by how often each cluster is drawn, so that it looks at no row.
    """

    table: Array | None
    cluster: Array
    cell: Array
    weight: Array
    cells: int

    @classmethod
    def of(cls, cluster: Array, cell: Array, weight: Array, clusters: int, cells: int) -> ClusterSums:
        """Of rows: their clusters, the cells that they are counted in, and their weights, `(rows,)` each."""
        both = cluster.astype(np.int64) * cells + cell
        if clusters * cells <= DENSE * both.size:
            table = np.bincount(both, weight, clusters * cells).reshape(clusters, cells)
            return cls(table, cluster, cell, weight, cells)
        met, which = np.unique(both, return_inverse=True)
        return cls(None, met // cells, met % cells, np.bincount(which, weight), cells)

    @property
    def width(self) -> int:
        """Places one replicate takes."""
        return max(self.cells, self.cell.size if self.table is None else len(self.table))

    def drawn(self, times: Array) -> Array:
        """The weight in each cell, `[replicate, cell]`, of clusters drawn so many times, `[replicate, cluster]`."""
        if self.table is not None:
            return np.asarray(times.astype(np.float64) @ self.table)
        row_times = times[:, self.cluster]
        out = np.empty((times.shape[0], self.cells))
        sum_cells_drawn.for_draws(row_times.shape[1])(row_times, self.cell, self.weight, out)
        return out


def unit_draws(rows: int, cluster: Array | None) -> tuple[UnitDraws, int]:
    """Draws of rows, or of clusters; and the places a replicate takes."""
    if not rows:
        raise InputError("There are no rows to resample.")
    if cluster is not None:
        return UnitDraws(int(cluster.max()) + 1), rows
    return UnitDraws(rows), rows


def runs_of(codes: Array) -> tuple[tuple[int, int], ...]:
    """Return where each run of equal codes starts and ends.

    >>> runs_of(np.array([0, 0, 1]))
    ((0, 2), (2, 3))
    """
    edges = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), codes.size]
    return tuple(pairwise(edges))
