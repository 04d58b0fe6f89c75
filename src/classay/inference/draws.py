"""Randomness: the stream of each measure, and draws from the posterior of the cells of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError

Array = NDArray[Any]
DRAWS = 2000


def stream(seed: int, name: str) -> np.random.Generator:
    """The random stream of one measure: it depends on the seed and the name alone, not on the order of calls.

    >>> stream(0, "f1").integers(100) == stream(0, "f1").integers(100)
    np.True_
    """
    return np.random.default_rng([seed, *name.encode()])


def posterior_draws(
    cells: Array, prior: float, rng: np.random.Generator, block: int = DRAWS, count: int = DRAWS
) -> Iterator[Array]:
    """Blocks of draws from the Dirichlet posterior of the cells' shares, `[draw, cell]`, scaled to the cases.

    `prior` is the part of a case put into each cell: where a cell is empty, every bootstrap resample leaves it
    empty too; these draws do not. (Gelman et al. 2013, Bayesian Data Analysis, 3rd ed., section 3.4.)
    """
    for start in range(0, count, block):
        shares = rng.standard_gamma(cells + prior, size=(min(block, count - start), cells.size))
        yield shares * (cells.sum() / shares.sum(-1, keepdims=True))


def percentile(values: Array, level: float) -> tuple[float, float]:
    """The central share `level` of replicates."""
    return quantile(values, (1 - level) / 2), quantile(values, (1 + level) / 2)


def quantile(values: Array, share: float) -> float:
    """The quantile of values, straight between them: that of `np.quantile`, which finds several at a time slowly.

    >>> quantile(np.array([3.0, 1.0, 2.0, 5.0]), 0.5)
    2.5
    """
    if np.isnan(values).any():
        return float("nan")
    place = share * (values.size - 1)
    below = min(int(place), values.size - 1)
    parted = np.partition(values, below)
    low = parted[below]
    high = parted[below + 1 :].min(initial=np.inf) if place > below else low
    part, gap = place - below, high - low
    # from the nearer of the two, as NumPy does
    return float(low + gap * part if part < 0.5 else high - gap * (1 - part))


def seed_of(seed: int | np.random.Generator) -> int:
    """A whole number to derive all streams from; a Generator is drawn from once."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed is {seed!r}: pass a whole number from 0, or a numpy Generator.")
    return int(seed)
