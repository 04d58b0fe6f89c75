"""What evaluations, searches, learners and stores refuse, in full words."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import FileError, InputError, UnknownMeasureError
from classay.resampling.models import balanced, models_named
from classay.resampling.run_store import Store
from learners import Centroid, noise

X, Y = noise(40, signal=2)
MODELS = {"bayes": GaussianNB(), "centroid": Centroid()}


@pytest.fixture(scope="module")
def of_two_sets():
    return ca.evaluate(MODELS, {"north": (X, Y), "south": (-X, Y)}, protocol="2fold", measures=["accuracy"])


@pytest.fixture(scope="module")
def searches():
    """Two learners of which each fold tunes one parameter."""
    models = [
        GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=2),
        GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, cv=2),
    ]
    return ca.evaluate(models, X, Y, protocol="2fold", measures=["accuracy"])


OF_TWO_SETS = {
    "no model": (
        lambda e: e["north"]["bayez"],
        "Unknown model, data set or measure 'bayez'. Models: bayes, centroid, baseline. Did you mean 'bayes'?",
    ),
    "no data set": (
        lambda e: e["east"],
        "Unknown model, data set or measure 'east'. Models: bayes, centroid, baseline, north, south",
    ),
    "a measure of two data sets": (
        lambda e: e["accuracy"],
        "There are 2 data sets (north, south). Choose one first, as in e['north']['accuracy'].",
    ),
    "a measure of two models": (
        lambda e: e["north"]["accuracy"],
        "There are 2 models (bayes, centroid). Choose one first, as in e['bayes']['accuracy'].",
    ),
    "searches of none": (
        lambda e: e["north"].candidates,
        "No model was tuned here. Evaluate a search, or use ca.tune.",
    ),
    "a balanced model of none": (
        lambda e: e["north"].balancing,
        "No model is balanced here. Evaluate with balance=, such as balance='weights'.",
    ),
}


@pytest.mark.parametrize("name", OF_TWO_SETS)
def test_what_is_asked_of_several_must_name_one(of_two_sets, name):
    ask, words = OF_TWO_SETS[name]
    with pytest.raises((InputError, UnknownMeasureError)) as refused:
        ask(of_two_sets)
    assert str(refused.value).startswith(words)
    assert of_two_sets["north"]["bayes"]["accuracy"].value == of_two_sets["bayes"]["north"]["accuracy"].value


def test_searches_of_two_models_must_name_one(searches):
    with pytest.raises(InputError) as refused:
        _ = searches.candidates
    first = searches.models[0]
    assert str(refused.value) == (
        f"There are 2 searches ({', '.join(searches.models[:2])}). Choose one first, as in e[{first!r}].candidates."
    )
    found = searches[first].candidates
    with pytest.raises(InputError) as refused:
        found.simplest(depth="low")
    assert str(refused.value) == "'depth' was not varied. Use one of n_neighbors."


@pytest.mark.parametrize("pair", [(X,), (X, Y, Y), [X, Y], X])
def test_data_sets_are_pairs(pair):
    with pytest.raises(InputError) as refused:
        ca.evaluate(GaussianNB(), {"north": (X, Y), "south": pair})
    an = {tuple: "a tuple", list: "a list", np.ndarray: "an ndarray"}[type(pair)]
    assert str(refused.value) == f"Data set 'south' must be a pair (X, y), but is {an}."


class Fewer:
    """A splitter that gives one split fewer each time."""

    times = 12

    def split(self, X, y=None, groups=None):
        Fewer.times -= 1
        for k in range(Fewer.times):
            yield np.flatnonzero(np.arange(len(X)) % 12 != k), np.flatnonzero(np.arange(len(X)) % 12 == k)


def test_splitters_must_give_as_many_splits_each_time():
    with pytest.raises(InputError) as refused:
        ca.evaluate(GaussianNB(), X, Y, protocol=Fewer())
    assert str(refused.value).endswith(
        f"gives {Fewer.times + 1} splits the first time and {Fewer.times} the second time. Use a splitter with a fixed "
        "number of splits."
    )


class Gaps(ClassifierMixin, BaseEstimator):
    """Scores of which some are missing."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        scores = np.full((len(X), 2), 0.5)
        scores[:3, 1] = np.nan
        return scores


def test_missing_scores_are_counted_by_rows():
    with pytest.raises(InputError) as refused:
        ca.evaluate(Gaps(), X, Y, protocol="2fold")
    assert str(refused.value).startswith("Every fit failed (2 of 2). The first error: ")
    assert "The model gives missing scores (NaN) in 3 of 20 rows." in str(refused.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "math:isqr",
            "Model 'math:isqr': math has no 'isqr'. Did you mean 'isqrt'?",
        ),
        ("math:xxxx", "Model 'math:xxxx': math has no 'xxxx'. Check the name."),
    ],
)
def test_models_that_a_module_lacks_are_named(name, words):
    with pytest.raises(InputError) as refused:
        models_named([name], X)
    assert str(refused.value) == words


class Odd(ClassifierMixin, BaseEstimator):
    """A search whose space of parameters nobody knows."""

    def __init__(self, estimator=None, cv=2, refit=True):
        self.estimator, self.cv, self.refit = estimator, cv, refit

    fit = predict = None


def test_a_search_with_an_unknown_space_cannot_be_balanced():
    with pytest.raises(InputError) as refused:
        balanced("odd", Odd(GaussianNB()), "upsample")
    assert str(refused.value) == (
        "odd is an Odd with unknown parameters. Put classay.Balanced around the model that it tunes."
    )


def test_unknown_runs_are_listed_beside_the_known(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        with pytest.raises(FileError) as refused:
            store.run("x")
        assert str(refused.value) == f"Unknown run 'x'. Runs in {store.path}: none."
        store.begin("ab" * 20, {}, ["k1"])
        store.begin("ac" * 20, {}, ["k2"])
        for id in ("x", ""):
            with pytest.raises(FileError) as refused:
                store.run(id)
            assert str(refused.value) == f"Unknown run {id!r}. Runs in {store.path}: abababab, acacacac."
        with pytest.raises(FileError) as refused:
            store.run("a")
        assert str(refused.value) == (
            f"2 runs begin with 'a'. Use more letters. Runs in {store.path}: abababab, acacacac."
        )
        assert store.run("ab").id == "ab" * 20
