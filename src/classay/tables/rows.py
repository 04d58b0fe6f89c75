"""CodedRows: the rows themselves, coded, kept only where a table cannot say which rows depend on each other."""

from __future__ import annotations

from collections.abc import Hashable, Sized
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels
from classay.columns.labels import united
from classay.compiled import kernel
from classay.errors import MergeError
from classay.once import memoize_with
from classay.tables.checks import checked_codes

Array = NDArray[Any]

_AT_ONCE = 1_000_000
"""Sums by cluster and group that are made at once."""
_PLACES = 8
"""Places a row up to which sums by cluster and group stand in a table, empty ones too."""
_SMALL = 32
"""Rows of a cluster up to which its pairs are fewer than the products of its sums by some hundred groups."""


class Clustered(Protocol):
    """Rows in clusters: the code of the cluster of each row, and its weight, None where all count alike."""

    @property
    def clusters(self) -> Sized:
        """The clusters."""

    @property
    def cluster(self) -> Array:
        """The code of the cluster of each row."""

    @property
    def weight(self) -> Array | None:
        """The weight of each row."""


@dataclass(frozen=True, eq=False)
class RowClusters:
    """Rows in clusters without names, whole numbers from 0 without gaps, `(rows,)`, and the weights of the rows."""

    cluster: Array
    weight: Array | None = None

    @property
    def clusters(self) -> range:
        """The clusters."""
        return range(int(self.cluster.max(initial=-1)) + 1)


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of clusters: which cluster, which true class, which prediction, which scores, what weight.

    `cluster` are codes into `clusters`, `true` and `predicted` codes into `labels`, shape `(rows,)`; `score` is
    `(rows,)` or, for several classes, `(rows, classes)`; `amounts` is `(rows, amounts)`. A frequency is a weight here:
    rows of one cluster are summed anyway.
    """

    clusters: tuple[Hashable, ...]
    labels: tuple[Hashable, ...]
    cluster: Array
    true: Array
    predicted: Array | None = None
    score: Array | None = None
    weight: Array | None = None
    amounts: Array | None = None

    def __post_init__(self) -> None:
        checked_codes(len(self.clusters), self.weight, cluster=self.cluster)
        predicted = {} if self.predicted is None else {"predicted": self.predicted}
        checked_codes(len(self.labels), self.weight, true=self.true, **predicted)

    def in_order(self) -> CodedRows:
        """The same rows in an order that depends on nothing but themselves, so that every sum has the same bits."""
        scores = [] if self.score is None else list(np.atleast_2d(self.score.T))
        amounts = [] if self.amounts is None else list(self.amounts.T)
        k, weight = len(self.labels), [] if self.weight is None else [self.weight]
        code = self.cluster.astype(np.int64) * k + self.true  # the last key is the first to go by
        code = code if self.predicted is None else code * k + self.predicted
        digits = _digits(code, len(self.clusters) * k * k)
        if len(scores) == 1 and not amounts and not weight:  # rows that tie are alike: no need to sort stably
            order = np.argsort(scores[0])
            for digit in digits:
                order = order[np.argsort(digit[order], kind="stable")]
        else:
            order = np.lexsort([*amounts, *scores, *weight, *digits])

        def sort(values: Array | None) -> Array | None:
            return None if values is None else values[order]

        return CodedRows(
            self.clusters,
            self.labels,
            self.cluster[order],
            self.true[order],
            sort(self.predicted),
            sort(self.score),
            sort(self.weight),
            sort(self.amounts),
        )

    def over(self, labels: tuple[Hashable, ...]) -> CodedRows:
        """Return the same rows with codes into a larger set of labels."""
        if labels == self.labels:
            return self
        place = {label: i for i, label in enumerate(labels)}
        at = np.array([place[label] for label in self.labels], np.int64)
        predicted = None if self.predicted is None else at[self.predicted]
        return replace(self, labels=labels, true=at[self.true], predicted=predicted)

    def sums(self, values: Array) -> Array:
        """Sum of `values`, `(rows,)`, times the weight of each row, over each cluster, `(clusters,)`."""
        weighted = values if self.weight is None else values * self.weight
        return np.bincount(self.cluster, weights=weighted, minlength=len(self.clusters))

    def __add__(self, other: CodedRows) -> CodedRows:
        named = (("here", Labels.of(self.clusters)), ("there", Labels.of(other.clusters)))
        clusters = united(named, "clusters")
        labels = Labels.of(self.labels) | Labels.of(other.labels)

        def joined(name: str) -> Array | None:
            parts = [getattr(self, name), getattr(other, name)]
            if (parts[0] is None) != (parts[1] is None):
                raise MergeError(
                    f"Only one assessment has {name.removesuffix('s')}s of rows. Assess both in the same way."
                )
            return None if parts[0] is None else np.concatenate(parts)

        def recoded(name: str, old: str, new: tuple[Hashable, ...]) -> Array | None:
            codes = [getattr(part, name) for part in (self, other)]
            if codes[0] is None or codes[1] is None:
                return joined(name)
            moved = []
            for part, code in zip((self, other), codes, strict=True):
                at = {label: i for i, label in enumerate(new)}
                moved.append(np.array([at[label] for label in getattr(part, old)], np.int64)[code])
            return np.concatenate(moved)

        cluster, true = recoded("cluster", "clusters", clusters), recoded("true", "labels", labels)
        assert cluster is not None
        assert true is not None
        return CodedRows(
            clusters,
            labels,
            cluster,
            true,
            recoded("predicted", "labels", labels),
            joined("score"),
            joined("weight"),
            joined("amounts"),
        ).in_order()


@dataclass(frozen=True, eq=False)
class RowCells:
    """The cell of a table that each row is counted in, `(rows,)`. Called, it makes values by cell values by row.

    `of_clusters`, `(clusters, cells)`, is the weight of the rows of each cluster in each cell, kept where it is less
    than the rows: sums over clusters are then found without looking at a row.
    """

    at: Array
    of_clusters: Array | None = None

    @classmethod
    def of(cls, rows: Clustered, at: Array, cells: int) -> RowCells:
        """From rows that are counted in `cells` cells."""
        clusters = len(rows.clusters)
        if clusters * cells > at.size:
            return cls(at)
        both = rows.cluster.astype(np.int64) * cells + at
        counts = np.bincount(both, rows.weight, clusters * cells)
        return cls(at, counts.reshape(clusters, cells).astype(np.float64))

    def __call__(self, values: Array) -> Array:
        """Values by cell as values by row."""
        return np.asarray(values.reshape(-1)[self.at])

    def moved(self, to: Array) -> RowCells:
        """Return the same for a table whose cells have other places: cell i becomes cell `to[i]`."""
        return RowCells(
            to[self.at], None if self.of_clusters is None else self.of_clusters[:, np.argsort(to)]
        )

    def sums(self, rows: Clustered, values: Array) -> Array:
        """Sum over the rows of each cluster of values by cell, times the weight of the row, `(clusters,)`."""
        if self.of_clusters is None:
            cluster_sums: Array = self._by_group(rows, values, None, 1)[0]
            return cluster_sums
        is_occupied = self.of_clusters.any(0)  # what no row has may be infinite
        return np.asarray(self.of_clusters @ np.where(is_occupied, values.reshape(-1), 0.0))

    def sums_by_group(self, rows: Clustered, values: Array, group: Array, groups: int) -> tuple[Array, Array]:
        """Sums of several values, times the weight of the row, over each cluster's rows in each group of cells.

        `values`, `(values, cells)`, and `group`, `(cells,)`, are of each cell. Returns the group of each sum and the
        sums, `(values, sums)`: for every cluster and group or, where these are many, for the pairs that hold a row.
        """
        clusters = len(rows.clusters)
        if self.of_clusters is not None:
            is_occupied = self.of_clusters.any(0)  # what no row has may be infinite
            of = np.eye(groups)[group]
            group_sums = [(self.of_clusters * np.where(is_occupied, vector, 0.0)) @ of for vector in values]
            return np.tile(np.arange(groups), clusters), np.stack(group_sums).reshape(len(values), -1)
        if self._is_dense(rows, groups):
            group_sums = [self._by_group(rows, vector, group, groups).ravel() for vector in values]
            return np.repeat(np.arange(groups), clusters), np.stack(group_sums)
        at = rows.cluster.astype(np.int64) * groups + group[self.at]
        pairs, at = np.unique(at, return_inverse=True)
        weight = 1.0 if rows.weight is None else rows.weight
        return pairs % groups, np.stack(
            [np.bincount(at, vector[self.at] * weight, pairs.size) for vector in values]
        )

    def squares(self, rows: Clustered, values: Array, group: Array, groups: int) -> Array:
        """Return the sum over clusters of the squares of their sums in each group of cells, `(groups,)`.

        `values` and `group` are of each cell, of any shape.
        """
        if self._is_dense(rows, groups):
            group_squares: Array = (self._by_group(rows, values, group, groups) ** 2).sum(1)
            return group_squares
        pair = rows.cluster.astype(np.int64) * groups + self(group)
        weighted = self(values) if rows.weight is None else self(values) * rows.weight
        met, at = np.unique(pair, return_inverse=True)
        return np.bincount(met % groups, np.bincount(at, weighted) ** 2, groups)

    def products(self, rows: Clustered, values: Array, group: Array, groups: int) -> Array:
        """Return the sum over the clusters of S S', S their sums by group of cells, `(groups, groups)`."""
        if self._is_dense(rows, groups):
            return _multiplied(self._by_group(rows, values, group, groups))
        return products_by_group(rows, self(values), self(group), groups)

    def _is_dense(self, rows: Clustered, groups: int) -> bool:
        """Check whether sums by cluster and group stand in a table, empty ones too."""
        return len(rows.clusters) * groups <= _PLACES * self.at.size

    def _by_group(self, rows: Clustered, values: Array, group: Array | None, groups: int) -> Array:
        """Sums over each cluster's rows in each group of cells, times the weight of the row, `(groups, clusters)`."""
        clusters = len(rows.clusters)
        sums, cell_values = np.zeros(groups * clusters), np.asarray(values, np.float64).reshape(-1)
        of = np.zeros(0, np.int64) if group is None else group.reshape(-1).astype(np.int64)
        sum_by_cluster(*_by_cell(self, rows), cell_values, of, clusters, sums)
        return sums.reshape(groups, clusters)


