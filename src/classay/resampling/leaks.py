"""Leaks: what test rows have in common with training rows, and features that no honest test should rest on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels
from classay.errors import InputError
from classay.resampling.data import HashedColumns, Hashes, columns_of, sparse_rows
from classay.sources.inputs import as_frame

Array = NDArray[Any]


CHANCE = log(1e-9)
"""A feature is said to know the target when mere chance would make it look so less often than this."""
SAMPLE = 20_000
"""Rows by which most features are cleared; the others are looked at in full."""
FEW = 64
"""Rows that clear most features of repeated values."""
PAIRS = 20
"""Pairs of equal values that a random part of the rows must hold, on average, to clear measurements: a feature in
which every value stands twice or more shows none of them there with a chance below exp(-20), 2e-9."""
IDENTIFIER_ROWS = 50
"""Rows from which on a column of distinct values is taken for an identifier."""


@dataclass(frozen=True, eq=False)
class RowHashes:
    """A hash of each row, of as many columns as tell all of them apart, else of all.

    `combinations` is a bound on the number of different rows, from the values of the first `SAMPLE` ones; infinite
    where it is beyond the number of rows.
    """

    hashes: Hashes
    combinations: float

    def with_labels(self, target: NDArray[np.int64]) -> Hashes:
        """Return a hash of each row together with its label."""
        return self.hashes + _salted(target)


def stacked(X: Any, other: Any) -> Any:
    """Return the rows of two tables as one; None where they do not go together."""
    import narwhals as nw

    try:
        if hasattr(X, "tocsr"):
            from scipy.sparse import vstack

            return vstack([X, other])
        one, two = as_frame(X), as_frame(other)
        if one is not None and two is not None:
            return nw.concat([one, two]).to_native()
        return np.concatenate([np.asarray(X), np.asarray(other)])
    except (ValueError, TypeError, nw.exceptions.NarwhalsError):
        return None


def rows_of(X: Any, n: int) -> RowHashes:
    """Return the hashes of n rows of a table or a sparse matrix."""
    if hasattr(X, "tocsr"):
        return RowHashes(sparse_rows(X), float("inf"))
    hashes, combinations, sample = np.zeros(n, np.uint64), 1.0, _sample(n)
    tied: Any = slice(None)
    for columns in columns_of(X):
        # rows that differ from all others already differ, whatever further columns hold
        hashes[tied] += columns.hashes(tied).sum(1, dtype=np.uint64)
        if combinations <= n:
            combinations *= float(np.prod(_distinct_each(columns.bits(sample)), dtype=float))
        group = _groups(hashes)
        tied = np.flatnonzero(group) if n > (alone := int((group == 0).sum())) > 0 else slice(None)
        if combinations > n and alone == n:
            break
    return RowHashes(hashes, combinations if combinations <= n else float("inf"))


@dataclass
class SuspiciousFeatures:
    """What one pass over the columns finds; `telling` are the features that know the target, and how."""

    target: NDArray[np.int64]
    telling: list[tuple[Any, str]] = field(default_factory=list)
    identifiers: list[Any] = field(default_factory=list)
    constant: list[Any] = field(default_factory=list)

    def look(self, columns: HashedColumns, first: Any = slice(None)) -> None:
        """Look at some columns, in these of their rows.

        Most are cleared together by a few of their rows, most others by a sample; the rest is looked at one by one.
        """
        left = self._left(columns, first)
        if not left.size:
            return
        names = [columns.names[k] for k in left.tolist()]
        hashes = columns.bits(first, left)
        numbers = columns.values[first][:, left] if columns.is_number else None
        left, sample = np.arange(left.size), _sample(len(hashes))
        some, target = _part(hashes, sample, left), self.target[sample]
        distinct = _distinct_each(some)
        repeats = (distinct > 1) & (distinct < len(some))
        labelled = distinct.copy()
        labelled[repeats] = _distinct_each(some[:, repeats] + _salted(target)[:, None])
        is_telling, counting = np.zeros(left.size, np.bool_), np.ones(left.size, np.bool_)
        if numbers is not None:
            measured = _part(numbers, sample, left)
            is_telling = _are_apart(measured, target)
            counting = (
                (measured[:FEW] == np.round(measured[:FEW])).all(0)
                if measured.dtype.kind == "f"
                else counting
            )
        is_odd = (distinct == 1) | ((distinct == len(some)) & counting) | (repeats & (labelled == distinct))
        for at in np.flatnonzero(is_odd | is_telling).tolist():
            k = int(left[at])
            values = None if numbers is None else numbers[:, k]
            counts = (len(some), int(distinct[at]), bool(is_telling[at]), int(labelled[at]))
            self._look(names[k], hashes[:, k], values, *counts)

    def _left(self, columns: HashedColumns, first: Any) -> Array:
        """Return the columns of which a few rows do not show that they are nothing.

        They do where a value comes twice, with two labels, and the ranges of the classes meet; or where the numbers are
        measurements, which are no identifier and repeat too seldom to tell the target by their values.
        """
        n = len(self.target)
        rows = np.arange(len(columns.values))[first]
        few = _sample(n, FEW)
        some = columns.bits(rows[few])
        is_nothing = self._has_both(some, self.target[few])
        if not columns.is_number:
            return np.flatnonzero(~is_nothing)
        numbers = columns.values[rows[few]]
        meet = _meet(numbers, self.target[few])
        left = np.flatnonzero(~(is_nothing & meet))
        if numbers.dtype.kind != "f":
            return left
        is_measured = meet[left] & (numbers[:, left] != np.round(numbers[:, left])).any(0)
        remaining = left[is_measured]
        drawn = _drawn(n)
        if remaining.size and drawn.size < n:
            more = columns.bits(rows[drawn], remaining)
            distinct = _distinct_each(more)
            is_nothing = distinct == len(more)
            repeats = np.flatnonzero(~is_nothing)
            is_nothing[repeats] = self._has_both(more[:, repeats], self.target[drawn])
            left = np.setdiff1d(left, remaining[is_nothing], assume_unique=True)
        return left

    def _has_both(self, hashes: Hashes, target: Array) -> NDArray[np.bool_]:
        """Check whether a column has several values, of which one has two labels."""
        distinct = _distinct_each(hashes)
        has_both: NDArray[np.bool_] = (distinct > 1) & (distinct < len(hashes))
        some = np.flatnonzero(has_both)
        has_both[some] = _distinct_each(hashes[:, some] + _salted(target)[:, None]) > distinct[some]
        return has_both

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
            self.telling.append(
                (name, f"each of its {_distinct(hashes):,} values occurs with one label only")
            )


def suspicious_features(X: Any, target: NDArray[np.int64], rows: RowHashes) -> SuspiciousFeatures:
    """Look at all features; `target` are codes of the labels, -1 where there is none.

    A copy of a row proves nothing, so the first of equal rows with equal labels stands for all of them, unless the
    features have so few values that rows are equal by nature.
    """
    first: Any = slice(None)
    if rows.combinations > len(target):
        first = np.sort(np.unique(rows.with_labels(target), return_index=True)[1])
        first = first if len(first) < len(target) else slice(None)
    features = SuspiciousFeatures(target[first])
    if hasattr(X, "tocsr"):
        _look_at_pattern(X.tocsr()[first] != 0, features)
        return features
    for columns in columns_of(X):
        features.look(columns, first)
    return features


def _look_at_pattern(pattern: Any, features: SuspiciousFeatures) -> None:
    """Look at where each column of a sparse matrix is nonzero."""
    totals = np.bincount(features.target[features.target >= 0])
    nonzero = np.stack([np.asarray(pattern[features.target == c].sum(0)).ravel() for c in range(len(totals))])
    features.constant = np.flatnonzero(nonzero.sum(0) == 0).tolist()
    if len(totals) == 2 and _chance_of_one_class(totals, totals) < CHANCE:
        is_one = (nonzero == totals[:, None]) & (nonzero[::-1] == 0)
        names = np.flatnonzero(is_one.any(0)).tolist()
        features.telling = [(name, "it is nonzero in one class and zero in the other") for name in names]


def _separates(numbers: Array, target: Array) -> bool:
    """Check whether thresholds separate the classes of all rows that have a value, and chance would not."""
    known = (target >= 0) & (numbers == numbers)  # noqa: PLR0124 - false of what is not a number
    counts = np.bincount(target[known])
    orders = lgamma(len(counts) + 1) + sum(lgamma(count + 1) for count in counts.tolist())
    return orders - lgamma(int(known.sum()) + 1) < CHANCE and bool(_are_apart(numbers[:, None], target)[0])


def _decides(hashes: Hashes, target: Array) -> bool:
    """Check whether each value goes with one label, and chance would not make it so."""
    ordered = np.sort(hashes)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(hashes)))
    is_unlikely = _chance_of_one_class(sizes, np.bincount(target + 1)) < CHANCE
    return is_unlikely and _distinct(hashes + _salted(target)) == len(starts)


def _are_apart(values: Array, target: Array) -> NDArray[np.bool_]:
    """Check whether the ranges of the classes do not meet, in each column; missing values are left out.

    A class without any value says no; where there is only one class, nothing does.
    """
    ends = _ranges(values, target)
    return (
        np.ones(values.shape[1], np.bool_)
        if ends is None
        else np.asarray((ends[1][:-1] < ends[0][1:]).all(0))
    )


def _meet(values: Array, target: Array) -> NDArray[np.bool_]:
    """Check whether the ranges of two classes meet, in each column, whatever further rows hold."""
    ends = _ranges(values, target)
    return (
        np.zeros(values.shape[1], np.bool_)
        if ends is None
        else np.asarray((ends[1][:-1] >= ends[0][1:]).any(0))
    )


def _ranges(values: Array, target: Array) -> tuple[Array, Array] | None:
    """Return the ends of the classes in each column, `(classes, columns)`, by their lower ends; None of one class."""
    classes = np.unique(target[target >= 0]).tolist()
    if len(classes) < 2:
        return None
    low, high = (
        np.stack([end.reduce(values[target == code], 0) for code in classes]) for end in (np.fmin, np.fmax)
    )
    order = np.argsort(low, 0)
    return np.take_along_axis(low, order, 0), np.take_along_axis(high, order, 0)


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


def _part(table: Array, rows: Array, columns: Array) -> Array:
    """Return some rows and columns of a table; the table itself where these are all."""
    table = table if len(rows) == len(table) else table[rows]
    return table if len(columns) == table.shape[1] else table[:, columns]


def _sample(n: int, most: int | None = None) -> Array:
    """Row numbers, evenly spread, at most `SAMPLE`."""
    return np.linspace(0, n - 1, min(n, SAMPLE if most is None else most)).astype(np.int64)


def _drawn(n: int) -> Array:
    """Row numbers, drawn at random so that rows of any order meet: of a column of pairs it holds `PAIRS` on average."""
    most = int(np.ceil(np.sqrt(2 * PAIRS * n)))
    return np.arange(n) if most >= n else np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def _salted(target: Array) -> Hashes:
    """Return what makes the hash of a value one of value and label."""
    salts: Hashes = (
        np.random.default_rng(0).integers(0, 2**63, int(target.max()) + 2).astype(np.uint64)[target]
    )
    return salts


def _distinct(hashes: Hashes) -> int:
    return int(_distinct_each(hashes[:, None])[0])


def _distinct_each(hashes: Hashes) -> Array:
    """Return how many different values each column has."""
    ordered = np.sort(hashes, 0)
    return np.asarray((ordered[1:] != ordered[:-1]).sum(0) + 1)


Sides = tuple[Array, Array]
NAMED = 5
MANY = 0.05
"""Share of test rows with a twin from which on these look like copies made on purpose."""
EXPECTED = "that is to be expected"
"""What is said of twins that features of few values must have."""

LEAKS = {
    "twins": "test rows equal training rows in all features",
    "cluster": "clusters with rows on both sides of a split",
    "inner_folds": "a learner puts rows of one cluster on both sides of its inner folds",
    "target": "one feature determines the label, which happens by chance less than once in 1e9",
    "identifier": "a feature has a different value in each row, like an id",
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
        """Check whether it affects so many test rows that the estimates are about cases known in training.

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
        raise InputError(f"X has {rows:,} rows, but y has {n:,}. Pass one label for each row.")
    codes = target.codes.astype(np.int64)
    table = rows_of(X, n)
    features = suspicious_features(X, codes, table)
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
        _telling(features.telling),
        _identifiers(features.identifiers),
        _constant(features.constant),
    )
    return tuple(leak for leak in leaks if leak is not None)


