"""Intervals of the parts of the Brier score in bins: reliability as a calibration error, resolution less optimism.

Reliability is the square of the root mean squared calibration error, and has the square of its interval. Resolution is
what the shares of positives of the bins, fitted to these cases, save of the loss of the base rate. That is a maximum,
too good by a fitted mean for each bin, less one for the base rate.
"""

from __future__ import annotations

import numpy as np

from classay.inference.bootstrap.on_request import refuse_bootstrap
from classay.inference.calibration.deviation import bins_of, root_mean_square, share_variance
from classay.inference.estimate import Found
from classay.inference.registry import ANYHOW, SCORES, interval
from classay.inference.sampling_units import Array, Units
from classay.inference.scores.linearised import FEW, TOO_FEW
from classay.inference.scores.optimism import BRIER, difference
from classay.inference.scores.optimism import named as less_optimism
from classay.measures import Measure
from classay.measures.calibration.bins import Bins, bins_between, parted
from classay.tables import ScoreTable

FEWEST = 5
"""Cases of a distinct probability, on average, below which their share of positives is mostly chance."""
RELIABILITY = ("murphy_reliability", "exact_murphy_reliability")
RESOLUTION = ("murphy_resolution", "exact_murphy_resolution")


def _bins(measure: Measure, table: ScoreTable) -> tuple[Array, Bins] | str:
    """The bins of a measure and the places that part the table into them, or why these say too little."""
    if not measure.name.startswith("exact"):
        return parted(table, bins_of(measure))
    cuts = np.arange(table.scores.size + 1)
    bins = bins_between(table, cuts)
    if bins.effective.mean() < FEWEST:
        return f"a distinct probability has fewer than {FEWEST} cases on average: most of the value is chance"
    return cuts, bins


@interval(
    "triangle inequality", of=RELIABILITY, tables=SCORES, drawn=ANYHOW, references=("satterthwaite1946",)
)
def reliability(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """The squares of the limits of the root mean squared gap."""
    found = _bins(measure, table)
    if isinstance(found, str):
        return found
    ends = root_mean_square(table, *found, float(np.sqrt(value)), units, level)
    if isinstance(ends, str):
        return ends
    return min(ends[0] ** 2, value), max(ends[1] ** 2, value), ends[2]


@interval("less optimism", of=RESOLUTION, tables=SCORES, drawn=ANYHOW, references=("binder1983",))
def resolution(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """Loss of the base rate less that of the shares of the bins, whose best is a minimum."""
    if units.smaller_class < FEW:
        return TOO_FEW
    at = units.table
    found = _bins(measure, at)
    if isinstance(found, str):
        return found
    cuts, bins = found
    shares = np.repeat(bins.observed[::-1], np.diff(cuts))
    base = np.full(shares.shape, float(at.n_positive) / units.total)
    half = difference(units, BRIER.loss(base), BRIER.loss(shares)).half(level)
    fitted = float((bins.share * _variances(units, cuts, bins, shares)).sum())
    of_base = units.spread((1 - base) / units.total, -base / units.total).variance
    optimism = max(0.0, fitted - of_base)
    return max(0.0, value - optimism - half), min(0.25, value + half), less_optimism(units)


def _variances(units: Units, cuts: Array, bins: Bins, shares: Array) -> Array:
    """Variance of the share of positives of each bin; clusters add what they add."""
    alone = share_variance(units.table, cuts, bins)
    if units.rows is None:
        return alone
    weight = np.repeat(bins.weight[::-1], np.diff(cuts))
    return np.maximum(alone, units.variances(cuts, (1 - shares) / weight, -shares / weight)[::-1])


refuse_bootstrap((*RELIABILITY, *RESOLUTION))
