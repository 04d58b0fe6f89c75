"""Curves and operating points with few enough points to draw, and how far off that makes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import StrictThreshold, in_precision
from classay.curves.acting import benefit_of_acting, cost_line
from classay.curves.curve import Curve, as_given, entry
from classay.once import memoize
from classay.tables import ScoreTable
from classay.tables.sums import Running

Array = NDArray[Any]

DISPLAY_ERROR = 0.0005
"""Greatest vertical error of a curve simplified for display, as a share of its height if that is over 1."""
FEW = 2000
"""Points that are drawn one by one, each with its threshold."""
MANY = 100_000
"""Distinct scores beyond which a table is thinned before its curves are made, for display only."""
THIN = 0.0001
"""Greatest share by which a class grows, from either end, from one score of a thinned table to the next."""
BLOCK = 1 << 16
STEPS = ("steps", "steps_back")


def for_display(curve: Curve, error: float = DISPLAY_ERROR, few: int = FEW) -> Curve:
    """Return the curve through few of its points; its `error` states the greatest vertical error that this makes.

    It simplifies, with its band, any curve of more than `few` points whose x never turns back. Lines between kept
    points are nowhere further off than `error` (times the height of the picture where that is more than 1), including
    the error that the curve already has. O(points).

    >>> x = np.linspace(0, 1, 100_001)
    >>> shown = for_display(Curve("parabola", "", x, x * x, "x", "y"))
    >>> shown.x.size < 50, shown.error <= 0.0005
    (True, True)
    """
    if curve.kind in ("bars", "points") or curve.x.size <= max(few, 2):
        return curve
    heights = [height for height in (curve.y, curve.low, curve.high) if height is not None]
    allowed = error * max(1.0, _span(heights)) - curve.error
    if allowed <= 0:
        return curve
    drawn = [(curve.x, height) for height in heights]
    if curve.y_scale == "normal":
        drawn.append((_quantiles(curve.x), _quantiles(curve.y)))
    bounded = [height for _, height in drawn]
    varied = allowed if curve.kind in STEPS else allowed / 4
    keep = _merged(bounded, _steps(bounded, varied), varied)
    if curve.kind not in STEPS:
        keep = _joined(drawn, keep, allowed - varied)
    if keep.size == curve.x.size:
        return curve
    errors = [_greatest_error(curve.kind, curve.x, height, keep) for height in heights]
    return replace(curve.take(keep), error=curve.error + max(errors))


def thinned(table: ScoreTable) -> ScoreTable:
    """Return a table of over 100,000 scores with neighbours put together, for curves that are only to be looked at.

    From one score to the next, the positives and the negatives above it, and those below, grow by at most 0.01% or by
    the cases at one score: a rate or the precision changes relatively by at most twice as much.

    >>> thinned(ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False]))).scores.size
    2
    """
    return table if table.scores.size <= MANY else _thinned(table)


@memoize
def _thinned(table: ScoreTable) -> ScoreTable:
    """For the curves, the band and the card of a page alike; a table that is kept as it is would keep itself."""
    begins = np.zeros(table.scores.size + 2, bool)
    begins[0] = True
    for counts in (table.positives, table.negatives):
        _note_levels(counts, begins)
    starts = np.flatnonzero(begins[: table.scores.size])
    lowest = np.append(starts[1:], table.scores.size) - 1
    squares = table.positive_squares, table.negative_squares
    sums = [
        None if column is None else np.add.reduceat(column, starts)
        for column in (table.positives, table.negatives, *squares)
    ]
    return ScoreTable(table.thresholds[lowest], sums[0], sums[1], table.labels, *sums[2:])  # type: ignore[arg-type]


def _note_levels(counts: Array, begins: Array) -> None:
    """Note behind which scores the running counts pass levels that grow by `THIN` from either end."""
    running = np.cumsum(counts)
    total = running[-1]
    if not total:
        return
    least = min(np.where(counts[at] > 0, counts[at], total).min() for at in _blocks(counts.size))
    levels = total * np.exp(-np.arange(0.0, np.log(total / least) + THIN, THIN))
    for rising in (levels[::-1], total - levels):  # rising keys are found several times as fast
        begins[np.searchsorted(running, rising) + 1] = True


def _span(heights: list[Array]) -> float:
    finite = [height[np.isfinite(height)] for height in heights]
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
    """Return the first point after each step of `allowed` in total variation, the point before it, and both ends."""
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
    ranges = [_ranges(np.where(np.isfinite(height), height, np.inf), keep) for height in heights]
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


def _joined(drawn: list[tuple[Array, Array]], keep: Array, allowed: float) -> Array:
    """Fewer points of lines through (x, y): every other one is dropped if all dropped ones stay within `allowed`."""
    drawn = [(x[keep], y[keep]) for x, y in drawn]
    kept, idle, offset = np.arange(keep.size), 0, 0
    while idle < 2:  # some twenty rounds
        tried, left_out = np.delete(kept, np.s_[1 + offset : -1 : 2]), kept[1 + offset : -1 : 2]
        stretch = np.repeat(np.arange(tried.size - 1), np.diff(tried))
        left, right = tried[stretch], tried[stretch + 1]
        far = np.zeros(keep.size - 1)
        for x, y in drawn:
            off = _offset("line", x[:-1], y[:-1], (x[left], y[left]), (x[right], y[right]))
            off[tried[:-1]] = 0.0
            far = np.maximum(far, np.nan_to_num(np.abs(off), nan=np.inf))  # beside a missing height all stay
        fits = np.maximum.reduceat(far, tried[:-1]) <= allowed
        needed = left_out[~fits[np.searchsorted(tried, left_out) - 1]]
        idle = idle + 1 if needed.size == left_out.size else 0
        kept, offset = np.sort(np.concatenate([tried, needed])), 1 - offset
    return np.asarray(keep[kept])


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
    if kind in STEPS:
        return y - (left if kind == "steps" else right)[1]
    (x0, y0), (x1, y1) = left, right
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = y0 + (x - x0) / (x1 - x0) * (y1 - y0)
    unclear = np.isnan(drawn)  # on a vertical stretch, which covers all heights between its ends
    if unclear.any():
        drawn[unclear] = np.clip(y, np.minimum(y0, y1), np.maximum(y0, y1))[unclear]
    return np.asarray(y - drawn)


Floats = NDArray[np.float64]

EVEN = 550
"""Thresholds that are kept for each class at even distances of its rate, where there are too many."""
ENDS = 200
"""Thresholds that are kept for each class towards either end, each the same share of cases nearer to it."""
MOST = 2000
"""Thresholds up to which all are kept."""


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """Cases (or weight) of each class with a score of at least each threshold.

    `threshold`, `tp` and `fp` have shape `(points,)`; the thresholds fall from infinity, where nothing is called
    positive, to the lowest score. `chosen` is the index of the threshold that was assessed, always one of the points.
    `thresholds` is how many there are in all; at most about 2,000 are kept, so that a rate moves from one to the next
    by 0.2% of a class, or by what lies at one score. `objective` is the quantity that a rule minimises or maximises,
    at each point.
    """

    threshold: Floats
    tp: Floats
    fp: Floats
    positives: float
    negatives: float
    chosen: int
    thresholds: int
    are_probabilities: bool
    is_single: bool
    objective: Floats | None = None

    @classmethod
    def of(cls, table: ScoreTable, cutoff: float) -> OperatingPoints:
        """Return the points of a table, including that of the assessed threshold `cutoff`, which may be infinite.

        >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
        >>> points = OperatingPoints.of(table, 0.5)
        >>> points.threshold, points.tp, points.fp, points.chosen
        (array([inf, 0.9, 0.5, 0.4, 0.1]), array([0., 1., 1., 2., 2.]), array([0., 0., 0., 1., 2.]), 2)
        """
        scores = table.scores
        tp, fp = (Running(weights) for weights in (table.positives, table.negatives))
        exact_cutoff = in_precision(cutoff, table.precision)
        cut = int(table.reached(exact_cutoff))
        kept = _kept(tp, fp, cut)
        threshold = np.concatenate([[np.inf], table.thresholds[kept].astype(np.float64)])
        called, wrong = (np.concatenate([[0.0], counts.upto(kept + 1)]) for counts in (tp, fp))
        place = int(np.searchsorted(kept, cut - 1)) + 1 if cut else 0
        is_point = threshold[place] == exact_cutoff
        if not is_point:
            # a strict one is the least number above it, because equal scores do not reach it
            threshold = np.insert(
                threshold, place + 1, exact_cutoff if isinstance(cutoff, StrictThreshold) else cutoff
            )
            called, wrong = (np.insert(counts, place + 1, counts[place]) for counts in (called, wrong))
            place += 1
        return cls(
            threshold,
            called,
            wrong,
            float(table.n_positive),
            float(table.n_negative),
            place,
            int(scores.size),
            table.are_probabilities,
            table.precision == np.float32,
        )

    @property
    def are_thinned(self) -> bool:
        """Whether there are thresholds between the points."""
        return self.threshold.size < self.thresholds


def _kept(tp: Running, fp: Running, cut: int) -> NDArray[np.intp]:
    """The places of the scores that are kept: all, or those where the rates pass round shares; the cutoff's too."""
    size = tp.weights.size
    if size <= MOST:
        return np.arange(size)
    places = [np.array([size - 1, *([cut - 1] if cut else [])])]
    for running in (tp, fp):
        total = float(running.ends[-1])
        if total <= 0:
            continue
        first = running.weights[running.reaching(np.array([np.nextafter(0, 1)]))[0]]
        near = np.geomspace(max(first / total, 1e-12), 0.5, ENDS)
        shares = np.concatenate([np.linspace(0, 1, EVEN), near, 1 - near])
        places.append(running.reaching(shares * total))
    return np.unique(np.minimum(np.concatenate(places), size - 1))


