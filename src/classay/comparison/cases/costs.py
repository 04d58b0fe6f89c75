"""Expected costs compared: what each model's decision costs, case by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.mean_losses import compare_losses
from classay.comparison.cases.panel.panel import Panel
from classay.comparison.comparison import Comparison
from classay.decision.costs import Costs

Array = NDArray[Any]
MEASURE = "cost_of_decisions"


def compare_costs(
    panel: Panel, costs: Costs, pairs: Sequence[tuple[str, str]], level: float
) -> list[Comparison]:
    """The difference of the mean costs of pairs of models by the paired t, less being better.

    Weights and clusters as for every mean loss. The method names an error whose cost nobody named. Raises InputError
    for amounts that the rows do not carry.
    """
    of_case = {
        name: case_costs(panel, costs, name)
        for name in dict.fromkeys(each for pair in pairs for each in pair)
    }
    shared: dict[str, Any] = {
        "frequency": panel.frequency,
        "weight": panel.weight,
        "cluster": panel.cluster,
        "level": level,
    }
    supposed = f"; {costs.unnamed}" if costs.unnamed else ""
    made = (compare_losses(of_case[a], of_case[b], (a, b), measure=MEASURE, **shared) for a, b in pairs)
    return [replace(each, better=-1, method=f"{each.method}{supposed}") for each in made]


def case_costs(panel: Panel, costs: Costs, model: str) -> Array:
    """What the label of each case costs, `(cases,)`."""
    labels = panel.labels
    if panel.positive is not None:
        labels = tuple(sorted(labels, key=lambda label: label == panel.positive))
    place = np.array([labels.index(label) for label in panel.labels])
    coefficients = costs.array(labels, panel.amount_names)[place[panel.predicted[model]], place[panel.truth]]
    found = coefficients[:, 0]
    if panel.amounts is not None:
        found = found + (coefficients[:, 1:] * panel.amounts).sum(1)
    return np.asarray(found)
