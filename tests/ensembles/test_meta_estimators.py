"""Learners made of learners: some hide `predict` or `predict_proba` until they are fitted, or for good."""

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay import ensembles
from classay.errors import InputError
from learners import noise

MEMBERS = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
STACK = ensemble.StackingClassifier(MEMBERS, cv=2)
OWN = ensembles.Stacking(MEMBERS, cv=2)
"""Shows its methods before its fit, so that scikit-learn takes it where it refuses its own."""


class Late(ClassifierMixin, BaseEstimator):
    """Has whatever the model has that it makes in its fit."""

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def __getattr__(self, name):
        if name.startswith("_") or "model_" not in vars(self):
            raise AttributeError(name)
        return getattr(self.model_, name)


LEARNERS = {
    "stack": STACK,
    "own stack": OWN,
    "stack of labels": ensemble.StackingClassifier(MEMBERS, RidgeClassifier(), cv=2),
    "pipeline of a stack": make_pipeline(StandardScaler(), STACK),
    "search of a stack": GridSearchCV(STACK, {"passthrough": [False, True]}, cv=2),
    "search of a pipeline of a stack": GridSearchCV(
        make_pipeline(StandardScaler(), STACK), {"stackingclassifier__passthrough": [False, True]}, cv=2
    ),
    "stack of stacks": ensemble.StackingClassifier([("stack", OWN), *MEMBERS], cv=2),
    "calibrated stack": CalibratedClassifierCV(OWN, cv=2),
    "bagged stack": ensemble.BaggingClassifier(OWN, 2, random_state=0),
    "hard vote": ensemble.VotingClassifier(MEMBERS),
    "soft vote": ensemble.VotingClassifier(MEMBERS, voting="soft"),
    "search": GridSearchCV(MEMBERS[1][1], {"max_depth": [1, 2]}, cv=2),
    "one against the rest": OneVsRestClassifier(LinearSVC(random_state=0)),
    "one against the rest, probabilities": OneVsRestClassifier(LogisticRegression()),
    "one against one": OneVsOneClassifier(LogisticRegression()),
    "codes": OutputCodeClassifier(LogisticRegression(), random_state=0),
    "calibrated": CalibratedClassifierCV(LinearSVC(random_state=0), cv=2),
    "tuned threshold": TunedThresholdClassifierCV(LogisticRegression(), cv=2),
    "tuned threshold of a stack": TunedThresholdClassifierCV(OWN, cv=2),
    "self-training": SelfTrainingClassifier(GaussianNB()),
    "self-training of a stack": SelfTrainingClassifier(STACK),
    "late": Late(),
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.filterwarnings("ignore:y contains no unlabeled samples:UserWarning")
def test_a_learner_of_learners_is_evaluated_as_fitted_by_hand(name):
    X, y = noise(80, features=3)
    X[:, 0] += y
    e = ca.evaluate(LEARNERS[name], X, y, protocol="2fold")
    assert not e.failures
    run, right = e.runs[0], []
    for place, result in zip(run.places, run.results[e.models[0]], strict=True):
        train = np.setdiff1d(np.arange(80), place.test)
        fitted = clone(LEARNERS[name]).fit(X[train], y[train])
        np.testing.assert_array_equal(result.predicted, fitted.predict(X[place.test]))
        right.append(np.mean(result.predicted == y[place.test]))
        kinds = {"predict_proba": "probability", "decision_function": "decision"}
        found = next((kind for method, kind in kinds.items() if hasattr(fitted, method)), "none")
        assert result.kind_of_score == found
    assert e["accuracy"].value == pytest.approx(np.mean(right))


@pytest.mark.parametrize("verb", [ca.decompose, ca.learning_curve, ca.improve])
def test_every_verb_takes_a_learner_that_hides_its_methods(verb):
    X, y = noise(60, features=2)
    how = {
        ca.decompose: {"rounds": 2},
        ca.learning_curve: {"sizes": [20], "protocol": "2x2"},
        ca.improve: {"rounds": 2, "protocol": "2x2", "remedies": []},
    }
    assert "Late" in str(verb(Late(), X, y, **how[verb]))


@pytest.mark.parametrize(
    "given",
    [
        StandardScaler(),
        make_pipeline(StandardScaler(), StandardScaler()),
        GridSearchCV(StandardScaler(), {"with_mean": [True]}, scoring="accuracy"),
        ensemble.StackingRegressor([("late", Late())]),
        object(),
        KMeans,
    ],
    ids=["a scaler", "a pipeline of scalers", "a search of scalers", "a regressor", "an object", "a class"],
)
def test_what_never_predicts_classes_is_still_refused(given):
    with pytest.raises(
        InputError, match=r"must be an estimator with fit, predict and get_params|Pass an object"
    ):
        ca.evaluate({"x": given}, *noise(40))


def test_a_learner_that_never_shows_predict_says_so_in_its_fold():
    class Never(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            return self

    with pytest.raises(InputError, match="The first error: AttributeError: 'Never' object has no attribute"):
        ca.evaluate(Never(), *noise(40), protocol="2fold")
