"""Learners: what a door of this floor may ask of an evaluation, which is made on a floor above."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons
    from classay.measures import Measure


class Learners(ABC):
    """Learners that were fitted and tested on the same folds; `Evaluation` is one."""

    level: float

    @abstractmethod
    def compare(self, measures: Sequence[str | Measure] | None = None, **how: Any) -> Comparisons:
        """Compare every pair, or all with a control, over the folds they share."""

    @staticmethod
    @abstractmethod
    def joined(evaluations: Mapping[str, Any]) -> Learners:
        """Several of the same cases and folds as one. Raises InputError where they are not."""


def learners_of(given: Any) -> Learners | None:
    """The learners of an evaluation, or of a dict of them; None for anything else."""
    if isinstance(given, Learners):
        return given
    if isinstance(given, Mapping) and given and all(isinstance(each, Learners) for each in given.values()):
        first: Learners = next(iter(given.values()))
        return first.joined(given)
    return None
