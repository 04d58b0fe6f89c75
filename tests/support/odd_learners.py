"""Cases and a learner whose probabilities are not what they are taken for, which several tests share."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

RNG = np.random.default_rng(0)
N = 300
X = RNG.normal(size=(N, 3))
TWO = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
THREE = np.digitize(X[:, 0] + 0.5 * RNG.normal(size=N), [-0.5, 0.5])


class Odd(ClassifierMixin, BaseEstimator):
    """A logistic regression whose probabilities are not what they are taken for."""

    def __init__(self, how="half"):
        self.how = how

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model_ = LogisticRegression().fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        p = self.model_.predict_proba(X)
        made = {"half": 0.5 * p, "turned": p[:, ::-1], "constant": np.full_like(p, 1 / p.shape[1])}
        made["rounded"] = np.column_stack([p[:, 0], 1.0004 - p[:, 0]])
        return made[self.how]
