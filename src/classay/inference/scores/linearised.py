"""Intervals from influence functions: one pass over the table, whatever way its cases were drawn."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, isinf

import numpy as np

from classay.inference.estimate import Found
from classay.inference.proportions.binomial import score_interval, wilson
from classay.inference.registry import ANYHOW, CASES, SCORES, When, interval
from classay.inference.sampling_units import Array, Spread, Units
from classay.inference.scales import scale_of
from classay.inference.scores.influence import INFLUENCES, losses, partial_roc_auc
from classay.inference.scores.influence import risk_coverage as area_influence
from classay.inference.scores.means import (
    ONE_MORE,
    TAILS,
    WITHOUT_TAIL,
    ClassMean,
    LossMoments,
    t_interval,
    two_class_interval,
)
from classay.measures import Measure
from classay.measures.calibration.decompositions import brier_entropy, log_entropy
from classay.measures.probability import why_infinite
from classay.measures.ranking import MAX_FPR, area_up_to, negative_cases
from classay.tables import CaseTable, ScoreTable

AT_END = "it is at the end of its range: nothing in the data shows how far off it might be"
FEW = 10
"""Cases of the smaller class below which the spread of what rests on both is not to be had from them."""
SAME_LOSS = "all cases have the same loss, which shows no spread"
TOO_FEW = f"a class has fewer than {FEW} cases"
TWO = 2
"""Cases of the smaller class that have a spread."""
RISEN = 3
"""Positives above the recall at which a precision-recall-gain curve starts, fewer than which tell nothing of it."""


@interval(
    "influence",
    of=("average_precision", "interpolated_pr_area", "log_loss_skill", "brier_skill"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946"),
)
def linearised(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """value ± t · se on the scale of the measure's range."""
    if not isfinite(value):
        return "it is infinite"
    if value in measure.bounds:
        return AT_END
    units = units.near
    spread = units.spread(*INFLUENCES[measure.name](units.table, value))
    scale = scale_of(measure.bounds)
    half = spread.half(level)
    return *scale.interval(value, half, 1.0), f"{units.how}, {scale.name}"


