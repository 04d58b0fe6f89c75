"""Extrapolation of a learning curve: what a loss would be with more cases, if a power law holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.inference.draws import stream
from classay.inference.estimate import Estimate

Array = NDArray[Any]
RATES = np.geomspace(0.05, 3.0, 160)
"""Exponents tried: from a curve that hardly falls to one that is flat at once."""
FEWEST = 4
"""Points that a law of three parameters needs, and one more."""
DRAWS = 2000
METHOD = "extrapolation by a power law"


@dataclass(frozen=True, eq=False)
class Points:
    """Mean losses at several training sizes, `(sizes,)`, the covariance of their errors, and its degrees of freedom."""

    sizes: Array
    losses: Array
    covariance: Array
    df: float

    def up_to(self, size: float) -> Points:
        """Those of sizes up to this one."""
        kept = self.sizes <= size
        return Points(self.sizes[kept], self.losses[kept], self.covariance[np.ix_(kept, kept)], self.df)

    def draws(self, seed: int, purpose: str) -> Array:
        """Losses as they might have come out, `(draws, sizes)`: Student's t around those seen."""
        rng = stream(seed, purpose)
        values, vectors = np.linalg.eigh(self.covariance)
        normal = rng.standard_normal((DRAWS, self.sizes.size)) * np.sqrt(np.maximum(values, 0))
        scale = np.sqrt(self.df / rng.chisquare(self.df, (DRAWS, 1)))
        found: Array = self.losses + scale * (normal @ vectors.T)
        return found


def power_law(sizes: ArrayLike, losses: ArrayLike, weights: ArrayLike, at: ArrayLike) -> Array:
    """a + b n^-c at sizes `at`, fitted by weighted least squares with a, b >= 0 and c in a grid from 0.05 to 3.

    `losses` are `(…, sizes)`, for each its own fit; the result is `(…, at)`. A curve that does not fall is a
    constant.

    >>> n = np.array([10, 20, 40, 80, 160])
    >>> power_law(n, 0.1 + 2 / n, np.ones(5), [320]).round(3).tolist()
    [0.106]
    """
    n, y, w = (np.asarray(each, np.float64) for each in (sizes, losses, weights))
    w, wanted, top = w / w.sum(), np.asarray(at, np.float64), n.max()
    x = (n / top) ** -RATES[:, None]
    a, b = _lines(x, y, w)
    middle = (w * y).sum(-1, keepdims=True)
    # the error of a + b x, all rates at once, around the mean of the losses so that no digit is lost in large ones
    square, with_x, start = w * x * x, (y - middle) @ (w * x).T, a - middle
    error = start * start + 2 * start * b * (w * x).sum(-1) + b * b * square.sum(-1) - 2 * b * with_x
    best = error.argmin(-1)[..., None]
    a, b = (np.take_along_axis(each, best, -1) for each in (a, b))
    found: Array = a + b * (wanted / top) ** -RATES[best]
    return found


def _lines(x: Array, y: Array, w: Array) -> tuple[Array, Array]:
    """Intercepts and slopes of each y, `(…, sizes)`, on each x, `(rates, sizes)`, all at least 0; Σw = 1."""
    middle, mean = (x @ w)[:, None], (y @ w)[..., None]
    gaps = w * (x - middle)
    b = np.maximum(y @ gaps.T / (gaps * (x - middle)).sum(-1), 0.0)
    a = mean - b * middle[:, 0]
    through = np.maximum(y @ (w * x).T / (w * x * x).sum(-1), 0.0)
    is_below = a < 0
    return np.where(is_below, 0.0, a), np.where(is_below, through, b)


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """What a learning curve promises at sizes beyond its points.

    `estimate` is the loss at `size`, `change` what that is less than the loss at the largest size seen (below 0 where
    more cases help). `expected` and `seen` are the loss at the largest size, as extrapolated from sizes up to half of
    it, and as it came out; `miss` is their difference. Where its interval leaves out 0, the law does not hold for this
    curve, and `estimate` and `change` are undefined. `path` are (size, value, low, high) on the way.
    """

    size: int
    estimate: Estimate
    change: Estimate
    expected: Estimate
    seen: Estimate
    miss: Estimate
    path: tuple[tuple[float, float, float, float], ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the same extrapolation from half of the data came true on the rest."""
        return bool(self.miss.has_interval and self.miss.low <= 0 <= self.miss.high)


def extrapolate(points: Points, seen: Estimate, level: float, seed: int) -> Extrapolation | str:
    """The extrapolation to twice the largest size, checked by that from half of it; or why there is none."""
    top = int(points.sizes.max())
    half = points.up_to(top / 2)
    if half.sizes.size < FEWEST:
        return (
            f"{half.sizes.size} sizes up to half of the largest are too few to check an extrapolation: pass {FEWEST} "
            "or more"
        )
    if not np.isfinite(points.covariance).all() or not (np.diag(points.covariance) > 0).all():
        return "some size shows no spread, so that the points cannot be weighed"
    draws = points.draws(seed, "learning curve")
    known = half.sizes.size
    early, early_draws = _at(half, half.losses, [top])[0], _at(half, draws[:, :known], [top])[:, 0]
    miss = _found(points.losses[-1] - early, draws[:, -1] - early_draws, level)
    expected = _found(early, early_draws, level)
    sizes = np.linspace(top, 2 * top, 9)
    line, lines = _at(points, points.losses, sizes), _at(points, draws, sizes)
    low, high = np.quantile(lines, [(1 - level) / 2, (1 + level) / 2], axis=0)
    path = tuple(zip(sizes.tolist(), line.tolist(), low.tolist(), high.tolist(), strict=True))
    if not miss.low <= 0 <= miss.high:
        why = "the same extrapolation from half of the cases missed what all of them show"
        return Extrapolation(2 * top, Estimate.undefined(why), Estimate.undefined(why), expected, seen, miss)
    found = _found(line[-1], lines[:, -1], level)
    change = _found(line[-1] - line[0], lines[:, -1] - lines[:, 0], level)
    return Extrapolation(2 * top, found, change, expected, seen, miss, path)


def _at(points: Points, losses: Array, at: ArrayLike) -> Array:
    return power_law(points.sizes, losses, 1 / np.diag(points.covariance), at)


def _found(value: float, draws: Array, level: float) -> Estimate:
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(
        float(value), min(float(low), float(value)), max(float(high), float(value)), level, METHOD
    )
