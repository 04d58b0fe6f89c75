"""The pictures of a plan: its strata, and the half-widths to expect over the number of labels."""

from __future__ import annotations

import numpy as np

from classay.curves.curve import Curve
from classay.label.planning import LabelPlan
from classay.measures import get

POINTS = 25
STRATA, HALVES = "label_strata", "label_half_widths"


def strata_curves(plan: LabelPlan) -> tuple[Curve, ...]:
    """Return the share of the labels in each stratum as bars, and its share of the cases as points."""
    sizes, labels, _ = plan.arrays
    names = tuple(stratum.range for stratum in plan.strata)
    places = np.arange(1.0, sizes.size + 1)
    about = ("Strata", "stratum by score", "share")

    def curve(values: np.ndarray, kind: str, series: str, shift: float, width: float) -> Curve:
        return Curve(
            STRATA, about[0], places - shift, values / values.sum(), about[1], about[2],
            kind=kind, width=width, series=series, x_names=names,  # type: ignore[arg-type]
        )  # fmt: skip

    return (
        curve(labels, "bars", "labels", 0.4, 0.8),
        curve(sizes, "line", "cases", 0.0, 0.0),
    )


def half_width_curves(plan: LabelPlan) -> tuple[Curve, ...]:
    """Return the expected half-width of each measure over the number of labels, simple random samples dashed."""
    budget = int(plan.arrays[1].sum())
    first = max(5 * len(plan.strata), budget // 4)
    last = min(plan.n_cases, 4 * budget)
    budgets = sorted({round(number) for number in np.geomspace(min(first, last), last, POINTS)})
    planned, random = plan.half_widths_of(budgets)
    x = np.array(budgets, float)
    lines = []
    for kind, halves, word in (("line", planned, ""), ("reference", random, ", simple random sample")):
        for name, values in halves.items():
            lines.append(
                Curve(
                    HALVES,
                    "Expected half-width",
                    x,
                    values,
                    "labels",
                    "expected half-width",
                    kind=kind,  # type: ignore[arg-type]
                    series=get(name).title.split(" (")[0].lower().replace("f1", "F1") + word,
                )
            )
    return tuple(lines)
