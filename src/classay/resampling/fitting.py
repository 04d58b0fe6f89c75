"""Units of work: fit one estimator on one split, seeded, keep what it says of cases, checked; run every unit once.

Seeding: everything random in a fit follows from the seed and the number of the split, or is the user's own.

And what a fit changes of the process around it is given back as it was.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from classay.columns.scales import unrounded
from classay.columns.values import listing, plain
from classay.errors import FileError, InputError, in_our_words, shown
from classay.files.archives import Damaged
from classay.measures import get
from classay.measures.vocabulary import NOT_PROBABILITIES
from classay.resampling.data import Cases, Dataset, FoldResult, Split, checked, seed_for
from classay.resampling.run_store import StoreWarning, finished, inner_threads
from classay.resampling.searches import choice_of, groups_for

Array = NDArray[Any]
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
    "predict_proba gives values that are not probabilities (outside [0, 1] or with a sum other than "
    "1). They are used as scores for ranking only"
)
OF_ROUNDED = (
    "predict_proba gives rounded probabilities with sums within 0.001 of 1. They were divided by "
    "their sum in each case"
)
AGAINST = (
    "most predicted classes do not have the highest score. The order of classes_ may be wrong, "
    "unless a threshold is used"
)
OF_PAIRS = (
    "decision_function gives scores of pairs of classes (decision_function_shape='ovo'), which were "
    "excluded. Set decision_function_shape='ovr' for class scores"
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
    last_step, features = _behind_transformers(model, features)
    if known and _says_the_likeliest(last_step):
        probabilities = last_step.predict_proba(features())
        if np.shape(probabilities) == (rows, len(known)):
            top = np.array(known, cases.truth.dtype)[np.asarray(probabilities).argmax(1)]
            return _with_probabilities(top, probabilities, known, cases)
    predicted = _labels(last_step.predict(features()), model, known, cases, rows)
    if hasattr(last_step, "predict_proba"):
        return _with_probabilities(predicted, last_step.predict_proba(features()), known, cases)
    if hasattr(last_step, "decision_function"):
        return _with_decisions(predicted, last_step.decision_function(features()), model, known, cases)
    return Answer(predicted)


QUESTIONS = ("predict", "predict_proba", "decision_function")


def _behind_transformers(model: Any, features: Callable[[], Any]) -> tuple[Any, Callable[[], Any]]:
    """Return the last step of a pipeline, and the cases as they come to it, transformed once for all questions.

    Of a pipeline that answers by scikit-learn's own code, and with no metadata to pass on; another is left as it is.
    """
    is_plain = all(
        _defined(getattr(type(model), question, None)) == PIPELINE + question for question in QUESTIONS
    )
    if not is_plain or {*QUESTIONS} & {*vars(model)} or len(model.steps) < 2:
        return model, features
    from sklearn import get_config

    if get_config()["enable_metadata_routing"]:
        return model, features
    transformed = model[:-1].transform(features())
    return model.steps[-1][1], lambda: deepcopy(transformed)


PIPELINE = "sklearn.pipeline.Pipeline."


def _says_the_likeliest(model: Any) -> bool:
    """Whether the labels of a model are the classes of its highest probabilities, by the very code of scikit-learn."""
    kind = type(model)
    if {"predict", "predict_proba"} & {*getattr(model, "__dict__", ())}:  # set on the object itself
        return False
    names = (_defined(getattr(kind, question, None)) for question in ("predict", "predict_proba"))
    predict, predict_proba = names
    return predict in LIKELIEST and LIKELIEST[predict] in (None, predict_proba)


def _defined(method: Any) -> str:
    """Return where a method was defined, and as what."""
    return f"{getattr(method, '__module__', '')}.{getattr(method, '__qualname__', '')}"


# --- classes and labels


def _codes_of_classes(model: Any, cases: Cases) -> list[int] | None:
    """Return the code of each class the model knows, in its order."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return None
    index = _index(cases)
    codes = [_code_of(plain(label), index, "knows") for label in classes]
    if len({*codes}) < len(codes):
        twice = next(label for label in classes if codes.count(index[plain(label)]) > 1)
        raise InputError(
            f"classes_ of the model contains {plain(twice)!r} twice, so its scores have no clear class. Use a "
            "model with different classes."
        )
    return codes


def _index(cases: Cases) -> dict[Any, int]:
    return {label: code for code, label in enumerate(cases.labels)}


def _code_of(label: Any, index: dict[Any, int], verb: str) -> int:
    try:
        return index[label]
    except (KeyError, TypeError):  # TypeError: a list, say, which has no hash
        label_text = repr(label)
        label_text = label_text if len(label_text) <= 40 else f"{label_text[:40]}…"
        raise InputError(
            f"The model {verb} class {label_text}, which is not a label. Labels: {listing(list(index))}."
        ) from None


