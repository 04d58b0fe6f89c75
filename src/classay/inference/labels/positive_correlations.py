"""Correlations of numbers of tags, of which none is negative: a block of rows after another, or from sparse parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.tables.sums import is_rounding

Array = NDArray[Any]
BLOCK = 512
"""Tags whose covariances with all others are looked at together."""


class AbsentScores(NamedTuple):
    """Covariances m + a w' + w a': m, sparse, of the marks, and what true negatives add, `(numbers,)` each."""

    marks: Any
    a: Array
    w: Array


def standard_errors(variances: Array) -> Array:
    """The roots of variances of values of the size of 1; 0 of those that are rounding, which correlate at random.

    >>> standard_errors(np.array([0.25, 1e-33, -1e-33])).tolist()
    [0.5, 0.0, 0.0]
    """
    errors = np.sqrt(np.maximum(variances, 0.0))
    return np.asarray(np.where(is_rounding(errors, 1.0), 0.0, errors))


@dataclass(frozen=True, eq=False)
class PositiveCorrelations:
    """Correlations of which none is negative, a block of rows of the covariances after another.

    `sd`, `(numbers,)`, are the standard errors; a number without any is correlated with none. Of `absent`, if given,
    are the covariances, and not of the rows.
    """

    rows: Callable[[int, int], Any]
    sd: Array
    absent: AbsentScores | None = None

    def __matmul__(self, values: Array) -> Array:
        """R v of one vector, `(numbers,)`, or of several, `(numbers, vectors)`."""
        products = np.array(values, np.float64)
        scale = np.where(self.sd > 0, self.sd, np.inf)
        if self.absent is not None:
            marks, a, w = self.absent
            parts = marks.indptr, marks.indices, marks.data, a, w
            columns = products.reshape(scale.size, -1)
            add = add_correlated.for_rows(scale.size * scale.size)
            add(1 / scale, *parts, columns.copy(), columns)
            return products
        for first in range(0, scale.size, BLOCK):
            last = min(first + BLOCK, scale.size)
            part = self.rows(first, last)
            if hasattr(part, "tocsr"):
                products[first:last] += _positive(part, first, scale) @ values
                continue
            part = np.clip(part / scale[first:last, None] / scale, 0.0, 1.0)
            part[np.arange(last - first), np.arange(first, last)] = 1.0
            products[first:last] = part @ values
        return products


def _add_correlated(
    scale: Array, start: Array, column: Array, data: Array, a: Array, w: Array, values: Array, products: Array
) -> None:
    from scipy.sparse import csr_array

    size = scale.size
    marks = csr_array((data, column, start), (size, size))
    for first in range(0, size, BLOCK):
        at = slice(first, min(first + BLOCK, size))
        part = marks[at].toarray() + a[at, None] * w + w[at, None] * a
        part = np.clip(part * scale[at, None] * scale, 0.0, 1.0)
        part[np.arange(part.shape[0]), np.arange(at.start, at.stop)] = 0.0
        products[at] += part @ values


@kernel(
    twin=_add_correlated,
    assumes="start rises and ends within column, whose numbers are below the length of scale",
    nanoseconds=12,
    wide=("values", "products"),
)
def add_correlated(
    scale: Array, start: Array, column: Array, data: Array, a: Array, w: Array, values: Array, products: Array
) -> None:
    """Add values, `(numbers, vectors)`, times their positive correlations with other numbers.

    Covariances are the sparse ones that are held and a w' + w a'; `scale` is one over the standard errors.
    """
    size = scale.shape[0]
    row = np.empty(size)
    for i in range(size):
        for j in range(size):
            row[j] = a[i] * w[j] + w[i] * a[j]
        for at in range(start[i], start[i + 1]):
            row[column[at]] += data[at]
        row[i] = 0.0
        for j in range(size):
            row[j] = min(max(row[j] * scale[i] * scale[j], 0.0), 1.0)
        for vector in range(values.shape[1]):
            moved = 0.0
            for j in range(size):
                moved += row[j] * values[j, vector]
            products[i, vector] += moved


def _positive(rows: Any, first: int, scale: Array) -> Any:
    """Positive correlations with other numbers, from sparse rows of covariances, of which `first` is the first."""
    entries = rows.tocoo()
    correlations = np.clip(entries.data / scale[first + entries.row] / scale[entries.col], 0.0, 1.0)
    entries.data = np.where(first + entries.row == entries.col, 0.0, correlations)
    return entries