@memoize_with
def _by_cell(cells: RowCells, rows: Clustered) -> tuple[Array, Array, Array]:
    """The cell, cluster and weight of each row, a cell after another: its values are read in order, as they stand.

    The weights are empty where all rows count alike.
    """
    order = _order(cells.at)
    weight = np.zeros(0) if rows.weight is None else rows.weight[order].astype(np.float64)
    return cells.at[order].astype(np.int64), rows.cluster[order].astype(np.int64), weight


def _sum_by_cluster(
    at: Array, cluster: Array, weight: Array, values: Array, group: Array, clusters: int, out: Array
) -> None:
    weighted = values[at] * weight if weight.size else values[at]
    out += np.bincount(group[at] * clusters + cluster if group.size else cluster, weighted, out.size)


@kernel(twin=_sum_by_cluster, assumes="at are cells, and out has room for every group and cluster")
def sum_by_cluster(
    at: Array, cluster: Array, weight: Array, values: Array, group: Array, clusters: int, out: Array
) -> None:
    """Sums of the values of rows' cells by group of cells and cluster, times the weights of rows.

    All are one group where `group` is empty, and count alike where `weight` is.
    """
    for i in range(at.size):
        cell = at[i]
        value = values[cell]
        if weight.size:
            value *= weight[i]
        place = cluster[i]
        if group.size:
            place += group[cell] * clusters
        out[place] += value


