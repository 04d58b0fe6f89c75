"""Sources: where the training sets and the test rows of a decomposition come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.improving.training_sets import (
    Population,
    Sampling,
)
from classay.improving.units import ALIKE, Units
from classay.resampling.data import Cases, Dataset, label_array, rows_of
from classay.resampling.splits import Place, Split

Array = NDArray[Any]
Index = tuple[int | str, ...] | None


@dataclass(frozen=True, eq=False)
class Stacked(Dataset):
    """Two sets of rows as one, `X` being the pair: rows of the second are numbered after those of the first."""

    def take(self, rows: Array) -> Any:
        """A copy of the features of these rows, all of one of the two sets."""
        first = rows_of(self.X[0])
        which = int(rows[0] >= first)
        return Dataset(self.X[which], self.y, self.cases).take(rows - which * first)


@dataclass(frozen=True, eq=False, kw_only=True)
class Source(ABC):
    """Training sets by their number, and the test rows, whose classes are `truth`, `(rows, classes)`.

    `test_rows` are their numbers as the caller knows them, `index` what a frame calls them; `drawn_from` the rows that
    training sets are drawn from, None for a population.
    """

    labels: tuple[Hashable, ...]
    truth: Array
    noise_known: bool
    test_rows: Array
    sampling: str
    random: str
    size: int
    seed: int
    notes: tuple[str, ...] = ()
    units: Units = ALIKE
    index: Index = None

    @property
    @abstractmethod
    def drawn_from(self) -> int | None:
        """Rows, or clusters, that training sets are drawn from."""

    @property
    @abstractmethod
    def sample_of_X(self) -> Any:
        """Features that show what kind of columns there are."""

    @abstractmethod
    def training_set(self, number: int) -> tuple[Dataset, Split]:
        """The data of a round and its split: what to fit to, what to predict."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FromRows(Source):
    """Training sets drawn from rows at hand, one by one or as whole clusters: `groups` of rows."""

    data: Dataset
    groups: Sequence[Array] | Array
    test: Array
    drawing: Sampling

    @property
    def drawn_from(self) -> int | None:
        """Rows, or clusters, that training sets are drawn from."""
        return len(self.groups)

    @property
    def sample_of_X(self) -> Any:
        """The rows there are."""
        return self.data.X[0] if isinstance(self.data, Stacked) else self.data.X

    def training_set(self, number: int) -> tuple[Dataset, Split]:
        """Some of the rows."""
        drawn = self.drawing.draw(len(self.groups), self.size, self.seed, number)
        rows = self.groups[drawn] if isinstance(self.groups, np.ndarray) else _joined(self.groups, drawn)
        return self.data, _split(number, rows, self.test)


@dataclass(frozen=True, eq=False, kw_only=True)
class FromPopulation(Source):
    """Training sets drawn from a population."""

    population: Population
    X: Any

    @property
    def drawn_from(self) -> int | None:
        """A population has no end."""
        return None

    @property
    def sample_of_X(self) -> Any:
        """The test rows."""
        return self.X

    def training_set(self, number: int) -> tuple[Dataset, Split]:
        """New rows."""
        X, codes = self.population.rows(self.size, self.seed, f"training set {number}")
        tested = self.truth.shape[0]
        both = np.concatenate([codes, self.truth.argmax(1)])
        data = Stacked((X, self.X), label_array(self.labels)[both], plain_cases(self.labels, both))
        every = np.arange(self.size + tested)
        return data, _split(number, every[: self.size], every[self.size :])


def _joined(groups: Sequence[Array], drawn: Array) -> Array:
    """The rows of several groups, those of a group that was drawn twice two times."""
    found: Array = np.sort(np.concatenate([groups[k] for k in drawn]))
    return found


def plain_cases(labels: tuple[Hashable, ...], codes: Array) -> Cases:
    """Cases of no cluster and weight 1; which of two classes is called positive changes nothing here."""
    return Cases("", codes, labels, labels[1] if len(labels) == 2 else None)


def _split(number: int, train: Array, test: Array) -> Split:
    place = Place(number, "test", number, 0, test, int(np.count_nonzero(np.bincount(train))))
    return Split(train, place, shows_training=False)
