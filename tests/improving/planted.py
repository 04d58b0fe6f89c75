"""Learners that err for a reason that is known: what `improve` must name, and what it must not."""

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier


def flipped(y, share, rng):
    """The labels of 0 and 1, each the other one with a probability of `share`."""
    return np.where(rng.random(y.size) < share, 1 - y, y)


def pure_noise(seed, n=500):
    """Labels that know nothing of the features."""
    rng = np.random.default_rng(seed)
    return LogisticRegression(), rng.normal(size=(n, 3)), rng.permutation(np.arange(n) % 2)


def flipped_labels(seed, n=500):
    """A linear truth of which 30% of the labels are flipped, and a linear learner: the best there is errs in 30%."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return LogisticRegression(), X, flipped((X.sum(1) > 0).astype(int), 0.3, rng)


def stump_on_xor(seed, n=200):
    """Two features of which neither tells anything alone, and a tree of one split."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    return DecisionTreeClassifier(max_depth=1), X, (X.prod(1) > 0).astype(int)


def neighbour_of_noise(seed, n=300):
    """The nearest neighbour's label, where 30% of the labels are flipped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return KNeighborsClassifier(1), X, flipped((X[:, 0] > 0).astype(int), 0.3, rng)


def few_cases(seed, n=30, features=10):
    """A linear truth in ten features, 30 cases, and a linear learner that nothing restrains."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features))
    return LogisticRegression(C=1e6, max_iter=1000), X, (X.sum(1) > 0).astype(int)


def rare_class(seed, n=900):
    """One case in twenty is of the class that matters, and lies among others."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 20 == 0).astype(int)
    return LogisticRegression(), rng.normal(size=(n, 3)) + 0.9 * y[:, None], y


def own_model(seed, n=150):
    """Two Gaussians and the learner whose model they are: there is nothing to improve, and too little to be sure."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return GaussianNB(), rng.normal(size=(n, 2)) + 1.2 * y[:, None], y


# --- populations on which no rule was tuned


def rare_among_correlated(seed, n=800):
    """One case in twenty is of the class that matters, told by six features that say nearly the same."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 20 == 0).astype(int)
    common = rng.normal(size=(n, 1))
    return LogisticRegression(), 0.8 * common + 0.6 * rng.normal(size=(n, 6)) + 0.9 * y[:, None], y


def stump_of_three(seed, n=240):
    """Three classes in bands of one feature that blur, and a tree of one split, which can name two of them."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    return DecisionTreeClassifier(max_depth=1), X, np.digitize(X[:, 0] + rng.normal(0, 0.03, n), [-0.4, 0.3])


def correlated_features(seed, n=60):
    """A linear truth in 30 features, each correlated with the next by 0.9, and a linear learner without restraint."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 30))
    for k in range(1, 30):
        X[:, k] = 0.9 * X[:, k - 1] + np.sqrt(1 - 0.9**2) * X[:, k]
    return LogisticRegression(C=1e6, max_iter=1000), X, (X.sum(1) + rng.normal(0, 4, n) > 0).astype(int)


def tree_on_noise_of_three(seed, n=400):
    """Labels of three classes that know nothing of the features, and a tree that learns them by heart."""
    rng = np.random.default_rng(seed)
    return DecisionTreeClassifier(), rng.normal(size=(n, 4)), rng.permutation(np.arange(n) % 3)


def own_model_of_three(seed, n=210):
    """Three Gaussians of one covariance and the learner whose model they are: there is nothing to improve."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return LinearDiscriminantAnalysis(), rng.normal(size=(n, 3)) + 1.2 * np.eye(3)[y], y


PLANTED = {
    pure_noise: ("noise",),
    flipped_labels: ("noise", "labels"),
    stump_on_xor: ("bias",),
    neighbour_of_noise: ("variance", "noise", "labels"),
    few_cases: ("variance", "few_cases"),
    rare_class: ("imbalance", "noise"),
    own_model: ("noise",),
    rare_among_correlated: ("imbalance", "noise"),
    stump_of_three: ("bias",),
    correlated_features: ("variance", "noise", "few_cases"),
    tree_on_noise_of_three: ("noise",),
    own_model_of_three: ("noise",),
}
"""What is true of each: the first is what was planted, others may be named too."""
