"""How the pictures of each kind of curve look: what both renderers, SVG and matplotlib, must agree on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve, Scale
from classay.curves.registry import CURVES, Look
from classay.errors import check_word

TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999)
"""Shares marked on an axis of normal quantiles."""

WIDTHS = {"screen": None, "one column": 3.5, "two columns": 7.2}
"""Inches of new axes: journals have columns of 89 and 183 mm."""


def inches(width: str) -> float | None:
    """How wide new axes are, None where they are for a screen. Raises InputError for another word."""
    check_word("width", width, tuple(WIDTHS))
    return WIDTHS[width]


def look_of(name: str) -> Look:
    """The look of a picture; as far as the curves reach, where the name is new."""
    known = CURVES.get(name)
    return Look() if known is None else known.look


def y_range(look: Look, curves: Sequence[Curve]) -> tuple[float, float] | None:
    """The range of y, where the look fixes one: at least partly by the curves' greatest height."""
    if look.y is not None:
        lowest = min((float(each.y[np.isfinite(each.y)].min(initial=0.0)) for each in curves), default=0.0)
        return (max(lowest, -1.0), look.y[1]) if lowest < -0.05 else look.y
    if not look.y_from_zero and look.floor is None:
        return None
    heights = [each for curve in curves for each in (curve.y, curve.high) if each is not None]
    top = max((float(each[np.isfinite(each)].max(initial=0.0)) for each in heights), default=0.0)
    return (-(look.floor or 0.0) * top, 1.05 * top) if top > 0 else None


def starts_at(look: Look, curve: Curve) -> Curve:
    """A curve whose steps hold back to the left end of the axis, with the point there."""
    if curve.kind != "steps_back" or look.x is None or not curve.x.size or curve.x[0] <= look.x[0]:
        return curve
    first = curve.take(np.concatenate([[0], np.arange(curve.x.size)]))
    first.x[0] = look.x[0]
    return first


def quantile_edge(curves: Sequence[Curve]) -> float:
    """How near to 0 and 1 an axis of normal quantiles must reach to show every share between, or 0.05."""
    shares = [
        values
        for curve in curves
        for values, scale in ((curve.x, curve.x_scale), (curve.y, curve.y_scale))
        if scale == "normal"
    ]
    inside = [np.minimum(each, 1 - each)[(each > 0) & (each < 1)] for each in shares]
    return float(max(min([0.05, *(0.7 * each.min(initial=0.05) for each in inside)]), TICKS[0]))


def deviates(shares: NDArray[np.float64], edge: float) -> NDArray[np.float64]:
    """Normal quantiles of shares, those nearer to 0 or 1 than `edge` put on the edge."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(shares, edge, 1 - edge)))


def ticks(scale: Scale, edge: float) -> tuple[list[float], list[str]] | None:
    """Places and texts of the marks of an axis of normal quantiles."""
    if scale != "normal":
        return None
    shown = [each for each in TICKS if edge <= each <= 1 - edge]
    return deviates(np.array(shown), edge).tolist(), [f"{100 * each:.6g} %" for each in shown]
