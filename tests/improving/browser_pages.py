"""Pages of the parts of a loss and of improvements that are looked at in a browser."""

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from learners import noise


def decomposition():
    return ca.decompose(DecisionTreeClassifier(random_state=0), *noise(), rounds=20)


def path():
    tree = DecisionTreeClassifier(random_state=0)
    return ca.decompose_over(tree, *noise(), parameter="max_depth", values=[1, 2, 4, None], rounds=10)


def curve():
    return ca.learning_curve(GaussianNB(), *noise(), sizes=[20, 40, 80], protocol="5x3")


def improvement():
    X, y = noise(120, features=3)
    labels = np.where(X[:, 0] + 0.3 * y > 0, "great crested grebe", "kite")
    learner = DecisionTreeClassifier(random_state=0)
    how = {"rounds": 5, "protocol": "2x3", "positive": "kite"}
    return ca.improve(learner, X, labels, remedies=["bagging", "scaling"], **how)
