"""Many classes at a glance: a curve and a threshold for each class versus the rest."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from classay.assessment.charts import AREAS, SHORT
from classay.assessment.row_arguments import RuleArguments
from classay.curves.curve import Curve, entry
from classay.curves.display import for_display
from classay.decision.decision import Decision
from classay.errors import InputError
from classay.inference.estimate import number
from classay.kinds import refuse_unknown
from classay.measures import get
from classay.shown import Reportable, frame_of
from classay.texts import hint, quote
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

NEAR = 0.002
"""How far a line may be from the curve that it draws."""
MOST_GREY = 100
"""Further classes that are drawn."""
MOST_LINES = 12
"""Classes that have a line of their own in one picture."""


def _without_scores(a: Assessment, needing: str) -> str:
    """Return why there is something that needs scores of several classes which rank cases."""
    return f"{needing} need {RAW_NEED if a.raw_scores else 'the scores of several classes'}."


RAW_NEED = (
    "comparable class scores, but raw class scores can be compared only within a case. Use "
    f"{hint('score_scale=', '--score-scale')} to convert logits or counts to probabilities"
)


def class_curves(
    a: Assessment, name: Literal["roc", "precision_recall"] = "roc", most: int = MOST_LINES
) -> tuple[Curve, ...]:
    """Return the curve of each class against the rest, worst first; of more than `most` classes the others in grey.

    The area stands beside the name. Classes without cases, or with all of them, have no curve. Few enough points for a
    picture; the grey curves are one, with NaN between them, of at most 100 classes.
    """
    if name not in AREAS:
        raise InputError(f"Unknown curve {name!r}. Curves: {', '.join(AREAS)}.")
    if a.comparable_scores is None:
        raise InputError(_without_scores(a, "Curves of the classes"))
    measure, short = get(AREAS[name]), SHORT[name]
    tables = []
    for label in a.labels:
        table = a.comparable_scores.one_vs_rest(label)
        if entry(name).why_not(table) is None:
            tables.append((float(measure(table)), str(label), table))
    tables.sort(key=lambda row: row[0])
    title = f"{entry(name).title}, class against rest"
    drawn = [
        replace(
            for_display(entry(name).curves(table)[0], NEAR, few=200),
            series=f"{label}, {short} {number(area)}",
            title=title,
        )
        for area, label, table in tables[: most + MOST_GREY]
    ]
    if len(drawn) <= most:
        return tuple(drawn)
    gap, others = np.array([np.nan]), [_with_corners(curve) for curve in drawn[most:]]
    ends: dict[str, Any] = {
        side: np.concatenate([part for curve in others for part in (getattr(curve, side), gap)][:-1])
        for side in ("x", "y")
    }
    grey = replace(
        drawn[0], **ends, kind="reference", threshold=None, series=f"{len(drawn) - most} other classes"
    )
    return (*drawn[:most], grey)


def _with_corners(curve: Curve) -> Curve:
    """Steps as the line that they are, for a curve that is drawn by lines."""
    if curve.kind not in ("steps", "steps_back") or curve.x.size < 2:
        return curve
    x, y = np.repeat(curve.x, 2), np.repeat(curve.y, 2)
    x, y = (x[1:], y[:-1]) if curve.kind == "steps" else (x[:-1], y[1:])
    return replace(curve, x=x, y=y, threshold=None, kind="line")


@dataclass(frozen=True)
class ClassThresholds(Reportable):
    """The threshold that a rule chooses for each class against the rest, by its label; `without` says why one has none.

    Thresholds of several classes are chosen apart: a case may then be called several classes, or none.
    """

    decisions: Mapping[Hashable, Decision]
    without: Mapping[Hashable, str]
    model: str = ""
    warnings: tuple[Warned, ...] = ()

    def __getitem__(self, label: Hashable) -> Decision:
        return self.decisions[label]

    def frame(self) -> Any:
        """A row for each class, as a PyArrow table: label, threshold, its limits, and the value it is chosen by."""
        rows: list[dict[str, Any]] = []
        for label, decision in self.decisions.items():
            rows.append(
                {"label": str(label), "cases": decision.matrix.total.item()}
                | {part: getattr(decision.threshold, part) for part in ("value", "low", "high", "reason")}
            )
        return frame_of(rows)


def class_thresholds(a: Assessment, **rule: Unpack[RuleArguments]) -> ClassThresholds:
    """The decision of a rule for each class against the rest; the arguments are those of `Assessment.threshold`."""
    refuse_unknown("class_thresholds", rule, RuleArguments.__annotations__)
    if a.is_binary:
        raise InputError("Two classes share one threshold. Use threshold(…).")
    if a.comparable_scores is None:
        raise InputError(_without_scores(a, "Thresholds of the classes"))
    decisions, without = {}, {}
    for label in a.labels:
        try:
            decisions[label] = a.one_vs_rest(label).threshold(**rule)
        except InputError as error:
            without[label] = str(error)
    if not decisions:
        raise InputError(f"No class has a threshold. Class {quote(a.labels[0])}: {without[a.labels[0]]}")
    return ClassThresholds(decisions, without, a.model)
