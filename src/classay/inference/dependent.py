"""Intervals for cases that do not count alike (sampling weights), or not independently (clusters)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.by_table import of_scores, of_several
from classay.inference.estimate import Estimate, Found
from classay.inference.influence import of_counts, of_matrix
from classay.inference.proportions import normal_quantile, score_interval
from classay.inference.scales import scale_of
from classay.inference.units import Units, student_quantile
from classay.measures import Measure
from classay.tables import BinaryCounts, CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable
from classay.tables.rows import CodedRows

Array = NDArray[Any]


@dataclass(frozen=True)
class Spread:
    """A standard error, how many independent units stand behind it, and the words for its method."""

    variance: float
    units: float
    quantile: float
    method: str


def weighted(measure: Measure, table: Any, squares: Any, level: float) -> Estimate:
    """The estimate of a measure of sampling weights, with its linearised (sandwich) variance sum w² z².

    `squares` is a table like `table` with the sums of squared weights; a proportion gets Wilson's interval with the
    number of equal cases that would have this variance.
    """
    value = float(measure(table))
    if isnan(value):
        return Estimate.undefined(measure.why_undefined(table) or "0 / 0")
    if isinstance(table, ScoreTable):
        return _found(value, level, of_scores(measure, table, value, Units.of_cases(table), level))
    if isinstance(table, ClassScoreTable | CaseTable):
        return _found(value, level, of_several(measure, table, value, None, level))
    cells = _influence(measure, table)
    weights = np.array(squares, float) if isinstance(table, BinaryCounts) else squares.counts
    total, total_squares = _total(table), _total(squares)
    units = total**2 / total_squares
    # rows are units: the usual correction for having estimated the value
    variance = float((weights * cells**2).sum()) * units / (units - 1) if units > 1 else float("nan")
    return spread_interval(
        measure, value, level, Spread(variance, units, normal_quantile(level), "linearised")
    )


def clustered(
    measure: Measure, table: Any, rows: CodedRows, cells: Callable[[Array], Array] | None, level: float
) -> Estimate:
    """The estimate of a measure of rows in clusters: clusters, not rows, are the independent units.

    `cells` turns influences by cell of `table` into influences by row. Quantiles are Student's with one degree of
    freedom fewer than clusters.
    """
    value = float(measure(table))
    if isnan(value):
        return Estimate.undefined(measure.why_undefined(table) or "0 / 0")
    clusters = len(rows.clusters)
    if clusters < 2:
        return Estimate.bare(value, "one cluster shows no spread")
    if isinstance(table, ScoreTable):
        return _found(value, level, of_scores(measure, table, value, Units(table, rows, cells), level))
    if isinstance(table, ClassScoreTable | CaseTable):
        return _found(value, level, of_several(measure, table, value, rows, level))
    assert cells is not None
    variance, quantile = (
        clustered_variance(measure, table, rows, cells),
        student_quantile(level, clusters - 1),
    )
    return spread_interval(measure, value, level, Spread(variance, clusters, quantile, "clusters"))


def clustered_variance(
    measure: Measure, table: BinaryCounts | ConfusionMatrix, rows: CodedRows, cells: Callable[[Array], Array]
) -> float:
    """Variance of a measure of labels of clustered cases: I / (I - 1) · sum over I clusters of their influence²."""
    clusters = len(rows.clusters)
    return float((rows.sums(cells(_influence(measure, table))) ** 2).sum()) * clusters / (clusters - 1)


def _influence(measure: Measure, table: BinaryCounts | ConfusionMatrix) -> Array:
    return of_counts(measure, table) if isinstance(table, BinaryCounts) else of_matrix(measure, table)


def _found(value: float, level: float, found: Found) -> Estimate:
    if isinstance(found, str):
        return Estimate.bare(value, found)
    low, high, method = found
    return Estimate(value, low, high, level, method)


def spread_interval(measure: Measure, value: float, level: float, spread: Spread) -> Estimate:
    """The interval that a standard error gives, on the scale and inside the range of the measure."""
    if not isfinite(value) or isnan(spread.variance):
        return Estimate.bare(value, "one case shows no spread" if isfinite(value) else "it is infinite")
    if measure.parts is not None:
        return _proportion(value, level, spread)
    if measure.moments is not None:
        half = spread.quantile * sqrt(spread.variance)
        low, high = max(float(measure.bounds[0]), value - half), min(float(measure.bounds[1]), value + half)
        if half == 0:
            return Estimate.bare(value, "all cases have the same loss, which shows no spread")
        return Estimate(value, low, high, level, f"{spread.method}, t")
    if spread.variance <= 1e-18 * max(1.0, value * value) or value in measure.bounds:
        return Estimate.bare(value, "the cases at hand show no spread of it")
    scale = scale_of(measure.bounds)
    low, high = scale.interval(value, sqrt(spread.variance), spread.quantile)
    return Estimate(value, low, high, level, f"{spread.method}, {scale.name}")


def _proportion(value: float, level: float, spread: Spread) -> Estimate:
    """Wilson's interval with the effective number of cases p (1 - p) / variance (Rao & Scott 1992, Biometrics 48:577).

    Where the sample shows no spread, the units themselves are the effective cases. The score interval takes the
    quantile of the spread in place of the normal one.
    """
    effective = spread.units
    if spread.variance > 1e-18:
        effective = max(value * (1 - value) / spread.variance, 1.0)
    low, high = score_interval(value * effective, effective, spread.quantile)
    return Estimate(
        value, float(low), float(high), level, f"{spread.method}, Wilson, effective n {effective:.4g}"
    )


def _total(table: BinaryCounts | ConfusionMatrix) -> float:
    return float(sum(table)) if isinstance(table, BinaryCounts) else float(table.total)
