"""Calibration errors: in bins, without bins, class by class, and of the class that scores highest."""

from __future__ import annotations

from math import lgamma
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import COMPILE_FROM, core_count, kernel, workers
from classay.measures.probability_bins import (
    BINS,
    Closed,
    ProbabilityBins,
    equal_mass_bins,
    equal_width_bins,
    of_probabilities,
    parted,
    sum_stretches,
    table_by_table,
    with_two_cases,
)
from classay.measures.registry import Influence, measure, odds_ratio, ratio
from classay.measures.vocabulary import NOT_PROBABILITIES, Condition
from classay.once import memoize
from classay.tables import CaseTable, ClassScoreTable, ScoreTable
from classay.tables.sums import equal_cases

MANY = 1_000_000
"""Cases of a bin beyond which the normal formula is as exact as the factorials of the binomial one."""

TWO_CASES = Condition(
    "there are fewer than two cases",
    "fewer than two cases",
    lambda scores: effective_cases(scores) < 2,
)


def effective_cases(scores: ScoreTable) -> Any:
    """Number of cases, or of equally weighted cases that would say as much: (sum w)² / sum w²."""
    weight = scores.n_positive + scores.n_negative
    if scores.positive_squares is None or scores.negative_squares is None:
        return weight
    return equal_cases(weight, scores.positive_squares.sum(-1) + scores.negative_squares.sum(-1))


def weighted_gap(bins: ProbabilityBins) -> Any:
    """Mean over the bins of |gap|, by their shares of the cases."""
    return (bins.share * np.abs(bins.gap)).sum(-1)


@measure(
    f"Expected calibration error ({BINS} equal-width bins)",
    formula="sum over bins of n_b / n · |share positive - mean p|",
    bounds=(0, 1),
    best=0,
    reference="naeini2015",
    undefined=(NOT_PROBABILITIES,),
    aliases=("ece",),
)
@of_probabilities
def expected_calibration_error(scores: ScoreTable, bins: int = BINS, closed: Closed = "right") -> Any:
    """Mean absolute difference between mean predicted probability and share of positives, in equal-width bins.

    Bins are (low, high], closed on the right, the first one [0, high]; tools with [low, high) differ where scores lie
    on an edge. Biased upwards: compare it with `expected_calibration_error_null`, what a perfectly calibrated
    classifier would show. Not the top-label error of Guo et al. 2017, `top_label_calibration_error`.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(expected_calibration_error(table, bins=2).round(4))
    0.3
    """
    return weighted_gap(equal_width_bins(scores, bins, closed))


@measure(
    f"Expected calibration error ({BINS} equal-mass bins)",
    formula="sum over bins of n_b / n · |share positive - mean p|",
    bounds=(0, 1),
    best=0,
    reference="nixon2019",
    undefined=(NOT_PROBABILITIES,),
    aliases=("adaptive_calibration_error", "ace"),
)
@of_probabilities
@table_by_table
def equal_mass_calibration_error(scores: ScoreTable, bins: int = BINS) -> Any:
    """Mean absolute difference between mean probability and share of positives, in bins of nearly equal size.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(equal_mass_calibration_error(table, bins=2).round(4))
    0.3
    """
    return weighted_gap(equal_mass_bins(scores, bins))


@measure(
    f"Maximum calibration error ({BINS} equal-width bins)",
    formula="max over bins of |share positive - mean p|",
    bounds=(0, 1),
    best=0,
    reference="naeini2015",
    undefined=(NOT_PROBABILITIES,),
    aliases=("mce",),
)
@of_probabilities
def maximum_calibration_error(scores: ScoreTable, bins: int = BINS, closed: Closed = "right") -> Any:
    """Largest absolute difference between mean predicted probability and share of positives in any bin.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(maximum_calibration_error(table, bins=2).round(4))
    0.35
    """
    return np.abs(equal_width_bins(scores, bins, closed).gap).max(-1)


