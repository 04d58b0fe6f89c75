"""Intervals of mean errors of classes in an order: of all cases, with their sign, and of the classes' means."""

from __future__ import annotations

from math import isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import of_labels
from classay.inference.design import Design, student_quantile
from classay.inference.estimate import Found
from classay.inference.labels.delta import of_matrix
from classay.inference.labels.smooth import degrees_of_squares, delta, delta_spread, linearised
from classay.inference.methods import ANYHOW, When, interval
from classay.inference.proportions import normal_quantile, scale_of, score_interval, wilson
from classay.inference.scores.linearised import ONE_MORE, LossMoments
from classay.measures import Measure
from classay.measures.ordinal import extreme_cells, losses_of
from classay.tables import ConfusionMatrix
from classay.tables.sparse import MOST_DENSE
from classay.tables.sums import equal_cases, is_rounding

Array = NDArray[Any]
MATRIX = (ConfusionMatrix,)
TOO_MANY = f"it is given for up to {MOST_DENSE:,} classes"


@interval(
    "t",
    of=("mean_absolute_error", "mean_squared_error"),
    tables=MATRIX,
    drawn=ANYHOW,
    references=("student1908", "satterthwaite1946", "binder1983"),
)
def mean_error(measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float) -> Found:
    """Student's t on the logit scale of the range, the upper end with one more case of the greatest loss.

    See `LossMoments.one_more_case`. The one more case is at least one step off. Where all cases are right the upper end
    is no less than Wilson's of none in n; where all are equally far off, the ends are Wilson's of that share of the
    farthest.
    """
    if table.keeps_pairs_that_occur:
        return TOO_MANY
    losses = losses_of(measure, table)
    top = float(losses.max())
    if design.number < 2:
        return "one case or one cluster shows no spread"
    least, greatest = float(losses[losses > 0].min()), float(losses.ravel()[design.places.occupied].max())
    found = LossMoments.of_influence(value, of_matrix(measure, table), design, max(least, greatest))
    bounds = (0.0, top)
    words = f"{design.how}, t, logit, {ONE_MORE}"
    if value == 0:
        return 0.0, max(_with_one_more(found, level, bounds), _of_none(design, least, level)), words
    if value == top:
        return "all cases are as far off as they can be, which shows no spread"
    if is_rounding(sqrt(found.variance), value):  # all cases are equally far off
        x = value / top * design.number
        low, high = (top * float(end) for end in wilson(x, design.number, level))
        return low, high, "Wilson of equal errors"
    return *found.one_more_case(level, bounds), words


