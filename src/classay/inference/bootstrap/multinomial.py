"""Many draws of one multinomial distribution: of cells that hold many cases, resampled a thousand times.

n cases fall into cells as Poisson numbers of a mean a little below n in all, which come from tables of their
distributions, and as many single cases as are then missing. Given their total, Poisson numbers are multinomial, and so
is their sum with the rest: the draws are exact (Devroye 1986, Non-Uniform Random Variate Generation, XI.1.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import COMPILE_FROM, kernel

Array = NDArray[Any]
MARGIN = 5
"""Standard deviations by which the Poisson numbers' total is expected to stay below n."""
TAIL = 9
"""Standard deviations that tables reach, and ten more: what is beyond has a chance under 1e-17."""
GUIDES = 256
"""Places of a table at which the search for a number may start."""
MOST_EACH = 500
"""Cases a cell beyond which they save nothing."""
MOST_PLACES = 1 << 21
"""Places of all tables together beyond which they save nothing: each is as wide as that of the fullest cell."""
SINGLE = 8
"""Places a cell at which the search for a single case may start."""


def multinomial_draws(
    counts: Array, rng: np.random.Generator, replicates: int, batch: int
) -> Iterator[Array]:
    """As many cases as there are, in cells of these counts, `(cells,)`: batches of draws, `[draw, cell]`.

    >>> drawn = [*multinomial_draws(np.array([2, 0, 6]), np.random.default_rng(0), 500, 200)]
    >>> [each.shape for each in drawn], {int(each) for batch in drawn for each in batch.sum(1)}
    ([(200, 3), (200, 3), (100, 3)], {8})
    """
    n = int(counts.sum())
    sizes = [min(batch, replicates - start) for start in range(0, replicates, batch)]
    is_even = counts.size * 2 * TAIL * np.sqrt(counts.max(initial=0)) <= MOST_PLACES
    if COMPILE_FROM <= n <= MOST_EACH * counts.size and is_even:
        draw = Tables.of(counts.astype(np.int64), poisson_numbers.compiled, add_singly.compiled).draw
    else:
        draw = lambda rng, size: rng.multinomial(n, counts / n, size=size)  # noqa: E731
    for size in sizes:
        yield draw(rng, size)


@dataclass(frozen=True, eq=False)
class Tables:
    """The cells of a multinomial distribution, with the tables of a Poisson number of each.

    `guide` says where to start in each cell's table, `least` is the least number in it, `upto` the chances up to each
    number. `edges` are the cases before each cell, `first` the cell of every case whose last bits, `drop`, are 0.
    """

    counts: Array
    guide: Array
    least: Array
    upto: Array
    edges: Array
    first: Array
    drop: int
    numbers: Callable[..., None]
    add: Callable[..., None]

    @classmethod
    def of(cls, counts: Array, numbers: Callable[..., None], add: Callable[..., None]) -> Tables:
        """Those of cells that hold so many cases; `numbers` and `add` are the kernels that read them."""
        from scipy.special import gammaln

        n = int(counts.sum())
        mean = counts * (1 - MARGIN / np.sqrt(n))
        reach = TAIL * np.sqrt(mean) + 10
        least = np.maximum(np.floor(mean - reach), 0.0).astype(np.int64)
        width = int((mean + reach - least).max()) + 2
        at = least[:, None] + np.arange(width)
        logarithm = np.log(np.maximum(mean, 1e-300))[:, None]
        factorials = gammaln(np.arange(int(least.max()) + width) + 1.0)
        upto = np.cumsum(np.exp(at * logarithm - mean[:, None] - factorials[at]), 1)
        upto[:, -1] = 1.0
        np.minimum(upto, 1.0, out=upto)
        place = np.ceil(upto * GUIDES).astype(np.int64) + (GUIDES + 1) * np.arange(mean.size)[:, None]
        held = np.bincount(place.ravel(), minlength=(GUIDES + 1) * mean.size).reshape(-1, GUIDES + 1)
        guide = np.cumsum(held, 1)[:, :-1].astype(np.int32)
        edges = np.concatenate([[0], np.cumsum(counts)])
        drop = max(0, n.bit_length() - (SINGLE * counts.size).bit_length())
        first = np.searchsorted(edges, np.arange((n >> drop) + 1) << drop, side="right") - 1
        return cls(counts, guide, least, upto, edges, first, drop, numbers, add)

    def draw(self, rng: np.random.Generator, size: int) -> Array:
        """How many cases fall into each cell, `[draw, cell]`."""
        n, cells = int(self.edges[-1]), self.counts.size
        found = np.empty((size, cells), np.int64)
        self.numbers(rng.random((cells, size)), self.guide, self.least, self.upto, found)
        missing = n - found.sum(1)
        above = np.flatnonzero(missing < 0)
        found[above] = rng.multinomial(n, self.counts / n, size=above.size)
        missing[above] = 0
        ends = np.concatenate([[0], np.cumsum(missing)])
        self.add(rng.integers(0, n, ends[-1]), ends, self.edges, self.first, self.drop, found)
        return found


def _poisson_numbers(each: Array, guide: Array, least: Array, upto: Array, found: Array) -> None:
    for c in range(least.size):
        found[:, c] = least[c] + np.searchsorted(upto[c], each[c], side="right")


@kernel(
    twin=_poisson_numbers,
    assumes="each is below 1, which ends every row of upto; guide points where the search may start",
)
def poisson_numbers(each: Array, guide: Array, least: Array, upto: Array, found: Array) -> None:
    """The numbers, `[draw, cell]`, whose chances hold `each`, `[cell, draw]`: inversion, begun at a cell's guide."""
    for c in range(each.shape[0]):
        for r in range(each.shape[1]):
            uniform = each[c, r]
            at = guide[c, int(uniform * GUIDES)]
            while uniform >= upto[c, at]:
                at += 1
            found[r, c] = least[c] + at


def _add_singly(cases: Array, ends: Array, edges: Array, first: Array, drop: int, found: Array) -> None:
    cells = np.searchsorted(edges, cases, side="right") - 1
    for r in range(found.shape[0]):
        found[r] += np.bincount(cells[ends[r] : ends[r + 1]], minlength=found.shape[1])


@kernel(
    twin=_add_singly,
    assumes="cases are below the last edge, and first holds a cell at or before that of each",
)
def add_singly(cases: Array, ends: Array, edges: Array, first: Array, drop: int, found: Array) -> None:
    """Add single cases, by their number, to the cells that hold them; those of draw r end at `ends[r + 1]`."""
    for r in range(found.shape[0]):
        for i in range(ends[r], ends[r + 1]):
            cell = first[cases[i] >> drop]
            while cases[i] >= edges[cell + 1]:
                cell += 1
            found[r, cell] += 1
