"""Tests over folds: how often they claim a difference of two equal learners.

Two learners are the same one on two views of the cases that are exchangeable, so that any claim is false.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr

from bench.honesty.learners import (
    INSIDE,
    Learner,
    accuracies,
    bayle_error,
    cases,
    centroid,
    conservative_error,
    halves,
    holdouts,
    logistic,
    nearest,
    stratified,
    stump,
    tree,
)
from classay.comparison.folds.differences import FoldDifferences, fold_differences
from classay.comparison.folds.five_by_two import five_by_two_f, five_by_two_t
from classay.comparison.folds.t_tests import corrected_t, nadeau_bengio_t, paired_t

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


LEARNERS: dict[str, tuple[Learner, int]] = {
    "nearest centroid, n = 100": (centroid, 100),
    "nearest centroid, n = 400": (centroid, 400),
    "logistic regression, n = 100": (logistic, 100),
    "logistic regression, n = 300": (logistic, 300),
    "1 nearest neighbour, n = 50": (nearest(1), 50),
    "1 nearest neighbour, n = 100": (nearest(1), 100),
    "5 nearest neighbours, n = 100": (nearest(5), 100),
    "stump, n = 60": (stump, 60),
    "stump, n = 200": (stump, 200),
    "stump, n = 800": (stump, 800),
    "decision tree, n = 100": (tree, 100),
    "decision tree, n = 300": (tree, 300),
}


def claims(rng: Any, learner: Learner, n: int) -> dict[str, bool]:
    """Which tests claim a difference on one data set. The holdouts have a stream of their own."""
    y = np.arange(n) % 2
    views = [cases(rng, y) for _ in range(2)]

    def folds(k: int, repeats: int) -> tuple[FoldDifferences, Any, Any]:
        test = stratified(rng, y, k, repeats)
        right = [learner(x, y, ~test, test) for x in views]
        first, second = (each.sum(1).reshape(repeats, k) / test.sum(1).reshape(repeats, k) for each in right)
        return fold_differences(first, second, test_over_train=1 / (k - 1)), right[0] * 1.0 - right[1], test

    (often, apart, test), (in_two, *_) = folds(10, 10), folds(2, 5)
    once = fold_differences(often.values[0], np.zeros(10), test_over_train=1 / 9)
    found = {
        "classay: corrected t, 10×10": corrected_t(often).p,
        "classay: corrected t, 10-fold": corrected_t(once).p,
        "Nadeau–Bengio t, 10×10": nadeau_bengio_t(often).p,
        "Bayle's z, 10-fold": p_of(once.mean, bayle_error(apart[:10], test[:10])),
        "conservative z": p_of(*conservative(rng.spawn(1)[0], learner, views, y)),
        "naive paired t, 10-fold (mlxtend's paired_ttest_kfold_cv)": paired_t(once).p,
        "naive paired t, 10×10": paired_t(often.in_one_run).p,
        "5×2cv t (mlxtend)": five_by_two_t(in_two).p,
        "5×2cv F (mlxtend)": five_by_two_f(in_two).p,
    }
    return {name: bool(p <= 0.05) for name, p in found.items()}


def conservative(rng: Any, learner: Learner, views: Any, y: Any) -> tuple[float, float]:
    """The mean difference over holdouts of a tenth, and its standard error from those of halves."""
    means = []
    for train, test in (
        holdouts(rng, np.ones(y.size, bool), y.size // 10, INSIDE),
        halves(rng, y.size, y.size // 10),
    ):
        first, second = (accuracies(learner, x, y, train, test) for x in views)
        means.append(first - second)
    return float(means[0].mean()), conservative_error(means[1])


def p_of(difference: float, error: float) -> float:
    """Of a normal variable; NaN where nothing varies."""
    return float(2 * ndtr(-abs(difference) / error)) if error > 0 else float("nan")


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
