"""Ordered classes: how many steps predictions are off, and the cuts between classes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from classay.inference.estimate import Estimate
from classay.measures import get

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


OF_CUTS = ("roc_auc", "recall", "precision", "brier_score")
"""What is shown of the cases from a class on."""


def is_in_order(a: Assessment) -> bool:
    """Check whether three classes or more have an order that somebody gave, and every case a place in it.

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
    """Return the cases by how far off they are, from 0 to the farthest that any is."""
    assert a.confusion_matrix is not None
    predicted, true, cases = a.confusion_matrix.occupied
    k = len(a.labels)
    of_steps = np.bincount(predicted - true + k - 1, cases, 2 * k - 1)
    far, total, within = int(np.abs(predicted - true).max(initial=0)), float(cases.sum()), 0.0
    rows = []
    for d in range(far + 1):
        below, above = float(of_steps[k - 1 - d]), float(of_steps[k - 1 + d]) if d else 0.0
        within += below + above
        rows.append(StepsOff(d, below, above, (below + above) / total, within / total))
    return tuple(rows)


@dataclass(frozen=True)
class ClassCut:
    """A class and all above it against those below: how many cases (or weight) are there, and the measures."""

    label: Hashable
    cases: float
    measures: dict[str, Estimate]


def cuts(a: Assessment) -> tuple[ClassCut, ...]:
    """Return the cuts below each class but the lowest."""
    class_cuts = []
    for label in a.labels[1:]:
        there = a.at_least(label)
        names = [name for name in OF_CUTS if there.task.gives(get(name))]
        class_cuts.append(ClassCut(label, float(there.class_totals[1]), there.estimates(names)))
    return tuple(class_cuts)
