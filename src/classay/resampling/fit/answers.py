"""Answers: what a fitted model says of cases, checked where it arrives, because nothing of it can be believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import TOLERANCE
from classay.columns.values import listing, plain
from classay.errors import InputError
from classay.resampling.data import Cases

Array = NDArray[Any]
FAR = 1e-3
"""How far from 1 the probabilities of a case may sum before they are taken for something else."""
ENOUGH = 10
"""Cases from which on the labels are held against the scores."""
LIKELIEST: dict[str, str | None] = {
    "sklearn.tree._classes.BaseDecisionTree.predict": "sklearn.tree._classes.DecisionTreeClassifier.predict_proba",
    "sklearn.ensemble._forest.ForestClassifier.predict": None,
    "sklearn.ensemble._bagging.BaggingClassifier.predict": None,
}
"""Definitions of `predict` that name the class of the highest probability, the first of several that are equal.

Those with None ask their own `predict_proba`, whoever defined it; the others compute what the one named here gives.
"""
IMPROPER = (
    "predict_proba gives values that are no probabilities (outside [0, 1], or not of sum 1): they are taken for "
    "scores, which rank and nothing more"
)
AGAINST = (
    "most predicted classes are not those of the highest score: the order of classes_ may be wrong, unless a threshold "
    "is at work"
)
OF_PAIRS = (
    "decision_function gives a score for each pair of classes (decision_function_shape='ovo'), which are no scores of "
    "classes and are left out: set decision_function_shape='ovr'"
)


@dataclass(frozen=True, eq=False)
class Answer:
    """What a model says of some cases.

    `predicted`, `(rows,)`, are codes of classes; `scores`, `(rows,)` of the positive class or `(rows, classes)`, of a
    `kind`: "probability", "decision", or "none". `notes` say what is odd about them.
    """

    predicted: Array
    scores: Array | None = None
    kind: str = "none"
    notes: tuple[str, ...] = ()


def ask(model: Any, features: Callable[[], Any], rows: int, cases: Cases) -> Answer:
    """Ask a fitted model for labels and scores of so many rows, and check what it says.

    `features` gives the rows afresh for each question, so that a model that writes into them cannot change the next
    answer. A model of which it is known that its labels are the classes of its highest probabilities is asked for these
    alone. Raises InputError: an answer of another length, shape or kind; a class that is no label, or is named
    twice; missing values.
    """
    known = _codes_of_classes(model, cases)
    if known and _says_the_likeliest(model):
        given = model.predict_proba(features())
        if np.shape(given) == (rows, len(known)):
            top = np.array(known, cases.truth.dtype)[np.asarray(given).argmax(1)]
            return _with_probabilities(top, given, known, cases)
    predicted = _labels(model.predict(features()), model, known, cases, rows)
    if hasattr(model, "predict_proba"):
        return _with_probabilities(predicted, model.predict_proba(features()), known, cases)
    if hasattr(model, "decision_function"):
        return _with_decisions(predicted, model.decision_function(features()), model, known, cases)
    return Answer(predicted)


def _says_the_likeliest(model: Any) -> bool:
    """Whether the labels of a model are the classes of its highest probabilities, by the very code of scikit-learn."""
    kind = type(model)
    if {"predict", "predict_proba"} & {*getattr(model, "__dict__", ())}:  # set on the object itself
        return False
    names = (_defined(getattr(kind, each, None)) for each in ("predict", "predict_proba"))
    predict, predict_proba = names
    return predict in LIKELIEST and LIKELIEST[predict] in (None, predict_proba)


def _defined(method: Any) -> str:
    """Where a method was defined, and as what."""
    return f"{getattr(method, '__module__', '')}.{getattr(method, '__qualname__', '')}"


# --- classes and labels


def _codes_of_classes(model: Any, cases: Cases) -> list[int] | None:
    """The code of each class the model knows, in its order."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return None
    index = _index(cases)
    codes = [_code_of(plain(label), index, "knows") for label in classes]
    if len({*codes}) < len(codes):
        twice = next(label for label in classes if codes.count(index[plain(label)]) > 1)
        raise InputError(
            f"classes_ of the model names {plain(twice)!r} twice: its scores cannot be told apart."
        )
    return codes


def _index(cases: Cases) -> dict[Any, int]:
    return {label: code for code, label in enumerate(cases.labels)}


def _code_of(label: Any, index: dict[Any, int], verb: str) -> int:
    try:
        return index[label]
    except (KeyError, TypeError):  # TypeError: a list, say, which has no hash
        said = repr(label)
        said = said if len(said) <= 40 else f"{said[:40]}…"
        raise InputError(
            f"the model {verb} a class {said} that is no label: the labels are {listing(list(index))}."
        ) from None


