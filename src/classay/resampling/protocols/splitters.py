"""Splitters of others as protocols: those of scikit-learn, and whatever splits as they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from classay.inference.estimate import Estimate
from classay.measures import Measure
from classay.resampling.data import Cases, Dataset
from classay.resampling.model_folds import ModelFolds
from classay.resampling.protocols.about import About
from classay.resampling.protocols.k_folds import LOO_DEPENDENT, LeaveOneOut, TimeOrdered
from classay.resampling.protocols.protocol import ONE_MODEL, Protocol, bare
from classay.resampling.protocols.splitting import complaints, split_rows
from classay.resampling.splits import Place, Split, printed, seed_for, split


@dataclass(frozen=True)
class FromSplitter(Protocol):
    """Any splitter of scikit-learn, or an object with such a `split(X, y, groups)`.

    A splitter that draws at random gets a `random_state` from the seed, or keeps its own, which is copied: all passes
    over the data see the same splits. Tests of one case each are those of leave-one-out, whatever they are called.

    >>> from sklearn.model_selection import KFold
    >>> FromSplitter(KFold(3)).name
    'KFold(n_splits=3, random_state=None, shuffle=False)'
    """

    splitter: Any
    kind: ClassVar[str] = "splitter"
    about: ClassVar[About] = About(
        "A splitter", {}, "expected performance of models fitted to training sets of this splitter"
    )

    @property
    def name(self) -> str:
        """How the splitter prints."""
        return printed(self.splitter)

    @property
    def random(self) -> str:
        """One sentence: what the intervals let vary."""
        return ONE_MODEL if number_of_splits(self.splitter) == 1 else super().random

    def random_in(self, places: Sequence[Place]) -> str:
        """That of leave-one-out, where each test is one case."""
        return LeaveOneOut().random if leaves_one_out(places) else self.random

    def why_incomparable(self, places: Sequence[Place]) -> str | None:
        """The reason of leave-one-out, where each test is one case."""
        return LOO_DEPENDENT if leaves_one_out(places) else self.incomparable

    def count(self, data: Dataset) -> int:
        """As many as the splitter says, or yields."""
        if hasattr(self.splitter, "get_n_splits"):
            with complaints(self.splitter):
                return int(self.splitter.get_n_splits(data.X, data.y, data.cases.cluster))
        return super().count(data)

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Its splits; a random splitter without a random_state gets one from the seed."""
        splitter = deepcopy(self.splitter)  # what it draws must not be drawn from the user's own
        if getattr(splitter, "random_state", 0) is None:
            splitter.random_state = seed_for(seed, "splitter")
        for i, (train, test) in enumerate(split_rows(splitter, data.cases, data.X, data.y)):
            yield split(i, train, test, fold=i)

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """The interval of the one test set, or the corrected one over several; none where each test is one case."""
        if folds.planned("test") == 1:
            return folds.on_one_test_set(measure)
        if leaves_one_out(folds.all_places):
            return LeaveOneOut().estimate(folds, measure, level)
        return super().estimate(folds, measure, level)


@dataclass(frozen=True)
class FromTimeSplitter(FromSplitter):
    """A splitter in time, scikit-learn's `TimeSeriesSplit` with its settings: no intervals, as in `TimeOrdered`."""

    kind: ClassVar[str] = "time"
    about: ClassVar[About] = TimeOrdered.about

    @property
    def random(self) -> str:
        """One sentence: what the intervals let vary."""
        return self.about.random

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """The rows must be in order."""
        return TimeOrdered().notes(cases)

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """The value without an interval."""
        return TimeOrdered().estimate(folds, measure, level)


@dataclass(frozen=True)
class FromLeavingOut(FromSplitter):
    """Every set of so many cases or groups is left out once, as in leave-one-out, and for its reason: no intervals."""

    kind: ClassVar[str] = "leaving out"
    about: ClassVar[About] = replace(
        LeaveOneOut.about, estimand="performance of models fitted to nearly all cases"
    )

    @property
    def random(self) -> str:
        """One sentence: what the intervals let vary."""
        return self.about.random

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """The value without an interval; nothing that ranks, where each test is one case."""
        if leaves_one_out(folds.all_places):
            return LeaveOneOut().estimate(folds, measure, level)
        return bare(folds, measure, LOO_DEPENDENT)


@dataclass(frozen=True)
class Described:
    """What is known of the splitter of a saved evaluation: how it printed, and how many splits it gave."""

    text: str
    n_splits: int

    def __str__(self) -> str:
        return self.text


KINDS: dict[str, type[FromSplitter]] = {
    each.kind: each for each in (FromSplitter, FromTimeSplitter, FromLeavingOut)
}
"""The protocols of splitters, by what a saved evaluation calls them."""
_IN_TIME = {"TimeSeriesSplit"}
_LEAVING_OUT = {"LeavePOut", "LeaveOneGroupOut", "LeavePGroupsOut"}


def of_splitter(splitter: Any) -> Protocol:
    """The protocol of a splitter of scikit-learn, or derived from one; folds that are no sample have no intervals.

    >>> from sklearn.model_selection import LeavePOut
    >>> of_splitter(LeavePOut(1)).name
    'loo'
    """
    kinds = {kind.__name__ for kind in type(splitter).__mro__}
    if "LeaveOneOut" in kinds or ("LeavePOut" in kinds and getattr(splitter, "p", None) == 1):
        return LeaveOneOut()
    if kinds & _IN_TIME:
        return FromTimeSplitter(splitter)
    return FromLeavingOut(splitter) if kinds & _LEAVING_OUT else FromSplitter(splitter)


def leaves_one_out(places: Sequence[Place]) -> bool:
    """Whether each of several tests is of one case."""
    tests = [place for place in places if place.kind == "test"]
    return len(tests) > 1 and all(place.n_test == 1 for place in tests)


def number_of_splits(splitter: Any) -> int | None:
    """How many splits a splitter gives, as far as it knows without data."""
    if hasattr(splitter, "n_splits"):
        return int(splitter.n_splits)
    try:
        return int(splitter.get_n_splits())
    except Exception:  # noqa: BLE001  it needs data, or has no such number
        return None
