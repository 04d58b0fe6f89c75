"""Curves with few enough points to draw, and how far off that makes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.tables import ScoreTable

Array = NDArray[Any]

DISPLAY_ERROR = 0.0005
"""Greatest vertical error of a curve simplified for display, as a share of its height if that is over 1."""
FEW = 2000
"""Points that are drawn one by one, each with its threshold."""
MANY = 1_000_000
"""Distinct scores beyond which a table is thinned before its curves are made, for display only."""
THIN = 0.0001
"""Greatest share by which a class grows, from either end, from one score of a thinned table to the next."""
BLOCK = 1 << 16


def for_display(curve: Curve, error: float = DISPLAY_ERROR, few: int = FEW) -> Curve:
    """The curve through few of its points; `error` states the greatest vertical error that this makes.

    For any curve of more than `few` points whose x never turns back, its band included. Between two kept
    points every height varies by at most `error` (times the height of the picture where that is more than 1),
    so nothing is further off, the error that the curve has already included. O(points).

    >>> x = np.linspace(0, 1, 100_001)
    >>> shown = for_display(Curve("parabola", "", x, x * x, "x", "y"))
    >>> shown.x.size < 5000, shown.error < 0.0005
    (True, True)
    """
    if curve.kind == "bars" or curve.x.size <= max(few, 2):
        return curve
    heights = [each for each in (curve.y, curve.low, curve.high) if each is not None]
    allowed = error * max(1.0, _span(heights)) - curve.error
    if allowed <= 0:
        return curve
    bounded = [*heights, _quantiles(curve.y)] if curve.y_scale == "normal" else heights
    keep = _merged(bounded, _steps(bounded, allowed), allowed)
    if keep.size == curve.x.size:
        return curve
    errors = [_greatest_error(curve.kind, curve.x, height, keep) for height in heights]
    return replace(curve.take(keep), error=curve.error + max(errors))


def with_at_most(curve: Curve, points: int) -> Curve:
    """The curve through at most so many of its points, each added where what is drawn is furthest off.

    It stops early at the error of `for_display`; `error` states the greatest vertical one that is left.

    >>> x = np.linspace(0, 1, 1001)
    >>> shown = with_at_most(Curve("parabola", "", x, x * x, "x", "y"), 50)
    >>> shown.x.size <= 50, shown.error < 0.0006
    (True, True)
    """
    curve = for_display(curve, few=points)
    if curve.kind == "bars" or curve.x.size <= points:
        return curve
    heights = [each for each in (curve.y, curve.low, curve.high) if each is not None]
    guides = [*heights, _quantiles(curve.y)] if curve.y_scale == "normal" else heights
    jumps = np.flatnonzero(np.any([np.diff(np.isfinite(each)) for each in heights], axis=0))
    kept = np.unique(np.concatenate([[0, curve.x.size - 1], jumps, jumps + 1])).tolist()
    stretches = [_furthest(curve, guides, *ends) for ends in pairwise(kept)]
    heapify(stretches)
    allowed = DISPLAY_ERROR * max(1.0, _span(heights))
    while len(kept) < points and -stretches[0][0] > allowed:
        _, middle, left, right = heappop(stretches)
        kept.append(middle)
        for ends in ((left, middle), (middle, right)):
            heappush(stretches, _furthest(curve, guides, *ends))
    keep = np.sort(np.array(kept))
    errors = [_greatest_error(curve.kind, curve.x, height, keep) for height in heights]
    return replace(curve.take(keep), error=curve.error + max(errors))


def _furthest(curve: Curve, heights: list[Array], left: int, right: int) -> tuple[float, int, int, int]:
    """How far off, with a minus sign, what is drawn between two points is at worst, and where to part it.

    A line is parted where it is furthest off, a step, which is furthest off at its end, half as far.
    """
    inside = slice(left + 1, right)
    if right - left < 2:
        return 0.0, left, left, right
    x = curve.x[inside]
    ends = [[(curve.x[end], each[end]) for end in (left, right)] for each in heights]
    off = [_offset(curve.kind, x, each[inside], *both) for each, both in zip(heights, ends, strict=True)]
    far = np.nan_to_num(np.abs(off), posinf=0.0).max(0)
    worst = float(far.max())
    part = far if curve.kind == "line" else -np.abs(far - worst / 2)
    return -worst, left + 1 + int(part.argmax()), left, right


def thinned(table: ScoreTable) -> ScoreTable:
    """A table of over a million scores with neighbours put together, for curves that are only to be looked at.

    From one score to the next, the positives and the negatives above it, and those below, grow by at most
    0.01 % or by what lies at one score: so much, at most twice, does a rate or the precision change relatively.

    >>> thinned(ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False]))).scores.size
    2
    """
    if table.scores.size <= MANY:
        return table
    cuts = [np.array([0])]
    for counts in (table.positives, table.negatives):
        running = np.cumsum(counts)
        least = counts[counts > 0].min(initial=running[-1])
        levels = (
            running[-1] * np.exp(-np.arange(0.0, np.log(running[-1] / least) + THIN, THIN)) if least else []
        )
        ends = np.searchsorted(running, np.concatenate([levels, running[-1] - np.asarray(levels)]))
        cuts.append(np.unique(ends) + 1)
    starts = np.unique(np.concatenate(cuts))
    starts = starts[starts < table.scores.size]
    lowest = np.append(starts[1:], table.scores.size) - 1
    squares = table.positive_squares, table.negative_squares
    sums = [
        None if each is None else np.add.reduceat(each, starts)
        for each in (table.positives, table.negatives, *squares)
    ]
    return ScoreTable(table.scores[lowest], sums[0], sums[1], table.labels, *sums[2:])  # type: ignore[arg-type]


def _span(heights: list[Array]) -> float:
    finite = [each[np.isfinite(each)] for each in heights]
    top, bottom = (max(e.max(initial=-np.inf) for e in finite), min(e.min(initial=np.inf) for e in finite))
    return float(top - bottom)


def _quantiles(shares: Array) -> Array:
    """Normal quantiles of shares as parts of an axis from 1e-6 to 1 - 1e-6, on which small shares count."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(shares, 1e-6, 1 - 1e-6)) / (2 * ndtri(1 - 1e-6)))


