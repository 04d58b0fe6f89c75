"""Randomness: the stream of each measure, and the canonical order in which cases, classes and models are drawn.

Canonical order: in which order classes, rows, clusters and models are drawn, which their content alone decides.

Draws belong to places. If the place of a case came from the order of the rows, or from a name, the same cases would
have other resamples and so other intervals. Scores enter by their ranks: a last bit that changes no order, which
`exp` and `log` give differently on two processors, then changes no draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.texts import hint

Array = NDArray[Any]
DRAWS = 2000


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the random stream of one measure: it depends on the seed and the name alone, not on the order of calls.

    >>> stream(0, "f1").integers(100) == stream(0, "f1").integers(100)
    np.True_
    """
    return np.random.default_rng([seed, *name.encode()])


def posterior_draws(
    cells: Array, prior: float | Array, rng: np.random.Generator, block: int = DRAWS, count: int = DRAWS
) -> Iterator[Array]:
    """Blocks of draws from the Dirichlet posterior of the cells' shares, `[draw, cell]`, scaled to the cases.

    `prior` is the part of a case put into each cell: where a cell is empty, every bootstrap resample leaves it
    empty too; these draws do not. (Gelman et al. 2013, Bayesian Data Analysis, 3rd ed., section 3.4.)
    """
    for start in range(0, count, block):
        shares = rng.standard_gamma(cells + prior, size=(min(block, count - start), cells.size))
        yield shares * (cells.sum() / shares.sum(-1, keepdims=True))


def percentile(values: Array, level: float) -> tuple[float, float]:
    """Return the central share `level` of replicates."""
    return quantile(values, (1 - level) / 2), quantile(values, (1 + level) / 2)


def quantile(values: Array, share: float) -> float:
    """The quantile of values, straight between them: that of `np.quantile`, which finds several at a time slowly.

    >>> quantile(np.array([3.0, 1.0, 2.0, 5.0]), 0.5)
    2.5
    """
    if np.isnan(values).any():
        return float("nan")
    place = share * (values.size - 1)
    below = min(int(place), values.size - 1)
    parted = np.partition(values, below)
    low = parted[below]
    high = parted[below + 1 :].min(initial=np.inf) if place > below else low
    part, gap = place - below, high - low
    # from the nearer of the two, as NumPy does
    return float(low + gap * part if part < 0.5 else high - gap * (1 - part))


