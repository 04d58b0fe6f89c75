"""Protocols that draw training sets with replacement; the registry of all; splitters of others as protocols."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from classay.errors import InputError, nearest
from classay.inference.draws import stream
from classay.inference.estimate import Estimate
from classay.measures import Measure
from classay.resampling.data import Array, Cases, Dataset, Place, Split, apparent, printed, seed_for, split
from classay.resampling.folds import optimism, point632, point632plus, without_information
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
from classay.resampling.protocol import (
    INFINITE,
    ONE_MODEL,
    About,
    Protocol,
    bare,
    complaints,
    protocol,
    split_rows,
    whole,
)
from classay.texts import some

NO_INTERVAL = "no valid interval is known for this protocol; use 10x10 or nested:10"
NO_INTERVALS = f"There are no intervals: {NO_INTERVAL}."
MIXTURE = "performance of the model fitted to all cases, by mixing apparent and out-of-bag values"
UNKNOWN_SPREAD = "the sampling variability of such a mixture is unknown; use 10x10"


@dataclass(frozen=True)
class InRounds:
    """Resamples of the cases, a round after another."""

    rounds: int = 200

    def __post_init__(self) -> None:
        whole(self.rounds, 2, "rounds")


@dataclass(frozen=True)
class RoundsAndAll(InRounds):
    """The same, beside a model of all cases."""

    def count(self, data: Dataset) -> int:
        """Return the number of fits, the rounds and one on all cases."""
        return self.rounds + 1


@protocol(
    "Bootstrap, tested out of bag",
    forms={"bootstrap:200": "bootstrap:{rounds}"},
    estimand="out-of-bag performance of models fitted to about 63% of the cases, pessimistic on average",
    reference="Efron & Tibshirani 1997, JASA 92:548",
)
@dataclass(frozen=True)
class Bootstrap(InRounds, Protocol):
    """Bootstrap, with training on resamples and testing on out-of-bag cases.

    Each training set holds about 63% of the cases, so the estimate is pessimistic on average. Whole clusters
    are resampled if there are any.

    Parameters
    ----------
    rounds : int, default 200
        Number of resamples.

    Examples
    --------
    >>> Bootstrap(200).name
    'bootstrap:200'
    """

    def count(self, data: Dataset) -> int:
        """Return the number of rounds."""
        return self.rounds

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Split the cases into a resample and the cases outside it, in each round.

        Parameters
        ----------
        data : Dataset
            The cases to split.
        seed : int
            Start of all random numbers. Equal seeds give equal results.

        Returns
        -------
        iterator of Split
            The splits.
        """
        yield from out_of_bag(data.cases, self.rounds, seed, first=0)


