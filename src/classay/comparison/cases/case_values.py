"""What each case says of each model: a hit, a loss, or the cost of its label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.label_measures import proportion_of
from classay.comparison.cases.panel import PairedPredictions
from classay.comparison.cases.score_measures import compare_losses
from classay.comparison.comparison import Comparison
from classay.comparison.named_tests import ComparedInput
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.measures import MEASURES, Measure

Array = NDArray[Any]
VALUES_OF_CASES = ComparedInput[Array, Comparison]("values of the cases")
"""What some tests are of: a measure that is the mean of one value a case."""
_INSTEAD = {
    "weights": "remove weight if the cases are not a weighted sample",
    "clusters": "use one row per cluster, in the order in which the clusters arrived",
}


def means_over_cases(panel: PairedPredictions) -> list[str]:
    """Return the names of the measures that are the mean of one value a case of a panel."""
    return [
        measure.name
        for measure in MEASURES.values()
        if _has_losses(panel, measure) or proportion_of(measure, panel.labels, panel) is not None
    ]


def _has_losses(panel: PairedPredictions, measure: Measure) -> bool:
    of_other_classes = "scores" if not panel.is_binary else "cases"
    return measure.losses is not None and measure.needs != of_other_classes


@dataclass(frozen=True, eq=False)
class RowValues:
    """For each model the values of its rows, in order; the measure is their weighted mean.

    `weight` is the sampling weight of each row, 1 without; `unit` says which rows belong to one cluster, from 0 without
    gaps, and is None where each row was drawn by itself: rows with a frequency are then repeated.
    """

    values: dict[str, Array]
    weight: Array
    unit: Array | None


def row_values(panel: PairedPredictions, measure: Measure) -> RowValues | str:
    """Return the values of the rows for each model that has the measure, or why there are none."""
    values_or_reason = proportion_values(panel, measure) or _losses(panel, measure)
    if isinstance(values_or_reason, str):
        return values_or_reason
    values, rows = values_or_reason
    if len(values) < 2:
        return f"fewer than two models have what {measure.name} needs"
    if not rows.any():
        return measure.undefined[0].text
    rows = np.flatnonzero(rows)
    if panel.frequency is not None and panel.cluster is None:
        rows = np.repeat(rows, panel.frequency[rows].astype(np.int64))
    weight = panel.weight if panel.cluster is None or panel.frequency is None else panel.frequency
    return RowValues(
        {name: column[rows] for name, column in values.items()},
        np.ones(rows.size) if weight is None else np.asarray(weight[rows], np.float64),
        None if panel.cluster is None else np.unique(panel.cluster[rows], return_inverse=True)[1],
    )


def case_values(panel: PairedPredictions, measure: Measure) -> dict[str, Array] | str:
    """Return the values of the cases, one by one in the order of the rows, or why there are none.

    Raises InputError for sampling weights and clusters. An e-process grows with each case by itself, whose value lies
    in a range known beforehand: a weight has no known range, and rows of one cluster are one case.
    """
    for what, column in (("weights", panel.weight), ("clusters", panel.cluster)):
        if column is not None:
            raise InputError(
                "The sequential test needs independent, equally weighted cases in the order of their arrival, "
                f"but {what} are set. Remove the method to use a test for {what}, or {_INSTEAD[what]}."
            )
    values = row_values(panel, measure)
    return values if isinstance(values, str) else values.values


def proportion_values(panel: PairedPredictions, measure: Measure) -> tuple[dict[str, Array], Array] | None:
    """Check whether each case is a hit of each model, 1 or 0, and the rows that count; None for other measures."""
    proportion = proportion_of(measure, panel.labels, panel)
    if proportion is None:
        return None
    values = {
        name: proportion.hit[codes, panel.truth].astype(float) for name, codes in panel.predicted.items()
    }
    return values, proportion.inside[panel.truth]


def _losses(panel: PairedPredictions, measure: Measure) -> tuple[dict[str, Array], Array] | str:
    """Return the losses of each model; all rows count."""
    if measure.losses is None or not _has_losses(panel, measure):
        return f"it needs a measure that is a mean over the cases: {', '.join(means_over_cases(panel))}"
    source = panel.class_scores if not panel.is_binary else panel.scores
    true = panel.truth if not panel.is_binary else panel.is_positive
    values = {}
    for name, scores in source.items():
        losses = None if name in panel.raw else measure.losses(scores, true)
        if losses is None:
            return panel.why_improper(name)
        if not np.isfinite(losses).all():
            return f"that of {name} is infinite: a true class has probability 0 in some case"
        if unbounded := panel.why_unbounded(measure, name):
            return unbounded
        values[name] = losses
    return values, np.ones(panel.truth.size, bool)


MEASURE = "cost_of_decisions"


def compare_costs(
    panel: PairedPredictions, costs: Costs, pairs: Sequence[tuple[str, str]], level: float
) -> list[Comparison]:
    """Return the difference of the mean costs of pairs of models by the paired t, less being better.

    Weights and clusters as for every mean loss. The method names an error whose cost nobody named. Raises InputError
    for amounts that the rows do not carry.
    """
    of_case = {
        name: case_costs(panel, costs, name)
        for name in dict.fromkeys(name for pair in pairs for name in pair)
    }
    shared: dict[str, Any] = {"measure": MEASURE, "design": panel.design, "level": level}
    supposed = f"; {costs.unnamed}" if costs.unnamed else ""
    tests = (compare_losses(of_case[a], of_case[b], (a, b), **shared) for a, b in pairs)
    return [test.changed(better=-1, method=f"{test.method}{supposed}") for test in tests]


def case_costs(panel: PairedPredictions, costs: Costs, model: str) -> Array:
    """Return what the label of each case costs, `(cases,)`."""
    labels = panel.labels
    if panel.is_binary:
        labels = tuple(sorted(labels, key=lambda label: label == panel.positive))
    place = np.array([labels.index(label) for label in panel.labels])
    coefficients = costs.array(labels, panel.amount_names)[place[panel.predicted[model]], place[panel.truth]]
    per_case = coefficients[:, 0]
    if panel.amounts is not None:
        per_case = per_case + (coefficients[:, 1:] * panel.amounts).sum(1)
    return np.asarray(per_case)