def _labels(answers: Any, model: Any, known: list[int] | None, cases: Cases, rows: int) -> Array:
    if np.ma.is_masked(answers):
        raise InputError("predict gives masked labels. Return a label for each case.")
    predicted = np.asarray(answers)
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        predicted = predicted[:, 0]
    if predicted.shape != (rows,):
        raise InputError(
            f"predict gives an array of shape {predicted.shape} for {rows} cases. Return one label for each "
            "case."
        )
    if predicted.dtype.kind == "c":
        raise InputError(f"predict gives values of type {predicted.dtype}, which are not labels.")
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


def _with_probabilities(
    predicted: Array, probabilities: Any, known: list[int] | None, cases: Cases
) -> Answer:
    if known is None:
        raise InputError("The model has predict_proba but no classes_, so its scores have no known class.")
    scores = _numbers(probabilities, "predict_proba", predicted.size)
    if scores.ndim != 2 or scores.shape[1] != len(known):
        raise InputError(
            f"predict_proba gives scores of shape {scores.shape} for {len(known)} classes (classes_). Return "
            "one score for each case and class."
        )
    notes = _against(predicted, scores, known)
    exact = unrounded(scores)
    if exact is None:
        return Answer(predicted, _aligned(scores, known, cases, -np.inf), "decision", (IMPROPER, *notes))
    rounded_note = () if exact is scores else (OF_ROUNDED,)
    return Answer(predicted, _aligned(exact, known, cases, 0.0), "probability", (*rounded_note, *notes))


def _with_decisions(
    predicted: Array, decisions: Any, model: Any, known: list[int] | None, cases: Cases
) -> Answer:
    scores = _numbers(decisions, "decision_function", predicted.size)
    if known is None:
        return Answer(predicted, notes=("the model has scores but no classes_. The scores were excluded",))
    if scores.ndim == 1 and len(known) == 2:  # of the second class
        scores = np.stack([-scores, scores], 1)
    if len(known) > 2 and is_of_pairs(model):
        return Answer(predicted, notes=(OF_PAIRS,))
    if scores.ndim != 2 or scores.shape[1] != len(known):
        columns = 1 if scores.ndim == 1 else scores.shape[1]
        note = (
            f"decision_function gives {columns} scores per case for {len(known)} classes. The scores were "
            "excluded"
        )
        return Answer(predicted, notes=(note,))
    notes = _against(predicted, scores, known)
    return Answer(predicted, _aligned(scores, known, cases, -np.inf), "decision", notes)


def _numbers(answers: Any, name: str, rows: int) -> Array:
    """Scores as floating-point numbers, one row a case, none missing."""
    if np.ma.is_masked(answers):
        raise InputError(f"{name} gives masked scores. Return all scores of each case.")
    numbers = np.asarray(answers)
    if numbers.dtype == object and all(isinstance(number, Real) for number in numbers.ravel().tolist()):
        numbers = numbers.astype(np.float64)
    if numbers.dtype.kind not in "biuf":
        raise InputError(f"{name} gives values of type {numbers.dtype}. Return numbers.")
    if not numbers.ndim or numbers.shape[0] != rows:
        raise InputError(
            f"{name} gives scores of shape {numbers.shape} for {rows} cases. Return one row of scores for "
            "each case."
        )
    if numbers.dtype not in (np.float32, np.float64):
        numbers = numbers.astype(np.float64)
    bad = int(np.isnan(numbers.reshape(rows, -1)).any(1).sum())
    if bad:
        raise InputError(f"The model gives missing scores (NaN) in {bad} of {rows} rows.")
    return numbers


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
    """Check whether a parameter of the model, or of a part of it, asks for scores of pairs of classes."""
    if not hasattr(model, "get_params"):
        return False
    return any(
        name.endswith("decision_function_shape") and isinstance(value, str) and value == "ovo"
        for name, value in model.get_params(deep=True).items()
    )


def _aligned(scores: Array, known: list[int], cases: Cases, absent: float) -> Array:
    """Scores in the order of the labels, classes that the model never saw at the lowest score there is."""
    code = cases.positive_code
    if code is not None:
        if code in known:
            return np.array(scores[:, known.index(code)])
        return np.full(scores.shape[0], absent, scores.dtype)
    full = np.full((scores.shape[0], len(cases.labels)), absent, scores.dtype)
    full[:, known] = scores  # a copy: the model may write into its own answer again
    return full


def unseeded(parameters: dict[str, object]) -> tuple[str, ...]:
    """Return the names of the parameters `random_state` that are None."""
    return tuple(
        sorted(
            key
            for key, value in parameters.items()
            if value is None and (key == "random_state" or key.endswith("__random_state"))
        )
    )


