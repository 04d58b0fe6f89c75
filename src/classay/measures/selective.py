"""Selective prediction: the risk on the cases that a classifier is most confident of."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import from_16_bits, in_precision
from classay.compiled import kernel
from classay.measures.registry import measure, ratio
from classay.measures.vocabulary import NOT_PROBABILITIES
from classay.tables import ScoreTable

Array = NDArray[Any]


class Confidence(NamedTuple):
    """Distinct confidences, descending, and the cases and errors at each, `[..., confidence]`.

    `place` is that of each score of the table among them.
    """

    confidence: Array
    cases: Array
    errors: Array
    place: Array


def called_by_default(scores: ScoreTable) -> int:
    """Return how many distinct scores are called positive where nobody chose a threshold."""
    return int(scores.reached(in_precision(scores.half, scores.precision)))


def confidences(scores: ScoreTable) -> Confidence:
    """Return the cases of a ScoreTable of probabilities by confidence max(p, 1 - p), and errors at threshold 0.5."""
    half = called_by_default(scores)
    return _at_each(confidence_of(scores.scores), half, scores.positives, scores.negatives)


def confidence_of(scores: Array) -> Array:
    """Return how confident each of some falling probabilities is, max(p, 1 - p), in its own precision.

    1 - p is rounded: of 0.07 it is the float before 0.93. What is one rounding away from a probability on the other
    side is the same confidence, as it is in decimals; so cases that trade classes keep their ties.

    >>> confidence_of(np.array([0.93, 0.07])).tolist(), 1 - 0.07
    ([0.93, 0.93], 0.9299999999999999)
    """
    p = from_16_bits(scores)
    half = int(np.count_nonzero(p >= p.dtype.type(0.5)))
    if not 0 < half < p.size:
        return p if half else 1 - p
    return np.asarray(mirrored(p, half) if p.dtype.kind == "f" else _mirrored(p, half))


def _mirrored(probability: Array, half: int) -> Array:
    above, below = probability[:half], 1 - probability[half:]
    rising = above[::-1]
    at = np.searchsorted(rising, below)
    under, over = rising[np.maximum(at - 1, 0)], rising[np.minimum(at, rising.size - 1)]
    nearest = np.where(abs(under - below) <= abs(over - below), under, over)
    rounding = np.finfo(above.dtype).epsneg if above.dtype.kind == "f" else 0
    return np.concatenate([above, np.where(abs(nearest - below) <= rounding, nearest, below)])


@kernel(twin=_mirrored, nanoseconds=80)
def mirrored(probability: Array, half: int) -> Array:
    """Falling probabilities, from `half` on 1 minus them, or what is one rounding beside that before `half`."""
    one = probability.dtype.type(1)
    rounding = np.finfo(probability.dtype).epsneg
    reflected = probability.copy()
    i = half - 1  # the lowest of those before `half` that is no less than the one at hand, if there is any
    for j in range(half, probability.shape[0]):
        below = one - probability[j]
        while i >= 0 and probability[i] < below:
            i -= 1
        under, over = probability[min(i + 1, half - 1)], probability[max(i, 0)]
        nearest = under if abs(under - below) <= abs(over - below) else over
        reflected[j] = nearest if abs(nearest - below) <= rounding else below
    return reflected


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
    cases, errors = (np.add.reduceat(counts, first, axis=-1) for counts in (cases, errors))
    return Confidence(confidence[first], cases, errors, place)


def _summed_risk(confidence: Array, half: int, positives: Array, negatives: Array) -> Any:
    return _risk_over_coverage(_at_each(confidence, half, positives, negatives), _harmonic_stretch)


def _risk_over_coverage(levels: Confidence, stretch: Callable[[Array, Array], Array]) -> Any:
    """Integral of the risk over the cases covered; `stretch(a, b)` is that of 1 / k from a to b."""
    cases, errors = levels.cases, levels.errors
    upto, wrong = np.cumsum(cases, -1), np.cumsum(errors, -1)
    if stretch is not _harmonic_stretch or cases.ndim > 1:
        return _within_ties(cases, errors, upto, wrong, stretch).sum(-1)
    alone = cases == 1  # risk(k) is that of all cases up to it
    tied = ~alone
    rest = _within_ties(cases[tied], errors[tied], upto[tied], wrong[tied], stretch)
    return (wrong[alone] / upto[alone]).sum() + rest.sum()


def _within_ties(
    cases: Array, errors: Array, upto: Array, wrong: Array, stretch: Callable[[Array, Array], Array]
) -> Array:
    """Return what each confidence adds to the integral."""
    before, share = upto - cases, np.where(cases > 0, ratio(errors, cases), 0.0)
    # within a tie the k-th case adds its share of the errors: risk(k) = share + surplus / k
    surplus = wrong - errors - before * share
    return np.asarray(cases * share + surplus * stretch(before, upto))


def _harmonic_stretch(a: Array, b: Array) -> Array:
    """Sum of 1 / k for k from a + 1 to b: term by term up to 64, from there by the asymptotic series."""
    first = np.concatenate([[0.0], np.cumsum(1 / np.arange(1.0, 65))])
    low, high = (first[np.minimum(end, 64).astype(np.intp)] for end in (a, b))
    x, y = np.maximum(a, 64.0), np.maximum(b, 64.0)
    harmonic = high - low + np.log1p((y - x) / x)
    x, y = 1 / x, 1 / y
    harmonic += (y - x) / 2
    for factor in (-12, 120):
        x, y = x * x, y * y
        harmonic += (y - x) / factor
    return np.asarray(harmonic)


def _log_stretch(a: Array, b: Array) -> Array:
    return np.where(a > 0, np.log1p(ratio(1.0 * (b - a), a)), 0.0)


@kernel(twin=_summed_risk, nanoseconds=80)
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
    """Mean error rate over all coverages, by confidence max(p, 1 - p), at threshold 0.5. Ties are averaged.

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
    half = called_by_default(scores)
    return ratio(summed_risk(confidence_of(scores.scores), half, scores.positives, scores.negatives), n)


def risk_coverage_influence(table: ScoreTable) -> tuple[float, Array, Array]:
    """The area, as an integral over the share covered, and the derivatives by the weight of a case at each score.

    With groups g of one confidence that take the coverage from a to b = a + w and hold the share e of errors, of which
    E come before, the area is the sum of e + (E - e a / w) ln(b / a).
    """
    levels = confidences(table)
    total = float(levels.cases.sum())
    w, e = levels.cases / total, levels.errors / total
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
    is_called = np.arange(table.scores.size) < called_by_default(table)
    wrong, right = (by_error + by_case)[levels.place] / total, by_case[levels.place] / total
    return area, np.where(is_called, right, wrong), np.where(is_called, wrong, right)
