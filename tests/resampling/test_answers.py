"""Answers of fitted models: one that says the likeliest class is asked for its probabilities alone."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import classay as ca
from classay.columns.scales import TOLERANCE
from classay.resampling.data import dataset
from classay.resampling.fitting import LIKELIEST, ask

X, Y = load_wine(return_X_y=True)
Y = np.array(["ash", "birch", "cedar"])[Y]
DATA = dataset("", X, Y, None, None, None)
LIKELY = [
    DecisionTreeClassifier(max_depth=2, random_state=0),
    ExtraTreeClassifier(max_depth=2, random_state=0),
    RandomForestClassifier(4, max_depth=2, random_state=0),
    ExtraTreesClassifier(4, max_depth=2, random_state=0),
    BaggingClassifier(GaussianNB(), 4, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=1), 4, random_state=0),
]


def asked(model):
    """The answer of a model, and what it was asked."""
    questions = []

    def features():
        questions.append(1)
        return X

    return ask(model, features, len(X), DATA.cases), len(questions)


@pytest.mark.parametrize("model", LIKELY, ids=lambda each: type(each).__name__)
def test_labels_are_those_that_predict_gives(model):
    fitted = model.fit(X[40:], Y[40:])
    answer, questions = asked(fitted)
    assert questions == 1
    assert np.array(DATA.cases.labels)[answer.predicted].tolist() == fitted.predict(X).tolist()
    assert np.array_equal(answer.scores, fitted.predict_proba(X))
    assert answer.predicted.dtype == DATA.cases.truth.dtype


def test_every_definition_that_is_named_exists():
    defined = {
        f"{method.__module__}.{method.__qualname__}"
        for model in LIKELY
        for method in (type(model).predict, type(model).predict_proba)
    }
    assert {*LIKELIEST} <= defined
    assert {each for each in LIKELIEST.values() if each is not None} <= defined


class Turned(DecisionTreeClassifier):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


class Cautious(RandomForestClassifier):
    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize(
    "model", [Turned(max_depth=3), Cautious(3), GaussianNB()], ids=lambda each: type(each).__name__
)
def test_what_has_its_own_way_to_predict_is_asked(model):
    answer, questions = asked(model.fit(X, Y))
    assert questions == 2
    assert np.array(DATA.cases.labels)[answer.predicted].tolist() == model.predict(X).tolist()


def test_a_method_set_on_the_object_is_asked():
    model = DecisionTreeClassifier().fit(X, Y)
    model.predict = lambda X: np.full(len(X), "birch")
    answer, questions = asked(model)
    assert (questions, {*answer.predicted.tolist()}) == (2, {1})


class Overwriting(GaussianNB):
    """A model that writes into the cases that it is asked of."""

    def predict(self, X):
        found = super().predict(X)
        X[:] = 0
        return found


class Dressed(Pipeline):
    def predict(self, X, **params):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize(
    "last", [*LIKELY, Overwriting(), SVC(), Turned(max_depth=3)], ids=lambda each: type(each).__name__
)
def test_a_pipeline_transforms_the_cases_once_and_answers_as_it_does_itself(last):
    fitted = make_pipeline(StandardScaler(), PCA(5, random_state=0), clone(last)).fit(X, Y)
    answer, questions = asked(fitted)
    assert questions == 1
    assert np.array(DATA.cases.labels)[answer.predicted].tolist() == fitted.predict(X.copy()).tolist()
    says = fitted.decision_function if isinstance(last, SVC) else fitted.predict_proba
    assert np.array_equal(answer.scores, says(X))


@pytest.mark.parametrize(
    "own", [Dressed([("scaled", StandardScaler()), ("model", GaussianNB())]), make_pipeline(GaussianNB())]
)
def test_another_pipeline_is_asked_as_it_is(own):
    answer, questions = asked(own.fit(X, Y))
    assert questions == 2
    assert np.array(DATA.cases.labels)[answer.predicted].tolist() == own.predict(X).tolist()


class Rounded(GaussianNB):
    """Probabilities to a number of decimals, made to sum to 1 by itself or not."""

    def __init__(self, decimals=4, is_whole=False):
        super().__init__()
        self.decimals, self.is_whole = decimals, is_whole

    def predict_proba(self, X):
        found = (super().predict_proba(X) * 0.8 + 0.2 / 3).round(self.decimals)
        return found / found.sum(1, keepdims=True) if self.is_whole else found


@pytest.mark.parametrize("decimals", [3, 4, 5])
def test_rounded_probabilities_are_those_divided_by_their_sum_at_every_door(decimals):
    """Evaluated, balanced and scored: one allowance for what a model says, and one way to meet it."""
    rough, whole = (Rounded(decimals, is_whole=each) for each in (False, True))
    fitted = rough.fit(X, Y)
    assert (np.abs(fitted.predict_proba(X).sum(1) - 1) > TOLERANCE).any()
    shown = []
    for model in (rough, whole):
        e = ca.evaluate({"model": model}, X, Y, protocol="3fold", balance="upsample")
        shown.append([*e.estimates.column("value").to_pylist()])
        assert any("rounded" in note for note in e.notes) == (model is rough)
        shown[-1].append(ca.scorer("log_loss")(model.fit(X, Y), X, Y))
    np.testing.assert_allclose(*shown, equal_nan=True, atol=1e-12)
    assert np.isfinite(shown[0]).sum() > 10


def test_scores_that_are_off_by_more_than_rounding_only_rank():
    e = ca.evaluate(Rounded(1), X, Y, protocol="3fold")
    assert any("not probabilities" in note for note in e.notes)
    assert e["log_loss"].is_undefined
    assert not e["macro_roc_auc"].is_undefined
