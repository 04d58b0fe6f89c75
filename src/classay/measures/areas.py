"""Areas under other curves than the ROC curve: its convex hull, precision against recall, gains over the baseline."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.measures.proper_parts import isotonic
from classay.measures.ranking import BOTH_CLASSES
from classay.measures.registry import Influence, measure, ratio
from classay.measures.vocabulary import NO_POSITIVE_SCORES
from classay.once import memoize
from classay.tables import ScoreTable
from classay.tables.sums import total

Array = NDArray[Any]

PASSES = 50
"""Rounds of pruning; a hull of very many corners may need more, and is then walked point by point."""
AT_ONCE = 1 << 16
"""Scores that are looked at together, so that what is between stays in the processor's cache."""
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
        """Return the sum of the edges' values over each curve, of the leading shape."""
        count = int(np.prod(self.shape))
        return np.bincount(row, weights=values, minlength=count).reshape(self.shape)[()]


def _corners(positives: Array, negatives: Array) -> tuple[Array, Array, Array]:
    """Flat positions, among the points of all curves, of the corners of their hulls, and the cases above them."""
    tp, fp = _from_origin(positives), _from_origin(negatives)
    at: Array = np.arange(tp.size)
    at, x, y, row = _pruned(at, fp.ravel(), tp.ravel(), at // tp.shape[-1])
    chain = _chain(x.tolist(), y.tolist(), row.tolist())
    return at[chain], x[chain], y[chain]


def _pruned(at: Array, x: Array, y: Array, row: Array) -> tuple[Array, Array, Array, Array]:
    """Points of curves, `row` of each, without those that come twice and those under the line between two others."""
    new = np.diff(row, prepend=-1) != 0
    distinct = (np.diff(x, prepend=-1) != 0) | (np.diff(y, prepend=-1) != 0) | new
    at, x, y, row = at[distinct], x[distinct], y[distinct], row[distinct]
    for _ in range(PASSES):
        end = np.append(row[1:] != row[:-1], True)
        keep = end | np.roll(end, 1)
        dx, dy = np.diff(x), np.diff(y)
        # a point on or under the line between two others is no corner, so all of them can go at once
        keep[1:-1] |= dy[:-1] * dx[1:] > dy[1:] * dx[:-1]
        if keep.all():
            break
        at, x, y, row = at[keep], x[keep], y[keep], row[keep]
    return at, x, y, row


def _from_origin(weights: Array) -> Array:
    return np.concatenate([np.zeros_like(weights[..., :1]), np.cumsum(weights, -1)], -1)


def _chain(x: Any, y: Any, row: Any) -> list[int]:
    """Return the corners by Andrew's monotone chain, in plain Python."""
    corners: list[int] = []
    for i, (px, py, here) in enumerate(zip(x, y, row, strict=True)):
        while len(corners) > 1 and row[corners[-2]] == here:
            a, b = corners[-2:]
            if (y[b] - y[a]) * (px - x[b]) > (py - y[b]) * (x[b] - x[a]):
                break
            corners.pop()
        corners.append(i)
    return corners


@memoize
def hull(scores: ScoreTable) -> Hull:
    """Return the corners of the upper convex hull of the ROC curve of a ScoreTable, of each one along leading axes.

    Each edge is a stretch of scores that isotonic calibration makes equal, so the hull is the ROC curve of
    the calibrated scores. Exact for whole numbers of cases. Fawcett & Niculescu-Mizil 2007, Machine Learning
    68:97.
    """
    if scores.positives.ndim == 1:
        return _of_fit(scores)
    positives, negatives = scores.positives, scores.negatives
    if np.max(1.0 * scores.n_positive * scores.n_negative, initial=0) > MOST_PAIRS:
        positives, negatives = positives.astype(np.float64), negatives.astype(np.float64)
    shape, points = positives.shape[:-1], positives.shape[-1] + 1
    flat, fp, tp = _corners(positives, negatives)
    return Hull(flat % points, fp, tp, flat // points, shape)


def _of_fit(scores: ScoreTable) -> Hull:
    """Return the hull of one curve, whose corners are where the blocks of the isotonic fit end."""
    fit = isotonic(scores)
    used = (fit.positives > 0) | (fit.negatives > 0)
    ends = np.append(fit.starts[1:], scores.scores.size)[: used.size][used]
    weighed = (scores.positives > 0) | (scores.negatives > 0)
    if not weighed.all():  # a corner is met at the last score that has cases
        places = np.flatnonzero(weighed)
        ends = places[np.searchsorted(places, ends) - 1] + 1
    fp, tp = (np.append(n.dtype.type(0), np.cumsum(n[used])) for n in (fit.negatives, fit.positives))
    ends = np.append(0, ends)
    # A weight far below the sum of the others moves neither rate, and no edge may have length 0.
    moved = np.append(True, (np.diff(fp) > 0) | (np.diff(tp) > 0))
    if not moved.all():
        ends, fp, tp = ends[moved], fp[moved], tp[moved]
    return Hull(ends, fp, tp, np.zeros(tp.size, np.intp), ())


@measure(
    "ROC AUC of the convex hull",
    formula="area under the upper convex hull of the ROC curve",
    bounds=(0.5, 1),
    best=1,
    reference="fawcett2007",
    undefined=BOTH_CLASSES,
    aliases=("auch", "auc_convex_hull"),
    traits=(
        "rises with the ROC curve",
        "unmoved by the prevalence",
    ),
)
def hull_auc(scores: ScoreTable) -> Any:
    """AUC after isotonic recalibration on the same cases. Optimistic for new cases.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> print(hull_auc(table))
    0.875
    """
    hulls = hull(scores)
    row, run, _, middle = hulls.edges()
    last = np.append(hulls.row[1:] != hulls.row[:-1], True)
    width, height = hulls.fp[last], hulls.tp[last]
    above = hulls.total(row, run * (height[row] - middle))  # none where all positives rank first: exactly 1
    return 1 - ratio(above, (1.0 * width * height).reshape(hulls.shape))


@measure(
    "H-measure (Beta(1 + π, 2 - π) prior of the costs)",
    formula="1 - L / L_max, L = mean least cost c·FP/n + (1-c)·FN/n over c ~ Beta(a, b)",
    bounds=(0, 1),
    best=1,
    reference="hand2014",
    undefined=BOTH_CLASSES,
    aliases=("h",),
    traits=("rises with the ROC curve",),
)
def h_measure(scores: ScoreTable, a: Any = None, b: Any = None) -> Any:
    """Relative reduction of expected cost by the best thresholds, compared with trivial rules. Costs are uncertain.

    c is the cost of a false positive where that of a false negative is 1 - c. By default a = 1 + π and b = 1
    + (1 - π) with the prevalence π (Hand & Anagnostopoulos 2014); `h_measure(2, 2)` is Hand 2009. Values from
    different priors do not compare. The thresholds are chosen on these same cases.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> print(h_measure(table).round(4), h_measure(table, 2, 2).round(4))
    0.5 0.5
    """
    p, n = scores.n_positive, scores.n_negative
    share = ratio(p, p + n)
    a, b = 1 + share if a is None else a, 2 - share if b is None else b
    hulls = hull(scores)
    row, negatives, positives, _ = hulls.edges()
    a_row, b_row = (np.broadcast_to(parameter, hulls.shape).ravel()[row] for parameter in (a, b))
    least = hulls.total(row, _expected_cost(positives, negatives, a_row, b_row))
    return 1 - ratio(least, np.where((p > 0) & (n > 0), _expected_cost(p, n, a, b), np.nan))


def _expected_cost(positives: Any, negatives: Any, a: Any, b: Any) -> Any:
    """Cost of cases that are called positive where c < their share of positives, mean over c ~ Beta(a, b)."""
    from scipy.special import betainc

    c = ratio(positives, positives + negatives)
    return (negatives * a * betainc(a + 1, b, c) + positives * b * betainc(b + 1, a, 1 - c)) / (a + b)


def _greatest_f1(positives: Any, negatives: Any) -> Any:
    maxima: list[Array] = []
    tp: Any = 0.0
    fp: Any = 0.0
    p = 1.0 * np.expand_dims(total(positives), -1)
    for first in range(0, positives.shape[-1], AT_ONCE):
        block = np.s_[..., first : first + AT_ONCE]
        above, wrong = tp + np.cumsum(positives[block], -1), fp + np.cumsum(negatives[block], -1)
        maxima.append(ratio(2.0 * above, above + wrong + p).max(-1))
        tp, fp = above[..., -1:], wrong[..., -1:]
    return np.max(maxima, 0)


@kernel(twin=_greatest_f1)
def greatest_f1(positives: Any, negatives: Any) -> Any:
    """Greatest 2 TP / (TP + FP + P) over all thresholds."""
    p = 0.0
    for i in range(positives.shape[0]):
        p += positives[i]
    tp = fp = 0.0
    best = 0.0
    for i in range(positives.shape[0]):
        tp += positives[i]
        fp += negatives[i]
        best = max(best, 2 * tp / (tp + fp + p))
    return best


@measure(
    "Greatest F1",
    formula="max over thresholds of 2 TP / (2 TP + FP + FN)",
    bounds=(0, 1),
    best=1,
    reference="vanrijsbergen1979",
    undefined=(NO_POSITIVE_SCORES,),
    aliases=("f1_max", "best_f1"),
    traits=("rises with the ROC curve",),
)
def max_f1(scores: ScoreTable) -> Any:
    """F1 at the best threshold for these cases. Optimistic for new cases.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> print(max_f1(table))
    0.8
    """
    if not scores.scores.size:
        return np.full(scores.positives.shape[:-1], np.nan)[()]
    if scores.positives.ndim > 1 or not scores.n_positive:
        return np.where(scores.n_positive > 0, _greatest_f1(scores.positives, scores.negatives), np.nan)[()]
    return np.float64(greatest_f1(scores.positives, scores.negatives))


def _gain_area(positives: Any, negatives: Any) -> Any:
    p, n = (1.0 * np.expand_dims(total(counts), -1) for counts in (positives, negatives))
    tp, fp = np.cumsum(positives, -1), np.cumsum(negatives, -1)
    if positives.ndim == 1:  # a step without positives has no width
        steps = np.flatnonzero(positives)
        tp, fp, positives, negatives = tp[steps], fp[steps], positives[steps], negatives[steps]
    tp0, fp0 = tp - positives, fp - negatives
    least = p * ratio(p, p + n)
    start = np.clip(tp0, least, None)
    fp_start = fp0 + ratio(start - tp0, positives) * negatives
    lost = np.where(tp > start, ratio(p * fp_start, n * start) + ratio(p * fp, n * tp), 0.0)
    run = np.where(tp > start, recall_gain(tp, p, n) - recall_gain(start, p, n), 0.0)
    return 1 - (lost * run).sum(-1) / 2  # without a false positive exactly 1


def recall_gain(tp: Any, p: Any, n: Any) -> Any:
    """1 - P/N · FN/TP: 0 where recall is the prevalence, 1 where it is 1."""
    return 1 - ratio(p * (p - tp), n * tp)


def precision_gain(tp: Any, fp: Any, p: Any, n: Any) -> Any:
    """1 - P/N · FP/TP: 0 where precision is the prevalence, 1 where it is 1."""
    return 1 - ratio(p * fp, n * tp)


@kernel(twin=_gain_area, nanoseconds=80)
def gain_area(positives: Any, negatives: Any) -> Any:
    """Area under the precision-recall-gain curve from recall gain 0, straight between thresholds."""
    p = n = 0.0
    for i in range(positives.shape[0]):
        p += positives[i]
        n += negatives[i]
    odds = p / n
    least = p * (p / (p + n))
    tp = fp = 0.0
    above = 0.0
    for i in range(positives.shape[0]):
        tp0, fp0 = tp, fp
        tp += positives[i]
        fp += negatives[i]
        if tp <= least or positives[i] == 0:
            continue
        if tp0 < least:
            fp0 += (least - tp0) / positives[i] * negatives[i]
            tp0 = least
        run = odds * ((p - tp0) / tp0 - (p - tp) / tp)
        above += run * odds * (fp0 / tp0 + fp / tp) / 2
    return 1 - above


def prg_influence(table: ScoreTable, value: float) -> Influence:
    """AUPRG = 1 - π / (1 - π) J with J the integral of FPR(t) t^-3 over recalls t from π, the prevalence, to 1.

    A case moves FPR(t), a positive one also the score at which recall is t, and either one π.
    """
    p, n = float(table.n_positive), float(table.n_negative)
    share, odds = p / (p + n), p / n
    tpr, fpr = np.cumsum(table.positives) / p, np.cumsum(table.negatives) / n
    at_start = np.interp(share, np.concatenate([[0], tpr]), np.concatenate([[0], fpr]))
    tpr = tpr - table.positives / (2 * p)
    area = (1 - value) / odds
    through_fpr = (np.maximum(tpr, share) ** -2.0 - 1) / 2 - area
    steps = np.where(tpr >= share, np.maximum(tpr, share) ** -3.0, 0.0) * table.negatives / n
    lower = np.cumsum(steps[::-1])[::-1] - steps / 2
    through_recall = (steps * tpr).sum() - lower
    by_share = odds * at_start / share**3 - area / (1 - share) ** 2
    total = p + n
    return (
        -odds * through_recall / p + by_share * (1 - share) / total,
        -odds * through_fpr / n - by_share * share / total,
    )


@measure(
    "Area under the precision-recall-gain curve",
    formula="area for recall gain in [0, 1]; gain of x = (x - π) / ((1 - π) x)",
    bounds=(-float("inf"), 1),
    best=1,
    reference="flach2015",
    undefined=BOTH_CLASSES,
    aliases=("auprg", "prg_auc"),
    influence=prg_influence,
)
def area_under_prg(scores: ScoreTable) -> Any:
    """Area under precision gain against recall gain, interpolated linearly. 0: no skill.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> print(area_under_prg(table))
    0.25
    """
    one_class = (scores.n_positive == 0) | (scores.n_negative == 0)
    if scores.positives.ndim > 1 or one_class:
        return np.where(one_class, np.nan, _gain_area(scores.positives, scores.negatives))[()]
    return np.float64(gain_area(scores.positives, scores.negatives))


def interpolated_pr_area(scores: ScoreTable) -> Any:
    """Area under the precision-recall curve with FP, not precision, in straight lines between thresholds.

    Between two thresholds FP is linear in TP: FP = h TP + c, so precision is TP / ((1 + h) TP + c), which is
    integrated over TP / P exactly. NaN without both classes. Davis & Goadrich 2006, ICML 233; Keilwagen,
    Grosse & Grau 2014, PLoS ONE 9:e92209.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> print(interpolated_pr_area(table).round(4))
    0.8873
    """
    positives, negatives = scores.positives, scores.negatives
    tp, fp = np.cumsum(positives, -1), np.cumsum(negatives, -1)
    called = tp - positives + fp - negatives  # predicted positive before each threshold
    a = 1 + ratio(negatives, positives)
    offset = called - a * (tp - positives)
    # from nothing on, precision is constant: the logarithm's factor is zero
    grown = np.log1p(ratio(a * positives, called))
    above = negatives / a + np.where(called > 0, offset / a**2 * grown, 0.0)  # without a negative exactly 0
    area = 1 - ratio(np.where(positives > 0, above, 0.0).sum(-1), scores.n_positive)
    return np.where(scores.n_negative == 0, np.nan, area)[()]


def interpolated_pr_influence(table: ScoreTable, area: float) -> Influence:
    """Return the derivative of the area's terms, of which every later one depends on the cases before it.

    A group of p positives and n negatives, w together, after T positives among C cases adds
    p²/w - p (C p - T w) / w² · ln(1 + w/C), over all positives (see `interpolated_pr_area`).
    """
    p, n = table.positives.astype(np.float64), table.negatives.astype(np.float64)
    w, total = p + n, float(table.n_positive)
    tp, called = np.cumsum(p) - p, np.cumsum(w) - w
    log = np.log1p(np.nan_to_num(ratio(w, called)))  # its factor is 0 where no case came before
    surplus, share = called * p - tp * w, p / w
    on_negative = share * ((tp / w + 2 * surplus / w**2) * log - share - surplus / (w * (called + w)))
    on_positive = on_negative + 2 * share - (called * p + surplus) / w**2 * log
    by_true = share * log
    by_called = np.nan_to_num(ratio(share * surplus, called * (called + w))) - share * by_true
    later_true, later_called = (np.cumsum(slope[::-1])[::-1] - slope for slope in (by_true, by_called))
    return (on_positive + later_true + later_called - area) / total, (on_negative + later_called) / total
