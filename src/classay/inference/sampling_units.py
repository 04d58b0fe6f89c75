"""Units: what was drawn independently, each case or each cluster, and the spread that this gives a sum."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.measures import Measure
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from classay.tables.rows import CodedRows

Array = NDArray[Any]
FEWEST = 20
"""Clusters in common below which their correlation says too little."""
MOST_BLOCKS = 64
"""Blocks of clusters left out in turn; more would hardly make a correlation more certain."""


def blocks_of(clusters: tuple[Hashable, ...]) -> dict[Hashable, int]:
    """The block of each cluster: one of its own, or with more than 64 clusters one of 64."""
    return {cluster: i % MOST_BLOCKS for i, cluster in enumerate(clusters)}


def without_blocks(
    measure: Measure,
    table: BinaryCounts | ConfusionMatrix | ScoreTable,
    rows: CodedRows,
    cells: Callable[[Array], Array],
    blocks: Mapping[Hashable, int],
) -> Array:
    """A measure without each block of clusters in turn, `(blocks,)`; NaN where it is undefined then.

    `cells` makes values by cell of the table values by row, as in `dependent.clustered`.
    """
    block = np.array([blocks[cluster] for cluster in rows.clusters])[rows.cluster]
    weight = np.ones(block.size) if rows.weight is None else rows.weight
    shape = (2, table.scores.size) if isinstance(table, ScoreTable) else np.shape(_counts(table))
    size = int(np.prod(shape))
    cell = cells(np.arange(size).reshape(shape))
    whole = np.bincount(cell, weight, size)
    count = max(blocks.values()) + 1
    order = np.argsort(block, kind="stable")
    ends = np.cumsum(np.bincount(block, minlength=count))
    found = np.empty(count)
    for i, held in enumerate(np.split(order, ends[:-1])):
        left = whole - np.bincount(cell[held], weight[held], size)
        found[i] = measure(_like(table, left.reshape(shape)))
    return found


def correlation(first: Array, second: Array) -> float:
    """Correlation of the errors of two estimates, from their values without each block in turn (jackknife).

    0 where one of them does not vary, or is undefined or infinite without some block.
    """
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return 0.0
    apart = [each - each.mean() for each in (first, second)]
    scale = float(np.sqrt((apart[0] ** 2).sum() * (apart[1] ** 2).sum()))
    return float((apart[0] * apart[1]).sum()) / scale if scale > 0 else 0.0


def _counts(table: BinaryCounts | ConfusionMatrix) -> Array:
    return np.array(table, float) if isinstance(table, BinaryCounts) else table.counts


def _like(table: BinaryCounts | ConfusionMatrix | ScoreTable, counts: Array) -> Any:
    if isinstance(table, BinaryCounts):
        return BinaryCounts(*counts)
    if isinstance(table, ConfusionMatrix):
        return ConfusionMatrix(counts, table.labels)
    positives, negatives = np.maximum(counts, 0)  # sums of weights may leave a rounding error behind
    return ScoreTable(table.scores, positives, negatives, table.labels)
