"""Kernels that build tables from coded rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel

Array = NDArray[Any]


def _count_cells(predicted: Array, true: Array, k: int) -> Array:
    return np.bincount(predicted.astype(np.intp) * k + true, minlength=k * k)


@kernel(twin=_count_cells)
def count_cells(predicted: Array, true: Array, k: int) -> Array:
    """Cases in each cell of a `[predicted, true]` matrix, flat, from codes below k."""
    # Four tables in turn: neighbouring rows often share a cell, and would wait for each other's store.
    tables = np.zeros((4, k * k), np.int64)
    n = predicted.shape[0]
    whole = n - n % 4
    for i in range(0, whole, 4):
        tables[0, np.int64(predicted[i]) * k + true[i]] += 1
        tables[1, np.int64(predicted[i + 1]) * k + true[i + 1]] += 1
        tables[2, np.int64(predicted[i + 2]) * k + true[i + 2]] += 1
        tables[3, np.int64(predicted[i + 3]) * k + true[i + 3]] += 1
    for i in range(whole, n):
        tables[0, np.int64(predicted[i]) * k + true[i]] += 1
    return tables[0] + tables[1] + tables[2] + tables[3]


def _sum_cells(predicted: Array, true: Array, weight: Array, k: int) -> Array:
    cells = np.zeros(k * k, weight.dtype)
    np.add.at(cells, predicted.astype(np.intp) * k + true, weight)
    return cells


@kernel(twin=_sum_cells)
def sum_cells(predicted: Array, true: Array, weight: Array, k: int) -> Array:
    """Sum of `weight` in each cell of a `[predicted, true]` matrix, flat, in the order of the rows."""
    cells = np.zeros(k * k, weight.dtype)
    for i in range(predicted.shape[0]):
        cells[np.int64(predicted[i]) * k + true[i]] += weight[i]
    return cells


def _split(score: Array, positive: Array) -> tuple[Array, Array]:
    return score[positive], score[~positive]


@kernel(twin=_split)
def split(score: Array, positive: Array) -> tuple[Array, Array]:
    """The scores of the positive rows and those of the others, each in any order."""
    # One buffer filled from both ends: no branch to mispredict, no second pass.
    n = score.shape[0]
    buffer = np.empty(n + 1, score.dtype)
    front, back = 0, n
    for i in range(n):
        is_positive = np.int64(positive[i])
        buffer[front] = score[i]
        buffer[back] = score[i]
        front += is_positive
        back -= 1 - is_positive
    return buffer[:front], buffer[front + 1 :]


def _merge_runs(positive: Array, negative: Array) -> tuple[Array, Array, Array]:
    scores = np.unique(np.concatenate([positive, negative]))[::-1] + positive.dtype.type(0)
    ascending = scores[::-1]

    def count(run: Array) -> Array:
        return np.diff(np.searchsorted(run, ascending, side="right"), prepend=0)[::-1].astype(np.int64)

    return scores, count(positive), count(negative)


@kernel(twin=_merge_runs)
def merge_runs(positive: Array, negative: Array) -> tuple[Array, Array, Array]:
    """Distinct scores, descending, with the number of positives and negatives at each, from two ascending runs.

    A zero score comes out as +0, whichever sign it went in with, so that merging in any order gives the same bits.
    """
    n = positive.shape[0] + negative.shape[0]
    scores = np.empty(n, positive.dtype)
    positives = np.empty(n, np.int64)
    negatives = np.empty(n, np.int64)
    i, j, m = positive.shape[0] - 1, negative.shape[0] - 1, -1
    p_count, n_count = 0, 0
    zero = positive.dtype.type(0)
    last = zero
    # Without branches on the data: which run holds the next score is a coin toss that no predictor guesses.
    while i >= 0 and j >= 0:
        a, b = positive[i], negative[j]
        score = a if a > b else b
        from_p, from_n = np.int64(a == score), np.int64(b == score)
        again = np.int64((score == last) & (m >= 0))
        m += 1 - again
        p_count = p_count * again + from_p
        n_count = n_count * again + from_n
        scores[m] = score + zero
        positives[m] = p_count
        negatives[m] = n_count
        last = score
        i -= from_p
        j -= from_n
    while i >= 0:
        score = positive[i]
        again = np.int64((score == last) & (m >= 0))
        m += 1 - again
        p_count = p_count * again + 1
        n_count = n_count * again
        scores[m] = score + zero
        positives[m] = p_count
        negatives[m] = n_count
        last = score
        i -= 1
    while j >= 0:
        score = negative[j]
        again = np.int64((score == last) & (m >= 0))
        m += 1 - again
        p_count = p_count * again
        n_count = n_count * again + 1
        scores[m] = score + zero
        positives[m] = p_count
        negatives[m] = n_count
        last = score
        j -= 1
    return scores[: m + 1], positives[: m + 1], negatives[: m + 1]


def group(score: Array, *sums: Array) -> tuple[Array, ...]:
    """Distinct scores, descending, and each of `sums` (`[..., rows]`) added up within them."""
    order = np.argsort(-score, kind="stable") if score.shape[0] else np.empty(0, np.intp)
    ordered = score[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if order.size else order
    zero = score.dtype.type(0)
    return (
        ordered[starts] + zero,
        *(np.add.reduceat(each[..., order], starts, axis=-1) if order.size else each for each in sums),
    )
