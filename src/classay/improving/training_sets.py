"""Training sets: where those of a decomposition come from, and what a loss would be with larger ones.

A loss at larger sizes is extrapolated from a learning curve, on the assumption that a power law holds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.columns.scales import TOLERANCE
from classay.errors import InputError, in_our_words, nearest
from classay.inference.draws import stream
from classay.inference.estimate import Estimate
from classay.kinds import TypedFields, shown
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
        """Return the mean over rows, the last axis, by their weights."""
        means: Array = np.average(values, axis=-1, weights=self.weight)
        return means

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
        spread_values: Array = moved - moved.mean(-1, keepdims=True) + mean
        return spread_values


ALIKE = MeanUnits()
"""Rows that are independent and count the same."""


OF_THESE = (
    "The intervals reflect variability of the test rows and of the training sets, {drawn}. They "
    "cover learners trained on such sets of these rows. Another sample of training rows is not "
    "covered."
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
    scheme.name: scheme
    for scheme in (
        DrawingScheme(
            "bootstrap",
            "bootstrap samples",
            OF_THESE.format(drawn="drawn with replacement from the same rows"),
            lambda rows, rounds: rows,
            lambda rows, rounds: float("inf"),
            _bootstrap,
        ),
        DrawingScheme(
            "subsample",
            "random subsets",
            OF_THESE.format(drawn="subsets of the same rows"),
            lambda rows, rounds: rows // 2,
            lambda rows, rounds: rows - 1,
            _subsample,
        ),
        DrawingScheme(
            "disjoint",
            "disjoint parts",
            "The intervals reflect variability of the test rows and of the training sets, which share no "
            "row. They cover the learner on other training sets of this size.",
            lambda rows, rounds: rows // rounds,
            lambda rows, rounds: rows // rounds,
            _disjoint,
        ),
    )
}
OF_POPULATION = (
    "The intervals reflect variability of the test rows and of the training sets, both drawn from "
    "the population. They cover the learner on training sets of this size."
)


def sampling_named(name: Any) -> DrawingScheme:
    """Return a way of sampling by its name. Raises InputError."""
    if not isinstance(name, str) or name not in SAMPLINGS:
        near = nearest(str(name), SAMPLINGS) or "."
        raise InputError(
            f"sampling must be one of {', '.join(map(repr, SAMPLINGS))}, or a Population that draws new rows, "
            f"but is {name!r}{near}"
        )
    return SAMPLINGS[name]


@dataclass(frozen=True, eq=False)
class Population(TypedFields):
    """Source of rows with known probabilities of their classes.

    So the noise is known too.

    Parameters
    ----------
    sample : callable
        `sample(n, rng)` gives n rows `(X, y)` by a NumPy Generator.
    posterior : callable
        `posterior(X)` gives the probability of each class at each row, `(rows, classes)`, in the order of
        `classes`.
    classes : sequence
        The classes.

    Examples
    --------
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
            raise InputError(
                f"classes of a population must be two or more labels, but is {shown(self.classes)}."
            )

    def rows(self, n: int, seed: int, purpose: str) -> tuple[Any, Array]:
        """Draw rows with the codes of their classes.

        Parameters
        ----------
        n : int
            Number of rows.
        seed : int
            Start of all random numbers.
        purpose : str
            Name of the stream of random numbers.

        Returns
        -------
        tuple of (X, array)
            The rows and the codes of their classes.

        Raises
        ------
        InputError
            If `sample` gives something else.
        """
        with in_our_words("sample of the population fails", "it must give (X, y) for (n, rng)."):
            drawn = self.sample(n, stream(seed, purpose))
        if not (isinstance(drawn, tuple) and len(drawn) == 2):
            raise InputError(
                f"sample of the population must return a pair (X, y), but returns {an(type(drawn).__name__)}."
            )
        X, y = drawn
        labels = np.asarray(y)
        if not hasattr(X, "shape") or len(X.shape) != 2 or X.shape[0] != n or labels.shape != (n,):
            shape = getattr(X, "shape", None)
            raise InputError(
                f"sample of the population returns X of shape {shape} and y of shape {labels.shape} for {n} rows. "
                "Return X with one row and y with one label for each."
            )
        index = {label: code for code, label in enumerate(self.classes)}
        known = [index.get(label) for label in labels.tolist()]
        if None in known:
            unknown = labels.tolist()[known.index(None)]
            raise InputError(
                f"sample of the population returns the unknown class {unknown!r}. Classes: "
                f"{', '.join(map(repr, self.classes))}."
            )
        return X, np.array(known, np.int64)

    def truth(self, X: Any) -> Array:
        """Return the distribution of the class at each row.

        Raises
        ------
        InputError
            If `posterior` gives something else.
        """
        with in_our_words("posterior of the population fails", "it must give (rows, classes) for X."):
            posterior = self.posterior(X)
        return distributions(posterior, X.shape[0], len(self.classes), "posterior of the population")


