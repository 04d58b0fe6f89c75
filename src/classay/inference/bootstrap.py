"""The bootstrap on tables: resampling cases is one multinomial draw over the cells of their table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.proportions import normal_quantile

Array = NDArray[Any]
REPLICATES = 2000
MOST_UNDEFINED = 0.05
"""Share of undefined resamples above which a bootstrap interval is not given."""


def stream(seed: int, name: str) -> np.random.Generator:
    """The random stream of one measure: it depends on the seed and the name alone, not on the order of calls.

    >>> stream(0, "f1").integers(100) == stream(0, "f1").integers(100)
    np.True_
    """
    return np.random.default_rng([seed, *name.encode()])


def draws(cells: Array, rng: np.random.Generator, replicates: int = REPLICATES) -> Array:
    """Bootstrap replicates of a vector of counts, `[replicate, cell]`.

    Drawing n cases with replacement and counting them is exactly one multinomial draw with the cells' shares
    (statistics page B-8), so the cost depends on the number of cells and not on n.
    """
    n = int(cells.sum())
    return rng.multinomial(n, cells / n, size=replicates)


def pseudo_draws(cells: Array, rng: np.random.Generator, replicates: int = REPLICATES) -> Array:
    """Draws from the Dirichlet posterior under Jeffreys' prior, half a case in each cell, `[replicate, cell]`.

    Where a cell is empty every resample leaves it empty too; these draws do not. Scaled to the number of cases.
    """
    shares = rng.standard_gamma(np.asarray(cells, float) + 0.5, size=(replicates, cells.size))
    return np.asarray(shares * (cells.sum() / shares.sum(-1, keepdims=True)))


def percentile(values: Array, level: float) -> tuple[float, float]:
    """The central share `level` of replicates."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bca(
    value: float, values: Array, cells: Array, statistic: Callable[[Array], Array], level: float
) -> tuple[float, float]:
    """Bias-corrected and accelerated interval (Efron 1987, JASA 82:171), replicates equal to the value counting half.

    The jackknife needs one value per occupied cell, not per case: leaving out any case of a cell gives the same.
    """
    from scipy.special import ndtr, ndtri

    below = ((values < value).sum() + (values == value).sum() / 2) / values.size
    bias = float(ndtri(np.clip(below, 0.5 / values.size, 1 - 0.5 / values.size)))
    occupied = np.flatnonzero(cells)
    left_out = np.repeat(cells[None, :], occupied.size, 0)
    left_out[np.arange(occupied.size), occupied] -= 1
    jackknife = statistic(left_out)
    weight = np.where(np.isnan(jackknife), 0.0, cells[occupied])
    jackknife = np.nan_to_num(jackknife)
    distance = (weight * jackknife).sum() / weight.sum() - jackknife
    spread = (weight * distance**2).sum()
    skew = (weight * distance**3).sum() / (6 * spread**1.5) if spread > 0 else 0.0
    z = np.array([-1, 1]) * normal_quantile(level)
    tails = ndtr(bias + (bias + z) / (1 - skew * (bias + z)))
    low, high = np.quantile(values, tails)
    return float(low), float(high)


def seed_of(seed: int | np.random.Generator) -> int:
    """A whole number to derive all streams from; a Generator is drawn from once."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed is {seed!r}: pass a whole number from 0, or a numpy Generator.")
    return int(seed)
