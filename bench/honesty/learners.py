"""Learners whose models over many splits are fitted fast, and the splits: folds, holdouts, halves.

A learner gets the cases `x (n, features)` and `y (n,)` of 0 and 1, and the rows of training and of testing of each
split, `(splits, n)` of booleans. It returns which test rows it calls right, `(splits, n)`, False elsewhere.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from scipy.spatial import cKDTree

FEATURES, APART = 5, 1.4
"""Normal features, and how far the means of the classes lie apart in all of them together."""
PENALTY, STEPS = 1.0, 12
SWEEPS, CLOSE = 200, 1e-9
TREES, TRIED = 25, 2
"""Trees of the forest, and features that each of its splits may choose from: the root of `FEATURES`, cut."""
Learner = Callable[[Any, Any, Any, Any], Any]


def cases(rng: Any, y: Any) -> Any:
    """Normal features of cases of these classes; Bayes' error is Φ(-0.7) where classes are of equal size."""
    centre = np.where(y, APART / 2, -APART / 2)[:, None] / np.sqrt(FEATURES)
    return rng.normal(centre, 1, (y.size, FEATURES))


def centroid(x: Any, y: Any, train: Any, test: Any) -> Any:
    """The nearest class mean."""
    centres = []
    for label in (0, 1):
        own = train & (y == label)
        centres.append(own @ x / own.sum(1, keepdims=True))
    apart, middle = centres[1] - centres[0], (centres[1] + centres[0]) / 2
    return ((apart @ x.T > (apart * middle).sum(1, keepdims=True)) == y) & test


def logistic(x: Any, y: Any, train: Any, test: Any) -> Any:
    """Logistic regression with scikit-learn's default penalty, by Newton's method in all splits at once."""
    rows = np.column_stack([np.ones(y.size), x])
    products = (rows[:, :, None] * rows[:, None, :]).reshape(y.size, -1)
    penalty = np.diag([1e-9] + [PENALTY] * x.shape[1])
    found = np.zeros((len(train), rows.shape[1]))
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-found @ rows.T))
        slope = ((y - p) * train) @ rows - found @ penalty
        bend = ((p * (1 - p) * train) @ products).reshape(len(train), *penalty.shape) + penalty
        step = np.linalg.solve(bend, slope[..., None])[..., 0]
        found += step
        if np.abs(step).max() < 1e-8:
            break
    return ((found @ rows.T > 0) == y) & test


def lasso(x: Any, y: Any, train: Any, test: Any) -> Any:
    """Logistic regression with an absolute penalty, at the level that noise alone passes with few features.

    √(2 log features) standard deviations of a slope of the log-likelihood where a feature says nothing, √n / 2.
    """
    rows, found = np.column_stack([np.ones(y.size), x]), np.zeros(test.shape, bool)
    for learnt, asked, row in zip(train, test, found, strict=True):
        penalty = np.sqrt(learnt.sum() * np.log(x.shape[1]) / 2)
        weights = _lasso(rows[learnt], y[learnt].astype(float), penalty)
        row[asked] = (rows[asked] @ weights > 0) == y[asked]
    return found


@njit  # type: ignore[untyped-decorator]
def _lasso(rows: Any, y: Any, penalty: float) -> Any:
    """The weights, of which the first is not penalised: Newton steps, each solved coordinate by coordinate."""
    found = np.zeros(rows.shape[1])
    for _ in range(STEPS * 2):
        p = 1 / (1 + np.exp(-(rows @ found)))
        bend = rows.T @ (rows * (p * (1 - p)).reshape(-1, 1))
        target = rows.T @ (y - p) + bend @ found
        before = found.copy()
        for _ in range(SWEEPS):
            most = 0.0
            for f in range(found.size):
                pull, least = target[f] - bend[f] @ found + bend[f, f] * found[f], penalty if f else 0.0
                new = np.sign(pull) * max(abs(pull) - least, 0.0) / bend[f, f]
                most, found[f] = max(most, abs(new - found[f])), new
            if most < CLOSE:
                break
        if np.abs(found - before).max() < CLOSE:
            break
    return found


