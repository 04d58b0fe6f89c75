"""What is resampled: cells of cases, rows or clusters; and how often a replicate draws each.

How often each of many cells is drawn: a multinomial distribution from Poisson numbers, blocks of cells at a time.

Cases fall into blocks of cells as NumPy's multinomial numbers. In a block every cell takes a Poisson number of a mean a
little below its cases, from tables: given their total, Poisson numbers are multinomial. Where the total exceeds what
the block should take they are drawn anew, which depends on the total alone; what is missing is added case by case. The
sum of both is multinomial, exactly (Devroye 1986, Non-Uniform Random Variate Generation, XI.1.3).

A table gives as many of its equally likely places to each number as the chance of it fills wholly. What that leaves
over is drawn from a distribution of its own, so that no chance is rounded to places.

Resampling n cases with replacement and tabulating them is one draw from a multinomial distribution over the
cells of the table, exactly (Efron 1979, Annals of Statistics 7:1), so no replicate looks at rows that share a
cell. Cells that hold one case each are drawn faster one draw at a time, which is the same distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import COMPILE_FROM, core_count, workers
from classay.inference.bootstrap.draw_kernels import BITS, FEW_CASES, NUMBERS, draw_cells, draw_units

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
    `large` are cells that NumPy draws. `cases` are those of each block, then of each large cell.
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
    cases: Array
    dtype: type

    @classmethod
    def of(cls, counts: Array) -> CellCounts:
        """Return those of cells that hold so many cases, `(cells,)`, at least one each."""
        is_large = counts >= LARGE
        small = np.where(is_large, 0, counts).astype(np.int64)
        edges = _edges(np.where(is_large, 1, counts))
        case_edges = np.concatenate([[0], np.cumsum(small)])[edges]
        cases = np.diff(case_edges)
        block = np.repeat(np.arange(cases.size), np.diff(edges))
        holder = np.repeat(np.arange(counts.size) - edges[block], small)
        mean = 1 - MARGIN * np.sqrt(2 / cases[cases >= FEW_CASES].min(initial=BLOCK))
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
            np.concatenate([cases, counts[large]]),
            np.uint16 if counts.max() <= HELD and counts.sum() < 2**31 else np.int64,
        )

    def totals(self, rng: np.random.Generator, replicates: int) -> Array:
        """Return how many cases each block and each large cell takes, `[replicate, block or cell]`."""
        total = self.cases.sum()
        return rng.multinomial(total, self.cases / total, size=replicates)

    def draw(self, keys: Array, totals: Array, draw: Callable[..., None]) -> Array:
        """How often each cell is drawn, `[replicate, cell]`, by a kernel: from the key and totals of each replicate."""
        drawn: Array = np.empty((keys.size, int(self.edges[-1])), self.dtype)
        draw(keys, totals, *self.columns(), drawn)
        return drawn

    def columns(self) -> tuple[Array, ...]:
        """Return what the kernel reads."""
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


def _edges(places: Array) -> Array:
    """Return the edges of blocks that take about equally many places, at most 2^20."""
    before = np.concatenate([[0], np.cumsum(places)])
    total = int(before[-1])
    blocks = -(-total // (BLOCK - LARGE))
    cuts = total * np.arange(1, blocks) // blocks
    return np.concatenate([[0], np.searchsorted(before, cuts), [places.size]])


def _poisson_chances(mean: Array) -> tuple[Array, Array]:
    """Return the chances of Poisson numbers, `[mean, number]`, from the least on that has any to speak of."""
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


CHUNK = 500_000
"""Places of an array of draws, `[replicate, unit]`: what one thread holds at a time."""
BLOCK_BITS = 14
"""Units are drawn from blocks of at most 2^14, whose counts stay in the fastest cache."""
MANY = 50
"""Cells from which 2,000 resamples are drawn from tables sooner than by NumPy: these take 1 ns a cell."""
BY_ITSELF = 2000
"""Cells that NumPy draws in the time that a block takes it however few its cells are."""
FEW = 10
"""Units up to which resamples repeat themselves: of 10 there are 92,378."""
KEPT = 1 << 22
"""Places of draws of units that are kept, for the next table of the same units."""
GROUPS = 500
"""Jackknife values: beyond so many units, neighbours lose a case together."""

Evaluate = Callable[[Array], Array]
"""From draws, `[replicate, unit]`, to values, `[statistic, replicate]`."""


@dataclass(frozen=True, eq=False)
class CellDraws:
    """Draws of cells of cases: `counts`, `(cells,)`.

    Little work is left to NumPy; more is drawn from tables, see CellCounts.
    """

    counts: Array

    @property
    def observed(self) -> Array:
        """The draws that give the observed table."""
        return self.counts

    @property
    def outcomes(self) -> int:
        """How many different draws there are."""
        return comb(int(self.counts.sum()) + self.counts.size - 1, self.counts.size - 1)

    def plan(self, replicates: int, rng: np.random.Generator, width: int = 0) -> list[Callable[[], Array]]:
        """Calls that each draw some replicates, `[replicate, cell]`, from a stream of their own.

        How many depends on the cells alone, not on the width of what is made of them, for streams to stay the
        same.
        """
        if self.counts.size * replicates >= COMPILE_FROM and self.counts.size > FEW:
            return self._plan_of_many(replicates, rng)
        size = max(1, CHUNK // 2 // max(1, self.counts.size))
        starts = range(0, replicates, size)
        streams = rng.spawn(len(starts))
        return [
            lambda rng=rng, start=start: self._draw(rng, min(size, replicates - start))  # type: ignore[misc]
            for rng, start in zip(streams, starts, strict=True)
        ]

    def _plan_of_many(self, replicates: int, rng: np.random.Generator) -> list[Callable[[], Array]]:
        """Many cells: the key of each replicate is drawn at once, how many cases each block takes part by part."""
        occupied = np.flatnonzero(self.counts)
        cells = CellCounts.of(self.counts[occupied])
        keys = rng.integers(0, 2**64, replicates, dtype=np.uint64)
        size = max(1, CHUNK // self.counts.size)
        parts = [slice(first, min(first + size, replicates)) for first in range(0, replicates, size)]
        draw = draw_cells.for_rows(replicates * (occupied.size + BY_ITSELF * (cells.edges.size - 1)))

        def one(part: slice, rng: np.random.Generator) -> Array:
            drawn = cells.draw(keys[part], cells.totals(rng, part.stop - part.start), draw)
            if occupied.size == self.counts.size:
                return drawn
            counts = np.zeros((len(drawn), self.counts.size), drawn.dtype)
            counts[:, occupied] = drawn
            return counts

        streams = rng.spawn(len(parts))
        return [lambda part=part, rng=rng: one(part, rng) for part, rng in zip(parts, streams, strict=True)]  # type: ignore[misc]

    def _draw(self, rng: np.random.Generator, replicates: int) -> Array:
        total = self.counts.sum()
        shares = self.counts / total if total else self.counts * 1.0
        return rng.multinomial(total, shares, size=replicates)


@dataclass(frozen=True)
class UnitDraws:
    """Draws of equally likely units, rows or clusters.

    Tables of the same units, as those of each class against the rest are, see the same draws of one stream: these are
    made once, and kept for the next table where they are few.
    """

    units: int

    @property
    def observed(self) -> Array:
        """The draws that give the observed table."""
        return np.ones(self.units, np.uint8)

    @property
    def outcomes(self) -> int:
        """How many different draws there are."""
        return comb(2 * self.units - 1, self.units)

    def plan(self, replicates: int, rng: np.random.Generator, width: int = 0) -> list[Callable[[], Array]]:
        """Calls that each draw some replicates, `[replicate, unit]`: how many in each block, then where."""
        size = max(1, CHUNK // max(1, self.units, width))
        parts = [slice(first, min(first + size, replicates)) for first in range(0, replicates, size)]
        mark = _mark(rng) if replicates * self.units <= KEPT else None
        if mark is not None:
            return [lambda part=part: _kept(self, replicates, mark)[part] for part in parts]  # type: ignore[misc]
        draw = self.drawing(replicates, rng)
        return [lambda part=part: draw(part) for part in parts]  # type: ignore[misc]

    def drawing(self, replicates: int, rng: np.random.Generator) -> Callable[[slice], Array]:
        """What draws a part of the replicates: how many units in each block, and the key of each, are drawn at once."""
        bits = powers_of_two(self.units)
        sizes = 2**bits
        where = np.cumsum(sizes) - sizes, bits
        into = rng.multinomial(self.units, sizes / self.units, size=replicates)
        keys = rng.integers(0, 2**64, replicates, dtype=np.uint64)
        draw = draw_units.for_rows(replicates * self.units)

        def one(part: slice) -> Array:
            drawn = np.empty((part.stop - part.start, self.units), np.uint8)
            draw(keys[part], into[part], *where, drawn)
            return drawn

        return one


def blocks(
    draws: CellDraws | UnitDraws, replicates: int, rng: np.random.Generator, width: int = 0
) -> Iterator[Array]:
    """Blocks of draws, `[replicate, unit]`; `width` is the memory that one replicate takes, in places.

    >>> [each.shape for each in blocks(UnitDraws(3), 500, np.random.default_rng(0), 2000)]
    [(250, 3), (250, 3)]
    """
    for call in draws.plan(replicates, rng, width):
        yield call()


_DRAWING = Lock()


def _kept(draws: UnitDraws, replicates: int, mark: tuple[int, int]) -> Array:
    """Return all replicates of a stream, drawn once; a thread that comes second waits for the first."""
    with _DRAWING:
        return _drawn(draws, replicates, mark)


@lru_cache(maxsize=2)
def _drawn(draws: UnitDraws, replicates: int, mark: tuple[int, int]) -> Array:
    """Return all replicates of a stream, by the state that it starts from; nobody writes to draws."""
    stream = np.random.PCG64()
    state, increment = mark
    stream.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": increment},
        "has_uint32": 0,
        "uinteger": 0,
    }
    return draws.drawing(replicates, np.random.Generator(stream))(slice(0, replicates))


def _mark(rng: np.random.Generator) -> tuple[int, int] | None:
    """Return the state of a new stream of NumPy's default kind, which tells all that it draws; None of any other."""
    state = rng.bit_generator.state
    if state["bit_generator"] != "PCG64" or state["has_uint32"]:
        return None
    return state["state"]["state"], state["state"]["inc"]


