"""One unit of work: fit one estimator on one split, and keep its predictions."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import in_our_words, shown
from classay.measures import get
from classay.measures.conditions import NOT_PROBABILITIES
from classay.resampling.data import Cases, Dataset
from classay.resampling.fit.answers import ask
from classay.resampling.fit.searches import choice_of, groups_for
from classay.resampling.fit.seeding import (
    global_state,
    is_unseeded_splitter,
    seed_splitters,
    surroundings,
    unseeded,
)
from classay.resampling.fold_result import FoldResult
from classay.resampling.splits import Split, seed_for

Array = NDArray[Any]
ONLY_CODES = (
    "XGBoost takes the labels 0, 1, … alone: code the target so, with each class in every training set."
)

MOST_NOTED = 10
"""Warnings of one fit that are kept: a learner may warn of each of a million steps in other words."""


@dataclass(frozen=True, eq=False)
class Learner:
    """An estimator with its name, and the parameters that make it random: those `random_state` that are None.

    `has_splitters` says whether parameters are splitters to seed, such as the `cv` of a search.
    """

    name: str
    estimator: Any
    random: tuple[str, ...] = ()
    has_splitters: bool = True

    @classmethod
    def of(cls, name: str, estimator: Any) -> Learner:
        """Look up what is random in an estimator. Raises InputError where it does not tell its parameters."""
        advice = "get_params must give them by name, as in scikit-learn."
        with in_our_words(f"{name} does not tell its parameters", advice):
            parameters = estimator.get_params(deep=True)
            return cls(
                name, estimator, unseeded(parameters), any(map(is_unseeded_splitter, parameters.values()))
            )

    def fresh(self, seed: int, number: int) -> Any:
        """An unfitted copy whose random parameters follow from the seed and the number of the split."""
        from sklearn.base import clone

        made = clone(self.estimator)
        if self.random:
            made.set_params(**{key: seed_for(seed, f"{key} {number}") for key in self.random})
        if self.has_splitters:
            seed_splitters(made, seed, number)
        return made


def fit(
    learner: Learner, data: Dataset, split: Split, seed: int, training_measures: tuple[str, ...]
) -> FoldResult:
    """Fit on the rows of training, predict those of the test; a failure becomes a text, never an exception.

    Leaving Python (`sys.exit`) is a failure too; only who sits at the keyboard interrupts.
    """
    seen: list[str] = []
    try:
        with _noted(seen), np.errstate(), surroundings(), global_state(seed, split.place.number):
            found = _fit(learner, data, split, seed, training_measures)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  whatever an estimator raises is a finding about it
        return FoldResult(failure=_said(error), notes=tuple(seen))
    return replace(found, notes=(*found.notes, *seen))


def _fit(
    learner: Learner, data: Dataset, split: Split, seed: int, training_measures: tuple[str, ...]
) -> FoldResult:
    cases, place = data.cases, split.place
    model = learner.fresh(seed, place.number)
    features, labels = data.take(split.train), data.y[split.train]
    cluster = None if cases.cluster is None else cases.cluster[split.train]
    start = time.perf_counter()
    model.fit(features, labels, **groups_for(model, cluster))
    fitted = time.perf_counter()
    del features  # the model may have written into them
    answer = ask(model, lambda: data.take(place.test), place.n_test, cases)
    scored = time.perf_counter()
    found = FoldResult(
        answer.predicted,
        answer.scores,
        answer.kind,
        choice=choice_of(model, cases.positive),
        notes=(*answer.notes, *_absent(cases, split.train, answer.kind)),
        fit_seconds=fitted - start,
        score_seconds=scored - fitted,
    )
    if not split.shows_training:
        return found
    training = ask(model, lambda: data.take(split.train), split.train.shape[0], cases)
    if (
        training.kind != answer.kind
    ):  # scores of another kind than those of the test have no place beside them
        training = replace(training, scores=None)
    return with_training(found, cases, split.train, training.predicted, training.scores, training_measures)


def with_training(
    found: FoldResult,
    cases: Cases,
    rows: Array,
    predicted: Array,
    scores: Array | None,
    measures: tuple[str, ...],
) -> FoldResult:
    """The result with what the rows of training show: their counts, and the values of measures of their scores."""
    shown = cases.assess(rows, predicted, scores)
    values = {}
    proper = found.kind_of_score == "probability"
    for name in measures:
        if not proper and NOT_PROBABILITIES in get(name).undefined:
            continue
        table = shown.table(get(name))
        values[name] = float("nan") if isinstance(table, str) else float(get(name)(table))
    matrix = shown.confusion_matrix
    assert matrix is not None
    return replace(found, training=matrix.counts, training_values=values)


def _absent(cases: Cases, train: Array, kind: str) -> tuple[str, ...]:
    """Classes that no row of training has; their score is said, for it is no finding of the model."""
    present = np.bincount(cases.truth[train], minlength=len(cases.labels))
    names = [repr(cases.labels[i]) for i in np.flatnonzero(present == 0)]
    if not names:
        return ()
    given = {"probability": "probability 0", "decision": "the lowest score"}.get(kind)
    said = f": it is given {given}" if given else ""
    return (f"no training case is of class {', '.join(names)}{said}",)


@contextmanager
def _noted(seen: list[str]) -> Iterator[None]:
    """Collect warnings as texts; only on the main thread, because the filters belong to the whole process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings(record=True) as caught:
        try:
            yield
        finally:
            said = sorted({shown(each.message) for each in caught})
            seen.extend(said[:MOST_NOTED])
            if len(said) > MOST_NOTED:
                seen.append(f"and {len(said) - MOST_NOTED:,} other warnings")


def _said(error: BaseException) -> str:
    text = shown(error)
    return f"{text}. {ONLY_CODES}" if "Invalid classes inferred from unique values" in text else text
