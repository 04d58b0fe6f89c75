"""All leaks of small tables, found once more by loops over rows and columns: counts, examples and every word."""

from collections import Counter
from itertools import pairwise
from math import comb, factorial, log

import numpy as np
import pandas as pd
import pytest

from classay.resampling.leaks import EXPECTED, find_leaks

NONE = (None,)


def is_same(one, other):
    return one == other or (one != one and other != other)


def share(part, total):
    percent = 100 * part / total
    return f"{percent:.3g}%" if part in (0, total) or percent < 99.5 else "more than 99%"


def listed(names):
    first = ", ".join(map(repr, names[:5]))
    return first if len(names) <= 5 else f"{first} and {len(names) - 5} more"


def twins(rows, y, splits, combinations):
    met, agreeing, tested, example = [], 0, 0, None
    for train, test in splits:
        of_split = 0
        tested += len(test)
        for i in test:
            equal = [j for j in train if all(map(is_same, rows[i], rows[j]))]
            of_split += bool(equal)
            agreeing += any(y[i] == y[j] for j in equal)
            if equal and example is None:
                example = (i, equal[0])
        met.append(of_split)
    if example is None:
        return []
    total = sum(met)
    if combinations <= len(rows):
        advice = f"The features have at most {combinations} combinations, so that is to be expected."
    elif agreeing == total and total > 0.05 * tested:
        advice = (
            "The twins may be copies. Upsample inside each fold, not before the split. Keep repeated records on one "
            "side of the split (cluster)."
        )
    else:
        advice = (
            "Keep repeated records on one side of the split (cluster). Coarse features have twins by chance."
        )
    text = (
        f"{share(total, tested)} of the test rows have a twin in training: a row with equal features (at most "
        f"{max(met)} of the {tested / len(splits):.4g} rows of a test set). {share(agreeing, total)} of these rows "
        f"have a twin with the same label. {advice}"
    )
    return [("twins", text, max(met), example)]


def clusters(values, splits):
    shared, example = [], None
    for train, test in splits:
        both = sorted({values[i] for i in test} & {values[j] for j in train} - {None})
        if both and example is None:
            example = both[0]
        shared.append(len(both))
    if not any(shared):
        return []
    text = (
        f"In {sum(map(bool, shared))} of {len(shared)} splits, clusters have rows on both sides (up to {max(shared)} "
        f"clusters in a split, for example {example!r}). Keep the rows of each cluster on one side (cluster)."
    )
    return [("cluster", text, max(shared), example)]


def separates(column, y):
    """Whether the classes' ranges do not meet, and of all orders of the labels fewer than one in 1e9 are so."""
    known = [(value, label) for value, label in zip(column, y, strict=True) if value == value]
    of = {label: [value for value, other in known if other == label] for label in {*y}}
    if len(of) < 2 or not all(of.values()):
        return False
    ends = sorted((min(values), max(values)) for values in of.values())
    orders = factorial(len(of))
    for values in of.values():
        orders *= factorial(len(values))
    rare = orders / factorial(len(known)) < 1e-9
    return rare and all(one[1] < other[0] for one, other in pairwise(ends))


def decides(column, y):
    """Whether each value has one label, and labels drawn by their shares would be so less than once in 1e9."""
    keys = ["missing" if value != value else value for value in column]
    of = {key: {label for other, label in zip(keys, y, strict=True) if other == key} for key in keys}
    if len(of) == 1 or any(len(labels) > 1 for labels in of.values()):
        return False
    shares = [count / len(y) for count in Counter(y).values()]
    return sum(log(sum(p**size for p in shares)) for size in Counter(keys).values()) < log(1e-9)


def counts_rows(column):
    if len(column) < 50 or len({*column}) < len(column):
        return False
    if any(isinstance(value, str) for value in column):
        return True
    if any(value != round(value) for value in column if value == value) or any(
        value != value for value in column
    ):
        return False
    steps = np.diff(column)
    return max(column) - min(column) < 2 * len(column) or (steps > 0).all() or (steps < 0).all()


def by_loops(columns, y, splits, cluster):
    n = len(y)
    rows = [*zip(*columns.values(), strict=True)]
    combinations = 1
    for column in columns.values():
        combinations *= len({"missing" if value != value else value for value in column})
    splits = [(train, [i for i in test if i not in {*train}]) for train, test in splits]
    splits = [(train, test) for train, test in splits if test]
    found = twins(rows, y, splits, combinations)
    found += clusters(cluster, splits) if cluster is not None else []
    kept = [*range(n)]
    if combinations > n:  # copies of a row prove nothing
        kept = [
            i for i in kept if not any(all(map(is_same, rows[i], rows[j])) and y[i] == y[j] for j in range(i))
        ]
    of_features = {name: [column[i] for i in kept] for name, column in columns.items()}
    return found + features(of_features, [y[i] for i in kept])


