"""The delta method for measures of counts: how a measure moves when one more case falls into a cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.labels.traced import gradient
from classay.measures import Measure
from classay.measures.agreement import mean_distances
from classay.tables import BinaryCounts, ConfusionMatrix

Array = NDArray[Any]
_STEP = 1e-30
"""Of the largest value: a step must be far below the digits of every sum that it enters."""
_IN_CACHE = 16_384
MOST_STEPPED = 300
"""Classes up to which each is moved by itself: of more, the time grows with the square of their number."""


def partials(function: Callable[..., Any], values: list[Array], at: Array | None = None) -> list[Array]:
    """Partial derivatives of a scalar function of several vectors, exact to rounding (complex-step method).

    All vectors are of one length; `at` names the places whose derivatives are wanted, all unless given.

    Squire & Trapp 1998, SIAM Review 40:110. One call evaluates many of them, along a leading axis; of thousands of
    values only as many as stay in the processor's cache.
    """
    wide = values[0].size
    at = np.arange(wide) if at is None else at
    size = _STEP * max(float(np.abs(value).max(initial=0)) for value in values) or _STEP
    block = max(1, _IN_CACHE // wide)
    slopes = np.empty(len(values) * at.size)
    for first in range(0, slopes.size, block):
        moving = np.arange(first, min(first + block, slopes.size))
        moved = []
        for order, value in enumerate(values):
            step = np.zeros((moving.size, wide), complex)
            own = moving // at.size == order
            step[np.flatnonzero(own), at[moving[own] % at.size]] = 1j * size
            moved.append(value.astype(float) + step)
        slopes[moving] = np.imag(function(*moved)) / size
    return np.split(slopes, len(values))


def counts_influence(measure: Measure, counts: BinaryCounts) -> tuple[Array, Array]:
    """The four counts and the derivative of the measure by each, `(4,)` both."""
    cells = np.array([float(each) for each in counts])
    slopes = partials(lambda c: measure.raw(*np.moveaxis(c, -1, 0)), [cells])[0]
    return cells, slopes


def matrix_influence(measure: Measure, matrix: ConfusionMatrix) -> tuple[Array, Array]:
    """The occupied cells of a matrix and the derivative of the measure by each, `(cells,)` both.

    A case in cell (i, j) adds one to the predicted weight of i, the true weight of j, and, on the diagonal, the
    hits of i; so three derivatives per class give those of all cells.
    """
    i, j, cases = matrix.occupied
    return cases, slopes_at(measure, matrix, i, j)


def slopes_at(measure: Measure, matrix: ConfusionMatrix, predicted: Array, true: Array) -> Array:
    """The derivative of the measure by each of some cells, given by the places of their classes, `(cells,)` all."""
    if measure.needs == "matrix":
        if measure.name in ("linear_kappa", "quadratic_kappa"):
            return weighted_kappa_slopes(measure, matrix, predicted, true)
        return cell_partials(measure, matrix, predicted, true)
    by_hit, by_predicted, by_true = margin_partials(measure, matrix)
    return np.asarray(
        np.where(predicted == true, by_hit[predicted], 0.0) + by_predicted[predicted] + by_true[true]
    )


def margin_partials(measure: Measure, matrix: ConfusionMatrix) -> tuple[Array, Array, Array]:
    """Derivatives by the hits, predicted and true weight of each class, `(classes,)` each.

    Where a measure does not depend on the order of the classes, and those of classay do not, classes of the same hits,
    predicted and true weight have the same derivatives: one of each kind is moved. Of more classes than `MOST_STEPPED`
    one backward pass finds all derivatives, where the measure can be traced.
    """
    margins = [np.asarray(part) for part in matrix.margins]
    if margins[0].size > MOST_STEPPED and (found := gradient(measure.raw, margins)) is not None:
        hits, predicted, true = found
        return hits, predicted, true
    if not _has_no_order(measure, margins):
        hits, predicted, true = partials(measure.raw, margins)
        return hits, predicted, true
    _, one, kind = np.unique(np.stack(margins), axis=1, return_index=True, return_inverse=True)
    hits, predicted, true = (each[kind.ravel()] for each in partials(measure.raw, margins, one))
    return hits, predicted, true


def _has_no_order(measure: Measure, margins: list[Array]) -> bool:
    """Whether the classes in another order, drawn at random, have the same value; a value that is NaN counts as one."""
    order = np.random.default_rng(0).permutation(margins[0].size)
    if (
        order.size > 1 and order[-1] == order.size - 1
    ):  # where cases without an answer stand, see `among_answers`
        order = np.roll(order, 1)
    one, other = (float(measure.raw(*each)) for each in (margins, [part[order] for part in margins]))
    return bool(np.isclose(one, other, rtol=1e-9, atol=0, equal_nan=True))


def weighted_kappa_slopes(measure: Measure, matrix: ConfusionMatrix, predicted: Array, true: Array) -> Array:
    """Derivative of a weighted kappa by each of some cells, `(cells,)` (Fleiss, Cohen & Everitt 1969)."""
    n, power = float(matrix.total), 1 if measure.name == "linear_kappa" else 2
    p, t = matrix.margins.predicted / n, matrix.margins.true / n
    from_true, from_predicted = mean_distances(t, power), mean_distances(p, power)
    expected = float(p @ from_true)
    i, j, cases = matrix.occupied
    observed = float((cases * np.abs(i - j) ** power).sum()) / n
    slopes = observed / expected**2 * (from_true[predicted] + from_predicted[true])
    slopes = slopes - np.abs(predicted - true) ** power / expected
    return np.asarray((slopes - observed / expected) / n)


def cell_partials(measure: Measure, matrix: ConfusionMatrix, predicted: Array, true: Array) -> Array:
    """Derivative of a measure of a matrix by each of some cells, of their shape."""
    shape = matrix.counts.shape
    flat = np.asarray(predicted * shape[0] + true)

    def of_cells(cells: Array) -> Array:
        return np.asarray(measure.raw(ConfusionMatrix(cells.reshape(-1, *shape), matrix.labels)))

    return np.reshape(partials(of_cells, [matrix.counts.ravel()], flat.ravel())[0], flat.shape)


def delta_variance(cells: Array, slopes: Array) -> float:
    """Variance of a smooth function of multinomial cells, sum c·g² - (sum c·g)²/n with g its derivatives.

    Agresti 2013, Categorical Data Analysis, 3rd ed., section 16.1.
    """
    mean = (cells * slopes).sum() / cells.sum()
    return float((cells * (slopes - mean) ** 2).sum())
