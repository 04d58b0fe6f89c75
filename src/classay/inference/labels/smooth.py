"""Intervals of every smooth measure of labels: the posterior of the cells, and the delta method."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.inference.delta import counts_influence, delta_variance, matrix_influence
from classay.inference.draws import percentile, posterior_draws, stream
from classay.inference.estimate import Found
from classay.inference.labels.spread import LabelUnits
from classay.inference.proportions import normal_quantile
from classay.inference.registry import LABELS, When, interval
from classay.inference.scales import scale_of
from classay.measures import Measure
from classay.tables import ConfusionMatrix

SMALL_CELL = 5
"""Cases in a cell below which the delta method covers too little."""
NOTHING = 1e-9
"""Standard error below which a spread is rounding: the data show none."""
MOST_CLASSES_DRAWN = 100
"""Classes up to which the shares of all cells are drawn from their posterior."""


def is_smooth(measure: Measure) -> bool:
    """Whether a measure is a smooth function of the cells of a table of labels and no plain share of cases."""
    return measure.parts is None and measure.needs in ("counts", "margins", "matrix")


def few_cases(measure: Measure, table: Any, value: float, units: LabelUnits, level: float) -> bool:
    """Whether a cell that the measure rests on holds under 5 cases, or the value is at the end of its range."""
    if value in measure.bounds:
        return True
    if isinstance(table, ConfusionMatrix):
        return _few_in_matrix(table)
    cells, slopes = counts_influence(measure, table)
    return bool((cells[slopes != 0] < SMALL_CELL).any())


def _few_in_matrix(matrix: ConfusionMatrix) -> bool:
    """Whether a two-class matrix has a small cell, or a larger one hardly any errors, or hardly anything else."""
    if len(matrix.labels) == 2:
        return bool(matrix.counts.min() < SMALL_CELL)
    hits = matrix.counts.trace()
    return bool(min(hits, matrix.total - hits) < SMALL_CELL)


@interval(
    "Dirichlet posterior",
    of=is_smooth,
    tables=LABELS,
    when=When("a cell, or several classes' hits or errors, under 5", few_cases),
    references=("gelman2013", "perks1947"),
)
def posterior(measure: Measure, table: Any, value: float, units: LabelUnits, level: float) -> Found:
    """Equal-tailed interval of draws from the posterior of the cells' shares, closed at an end of the range.

    Two classes have Jeffreys' prior, half a case in each cell; more classes share one case among all their cells
    (Perks 1947), because half a case in each would outweigh the data. In simulations with small cells this covers
    94-97 %, where percentile and BCa bootstrap, which leave an empty cell empty, cover 68-97 % (docs/intervals.md).
    """
    rng = stream(units.seed, measure.name)
    if isinstance(table, ConfusionMatrix):
        k = len(table.labels)
        if k > MOST_CLASSES_DRAWN:
            return f"too few hits or errors for the delta method, too many classes ({k}) for the posterior"
        prior, used = (0.5, "Jeffreys posterior") if k == 2 else (1 / k**2, "Perks posterior")
        cells = table.counts.ravel()
        block = max(1, 2_000_000 // cells.size)
        values = np.concatenate(
            [
                measure(ConfusionMatrix(each.reshape(-1, k, k), table.labels))
                for each in posterior_draws(cells, prior, rng, block)
            ]
        )
    else:
        used = "Jeffreys posterior"
        cells = np.array([float(count) for count in table])
        values = np.concatenate([measure(tuple(each.T)) for each in posterior_draws(cells, 0.5, rng)])
    low, high = percentile(values, level)
    bottom, top = measure.bounds
    low, high = (bottom if value == bottom else min(low, value)), (top if value == top else max(high, value))
    return low, high, used


@interval("delta", of=is_smooth, tables=LABELS, references=("agresti2013",))
def delta(measure: Measure, table: Any, value: float, units: LabelUnits, level: float) -> Found:
    """value ± z · se on a scale that keeps to the measure's range."""
    influence = matrix_influence if isinstance(table, ConfusionMatrix) else counts_influence
    se = float(np.sqrt(delta_variance(*influence(measure, table))))
    # a class always called right, another always wrong: no cell moves it
    if se < NOTHING * max(1.0, abs(value)):
        return posterior(measure, table, value, units, level)
    scale = scale_of(measure.bounds)
    return *scale.interval(value, se, normal_quantile(level)), f"delta, {scale.name}"
