"""Calibration of several classes: class by class, and of the class that scores highest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import COMPILE_FROM, kernel
from classay.measures.calibration.binned import expected_calibration_error, weighted_gap
from classay.measures.calibration.bins import BINS, Bins, Closed, equal_width_bins, parted
from classay.measures.conditions import NOT_PROBABILITIES, Condition
from classay.measures.registry import measure, ratio
from classay.once import once
from classay.tables import CaseTable, ClassScoreTable
from classay.threads import core_count, workers

Array = NDArray[Any]


@once
def _are_probabilities(class_scores: ClassScoreTable) -> bool:
    if class_scores.rows is not None:
        scores = class_scores.rows.scores
        return bool(scores.min(initial=0) >= 0 and scores.max(initial=1) <= 1)
    runs = [run.scores for run in class_scores.sorted_scores().runs if run.scores.size]
    return not any(each[0] > 1 or each[-1] < 0 for each in runs)


NOT_CLASS_PROBABILITIES = Condition(
    "the scores are no probabilities",
    "the scores are no probabilities",
    lambda class_scores: not _are_probabilities(class_scores),
)


@measure(
    f"Class-wise expected calibration error ({BINS} equal-width bins)",
    formula="mean over classes of the expected calibration error of the class against the rest",
    bounds=(0, 1),
    best=0,
    reference="nixon2019",
    undefined=(NOT_CLASS_PROBABILITIES,),
    aliases=("classwise_ece", "static_calibration_error"),
)
def classwise_calibration_error(
    class_scores: ClassScoreTable, bins: int = BINS, closed: Closed = "right"
) -> Any:
    """Mean over the classes of the gap between their probability and their share, in bins of the former.

    >>> from classay.tables import ClassScoreTable
    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> table = ClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"))
    >>> print(classwise_calibration_error(table, bins=2).round(4))
    0.1667
    """
    if NOT_CLASS_PROBABILITIES.met(class_scores):
        return np.float64("nan")
    if bins == BINS and closed == "right":
        found = standard_class_bins(class_scores)
    else:
        tables = map(class_scores.one_vs_rest, class_scores.labels)
        found = [equal_width_bins(table, bins, closed) for table in tables]
    return np.mean([weighted_gap(own) for own in found])


@once
def standard_class_bins(class_scores: ClassScoreTable) -> list[Bins]:
    """The standard bins of each class against the rest, 15 of equal width."""
    k, rows = len(class_scores.labels), class_scores.rows
    if rows is None:
        return [parted(class_scores.one_vs_rest(label), BINS)[1] for label in class_scores.labels]
    inner = np.arange(1, BINS) / BINS
    edges = np.concatenate([[-np.inf], inner, [np.inf]]).astype(rows.scores.dtype)
    add = bin_sums.for_rows(rows.scores.size)
    with workers(core_count() if rows.scores.size >= COMPILE_FROM else 1) as run:
        sums = run(
            lambda own: add(rows.scores[own], rows.weight, *rows.starts[own : own + 2], edges), range(k)
        )
    if not rows.is_weighted:
        return [Bins(weight, positives, expected, weight) for weight, positives, expected, _ in sums]
    return [
        Bins(
            weight, positives, expected, np.asarray(ratio(weight * weight, np.where(weight == 0, 1, squares)))
        )
        for weight, positives, expected, squares in sums
    ]


def _bin_sums(scores: Array, weight: Any, start: int, end: int, edges: Array) -> Array:
    at = np.searchsorted(edges[1:-1], scores)
    each = np.ones(scores.size) if weight is None else weight.astype(np.float64)
    is_own = (np.arange(scores.size) >= start) & (np.arange(scores.size) < end)
    parts = (each, each * is_own, each * scores.astype(np.float64), each * each)
    return np.stack([np.bincount(at, part, edges.size - 1) for part in parts])


@kernel(
    twin=_bin_sums,
    assumes="scores are in [0, 1], and edges rise in equal steps from 0 to 1, the ends infinite",
)
def bin_sums(scores: Array, weight: Any, start: int, end: int, edges: Array) -> Array:
    """Weight, positives, sum of scores and squared weights of cases in bins, `(4, bins)`.

    A bin holds what is greater than its lower edge, up to its upper one; the cases from `start` to before `end` are
    positive.
    """
    bins = edges.shape[0] - 1
    sums, part = np.zeros((4, bins)), np.zeros((4, bins))
    for first in range(0, scores.shape[0], 1024):  # short partial sums keep the rounding error small
        part[:] = 0.0
        for i in range(first, min(first + 1024, scores.shape[0])):
            score = scores[i]
            at = min(np.int64(np.float64(score) * bins), bins - 1)
            at += np.int64(score > edges[at + 1]) - np.int64(score <= edges[at])
            each = 1.0 if weight is None else np.float64(weight[i])
            part[0, at] += each
            part[2, at] += each * np.float64(score)
            if weight is not None:
                part[3, at] += each * each
            if start <= i < end:
                part[1, at] += each
        sums += part
    if weight is None:
        sums[3] = sums[0]
    return sums


@measure(
    f"Top-label expected calibration error ({BINS} equal-width bins)",
    formula="sum over bins of n_b / n · |share right - mean highest score|",
    bounds=(0, 1),
    best=0,
    reference="guo2017",
    undefined=(NOT_PROBABILITIES,),
    aliases=("top_label_ece", "confidence_calibration_error"),
)
def top_label_calibration_error(cases: CaseTable, bins: int = BINS, closed: Closed = "right") -> Any:
    """Mean gap between the highest score of a case and how often its class is right, in bins of the former.

    The "ECE" of most papers on several classes. `cases.top` is the table behind it: every measure and curve of two
    classes takes it, `root_mean_squared_calibration_error(cases.top)` for one.

    >>> from classay.tables import CaseTable
    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    >>> cases = CaseTable.from_rows(rows, np.array([0, 1, 0]), ("a", "b", "c"))
    >>> print(top_label_calibration_error(cases, bins=2).round(4))
    0.2667
    """
    if not cases.are_probabilities:
        return np.float64("nan")
    return expected_calibration_error(cases.top, bins=bins, closed=closed)
