"""Areas under other curves than the ROC curve: its convex hull, precision and recall, gains, risk and coverage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import from_16_bits
from classay.compiled import kernel
from classay.measures.ranking import BOTH_CLASSES
from classay.measures.registry import Influence, measure, ratio
from classay.measures.vocabulary import NO_POSITIVE_SCORES, NOT_PROBABILITIES
from classay.once import once
from classay.tables import ScoreTable
from classay.tables.sums import total

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
    traits=(
        "rises with the ROC curve",
        "unmoved by the prevalence",
    ),
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
    traits=("rises with the ROC curve",),
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


def _greatest_f1(positives: Any, negatives: Any) -> Any:
    tp, fp = np.cumsum(positives, -1), np.cumsum(negatives, -1)
    return ratio(2.0 * tp, tp + fp + tp[..., -1:]).max(-1)


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
    """F1 at the threshold that is best on these same cases, and so too good on new ones.

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
    p, n = (1.0 * np.expand_dims(total(each), -1) for each in (positives, negatives))
    tp, fp = np.cumsum(positives, -1), np.cumsum(negatives, -1)
    tp0, fp0 = tp - positives, fp - negatives
    least = p * ratio(p, p + n)
    start = np.clip(tp0, least, None)
    fp_start = fp0 + ratio(start - tp0, positives) * negatives
    wins = np.where(tp > start, precision_gain(start, fp_start, p, n) + precision_gain(tp, fp, p, n), 0.0)
    run = np.where(tp > start, recall_gain(tp, p, n) - recall_gain(start, p, n), 0.0)
    return (wins * run).sum(-1) / 2


def recall_gain(tp: Any, p: Any, n: Any) -> Any:
    """1 - P/N · FN/TP: 0 where recall is the prevalence, 1 where it is 1."""
    return 1 - ratio(p * (p - tp), n * tp)


def precision_gain(tp: Any, fp: Any, p: Any, n: Any) -> Any:
    """1 - P/N · FP/TP: 0 where precision is the prevalence, 1 where it is 1."""
    return 1 - ratio(p * fp, n * tp)


@kernel(twin=_gain_area)
def gain_area(positives: Any, negatives: Any) -> Any:
    """Area under the precision-recall-gain curve from recall gain 0, straight between thresholds."""
    p = n = 0.0
    for i in range(positives.shape[0]):
        p += positives[i]
        n += negatives[i]
    odds = p / n
    least = p * (p / (p + n))
    tp = fp = 0.0
    area = 0.0
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
        area += run * (2 - odds * (fp0 / tp0 + fp / tp)) / 2
    return area


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
    """Area under precision gain against recall gain, in straight lines, which are right here; 0 is no skill.

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
    integrated over TP / P exactly. NaN where no case is positive. Davis & Goadrich 2006, ICML 233; Keilwagen,
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
    areas = positives / a - np.where(called > 0, offset / a**2 * grown, 0.0)
    return ratio(np.where(positives > 0, areas, 0.0).sum(-1), scores.n_positive)


def interpolated_pr_influence(table: ScoreTable, area: float) -> Influence:
    """The derivative of the area's terms, of which every later one depends on the cases before it.

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
    later_true, later_called = (np.cumsum(each[::-1])[::-1] - each for each in (by_true, by_called))
    return (on_positive + later_true + later_called - area) / total, (on_negative + later_called) / total


class Confidence(NamedTuple):
    """Distinct confidences, descending, and the cases and errors at each, `[..., confidence]`.

    `place` is that of each score of the table among them.
    """

    confidence: Array
    cases: Array
    errors: Array
    place: Array


def confidences(scores: ScoreTable) -> Confidence:
    """The cases of a ScoreTable of probabilities by confidence max(p, 1 - p), and errors at threshold 0.5."""
    half = int(scores.reached(0.5))
    return _at_each(confidence_of(scores.scores), half, scores.positives, scores.negatives)


