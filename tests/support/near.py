"""Estimates found in two ways, of which one groups scores that lie close together."""

import pytest


def same_to_rounding(near, exact, name):
    """The values are equal to rounding, and the limits to a millionth of half the interval."""
    half = (exact.high - exact.low) / 2
    assert near.value == pytest.approx(exact.value, rel=1e-12), name
    assert (near.low, near.high) == pytest.approx((exact.low, exact.high), rel=0, abs=1e-6 * half), name
