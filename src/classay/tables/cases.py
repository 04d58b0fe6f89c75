"""CaseTable: what class scores say only case by case: the rank of the true class, and the loss of each row."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import MergeError
from classay.numeric import improper_rows
from classay.tables.exact import ExactSum
from classay.tables.scores import ScoreTable

Array = NDArray[Any]
TOP_LABELS = ("wrong", "right")


@dataclass(frozen=True, eq=False)
class CaseTable:
    """Sums over cases with one score per class, kept exactly, because they need a row's scores together.

    `true` is the weight of each true class; `ranks[r]` the weight of cases whose true class has the (r+1)-th largest
    score, equal scores in the order of the labels; the sums are of each row's loss and its square. `top` is the table
    of each row's highest score (its confidence), with whether its class, "right" or "wrong", is the true one: every
    measure and curve of two classes then is one of the top label. `tied` counts
    cases whose largest score is shared, `improper` cases that are no probability distribution (a score outside
    [0, 1], or a sum off 1 by more than 1e-6).
    """

    labels: tuple[Hashable, ...]
    cases: int
    true: Array
    ranks: Array
    log_loss: ExactSum
    log_loss_squares: ExactSum
    brier: ExactSum
    brier_squares: ExactSum
    top: ScoreTable
    tied: int
    improper: int
    weighted: bool = False

    @classmethod
    def from_rows(
        cls,
        scores: Array,
        true: Array,
        labels: tuple[Hashable, ...],
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> CaseTable:
        """Sum up rows: `scores` of shape `(rows, classes)` and the codes of the true classes, `(rows,)`."""
        n, k = scores.shape
        own = np.take_along_axis(scores, true[:, None].astype(np.intp), axis=1)
        times = np.ones(n, np.int64) if frequency is None else frequency
        earlier = np.arange(k)[None, :] < true[:, None]
        rank = ((scores > own) | ((scores == own) & earlier)).sum(1)
        given = frequency if weight is None else weight
        each = np.ones(n, np.int64) if given is None else given
        whole = scores.astype(np.float64)
        improper = improper_rows(scores)
        p = np.clip(own[:, 0].astype(np.float64), 0, None)
        with np.errstate(divide="ignore", over="ignore"):
            log_loss = -np.log(p)
            brier = (whole**2).sum(1) - p**2 + (1 - p) ** 2
        if improper.any():  # the sums would mean nothing, and might overflow
            log_loss = brier = np.zeros(n)
        return cls(
            labels,
            int(n if frequency is None else frequency.sum()),
            _sum_by(true, each, k),
            _sum_by(rank, each, k),
            ExactSum.of(each * log_loss, times),
            ExactSum.of(each * log_loss**2, times),
            ExactSum.of(each * brier, times),
            ExactSum.of(each * brier**2, times),
            ScoreTable.from_rows(
                scores.max(1),
                scores.argmax(1) == true,
                TOP_LABELS,
                weight=weight,
                frequency=frequency,
            ),
            tied=int(times[(scores == scores.max(1, keepdims=True)).sum(1) > 1].sum()),
            improper=int(times[improper].sum()),
            weighted=weight is not None,
        )

    @property
    def class_totals(self) -> Array:
        """Weight of the cases of each class, `(classes,)`."""
        return self.true

    @property
    def are_probabilities(self) -> bool:
        """Whether every row is a probability distribution over the classes."""
        return self.improper == 0

    def over(self, labels: tuple[Hashable, ...]) -> CaseTable:
        """Itself: class scores exist for one fixed set of labels, so another set is an error."""
        if labels != self.labels:
            raise MergeError(
                f"class scores are for the labels {self.labels}, not {labels}: declare labels= for all."
            )
        return self

    def __add__(self, other: CaseTable) -> CaseTable:
        other = other.over(self.labels)
        if self.weighted != other.weighted:
            raise MergeError(
                "one table holds sampling weights and the other counts cases: assess both alike."
            )
        return CaseTable(
            self.labels,
            self.cases + other.cases,
            self.true + other.true,
            self.ranks + other.ranks,
            self.log_loss + other.log_loss,
            self.log_loss_squares + other.log_loss_squares,
            self.brier + other.brier,
            self.brier_squares + other.brier_squares,
            self.top + other.top,
            self.tied + other.tied,
            self.improper + other.improper,
            self.weighted,
        )


def _sum_by(code: Array, each: Array, k: int) -> Array:
    sums = np.zeros(k, each.dtype)
    np.add.at(sums, code, each)
    return sums
