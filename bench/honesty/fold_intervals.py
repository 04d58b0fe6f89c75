"""Intervals over folds: what they cover of the accuracy that models of a learner have, and of that of one model.

In the manner of the benchmark by Schulz-Kümpel et al. (arXiv:2409.18836), small: learners × sizes × ways, on data
sets of one population whose truth is known by simulation. All ways see the same data sets. Two things may be meant:
the expected accuracy of models fitted to as many cases as a fold trains on, of which folds speak without bias, and
the accuracy of the model fitted to all cases.
"""

from __future__ import annotations

import json
import time
import zlib
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import t as student

from bench.honesty.learners import (
    INSIDE,
    Learner,
    accuracies,
    bayle_error,
    cases,
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
from bench.honesty.run import LEVEL, Cell, cell_of
from classay.inference.folds.nested import nested_error
from classay.inference.folds.resampled import corrected_interval

GROUP = "Learners over folds: intervals"
EXPECTED, FITTED = "accuracy expected of models of so many cases", "accuracy of the model fitted to all"
LEARNERS: dict[str, Learner] = {
    "logistic regression": logistic,
    "1 nearest neighbour": nearest(1),
    "stump": stump,
    "decision tree": tree,
    "lasso": lasso,
    "random forest": forest,
}
SIZES = {100: 400, 300: 200, 1000: 100}
"""Cases of a data set, and how many data sets are drawn."""
FOLDS, REPEATS, HOLDOUTS = 10, 10, 25
NESTED_FOLDS, NESTED_REPEATS = 5, 10
NEW, TRAINING_SETS = 20_000, 200
"""Cases and models by which the truth is known."""
Ends = tuple[float, float] | None


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
        "classay": of_t(often, 1 / (FOLDS - 1)),
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


def cells_of(name: str, n: int, data_sets: int) -> list[Cell]:
    """All ways on the same data sets, for both things that may be meant."""
    learner, setting = LEARNERS[name], f"{name}, n = {n:,}"
    expected, ends, own = truth_of(learner, n), defaultdict(list), defaultdict(list)
    rng = np.random.default_rng(zlib.crc32(setting.encode()))
    for _ in range(data_sets):
        x, y = drawn(rng, n)
        fitted = accuracy_of(rng, learner, x, y)
        for way, found in intervals(rng, learner, x, y).items():
            if found is not None:
                ends[way].append(found)
                own[way].append((found[0] - fitted, found[1] - fitted))
    kept = [(EXPECTED, expected, ends), (FITTED, 0.0, own)]
    return [
        cell_of(GROUP, setting, n / 2, measure, way, truth, found[way], data_sets)
        for measure, truth, found in kept
        for way in found
    ]


def run_fold_intervals(samples: int, store: Path | None) -> list[Cell]:
    """The cells of all learners and sizes; those in the store are not run again. At most `samples` data sets each."""
    known: dict[tuple[str, int], list[Cell]] = {}
    if store is not None and store.exists():
        for line in store.read_text(encoding="utf-8").splitlines():
            name, n, cells = json.loads(line)
            known[name, n] = [Cell(**each) for each in cells]
    for n, most in SIZES.items():
        for name in LEARNERS:
            wanted = min(samples, most)
            if (name, n) in known and known[name, n][0].samples >= wanted:
                continue
            start = time.perf_counter()
            known[name, n] = cells_of(name, n, wanted)
            print(f"{GROUP}: {name}, {n:,} cases, {time.perf_counter() - start:.0f} s", flush=True)
            if store is not None:
                with store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([name, n, [asdict(each) for each in known[name, n]]]) + "\n")
    made = [each for name in LEARNERS for n in SIZES for each in known[name, n]]
    return [each for measure in (EXPECTED, FITTED) for each in made if each.measure == measure]