def seed_splitters(model: Any, seed: int, number: int) -> None:
    """Seed the splitters among the parameters of a model, such as the `cv` of a search: they have no parameters."""
    for key, value in sorted(model.get_params(deep=True).items()):
        if is_unseeded_splitter(value):
            value.random_state = seed_for(seed, f"{key} {number}")


def is_unseeded_splitter(value: Any) -> bool:
    """Whether a parameter is a splitter that draws from chance: no text, which has a `split` too, and no estimator."""
    is_splitter = hasattr(value, "split") and not hasattr(value, "get_params")
    return is_splitter and getattr(value, "random_state", 0) is None


@contextmanager
def global_state(seed: int, number: int) -> Iterator[None]:
    """Seed the global random states of Python and NumPy, and give them back as they were.

    Whatever is not told of a seed draws from them. They belong to the whole process, so only the main thread may
    change them: a fit in another thread keeps its own luck.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002  it is the global state we want
    drawn = seed_for(seed, f"global {number}")
    random.seed(drawn)
    np.random.seed(drawn)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(ours)
        np.random.set_state(numpys)  # noqa: NPY002


@contextmanager
def surroundings() -> Iterator[None]:
    """Give back the working folder and the standard streams as they were, whatever a fit does to them.

    Otherwise a learner that changes the folder moves every output of the run. They belong to the whole process, so only
    the main thread may give them back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    streams, folder = (sys.stdin, sys.stdout, sys.stderr), None
    with suppress(OSError):  # a folder that is gone has no name
        folder = os.getcwd()
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        if folder is not None:
            with suppress(OSError):
                os.chdir(folder)


