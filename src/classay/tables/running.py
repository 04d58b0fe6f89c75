"""Running sums of weights, of which the last is the total; comparisons that rounding does not decide; equal cases.

Sampling weights add up with rounding, and two ways to add them round differently. A share of all must be exactly 1, and
what is equal for cases that count alike must be equal for weights of 0.1 too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ROUNDING = 1e-12
"""Relative difference below which two sums or means are taken to be equal: a million additions round by less."""
STRETCH = 1024
"""Weights between two of the running sums that `Running` keeps."""
EXACT = 1e-9
"""Relative distance from a whole number within which it is meant: sums of weights are rounded."""


def total(weights: Any) -> Any:
    """The sum over the last axis: of weights the last running sum, so that rates of running sums end in exactly 1.

    >>> weights = np.full(10, 0.1)
    >>> bool(total(weights) == np.cumsum(weights)[-1]), bool(total(weights) == weights.sum())
    (True, False)
    """
    if weights.dtype.kind != "f":
        return weights.sum(-1)
    if not weights.shape[-1]:
        return np.zeros(weights.shape[:-1])[()]
    return np.cumsum(weights, -1)[..., -1][()]


class Running:
    """The running sums of weights at few of their places, bit for bit those of `np.cumsum`, without all others.

    The sum before each stretch of places is kept, and what is asked for is added up within its stretch.
    """

    def __init__(self, weights: Any) -> None:
        self.weights = weights
        starts = np.arange(0, weights.size, STRETCH)
        if weights.dtype.kind == "f":  # added one by one, as a sum of sums would be rounded elsewhere
            self.ends = np.cumsum(weights)[np.minimum(starts + STRETCH, weights.size) - 1]
        else:
            self.ends = np.cumsum(np.add.reduceat(weights, starts, dtype=np.int64)) if starts.size else starts
        self.before = np.concatenate([np.zeros(1, self.ends.dtype), self.ends[:-1]])

    def upto(self, places: Any) -> Any:
        """The sum of the weights before each place, of which 0 is the first and their number the last.

        >>> Running(np.array([2, 0, 3])).upto(np.array([0, 1, 3]))
        array([0, 2, 5])
        """
        return self._within(places // STRETCH)[np.arange(places.size), places % STRETCH]

    def reaching(self, sums: Any) -> Any:
        """The first place at which the running sum, its own weight included, is at least each sum.

        The number of weights where it never is.

        >>> Running(np.array([2, 0, 3])).reaching(np.array([1, 3, 5, 6]))
        array([0, 2, 2, 3])
        """
        stretch = np.searchsorted(self.ends, sums)
        below = (self._within(stretch)[:, 1:] < np.asarray(sums)[:, None]).sum(1)
        return np.minimum(stretch * STRETCH + below, self.weights.size)

    def _within(self, stretch: Any) -> Any:
        """The running sums from the start of each stretch to its end, `(stretches, 1 + STRETCH)`."""
        at = stretch[:, None] * STRETCH + np.arange(STRETCH)
        inside = at < self.weights.size
        made = np.zeros((stretch.size, 1 + STRETCH), self.ends.dtype)
        made[:, 0] = np.append(self.before, self.ends[-1:])[stretch]
        made[:, 1:][inside] = self.weights[at[inside]]
        return np.cumsum(made, 1)


def at_most(value: Any, limit: Any) -> Any:
    """Whether value <= limit, or greater by rounding alone; neither is negative.

    >>> bool(at_most(0.1 + 0.2, 0.3)), bool(at_most(0.31, 0.3))
    (True, False)
    """
    return value <= limit * (1 + ROUNDING)


def at_least(value: Any, limit: Any) -> Any:
    """Whether value >= limit, or less by rounding alone; neither is negative.

    >>> bool(at_least(0.7, 0.1 * 7)), bool(at_least(0.69, 0.7))
    (True, False)
    """
    return value >= limit * (1 - ROUNDING)


def greatest(weights: Any) -> Any:
    """The greatest over the last axis of sums of weights, of which those that differ by rounding alone are equal.

    Complex steps of derivatives pass: of equal ones the greatest step, as the maximum moves by it.

    >>> print(greatest(np.array([0.3, 0.1 + 0.2, 0.1])), greatest(np.array([3, 5])))
    0.30000000000000004 5
    """
    found = weights.real.max(-1)
    if weights.dtype.kind != "c":
        return found
    equal = at_least(weights.real, found[..., None])
    return found + 1j * np.where(equal, weights.imag, -np.inf).max(-1)


def are_greatest(weights: Any) -> Any:
    """Which of some sums of weights are the greatest, but for rounding.

    >>> are_greatest(np.array([0.3, 0.1 + 0.2, 0.1]))
    array([ True,  True, False])
    """
    return at_least(weights, weights.max(-1, keepdims=True))


def difference(whole: Any, part: Any) -> Any:
    """whole - part of sums of weights where `part` is in `whole`: 0 where what is left is rounding, never negative.

    Whole numbers are exact. Complex steps of derivatives pass.

    >>> print(difference(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 0.25])))
    [0.   0.75]
    """
    left = whole - part
    if np.asarray(left).dtype.kind not in "fc":
        return left
    nothing = np.real(left) <= ROUNDING * np.abs(np.real(whole))
    if not nothing.any():
        return left
    return np.where(nothing, left - np.real(left), left)[()]


def equal_cases(total: Any, squares: Any) -> Any:
    """The effective number of cases, (sum w)² / sum w², of each sum and sum of squares; 0 where there is no weight.

    Whole where it is whole but for rounding, so that conditions on it (fewer than 10 cases) do not depend on the scale
    of the weights. (Kish 1965, Survey Sampling, 8.2.)

    >>> equal_cases(sum([0.1] * 10), sum([0.1**2] * 10)), equal_cases(3.0, 4.0)
    (10.0, 2.25)
    """
    total, squares = np.asarray(total, np.float64), np.asarray(squares, np.float64)
    found = (
        np.divide(total, squares, out=np.zeros(np.broadcast(total, squares).shape), where=squares > 0) * total
    )
    whole = np.round(found)
    found = np.where(abs(found - whole) <= EXACT * found, whole, found)
    return found if found.ndim else float(found)


def is_rounding(spread: Any, size: Any) -> Any:
    """Whether a spread is none, but the rounding of values of this size, or of sums and means of them.

    `spread` is a standard error, a standard deviation, a range or a difference; arrays go together as NumPy broadcasts
    them. Undefined and infinite spreads are none of rounding.

    >>> bool(is_rounding(0.1 + 0.2 - 0.3, 0.3)), bool(is_rounding(1e-9, 0.3)), bool(is_rounding(0.0, 0.0))
    (True, False, True)
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(spread) <= ROUNDING * np.abs(size))


def rounded_difference(first: Any, second: Any) -> Any:
    """First less second, and exactly 0 where only rounding lies between the two.

    >>> rounded_difference(np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.4])).round(3).tolist()
    [0.0, 0.1]
    """
    first, second = np.asarray(first), np.asarray(second)
    difference = first - second
    return np.where(is_rounding(difference, np.maximum(np.abs(first), np.abs(second))), 0.0, difference)