def seed_of(seed: int | np.random.Generator) -> int:
    """Return a whole number to derive all streams from; a Generator is drawn from once."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if not isinstance(seed, int | np.integer) or seed < 0:
        kinds = hint("a whole number of at least 0, or a numpy Generator,", "a whole number of at least 0,")
        raise InputError(f"seed must be {kinds} but is {seed!r}.")
    return int(seed)


DIGITS = 10
"""Decimals of a sum of weights, as a share of the greatest, that are compared: the rest is rounding."""


def ranks(column: Array) -> Array:
    """Return the rank of each value among the distinct ones, from 0.

    >>> ranks(np.array([0.5, 0.1, 0.5])).tolist()
    [1, 0, 1]
    """
    return np.unique(column, return_inverse=True)[1].reshape(-1)


def row_numbers(columns: Sequence[Array]) -> Array:
    """Whole numbers from 0 that order rows by their columns, `(rows,)` each; equal rows have the same number.

    >>> row_numbers([np.array([1, 0, 1]), np.array([5, 7, 5])]).tolist()
    [1, 0, 1]
    """
    order = _sorted(columns)
    differs = np.zeros(order.size, bool)
    for column in columns:
        ordered = column[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    numbers = np.empty(order.size, np.int64)
    numbers[order] = np.cumsum(differs)
    return numbers


def order_of_clusters(cluster: Array, cell: Array, weight: Array | None = None) -> Array:
    """Codes of clusters in an order that their rows decide, `(rows,)`: by how many cells they are in, then which.

    `cluster` are codes of any kind, `cell` whole numbers by which rows are told apart. Rows of a cluster and cell
    count together, with their weight or number. Clusters with the same content change nothing by changing places.

    >>> order_of_clusters(np.array([7, 7, 3, 5]), np.array([1, 0, 2, 0])).tolist()
    [2, 2, 1, 0]
    """
    code = ranks(cluster)
    clusters, cells = int(code.max(initial=-1)) + 1, int(cell.max(initial=-1)) + 1
    met, which = np.unique(code.astype(np.int64) * cells + cell, return_inverse=True)
    sums = np.bincount(which.reshape(-1), weight)
    met, sums = met[sums > 0], sums[sums > 0]
    share = np.round(sums / sums.max(initial=0), DIGITS)
    owner, content = met // max(cells, 1), row_numbers([met % max(cells, 1), share])
    sizes = np.bincount(owner, minlength=clusters)
    starts = np.cumsum(sizes) - sizes
    place, done = np.empty(clusters, np.int64), 0
    for size in np.unique(sizes).tolist():
        of_size = np.flatnonzero(sizes == size)
        rows = content[starts[of_size][:, None] + np.arange(size)]
        place[of_size[np.lexsort(rows.T[::-1])] if size else of_size] = done + np.arange(of_size.size)
        done += of_size.size
    return place[code]


def order_of_classes(cells: Array) -> NDArray[np.int64]:
    """An order of the classes of a `[predicted, true]` matrix that only its cells decide, but for classes quite alike.

    >>> order_of_classes(np.array([[9.0, 2.0], [1.0, 3.0]])), order_of_classes(np.array([[3.0, 1.0], [2.0, 9.0]]))
    (array([1, 0]), array([0, 1]))
    """
    k = len(cells)
    return order_of_held(*np.divmod(np.arange(k * k), k), np.asarray(cells).ravel(), k)


def order_of_held(predicted: Array, true: Array, weight: Array | None, classes: int) -> NDArray[np.int64]:
    """The same of the cells that hold a case, or of one case a row, by the codes of both classes and what they hold."""
    w = np.ones(true.size) if weight is None else np.asarray(weight, np.float64)
    by_true, by_predicted = (
        [np.bincount(code, powers, classes) for powers in (w, w * w)] for code in (true, predicted)
    )
    hits = np.bincount(true, np.where(predicted == true, w, 0.0), classes)
    return np.lexsort((by_true[1], by_predicted[1], hits, by_predicted[0], by_true[0]))


def order_of_joint_classes(cells: Array) -> NDArray[np.int64]:
    """Return the same of joint cells `[true, first, second]`, whichever of the two classifiers is first.

    >>> cells = np.zeros((2, 2, 2)); cells[0, 0, 1], cells[1, 1, 1] = 3, 2
    >>> order_of_joint_classes(cells), order_of_joint_classes(cells.swapaxes(1, 2))
    (array([1, 0]), array([1, 0]))
    """
    at = np.arange(len(cells))
    both = [np.asarray(cells.sum(axis), np.float64) for axis in (2, 1)]
    alone = [(matrix.diagonal(), matrix.sum(0), (matrix**2).sum(1), (matrix**2).sum(0)) for matrix in both]
    keys = [part for a, b in zip(*alone, strict=True) for part in (a * b, a + b)]
    return np.lexsort((*keys, cells[at, at, at], cells.sum((1, 2))))


@dataclass(frozen=True, eq=False)
class OrderedRows:
    """Rows as they are ordered: the codes of their classes, and how they count.

    `weight` are sampling weights, `frequency` numbers of identical rows, `cluster` codes of any kind, each `(rows,)` or
    None; `more` are further columns that tell rows apart, as amounts do.
    """

    classes: Array
    weight: Array | None = None
    frequency: Array | None = None
    cluster: Array | None = None
    more: Sequence[Array] = ()

    def in_order(self, of_models: Mapping[str, Sequence[Array]]) -> tuple[Array, Array | None]:
        """The places of the rows in canonical order, `(rows,)`, and of each row the code of its cluster in theirs.

        Rows are sorted by class, by the ranks of what the models said, then by weight. The order of the models is that
        of what they say.

        >>> rows, a, b = OrderedRows(np.array([1, 0, 1])), np.array([0.3, 0.2, 0.1]), np.array([0.5, 0.6, 0.7])
        >>> rows.in_order({"a": [a], "b": [b]})[0], rows.in_order({"b": [b], "a": [a]})[0]
        (array([1, 0, 2]), array([1, 0, 2]))
        """
        models = [list(columns) for columns in of_models.values()]
        ranked = [self.classes, *(ranks(column) for k in self._models(models) for column in models[k])]
        if self.cluster is None:
            return _sorted([*ranked, *self._counted]), None
        times = self.weight if self.frequency is None else self.frequency
        codes = order_of_clusters(self.cluster, row_numbers([*ranked, *self.more]), times)
        return _sorted([*ranked, codes, *self._counted]), codes

    def is_symmetric(self, one: Array, other: Array) -> bool:
        """Check whether two models that change places leave the same rows: then their difference is symmetric about 0.

        >>> rows = OrderedRows(np.array([1, 1, 0]))
        >>> rows.is_symmetric(np.array([1, 2, 3]), np.array([2, 1, 3])), rows.is_symmetric(np.ones(3), np.zeros(3))
        (True, False)
        """
        joint = ranks(np.concatenate([one, other]))
        a, b = joint[: one.size], joint[one.size :]
        return self._content([a, b], self.cluster) == self._content([b, a], self.cluster)

    @property
    def _counted(self) -> list[Array]:
        columns = (self.weight, *self.more, self.frequency)
        return [column for column in columns if column is not None]

    def _models(self, models: Sequence[Sequence[Array]]) -> list[int]:
        """Return the places of models, in an order that depends on their predictions alone.

        Two models that say the same of each class, on other cases, are told apart by what they say jointly; models that
        rank alike by the values themselves.
        """
        contents = [self._content(columns) for columns in models]
        if len(contents) == 2 and contents[0] == contents[1]:
            one, other = models
            joint = (
                self._content([*pair[0], *pair[1]], self.cluster) for pair in ((one, other), (other, one))
            )
            return [0, 1] if next(joint) <= next(joint) else [1, 0]
        return sorted(range(len(contents)), key=contents.__getitem__)

    def _content(self, columns: Sequence[Array], cluster: Array | None = None) -> tuple[bytes, bytes]:
        """Return what the rows hold, whatever their order: ranks, and where these tie the values themselves."""
        rows = slice(None) if self.frequency is None else np.flatnonzero(self.frequency)
        values = [column[rows] for column in columns]
        counted = [ranks(column[rows]) for column in (self.weight, *self.more) if column is not None]
        ranked = [self.classes[rows], *map(ranks, values), *counted]
        times = None if self.frequency is None else self.frequency[rows]
        if cluster is not None:
            ranked = [order_of_clusters(cluster[rows], row_numbers(ranked), times), *ranked]
        number = row_numbers(ranked)
        _, first = np.unique(number, return_index=True)
        parts = [column[first] for column in ranked], [column[first] for column in values]
        sums = np.bincount(number, times).astype(np.int64)
        by_rank, by_value = (b"".join(column.tobytes() for column in part) for part in parts)
        return by_rank + sums.tobytes(), by_value


def _sorted(columns: Sequence[Array]) -> Array:
    return np.lexsort(tuple(reversed(columns)))
