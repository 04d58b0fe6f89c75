"""Equally weighted cases that say as much as weighted ones."""

from __future__ import annotations

from typing import Any

import numpy as np

EXACT = 1e-9
"""Relative distance from a whole number within which it is meant: sums of weights are rounded."""


def equal_cases(total: Any, squares: Any) -> Any:
    """The effective number of cases, (sum w)² / sum w², of each sum and sum of squares; 0 where there is no weight.

    Whole where it is whole but for rounding, so that conditions on it (fewer than 10 cases) do not depend on the scale
    of the weights. (Kish 1965, Survey Sampling, 8.2.)

    >>> equal_cases(sum([0.1] * 10), sum([0.1**2] * 10)), equal_cases(3.0, 5.0)
    (10.0, 1.8)
    """
    total, squares = np.asarray(total, np.float64), np.asarray(squares, np.float64)
    found = (
        np.divide(total, squares, out=np.zeros(np.broadcast(total, squares).shape), where=squares > 0) * total
    )
    whole = np.round(found)
    found = np.where(abs(found - whole) <= EXACT * found, whole, found)
    return found if found.ndim else float(found)