@interval(
    "influence",
    of=("partial_roc_auc", "standardized_partial_roc_auc"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946"),
)
def partial_area(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """On the logit scale of the raw area, whichever way the area is given.

    The negatives within the range, of which there may be few, have one degree of freedom fewer.
    """
    first, last = measure.parameters.get("min_fpr", 0.0), measure.parameters.get("max_fpr", MAX_FPR)
    least = last * last / 2
    stretch = 2 * (last - least)
    raw = measure.base == "partial_roc_auc"
    area = value if raw else least + (value - 0.5) * stretch
    if area <= 0 or area >= last - first:
        return AT_END
    units = units.near
    if units.smaller_class < FEW:
        return TOO_FEW
    on_positive, on_negative = _of_range(units.table, area, first, last)
    within = float(negative_cases(units.table)) * (last - first)
    half = units.spread(on_positive, on_negative * np.sqrt(1 + 1 / within)).half(level)
    scale = scale_of((0.0, last - first))
    ends = scale.interval(area, half, 1.0)
    low, high = ends if raw else ((end - least) / stretch + 0.5 for end in ends)
    return low, high, f"{units.how}, {scale.name}"


@interval(
    "influence",
    of=("partial_roc_auc_by_tpr",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946"),
)
def partial_area_by_tpr(
    measure: Measure, table: ScoreTable, value: float, units: Units, level: float
) -> Found:
    """As `partial_area`, of the curve seen from its other end, where the classes have changed places."""
    first, last = (1 - measure.parameters[name] for name in ("max_tpr", "min_tpr"))
    if value <= 0 or value >= last - first:
        return AT_END
    if units.smaller_class < FEW:
        return TOO_FEW
    on_negative, on_positive = (
        each[::-1] for each in _of_range(_from_other_end(units.table), value, first, last)
    )
    within = float(units.table.n_positive) * (last - first)
    if units.table.positive_squares is not None:
        within *= float(units.table.n_positive) / float(units.table.positive_squares.sum())
    half = units.spread(on_positive * np.sqrt(1 + 1 / within), on_negative).half(level)
    scale = scale_of(measure.bounds)
    return *scale.interval(value, half, 1.0), f"{units.how}, {scale.name}"


def _from_other_end(table: ScoreTable) -> ScoreTable:
    """The table with its classes in each other's place, from its lowest score."""
    return ScoreTable(-table.scores[::-1], table.negatives[::-1], table.positives[::-1], table.labels[::-1])


def _of_range(table: ScoreTable, area: float, first: float, last: float) -> tuple[Array, Array]:
    """Influence on the area between two false positive rates: on the one up to the last, less that up to the first."""
    if first == 0:
        return partial_roc_auc(table, area, last)
    before = float(area_up_to(table.positives, table.negatives, first))
    whole, part = partial_roc_auc(table, area + before, last), partial_roc_auc(table, before, first)
    return whole[0] - part[0], whole[1] - part[1]


@interval(
    "t",
    of=("log_loss", "multiclass_brier_score", "mean_reciprocal_rank"),
    tables=CASES,
    references=("student1908",),
)
def mean_of_losses(measure: Measure, table: CaseTable, value: float, units: object, level: float) -> Found:
    """value ± t · se of the losses of cases drawn alike, on the scale of the range of the loss.

    Of the log-loss and the Brier score the upper end is that with one more case: see `LossMoments.one_more_case`.
    """
    assert measure.moments is not None
    n, total, squares = (float(each) for each in measure.moments(*measure.read((table,))))
    if isinf(value):
        return why_infinite(table)
    if n < TWO:
        return "one case shows no spread"
    if n * squares - total * total <= 1e-12 * n * squares:  # zero, to rounding
        return SAME_LOSS
    how = f"t, {scale_of(measure.bounds).name}"
    if measure.name not in TAILS:
        return *t_interval(total, squares, n, level, measure.bounds), how
    tail = getattr(table.sums, TAILS[measure.name])
    if tail is None:
        return *t_interval(total, squares, n, level, measure.bounds), f"{how}, {WITHOUT_TAIL}"
    sums = LossMoments.of(n, total, squares, tail)
    return *sums.one_more_case(level, measure.bounds), f"{how}, {ONE_MORE}"


def _both_classes_vary(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> bool:
    return isfinite(value) and units.smaller_class >= TWO


@interval(
    "MOVER over classes",
    of=("log_loss",),
    tables=SCORES,
    when=When("two cases or more of each class", _both_classes_vary),
    references=("zou2008", "hall1992"),
)
def mean_over_classes(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """From the intervals of the share of positives and of the mean loss of each class."""
    of_case = losses(units.table, measure.name)
    parts = zip((units.table.positives, units.table.negatives), of_case, strict=True)
    first, second = (ClassMean.of(*each) for each in parts)
    apart = (first.mean - second.mean) ** 2 * first.cases * second.cases / (first.cases + second.cases)
    if first.squares + second.squares + apart <= 1e-12 * value * value * units.total:  # zero, to rounding
        return SAME_LOSS
    low, high = two_class_interval(first, second, level)
    return min(low, value), max(high, value), "MOVER over classes"


@interval(
    "t",
    of=("log_loss", "brier_score"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946"),
)
def mean_loss(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """value ± t · se on the logit or the log scale, with degrees of freedom from the losses' fourth moment."""
    if not isfinite(value):
        return why_infinite(table)
    if units.number < TWO:
        return "one case shows no spread"
    units = units.near
    spread = units.spread(*INFLUENCES[measure.name](units.table, value))
    return spread_interval(
        measure, value, spread, level, "" if units.how == "influence" else f"{units.how}, "
    )


def spread_interval(measure: Measure, value: float, spread: Spread, level: float, how: str = "") -> Found:
    """Student's interval of a mean loss on the scale of its range."""
    if not spread.variance > 1e-18 * value * value or value in measure.bounds:
        return SAME_LOSS
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{how}t, {scale.name}"


@interval(
    "influence",
    of=("area_under_prg",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946"),
)
def precision_recall_gain(
    measure: Measure, table: ScoreTable, value: float, units: Units, level: float
) -> Found:
    """As `linearised`, where enough positives lie above recall = prevalence, from which the area is counted."""
    p, plus = float(units.table.n_positive), float(units.squares[0].sum())
    if p * p / plus * p / units.total < RISEN:
        return f"fewer than {RISEN} positives lie above recall = prevalence, where the curve starts"
    return linearised(measure, table, value, units, level)


@interval(
    "influence", of=("area_under_risk_coverage",), tables=SCORES, drawn=ANYHOW, references=("agresti1998",)
)
def risk_coverage(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """Normal, as if one more case were wrong and one right, both spread over all scores in proportion.

    Errors are few among confident cases, and weigh most there: where a sample has none, its own spread says that there
    are none. (Agresti & Coull 1998, The American Statistician 52:119, for a proportion.)
    """
    at = units.table
    case = (at.positives + at.negatives) / units.number
    added = replace(at, positives=at.positives + case, negatives=at.negatives + case)
    centre, on_positive, on_negative = area_influence(added)
    spread = units.spread(on_positive, on_negative)
    size = units.total / units.number
    variance = spread.variance + float((size * case * (on_positive**2 + on_negative**2)).sum())
    half = units.quantile(level) * float(np.sqrt(variance))
    low, high = min(value, centre - half), max(value, centre + half)
    return max(0.0, low), min(1.0, high), f"{units.how}, one error and one right answer added"


@interval(
    "Wilson on the prevalence",
    of=("brier_uncertainty", "log_loss_uncertainty"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("wilson1927", "rao1992"),
)
def uncertainty(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """The values that the measure takes over Wilson's interval of the prevalence; at most that of one half."""
    spread_of = log_entropy if measure.name.startswith("log") else brier_entropy
    everywhere = np.ones(units.table.scores.size)
    _, low, high = share(units, (everywhere, 0 * everywhere), (everywhere, everywhere), level)
    ends = [float(spread_of(each, 1 - each)) for each in (low, high)]
    top = float(spread_of(0.5, 0.5)) if low <= 0.5 <= high else max(ends)
    return min(ends), top, f"{'' if _plain(units) else units.how + ', '}Wilson on the prevalence"


def share(
    units: Units, counted: tuple[Array, Array], among: tuple[Array, Array], level: float
) -> tuple[float, float, float]:
    """The share of what is counted among some cases, with its Wilson interval.

    Both are 1 or 0 for the positives and the negatives at each score. Cases that are not independent and alike count as
    the number of such cases that would have this variance (Rao & Scott 1992, Biometrics 48:577).
    """
    x, m = units.sum(*counted), units.sum(*among)
    if _plain(units):
        low, high = wilson(x, m, level)
        return x / m, float(low), float(high)
    p = x / m
    plus, minus = ((in_ - p * all_) / m for in_, all_ in zip(counted, among, strict=True))
    spread = units.spread(plus, minus)
    effective = m / units.total * units.number
    if spread.variance > 1e-18:
        effective = max(1.0, p * (1 - p) / spread.variance)
    low, high = score_interval(p * effective, effective, units.quantile(level))
    return p, float(low), float(high)


def _plain(units: Units) -> bool:
    return units.rows is None and not units.table.is_weighted