@interval(
    "none by definition",
    of=("accuracy_within",),
    tables=MATRIX,
    drawn=ANYHOW,
    when=When(
        "where no two classes are so many steps apart",
        lambda measure, table, *_: measure.parameters["k"] >= len(of_labels(table.labels)) - 1,
    ),
    references=(),
)
def accuracy_of_all(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> Found:
    """No interval: what is 1 whatever the cases are has no spread."""
    k = len(of_labels(table.labels))
    return f"it is 1 by definition: no two of {k} classes are more than {k - 1} steps apart"


def _with_one_more(found: LossMoments, level: float, bounds: tuple[float, float]) -> float:
    return found.with_one_more().t_interval(level, bounds)[1]


def _of_none(design: Design, step: float, level: float) -> float:
    """The upper end of a mean error of which no case has any: Wilson's of none in n, each error one step."""
    return step * float(wilson(0.0, design.number, level)[1])


@interval(
    "t",
    of=("mean_signed_error",),
    tables=MATRIX,
    drawn=ANYHOW,
    references=("student1908", "satterthwaite1946", "binder1983"),
)
def signed_error(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> Found:
    """Student's t on a scale that keeps to the range; it is no farther from 0 than the mean absolute error may be.

    Where all cases are right, the ends are those of the mean absolute error, on either side.
    """
    if table.keeps_pairs_that_occur:
        return TOO_MANY
    top = float(len(table.labels) - 1)
    influence = of_matrix(measure, table)
    spread = design.spread(influence)
    if isnan(spread.variance):
        return "one case or one cluster shows no spread"
    if spread.is_none(1.0):
        if value != 0:
            return "all cases are equally far off, which shows no spread"
        end = _of_none(design, 1.0, level)
        return -end, end, "Wilson of no error"
    degrees = degrees_of_squares(*design.powers(influence), design.number)
    scale = scale_of((-top, top))
    low, high = scale.interval(
        value, spread.se, student_quantile(level, min(degrees, max(1.0, spread.degrees)))
    )
    return low, high, f"{design.how}, t, {scale.name}"


@interval(
    "shared Wilson",
    of=("macro_mean_absolute_error",),
    tables=MATRIX,
    drawn=ANYHOW,
    references=("wilson1927", "newcombe1998", "zou2008", "rao1992"),
)
def error_of_classes(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> Found:
    """The mean over classes of their mean errors, each Wilson's of the share x of the farthest that it may be off.

    A class stands for as many cases as have that variance, x (1 - x) / V; each has its part of the quantile, as in
    `shared_quantile`. A class of which all cases are right has errors of one step in Wilson's upper limit. The upper
    side takes Student's quantile, with the degrees of freedom of the classes.
    """
    if table.keeps_pairs_that_occur:
        return TOO_MANY
    losses = losses_of(measure, table)
    k, farthest = len(table.labels), losses.max(0)
    true = np.asarray(table.margins.true, np.float64)
    means = (table.counts * losses).sum(0) / true
    own = (losses - means) / true
    influences = np.stack([np.where(np.arange(k) == at, own, 0.0) for at in range(k)])
    covariance = np.asarray(design.spread(influences, degrees="normal").covariance)
    units, number = design.units_of_class, design.number
    if number < 2 or not (units >= 1).all():
        return "one case or one cluster shows no spread"
    # each class has its own correction n / (n - 1)
    grown = np.where(units > 1, units / np.maximum(units - 1, 1e-9), 1.0) * (number - 1) / number
    variances = np.maximum(covariance.diagonal(), 0.0) * grown
    x, scaled = means / farthest, variances / farthest**2
    varies = ~np.array([is_rounding(sqrt(v), 1.0) for v in variances])
    with np.errstate(divide="ignore", invalid="ignore"):
        cases = np.where(varies, x * (1 - x) / scaled, units)
    cases = np.maximum(cases, 1.0)
    step = np.array([losses[losses[:, at] > 0, at].min() for at in range(k)])
    weights = {0: farthest / k, 1: np.where(means > 0, farthest, step) / k}
    together = _correlations(covariance) if design.rows is not None else np.eye(k)
    ends = []
    for side, by in weights.items():
        off = by * np.abs(score_interval(x * cases, cases, 1.0)[side] - x)
        length = sqrt(float(off @ together @ off))
        share = together @ off / length if length > 0 else np.full(k, k**-0.5)
        quantile = normal_quantile(level)
        if side:
            parts = share * off
            degrees = float(parts.sum() ** 2 / (parts**2 / np.maximum(1.0, units - 1)).sum())
            quantile = student_quantile(level, degrees)
        limit = by * score_interval(x * cases, cases, share * quantile)[side]
        ends.append(float(limit.sum()))
    how = "" if design.is_alike else f"{design.how}, "
    return min(value, ends[0]), max(value, ends[1]), f"{how}shared Wilson of classes, t"


@interval(
    "delta with one more case",
    of=("goodman_kruskal_gamma",),
    tables=MATRIX,
    drawn=ANYHOW,
    references=("agresti2013", "satterthwaite1946", "binder1983"),
)
def gamma_of_pairs(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> Found:
    """The delta method, each end no nearer than a normal one with one more case that goes against it most.

    Gamma leaves ties out, so that of a good classifier it rests on the pairs of the few cases that are far off. A
    sample without one shows next to no spread: with 1 % errors in three classes, 1,000 cases, the delta method alone
    covered 72 to 79 %. Weighted cases and clusters count as so many equal cases in the end with one more.
    """
    found = (delta if design.is_alike else linearised)(measure, table, value, design, level)
    if isinstance(found, str) or value in measure.bounds:
        return found
    low, high, words = found
    equal = equal_cases(design.total, design.places.squares.sum())
    if design.rows is not None:
        equal = min(float(equal), design.number)
    counts = np.asarray(table.counts, np.float64) * (equal / design.total)
    for against in extreme_cells(table):
        more = ConfusionMatrix(counts.copy(), table.labels)
        more.counts[against] += 1
        moved, se = float(measure(more)), delta_spread(measure, more).se
        ends = scale_of(measure.bounds).interval(moved, se, normal_quantile(level))
        low, high = min(low, ends[0]), max(high, ends[1])
    return low, high, f"{words}, {ONE_MORE}"


def _correlations(covariance: Array) -> Array:
    """Correlations of which none is negative."""
    sd = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    scale = np.where(sd > 0, sd, np.inf)
    found = np.clip(covariance / scale[:, None] / scale, 0.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found
