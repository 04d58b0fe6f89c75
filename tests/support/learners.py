"""Data and estimators for the tests of resampling; importable, so that other processes can load them."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


def noise(n=120, features=3, seed=0, labels=(0, 1), shares=None, signal=0.8):
    """Features that know a little of the class."""
    rng = np.random.default_rng(seed)
    y = rng.choice(len(labels), size=n, p=shares)
    x = rng.normal(size=(n, features))
    x[:, 0] += signal * y
    return x, np.array(labels)[y]


class Centroid(ClassifierMixin, BaseEstimator):
    """The nearest class mean: predict alone, no scores."""

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.means_ = np.array([X[codes == i].mean(0) for i in range(self.classes_.size)])
        return self

    def predict(self, X):
        gaps = ((X[:, None, :] - self.means_) ** 2).sum(-1)
        return self.classes_[gaps.argmin(1)]


class Nearest(ClassifierMixin, BaseEstimator):
    """The class of the nearest training case: as unstable as a learner gets."""

    def fit(self, X, y):
        self.classes_, self.cases_, self.labels_ = np.unique(y), X, y
        return self

    def predict(self, X):
        gaps = (self.cases_**2).sum(1) - 2 * X @ self.cases_.T  # less |X|², which ranks nothing
        return self.labels_[gaps.argmin(1)]


class Majority(ClassifierMixin, BaseEstimator):
    """The most frequent class, the last in order where two are."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.said_ = self.classes_[counts.size - 1 - counts[::-1].argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.said_)


class Fails(Centroid):
    """Cannot be fitted where the marked row is among those of training."""

    def __init__(self, marked=99.0):
        self.marked = marked

    def fit(self, X, y):
        if (self.marked == X).any():
            raise ArithmeticError("the marked row\nis there")
        return super().fit(X, y)


class Draws(ClassifierMixin, BaseEstimator):
    """Predicts at random."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.drawn_ = np.random.default_rng(self.random_state)
        return self

    def predict(self, X):
        return self.drawn_.choice(self.classes_, len(X))


class Counting(type(Centroid)):
    """A class that keeps a count where it is no part of its definition, which a store would hold against it."""

    @property
    def fits(cls):
        return int(os.environ.get("CLASSAY_TEST_FITS", "0"))

    @fits.setter
    def fits(cls, count):
        os.environ["CLASSAY_TEST_FITS"] = str(count)


class Counts(Centroid, metaclass=Counting):
    """Counts how often it is fitted, in this process."""

    def fit(self, X, y):
        Counts.fits += 1
        return super().fit(X, y)


class Deadly(Centroid):
    """Kills its process where the marked row is among those of training, or once, when there is no such file yet."""

    def __init__(self, marked=99.0, once=None):
        self.marked = marked
        self.once = once

    def fit(self, X, y):
        is_first = self.once is not None and not Path(self.once).exists()
        if is_first:
            Path(self.once).touch()
        if is_first or (self.marked == X).any():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


class Growing(Centroid):
    """In the first process that fits it, it keeps a hundred times what joblib lets a worker keep, which is set low."""

    def __init__(self, once=None):
        self.once = once

    def fit(self, X, y):
        from joblib.externals.loky import process_executor as workers

        if not Path(self.once).exists():
            Path(self.once).touch()
            workers._MAX_MEMORY_LEAK_SIZE, workers._MEMORY_LEAK_CHECK_DELAY = 1e5, 0
        if not workers._MEMORY_LEAK_CHECK_DELAY:
            vars(sys).setdefault("grown", []).append(np.ones(10**7 // 8))
        time.sleep(0.2)  # so that each fit is a task of its own
        return super().fit(X, y)


class Modest(Centroid):
    """Refuses more threads than its share of the cores, where so many processes work."""

    def __init__(self, processes=2):
        self.processes = processes

    def fit(self, X, y):
        from joblib import cpu_count
        from sklearn.utils import _openmp_helpers
        from threadpoolctl import threadpool_info

        threads = [each["num_threads"] for each in threadpool_info()]
        threads.append(_openmp_helpers._openmp_effective_n_threads())
        if max(threads) > max(1, cpu_count() // self.processes):
            raise RuntimeError(f"{threads} threads on {cpu_count()} cores")
        return super().fit(X, y)
