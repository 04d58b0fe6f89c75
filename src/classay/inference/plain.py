"""Numbers and estimates as JSON knows them."""

from __future__ import annotations

from math import isinf, isnan
from typing import Any

from classay.inference.estimate import Estimate


def plain_number(value: float) -> float | str | None:
    """Return a number as JSON knows it: None where it is not defined, infinity as text.

    >>> plain_number(0.5), plain_number(float("nan")), plain_number(float("-inf"))
    (0.5, None, '-Infinity')
    """
    if isnan(value):
        return None
    return ("Infinity" if value > 0 else "-Infinity") if isinf(value) else float(value)


def plain_estimate(estimate: Estimate) -> dict[str, Any]:
    """Return the value of an estimate and its interval."""
    return {
        "value": plain_number(estimate.value),
        "low": plain_number(estimate.low),
        "high": plain_number(estimate.high),
        "level": estimate.level,
    }