@measure(
    f"Root mean squared calibration error ({BINS} equal-width bins)",
    formula="sqrt(sum over bins of n_b / n · (share positive - mean p)²)",
    bounds=(0, 1),
    best=0,
    reference="kumar2019",
    undefined=(NOT_PROBABILITIES,),
    aliases=("rmsce", "rms_calibration_error"),
)
@of_probabilities
def root_mean_squared_calibration_error(
    scores: ScoreTable, bins: int = BINS, closed: Closed = "right"
) -> Any:
    """Root of the mean squared difference in bins. Biased upwards, see `debiased_squared_calibration_error`.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(root_mean_squared_calibration_error(table, bins=2).round(4))
    0.3041
    """
    binned = equal_width_bins(scores, bins, closed)
    return np.sqrt((binned.share * binned.gap**2).sum(-1))


@measure(
    f"Debiased squared calibration error ({BINS} equal-width bins)",
    formula="sum over bins of n_b / n · ((o_b - mean p)² - o_b (1 - o_b) / (n_b - 1))",
    bounds=(-0.25, 1),
    best=0,
    reference="kumar2019",
    undefined=(NOT_PROBABILITIES, TWO_CASES),
)
@of_probabilities
@table_by_table
def debiased_squared_calibration_error(scores: ScoreTable, bins: int = BINS, closed: Closed = "right") -> Any:
    """Mean squared difference in bins minus the part expected by chance. About 0 for perfect calibration.

    Bins of a single case, which show no spread, join the next lower bin (the lowest, the next higher one).

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(debiased_squared_calibration_error(table, bins=2).round(4))
    -0.1575
    """
    if TWO_CASES.met(scores):
        return np.nan
    binned = with_two_cases(equal_width_bins(scores, bins, closed))
    o = binned.observed
    return (binned.share * (binned.gap**2 - o * (1 - o) / (binned.effective - 1))).sum(-1)


@measure(
    f"Expected calibration error by chance ({BINS} equal-width bins)",
    formula="sum over bins of n_b / n · E|Bin(n_b, mean p) / n_b - mean p|",
    bounds=(0, 0.5),
    best=None,
    reference="broecker2012",
    undefined=(NOT_PROBABILITIES,),
    aliases=("ece_null",),
)
@of_probabilities
def expected_calibration_error_null(scores: ScoreTable, bins: int = BINS, closed: Closed = "right") -> Any:
    """Expected calibration error that would occur by chance with correct probabilities.

    Exact by de Moivre's formula for the binomial mean deviation, at the mean probability of each bin;
    sqrt(2 p (1 - p) / (π n_b)), its limit, for bins of more than a million cases. With sampling weights, of the
    effective number of cases, straight between whole numbers.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(expected_calibration_error_null(table, bins=2).round(4))
    0.249
    """
    binned = equal_width_bins(scores, bins, closed)
    p = np.clip(np.where(binned.weight > 0, binned.mean_score, 0), 0, 1)
    n = np.where(binned.weight > 0, np.maximum(binned.effective, 1), 1)
    few = np.minimum(n, MANY)
    floored = np.floor(few)
    exact = binomial_mean_deviation(floored, p)
    if scores.is_weighted:
        exact = exact + (few - floored) * (binomial_mean_deviation(floored + 1, p) - exact)
    normal = np.sqrt(2 * p * (1 - p) / (np.pi * n))
    return (binned.share * np.where(n > MANY, normal, exact)).sum(-1)


def binomial_mean_deviation(n: Any, p: Any) -> Any:
    """E|X / n - p| for X ~ Bin(n, p), n whole: 2 v C(n, v) p^v (1 - p)^(n - v + 1) / n with v = floor(n p) + 1.

    De Moivre 1730; Diaconis & Zabell 1991, Statistical Science 6:284.

    >>> print(binomial_mean_deviation(2.0, 0.5).round(12))
    0.25
    """
    n, p = np.asarray(n, float), np.asarray(p, float)
    v = np.minimum(np.floor(n * p) + 1, n)
    inside = (p > 0) & (p < 1)
    odds = np.where(inside, p, 0.5)
    arrangements = log_factorial(n) - log_factorial(v - 1) - log_factorial(n - v)  # log of C(n, v) · v
    deviation = 2 / n * np.exp(arrangements + v * np.log(odds) + (n - v + 1) * np.log1p(-odds))
    return np.where(inside, deviation, 0.0)[()]


