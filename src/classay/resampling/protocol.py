"""Protocols: how cases are split, what the result estimates, and what is random in it."""

from __future__ import annotations

import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeVar, get_args

import numpy as np

from classay.columns import code_labels
from classay.columns.numbers import counted
from classay.comparison.named_tests import ALLOWS, CORRECTED
from classay.errors import InputError, check_word, shown
from classay.inference.estimate import Estimate
from classay.inference.proportions import scale_of
from classay.kinds import shown as as_given
from classay.measures import Measure
from classay.resampling.data import Array, Cases, Dataset, Place, Split, dataset, printed, seed_for
from classay.resampling.folds import by_repeat, corrected_interval
from classay.resampling.model_folds import ModelFolds
from classay.shown import plot
from classay.texts import an, quote


def folds_of(cases: Cases, folds: int, seed: int, repeat: int) -> Iterator[tuple[Any, Any]]:
    """Stratified folds, of whole clusters where there are any."""
    from sklearn.model_selection import StratifiedGroupKFold
    from sklearn.model_selection import StratifiedKFold as Stratified

    groups = None if cases.clusters is None else len(cases.clusters)
    if folds > (cases.rows if groups is None else groups):
        what = "cases" if groups is None else "clusters"
        raise InputError(
            f"{folds} folds need at least {folds} {what}, but there are {groups or cases.rows}. Use fewer "
            "folds."
        )
    largest = int(cases.totals.max())
    if largest < folds:
        raise InputError(
            f"The largest of {len(cases.labels):,} classes has {counted(largest)}, but there are {folds} "
            "folds. Use fewer folds. If the target is a measurement, use another target."
        )
    kind = Stratified if cases.cluster is None else StratifiedGroupKFold
    return split_rows(kind(folds, shuffle=True, random_state=seed_for(seed, f"folds {repeat}")), cases)


def split_rows(splitter: Any, cases: Cases, X: Any = None, y: Any = None) -> Iterator[tuple[Any, Any]]:
    """Yield the splits of a splitter as row numbers, checked; its complaints as InputError, its warnings unheard."""
    rows = np.zeros((cases.rows, 1)) if X is None else X
    pairs = _begun(splitter, rows, cases.truth if y is None else y, cases.cluster)
    count = 0
    while (pair := _next(pairs, splitter)) is not None:
        count += 1
        yield _checked(pair, splitter, cases)
    if not count:
        raise InputError(f"{printed(splitter)} gives no splits. Use a splitter with at least one split.")


def _begun(splitter: Any, X: Any, y: Any, cluster: Any) -> Iterator[Any]:
    with complaints(splitter):
        return iter(splitter.split(X, y, cluster))


def _next(pairs: Iterator[Any], splitter: Any) -> Any:
    with complaints(splitter):
        return next(pairs, None)


