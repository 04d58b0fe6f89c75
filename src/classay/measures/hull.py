"""The upper convex hull of the ROC curve, and the measures that judge a score by it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.measures.ranking import BOTH_CLASSES
from classay.measures.registry import measure, ratio
from classay.once import once
from classay.tables import ScoreTable

Array = NDArray[Any]

PASSES = 50
"""Rounds of pruning; a hull of very many corners may need more, and is then walked point by point."""
MOST_PAIRS = 2.0**62
"""Positives times negatives up to which areas between points are compared as whole numbers."""


class Hull(NamedTuple):
    """Corners of the hulls of one or several ROC curves, one curve after the other.

    `point` is the number of thresholds passed at each corner, `fp` and `tp` the cases above them, and `row`
    the curve it belongs to, among `rows` of the leading shape `shape`.
    """

    point: Array
    fp: Array
    tp: Array
    row: Array
    shape: tuple[int, ...]

    def edges(self) -> tuple[Array, Array, Array, Array]:
        """Of every edge: its curve, the negatives and positives along it, and the positives at its middle."""
        same = self.row[1:] == self.row[:-1]
        tp = self.tp[:-1] + np.diff(self.tp) / 2
        return self.row[1:][same], np.diff(self.fp)[same], np.diff(self.tp)[same], tp[same]

    def total(self, row: Array, values: Array) -> Any:
        """The sum of the edges' values over each curve, of the leading shape."""
        count = int(np.prod(self.shape))
        return np.bincount(row, weights=values, minlength=count).reshape(self.shape)[()]


def _corners(positives: Array, negatives: Array) -> tuple[Array, Array, Array]:
    """Flat positions, among the points of all curves, of the corners of their hulls, and the cases above them."""
    tp, fp = _from_origin(positives), _from_origin(negatives)
    points = tp.shape[-1]
    x, y = fp.ravel(), tp.ravel()
    at: Array = np.arange(tp.size)
    distinct = (np.diff(x, prepend=-1) != 0) | (np.diff(y, prepend=-1) != 0) | (at % points == 0)
    x, y, at = x[distinct], y[distinct], at[distinct]
    row = at // points
    for _ in range(PASSES):
        end = np.append(row[1:] != row[:-1], True)
        keep = end | np.roll(end, 1)
        dx, dy = np.diff(x), np.diff(y)
        # a point on or under the line between two others is no corner, so all of them can go at once
        keep[1:-1] |= dy[:-1] * dx[1:] > dy[1:] * dx[:-1]
        if keep.all():
            return at, x, y
        x, y, at, row = x[keep], y[keep], at[keep], row[keep]
    chain = _chain(x.tolist(), y.tolist(), row.tolist())
    return at[chain], x[chain], y[chain]


def _from_origin(weights: Array) -> Array:
    return np.concatenate([np.zeros_like(weights[..., :1]), np.cumsum(weights, -1)], -1)


def _chain(x: Any, y: Any, row: Any) -> list[int]:
    """The corners by Andrew's monotone chain, in plain Python."""
    corners: list[int] = []
    for i, (px, py, here) in enumerate(zip(x, y, row, strict=True)):
        while len(corners) > 1 and row[corners[-2]] == here:
            a, b = corners[-2:]
            if (y[b] - y[a]) * (px - x[b]) > (py - y[b]) * (x[b] - x[a]):
                break
            corners.pop()
        corners.append(i)
    return corners


@kernel(twin=_corners)
def corners(positives: Any, negatives: Any) -> Any:
    """Thresholds passed, negatives and positives above at each corner of one curve's hull, by a monotone chain."""
    m = positives.shape[0]
    at = np.empty(m + 1, np.int64)
    tp, fp = np.empty(m + 1, positives.dtype), np.empty(m + 1, negatives.dtype)
    at[0] = 0
    tp[0] = fp[0] = 0
    above = tp[0]
    wrong = fp[0]
    top = 0
    for i in range(m):
        above += positives[i]
        wrong += negatives[i]
        if tp[top] == above and fp[top] == wrong:
            continue
        while top > 0:
            rise, run = tp[top] - tp[top - 1], fp[top] - fp[top - 1]
            if rise * (wrong - fp[top]) > (above - tp[top]) * run:
                break
            top -= 1
        top += 1
        at[top], tp[top], fp[top] = i + 1, above, wrong
    return at[: top + 1].copy(), fp[: top + 1].copy(), tp[: top + 1].copy()


