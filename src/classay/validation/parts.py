"""Parts of a validation: discrimination of cases, calibration of grades, stability of shares, overrides, benchmarks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.inference.estimate import Estimate, number
from classay.inference.proportions import clopper_pearson, wilson
from classay.kinds import FiniteOrNone, TypedFields

Array = NDArray[Any]
EDGES = 9
"""Scores that divide the development sample into ten grades of about equal size."""


@dataclass(frozen=True, eq=False)
class Discrimination(TypedFields):
    """The Gini coefficient of a part of the cases now, in development, and now minus development."""

    part: Literal["all cases", "segment", "period"]
    name: str
    cases: int
    positives: int
    now: Estimate
    development: Estimate
    difference: Estimate


@dataclass(frozen=True, eq=False)
class GradeCalibration(FiniteOrNone, TypedFields):
    """The predicted and the observed rate of a grade.

    `p` is the posterior probability that the true rate is at most the predicted rate, with Jeffreys' prior: it
    is small where the predicted rate is too low.
    """

    grade: str
    cases: int
    positives: int
    predicted: float
    observed: Estimate
    p: float

    @classmethod
    def of(
        cls, grade: str, cases: int, positives: int, predicted: float, level: float, grades: int
    ) -> GradeCalibration:
        """Return a grade whose interval holds for all grades together; `grades` is 0 for all cases."""
        if not cases:
            return cls(grade, 0, 0, nan, Estimate.undefined("no cases"), nan)
        share = positives / cases
        if not grades:
            low, high = (float(end) for end in wilson(positives, cases, level))
            observed = Estimate(share, low, high, level, "Wilson")
        else:
            low, high = (float(end) for end in clopper_pearson(positives, cases, level ** (1 / grades)))
            observed = Estimate(share, low, high, level, f"Šidák over {grades} grades, Clopper-Pearson")
        return cls(grade, cases, positives, predicted, observed, jeffreys_p(positives, cases, predicted))

    @property
    def finding(self) -> Literal["", "too low", "too high"]:
        """Whether the predicted rate is outside the interval, and how."""
        if self.observed.low > self.predicted:
            return "too low"
        return "too high" if self.observed.high < self.predicted else ""


def jeffreys_p(positives: int, cases: int, predicted: float) -> float:
    """Return the probability of a rate up to the predicted one, from Beta(D + 1/2, N - D + 1/2).

    >>> round(jeffreys_p(12, 200, 0.04), 4)
    0.0809
    """
    from scipy.special import betainc

    return nan if isnan(predicted) else float(betainc(positives + 0.5, cases - positives + 0.5, predicted))


@dataclass(frozen=True, eq=False)
class Stability(FiniteOrNone, TypedFields):
    """The population stability index of now and development.

    `usual` is the 95% point of the index without a change. `p` is the p-value of equal shares.
    """

    of: str
    bins: int
    index: float
    usual: float
    p: float


@dataclass(frozen=True, eq=False)
class Overrides(TypedFields):
    """Cases with a final grade of higher or of lower risk than the grade of the model."""

    raised: Estimate
    lowered: Estimate
    observed: tuple[GradeCalibration, ...]
    model: float
    final: float
    difference: Estimate


@dataclass(frozen=True, eq=False)
class Benchmark(TypedFields):
    """The ROC AUC of the model and of another score of the same cases, and the difference."""

    name: str
    model: float
    benchmark: float
    difference: Estimate
    p: float


def grade_edges(development: Array) -> Array:
    """Return the scores up to which the grades reach, from tenths of the development sample."""
    return np.unique(np.quantile(development, np.arange(1, EDGES + 1) / 10, method="inverted_cdf"))


def names_of_edges(edges: Array) -> list[str]:
    """Return the names of grades between edges.

    >>> names_of_edges(np.array([0.1, 0.2]))
    ['up to 0.100', 'above 0.100 to 0.200', 'above 0.200']
    """
    texts = [number(float(edge)) for edge in edges]
    between = [f"above {low} to {high}" for low, high in pairwise(texts)]
    return [f"up to {texts[0]}", *between, f"above {texts[-1]}"]


def by_grade(
    names: Sequence[Hashable], codes: Array, is_positive: Array, score: Array, level: float
) -> tuple[GradeCalibration, ...]:
    """Return the grades, from low to high predicted rates; grades without cases are last."""
    k = len(names)
    cases, positives = np.bincount(codes, minlength=k), np.bincount(codes, is_positive, k)
    sums = np.bincount(codes, score, k)
    grades = int((cases > 0).sum())
    rows = [
        GradeCalibration.of(
            str(name),
            int(cases[i]),
            int(positives[i]),
            float(sums[i] / cases[i]) if cases[i] else nan,
            level,
            grades,
        )
        for i, name in enumerate(names)
    ]
    return tuple(sorted(rows, key=lambda row: (isnan(row.predicted), row.predicted)))
