"""What AdaBoost and Stacking are given and cannot use: one line that says what came and what to do."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from classay import ensembles
from classay.ensembles import AdaBoost, Stacking, assess
from classay.errors import InputError, MissingExtraError

X, Y = load_breast_cancer(return_X_y=True)
ALL = {
    "resampling": lambda: AdaBoost(n_estimators=3, random_state=0),
    "stacking": lambda: Stacking(
        [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))], cv=2
    ),
}


class Fragile(ClassifierMixin, BaseEstimator):
    """Cannot be fitted to few cases."""

    def fit(self, X, y, sample_weight=None):
        if len(X) < 50:
            raise RuntimeError("no luck")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("kind", ALL)
def test_one_class(kind):
    with pytest.raises(InputError, match="A learner needs two classes"):
        ALL[kind]().fit(X[:20], ["a"] * 20)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("x", "y"),
    [
        (X[:30], Y[:29]),
        (X[0], Y[:1]),
        (X[:0], Y[:0]),
        (X[:30], np.linspace(0, 1, 30)),
        (X[:30], [*Y[:29], np.nan]),
        (X[:30], np.column_stack([Y[:30], Y[:30]])),
    ],
    ids=[
        "fewer labels",
        "one dimension",
        "no cases",
        "numbers that are no labels",
        "a label missing",
        "two columns",
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_cases_that_are_none(kind, x, y):
    with pytest.raises(ValueError, match=r"."):
        ALL[kind]().fit(x, y)


def test_missing_features_are_refused_where_the_base_cannot_tell():
    missing = X.copy()
    missing[3, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        ALL["resampling"]().fit(missing, Y)


@pytest.mark.parametrize("kind", ALL)
def test_no_members(kind):
    made = ALL[kind]()
    made.set_params(**({"estimators": []} if kind == "stacking" else {"n_estimators": 0}))
    with pytest.raises(ValueError, match=r"estimators"):
        made.fit(X, Y)


def test_more_members_than_cases():
    trees = [(f"tree {k}", DecisionTreeClassifier(max_depth=1, random_state=k)) for k in range(14)]
    for made in (AdaBoost(n_estimators=40, random_state=0), Stacking(trees, cv=2)):
        shown = assess(made.fit(X[18:30], Y[18:30]), X, Y)
        assert shown.members == shown.test.members == len(made.estimators_)
        assert 0 <= shown.test.errors[-1] <= 1


class Bare(ClassifierMixin, BaseEstimator):
    """The nearest class mean, which takes no weights and gives no probabilities."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == label].mean(0) for label in self.classes_])
        return self

    def predict(self, X):
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(-1).argmin(1)]


def test_a_base_without_probabilities_or_weights():
    for made in (AdaBoost(Bare(), 3, random_state=0), Stacking([("bare", Bare())])):
        assert made.fit(X, Y).score(X, Y) > 0.8
        assert assess(made, X, Y).test.members == len(made.estimators_)
    with pytest.raises((TypeError, ValueError), match=r"sample_weight|sample weights"):
        Stacking([("bare", Bare())]).fit(X, Y, sample_weight=np.ones(len(Y)))
    half = np.arange(len(Y)) % 2  # drawn, where the base takes no weights
    made = AdaBoost(Bare(), 3, random_state=0).fit(X, Y, sample_weight=half)
    shown = assess(made, training=(X, Y, half))
    assert shown.training.errors[-1] == pytest.approx((made.predict(X) != Y)[half == 1].mean())


def test_a_base_that_fails_in_a_member():
    with pytest.raises(InputError, match="Member 1 of AdaBoost cannot be fitted"):
        AdaBoost(Fragile(), draws=1, random_state=0).fit(X[19:60], Y[19:60])


def test_words_that_are_none():
    with pytest.raises(InputError, match=r"but is 'weights'. Did you mean 'reweighting'\?"):
        AdaBoost(strategy="weights").fit(X, Y)
    with pytest.raises(InputError, match="level_one must be 'out-of-fold' or 'in-sample', but is 'folds'"):
        Stacking([("bayes", GaussianNB())], level_one="folds").fit(X, Y)
    for draws in (0, 1.5, "many"):
        with pytest.raises(
            InputError, match="draws must be a whole number from 1, the number of attempts in each"
        ):
            AdaBoost(draws=draws).fit(X, Y)


@pytest.mark.parametrize("name", ensembles.__all__)
def test_what_needs_scikit_learn_names_the_extra(name, monkeypatch):
    monkeypatch.setattr(ensembles, "find_spec", lambda library: None)
    monkeypatch.delitem(vars(ensembles), name, raising=False)
    with pytest.raises(MissingExtraError, match=r"classay\[train\]"):
        getattr(ensembles, name)
    with pytest.raises(AttributeError, match="has no attribute"):
        getattr(ensembles, f"{name}_")
