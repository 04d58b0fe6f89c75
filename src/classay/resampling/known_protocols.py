"""The registry of protocols, which the parser, help, errors and documents read; splitters of others as protocols."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

from classay.errors import InputError, nearest
from classay.inference.estimate import Estimate
from classay.measures import Measure
from classay.resampling.bootstraps import Bootstrap, Bootstrap632, Bootstrap632Plus, OptimismBootstrap
from classay.resampling.data import Cases, Dataset, Place, Split, printed, seed_for, split
from classay.resampling.model_folds import ModelFolds
from classay.resampling.partitions import (
    LOO_DEPENDENT,
    Holdout,
    LeaveOneOut,
    NestedCV,
    Resubstitution,
    SizedKFold,
    StratifiedKFold,
    TimeOrdered,
)
from classay.resampling.protocol import ONE_MODEL, About, Protocol, bare, complaints, split_rows


@dataclass(frozen=True)
class FromSplitter(Protocol):
    """Any splitter of scikit-learn, or an object with such a `split(X, y, groups)`.

    A splitter that draws at random gets a `random_state` from the seed, or keeps its own, which is copied: all passes
    over the data see the same splits. Tests of one case each are those of leave-one-out, whatever they are called.
    `like` says whose folds these are like, where they are no sample: those in time, or of all that can be left out;
    their estimates have no intervals, for the same reason.

    >>> from sklearn.model_selection import KFold
    >>> FromSplitter(KFold(3)).name
    'KFold(n_splits=3, random_state=None, shuffle=False)'
    """

    splitter: Any
    like: TimeOrdered | LeaveOneOut | None = None
    about: ClassVar[About] = About(
        "A splitter", {}, "expected performance of models fitted to training sets of this splitter"
    )

    @property
    def name(self) -> str:
        """How the splitter prints."""
        return printed(self.splitter)

    @property
    def described(self) -> str:
        """Its name, with what it is in words."""
        title = (self.like or self).about.title
        return f"{self.name} ({title[:1].lower()}{title[1:]})"

    @property
    def estimand(self) -> str:
        """What is estimated."""
        if isinstance(self.like, LeaveOneOut):
            return "performance of models fitted to nearly all cases"
        return (self.like or self).about.estimand

    @property
    def incomparable(self) -> str | None:
        """Why two learners cannot be tested by these folds, if they cannot."""
        return (self.like or self).about.incomparable

    @property
    def random(self) -> str:
        """One sentence: what the intervals let vary."""
        if self.like is None and number_of_splits(self.splitter) == 1:
            return ONE_MODEL
        return (self.like or self).about.random

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

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """In time, the rows must be in order."""
        return self.like.notes(cases) if isinstance(self.like, TimeOrdered) else ()

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """The interval of the one test set, or the corrected one over several; none where the folds are no sample."""
        if isinstance(self.like, TimeOrdered):
            return self.like.estimate(folds, measure, level)
        if self.like is None and folds.planned("test") == 1:
            return folds.on_one_test_set(measure)
        if leaves_one_out(folds.all_places):
            return LeaveOneOut().estimate(folds, measure, level)
        return (
            super().estimate(folds, measure, level)
            if self.like is None
            else bare(folds, measure, LOO_DEPENDENT)
        )


@dataclass(frozen=True)
class Described:
    """What is known of the splitter of a saved evaluation: how it printed, and how many splits it gave."""

    text: str
    n_splits: int

    def __str__(self) -> str:
        return self.text


LIKE: dict[str, TimeOrdered | LeaveOneOut | None] = {
    "splitter": None,
    "time": TimeOrdered(),
    "leaving out": LeaveOneOut(),
}
"""What the folds of a splitter are like, by what a saved evaluation calls them."""
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
        return FromSplitter(splitter, LIKE["time"])
    return FromSplitter(splitter, LIKE["leaving out" if kinds & _LEAVING_OUT else "splitter"])


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


PROTOCOLS: tuple[type[Protocol], ...] = (
    StratifiedKFold,
    SizedKFold,
    Holdout,
    LeaveOneOut,
    TimeOrdered,
    Bootstrap,
    Bootstrap632,
    Bootstrap632Plus,
    OptimismBootstrap,
    NestedCV,
    Resubstitution,
)
"""Every protocol that has a text, in the order of help and documents."""


def samples() -> list[str]:
    """A sample of each form of each protocol."""
    return [sample for kind in PROTOCOLS for sample in kind.about.forms]


def protocol_of(given: Any) -> Protocol:
    """A protocol from its text, or from a splitter of scikit-learn; a protocol stays as it is.

    >>> protocol_of("10x10")
    StratifiedKFold(folds=10, repeats=10)
    >>> protocol_of("holdout:0.33").name
    'holdout:0.33'
    """
    if isinstance(given, Protocol):
        return given
    if isinstance(given, str):
        return _named(given)
    if hasattr(given, "split") and not isinstance(given, type):
        return of_splitter(given)
    raise InputError(
        f"protocol is {given!r}: pass a text such as '10x10', a protocol such as classay.StratifiedKFold(10), or a "
        "splitter of scikit-learn."
    )


def _named(given: str) -> Protocol:
    text = given.strip().casefold().replace(" ", "")
    for kind in PROTOCOLS:
        if (found := kind.about.read(text, kind)) is not None:
            return found
    hint = nearest(text, samples()) or "."
    raise InputError(
        f"no protocol is named {given!r}{hint} There are {', '.join(samples())}, with numbers of your choice."
    )
