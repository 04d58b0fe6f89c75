"""Answers of a fitted model: which scores become those of which class, what is noted, and what no model may say."""

import random
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from classay.errors import InputError
from classay.resampling import fitting
from classay.resampling.data import Place, Split, dataset
from classay.resampling.fitting import AGAINST, IMPROPER, OF_PAIRS, OF_ROUNDED, Learner, ask, fit
from classay.resampling.searches import search_in

ROWS = 12
TWO, THREE = ["a", "b"] * 6, ["a", "b", "c"] * 4


def cases_of(labels, positive=None):
    positive = "b" if positive is None and len({*labels}) == 2 else positive
    return dataset("", np.zeros((ROWS, 1)), np.array(labels), positive, None, None).cases


class Says:
    """A model that says what it was told."""

    def __init__(self, predict, classes=None, **scores):
        self.predicted = predict
        if classes is not None:
            self.classes_ = np.array(classes)
        for name, values in scores.items():
            setattr(self, name, lambda X, values=values: values)

    def predict(self, X):
        return self.predicted


def answer(labels, positive=None, predict=None, **said):
    cases = cases_of(labels, positive)
    return ask(Says(np.array(labels) if predict is None else predict, **said), lambda: None, ROWS, cases)


RNG = np.random.default_rng(0)
P2, P3 = (RNG.dirichlet(np.ones(k), ROWS) for k in (2, 3))


@pytest.mark.parametrize("order", [["a", "b"], ["b", "a"]])
@pytest.mark.parametrize("positive", ["a", "b"])
def test_scores_of_two_classes_are_those_of_the_positive_one(order, positive):
    said = np.array(order)[P2.argmax(1)]
    found = answer(TWO, positive, said, classes=order, predict_proba=P2)
    assert found.kind == "probability"
    assert found.scores.tolist() == P2[:, order.index(positive)].tolist()
    assert found.notes == ()
    cases = cases_of(TWO, positive)
    assert [cases.labels[code] for code in found.predicted] == said.tolist()
    raw = RNG.normal(size=ROWS)
    of_raw = answer(
        TWO, positive, np.where(raw > 0, order[1], order[0]), classes=order, decision_function=raw
    )
    assert of_raw.kind == "decision"
    assert of_raw.scores.tolist() == (raw if positive == order[1] else -raw).tolist()
    assert of_raw.notes == ()


@pytest.mark.parametrize("order", [["a", "b", "c"], ["c", "a", "b"]])
def test_scores_of_several_classes_stand_in_the_order_of_the_labels(order):
    said = np.array(order)[P3.argmax(1)]
    for name, kind in (("predict_proba", "probability"), ("decision_function", "decision")):
        found = answer(THREE, None, said, classes=order, **{name: P3})
        assert found.kind == kind
        assert found.scores.tolist() == P3[:, [order.index(label) for label in "abc"]].tolist()
        assert found.notes == ()


@pytest.mark.parametrize(("name", "absent"), [("predict_proba", 0.0), ("decision_function", -np.inf)])
def test_a_class_that_the_model_never_saw_has_the_lowest_score(name, absent):
    found = answer(THREE, None, np.array(["a", "c"])[P2.argmax(1)], classes=["a", "c"], **{name: P2})
    assert found.scores.tolist() == np.stack([P2[:, 0], np.full(ROWS, absent), P2[:, 1]], 1).tolist()
    alone = answer(TWO, "b", np.full(ROWS, "a"), classes=["a"], **{name: np.ones((ROWS, 1))})
    assert alone.scores.tolist() == [absent] * ROWS


