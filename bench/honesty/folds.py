"""Tests over folds: how often they claim a difference of two equal learners.

Two learners are the same one on two views of the cases that are exchangeable, so that any claim is false.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from classay.comparison.folds.differences import FoldDifferences, fold_differences
from classay.comparison.folds.five_by_two import five_by_two_f, five_by_two_t
from classay.comparison.folds.t_tests import corrected_t, nadeau_bengio_t, paired_t

FEATURES, APART = 5, 1.4
ALLOWED = 0.065


@dataclass(frozen=True)
class Size:
    """The share of data sets on which a test makes a false claim at 0.05."""

    learner: str
    test: str
    size: float
    data_sets: int

    @property
    def surely_too_large(self) -> bool:
        return self.size - 2 * (self.size * (1 - self.size) / self.data_sets) ** 0.5 > ALLOWED


def centroid(x: Any, y: Any, test: Any) -> Any:
    """Accuracy of the nearest class mean in each fold; x `(n, features)`, test `(folds, n)` of booleans."""
    train, centres = ~test, []
    for label in (0, 1):
        own = train & (y == label)
        centres.append(own @ x / own.sum(1, keepdims=True))
    apart, middle = centres[1] - centres[0], (centres[1] + centres[0]) / 2
    called = apart @ x.T > (apart * middle).sum(1, keepdims=True)
    return ((called == y) & test).sum(1) / test.sum(1)


def nearest(k: int) -> Callable[[Any, Any, Any], Any]:
    """Accuracy of the majority of the k nearest neighbours."""

    def accuracy(x: Any, y: Any, test: Any) -> Any:
        squares = (x**2).sum(1)
        distance = squares[:, None] + squares - 2 * x @ x.T
        found = []
        for own in test:
            train = np.flatnonzero(~own)
            closest = np.argpartition(distance[np.ix_(own, train)], k - 1, axis=1)[:, :k]
            found.append(((y[train[closest]].mean(1) > 0.5) == y[own]).mean())
        return np.array(found)

    return accuracy


def stump(x: Any, y: Any, test: Any) -> Any:
    """Accuracy of the best split of one feature, as unstable as a learner of two leaves gets."""
    found = []
    for own in test:
        features, labels = x[~own], 2 * y[~own] - 1
        order = np.argsort(features, axis=0)
        gain = np.cumsum(labels[order], axis=0)[:-1]  # classes are balanced: the whole sum is near 0
        at, feature = np.unravel_index(np.abs(gain).argmax(), gain.shape)
        cut = features[order[at : at + 2, feature], feature].mean()
        above = labels[features[:, feature] > cut].sum() > 0
        found.append((((x[own, feature] > cut) == above) == y[own]).mean())
    return np.array(found)


def fitted(learner: Any) -> Callable[[Any, Any, Any], Any]:
    """Accuracy of a learner of scikit-learn's kind."""

    def accuracy(x: Any, y: Any, test: Any) -> Any:
        return np.array([(learner.fit(x[~own], y[~own]).predict(x[own]) == y[own]).mean() for own in test])

    return accuracy


LEARNERS: dict[str, tuple[Callable[[Any, Any, Any], Any], int]] = {
    "nearest centroid, n = 100": (centroid, 100),
    "nearest centroid, n = 400": (centroid, 400),
    "1 nearest neighbour, n = 50": (nearest(1), 50),
    "1 nearest neighbour, n = 100": (nearest(1), 100),
    "5 nearest neighbours, n = 100": (nearest(5), 100),
    "stump, n = 60": (stump, 60),
    "stump, n = 200": (stump, 200),
    "stump, n = 800": (stump, 800),
    "decision tree, n = 100": (fitted(DecisionTreeClassifier(random_state=0)), 100),
}


def stratified(rng: Any, y: Any, folds: int, repeats: int) -> Any:
    """Test sets of repeated stratified cross-validation, `(repeats * folds, n)`."""
    made = np.empty((repeats, y.size), int)
    for label in (0, 1):
        at = np.flatnonzero(y == label)
        for repeat in range(repeats):
            made[repeat, rng.permutation(at)] = np.arange(at.size) % folds
    return (made[:, None, :] == np.arange(folds)[:, None]).reshape(-1, y.size)


def claims(rng: Any, learner: Callable[[Any, Any, Any], Any], n: int) -> dict[str, bool]:
    """Which tests claim a difference on one data set."""
    y = np.arange(n) % 2
    centre = np.where(y, APART / 2, -APART / 2)[:, None] / np.sqrt(FEATURES)
    views = [rng.normal(centre, 1, (n, FEATURES)) for _ in range(2)]

    def folds(k: int, repeats: int) -> FoldDifferences:
        test = stratified(rng, y, k, repeats)
        first, second = (learner(x, y, test).reshape(repeats, k) for x in views)
        return fold_differences(first, second, test_over_train=1 / (k - 1))

    often, halves = folds(10, 10), folds(2, 5)
    once = fold_differences(often.values[0], np.zeros(10), test_over_train=1 / 9)
    found = {
        "classay: corrected t, 10×10": corrected_t(often),
        "classay: corrected t, 10-fold": corrected_t(once),
        "Nadeau–Bengio t, 10×10": nadeau_bengio_t(often),
        "naive paired t, 10-fold (mlxtend's paired_ttest_kfold_cv)": paired_t(once),
        "naive paired t, 10×10": paired_t(often.in_one_run),
        "5×2cv t (mlxtend)": five_by_two_t(halves),
        "5×2cv F (mlxtend)": five_by_two_f(halves),
    }
    return {name: bool(each.p <= 0.05) for name, each in found.items()}


def run_folds(data_sets: int, store: Path | None) -> list[Size]:
    """The sizes of all tests; learners in the store with as many data sets or more are not run again."""
    known: dict[str, list[Size]] = {}
    if store is not None and store.exists():
        for line in store.read_text(encoding="utf-8").splitlines():
            sizes = [Size(**each) for each in json.loads(line)]
            known[sizes[0].learner] = sizes
    for name, (learner, n) in LEARNERS.items():
        if name in known and known[name][0].data_sets >= data_sets:
            continue
        start, rng = time.perf_counter(), np.random.default_rng(0)
        found = [claims(rng, learner, n) for _ in range(data_sets)]
        known[name] = [
            Size(name, test, float(np.mean([each[test] for each in found])), data_sets) for test in found[0]
        ]
        print(f"Folds: {name}, {data_sets} data sets in {time.perf_counter() - start:.0f} s", flush=True)
        if store is not None:
            with store.open("a", encoding="utf-8") as file:
                file.write(json.dumps([asdict(each) for each in known[name]]) + "\n")
    return [each for name in LEARNERS for each in known[name]]
