"""Protocols: how cases are split, what the result estimates, and what is random in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.folds.resampled import by_repeat, corrected_interval
from classay.measures import Measure
from classay.resampling.data import Cases, Dataset
from classay.resampling.model_folds import ModelFolds
from classay.resampling.protocols.about import About
from classay.resampling.splits import Place, Split

ONE_MODEL = (
    "Random: the test cases alone: the intervals are about the one model fitted to this training set, not "
    "about the learner on other training sets."
)
INFINITE = "it is infinite: some case's true class got probability 0"


@dataclass(frozen=True)
class Protocol(ABC):
    """How to split the cases, and how to estimate from what the splits show.

    A subclass is a frozen dataclass with the decorator `protocol`, which says what is known of it (`about`), and with
    `splits`; `estimate` gives the corrected resampled t unless it is overridden.
    """

    about: ClassVar[About]

    def why_incomparable(self, places: Sequence[Place]) -> str | None:
        """Why two learners cannot be tested by these folds, if they cannot."""
        return self.incomparable

    @property
    def name(self) -> str:
        """The text that makes the same protocol."""
        return self.about.name_of(self)

    @property
    def described(self) -> str:
        """Its name, with what it is in words."""
        return f"{self.name} ({self.about.title[:1].lower()}{self.about.title[1:]})"

    @property
    def estimand(self) -> str:
        """What is estimated."""
        return self.about.estimand

    @property
    def incomparable(self) -> str | None:
        """Why two learners cannot be tested by folds of this kind, if they cannot."""
        return self.about.incomparable

    @property
    def random(self) -> str:
        """One sentence: what the intervals let vary."""
        return self.about.random

    def random_in(self, places: Sequence[Place]) -> str:
        """The same of these folds."""
        return self.random

    def count(self, data: Dataset) -> int:
        """How many splits there will be."""
        return sum(1 for _ in self.splits(data, 0))

    @abstractmethod
    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """The splits, the same for the same data and seed. Raises InputError where the data do not allow them."""

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """What to keep in mind about this protocol on these cases."""
        return ()

    def artefacts(self, baseline: ModelFolds) -> tuple[str, ...]:
        """What the majority baseline shows that is owed to the protocol alone."""
        return ()

    def overlap(self, folds: ModelFolds) -> float:
        """What the correction of the interval counts for the overlap of training sets: test over training cases."""
        return folds.test_over_train

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """A measure with its interval; here the corrected resampled t."""
        value, reason = folds.value(measure)
        if reason is not None:
            return Estimate.undefined(reason)
        if np.isinf(value):
            return Estimate.bare(value, INFINITE)
        each = folds.contributions(measure)
        if isinstance(each, str):
            return Estimate.bare(value, each)
        if not np.isfinite(each).all():
            return Estimate.bare(value, "it is infinite in some folds")
        centred = each - each.mean() + value
        repeat, fold = (
            np.array([getattr(place, name) for place in folds.places]) for name in ("repeat", "fold")
        )
        repeated = by_repeat(centred, repeat, fold)
        found = corrected_interval(repeated, self.overlap(folds), level, measure.bounds)
        if isinstance(found, str):
            return Estimate.bare(value, found)
        return Estimate(value, found[0], found[1], level, found[2])

    def __str__(self) -> str:
        return self.name


def bare(folds: ModelFolds, measure: Measure, why: str) -> Estimate:
    """The value of a measure without an interval."""
    value, reason = folds.value(measure)
    return Estimate.undefined(reason) if reason is not None else Estimate.bare(value, why)


def whole(value: Any, least: int, what: str) -> None:
    """Refuse what is no whole number from `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{what} is {value!r}: pass a whole number from {least}.")