def test_improper_and_rounded_probabilities_are_noted():
    rounded = P3.round(3)
    rounded[0] = 0.333
    of_three = np.array([*"abc"])[rounded.argmax(1)]
    found = answer(THREE, None, of_three, classes=[*"abc"], predict_proba=rounded)
    assert (found.kind, found.notes) == ("probability", (OF_ROUNDED,))
    assert found.scores == pytest.approx(rounded / rounded.sum(1, keepdims=True))
    said = np.array(["a", "b"])[P2.argmax(1)]
    off = answer(TWO, "b", said, classes=["a", "b"], predict_proba=P2 * 1.1)
    assert (off.kind, off.notes) == ("decision", (IMPROPER,))
    assert off.scores.tolist() == (P2 * 1.1)[:, 1].tolist()


@pytest.mark.parametrize(
    ("clear", "wrong", "is_noted"),
    [(10, 6, True), (10, 5, False), (9, 9, False), (12, 7, True), (12, 6, False)],
)
def test_labels_against_the_highest_scores_are_noted_where_most_of_ten_or_more_are(clear, wrong, is_noted):
    scores = np.tile([0.3, 0.7], (ROWS, 1))
    scores[clear:] = 0.5
    said = np.array(["b"] * ROWS)
    said[:wrong] = "a"
    found = answer(TWO, "b", said, classes=["a", "b"], predict_proba=scores)
    assert (AGAINST in found.notes) == is_noted
    raw = answer(TWO, "b", said, classes=["a", "b"], decision_function=scores - 0.5)
    assert (AGAINST in raw.notes) == is_noted


def test_scores_that_are_of_no_class_are_left_out_with_a_note():
    for said, note in (
        ({"decision_function": P2}, "the model has scores but no classes_. The scores were excluded"),
        (
            {"decision_function": P3, "classes": ["a", "b"]},
            "decision_function gives 3 scores per case for 2 classes. The scores were excluded",
        ),
        (
            {"decision_function": np.ones(ROWS), "classes": ["a"]},
            "decision_function gives 1 scores per case for 1 classes. The scores were excluded",
        ),
    ):
        found = answer(TWO, "b", **said)
        assert (found.scores, found.kind, found.notes) == (None, "none", (note,))
    three = answer(THREE, None, classes=["a", "b", "c"], decision_function=np.ones(ROWS))
    assert three.notes == (
        "decision_function gives 1 scores per case for 3 classes. The scores were excluded",
    )
    plain = answer(TWO, "b")
    assert (plain.scores, plain.kind, plain.notes) == (None, "none", ())


@pytest.mark.parametrize(
    ("shape", "classes", "is_noted"), [("ovo", "abc", True), ("ovr", "abc", False), ("ovo", "ab", False)]
)
def test_scores_of_pairs_are_no_scores_of_classes(shape, classes, is_noted):
    labels = THREE if len(classes) == 3 else TWO
    model = Says(np.array(labels), [*classes], decision_function=RNG.normal(size=(ROWS, len(classes))))
    model.get_params = lambda deep: {"svc__decision_function_shape": shape}
    found = ask(model, lambda: None, ROWS, cases_of(labels))
    assert (found.notes == (OF_PAIRS,)) == is_noted
    assert (found.scores is None) == is_noted


