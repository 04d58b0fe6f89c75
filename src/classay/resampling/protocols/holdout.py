"""Protocols of one model: tested on the training cases, or on some that were held out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.measures import Measure
from classay.resampling.data import Dataset
from classay.resampling.model_folds import ModelFolds
from classay.resampling.protocols.about import protocol
from classay.resampling.protocols.protocol import ONE_MODEL, Protocol, bare, whole
from classay.resampling.protocols.splitting import split_rows
from classay.resampling.splits import Split, apparent, seed_for, split


@protocol(
    "Resubstitution",
    forms={"resubstitution": "resubstitution"},
    estimand="the apparent performance, on the very cases the model was fitted to: too good",
    random="Nothing out of sample was seen: there are no intervals, and the values are too good.",
    incomparable="it tests on the training cases",
)
@dataclass(frozen=True)
class Resubstitution(Protocol):
    """Fit and test on the same cases: the apparent performance, which is too good.

    >>> Resubstitution().name
    'resubstitution'
    """

    def count(self, data: Dataset) -> int:
        """One."""
        return 1

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """All cases, for training and for testing."""
        yield apparent(0, data.cases.rows)

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """The apparent value, without an interval."""
        return bare(
            folds.of("apparent"),
            measure,
            "resubstitution: the training cases, on which models look too good",
        )


@protocol(
    "Holdout, once or repeated",
    forms={"holdout:0.33": "holdout:{share}", "holdout:0.33x30": "holdout:{share}x{repeats}"},
    estimand="performance of models fitted to a random part of the cases",
    reference="Nadeau & Bengio 2003, Machine Learning 52:239",
)
@dataclass(frozen=True)
class Holdout(Protocol):
    """A share of the cases, stratified by class, is kept for testing; with repeats, at random each time.

    Once: an interval for this one model, from the test cases alone. Repeated: the test sets overlap, and the
    interval is the corrected resampled t. Whole clusters are held out where clusters are given.

    >>> Holdout(0.33).name, Holdout(1 / 3, repeats=30).name
    ('holdout:0.33', 'holdout:1/3x30')
    """

    share: float = 1 / 3
    repeats: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.share, str) or not 0 < self.share < 1:
            raise InputError(
                f"the share held out is {self.share!r}: pass a share between 0 and 1, such as 0.33."
            )
        whole(self.repeats, 1, "repeats")

    @property
    def random(self) -> str:
        """One sentence: what the intervals let vary."""
        return super().random if self.repeats > 1 else ONE_MODEL

    def count(self, data: Dataset) -> int:
        """One a repeat."""
        return self.repeats

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Random splits, stratified by class, or of whole clusters."""
        from sklearn.model_selection import GroupShuffleSplit, StratifiedShuffleSplit

        cases = data.cases
        kind = StratifiedShuffleSplit if cases.cluster is None else GroupShuffleSplit
        splitter = kind(self.repeats, test_size=self.share, random_state=seed_for(seed, "holdout"))
        for i, (train, test) in enumerate(split_rows(splitter, cases)):
            yield split(i, train, test, repeat=i)

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """The interval of the one test set, or the corrected one over the repeats."""
        if self.repeats > 1:
            return super().estimate(folds, measure, level)
        return folds.on_one_test_set(measure)
