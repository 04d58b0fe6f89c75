"""Bands around curves: of the ROC curve without a bootstrap, of any curve of a score table by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import factorial, log2, pi, sqrt
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.curves.display import DISPLAY_ERROR, THIN, for_display, thinned
from classay.curves.of_scores import roc
from classay.errors import InputError, check_word
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.inference.proportions import clopper_pearson, falling_root
from classay.tables import ScoreTable

EXACT_TO = 140
"""Cases up to which the distribution is computed exactly; beyond, by an expansion that errs by 1e-7 and less."""
LEAST, MOST = 0.05, 6.0
"""Distances times the root of the cases below and beyond which the probability is 0 and 1 to the last digit."""
TERMS = np.arange(-20, 21)


def distance_quantile(m: int, level: float) -> float:
    """Return the distance that m cases of a continuous score stay within with probability `level`.

    >>> round(distance_quantile(10, 0.95), 5), round(distance_quantile(1000, 0.95), 6)
    (0.40925, 0.042777)
    """
    chance = _exact if m <= EXACT_TO else _expanded
    beyond = np.vectorize(lambda distance: 1 - chance(m, float(distance)), otypes=[float])
    return float(falling_root(beyond, 1 - level, 0.5 / m, min(1.0, dkw_distance(m, level))))


def _exact(m: int, distance: float) -> float:
    """P(D <= distance) as a power of a matrix. Marsaglia, Tsang & Wang 2003, Journal of Statistical Software 8(18)."""
    k = int(m * distance) + 1
    h, size = k - m * distance, 2 * k - 1
    i, j = np.indices((size, size))
    matrix = np.where(i - j + 1 >= 0, 1.0, 0.0)
    powers = h ** np.arange(1, size + 1)
    matrix[:, 0] -= powers
    matrix[-1] -= powers[::-1]
    matrix[-1, 0] += max(2 * h - 1, 0.0) ** size
    matrix /= np.array([float(factorial(n)) for n in range(size + 1)])[np.maximum(i - j + 1, 0)]
    scale = float(np.prod(np.arange(1, m + 1) / m))
    return float(np.linalg.matrix_power(matrix, m)[k - 1, k - 1] * scale)


def _expanded(m: int, distance: float) -> float:
    """P(D <= distance) to the order m^(-3/2). Pelz & Good 1976, Journal of the Royal Statistical Society B 38:152."""
    z = sqrt(m) * distance
    if not LEAST < z < MOST:
        return float(z >= MOST)
    odd, even = (pi * (TERMS + 0.5)) ** 2, (pi * TERMS) ** 2
    at_odd, at_even = np.exp(-odd / (2 * z**2)), np.exp(-even / (2 * z**2))
    first = (at_odd / z).sum()
    second = ((odd - z**2) * at_odd).sum() / (6 * z**4)
    third = ((6 * z**6 + 2 * z**4 + (2 * z**4 - 5 * z**2) * odd + (1 - 2 * z**2) * odd**2) * at_odd).sum() / (
        72 * z**7
    ) - (even * at_even).sum() / (36 * z**3)
    fourth = (
        (
            (5 - 30 * z**2) * odd**3
            + (212 * z**4 - 60 * z**2) * odd**2
            + (135 * z**4 - 96 * z**6) * odd
            - (30 * z**6 + 90 * z**8)
        )
        * at_odd
    ).sum() / (6480 * z**10) + ((3 * z**2 * even - even**2) * at_even).sum() / (216 * z**6)
    return float(sqrt(pi / 2) * (first + second / sqrt(m) + third / m + fourth / m**1.5))


Array = NDArray[Any]
Bound = Literal["tails", "Kolmogorov", "DKW"]
MOST_POINTS = 100_000
"""Points of an ROC curve up to which its band is exact; beyond, both are simplified and the band widened."""
FIRST_ERROR = DISPLAY_ERROR / 2  # the other half is left for whoever simplifies the curve with its band


def dkw_distance(m: int, level: float) -> float:
    """Return how far m cases' distribution function strays from the true one, with probability `level` at least.

    sqrt(ln(2 / (1 - level)) / (2 m)). Massart 1990, Annals of Probability 18:1269.

    >>> round(dkw_distance(1000, 0.95), 4)
    0.0429
    """
    return float(np.sqrt(np.log(2 / (1 - level)) / (2 * m)))


def kolmogorov_distance(m: int, level: float) -> float:
    """Return the same, exact for m cases of a continuous score, and so shorter; with ties it is still safe.

    >>> round(kolmogorov_distance(1000, 0.95), 4)
    0.0428
    """
    return distance_quantile(m, level)


OF_TAILS = 0.25
"""The share of the error that is spent on both tails of a distribution, where rates near 0 and 1 are narrower."""
Limits = tuple[Array, Array]


def limits_within(distance: Callable[[int, float], float]) -> Callable[[Array, int, float], Limits]:
    """Return the limits of the rates of all thresholds at once by one distance, whatever the rate."""

    def limits(counts: Array, m: int, level: float) -> Limits:
        off = distance(m, level)
        return counts / m - off, counts / m + off

    return limits


def limits_with_tails(counts: Array, m: int, level: float) -> Limits:
    """Return the limits of the rates of all thresholds at once, from the numbers of m cases that lie above each.

    A distance that is the same everywhere is too great near 0 and 1. So a share `OF_TAILS` of the error goes to the
    1st, 2nd, 4th, 8th, … case, up to an eighth of them, from either end. Where fewer than i cases lie above a
    threshold, its rate is at most that of the i-th, and where i or more do, at least that; the rate of the i-th
    follows a beta(i, m - i + 1) distribution, or is beyond it where scores tie. The limits are those of Clopper and
    Pearson, all of them together by Bonferroni, and the rest of the error goes to Kolmogorov's distance.

    >>> low, high = limits_with_tails(np.array([0, 1, 500]), 1000, 0.95)
    >>> print(low.round(4), high.round(4))
    [0.     0.     0.4556] [0.0077 0.0101 0.5444]
    """
    places = 2.0 ** np.arange(1 + max(0, int(log2(m / 8))))
    tail_level = 1 - OF_TAILS * (1 - level) / (2 * places.size)
    least = np.concatenate([[0.0], clopper_pearson(places, m, tail_level)[0]])
    most = np.concatenate([clopper_pearson(places - 1, m, tail_level)[1], [1.0]])
    above, below = (np.searchsorted(places, np.rint(count), side="right") for count in (counts, m - counts))
    low, high = limits_within(kolmogorov_distance)(counts, m, 1 - (1 - OF_TAILS) * (1 - level))
    low = np.maximum(low, np.maximum(least[above], 1 - most[below]))
    return low, np.minimum(high, np.minimum(most[above], 1 - least[below]))


LIMITS: dict[Bound, Callable[[Array, int, float], Limits]] = {
    "tails": limits_with_tails,
    "Kolmogorov": limits_within(kolmogorov_distance),
    "DKW": limits_within(dkw_distance),
}
NAMES: dict[Bound, str] = {"tails": "Kolmogorov, Clopper-Pearson in the tails"}


def each_level(level: float) -> float:
    """Return the level that two independent intervals must have to hold together at `level`: its square root.

    >>> round(each_level(0.95), 6)
    0.974679
    """
    return float(np.sqrt(level))


def simultaneous_roc_band(table: ScoreTable, level: float = 0.95, method: Bound = "tails") -> Curve:
    """Return the ROC curve with a band that holds all of the true curve with probability at least `level`.

    The true rates at every threshold lie within limits around the empirical true positive rate and the false positive
    rate, jointly, whatever the distributions. Between two neighbouring thresholds, scores may be tied, and the true
    curve is straight there: the band holds the convex hull of each two neighbouring rectangles. The limits of each
    class are those of `limits_with_tails` at level sqrt(level), which are narrow near 0 and 1; or the same distance
    everywhere, the Kolmogorov quantile or the bound of Dvoretzky, Kiefer, Wolfowitz and Massart. Beyond `MOST_POINTS`
    points the curve is simplified first and the band widened by as much. Raises InputError on sampling weights, a
    class without cases, a level outside (0, 1), or a method of another name. Campbell 1994, Statistics in Medicine
    13:499.

    >>> band = simultaneous_roc_band(ScoreTable.from_rows(np.arange(100) / 100, np.arange(100) % 3 > 0))
    >>> print(band.band, band.low.min(), band.high.max())
    simultaneous 95%, Kolmogorov, Clopper-Pearson in the tails 0.0 1.0
    """
    _check(table, level)
    check_word("method", method, get_args(Bound))
    curve, widened = _drawable(table)
    named = replace(curve, band=f"simultaneous {100 * level:g}%, {NAMES.get(method, method)}")
    return _joined(named, table, LIMITS[method], each_level(level), widened)


def pointwise_roc_band(table: ScoreTable, level: float = 0.95) -> Curve:
    """Return the ROC curve with a band that holds the true rates at a threshold fixed beforehand.

    The rectangles at all thresholds, neighbours joined: Clopper-Pearson intervals at level sqrt(level) for the two
    independent rates. It holds at one threshold, not at all at once, and not at one chosen on these cases.
    Raises InputError as `simultaneous_roc_band`.

    >>> band = pointwise_roc_band(ScoreTable.from_rows(np.arange(100) / 100, np.arange(100) % 3 > 0))
    >>> band.band
    'pointwise 95%, Clopper-Pearson rectangles'
    """
    _check(table, level)
    curve, widened = _drawable(table)
    named = replace(curve, band=f"pointwise {100 * level:g}%, Clopper-Pearson rectangles")
    return _joined(named, table, clopper_pearson, each_level(level), widened)


def _check(table: ScoreTable, level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1, but is {level!r}.")
    if table.is_weighted:
        raise InputError(
            "This band needs independent, equally weighted cases, but these have sampling weights. Use "
            "a.roc.band('bootstrap'), or a.at(threshold) for the rates at one threshold."
        )
    if not table.n_positive or not table.n_negative:
        raise InputError(
            "A ROC curve needs cases of both classes. Add cases of the other class, or declare it."
        )


def _drawable(table: ScoreTable) -> tuple[Curve, float]:
    """Return the ROC curve with few enough points for a band, and how far the heights that were left out may be off."""
    thin = thinned(table)
    curve = roc(thin)
    if curve.x.size <= MOST_POINTS:
        return curve, 0.0
    return for_display(replace(curve, error=0.0 if thin is table else THIN), FIRST_ERROR), FIRST_ERROR


def _joined(
    curve: Curve,
    table: ScoreTable,
    limits: Callable[[Array, int, float], Limits],
    level: float,
    widened: float,
) -> Curve:
    """The curve with the band of these limits of either rate, widened by what heights that were left out may be off."""
    n, p = int(table.n_negative), int(table.n_positive)
    x_low, x_high = limits(np.rint(curve.x * n), n, level)
    y_low, y_high = limits(np.rint(curve.y * p), p, level)
    beside = min(widened, THIN)
    return _with_union(curve, (x_low - beside, x_high + beside), (y_low - widened, y_high + widened))


def _with_union(curve: Curve, across: tuple[Array, Array], upright: tuple[Array, Array]) -> Curve:
    """Return the curve with the convex hulls of each two neighbouring rectangles, which ascend along it.

    The greatest height is a line through the upper left corners, the least one through the lower right corners. Each
    x appears twice: with the heights just before and just after, which differ where a line is upright.
    """
    (x_low, x_high), (y_low, y_high) = (np.clip(limits, 0.0, 1.0) for limits in (across, upright))
    edges = np.unique(np.concatenate([[0.0, 1.0], curve.x, x_low, x_high]))
    return replace(
        curve,
        x=np.repeat(edges, 2),
        y=_heights(edges, curve.x, curve.y),
        threshold=None,
        low=_heights(edges, x_high, y_low),
        high=_heights(edges, x_low, y_high),
    )


def _heights(edges: Array, x: Array, y: Array) -> Array:
    """Return the height of an ascending line just before and just after each edge; beyond its ends, that of the end."""
    first = np.minimum(np.searchsorted(x, edges, side="left"), x.size - 1)
    last = np.maximum(np.searchsorted(x, edges, side="right") - 1, 0)
    is_point = x[first] == edges
    between = np.interp(edges, x, y)
    return np.stack([np.where(is_point, y[index], between) for index in (first, last)], -1).ravel()


REPLICATES = 500
PLACES = 201


def bootstrap_band(
    cases: ScoredCases, curve_of: Callable[[ScoreTable], Curve], *, replicates: int = REPLICATES
) -> Curve:
    """Return a curve at up to 201 even places of x, with the quantiles of its heights there in resamples of the cases.

    Pointwise: each height lies in the band with about the level's probability, all of them together with
    less; and where every resample agrees, as at the ends, the band says nothing. A curve of the best
    thresholds on its own cases (the cost curve) is too good once more in each resample, and its band lies to
    that side. Clusters are drawn whole. Raises InputError where the cases cannot be resampled, or for a curve
    without points.

    >>> from classay.curves.acting import cumulative_gain
    >>> table = ScoreTable.from_rows(np.arange(200) / 200, np.arange(200) % 3 == 0)
    >>> band = bootstrap_band(ScoredCases(table), cumulative_gain)
    >>> band.band, bool((band.low <= band.high).all())
    ('pointwise 95%, cohort bootstrap of 500', True)
    """
    if cases.why_not_resampled is not None:
        raise InputError(f"There is no bootstrap band ({cases.why_not_resampled}).")
    curve = curve_of(cases.table)
    inside = curve.x[np.isfinite(curve.x) & np.isfinite(curve.y)]
    if not inside.size:
        raise InputError(f"There is no band, because the {curve.title} has no points.")
    x = np.unique(np.linspace(inside.min(), inside.max(), PLACES))
    heights = np.stack([at(curve_of(draw), x) for draw in cases.resamples(replicates, f"{curve.name} band")])
    missing = np.isnan(heights).any(axis=0)  # of one class only, say
    ends = (1 - cases.level) / 2, (1 + cases.level) / 2
    low, high = np.quantile(np.where(missing, 0.0, heights), ends, axis=0)
    if missing.any():
        some = heights[:, missing]
        known = np.isfinite(some).mean(0) > 1 - 0.05
        low[missing], high[missing] = np.where(known, np.nanquantile(some, ends, axis=0), np.nan)
    return replace(
        curve,
        x=x,
        y=at(curve, x),
        threshold=None,
        low=low,
        high=high,
        band=f"pointwise {100 * cases.level:g}%, {cases.unit} bootstrap of {replicates:,}",
    )


def at(curve: Curve, x: Array) -> Array:
    """Return the heights of a curve at ascending places, by how it is drawn; the last on a vertical stretch of a line.

    >>> ends = np.array([0.0, 1.0])
    >>> at(Curve("c", "c", ends, ends, "x", "y"), np.array([0.25])).tolist()
    [0.25]
    """
    is_finite = np.isfinite(curve.x) & np.isfinite(curve.y)
    if not is_finite.any():
        return np.full(x.size, np.nan)
    points, heights = curve.x[is_finite], curve.y[is_finite]
    if curve.kind == "steps_back":
        return np.asarray(heights[np.searchsorted(points, x, side="left").clip(max=points.size - 1)])
    if curve.kind == "steps":
        return np.asarray(heights[np.searchsorted(points, x, side="right").clip(1) - 1])
    return np.interp(x, points, heights)
