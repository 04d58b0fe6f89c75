"""Features that no honest test should rest on: that know the target, number the rows, or never change."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.resampling.cells import Hashes, columns_of, sparse_rows

Array = NDArray[Any]
CHANCE = log(1e-9)
"""A feature is said to know the target when mere chance would make it look so less often than this."""
SAMPLE = 20_000
"""Rows by which most features are cleared; the others are looked at in full."""
IDENTIFIER_ROWS = 50
"""Rows from which on a column of distinct values is taken for an identifier."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A hash of each row; a bound on the number of different rows, from the values of the first `SAMPLE` ones."""

    hashes: Hashes
    combinations: float

    def with_labels(self, target: NDArray[np.int64]) -> Hashes:
        """A hash of each row together with its label."""
        return self.hashes + _salted(target)


def rows_of(X: Any, n: int) -> Rows:
    """The hashes of n rows of a table or a sparse matrix."""
    if hasattr(X, "tocsr"):
        return Rows(sparse_rows(X), float("inf"))
    hashes, combinations, sample = np.zeros(n, np.uint64), 1.0, _sample(n)
    for columns in columns_of(X):
        hashes += columns.hashes.sum(1, dtype=np.uint64)
        for column in columns.hashes[sample].T:
            combinations *= _distinct(column)
    return Rows(hashes, combinations)


@dataclass
class Suspects:
    """What one pass over the columns finds; `telling` are the features that know the target, and how."""

    target: NDArray[np.int64]
    telling: list[tuple[Any, str]] = field(default_factory=list)
    identifiers: list[Any] = field(default_factory=list)
    constant: list[Any] = field(default_factory=list)

    def look(self, name: Any, hashes: Hashes, numbers: Array | None) -> None:
        """Look at one column: the hashes of its cells, and their values where they are numbers."""
        sample = _sample(len(hashes))
        some, target = hashes[sample], self.target[sample]
        distinct = _distinct(some)
        if distinct == 1 and bool((hashes == hashes[0]).all()):
            self.constant.append(name)
        elif numbers is not None and _is_apart(numbers[sample], target) and _separates(numbers, self.target):
            self.telling.append((name, "a threshold on it separates the classes"))
        elif distinct == len(some):
            if _is_identifier(hashes, numbers):
                self.identifiers.append(name)
        elif _distinct(some + _salted(target)) == distinct and _decides(hashes, self.target):
            self.telling.append((name, f"each of its {_distinct(hashes):,} values goes with one label"))


def suspects(X: Any, target: NDArray[np.int64], rows: Rows) -> Suspects:
    """Look at all features; `target` are codes of the labels, -1 where there is none.

    A copy of a row proves nothing, so the first of equal rows with equal labels stands for all of them, unless the
    features have so few values that rows are equal by nature.
    """
    first: Any = slice(None)
    if rows.combinations > len(target):
        first = np.sort(np.unique(rows.with_labels(target), return_index=True)[1])
        first = first if len(first) < len(target) else slice(None)
    found = Suspects(target[first])
    if hasattr(X, "tocsr"):
        _look_at_pattern(X.tocsr()[first] != 0, found)
        return found
    for columns in columns_of(X):
        hashes, numbers = columns.hashes[first], columns.numbers
        for k, name in enumerate(columns.names):
            found.look(name, hashes[:, k], None if numbers is None else numbers[first, k])
    return found


def _look_at_pattern(pattern: Any, found: Suspects) -> None:
    """Look at where each column of a sparse matrix is nonzero."""
    totals = np.bincount(found.target[found.target >= 0])
    nonzero = np.stack([np.asarray(pattern[found.target == c].sum(0)).ravel() for c in range(len(totals))])
    found.constant = np.flatnonzero(nonzero.sum(0) == 0).tolist()
    if len(totals) == 2 and _chance_of_one_class(totals, totals) < CHANCE:
        is_one = (nonzero == totals[:, None]) & (nonzero[::-1] == 0)
        names = np.flatnonzero(is_one.any(0)).tolist()
        found.telling = [(name, "it is nonzero in one class and zero in the other") for name in names]


def _separates(numbers: Array, target: Array) -> bool:
    """Whether a threshold separates two classes, and chance would not."""
    n, ones = len(numbers), int((target == 1).sum())
    if target.max() != 1 or not ones:
        return False
    chance = log(2) - (lgamma(n + 1) - lgamma(ones + 1) - lgamma(n - ones + 1))
    return chance < CHANCE and _is_apart(numbers, target)


def _decides(hashes: Hashes, target: Array) -> bool:
    """Whether each value goes with one label, and chance would not make it so."""
    ordered = np.sort(hashes)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(hashes)))
    is_unlikely = _chance_of_one_class(sizes, np.bincount(target + 1)) < CHANCE
    return is_unlikely and _distinct(hashes + _salted(target)) == len(starts)


def _is_apart(values: Array, target: Array) -> bool:
    """Whether all values of one class lie below all of the other; a missing value says no."""
    first, second = values[target == 0], values[target == 1]
    if not (len(first) and len(second)):
        return True
    return bool(first.max() < second.min() or second.max() < first.min())


def _chance_of_one_class(sizes: Array, totals: Array) -> float:
    """Log of the chance that groups of these sizes are of one class each, were the labels drawn by these totals."""
    shares = totals[totals > 0] / totals.sum()
    size, times = np.unique(sizes, return_counts=True)
    return float(times @ np.log((shares[:, None] ** size).sum(0).clip(1e-300)))


def _is_identifier(hashes: Hashes, numbers: Array | None) -> bool:
    """Whether a column has another value in each row and is no measurement: codes; whole numbers in a run or order."""
    if len(hashes) < IDENTIFIER_ROWS or (numbers is not None and not _is_counting(numbers)):
        return False
    return _distinct(hashes) == len(hashes)


def _is_counting(numbers: Array) -> bool:
    """Whether these are whole numbers without wide gaps, or in order."""
    if numbers.dtype.kind not in "iu":
        return False
    steps = np.diff(numbers.astype(np.float64))
    return bool(np.ptp(numbers) < 2 * len(numbers) or (steps > 0).all() or (steps < 0).all())


def _sample(n: int) -> Array:
    """Row numbers, evenly spread."""
    return np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.int64)


def _salted(target: Array) -> Hashes:
    """What makes the hash of a value one of value and label."""
    salts: Hashes = (
        np.random.default_rng(0).integers(0, 2**63, int(target.max()) + 2).astype(np.uint64)[target]
    )
    return salts


def _distinct(hashes: Hashes) -> int:
    ordered = np.sort(hashes)
    return int((ordered[1:] != ordered[:-1]).sum()) + 1
