"""Calibration of several classes: class by class, and of the class that scores highest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.measures.binning import BINS, Closed
from classay.measures.calibration import expected_calibration_error
from classay.measures.conditions import Condition
from classay.measures.registry import measure
from classay.tables import ScoreTable

Array = NDArray[Any]

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
def classwise_calibration_error(class_scores: Any, bins: int = BINS, closed: Closed = "right") -> Any:
    """Mean over the classes of the gap between their probability and their share, in bins of the former.

    >>> from classay.tables import ClassScoreTable
    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> table = ClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"))
    >>> print(classwise_calibration_error(table, bins=2).round(4))
    0.1667
    """
    if NOT_CLASS_PROBABILITIES.met(class_scores):
        return np.float64("nan")
    tables = (class_scores.one_vs_rest(label) for label in class_scores.labels)
    return np.mean([expected_calibration_error(table, bins=bins, closed=closed) for table in tables])


def top_label(
    scores: Array, true: Array, *, weight: Array | None = None, frequency: Array | None = None
) -> ScoreTable:
    """The highest score of each row (its confidence), with whether its class is the true one, as a table.

    Every measure of binary calibration then is one of the top label:
    `expected_calibration_error(top_label(...))` is the ECE of Guo, Pleiss, Sun & Weinberger 2017, ICML. It
    needs the rows: neither class scores kept by class nor case sums know which score was a row's highest.
    `scores` has shape `(rows, classes)`, `true` holds the codes of the true classes; equal scores in the
    order of the labels.

    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    >>> table = top_label(rows, np.array([0, 1, 0]))
    >>> table
    ScoreTable(3 distinct float64 scores, positive='right', 2 positive, 1 negative)
    >>> print(expected_calibration_error(table, bins=2).round(4))
    0.2667
    """
    right = scores.argmax(1) == true
    return ScoreTable.from_rows(scores.max(1), right, ("wrong", "right"), weight=weight, frequency=frequency)
