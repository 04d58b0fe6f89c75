"""Bagging and random forests: scikit-learn's members, and what is counted of their votes."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from classay.ensembles import Bagging, RandomForest
from samples import oracles

OURS = {"bagging": Bagging(n_estimators=25, random_state=3), "forest": RandomForest(25, random_state=3)}
THEIRS = {
    "bagging": BaggingClassifier(n_estimators=25, random_state=3),
    "forest": RandomForestClassifier(25, random_state=3),
}


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.array(["malignant", "benign"])[y]


def says(ensemble, member, X):
    """What a member says, as labels, found without the code under test."""
    fitted = ensemble.estimators_[member]
    return ensemble.classes_[np.asarray(fitted.predict(X)).astype(int)]


@pytest.mark.parametrize("kind", OURS)
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits])
def test_predictions_are_those_of_scikit_learn(kind, load):
    X, y = load(return_X_y=True)
    ours, theirs = clone(OURS[kind]).fit(X[::2], y[::2]), clone(THEIRS[kind]).fit(X[::2], y[::2])
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("kind", OURS)
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_the_out_of_bag_error_is_that_of_scikit_learn_once_every_case_has_a_vote(kind, load):
    X, y = load(return_X_y=True)
    made = clone(OURS[kind]).set_params(oob_score=True, n_estimators=60).fit(X, y)
    assert made.out_of_bag_.unvoted[-1] == 0
    assert made.out_of_bag_.errors[-1] == pytest.approx(1 - made.oob_score_, abs=1e-12)
    shares = made.out_of_bag_votes_ / made.out_of_bag_votes_.sum(1, keepdims=True)
    np.testing.assert_allclose(shares, made.oob_decision_function_, atol=1e-12)


@pytest.mark.parametrize("kind", OURS)
def test_cases_without_an_out_of_bag_vote_are_left_out(kind):
    X, y = cancer()
    made = clone(OURS[kind]).set_params(n_estimators=3).fit(X, y)
    samples = [np.unique(drawn) for drawn in made.estimators_samples_]
    counts = np.zeros((569, 2))
    for member, drawn in enumerate(samples):
        left = np.setdiff1d(np.arange(569), drawn)
        counts[left] += made.estimators_[member].predict_proba(X[left])
    voted = counts.sum(1) > 0
    assert made.out_of_bag_.unvoted[-1] == (~voted).sum() > 0
    wrong = made.classes_[counts.argmax(1)] != y
    assert made.out_of_bag_.errors[-1] == pytest.approx(wrong[voted].mean())
    assert made.out_of_bag_.total[-1] == voted.sum()


@pytest.mark.slow
def test_how_many_cases_have_no_vote_is_the_chance_of_it():
    oracle = oracles()["OOB"]
    X, y = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2
    unvoted = [
        Bagging(GaussianNB(), 10, random_state=seed).fit(X, y).out_of_bag_.unvoted[-1] for seed in range(300)
    ]
    spread = np.sqrt(oracle["expected_never"] / 300)  # nearly Poisson
    assert np.mean(unvoted) == pytest.approx(oracle["expected_never"], abs=4 * spread)


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("kind", OURS)
def test_each_size_is_the_ensemble_of_the_first_members(kind, voting):
    X, y = cancer()
    made = clone(OURS[kind]).set_params(voting=voting, max_features=5).fit(X[::2], y[::2])
    grown = made.growth(X[1::2], y[1::2])
    for size in (1, 2, 7, 25):
        first = clone(made).set_params(n_estimators=size).fit(X[::2], y[::2])
        assert grown.errors[size - 1] == pytest.approx((first.predict(X[1::2]) != y[1::2]).mean())
        assert made.training_.errors[size - 1] == pytest.approx((first.predict(X[::2]) != y[::2]).mean())
        assert made.out_of_bag_.errors[size - 1] == pytest.approx(first.out_of_bag_.errors[-1])


def test_hard_votes_are_the_majority_of_the_members():
    X, y = load_wine(return_X_y=True)
    made = RandomForest(20, max_depth=1, voting="hard", random_state=0).fit(X[::2], y[::2])
    votes = np.zeros((89, 3))
    for member in range(20):
        votes[np.arange(89), says(made, member, X[1::2])] += 1
    np.testing.assert_array_equal(made.votes(X[1::2]), votes)
    np.testing.assert_array_equal(made.predict(X[1::2]), votes.argmax(1))
    np.testing.assert_allclose(made.predict_proba(X[1::2]), votes / 20)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(made.predict_log_proba(X[1::2]), np.log(votes / 20))
    soft = clone(made).set_params(voting="soft").fit(X[::2], y[::2])
    assert (soft.predict_proba(X[1::2]) != made.predict_proba(X[1::2])).any()


def test_the_signed_form_says_the_class_and_ties_go_to_the_first():
    X, y = cancer()
    made = RandomForest(4, voting="hard", max_depth=1, random_state=1).fit(X[::2], y[::2])
    signed = made.signed_votes(X[1::2])
    assert {*np.unique(signed)} <= {-4.0, -2.0, 0.0, 2.0, 4.0}
    by_member = sum(np.where(says(made, member, X[1::2]) == "malignant", 1, -1) for member in range(4))
    np.testing.assert_array_equal(signed, by_member)
    assert (signed == 0).any()
    assert {*made.predict(X[1::2])[signed == 0]} == {"benign"}
    np.testing.assert_array_equal(made.predict(X[1::2]) == "malignant", signed > 0)
    assert made.growth(X[1::2], y[1::2]).tied == (signed == 0).sum()
    assert "comes first in order" in made.rule


@pytest.mark.parametrize("seed", range(3))
def test_a_forest_of_all_features_is_bagging_of_trees(seed):
    """The same trees from the same seed, where no two splits of a node are equally good."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3000, 3))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=3000) > 0).astype(int)
    leaves = {"max_depth": 3}
    forest = RandomForest(10, max_features=None, random_state=seed, **leaves).fit(X, y)
    bagging = Bagging(DecisionTreeClassifier(**leaves), 10, random_state=seed).fit(X, y)
    for ours, theirs in zip(forest.estimators_, bagging.estimators_, strict=True):
        np.testing.assert_array_equal(ours.tree_.feature, theirs.tree_.feature)
        np.testing.assert_array_equal(ours.tree_.threshold, theirs.tree_.threshold)
    np.testing.assert_array_equal(forest.votes(X), bagging.votes(X))
    np.testing.assert_array_equal(forest.out_of_bag_.errors, bagging.out_of_bag_.errors)


