"""Two normal classes whose bias, variance and noise are known: integrated numerically, for a learner of known law."""

import numpy as np
from scipy.special import expit, ndtr
from sklearn.base import BaseEstimator, ClassifierMixin

GRID = np.linspace(-8, 8, 4001)
"""Points of the feature; the sums over them are exact to many more digits than any test asks for."""


class Midpoint(ClassifierMixin, BaseEstimator):
    """The class of the nearer mean, of one feature with variance 1; `shift` moves the border, which makes bias."""

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        low, high = (X[y == each, 0].mean() for each in self.classes_)
        self.gap_, self.border_ = high - low, (high + low) / 2 + self.shift
        return self

    def predict_proba(self, X):
        p = expit(self.gap_ * (X[:, 0] - self.border_))
        return np.c_[1 - p, p]

    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]


def sample(n, rng):
    """n rows, half of each class, which are normal around -1 and 1 with variance 1."""
    y = np.arange(n) % 2
    return rng.normal(2.0 * y - 1)[:, None], y


def posterior(X):
    p = expit(2 * X[:, 0])
    return np.c_[1 - p, p]


def laws(n, shift):
    """Means and standard deviations of the gap of the two means and of the border, which are independent and normal."""
    spread = np.sqrt(4 / n)
    return (2.0, spread), (shift, spread / 2)


def votes_for_one(x, n, shift=0.0):
    """The probability, over training sets of n rows, that class 1 is predicted at x."""
    (gap, gap_sd), (border, border_sd) = laws(n, shift)
    above, right = ndtr((x - border) / border_sd), ndtr(gap / gap_sd)
    return above * right + (1 - above) * (1 - right)


def drawn(rounds, n, shift, rng):
    """The gaps and borders of so many models."""
    return (rng.normal(mean, sd, rounds) for mean, sd in laws(n, shift))


def moments(x, n, shift=0.0):
    """Mean probabilities of class 1, their mean squares (of both classes), and mean logarithms of both, at each x."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    weights = weights / weights.sum()
    (gap, gap_sd), (border, border_sd) = laws(n, shift)
    gaps, borders = gap + gap_sd * nodes[:, None], border + border_sd * nodes[None, :]
    both = weights[:, None] * weights[None, :]
    z = gaps[..., None] * (x - borders[..., None])
    p = expit(z)

    def mean(each):
        return (both[..., None] * each).sum((0, 1))

    logs = np.stack([mean(-np.logaddexp(0, z)), mean(-np.logaddexp(0, -z))], -1)
    return np.stack([mean(1 - p), mean(p)], -1), mean(p**2 + (1 - p) ** 2), logs


def over_rows(values):
    """The mean of values at the points of GRID, over the law of the feature."""
    density = np.exp(-((GRID - 1) ** 2) / 2) + np.exp(-((GRID + 1) ** 2) / 2)
    return float((values * density).sum() / density.sum())


def true_terms(n, shift=0.0):
    """The terms of every decomposition, by their names."""
    from classay.improving.loss_parts import bregman, domingos, kohavi_wolpert, modal, squared

    one = votes_for_one(GRID, n, shift)
    p, q = np.c_[1 - one, one], posterior(GRID[:, None])
    mean, mean_square, logs = moments(GRID, n, shift)
    parts = {
        "domingos": domingos(p, q, modal(p), modal(q)),
        "kohavi-wolpert": kohavi_wolpert(p, q),
        "squared": squared(mean, mean_square, q),
        "bregman": bregman(logs, q),
    }
    return {name: {part: over_rows(each) for part, each in found.items()} for name, found in parts.items()}