@once
def hull(scores: ScoreTable) -> Hull:
    """The corners of the upper convex hull of the ROC curve of a ScoreTable, of each one along leading axes.

    Each edge is a stretch of scores that isotonic calibration makes equal, so the hull is the ROC curve of
    the calibrated scores. Exact for whole numbers of cases. Fawcett & Niculescu-Mizil 2007, Machine Learning
    68:97.
    """
    positives, negatives = scores.positives, scores.negatives
    if np.max(1.0 * scores.n_positive * scores.n_negative, initial=0) > MOST_PAIRS:
        positives, negatives = positives.astype(np.float64), negatives.astype(np.float64)
    shape, points = positives.shape[:-1], positives.shape[-1] + 1
    flat, fp, tp = (corners if positives.ndim == 1 else _corners)(positives, negatives)
    return Hull(flat % points, fp, tp, flat // points, shape)


@measure(
    "ROC AUC of the convex hull",
    formula="area under the upper convex hull of the ROC curve",
    bounds=(0.5, 1),
    best=1,
    reference="fawcett2007",
    undefined=BOTH_CLASSES,
    aliases=("auch", "auc_convex_hull"),
)
def hull_auc(scores: ScoreTable) -> Any:
    """AUC of the scores calibrated by isotonic regression on these same cases, and so too good on new ones.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> print(hull_auc(table))
    0.875
    """
    found = hull(scores)
    row, run, _, middle = found.edges()
    return ratio(found.total(row, run * middle), 1.0 * scores.n_positive * scores.n_negative)


@measure(
    "H-measure (Beta(1 + π, 2 - π) prior of the costs)",
    formula="1 - L / L_max, L = mean least cost c·FP/n + (1-c)·FN/n over c ~ Beta(a, b)",
    bounds=(0, 1),
    best=1,
    reference="hand2014",
    undefined=BOTH_CLASSES,
    aliases=("h",),
)
def h_measure(scores: ScoreTable, a: Any = None, b: Any = None) -> Any:
    """Share of the trivial classifiers' expected cost that the best thresholds save, costs being uncertain.

    c is the cost of a false positive where that of a false negative is 1 - c. By default a = 1 + π and b = 1
    + (1 - π) with the prevalence π (Hand & Anagnostopoulos 2014); a = b = 2 is Hand 2009. Values from
    different priors do not compare. The thresholds are chosen on these same cases.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> print(h_measure(table).round(4), h_measure(table, 2, 2).round(4))
    0.5 0.5
    """
    p, n = scores.n_positive, scores.n_negative
    share = ratio(p, p + n)
    a, b = 1 + share if a is None else a, 2 - share if b is None else b
    found = hull(scores)
    row, negatives, positives, _ = found.edges()
    a_row, b_row = (np.broadcast_to(each, found.shape).ravel()[row] for each in (a, b))
    least = found.total(row, _expected_cost(positives, negatives, a_row, b_row))
    return 1 - ratio(least, np.where((p > 0) & (n > 0), _expected_cost(p, n, a, b), np.nan))


def _expected_cost(positives: Any, negatives: Any, a: Any, b: Any) -> Any:
    """Cost of cases that are called positive where c < their share of positives, mean over c ~ Beta(a, b)."""
    from scipy.special import betainc

    c = ratio(positives, positives + negatives)
    return (negatives * a * betainc(a + 1, b, c) + positives * b * betainc(b + 1, a, 1 - c)) / (a + b)