def log_factorial(k: Any) -> Any:
    """log k! for each whole number of an array."""
    return np.vectorize(lgamma, otypes=[float])(np.asarray(k) + 1.0)


@memoize
def expected_positives(scores: ScoreTable) -> Any:
    """Sum of the probabilities over the cases."""
    cuts = np.array([0, scores.scores.size])
    return sum_stretches(scores.scores, scores.positives, scores.negatives, cuts)[2][..., 0]


NOTHING_EXPECTED = Condition(
    "every probability is 0 and no case is positive",
    "every probability is 0 and no case is positive",
    lambda scores: (expected_positives(scores) == 0) & (scores.n_positive == 0),
)
ALL_CERTAIN = Condition(
    "every probability is 0, 1/2 or 1",
    "every probability is 0, 1/2 or 1",
    lambda scores: spiegelhalter_sums(scores)[1] == 0,
)


def _cumulative_extremes(scores: Any, positives: Any, negatives: Any) -> tuple[Any, Any]:
    walk = np.cumsum((positives - (positives + negatives) * scores.astype(np.float64))[..., ::-1], -1)
    return walk.min(-1, initial=0.0), walk.max(-1, initial=0.0)


@kernel(twin=_cumulative_extremes)
def cumulative_extremes(scores: Any, positives: Any, negatives: Any) -> tuple[float, float]:
    """Least and greatest sum of truth minus probability over the cases up to a score, none included."""
    walk = low = high = 0.0
    for i in range(scores.shape[0] - 1, -1, -1):
        walk += positives[i] - (positives[i] + negatives[i]) * np.float64(scores[i])
        low = min(low, walk)
        high = max(high, walk)
    return low, high


@measure(
    "Cumulative calibration error",
    formula="max over scores of |sum of (y - p) over the cases up to it| / n",
    bounds=(0, 1),
    best=0,
    reference="arrieta2022",
    undefined=(NOT_PROBABILITIES,),
    aliases=("ecce_mad", "ks_calibration_error"),
)
@of_probabilities
def cumulative_calibration_error(scores: ScoreTable) -> Any:
    """Largest absolute difference of cumulated positives and cumulated probabilities, up to any score. Without bins.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(cumulative_calibration_error(table).round(4))
    0.125
    """
    low, high = cumulative_extremes(scores.scores, scores.positives, scores.negatives)
    return ratio(np.maximum(-low, high), scores.n_positive + scores.n_negative)


@measure(
    "Cumulative calibration range",
    formula="(max - min) over scores of the sum of (y - p) over the cases up to it / n",
    bounds=(0, 1),
    best=0,
    reference="arrieta2022",
    undefined=(NOT_PROBABILITIES,),
    aliases=("ecce_r", "kuiper_calibration_error"),
)
@of_probabilities
def cumulative_calibration_range(scores: ScoreTable) -> Any:
    """Largest absolute difference of positives and probabilities between any two scores. Without bins.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(cumulative_calibration_range(table).round(4))
    0.2
    """
    low, high = cumulative_extremes(scores.scores, scores.positives, scores.negatives)
    return ratio(high - low, scores.n_positive + scores.n_negative)


def observed_expected_influence(table: ScoreTable, value: float) -> Influence:
    """(y - value · p) / sum p."""
    expected = float(expected_positives(table))
    p = table.scores.astype(np.float64)
    return (1 - value * p) / expected, -value * p / expected


@measure(
    "Observed/expected ratio",
    formula="positives / sum p",
    bounds=(0, float("inf")),
    best=1,
    reference="debray2017",
    undefined=(NOT_PROBABILITIES, NOTHING_EXPECTED),
    aliases=("o_e", "oe_ratio", "o_e_ratio"),
    influence=observed_expected_influence,
)
@of_probabilities
def observed_expected_ratio(scores: ScoreTable) -> Any:
    """Observed positives divided by the sum of predicted probabilities. Above 1: probabilities are too low.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(observed_expected_ratio(table).round(4))
    0.9091
    """
    return odds_ratio(scores.n_positive, expected_positives(scores))


