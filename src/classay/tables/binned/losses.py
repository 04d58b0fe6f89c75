"""The sums of losses of probabilities that bins would blur, kept exactly beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.tables.exact import ExactSum

Array = NDArray[Any]


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
        s = score.astype(np.float64)
        with np.errstate(divide="ignore"):
            surprise = np.empty_like(s)
            surprise[positive] = -np.log(s[positive])
            surprise[~positive] = -np.log1p(-s[~positive])
        squared = np.where(positive, 1 - s, s) ** 2
        losses = surprise, surprise**2, squared, squared**2
        return cls(*(ExactSum.of_times(each, times, rows) for each in losses))

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            self.log_loss + other.log_loss,
            self.log_loss_squares + other.log_loss_squares,
            self.brier + other.brier,
            self.brier_squares + other.brier_squares,
        )
