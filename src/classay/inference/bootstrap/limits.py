"""Intervals from bootstrap replicates."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.inference.proportions.binomial import normal_quantile
from classay.inference.scales import PLAIN, scale_of
from classay.measures.registry import Measure

Array = NDArray[Any]
How = Literal["percentile", "basic", "BCa", "normal"]
Found = tuple[float, float, str] | str  # low, high and name; or the reason why there is none

MOST_UNDEFINED = 0.05
"""Share of undefined replicates beyond which those left say little of the whole."""


NEAR = 1e-12
"""Replicates closer to the value than this are ties with it, computed in another order; a share of their size."""

OFTEN_AT_END = 0.2
"""Share of replicates at the end of the range beyond which no scale makes them nearly normal."""

MAXIMUM = 1 / (2 ** (2 / 3) - 1)
"""The bias of a maximum over thresholds, in units of its bootstrap bias.

Near the best threshold the curve is a parabola plus a random walk of spread s; the expected maximum grows as
s^(4/3). A resample adds a second walk like the first to it, so its bias is 2^(2/3) b, that is, only (2^(2/3)
- 1) b more than the bias b of the sample (cube-root asymptotics: Kim & Pollard 1990, Annals of Statistics
18:191).
"""


NOISE = 1 / (2**0.5 - 1)
"""The same where no threshold is better than another, as of scores that know nothing: the maximum grows as s."""

MAXIMA = ("kolmogorov_smirnov", "max_f1", "hull_auc")
"""Measures that are a maximum over thresholds, whose bias no resample shows in full."""


@dataclass(frozen=True)
class Shape:
    """What an interval has to know of a statistic.

    `bounds` is its range, `ends` the range whose scale makes it nearly normal, `bias` by how much the
    bootstrap's bias is multiplied to give that of the statistic.
    """

    bounds: tuple[float, float] = (-inf, inf)
    ends: tuple[float, float] = (-inf, inf)
    bias: float = 1.0


def shape_of(statistic: Any) -> Shape:
    """The shape of a measure; of any other function nothing is known.

    >>> from classay.measures import kolmogorov_smirnov
    >>> shape_of(kolmogorov_smirnov).ends
    (-1.0, 1.0)
    """
    if not isinstance(statistic, Measure):
        return Shape()
    bias = MAXIMUM if statistic.name in ("kolmogorov_smirnov", "max_f1") else 1.0
    ends = (-1.0, 1.0) if statistic.name == "kolmogorov_smirnov" else statistic.bounds
    return Shape(statistic.bounds, ends, bias)


def interval(
    how: How, values: Array, value: float, level: float, shape: Shape | None = None, acceleration: float = 0.0
) -> Found:
    """The interval a name asks for, from the replicates of a statistic, its value and its shape.

    >>> interval("percentile", np.arange(101), 50, 0.5)
    (25.0, 75.0, 'percentile')
    """
    shape = shape or Shape()
    near = _near(values, value, shape.bounds)
    values, value = _to_ends(values, shape.bounds, near), float(_to_ends(np.array(value), shape.bounds, near))
    undefined = float(np.isnan(values).mean())
    if undefined > MOST_UNDEFINED:
        return f"it is undefined in {100 * undefined:.2g} % of the resamples"
    values = np.sort(values[~np.isnan(values)])
    if np.isinf(value):
        return "the value is infinite"
    if values[0] == values[-1] or values[-1] - values[0] <= near:
        return "every resample gives the same value, so nothing shows how far off it might be"
    found = METHODS[how](values, value, level, shape, acceleration)
    if isinstance(found, str):
        return found
    low, high = max(found[0], shape.bounds[0]), min(found[1], shape.bounds[1])
    if not high > low:
        return "the resamples hardly differ, so nothing shows how far off the value might be"
    left_out = f", {100 * undefined:.2g} % undefined resamples left out" if undefined else ""
    return low, high, found[2] + left_out


def _near(values: Array, value: float, bounds: tuple[float, float]) -> float:
    """The distance below which values are equal: a share of their range, and of their size where that has no end.

    So it does not depend on the unit of what has one.
    """
    finite = np.abs(bounds if np.isfinite(bounds).all() else np.append(values, value))
    return float(NEAR * finite[np.isfinite(finite)].max(initial=0.0))


def _to_ends(values: Array, bounds: tuple[float, float], near: float) -> Array:
    """Values within a range, those next to its ends at them: sums of weights are rounded.

    A perfect ranking of weighted cases has an AUC of 1 or 1 - 1e-16, as its sums happen to round, and on the logit
    scale these lie far apart.
    """
    low, high = bounds
    with np.errstate(invalid="ignore"):  # an end may be infinite
        values = np.where(np.abs(values - low) <= near, low, values)
        return np.clip(np.where(np.abs(high - values) <= near, high, values), low, high)


def bca_levels(bias: float, acceleration: float, level: float) -> tuple[float, float]:
    """The shares of replicates below the ends of the BCa interval, from z0 and a (Efron 1987, JASA 82:171).

    >>> low, high = bca_levels(-0.0651939584472, -0.0688247201612, 0.95)
    >>> print(round(low, 6), round(high, 6))
    0.007796 0.946409
    """
    from scipy.special import ndtr

    z = normal_quantile(level)
    ends = (bias + (bias + side) / (1 - acceleration * (bias + side)) for side in (-z, z))
    low, high = (float(ndtr(end)) for end in ends)
    return low, high


def median_bias(values: Array, value: float, near: float = 0.0) -> float:
    """z0, the normal quantile of the share of replicates below the value, those as near as `near` counting half."""
    from scipy.special import ndtri

    below = (values < value - near).mean() + ((np.abs(values - value) <= near).mean()) / 2
    return float(ndtri(below))


def _percentile(values: Array, value: float, level: float, shape: Shape, acceleration: float) -> Found:
    return *_quantiles(values, (1 - level) / 2, (1 + level) / 2), "percentile"


def _basic(values: Array, value: float, level: float, shape: Shape, acceleration: float) -> Found:
    low, high = _quantiles(values, (1 - level) / 2, (1 + level) / 2)
    return 2 * value - high, 2 * value - low, "basic"


def _bca(values: Array, value: float, level: float, shape: Shape, acceleration: float) -> Found:
    bias = median_bias(values, value, _near(values, value, shape.bounds))
    if np.isinf(bias):
        return "all resamples lie on one side of the value"
    if not np.isfinite(acceleration):
        return "the value is undefined or does not change when a case is left out"
    if abs(acceleration) * (abs(bias) + normal_quantile(level)) >= 1:
        return "the value depends too much on single cases"
    return *_quantiles(values, *bca_levels(bias, acceleration, level)), "BCa"


def _normal(values: Array, value: float, level: float, shape: Shape, acceleration: float) -> Found:
    """Normal on the scale of the measure, with the spread and the bias that the replicates have there."""
    if value in shape.ends:
        return "the value is at the end of its range, where resamples show one side only"
    if np.isinf(shape.ends).all():
        scale, used = PLAIN, "normal, bias-corrected"
    else:
        scale = scale_of(shape.ends)
        used = f"normal on the {scale.name} scale, bias-corrected"
    with np.errstate(divide="ignore"):
        moved, centre = scale.to(values), scale.to(value)  # type: ignore[arg-type]
    inside = moved[np.isfinite(moved)]  # type: ignore[index]
    if inside.size < (1 - OFTEN_AT_END) * values.size:
        return f"{100 - 100 * inside.size / values.size:.2g} % of the resamples are at the end of the range"
    centre -= shape.bias * (float(inside.mean()) - centre)
    half = normal_quantile(level) * float(inside.std(ddof=1))
    return float(scale.back(centre - half)), float(scale.back(centre + half)), used


METHODS = {"percentile": _percentile, "basic": _basic, "BCa": _bca, "normal": _normal}


def _quantiles(values: Array, low: float, high: float) -> tuple[float, float]:
    """Quantiles of sorted values, in between two only where both are finite."""
    how = "linear" if np.isfinite(values[[0, -1]]).all() else "nearest"
    ends = np.quantile(values, [low, high], method=how)  # type: ignore[call-overload]
    return float(ends[0]), float(ends[1])