# --- rows on both sides


class _Twins:
    """Counts test rows that have an equal row in training."""

    def __init__(self, table: RowHashes, target: Array) -> None:
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
            f"{_share(total, self.tested)} of the test rows have a twin in training: a row with equal "
            f"features (at most {most:,} of the {self.tested / splits:,.4g} rows of a test set). "
            f"{_share(self.agreeing, total)} of these rows have a twin with the same label."
        )
        return Leak("twins", f"{text} {self._advice(total)}", most, self.example)

    def _advice(self, total: int) -> str:
        if self.combinations <= len(self.rows):
            return f"The features have at most {self.combinations:,.0f} combinations, so {EXPECTED}."
        if self.agreeing == total and total > MANY * self.tested:
            return (
                "The twins may be copies. Upsample inside each fold, not before the split. Keep repeated records "
                "on one side of the split (cluster)."
            )
        return (
            "Keep repeated records on one side of the split (cluster). Coarse features have twins by chance."
        )


class _Straddling:
    """Counts clusters that stand on both sides of a split."""

    def __init__(self, values: Any, n: int) -> None:
        coded = code_labels(values, "cluster")
        if len(coded.codes) != n:
            raise InputError(
                f"cluster has {len(coded.codes):,} rows, but y has {n:,}. Pass one cluster for each row."
            )
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
            f"In {sum(map(bool, self.shared)):,} of {len(self.shared):,} splits, clusters have rows on both "
            f"sides (up to {most:,} clusters in a split, for example {self.example!r}). Keep the rows of each "
            "cluster on one side (cluster)."
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
    """Yield the splits without test rows that are training rows themselves, as far as there is a test then."""
    for train, test in ((np.asarray(train), np.asarray(test)) for train, test in splits):
        is_training = np.zeros(n, np.bool_)
        is_training[train] = True
        rest = test[~is_training[test]]
        if len(rest):
            yield train, rest