def _spiegelhalter_sums(scores: Any, positives: Any, negatives: Any, squares: Any) -> tuple[Any, Any]:
    p = scores.astype(np.float64)
    slope = 1 - 2 * p
    return (
        ((positives - (positives + negatives) * p) * slope).sum(-1),
        (squares * (slope**2 * p * (1 - p))).sum(-1),
    )


@kernel(twin=_spiegelhalter_sums)
def sum_spiegelhalter(scores: Any, positives: Any, negatives: Any, squares: Any) -> tuple[float, float]:
    """Sum over cases of (y - p)(1 - 2p), and its variance if the probabilities are right."""
    total = variance = 0.0
    for i in range(scores.shape[0]):
        p = np.float64(scores[i])
        slope = 1 - 2 * p
        total += (positives[i] - (positives[i] + negatives[i]) * p) * slope
        variance += squares[i] * slope * slope * p * (1 - p)
    return total, variance


def spiegelhalter_sums(scores: ScoreTable) -> tuple[Any, Any]:
    """n times the Brier score's excess over its expectation under perfect calibration, and the variance."""
    if scores.positive_squares is None or scores.negative_squares is None:
        squares = scores.positives + scores.negatives
    else:
        squares = scores.positive_squares + scores.negative_squares
    return sum_spiegelhalter(scores.scores, scores.positives, scores.negatives, squares)  # type: ignore[no-any-return]


@measure(
    "Spiegelhalter z",
    formula="sum (y - p)(1 - 2p) / sqrt(sum (1 - 2p)² p (1 - p))",
    bounds=(-float("inf"), float("inf")),
    best=0,
    reference="spiegelhalter1986",
    undefined=(NOT_PROBABILITIES, ALL_CERTAIN),
)
@of_probabilities
def spiegelhalter_z(scores: ScoreTable) -> Any:
    """Brier score minus its expectation under correct probabilities, in standard errors.

    Standard normal under perfect calibration.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(spiegelhalter_z(table).round(4))
    1.2326
    """
    total, variance = spiegelhalter_sums(scores)
    return ratio(total, np.sqrt(variance))


Array = NDArray[Any]


@memoize
def _are_probabilities(class_scores: ClassScoreTable) -> bool:
    if class_scores.rows is not None:
        scores = class_scores.rows.scores
        return bool(scores.min(initial=0) >= 0 and scores.max(initial=1) <= 1)
    runs = [run.scores for run in class_scores.sorted_scores().runs if run.scores.size]
    return not any(run_scores[0] > 1 or run_scores[-1] < 0 for run_scores in runs)


NOT_CLASS_PROBABILITIES = Condition(
    "the scores are not probabilities",
    "the scores are not probabilities",
    lambda class_scores: not _are_probabilities(class_scores),
)


@measure(
    f"Class-wise expected calibration error ({BINS} equal-width bins)",
    formula="mean over classes of the expected calibration error of the class against the rest",
    bounds=(0, 1),
    best=0,
    reference="nixon2019",
    undefined=(NOT_CLASS_PROBABILITIES,),
    aliases=("classwise_ece", "static_calibration_error"),
)
def classwise_calibration_error(
    class_scores: ClassScoreTable, bins: int = BINS, closed: Closed = "right"
) -> Any:
    """Mean over classes of the expected calibration error of one class against the rest.

    >>> from classay.tables import ClassScoreTable
    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> table = ClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"))
    >>> print(classwise_calibration_error(table, bins=2).round(4))
    0.1667
    """
    if NOT_CLASS_PROBABILITIES.met(class_scores):
        return np.float64("nan")
    if bins == BINS and closed == "right":
        class_bins = standard_class_bins(class_scores)
    else:
        tables = map(class_scores.one_vs_rest, class_scores.labels)
        class_bins = [equal_width_bins(table, bins, closed) for table in tables]
    return np.mean([weighted_gap(binned) for binned in class_bins])


