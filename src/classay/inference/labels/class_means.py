"""Intervals of means over classes of measures that are not shares of cases, such as F2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import of_labels
from classay.inference.design import Design, corrected, equal_units, left_out_factors
from classay.inference.estimate import IntervalResult
from classay.inference.labels.effective import ClassValues
from classay.inference.labels.positive_correlations import (
    BLOCK,
    AbsentScores,
    PositiveCorrelations,
    standard_errors,
)
from classay.inference.labels.slopes import slopes_of
from classay.inference.labels.spreads import marks_by_cluster
from classay.inference.methods import ANYHOW, When, interval
from classay.measures import Measure
from classay.tables import ConfusionMatrix
from classay.tables.sums import equal_cases

Array = NDArray[Any]


def is_mean_of_classes(measure: Measure) -> bool:
    """Check whether a measure is the plain mean over classes of what each has in [0, 1], and not of shares."""
    if measure.average is None or measure.average.kind != "macro" or measure.needs != "margins":
        return False
    if measure.share_of is not None or measure.parts is not None or measure.complement is not None:
        return False
    return measure.average.of.needs == "counts" and measure.average.of.bounds == (0.0, 1.0)


def _has_several_classes(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> bool:
    """Return two classes keep the posterior, which holds for them and is narrower."""
    return len(of_labels(table.labels)) > 2


@interval(
    "Wilson limits combined, effective sample size",
    of=is_mean_of_classes,
    tables=(ConfusionMatrix,),
    drawn=ANYHOW,
    when=When("three classes or more", _has_several_classes),
    references=("wilson1927", "newcombe1998", "zou2008", "rao1992", "satterthwaite1946"),
)
def mean_of_classes(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> IntervalResult:
    """Wilson's limits of the classes, each with as many cases as have its variance, shared out as they vary together.

    A class of value F and variance V by the delta method stands for F (1 - F) / V cases: see `ClassValues.cases`. The
    quantile is Student's, with the degrees of freedom of the classes, one less than their TP + FP + FN each.
    """
    assert measure.average is not None
    classes = _values_of_classes(measure.average.of, table, design)
    if isinstance(classes, str):
        return classes
    low, high = classes.limits(level, np.full(classes.values.size, 1 / classes.values.size))
    return (
        min(value, low),
        max(value, high),
        f"{design.before}Wilson limits combined, effective sample size, t",
    )


def _values_of_classes(of: Measure, table: ConfusionMatrix, design: Design) -> ClassValues | str:
    if design.number < 2:
        return "one case shows no variation"
    k = len(of_labels(table.labels))
    counts = tuple(np.asarray(part, np.float64)[:k] for part in table.class_counts())
    values, slopes = np.asarray(of.raw(*counts), np.float64), np.nan_to_num(slopes_of(of, counts))
    on_marks, absent = slopes[:3] - slopes[3], slopes[3]
    if design.rows is None:
        squared = ConfusionMatrix(design.places.squares, table.labels) if design.is_weighted else table
        variances, together = _spread_of_cases(squared, k, on_marks, absent, corrected(design.number))
        squares = sum(np.asarray(part, np.float64)[:k] for part in squared.class_counts()[:3])
        sizes = np.asarray(equal_cases(sum(counts[:3]), squares))
        return ClassValues(values, variances, slopes, counts, sizes, together)
    marks = [mark[:k] for mark in marks_by_cluster(design)]
    weights = marks[0] + marks[1] + marks[2]
    clusters = np.count_nonzero(weights, 1)
    if (clusters < 2).any():
        return "all cases of a class are one case or one cluster, which shows no variation"
    sums = sum(slope[:, None] * mark for slope, mark in zip(on_marks, marks, strict=True))
    if absent.any():
        sums = sums + absent[:, None] * design.sums(np.ones((1, design.places.weight.size)))
    sums = sums * left_out_factors(weights, weights.sum(1, keepdims=True), clusters[:, None])
    covariances = sums @ sums.T
    variances = covariances.diagonal() * (clusters / (clusters - 1))
    sizes = equal_units(clusters, weights.sum(1), (weights * weights).sum(1))
    correlations = PositiveCorrelations(
        lambda first, last: covariances[first:last], standard_errors(covariances.diagonal())
    )
    return ClassValues(values, variances, slopes, counts, sizes, correlations)


def _spread_of_cases(
    squared: Any, k: int, on_marks: Array, absent: Array, correction: float
) -> tuple[Array, PositiveCorrelations]:
    """Variances and correlations of numbers by class, from the squared weights in the cells of a matrix.

    A case marks its class as missed and the predicted one as a false alarm, as cases mark tags: see `TagSpread`.
    """
    marks = [np.asarray(part, np.float64)[:k] for part in squared.class_counts()[:3]]
    linear = sum(slope * mark for slope, mark in zip(on_marks, marks, strict=True))
    squares = sum(slope * slope * mark for slope, mark in zip(on_marks, marks, strict=True))
    total = float(squared.total)
    variances = np.asarray(squares + absent * (2 * linear + total * absent)) * correction
    predicted, true, weights = squared.occupied
    is_error = (predicted != true) & (predicted < k) & (true < k)
    predicted, true = predicted[is_error], true[is_error]
    linked = weights[is_error] * on_marks[1][predicted] * on_marks[2][true] * correction
    sd = standard_errors(variances)
    if k > BLOCK:
        from scipy.sparse import csr_array

        sides = np.concatenate([predicted, true]), np.concatenate([true, predicted])
        links = csr_array((np.tile(linked, 2), sides), (k, k))
        remainder = AbsentScores(links, absent, (linear + total / 2 * absent) * correction)
        return variances, PositiveCorrelations(
            lambda first, last: links[first:last], sd, remainder if absent.any() else None
        )
    one_way = np.bincount(predicted * k + true, linked, k * k).reshape(k, k)
    covariances: Array = one_way + one_way.T
    if absent.any():
        by_absent = np.outer(linear + total / 2 * absent, absent) * correction
        covariances = covariances + by_absent + by_absent.T
    return variances, PositiveCorrelations(lambda first, last: covariances[first:last], sd)