def _order(codes: Array) -> Array:
    """Return the stable order of codes: NumPy sorts sixteen bits digit by digit.

    >>> _order(np.array([3, 1 << 20, 1, 3]))
    array([2, 0, 3, 1])
    """
    return np.lexsort(_digits(codes, int(codes.max(initial=0)) + 1))


def _digits(codes: Array, many: int) -> list[Array]:
    """Codes, of so many, in columns of sixteen bits, the lowest first."""
    width = max(1, -(-(many - 1).bit_length() // 16))
    codes = codes.astype(np.int64, copy=False)  # of bytes there is no sixteenth bit
    return [(codes >> (16 * i) & 0xFFFF).astype(np.uint16) for i in range(width)]


def products_by_group(rows: Clustered, values: Array, group: Array, groups: int) -> Array:
    """Return the sum over the clusters of S S', S the sums of `values` by group of rows, `(groups, groups)`.

    `values` and `group`, `(rows,)`, are of each row. Of small clusters the pairs of rows are summed; of large ones
    the sums by group are multiplied.
    """
    weighted = values if rows.weight is None else values * rows.weight
    order = np.argsort(rows.cluster, kind="stable")
    cluster, weighted, group = (
        rows.cluster[order].astype(np.int64),
        weighted[order],
        group[order].astype(np.int64),
    )
    size = np.bincount(cluster, minlength=len(rows.clusters))
    if size.size * groups <= _PLACES * weighted.size:
        return _by_sums(cluster, weighted, group, groups)
    is_small = (size <= _SMALL)[cluster]
    of_large = np.cumsum(size > _SMALL)[cluster[~is_small]] - 1
    return _by_pairs(cluster[is_small], weighted[is_small], group[is_small], groups) + _by_sums(
        of_large, weighted[~is_small], group[~is_small], groups
    )


def _by_pairs(cluster: Array, values: Array, group: Array, groups: int) -> Array:
    """Products of the values of two rows of a cluster, summed by the groups of both; clusters in order."""
    products = np.bincount(group * (groups + 1), values * values, groups * groups)
    for lag in range(1, _SMALL):
        same = np.flatnonzero(cluster[lag:] == cluster[:-lag])
        if not same.size:
            break
        other = same + lag
        both = values[same] * values[other]
        products += np.bincount(group[same] * groups + group[other], both, groups * groups)
        products += np.bincount(group[other] * groups + group[same], both, groups * groups)
    return products.reshape(groups, groups)


def _by_sums(cluster: Array, values: Array, group: Array, groups: int) -> Array:
    """Return the same by the sums of each cluster over each group, a block of clusters after another."""
    products, clusters, block = (
        np.zeros((groups, groups)),
        int(cluster.max(initial=-1)) + 1,
        max(1, _AT_ONCE // groups),
    )
    for first in range(0, clusters, block):
        last = min(first + block, clusters)
        block_rows = slice(*np.searchsorted(cluster, [first, last]))
        at = (cluster[block_rows] - first) * groups + group[block_rows]
        sums = np.bincount(at, values[block_rows], (last - first) * groups).reshape(-1, groups)
        products += sums.T @ sums
    return products


def _multiplied(sums: Array) -> Array:
    """S S' of sums by group and cluster, `(groups, clusters)`, a block of clusters after another."""
    products = np.zeros((len(sums),) * 2)
    block = max(1, _AT_ONCE // len(sums))
    for first in range(0, sums.shape[1], block):
        part = sums[:, first : first + block]
        products += part @ part.T
    return products