@memoize
def standard_class_bins(class_scores: ClassScoreTable) -> list[ProbabilityBins]:
    """Return the standard bins of each class against the rest, 15 of equal width."""
    k, rows = len(class_scores.labels), class_scores.rows
    if rows is None:
        return [parted(class_scores.one_vs_rest(label), BINS)[1] for label in class_scores.labels]
    inner = np.arange(1, BINS) / BINS
    edges = np.concatenate([[-np.inf], inner, [np.inf]]).astype(rows.scores.dtype)
    add = bin_sums.for_rows(rows.scores.size)
    with workers(core_count() if rows.scores.size >= COMPILE_FROM else 1) as run:
        sums = run(
            lambda code: add(rows.scores[code], rows.weight, *rows.starts[code : code + 2], edges), range(k)
        )
    if not rows.is_weighted:
        return [
            ProbabilityBins(weight, positives, expected, weight) for weight, positives, expected, _ in sums
        ]
    return [
        ProbabilityBins(
            weight, positives, expected, np.asarray(ratio(weight * weight, np.where(weight == 0, 1, squares)))
        )
        for weight, positives, expected, squares in sums
    ]


def _bin_sums(scores: Array, weight: Any, start: int, end: int, edges: Array) -> Array:
    at = np.searchsorted(edges[1:-1], scores)
    weights = np.ones(scores.size) if weight is None else weight.astype(np.float64)
    is_own = (np.arange(scores.size) >= start) & (np.arange(scores.size) < end)
    parts = (weights, weights * is_own, weights * scores.astype(np.float64), weights * weights)
    return np.stack([np.bincount(at, part, edges.size - 1) for part in parts])


@kernel(
    twin=_bin_sums,
    assumes="scores are in [0, 1], and edges rise in equal steps from 0 to 1, the ends infinite",
    nanoseconds=30,
)
def bin_sums(scores: Array, weight: Any, start: int, end: int, edges: Array) -> Array:
    """Weight, positives, sum of scores and squared weights of cases in bins, `(4, bins)`.

    A bin holds what is greater than its lower edge, up to its upper one; the cases from `start` to before `end` are
    positive.
    """
    bins = edges.shape[0] - 1
    sums, part = np.zeros((4, bins)), np.zeros((4, bins))
    for first in range(0, scores.shape[0], 1024):  # short partial sums keep the rounding error small
        part[:] = 0.0
        for i in range(first, min(first + 1024, scores.shape[0])):
            score = scores[i]
            at = min(np.int64(np.float64(score) * bins), bins - 1)
            at += np.int64(score > edges[at + 1]) - np.int64(score <= edges[at])
            case_weight = 1.0 if weight is None else np.float64(weight[i])
            part[0, at] += case_weight
            part[2, at] += case_weight * np.float64(score)
            if weight is not None:
                part[3, at] += case_weight * case_weight
            if start <= i < end:
                part[1, at] += case_weight
        sums += part
    if weight is None:
        sums[3] = sums[0]
    return sums


@measure(
    f"Top-label expected calibration error ({BINS} equal-width bins)",
    formula="sum over bins of n_b / n · |share right - mean highest score|",
    bounds=(0, 1),
    best=0,
    reference="guo2017",
    undefined=(NOT_PROBABILITIES,),
    aliases=("top_label_ece", "confidence_calibration_error"),
)
def top_label_calibration_error(cases: CaseTable, bins: int = BINS, closed: Closed = "right") -> Any:
    """Mean absolute difference between mean highest score and accuracy, in bins of the highest score.

    The "ECE" of most papers on several classes. `cases.top` is the table behind it: every measure and curve of two
    classes takes it, `root_mean_squared_calibration_error(cases.top)` for one.

    >>> from classay.tables import CaseTable
    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    >>> cases = CaseTable.from_rows(rows, np.array([0, 1, 0]), ("a", "b", "c"))
    >>> print(top_label_calibration_error(cases, bins=2).round(4))
    0.2667
    """
    if not cases.are_probabilities:
        return np.float64("nan")
    return expected_calibration_error(cases.top, bins=bins, closed=closed)