ONLY_CODES = (
    "XGBoost accepts only the labels 0, 1, …. Code the target so, with all classes in each training set."
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
        advice = "get_params must return the parameters by name, as in scikit-learn."
        with in_our_words(f"{name} does not return its parameters", advice):
            parameters = estimator.get_params(deep=True)
            return cls(
                name, estimator, unseeded(parameters), any(map(is_unseeded_splitter, parameters.values()))
            )

    def fresh(self, seed: int, number: int) -> Any:
        """Return an unfitted copy whose random parameters follow from the seed and the number of the split."""
        from sklearn.base import clone

        copy = clone(self.estimator)
        if self.random:
            copy.set_params(**{key: seed_for(seed, f"{key} {number}") for key in self.random})
        if self.has_splitters:
            seed_splitters(copy, seed, number)
        return copy


def fit(
    learner: Learner, data: Dataset, split: Split, seed: int, training_measures: tuple[str, ...]
) -> FoldResult:
    """Fit on the rows of training, predict those of the test; a failure becomes a text, never an exception.

    Leaving Python (`sys.exit`) is a failure too; only who sits at the keyboard interrupts.
    """
    seen: list[str] = []
    try:
        seeded = global_state(seed, split.place.number)
        with _noted(seen), np.errstate(), surroundings(), seeded, inner_threads(data.cells):
            result = _fit(learner, data, split, seed, training_measures)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  whatever an estimator raises is a finding about it
        return FoldResult(failure=_said(error), notes=tuple(seen))
    return replace(result, notes=(*result.notes, *seen))


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
    result = FoldResult(
        answer.predicted,
        answer.scores,
        answer.kind,
        choice=choice_of(model, cases.positive),
        notes=(*answer.notes, *_absent(cases, split.train, answer.kind)),
        fit_seconds=fitted - start,
        score_seconds=scored - fitted,
    )
    if not split.shows_training:
        return result
    training = ask(model, lambda: data.take(split.train), split.train.shape[0], cases)
    if (
        training.kind != answer.kind
    ):  # scores of another kind than those of the test have no place beside them
        training = replace(training, scores=None)
    return with_training(result, cases, split.train, training.predicted, training.scores, training_measures)


def with_training(
    result: FoldResult,
    cases: Cases,
    rows: Array,
    predicted: Array,
    scores: Array | None,
    measures: tuple[str, ...],
) -> FoldResult:
    """The result with what the rows of training show: their counts, and the values of measures of their scores."""
    shown = cases.assess(rows, predicted, scores)
    values = {}
    proper = result.kind_of_score == "probability"
    for name in measures:
        if not proper and NOT_PROBABILITIES in get(name).undefined:
            continue
        table = shown.table(get(name))
        values[name] = float("nan") if isinstance(table, str) else float(get(name)(table))
    matrix = shown.confusion_matrix
    assert matrix is not None
    return replace(result, training=matrix.counts, training_values=values)


def _absent(cases: Cases, train: Array, kind: str) -> tuple[str, ...]:
    """Classes that no row of training has; their score is said, because it is no finding about the model."""
    present = np.bincount(cases.truth[train], minlength=len(cases.labels))
    names = [repr(cases.labels[i]) for i in np.flatnonzero(present == 0)]
    if not names:
        return ()
    least_score = {"probability": "a probability of 0", "decision": "the lowest score"}.get(kind)
    score_text = f"; it gets {least_score}" if least_score else ""
    return (f"class {', '.join(names)} has no training cases{score_text}",)


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
            messages = sorted({shown(warning.message) for warning in caught})
            seen.extend(messages[:MOST_NOTED])
            if len(messages) > MOST_NOTED:
                seen.append(f"and {len(messages) - MOST_NOTED:,} other warnings")


def _said(error: BaseException) -> str:
    text = shown(error)
    return f"{text}. {ONLY_CODES}" if "Invalid classes inferred from unique values" in text else text


DIED = (
    "its worker process crashed twice, the second time with no other fit running: memory ran out, or "
    "compiled code failed"
)


class ResultStore(Protocol):
    """What keeps results: `classay.resampling.run_store.Store`, or anything with these."""

    def get(self, key: str) -> bytes | None:
        """Return the result under a key, or None."""

    def put(self, key: str, value: bytes) -> None:
        """Keep a result under its key."""

    def begin(self, run: str, about: Mapping[str, object], keys: Any) -> None:
        """Note a run and the keys it consists of."""


def lists_runs(store: ResultStore) -> bool:
    """Whether a store is asked for the runs it holds, and not for single results only: unless it says otherwise."""
    return bool(getattr(store, "lists_runs", True))


@dataclass(frozen=True, eq=False)
class Unit:
    """One fit: a learner on a split of a data set. `key` is None where nothing is kept."""

    data: Dataset
    learner: Learner
    split: Split
    key: str | None = None


@dataclass(frozen=True, eq=False)
class Finished:
    """A unit that is done, and whether the store had it already."""

    unit: Unit
    result: FoldResult
    kept: bool = False


def run_units(
    units: Iterable[Unit],
    *,
    seed: int,
    training: tuple[str, ...],
    n_jobs: int | None,
    store: ResultStore | None,
) -> Generator[Finished, None, None]:
    """Finish the units, in any order; each is in the store before it is given out.

    Whatever backend joblib is set to does the work (`joblib.parallel_config`); one job runs here, without joblib.
    Stopped early, it cancels what the workers have not finished: a batch of short fits that is under way is lost.
    A fit that kills its worker is a failure, which the store does not keep: memory may suffice next time.
    """
    waiting: dict[int, Unit] = {}
    is_keeping = True

    def missing() -> Iterator[tuple[int, Unit]]:
        for i, unit in enumerate(units):
            kept_result = _kept(store, unit)
            if kept_result is not None:
                known.append(Finished(unit, kept_result, kept=True))
            else:
                waiting[i] = unit
                yield i, unit

    known: deque[Finished] = deque()
    fitted = finished(missing(), partial(_fit_units, seed=seed, training=training), n_jobs)
    with closing(fitted) as results:
        for i, result in results:
            while known:
                yield known.popleft()
            unit = waiting.pop(i)
            if result is not None and is_keeping and store is not None and unit.key is not None:
                is_keeping = put(store, unit.key, result.to_bytes())
            yield Finished(unit, FoldResult(failure=DIED) if result is None else result)
    yield from known


def _fit_units(unit: Unit, seed: int, training: tuple[str, ...]) -> FoldResult:
    return fit(unit.learner, unit.data, unit.split, seed, training)


def _kept(store: ResultStore | None, unit: Unit) -> FoldResult | None:
    if store is None or unit.key is None:
        return None
    content = store.get(unit.key)
    if content is None:
        return None
    try:
        result = checked(FoldResult.from_bytes(content), unit.split.place.n_test, unit.data.cases)
    except (FileError, Damaged):  # written by another version, or damaged: fitted again
        return None
    # memory or the disk may have been full: the next run tries again
    return result if result.failure is None else None


def put(store: ResultStore, key: str, value: bytes) -> bool:
    """Keep a result; False, and a warning, when the store cannot: hours of fits are worth more than an exception."""
    try:
        store.put(key, value)
    except FileError as error:
        warnings.warn(
            f"{error} The evaluation continues but saves no further results.", StoreWarning, stacklevel=2
        )
        return False
    return True


Progress = Callable[["Step"], None]


class FitOptions(TypedDict, total=False):
    """How fits are made, kept and told of, and the level of what is found of them."""

    level: float
    seed: int | np.random.Generator
    n_jobs: int | None
    store: str | os.PathLike[str] | ResultStore | None
    keys: Mapping[str, str] | None
    progress: Progress | None


@dataclass(frozen=True, eq=False)
class Step:
    """Where a run stands: `done` of `total` fits, of which `kept` were in the store; and what was finished last."""

    done: int
    total: int
    kept: int
    last: Finished
    so_far: Callable[[], Any]
    """Gives the Evaluation of all that is finished."""
