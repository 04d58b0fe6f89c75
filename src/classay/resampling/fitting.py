"""One unit of work: fit one estimator on one split, and keep its predictions."""

from __future__ import annotations

import json
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import of_predictions
from classay.assessment.assessment import Assessment
from classay.columns.values import plain
from classay.errors import ClassayError, InputError
from classay.measures import get
from classay.measures.conditions import NOT_PROBABILITIES
from classay.predictions import Predictions
from classay.resampling.data import Cases, Dataset
from classay.resampling.fold import FoldResult
from classay.resampling.searches import groups_for
from classay.resampling.splits import Split, seed_for

Array = NDArray[Any]
ONLY_CODES = (
    "XGBoost takes the labels 0, 1, … alone: code the target so, with each class in every training set."
)


@dataclass(frozen=True, eq=False)
class Learner:
    """An estimator with its name, and the parameters that make it random: those `random_state` that are None."""

    name: str
    estimator: Any
    random: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, estimator: Any) -> Learner:
        """Look up what is random in an estimator."""
        parameters = estimator.get_params(deep=True)
        return cls(
            name,
            estimator,
            tuple(
                sorted(
                    key
                    for key, value in parameters.items()
                    if value is None and (key == "random_state" or key.endswith("__random_state"))
                )
            ),
        )

    def fresh(self, seed: int, number: int) -> Any:
        """An unfitted copy whose random parameters follow from the seed and the number of the split."""
        from sklearn.base import clone

        made = clone(self.estimator)
        if self.random:
            made.set_params(**{key: seed_for(seed, f"{key} {number}") for key in self.random})
        return made


def fit(
    learner: Learner, data: Dataset, split: Split, seed: int, training_measures: tuple[str, ...]
) -> FoldResult:
    """Fit on the rows of training, predict those of the test; a failure becomes a text, never an exception."""
    seen: list[str] = []
    try:
        with _noted(seen):
            found = _fit(learner, data, split, seed, training_measures)
    except Exception as error:  # noqa: BLE001  whatever an estimator raises is a finding about it
        return FoldResult(failure=_first_line(error), notes=tuple(seen))
    return replace(found, notes=(*found.notes, *seen))


def _fit(
    learner: Learner, data: Dataset, split: Split, seed: int, training_measures: tuple[str, ...]
) -> FoldResult:
    cases, place = data.cases, split.place
    model = learner.fresh(seed, place.number)
    features = data.take(split.train)
    start = time.perf_counter()
    cluster = None if cases.cluster is None else cases.cluster[split.train]
    model.fit(features, data.y[split.train], **groups_for(model, cluster))
    fitted = time.perf_counter()
    predicted, scores, kind = predict(model, data.take(place.test), cases)
    scored = time.perf_counter()
    found = FoldResult(
        predicted,
        scores,
        kind,
        choice=_choice(model),
        notes=_absent(cases, split.train, kind),
        fit_seconds=fitted - start,
        score_seconds=scored - fitted,
    )
    if not split.shows_training:
        return found
    on_training = predict(model, features, cases)
    return with_training(found, cases, split.train, *on_training[:2], training_measures)


def predict(model: Any, features: Any, cases: Cases) -> tuple[Array, Array | None, str]:
    """Codes of the predicted classes, and scores aligned to all labels: of the positive class where there are two."""
    known = _codes_of_classes(model, cases)
    predicted = _code(np.asarray(model.predict(features)), model, known, cases)
    if hasattr(model, "predict_proba"):
        return (
            predicted,
            _aligned(np.asarray(model.predict_proba(features)), known, cases, 0.0),
            "probability",
        )
    if hasattr(model, "decision_function"):
        given = np.asarray(model.decision_function(features))
        if given.ndim == 1:  # of the second class
            given = np.stack([-given, given], 1)
        if known is not None and given.shape[1] == len(known):
            return predicted, _aligned(given, known, cases, -np.inf), "decision"
    return predicted, None, "none"


def with_training(
    found: FoldResult,
    cases: Cases,
    rows: Array,
    predicted: Array,
    scores: Array | None,
    measures: tuple[str, ...],
) -> FoldResult:
    """The result with what the rows of training show: their counts, and the values of measures of their scores."""
    shown = assess_rows(cases, rows, predicted, scores)
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


