"""How many labels a half-width needs, for `sample_size.for_labels`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from classay.errors import InputError
from classay.label.doubts import greatest, misjudged
from classay.label.expected import TARGETS, allotted
from classay.label.planning import LEAST_LABELS
from classay.label.strata import MANY, SMALL_BUDGET, Pool, Strata, checked_scores
from classay.texts import listed


@dataclass(frozen=True, eq=False)
class LabelsNeeded:
    """Strata of a small and of another budget, of a pool whose scores are calibrated or not."""

    few: Strata
    many: Strata
    measure: str
    level: float
    is_stratified: bool
    is_prevalence_known: bool

    @classmethod
    def of(
        cls,
        scores: Any,
        measure: str,
        threshold: float,
        prevalence: float | None,
        level: float,
        *,
        stratified: bool,
    ) -> LabelsNeeded:
        """Divide the pool. Raises InputError for scores that are no probabilities, or another measure."""
        if measure not in TARGETS:
            raise InputError(f"A plan cannot aim at {measure!r}. Measures: {listed([*TARGETS])}.")
        pool = Pool.of(checked_scores(scores), threshold, prevalence)
        if pool.planned is None:
            raise InputError(
                "Expected half-widths need scores from 0 to 1. Convert the scores to probabilities."
            )
        few, many = pool.strata(*MANY), pool.strata(2 * MANY[0], 2 * MANY[1])
        return cls(few, many, measure, level, stratified, prevalence is not None)

    @property
    def range(self) -> tuple[int, int]:
        """The least and the greatest number of labels."""
        return int(np.minimum(LEAST_LABELS, self.few.sizes).sum()), int(self.few.sizes.sum())

    def half(self, budget: int, *, is_calibrated: bool = True) -> float:
        """Return the half-width to expect, or that is seldom exceeded if scores are not calibrated.

        Raises InputError for a number of labels that is not possible.
        """
        low, high = self.range
        if not low <= budget <= high:
            raise InputError(f"The number of labels is {budget:,}. Use one from {low:,} to {high:,}.")
        strata = self.few if budget < SMALL_BUDGET else self.many
        planned = strata.planned
        assert planned is not None
        ways = planned.shares[None]
        if not is_calibrated:
            known = self.is_prevalence_known
            ways = misjudged(planned.shares, planned.sizes, planned.is_called, is_known=known)
        about = (self.measure,), self.level
        if not self.is_stratified:
            return max(replace(planned, shares=way).of_random(budget, *about)[self.measure] for way in ways)
        least = np.minimum(LEAST_LABELS, strata.sizes)
        labels = allotted(planned.weights((self.measure,)), strata.sizes, budget, least).astype(float)
        return greatest(planned, ways, labels, *about)[self.measure]

    def least(self, half_width: float, *, is_calibrated: bool = True) -> int:
        """Return the least number of labels with this half-width."""
        low, high = self.range
        if self.half(low, is_calibrated=is_calibrated) <= half_width:
            return low
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (middle, high)
                if self.half(middle, is_calibrated=is_calibrated) > half_width
                else (low, middle)
            )
        return high