@contextmanager
def complaints(splitter: Any) -> Iterator[None]:
    """Whatever a splitter raises, as an InputError; its warnings unheard."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small class: `few_of_a_class` says so
            yield
    except Exception as error:
        message = str(error) if type(error) is ValueError else shown(error)
        message = message.partition("\n")[0]
        raise InputError(f"{type(splitter).__name__} cannot split the data: {message}") from error


def _checked(pair: Any, splitter: Any, cases: Cases) -> tuple[Any, Any]:
    """The row numbers of both sides of a split. Raises InputError for what cannot be a training set and a test set."""
    name = type(splitter).__name__
    if not (isinstance(pair, tuple | list) and len(pair) == 2):
        raise InputError(
            f"{name} must give two arrays of row numbers for each split, training and test, but gives "
            f"{an(type(pair).__name__)}."
        )
    sides = []
    for side, indices in zip(("training", "test"), pair, strict=True):
        rows = np.asarray(indices)
        if rows.dtype.kind not in "iu" or rows.ndim != 1:
            raise InputError(
                f"{name} must give row numbers for the {side} rows, but gives {rows.dtype} values of shape "
                f"{rows.shape}."
            )
        if not rows.size:
            raise InputError(f"{name} gives a split without {side} rows.")
        if rows.min() < 0 or rows.max() >= cases.rows:
            raise InputError(
                f"{name} gives {side} rows from {int(rows.min())} to {int(rows.max())}, but there are "
                f"{counted(cases.rows)}, starting at 0."
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
            f"{name} puts rows of {counted(torn.size, 'cluster')} on both sides of a split, for example "
            f"{cases.clusters[torn[0]]!r}. Use a splitter that keeps groups together, such as "
            "StratifiedGroupKFold, or '10fold'."
        )


def few_of_a_class(cases: Cases, folds: int) -> tuple[str, ...]:
    """Return a note on classes that cannot be in every fold."""
    totals = np.bincount(cases.truth, minlength=len(cases.labels))
    return tuple(
        f"Class {quote(label)} has {counted(total, 'case')} for {folds} folds. Some folds have no case of "
        "this class."
        for label, total in zip(cases.labels, totals.tolist(), strict=True)
        if 0 < total < folds
    )


P = TypeVar("P", bound="Protocol")

TRAINING_AND_TEST = (
    "The intervals reflect sampling variability of the training and test cases and of the splits. "
    "They cover the expected performance of models fitted to training sets of this size. The "
    f"{CORRECTED} is a heuristic: {ALLOWS}."
)
_FIELD = re.compile(r"\{(\w+)\}")
_NUMBERS = {"int": r"\d+", "float": r"\d+/[1-9]\d*|0?\.\d+(?:e-\d+)?|\d(?:\.\d+)?e-\d+"}
_KINDS: dict[str, Callable[[str], int | float]] = {
    "int": int,
    "float": lambda text: float(Fraction(text) if "/" in text else text),
}


@dataclass(frozen=True)
class About:
    """What is known of a protocol beside its code.

    `forms` are its texts, a sample and the grammar of each: {"10x10": "{repeats}x{folds}"}, where braces hold fields of
    the dataclass; the shortest whose other fields have their defaults is its name. `also` are forms that are read and
    never written. `estimand` says what is estimated, `random` what the intervals let vary, `incomparable` why two
    learners cannot be tested by its folds, if they cannot.
    """

    title: str
    forms: Mapping[str, str]
    estimand: str
    random: str = TRAINING_AND_TEST
    incomparable: str | None = None
    also: tuple[str, ...] = ()
    reference: str | None = None

    def name_of(self, protocol: Protocol) -> str:
        """Return the text that makes the same protocol."""
        values = {field.name: getattr(protocol, field.name) for field in fields(protocol)}
        changed = {field.name for field in fields(protocol) if values[field.name] != field.default}
        required = {field.name for field in fields(protocol) if field.default is MISSING}
        telling = [form for form in self.forms.values() if changed | required <= {*_FIELD.findall(form)}]
        shortest = min(telling, key=lambda form: len(_FIELD.findall(form)))
        return shortest.format(**{name: _written(value) for name, value in values.items()})

    def read(self, text: str, kind: type[P]) -> P | None:
        """Return the protocol of its class that the text means, or None where it has none of its forms."""
        kinds = {field.name: getattr(field.type, "__name__", str(field.type)) for field in fields(kind)}
        for form in (*self.forms.values(), *self.also):
            met = re.fullmatch(_pattern(form, kinds), text)
            if met:
                return kind(**{name: _KINDS[kinds[name]](value) for name, value in met.groupdict().items()})
        return None


def protocol(
    title: str,
    *,
    forms: Mapping[str, str],
    estimand: str,
    random: str = TRAINING_AND_TEST,
    incomparable: str | None = None,
    also: tuple[str, ...] = (),
    reference: str | None = None,
) -> Callable[[type[P]], type[P]]:
    """Say what is known of a protocol, a frozen dataclass; the arguments are those of `About`."""
    about = About(title, forms, estimand, random, incomparable, also, reference)

    def known(kind: type[P]) -> type[P]:
        kind.about = about
        return kind

    return known


def _pattern(form: str, kinds: Mapping[str, str]) -> str:
    """Return the regular expression of a form."""
    literal, *rest = _FIELD.split(form)
    pattern = re.escape(literal)
    for name, after in zip(rest[::2], rest[1::2], strict=True):
        pattern += f"(?P<{name}>{_NUMBERS[kinds[name]]}){re.escape(after)}"
    return pattern


def _written(value: Any) -> str:
    """Return a number as `_NUMBERS` reads it back, to the last digit: 0.33, 1/3, 5e-05."""
    if isinstance(value, int | np.integer):
        return str(value)
    exact = float(value)
    ratio = Fraction(exact).limit_denominator(100)
    return str(ratio) if len(repr(exact)) > 8 and float(ratio) == exact else repr(exact)


Sorting = Literal["row", "class"]
MOST_PLANNED = 30
"""Splits that a picture shows."""


@dataclass(frozen=True, eq=False)
class SplitPlan:
    """Which case is where in each split: `times`, `(splits, cases)`, has -1 for tested, else how often it trains.

    A case of 0 is left out. `truth` are codes into `labels`; `cluster` codes, or None. `names` are those of the splits,
    of which there are `planned` in all.
    """

    protocol: str
    names: tuple[str, ...]
    times: Any
    truth: Any
    labels: tuple[Any, ...]
    cluster: Any
    planned: int

    @classmethod
    def of(
        cls,
        protocol: Protocol,
        cases: Cases,
        seed: int,
        places: Sequence[Place] = (),
        most: int = MOST_PLANNED,
    ) -> SplitPlan:
        """Return the plan of a protocol; `places` are those of an evaluation, which say what was tested indeed.

        Raises InputError where the cases do not allow the protocol. Where an evaluation was made by splits that cannot
        be drawn anew, as of a splitter that looks at the features, all cases that are not tested are shown as training.
        """
        blank = Dataset(np.zeros((cases.rows, 1)), cases.truth, cases)
        planned = sum(place.kind == "test" for place in places)
        drawn: list[tuple[Place, Any]] = []
        try:
            for split in protocol.splits(blank, seed):
                if split.place.kind == "test" and len(drawn) < most:
                    drawn.append((split.place, np.bincount(split.train, minlength=cases.rows)))
                if len(drawn) == most and places:
                    break
                planned += not places and split.place.kind == "test"
        except InputError:
            if not places:
                raise
        known = {place.number: place for place in places}
        if places and not all(
            place.number in known and np.array_equal(place.test, known[place.number].test)
            for place, _ in drawn
        ):
            tested = [place for place in places if place.kind == "test"][:most]
            drawn = [(place, np.ones(cases.rows, np.int64)) for place in tested]
        if not drawn:
            raise InputError(f"{protocol.name} tests on the training cases, so it has no folds to draw.")
        times = np.stack([counts for _, counts in drawn])
        for row, (place, _) in zip(times, drawn, strict=True):
            if place.n_test < cases.rows:  # where all cases are tested, what is drawn tells the splits apart
                row[place.test] = -1
        return cls(
            protocol.name,
            _names([place for place, _ in drawn]),
            times,
            cases.truth,
            cases.labels,
            cases.cluster,
            planned,
        )

    def frame(self) -> Any:
        """A PyArrow table with a row for each split and case: split, row, class, and times trained on or tested."""
        import pyarrow as pa

        splits, cases = self.times.shape
        flat = self.times.ravel()
        return pa.table(
            {
                "split": np.repeat(np.array(self.names, object), cases).tolist(),
                "row": np.tile(np.arange(cases), splits),
                "class": [str(self.labels[code]) for code in self.truth.tolist()] * splits,
                "trained": np.maximum(flat, 0),
                "tested": flat < 0,
            }
        )


def _names(places: Sequence[Place]) -> tuple[str, ...]:
    """Return what splits are called: rounds, folds, or folds of repeats."""
    if not any(place.repeat for place in places):
        return tuple(f"fold {place.fold + 1}" for place in places)
    if not any(place.fold for place in places):
        return tuple(f"round {place.repeat + 1}" for place in places)
    return tuple(map(str, places))


ONE_MODEL = (
    "The intervals reflect sampling variability of the test cases. They cover the model fitted to "
    "this training set. Other training sets are not covered."
)
INFINITE = "the value is infinite because the true class of some case has probability 0"


@dataclass(frozen=True)
class Protocol(ABC):
    """How to split the cases, and how to estimate from the splits.

    A subclass is a frozen dataclass with the decorator `protocol`, which states its properties (`about`),
    and with `splits`. `estimate` gives the corrected resampled t unless it is overridden.
    """

    about: ClassVar[About]

    def why_incomparable(self, places: Sequence[Place]) -> str | None:
        """Return the reason why these folds test no two learners, or None."""
        return self.incomparable

    @property
    def name(self) -> str:
        """Text that makes the same protocol."""
        return self.about.name_of(self)

    @property
    def described(self) -> str:
        """Name with a description."""
        return f"{self.name} ({self.about.title[:1].lower()}{self.about.title[1:]})"

    @property
    def estimand(self) -> str:
        """What is estimated."""
        return self.about.estimand

    @property
    def incomparable(self) -> str | None:
        """Reason why such folds test no two learners, or None."""
        return self.about.incomparable

    @property
    def random(self) -> str:
        """What the intervals cover, in one sentence."""
        return self.about.random

    def random_in(self, places: Sequence[Place]) -> str:
        """Return what the intervals of these folds cover, in one sentence."""
        return self.random

    def count(self, data: Dataset) -> int:
        """Return how many splits there will be."""
        return sum(1 for _ in self.splits(data, 0))

    @abstractmethod
    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """The splits, the same for the same data and seed. Raises InputError where the data do not allow them."""

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """Return remarks about this protocol on these cases."""
        return ()

    def artefacts(self, baseline: ModelFolds) -> tuple[str, ...]:
        """Return what the majority-class baseline shows because of the protocol only."""
        return ()

    def overlap(self, folds: ModelFolds) -> float:
        """Return the ratio of test to training cases, for the corrected interval.

        It accounts for the overlap of training sets.
        """
        return folds.test_over_train

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """Estimate a measure with its interval, the corrected resampled t.

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
            The value with its interval.
        """
        return self.corrected(folds, measure, level)

    def corrected(
        self, folds: ModelFolds, measure: Measure, level: float, than: Array | None = None
    ) -> Estimate:
        """Estimate a measure by the corrected resampled t.

        Parameters
        ----------
        folds : ModelFolds
            What the model predicted in every fold.
        measure : Measure
            The measure to estimate.
        level : float
            Confidence level of the interval.
        than : array, optional
            Class slopes of the measure that it is compared with on the same cases.

        Returns
        -------
        Estimate
            The value with its interval.
        """
        value, reason = folds.value(measure)
        if reason is not None:
            return Estimate.undefined(reason)
        if np.isinf(value):
            return Estimate.bare(value, INFINITE)
        contributions = folds.contributions(measure)
        if isinstance(contributions, str):
            return Estimate.bare(value, contributions)
        if not np.isfinite(contributions).all():
            return Estimate.bare(value, "the value is infinite in some folds")
        centred = contributions - contributions.mean() + value
        repeat, fold = (
            np.array([getattr(place, name) for place in folds.places]) for name in ("repeat", "fold")
        )
        repeated = by_repeat(centred, repeat, fold)
        hidden = folds.hidden(measure, than)
        scale = scale_of(measure.bounds)
        limits = corrected_interval(repeated, self.overlap(folds), level, measure.bounds, hidden, scale)
        if isinstance(limits, str):
            return Estimate.bare(value, limits)
        return Estimate(value, limits[0], limits[1], level, limits[2])

    def on(self: P, cases: Cases, seed: int, places: Sequence[Place]) -> P:
        """Return the same protocol with the cases that it split.

        `plan` and `plot` then show them by default.

        Parameters
        ----------
        cases : Cases
            The cases.
        seed : int
            Start of all random numbers.
        places : sequence of Place
            Places of the folds.

        Returns
        -------
        Protocol
            A copy with the cases.
        """
        planned = copy(self)
        object.__setattr__(
            planned, "_split", (cases, seed, tuple(places))
        )  # no field: it changes neither name nor ==
        return planned

    def plan(self, y: Any = None, *, cluster: Any = None, seed: int = 0) -> SplitPlan:
        """Return which case is in which fold.

        Parameters
        ----------
        y : array-like, optional
            True labels. The default is the cases of the evaluation, `e.protocol.plan()`.
        cluster : array-like, optional
            Cluster of each row. Rows of one cluster are never on both sides of a split.
        seed : int, default 0
            Start of all random numbers. Equal seeds give equal results.

        Returns
        -------
        SplitPlan
            The folds of each case.

        Raises
        ------
        InputError
            If there are no labels, or they do not allow the protocol.

        Examples
        --------
        >>> from classay import StratifiedKFold
        >>> plan = StratifiedKFold(3).plan([0, 0, 0, 1, 1, 1])
        >>> plan.names, (plan.times == -1).sum(1).tolist()
        (('fold 1', 'fold 2', 'fold 3'), [2, 2, 2])
        """
        known: Any = getattr(self, "_split", None)
        if y is None and known is None:
            raise InputError(
                "There are no cases to split. Pass the labels, as in ca.StratifiedKFold(5).plot(y=y), or use the "
                "protocol of an evaluation."
            )
        if y is None:
            cases, seed, places = known
            return SplitPlan.of(self, cases, seed, places)
        labels = code_labels(y, "y").labels
        positive = labels[-1] if len(labels) == 2 else None  # which class is positive plays no part
        cases = dataset("", np.zeros((len(y), 1)), y, positive, None, cluster).cases
        return SplitPlan.of(self, cases, seed)

    def plot(
        self, ax: Any = None, *, y: Any = None, cluster: Any = None, seed: int = 0, by: Sorting = "row"
    ) -> Any:
        """Draw which case is trained on and tested in each split.

        Of many cases every k-th is drawn, of many splits the first 30. The picture needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on. The default is new axes.
        y : array-like, optional
            True labels. The default is the cases of the evaluation.
        cluster : array-like, optional
            Cluster of each row. Rows of one cluster are never on both sides of a split.
        seed : int, default 0
            Start of all random numbers. Equal seeds give equal results.
        by : {"row", "class"}, default "row"
            Order of the cases. "class" shows that folds are stratified.

        Returns
        -------
        matplotlib axes
            The axes with the picture.

        Raises
        ------
        InputError
            If `plan` raises it.
        """
        check_word("by", by, get_args(Sorting))
        return plot(self.plan(y, cluster=cluster, seed=seed), ax, by=by)

    def __str__(self) -> str:
        return self.name


def bare(folds: ModelFolds, measure: Measure, why: str) -> Estimate:
    """Return the value of a measure without an interval."""
    value, reason = folds.value(measure)
    return Estimate.undefined(reason) if reason is not None else Estimate.bare(value, why)


def whole(value: Any, least: int, what: str) -> None:
    """Refuse what is no whole number from `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{what} must be a whole number from {least}, but is {as_given(value)}.")
