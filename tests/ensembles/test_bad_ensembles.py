"""What ensembles are given and cannot use: one line that says what came and what to do."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from classay.ensembles import AdaBoost, Bagging, RandomForest, Stacking
from classay.errors import InputError

X, Y = load_breast_cancer(return_X_y=True)
ALL = {
    "bagging": lambda: Bagging(n_estimators=3, random_state=0),
    "forest": lambda: RandomForest(3, random_state=0),
    "resampling": lambda: AdaBoost(n_estimators=3, random_state=0),
    "reweighting": lambda: AdaBoost(n_estimators=3, strategy="reweighting", random_state=0),
    "stacking": lambda: Stacking(
        [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))], cv=2
    ),
}


class Fragile(ClassifierMixin, BaseEstimator):
    """Cannot be fitted where the first case is not among the cases, or weighs nothing."""

    def fit(self, X, y, sample_weight=None):
        there = (
            X[:, 0] == X[:, 0].max() if sample_weight is None else X[sample_weight > 0, 0] == X[:, 0].max()
        )
        if not there.any() or len(X) < 50:
            raise RuntimeError("no luck")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("kind", ALL)
def test_one_class(kind):
    with pytest.raises(InputError, match="y holds one class only, 'a': a learner needs two"):
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


@pytest.mark.parametrize("kind", ["resampling", "reweighting"])
def test_missing_features_are_refused_where_the_base_cannot_tell(kind):
    missing = X.copy()
    missing[3, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        ALL[kind]().fit(missing, Y)
    assert RandomForest(3, random_state=0).fit(missing, Y).out_of_bag_.members == 3


@pytest.mark.parametrize("kind", ALL)
def test_no_members(kind):
    made = ALL[kind]()
    made.set_params(**({"estimators": []} if kind == "stacking" else {"n_estimators": 0}))
    with pytest.raises(ValueError, match=r"estimators"):
        made.fit(X, Y)


@pytest.mark.parametrize("kind", ["bagging", "forest", "resampling", "reweighting"])
def test_more_members_than_cases(kind):
    made = ALL[kind]().set_params(n_estimators=40).fit(X[18:30], Y[18:30])
    shown = made.assess(X, Y)
    assert shown.members == len(made.estimators_) <= 40
    assert 0 <= shown.test.errors[-1] <= 1


def test_more_members_of_a_stack_than_cases():
    members = [(f"tree {k}", DecisionTreeClassifier(max_depth=1, random_state=k)) for k in range(14)]
    shown = Stacking(members, cv=2).fit(X[18:30], Y[18:30]).assess(X, Y)
    assert shown.members == shown.test.members == shown.training.members == 14


class Bare(ClassifierMixin, BaseEstimator):
    """The nearest class mean, which takes no weights and gives no probabilities."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == label].mean(0) for label in self.classes_])
        return self

    def predict(self, X):
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(-1).argmin(1)]


def of_bare(kind):
    made = ALL[kind]()
    return made.set_params(
        **({"estimators": [("bare", Bare())]} if kind == "stacking" else {"estimator": Bare()})
    )


@pytest.mark.parametrize("kind", ["bagging", "resampling", "stacking"])
def test_a_base_without_probabilities_or_weights(kind):
    made = of_bare(kind).fit(X, Y)
    assert made.score(X, Y) > 0.8
    assert made.assess(X, Y).test.members == len(made.estimators_)
    votes = made.votes(X)
    assert {*votes.sum(1).round(6)} == {votes[0].sum().round(6)}


@pytest.mark.parametrize("kind", ["reweighting", "stacking"])
def test_weights_for_a_base_that_takes_none(kind):
    with pytest.raises((InputError, TypeError, ValueError), match=r"sample_weight|sample weights"):
        of_bare(kind).fit(X, Y, sample_weight=np.ones(len(Y)))


@pytest.mark.parametrize("kind", ["bagging", "resampling"])
def test_weights_of_cases_are_drawn_where_the_base_takes_none(kind):
    half = np.arange(len(Y)) % 2
    made = of_bare(kind).fit(X, Y, sample_weight=half)
    assert made.training_.errors[-1] == pytest.approx((made.predict(X) != Y)[half == 1].mean())
    if kind == "bagging":
        assert all(half[drawn].all() for drawn in made.estimators_samples_)


