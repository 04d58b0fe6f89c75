"""Intervals of every smooth measure of labels: the posterior of the cells, and the delta method."""

from __future__ import annotations

from math import isfinite, isnan, sqrt

import numpy as np

from classay.inference.estimate import Found
from classay.inference.labels.delta import counts_influence, delta_variance, matrix_influence
from classay.inference.labels.posterior import Array, draws_for, limits_drawn, matrix_cells
from classay.inference.labels.sampling_units import NOTHING, LabelSpread, LabelUnits, Table, weights_of
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.registry import ANYHOW, LABELS, UNLIKE, When, interval
from classay.inference.scales import scale_of
from classay.measures import Measure
from classay.tables import ConfusionMatrix
from classay.tables.running import equal_cases

SMALL_CELL = 5
"""Cases in a cell below which the delta method covers too little."""
MOST_CLASSES_DRAWN = 100
"""Classes up to which the shares of all cells are drawn from their posterior."""


def is_smooth(measure: Measure) -> bool:
    """Whether a measure is a smooth function of the cells of a table of labels and no plain share of cases."""
    kinds = ("counts", "margins", "matrix")
    return measure.parts is None and measure.needs in kinds and not is_of_labels(measure)


def is_of_labels(measure: Measure) -> bool:
    """Whether a measure looks at some classes by their labels, which draws from the posterior do not have."""
    return "labels" in measure.parameters


def drawn_by_default(measure: Measure, table: Table, value: float, units: LabelUnits, level: float) -> bool:
    """Whether there are two classes, or nothing but hits or errors, which show no spread.

    Of several classes the delta method covers no less with few errors: with 3 of 100 in three classes 91 %, as do draws
    (90 %), which are no wider, and take a hundred times as long with ten classes.
    """
    return not isinstance(table, ConfusionMatrix) or len(table.labels) == 2 or value in measure.bounds


@interval(
    "Dirichlet posterior",
    of=is_smooth,
    tables=LABELS,
    drawn=ANYHOW,
    when=When("two classes, or at an end of the range", drawn_by_default),
    references=("caelen2017", "totsch2021", "gelman2013", "perks1947"),
)
def posterior(measure: Measure, table: Table, value: float, units: LabelUnits, level: float) -> Found:
    """Equal-tailed interval of draws from the posterior of the cells' shares, closed at an end of the range.

    Two classes have Jeffreys' prior, half a case in each cell; more classes share one case among all their cells
    (Perks 1947), because half a case in each would outweigh the data. Cases with sampling weights or in clusters count
    as equally many independent ones, and the interval is stretched by how much more the measure varies than it would
    over these.
    """
    if not isfinite(value):
        return "it is infinite"
    k = len(table.labels) if isinstance(table, ConfusionMatrix) else 2
    if k > MOST_CLASSES_DRAWN:
        return f"it is at an end of its range, and there are too many classes ({k}) for the posterior"
    cells = matrix_cells(table)
    alike = units.squares is None and units.rows is None
    equal, stretch = (cells.sum(), 1.0) if alike else _effective(measure, table, units, level)
    if isnan(stretch):
        return "one case shows no spread"
    # rounded, because draws depend on which of two cells is the larger
    shares = cells if alike else np.round(cells * (equal / cells.sum()), 9)
    low, high = limits_drawn(measure, shares, units.seed, level)
    low, high = _stretched(measure, value, low, high, stretch)
    bottom, top = measure.bounds
    low, high = (bottom if value == bottom else min(low, value)), (top if value == top else max(high, value))
    used = f"{'Jeffreys' if k == 2 else 'Perks'} posterior, {draws_for(k, level):,} draws"
    return low, high, used if alike else f"{units.how}, {used}"


def _effective(measure: Measure, table: Table, units: LabelUnits, level: float) -> tuple[float, float]:
    """Independent cases alike that would say as much as these, and how much more the measure varies than over them."""
    weights = weights_of(table)
    total = float(weights.sum())
    squares = weights if units.squares is None else weights_of(units.squares)
    equal = equal_cases(total, squares.sum())
    spread = units.spread(measure, table)
    over_equal = _delta_variance(measure, table) * total / equal
    if isnan(spread.variance):
        return equal, float("nan")
    if spread.variance <= NOTHING or over_equal <= NOTHING:
        return min(equal, _clusters(units)), 1.0
    wider = sqrt(spread.variance / over_equal) * spread.quantile(level) / normal_quantile(level)
    return equal, wider


def _clusters(units: LabelUnits) -> float:
    """The clusters, which are no fewer independent cases; no bound where there are none."""
    return float("inf") if units.rows is None else float(len(units.rows.clusters))


def _stretched(
    measure: Measure, value: float, low: float, high: float, stretch: float
) -> tuple[float, float]:
    """An interval made wider around the value, on the scale of the measure's range."""
    if stretch == 1 or value in measure.bounds:
        return low, high
    scale = scale_of(measure.bounds)
    centre = scale.to(value)
    with np.errstate(over="ignore", divide="ignore"):
        ends = (scale.back(centre + stretch * (scale.to(end) - centre)) for end in (low, high))
        low, high = (float(end) for end in ends)
    return low, high


def _influence(measure: Measure, table: Table) -> tuple[Array, Array]:
    if isinstance(table, ConfusionMatrix):
        return matrix_influence(measure, table)
    return counts_influence(measure, table)


def _delta_variance(measure: Measure, table: Table) -> float:
    return delta_variance(*_influence(measure, table))


@interval("delta", of=is_smooth, tables=LABELS, references=("agresti2013", "takahashi2022"))
def delta(measure: Measure, table: Table, value: float, units: LabelUnits, level: float) -> Found:
    """value ± z · se on a scale that keeps to the range; for macro-F1, Takahashi et al. 2022."""
    variance = _delta_variance(measure, table)
    # a class always called right, another always wrong: no cell moves it
    if variance < NOTHING * max(1.0, value * value) or value in measure.bounds:
        return posterior(measure, table, value, units, level)
    scale = scale_of(measure.bounds)
    return *scale.interval(value, sqrt(variance), normal_quantile(level)), f"delta, {scale.name}"


@interval(
    "linearised", of=is_smooth, tables=LABELS, drawn=UNLIKE, references=("binder1983", "satterthwaite1946")
)
def linearised(measure: Measure, table: Table, value: float, units: LabelUnits, level: float) -> Found:
    """value ± quantile · se on a scale that keeps to the measure's range."""
    spread: LabelSpread = units.spread(measure, table)
    if not isfinite(value):
        return "it is infinite"
    if isnan(spread.variance):
        return "one case shows no spread"
    if spread.variance <= NOTHING * max(1.0, value * value) or value in measure.bounds:
        return posterior(measure, table, value, units, level)
    scale = scale_of(measure.bounds)
    low, high = scale.interval(value, sqrt(spread.variance), spread.quantile(level))
    return low, high, f"{spread.method}, {scale.name}"


@interval("delta", of=is_of_labels, tables=(ConfusionMatrix,), references=("agresti2013",))
def delta_of_labels(
    measure: Measure, table: ConfusionMatrix, value: float, units: LabelUnits, level: float
) -> Found:
    """As `delta`, where the cells are large enough for it."""
    hits = table.margins.hits.sum()
    of_classes = [float(each) for each in (hits, table.total - hits)]
    variance = _delta_variance(measure, table)
    if min(of_classes) < SMALL_CELL or variance < NOTHING or value in measure.bounds:
        return "there are too few hits or errors for the delta method"
    scale = scale_of(measure.bounds)
    return *scale.interval(value, sqrt(variance), normal_quantile(level)), f"delta, {scale.name}"
