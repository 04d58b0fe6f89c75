"""The cut of least cost: costs are linear in the counts, so that one pass over them finds it, without other arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.decision.cuts import Sums, dot, none_called
from classay.tables.running import ROUNDING
from classay.threads import thread_count, workers

Array = NDArray[Any]
BLOCK = 1 << 14
"""Scores whose costs are added up together: they stay in the fastest cache."""


def least_cost_cut(sums: Sums, cost: Array) -> int:
    """The first of the cuts of least cost but for rounding, 0 where calling nobody is; `cost` is as in `Cuts.of`.

    >>> sums = Sums(np.array([[2.0, 1.0, 0.0]]), np.array([[0.0, 3.0, 5.0]]))
    >>> least_cost_cut(sums, np.array([[[0.0], [5.0]], [[1.0], [0.0]]])), least_cost_cut(
    ...     sums, np.array([[[0.0], [2.0]], [[1.0], [0.0]]])
    ... )
    (2, 1)
    """
    (up, by_positive), (down, by_negative) = (
        _change(sums.positive, cost[1, 1] - cost[0, 1]),
        _change(sums.negative, cost[1, 0] - cost[0, 0]),
    )
    blocks = -(-up.size // BLOCK)
    totals, lowest = np.zeros(blocks), np.zeros(blocks)
    parts = np.linspace(0, blocks, thread_count(up.size) + 1).astype(np.int64)
    add = block_costs.for_rows(up.size)
    with workers(parts.size - 1) as run:
        run(
            lambda first, last: add(up, down, by_positive, by_negative, first, last, totals, lowest),
            parts[:-1],
            parts[1:],
        )
    before = np.cumsum(totals) - totals
    least = min(float((before + lowest).min(initial=0.0)), 0.0)
    bound = least + ROUNDING * abs(float(none_called(sums, cost)[0]) + least)
    if bound >= 0:
        return 0
    at = int(np.argmax(before + lowest <= bound))
    own = slice(at * BLOCK, (at + 1) * BLOCK)
    inside = before[at] + np.cumsum(by_positive * up[own] + by_negative * down[own])
    return at * BLOCK + int(np.argmax(inside <= max(bound, inside.min()))) + 1


def _change(sums: Array, factors: Array) -> tuple[Array, float]:
    """What calling the cases of a class at each score changes, as an array times a factor."""
    if factors.size == 1:
        return sums[0], float(factors[0])
    return np.ascontiguousarray(dot(factors, sums)), 1.0


def _block_costs(
    up: Array, down: Array, a: float, b: float, first: int, last: int, totals: Array, lowest: Array
) -> None:
    for block in range(first, last):
        own = slice(block * BLOCK, (block + 1) * BLOCK)
        running = np.cumsum(a * up[own] + b * down[own])
        totals[block], lowest[block] = running[-1], running.min()


@kernel(twin=_block_costs, assumes="totals and lowest have a place for every block of up and down")
def block_costs(
    up: Array, down: Array, a: float, b: float, first: int, last: int, totals: Array, lowest: Array
) -> None:
    """The sum of a · up + b · down over each block of scores, and the least of its running sums."""
    for block in range(first, last):
        running, low = 0.0, np.inf
        for i in range(block * BLOCK, min((block + 1) * BLOCK, up.shape[0])):
            running += a * up[i] + b * down[i]
            low = min(low, running)
        totals[block], lowest[block] = running, low
