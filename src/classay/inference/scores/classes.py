"""Intervals of measures of several classes: mean AUCs, skills, accuracies of the best few, class-wise calibration.

A case moves a mean AUC through its scores of all classes; the table says which scores are of one case. Tables of files
saved before it did have a bound instead: standard errors added up over classes, true class by true class, because cases
of different true classes are different cases. It is 1.1 to 1.8 times the standard error, the more the more classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, sqrt

import numpy as np

from classay.inference.bootstrap.on_request import refuse_bootstrap
from classay.inference.calibration.deviation import (
    bins_of,
    expected_error,
    expected_error_noise,
    gap_covariance,
    noise_norm,
)
from classay.inference.estimate import Found
from classay.inference.proportions.binomial import normal_quantile, score_interval, size_in_words
from classay.inference.registry import ANYHOW, CASES, CLASS_SCORES, UNLIKE, interval
from classay.inference.sampling_units import Array, Spread, Units, student_quantile
from classay.inference.scales import scale_of
from classay.inference.scores.linearised import AT_END
from classay.measures import Measure
from classay.measures.calibration.bins import parted
from classay.measures.probability import entropy, why_infinite
from classay.measures.registry import ratio
from classay.tables import CaseTable, ClassScoreTable
from classay.tables.cases import CaseValues
from classay.tables.classes import JointCases
from classay.tables.rows import CodedRows
from classay.tables.running import equal_cases

AUCS = ("hand_till_auc", "macro_roc_auc", "weighted_roc_auc", "weighted_one_vs_one_roc_auc")
TOP = ("top_2_accuracy", "top_3_accuracy", "top_5_accuracy", "top_k_accuracy")
MEANS = ("log_loss", "multiclass_brier_score")
SKILLS = ("log_loss_skill", "multiclass_brier_skill")

# -- mean AUCs -------------------------------------------------------------------------------------


def pair_weights(name: str, totals: Array) -> Array:
    """How much the AUC of each ordered pair of classes counts in a mean AUC, `[own, other]`.

    The AUC of a class against the rest is the mean of those against each other class, by their sizes.
    """
    k = totals.size
    apart = ~np.eye(k, dtype=bool)
    if name == "hand_till_auc":
        return apart / (k * (k - 1))
    if name == "weighted_one_vs_one_roc_auc":
        return np.asarray(np.where(apart, totals[:, None] + totals, 0.0) / (2 * (k - 1) * totals.sum()))
    against_rest = np.where(apart, ratio(totals[None, :], (totals.sum() - totals)[:, None]), 0.0)
    if name == "macro_roc_auc":
        return np.asarray(against_rest / k)
    return np.asarray(against_rest * (totals / totals.sum())[:, None])


def pair_influence(
    scores: Array, true: Array, weight: Array, own: int, weights: Array, totals: Array
) -> tuple[Array, Array]:
    """Influence of each entry of a class's scores, falling, on the sum of its pairs' AUCs times `weights`; those AUCs.

    The own cases are placed among those of each other class, and the others among the own (DeLong et al. 1988).
    """
    new = np.concatenate([[True], scores[1:] != scores[:-1]])
    group = np.cumsum(new) - 1
    is_own = true == own
    of_own = np.bincount(group, np.where(is_own, weight, 0.0))
    share = ratio(weights, totals)
    of_others = np.bincount(group, np.where(is_own, 0.0, weight * share[true]))
    above = (np.cumsum(of_own) - of_own / 2) / totals[own]
    below = of_others.sum() - np.cumsum(of_others) + of_others / 2
    pairs = ratio(np.bincount(true, weight * above[group] * ~is_own, totals.size), totals)
    centred = np.where(
        is_own,
        (below[group] - float(weights @ np.nan_to_num(pairs))) / totals[own],
        share[true] * (above[group] - pairs[true]),
    )
    return centred, pairs


@interval("influence", of=AUCS, tables=CLASS_SCORES, drawn=ANYHOW, references=("delong1988", "binder1983"))
def mean_auc(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """On the logit scale, by the influence of each case through all its scores."""
    if value in measure.bounds:
        return AT_END
    totals = class_totals(table)
    weights = pair_weights(measure.name, totals)
    if rows is not None:
        spread, used = _clustered(rows, weights, totals, measure.name)
    elif table.cases is not None:
        spread, used = _joint(table, table.cases, weights, totals, measure.name)
    else:
        spread, used = _bounded(table, weights, totals, measure.name)
    if np.isnan(spread.variance):
        return "a class of one case shows no spread"
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{used}, {scale.name}"


def class_totals(table: ClassScoreTable) -> Array:
    """Weight of each true class."""
    run = table.runs[0]
    return np.bincount(run.true, run.weight, len(table.labels)).astype(np.float64)


def by_size(name: str, pairs: Array, totals: Array) -> Array:
    """Derivative of a mean AUC by the weight of each class, the AUCs of the pairs as they are."""
    if name == "hand_till_auc":
        return np.zeros(totals.size)
    total, rest = totals.sum(), totals.sum() - totals
    known = np.nan_to_num(pairs)
    if name == "weighted_one_vs_one_roc_auc":
        apart = known * ~np.eye(totals.size, dtype=bool)
        mean = (pair_weights(name, totals) * apart).sum()
        return np.asarray(((apart.sum(0) + apart.sum(1)) / (2 * (totals.size - 1)) - mean) / total)
    against_rest = ratio(known @ totals, rest)
    moved = np.where(
        np.eye(totals.size, dtype=bool), 0.0, ratio(known - against_rest[:, None], rest[:, None])
    )
    if name == "macro_roc_auc":
        return np.asarray(moved.mean(0))
    share = totals / total
    return np.asarray((against_rest - share @ against_rest) / total + share @ moved)


def _joint(
    table: ClassScoreTable, cases: JointCases, weights: Array, totals: Array, name: str
) -> tuple[Spread, str]:
    """The variance of a sum over cases; both the own and the other cases of a class are taken from their mean.

    Degrees of freedom by Satterthwaite (1946, Biometrics 2:110), and no more than the cases of the rarest class, less
    one.
    """
    k, rows = totals.size, np.arange(cases.true.size)
    influence, pairs = np.zeros(rows.size), np.zeros((k, k))
    for i, run in enumerate(table.runs):
        if totals[i]:
            centred, pairs[i] = pair_influence(run.scores, run.true, run.weight, i, weights[i], totals)
            influence += centred[cases.entry[:, i]]
    each = np.ones(rows.size) if cases.weight is None else cases.weight.astype(np.float64)
    alike = table.runs[0].squares is None
    squares = each if alike else each * each
    size = ratio(totals**2, np.bincount(cases.true, squares, k))
    within = np.bincount(cases.true, squares * influence**2, k)
    if (size[totals > 0] < 2).any():
        return Spread(float("nan"), 1.0), ""
    held = totals > 0
    own = within[held] * size[held] / (size[held] - 1)
    moved = np.bincount(cases.true, squares, k) * by_size(name, pairs, totals) ** 2
    variance = float(own.sum() + moved.sum())
    fourths = np.bincount(cases.true, squares * (squares / each) ** 2 * influence**4, k)[held]
    uneven = float((fourths - within[held] ** 2 / size[held]).sum())
    degrees = 2 * variance**2 / uneven if uneven > 0 else np.inf
    by_sizes = variance**2 / max(float((own**2 / (size[held] - 1)).sum()), 1e-300)
    return Spread(variance, max(1.0, min(degrees, by_sizes))), "influence" if alike else "linearised"


def _bounded(table: ClassScoreTable, weights: Array, totals: Array, name: str) -> tuple[Spread, str]:
    k = totals.size
    deviations, pairs, squares = np.zeros(k), np.zeros((k, k)), np.zeros(k)
    for i, run in enumerate(table.runs):
        if not totals[i]:
            continue
        centred, pairs[i] = pair_influence(run.scores, run.true, run.weight, i, weights[i], totals)
        each = run.weight if run.squares is None else run.squares
        deviations += np.sqrt(np.bincount(run.true, each * centred**2, k))
        squares = np.bincount(run.true, each, k).astype(np.float64)
    cases = ratio(totals**2, squares)
    within = np.where(totals > 0, deviations**2 * ratio(cases, cases - 1), 0.0)  # NaN for a class of one case
    variance = float(within.sum() + (squares * by_size(name, pairs, totals) ** 2).sum())
    units = equal_cases(totals.sum(), squares.sum())
    how = "influence" if table.runs[0].squares is None else "linearised"
    return Spread(variance * units / (units - 1), units - 1), f"{how}, bounded over classes"


def _clustered(rows: CodedRows, weights: Array, totals: Array, name: str) -> tuple[Spread, str]:
    assert rows.score is not None
    k, true = totals.size, rows.true.astype(np.int64)
    weight = np.ones(true.size) if rows.weight is None else rows.weight
    influence, pairs = np.zeros(true.size), np.zeros((k, k))
    for i in np.flatnonzero(totals).tolist():
        order = np.argsort(-rows.score[:, i], kind="stable")
        centred, pairs[i] = pair_influence(
            rows.score[order, i], true[order], weight[order], i, weights[i], totals
        )
        influence[order] += centred
    return _of_rows(rows, influence + by_size(name, pairs, totals)[true]), "clusters"


def _of_rows(rows: CodedRows, influence: Array) -> Spread:
    clusters = len(rows.clusters)
    return Spread(float((rows.sums(influence) ** 2).sum()) * clusters / (clusters - 1), clusters - 1)


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
    for units in _units(table, rows):
        cuts, bins = parted(units.table, bins_of(measure))
        covariance = bins.share[:, None] * gap_covariance(units.table, units, cuts, bins) * bins.share
        mean, variance = noise_norm(covariance)
        above += mean + z * sqrt(variance)
        below += expected_error_noise(units.table, bins, cuts, units, level)[1]
        wider = units.quantile(level) / z
        how = units.how
    k = len(table.labels)
    low, high = max(0.0, value - wider * above / k), min(1.0, value + wider * below / k)
    words = "triangle inequality, bounded over classes"
    return low, high, words if how == "influence" else f"{how}, {words}"


def _units(table: ClassScoreTable, rows: CodedRows | None) -> Iterator[Units]:
    for code, label in enumerate(table.labels):
        own = table.one_vs_rest(label)
        yield Units(own) if rows is None else Units.of_clusters(own, rows, code)


# -- sums over cases -------------------------------------------------------------------------------


def case_parts(measure: Measure, table: CaseTable, value: float) -> tuple[float, Array]:
    """Influence of a case of each class, times all cases: a · its loss + b of its true class."""
    share = table.true / table.true.sum()
    if not measure.name.endswith("skill"):
        return 1.0, np.full(share.size, -value)
    if measure.name.startswith("log"):
        base = float(entropy(share))
        own = -np.log(np.where(share > 0, share, 1))
    else:
        base = float(1 - share @ share)
        own = 2 * (1 - share) - base
    return -1 / base, (1 - value) * own / base


@interval("influence", of=SKILLS, tables=CASES, drawn=ANYHOW, references=("binder1983",))
@interval("t", of=MEANS, tables=CASES, drawn=UNLIKE, references=("binder1983",))
def mean_of_cases(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """Mean losses and skills: by the sums of the losses, of their squares, and of those of each true class."""
    if not isfinite(value):
        return why_infinite(table)
    skill = measure.name.endswith("skill")
    if skill and value == 1:
        return AT_END
    a, b = case_parts(measure, table, value)
    total, squares = float(table.true.sum()), table.squares or table.sums
    name = "brier" if "brier" in measure.name else "log_loss"
    if rows is None:
        by_class = np.array([each.value for each in getattr(squares, f"{name}_by_class")])
        variance = a * a * getattr(squares, f"{name}_squares").value + 2 * a * float(b @ by_class)
        variance += float(b * b @ squares.true)
        units = equal_cases(total, squares.true.sum())
        spread = Spread(max(0.0, variance) / total**2 * units / (units - 1), units - 1) if units > 1 else None
        how = "influence" if table.squares is None else "linearised"
    else:
        loss = getattr(CaseValues.of(np.asarray(rows.score), rows.true), name)
        spread, how = _of_rows(rows, (a * loss + b[rows.true]) / total), "clusters"
    if spread is None:
        return "one case shows no spread"
    if not skill and (value in measure.bounds or not spread.variance > 1e-18 * value * value):
        return "all cases have the same loss, which shows no spread"
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{how}, {'' if skill else 't, '}{scale.name}"


@interval("Wilson, effective cases", of=TOP, tables=CASES, drawn=UNLIKE, references=("rao1992",))
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
        variance = _of_rows(rows, (inside - value) / total).variance
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
        units = Units(table.top, rows, lambda values: np.where(right, values[0][at], values[1][at]))
    return expected_error(measure, table.top, value, units, level, equal_mass=False)


refuse_bootstrap(("classwise_calibration_error", "top_label_calibration_error"))