def confidence_of(scores: Array) -> Array:
    """How confident each of some falling probabilities is, max(p, 1 - p), in its own precision.

    1 - p is rounded: of 0.07 it is the float before 0.93. What is one rounding away from a probability on the other
    side is the same confidence, as it is in decimals; so cases that trade classes keep their ties.

    >>> confidence_of(np.array([0.93, 0.07])).tolist(), 1 - 0.07
    ([0.93, 0.93], 0.9299999999999999)
    """
    p = from_16_bits(scores)
    half = int(np.count_nonzero(p >= p.dtype.type(0.5)))
    above, below = p[:half], 1 - p[half:]
    if not above.size or not below.size:
        return np.concatenate([above, below])
    rising = above[::-1]
    at = np.searchsorted(rising, below)
    under, over = rising[np.maximum(at - 1, 0)], rising[np.minimum(at, rising.size - 1)]
    nearest = np.where(abs(under - below) <= abs(over - below), under, over)
    rounding = np.finfo(p.dtype).epsneg if p.dtype.kind == "f" else 0
    return np.concatenate([above, np.where(abs(nearest - below) <= rounding, nearest, below)])


def _at_each(confidence: Array, half: int, positives: Array, negatives: Array) -> Confidence:
    """Cases and errors at each distinct confidence; of those before `half` the negatives are wrong."""
    order = np.argsort(-confidence, kind="stable")  # two runs in order already: merged in one pass
    cases = np.take(positives + negatives, order, -1)
    wrong = np.concatenate([negatives[..., :half], positives[..., half:]], -1)
    confidence = confidence[order].astype(np.float64)
    new = np.diff(confidence, prepend=np.inf) != 0
    first, place = np.flatnonzero(new), np.empty(order.size, np.intp)
    place[order] = np.cumsum(new) - 1
    if not first.size:
        return Confidence(confidence, cases, wrong, place)
    errors = np.take(wrong, order, -1)
    cases, errors = (np.add.reduceat(each, first, axis=-1) for each in (cases, errors))
    return Confidence(confidence[first], cases, errors, place)


def _summed_risk(confidence: Array, half: int, positives: Array, negatives: Array) -> Any:
    return _risk_over_coverage(_at_each(confidence, half, positives, negatives), _harmonic_stretch)


def _risk_over_coverage(found: Confidence, stretch: Callable[[Array, Array], Array]) -> Any:
    """Integral of the risk over the cases covered; `stretch(a, b)` is that of 1 / k from a to b."""
    cases, errors = found.cases, found.errors
    upto, wrong = np.cumsum(cases, -1), np.cumsum(errors, -1)
    before, share = upto - cases, np.where(cases > 0, ratio(errors, cases), 0.0)
    # within a tie the k-th case adds its share of the errors: risk(k) = share + surplus / k
    surplus = wrong - errors - before * share
    return (cases * share + surplus * stretch(before, upto)).sum(-1)


def _harmonic_stretch(a: Array, b: Array) -> Array:
    """Sum of 1 / k for k from a + 1 to b: term by term up to 64, from there by the asymptotic series."""
    first = np.concatenate([[0.0], np.cumsum(1 / np.arange(1.0, 65))])
    low, high = (first[np.minimum(end, 64).astype(np.intp)] for end in (a, b))
    x, y = np.maximum(a, 64.0), np.maximum(b, 64.0)
    series = [(y**-power - x**-power) * factor for power, factor in ((1, 1 / 2), (2, -1 / 12), (4, 1 / 120))]
    return np.asarray(high - low + np.log1p((y - x) / x) + sum(series))


def _log_stretch(a: Array, b: Array) -> Array:
    return np.where(a > 0, np.log1p(ratio(1.0 * (b - a), a)), 0.0)


