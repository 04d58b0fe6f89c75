"""Wilson along the way: limits of a function of independent shares, the direction found anew at the point reached.

Cells have a cheap mark (a grade, a score, a predicted label) and some of their cases a label. A measure is then a
function g(p₁ … p_H) of the shares of positives in the cells. Each cell moves from its share to Wilson's limit at its
part of the quantile, in the direction that moves the measure. For a linear g this is `shared_quantile` of
`inference.labels.shares`. For recall, whose derivative by the called cells is 0 where no other positive was found, the
directions at the estimate alone would cover 62 to 81% at a level of 95%. All arrays have the cells as their last axis,
and any axes before it, such as groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.measures.registry import Measure

Array = NDArray[Any]
PASSES = 4
METHOD = "Wilson along the way"
_STEP = 1e-30
_LEAST = 1e-9
"""Cases that derivatives take an empty cell of the confusion matrix for, which would not move otherwise."""
_NEAR_Z, _MOST_Z, _SAME = 8.0, 40.0, 1e-14


def wilson_end(shares: Array, counts: Array, z: Any, side: Any) -> Array:
    """Return Wilson's limit of each share on a side, -1 or 1; exactly 0 or 1 at the ends, the share of endless counts.

    >>> shares, counts = np.array([0.6, 0.0, 0.3]), np.array([10.0, 10.0, np.inf])
    >>> print(wilson_end(shares, counts, 1.96, np.array([1, -1, 1])).round(4))
    [0.8318 0.     0.3   ]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(counts > 0, np.square(z) / counts, 0.0)
    half = np.sqrt(part * np.clip(shares * (1 - shares), 0, None) + part * part / 4)
    moved = np.clip((shares + part / 2 + side * half) / (1 + part), 0.0, 1.0)
    stays = (np.asarray(side) == 0) | ((shares == 0) & (side < 0)) | ((shares == 1) & (side > 0))
    return np.where(stays, shares, moved)


