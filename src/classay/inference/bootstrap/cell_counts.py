"""How often each of many cells is drawn: a multinomial distribution from Poisson numbers, blocks of cells at a time.

Cases fall into blocks of cells as NumPy's multinomial numbers. In a block every cell takes a Poisson number of a mean a
little below its cases, from tables: given their total, Poisson numbers are multinomial. Where the total exceeds what
the block should take they are drawn anew, which depends on the total alone; what is missing is added case by case. The
sum of both is multinomial, exactly (Devroye 1986, Non-Uniform Random Variate Generation, XI.1.3).

A table gives as many of its equally likely places to each number as the chance of it fills wholly. What that leaves
over is drawn from a distribution of its own, so that no chance is rounded to places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.bootstrap.cell_kernels import BITS, FEW, NUMBERS

Array = NDArray[Any]

BLOCK = 1 << 20
"""Cases of a block at most: the fewer blocks there are, the fewer cases are added one by one."""
LARGE = 512
"""Cases of a cell from which NumPy draws their number: their tables would be wide."""
MARGIN = 2.0
"""Standard deviations by which a block's Poisson numbers stay below what it takes: one total in 44 is above."""
REACH = 9
"""Standard deviations that tables reach, and twenty more: what is beyond has a chance under 1e-17."""
HELD = 40_000
"""Cases of a cell up to which 16 bits hold how often they are drawn."""


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Cells made ready for being drawn many times.

    `edges` are the first cells of blocks, `case_edges` the cases before each, and `holder` the cell of every case,
    counted from the first of its block. Every cell takes the Poisson number of its first case, from the table `single`,
    and where it is one of `more` that of its other cases, from the one of `tables` that `kind` says. What tables leave
    over begins at `least`, and its cumulated chances are `left_over`, `[table, number]`; those of `single` are first.
    `large` are cells that NumPy draws. `strata` are the blocks and large cells that share a total, and their cases.
    """

    edges: Array
    case_edges: Array
    holder: Array
    single: Array
    more: Array
    more_edges: Array
    kind: Array
    tables: Array
    least: Array
    left_over: Array
    large: Array
    large_edges: Array
    strata: tuple[tuple[Array, Array], ...]
    dtype: type

    @classmethod
    def of(cls, counts: Array, strata: tuple[tuple[int, int], ...]) -> CellCounts:
        """Those of cells that hold so many cases, `(cells,)`, at least one each; a stratum is a run of cells."""
        strata = tuple(each for each in strata if each[1] > each[0])
        is_large = counts >= LARGE
        small = np.where(is_large, 0, counts).astype(np.int64)
        edges = _edges(np.where(is_large, 1, counts), strata)
        case_edges = np.concatenate([[0], np.cumsum(small)])[edges]
        cases = np.diff(case_edges)
        block = np.repeat(np.arange(cases.size), np.diff(edges))
        holder = np.repeat(np.arange(counts.size) - edges[block], small)
        mean = 1 - MARGIN * np.sqrt(2 / cases[cases >= FEW].min(initial=BLOCK))
        more, large = np.flatnonzero(small > 1), np.flatnonzero(is_large)
        others, kind = np.unique(small[more] - 1, return_inverse=True)
        chances, least = _poisson_chances(np.concatenate([[1], others]) * mean)
        single, rest = _places(chances[:1], 1 << 16)
        places, rests = _places(chances[1:], 1 << BITS)
        numbers = least[1:, None] + np.arange(chances.shape[1] + 1)
        numbers[:, -1] = -1
        return cls(
            edges,
            case_edges,
            holder.astype(np.uint32),
            np.cumsum(single[0])[:NUMBERS].astype(np.uint16),
            (more - edges[block[more]]).astype(np.uint32),
            np.searchsorted(more, edges),
            kind.astype(np.uint16),
            np.repeat(numbers.ravel(), places.ravel()).astype(np.int16),
            least,
            np.concatenate([rest, rests]),
            large,
            np.searchsorted(large, edges),
            tuple(_of_stratum(each, edges, cases, large, counts) for each in strata),
            np.uint16 if counts.max() <= HELD and counts.sum() < 2**31 else np.int64,
        )

    def totals(self, rng: np.random.Generator, replicates: int) -> Array:
        """How many cases each block and each large cell takes, `[replicate, block or cell]`."""
        found = np.empty((replicates, self.edges.size - 1 + self.large.size), np.int64)
        for places, cases in self.strata:
            found[:, places] = rng.multinomial(cases.sum(), cases / cases.sum(), size=replicates)
        return found

    def draw(self, keys: Array, totals: Array, draw: Callable[..., None]) -> Array:
        """How often each cell is drawn, `[replicate, cell]`, by a kernel: from the key and totals of each replicate."""
        drawn: Array = np.empty((keys.size, int(self.edges[-1])), self.dtype)
        draw(keys, totals, *self.columns(), drawn)
        return drawn

    def columns(self) -> tuple[Array, ...]:
        """What the kernel reads."""
        of_cells = (
            self.edges,
            self.case_edges,
            self.holder,
            self.single,
            self.more,
            self.more_edges,
            self.kind,
        )
        return *of_cells, self.tables, self.least, self.left_over, self.large, self.large_edges


def _edges(places: Array, strata: tuple[tuple[int, int], ...]) -> Array:
    """The edges of blocks that take about equally many places, at most 2^20, each in one stratum."""
    before = np.concatenate([[0], np.cumsum(places)])
    edges = [np.zeros(1, np.int64)]
    for first, last in strata:
        held = int(before[last] - before[first])
        blocks = -(-held // (BLOCK - LARGE))
        cuts = before[first] + held * np.arange(1, blocks) // blocks
        edges += [np.searchsorted(before, cuts), np.array([last])]
    return np.concatenate(edges)


def _of_stratum(
    stratum: tuple[int, int], edges: Array, cases: Array, large: Array, counts: Array
) -> tuple[Array, Array]:
    """The columns of totals that belong to a stratum, and the cases of each."""
    first, last = stratum
    blocks = np.flatnonzero((edges[:-1] >= first) & (edges[1:] <= last))
    own = np.flatnonzero((large >= first) & (large < last))
    return np.concatenate([blocks, cases.size + own]), np.concatenate([cases[blocks], counts[large[own]]])


def _poisson_chances(mean: Array) -> tuple[Array, Array]:
    """The chances of Poisson numbers, `[mean, number]`, from the least on that has any to speak of."""
    reach = REACH * np.sqrt(mean) + 20
    least = np.maximum(np.floor(mean - reach), 0).astype(np.int64)
    at = least[:, None] + np.arange(int((mean + reach - least).max()) + 1)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, at.max() + 1)))])
    chances = np.exp(at * np.log(mean)[:, None] - mean[:, None] - factorials[at])
    return chances / chances.sum(1, keepdims=True), least


def _places(chances: Array, size: int) -> tuple[Array, Array]:
    """How many of a table's places each number fills, and those left over; the cumulated chances of what these draw."""
    filled = np.floor(chances * size)
    rest = np.cumsum(chances * size - filled, 1)
    rest /= rest[:, -1:]
    left = size - filled.sum(1, keepdims=True)
    return np.concatenate([filled, left], 1).astype(np.int64), rest
