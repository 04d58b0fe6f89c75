"""Calibration without bins: excesses along the score, observed/expected ratio, Spiegelhalter's z."""

from typing import Any

import numpy as np

from classay.compiled import kernel
from classay.measures.calibration.bins import sum_stretches
from classay.measures.conditions import NOT_PROBABILITIES, Condition
from classay.measures.registry import measure, odds_ratio, ratio
from classay.measures.replicates import of_probabilities
from classay.tables import ScoreTable

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


def expected_positives(scores: ScoreTable) -> Any:
    """Sum of the probabilities over the cases."""
    whole = np.array([0, scores.scores.size])
    return sum_stretches(scores.scores, scores.positives, scores.negatives, whole)[2][..., 0]


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
    """Greatest excess of positives over probabilities, or the reverse, up to any score; no bins.

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
    """Greatest excess of positives over probabilities, or the reverse, between any two scores; no bins.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(cumulative_calibration_range(table).round(4))
    0.2
    """
    low, high = cumulative_extremes(scores.scores, scores.positives, scores.negatives)
    return ratio(high - low, scores.n_positive + scores.n_negative)


@measure(
    "Observed/expected ratio",
    formula="positives / sum p",
    bounds=(0, float("inf")),
    best=1,
    reference="debray2017",
    undefined=(NOT_PROBABILITIES, NOTHING_EXPECTED),
    aliases=("o_e", "oe_ratio", "o_e_ratio"),
)
@of_probabilities
def observed_expected_ratio(scores: ScoreTable) -> Any:
    """Positive cases for every one that the probabilities announce; above 1 they are too low on the whole.

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
    """Excess of the Brier score over what the probabilities promise, in standard errors.

    Standard normal under perfect calibration: `inference.calibration.spiegelhalter` gives the p-value.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(spiegelhalter_z(table).round(4))
    1.2326
    """
    total, variance = spiegelhalter_sums(scores)
    return ratio(total, np.sqrt(variance))