def test_size_zero():
    for size in (0, 0.0):
        with pytest.raises(ValueError, match="max_samples"):
            Bagging(max_samples=size).fit(X, Y)
        with pytest.raises(ValueError, match="max_samples"):
            RandomForest(max_samples=size).fit(X, Y)
        with pytest.raises(ValueError, match=r"split|cv"):
            ALL["stacking"]().set_params(cv=size).fit(X, Y)
    grown = RandomForest(3, random_state=0).fit(X, Y).out_of_bag_
    for size in (0, -1, 4):
        with pytest.raises(InputError, match=f"members is {size}: the ensemble has 3, pass 1 to 3"):
            grown.estimate(size)


def test_a_base_that_fails_in_a_member():
    with pytest.raises(InputError, match=r"a member of Bagging cannot be fitted \(RuntimeError: no luck\)"):
        Bagging(Fragile(), 50, random_state=0).fit(X, Y)
    with pytest.raises(InputError, match=r"member 1 of AdaBoost cannot be fitted \(RuntimeError: no luck\)"):
        AdaBoost(Fragile(), draws=1, random_state=0).fit(X[19:60], Y[19:60])
    for cases in (slice(19, 79), slice(19, 60)):  # in a fold; on all cases
        for progress in (None, lambda *_: None):
            with pytest.raises(InputError, match=r"cannot be fitted \(.*no luck"):
                Stacking([("fragile", Fragile())], cv=5, progress=progress).fit(X[cases], Y[cases])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_base_that_needs_both_classes_and_gets_one():
    with pytest.raises(InputError, match="a bootstrap sample may lack a class"):
        Bagging(LinearDiscriminantAnalysis(), 30, random_state=0, max_samples=3).fit(X[:40], Y[:40])


def test_words_that_are_none():
    with pytest.raises(InputError, match="voting is 'sotf'; did you mean 'soft'"):
        RandomForest(voting="sotf").fit(X, Y)
    with pytest.raises(InputError, match=r"strategy is 'weights'; did you mean 'reweighting'\?"):
        AdaBoost(strategy="weights").fit(X, Y)
    with pytest.raises(InputError, match="level_one is 'folds': pass 'out-of-fold' or 'in-sample'"):
        Stacking([("bayes", GaussianNB())], level_one="folds").fit(X, Y)
    for draws in (0, 1.5, "many"):
        with pytest.raises(InputError, match="draws is"):
            AdaBoost(draws=draws).fit(X, Y)


def test_cases_to_assess_that_do_not_fit():
    forest = RandomForest(5, random_state=0).fit(X, np.array(["no", "yes"])[Y])
    for x, y, weight, text in (
        (X, None, None, "pass X and y of the same new cases"),
        (X[:5], ["no"] * 4, None, "X has 5 cases, y has 4 labels"),
        (X[:2], ["no", None], None, "y is missing in"),
        (X[:2], ["nope", "maybe"], None, "none of the classes of the fit"),
        (X[:2], ["no", "yes"], [1.0], "weight has the shape"),
        (X[:2], ["no", "yes"], [1.0, -1.0], "weight is negative"),
        (X[:2], ["no", "yes"], ["a", "b"], "weight holds what is no number"),
    ):
        with pytest.raises(InputError, match=text):
            forest.assess(x, y, weight=weight)
    with pytest.raises(InputError, match="level"):
        forest.assess(level=2)
    with pytest.raises(ValueError, match="features"):
        forest.assess(X[:5, :3], ["no"] * 5)
    with pytest.raises(InputError, match="fitted to 569: pass these very cases"):
        forest.diversity(X[:5], ["no"] * 5, cases="training")
    with pytest.raises(InputError, match="there are 3 classes"):
        RandomForest(3).fit(X[:30], np.arange(30) % 3).signed_votes(X[:3])


def test_classes_never_learned_are_wrong():
    forest = RandomForest(5, random_state=0).fit(X, np.array(["no", "yes"])[Y])
    shown = forest.assess(X[:4], ["no", "yes", "maybe", "maybe"])
    assert shown.test.wrong[-1] >= 2
    assert (shown.margins["test"][2:] < 0).all()


@pytest.mark.parametrize("kind", ALL)
def test_before_the_fit(kind):
    for ask in (lambda made: made.assess(), lambda made: made.votes(X), lambda made: made.margins(X, Y)):
        with pytest.raises(NotFittedError):
            ask(ALL[kind]())
