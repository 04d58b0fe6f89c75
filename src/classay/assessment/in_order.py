"""An assessment of classes whose order somebody gave: how far off its labels are, as numbers and in a sentence."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from classay.assessment.flow import hundredths, percent
from classay.inference.estimate import Estimate, apart
from classay.measures import get
from classay.texts import quote

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

OF_CUTS = ("roc_auc", "recall", "precision", "brier_score")
"""What is shown of the cases from a class on."""


def is_in_order(a: Assessment) -> bool:
    """Whether three classes or more have an order that somebody gave, and every case a place in it.

    Whole numbers have an order too, but are mostly names of classes: their ordinal measures are found when asked for.
    """
    return a.task.is_in_order


@dataclass(frozen=True)
class StepsOff:
    """How many cases (or weight) are so many steps below their true class, and above it.

    `share` is that of both among all cases, `within` that of all that are no farther off.
    """

    steps: int
    below: float
    above: float
    share: float
    within: float


def steps_off(a: Assessment) -> tuple[StepsOff, ...]:
    """The cases by how far off they are, from 0 to the farthest that any is."""
    assert a.confusion_matrix is not None
    predicted, true, cases = a.confusion_matrix.occupied
    k = len(a.labels)
    of_steps = np.bincount(predicted - true + k - 1, cases, 2 * k - 1)
    far, total, within = int(np.abs(predicted - true).max(initial=0)), float(cases.sum()), 0.0
    found = []
    for d in range(far + 1):
        below, above = float(of_steps[k - 1 - d]), float(of_steps[k - 1 + d]) if d else 0.0
        within += below + above
        found.append(StepsOff(d, below, above, (below + above) / total, within / total))
    return tuple(found)


@dataclass(frozen=True)
class ClassCut:
    """A class and all above it against those below: how many cases (or weight) are there, and the measures."""

    label: Hashable
    cases: float
    measures: dict[str, Estimate]


def cuts(a: Assessment) -> tuple[ClassCut, ...]:
    """The cuts below each class but the lowest."""
    found = []
    for label in a.labels[1:]:
        there = a.at_least(label)
        names = [each for each in OF_CUTS if there.task.gives(get(each))]
        found.append(ClassCut(label, float(there.class_totals[1]), there.estimates(names)))
    return tuple(found)


def sentence(a: Assessment) -> str:
    """How far off the labels are and in which direction; nothing where the classes have no given order."""
    if not is_in_order(a):
        return ""
    far, within, signed = (
        a[name] for name in ("mean_absolute_error", "accuracy_within(1)", "mean_signed_error")
    )
    if far.is_undefined:
        return ""
    lowest, highest = quote(a.labels[0]), quote(a.labels[-1])
    said = f"On the way from {lowest} to {highest} it is {_number(far)} steps off on average"
    if len(a.labels) > 2:
        said += f", and within one step in {percent(within)}{_percents(within)} of the cases"
    return f"{said}. {_direction(signed)}"


def _number(found: Estimate) -> str:
    value, low, high = apart(found.value, found.low, found.high)
    return f"{value} ({low} to {high})" if found.has_interval else value


def _percents(found: Estimate) -> str:
    _, low, high = hundredths(found.value, found.low, found.high)
    return f" ({low} to {high})" if found.has_interval else ""


def _direction(signed: Estimate) -> str:
    """Whether it grades too high or too low, as far as the cases show it."""
    if not signed.has_interval or signed.low <= 0 <= signed.high:
        return "It is not shown to grade too high or too low."
    return f"It grades too {'high' if signed.value > 0 else 'low'}: {_number(signed)} steps on average."
