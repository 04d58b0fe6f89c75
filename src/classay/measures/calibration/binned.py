"""Calibration errors in bins: how far mean probabilities are from shares of positives."""

from math import lgamma
from typing import Any

import numpy as np

from classay.measures.calibration.bins import (
    BINS,
    Bins,
    Closed,
    equal_mass_bins,
    equal_width_bins,
    with_two_cases,
)
from classay.measures.conditions import NOT_PROBABILITIES, Condition
from classay.measures.registry import measure
from classay.measures.replicates import of_probabilities, table_by_table
from classay.tables import ScoreTable
from classay.tables.running import equal_cases

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


def weighted_gap(bins: Bins) -> Any:
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
    """Mean gap between the positive class's probability and its share, in equal-width bins.

    Bins are closed on the right unless told otherwise. Biased upwards: compare it with
    `expected_calibration_error_null`, what a perfectly calibrated
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
    """Mean gap between probability and share of positives in bins as nearly equal in size as ties allow.

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
    """Greatest gap between probability and share of positives in any bin; a bin of one case can decide it.

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
    """Root of the mean squared gap in bins; biased upwards, see `debiased_squared_calibration_error`.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(root_mean_squared_calibration_error(table, bins=2).round(4))
    0.3041
    """
    made = equal_width_bins(scores, bins, closed)
    return np.sqrt((made.share * made.gap**2).sum(-1))


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
    """Mean squared gap in bins less what chance alone adds to it; about 0 when calibration is perfect.

    Bins of a single case, which show no spread, join the next lower bin (the lowest, the next higher one).

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(debiased_squared_calibration_error(table, bins=2).round(4))
    -0.1575
    """
    if TWO_CASES.met(scores):
        return np.nan
    made = with_two_cases(equal_width_bins(scores, bins, closed))
    o = made.observed
    return (made.share * (made.gap**2 - o * (1 - o) / (made.effective - 1))).sum(-1)


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
    """The mean of the expected calibration error if the probabilities are right.

    Exact by de Moivre's formula for the binomial mean deviation, at the mean probability of each bin;
    sqrt(2 p (1 - p) / (π n_b)), its limit, for bins of more than a million cases. With sampling weights, of the
    effective number of cases, straight between whole numbers.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(expected_calibration_error_null(table, bins=2).round(4))
    0.249
    """
    made = equal_width_bins(scores, bins, closed)
    p = np.clip(np.where(made.weight > 0, made.mean_score, 0), 0, 1)
    n = np.where(made.weight > 0, np.maximum(made.effective, 1), 1)
    few = np.minimum(n, MANY)
    whole = np.floor(few)
    exact = binomial_mean_deviation(whole, p)
    if scores.is_weighted:
        exact = exact + (few - whole) * (binomial_mean_deviation(whole + 1, p) - exact)
    normal = np.sqrt(2 * p * (1 - p) / (np.pi * n))
    return (made.share * np.where(n > MANY, normal, exact)).sum(-1)


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
    found = 2 / n * np.exp(arrangements + v * np.log(odds) + (n - v + 1) * np.log1p(-odds))
    return np.where(inside, found, 0.0)[()]


def log_factorial(k: Any) -> Any:
    """log k! for each whole number of an array."""
    return np.vectorize(lgamma, otypes=[float])(np.asarray(k) + 1.0)
