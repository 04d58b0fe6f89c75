"""Values of the cases: what each case says of each model, right or wrong, or its loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.mean_losses import LOSSES
from classay.comparison.cases.panel.panel import Panel
from classay.comparison.comparison import Comparison
from classay.comparison.registry import Of
from classay.errors import InputError
from classay.measures import Measure

Array = NDArray[Any]
VALUES_OF_CASES = Of[Array, Comparison]("values of the cases")
"""What some tests are of: a measure that is the mean of one value a case."""
WITHIN = {"accuracy": None, "recall": True, "specificity": False}
"""Measures that are the share of right answers: of all cases, of the positives, of the negatives."""


_INSTEAD = {
    "weights": "leave weight out where the cases are no weighted sample",
    "clusters": "pass one row of each cluster, in the order in which the clusters came",
}


@dataclass(frozen=True, eq=False)
class RowValues:
    """For each model the values of the rows that count, whose weighted mean a measure is, in the order of the rows.

    `weight` is the sampling weight of each row, 1 without; `unit` says which rows belong to one cluster, from 0 without
    gaps, and is None where each row was drawn by itself: rows with a frequency are then repeated.
    """

    values: dict[str, Array]
    weight: Array
    unit: Array | None


def row_values(panel: Panel, measure: Measure) -> RowValues | str:
    """The values of the rows for each model that has the measure, or why there are none."""
    found = _right(panel, measure) if measure.name in WITHIN else _losses(panel, measure)
    if isinstance(found, str):
        return found
    values, rows = found
    if len(values) < 2:
        return f"fewer than two models have what {measure.name} needs"
    rows = np.flatnonzero(rows)
    if panel.frequency is not None and panel.cluster is None:
        rows = np.repeat(rows, panel.frequency[rows].astype(np.int64))
    weight = panel.weight if panel.cluster is None or panel.frequency is None else panel.frequency
    return RowValues(
        {name: each[rows] for name, each in values.items()},
        np.ones(rows.size) if weight is None else np.asarray(weight[rows], np.float64),
        None if panel.cluster is None else np.unique(panel.cluster[rows], return_inverse=True)[1],
    )


def case_values(panel: Panel, measure: Measure) -> dict[str, Array] | str:
    """The values of the cases, one by one in the order of the rows, or why there are none.

    Raises InputError for sampling weights and clusters. An e-process grows with each case by itself, whose value lies
    in a range known beforehand: a weight has no known range, and rows of one cluster are one case.
    """
    for what, given in (("weights", panel.weight), ("clusters", panel.cluster)):
        if given is not None:
            raise InputError(
                f"the sequential test takes independent cases that count alike, one after the other, and {what} are "
                f"given: leave method out for a test that takes {what}, or {_INSTEAD[what]}."
            )
    found = row_values(panel, measure)
    return found if isinstance(found, str) else found.values


def _right(panel: Panel, measure: Measure) -> tuple[dict[str, Array], Array] | str:
    """Whether each model is right, 1 or 0, and the rows that count."""
    values = {name: np.equal(each, panel.truth).astype(float) for name, each in panel.predicted.items()}
    inside = WITHIN[measure.name]
    if inside is None:
        return values, np.ones(panel.truth.size, bool)
    if panel.positive is None:
        return f"{measure.name} is of two classes"
    return values, panel.is_positive == inside


def _losses(panel: Panel, measure: Measure) -> tuple[dict[str, Array], Array] | str:
    """The losses of each model; all rows count."""
    of_other_classes = "brier_score" if panel.positive is None else "multiclass_brier_score"
    if measure.name not in LOSSES or measure.name == of_other_classes:
        known = ", ".join([*WITHIN, *LOSSES])
        return f"it needs a measure that is a mean over the cases: {known}"
    source = panel.class_scores if panel.positive is None else panel.scores
    true = panel.truth if panel.positive is None else panel.is_positive
    values = {}
    for name, scores in source.items():
        each = LOSSES[measure.name](scores, true)
        if each is None:
            return f"the scores of {name} are no probabilities"
        if not np.isfinite(each).all():
            return f"that of {name} is infinite: some case's true class got probability 0"
        values[name] = each
    return values, np.ones(panel.truth.size, bool)
