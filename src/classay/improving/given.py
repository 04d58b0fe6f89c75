"""What the caller gives: rows, a population, test rows; and the source of training sets that it describes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels
from classay.columns.numbers import counted
from classay.columns.uniting import unite
from classay.columns.values import listing
from classay.errors import InputError
from classay.improving.sources import FromPopulation, FromRows, Index, Source, Stacked, plain_cases
from classay.improving.training_sets import (
    OF_POPULATION,
    Population,
    Sampling,
    distributions,
    sampling_named,
)
from classay.improving.units import Units
from classay.kinds import share, shown, whole
from classay.resampling.data import Dataset, dataset, index_of, label_array, rows_of
from classay.resampling.protocols.holdout import Holdout
from classay.texts import an, quote

Array = NDArray[Any]
HELD_OUT = 1 / 3


FEWEST_CLUSTERS = 4
"""Clusters of which two can be tested on and two drawn from."""


DRAWN = 1000
"""Test rows of a population where no number is given."""


@dataclass(frozen=True, eq=False)
class Given:
    """The rows that the caller has: features, labels, and the clusters and weights of them."""

    X: Any
    y: Any
    cluster: Any = None
    weight: Any = None

    def refuse_columns(self, why: str) -> None:
        """Refuse clusters and weights where they mean nothing."""
        for name in ("cluster", "weight"):
            if getattr(self, name) is not None:
                raise InputError(f"{name} is given, and {why}")


def source_of(given: Given, sampling: Any, size: float | None, test: Any, rounds: int, seed: int) -> Source:
    """The source that the arguments of `decompose` describe. Raises InputError."""
    X, y = given.X, given.y
    if isinstance(sampling, Population):
        if X is not None or y is not None:
            raise InputError(
                "X and y are given, and so is a population that draws its own rows: leave one of them out."
            )
        given.refuse_columns("a population draws rows that are independent and count the same: leave it out.")
        return _of_population(sampling, size, test, seed)
    how = _How(sampling_named(sampling), size, rounds, seed)
    if X is None or y is None:
        raise InputError("there are no rows to draw training sets from: pass X and y, or a Population.")
    if test is None or not hasattr(test, "__len__"):
        return _held_out(given, HELD_OUT if test is None else test, how)
    given.refuse_columns(
        "the test rows are apart from those of X: pass all rows as X and y, and as test the share of them to hold out."
    )
    return _with_test(X, y, test, how)


@dataclass(frozen=True)
class _How:
    """How training sets are drawn."""

    drawing: Sampling
    size: float | None
    rounds: int
    seed: int


@dataclass(frozen=True, eq=False)
class _Rows:
    """Which rows training sets are drawn from, which are tested, by what number and with what distribution."""

    data: Dataset
    pool: Array
    test: Array
    truth: Array
    numbers: Array
    index: Index
    noise_known: bool = False


def _of_population(population: Population, size: float | None, test: Any, seed: int) -> Source:
    labels = tuple(population.classes)
    if len(labels) < 2 or len({*labels}) < len(labels):
        raise InputError(f"the classes of the population are {list(labels)!r}: pass two or more, each once.")
    rows = _whole("size", size, "the rows of a training set (a population has no size of its own)")
    if isinstance(test, tuple | list) and len(test) == 2:
        X, truth, known = _test_pair(test, labels)
    else:
        drawn = _whole("test", DRAWN if test is None else test, "how many test rows to draw")
        X, _ = population.rows(drawn, seed, "test rows")
        truth, known = population.truth(X), True
    return FromPopulation(
        labels=labels,
        truth=truth,
        noise_known=known,
        test_rows=np.arange(truth.shape[0]),
        sampling="samples of a population",
        random=OF_POPULATION,
        size=rows,
        seed=seed,
        index=index_of(X),
        population=population,
        X=X,
    )


def _held_out(given: Given, share: Any, how: _How) -> Source:
    X, y = given.X, given.y
    labels, (codes,) = _coded([("y", y)])
    _refuse_lengths(X, codes)
    cases = plain_cases(labels, codes)
    if given.cluster is not None or given.weight is not None:
        own = dataset("", X, y, cases.positive, given.weight, given.cluster).cases
        cases = replace(cases, weight=own.weight, cluster=own.cluster, clusters=own.clusters)
    if cases.clusters is not None and len(cases.clusters) < FEWEST_CLUSTERS:
        raise InputError(
            f"there are {len(cases.clusters)} clusters: pass {FEWEST_CLUSTERS} or more, some to test on and the others "
            "to draw training sets from."
        )
    data = Dataset(_sliceable(X), label_array(labels)[codes], cases)
    (split,) = Holdout(share).splits(data, how.seed)
    test = split.place.test
    truth = np.eye(len(labels))[codes[test]]
    index = index_of(X)
    names = None if index is None else tuple(index[k] for k in test.tolist())
    return _from_rows(_Rows(data, split.train, test, truth, test, names), how)


def _with_test(X: Any, y: Any, test: Any, how: _How) -> Source:
    if not (isinstance(test, tuple | list) and len(test) == 2):
        raise InputError(
            f"test is {an(type(test).__name__)}: pass a share to hold out, or a pair (X, y) or (X, probabilities)."
        )
    if _are_distributions(test[1]):
        labels, (codes,) = _coded([("y", y)])
        X_test, truth, known = _test_pair(test, labels)
        tested = truth.argmax(1)
    else:
        labels, (codes, tested) = _coded([("y", y), ("y of test", test[1])])
        X_test, truth, known = test[0], np.eye(len(labels))[tested], False
        _refuse_lengths(X_test, tested, " of test")
    _refuse_lengths(X, codes)
    both = np.concatenate([codes, tested])
    data = Stacked((_sliceable(X), _sliceable(X_test)), label_array(labels)[both], plain_cases(labels, both))
    pool, rows = np.arange(codes.size), codes.size + np.arange(tested.size)
    return _from_rows(_Rows(data, pool, rows, truth, np.arange(tested.size), index_of(X_test), known), how)


def _test_pair(test: Any, labels: Sequence[Hashable]) -> tuple[Any, Array, bool]:
    """Test rows with the distribution of their class, or its one label."""
    X, given = test
    rows = rows_of(X)
    if not rows:
        raise InputError("there are no test rows: X of test is empty.")
    if _are_distributions(given):
        return X, distributions(given, rows, len(labels), "test"), True
    index = {label: code for code, label in enumerate(labels)}
    codes = [index.get(label) for label in np.asarray(given).tolist()]
    if None in codes or len(codes) != rows:
        raise InputError(
            f"test has {counted(rows)} and {len(codes):,} labels, or one that is no class: pass a label of "
            f"{listing(list(labels))} for each row."
        )
    return X, np.eye(len(labels))[np.array(codes)], False


def _are_distributions(given: Any) -> bool:
    """Whether there are several numbers a row, and not one label."""
    shape = np.shape(given)
    return len(shape) == 2 and shape[1] > 1


def _from_rows(rows: _Rows, how: _How) -> Source:
    codes, labels = rows.data.cases.truth, rows.data.cases.labels
    seen, tested = np.unique(codes[rows.pool]), codes[rows.test]
    if seen.size < 2:
        raise InputError(
            f"the training rows hold one class only, {listing([labels[k] for k in seen])}: a learner needs two."
        )
    unseen = [
        f"no training row is of class {quote(labels[k])}, as {counted(int((tested == k).sum()))} of the test are"
        for k in np.setdiff1d(tested, seen)
    ]
    units = _units(rows)
    groups = rows.pool if units.cluster is None else _groups(rows)
    return FromRows(
        labels=labels,
        truth=rows.truth,
        noise_known=rows.noise_known,
        test_rows=rows.numbers,
        sampling=how.drawing.title,
        random=" ".join(_random(how, units)),
        size=_size(how, len(groups), units),
        seed=how.seed,
        notes=tuple(unseen),
        units=units,
        index=rows.index,
        data=rows.data,
        groups=groups,
        test=rows.test,
        drawing=how.drawing,
    )


def _units(rows: _Rows) -> Units:
    """How the test rows count."""
    cases = rows.data.cases
    weight = None if cases.weight is None else cases.weight[rows.test]
    if cases.cluster is None:
        return Units(weight)
    return Units(weight, np.unique(cases.cluster[rows.test], return_inverse=True)[1])


def _groups(rows: _Rows) -> list[Array]:
    """The rows of each cluster that training sets are drawn from."""
    assert rows.data.cases.cluster is not None
    cluster = rows.data.cases.cluster[rows.pool]
    order = np.argsort(cluster, kind="stable")
    return np.split(rows.pool[order], np.flatnonzero(np.diff(cluster[order])) + 1)


def _random(how: _How, units: Units) -> Iterator[str]:
    """What is random, in sentences."""
    yield how.drawing.random
    if units.cluster is not None:
        yield "Rows of a cluster stay together: training sets are of whole clusters, and the test clusters are random."
    if units.weight is not None:
        yield "Test rows count by their weights, which the learner is not told."


def _size(how: _How, rows: int, units: Units) -> int:
    """The rows, or clusters, of a training set. Raises InputError where so many cannot be drawn."""
    drawing, size, most = how.drawing, how.size, how.drawing.most(rows, how.rounds)
    sets = f"{how.rounds} {drawing.title} of {rows:,} {units.name}{'' if rows == 1 else 's'}"
    if size is None:
        found = drawing.size(rows, how.rounds)
    elif (part := _share(size)) is not None:
        found = round(part * rows)
    else:
        found = _whole("size", size, f"the {units.name}s of a training set, or a share of those there are")
    if found < 2:
        raise InputError(f"{sets} hold {found} each: pass a larger size, or fewer rounds.")
    if found > most:
        fewer = ", or fewer rounds" if drawing.name == "disjoint" else ""
        raise InputError(
            f"size is {found}, and {sets} hold at most {int(most)} each: pass a smaller size{fewer}."
        )
    return found


def _whole(name: str, value: Any, what: str) -> int:
    try:
        found = whole(value)
    except (TypeError, ValueError, OverflowError):
        found = 0
    if found < 1:
        raise InputError(f"{name} is {shown(value)}: pass {what}, a whole number from 1.")
    return found


def _share(value: Any) -> float | None:
    """A number between 0 and 1 as it is, None for any other."""
    try:
        return share(value)
    except (TypeError, ValueError):
        return None


def _coded(columns: Sequence[tuple[str, Any]]) -> tuple[tuple[Hashable, ...], list[Array]]:
    """Common labels of columns, and their codes. Raises InputError for missing labels."""
    coded = [(name, code_labels(values, name)) for name, values in columns]
    for name, each in coded:
        if each.missing:
            raise InputError(f"{name} is missing in {counted(each.missing)}: leave these rows out.")
        if not each.codes.size:
            raise InputError(f"there are no rows: {name} is empty.")
    labels, codes = unite(coded)
    if len(labels) < 2:
        raise InputError(
            f"{columns[0][0]} holds one class only, {listing(list(labels))}: a learner needs two."
        )
    return labels, list(codes)


def _refuse_lengths(X: Any, codes: Array, of: str = "") -> None:
    rows = rows_of(X)
    if rows != codes.size:
        raise InputError(f"X{of} has {counted(rows)}, y{of} has {codes.size:,} labels: pass as many.")


def _sliceable(X: Any) -> Any:
    """Features of which rows can be taken: not those that are stored by coordinates."""
    return X.tocsr() if hasattr(X, "tocsr") and X.format not in ("csr", "csc", "lil") else X