def finite_counts(counts: Array, sizes: Array) -> Array:
    """Return the labels that say as much of endless cases as these of `sizes`; endless where all are labelled.

    >>> print(finite_counts(np.array([30.0, 40.0]), np.array([300.0, 40.0])).round(4))
    [33.2222     inf]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts > 0, counts * (sizes - 1) / np.maximum(sizes - counts, 0.0), 0.0)


@dataclass(frozen=True, eq=False)
class CellShares:
    """A measure of shares of cells: its value and its slopes at any shares, what the sizes of the cells add, its range.

    `shares` and `counts` are `(…, cells)`. `sizes_error` is the standard error that the sizes of the cells add to the
    measure, `(…)`, 0 where the cases themselves are meant.
    """

    shares: Array
    counts: Array
    value: Callable[[Array], Array]
    slopes: Callable[[Array], Array]
    sizes_error: Array | float = 0.0
    bounds: tuple[float, float] = (0.0, 1.0)
    passes: int = PASSES

    def limits(self, z: Array | float) -> tuple[Array, Array]:
        """Return both limits at a quantile, `(…)`."""
        quantile, error = np.asarray(z, float), np.asarray(self.sizes_error, float)
        estimate = np.asarray(self.value(self.shares))
        return self._end(-1, quantile, error, estimate), self._end(1, quantile, error, estimate)

    def _end(self, side: int, z: Array, error: Array, estimate: Array) -> Array:
        at, length, quantile = self.shares, error, z
        for _ in range(self.passes):
            slopes = self.slopes(at)
            up = np.sign(slopes * side)
            moved = np.abs(self.ends(1.0, up) - self.shares)
            offs = np.where(slopes == 0, 0.0, np.abs(slopes) * moved)
            length = np.sqrt((offs * offs).sum(-1) + error * error)
            with np.errstate(divide="ignore", invalid="ignore"):
                part = np.where(length[..., None] > 0, offs / length[..., None], 0.0)
            quantile = self.quantile(z, offs, length)
            at = self.ends(quantile[..., None] * part, up)
        with np.errstate(divide="ignore", invalid="ignore"):
            of_sizes = np.where(length > 0, error * error / length, 0.0)
        end = np.clip(self.value(at) + side * quantile * of_sizes, *self.bounds)
        return np.where(length == 0, estimate, end)

    def ends(self, z: Any, side: Array) -> Array:
        """Return the limit of each cell on its side."""
        return wilson_end(self.shares, self.counts, z, side)

    def quantile(self, z: Array, offs: Array, length: Array) -> Array:
        """Return the quantile for cells that move the measure by `offs`, `length` together."""
        return z

    def p_value(self, null: float) -> Array:
        """Return the level at which the interval touches `null`, as a p-value, `(…)`."""
        return inverted(self.limits, np.asarray(self.value(self.shares)), null)


def inverted(limits: Callable[[Array], tuple[Array, Array]], value: Array, null: float) -> Array:
    """Return the p-value at which intervals, a function of the quantile, touch `null`: by the Illinois rule.

    >>> p = inverted(lambda z: (1 - z, 1 + z), np.array(1.0), 3.0)
    >>> round(float(p), 6)
    0.0455
    """
    from scipy.special import ndtr

    def gap(z: Array) -> Array:
        low, high = limits(z)
        return np.where(value > null, low - null, null - high)

    outer = np.full(np.shape(value), _NEAR_Z)
    outer = np.where(gap(outer) > 0, _MOST_Z, outer)
    inner, above, below = np.zeros(np.shape(value)), np.abs(value - null), np.minimum(gap(outer), 0.0)
    z, was_inside = inner, np.zeros(np.shape(value))
    for _ in range(60):
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(above - below > 0, inner + (outer - inner) * above / (above - below), inner)
        off = gap(z)
        is_inside = np.where(off > 0, 1, -1)
        stays = is_inside == was_inside
        below = np.where(off > 0, np.where(stays, below / 2, below), off)
        above = np.where(off > 0, off, np.where(stays, above / 2, above))
        inner, outer, was_inside = np.where(off > 0, z, inner), np.where(off > 0, outer, z), is_inside
        if not (np.abs(off) >= _SAME).any():
            break
    return np.where(np.isnan(value), np.nan, 2 * ndtr(-z))


def linear(
    weights: Array, shares: Array, counts: Array, error: Array | float, bounds: tuple[float, float] = (0, 1)
) -> CellShares:
    """Return Σ W p, such as the share of positives, with the standard error that the sizes add."""
    return CellShares(
        shares, counts, lambda p: (weights * p).sum(-1), lambda p: np.broadcast_to(weights, p.shape), error, bounds, 1
    )  # fmt: skip


def share_of_sizes(sizes: Array) -> Array:
    """Return each cell's share of the cases, 0 without cases.

    >>> print(share_of_sizes(np.array([[30, 10], [0, 0]])))
    [[0.75 0.25]
     [0.   0.  ]]
    """
    total = sizes.sum(-1, keepdims=True)
    return np.asarray(sizes / np.where(total > 0, total, 1))


def sizes_error(weights: Array, by_size: Array, cases: Array | float) -> Array:
    """Return √(Σ W a² / N): what the sizes of cells add where N cases are a sample; `by_size` are centred slopes."""
    centred = by_size - (weights * by_size).sum(-1, keepdims=True)
    return np.asarray(np.sqrt((weights * centred * centred).sum(-1) / cases))


def of_counts(measure: Measure, tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """Return a measure of the four counts, or of the hits, predicted and true cases of both classes."""
    table: tuple[Array, ...] = (tp, fp, fn, tn)
    if measure.needs == "margins":
        pairs = ((tn, tp), (tn + fn, tp + fp), (tn + fp, tp + fn))
        table = tuple(np.stack(np.broadcast_arrays(*pair), -1) for pair in pairs)
    with np.errstate(invalid="ignore"):  # counts may be unknown
        return np.asarray(measure.raw(*table))


@dataclass(frozen=True, eq=False)
class CalledCells:
    """Cells whose cases are predicted positive or not, `(cells,)`, with their `sizes`, `(…, cells)`."""

    sizes: Array
    is_called: Array

    def totals(self, shares: Array) -> tuple[Array, Array, Array, Array]:
        """Return TP, FP, FN and TN at shares of positives, as shares of all cases, `(…)` each."""
        weights = share_of_sizes(self.sizes)
        yes, no = weights * shares, weights * (1 - shares)
        called, others = self.is_called, ~self.is_called
        return tuple(part[..., of].sum(-1) for of in (called, others) for part in (yes, no))

    def slopes(self, measure: Measure, shares: Array) -> tuple[Array, Array]:
        """Return the derivatives of a measure of four counts by the shares and by the sizes of the cells."""
        counts = [
            np.maximum(part, _LEAST / np.maximum(self.sizes.sum(-1), 1.0)) for part in self.totals(shares)
        ]
        by: list[Array] = []
        for k in range(4):
            moved = [part + (1j * _STEP if k == at else 0.0) for at, part in enumerate(counts)]
            by.append((np.imag(of_counts(measure, *moved)) / _STEP)[..., None])
        yes, no = (np.where(self.is_called, by[k], by[k + 2]) for k in (0, 1))
        weights = share_of_sizes(self.sizes)
        return weights * (yes - no), yes * shares + no * (1 - shares)

    def of(
        self, measure: Measure, shares: Array, counts: Array, *, is_finite: bool = False, wider: Any = 1.0
    ) -> CellShares:
        """Return a measure of four counts, such as recall, of cells with these shares and numbers of labels.

        The error of the sizes grows by the root of `wider`, the design effect of clusters, `(…)`.
        """
        total = np.maximum(self.sizes.sum(-1), 1.0)
        error = sizes_error(share_of_sizes(self.sizes), self.slopes(measure, shares)[1], total)
        return CellShares(
            shares,
            counts,
            lambda p: of_counts(measure, *self.totals(p)),
            lambda p: self.slopes(measure, p)[0],
            0.0 * error if is_finite else error * np.sqrt(wider),
            measure.bounds,
        )
