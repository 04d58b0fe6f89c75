"""The sums of losses of probabilities that bins would blur, kept exactly beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.tables.exact import ExactSum

Array = NDArray[Any]
BLOCK = 2**13
"""Rows of which losses are in memory at once: few enough to stay near the processor."""


@dataclass(frozen=True)
class Losses:
    """Sums over cases of the log-loss, the squared error of the probability, and the squares of both.

    Each case counts as often as it is there, without rounding, or with its sampling weight: the product is rounded
    once, and the sums are those of the products, in any order.
    """

    log_loss: ExactSum
    log_loss_squares: ExactSum
    brier: ExactSum
    brier_squares: ExactSum

    @classmethod
    def of(cls, score: Array, positive: Array, times: Array | None, rows: int | None = None) -> Losses:
        """Of probabilities and classes of rows, each so many times (whole numbers) or with a weight (floats).

        See `Bins.of_rows` for `rows`.

        >>> found = Losses.of(np.array([0.9, 0.2]), np.array([True, False]), None)
        >>> round(found.log_loss.value / 2, 4), round(found.brier.value / 2, 4)
        (0.1643, 0.025)
        """
        in_all = score.size if rows is None else rows
        apart = put_apart.for_rows(in_all)

        def of_block(at: slice) -> tuple[tuple[Array, ...], Array | None]:
            split = np.empty(score[at].size)
            positives = apart(score[at], positive[at], split)
            if times is None:
                return _losses(split, positives), None
            each = np.empty(split.size, times.dtype if times.dtype.kind == "f" else np.int64)
            apart(times[at], positive[at], each)
            losses = _losses(split, positives)
            return (losses, each) if each.dtype.kind == "i" else (tuple(each * loss for loss in losses), None)

        return cls(*ExactSum.of_blocks(map(of_block, _blocks(score.size)), in_all))

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            self.log_loss + other.log_loss,
            self.log_loss_squares + other.log_loss_squares,
            self.brier + other.brier,
            self.brier_squares + other.brier_squares,
        )


def _blocks(rows: int) -> list[slice]:
    """Blocks of rows, of which there is one where there are none."""
    return [slice(at, at + BLOCK) for at in range(0, max(rows, 1), BLOCK)]


def _put_apart(values: Array, positive: Array, into: Array) -> int:
    positives = np.count_nonzero(positive)
    into[:positives], into[positives:] = values[positive], values[~positive][::-1]
    return int(positives)


@kernel(twin=_put_apart, assumes="positive is as long as values, and into has room for as many")
def put_apart(values: Array, positive: Array, into: Array) -> int:
    """Put the values of positives first, and behind them those of negatives in reverse; how many are positive."""
    first, last = 0, values.shape[0] - 1
    for i in range(
        values.shape[0]
    ):  # no branch depends on the class: where the other one goes is written over
        into[first] = values[i]
        into[last] = values[i]
        is_positive: Any = np.int64(positive[i])
        first += is_positive
        last -= 1 - is_positive
    return first


def _losses(score: Array, positives: int) -> tuple[Array, Array, Array, Array]:
    """Of each row the log-loss, its square, the squared error and the square of that; positives come first."""
    surprise, error = np.empty_like(score), score.copy()
    with np.errstate(divide="ignore"):
        np.log(score[:positives], out=surprise[:positives])
        np.log1p(-score[positives:], out=surprise[positives:])
    np.subtract(1, score[:positives], out=error[:positives])
    squared = error * error
    return -surprise, surprise * surprise, squared, squared * squared