MARKED = ("roc", "precision_recall", "cumulative_gain", "lift", "cost", "net_benefit")
"""The pictures in which a threshold has a place."""


def marks(names: Iterable[str], table: ScoreTable, threshold: float) -> dict[str, tuple[Curve, ...]]:
    """The mark of a threshold in each picture of curves, by name; in the picture of costs also the threshold's line.

    The mark on the cost curve assumes that both errors cost the same, at the prevalence of the cases. There is no mark
    where a threshold has no place, such as one outside [0, 1) on the decision curve.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> (place,) = marks(["roc"], table, 0.35)["roc"]
    >>> place.x, place.y, place.series
    (array([0.5]), array([0.5]), 'threshold 0.35')
    """
    cut, series = _cut_in_two(table, threshold), f"threshold {as_given(table.thresholds, threshold)}"
    return {name: _marked(name, cut, threshold, series) for name in names}


def _marked(name: str, cut: ScoreTable, threshold: float, series: str) -> tuple[Curve, ...]:
    at = np.full(1, threshold, np.float64)
    if name == "net_benefit":
        if not 0 <= threshold < 1:
            return ()
        tp, fp = cut.positives[0], cut.negatives[0]
        place = benefit_of_acting(tp, fp, cut.n_positive + cut.n_negative, at)
        return (replace(place, kind="mark", series=series),)
    if name == "cost":
        line = cost_line(cut, 1.0)
        share = np.array([cut.n_positive / (cut.n_positive + cut.n_negative)])
        place = replace(line, x=share, y=np.interp(share, line.x, line.y), threshold=at)
        line = replace(line, threshold=None, kind="reference", series="this threshold, all costs")
        return replace(place, kind="mark", series=series), line
    curve = entry(name).curves(cut)[0]
    assert curve.threshold is not None
    place = curve.take(curve.threshold == 1.0)
    known = np.isfinite(place.x) & np.isfinite(place.y)
    return (replace(place.take(known), threshold=at, kind="mark", series=series),) if known.all() else ()


