"""Features that no honest test should rest on: that know the target, number the rows, or never change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.resampling.leaks.cell_hashes import Hashes, columns_of, sparse_rows

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
        for distinct in _distinct_each(columns.hashes[sample]).tolist():
            combinations *= distinct
    return Rows(hashes, combinations)


@dataclass
class SuspiciousFeatures:
    """What one pass over the columns finds; `telling` are the features that know the target, and how."""

    target: NDArray[np.int64]
    telling: list[tuple[Any, str]] = field(default_factory=list)
    identifiers: list[Any] = field(default_factory=list)
    constant: list[Any] = field(default_factory=list)

    def look(self, names: Sequence[Any], hashes: Hashes, numbers: Array | None) -> None:
        """Look at some columns: the hashes of their cells, `(n, columns)`, and their values where they are numbers.

        Most are cleared together, by a sample of their rows; only the others are looked at one by one.
        """
        sample = _sample(len(hashes))
        some, target = hashes[sample], self.target[sample]
        distinct = _distinct_each(some)
        labelled = _distinct_each(some + _salted(target)[:, None])
        apart = np.zeros(len(names), np.bool_) if numbers is None else _are_apart(numbers[sample], target)
        is_odd = (distinct == 1) | (distinct == len(some)) | (labelled == distinct) | apart
        for k in np.flatnonzero(is_odd).tolist():
            own = None if numbers is None else numbers[:, k]
            self._look(
                names[k], hashes[:, k], own, len(some), int(distinct[k]), bool(apart[k]), int(labelled[k])
            )

    def _look(
        self,
        name: Any,
        hashes: Hashes,
        numbers: Array | None,
        sampled: int,
        distinct: int,
        is_apart: bool,  # noqa: FBT001  a finding, no choice
        labelled: int,
    ) -> None:
        """Look at one column in full, after what the sample shows of it."""
        if distinct == 1 and bool((hashes == hashes[0]).all()):
            self.constant.append(name)
        elif numbers is not None and is_apart and _separates(numbers, self.target):
            how = "a threshold on it separates" if self.target.max() < 2 else "thresholds on it separate"
            self.telling.append((name, f"{how} the classes"))
        elif distinct == sampled:
            if _is_identifier(hashes, numbers):
                self.identifiers.append(name)
        elif labelled == distinct and _decides(hashes, self.target):
            self.telling.append((name, f"each of its {_distinct(hashes):,} values goes with one label"))


def suspicious_features(X: Any, target: NDArray[np.int64], rows: Rows) -> SuspiciousFeatures:
    """Look at all features; `target` are codes of the labels, -1 where there is none.

    A copy of a row proves nothing, so the first of equal rows with equal labels stands for all of them, unless the
    features have so few values that rows are equal by nature.
    """
    first: Any = slice(None)
    if rows.combinations > len(target):
        first = np.sort(np.unique(rows.with_labels(target), return_index=True)[1])
        first = first if len(first) < len(target) else slice(None)
    found = SuspiciousFeatures(target[first])
    if hasattr(X, "tocsr"):
        _look_at_pattern(X.tocsr()[first] != 0, found)
        return found
    for columns in columns_of(X):
        numbers = columns.numbers
        found.look(columns.names, columns.hashes[first], None if numbers is None else numbers[first])
    return found


def _look_at_pattern(pattern: Any, found: SuspiciousFeatures) -> None:
    """Look at where each column of a sparse matrix is nonzero."""
    totals = np.bincount(found.target[found.target >= 0])
    nonzero = np.stack([np.asarray(pattern[found.target == c].sum(0)).ravel() for c in range(len(totals))])
    found.constant = np.flatnonzero(nonzero.sum(0) == 0).tolist()
    if len(totals) == 2 and _chance_of_one_class(totals, totals) < CHANCE:
        is_one = (nonzero == totals[:, None]) & (nonzero[::-1] == 0)
        names = np.flatnonzero(is_one.any(0)).tolist()
        found.telling = [(name, "it is nonzero in one class and zero in the other") for name in names]


def _separates(numbers: Array, target: Array) -> bool:
    """Whether thresholds separate the classes of all rows that have a value, and chance would not."""
    known = (target >= 0) & (numbers == numbers)  # noqa: PLR0124 - false of what is not a number
    counts = np.bincount(target[known])
    orders = lgamma(len(counts) + 1) + sum(lgamma(count + 1) for count in counts.tolist())
    return orders - lgamma(int(known.sum()) + 1) < CHANCE and bool(_are_apart(numbers[:, None], target)[0])


def _decides(hashes: Hashes, target: Array) -> bool:
    """Whether each value goes with one label, and chance would not make it so."""
    ordered = np.sort(hashes)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(hashes)))
    is_unlikely = _chance_of_one_class(sizes, np.bincount(target + 1)) < CHANCE
    return is_unlikely and _distinct(hashes + _salted(target)) == len(starts)


def _are_apart(values: Array, target: Array) -> NDArray[np.bool_]:
    """Whether the ranges of the classes do not meet, in each column; missing values are left out.

    A class without any value says no; where there is only one class, nothing does.
    """
    classes = np.unique(target[target >= 0]).tolist()
    if len(classes) < 2:
        return np.ones(values.shape[1], np.bool_)
    low, high = (
        np.stack([end.reduce(values[target == each], 0) for each in classes]) for end in (np.fmin, np.fmax)
    )
    order = np.argsort(low, 0)
    low, high = (np.take_along_axis(each, order, 0) for each in (low, high))
    return np.asarray((high[:-1] < low[1:]).all(0))


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
    """Whether these are whole numbers without wide gaps, or in order; an array of floats may hold them as well."""
    if numbers.dtype.kind not in "iu" and not (np.isfinite(numbers) & (numbers == np.round(numbers))).all():
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
    return int(_distinct_each(hashes[:, None])[0])


def _distinct_each(hashes: Hashes) -> Array:
    """How many different values each column has."""
    ordered = np.sort(hashes, 0)
    return np.asarray((ordered[1:] != ordered[:-1]).sum(0) + 1)
