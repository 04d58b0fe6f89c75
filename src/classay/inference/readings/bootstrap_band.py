"""Pointwise bands around any curve of a score table, by the bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.errors import InputError
from classay.inference.bootstrap.scored_cases import ScoredCases
from classay.tables import ScoreTable

Array = NDArray[Any]
REPLICATES = 500
PLACES = 201


def bootstrap_band(
    cases: ScoredCases, curve_of: Callable[[ScoreTable], Curve], *, replicates: int = REPLICATES
) -> Curve:
    """A curve at up to 201 even places of x, with the quantiles of its heights there in resamples of the cases.

    Pointwise: each height lies in the band with about the level's probability, all of them together with
    less; and where every resample agrees, as at the ends, the band says nothing. A curve of the best
    thresholds on its own cases (the cost curve) is too good once more in each resample, and its band lies to
    that side. Clusters are drawn whole. Raises InputError where the cases cannot be resampled, or for a curve
    without points.

    >>> from classay.curves.gain import cumulative_gain
    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 == 0)
    >>> band = bootstrap_band(ScoredCases(table), cumulative_gain)
    >>> band.band, bool((band.low <= band.high).all())
    ('pointwise 95 %, cohort bootstrap of 500', True)
    """
    if cases.why_not_resampled is not None:
        raise InputError(f"no bootstrap band: {cases.why_not_resampled}.")
    whole = curve_of(cases.table)
    inside = whole.x[np.isfinite(whole.x) & np.isfinite(whole.y)]
    if not inside.size:
        raise InputError(f"no band: the {whole.title} has no points.")
    x = np.unique(np.linspace(inside.min(), inside.max(), PLACES))
    heights = np.stack([at(curve_of(each), x) for each in cases.resamples(replicates, f"{whole.name} band")])
    missing = np.isnan(heights).any(axis=0)  # of one class only, say
    ends = (1 - cases.level) / 2, (1 + cases.level) / 2
    low, high = np.quantile(np.where(missing, 0.0, heights), ends, axis=0)
    if missing.any():
        some = heights[:, missing]
        known = np.isfinite(some).mean(0) > 1 - 0.05
        low[missing], high[missing] = np.where(known, np.nanquantile(some, ends, axis=0), np.nan)
    return replace(
        whole,
        x=x,
        y=at(whole, x),
        threshold=None,
        low=low,
        high=high,
        band=f"pointwise {100 * cases.level:g} %, {cases.unit} bootstrap of {replicates:,}",
    )


def at(curve: Curve, x: Array) -> Array:
    """The heights of a curve at ascending places, by how it is drawn; the last on a vertical stretch of a line.

    >>> ends = np.array([0.0, 1.0])
    >>> at(Curve("c", "c", ends, ends, "x", "y"), np.array([0.25])).tolist()
    [0.25]
    """
    held = np.isfinite(curve.x) & np.isfinite(curve.y)
    if not held.any():
        return np.full(x.size, np.nan)
    points, heights = curve.x[held], curve.y[held]
    if curve.kind == "steps_back":
        return np.asarray(heights[np.searchsorted(points, x, side="left").clip(max=points.size - 1)])
    if curve.kind == "steps":
        return np.asarray(heights[np.searchsorted(points, x, side="right").clip(1) - 1])
    return np.interp(x, points, heights)
