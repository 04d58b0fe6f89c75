"""The cases behind a curve, and resamples of them as score tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.bootstrap.canonical import order_of_clusters
from classay.inference.bootstrap.label_samples import ClusterSums, unit_draws
from classay.inference.bootstrap.sampling import CellDraws, UnitDraws, blocks
from classay.inference.bootstrap.score_samples import ScoredRows
from classay.inference.draws import stream
from classay.measures.calibration.bins import mass_cuts
from classay.tables import ScoreTable
from classay.tables.running import equal_cases

Array = NDArray[Any]
GROUPS = 20_000
"""Distinct scores beyond which neighbours are resampled together: in a group is 1 / 20,000 of both classes' shares."""
FEW_CLUSTERS = 20
"""Clusters below which resampling them shows too little of how they differ."""


@dataclass(frozen=True, eq=False)
class ScoredCases:
    """The table of a score, the level and the seed of intervals; and the rows, where they belong to clusters.

    Clusters are then what is resampled, each with all its rows. `number` is how many cases there are, where weights do
    not say it.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False]))
    >>> [int(each.n_positive + each.n_negative) for each in ScoredCases(table).resamples(3, "example")]
    [3, 3, 3]
    """

    table: ScoreTable
    rows: ScoredRows | None = None
    level: float = 0.95
    seed: int = 0
    number: int | None = None

    @property
    def weight_per_case(self) -> float:
        """The mean weight of a case: 1 where all count alike."""
        if self.number is None:
            return 1.0
        return float(self.table.n_positive + self.table.n_negative) / self.number

    @property
    def why_not_resampled(self) -> str | None:
        """Why no interval can be had by resampling, or None."""
        if self.rows is None:
            return None
        assert self.rows.cluster is not None
        clusters = int(self.rows.cluster.max(initial=-1)) + 1
        return f"there are only {clusters} clusters to resample" if clusters < FEW_CLUSTERS else None

    @property
    def unit(self) -> str:
        """What a resample draws, as the name of its bootstrap."""
        if self.rows is not None:
            return "cluster"
        return "Bayesian" if self.table.is_weighted else "cohort"

    def resamples(self, replicates: int, name: str) -> Iterator[ScoreTable]:
        """Tables of as many cases, or clusters, drawn with replacement; the stream depends on seed and name.

        Cases with sampling weights are all kept, each with its weight times a draw from the exponential distribution:
        the Bayesian bootstrap (Rubin 1981, Annals of Statistics 9:130), whose sums at a score are gamma distributed.
        Beyond 20,000 distinct scores, those of groups of neighbours, at the lowest score of each group.
        """
        groups, rng = grouped(self.table), stream(self.seed, name)
        if self.rows is None and groups.is_weighted:
            return _of_weights(groups, replicates, rng)
        draws, tables = _of_cells(groups) if self.rows is None else _of_clusters(groups, self.rows)
        blocked = blocks(draws, replicates, rng, 2 * groups.scores.size)
        return (table for drawn in blocked for table in tables(drawn))


def grouped(table: ScoreTable, groups: int = GROUPS) -> ScoreTable:
    """The table with neighbouring scores together, at the lowest of each group, where it has more scores.

    Every group holds about the same part of the two classes' shares, so no rate jumps by more than 2 / groups
    unless one score alone makes it.

    >>> table = ScoreTable.from_rows(np.arange(1000) / 1000, np.arange(1000) % 3 == 0)
    >>> grouped(table, 10).scores.size
    10
    """
    if table.scores.size <= groups:
        return table
    shares = (each / (float(each.sum()) or 1.0) for each in (table.positives, table.negatives))
    cuts = np.unique(mass_cuts(*shares, groups)).astype(np.int64)
    starts, ends = cuts[:-1], cuts[1:] - 1
    counts = table.positives, table.negatives, table.positive_squares, table.negative_squares
    sums = [None if each is None else np.add.reduceat(each, starts) for each in counts]
    return ScoreTable(table.scores[ends], sums[0], sums[1], table.labels, *sums[2:])  # type: ignore[arg-type]


Tables = Callable[[Array], Iterator[ScoreTable]]
"""From draws, `[replicate, unit]`, to the table of each replicate."""


def _of_cells(table: ScoreTable) -> tuple[CellDraws, Tables]:
    """Cases drawn by score and class: one draw from a multinomial distribution."""
    both = np.concatenate([table.positives, table.negatives])
    held, m = np.flatnonzero(both), table.scores.size

    def tables(drawn: Array) -> Iterator[ScoreTable]:
        for each in drawn:
            counts = np.zeros(both.size, np.int64)
            counts[held] = each
            yield replace(table, positives=counts[:m], negatives=counts[m:])

    return CellDraws(both[held], ((0, held.size),)), tables


def _of_weights(table: ScoreTable, replicates: int, rng: np.random.Generator) -> Iterator[ScoreTable]:
    """Sums of weights times exponential draws: their mean the weight, their variance the sum of squares."""
    weight = np.concatenate([table.positives, table.negatives])
    assert table.positive_squares is not None
    assert table.negative_squares is not None
    squares = np.concatenate([table.positive_squares, table.negative_squares])
    held, m = np.flatnonzero(weight), table.scores.size
    scale = squares[held] / weight[held]
    shape = equal_cases(weight[held], squares[held])  # of one case exactly 1: gamma draws differ near it
    for _ in range(replicates):
        sums, squared = np.zeros((2, weight.size))
        sums[held] = scale * rng.standard_gamma(shape)
        squared[held] = scale * sums[held]
        yield ScoreTable(table.scores, sums[:m], sums[m:], table.labels, squared[:m], squared[m:])


def _of_clusters(table: ScoreTable, rows: ScoredRows) -> tuple[UnitDraws, Tables]:
    """Clusters drawn whole, their rows with their weights."""
    assert rows.cluster is not None
    m = table.scores.size
    cell = np.searchsorted(-table.scores, -rows.score) + np.where(rows.positive, 0, m)
    weight = np.ones(cell.size) if rows.weight is None else rows.weight
    cluster = order_of_clusters(rows.cluster, cell, weight)
    draws, _ = unit_draws(None, cell.size, cluster)
    sums = ClusterSums.of(cluster, cell, weight, draws.units, 2 * m)

    squares = None
    if rows.weight is not None and table.is_weighted:
        squares = ClusterSums.of(cluster, cell, weight * weight, draws.units, 2 * m)

    def tables(drawn: Array) -> Iterator[ScoreTable]:
        own = None if squares is None else squares.drawn(drawn)
        for i, each in enumerate(sums.drawn(drawn)):
            squared = () if own is None else (own[i, :m], own[i, m:])
            yield ScoreTable(table.scores, each[:m], each[m:], table.labels, *squared)

    return draws, tables
