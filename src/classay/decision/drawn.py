"""What a decision shows of all thresholds: its objective at each, and the counts that a page lets its reader move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.curves.operating import OperatingPoints
from classay.decision.cuts import Cuts
from classay.decision.rules import Rule
from classay.inference.words import spoken
from classay.tables import ScoreTable

Array = NDArray[Any]


def objective_of(rule: Rule) -> str:
    """What a rule makes least or greatest, in words; of a capacity alone the precision."""
    if rule.cost is not None:
        return "cost of a case"
    return "precision" if rule.measure is None else spoken(rule.measure.name)


def curves(rule: Rule, table: ScoreTable, cuts: Cuts) -> Iterator[Curve]:
    """The objective by threshold, where there is one."""
    values = _objectives(rule, cuts)
    if values is None:
        return
    name = objective_of(rule)
    x = table.scores[::-1].astype(np.float64)
    finite = np.isfinite(x)
    made = Curve(
        "objective",
        f"{name[0].upper()}{name[1:]} by threshold",
        x[finite],
        values[:0:-1][finite],
        "threshold",
        name,
        kind="steps_back",
        threshold=x[finite],
    )
    yield for_display(made)


def operating_points(rule: Rule, table: ScoreTable, cuts: Cuts, threshold: float) -> OperatingPoints:
    """The counts at every threshold, few enough for a page, each with the objective there."""
    points = OperatingPoints.of(table, threshold)
    values = _objectives(rule, cuts)
    if values is None:
        return points
    at = np.searchsorted(-table.scores.astype(np.float64), -points.threshold, side="right")
    return replace(points, objective=values[at])


def _objectives(rule: Rule, cuts: Cuts) -> Array | None:
    """The objective of every cut as people read it, `(m + 1,)`: a cost is less the better."""
    if rule.cost is None and rule.measure is None:
        return None
    return np.asarray(rule.values(cuts) * (-1 if rule.cost is not None or rule.sign < 0 else 1))
