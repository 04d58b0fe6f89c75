"""Evidence: what the folds show of a learner, its remedies and the majority baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import Comparison
from classay.comparison.wording import ahead
from classay.improving.decomposition import Decomposition
from classay.improving.learning_curve import LearningCurve
from classay.improving.remedies.registry import Remedy
from classay.inference.estimate import Estimate
from classay.inference.folds.resampled import by_repeat, corrected_interval
from classay.inference.words import direction
from classay.measures import get
from classay.resampling.baseline import BASELINE
from classay.resampling.evaluation import Evaluation
from classay.resampling.model_folds import ModelFolds

Array = NDArray[Any]
LOSS, BALANCED = "error_rate", "balanced_accuracy"
LOW_SHARE = 0.4
"""A class is rare below this share of what it would have among classes of one size: 20 % of two, 4 % of ten."""


def gain(found: Comparison) -> Estimate:
    """By how much the first model is better than the second: above 0 whichever end of the measure is the better one."""
    effect = found.effect
    if effect is None:
        return Estimate.undefined(found.reason or "there is no difference to be seen")
    if direction(found.measure) >= 0 or effect.is_undefined:
        return effect
    value, low, high = (0.0 - each for each in (effect.value, effect.high, effect.low))  # no -0
    return Estimate(value, low, high, effect.level, effect.method, effect.reason)


def most(found: Comparison) -> float:
    """The largest gain that the interval leaves possible: 0 of equal predictions, infinite without an interval."""
    found_gain = gain(found)
    if found_gain.has_interval:
        return found_gain.high
    return 0.0 if found_gain.value == 0 and found.p == 1 else float("inf")


@dataclass(frozen=True)
class Trial:
    """A remedy beside the learner on the same folds: the value of each, and the test of their difference.

    The effect of `comparison` is the remedy's value less the learner's, in the measure of the remedy; its p-value is
    adjusted for all remedies that were tried.
    """

    remedy: Remedy
    comparison: Comparison

    @property
    def name(self) -> str:
        """The name of the remedy."""
        return self.remedy.name

    @property
    def helps(self) -> bool:
        """Whether the remedy is shown to be better than the learner."""
        return ahead(self.comparison) == self.name

    @property
    def gain(self) -> Estimate:
        """By how much the remedy is better: above 0 where it helps, whichever end of the measure is the better one."""
        return gain(self.comparison)


@dataclass(frozen=True)
class Standing:
    """The learner and its remedies, each compared with the majority baseline, adjusted by Holm in each measure."""

    comparisons: tuple[Comparison, ...]

    def beats(self, model: str) -> bool:
        """Whether a model is shown to be better than the baseline in either measure."""
        return any(ahead(each) == model for each in self.comparisons if each.models[0] == model)

    @property
    def ahead(self) -> tuple[str, ...]:
        """The models that are."""
        return tuple(
            name for name in dict.fromkeys(each.models[0] for each in self.comparisons) if self.beats(name)
        )

    def most(self, measure: str) -> float:
        """The largest gain over the baseline that the intervals leave possible for any model."""
        return max(most(each) for each in self.comparisons if each.measure == measure)


def standing_of(e: Evaluation) -> Standing:
    """The learner and its remedies beside the baseline, in the error rate and in balanced accuracy."""
    found = [
        each for measure in (LOSS, BALANCED) for each in e.compare([measure], control=BASELINE, seed=e.seed)
    ]
    return Standing(tuple(found))


def gap_of(folds: ModelFolds, e: Evaluation) -> Estimate:
    """The error rate on new cases less that on the training cases, by the corrected resampled t."""
    measure = get(LOSS)
    training = folds.training_values(measure)
    if isinstance(training, str):
        return Estimate.undefined(training)
    value = folds.pooled(measure) - folds.training(measure)
    each = folds.values(measure) - training
    at = (np.array([getattr(place, name) for place in folds.places]) for name in ("repeat", "fold"))
    centred = by_repeat(each - each.mean() + value, *at)
    found = corrected_interval(centred, e.protocol.overlap(folds), e.level, (-1.0, 1.0))
    return (
        Estimate.bare(value, found)
        if isinstance(found, str)
        else Estimate(value, *found[:2], e.level, found[2])
    )


@dataclass(frozen=True, eq=False)
class Classes:
    """How the classes are shared out, and how the learner does on the rarest of them."""

    rarest: str
    share: float
    recall: float
    accuracy: float

    is_rare: bool

    @classmethod
    def of(cls, folds: ModelFolds) -> Classes:
        """Of the test cases of all folds together."""
        matrix = np.asarray(folds.matrices.counts, np.float64).sum(0)
        totals = matrix.sum(0)
        k = int(totals.argmin())
        share = float(totals[k] / totals.sum())
        return cls(
            str(folds.cases.labels[k]),
            share,
            float(matrix[k, k] / totals[k]) if totals[k] else float("nan"),
            float(np.trace(matrix) / totals.sum()),
            share < LOW_SHARE / totals.size,
        )

    @property
    def is_neglected(self) -> bool:
        """Whether the rarest class is rare, and recalled less often than the cases at large are predicted right."""
        return self.is_rare and self.recall < self.accuracy


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that the causes are read from."""

    learner: str
    loss: Estimate
    training: float
    gap: Estimate
    before: Decomposition
    classes: Classes
    baseline: float
    curve: LearningCurve | None = None
    trials: tuple[Trial, ...] = ()
    standing: Standing = Standing(())
    to_best: tuple[Comparison, ...] = ()
    """The other models, each less the best one; empty where nothing was tried."""
    best: str = ""

    @property
    def is_never_wrong_on_its_own(self) -> bool:
        """Whether no fold's model errs on any case that it was fitted to."""
        return self.training == 0

    @property
    def has_gap(self) -> bool:
        """Whether the learner is shown to err more often on new cases than on those it was fitted to.

        By the interval of the gap. Where the learner is never wrong about its own cases none is needed: the gap is
        the error rate itself, which one error on a new case shows to be above 0.
        """
        if self.is_never_wrong_on_its_own:
            return self.loss.value > 0
        return self.gap.has_interval and self.gap.low > 0
