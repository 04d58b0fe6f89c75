"""Intervals for cases that do not count alike (sampling weights), or not independently (clusters)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.estimate import Estimate
from classay.inference.influence import auc_influence, of_counts, of_matrix, of_scores
from classay.inference.intervals import NO_ESTIMATES, NOT_YET
from classay.inference.proportions import normal_quantile, score_interval
from classay.inference.scales import scale_of
from classay.measures import Measure
from classay.tables import BinaryCounts, CaseTable, ConfusionMatrix, ScoreTable
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
    variance = _weighted_variance(measure, table, squares, value)
    if variance is None:
        return Estimate.bare(value, NO_ESTIMATES.get(measure.name, NOT_YET))
    total, total_squares = _total(table), _total(squares)
    units = total**2 / total_squares
    # rows are units: the usual correction for having estimated the value
    variance *= units / (units - 1) if units > 1 else float("nan")
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
    from scipy.special import stdtrit

    value = float(measure(table))
    if isnan(value):
        return Estimate.undefined(measure.why_undefined(table) or "0 / 0")
    clusters = len(rows.clusters)
    if clusters < 2:
        return Estimate.bare(value, "one cluster shows no spread")
    variance = None if cells is None else _clustered_variance(measure, table, rows, cells, value)
    if variance is None:
        return Estimate.bare(value, NO_ESTIMATES.get(measure.name, NOT_YET))
    quantile = float(stdtrit(clusters - 1, 0.5 + level / 2))
    how = "Obuchowski" if measure.name in ("roc_auc", "gini") else "clusters"
    return spread_interval(measure, value, level, Spread(variance, clusters, quantile, how))


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


def _weighted_variance(measure: Measure, table: Any, squares: Any, value: float) -> float | None:
    if isinstance(table, BinaryCounts):
        return float((np.array(squares, float) * of_counts(measure, table) ** 2).sum())
    if isinstance(table, ConfusionMatrix):
        return float((squares.counts * of_matrix(measure, table) ** 2).sum())
    if isinstance(table, ScoreTable):
        found = of_scores(measure, table, value)
        if found is None:
            return None
        with np.errstate(invalid="ignore"):
            parts = [
                np.where(weight > 0, weight * influence**2, 0.0).sum()
                for weight, influence in zip((squares.positives, squares.negatives), found, strict=True)
            ]
        return float(sum(parts))
    return None


def _clustered_variance(
    measure: Measure, table: Any, rows: CodedRows, cells: Callable[[Array], Array], value: float
) -> float | None:
    clusters = len(rows.clusters)
    if isinstance(table, BinaryCounts):
        sums = rows.sums(cells(of_counts(measure, table)))
    elif isinstance(table, ConfusionMatrix):
        sums = rows.sums(cells(of_matrix(measure, table)))
    elif isinstance(table, ScoreTable):
        if measure.name in ("roc_auc", "gini"):
            return (4 if measure.name == "gini" else 1) * _obuchowski(table, rows, cells)
        found = of_scores(measure, table, value)
        if found is None:
            return None
        sums = rows.sums(cells(np.stack(found)))
    else:
        return None
    return float(clusters / (clusters - 1) * (sums**2).sum())


def _obuchowski(table: ScoreTable, rows: CodedRows, cells: Callable[[Array], Array]) -> float:
    """Variance of the AUC of clustered cases (Obuchowski 1997, Biometrics 53:567); singletons give DeLong's."""
    on_positive, on_negative = auc_influence(table)
    nothing = np.zeros_like(on_positive)
    of_positive = rows.sums(cells(np.stack([on_positive, nothing])))
    of_negative = rows.sums(cells(np.stack([nothing, on_negative])))
    present = [
        rows.sums(cells(np.stack(part))) > 0 for part in ((nothing + 1, nothing), (nothing, nothing + 1))
    ]
    with_positive, with_negative = (int(each.sum()) for each in present)
    clusters = len(rows.clusters)
    if min(with_positive, with_negative) < 2:
        return float("nan")
    return float(
        with_positive / (with_positive - 1) * (of_positive**2).sum()
        + with_negative / (with_negative - 1) * (of_negative**2).sum()
        + 2 * clusters / (clusters - 1) * (of_positive * of_negative).sum()
    )


def _total(table: Any) -> float:
    if isinstance(table, BinaryCounts):
        return float(sum(table))
    if isinstance(table, ConfusionMatrix):
        return float(table.total)
    if isinstance(table, ScoreTable):
        return float(table.n_positive + table.n_negative)
    if isinstance(table, CaseTable):
        return float(table.true.sum())
    return float("nan")