def _cut_in_two(table: ScoreTable, threshold: float) -> ScoreTable:
    """Return the table of the labels at a threshold: score 1 for those called positive, 0 for the others."""
    tp, fp, fn, tn = table.at(threshold).one_vs_rest(table.labels[1])
    return ScoreTable(np.array([1.0, 0.0]), np.array([tp, fn]), np.array([fp, tn]), table.labels)


DECADES = 30
"""From the smallest value to this many times it, an axis is plain; beyond, it is one of logarithms."""


def axis_of(parameter: str, values: Sequence[Any]) -> tuple[NDArray[Any], str]:
    """The places of a parameter's values on an axis, and its title; values that are not all numbers stand in order.

    >>> axis_of("C", [1, 100]), axis_of("max_depth", [1, None])[1]
    ((array([0., 2.]), 'logarithm (base 10) of C'), 'max_depth (1: 1, 2: None)')
    """
    try:
        x = np.array([float(number) for number in values])
    except (TypeError, ValueError):
        named = ", ".join(f"{k}: {value}" for k, value in enumerate(values, 1))
        return np.arange(1.0, len(values) + 1), f"{parameter} ({named})"
    if x.min() > 0 and x.max() > DECADES * x.min():
        return np.log10(x), f"logarithm (base 10) of {parameter}"
    return x, parameter