def features(columns, y):
    telling, identifiers, constant = [], [], []
    for name, column in columns.items():
        is_number = not any(isinstance(value, str) for value in column)
        keys = {"missing" if value != value else value for value in column}
        if len(keys) == 1:
            constant.append(name)
        elif is_number and separates(column, y):
            how = "a threshold on it separates" if len({*y}) == 2 else "thresholds on it separate"
            telling.append((name, f"{how} the classes"))
        elif counts_rows(column):
            identifiers.append(name)
        elif len(keys) < len(column) and decides(column, y):
            telling.append((name, f"each of its {len(keys)} values occurs with one label only"))
    found = []
    if telling:
        too = f" The same holds for {listed([name for name, _ in telling[1:]])}." if telling[1:] else ""
        text = (
            f"Feature {telling[0][0]!r} determines the target: {telling[0][1]}.{too} Exclude features that are known "
            "only after the target."
        )
        found.append(("target", text, len(telling), telling[0][0]))
    if identifiers:
        text = (
            f"Every row has a different value of {listed(identifiers)}. Exclude columns that only number or name the "
            "rows."
        )
        found.append(("identifier", text, len(identifiers), identifiers[0]))
    if constant:
        is_or_are = "is a feature" if len(constant) == 1 else "are features"
        text = f"All rows have the same value of {listed(constant)}, which {is_or_are} without information."
        found.append(("constant", text, len(constant), constant[0]))
    return found


def made(seed):
    """A table of some kinds of columns, with copies of rows, clusters, and splits that may overlap."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(34, 90)), int(rng.integers(2, 4))
    y = rng.integers(0, k, n)
    y[:k] = range(k)
    kinds = {
        "noise": lambda: rng.normal(size=n).round(6),
        "coarse": lambda: rng.integers(0, int(rng.integers(2, 5)), n) * 1.0,
        "gaps": lambda: np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 4, n)),
        "constant": lambda: np.full(n, rng.choice([0.0, np.nan, 3.5])),
        "numbers": lambda: rng.permutation(n) * rng.choice([1.0, 2.0, 3.0]),
        "in order": lambda: np.cumsum(rng.integers(1, 99, n)) * float(rng.choice([-1, 1])),
        "threshold": lambda: y + rng.uniform(0, 0.9, n).round(6),
        "nearly": lambda: y + rng.uniform(0, 1.1, n).round(6),
        "with gaps": lambda: np.where(rng.random(n) < 0.4, np.nan, y + rng.uniform(0, 0.9, n)),
        "codes": lambda: (y + k * rng.integers(0, 3, n)) * 7.0 % 11,
        "many codes": lambda: (y + k * rng.integers(0, n // 3, n)) * 1.0,
        "texts": lambda: np.array(
            [f"t{label}{extra}" for label, extra in zip(y, rng.integers(0, 3, n), strict=True)]
        ),
        "words": lambda: rng.choice(["a", "b"], n),
        "names": lambda: np.array([f"n{i}" for i in rng.permutation(n)]),
    }
    some = rng.choice([*kinds], int(rng.integers(1, 9)), replace=True)
    columns = {f"{kind} {i}": kinds[kind]() for i, kind in enumerate(some)}
    if rng.random() < 0.6:
        copies = rng.integers(0, n, int(rng.integers(1, n)))
        to = rng.permutation(n)[: copies.size]
        columns = {name: np.array(column) for name, column in columns.items()}
        for column in columns.values():
            column[to] = column[copies]
        y = y.copy()
        if rng.random() < 0.7:
            y[to] = y[copies]
    fold = rng.integers(0, 3, n)
    splits = [(np.flatnonzero(fold != j), np.flatnonzero(fold == j)) for j in range(3)]
    splits.append((np.arange(n // 2), np.arange(n // 3, n)))
    cluster = [None if i % 11 == 0 else f"c{i // int(rng.integers(1, 4))}" for i in range(n)]
    return columns, y, splits, cluster if rng.random() < 0.5 else None


@pytest.mark.parametrize("seed", range(60))
def test_leaks_are_those_that_loops_find(seed):
    columns, y, splits, cluster = made(seed)
    found = find_leaks(pd.DataFrame(columns), y, splits, cluster=cluster)
    plain = {name: column.tolist() for name, column in columns.items()}
    wanted = by_loops(plain, y.tolist(), [(a.tolist(), b.tolist()) for a, b in splits], cluster)
    assert [(leak.code, leak.text, leak.count, leak.example) for leak in found] == wanted
    for leak in found:
        tested = sum(len({*test.tolist()} - {*train.tolist()}) for train, test in splits)
        of_twins = leak.code == "twins" and leak.count > 0.05 * tested and EXPECTED not in leak.text
        assert leak.voids(tested) == (of_twins or leak.code in ("cluster", "target"))


@pytest.mark.parametrize(("n", "is_leak"), [(33, False), (34, True)])
def test_a_threshold_proves_something_from_a_billion_orders_on(n, is_leak):
    """C(n, n / 2) orders of the labels, two of which a threshold separates."""
    y = np.arange(n) % 2
    column = y + np.random.default_rng(0).permutation(n) / (2 * n)
    assert (2 / comb(n, n // 2) < 1e-9) == is_leak
    found = find_leaks(column[:, None], y, [(np.arange(20), np.arange(20, n))])
    assert ("target" in [leak.code for leak in found]) == is_leak


@pytest.mark.parametrize(("n", "is_leak"), [(49, False), (50, True)])
def test_row_numbers_are_an_identifier_from_fifty_rows_on(n, is_leak):
    X = np.random.default_rng(0).permutation(n)[:, None]
    y = np.arange(n) % 2
    found = find_leaks(X, np.random.default_rng(1).permutation(y), [(np.arange(20), np.arange(20, n))])
    assert ("identifier" in [leak.code for leak in found]) == is_leak
