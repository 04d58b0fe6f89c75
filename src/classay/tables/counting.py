"""Kernels that build tables from coded rows, which `checks` has checked where they entered the table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel

Array = NDArray[Any]
CODES = "every code is in 0 to before k, and all columns are of one length"


def _count_cells(predicted: Array, true: Array, k: int) -> Array:
    return np.bincount(predicted.astype(np.intp) * k + true, minlength=k * k)


@kernel(twin=_count_cells, assumes=CODES)
def count_cells(predicted: Array, true: Array, k: int) -> Array:
    """Cases in each cell of a `[predicted, true]` matrix, flat, from codes below k."""
    # Four tables in turn: neighbouring rows often share a cell, and would wait for each other's store. Of thousands of
    # classes they seldom do, and four tables would take gigabytes.
    turns = 4 if k <= 1000 else 1
    second, third, fourth = 1 % turns, 2 % turns, 3 % turns
    tables = np.zeros((turns, k * k), np.int64)
    n = predicted.shape[0]
    whole = n - n % 4
    for i in range(0, whole, 4):
        tables[0, np.int64(predicted[i]) * k + true[i]] += 1
        tables[second, np.int64(predicted[i + 1]) * k + true[i + 1]] += 1
        tables[third, np.int64(predicted[i + 2]) * k + true[i + 2]] += 1
        tables[fourth, np.int64(predicted[i + 3]) * k + true[i + 3]] += 1
    for i in range(whole, n):
        tables[0, np.int64(predicted[i]) * k + true[i]] += 1
    total: Array = tables[0]
    for turn in range(1, turns):
        total = total + tables[turn]
    return total


def _sum_cells(predicted: Array, true: Array, weight: Array, k: int) -> Array:
    cells = np.zeros(k * k, weight.dtype)
    np.add.at(cells, predicted.astype(np.intp) * k + true, weight)
    return cells


@kernel(twin=_sum_cells, assumes=CODES)
def sum_cells(predicted: Array, true: Array, weight: Array, k: int) -> Array:
    """Sum of `weight` in each cell of a `[predicted, true]` matrix, flat, in the order of the rows."""
    cells = np.zeros(k * k, weight.dtype)
    for i in range(predicted.shape[0]):
        cells[np.int64(predicted[i]) * k + true[i]] += weight[i]
    return cells


def _count_triples(true: Array, first: Array, second: Array, k: int) -> Array:
    return np.bincount((true.astype(np.intp) * k + first) * k + second, minlength=k**3)


@kernel(twin=_count_triples, assumes=CODES)
def count_triples(true: Array, first: Array, second: Array, k: int) -> Array:
    """Cases in each cell of a `[true, first, second]` table, flat, from codes below k."""
    turns = 4 if k <= 60 else 1  # four in turn, as in count_cells
    other, third, fourth = 1 % turns, 2 % turns, 3 % turns
    tables = np.zeros((turns, k * k * k), np.int64)
    n = true.shape[0]
    whole = n - n % 4
    for i in range(0, whole, 4):
        tables[0, (np.int64(true[i]) * k + first[i]) * k + second[i]] += 1
        tables[other, (np.int64(true[i + 1]) * k + first[i + 1]) * k + second[i + 1]] += 1
        tables[third, (np.int64(true[i + 2]) * k + first[i + 2]) * k + second[i + 2]] += 1
        tables[fourth, (np.int64(true[i + 3]) * k + first[i + 3]) * k + second[i + 3]] += 1
    for i in range(whole, n):
        tables[0, (np.int64(true[i]) * k + first[i]) * k + second[i]] += 1
    total: Array = tables[0]
    for turn in range(1, turns):
        total = total + tables[turn]
    return total


def _sum_triples(true: Array, first: Array, second: Array, weight: Array, k: int) -> Array:
    cells = np.zeros(k**3, weight.dtype)
    np.add.at(cells, (true.astype(np.intp) * k + first) * k + second, weight)
    return cells


@kernel(twin=_sum_triples, assumes=CODES)
def sum_triples(true: Array, first: Array, second: Array, weight: Array, k: int) -> Array:
    """Sum of `weight` in each cell of a `[true, first, second]` table, flat, in the order of the rows."""
    cells = np.zeros(k * k * k, weight.dtype)
    for i in range(true.shape[0]):
        cells[(np.int64(true[i]) * k + first[i]) * k + second[i]] += weight[i]
    return cells


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


def _leave_out(
    scores: Array, positives: Array, negatives: Array, at: Array, fewer_p: Array, fewer_n: Array
) -> tuple[Array, Array, Array]:
    positives, negatives = positives.copy(), negatives.copy()
    positives[at] -= fewer_p
    negatives[at] -= fewer_n
    held = np.ones(scores.size, bool)
    held[at] = (positives[at] > 0) | (negatives[at] > 0)
    return scores[held], positives[held], negatives[held]


@kernel(twin=_leave_out, assumes="at rise and are places of scores; nothing is taken that is not there")
def leave_out(
    scores: Array, positives: Array, negatives: Array, at: Array, fewer_p: Array, fewer_n: Array
) -> tuple[Array, Array, Array]:
    """A table of scores with fewer cases at some places, and without the places where none is left."""
    gone: Any = 0
    for i in range(at.shape[0]):
        gone += np.int64(positives[at[i]] == fewer_p[i] and negatives[at[i]] == fewer_n[i])
    m = scores.shape[0] - gone
    left, p, n = np.empty(m, scores.dtype), np.empty(m, positives.dtype), np.empty(m, negatives.dtype)
    to = start = 0
    for i in range(at.shape[0] + 1):
        end = at[i] if i < at.shape[0] else scores.shape[0]
        size = end - start
        for j in range(size):  # slices that are assigned to would take three seconds to compile
            left[to + j] = scores[start + j]
            p[to + j] = positives[start + j]
            n[to + j] = negatives[start + j]
        to += size
        start = end + 1
        if i < at.shape[0] and (positives[end] != fewer_p[i] or negatives[end] != fewer_n[i]):
            left[to] = scores[end]
            p[to] = positives[end] - fewer_p[i]
            n[to] = negatives[end] - fewer_n[i]
            to += 1
    return left, p, n