def assess_rows(
    cases: Cases, rows: Array, predicted: Array, scores: Array | None, level: float = 0.95, seed: int = 0
) -> Assessment:
    """The assessment of predictions for these rows, which were checked with the cases."""
    binary = cases.positive is not None
    return of_predictions(
        Predictions(
            predicted=predicted,
            score=scores if binary else None,
            class_scores=None if binary else scores,
            **cases.at(rows),
        ),
        level=level,
        seed=seed,
    )


def _codes_of_classes(model: Any, cases: Cases) -> list[int] | None:
    """The code of each class the model knows, in its order."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return None
    index = {label: code for code, label in enumerate(cases.labels)}
    return [_code_of(plain(label), index) for label in classes]


def _code_of(label: Any, index: dict[Any, int]) -> int:
    if label not in index:
        raise InputError(f"the model knows a class {label!r} that is no label: the labels are {list(index)}.")
    return index[label]


def _code(predicted: Array, model: Any, known: list[int] | None, cases: Cases) -> Array:
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        predicted = predicted[:, 0]
    kind = cases.truth.dtype
    if known is not None:
        classes = np.asarray(model.classes_)
        if classes.dtype == predicted.dtype != object:
            at = np.searchsorted(classes, predicted).clip(max=len(known) - 1)
            if np.array_equal(classes[at], predicted):
                codes: Array = np.array(known, kind)[at]
                return codes
    index = {label: code for code, label in enumerate(cases.labels)}
    return np.array([_code_of(plain(label), index) for label in predicted.tolist()], kind)


def _aligned(given: Array, known: list[int] | None, cases: Cases, absent: float) -> Array:
    """Scores in the order of the labels, classes that the model never saw at the lowest score there is."""
    if known is None or given.ndim != 2 or given.shape[1] != len(known):
        raise InputError(
            f"the model gives scores of shape {given.shape} for {0 if known is None else len(known)} classes "
            "(classes_): they cannot be told apart."
        )
    if given.dtype not in (np.float32, np.float64):
        given = given.astype(np.float64)
    bad = int(np.isnan(given).any(1).sum())
    if bad:
        raise InputError(f"the model gives scores that are missing (NaN) in {bad} of {given.shape[0]} rows.")
    code = cases.positive_code
    if code is not None:
        if code in known:
            return np.ascontiguousarray(given[:, known.index(code)])
        return np.full(given.shape[0], absent, given.dtype)
    if known == [*range(len(cases.labels))]:
        return np.ascontiguousarray(given)
    full = np.full((given.shape[0], len(cases.labels)), absent, given.dtype)
    full[:, known] = given
    return full


def _absent(cases: Cases, train: Array, kind: str) -> tuple[str, ...]:
    """Classes that no row of training has; their score is said, for it is no finding of the model."""
    present = np.bincount(cases.truth[train], minlength=len(cases.labels))
    names = [repr(cases.labels[i]) for i in np.flatnonzero(present == 0)]
    if not names:
        return ()
    given = {"probability": "probability 0", "decision": "the lowest score"}.get(kind)
    said = f": it is given {given}" if given else ""
    return (f"no case of training is of class {', '.join(names)}{said}",)


def _choice(model: Any) -> dict[str, Any] | None:
    """What a search chose, its inner score and the name of that score."""
    search = model
    if not hasattr(search, "best_params_") and hasattr(model, "steps"):
        search = model.steps[-1][1]
    if not hasattr(search, "best_params_"):
        return None
    scoring = getattr(search, "scoring", None)
    if isinstance(getattr(search, "refit", None), str):
        scoring = search.refit
    score = getattr(search, "best_score_", None)
    return {
        "params": {name: _as_json(value) for name, value in search.best_params_.items()},
        "score": None if score is None else float(score),
        "scoring": scoring if isinstance(scoring, str) else "accuracy" if scoring is None else "custom",
    }


def _as_json(value: Any) -> Any:
    value = plain(value)
    try:
        json.dumps(value)
    except TypeError:
        return repr(value)
    return value


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
            seen.extend(sorted({_first_line(each.message) for each in caught}))


def _first_line(error: Any) -> str:
    text = str(error).strip().partition("\n")[0]
    if isinstance(error, ClassayError):
        return text
    said = f"{type(error).__name__}: {text}"[:300]
    return f"{said}. {ONLY_CODES}" if text.startswith("Invalid classes inferred from unique values") else said
