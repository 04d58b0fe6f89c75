"""Learners over folds: how often tests claim a difference of two equal learners, and what intervals cover.

Two learners are the same one on two views of the cases that are exchangeable, so that any claim is false. Intervals
are tried in the manner of the benchmark by Schulz-Kümpel et al. (arXiv:2409.18836), small: learners × sizes × ways, on
data sets of one population whose truth is known by simulation. Two things may be meant: the expected accuracy of models
fitted to as many cases as a fold trains on, of which folds speak without bias, and that of the model fitted to all.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtr
from scipy.stats import t as student

from bench.honesty.cells import LEVEL, OURS, of_claims
from bench.honesty.learners import (
    INSIDE,
    Learner,
    accuracies,
    bayle_error,
    cases,
    centroid,
    conservative_error,
    forest,
    halves,
    holdouts,
    lasso,
    logistic,
    nearest,
    stratified,
    stump,
    tree,
)
from bench.honesty.run import Asked, Found, Setting
from classay.resampling.fold_tests import (
    FoldDifferences,
    corrected_t,
    five_by_two_f,
    five_by_two_t,
    fold_differences,
    nadeau_bengio_t,
    paired_t,
)
from classay.resampling.folds import corrected_interval, nested_error

FAMILY = "learners"
WHY = "models are fitted in hundreds of splits of each data set"
SAME = "accuracy of equal learners, test"
EXPECTED, FITTED = "accuracy expected of models of so many cases", "accuracy of the model fitted to all"
LEARNERS: dict[str, Learner] = {
    "nearest centroid": centroid,
    "logistic regression": logistic,
    "1 nearest neighbour": nearest(1),
    "stump": stump,
    "decision tree": tree,
    "lasso": lasso,
    "random forest": forest,
}
FOLDS, REPEATS, HOLDOUTS = 10, 10, 25
NESTED_FOLDS, NESTED_REPEATS = 5, 10
NEW, TRAINING_SETS = 20_000, 200
"""Cases and models by which the truth is known."""
Ends = tuple[float, float] | None


# -- tests -------------------------------------------------------------------------------------------


def of_tests(name: str, n: int, most: int) -> Setting:
    """How often tests claim, at 5%, that one of two equal learners is better."""

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        made = [claims(rng, LEARNERS[name], n) for _ in range(samples)]
        return {(SAME, way): of_claims([float(each[way]) for each in made]) for way in made[0]}

    group = "Tests of two equal learners"
    return Setting(
        FAMILY, group, f"{name}, n = {n:,}", n / 2, simulate, dict, most, WHY, lambda measure: True
    )


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
        OURS: corrected_t(often).p,
        "classay: 10-fold": corrected_t(once).p,
        "Nadeau–Bengio t, 10×10": nadeau_bengio_t(often).p,
        "Bayle's z, 10-fold": p_of(once.mean, bayle_error(apart[:10], test[:10])),
        "conservative z": p_of(*conservative(rng.spawn(1)[0], learner, views, y)),
        "naive paired t, 10-fold (mlxtend's paired_ttest_kfold_cv)": paired_t(once).p,
        "naive paired t, 10×10": paired_t(often.published).p,
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


# -- intervals ---------------------------------------------------------------------------------------


def of_intervals(name: str, n: int, most: int) -> Setting:
    """What intervals cover of both things that may be meant."""

    @cache
    def expected() -> float:
        return truth_of(LEARNERS[name], n)

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        found: Found = {}
        for place in range(samples):
            x, y = drawn(rng, n)
            fitted = accuracy_of(rng, LEARNERS[name], x, y)
            for way, ends in intervals(rng, LEARNERS[name], x, y).items():
                other = "classay: 10×10" if way == OURS else way  # which states the expected accuracy
                for key, truth in (((EXPECTED, way), expected()), ((FITTED, other), fitted)):
                    if key not in found:
                        found[key] = np.full((samples, 2), np.nan)
                    if ends is not None:
                        found[key][place] = ends[0] - truth, ends[1] - truth
        return found

    group = "Intervals of one learner"
    return Setting(FAMILY, group, f"{name}, n = {n:,}", n / 2, simulate, dict, most, WHY)


def truth_of(learner: Learner, n: int) -> float:
    """The accuracy expected of models of n (1 - 1 / `FOLDS`) cases, over `TRAINING_SETS` of them."""
    rng, size = np.random.default_rng([n, 1]), n - n // FOLDS
    return float(np.mean([accuracy_of(rng, learner, *drawn(rng, size)) for _ in range(TRAINING_SETS)]))


def drawn(rng: Any, n: int) -> tuple[Any, Any]:
    y = rng.permutation(np.arange(n) % 2)
    return cases(rng, y), y


def accuracy_of(rng: Any, learner: Learner, x: Any, y: Any) -> float:
    """The accuracy of the model of these cases on new ones."""
    new = drawn(rng, NEW)
    among = np.arange(y.size + NEW) < y.size
    both = np.concatenate([x, new[0]]), np.concatenate([y, new[1]])
    return float(accuracies(learner, *both, among[None], ~among[None])[0])


def around(mean: float, error: float, degrees: float = np.inf) -> Ends:
    half = float(student.ppf(0.5 + LEVEL / 2, degrees)) * error
    return (mean - half, mean + half) if error > 0 else None


def of_t(values: Any, ratio: float) -> Ends:
    """The interval that `evaluate` gives, by classay's correction; of values in one row Nadeau and Bengio's own."""
    found = corrected_interval(values, ratio, LEVEL, (0, 1))
    return None if isinstance(found, str) else found[:2]


def nested(rng: Any, learner: Learner, x: Any, y: Any) -> Ends:
    """By Bates, Hastie & Tibshirani: each fold, and each pair of folds, left out of training."""
    inner, outer = [], []
    for _ in range(NESTED_REPEATS):
        test = stratified(rng, y, NESTED_FOLDS, 1)
        left = [(j, k) for j in range(NESTED_FOLDS) for k in range(j)]
        pairs = np.array([test[j] | test[k] for j, k in left])
        right, of_pairs = learner(x, y, ~test, test), learner(x, y, ~pairs, pairs)
        outer += [right[j, test[j]] for j in range(NESTED_FOLDS)]
        for j in range(NESTED_FOLDS):
            without = [(own, next(a for a in pair if a != j)) for own, pair in enumerate(left) if j in pair]
            inner.append(np.concatenate([of_pairs[own, test[other]] for own, other in without]))
    found = nested_error(inner, outer, NESTED_FOLDS, LEVEL)
    return found.low, found.high


def intervals(rng: Any, learner: Learner, x: Any, y: Any) -> dict[str, Ends]:
    """The interval of each way on one data set."""
    n, test = y.size, stratified(rng, y, FOLDS, REPEATS)
    right = learner(x, y, ~test, test)
    often = (right.sum(1) / test.sum(1)).reshape(REPEATS, FOLDS)
    once, mean = often[0], float(often[0].mean())
    held = accuracies(learner, x, y, *holdouts(rng, np.ones(n, bool), n // FOLDS, HOLDOUTS))
    cut = accuracies(learner, x, y, *halves(rng, n, n // FOLDS))
    return {
        OURS: of_t(often, 1 / (FOLDS - 1)),
        "classay: 10-fold": of_t(once, 1 / (FOLDS - 1)),
        "nested CV, 5 folds × 10 (classay: nested:5x10)": nested(rng, learner, x, y),
        "Nadeau–Bengio t, 10×10": of_t(often.ravel(), 1 / (FOLDS - 1)),
        "Nadeau–Bengio t, 25 holdouts of a tenth": of_t(held, 1 / (FOLDS - 1)),
        "Bayle's z, 10-fold": around(mean, bayle_error(right[:FOLDS], test[:FOLDS])),
        "conservative z": around(float(held[:INSIDE].mean()), conservative_error(cut)),
        "naive t, 10-fold": around(mean, float(once.std(ddof=1) / np.sqrt(FOLDS)), FOLDS - 1),
        "naive t, 10×10": around(
            float(often.mean()), float(often.std(ddof=1) / np.sqrt(often.size)), often.size - 1
        ),
    }