def nearest(k: int) -> Learner:
    """The majority of the k nearest neighbours."""

    def right(x: Any, y: Any, train: Any, test: Any) -> Any:
        found = np.zeros(test.shape, bool)
        for learnt, asked, row in zip(train, test, found, strict=True):
            _, at = cKDTree(x[learnt]).query(x[asked], [*range(1, k + 1)])
            row[asked] = (y[learnt][at].mean(1) > 0.5) == y[asked]
        return found

    return right


def stump(x: Any, y: Any, train: Any, test: Any) -> Any:
    """The best split of one feature, as unstable as a learner of two leaves gets."""
    found = np.zeros(test.shape, bool)
    for learnt, asked, row in zip(train, test, found, strict=True):
        features, labels = x[learnt], 2 * y[learnt] - 1
        order = np.argsort(features, axis=0)
        gain = np.cumsum(labels[order], axis=0)[:-1]  # classes are balanced: the whole sum is near 0
        at, feature = np.unravel_index(np.abs(gain).argmax(), gain.shape)
        cut = features[order[at : at + 2, feature], feature].mean()
        above = labels[features[:, feature] > cut].sum() > 0
        row[asked] = ((x[asked, feature] > cut) == above) == y[asked]
    return found


def tree(x: Any, y: Any, train: Any, test: Any) -> Any:
    """A full-grown decision tree by Gini's impurity, of which only the leaves are grown that test rows reach."""
    order, found = np.argsort(x, axis=0).T, np.zeros(test.shape, bool)
    for learnt, asked, row in zip(train, test, found, strict=True):
        rows = order[learnt[order]].reshape(x.shape[1], -1)
        at = np.flatnonzero(asked)
        row[at] = _labels(x, y, rows, at, x.shape[1]) == y[at]
    return found


def forest(x: Any, y: Any, train: Any, test: Any) -> Any:
    """`TREES` full-grown trees of bootstrap samples, each split among `TRIED` features; the majority's label."""
    order, found = np.argsort(x, axis=0).T, np.zeros(test.shape, bool)
    rng = np.random.default_rng(zlib.crc32(x.tobytes()))
    for learnt, asked, row in zip(train, test, found, strict=True):
        at, own = np.flatnonzero(asked), np.flatnonzero(learnt)
        counts = rng.multinomial(own.size, np.full(own.size, 1 / own.size), TREES)
        often = np.zeros((TREES, y.size), int)
        often[:, own] = counts
        _start(rng.integers(2**31))
        votes = sum(
            _labels(x, y, np.repeat(order, each[order].ravel()).reshape(x.shape[1], -1), at, TRIED)
            for each in often
        )
        row[at] = (2 * votes > TREES) == y[at]
    return found


@njit  # type: ignore[untyped-decorator]
def _start(seed: int) -> None:
    """Start the compiled random numbers, from which splits draw their features."""
    np.random.seed(seed)  # noqa: NPY002 - compiled code has no other


@njit  # type: ignore[untyped-decorator]
def _labels(x: Any, y: Any, rows: Any, asked: Any, tried: int) -> Any:
    """The label that a tree of `rows`, by each feature in rising order, gives each row that is asked.

    Each split chooses among `tried` features, drawn anew where that is not all of them.
    """
    features = np.arange(rows.shape[0])
    label, asked = np.empty(asked.size, np.int64), np.stack((asked, np.arange(asked.size)))
    rows, spare = rows.copy(), np.empty(max(rows.shape[1], asked.shape[1]), np.int64)
    waiting = [(0, rows.shape[1], 0, asked.shape[1])]
    while waiting:
        first, last, start, end = waiting.pop()
        if tried < features.size:
            features = np.random.permutation(features)  # noqa: NPY002
        feature, cut, positive = _best_cut(x, y, rows[:, first:last], features[:tried])
        if feature < 0:
            label[asked[1, start:end]] = 2 * positive > last - first
            continue
        for each in rows:
            middle = _parted(each, first, last, x[:, feature], cut, spare)
        below = x[asked[0, start:end], feature] <= cut
        asked[:, start:end] = np.concatenate(
            (asked[:, start:end][:, below], asked[:, start:end][:, ~below]), axis=1
        )
        split = start + below.sum()
        if split > start:
            waiting.append((first, middle, start, split))
        if split < end:
            waiting.append((middle, last, split, end))
    return label