def distributions(posterior: Any, rows: int, classes: int, who: str) -> Array:
    """Probabilities of classes, one distribution a row. Raises InputError for what is none."""
    try:
        chances = np.asarray(posterior, np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{who} must return probabilities, but returns {an(type(posterior).__name__)}."
        ) from None
    if chances.shape != (rows, classes):
        raise InputError(
            f"{who} returns probabilities of shape {chances.shape} for {rows} rows and {classes} classes. "
            "Return one row of class probabilities for each row."
        )
    if (
        not np.isfinite(chances).all()
        or (chances < 0).any()
        or (np.abs(chances.sum(1) - 1) > TOLERANCE).any()
    ):
        raise InputError(
            f"{who} returns rows that are not probabilities. Return numbers from 0 to 1 with a sum of 1 in "
            "each row."
        )
    return chances


Index = tuple[int | str, ...] | None


@dataclass(frozen=True, eq=False)
class Stacked(Dataset):
    """Two sets of rows as one, `X` being the pair: rows of the second are numbered after those of the first."""

    def take(self, rows: Array) -> Any:
        """Return a copy of the features of these rows, all of one of the two sets."""
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
    """Return the rows of several groups, those of a group that was drawn twice two times."""
    rows: Array = np.sort(np.concatenate([groups[k] for k in drawn]))
    return rows


def plain_cases(labels: tuple[Hashable, ...], codes: Array) -> Cases:
    """Cases of no cluster and weight 1; which of two classes is called positive changes nothing here."""
    return Cases("", codes, labels, labels[1] if len(labels) == 2 else None)


def _split(number: int, train: Array, test: Array) -> Split:
    place = Place(number, "test", number, 0, test, int(np.count_nonzero(np.bincount(train))))
    return Split(train, place, shows_training=False)


RATES = np.geomspace(0.05, 3.0, 160)
"""Exponents tried: from a curve that hardly falls to one that is flat at once."""
FEWEST = 4
"""Points that a law of three parameters needs, and one more."""
DRAWS = 2000
METHOD = "extrapolation by a power law"


@dataclass(frozen=True, eq=False)
class Points:
    """Mean losses at several training sizes, `(sizes,)`, the covariance of their errors, and its degrees of freedom."""

    sizes: Array
    losses: Array
    covariance: Array
    df: float

    def up_to(self, size: float) -> Points:
        """Return those of sizes up to this one."""
        kept = self.sizes <= size
        return Points(self.sizes[kept], self.losses[kept], self.covariance[np.ix_(kept, kept)], self.df)

    def draws(self, seed: int, purpose: str) -> Array:
        """Losses as they might have come out, `(draws, sizes)`: Student's t around those seen."""
        rng = stream(seed, purpose)
        values, vectors = np.linalg.eigh(self.covariance)
        normal = rng.standard_normal((DRAWS, self.sizes.size)) * np.sqrt(np.maximum(values, 0))
        scale = np.sqrt(self.df / rng.chisquare(self.df, (DRAWS, 1)))
        draws: Array = self.losses + scale * (normal @ vectors.T)
        return draws


