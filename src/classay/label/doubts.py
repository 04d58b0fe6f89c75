"""Shares of positives that a plan may meet: if its scores are not calibrated, and after the first labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.proportions import clopper_pearson, score_interval
from classay.label.differences import PlannedPair
from classay.label.expected import Planned
from classay.label.strata import DISTRUST, shift_to

Array = NDArray[Any]
TIMES_UNKNOWN, TIMES_KNOWN = (1 / 30, 1 / 5, 1.0), (1 / 3, 1.0)
"""Prevalences that scores may hide, as multiples of the planned one; the second if somebody named it."""
PRECISIONS, RECALLS = (0.5, 0.8), (0.5, 0.9)
"""How much more than its scores claim a model may know. With these prevalences, at least 80% of the half-widths that
simulated pools gave were covered in 94% of their plans (tests/label/test_label_doubts.py)."""
LEAST = 1e-9
STANDARD_ERRORS = 1.0
"""By how much shares of labeled strata may be off."""


@dataclass(frozen=True, eq=False)
class FirstLabels:
    """What earlier draws showed: labels and positives by stratum, and drawn cases that lack a label."""

    labels: Array
    positives: Array
    lacking: Array

    def anchored(self, shares: Array, sizes: Array) -> Array:
        """Return planned shares that follow the labels, each as if one label more had the planned share.

        The planned share counts after it was moved to the prevalence of the labels, so no stratum has a share of 0.

        >>> first = FirstLabels(np.array([50, 50]), np.array([0, 10]), np.zeros(2))
        >>> print(first.anchored(np.array([0.1, 0.5]), np.array([900.0, 100])).round(4))
        [0.0002 0.198 ]
        """
        at = self.positives / np.maximum(self.labels, 1)
        known = self.labels > 0
        prevalence = (sizes * at)[known].sum() / sizes[known].sum()
        moved = at_prevalence(shares, sizes, float(prevalence))
        return np.asarray((self.positives + moved) / (self.labels + 1))

    def ways(self, shares: Array, is_called: Array) -> Array:
        """Return shares a standard error off, up or down, those of predicted positive strata apart from others."""
        labels = np.maximum(self.labels, 1)
        low, high = score_interval(self.positives, labels, STANDARD_ERRORS)
        ends = [np.clip(part, LEAST, 1 - LEAST) for part in (low, shares, high)]
        return np.array([np.where(is_called, above, below) for above in ends for below in ends])


def at_prevalence(shares: Array, sizes: Array, prevalence: float) -> Array:
    """Return shares whose logits were moved so that their mean is a prevalence."""
    from scipy.special import expit, logit

    shares = np.clip(shares, LEAST, 1 - LEAST)
    return np.asarray(
        expit(logit(shares) + shift_to(shares, sizes, float(np.clip(prevalence, LEAST, 1 - LEAST))))
    )


def misjudged(shares: Array, sizes: Array, is_called: Array, *, is_known: bool) -> Array:
    """Return planned shares as they may be if the scores are not calibrated, `(ways, strata)`, the planned ones first.

    The prevalence is a smaller one. Beside scores with another prevalence, there are scores that claim too little:
    positives are among predicted positive cases up to a precision and a recall, and evenly among others.

    >>> ways = misjudged(np.array([0.1, 0.5]), np.array([900.0, 100]), np.array([False, True]), is_known=True)
    >>> print((ways @ np.array([0.9, 0.1])).round(3), ways[-1].round(3))
    [0.14  0.047 0.047 0.047 0.047 0.047 0.14  0.14  0.14  0.14  0.14 ] [0.067 0.8  ]
    """
    cases, called = sizes.sum(), sizes[is_called].sum()
    prevalence = float((sizes * shares).sum() / cases)
    ways = [shares]
    for times in TIMES_KNOWN if is_known else TIMES_UNKNOWN:
        ways.append(at_prevalence(shares, sizes, times * prevalence))
        positives = times * prevalence * cases
        for precision, recall in product(PRECISIONS, RECALLS):
            true = min(precision * called, recall * positives)
            others = min((positives - true) / (cases - called), 1.0)
            ways.append(np.clip(np.where(is_called, true / called, others), LEAST, 1 - LEAST))
    return np.array(ways)


def greatest(
    design: Planned | PlannedPair, ways: Array, labels: Array, measures: tuple[str, ...], level: float
) -> dict[str, float]:
    """Return the greatest half-width of each measure among the ways that shares may be."""
    halves = replace(design, shares=ways).half_widths(np.broadcast_to(labels, ways.shape), measures, level)
    return {name: float(np.nanmax(half)) for name, half in halves.items()}


def contradicted(planned: Array, sizes: Array, labels: Array, positives: Array, level: float) -> Array:
    """Return which strata have another share than a plan expects, by exact limits that all strata share (Bonferroni).

    A plan expects the score, moved to its prevalence, or what it makes of this score because scores err.

    >>> planned, sizes = np.array([0.1, 0.5]), np.array([900.0, 100])
    >>> print(contradicted(planned, sizes, np.array([20, 50]), np.array([0, 9]), 0.95))
    [False  True]
    """
    prevalence = float((sizes * planned).sum() / sizes.sum())
    score = (planned - DISTRUST * prevalence) / (1 - DISTRUST)
    least, most = np.minimum(planned, score), np.maximum(planned, score)
    low, high = clopper_pearson(positives, np.maximum(labels, 1), 1 - (1 - level) / planned.size)
    return np.asarray((labels > 0) & ((high < least) | (low > most)))
