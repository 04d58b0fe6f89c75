"""Draws of the difference of two classifiers in a measure of labels, from their joint cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.labels.pair import (
    LabelPair,
    canonical,
    order_of,
    order_of_cells,
    table_of,
)
from classay.errors import InputError
from classay.inference.bootstrap.sampling import CellDraws, blocks
from classay.inference.draws import DRAWS, posterior_draws, stream
from classay.measures import Measure
from classay.tables import ConfusionMatrix

Array = NDArray[Any]
MOST_DRAWN = 10_000
"""Occupied cells up to which draws of all of them are made."""


def bootstrap_differences(
    pair: LabelPair, measure: Measure, *, replicates: int = DRAWS, seed: int = 0
) -> Array:
    """The difference in resamples of the cases, `(replicates,)`: of their joint cells, so at a cost without n."""
    return _mirrored(pair, lambda canonical: _resampled(canonical, measure, replicates, seed))


def posterior_differences(pair: LabelPair, measure: Measure, *, draws: int = DRAWS, seed: int = 0) -> Array:
    """The difference in draws from the posterior of the joint shares, `(draws,)`.

    Half a case in each cell of two classes (Jeffreys); of more classes, one case shared by all cells (Perks).
    """
    return _mirrored(pair, lambda canonical: _of_posterior(canonical, measure, draws, seed))


def _resampled(pair: LabelPair, measure: Measure, replicates: int, seed: int) -> Array:
    cells = _cells(pair)
    counts = pair.table.counts.ravel()[cells]
    cells, counts = cells[counts > 0], counts[counts > 0]
    _block(pair, cells)
    draws = CellDraws(counts, ((0, counts.size),))
    drawn = blocks(draws, replicates, stream(seed, "paired labels, bootstrap"))
    return _differences(pair, measure, cells, drawn)


def _of_posterior(pair: LabelPair, measure: Measure, count: int, seed: int) -> Array:
    cells = _cells(pair)
    counts = pair.table.counts.ravel()[cells]
    prior = 0.5 if len(pair.table.labels) == 2 else 1 / counts.size
    rng = stream(seed, "paired labels, posterior")
    draws = posterior_draws(counts, prior, rng, _block(pair, cells), count)
    return _differences(pair, measure, cells, draws)


def _cells(pair: LabelPair) -> Array:
    """The flat places of the joint cells in an order that no name of a class decides."""
    order = order_of_cells(pair)
    return np.ravel_multi_index(np.ix_(order, order, order), pair.table.counts.shape).ravel()


def _mirrored(pair: LabelPair, differences: Callable[[LabelPair], Array]) -> Array:
    """Draws of the difference that change nothing but their sign where the classifiers change places.

    They belong to the table in one order of the two. A table that is the same in both orders has differences that are
    symmetric about 0, and so are its draws: each is taken with both signs.
    """
    found, order = differences(canonical(pair)), order_of(pair)
    return np.concatenate([found, -found]) if order == 0 else order * found


def _block(pair: LabelPair, cells: Array) -> int:
    """How many draws are made at a time."""
    if cells.size > MOST_DRAWN:
        raise InputError(f"{cells.size:,} cells are too many to draw from: pass method='delta'.")
    return max(1, 2_000_000 // max(cells.size, len(pair.table.labels) ** 2))


def _differences(pair: LabelPair, measure: Measure, cells: Array, draws: Iterable[Array]) -> Array:
    k = len(pair.table.labels)
    true, first, second = np.unravel_index(cells, pair.table.counts.shape)
    to_matrix = [_indicator(said * k + true, k * k) for said in (first, second)]
    found = []
    for drawn in draws:
        tables = [ConfusionMatrix((drawn @ each).reshape(-1, k, k), pair.table.labels) for each in to_matrix]
        a, b = (measure(table_of(each, pair, measure)) for each in tables)
        found.append(a - b)
    return np.concatenate(found)


def _indicator(cell: Array, cells: int) -> Array:
    return np.equal(cell[:, None], np.arange(cells)).astype(np.float64)