def test_a_forest_of_all_features_is_bagging_of_trees_of_its_own_seeds():
    """On any data: each tree is that of its bootstrap sample, which is bagging's; only what breaks ties differs."""
    X, y = load_wine(return_X_y=True)
    forest = RandomForest(10, max_features=None, random_state=0).fit(X, y)
    bagging = Bagging(n_estimators=10, random_state=0).fit(X, y)
    samples = zip(forest.estimators_samples_, bagging.estimators_samples_, strict=True)
    for tree, (drawn, as_bagging) in zip(forest.estimators_, samples, strict=True):
        np.testing.assert_array_equal(drawn, as_bagging)
        alone = DecisionTreeClassifier(random_state=tree.random_state)
        alone.fit(X, y, sample_weight=np.bincount(drawn, minlength=len(y)))
        np.testing.assert_array_equal(alone.tree_.threshold, tree.tree_.threshold)


@pytest.mark.parametrize("kind", OURS)
@pytest.mark.parametrize("random_state", [0, None, "state"])
def test_progress_changes_no_member(kind, random_state):
    X, y = cancer()
    seen = []

    def fitted(progress):
        np.random.seed(5)  # noqa: NPY002  None draws from the global state
        state = np.random.RandomState(7) if random_state == "state" else random_state
        made = clone(OURS[kind]).set_params(progress=progress)
        made.random_state = state
        return made.fit(X, y), (state or np.random).randint(1000) if random_state != 0 else 0

    with_it, after = fitted(lambda done, members: seen.append((done, members)))
    without, after_too = fitted(None)
    np.testing.assert_array_equal(with_it.predict_proba(X), without.predict_proba(X))
    np.testing.assert_array_equal(with_it.out_of_bag_.errors, without.out_of_bag_.errors)
    assert after == after_too
    assert seen[-1] == (25, 25)
    assert len(seen) == 20
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})


def test_progress_with_an_out_of_bag_score_tells_of_the_end():
    seen = []
    made = Bagging(n_estimators=30, oob_score=True, progress=lambda *at: seen.append(at), random_state=0)
    made.fit(*cancer())
    assert seen == [(30, 30)]
    assert made.oob_score_ > 0.9


