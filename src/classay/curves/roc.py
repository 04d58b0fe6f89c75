"""The ROC curve of a score table."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.measures.ranking import rates
from classay.tables import ScoreTable

DISPLAY_ERROR = 0.0005
"""Greatest vertical error that a curve simplified for display may have."""


def roc(table: ScoreTable) -> Curve:
    """True against false positive rate at every distinct threshold, from (0, 0) to (1, 1).

    NaN rates where a class has no cases. Fawcett 2006, Pattern Recognition Letters 27:861.

    >>> curve = roc(ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False])))
    >>> curve.x, curve.y
    (array([0., 0., 0., 1.]), array([0. , 0.5, 1. , 1. ]))
    """
    fpr, tpr = rates(table)
    return Curve(
        "roc",
        "ROC curve",
        np.concatenate([[0.0], fpr]),
        np.concatenate([[0.0], tpr]),
        "false positive rate",
        "true positive rate",
        threshold=np.concatenate([[np.inf], table.scores.astype(np.float64)]),
    )


def for_display(curve: Curve, error: float = DISPLAY_ERROR) -> Curve:
    """A rising curve in the unit square with few enough points to draw, and the greatest error that this makes.

    Keeps the first point after every step of `error` along x + y (and its band, if any), and the corners before
    them; between two kept points the curve rises by less than `error`, so no point of it is further from the line
    than that. The error given is the greatest of the curve and its band.
    """
    band = [each for each in (curve.low, curve.high) if each is not None]
    walked = np.floor(sum([curve.y, *band], curve.x) / error)
    new = np.flatnonzero(np.diff(walked, prepend=-1))
    keep = np.unique(np.concatenate([new, np.maximum(new - 1, 0), [curve.x.size - 1]]))
    if keep.size == curve.x.size:
        return curve
    parts = {name: getattr(curve, name) for name in ("x", "y", "threshold", "low", "high")}
    return replace(
        curve,
        **{name: part[keep] for name, part in parts.items() if part is not None},
        error=max(_vertical_error(curve.x, each, keep) for each in (curve.y, *band)),
    )


def _vertical_error(x: NDArray[Any], y: NDArray[Any], keep: NDArray[Any]) -> float:
    """Greatest distance of a dropped point from the vertical stretch the simplified curve covers at its x."""
    worst, block = 0.0, 1_000_000
    for start in range(0, x.size, block):
        at = slice(start, start + block)
        left = np.searchsorted(x[keep], x[at], side="left")
        low = np.interp(x[at], x[keep], y[keep])
        exact = x[keep][np.minimum(left, keep.size - 1)] == x[at]
        right = np.searchsorted(x[keep], x[at], side="right") - 1
        bottom = np.where(exact, y[keep][np.minimum(left, keep.size - 1)], low)
        top = np.where(exact, y[keep][right], low)
        worst = max(worst, float(np.maximum(bottom - y[at], y[at] - top).max(initial=0.0)))
    return worst
