"""Labels that others chose: only predicted positive cases have one. Recall is unknown, ratios of recalls are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from classay.columns.numbers import in_precision
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.proportions import normal_quantile, wilson
from classay.label.planning import Array, LabelPlan, Stratum
from classay.label.reading import pool_hash
from classay.label.rows import ReadLabels
from classay.label.strata import checked_scores
from classay.tables import PairedCounts

if TYPE_CHECKING:
    from classay.label.labeled import LabeledAssessment

FLAGGED = "flagged"
DEFAULT_THRESHOLD = 0.5
METHOD = "Bonett-Price, paired ratio"
SOURCE_OF_RATIO = "Bonett & Price 2006, Statistics in Medicine 25:3039"


def plan_of_flagged(read: ReadLabels, y_score: Any, threshold: float | None) -> LabelPlan:
    """Return the design of labels of predicted positive cases only: two strata, the lower one without labels.

    Raises InputError without scores, for another word, or where no predicted positive case has a label.
    """
    if y_score is None:
        raise InputError("Labels of predicted positive cases need the scores of all cases. Pass y_score.")
    scores = checked_scores(y_score)
    if scores.size != read.codes.size:
        raise InputError(
            f"score has {scores.size:,} values, but there are {read.codes.size:,} labels. Use columns of equal length."
        )
    used = DEFAULT_THRESHOLD if threshold is None else threshold
    is_called = scores >= in_precision(used, scores.dtype)
    if is_called.all() or not is_called.any():
        raise InputError(
            f"{'All' if is_called.all() else 'No'} scores reach the threshold {used:g}. Use another threshold."
        )
    rows = np.flatnonzero(is_called)
    if not read.has_label[rows].any():
        raise InputError("No predicted positive case has a label. Use a plan of labels instead.")
    edge = float(scores[rows].min())
    parts = tuple(
        Stratum(
            edge if is_above else None,
            None if is_above else edge,
            is_above,
            int((is_called == is_above).sum()),
            rows.size if is_above else 0,
            float(np.mean(scores[is_called == is_above], dtype=float)),
            None,
        )
        for is_above in (False, True)
    )
    return LabelPlan(
        rows,
        np.ones(rows.size, np.int64),
        scores[rows].astype(float),
        parts,
        float(used),
        ("precision",),
        0.95,
        0,
        pool_hash(scores),
        (rows.size,),
        {},
        {},
    )


def detected(first: LabeledAssessment, second: LabeledAssessment) -> PairedCounts:
    """Return how many positive cases both models predict positive, only the first, only the second.

    Raises InputError where the assessments differ, or a predicted positive case has no label.
    """
    if first.n_cases != second.n_cases or first.positive != second.positive or first.level != second.level:
        raise InputError(
            "The assessments differ in cases, positive class or level. Use the same cases and labels."
        )
    hits = []
    for a in (first, second):
        if not a.plan.is_of_flagged or a.not_labeled:
            raise InputError(
                "A ratio of recalls needs the labels of all predicted positive cases of both models. Label them, and "
                'assess both with design="flagged".'
            )
        rows = a.plan.rows[a.matched.at]
        hits.append((rows, rows[a.matched.truths]))
    _refuse_contradictions(hits[0], hits[1])
    both = np.intersect1d(hits[0][1], hits[1][1]).size
    return PairedCounts(both, hits[0][1].size - both, hits[1][1].size - both, 0)


def ratio_of_recalls(counts: PairedCounts, level: float) -> Estimate:
    """Return the ratio of both recalls, from positives that either model predicts positive."""
    both, only_first, only_second, _ = map(int, counts)
    if not both + only_second:
        return Estimate.undefined("the other model detects no positive case")
    low, high = paired_ratio(both, only_first, only_second, level)
    value = (both + only_first) / (both + only_second)
    return Estimate(value, min(low, value), max(high, value), level, METHOD)


def _refuse_contradictions(first: tuple[Array, Array], second: tuple[Array, Array]) -> None:
    shared = np.intersect1d(first[0], second[0])
    differ = np.isin(shared, first[1]) != np.isin(shared, second[1])
    if differ.any():
        raise InputError(
            f"Row {shared[differ][0]:,} has two different labels. Use the same labels for both models."
        )


def paired_ratio(both: int, only_first: int, only_second: int, level: float) -> tuple[float, float]:
    """Return the limits of a ratio of two proportions of the same cases (Bonett & Price 2006, Stat Med 25:3039).

    >>> low, high = paired_ratio(43, 8, 1, 0.95)
    >>> print(round(low, 3), round(high, 3))
    1.019 1.319
    """
    first, second, n = both + only_first, both + only_second, both + only_first + only_second
    spread = np.sqrt((only_first + only_second + 2) / ((first + 1) * (second + 1)))
    parts = [np.sqrt((1 - (x + 1) / (n + 2)) / (x + 1)) for x in (first, second)]
    z = normal_quantile(level) * spread / sum(parts)
    from scipy.special import ndtr

    inner = 2 * float(ndtr(z)) - 1
    (low, high), (low_second, high_second) = (wilson(x, n, inner) for x in (first, second))
    return float(low / high_second), float(high / low_second) if low_second > 0 else float("inf")
