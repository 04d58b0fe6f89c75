"""Ensembles beside scikit-learn's over the same folds: as good, by classay's own paired test."""

from pathlib import Path

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay import ensembles

MEMBERS = 30
BASES = [
    ("tree", DecisionTreeClassifier(max_depth=5)),
    ("bayes", GaussianNB(var_smoothing=1e-3)),
    ("linear", LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1)),
]
STUMPS = DecisionTreeClassifier(max_depth=3)
PAIRS = {
    "bagging": (
        ensembles.Bagging(n_estimators=MEMBERS),
        ensemble.BaggingClassifier(n_estimators=MEMBERS),
    ),
    "forest": (ensembles.RandomForest(MEMBERS), ensemble.RandomForestClassifier(MEMBERS)),
    "reweighting": (
        ensembles.AdaBoost(STUMPS, MEMBERS, strategy="reweighting"),
        ensemble.AdaBoostClassifier(STUMPS, n_estimators=MEMBERS),
    ),
    "resampling": (
        ensembles.AdaBoost(STUMPS, MEMBERS),
        ensemble.AdaBoostClassifier(STUMPS, n_estimators=MEMBERS),
    ),
    "stacking": (
        ensembles.Stacking(BASES, LogisticRegression()),
        ensemble.StackingClassifier(BASES, LogisticRegression()),
    ),
}


def credit():
    """German credit, where its file lies beside the repository."""
    for folder in Path(__file__).resolve().parents:
        path = folder / "shared" / "data" / "german_credit.csv"
        if path.exists():
            rows = np.genfromtxt(path, delimiter=",", dtype=str)
            at = rows[0].tolist().index("Class")
            return np.delete(rows[1:], at, 1).astype(float), (rows[1:, at] == "Bad").astype(int)
    pytest.skip("german_credit.csv is not here: German credit was not looked at")


DATA = {
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "digits": lambda: tuple(each[:900] for each in load_digits(return_X_y=True)),
    "German credit": credit,
}


@pytest.mark.slow
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("kind", PAIRS)
def test_the_error_is_that_of_scikit_learn_within_the_paired_interval(kind, data):
    ours, theirs = PAIRS[kind]
    e = ca.evaluate({"ours": ours, "theirs": theirs}, *DATA[data](), measures=["error_rate"], protocol="5x2")
    assert not e.failures
    (found,) = e.compare(["error_rate"], control="theirs")
    effect = found.effect
    print(f"{kind}, {data}: {found.values}, {effect}")
    if effect.has_interval:
        assert effect.low <= 0 <= effect.high
        assert effect.high - effect.low < 0.25  # it tells something
    else:
        assert effect.value == 0  # the very same predictions
