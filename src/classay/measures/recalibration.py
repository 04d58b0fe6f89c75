"""Logistic recalibration: the intercept and slope that the logits of the probabilities should have had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.measures.probability_bins import of_probabilities, smooth_groups, table_by_table
from classay.measures.registry import Influence, measure
from classay.measures.vocabulary import NOT_PROBABILITIES, ONE_TRUE_CLASS_SEEN, Condition
from classay.once import memoize
from classay.tables import ScoreTable
from classay.tables.scores import ends

Array = NDArray[Any]
SINGULAR = 1e-13
"""Share of the product of its diagonal below which the determinant of an information matrix is rounding."""
STEPS = 100
HALVINGS = 100
"""A step of 1e15, where one extreme score alone tells of the slope, is halved fifty times to be of size 1."""
CLOSE = 1e-6
"""Relative size of the last step; the error after a step is about its square."""
FARTHEST = 800.0
"""No intercept lies beyond: logits of floating-point probabilities end at 745."""
UNBOUNDED = (-float("inf"), float("inf"))


def doubtful(scores: ScoreTable) -> ScoreTable:
    """The table without the cases of probability 0 or 1, whose logit is infinite: models of logits are fit on the rest.

    As in the function val.prob of the R package rms (Harrell 2015, Regression Modeling Strategies, 2nd ed.).
    """
    return scores if _between(scores) == slice(0, scores.scores.size) else _doubtful(scores)


@memoize
def _doubtful(scores: ScoreTable) -> ScoreTable:
    """For several measures; a table that is kept as it is would keep itself."""
    between = _between(scores)
    parts = scores.positives, scores.negatives, scores.positive_squares, scores.negative_squares
    p, n, pp, nn = (None if counts is None else counts[..., between] for counts in parts)
    assert p is not None
    assert n is not None
    return ScoreTable(scores.scores[between], p, n, scores.labels, pp, nn)


def _between(scores: ScoreTable) -> slice:
    """Return where the descending scores lie between 0 and 1."""
    at, size = scores.scores, scores.scores.size
    return slice(int(size > 0 and at[0] == 1), size - int(size > 0 and at[-1] == 0))


def certain_cases(scores: ScoreTable) -> float:
    """Cases, or weight, of probability 0 or 1."""
    left = doubtful(scores)
    return float(scores.n_positive + scores.n_negative - left.n_positive - left.n_negative)


def is_separated(scores: ScoreTable) -> bool:
    """Check whether some score splits the classes of one table, or all are equal: no finite slope fits best."""
    if not scores.n_positive or not scores.n_negative:
        return True
    (first_positive, last_positive), (first_negative, last_negative) = ends(scores)
    return last_positive <= first_negative or last_negative <= first_positive


CERTAIN = Condition(
    "every case has probability 0 or 1, with an infinite logit",
    "every case has probability 0 or 1, with an infinite logit",
    lambda scores: not np.any(doubtful(scores).class_totals),
)
SEPARATED = Condition(
    "the scores between 0 and 1 separate the classes, or are all equal, so that no finite slope fits best",
    "the scores between 0 and 1 separate the classes, or are all equal",
    lambda scores: is_separated(doubtful(scores)),
)
ONE_DOUBTFUL_CLASS = Condition(
    "all cases with a probability between 0 and 1 are of one class",
    "all cases with a probability between 0 and 1 are of one class",
    lambda scores: ONE_TRUE_CLASS_SEEN.met(doubtful(scores)),
)


def logistic(logit: Any) -> Any:
    """Return the probability with a logit, 1 / (1 + exp(-logit)).

    >>> float(logistic(0.0)), float(logistic(-1000.0))
    (0.5, 0.0)
    """
    # of a logit below -709 the odds against are endless, and the probability is 0
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-logit))


def _slopes(scores: Array, positives: Array, negatives: Array, a: float, b: float) -> tuple[Any, ...]:
    s = scores.astype(np.float64)
    x = np.log(s / (1 - s))
    q = logistic(a + b * x)
    total = positives + negatives
    residual, spread = positives - total * q, total * q * (1 - q)
    return residual.sum(), (residual * x).sum(), spread.sum(), (spread * x).sum(), (spread * x * x).sum()


@kernel(twin=_slopes)
def slopes(scores: Array, positives: Array, negatives: Array, a: float, b: float) -> tuple[Any, ...]:
    """Gradient (2) and information (11, 12, 22) of the logistic log-likelihood at intercept a and slope b."""
    g1 = g2 = h11 = h12 = h22 = 0.0
    for start in range(0, scores.shape[0], 1024):
        p1 = p2 = q11 = q12 = q22 = 0.0
        for i in range(start, min(start + 1024, scores.shape[0])):
            s = np.float64(scores[i])
            x = np.log(s / (1 - s))
            q = 1 / (1 + np.exp(-(a + b * x)))
            total = positives[i] + negatives[i]
            residual, spread = positives[i] - total * q, total * q * (1 - q)
            p1 += residual
            p2 += residual * x
            q11 += spread
            q12 += spread * x
            q22 += spread * x * x
        g1 += p1
        g2 += p2
        h11 += q11
        h12 += q12
        h22 += q22
    return g1, g2, h11, h12, h22


def _offset_slopes(scores: Array, positives: Array, negatives: Array, odds: float) -> tuple[Any, Any]:
    s = scores.astype(np.float64)
    q = s / (s + (1 - s) * odds)
    total = positives + negatives
    return (positives - total * q).sum(), (total * q * (1 - q)).sum()


@kernel(twin=_offset_slopes)
def offset_slopes(scores: Array, positives: Array, negatives: Array, odds: float) -> tuple[Any, Any]:
    """Gradient and information of the log-likelihood at slope 1 and intercept -log(odds): no logarithm is needed."""
    gradient = information = 0.0
    for start in range(0, scores.shape[0], 1024):
        part = part_information = 0.0
        for i in range(start, min(start + 1024, scores.shape[0])):
            s = np.float64(scores[i])
            q = s / (s + (1 - s) * odds)
            total = positives[i] + negatives[i]
            part += positives[i] - total * q
            part_information += total * q * (1 - q)
        gradient += part
        information += part_information
    return gradient, information


def _squared_gradient(
    scores: Array, positives: Array, negatives: Array, a: float, b: float
) -> tuple[Any, ...]:
    s = scores.astype(np.float64)
    x = np.log(s / (1 - s))
    q = logistic(a + b * x)
    squared_residuals = positives * (1 - q) ** 2 + negatives * q**2
    return squared_residuals.sum(), (squared_residuals * x).sum(), (squared_residuals * x * x).sum()


@dataclass(frozen=True)
class Recalibration:
    """A logistic recalibration: logit P(y = 1) = intercept + slope · logit(p), with the variances of both.

    The variances are from the information matrix; with sampling weights, linearised (sandwich).
    """

    intercept: float
    slope: float
    intercept_variance: float
    slope_variance: float


def has_cox_fit(scores: ScoreTable) -> bool:
    """Check whether the likelihood of one table has a greatest value at a finite intercept and slope."""
    return scores.are_probabilities and not is_separated(doubtful(scores))


def has_offset_fit(scores: ScoreTable) -> bool:
    """Check whether the likelihood of one table has a greatest value at a finite intercept, the slope being 1."""
    left = doubtful(scores)
    return scores.are_probabilities and bool(left.n_positive > 0 and left.n_negative > 0)


def inverse(information: Array) -> Array:
    """Return the inverse of an information matrix; NaN where none is left of it.

    Fitted probabilities of scores like 1e-300 round to 0 and 1, where the likelihood is flat.
    """
    try:
        return np.linalg.inv(information)
    except np.linalg.LinAlgError:
        return np.full(information.shape, np.nan)


@memoize
def cox_recalibration(scores: ScoreTable) -> Recalibration:
    """Maximum likelihood of intercept and slope, by Newton's method with halved steps; O(m) a step.

    Perfect calibration has intercept 0 and slope 1; a slope below 1 says that the probabilities are too
    extreme. Cases of probability 0 or 1 are left out, see `doubtful`. NaN where undefined: scores no probabilities, one
    class, classes separated by the score. Cox 1958, Biometrika 45:562.

    >>> score, truth = np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False])
    >>> fit = cox_recalibration(ScoreTable.from_rows(score, truth))
    >>> round(fit.intercept, 4), round(fit.slope, 4)
    (-0.1037, 0.3086)
    """
    if not has_cox_fit(scores):
        return Recalibration(*[float("nan")] * 4)
    scores = doubtful(scores)
    log_odds = float(np.log(scores.n_positive) - np.log(scores.n_negative))
    at = _fit(scores, np.array([log_odds, 0.0]))  # there every case tells as much, however extreme
    near = smooth_groups(scores)
    h11, h12, h22 = slopes(near.scores, near.positives, near.negatives, *at)[2:]
    bread = inverse(np.array([[h11, h12], [h12, h22]]))
    covariance = bread
    if near.positive_squares is not None and near.negative_squares is not None:
        m11, m12, m22 = _squared_gradient(near.scores, near.positive_squares, near.negative_squares, *at)
        covariance = bread @ np.array([[m11, m12], [m12, m22]]) @ bread
    return Recalibration(float(at[0]), float(at[1]), float(covariance[0, 0]), float(covariance[1, 1]))


@memoize
def offset_recalibration(scores: ScoreTable) -> Recalibration:
    """Maximum likelihood of the intercept with slope 1: calibration in the large, with its variance.

    Cases of probability 0 or 1 are left out, see `doubtful`. NaN where undefined: scores no probabilities, one class.
    Steyerberg 2019, Clinical Prediction Models, 2nd ed., section 15.3.

    >>> score, truth = np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False])
    >>> round(offset_recalibration(ScoreTable.from_rows(score, truth)).intercept, 4)
    -0.3235
    """
    if not has_offset_fit(scores):
        return Recalibration(*[float("nan")] * 4)
    scores = doubtful(scores)
    intercept = _offset(scores)
    at = intercept, 1.0
    near = smooth_groups(scores)
    bread = inverse(np.array([[slopes(near.scores, near.positives, near.negatives, *at)[2]]]))[0, 0]
    variance = bread
    if near.positive_squares is not None and near.negative_squares is not None:
        squares = _squared_gradient(near.scores, near.positive_squares, near.negative_squares, *at)
        variance = bread * squares[0] * bread
    return Recalibration(intercept, 1.0, float(variance), 0.0)


@memoize
def _offset(scores: ScoreTable) -> float:
    """Return the likeliest intercept with slope 1; a large table starts from that of its groups."""
    near = smooth_groups(scores)
    return _offset_root(scores, 0.0 if near is scores else _offset_root(near, 0.0))


def _offset_root(scores: ScoreTable, start: float) -> float:
    """Return the root of the falling gradient, by Newton's method between ends that close in.

    Where all probabilities are tiny the information at the start is next to nothing, and a step without ends would be
    endless.
    """
    low, high, at = -FARTHEST, FARTHEST, start
    for _ in range(STEPS):
        with np.errstate(over="ignore"):  # endless odds are right, endless steps not taken
            odds = float(np.exp(-at))
            gradient, information = offset_slopes(scores.scores, scores.positives, scores.negatives, odds)
            step = float(np.float64(gradient) / information) if information > 0 else float("inf")
        if abs(step) <= CLOSE:
            return at + step
        low, high = (at, high) if gradient > 0 else (low, at)
        at = at + step if low < at + step < high else (low + high) / 2
    return at


def _both(scores: ScoreTable, at: Array) -> tuple[Array, Array]:
    """Gradient and information of the log-likelihood at an intercept and slope."""
    g1, g2, h11, h12, h22 = slopes(scores.scores, scores.positives, scores.negatives, *at)
    return np.array([g1, g2]), np.array([[h11, h12], [h12, h22]])


def _fit(scores: ScoreTable, start: Array) -> Array:
    """Return the likeliest intercept and slope; a large table starts from the fit of its groups.

    They are near enough for one step on all scores to be the last.
    """
    near = smooth_groups(scores)
    if near is not scores:
        fit = cox_recalibration(near)
        start = np.array([fit.intercept, fit.slope]) if np.isfinite(fit.slope) else _newton(near, start)
    return _newton(scores, start)


def _tells(information: Array) -> bool:
    """Check whether the information matrix of an intercept and a slope tells them apart."""
    both = information[0, 0] * information[1, 1]
    return bool(both - information[0, 1] ** 2 > SINGULAR * both)


def _newton(scores: ScoreTable, at: Array) -> Array:
    """Return the root of the gradient; a step that overshoots is halved.

    The log-likelihood is concave: its slope along a good step ends uphill, or hardly downhill. Far downhill all cases,
    or all but one of an extreme score, would have probability 0 or 1, and tell nothing of the way back.
    """
    gradient, information = _both(scores, at)
    for _ in range(STEPS):
        step = np.linalg.solve(information, gradient)
        if np.abs(step).max() <= CLOSE * (1 + np.abs(at).max()):
            return np.asarray(at + step)
        uphill = gradient @ step
        for _ in range(HALVINGS):
            gradient, information = _both(scores, at + step)
            if gradient @ step >= -uphill / 10 and _tells(information):
                break
            step, uphill = step / 2, uphill / 2
        at = at + step
    return at


def recalibration_influence(part: str) -> Callable[[ScoreTable, float], Influence]:
    """Return the inverse information times the gradient (y - q)(1, x) of a case with logit x, fitted probability q."""

    def influence(table: ScoreTable, value: float) -> Influence:
        offset = part == "in_the_large"
        fit = offset_recalibration(table) if offset else cox_recalibration(table)
        p = table.scores.astype(np.float64)
        doubt = (p > 0) & (p < 1)  # the others are left out of the fit, and move nothing
        p = np.where(doubt, p, 0.5)
        logit = np.log(p / (1 - p))
        q = logistic(fit.intercept + fit.slope * logit)
        spread = (table.positives + table.negatives) * q * (1 - q) * doubt
        if offset:
            direction = np.full(p.size, inverse(spread.sum()[None, None])[0, 0])
        else:
            design = np.stack([np.ones(p.size), logit])
            direction = (inverse((design * spread) @ design.T) @ design)[int(part == "slope")]
        return (1 - q) * direction * doubt, -q * direction * doubt

    return influence


@measure(
    "Calibration slope",
    formula="b in logit P(y = 1) = a + b · logit(p)",
    bounds=UNBOUNDED,
    best=1,
    reference="cox1958",
    undefined=(NOT_PROBABILITIES, CERTAIN, SEPARATED),
    aliases=("cox_slope",),
    influence=recalibration_influence("slope"),
)
@of_probabilities
@table_by_table
def calibration_slope(scores: ScoreTable) -> Any:
    """Coefficient of the logit in a logistic regression of the true label. Below 1: probabilities are too extreme.

    Cases of probability 0 or 1, whose logit is infinite, are left out and counted.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(calibration_slope(table).round(4))
    0.3086
    """
    return cox_recalibration(scores).slope


@measure(
    "Calibration intercept",
    formula="a in logit P(y = 1) = a + b · logit(p)",
    bounds=UNBOUNDED,
    best=0,
    reference="cox1958",
    undefined=(NOT_PROBABILITIES, CERTAIN, SEPARATED),
    aliases=("cox_intercept",),
    influence=recalibration_influence("intercept"),
)
@of_probabilities
@table_by_table
def calibration_intercept(scores: ScoreTable) -> Any:
    """Intercept of the same regression as the calibration slope. See `calibration_in_the_large` for a value by itself.

    Cases of probability 0 or 1, whose logit is infinite, are left out and counted.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(calibration_intercept(table).round(4))
    -0.1037
    """
    return cox_recalibration(scores).intercept


@measure(
    "Calibration in the large",
    formula="a in logit P(y = 1) = a + logit(p)",
    bounds=UNBOUNDED,
    best=0,
    reference="steyerberg2019",
    undefined=(NOT_PROBABILITIES, CERTAIN, ONE_DOUBTFUL_CLASS),
    aliases=("citl",),
    influence=recalibration_influence("in_the_large"),
)
@of_probabilities
@table_by_table
def calibration_in_the_large(scores: ScoreTable) -> Any:
    """Constant to add to all logits so that mean predicted and observed rates agree. Above 0: too low probabilities.

    Cases of probability 0 or 1, whose logit is infinite, are left out and counted.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(calibration_in_the_large(table).round(4))
    -0.3235
    """
    return offset_recalibration(scores).intercept