@njit  # type: ignore[untyped-decorator]
def _best_cut(x: Any, y: Any, rows: Any, features: Any) -> Any:
    """Of these features the one, and its value, that leave the least impurity, or -1; and how many are positive."""
    n, positive = rows.shape[1], 0
    for i in rows[0]:
        positive += y[i]
    best, feature, cut = -1.0, -1, 0.0
    if 0 < positive < n:
        for f in features:
            left = 0
            for k in range(n - 1):
                left += y[rows[f, k]]
                here, after = x[rows[f, k], f], x[rows[f, k + 1], f]
                if here < after:
                    m, right = k + 1, positive - left
                    pure = (left**2 + (m - left) ** 2) / m + (right**2 + (n - m - right) ** 2) / (n - m)
                    if pure > best:
                        best, feature, cut = pure, f, (here + after) / 2
    return feature, cut, positive


@njit  # type: ignore[untyped-decorator]
def _parted(rows: Any, first: int, last: int, values: Any, cut: float, spare: Any) -> int:
    """Put the rows from `first` to `last` at or below the cut before those above, in their order; where those begin."""
    at, above = first, 0
    for k in range(first, last):
        if values[rows[k]] <= cut:
            rows[at] = rows[k]
            at += 1
        else:
            spare[above] = rows[k]
            above += 1
    rows[at:last] = spare[:above]
    return at


def accuracies(learner: Learner, x: Any, y: Any, train: Any, test: Any) -> Any:
    """The accuracy in each split."""
    return learner(x, y, train, test).sum(1) / test.sum(1)


def stratified(rng: Any, y: Any, folds: int, repeats: int) -> Any:
    """Test sets of repeated stratified cross-validation, `(repeats * folds, n)`."""
    made = np.empty((repeats, y.size), int)
    for label in (0, 1):
        at = np.flatnonzero(y == label)
        for repeat in range(repeats):
            made[repeat, rng.permutation(at)] = np.arange(at.size) % folds
    return (made[:, None, :] == np.arange(folds)[:, None]).reshape(-1, y.size)


def holdouts(rng: Any, among: Any, size: int, count: int) -> tuple[Any, Any]:
    """Rows of training and of testing: `size` of the marked rows at random are tested, the others trained on."""
    at, test = np.flatnonzero(among), np.zeros((count, among.size), bool)
    for row in test:
        row[rng.permutation(at)[:size]] = True
    return among & ~test, test


PAIRS, INSIDE = 10, 15


def halves(rng: Any, n: int, size: int) -> tuple[Any, Any]:
    """Holdouts inside both halves of `PAIRS` random cuts, as Nadeau & Bengio's conservative z wants them.

    Rows of training and of testing, `(PAIRS * 2 * INSIDE, n)`: a half tests as many rows as are tested of all, and
    trains on what it has left.
    """
    train, test = [], []
    for _ in range(PAIRS):
        first = np.zeros(n, bool)
        first[rng.permutation(n)[: n // 2]] = True
        for half in (first, ~first):
            found = holdouts(rng, half, size, INSIDE)
            train.append(found[0])
            test.append(found[1])
    return np.concatenate(train), np.concatenate(test)


def conservative_error(values: Any) -> float:
    """The standard error of the mean of `INSIDE` holdouts, by the values that `halves` gives.

    Halves of one cut share no case, so half the mean squared difference of their means is the variance of such a
    mean of n / 2 cases, which takes the place of that of n cases. Nadeau & Bengio 2003, Machine Learning 52:239.
    """
    means = values.reshape(PAIRS, 2, INSIDE).mean(2)
    return float(np.sqrt(np.mean((means[:, 0] - means[:, 1]) ** 2) / 2))


def bayle_error(losses: Any, test: Any) -> float:
    """The standard error of the mean loss of one run of folds: the mean variance within them, over n.

    `losses (folds, n)` of the cases in each fold. Bayle et al. 2020, NeurIPS 33, arXiv:2007.12671.
    """
    within = [own[at].var(ddof=1) for own, at in zip(losses, test, strict=True)]
    return float(np.sqrt(np.mean(within) / test.sum()))
