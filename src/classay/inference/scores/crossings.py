"""Intervals of rates where curves cross: the equal error rate, recall at a precision or at a specificity.

The threshold is chosen on the same cases, and no density of the scores is needed. The equal error rate is e if some
threshold has both error rates equal to e; each threshold is tested with the score test of the two shares, and those e
are in the interval for which one threshold passes (the profile of the score test over thresholds, as of an empirical
likelihood: Owen 1990, Annals of Statistics 18:90). Recall at a precision is drawn at resampled thresholds, as the
readings of curves are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from classay.inference.draws import DRAWS, percentile, stream
from classay.inference.estimate import Found
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.readings.chosen_threshold import FPR, PRECISION, TPR, correlation, drawn, share
from classay.inference.readings.rates import last_at_most, rate_at, why_few_clusters
from classay.inference.registry import ANYHOW, SCORES, interval
from classay.inference.sampling_units import Array, Units
from classay.measures import Measure
from classay.measures.readings import complement_of, tpr_at
from classay.measures.registry import ratio
from classay.tables import ScoreTable
from classay.tables.running import at_least

FEWEST_CALLED = 40
"""Cases at the precision or above, fewer than which reach it by chance too often."""
HALVINGS = 40
"""Steps to the end of an interval, each of which halves what is left."""


@interval(
    "score test over thresholds",
    of=("equal_error_rate",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("wilson1927", "owen1990"),
)
def equal_error_rate(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """The rates e of which some threshold, or two mixed, may have as many false alarms and as many misses."""
    why = why_few_clusters(units)
    if why is not None:
        return why
    fpr, fnr = (_from_zero(each) for each in (units.table.negatives, units.table.positives))
    fnr = 1 - fnr
    cut = int(np.abs(fpr - fnr).argmin())
    alarms, hits = share(units, FPR, cut, level), share(units, TPR, cut, level)
    sizes = np.array([alarms.size, hits.size])
    together = -correlation(units, cut, alarms, hits)
    points = np.stack([fpr, fnr])
    allowed = normal_quantile(level) ** 2

    def passes(rate: float) -> bool:
        scaled = (points - rate) * np.sqrt(sizes / (rate * (1 - rate)))[:, None]
        return _nearest(scaled, together) <= allowed

    how = "" if units.how == "influence" else f"{units.how}, "
    return _end(value, 0.0, passes), _end(value, 1.0, passes), f"{how}score test over thresholds"


def _nearest(points: Array, together: float) -> float:
    """The least squared distance from 0 of a chain of points, where coordinates have a correlation."""
    r = min(max(together, -0.99), 0.99)
    x, y = points[0], (points[1] - r * points[0]) / np.sqrt(1 - r * r)
    dx, dy = np.diff(x), np.diff(y)
    length = dx * dx + dy * dy
    at = np.clip(-(x[:-1] * dx + y[:-1] * dy) / np.where(length > 0, length, 1), 0, 1)
    return float(((x[:-1] + at * dx) ** 2 + (y[:-1] + at * dy) ** 2).min())


def _end(inside: float, limit: float, passes: Callable[[float], bool]) -> float:
    """The last value that passes, between one that does and the end of the range."""
    outside = limit
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        if 0 < middle < 1 and passes(middle):
            inside = middle
        else:
            outside = middle
    return limit if abs(inside - limit) < 1e-9 else inside


@interval(
    "Jeffreys at resampled thresholds",
    of=("recall_at_precision",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("brown2001", "rao1992"),
)
def recall_at_precision(
    measure: Measure, table: ScoreTable, value: float, units: Units, level: float
) -> Found:
    """Recall at the last threshold with the precision, whose place is drawn from the posterior of the precision."""
    wanted = float(measure.parameters["precision"])
    why = why_few_clusters(units)
    if why is not None:
        return why
    if value == 0:
        return "no threshold has the precision: nothing in the data shows how much recall one might have"
    tp, fp = (np.cumsum(each) for each in (units.table.positives, units.table.negatives))
    precision = np.concatenate([[np.inf], ratio(tp, tp + fp)])
    cut = int(np.flatnonzero(at_least(precision, wanted))[-1])
    by, rate = share(units, PRECISION, cut, level), share(units, TPR, cut, level)
    if by.size < FEWEST_CALLED:
        return f"only {by.size:.3g} cases are called at that precision: the greatest recall of so few is mostly chance"
    rising, cuts = np.maximum.accumulate(precision[::-1]), []

    def last(place: Array) -> Array:
        cuts.append(precision.size - 1 - np.searchsorted(rising, place))
        return cuts[0]

    values = drawn(units, by, rate, cut, wanted, last, stream(units.seed, "recall at a precision"))
    values[cuts[0] == precision.size - 1] = 1.0  # who calls all cases misses none
    low, high = percentile(values, level)
    low = max(0.0, low - max(0.0, float(values.mean()) - value))
    how = "" if units.how == "influence" else f"{units.how}, "
    used = f"{how}Jeffreys at resampled thresholds, {DRAWS:,} draws"
    return min(low, value), 1.0 if value == 1 else max(high, value), used


@interval(
    "Jeffreys at resampled thresholds",
    of=("recall_at_specificity",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("brown2001", "rao1992"),
)
def recall_at_specificity(
    measure: Measure, table: ScoreTable, value: float, units: Units, level: float
) -> Found:
    """That of the ROC curve's reading at the false positive rate which the specificity leaves."""
    fpr = complement_of(float(measure.parameters["specificity"]))
    found = rate_at(units, tpr_at(units.table, fpr), (FPR, TPR), fpr, last_at_most, level, units.seed)
    if isinstance(found, str) or units.how == "influence":
        return found
    return found[0], found[1], f"{units.how}, {found[2]}"


def _from_zero(counts: Array) -> Array:
    summed = np.concatenate([[0.0], np.cumsum(counts)])
    return np.asarray(summed / summed[-1])
