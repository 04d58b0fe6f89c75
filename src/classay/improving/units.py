"""Units: the rows of a test, or the clusters that they lie in, of which a mean is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Units:
    """How test rows count: by their sampling weights, and together with the rows of their cluster.

    `weight`, `(rows,)`, is None where all rows count the same; `cluster` are codes from 0 without a gap, None where
    rows are independent.
    """

    weight: Array | None = None
    cluster: Array | None = None

    @property
    def name(self) -> str:
        """What is independent."""
        return "row" if self.cluster is None else "cluster"

    @property
    def clusters(self) -> int | None:
        """Clusters that the rows lie in, None where rows are independent."""
        return None if self.cluster is None else int(self.cluster.max()) + 1

    def mean(self, values: Array) -> Array:
        """The mean over rows, the last axis, by their weights."""
        found: Array = np.average(values, axis=-1, weights=self.weight)
        return found

    def of(self, values: Array) -> Array:
        """Values of the independent units, whose plain mean is the mean over rows, and whose spread is its spread.

        For `(…, rows)` it is `(…, units)`. With m the mean over rows, e = Σ w (x - m) over the rows of one of the U
        units, and s its share of all weight, a unit has (U - 1) e / (Σw (1 - s)), moved so that the mean of them is m.
        Their variance over U is the jackknife's of m, which leaves out one unit at a time: units of one size have the
        linearised variance, large ones among small more, because each of them draws m towards itself.

        >>> Units(cluster=np.array([0, 0, 1])).of(np.array([1.0, 2.0, 6.0])).tolist()
        [0.75, 5.25]
        """
        if self.weight is None and self.cluster is None:
            return values
        weight = np.ones(values.shape[-1]) if self.weight is None else self.weight
        mean = self.mean(values)[..., None]
        parts = weight * (values - mean)
        if self.cluster is not None:
            order = np.argsort(self.cluster, kind="stable")
            starts = np.flatnonzero(np.diff(self.cluster[order], prepend=-1))
            parts = np.add.reduceat(parts[..., order], starts, axis=-1)
            weight = np.add.reduceat(weight[order], starts)
        total, units = weight.sum(), parts.shape[-1]
        moved = (units - 1) * parts / np.where(weight < total, total - weight, total)
        found: Array = moved - moved.mean(-1, keepdims=True) + mean
        return found


ALIKE = Units()
"""Rows that are independent and count the same."""
