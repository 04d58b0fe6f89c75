"""Draws from the posterior of the cells of a table of labels: one set for all measures of the table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.inference.bootstrap.canonical import order_of_classes
from classay.inference.draws import percentile, stream
from classay.measures import Measure
from classay.tables import BinaryCounts, ConfusionMatrix, Margins

Array = NDArray[np.float64]
DRAWS = 20_000
"""Draws at common levels: the noise of a limit is then about 2 % of a standard error at 95 %."""
IN_A_TAIL = 200
"""Draws that lie beyond a limit, at least, where the level is high."""
MOST_DRAWS = 200_000
MOST_NUMBERS = 2_000_000
"""Numbers drawn in all, which many classes share out among their cells; but no fewer draws than `FEWEST`."""
FEWEST = 2_000
IN_CACHE = 16_000
"""Numbers evaluated at once, which stay in the processor's cache; but of no fewer draws than `FEWEST_AT_ONCE`."""
FEWEST_AT_ONCE = 200
STICKS = 64
"""Empty cells that a draw of many classes may fill: what is left for the others is about exp(-64) of a case."""


class Drawn(NamedTuple):
    """Cells drawn, `[draw, predicted, true]`, their margins, and their matrices.

    The matrices of two classes are in canonical order, which changes a measure of a matrix by rounding only; not even
    the rounding depends on the order of the classes.
    """

    cells: Array
    margins: Margins
    matrix: ConfusionMatrix

    def values(self, measure: Measure) -> Array:
        """The measure of each draw; of one class against the rest, of the last one."""
        if measure.needs == "margins":
            return np.asarray(measure(*self.margins))
        if measure.needs == "counts":
            cells = self.cells
            return np.asarray(measure(cells[:, 1, 1], cells[:, 1, 0], cells[:, 0, 1], cells[:, 0, 0]))
        return np.asarray(measure(self.matrix))