@protocol(
    "The .632 bootstrap",
    forms={"632:200": "632:{rounds}"},
    also=(".632:{rounds}",),
    estimand=MIXTURE,
    random=NO_INTERVALS,
    incomparable=UNKNOWN_SPREAD,
    reference="Efron 1983, JASA 78:316",
)
@dataclass(frozen=True)
class Bootstrap632(RoundsAndAll, Protocol):
    """Mixture of apparent and out-of-bag performance, .368 and .632.

    It is badly optimistic for learners that fit their training cases perfectly, which `Bootstrap632Plus`
    corrects.

    Parameters
    ----------
    rounds : int, default 200
        Number of resamples.

    Notes
    -----
    .368 · apparent + .632 · out of bag.

    References
    ----------
    Efron 1983, JASA 78:316.

    Examples
    --------
    >>> Bootstrap632(200).name
    '632:200'
    """

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Return all cases, and a resample in each round.

        Parameters
        ----------
        data : Dataset
            The cases to split.
        seed : int
            Start of all random numbers. Equal seeds give equal results.

        Returns
        -------
        iterator of Split
            The splits.
        """
        yield apparent(0, data.cases.rows)
        yield from out_of_bag(data.cases, self.rounds, seed, first=1)

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """Estimate a measure by the mixture, without an interval.

        Parameters
        ----------
        folds : ModelFolds
            What the model predicted in every fold.
        measure : Measure
            The measure to estimate.
        level : float
            Confidence level of the interval.

        Returns
        -------
        Estimate
            The value without an interval.
        """
        errors = apparent_and_out(folds, measure)
        if isinstance(errors, str):
            return Estimate.undefined(errors)
        return _without_interval(point632(*errors))


@protocol(
    "The .632+ bootstrap",
    forms={"632+:200": "632+:{rounds}"},
    also=(".632+:{rounds}",),
    estimand=MIXTURE,
    random=NO_INTERVALS,
    incomparable=UNKNOWN_SPREAD,
    reference="Efron & Tibshirani 1997, JASA 92:548",
)
@dataclass(frozen=True)
class Bootstrap632Plus(Bootstrap632):
    """The .632 estimate with more out-of-bag weight for a learner that overfits.

    Parameters
    ----------
    rounds : int, default 200
        Number of resamples.

    Notes
    -----
    The no-information value is the measure of predictions that are independent of the true labels, computed
    in one pass. An out-of-bag loss above it is cut to it.

    References
    ----------
    Efron & Tibshirani 1997, JASA 92:548.

    Examples
    --------
    >>> Bootstrap632Plus(200).name
    '632+:200'
    """

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """Estimate a measure by the mixture, without an interval.

        Parameters
        ----------
        folds : ModelFolds
            What the model predicted in every fold.
        measure : Measure
            The measure to estimate.
        level : float
            Confidence level of the interval.

        Returns
        -------
        Estimate
            The value without an interval.
        """
        errors = apparent_and_out(folds, measure)
        if isinstance(errors, str):
            return Estimate.undefined(errors)
        if measure.best not in (0, 1):
            return Estimate.undefined(
                f"{measure.name} is not a loss, and 1 minus its value is not a loss either"
            )
        none = _without_information(folds.of("apparent"), measure)
        if isinstance(none, str):
            return Estimate.undefined(none)
        if measure.best == 0:
            return _without_interval(point632plus(*errors, none).value)
        return _without_interval(1 - point632plus(*(1 - error for error in (*errors, none))).value)


@protocol(
    "Optimism bootstrap",
    forms={"optimism:200": "optimism:{rounds}"},
    estimand="performance of the model fitted to all cases: training value minus the mean optimism of "
    "bootstrap models",
    random=NO_INTERVALS,
    incomparable="the sampling variability of such a value is unknown; use 10x10",
    reference="Harrell, Lee & Mark 1996, Statistics in Medicine 15:361",
)
@dataclass(frozen=True)
class OptimismBootstrap(RoundsAndAll, Protocol):
    """Apparent performance minus the mean optimism in bootstrap samples, for TRIPOD.

    Parameters
    ----------
    rounds : int, default 200
        Number of resamples.

    References
    ----------
    Harrell, Lee & Mark 1996, Statistics in Medicine 15:361.

    Examples
    --------
    >>> OptimismBootstrap(200).name
    'optimism:200'
    """

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Return all cases, and a resample in each round, tested on all cases.

        Parameters
        ----------
        data : Dataset
            The cases to split.
        seed : int
            Start of all random numbers. Equal seeds give equal results.

        Returns
        -------
        iterator of Split
            The splits.
        """
        rows = data.cases.rows
        yield apparent(0, rows)
        for i in range(self.rounds):
            drawn, _ = draw(data.cases, seed, i)
            yield split(i + 1, drawn, np.arange(rows), repeat=i, distinct=np.unique(drawn).size)

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """Estimate a measure, optimism-corrected and within its range.

        Parameters
        ----------
        folds : ModelFolds
            What the model predicted in every fold.
        measure : Measure
            The measure to estimate.
        level : float
            Confidence level of the interval.

        Returns
        -------
        Estimate
            The value without an interval.
        """
        shown, reason = folds.of("apparent").value(measure)
        if reason is not None:
            return Estimate.undefined(reason)
        on_all, in_sample = folds.values(measure), folds.training_values(measure)
        if isinstance(in_sample, str):
            return Estimate.undefined(in_sample)
        keep = ~(np.isnan(on_all) | np.isnan(in_sample))
        if not keep.any():
            return Estimate.undefined(folds.why_undefined(measure))
        value = shown - optimism(in_sample[keep], on_all[keep])
        return Estimate.bare(float(np.clip(value, *measure.bounds)), NO_INTERVAL)


def _without_interval(value: float) -> Estimate:
    return Estimate.bare(value, INFINITE if np.isinf(value) else NO_INTERVAL)


