"""Training sets: how each round draws its own, from rows at hand or from a population that is known."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import TOLERANCE
from classay.errors import InputError, in_our_words, nearest
from classay.inference.draws import stream
from classay.texts import an

Array = NDArray[Any]
OF_THESE = (
    "Random: the test rows and the rounds, {drawn}: the intervals are about learners trained so on these training "
    "rows, and not about another sample of training rows."
)


@dataclass(frozen=True)
class Sampling:
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
        Sampling(
            "bootstrap",
            "bootstrap samples",
            OF_THESE.format(drawn="whose training sets are drawn with replacement from the same rows"),
            lambda rows, rounds: rows,
            lambda rows, rounds: float("inf"),
            _bootstrap,
        ),
        Sampling(
            "subsample",
            "random subsets",
            OF_THESE.format(drawn="whose training sets are subsets of the same rows"),
            lambda rows, rounds: rows // 2,
            lambda rows, rounds: rows - 1,
            _subsample,
        ),
        Sampling(
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


def sampling_named(name: Any) -> Sampling:
    """A way of sampling by its name. Raises InputError."""
    if not isinstance(name, str) or name not in SAMPLINGS:
        near = nearest(str(name), SAMPLINGS) or "."
        raise InputError(
            f"sampling is {name!r}{near} Pass {', '.join(map(repr, SAMPLINGS))}, or a Population that draws new rows."
        )
    return SAMPLINGS[name]


@dataclass(frozen=True, eq=False)
class Population:
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