def power_law(sizes: ArrayLike, losses: ArrayLike, weights: ArrayLike, at: ArrayLike) -> Array:
    """a + b n^-c at sizes `at`, fitted by weighted least squares with a, b >= 0 and c in a grid from 0.05 to 3.

    `losses` are `(…, sizes)`, for each its own fit; the result is `(…, at)`. A curve that does not fall is a
    constant.

    >>> n = np.array([10, 20, 40, 80, 160])
    >>> power_law(n, 0.1 + 2 / n, np.ones(5), [320]).round(3).tolist()
    [0.106]
    """
    n, y, w = (np.asarray(column, np.float64) for column in (sizes, losses, weights))
    w, wanted, top = w / w.sum(), np.asarray(at, np.float64), n.max()
    x = (n / top) ** -RATES[:, None]
    a, b = _lines(x, y, w)
    middle = (w * y).sum(-1, keepdims=True)
    # the error of a + b x, all rates at once, around the mean of the losses so that no digit is lost in large ones
    square, with_x, start = w * x * x, (y - middle) @ (w * x).T, a - middle
    error = start * start + 2 * start * b * (w * x).sum(-1) + b * b * square.sum(-1) - 2 * b * with_x
    best = error.argmin(-1)[..., None]
    a, b = (np.take_along_axis(lines, best, -1) for lines in (a, b))
    expected: Array = a + b * (wanted / top) ** -RATES[best]
    return expected


def _lines(x: Array, y: Array, w: Array) -> tuple[Array, Array]:
    """Intercepts and slopes of each y, `(…, sizes)`, on each x, `(rates, sizes)`, all at least 0; Σw = 1."""
    middle, mean = (x @ w)[:, None], (y @ w)[..., None]
    gaps = w * (x - middle)
    b = np.maximum(y @ gaps.T / (gaps * (x - middle)).sum(-1), 0.0)
    a = mean - b * middle[:, 0]
    through = np.maximum(y @ (w * x).T / (w * x * x).sum(-1), 0.0)
    is_below = a < 0
    return np.where(is_below, 0.0, a), np.where(is_below, through, b)


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """What a learning curve promises at sizes beyond its points.

    `estimate` is the loss at `size`, `change` what that is less than the loss at the largest size seen (below 0 where
    more cases help). `expected` and `seen` are the loss at the largest size, as extrapolated from sizes up to half of
    it, and as it came out; `miss` is their difference. Where its interval leaves out 0, the law does not hold for this
    curve, and `estimate` and `change` are undefined. `path` are (size, value, low, high) on the way.
    """

    size: int
    estimate: Estimate
    change: Estimate
    expected: Estimate
    seen: Estimate
    miss: Estimate
    path: tuple[tuple[float, float, float, float], ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the same extrapolation from half of the data came true on the rest."""
        return bool(self.miss.has_interval and self.miss.low <= 0 <= self.miss.high)


def extrapolate(points: Points, seen: Estimate, level: float, seed: int) -> Extrapolation | str:
    """Return the extrapolation to twice the largest size, checked by that from half of it; or why there is none."""
    top = int(points.sizes.max())
    half = points.up_to(top / 2)
    if half.sizes.size < FEWEST:
        return (
            f"extrapolation needs at least {FEWEST} sizes up to half of the largest, but there are "
            f"{half.sizes.size}"
        )
    if not np.isfinite(points.covariance).all() or not (np.diag(points.covariance) > 0).all():
        return "some size shows no variation, so the points cannot be weighted"
    draws = points.draws(seed, "learning curve")
    known = half.sizes.size
    early, early_draws = _at(half, half.losses, [top])[0], _at(half, draws[:, :known], [top])[:, 0]
    miss = _found(points.losses[-1] - early, draws[:, -1] - early_draws, level)
    expected = _found(early, early_draws, level)
    sizes = np.linspace(top, 2 * top, 9)
    line, lines = _at(points, points.losses, sizes), _at(points, draws, sizes)
    low, high = np.quantile(lines, [(1 - level) / 2, (1 + level) / 2], axis=0)
    path = tuple(zip(sizes.tolist(), line.tolist(), low.tolist(), high.tolist(), strict=True))
    if not miss.low <= 0 <= miss.high:
        why = "the same extrapolation from half of the cases missed the observed value"
        return Extrapolation(2 * top, Estimate.undefined(why), Estimate.undefined(why), expected, seen, miss)
    extrapolated = _found(line[-1], lines[:, -1], level)
    change = _found(line[-1] - line[0], lines[:, -1] - lines[:, 0], level)
    return Extrapolation(2 * top, extrapolated, change, expected, seen, miss, path)


def _at(points: Points, losses: Array, at: ArrayLike) -> Array:
    return power_law(points.sizes, losses, 1 / np.diag(points.covariance), at)


def _found(value: float, draws: Array, level: float) -> Estimate:
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(
        float(value), min(float(low), float(value)), max(float(high), float(value)), level, METHOD
    )
