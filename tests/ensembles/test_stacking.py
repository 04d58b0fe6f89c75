"""Stacking: scikit-learn's out of fold, the textbook's in sample by name, and what this costs."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.ensembles import Stacking, assess
from classay.errors import InputError

MEMBERS = [
    ("bayes", GaussianNB()),
    ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
    ("nearest", KNeighborsClassifier(3)),
]
COMBINER = LogisticRegression(max_iter=1000)


def data(load=load_breast_cancer):
    X, y = load(return_X_y=True)
    return (X - X.mean(0)) / X.std(0), np.array(["ash", "birch", "cedar"])[y]


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("how", [{}, {"passthrough": True}, {"stack_method": "predict"}])
def test_out_of_fold_is_scikit_learns(load, how):
    X, y = data(load)
    ours, theirs = (
        kind(MEMBERS, COMBINER, cv=4, **how).fit(X[::2], y[::2]) for kind in (Stacking, StackingClassifier)
    )
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.cv == 4


def test_splits_drawn_anew_are_settled_once():
    X, y = data()
    made = Stacking(MEMBERS, COMBINER, cv=StratifiedKFold(3, shuffle=True)).fit(X, y)
    assert sorted(np.concatenate(made.level_one_folds_)) == [*range(569)]
    members = [("bayes", GaussianNB())]
    made = Stacking(members, COMBINER, cv=StratifiedKFold(3, shuffle=True)).fit(X, y)
    for test in made.level_one_folds_:
        train = np.setdiff1d(np.arange(569), test)
        said = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1:]
        np.testing.assert_allclose(made.level_one_[test], said)


def test_in_sample_the_combiner_learns_from_what_members_say_of_their_own_cases():
    X, y = data()
    made = Stacking(MEMBERS, COMBINER, level_one="in-sample").fit(X, y)
    said = np.column_stack([clone(each).fit(X, y).predict_proba(X)[:, 1] for _, each in MEMBERS])
    np.testing.assert_allclose(made.level_one_, said)
    by_hand = clone(COMBINER).fit(said, y)
    np.testing.assert_array_equal(made.predict(X), by_hand.predict(said))
    shown = assess(made, training=(X, y))
    assert shown.training.errors[-1] == pytest.approx((by_hand.predict(said) != y).mean())


@pytest.mark.slow
def test_in_sample_is_worse_where_a_member_repeats_its_cases():
    """E-55: one nearest neighbour looks perfect in sample, and the combiner trusts it."""
    rng = np.random.default_rng(0)
    members = [
        ("nearest", KNeighborsClassifier(1)),
        ("tree", DecisionTreeClassifier(random_state=0)),
        ("linear", LinearDiscriminantAnalysis()),
    ]
    gains = []
    for _ in range(24):
        y = rng.integers(0, 2, 800)
        X = rng.normal(size=(800, 10))
        X[:, :4] += 0.5 * y[:, None]
        scores = [
            Stacking(members, level_one=way).fit(X[:200], y[:200]).score(X[200:], y[200:])
            for way in ("out-of-fold", "in-sample")
        ]
        gains.append(scores[0] - scores[1])
    assert np.mean(gains) > 2 * np.std(gains, ddof=1) / np.sqrt(24)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "how",
    [{}, {"passthrough": True}, {"stack_method": "predict"}, {"level_one": "in-sample"}, {"cv": "prefit"}],
    ids=str,
)
def test_growth_is_of_stacks_of_the_first_members(how, classes):
    X, y = data(load_wine)
    X, y = (
        X[np.isin(y, ["ash", "birch", "cedar"][:classes])],
        y[np.isin(y, ["ash", "birch", "cedar"][:classes])],
    )

    def stack(size):
        members = MEMBERS[:size]
        if how.get("cv") == "prefit":
            codes = np.unique(y, return_inverse=True)[1]
            members = [(name, clone(each).fit(X, codes)) for name, each in members]
        return Stacking(members, COMBINER, **({"cv": 3} | how)).fit(X[::2], y[::2])

    found = assess(stack(3), X[1::2], y[1::2], training=(X[::2], y[::2]))
    for size in (1, 2, 3):
        first = stack(size)
        assert found.test.errors[size - 1] == pytest.approx((first.predict(X[1::2]) != y[1::2]).mean())
        assert found.training.errors[size - 1] == pytest.approx((first.predict(X[::2]) != y[::2]).mean())


class Remembers(GaussianNB):
    """Knows the clusters that it was fitted to, the first feature: it speaks of no other case of these, or of all."""

    def fit(self, X, y):
        self.seen_ = {*X[:, 0]}
        return super().fit(X, y)

    def predict_proba(self, X):
        shown = {*X[:, 0]}
        assert not self.seen_ & shown or self.seen_ == shown, "a cluster is on both sides of a fold"
        return super().predict_proba(X)


@pytest.mark.parametrize("cv", [None, 3, StratifiedGroupKFold(4)])
@pytest.mark.parametrize(
    "around", [lambda stack: stack, lambda stack: make_pipeline(FunctionTransformer(), stack)]
)
def test_clusters_stay_whole_in_the_inner_folds(cv, around):
    """Alone, in a pipeline, and in `evaluate`, which passes its clusters on."""
    rng = np.random.default_rng(0)
    cluster = rng.permutation(np.repeat(np.arange(30), 4))
    X, y = np.column_stack([cluster, rng.normal(size=120)]), rng.integers(0, 2, 120)
    stack = Stacking([("one", Remembers()), ("two", GaussianNB())], cv=cv)
    folds = stack.fit(X, y, groups=cluster).level_one_folds_
    assert all(not {*cluster[test]} & {*np.delete(cluster, test)} for test in folds)
    plain = StratifiedGroupKFold(5 if cv is None else cv) if not hasattr(cv, "split") else cv
    for mine, (_, theirs) in zip(folds, plain.split(X, y, cluster), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    e = ca.evaluate(around(stack), X, y, cluster=cluster, protocol="3fold")
    assert not e.failures
    assert not e.runs[0].leaks
    torn = ca.evaluate(around(Stacking(MEMBERS[:1], cv=KFold(3))), X, y, cluster=cluster, protocol="3fold")
    assert [leak.code for leak in torn.runs[0].leaks] == ["inner_folds"]


def test_a_combiner_without_probabilities_and_one_member():
    X, y = data()
    made = Stacking(MEMBERS[:1], RidgeClassifier()).fit(X[::2], y[::2])
    shown = assess(made, X[1::2], y[1::2])
    assert shown.test.errors[-1] == (made.predict(X[1::2]) != y[1::2]).mean()
    assert {*np.unique(shown.margins["test"])} == {-1.0, 1.0}
    assert "mean kappa" not in str(shown)


def test_weights_reach_members_and_combiner():
    X, y = data()
    weight = np.random.default_rng(0).uniform(0.5, 2, 569)
    members = MEMBERS[:2]
    ours = Stacking(members, COMBINER).fit(X, y, sample_weight=weight)
    theirs = StackingClassifier(members, COMBINER).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    training = assess(ours, training=(X, y, weight)).training
    assert training.errors[-1] == pytest.approx(weight[ours.predict(X) != y].sum() / weight.sum())


def test_frames_sparse_cases_pickles_clones_dropped_members_and_jobs():
    X, y = make_classification(200, 8, random_state=0)
    X[np.abs(X) < 0.3] = 0
    y = np.array(["no", "yes"])[y]
    members = [
        ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
        ("linear", LogisticRegression()),
    ]
    made = Stacking([*members, ("none", "drop")]).fit(X, y)
    assert assess(made, X, y).members == 2
    again = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(again.predict_proba(X), made.predict_proba(X))
    for how in ({}, {"passthrough": True}):
        dense, thin = (
            Stacking(members, **how).fit(X, y),
            Stacking(members, **how).fit(sparse.csr_matrix(X), y),
        )
        found = assess(thin, sparse.csr_matrix(X), y)
        np.testing.assert_allclose(found.test.errors, assess(dense, X, y).test.errors, atol=0.02)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(8)])
    of_frame = Stacking(members, n_jobs=2).fit(frame, pd.Series(y))
    assert of_frame.feature_names_in_.tolist() == [*frame.columns]
    np.testing.assert_allclose(of_frame.predict_proba(frame), Stacking(members).fit(X, y).predict_proba(X))


@pytest.mark.parametrize("classes", [3, 4])
def test_members_that_score_pairs_of_classes_vote_for_the_class_that_wins_most(classes):
    X, y = make_classification(160, 6, n_informative=5, n_redundant=0, n_classes=classes, random_state=0)
    pairs = SVC(decision_function_shape="ovo")
    stack = StackingClassifier([("pairs", pairs), ("bayes", GaussianNB())]).fit(X, y)
    each = [pairs.fit(X, y), GaussianNB().fit(X, y)]
    assert assess(stack, X, y).diversity.errors.tolist() == [np.mean(one.predict(X) != y) for one in each]


def test_members_fitted_before_name_their_own_labels():
    X, y = load_wine(return_X_y=True)
    y = np.array([5, 7, 9])[y]
    fitted = [(name, clone(each).fit(X, y)) for name, each in MEMBERS]
    stack = Stacking(fitted, COMBINER, cv="prefit", stack_method="predict").fit(X, y)
    wanted = [np.mean(each.predict(X) != y) for _, each in fitted]
    assert assess(stack, X, y).diversity.errors.tolist() == wanted
    stack.classes_ = np.array([5, 7, 8])
    with pytest.raises(InputError, match="A member predicts 9, but the classes of the fit are 5, 7, 8"):
        assess(stack, X[y < 9], y[y < 9])


def test_what_a_combiner_can_say_shows_before_the_fit():
    for combiner, has in ((None, True), (COMBINER, True), (RidgeClassifier(), False)):
        made = Stacking(MEMBERS, combiner)
        assert hasattr(made, "predict")
        assert hasattr(made, "predict_proba") is has
        assert hasattr(made.fit(*data()), "predict_proba") is has


def test_members_in_frames_of_pandas():
    X, y = data()
    made = Stacking(MEMBERS, COMBINER, cv=3).set_output(transform="pandas").fit(X, y)
    assert made.transform(X).shape == (y.size, 3)
    plain = Stacking(MEMBERS, COMBINER, cv=3).fit(X, y)
    np.testing.assert_array_equal(assess(made, X, y).test.errors, assess(plain, X, y).test.errors)
