"""Leaks: what test rows have in common with the training rows, and features that know the target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.labels import code_labels
from classay.resampling.cells import Hashes
from classay.resampling.suspects import Rows, rows_of, suspects

Array = NDArray[Any]
Split = tuple[Array, Array]
NAMED = 5


@dataclass(frozen=True)
class Leak:
    """One way in which a test may know more than it should: a fixed code, a text, how many, and one of them.

    `count` counts test rows (`twins`), clusters or ids (`cluster`, `id`), both in the worst split, or features.
    `example` is a pair of a test row and its twin in training, a cluster, an id, or the name of a feature.
    """

    code: str
    text: str
    count: int
    example: Any


def find_leaks(
    X: Any, y: Any, splits: Iterable[Split], *, cluster: Any = None, id: Any = None
) -> tuple[Leak, ...]:
    """Look for leaks between the sides of splits, and from features to the target.

    X: the features, a dataframe of any library, an array or a sparse matrix, n rows; y: labels, shape (n,); splits:
    pairs of row numbers for training and for the test; cluster, id: columns whose values must not straddle a split,
    shape (n,). Rows are equal when all features are; missing values equal each other. A test row that is itself
    among the training rows (resubstitution) is not counted. Takes O(n log n), and O(n) for each split.

    `twins`: test rows with an equal row in training. `cluster`, `id`: values on both sides. `target`: a feature
    each of whose values goes with one label, or that separates two classes, where chance would do so less than
    once in 1e9. `identifier`: a feature with another value in each row. `constant`: a feature with one value.
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
    found = suspects(X, codes, table)
    pairs = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    columns = [(name, values) for name, values in (("cluster", cluster), ("id", id)) if values is not None]
    leaks = (
        _twins(table, table.with_labels(codes), pairs),
        *(_straddling(name, values, n, pairs) for name, values in columns),
        _telling(found.telling),
        _identifiers(found.identifiers),
        _constant(found.constant),
    )
    return tuple(leak for leak in leaks if leak is not None)


# --- rows on both sides


def _twins(table: Rows, with_labels: Hashes, splits: list[Split]) -> Leak | None:
    rows = table.hashes
    group, labelled = _groups(rows), _groups(with_labels)
    if not group.any():
        return None
    tested, met, agreeing, example = 0, [], 0, None
    for train, test in _apart(splits, len(rows)):
        is_met = _is_met(group, train, test)
        tested += len(test)
        met.append(int(is_met.sum()))
        agreeing += int(_is_met(labelled, train, test).sum())
        if example is None and met[-1]:
            row = int(test[is_met.argmax()])
            example = row, int(train[(rows[train] == rows[row]).argmax()])
    if example is None:
        return None
    text = (
        f"{_share(sum(met), tested)} of the test rows have a twin in training, a row with equal features: of "
        f"{tested / len(met):,.4g} rows of a test {np.mean(met):,.4g} on average and {max(met):,} at most; "
        f"{_share(agreeing, sum(met))} of them have one with the same label."
    )
    if table.combinations <= len(rows):
        advice = (
            f"The features have at most {table.combinations:,.0f} combinations, so that is to be expected."
        )
    elif agreeing == sum(met):
        advice = (
            "Copies look like that: upsample inside each fold, not before the split, and keep repeated records "
            "on one side (cluster)."
        )
    else:
        advice = "If they are repeated records, keep them on one side (cluster); coarse features have twins by chance."
    return Leak("twins", f"{text} {advice}", max(met), example)


def _straddling(name: str, values: Any, n: int, splits: list[Split]) -> Leak | None:
    coded = code_labels(values, name)
    if len(coded.codes) != n:
        raise InputError(f"{name} has {len(coded.codes):,} rows, y has {n:,}: pass one value a row.")
    codes = coded.codes.astype(np.int64) + 1  # 0 is a missing value, which equals nothing
    shared = [np.unique(codes[test[_is_met(codes, train, test)]]) for train, test in _apart(splits, n)]
    most = max((len(each) for each in shared), default=0)
    if not most:
        return None
    example = coded.labels[next(each for each in shared if len(each))[0] - 1]
    hit = sum(bool(len(each)) for each in shared)
    text = (
        f"in {hit:,} of {len(splits):,} splits values of the {name} column stand on both sides, up to {most:,} in one "
        f"split, {example!r} for one: keep the rows of each on one side (cluster)."
    )
    return Leak(name, text, most, example)


def _groups(rows: Hashes) -> Array:
    """For each row the number of its group of equal rows, from 1, or 0 where no other row equals it."""
    ordered = np.sort(rows)
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(repeated):
        return np.zeros(len(rows), np.int64)
    place = np.minimum(np.searchsorted(repeated, rows), len(repeated) - 1)
    return np.where(repeated[place] == rows, place + 1, 0)


def _apart(splits: list[Split], n: int) -> Iterator[Split]:
    """The splits without test rows that are training rows themselves, as far as there is a test then."""
    for train, test in splits:
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
        f"all rows have the same value of {_listed(names)}: it can tell nothing.",
        len(names),
        names[0],
    )


def _listed(names: list[Any]) -> str:
    shown = ", ".join(repr(name) for name in names[:NAMED])
    return f"{shown} and {len(names) - NAMED:,} more" if len(names) > NAMED else shown


def _share(part: int, whole: int) -> str:
    share = 100 * part / whole
    return f"{share:.3g} %" if part in (0, whole) or share < 99.5 else "more than 99 %"