REFUSED = {
    "masked labels": (
        {"predict": np.ma.masked_array(TWO, [True] + [False] * 11)},
        "predict gives masked labels. Return a label for each case.",
    ),
    "too few labels": (
        {"predict": np.array(TWO[:-1])},
        "predict gives an array of shape (11,) for 12 cases. Return one label for each case.",
    ),
    "a table of labels": (
        {"predict": np.array([TWO, TWO]).T},
        "predict gives an array of shape (12, 2) for 12 cases. Return one label for each case.",
    ),
    "complex labels": (
        {"predict": np.ones(ROWS, complex)},
        "predict gives values of type complex128, which are not labels.",
    ),
    "an unknown label": (
        {"predict": np.array(["x"] * ROWS)},
        "The model predicts class 'x', which is not a label. Labels: 'a', 'b'.",
    ),
    "an unknown class": (
        {"classes": ["a", "z" * 50]},
        f"The model knows class '{'z' * 39}…, which is not a label. Labels: 'a', 'b'.",
    ),
    "a class twice": (
        {"classes": ["b", "a", "b"]},
        "classes_ of the model contains 'b' twice, so its scores have no clear class. Use a model with "
        "different classes.",
    ),
    "probabilities without classes": (
        {"predict_proba": P2},
        "The model has predict_proba but no classes_, so its scores have no known class.",
    ),
    "probabilities of other classes": (
        {"predict_proba": P3, "classes": ["a", "b"]},
        "predict_proba gives scores of shape (12, 3) for 2 classes (classes_). Return one score for each case "
        "and class.",
    ),
    "one column of probabilities": (
        {"predict_proba": P2[:, 1], "classes": ["a", "b"]},
        "predict_proba gives scores of shape (12,) for 2 classes (classes_). Return one score for each case "
        "and class.",
    ),
    "masked scores": (
        {"predict_proba": np.ma.masked_array(P2, P2 > 0.9), "classes": ["a", "b"]},
        "predict_proba gives masked scores. Return all scores of each case.",
    ),
    "words as scores": (
        {"decision_function": np.array(["x"] * ROWS), "classes": ["a", "b"]},
        "decision_function gives values of type <U1. Return numbers.",
    ),
    "too few scores": (
        {"decision_function": np.ones(11), "classes": ["a", "b"]},
        "decision_function gives scores of shape (11,) for 12 cases. Return one row of scores for each case.",
    ),
    "one score": (
        {"decision_function": np.float64(1), "classes": ["a", "b"]},
        "decision_function gives scores of shape () for 12 cases. Return one row of scores for each case.",
    ),
    "missing scores": (
        {"predict_proba": np.where(np.arange(24).reshape(12, 2) < 5, np.nan, P2), "classes": ["a", "b"]},
        "The model gives missing scores (NaN) in 3 of 12 rows.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_model_may_say(name):
    said, words = REFUSED[name]
    with pytest.raises(InputError) as refused:
        answer(TWO, "b", **said)
    assert str(refused.value) == words


def test_one_column_of_labels_and_numbers_of_any_type_are_taken():
    column = answer(TWO, "b", np.array(TWO)[:, None])
    assert column.predicted.tolist() == [0, 1] * 6
    for kind in (object, np.float16, np.float32, np.int64, bool):
        raw = np.array([1, 0] * 6).astype(kind)
        found = answer(TWO, "b", classes=["a", "b"], decision_function=raw)
        assert found.scores.tolist() == [1, 0] * 6
        assert found.scores.dtype == (np.float32 if kind is np.float32 else np.float64)


class Notes(ClassifierMixin, BaseEstimator):
    """Warns so often, and changes what belongs to the whole process."""

    def __init__(self, times=0, moves=False, fails=None, random_state=None, cv=None):
        self.times, self.moves, self.fails, self.random_state, self.cv = times, moves, fails, random_state, cv

    def fit(self, X, y):
        for k in range(self.times):
            warnings.warn(f"note {k:02}", stacklevel=1)
        self.drawn_ = (random.random(), float(np.random.random()))  # noqa: NPY002
        if self.moves:
            import os

            os.chdir("/")
            sys.stdout = sys.stderr
        if self.fails is not None:
            raise self.fails
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def fitted(model, labels=TWO, train=range(6), number=0, seed=0, **how):
    positive = "b" if len({*labels}) == 2 else None
    data = dataset("", RNG.normal(size=(ROWS, 2)), np.array(labels), positive, None, None)
    train = np.array([*train])
    test = np.setdiff1d(np.arange(ROWS), train)
    split = Split(train, Place(number, "test", 0, 0, test, train.size), **how)
    return fit(Learner.of("m", model), data, split, seed, ())


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize(("times", "more"), [(0, 0), (3, 0), (10, 0), (11, 1), (15, 5)])
def test_ten_warnings_of_a_fit_are_kept_and_the_rest_counted(times, more):
    notes = fitted(Notes(times)).notes
    assert len(notes) == min(times, 10) + bool(more)
    assert all(f"note {k:02}" in note for k, note in enumerate(notes[:10]))
    if more:
        assert notes[-1] == f"and {more} other warnings"


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("fails", [None, ValueError("no"), SystemExit(3), MemoryError()])
def test_a_fit_gives_back_what_belongs_to_the_process(fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    before, out = (random.getstate(), np.random.get_state()[1].tolist()), sys.stdout  # noqa: NPY002
    found = fitted(Notes(2, moves=True, fails=fails))
    assert Path.cwd() == tmp_path
    assert sys.stdout is out
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002
    assert (found.failure is None) == (fails is None)
    assert len(found.notes) == 2
    if fails is not None:
        assert type(fails).__name__ in found.failure


def test_who_sits_at_the_keyboard_interrupts():
    with pytest.raises(KeyboardInterrupt):
        fitted(Notes(fails=KeyboardInterrupt()))


def test_what_xgboost_wants_is_said():
    found = fitted(Notes(fails=ValueError("Invalid classes inferred from unique values of `y`.")))
    assert found.failure.endswith(fitting.ONLY_CODES)
    assert fitting.ONLY_CODES not in fitted(Notes(fails=ValueError("other"))).failure


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("number", [0, 1])
def test_copies_are_seeded_by_the_seed_and_the_split_alone(seed, number):
    learner = Learner.of("m", Notes(random_state=None, cv=ShuffleSplit(2)))
    assert (learner.random, learner.has_splitters) == (("random_state",), True)
    copy, again = (learner.fresh(seed, number) for _ in range(2))
    assert copy.random_state == again.random_state is not None
    assert copy.cv.random_state == again.cv.random_state is not None
    assert learner.estimator.random_state is learner.estimator.cv.random_state is None
    other = learner.fresh(seed + 2, number), learner.fresh(seed, number + 2)
    assert len({copy.random_state, *(each.random_state for each in other)}) == 3
    assert len({copy.cv.random_state, *(each.cv.random_state for each in other)}) == 3
    own = Learner.of("m", Notes(random_state=7, cv=ShuffleSplit(2, random_state=3)))
    assert (own.random, own.has_splitters) == ((), False)
    assert (own.fresh(seed, number).random_state, own.fresh(seed, number).cv.random_state) == (7, 3)


def test_another_thread_keeps_its_own_state():
    kept = []
    state = random.getstate()

    def elsewhere():
        found = fitted(Notes(2, moves=False))
        kept.append(found)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert kept[0].failure is None
    assert kept[0].notes == ()
    assert random.getstate() != state


@pytest.mark.parametrize(
    ("model", "end"),
    [(Notes(), ""), (GaussianNB(), "; it gets a probability of 0")],
)
def test_classes_without_training_cases_are_noted(model, end):
    labels = [*"aabbaa", *"ccccdd"]
    found = fitted(model, labels)
    assert found.notes == (f"class 'c', 'd' has no training cases{end}",)
    assert fitted(model, [*"aabbaa", *"bbbaaa"]).notes == ()


@pytest.mark.parametrize("shows", [True, False])
def test_training_is_counted_where_it_is_shown(shows):
    found = fitted(Notes(), train=range(9), shows_training=shows)
    if not shows:
        assert found.training is None
        return
    truth = np.array([0, 1] * 6)[:9]
    assert found.training.tolist() == [[int((truth == 0).sum()), int((truth == 1).sum())], [0, 0]]


def test_a_search_is_found_as_the_last_step():
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]})
    assert search_in(search) == ("", search)
    assert search_in(make_pipeline(StandardScaler(), search)) == ("gridsearchcv__", search)
    assert search_in(make_pipeline(StandardScaler(), GaussianNB())) is None
    assert search_in(GaussianNB()) is None
