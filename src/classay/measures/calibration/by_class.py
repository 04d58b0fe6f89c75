"""Calibration of several classes: class by class, and of the class that scores highest."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.compiled import COMPILE_FROM
from classay.measures.calibration.binned import expected_calibration_error, weighted_gap
from classay.measures.calibration.bins import BINS, Bins, Closed, equal_width_bins, parted
from classay.measures.conditions import NOT_PROBABILITIES, Condition
from classay.measures.registry import measure
from classay.once import once
from classay.tables import CaseTable, ClassScoreTable
from classay.threads import core_count, workers

NOT_CLASS_PROBABILITIES = Condition(
    "the scores are no probabilities",
    "the scores are no probabilities",
    lambda class_scores: any(
        run.scores[0] > 1 or run.scores[-1] < 0 for run in class_scores.runs if run.scores.size
    ),
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
        found = [own for _, own in standard_class_bins(class_scores)]
    else:
        tables = map(class_scores.unmerged, range(len(class_scores.labels)))
        found = [equal_width_bins(table, bins, closed) for table in tables]
    return np.mean([weighted_gap(own) for own in found])


@once
def standard_class_bins(class_scores: ClassScoreTable) -> list[tuple[Any, Bins]]:
    """The standard bins of each class against the rest, and the places that part its entries into them."""
    rows = sum(run.scores.size for run in class_scores.runs)
    with workers(core_count() if rows >= COMPILE_FROM else 1) as run:
        return run(lambda own: parted(class_scores.unmerged(own), BINS), range(len(class_scores.labels)))


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
