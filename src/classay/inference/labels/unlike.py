"""Intervals of measures of labels whose cases have sampling weights, or come in clusters."""

from __future__ import annotations

from math import isfinite, isnan, sqrt
from typing import Any

from classay.inference.estimate import Found
from classay.inference.labels.alike import is_proportion
from classay.inference.labels.smooth import is_smooth
from classay.inference.labels.spread import LabelSpread, LabelUnits
from classay.inference.proportions import score_interval
from classay.inference.registry import LABELS, UNLIKE, interval
from classay.inference.scales import scale_of
from classay.measures import Measure


def _why_none(value: float, spread: LabelSpread) -> str | None:
    if not isfinite(value):
        return "it is infinite"
    return "one case shows no spread" if isnan(spread.variance) else None


@interval(
    "Wilson, effective cases",
    of=is_proportion,
    tables=LABELS,
    drawn=UNLIKE,
    references=("rao1992", "kish1965"),
)
def of_effective_cases(measure: Measure, table: Any, value: float, units: LabelUnits, level: float) -> Found:
    """Wilson's interval with the number of equal cases of this variance; Student's quantile for the normal one."""
    spread = units.spread(measure, table, level)
    why = _why_none(value, spread)
    if why is not None:
        return why
    n = spread.effective(value)
    low, high = score_interval(value * n, n, spread.quantile)
    return float(low), float(high), f"{spread.method}, Wilson, effective n {n:.4g}"


@interval("linearised", of=is_smooth, tables=LABELS, drawn=UNLIKE, references=("binder1983",))
def linearised(measure: Measure, table: Any, value: float, units: LabelUnits, level: float) -> Found:
    """value ± quantile · se on a scale that keeps to the measure's range."""
    spread = units.spread(measure, table, level)
    why = _why_none(value, spread)
    if why is not None:
        return why
    if spread.variance <= 1e-18 * max(1.0, value * value) or value in measure.bounds:
        return "the cases at hand show no spread of it"
    scale = scale_of(measure.bounds)
    low, high = scale.interval(value, sqrt(spread.variance), spread.quantile)
    return low, high, f"{spread.method}, {scale.name}"
