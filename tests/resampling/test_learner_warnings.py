"""Learners have the warnings that their predictions would have in assess, with learner and data set they concern."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import classay as ca
from classay.resampling.fitting import ENOUGH, _against
from classay.warned import OF_MODELS
from odd_learners import THREE, TWO, N, Odd, X

LEARNERS = {"plain": LogisticRegression(), "svm": LinearSVC()} | {
    how: Odd(how) for how in ("half", "turned", "constant")
}


def told(e):
    return {each.code: each.concerns for each in e.warnings if each.code in OF_MODELS}


def test_two_classes():
    e = ca.evaluate(LEARNERS, X, TWO, protocol="5fold", measures=["accuracy"])
    assert told(e) == {
        "labels_contradict_scores": ("turned",),
        "improper_rows": ("half",),
        "constant_scores": ("constant",),
        "auc_below_half": ("turned",),
    }
    assert [each["code"] for each in e.to_dict()["warnings"]] == [each.code for each in e.warnings]
    assert "half: In 5 of 5 fits, predict_proba gives values that are not probabilities" in str(e).replace(
        "\n", " "
    )


def test_one_score_in_each_fold():
    """The share of positives differs between folds, and so does the one score that each of their models gives."""
    y = TWO.copy()
    y[np.flatnonzero(y == 0)[0]] = 1
    for each in (TWO, y):
        e = ca.evaluate({"prior": DummyClassifier()}, X, each, protocol="5fold", measures=["accuracy"])
        assert told(e) == {"constant_scores": ("prior",)}


def test_several_classes_and_data_sets():
    named = {"a": (X, THREE), "b": (X[:200], THREE[:200])}
    e = ca.evaluate(LEARNERS, named, protocol="5fold", measures=["accuracy"])
    found = told(e)
    assert found["improper_rows"] == ("half", "a", "b")
    assert found["class_auc_below_half"] == ("turned", "a", "b")
    assert found["raw_scores"] == ("svm", "a", "b")
    assert not any("plain" in each for each in found.values())


def test_one_score_in_each_small_fold_is_not_two_labels():
    few = np.arange(N) < 102
    for rows, protocol in ((few, "5fold"), (few & (np.arange(N) < 60), "3fold"), (few, "2fold")):
        e = ca.evaluate(DummyClassifier(), X[rows], TWO[rows], protocol=protocol, measures=["accuracy"])
        assert [*told(e)] == ["constant_scores"]
    labels = ca.evaluate(
        DummyClassifier(strategy="stratified", random_state=0), X[few], TWO[few], protocol="5fold"
    )
    assert "two_scores" in told(labels)


def test_labels_contradict_where_most_rows_with_one_highest_score_have_another_label():
    """By rows one at a time; a row whose highest score is that of two classes says nothing."""
    rng = np.random.default_rng(2)
    seen = set()
    for _ in range(200):
        classes = int(rng.integers(2, 5))
        known = rng.permutation(7)[:classes].tolist()
        scores = rng.integers(0, 3, (30, classes)).astype(float)
        top = np.array(known)[scores.argmax(1)]
        predicted = np.where(rng.random(30) < rng.choice([0.3, 0.5, 0.7]), top, rng.choice(known, 30))
        agreeing = [
            known[row.index(max(row))] == label
            for row, label in zip(scores.tolist(), predicted, strict=True)
            if row.count(max(row)) == 1
        ]
        wanted = len(agreeing) >= ENOUGH and 2 * sum(agreeing) < len(agreeing)
        seen.add(wanted)
        order = rng.permutation(classes)
        for columns in (np.arange(classes), order):
            assert bool(_against(predicted, scores[:, columns], [known[k] for k in columns])) == wanted
    assert seen == {True, False}


@pytest.mark.parametrize(("n", "is_told"), [(60, True), (58, False)])
def test_an_order_of_scores_is_judged_in_folds_of_thirty_cases_or_more(n, is_told):
    """Two folds of half the cases, in which the scores of a learner are turned."""
    y = np.arange(n) % 2
    X = (y + np.linspace(0, 0.4, n))[:, None]
    e = ca.evaluate({"turned": Turned()}, X, y, protocol="2fold", measures=["accuracy"])
    assert ("auc_below_half" in told(e)) == is_told
    texts = [each.text for each in e.warnings if each.code == "auc_below_half"]
    assert [text.startswith("turned: In 2 of 2 folds: ") for text in texts] == [True] * is_told


class Turned(ClassifierMixin, BaseEstimator):
    """Higher scores for the other class, and its labels too."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return 0.7 - X[:, 0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]
