"""Where bins should be finer: those that leave the most of the order of cases open are split the most."""

from __future__ import annotations

import numpy as np

from classay.tables.binned.bins import FINEST, Bins
from classay.tables.binned.scale import SIGNIFICAND, Scale

PARTS = 2**17
"""Into how many parts all bins that are split are split together: about as many bins more, if all are occupied."""


def finer(bins: Bins, parts: int = PARTS) -> Scale:
    """A scale on which the same cases leave less of their order open.

    A bin with p positives and n negatives in an open order adds p n to the width of the AUC's bounds, and 1/m of that
    when it is split into m parts on which scores lie evenly: the sum is least when m grows with the root of p n.

    >>> rng = np.random.default_rng(0)
    >>> score, positive = rng.random(10_000), rng.random(10_000) < 0.3
    >>> once = Bins.of_rows(score, positive, 4)
    >>> twice = Bins.of_rows(score, positive, finer(once))
    >>> width = lambda bins: int((bins.cases.prod(0) * bins.open).sum())
    >>> width(twice) < width(once) / 1000
    True
    """
    share = np.sqrt(bins.cases.astype(np.float64).prod(0)) * bins.open
    base = bins.starts >> (SIGNIFICAND - bins.bits)
    kept = (np.zeros_like(base) if bins.finer is None else bins.finer) + _splits(share, parts)
    order = np.argsort(base, kind="stable")
    split, first = np.unique(base[order], return_index=True)
    more = np.minimum(np.maximum.reduceat(kept[order], first), FINEST - bins.bits) if split.size else split
    return Scale(bins.bits, split[more > 0], more[more > 0])


def _splits(share: np.ndarray, parts: int) -> np.ndarray:
    """The logarithm of the parts of each bin, by its share of all."""
    total = share.sum()
    wanted = np.maximum(share * (parts / total), 1) if total > 0 else np.ones_like(share)
    return np.asarray(np.floor(np.log2(wanted)).astype(np.int64))
