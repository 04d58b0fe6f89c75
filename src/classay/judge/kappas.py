"""Cohen's kappa of a judge with more than two grades, corrected: by its derivatives, a mean over the cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.along_the_way import CellShares, share_of_sizes
from classay.judge.cells import MIN_LABELS, Cells, Values, finite_factor

Array = NDArray[Any]


def kappa(cells: Cells, same: Array, *, is_finite: bool = False) -> Values:
    """Return kappa of each part; `same`, `(cells, grades)`, says where the judge's grade is the human one.

    A part of which a cell of the judge's grades has fewer than 3 labels has the value NaN.

    >>> counts = np.array([[8, 2, 0], [1, 17, 2], [0, 3, 7]])
    >>> found = kappa(Cells.of_counts(10 * counts.sum(1), counts), np.eye(3, dtype=bool))
    >>> round(float(found.value[0]), 4), [round(float(end[0]), 3) for end in found.limits(0.95)]
    (0.6735, [0.431, 0.843])
    """
    weights, total = share_of_sizes(cells.sizes), cells.weights.sum(-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(total > 0, cells.weights / total, 0.0)
        judge = weights @ same
        human = np.einsum("ph,phk->pk", weights, shares)
        agreed = np.einsum("ph,phk,hk->p", weights, shares, same)
        chance = (judge * human).sum(-1)
        value = (agreed - chance) / (1 - chance)
        few = ((cells.sizes > 0) & (cells.support < MIN_LABELS)).any(-1)
        value = np.where(few, np.nan, value)
        left, off = (1 - chance)[:, None, None], (1 - agreed)[:, None, None]
        by_label = (same * left - judge[:, None] * off) / left**2
        by_size = (shares * by_label).sum(-1) - (human @ same.T) * off[..., 0] / left[..., 0] ** 2
    low, high = (end(by_label, axis=(1, 2)) for end in (np.min, np.max))
    width = np.where(high > low, high - low, 1.0)
    scores = (by_label - low[:, None, None]) / width[:, None, None]
    means, counts = _means(cells, scores)
    centred = by_size - (weights * by_size).sum(-1, keepdims=True)
    if is_finite:
        centred = 0 * centred
    slopes = weights * width[:, None]
    wider, degrees = cells.design_effect(slopes, centred, scores, means)
    counts = (counts * finite_factor(cells.effective, cells.sizes) if is_finite else counts) / wider[:, None]
    error = np.sqrt((weights * centred**2).sum(-1) / np.maximum(cells.sizes.sum(-1), 1.0) * wider)

    def at(p: Array) -> Array:
        return np.asarray(value + (slopes * (p - means)).sum(-1))

    tool = CellShares(means, counts, at, lambda p: slopes, error, (-1.0, 1.0), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(counts > 0, slopes**2 * means * (1 - means) / counts, 0.0)
    return Values(tool, wider, degrees, np.sqrt(parts.sum(-1) + error**2))


def _means(cells: Cells, scores: Array) -> tuple[Array, Array]:
    """Return the mean score of each cell, and its effective labels by the spread of the scores."""
    total, counts = cells.weights.sum(-1), cells.effective
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(total > 0, (cells.weights * scores).sum(-1) / total, 0.0)
        spread = ((cells.weights * scores**2).sum(-1) / total - means**2) * counts / (counts - 1)
        inside = (spread > 1e-12) & (means > 0) & (means < 1)
        counts = np.where(inside, means * (1 - means) * counts / spread, counts)
    return np.clip(means, 0.0, 1.0), counts
