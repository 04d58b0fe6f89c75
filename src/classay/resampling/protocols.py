"""Protocols: how cases are split, what the result estimates, and what is random in it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from classay.columns.numbers import counted
from classay.errors import InputError, shown
from classay.inference.estimate import Estimate
from classay.inference.folds.resampled import by_repeat, corrected_interval
from classay.measures import Measure
from classay.resampling.data import Cases, Dataset
from classay.resampling.parts import Parts
from classay.resampling.splits import Place, Split, apparent, printed, seed_for, split

ONE_MODEL = (
    "Random are the test cases alone: the intervals are about the one model fitted to this training set, not "
    "about the learner on other training sets."
)
INFINITE = "it is infinite: some case's true class got probability 0"


@dataclass(frozen=True)
class Protocol:
    """How to split the cases, and how to estimate from what the splits show.

    `name` is the text that makes the same protocol; `what` says what it estimates, `random` what varies in it.
    """

    what: ClassVar[str] = ""
    incomparable: ClassVar[str | None] = None
    """Why two learners cannot be tested by folds of this kind, if they cannot."""

    def why_incomparable(self, places: Sequence[Place]) -> str | None:
        """Why two learners cannot be tested by these folds, if they cannot."""
        return self.incomparable

    @property
    def name(self) -> str:
        """The text that makes the same protocol."""
        raise NotImplementedError

    @property
    def random(self) -> str:
        """One sentence: what the intervals let vary."""
        return (
            "Random are the cases, for training and for testing, and the splits: the intervals are about the expected "
            "performance of models fitted to training sets of this size (corrected resampled t, a heuristic: on the "
            "safe side for stable learners; a little short for unstable ones, unless folds are repeated)."
        )

    def random_in(self, places: Sequence[Place]) -> str:
        """The same of these folds."""
        return self.random

    def count(self, data: Dataset) -> int:
        """How many splits there will be."""
        raise NotImplementedError

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """The splits, the same for the same data and seed. Raises InputError where the data do not allow them."""
        raise NotImplementedError

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """What to keep in mind about this protocol on these cases."""
        return ()

    def artefacts(self, baseline: Parts) -> tuple[str, ...]:
        """What the majority baseline shows that is owed to the protocol alone."""
        return ()

    def estimate(self, parts: Parts, measure: Measure, level: float) -> Estimate:
        """A measure with its interval; here the corrected resampled t."""
        value, reason = parts.value(measure)
        if reason is not None:
            return Estimate.undefined(reason)
        if np.isinf(value):
            return Estimate.bare(value, INFINITE)
        each = parts.contributions(measure)
        if isinstance(each, str):
            return Estimate.bare(value, each)
        if not np.isfinite(each).all():
            return Estimate.bare(value, "it is infinite in some folds")
        centred = each - each.mean() + value
        repeat, fold = (
            np.array([getattr(place, name) for place in parts.places]) for name in ("repeat", "fold")
        )
        repeated = by_repeat(centred, repeat, fold)
        found = corrected_interval(repeated, parts.test_over_train, level, measure.bounds)
        if isinstance(found, str):
            return Estimate.bare(value, found)
        return Estimate(value, found[0], found[1], level, found[2])

    def __str__(self) -> str:
        return self.name


def bare(parts: Parts, measure: Measure, why: str) -> Estimate:
    """The value of a measure without an interval."""
    value, reason = parts.value(measure)
    return Estimate.undefined(reason) if reason is not None else Estimate.bare(value, why)


def whole(value: Any, least: int, what: str) -> None:
    """Refuse what is no whole number from `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{what} is {value!r}: pass a whole number from {least}.")


def times(repeats: int) -> str:
    """The repeats at the end of a protocol's name."""
    return "" if repeats == 1 else f"x{repeats}"


@dataclass(frozen=True)
class Resubstitution(Protocol):
    """Fit and test on the same cases: the apparent performance, which is too good.

    >>> Resubstitution().name
    'resubstitution'
    """

    incomparable: ClassVar[str | None] = "it tests on the cases of training"
    what: ClassVar[str] = "the apparent performance, on the very cases the model was fitted to: too good"

    @property
    def name(self) -> str:
        """The text that makes the same protocol."""
        return "resubstitution"

    @property
    def random(self) -> str:
        """One sentence: what the intervals let vary."""
        return "Nothing out of sample was seen: there are no intervals, and the values are too good."

    def count(self, data: Dataset) -> int:
        """One."""
        return 1

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """All cases, for training and for testing."""
        yield apparent(0, data.cases.rows)

    def estimate(self, parts: Parts, measure: Measure, level: float) -> Estimate:
        """The apparent value, without an interval."""
        return bare(
            parts.of("apparent"),
            measure,
            "resubstitution: the cases of training, on which models look too good",
        )


@dataclass(frozen=True)
class Holdout(Protocol):
    """A share of the cases, stratified by class, is kept for testing; with repeats, at random each time.

    Once: an interval for this one model, from the test cases alone. Repeated: the test sets overlap, and the
    interval is the corrected resampled t. Whole clusters are held out where clusters are given.

    >>> Holdout(0.33).name, Holdout(0.33, repeats=30).name
    ('holdout:0.33', 'holdout:0.33x30')
    """

    share: float = 1 / 3
    repeats: int = 1
    what: ClassVar[str] = "performance of models fitted to a random part of the cases"

    def __post_init__(self) -> None:
        if isinstance(self.share, str) or not 0 < self.share < 1:
            raise InputError(
                f"the share held out is {self.share!r}: pass a share between 0 and 1, such as 0.33."
            )
        whole(self.repeats, 1, "repeats")

    @property
    def name(self) -> str:
        """The text that makes the same protocol."""
        return f"holdout:{self.share:.4g}{times(self.repeats)}"

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

    def estimate(self, parts: Parts, measure: Measure, level: float) -> Estimate:
        """The interval of the one test set, or the corrected one over the repeats."""
        if self.repeats > 1:
            return super().estimate(parts, measure, level)
        return parts.on_one_test_set(measure)


def folds_of(cases: Cases, folds: int, seed: int, repeat: int) -> Iterator[tuple[Any, Any]]:
    """Stratified folds, of whole clusters where there are any."""
    from sklearn.model_selection import StratifiedGroupKFold
    from sklearn.model_selection import StratifiedKFold as Stratified

    groups = None if cases.clusters is None else len(cases.clusters)
    if folds > (cases.rows if groups is None else groups):
        what = "cases" if groups is None else "clusters"
        raise InputError(f"there are {groups or cases.rows} {what} and {folds} folds: take fewer folds.")
    largest = int(cases.totals.max())
    if largest < folds:
        raise InputError(
            f"the largest of {len(cases.labels):,} classes occurs in {counted(largest)}, and there are {folds} folds: "
            "take fewer folds; or name another target, if this one measures something and is no label."
        )
    kind = Stratified if cases.cluster is None else StratifiedGroupKFold
    return split_rows(kind(folds, shuffle=True, random_state=seed_for(seed, f"folds {repeat}")), cases)


def split_rows(splitter: Any, cases: Cases, X: Any = None, y: Any = None) -> Iterator[tuple[Any, Any]]:
    """The splits of a splitter as row numbers, checked; its complaints as InputError, its warnings unheard."""
    rows = np.zeros((cases.rows, 1)) if X is None else X
    found = _begun(splitter, rows, cases.truth if y is None else y, cases.cluster)
    count = 0
    while (pair := _next(found, splitter)) is not None:
        count += 1
        yield _checked(pair, splitter, cases)
    if not count:
        raise InputError(f"{printed(splitter)} gives no splits.")


def _begun(splitter: Any, X: Any, y: Any, cluster: Any) -> Iterator[Any]:
    with complaints(splitter):
        return iter(splitter.split(X, y, cluster))


def _next(found: Iterator[Any], splitter: Any) -> Any:
    with complaints(splitter):
        return next(found, None)


@contextmanager
def complaints(splitter: Any) -> Iterator[None]:
    """Whatever a splitter raises, as an InputError; its warnings unheard."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small class: `few_of_a_class` says so
            yield
    except Exception as error:
        said = str(error) if type(error) is ValueError else shown(error)
        said = said.partition("\n")[0]
        raise InputError(f"the data cannot be split so ({type(splitter).__name__}): {said}") from error


def _checked(pair: Any, splitter: Any, cases: Cases) -> tuple[Any, Any]:
    """The row numbers of both sides of a split. Raises InputError for what cannot be a training set and a test set."""
    name = type(splitter).__name__
    if not (isinstance(pair, tuple | list) and len(pair) == 2):
        raise InputError(
            f"{name} gives a {type(pair).__name__} for a split: give two arrays of row numbers, for training and test."
        )
    sides = []
    for side, given in zip(("training", "test"), pair, strict=True):
        rows = np.asarray(given)
        if rows.dtype.kind not in "iu" or rows.ndim != 1:
            raise InputError(
                f"{name} gives {rows.dtype} values of shape {rows.shape} for the rows of {side}: give their numbers."
            )
        if not rows.size:
            raise InputError(f"{name} gives a split without rows for the {side}.")
        if rows.min() < 0 or rows.max() >= cases.rows:
            raise InputError(
                f"{name} gives row numbers from {int(rows.min())} to {int(rows.max())} for the {side}, and there are "
                f"{counted(cases.rows)}, the first of them 0."
            )
        sides.append(rows.astype(np.intp, copy=False))
    train, test = sides
    _refuse_torn(name, train, test, cases)
    return train, test


def _refuse_torn(name: str, train: Any, test: Any, cases: Cases) -> None:
    """Clusters were named so that no test knows a cluster of its training; a splitter that ignores them breaks that."""
    if cases.cluster is None or cases.clusters is None:
        return
    torn = np.intersect1d(cases.cluster[train], cases.cluster[test])
    if torn.size:
        raise InputError(
            f"{name} puts rows of {torn.size:,} clusters on both sides of a split, {cases.clusters[torn[0]]!r} for "
            "one: take a splitter that keeps groups together, as StratifiedGroupKFold does, or '10fold'."
        )


def few_of_a_class(cases: Cases, folds: int) -> tuple[str, ...]:
    """A note on classes that cannot be in every fold."""
    totals = np.bincount(cases.truth, minlength=len(cases.labels))
    return tuple(
        f"class {label!r} has {total} cases, fewer than {folds} folds: some folds have none of it"
        for label, total in zip(cases.labels, totals.tolist(), strict=True)
        if 0 < total < folds
    )