def draw(cases: Cases, seed: int, round_: int) -> tuple[Array, Array]:
    """Rows drawn with replacement, in order, and the rows never drawn; whole clusters where there are any."""
    rng = stream(seed, f"bootstrap {round_}")
    if cases.cluster is None or cases.clusters is None:
        times = np.bincount(rng.integers(cases.rows, size=cases.rows), minlength=cases.rows)
    else:
        groups = len(cases.clusters)
        times = np.bincount(rng.integers(groups, size=groups), minlength=groups)[cases.cluster]
    return np.repeat(np.arange(cases.rows), times), np.flatnonzero(times == 0)


def out_of_bag(cases: Cases, rounds: int, seed: int, first: int) -> Iterator[Split]:
    """Yield a resample for training and the rows out of it, each round."""
    for i in range(rounds):
        drawn, out = draw(cases, seed, i)
        if not out.size:
            raise InputError(
                "A bootstrap sample has all cases or clusters, so none are left for testing. Use another "
                "protocol or more cases."
            )
        yield split(first + i, drawn, out, repeat=i, distinct=cases.rows - out.size)


def apparent_and_out(folds: ModelFolds, measure: Measure) -> tuple[float, float] | str:
    """Return the apparent value and that of the leave-one-out bootstrap, or why one is missing.

    A mean over cases is first averaged over the rounds of each case; any other measure is that of the pooled
    counts, or the mean over the rounds.
    """
    shown, reason = folds.of("apparent").value(measure)
    if reason is not None:
        return reason
    by_case = folds.mean_by_case(measure)
    if by_case is not None:
        return shown, by_case
    out, reason = folds.value(measure)
    return (shown, out) if reason is None else reason


def _without_information(folds: ModelFolds, measure: Measure) -> float | str:
    """Return a measure if the predictions of the model on its training cases were independent of the truth."""
    if measure.needs == "counts":
        matrix = folds.assessments[0].confusion_matrix
        assert matrix is not None
        return float(measure(without_information(matrix).one_vs_rest(folds.cases.positive)))
    if measure.is_of_matrix or folds.cases.is_binary:
        return float(measure(without_information(folds.table(measure, 0))))
    by_class = folds.mean_by_class(measure)
    if by_class is None:
        return f"the value of {measure.name} without information is unknown for more than two classes"
    return by_class


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
        """Return that of leave-one-out, where each test is one case."""
        return LeaveOneOut().random if leaves_one_out(places) else self.random

    def why_incomparable(self, places: Sequence[Place]) -> str | None:
        """Return the reason of leave-one-out, where each test is one case."""
        return LOO_DEPENDENT if leaves_one_out(places) else self.incomparable

    def count(self, data: Dataset) -> int:
        """As many as the splitter says, or yields."""
        if hasattr(self.splitter, "get_n_splits"):
            with complaints(self.splitter):
                return int(self.splitter.get_n_splits(data.X, data.y, data.cases.cluster))
        return super().count(data)

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Yield its splits; a random splitter without a random_state gets one from the seed."""
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
    """Check whether each of several tests is of one case."""
    tests = [place for place in places if place.kind == "test"]
    return len(tests) > 1 and all(place.n_test == 1 for place in tests)


def number_of_splits(splitter: Any) -> int | None:
    """Return how many splits a splitter gives, as far as it knows without data."""
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
    """Return a sample of each form of each protocol."""
    return [sample for kind in PROTOCOLS for sample in kind.about.forms]


def protocol_of(choice: Any) -> Protocol:
    """Return a protocol from its text, or from a splitter of scikit-learn; a protocol stays as it is.

    >>> protocol_of("10x10")
    StratifiedKFold(folds=10, repeats=10)
    >>> protocol_of("holdout:0.33").name
    'holdout:0.33'
    """
    if isinstance(choice, Protocol):
        return choice
    if isinstance(choice, str):
        return _named(choice)
    if hasattr(choice, "split") and not isinstance(choice, type):
        return of_splitter(choice)
    raise InputError(
        "protocol must be a text such as '10x10', a protocol such as classay.StratifiedKFold(10) or a "
        f"splitter of scikit-learn, but is {choice!r}."
    )


def _named(name: str) -> Protocol:
    text = name.strip().casefold().replace(" ", "")
    for kind in PROTOCOLS:
        if (named := kind.about.read(text, kind)) is not None:
            return named
    hint = nearest(text, samples()) or "."
    raise InputError(
        f"Unknown protocol {name!r}. Protocols: {some(samples())}, with any numbers. `classay protocols` lists all "
        f"protocols{hint}"
    )
