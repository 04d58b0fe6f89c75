"""Splitting: folds and the splits of any splitter, as row numbers that are checked."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from classay.columns.numbers import counted
from classay.errors import InputError, shown
from classay.resampling.data import Cases
from classay.resampling.splits import printed, seed_for
from classay.texts import an, quote


def folds_of(cases: Cases, folds: int, seed: int, repeat: int) -> Iterator[tuple[Any, Any]]:
    """Stratified folds, of whole clusters where there are any."""
    from sklearn.model_selection import StratifiedGroupKFold
    from sklearn.model_selection import StratifiedKFold as Stratified

    groups = None if cases.clusters is None else len(cases.clusters)
    if folds > (cases.rows if groups is None else groups):
        what = "cases" if groups is None else "clusters"
        raise InputError(f"there are {groups or cases.rows} {what} and {folds} folds: take fewer folds.")
    largest = int(cases.totals.max())
    if largest < folds:
        raise InputError(
            f"the largest of {len(cases.labels):,} classes occurs in {counted(largest)}, and there are {folds} folds: "
            "take fewer folds; or name another target, if this one measures something and is no label."
        )
    kind = Stratified if cases.cluster is None else StratifiedGroupKFold
    return split_rows(kind(folds, shuffle=True, random_state=seed_for(seed, f"folds {repeat}")), cases)


def split_rows(splitter: Any, cases: Cases, X: Any = None, y: Any = None) -> Iterator[tuple[Any, Any]]:
    """The splits of a splitter as row numbers, checked; its complaints as InputError, its warnings unheard."""
    rows = np.zeros((cases.rows, 1)) if X is None else X
    found = _begun(splitter, rows, cases.truth if y is None else y, cases.cluster)
    count = 0
    while (pair := _next(found, splitter)) is not None:
        count += 1
        yield _checked(pair, splitter, cases)
    if not count:
        raise InputError(f"{printed(splitter)} gives no splits.")


def _begun(splitter: Any, X: Any, y: Any, cluster: Any) -> Iterator[Any]:
    with complaints(splitter):
        return iter(splitter.split(X, y, cluster))


def _next(found: Iterator[Any], splitter: Any) -> Any:
    with complaints(splitter):
        return next(found, None)


@contextmanager
def complaints(splitter: Any) -> Iterator[None]:
    """Whatever a splitter raises, as an InputError; its warnings unheard."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small class: `few_of_a_class` says so
            yield
    except Exception as error:
        said = str(error) if type(error) is ValueError else shown(error)
        said = said.partition("\n")[0]
        raise InputError(f"the data cannot be split so ({type(splitter).__name__}): {said}") from error


def _checked(pair: Any, splitter: Any, cases: Cases) -> tuple[Any, Any]:
    """The row numbers of both sides of a split. Raises InputError for what cannot be a training set and a test set."""
    name = type(splitter).__name__
    if not (isinstance(pair, tuple | list) and len(pair) == 2):
        raise InputError(
            f"{name} gives {an(type(pair).__name__)} for a split: give two arrays of row numbers, for training "
            "and test."
        )
    sides = []
    for side, given in zip(("training", "test"), pair, strict=True):
        rows = np.asarray(given)
        if rows.dtype.kind not in "iu" or rows.ndim != 1:
            raise InputError(
                f"{name} gives {rows.dtype} values of shape {rows.shape} for the rows of {side}: give their numbers."
            )
        if not rows.size:
            raise InputError(f"{name} gives a split without rows for the {side}.")
        if rows.min() < 0 or rows.max() >= cases.rows:
            raise InputError(
                f"{name} gives row numbers from {int(rows.min())} to {int(rows.max())} for the {side}, and there are "
                f"{counted(cases.rows)}, the first of them 0."
            )
        sides.append(rows.astype(np.intp, copy=False))
    train, test = sides
    _refuse_torn(name, train, test, cases)
    return train, test


def _refuse_torn(name: str, train: Any, test: Any, cases: Cases) -> None:
    """Clusters were named so that no test knows a cluster of its training; a splitter that ignores them breaks that."""
    if cases.cluster is None or cases.clusters is None:
        return
    torn = np.intersect1d(cases.cluster[train], cases.cluster[test])
    if torn.size:
        raise InputError(
            f"{name} puts rows of {torn.size:,} clusters on both sides of a split, {cases.clusters[torn[0]]!r} for "
            "one: take a splitter that keeps groups together, as StratifiedGroupKFold does, or '10fold'."
        )


def few_of_a_class(cases: Cases, folds: int) -> tuple[str, ...]:
    """A note on classes that cannot be in every fold."""
    totals = np.bincount(cases.truth, minlength=len(cases.labels))
    return tuple(
        f"class {quote(label)} has {total} cases, fewer than {folds} folds: some folds have none of it"
        for label, total in zip(cases.labels, totals.tolist(), strict=True)
        if 0 < total < folds
    )