@pytest.mark.parametrize("kind", OURS)
def test_warm_start_counts_all_members(kind):
    X, y = cancer()
    made = clone(OURS[kind]).set_params(warm_start=True, n_estimators=10).fit(X, y)
    made.set_params(n_estimators=25).fit(X, y)
    at_once = clone(OURS[kind]).fit(X, y)
    np.testing.assert_array_equal(made.out_of_bag_.errors, at_once.out_of_bag_.errors)
    np.testing.assert_array_equal(made.training_.errors, at_once.training_.errors)
    for drawn, wanted in zip(made.estimators_samples_, at_once.estimators_samples_, strict=True):
        np.testing.assert_array_equal(drawn, wanted)


@pytest.mark.parametrize("kind", OURS)
def test_jobs_change_nothing(kind):
    X, y = cancer()
    one, two = clone(OURS[kind]).fit(X, y), clone(OURS[kind]).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.out_of_bag_.errors, two.out_of_bag_.errors)
    np.testing.assert_allclose(one.votes(X), two.votes(X))


@pytest.mark.parametrize("kind", OURS)
def test_frames_sparse_cases_pickles_and_clones(kind):
    X, y = make_classification(200, 8, random_state=0)
    X[np.abs(X) < 0.3] = 0
    y = np.array(["no", "yes"])[y]
    made = clone(OURS[kind]).fit(X, y)
    again = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(again.out_of_bag_.errors, made.out_of_bag_.errors)
    of_sparse = clone(OURS[kind]).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(of_sparse.out_of_bag_.errors, made.out_of_bag_.errors)
    np.testing.assert_array_equal(of_sparse.growth(sparse.csr_matrix(X), y).errors, made.growth(X, y).errors)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(8)])
    of_frame = clone(OURS[kind]).fit(frame, pd.Series(y))
    assert of_frame.feature_names_in_.tolist() == [*frame.columns]
    np.testing.assert_array_equal(of_frame.assess(frame, y).test.errors, made.assess(X, y).test.errors)


@pytest.mark.parametrize(
    "base", [RidgeClassifier(), KNeighborsClassifier(1), LogisticRegression(), GaussianNB()]
)
def test_any_base_with_or_without_weights_and_probabilities(base):
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    ours = Bagging(base, 12, random_state=1).fit(X[::2], y[::2])
    theirs = BaggingClassifier(base, 12, random_state=1).fit(X[::2], y[::2])
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.growth(X[1::2], y[1::2]).errors[-1] == (theirs.predict(X[1::2]) != y[1::2]).mean()
    np.testing.assert_allclose(ours.votes(X).sum(1), 12)


def test_members_whose_samples_lack_a_class_vote_for_those_they_know():
    X = np.arange(12.0)[:, None]
    y = np.array([0] * 5 + [1] * 6 + [2])
    made = Bagging(KNeighborsClassifier(1), 30, random_state=0).fit(X, y)
    assert {len(member.classes_) for member in made.estimators_} == {2, 3}
    np.testing.assert_allclose(made.votes(X) / 30, made.predict_proba(X))


def test_weighted_cases_weight_the_errors():
    X, y = cancer()
    weight = np.random.default_rng(0).uniform(0.5, 3, len(y))
    made = RandomForest(40, random_state=0).fit(X, y, sample_weight=weight)
    said = made.classes_[made.out_of_bag_votes_.argmax(1)]
    voted = made.out_of_bag_votes_.sum(1) > 0
    wrong = weight[voted] @ (said != y)[voted] / weight[voted].sum()
    assert made.out_of_bag_.errors[-1] == pytest.approx(wrong)
    found = made.out_of_bag_.estimate()
    assert found.low < found.value < found.high
    assert "linearised" in found.method
    scaled = RandomForest(40, random_state=0).fit(X, y, sample_weight=weight * 10)
    assert repr(scaled.out_of_bag_.estimate()) == repr(found)


def test_samples_without_replacement_are_not_called_all_cases():
    X, y = load_wine(return_X_y=True)
    for share, text in (
        (0.5, "samples without replacement"),
        (1.0, "fitted to every case"),
        (None, "every case"),
    ):
        made = Bagging(n_estimators=2, bootstrap=False, max_samples=share, random_state=0).fit(X, y)
        assert text in made.assess().no_out_of_bag


def test_without_bootstrap_samples_there_are_no_out_of_bag_votes():
    X, y = cancer()
    made = RandomForest(5, bootstrap=False, random_state=0).fit(X, y)
    assert made.out_of_bag_ is None
    assert "without bootstrap samples" in str(made.assess())
    with pytest.raises(ValueError, match="without bootstrap samples every member was fitted to every case"):
        made.diversity(X, y, cases="training")
