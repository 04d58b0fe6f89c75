"""Differences of two learners over the same folds, and what a test of them returns.

What is random is the training set, and the target is the expected difference of learners trained on sets of the
size of the folds' training sets. Training sets of one data set overlap; no test of them is exact for that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.comparison.comparison import Comparison
from classay.comparison.registry import Of
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.folds.resampled import corrected_mean
from classay.tables.running import is_rounding, rounded_difference

Array = NDArray[Any]
RANDOM = "training sets"
NO_SPREAD = "every fold shows the same difference, which shows no spread"


@dataclass(frozen=True, eq=False)
class FoldDifferences:
    """Differences of two learners' values in the same folds, first less second.

    `values` has shape `(J,)`, or `(repeats, folds)` for repeated folds; `test_over_train` is
    n_test / n_train of a fold, 1 / (K - 1) for K folds. `size` is the greatest of the learners' own values, by which
    the rounding of the differences is judged.
    """

    models: tuple[str, str]
    measure: str
    values: Array
    test_over_train: float
    size: float = 0.0

    @property
    def mean(self) -> float:
        """The mean difference."""
        return float(self.values.mean())

    @property
    def identical(self) -> bool:
        """Whether the learners have the same value in every fold."""
        return not self.values.any()

    @property
    def corrected_error(self) -> tuple[float, float]:
        """The corrected standard error of the mean difference, and its degrees of freedom."""
        found = corrected_mean(self.values, self.test_over_train)
        return found.se, found.df

    @property
    def in_one_run(self) -> FoldDifferences:
        """The same folds without their repeats."""
        return replace(self, values=self.values.ravel())

    @property
    def constant(self) -> bool:
        """Whether all differences are the same but for rounding, so that they show no spread."""
        return bool(is_rounding(np.ptp(self.values), self.largest))

    @property
    def largest(self) -> float:
        """The greatest of the differences and the learners' own values, which rounding is judged by."""
        return max(float(np.abs(self.values).max(initial=0.0)), self.size)


OF_FOLDS = Of[FoldDifferences, Comparison]("folds")
OF_FIVE_BY_TWO = Of[FoldDifferences, Comparison]("5×2 folds")
"""What tests over folds are of."""


def fold_differences(
    first: ArrayLike,
    second: ArrayLike,
    *,
    test_over_train: float,
    models: tuple[str, str] = ("first", "second"),
    measure: str = "value",
) -> FoldDifferences:
    """Differences of two learners' values in the same folds, checked.

    Raises InputError for different shapes, fewer than two folds, undefined or infinite values, or a ratio that is not
    positive.

    >>> fold_differences([0.8, 0.9, 0.7], [0.7, 0.9, 0.6], test_over_train=1 / 2).mean.__round__(4)
    0.0667
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if a.shape != b.shape or a.ndim not in (1, 2) or a.size < 2:
        raise InputError(
            f"{models[0]} has fold values of shape {a.shape} and {models[1]} of shape {b.shape}: pass the values "
            "of the same two or more folds."
        )
    missing = int((~np.isfinite(a) | ~np.isfinite(b)).sum())
    if missing:
        raise InputError(
            f"{missing} of {a.size} folds have an undefined or infinite value: leave these folds out, or compare a "
            "measure that is finite, such as the Brier score."
        )
    if not test_over_train > 0:
        raise InputError(
            f"test_over_train is {test_over_train!r}: pass n_test / n_train, 1 / (K - 1) for K folds."
        )
    size = float(np.maximum(np.abs(a), np.abs(b)).max())
    return FoldDifferences(models, measure, rounded_difference(a, b), float(test_over_train), size)


def result(
    folds: FoldDifferences,
    effect: Estimate,
    p: float,
    method: str,
    reference: str,
    statistic: float | None = None,
    df: float | None = None,
    *,
    level: float = 0.95,
    side: int | None = None,
    note: str = "",
) -> Comparison:
    """What a test of folds found."""
    return Comparison(
        folds.models,
        folds.measure,
        effect,
        p,
        method,
        RANDOM,
        statistic=statistic,
        reference=reference,
        n=folds.values.size,
        units="folds",
        df=df,
        level=level,
        side=side,
        note=note,
    )


def undecided(
    folds: FoldDifferences, reason: str, method: str, reference: str, level: float = 0.95
) -> Comparison:
    """A test of folds without spread: identical learners have p = 1, all others no p-value, for the reason given."""
    if folds.identical:
        why = "both have the same value in every fold, which shows no spread"
        return result(folds, Estimate.bare(0.0, why), 1.0, method, reference, level=level)
    effect = Estimate.bare(folds.mean, reason)
    return Comparison(
        folds.models,
        folds.measure,
        effect,
        float("nan"),
        method,
        RANDOM,
        reference=reference,
        n=folds.values.size,
        units="folds",
        reason=reason,
        level=level,
    )
