"""Intervals of measures of several classes that are sums over cases, each through all its scores."""

from __future__ import annotations

import numpy as np

from classay.inference.estimate import Found
from classay.inference.registry import ANYHOW, CLASS_SCORES, interval
from classay.inference.sampling_units import Array, Spread
from classay.inference.scales import scale_of
from classay.inference.scores.influence import average_precision
from classay.measures import Measure
from classay.measures import average_precision as average_precision_of
from classay.measures.on_request.classes import ranked_losses
from classay.tables import ClassScoreTable
from classay.tables.rows import CodedRows
from classay.tables.running import equal_cases


def ranked(table: ClassScoreTable, value: float, scores: Array, true: Array) -> Array:
    """Influence of each case on the mean ranked loss, times all cases, `(cases,)`."""
    return np.asarray(ranked_losses(scores, true) - value)


def precision(table: ClassScoreTable, value: float, scores: Array, true: Array) -> Array:
    """Influence of each case on the mean of the classes' average precisions, times all cases, `(cases,)`."""
    found = np.zeros(true.size)
    for code, label in enumerate(table.labels):
        own = table.one_vs_rest(label)
        on_own, on_others = average_precision(own, float(average_precision_of(own)))
        at = np.searchsorted(-own.scores, -scores[:, code])
        found += np.where(true == code, on_own[at], on_others[at]) * float(own.n_positive + own.n_negative)
    return found / len(table.labels)


INFLUENCES = {"ranked_probability_score": ranked, "macro_average_precision": precision}


@interval("influence", of=tuple(INFLUENCES), tables=CLASS_SCORES, drawn=ANYHOW, references=("binder1983",))
def by_case(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """By the influence of each case, or of all rows of a cluster, on the scale of the range.

    Student's t with Satterthwaite's degrees of freedom (1946, Biometrics 2:110), from the fourth moments.
    """
    influence_of = INFLUENCES[measure.name]
    if rows is None:
        if table.rows is None:
            return "the file of an early version does not say which scores are of one case"
        true, weight = table.rows.true, table.rows.each.astype(np.float64)
        squares = weight * weight if table.is_weighted else weight
        each = influence_of(table, value, table.rows.scores.T, true) / weight.sum()
        units = float(equal_cases(weight.sum(), squares.sum()))
        # few cases of a rare class hold most of the variance: each class is as large as its own cases make it
        size = equal_cases(np.bincount(true, weight), np.bincount(true, squares))[true]
        if not (size > 1).all():
            return "a class of one case shows no spread"
        alone = squares * each**2 * size / (size - 1)
        sum_of_squares, how = float(alone.sum()), "linearised" if table.is_weighted else "influence"
        fourths = float((squares * (squares / weight) ** 2 * each**4).sum())
    else:
        total = float(rows.weight.sum()) if rows.weight is not None else float(rows.true.size)
        each = influence_of(table, value, np.asarray(rows.score), rows.true) / total
        sums = rows.sums(each)
        units, sum_of_squares, how = len(rows.clusters), float((sums**2).sum()), "clusters"
        fourths = float((sums**4).sum())
    if units < 2:
        return "one case shows no spread" if rows is None else "one cluster shows no spread"
    if value in measure.bounds or not sum_of_squares > 1e-18 * value * value:
        return "all cases are alike, which shows no spread"
    uneven = fourths - sum_of_squares**2 / units
    degrees = min(units - 1, 2 * sum_of_squares**2 / uneven - 1) if uneven > 0 else units - 1
    spread = Spread(sum_of_squares * (1 if rows is None else units / (units - 1)), max(1.0, degrees))
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{how}, t, {scale.name}"
