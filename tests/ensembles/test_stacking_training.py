"""Stacking as its members are added: the error of training, progress, and what shows before the fit."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from classay.ensembles import Stacking

MEMBERS = [
    ("bayes", GaussianNB()),
    ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ("nearest", KNeighborsClassifier(1)),
]
HOW = [
    {},
    {"passthrough": True},
    {"stack_method": "predict"},
    {"level_one": "in-sample"},
    {"cv": "prefit"},
]


def data(classes=3):
    X, y = load_wine(return_X_y=True)
    X, y = X[y < classes][:, :4], y[y < classes]
    return (X - X.mean(0)) / X.std(0), np.array(["ash", "birch", "cedar"])[y]


def stack(members, X, y, **how):
    """A stack of the first members, those fitted before on the codes of the labels."""
    if how.get("cv") == "prefit":
        members = [(name, clone(each).fit(X, np.unique(y, return_inverse=True)[1])) for name, each in members]
    return Stacking(members, **({"cv": 3} | how))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("how", HOW, ids=str)
def test_the_error_of_training_is_that_of_stacks_of_the_first_members(how, classes):
    X, y = data(classes)
    made = stack(MEMBERS, X, y, **how).fit(X, y)
    assert made.training_.members == 3
    for size in (1, 2, 3):
        first = stack(MEMBERS[:size], X, y, **how).fit(X, y)
        assert made.training_.errors[size - 1] == pytest.approx((first.predict(X) != y).mean())
    shown = made.assess()
    np.testing.assert_array_equal(shown.training.errors, made.training_.errors)
    np.testing.assert_array_equal(made.growth(X, y).errors, made.training_.errors)
    assert "the very cases" in made.training_.estimate().reason
    assert ("out of fold" in shown.growths) == (not made._is_in_sample)


def test_weights_of_training_weigh_its_error():
    X, y = data()
    weight = np.random.default_rng(0).uniform(0.5, 2, y.size)
    made = Stacking(MEMBERS[:2], cv=3).fit(X, y, sample_weight=weight)
    assert made.training_.errors[-1] == pytest.approx(np.average(made.predict(X) != y, weights=weight))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("how", HOW[:4], ids=str)
def test_progress_tells_the_members_and_changes_nothing(how, kind):
    X, y = data()
    members = [MEMBERS[1], ("none", "drop"), MEMBERS[2]]
    X, told = kind(X), []
    plain = Stacking(members, cv=3, **how).fit(X, y)
    steps = Stacking(members, cv=3, progress=lambda *each: told.append(each), **how).fit(X, y)
    assert told == [(1, 2), (2, 2)]
    np.testing.assert_array_equal(steps.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(steps.training_.errors, plain.training_.errors)
    one, other = (sparse.csr_matrix(each.level_one_).toarray() for each in (steps, plain))
    np.testing.assert_array_equal(one, other)
    assert (steps.stack_method_, steps.cv, steps.estimators) == (plain.stack_method_, 3, members)
    assert {*vars(steps)} == {*vars(plain)}
    assert str(steps.assess()) == str(plain.assess())
    assert steps.fit(X, y).predict(X).tolist() == plain.predict(X).tolist()
    assert len(told) == 4


def test_progress_of_members_fitted_before():
    X, y = data()
    told = []
    made = stack(MEMBERS, X, y, cv="prefit").set_params(progress=lambda *each: told.append(each)).fit(X, y)
    assert told == [(3, 3)]
    assert made.training_.members == 3


def test_what_a_combiner_can_say_shows_before_the_fit():
    for combiner, has in ((None, True), (LogisticRegression(), True), (RidgeClassifier(), False)):
        made = Stacking(MEMBERS, combiner)
        assert hasattr(made, "predict")
        assert hasattr(made, "predict_proba") is has
        assert hasattr(made.fit(*data()), "predict_proba") is has
        assert made.training_.members == 3
    assert Stacking(MEMBERS).training_ is None


def test_members_in_frames_of_pandas():
    X, y = data()
    made = Stacking(MEMBERS, cv=3).set_output(transform="pandas").fit(X, y)
    assert made.transform(X).shape == (y.size, 9)
    plain = Stacking(MEMBERS, cv=3).fit(X, y)
    np.testing.assert_array_equal(made.votes(X), plain.votes(X))
    np.testing.assert_array_equal(made.margins(X, y), plain.margins(X, y))
