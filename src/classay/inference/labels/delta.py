"""The delta method for measures of counts: how a measure moves when one more case falls into a cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.measures import Measure
from classay.measures.agreement import distances
from classay.tables import BinaryCounts, ConfusionMatrix

Array = NDArray[Any]
_STEP = 1e-30
"""Of the largest value: a step must be far below the digits of every sum that it enters."""
_IN_CACHE = 16_384


def partials(function: Any, values: list[Array]) -> list[Array]:
    """Partial derivatives of a scalar function of several vectors, exact to rounding (complex-step method).

    Squire & Trapp 1998, SIAM Review 40:110. One call evaluates many of them, along a leading axis; of thousands of
    values only as many as stay in the processor's cache.
    """
    ends = np.cumsum([value.size for value in values])
    size = _STEP * max(float(np.abs(value).max(initial=0)) for value in values) or _STEP
    block = max(1, _IN_CACHE // max(value.size for value in values))
    slopes = []
    for first in range(0, int(ends[-1]), block):
        moving = np.arange(first, min(first + block, ends[-1]))
        moved = []
        for value, end in zip(values, ends, strict=True):
            step = np.zeros((moving.size, value.size), complex)
            own = (moving >= end - value.size) & (moving < end)
            step[np.flatnonzero(own), moving[own] - (end - value.size)] = 1j * size
            moved.append(value.astype(float) + step)
        slopes.append(np.imag(function(*moved)) / size)
    return np.split(np.concatenate(slopes), ends[:-1])


def counts_influence(measure: Measure, counts: BinaryCounts) -> tuple[Array, Array]:
    """The four counts and the derivative of the measure by each, `(4,)` both."""
    cells = np.array([float(each) for each in counts])
    slopes = partials(lambda c: measure.function(*np.moveaxis(c, -1, 0)), [cells])[0]
    return cells, slopes


def matrix_influence(measure: Measure, matrix: ConfusionMatrix) -> tuple[Array, Array]:
    """The occupied cells of a matrix and the derivative of the measure by each, `(cells,)` both.

    A case in cell (i, j) adds one to the predicted weight of i, the true weight of j, and, on the diagonal, the
    hits of i; so three derivatives per class give those of all cells.
    """
    i, j = np.nonzero(matrix.counts)
    if measure.needs == "matrix":
        kappa = measure.name in ("linear_kappa", "quadratic_kappa")
        slopes = (weighted_kappa_influence if kappa else cell_partials)(measure, matrix)
        return matrix.counts[i, j].astype(float), slopes[i, j]
    by_hit, by_predicted, by_true = margin_partials(measure, matrix)
    return matrix.counts[i, j].astype(float), np.where(i == j, by_hit[i], 0.0) + by_predicted[i] + by_true[j]


def margin_partials(measure: Measure, matrix: ConfusionMatrix) -> tuple[Array, Array, Array]:
    """Derivatives by the hits, predicted and true weight of each class, `(classes,)` each."""
    hits, predicted, true = partials(measure.function, [np.asarray(part) for part in matrix.margins])
    return hits, predicted, true


def weighted_kappa_influence(measure: Measure, matrix: ConfusionMatrix) -> Array:
    """Derivative of a weighted kappa by each cell, `[predicted, true]` (Fleiss, Cohen & Everitt 1969)."""
    n = float(matrix.total)
    apart = distances(len(matrix.labels), 1 if measure.name == "linear_kappa" else 2).astype(float)
    p, t = matrix.margins.predicted / n, matrix.margins.true / n
    expected = p @ apart @ t
    observed = (matrix.counts * apart).sum() / n
    slopes = observed / expected**2 * ((apart @ t)[:, None] + (p @ apart)[None, :]) - apart / expected
    return np.asarray((slopes - observed / expected) / n)


def cell_partials(measure: Measure, matrix: ConfusionMatrix) -> Array:
    """Derivative of a measure of a matrix by each cell, `[predicted, true]`."""
    shape = matrix.counts.shape

    def of_cells(cells: Array) -> Array:
        return np.asarray(measure.function(ConfusionMatrix(cells.reshape(-1, *shape), matrix.labels)))

    return np.reshape(partials(of_cells, [matrix.counts.ravel()])[0], shape)


def delta_variance(cells: Array, slopes: Array) -> float:
    """Variance of a smooth function of multinomial cells, sum c·g² - (sum c·g)²/n with g its derivatives.

    Agresti 2013, Categorical Data Analysis, 3rd ed., section 16.1.
    """
    mean = (cells * slopes).sum() / cells.sum()
    return float((cells * (slopes - mean) ** 2).sum())
