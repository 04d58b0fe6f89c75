"""Derivatives of a measure of counts, of one class or tag or of many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.labels.shares import STEP
from classay.measures import Measure

Array = NDArray[Any]


def slopes_of(of: Measure, counts: tuple[Array, ...]) -> Array:
    """Return the derivatives of a measure of counts by each of TP, FP, FN and TN, `(4, tags)`, by complex steps."""
    cells = [np.asarray(count, np.complex128) for count in counts]
    step = STEP * (
        max(float(abs(cell).max(initial=0.0)) for cell in cells) or 1.0
    )  # weights may have any unit
    slopes = []
    for i in range(4):
        moved = [cell + step * 1j if i == j else cell for j, cell in enumerate(cells)]
        slopes.append(np.imag(of.raw(*moved)) / step)
    return np.stack(slopes)
