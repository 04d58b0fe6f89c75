"""ExactSum: a sum of floats without rounding, so that chunks added in any order give the same bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SCALE = (
    1074 + 53
)  # every finite double is a whole multiple of 2**-1127 once its mantissa is made a whole number
_HALF = 26  # mantissas are added in two halves, so that int64 holds 2**36 of them


@dataclass(frozen=True)
class ExactSum:
    """The exact sum of finite doubles, as a whole number of units of 2^-1127, and how many infinities met it.

    >>> (ExactSum.of(np.array([1e16, 1.0])) + ExactSum.of(np.array([-1e16]))).value
    1.0
    """

    units: int = 0
    infinite: int = 0

    @classmethod
    def of(cls, values: NDArray[Any], times: NDArray[Any] | None = None) -> ExactSum:
        """Add up values of any shape; they must not be NaN, nor minus infinity.

        `times`, of the same shape, is how many cases each value stands for when infinities are counted.
        """
        flat = np.asarray(values, np.float64).ravel()
        is_finite = np.isfinite(flat)
        finite = flat[is_finite]
        infinite = flat.size - finite.size if times is None else int(np.ravel(times)[~is_finite].sum())
        mantissa, exponent = np.frexp(finite)
        whole = np.ldexp(mantissa, 53).astype(np.int64)
        place = (exponent - 53 + _SCALE).astype(np.intp)
        high = np.zeros(_SCALE + 1025, np.int64)
        low = np.zeros_like(high)
        np.add.at(high, place, whole >> _HALF)
        np.add.at(low, place, whole & ((1 << _HALF) - 1))
        units = 0
        for at in np.flatnonzero(high | low):
            units += ((int(high[at]) << _HALF) + int(low[at])) << int(at)
        return cls(units, infinite)

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        return float("inf") if self.infinite else self.units / (1 << _SCALE)

    def __add__(self, other: ExactSum) -> ExactSum:
        return ExactSum(self.units + other.units, self.infinite + other.infinite)

    def __sub__(self, part: ExactSum) -> ExactSum:
        """What is left without a part of the sum."""
        return ExactSum(self.units - part.units, self.infinite - part.infinite)
