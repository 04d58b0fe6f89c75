"""Intervals of measures of several classes: mean losses, skills, accuracies of the best few, class-wise calibration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite, sqrt

import numpy as np

from classay.inference.bootstrap.on_request import refuse_bootstrap
from classay.inference.calibration.deviation import (
    binomial_variance,
    bins_of,
    expected_error,
    gap_covariance,
    noise_below,
    noise_norm,
)
from classay.inference.estimate import Found
from classay.inference.proportions.binomial import normal_quantile, score_interval, size_in_words
from classay.inference.registry import ANYHOW, CASES, CLASS_SCORES, UNLIKE, interval
from classay.inference.sampling_units import Array, Spread, Units, student_quantile
from classay.inference.scales import scale_of
from classay.inference.scores.linearised import AT_END, SAME_LOSS
from classay.inference.scores.mean_aucs import spread_of_rows
from classay.inference.scores.means import ONE_MORE, LossMoments
from classay.measures import Measure
from classay.measures.calibration.bins import BINS, Bins, parted
from classay.measures.calibration.by_class import standard_class_bins
from classay.measures.probability import entropy, why_infinite
from classay.tables import CaseTable, ClassScoreTable
from classay.tables.cases import CaseValues
from classay.tables.rows import CodedRows, RowCells
from classay.tables.running import equal_cases

TOP = ("top_2_accuracy", "top_3_accuracy", "top_5_accuracy", "top_k_accuracy")
MEANS = ("log_loss", "multiclass_brier_score")
SKILLS = ("log_loss_skill", "multiclass_brier_skill")

# -- class-wise calibration ------------------------------------------------------------------------


@interval(
    "triangle inequality",
    of=("classwise_calibration_error",),
    tables=CLASS_SCORES,
    drawn=ANYHOW,
    references=("nabeya1951",),
)
def class_wise_error(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """The mean over classes of a norm: bounded as if the noise of all classes were one."""
    above = below = 0.0
    z = normal_quantile(level)
    for noise in _noise_of_classes(measure, table, rows, level):
        mean, variance = noise_norm(noise.covariance)
        above += mean + z * sqrt(variance)
        below += noise_below(noise.covariance, noise.bins, level)
        wider, how = noise.quantile / z, noise.how
    k = len(table.labels)
    low, high = max(0.0, value - wider * above / k), min(1.0, value + wider * below / k)
    words = "triangle inequality, bounded over classes"
    return low, high, words if how == "influence" else f"{how}, {words}"


@dataclass(frozen=True)
class _Noise:
    """The noise of the bins of one class against the rest: covariance, quantile to take, and how they were found."""

    covariance: Array
    bins: Bins
    quantile: float
    how: str

    @classmethod
    def of(cls, covariance: Array, bins: Bins, quantile: float, how: str) -> _Noise:
        """From the covariance of the gaps of bins."""
        return cls(bins.share[:, None] * covariance * bins.share, bins, quantile, how)


def _noise_of_classes(
    measure: Measure, table: ClassScoreTable, rows: CodedRows | None, level: float
) -> Iterator[_Noise]:
    if rows is None and bins_of(measure) == BINS and not table.is_weighted:
        for bins in standard_class_bins(table):
            yield _Noise.of(np.diag(binomial_variance(bins)), bins, normal_quantile(level), "influence")
        return
    for code, label in enumerate(table.labels):
        against_rest = table.one_vs_rest(label)
        units = Units(against_rest) if rows is None else Units.of_clusters(against_rest, rows, code)
        cuts, bins = parted(against_rest, bins_of(measure))
        covariance = gap_covariance(against_rest, units, cuts, bins)
        yield _Noise.of(covariance, bins, units.quantile(level), units.how)


# -- sums over cases -------------------------------------------------------------------------------


def case_parts(measure: Measure, table: CaseTable, value: float) -> tuple[float, Array]:
    """Influence of a case of each class, times all cases: a · its loss + b of its true class."""
    if not measure.name.endswith("skill"):
        return 1.0, np.full(table.true.size, -value)
    base, own = reference_loss(measure, table)
    return -1 / base, (1 - value) * own / base


def reference_loss(measure: Measure, table: CaseTable) -> tuple[float, Array]:
    """The mean loss of always saying the class shares, and the loss of a case of each class that its share makes."""
    share = table.true / table.true.sum()
    if measure.name.startswith("log"):
        return float(entropy(share)), -np.log(np.where(share > 0, share, 1))
    base = float(1 - share @ share)
    return base, 2 * (1 - share) - base


def skill_of_alike(measure: Measure, table: CaseTable, level: float) -> Found | None:
    """The interval of a skill of cases drawn alike, on the log scale of the share of the reference loss that is left.

    The lower end is that with one more case of the greatest loss, which always saying the shares would cost their mean
    loss: see `LossMoments.one_more_case`. None where files of early versions lack the greatest loss.
    """
    name, bounds = ("log_loss", (0.0, inf)) if measure.name.startswith("log") else ("brier", (0.0, 2.0))
    sums, n = table.sums, float(table.true.sum())
    tail = getattr(sums, f"{name}_tail")
    if table.squares is not None or tail is None:
        return None
    if n < 2:
        return "one case shows no spread"
    by_class = np.array([each.value for each in getattr(sums, f"{name}_by_class")])
    seen = LossMoments.of(n, float(by_class.sum()), getattr(sums, f"{name}_squares").value, tail)
    base, own = reference_loss(measure, table)

    def ends(losses: LossMoments, more: float) -> tuple[float, float]:
        left = losses.mean / base
        off = losses.squares - 2 * left * float(own @ by_class) + left**2 * float(own**2 @ sums.true)
        off += left**2 * more * base**2 - 2 * left * more * base * losses.most
        se = sqrt(max(off, 0.0) / (losses.n - 1) / losses.n) / base
        return scale_of((0, inf)).interval(left, se, student_quantile(level, losses.degrees))

    least, most = ends(seen, 0.0)[0], ends(seen.with_one_more(bounds), 1.0)[1]
    return 1 - most, 1 - least, f"influence, t, {scale_of(measure.bounds).name}, {ONE_MORE}"


@interval("influence", of=SKILLS, tables=CASES, drawn=ANYHOW, references=("binder1983", "satterthwaite1946"))
def skill_of_cases(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """With one more case where cases are drawn alike, otherwise by the influence of each case or cluster."""
    if value == 1:
        return AT_END
    found = skill_of_alike(measure, table, level) if rows is None and isfinite(value) else None
    return mean_of_cases(measure, table, value, rows, level) if found is None else found


@interval("t", of=MEANS, tables=CASES, drawn=UNLIKE, references=("binder1983",))
def mean_of_cases(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """Mean losses and skills: by the sums of the losses, of their squares, and of those of each true class."""
    if not isfinite(value):
        return why_infinite(table)
    skill = measure.name.endswith("skill")
    a, b = case_parts(measure, table, value)
    total, squares = float(table.true.sum()), table.squares or table.sums
    name = "brier" if "brier" in measure.name else "log_loss"
    if rows is None:
        by_class = np.array([each.value for each in getattr(squares, f"{name}_by_class")])
        of_losses = a * a * getattr(squares, f"{name}_squares").value
        variance = of_losses + 2 * a * float(b @ by_class) + float(b * b @ squares.true)
        if not skill and variance <= 1e-12 * of_losses:  # zero, to rounding
            return SAME_LOSS
        units = equal_cases(total, squares.true.sum())
        spread = Spread(max(0.0, variance) / total**2 * units / (units - 1), units - 1) if units > 1 else None
        how = "influence" if table.squares is None else "linearised"
    else:
        loss = getattr(CaseValues.of(np.asarray(rows.score), rows.true), name)
        spread, how = spread_of_rows(rows, (a * loss + b[rows.true]) / total), "clusters"
    if spread is None:
        return "one case shows no spread"
    if not skill and (value in measure.bounds or not spread.variance > 1e-18 * value * value):
        return SAME_LOSS
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{how}, {'' if skill else 't, '}{scale.name}"


@interval("t", of=("mean_reciprocal_rank",), tables=CASES, drawn=UNLIKE, references=("binder1983",))
def mean_of_ranks(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """The mean of 1 / rank of weighted or clustered cases: by how many cases have each rank, and their weights."""
    total, reciprocal = float(table.true.sum()), 1 / np.arange(1, table.ranks.size + 1)
    if rows is None:
        assert table.squares is not None
        units = equal_cases(total, table.squares.true.sum())
        if not units > 1:
            return "one case shows no spread"
        squares = float(table.squares.ranks @ (reciprocal - value) ** 2)
        spread, how = Spread(squares / total**2 * units / (units - 1), units - 1), "linearised"
    elif len(rows.clusters) < 2:
        return "one cluster shows no spread"
    else:
        rank = CaseValues.of(np.asarray(rows.score), rows.true).rank
        spread, how = spread_of_rows(rows, (reciprocal[rank] - value) / total), "clusters"
    if value in measure.bounds or not spread.variance > 1e-18 * value * value:
        return "all cases have the same rank, which shows no spread"
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{how}, t, {scale.name}"


@interval("Wilson, effective cases", of=TOP, tables=CASES, drawn=UNLIKE, references=("wilson1927", "rao1992"))
def best_few(measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float) -> Found:
    """Top-k accuracy of weighted or clustered cases: Wilson with the number of equal cases of this variance."""
    assert measure.parts is not None
    total = float(measure.parts(table)[1])
    if rows is None:
        assert table.squares is not None
        hit, all_ = (float(each) for each in measure.parts(table.squares))
        cases = units = equal_cases(total, all_)
        if not units > 1:
            return "one case shows no spread"
        variance = (hit * (1 - value) ** 2 + (all_ - hit) * value**2) / total**2 * units / (units - 1)
        quantile, how = normal_quantile(level), "linearised"
    else:
        k = int(measure.parameters.get("k") or measure.name.split("_")[1])
        inside = CaseValues.of(np.asarray(rows.score), rows.true).rank < k
        units, weight = len(rows.clusters), rows.weight
        cases = total if weight is None else equal_cases(weight.sum(), (weight * weight).sum())
        if units < 2:
            return "one cluster shows no spread"
        variance = spread_of_rows(rows, (inside - value) / total).variance
        quantile, how = student_quantile(level, units - 1), "clusters"
    effective = max(1.0, value * (1 - value) / variance) if variance > 1e-18 else units
    low, high = score_interval(value * effective, effective, quantile)
    return float(low), float(high), f"{how}, Wilson, {size_in_words(effective, float(cases))}"


@interval(
    "triangle inequality",
    of=("top_label_calibration_error",),
    tables=CASES,
    drawn=ANYHOW,
    references=("nabeya1951",),
)
def top_label_error(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """The calibration error of the highest scores, a table of two classes, right and wrong."""
    units = Units.of_cases(table.top)
    if rows is not None:
        scores = np.asarray(rows.score)
        at, right = np.searchsorted(-table.top.scores, -scores.max(1)), scores.argmax(1) == rows.true
        units = Units(table.top, rows, RowCells(np.where(right, at, at + table.top.scores.size)))
    return expected_error(measure, table.top, value, units, level, equal_mass=False)


refuse_bootstrap(("classwise_calibration_error", "top_label_calibration_error"))