class DrawnSparsely(NamedTuple):
    """Draws of many classes: the cells that hold anything, as flat places and shares of each draw.

    `place` and `share` are `[draw, cell]`, `place` is predicted * classes + true.
    """

    place: NDArray[np.int64]
    share: Array
    classes: int

    def values(self, measure: Measure) -> Array:
        """The measure of each draw."""
        k = self.classes
        predicted, true = np.divmod(self.place, k)
        if measure.needs == "margins":
            hits = self._sums(predicted, np.where(predicted == true, self.share, 0.0), k)
            sides = (self._sums(place, self.share, k) for place in (predicted, true))
            return np.asarray(measure(hits, *sides))
        at_once, found = max(1, MOST_NUMBERS // k**2), []
        for first in range(0, len(self.place), at_once):
            part = slice(first, first + at_once)
            cells = self._sums(self.place[part], self.share[part], k * k).reshape(-1, k, k)
            found.append(np.asarray(measure(ConfusionMatrix(cells, tuple(range(k))))))
        return np.concatenate(found)

    @staticmethod
    def _sums(place: Any, share: Array, places: int) -> Array:
        """The shares of each draw added up by place, `[draw, place]`."""
        draws = len(share)
        flat = place + places * np.arange(draws)[:, None]
        added: Array = np.bincount(flat.ravel(), share.ravel(), draws * places).astype(float, copy=False)
        return added.reshape(draws, places)


def prior_of(classes: int) -> float:
    """The part of a case in each cell: half of one for two classes (Jeffreys), else one shared by all (Perks)."""
    return 0.5 if classes == 2 else 1 / classes**2


def draws_for(classes: int, level: float) -> int:
    """How many draws: 20,000, more at levels near 1, fewer for many classes."""
    wanted = min(max(DRAWS, int(np.ceil(2 * IN_A_TAIL / (1 - level)))), MOST_DRAWS)
    return max(FEWEST, min(wanted, MOST_NUMBERS // classes**2))


def limits_drawn(measure: Measure, cells: Array, seed: int, level: float) -> tuple[float, float]:
    """The equal-tailed limits of the measure over draws from the posterior of the cells, `[predicted, true]`."""
    return _limits(measure, np.ascontiguousarray(cells, np.float64).tobytes(), cells.shape[0], seed, level)


@lru_cache(maxsize=256)
def _limits(measure: Measure, cells: bytes, classes: int, seed: int, level: float) -> tuple[float, float]:
    """Kept, because complements have the limits of their measure, and reports ask more than once."""
    at = np.frombuffer(cells).reshape(classes, classes)
    return percentile(values_drawn(measure, at, seed, level), level)


def values_drawn(measure: Measure, cells: Array, seed: int, level: float) -> Array:
    """The measure at draws from the posterior of the cells, `[predicted, true]`, of cases that count alike.

    The draws depend on the cells and the seed alone, and go with the classes whatever their order, so that all
    measures of a table, and of the same table with its classes in another order, see the same.
    """
    k = cells.shape[0]
    count = draws_for(k, level)
    kept = _kept if count * k * k <= MOST_NUMBERS else _kept_sparsely
    blocks = kept(np.ascontiguousarray(cells, np.float64).tobytes(), k, seed, count)
    return np.concatenate([each.values(measure) for each in blocks])


@lru_cache(maxsize=1)
def _kept(cells: bytes, classes: int, seed: int, count: int) -> list[Drawn]:
    return list(_blocks(np.frombuffer(cells).reshape(classes, classes), seed, count))


def _blocks(cells: Array, seed: int, count: int) -> Iterator[Drawn]:
    k, order = cells.shape[0], order_of_classes(cells)
    back = np.argsort(order)
    shape = (cells[np.ix_(order, order)] + prior_of(k)).ravel()
    rng, block = stream(seed, "posterior"), max(FEWEST_AT_ONCE, IN_CACHE // k**2)
    for start in range(0, count, block):
        shares = rng.standard_gamma(shape, size=(min(block, count - start), k * k))
        shares *= cells.sum() / shares.sum(-1, keepdims=True)
        # the draws of a cell lie side by side, so that sums over classes run over long stretches
        canonical = np.ascontiguousarray(shares.T).reshape(k, k, -1)
        cell_by_cell = canonical[back][:, back]
        ordered = canonical if k == 2 else cell_by_cell
        matrix = ConfusionMatrix(np.moveaxis(ordered, -1, 0), tuple(range(k)))
        sides = cell_by_cell.diagonal().T, cell_by_cell.sum(1), cell_by_cell.sum(0)
        margins = Margins(*(np.ascontiguousarray(each).T for each in sides))
        yield Drawn(np.moveaxis(cell_by_cell, -1, 0), margins, matrix)


@lru_cache(maxsize=1)
def _kept_sparsely(cells: bytes, classes: int, seed: int, count: int) -> list[DrawnSparsely]:
    """Draws at a cost of the occupied cells, not of all: the few empty ones that a draw fills are drawn by name.

    The empty cells together have a gamma share, as each has. Within it their shares are broken off one after another,
    each a beta share of what is left, of an empty cell that has none yet: the Dirichlet distribution in size-biased
    order. All empty cells have one case or less between them, so that the rest after `STICKS` pieces is below rounding.
    """
    at = np.frombuffer(cells).reshape(classes, classes)
    order, prior, rng = order_of_classes(at), prior_of(classes), stream(seed, "posterior")
    ordered = at[np.ix_(order, order)].ravel()
    held, empty = np.flatnonzero(ordered), np.flatnonzero(ordered == 0)
    pieces = min(STICKS, empty.size)
    block, found = max(FEWEST_AT_ONCE, MOST_NUMBERS // (held.size + pieces)), []
    for start in range(0, count, block):
        draws = min(block, count - start)
        share, place = (
            rng.standard_gamma(ordered[held] + prior, (draws, held.size)),
            np.tile(held, (draws, 1)),
        )
        if pieces:
            left = rng.standard_gamma(prior * empty.size, (draws, 1))
            broken = rng.beta(
                1 + prior, prior * np.arange(empty.size, empty.size - pieces, -1), (draws, pieces)
            )
            rest = np.cumprod(1 - broken, -1)
            sticks = np.concatenate([broken[:, :1], broken[:, 1:] * rest[:, :-1]], -1) * left
            share = np.concatenate([share, sticks], -1)
            place = np.concatenate([place, empty[_unlike(rng, draws, pieces, empty.size)]], -1)
        share *= at.sum() / share.sum(-1, keepdims=True)
        found.append(
            DrawnSparsely(order[place // classes] * classes + order[place % classes], share, classes)
        )
    return found


def _unlike(rng: np.random.Generator, draws: int, pieces: int, of: int) -> NDArray[np.int64]:
    """Different whole numbers below `of` in random order, `(draws, pieces)`: what comes twice is drawn again."""
    found = rng.integers(of, size=(draws, pieces))
    while True:
        order = np.argsort(found, -1, kind="stable")
        ranked = np.take_along_axis(found, order, -1)
        rows, at = np.nonzero(ranked[:, 1:] == ranked[:, :-1])
        if not rows.size:
            return found
        found[rows, order[rows, at + 1]] = rng.integers(of, size=rows.size)


def matrix_cells(table: BinaryCounts | ConfusionMatrix) -> Array:
    """The cells of a table as `[predicted, true]`, the positive class last."""
    if isinstance(table, BinaryCounts):
        tp, fp, fn, tn = (float(each) for each in table)
        return np.array([[tn, fn], [fp, tp]])
    return np.asarray(table.counts, np.float64)
