"""The sums of losses of probabilities that bins would blur, kept exactly beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.tables.exact import ExactSum

Array = NDArray[Any]
BLOCK = 2**14
"""Rows of which losses are in memory at once: few enough to stay near the processor."""


@dataclass(frozen=True)
class Losses:
    """Sums over cases of the log-loss, the squared error of the probability, and the squares of both."""

    log_loss: ExactSum
    log_loss_squares: ExactSum
    brier: ExactSum
    brier_squares: ExactSum

    @classmethod
    def of(cls, score: Array, positive: Array, times: Array | None, rows: int | None = None) -> Losses:
        """Of probabilities and classes of rows, each so many times; see `Bins.of_rows` for `rows`.

        >>> found = Losses.of(np.array([0.9, 0.2]), np.array([True, False]), None)
        >>> round(found.log_loss.value / 2, 4), round(found.brier.value / 2, 4)
        (0.1643, 0.025)
        """
        each = np.ones(score.size, np.int8) if times is None else times
        blocks = ((_losses(score[at], positive[at]), each[at]) for at in _blocks(score.size))
        return cls(*ExactSum.of_blocks(blocks, score.size if rows is None else rows))

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


def _losses(score: Array, positive: Array) -> tuple[Array, Array, Array, Array]:
    """Of each row the log-loss, its square, the squared error and the square of that."""
    s = score.astype(np.float64)
    with np.errstate(divide="ignore"):
        surprise = np.where(positive, -np.log(s), -np.log1p(-s))
    error = np.where(positive, 1 - s, s)
    squared = error * error
    return surprise, surprise * surprise, squared, squared * squared
