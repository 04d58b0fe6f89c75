"""Training sets and test rows of a decomposition: where they come from, and how each round draws."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import TOLERANCE
from classay.errors import InputError, in_our_words, nearest
from classay.inference.draws import stream
from classay.kinds import OfKinds, shown
from classay.resampling.data import Cases, Dataset, Place, Split, label_array, rows_of
from classay.tables.checks import checked_labels
from classay.texts import an

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class MeanUnits:
    """How test rows count: by their sampling weights, and together with the rows of their cluster.

    `weight`, `(rows,)`, is None where all rows count the same; `cluster` are codes from 0 without a gap, None where
    rows are independent.
    """

    weight: Array | None = None
    cluster: Array | None = None

    @property
    def name(self) -> str:
        """What is independent."""
        return "row" if self.cluster is None else "cluster"

    @property
    def clusters(self) -> int | None:
        """Clusters that the rows lie in, None where rows are independent."""
        return None if self.cluster is None else int(self.cluster.max()) + 1

    def mean(self, values: Array) -> Array:
        """The mean over rows, the last axis, by their weights."""
        found: Array = np.average(values, axis=-1, weights=self.weight)
        return found

    def of(self, values: Array) -> Array:
        """Values of the independent units, whose plain mean is the mean over rows, and whose spread is its spread.

        For `(…, rows)` it is `(…, units)`. With m the mean over rows, e = Σ w (x - m) over the rows of one of the U
        units, and s its share of all weight, a unit has (U - 1) e / (Σw (1 - s)), moved so that the mean of them is m.
        Their variance over U is the jackknife's of m, which leaves out one unit at a time: units of one size have the
        linearised variance, large ones among small more, because each of them draws m towards itself.

        >>> MeanUnits(cluster=np.array([0, 0, 1])).of(np.array([1.0, 2.0, 6.0])).tolist()
        [0.75, 5.25]
        """
        if self.weight is None and self.cluster is None:
            return values
        weight = np.ones(values.shape[-1]) if self.weight is None else self.weight
        mean = self.mean(values)[..., None]
        parts = weight * (values - mean)
        if self.cluster is not None:
            order = np.argsort(self.cluster, kind="stable")
            starts = np.flatnonzero(np.diff(self.cluster[order], prepend=-1))
            parts = np.add.reduceat(parts[..., order], starts, axis=-1)
            weight = np.add.reduceat(weight[order], starts)
        total, units = weight.sum(), parts.shape[-1]
        moved = (units - 1) * parts / np.where(weight < total, total - weight, total)
        found: Array = moved - moved.mean(-1, keepdims=True) + mean
        return found


ALIKE = MeanUnits()
"""Rows that are independent and count the same."""


OF_THESE = (
    "Random: the test rows and the rounds, {drawn}: the intervals are about learners trained so on these training "
    "rows, and not about another sample of training rows."
)


@dataclass(frozen=True)
class DrawingScheme:
    """A way to draw training sets from the rows at hand.

    `size` gives the rows of a training set by default, from those there are and the number of rounds; `draw` the
    rows of one, from their number, its size, the seed and the number of the round. `most` is the largest size.
    """

    name: str
    title: str
    random: str
    size: Callable[[int, int], int]
    most: Callable[[int, int], float]
    draw: Callable[[int, int, int, int], Array]


def _bootstrap(rows: int, size: int, seed: int, number: int) -> Array:
    return np.sort(stream(seed, f"training set {number}").integers(rows, size=size))


def _subsample(rows: int, size: int, seed: int, number: int) -> Array:
    return np.sort(stream(seed, f"training set {number}").permutation(rows)[:size])


def _disjoint(rows: int, size: int, seed: int, number: int) -> Array:
    return np.sort(stream(seed, "training sets").permutation(rows)[number * size : (number + 1) * size])


SAMPLINGS = {
    each.name: each
    for each in (
        DrawingScheme(
            "bootstrap",
            "bootstrap samples",
            OF_THESE.format(drawn="whose training sets are drawn with replacement from the same rows"),
            lambda rows, rounds: rows,
            lambda rows, rounds: float("inf"),
            _bootstrap,
        ),
        DrawingScheme(
            "subsample",
            "random subsets",
            OF_THESE.format(drawn="whose training sets are subsets of the same rows"),
            lambda rows, rounds: rows // 2,
            lambda rows, rounds: rows - 1,
            _subsample,
        ),
        DrawingScheme(
            "disjoint",
            "disjoint parts",
            "Random: the test rows and the training sets, which share no row: the intervals are about the learner "
            "on other training sets of this size.",
            lambda rows, rounds: rows // rounds,
            lambda rows, rounds: rows // rounds,
            _disjoint,
        ),
    )
}
OF_POPULATION = (
    "Random: the test rows and the training sets, both drawn from the population: the intervals are about the "
    "learner on training sets of this size."
)


def sampling_named(name: Any) -> DrawingScheme:
    """A way of sampling by its name. Raises InputError."""
    if not isinstance(name, str) or name not in SAMPLINGS:
        near = nearest(str(name), SAMPLINGS) or "."
        raise InputError(
            f"sampling is {name!r}{near} Pass {', '.join(map(repr, SAMPLINGS))}, or a Population that draws new rows."
        )
    return SAMPLINGS[name]


@dataclass(frozen=True, eq=False)
class Population(OfKinds):
    """A source of rows whose classes' probabilities are known, so that noise is.

    `sample(n, rng)` gives n rows `(X, y)` by a NumPy Generator, `posterior(X)` the probability of each class at each
    row, `(rows, classes)`, in the order of `classes`.

    >>> def sample(n, rng):
    ...     x = rng.random((n, 1))
    ...     return x, (rng.random(n) < x[:, 0]).astype(int)
    >>> even = Population(sample, lambda x: np.c_[1 - x, x], classes=(0, 1))
    >>> even.rows(3, seed=0, purpose="test")[1].size
    3
    """

    sample: Callable[[int, np.random.Generator], tuple[Any, Any]] = field(repr=False)
    posterior: Callable[[Any], Any] = field(repr=False)
    classes: Sequence[Hashable]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(checked_labels([*self.classes])) < 2:
            raise InputError(f"classes of a population is {shown(self.classes)}: pass two labels or more.")

    def rows(self, n: int, seed: int, purpose: str) -> tuple[Any, Array]:
        """n rows and the codes of their classes. Raises InputError for what is none."""
        with in_our_words("sample of the population fails", "it must give (X, y) for (n, rng)."):
            drawn = self.sample(n, stream(seed, purpose))
        if not (isinstance(drawn, tuple) and len(drawn) == 2):
            raise InputError(
                f"sample of the population gives {an(type(drawn).__name__)}: let it give a pair (X, y)."
            )
        X, y = drawn
        labels = np.asarray(y)
        if not hasattr(X, "shape") or len(X.shape) != 2 or X.shape[0] != n or labels.shape != (n,):
            shape = getattr(X, "shape", None)
            raise InputError(
                f"sample of the population gives X of shape {shape} and y of shape {labels.shape} for {n} rows: give X "
                "with a row and y with a label for each."
            )
        index = {label: code for code, label in enumerate(self.classes)}
        known = [index.get(label) for label in labels.tolist()]
        if None in known:
            unknown = labels.tolist()[known.index(None)]
            raise InputError(
                f"sample of the population gives the class {unknown!r}, which is none of its classes "
                f"{', '.join(map(repr, self.classes))}."
            )
        return X, np.array(known, np.int64)

    def truth(self, X: Any) -> Array:
        """The distribution of the class at each row. Raises InputError for what is none."""
        with in_our_words("posterior of the population fails", "it must give (rows, classes) for X."):
            given = self.posterior(X)
        return distributions(given, X.shape[0], len(self.classes), "posterior of the population")


def distributions(given: Any, rows: int, classes: int, who: str) -> Array:
    """Probabilities of classes, one distribution a row. Raises InputError for what is none."""
    try:
        found = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{who} gives {an(type(given).__name__)}: give probabilities.") from None
    if found.shape != (rows, classes):
        raise InputError(
            f"{who} gives probabilities of shape {found.shape} for {rows} rows and {classes} classes: give a row of "
            "one for each class."
        )
    if not np.isfinite(found).all() or (found < 0).any() or (np.abs(found.sum(1) - 1) > TOLERANCE).any():
        raise InputError(
            f"{who} gives rows that are no probabilities: each must be from 0 to 1, and a row of sum 1."
        )
    return found


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
class TrainingSets:
    """Training sets by their number, and the test rows, whose classes are `truth`, `(rows, classes)`.

    `training_set(number)` gives the data of a round and its split: what to fit to, what to predict. `test_rows` are
    the numbers of the test rows as the caller knows them, `index` what a frame calls them; `drawn_from` the rows, or
    clusters, that training sets are drawn from, None for a population, which has no end. `X` shows the columns.
    """

    labels: tuple[Hashable, ...]
    truth: Array
    noise_known: bool
    test_rows: Array
    index: Index
    sampling: str
    random: str
    size: int
    drawn_from: int | None
    X: Any
    training_set: Callable[[int], tuple[Dataset, Split]]
    notes: tuple[str, ...] = ()
    units: MeanUnits = ALIKE


def from_rows(
    data: Dataset, groups: Sequence[Array] | Array, test: Array, draw: Callable[[int], Array]
) -> Callable[[int], tuple[Dataset, Split]]:
    """Training sets drawn from rows at hand, one by one or as whole clusters: `groups` of rows."""

    def training_set(number: int) -> tuple[Dataset, Split]:
        drawn = draw(number)
        rows = groups[drawn] if isinstance(groups, np.ndarray) else _joined(groups, drawn)
        return data, _split(number, rows, test)

    return training_set


def from_population(
    population: Population, size: int, seed: int, test: tuple[Any, Array]
) -> Callable[[int], tuple[Dataset, Split]]:
    """Training sets drawn from a population; `test` are features of the test rows and codes of their classes."""
    X_test, tested = test

    def training_set(number: int) -> tuple[Dataset, Split]:
        X, codes = population.rows(size, seed, f"training set {number}")
        both = np.concatenate([codes, tested])
        labels = tuple(population.classes)
        data = Stacked((X, X_test), label_array(labels)[both], plain_cases(labels, both))
        every = np.arange(both.size)
        return data, _split(number, every[:size], every[size:])

    return training_set


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
