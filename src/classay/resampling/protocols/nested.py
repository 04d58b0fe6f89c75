"""Nested cross-validation: an interval for the error of the model fitted to all cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from classay.inference.estimate import Estimate
from classay.inference.folds.nested import nested_error
from classay.measures import Measure
from classay.resampling.data import Cases, Dataset
from classay.resampling.model_folds import ModelFolds
from classay.resampling.protocols.about import protocol
from classay.resampling.protocols.protocol import INFINITE, Protocol, bare, whole
from classay.resampling.protocols.splitting import few_of_a_class, folds_of
from classay.resampling.splits import Array, Split, split

ENOUGH = 50
ONLY_MEANS = (
    "nested cross-validation has an interval for means over cases only: accuracy, log-loss, Brier score"
)


@protocol(
    "Nested cross-validation",
    forms={"nested:10": "nested:{folds}", "nested:10x100": "nested:{folds}x{repeats}"},
    estimand="performance of the model fitted to all cases (nested cross-validation, for means over cases)",
    random="Random: the cases: the intervals are about the model fitted to all of these cases, when it meets new "
    "ones (nested cross-validation).",
    reference="Bates, Hastie & Tibshirani 2024, JASA 119:1434",
)
@dataclass(frozen=True)
class NestedCV(Protocol):
    """K folds, and for each fold cross-validation among the others: the interval of Bates, Hastie & Tibshirani.

    A model without folds j and k serves both as inner model of j tested on k and the other way round, so a
    repetition takes K (K + 1) / 2 fits. Fewer than 50 repetitions estimate the width badly.

    >>> NestedCV(10).name, NestedCV(5, repeats=100).name
    ('nested:10', 'nested:5x100')
    """

    folds: int = 10
    repeats: int = ENOUGH

    def __post_init__(self) -> None:
        whole(self.folds, 3, "folds")
        whole(self.repeats, 1, "repeats")

    def count(self, data: Dataset) -> int:
        """The folds and their pairs, each repeat."""
        return self.repeats * self.folds * (self.folds + 1) // 2

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Each fold, then each pair of folds, of each repeat. The place of a pair is that of its first fold."""
        number = 0
        for repeat in range(self.repeats):
            found = list(folds_of(data.cases, self.folds, seed, repeat))
            for fold, (train, test) in enumerate(found):
                yield split(number, train, test, repeat=repeat, fold=fold)
                number += 1
            for j, k in combinations(range(self.folds), 2):
                test = np.concatenate([found[j][1], found[k][1]])
                inner = np.setdiff1d(found[j][0], found[k][1], assume_unique=True)
                yield split(number, inner, test, kind="pair", repeat=repeat, fold=j)
                number += 1

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """Small classes, and too few repetitions."""
        few = few_of_a_class(cases, self.folds)
        if self.repeats >= ENOUGH:
            return few
        return (
            *few,
            f"nested: {self.repeats} repetitions estimate the width badly; {ENOUGH} or more are recommended",
        )

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """The debiased mean loss with its interval, or the value of plain cross-validation without one."""
        if folds.cases.cluster is not None or folds.cases.weight is not None:
            return bare(folds, measure, "nested cross-validation takes independent cases that count alike")
        outer, pairs = folds.case_values(measure), folds.of("pair").case_values(measure)
        if outer is None or pairs is None:
            return bare(folds, measure, ONLY_MEANS)
        if len(outer) < self.folds * self.repeats or len(pairs) < folds.planned("pair"):
            return bare(folds, measure, "some fits failed, and nested cross-validation needs them all")
        if not all(np.isfinite(each).all() for each in (*outer, *pairs)):
            return bare(folds, measure, INFINITE)
        inner = self._inner(outer, pairs)
        found = nested_error(inner, outer, self.folds, level)
        low, high = np.clip([found.low, found.high], *measure.bounds)
        value = float(np.clip(found.value, *measure.bounds))
        if not high > low:
            return Estimate.bare(value, "all cases have the same loss, which shows no spread")
        return Estimate(value, float(low), float(high), level, "nested CV")

    def _inner(self, outer: list[Array], pairs: list[Array]) -> list[Array]:
        """For each fold the losses of all other cases by models that saw neither them nor the fold."""
        k = self.folds
        found: list[Array] = []
        of_pair = list(combinations(range(k), 2))
        for repeat in range(self.repeats):
            each: list[list[Array]] = [[] for _ in range(k)]
            own = pairs[repeat * len(of_pair) : (repeat + 1) * len(of_pair)]
            for (i, j), losses in zip(of_pair, own, strict=True):
                first = outer[repeat * k + i].size
                each[j].append(losses[:first])
                each[i].append(losses[first:])
            found.extend(np.concatenate(losses) for losses in each)
        return found
