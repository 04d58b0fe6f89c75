"""Bands around the ROC curve that need no bootstrap, whatever the distributions of the scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.curves.display import DISPLAY_ERROR, THIN, for_display, thinned
from classay.curves.roc import roc
from classay.errors import InputError, check_word
from classay.inference.proportions.binomial import clopper_pearson
from classay.inference.readings.kolmogorov import distance_quantile
from classay.tables import ScoreTable

Array = NDArray[Any]
Bound = Literal["DKW", "Kolmogorov"]
MOST_POINTS = 100_000
"""Points of an ROC curve up to which its band is exact; beyond, both are simplified and the band widened."""
FIRST_ERROR = DISPLAY_ERROR / 2  # the other half is left for whoever simplifies the curve with its band


def dkw_distance(m: int, level: float) -> float:
    """How far m cases' distribution function strays from the true one, with probability `level` at least.

    sqrt(ln(2 / (1 - level)) / (2 m)). Massart 1990, Annals of Probability 18:1269.

    >>> round(dkw_distance(1000, 0.95), 4)
    0.0429
    """
    return float(np.sqrt(np.log(2 / (1 - level)) / (2 * m)))


def kolmogorov_distance(m: int, level: float) -> float:
    """The same, exact for m cases of a continuous score, and so shorter; with ties it is still safe.

    >>> round(kolmogorov_distance(1000, 0.95), 4)
    0.0428
    """
    return distance_quantile(m, level)


DISTANCES: dict[Bound, Callable[[int, float], float]] = {
    "DKW": dkw_distance,
    "Kolmogorov": kolmogorov_distance,
}


def each_level(level: float) -> float:
    """The level that two independent intervals must have to hold together at `level`: its square root.

    >>> round(each_level(0.95), 6)
    0.974679
    """
    return float(np.sqrt(level))


def simultaneous_roc_band(table: ScoreTable, level: float = 0.95, method: Bound = "Kolmogorov") -> Curve:
    """The ROC curve with a band that holds all of the true curve with probability at least `level`.

    The true rates at every threshold lie within d_P of the empirical true positive rate and d_N of the false
    positive rate, jointly, whatever the distributions. Between two neighbouring thresholds, scores may be tied, and
    the true curve is straight there: the band holds the convex hull of each two neighbouring rectangles. d is the
    Kolmogorov quantile at level sqrt(level), or the bound of Dvoretzky, Kiefer, Wolfowitz and Massart. Beyond
    `MOST_POINTS` points the curve is simplified first and the band widened by as much. Raises InputError on
    sampling weights, a class without cases, a level outside (0, 1), or a method of another name. Campbell 1994,
    Statistics in Medicine 13:499.

    >>> band = simultaneous_roc_band(ScoreTable.from_rows(np.arange(100) / 100, np.arange(100) % 3 > 0))
    >>> print(band.band, band.low.min(), band.high.max())
    simultaneous 95 %, Kolmogorov 0.0 1.0
    """
    _check(table, level)
    check_word("method", method, get_args(Bound))
    d_p, d_n = (DISTANCES[method](int(m), each_level(level)) for m in (table.n_positive, table.n_negative))
    curve, widened = _drawable(table)
    d_p, d_n = d_p + widened, d_n + min(widened, THIN)
    named = replace(curve, band=f"simultaneous {100 * level:g} %, {method}")
    return _with_union(named, (curve.x - d_n, curve.x + d_n), (curve.y - d_p, curve.y + d_p))


def pointwise_roc_band(table: ScoreTable, level: float = 0.95) -> Curve:
    """The ROC curve with a band that holds the true rates at a threshold fixed beforehand.

    The rectangles at all thresholds, neighbours joined: Clopper-Pearson intervals at level sqrt(level) for the two
    independent rates. It holds at one threshold, not at all at once, and not at one chosen on these cases.
    Raises InputError as `simultaneous_roc_band`.

    >>> band = pointwise_roc_band(ScoreTable.from_rows(np.arange(100) / 100, np.arange(100) % 3 > 0))
    >>> band.band
    'pointwise 95 %, Clopper-Pearson rectangles'
    """
    _check(table, level)
    curve, widened = _drawable(table)
    p, n = float(table.n_positive), float(table.n_negative)
    x_low, x_high = clopper_pearson(np.rint(curve.x * n), n, each_level(level))
    y_low, y_high = clopper_pearson(np.rint(curve.y * p), p, each_level(level))
    named = replace(curve, band=f"pointwise {100 * level:g} %, Clopper-Pearson rectangles")
    beside = min(widened, THIN)
    return _with_union(named, (x_low - beside, x_high + beside), (y_low - widened, y_high + widened))


def _check(table: ScoreTable, level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"level is {level!r}: pass a probability between 0 and 1.")
    if table.is_weighted:
        raise InputError(
            "this band counts independent cases that count alike, and these have sampling weights: take "
            "a.roc.band('bootstrap'), or see the rates at one threshold, a.at(threshold)."
        )
    if not table.n_positive or not table.n_negative:
        raise InputError("an ROC curve needs cases of both classes: declare or add those of the other one.")


def _drawable(table: ScoreTable) -> tuple[Curve, float]:
    """The ROC curve with few enough points for a band, and how far the heights that were left out may be off."""
    thin = thinned(table)
    curve = roc(thin)
    if curve.x.size <= MOST_POINTS:
        return curve, 0.0
    return for_display(replace(curve, error=0.0 if thin is table else THIN), FIRST_ERROR), FIRST_ERROR


def _with_union(curve: Curve, across: tuple[Array, Array], upright: tuple[Array, Array]) -> Curve:
    """The curve with the convex hulls of each two neighbouring rectangles, which ascend along it.

    The greatest height is a line through the upper left corners, the least one through the lower right corners. Each
    x appears twice: with the heights just before and just after, which differ where a line is upright.
    """
    (x_low, x_high), (y_low, y_high) = (np.clip(each, 0.0, 1.0) for each in (across, upright))
    edges = np.unique(np.concatenate([[0.0, 1.0], curve.x, x_low, x_high]))
    return replace(
        curve,
        x=np.repeat(edges, 2),
        y=_heights(edges, curve.x, curve.y),
        threshold=None,
        low=_heights(edges, x_high, y_low),
        high=_heights(edges, x_low, y_high),
    )


def _heights(edges: Array, x: Array, y: Array) -> Array:
    """The height of an ascending line just before and just after each edge; beyond its ends, that of the end."""
    first = np.minimum(np.searchsorted(x, edges, side="left"), x.size - 1)
    last = np.maximum(np.searchsorted(x, edges, side="right") - 1, 0)
    is_point = x[first] == edges
    between = np.interp(edges, x, y)
    return np.stack([np.where(is_point, y[each], between) for each in (first, last)], -1).ravel()
