"""Leaks: what test rows have in common with the training rows, and features that know the target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels
from classay.errors import InputError
from classay.resampling.leaks.cell_hashes import Hashes
from classay.resampling.leaks.suspicious_features import Rows, rows_of, suspicious_features

Array = NDArray[Any]
Sides = tuple[Array, Array]
NAMED = 5
MANY = 0.05
"""Share of test rows with a twin from which on these look like copies made on purpose."""
EXPECTED = "that is to be expected"
"""What is said of twins that features of few values must have."""

LEAKS = {
    "twins": "test rows equal training rows in all features",
    "cluster": "rows of one cluster stand on both sides of a split",
    "inner_folds": "a learner puts rows of one cluster on both sides of its inner folds",
    "target": "one feature gives the label away, where chance would do so less than once in 1e9",
    "identifier": "a feature has another value in each row, as an id has",
    "constant": "a feature has one value in all rows",
}
"""What each code of a leak means."""


@dataclass(frozen=True)
class Leak:
    """One way in which a test may know more than it should: a fixed code, a text, how many, and one of them.

    `count` counts test rows (`twins`) or clusters (`cluster`), both in the worst split, learners or features.
    `example` is a pair of a test row and its twin in training, a cluster, or the name of a learner or feature.
    """

    code: str
    text: str
    count: int
    example: Any

    def voids(self, tested: int) -> bool:
        """Whether it makes estimates from tests of so many rows those of cases that training knew.

        A few twins by chance do not, nor a column that only numbers the rows or a search that chooses badly.
        """
        if self.code == "twins":
            return self.count > MANY * tested and EXPECTED not in self.text
        return self.code in ("cluster", "target")


def find_leaks(X: Any, y: Any, splits: Iterable[Sides], *, cluster: Any = None) -> tuple[Leak, ...]:
    """Look for leaks between the sides of splits, and from features to the target.

    X: the features, a dataframe of any library, an array or a sparse matrix, n rows; y: labels, shape (n,); splits:
    pairs of row numbers for training and for the test; cluster: a column whose values must not straddle a split,
    shape (n,). Rows are equal when all features are; missing values equal each other. A test row that is itself
    among the training rows (resubstitution) is not counted. Takes O(n log n), and O(n) for each split.

    `twins`: test rows with an equal row in training. `cluster`: values on both sides. `target`: a feature each of whose
    values goes with one label, or whose known values thresholds sort into the classes, where chance would do so less
    than once in 1e9. `identifier`: a feature with another value in each row. `constant`: a feature with one value.
    Raises InputError for columns of unlike lengths.

    >>> noise = np.random.default_rng(0).normal(size=(40, 3))
    >>> X, y = np.vstack([noise, noise[:20]]), np.array([0, 1] * 30)
    >>> (leak,) = find_leaks(X, y, [(np.arange(40), np.arange(40, 60))])
    >>> leak.code, leak.count, leak.example
    ('twins', 20, (40, 0))
    """
    target = code_labels(y, "y")
    n = len(target.codes)
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows != n:
        raise InputError(f"X has {rows:,} rows, y has {n:,}: pass one label a row.")
    codes = target.codes.astype(np.int64)
    table = rows_of(X, n)
    found = suspicious_features(X, codes, table)
    watches: list[_Twins | _Straddling] = [_Twins(table, codes)]
    if cluster is not None:
        watches.append(_Straddling(cluster, n))
    watches = [watch for watch in watches if watch.group.any()]
    if watches:
        for train, test in _apart(
            splits, n
        ):  # splits of many rows are not kept, but seen one after the other
            for watch in watches:
                watch.see(train, test)
    leaks = (
        *(watch.leak() for watch in watches),
        _telling(found.telling),
        _identifiers(found.identifiers),
        _constant(found.constant),
    )
    return tuple(leak for leak in leaks if leak is not None)


# --- rows on both sides


class _Twins:
    """Counts test rows that have an equal row in training."""

    def __init__(self, table: Rows, target: Array) -> None:
        self.rows, self.combinations = table.hashes, table.combinations
        self.group, self.labelled = _groups(table.hashes), _groups(table.with_labels(target))
        self.tested, self.met, self.agreeing = 0, list[int](), 0
        self.example: tuple[int, int] | None = None

    def see(self, train: Array, test: Array) -> None:
        is_met = _is_met(self.group, train, test)
        self.tested += len(test)
        self.met.append(int(is_met.sum()))
        self.agreeing += int(_is_met(self.labelled, train, test).sum())
        if self.example is None and self.met[-1]:
            row = int(test[is_met.argmax()])
            self.example = row, int(train[(self.rows[train] == self.rows[row]).argmax()])

    def leak(self) -> Leak | None:
        if self.example is None:
            return None
        total, splits, most = sum(self.met), len(self.met), max(self.met)
        text = (
            f"{_share(total, self.tested)} of the test rows have a twin in training, a row with equal features (at "
            f"most {most:,} of the {self.tested / splits:,.4g} rows of a test); {_share(self.agreeing, total)} of "
            "them have one with the same label."
        )
        return Leak("twins", f"{text} {self._advice(total)}", most, self.example)

    def _advice(self, total: int) -> str:
        if self.combinations <= len(self.rows):
            return f"The features have at most {self.combinations:,.0f} combinations, so {EXPECTED}."
        if self.agreeing == total and total > MANY * self.tested:
            return (
                "Copies look like that: upsample inside each fold, not before the split, and keep repeated records "
                "on one side (cluster)."
            )
        return "If they are repeated records, keep them on one side (cluster); coarse features have twins by chance."


class _Straddling:
    """Counts clusters that stand on both sides of a split."""

    def __init__(self, values: Any, n: int) -> None:
        coded = code_labels(values, "cluster")
        if len(coded.codes) != n:
            raise InputError(f"cluster has {len(coded.codes):,} rows, y has {n:,}: pass one value a row.")
        self.labels = coded.labels
        self.group = coded.codes.astype(np.int64) + 1  # 0 is a missing value, which equals nothing
        self.shared: list[int] = []
        self.example: Any = None

    def see(self, train: Array, test: Array) -> None:
        shared = np.unique(self.group[test[_is_met(self.group, train, test)]])
        if len(shared) and not any(self.shared):
            self.example = self.labels[shared[0] - 1]
        self.shared.append(len(shared))

    def leak(self) -> Leak | None:
        most = max(self.shared, default=0)
        if not most:
            return None
        text = (
            f"in {sum(map(bool, self.shared)):,} of {len(self.shared):,} splits values of the cluster column stand "
            f"on both sides, up to {most:,} in one split, {self.example!r} for one: keep the rows of each on one side "
            "(cluster)."
        )
        return Leak("cluster", text, most, self.example)


def _groups(rows: Hashes) -> Array:
    """For each row the number of its group of equal rows, from 1, or 0 where no other row equals it."""
    ordered = np.sort(rows)
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(repeated):
        return np.zeros(len(rows), np.int64)
    place = np.minimum(np.searchsorted(repeated, rows), len(repeated) - 1)
    return np.where(repeated[place] == rows, place + 1, 0)


def _apart(splits: Iterable[Sides], n: int) -> Iterator[Sides]:
    """The splits without test rows that are training rows themselves, as far as there is a test then."""
    for train, test in ((np.asarray(train), np.asarray(test)) for train, test in splits):
        is_training = np.zeros(n, np.bool_)
        is_training[train] = True
        rest = test[~is_training[test]]
        if len(rest):
            yield train, rest


def _is_met(group: Array, train: Array, test: Array) -> NDArray[np.bool_]:
    """Whether the group of each test row occurs in training; group 0 occurs nowhere."""
    occurs = np.zeros(int(group.max(initial=0)) + 1, np.bool_)
    occurs[group[train]] = True
    occurs[0] = False
    met: NDArray[np.bool_] = occurs[group[test]]
    return met


# --- features


def _telling(found: list[tuple[Any, str]]) -> Leak | None:
    if not found:
        return None
    name, how = found[0]
    others = [other for other, _ in found[1:]]
    too = f"; so {'does' if len(others) == 1 else 'do'} {_listed(others)}" if others else ""
    text = f"feature {name!r} alone tells the target, {how}{too}: leave out what is known only after it."
    return Leak("target", text, len(found), name)


def _identifiers(names: list[Any]) -> Leak | None:
    if not names:
        return None
    text = (
        f"every row has another value of {_listed(names)}: leave out what merely numbers or names the rows."
    )
    return Leak("identifier", text, len(names), names[0])


def _constant(names: list[Any]) -> Leak | None:
    if not names:
        return None
    return Leak(
        "constant",
        f"all rows have the same value of {_listed(names)}: {'it' if len(names) == 1 else 'they'} can tell nothing.",
        len(names),
        names[0],
    )


def _listed(names: list[Any]) -> str:
    shown = ", ".join(repr(name) for name in names[:NAMED])
    return f"{shown} and {len(names) - NAMED:,} more" if len(names) > NAMED else shown


def _share(part: int, whole: int) -> str:
    share = 100 * part / whole
    return f"{share:.3g} %" if part in (0, whole) or share < 99.5 else "more than 99 %"
