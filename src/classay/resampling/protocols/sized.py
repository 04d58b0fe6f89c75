"""Folds whose models are fitted to so many cases: the points of a learning curve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from classay.errors import InputError
from classay.inference.draws import stream
from classay.resampling.data import Cases, Dataset
from classay.resampling.model_folds import ModelFolds
from classay.resampling.protocols.about import protocol
from classay.resampling.protocols.k_folds import StratifiedKFold
from classay.resampling.protocols.protocol import Protocol, whole
from classay.resampling.splits import Array, Split, split


@protocol(
    "Stratified k-fold cross-validation with training sets of one size",
    forms={"5x5@100": "{repeats}x{folds}@{size}"},
    estimand="what to expect on new cases of models fitted to so many cases",
    reference="Nadeau & Bengio 2003, Machine Learning 52:239",
)
@dataclass(frozen=True)
class SizedKFold(Protocol):
    """The folds of `StratifiedKFold`, each tested by a model of `size` of the cases outside it.

    The cases of a smaller size are among those of a larger one, with the class shares of all cases; all sizes are
    tested on the same folds. So the results of several sizes are the points of a learning curve.

    >>> SizedKFold(folds=5, repeats=3, size=40).name
    '3x5@40'
    """

    folds: int = 5
    repeats: int = 5
    size: int = 100

    def __post_init__(self) -> None:
        whole(self.folds, 2, "folds")
        whole(self.repeats, 1, "repeats")
        whole(self.size, 2, "size")

    @property
    def whole_folds(self) -> StratifiedKFold:
        """The folds, with all cases outside each for training."""
        return StratifiedKFold(self.folds, self.repeats)

    def count(self, data: Dataset) -> int:
        """Folds times repeats."""
        return self.folds * self.repeats

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Each fold of each repeat, with so many cases of the others."""
        for each in self.whole_folds.splits(data, seed):
            place = each.place
            if self.size > each.train.size:
                raise InputError(
                    f"{self.name} is to train on {self.size:,} cases, and {each.train.size:,} are outside a fold: take "
                    "a smaller size, or more folds."
                )
            rng = stream(seed, f"order {place.repeat} {place.fold}")
            train = np.sort(each.train[ordered(data.cases, each.train, rng)[: self.size]])
            yield split(place.number, train, place.test, repeat=place.repeat, fold=place.fold)

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """Classes with fewer cases than folds."""
        return self.whole_folds.notes(cases)

    def overlap(self, folds: ModelFolds) -> float:
        """As for whole folds: smaller training sets overlap less, and every case is still tested once a repeat."""
        return 1 / (self.folds - 1)


def ordered(cases: Cases, rows: Array, rng: np.random.Generator) -> Array:
    """An order at random in which the first cases, however many, have the class shares of all."""
    codes = cases.truth[rows]
    place = np.empty(rows.size)
    for code in np.unique(codes):
        own = rng.permutation(np.flatnonzero(codes == code))
        place[own] = (np.arange(own.size) + rng.random()) / own.size
    return np.argsort(place, kind="stable")