def _labels(given: Any, model: Any, known: list[int] | None, cases: Cases, rows: int) -> Array:
    if np.ma.is_masked(given):
        raise InputError("predict gives masked labels: give each case a label.")
    predicted = np.asarray(given)
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        predicted = predicted[:, 0]
    if predicted.shape != (rows,):
        raise InputError(
            f"predict gives an answer of shape {predicted.shape} for {rows} cases: give one label a case."
        )
    if predicted.dtype.kind == "c":
        raise InputError(f"predict gives values of type {predicted.dtype}, which are no labels.")
    kind = cases.truth.dtype
    if known is not None:
        classes = np.asarray(model.classes_)
        if known and classes.dtype == predicted.dtype != object:
            at = np.searchsorted(classes, predicted).clip(max=len(known) - 1)
            if np.array_equal(classes[at], predicted):
                codes: Array = np.array(known, kind)[at]
                return codes
    index = _index(cases)
    return np.array([_code_of(plain(label), index, "predicts") for label in predicted.tolist()], kind)


# --- scores


def _with_probabilities(predicted: Array, given: Any, known: list[int] | None, cases: Cases) -> Answer:
    if known is None:
        raise InputError(
            "the model has predict_proba and no classes_, so that its scores cannot be told apart."
        )
    scores = _numbers(given, "predict_proba", predicted.size)
    if scores.ndim != 2 or scores.shape[1] != len(known):
        raise InputError(
            f"predict_proba gives scores of shape {scores.shape} for {len(known)} classes (classes_): they cannot be "
            "told apart."
        )
    proper = _are_probabilities(scores)
    notes = (() if proper else (IMPROPER,)) + _against(predicted, scores, known)
    aligned = _aligned(scores, known, cases, 0.0 if proper else -np.inf)
    return Answer(predicted, aligned, "probability" if proper else "decision", notes)


def _with_decisions(
    predicted: Array, given: Any, model: Any, known: list[int] | None, cases: Cases
) -> Answer:
    scores = _numbers(given, "decision_function", predicted.size)
    if known is None:
        return Answer(predicted, notes=("it has scores and no classes_: the scores are left out",))
    if scores.ndim == 1 and len(known) == 2:  # of the second class
        scores = np.stack([-scores, scores], 1)
    if len(known) > 2 and is_of_pairs(model):
        return Answer(predicted, notes=(OF_PAIRS,))
    if scores.ndim != 2 or scores.shape[1] != len(known):
        columns = 1 if scores.ndim == 1 else scores.shape[1]
        note = f"decision_function gives {columns} scores a case for {len(known)} classes: they are left out"
        return Answer(predicted, notes=(note,))
    notes = _against(predicted, scores, known)
    return Answer(predicted, _aligned(scores, known, cases, -np.inf), "decision", notes)


def _numbers(given: Any, name: str, rows: int) -> Array:
    """Scores as floating-point numbers, one row a case, none missing."""
    if np.ma.is_masked(given):
        raise InputError(f"{name} gives masked scores: give each case its scores.")
    found = np.asarray(given)
    if found.dtype == object and all(isinstance(each, Real) for each in found.ravel().tolist()):
        found = found.astype(np.float64)
    if found.dtype.kind not in "biuf":
        raise InputError(f"{name} gives values of type {found.dtype}: give numbers.")
    if not found.ndim or found.shape[0] != rows:
        raise InputError(
            f"{name} gives scores of shape {found.shape} for {rows} cases: give one row of them a case."
        )
    if found.dtype not in (np.float32, np.float64):
        found = found.astype(np.float64)
    bad = int(np.isnan(found.reshape(rows, -1)).any(1).sum())
    if bad:
        raise InputError(f"the model gives scores that are missing (NaN) in {bad} of {rows} rows.")
    return found


def _are_probabilities(scores: Array) -> bool:
    inside = (scores >= -TOLERANCE).all() and (scores <= 1 + TOLERANCE).all()
    return bool(inside) and bool((np.abs(scores.sum(1, dtype=np.float64) - 1) <= FAR).all())


def _against(predicted: Array, scores: Array, known: list[int]) -> tuple[str, ...]:
    """A note where the labels are mostly not the classes of the highest score, as far as one score is the highest."""
    if len(known) < 2:
        return ()
    ordered = np.sort(scores, 1)
    is_clear = ordered[:, -1] > ordered[:, -2]
    top = np.array(known)[scores.argmax(1)]
    clear, agreeing = int(is_clear.sum()), int((is_clear & (top == predicted)).sum())
    return (AGAINST,) if clear >= ENOUGH and 2 * agreeing < clear else ()


def is_of_pairs(model: Any) -> bool:
    """Whether a parameter of the model, or of a part of it, asks for scores of pairs of classes."""
    if not hasattr(model, "get_params"):
        return False
    return any(
        name.endswith("decision_function_shape") and isinstance(value, str) and value == "ovo"
        for name, value in model.get_params(deep=True).items()
    )


def _aligned(given: Array, known: list[int], cases: Cases, absent: float) -> Array:
    """Scores in the order of the labels, classes that the model never saw at the lowest score there is."""
    code = cases.positive_code
    if code is not None:
        if code in known:
            return np.array(given[:, known.index(code)])
        return np.full(given.shape[0], absent, given.dtype)
    full = np.full((given.shape[0], len(cases.labels)), absent, given.dtype)
    full[:, known] = given  # a copy: the model may write into its own answer again
    return full