def _blocks(size: int) -> Iterator[slice]:
    """Stretches that overlap by one point, short enough to stay in the processor's cache."""
    return (slice(start, min(start + BLOCK, size - 1) + 1) for start in range(0, size - 1, BLOCK))


def _steps(heights: list[Array], allowed: float) -> Array:
    """The first point after each step of `allowed` in total variation, the point before it, and both ends."""
    size = heights[0].size
    kept, walked = [np.array([0, size - 1])], 0.0
    for block in _blocks(size):
        way = np.cumsum(sum(_rises(height[block], allowed) for height in heights))
        way += walked
        cells = np.floor(way / allowed)
        new = np.flatnonzero(np.diff(cells, prepend=np.floor(walked / allowed))) + block.start + 1
        kept += [new, new - 1]
        walked = float(way[-1])
    return np.unique(np.concatenate(kept))


def _rises(height: Array, allowed: float) -> Array:
    """Distance between neighbouring heights; over `allowed` where only one exists, so that both stay."""
    rises = np.abs(np.diff(height))
    missing = ~np.isfinite(rises)
    if missing.any():
        rises[missing] = np.where(np.diff(np.isfinite(height))[missing], 2 * allowed, 0.0)
    return rises


def _merged(heights: list[Array], keep: Array, allowed: float) -> Array:
    """Fewer points still: neighbouring stretches become one where every height stays within `allowed`."""
    before = keep.size + 1
    # an infinite height where there is none: no stretch that holds one joins another
    ranges = [_ranges(np.where(np.isfinite(each), each, np.inf), keep) for each in heights]
    offset, idle = 0, 0
    while idle < 2:  # some twenty rounds, each over the stretches that are left
        first = np.arange(offset, keep.size - 2, 2)
        joined = [
            (np.minimum(low[first], low[first + 1]), np.maximum(high[first], high[first + 1]))
            for low, high in ranges
        ]
        fits = np.all([high <= low + allowed for low, high in joined], axis=0)
        fits &= np.all([np.isfinite(high) for _, high in joined], axis=0)
        gone = first[fits] + 1
        for (low, high), (new_low, new_high) in zip(ranges, joined, strict=True):
            low[gone - 1], high[gone - 1] = new_low[fits], new_high[fits]
        ranges = [(np.delete(low, gone), np.delete(high, gone)) for low, high in ranges]
        before, keep = keep.size, np.delete(keep, gone)
        idle = idle + 1 if keep.size == before else 0
        offset = 1 - offset
    return keep


def _ranges(height: Array, keep: Array) -> tuple[Array, Array]:
    """Least and greatest height between each kept point and the next, both included."""
    ends = height[keep[1:]]
    low, high = (extreme.reduceat(height, keep[:-1]) for extreme in (np.minimum, np.maximum))
    return np.minimum(low, ends), np.maximum(high, ends)


def _greatest_error(kind: str, x: Array, y: Array, keep: Array) -> float:
    """Greatest vertical distance of a dropped point from what is drawn between the kept ones around it."""
    worst = 0.0
    for block in _blocks(x.size):
        inside = keep[np.searchsorted(keep, block.start, "right") : np.searchsorted(keep, block.stop - 1)]
        first = np.searchsorted(keep, block.start, "right") - 1
        stretch = np.repeat(
            np.arange(first, first + inside.size + 1),
            np.diff(inside, prepend=block.start, append=block.stop - 1),
        )
        here, left, right = slice(block.start, block.stop - 1), keep[stretch], keep[stretch + 1]
        off = np.abs(_offset(kind, x[here], y[here], (x[left], y[left]), (x[right], y[right])))
        off[inside - block.start] = 0.0
        off[:1] *= keep[first] != block.start
        worst = max(worst, float(off[np.isfinite(off)].max(initial=0.0)))
    return worst


def _offset(kind: str, x: Array, y: Array, left: tuple[Array, Array], right: tuple[Array, Array]) -> Array:
    if kind in ("steps", "steps_back"):
        return y - (left if kind == "steps" else right)[1]
    (x0, y0), (x1, y1) = left, right
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = y0 + (x - x0) / (x1 - x0) * (y1 - y0)
    unclear = np.isnan(drawn)  # on a vertical stretch, which covers all heights between its ends
    if unclear.any():
        drawn[unclear] = np.clip(y, np.minimum(y0, y1), np.maximum(y0, y1))[unclear]
    return np.asarray(y - drawn)
