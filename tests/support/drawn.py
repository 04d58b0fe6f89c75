"""Curves as they are drawn."""

import numpy as np


def drawn_at(curve, x):
    """Least and greatest height of what is drawn at x."""
    low, high = np.searchsorted(curve.x, x, "left"), np.searchsorted(curve.x, x, "right")
    if high > low:
        around = curve.y[max(low - (curve.kind == "steps"), 0) : high + (curve.kind == "steps_back")]
        return around.min(), around.max()
    if curve.kind in ("steps", "steps_back"):
        height = curve.y[min(low - (curve.kind == "steps"), curve.y.size - 1)]
        return height, height
    height = np.interp(x, curve.x, curve.y)
    return height, height
