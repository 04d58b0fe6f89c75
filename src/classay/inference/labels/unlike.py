"""Intervals of proportions whose cases have sampling weights, or come in clusters."""

from __future__ import annotations

from math import isnan

from classay.inference.estimate import Found
from classay.inference.labels.alike import is_proportion
from classay.inference.labels.sampling_units import LabelUnits, Table
from classay.inference.proportions.binomial import score_interval, size_in_words
from classay.inference.registry import LABELS, UNLIKE, interval
from classay.measures import Measure


@interval(
    "Wilson, effective cases",
    of=is_proportion,
    tables=LABELS,
    drawn=UNLIKE,
    references=("wilson1927", "rao1992", "kish1965"),
)
def of_effective_cases(
    measure: Measure, table: Table, value: float, units: LabelUnits, level: float
) -> Found:
    """Wilson's interval with the number of equal cases of this variance; Student's quantile for the normal one."""
    spread = units.spread(measure, table)
    if isnan(spread.variance):
        where = "one case" if units.rows is None else "one cluster"
        return f"it rests on {where}, which shows no spread"
    n = spread.effective(value)
    low, high = score_interval(value * n, n, spread.quantile(level))
    return float(low), float(high), f"{spread.method}, Wilson, {size_in_words(n, spread.cases)}"
