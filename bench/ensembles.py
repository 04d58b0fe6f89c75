"""Ensembles beside scikit-learn's own fits: what assessing the votes of every size costs more than its `oob_score`."""

from collections.abc import Iterator

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from bench.cases import case
from bench.resampling import learnable
from bench.timing import Figure, versus
from classay.ensembles import AdaBoost, EnsembleAssessment, Stacking, assess

ROWS = 20_000
MEMBERS = 100


def seen(ensemble: BaseEstimator, x: np.ndarray, y: np.ndarray) -> EnsembleAssessment:
    """A fit and its assessment on the cases of the fit, in and out of bag."""
    return assess(ensemble.fit(x, y), training=(x, y))


@case
def bagging() -> Iterator[Figure]:
    x, y = learnable(ROWS)
    yield versus(
        "bagging, 100 trees, 20,000 × 20, votes of every size",
        lambda: seen(BaggingClassifier(n_estimators=MEMBERS, random_state=0), x, y),
        "BaggingClassifier(oob_score=True)",
        lambda: BaggingClassifier(n_estimators=MEMBERS, oob_score=True, random_state=0).fit(x, y),
        "0.9×",
        runs=1,
    )


@case
def forest() -> Iterator[Figure]:
    x, y = learnable(ROWS)
    yield versus(
        "random forest, 100 trees, 20,000 × 20, votes of every size",
        lambda: seen(RandomForestClassifier(MEMBERS, random_state=0), x, y),
        "RandomForestClassifier(oob_score=True)",
        lambda: RandomForestClassifier(MEMBERS, oob_score=True, random_state=0).fit(x, y),
        "0.9×",
        runs=1,
    )


@case
def boosting() -> Iterator[Figure]:
    x, y = learnable(ROWS)
    stump = DecisionTreeClassifier(max_depth=1)
    yield versus(
        "AdaBoost, 100 stumps, resampling, 20,000 × 20",
        lambda: AdaBoost(stump, MEMBERS, random_state=0).fit(x, y),
        "AdaBoostClassifier",
        lambda: AdaBoostClassifier(stump, n_estimators=MEMBERS, random_state=0).fit(x, y),
        "1×",
        runs=3,
    )


@case
def stacking() -> Iterator[Figure]:
    x, y = learnable(ROWS)
    members = [
        ("bayes", GaussianNB()),
        ("tree", DecisionTreeClassifier(random_state=0)),
        ("linear", LogisticRegression()),
    ]

    def fit(kind: type) -> np.ndarray:
        return kind(members).fit(x, y).predict(x)

    yield versus(
        "stacking of three, 20,000 × 20",
        lambda: fit(Stacking),
        "StackingClassifier",
        lambda: fit(StackingClassifier),
        "0.9×",
        runs=3,
    )