def powers_of_two(units: int) -> Array:
    """Logarithms of powers of two that add up to the units, none above 2^14.

    >>> powers_of_two(40_000)
    array([14, 14, 12, 11, 10,  6])
    """
    full_blocks, rest = divmod(units, 1 << BLOCK_BITS)
    tail = [bit for bit in reversed(range(BLOCK_BITS)) if rest >> bit & 1]
    return np.array([BLOCK_BITS] * full_blocks + tail, np.int64)


@dataclass(frozen=True, eq=False)
class Sample:
    """A table made ready for resampling: how units are drawn, and some statistics of any draws of them.

    `width` is the memory one replicate takes, in places; `runs` are the units of one kind, next to those like
    them. Clusters are in no order, and have no neighbours.
    """

    draws: CellDraws | UnitDraws
    evaluate: Evaluate
    width: int
    runs: tuple[tuple[int, int], ...]
    clusters: bool = False

    def value(self) -> Array:
        """Return the statistics of the observed table, `(statistics,)`."""
        return self._evaluate(self.draws.observed[None, :])[:, 0]

    def replicates(self, count: int, rng: np.random.Generator, threads: int | None) -> Array:
        """Return the statistics of each replicate, `[statistic, replicate]`; the same for any number of threads."""
        calls = self.draws.plan(count, rng, self.width)
        if self.draws.observed.size <= FEW and self.draws.outcomes <= count:
            return self._evaluate_distinct(np.concatenate([call() for call in calls]))
        with workers(min(len(calls), core_count() if threads is None else threads)) as run:
            return np.concatenate(run(lambda call: self._evaluate(call()), calls), axis=1)

    def _evaluate_distinct(self, drawn: Array) -> Array:
        """The statistics of draws, each distinct draw evaluated once where there are few: of 4 clusters, only 35."""
        distinct, which = np.unique(drawn, axis=0, return_inverse=True)
        return self._evaluate(distinct)[:, which.ravel()]

    def _evaluate(self, drawn: Array) -> Array:
        """Return the statistics of draws, in parts that take little memory."""
        size = max(1, CHUNK // max(1, self.width))
        with np.errstate(divide="ignore", invalid="ignore"):  # undefined is NaN, and counted
            parts = [self.evaluate(drawn[start : start + size]) for start in range(0, drawn.shape[0], size)]
        return np.concatenate(parts, axis=1)

    def acceleration(self) -> Array:
        """Skewness of the influence of cases over six, `(statistics,)`, which BCa corrects for.

        One jackknife value for each distinct cell with its multiplicity (Efron 1987, JASA 82:171, eq.
        6.6). Units of many thousands lose one case together with their neighbours, who have nearly the same influence.
        """
        observed = self.draws.observed.astype(np.float64)
        n = observed.sum()
        if n < 2:
            return np.full(self.value().size, np.nan)
        most = max(1, GROUPS // len(self.runs))
        losing = [group for run in self.runs for group in _groups(*run, most)]
        losing = [group for group in losing if observed[slice(*group)].any()]
        cases = np.array([observed[slice(*group)].sum() for group in losing])
        left_out = self._without(observed, losing, cases)
        with np.errstate(invalid="ignore"):  # infinite losses have no influence to speak of
            mean = (left_out * cases).sum(-1, keepdims=True) / n
            influence = (n - 1) * (mean - left_out)
            cubes = (cases * influence**3).sum(-1) / n**3
            squares = (cases * influence**2).sum(-1) / n**2
        # neighbours move a measure alike, but the mean influence of any units is less skewed than theirs
        spread = (observed.size / min(observed.size, GROUPS)) ** 0.5 if self.clusters else 1.0
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(spread * cubes / (6 * squares**1.5))

    def _without(self, observed: Array, losing: list[tuple[int, int]], cases: Array) -> Array:
        """Return the statistics with one case less in each group of units."""
        size = max(1, CHUNK // max(1, self.width))
        values = []
        for start in range(0, len(losing), size):
            part = losing[start : start + size]
            draws = np.repeat(observed[None, :], len(part), axis=0)
            for row, (first, last), n_cases in zip(draws, part, cases[start : start + size], strict=True):
                row[first:last] *= 1 - 1 / n_cases
            values.append(self._evaluate(draws))
        return np.concatenate(values, axis=1)


def _groups(first: int, last: int, most: int) -> list[tuple[int, int]]:
    """Runs of neighbours, at most so many, from the first unit to before the last; none if that is no run."""
    if last <= first:
        return []
    edges = np.linspace(first, last, min(last - first, most) + 1).round().astype(int)
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
