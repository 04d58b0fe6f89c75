"""Resamples of scored cases with their amounts, and the cases that each leaves out, as sums with a leading axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.decision.cuts import Sums
from classay.inference.bootstrap.canonical import order_of_clusters, row_numbers
from classay.inference.bootstrap.label_samples import ClusterSums, unit_draws
from classay.inference.bootstrap.sampling import CellDraws, blocks
from classay.inference.bootstrap.scored_cases import ScoredCases
from classay.inference.draws import stream
from classay.measures.calibration.bins import mass_cuts
from classay.tables import ScoreTable

Array = NDArray[Any]
REPLICATES = 1000
GROUPS = 1000
"""Distinct scores beyond which neighbours are resampled together, each group 1 / 1,000 of both classes' shares."""
MOST_ROWS_DRAWN = 10**8
FEWEST = 200
NEVER = -800.0
"""The logarithm of a chance that is none."""
LEFT_OUT = float(np.exp(-1))
"""The share of cases that a resample leaves out."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The scores in groups of neighbours: where each starts and ends, and its lowest score, descending."""

    starts: Array
    lowest: Array

    @classmethod
    def of(cls, table: ScoreTable, cut: int) -> Groups:
        """Groups of which one ends at a cut of the table: all scores where they are few."""
        m = table.scores.size
        if m <= GROUPS:
            cuts = np.arange(m + 1)
        else:
            parts = table.positives, table.negatives
            shares = (np.asarray(each, float) / max(float(each.sum()), 1e-300) for each in parts)
            cuts = mass_cuts(*shares, GROUPS).astype(np.int64)
        cuts = np.unique(np.concatenate([cuts, [0, min(max(cut, 0), m), m]]))
        return cls(cuts[:-1], table.thresholds[cuts[1:] - 1].astype(np.float64))

    def sums(self, values: Array) -> Array:
        """Sums over each group of values by score, `[..., score]`."""
        return np.add.reduceat(values, self.starts, axis=-1).astype(np.float64)

    def grouped(self, sums: Sums) -> Sums:
        """The sums by group."""
        return Sums(self.sums(sums.positive), self.sums(sums.negative))


def resamples(
    cases: ScoredCases, groups: Groups, amounts: Array | None = None
) -> Iterator[tuple[Sums, Sums]]:
    """Batches of resamples: the sums of the cases drawn, and of those left out, `[replicate, z, group]`.

    Cases are drawn with replacement, or whole clusters. Several cases in one group and class are drawn as one
    multinomial distribution; of those left out there are as many as are expected, and their amounts are
    those of the group, less what the amounts drawn are above it. `amounts` are those of the rows of clusters.
    """
    rng = stream(cases.seed, "resampled thresholds")
    if cases.rows is not None:
        yield from _of_clusters(cases, groups, amounts, rng)
    else:
        yield from _of_cases(cases.table, groups, rng)


def _of_cases(table: ScoreTable, groups: Groups, rng: np.random.Generator) -> Iterator[tuple[Sums, Sums]]:
    sums = groups.grouped(Sums.of(table))
    z = np.stack([sums.positive, sums.negative], 1)  # [z, class, group]
    counts, spread = _cells(table, groups, z)
    held = counts > 0
    each = np.divide(z, counts, out=np.zeros_like(z), where=held)
    missed = np.where(counts > 1, np.log1p(-1 / np.maximum(counts, 2.0)), NEVER)
    cells = CellDraws(counts[held].astype(np.int64), ((0, int(held.sum())),))
    for found in blocks(cells, REPLICATES, rng, z.size):
        drawn = np.zeros((len(found), *counts.shape))
        drawn[:, held] = found
        left = np.exp(drawn * missed)
        left *= counts
        inside, outside = (every[:, None] * each for every in (drawn, left))
        if spread.any():
            noise = spread * np.sqrt(drawn)[:, None] * rng.standard_normal((drawn.shape[0], *spread.shape))
            inside[:, 1:] += noise
            outside[:, 1:] -= LEFT_OUT * noise
        yield Sums(inside[:, :, 0], inside[:, :, 1]), Sums(outside[:, :, 0], outside[:, :, 1])


def _cells(table: ScoreTable, groups: Groups, z: Array) -> tuple[Array, Array]:
    """Cases in each class and group, `[class, group]`, and the spread of their amounts, `[amount, class, group]`.

    Cases with sampling weights count as equally many alike, one at least where there is any.
    """
    counts = z[0]
    if table.positive_squares is not None and table.negative_squares is not None:
        squares = np.stack([groups.sums(table.positive_squares), groups.sums(table.negative_squares)])
        counts = np.divide(z[0] ** 2, squares, out=np.zeros_like(squares), where=squares > 0)
        counts = np.where(counts > 0, np.maximum(np.rint(counts), 1.0), 0.0)
    if table.amounts is None:
        return counts, np.zeros((0, *counts.shape))
    q = len(table.amounts.names)
    at = np.arange(q)
    products = groups.sums(table.amounts.products[1 + at, at])[:, ::-1]  # positives first
    mean = np.divide(z[1:], counts, out=np.zeros_like(z[1:]), where=counts > 0)
    variance = np.divide(products, counts, out=np.zeros_like(mean), where=counts > 0) - mean**2
    rounding = 1e-9 * mean**2
    return counts, np.sqrt(np.where(variance > rounding, variance, 0.0))


def _of_clusters(
    cases: ScoredCases, groups: Groups, amounts: Array | None, rng: np.random.Generator
) -> Iterator[tuple[Sums, Sums]]:
    rows = cases.rows
    assert rows is not None
    assert rows.cluster is not None
    g = groups.lowest.size
    cell = np.searchsorted(-groups.lowest, -rows.score.astype(np.float64)) + np.where(rows.positive, 0, g)
    own = [] if amounts is None else [*amounts.T]
    weight = np.ones(cell.size) if rows.weight is None else rows.weight
    z = np.stack([np.ones(cell.size), *own]) * weight
    cluster = order_of_clusters(rows.cluster, row_numbers([cell, *own]), weight)
    units, _ = unit_draws(None, cell.size, cluster)
    sums = [ClusterSums.of(cluster, cell, each, units.units, 2 * g) for each in z]
    replicates = int(np.clip(MOST_ROWS_DRAWN // max(1, rows.score.size), FEWEST, REPLICATES))
    for drawn in blocks(units, replicates, rng, max(4 * g * len(z), *(each.width for each in sums))):
        inside, outside = (
            Sums(every[..., :g], every[..., g:])
            for every in (np.stack([each.drawn(times) for each in sums], 1) for times in (drawn, drawn == 0))
        )
        yield inside, outside
