"""The picture of a plan of labels."""

from __future__ import annotations

from typing import Any

from classay.label.planning import LabelPlan
from classay.report.drawings import Drawing


def draw_plan(plan: LabelPlan, ax: Any, _: Drawing) -> Any:
    """Draw how many cases are drawn from every stratum, the lowest scores first."""
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(layout="constrained").subplots()
    drawn = [int((plan.stratum == place).sum()) for place in sorted({*plan.stratum.tolist()})]
    ax.barh(range(1, len(drawn) + 1), drawn)
    ax.set_ylabel("stratum")
    ax.set_xlabel("cases to label")
    return ax