def _is_met(group: Array, train: Array, test: Array) -> NDArray[np.bool_]:
    """Check whether the group of each test row occurs in training; group 0 occurs nowhere."""
    occurs = np.zeros(int(group.max(initial=0)) + 1, np.bool_)
    occurs[group[train]] = True
    occurs[0] = False
    met: NDArray[np.bool_] = occurs[group[test]]
    return met


# --- features


def _telling(telling: list[tuple[Any, str]]) -> Leak | None:
    if not telling:
        return None
    name, how = telling[0]
    others = [other for other, _ in telling[1:]]
    too = f" The same holds for {_listed(others)}." if others else ""
    text = (
        f"Feature {name!r} determines the target: {how}.{too} Exclude features that are known only after "
        "the target."
    )
    return Leak("target", text, len(telling), name)


def _identifiers(names: list[Any]) -> Leak | None:
    if not names:
        return None
    text = (
        f"Every row has a different value of {_listed(names)}. Exclude columns that only number or name "
        "the rows."
    )
    return Leak("identifier", text, len(names), names[0])


def _constant(names: list[Any]) -> Leak | None:
    if not names:
        return None
    return Leak(
        "constant",
        f"All rows have the same value of {_listed(names)}, which "
        f"{('is a feature' if len(names) == 1 else 'are features')} without information.",
        len(names),
        names[0],
    )


def _listed(names: list[Any]) -> str:
    shown = ", ".join(repr(name) for name in names[:NAMED])
    return f"{shown} and {len(names) - NAMED:,} more" if len(names) > NAMED else shown


def _share(part: int, total: int) -> str:
    share = 100 * part / total
    return f"{share:.3g}%" if part in (0, total) or share < 99.5 else "more than 99%"