@kernel(twin=_summed_risk)
def summed_risk(confidence: Any, half: int, positives: Any, negatives: Any) -> Any:
    """Sum over k of the error rate among the k most confident of whole cases, ties averaged."""
    i, j = 0, confidence.shape[0] - 1
    none = confidence.dtype.type(-1)
    done = wrong = total = 0.0
    while i <= j:
        # the next confidence from either end of the scores, and all cases that share it
        left = confidence[i] if i < half else none
        right = confidence[j] if j >= half else none
        cases = errors = 0.0
        if left >= right:
            cases += positives[i] + negatives[i]
            errors += negatives[i]
            i += 1
        if right >= left:
            cases += positives[j] + negatives[j]
            errors += positives[j]
            j -= 1
        while j >= i and j >= half and confidence[j] == max(left, right):
            cases += positives[j] + negatives[j]
            errors += positives[j]
            j -= 1
        if cases == 0:
            continue
        share = errors / cases
        surplus = wrong - done * share
        stretch = 0.0
        few = min(done + cases, done + 64)
        k = done
        while k < few:
            k += 1
            stretch += 1 / k
        if (
            k < done + cases
        ):  # harmonic numbers by their asymptotic series, exact to the last digits from 64 on
            b = done + cases
            stretch += np.log1p((b - k) / k) + (1 / b - 1 / k) / 2
            stretch -= (1 / b**2 - 1 / k**2) / 12 - (1 / b**4 - 1 / k**4) / 120
        total += cases * share + surplus * stretch
        done += cases
        wrong += errors
    return total


@measure(
    "Area under the risk-coverage curve",
    formula="mean over k of the error rate among the k most confident cases",
    bounds=(0, 1),
    best=0,
    reference="geifman2019",
    undefined=(NOT_PROBABILITIES,),
    aliases=("aurc",),
)
def area_under_risk_coverage(scores: ScoreTable) -> Any:
    """Mean error rate over all coverages by confidence max(p, 1 - p), at threshold 0.5, ties averaged.

    With sampling weights the mean is over the share of the weight that is covered.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.6, 0.1]), np.array([True, False, False]))
    >>> print(area_under_risk_coverage(table).round(4))
    0.1111
    """
    if not scores.are_probabilities:
        return np.full(scores.positives.shape[:-1], np.nan)[()]
    n = scores.n_positive + scores.n_negative
    if scores.is_weighted or scores.positives.ndim > 1:
        stretch = _log_stretch if scores.is_weighted else _harmonic_stretch
        return ratio(_risk_over_coverage(confidences(scores), stretch), n)
    half = int(scores.reached(0.5))
    return ratio(summed_risk(confidence_of(scores.scores), half, scores.positives, scores.negatives), n)


def risk_coverage_influence(table: ScoreTable) -> tuple[float, Array, Array]:
    """The area, as an integral over the share covered, and the derivatives by the weight of a case at each score.

    With groups g of one confidence that take the coverage from a to b = a + w and hold the share e of errors, of which
    E come before, the area is the sum of e + (E - e a / w) ln(b / a).
    """
    found = confidences(table)
    total = float(found.cases.sum())
    w, e = found.cases / total, found.errors / total
    b = np.cumsum(w)
    a = np.maximum(0, b - w)
    a[0] = 0.0
    before = np.cumsum(e) - e
    stretch = np.where(a > 0, np.log(ratio(b, a)), 0.0)
    risk = e / w
    surplus = before - risk * a
    area = float((e + surplus * stretch).sum())
    by_error = 1 - a * stretch / w - np.log(b)
    shifted = np.where(a > 0, surplus * (1 / b - ratio(1.0, a)) - risk * stretch, 0.0)
    later = np.cumsum(shifted[::-1])[::-1] - shifted
    by_case = risk * a / w * stretch + surplus / b + later - area
    p = table.scores
    half = p.dtype.type(0.5)
    wrong, right = (by_error + by_case)[found.place] / total, by_case[found.place] / total
    return area, np.where(p >= half, right, wrong), np.where(p >= half, wrong, right)
