"""CaseTable: what class scores say only case by case: the rank of the true class, and the loss of each row."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels
from classay.columns.scales import TOLERANCE, improper_rows
from classay.compiled import COMPILE_FROM, kernel, thread_count, workers
from classay.errors import MergeError
from classay.kinds import TypedFields
from classay.tables.bins import BITS, BinnedScoreTable
from classay.tables.checks import checked_class_rows, checked_labels
from classay.tables.scores import ScoreTable
from classay.tables.sums import ExactSum, Mergeable

Array = NDArray[Any]
TOP_LABELS = ("wrong", "right")


@dataclass(frozen=True, eq=False)
class CaseValues:
    """What each case shows: the rank of its true class, from 0, and its losses, `(rows,)` each.

    `tied` says whether its largest score is shared, `improper` whether its scores are no probability distribution; when
    any are, the losses mean nothing, and are 0. `top` is its largest score, `best` the code of the first class that has
    it. `at_ends` says whether a score of it is exactly 0 or 1.
    """

    rank: Array
    log_loss: Array
    brier: Array
    tied: Array
    improper: Array
    top: Array
    best: Array
    at_ends: Array

    @classmethod
    def of(cls, scores: Array, true: Array) -> CaseValues:
        """Read rows: `scores` of shape `(rows, classes)` and the codes of the true classes, `(rows,)`."""
        n = scores.shape[0]
        rank, best = np.empty((2, n), np.int64)
        brier, tied, improper, at_ends = np.empty(n), *(np.empty(n, bool) for _ in range(3))
        read = read_cases.for_rows(scores.size)
        with workers(thread_count(scores.size) if n else 1) as run:
            edges = np.linspace(0, n, 9 if scores.size >= COMPILE_FROM else 2).astype(np.int64)
            parts = [slice(*edge) for edge in pairwise(edges.tolist())]

            def read_part(at: slice) -> None:
                read(scores[at], true[at], rank[at], brier[at], tied[at], improper[at], best[at])
                at_ends[at] = (scores[at] == 0).any(1) | (scores[at] == 1).any(1)

            run(
                read_part,
                parts,
            )
        log_loss = np.zeros(n)
        at = np.flatnonzero(improper)
        if at.size:  # the precision in which a row is written decides what its sum may be
            improper[at] = improper_rows(scores[at])
        if improper.any():  # the sums would mean nothing
            brier = log_loss
        else:
            p = np.take_along_axis(scores, true[:, None].astype(np.intp), axis=1)[:, 0].astype(np.float64)
            with np.errstate(divide="ignore"):
                log_loss = -np.log(np.clip(p, 0, None))
        top = np.take_along_axis(scores, best[:, None], axis=1)[:, 0]
        return cls(rank, log_loss, brier, tied, improper, top, best, at_ends)

    def without_losses(self) -> CaseValues:
        """Return the same of raw scores, none of which is a probability, even of cases whose scores look like some."""
        none = np.zeros(self.rank.size)
        return replace(self, improper=np.ones(self.rank.size, bool), log_loss=none, brier=none)


def _read_cases(
    scores: Array, true: Array, rank: Array, brier: Array, tied: Array, improper: Array, best: Array
) -> None:
    code = true[:, None].astype(np.intp)
    true_scores = np.take_along_axis(scores, code, axis=1)
    earlier = np.arange(scores.shape[1])[None, :] < code
    rank[:] = ((scores > true_scores) | ((scores == true_scores) & earlier)).sum(1)
    best[:] = scores.argmax(1)
    tied[:] = (scores == scores.max(1, keepdims=True)).sum(1) > 1
    improper[:] = improper_rows(scores)
    away = scores.astype(np.float64)
    np.put_along_axis(away, code, 1 - true_scores.astype(np.float64), axis=1)
    with np.errstate(over="ignore"):  # of improper rows, whose losses are not used
        brier[:] = (away**2).sum(1)


@kernel(
    twin=_read_cases,
    assumes="every class is in 0 to before the columns of scores; no score is NaN",
    nanoseconds=35,
)
def read_cases(
    scores: Array, true: Array, rank: Array, brier: Array, tied: Array, improper: Array, best: Array
) -> None:
    """For each row the rank of its true class, its Brier score, the column of its largest score, and its faults."""
    for i in range(scores.shape[0]):
        code = np.int64(true[i])
        true_score, most = scores[i, code], scores[i, 0]
        above: Any = 0
        first, ties = 0, 0
        total = squares = 0.0
        outside: Any = False
        for j in range(scores.shape[1]):
            score = scores[i, j]
            above += np.int64(score > true_score or (score == true_score and j < code))
            if score > most:
                most, first, ties = score, j, 1
            elif score == most:
                ties += 1
            p = np.float64(score)
            outside |= p < 0 or p > 1
            total += p
            squares += 0.0 if j == code else p * p
        rank[i], best[i], tied[i] = above, first, ties > 1
        p = np.float64(true_score)
        brier[i] = squares + (1 - p) * (1 - p)
        improper[i] = outside or abs(total - 1) > TOLERANCE


@dataclass(frozen=True)
class LossTail:
    """The tail of the losses of cases: the greatest one (0 without cases), and the sums of third and fourth powers."""

    most: float
    cubes: ExactSum
    fourths: ExactSum

    @classmethod
    def of(cls, losses: Array, weight: Array, times: Array) -> LossTail:
        """From the losses and the weights of rows; each row stands for `times` cases.

        >>> tail = LossTail.of(np.array([0.5, 2.0]), np.array([2, 1]), np.array([2, 1]))
        >>> tail.most, tail.cubes.value, tail.fourths.value
        (2.0, 8.25, 16.125)
        """
        is_counted = times > 0
        losses, weight, times = losses[is_counted], weight[is_counted], times[is_counted]
        cubes, fourths = (ExactSum.of(weight * losses**power, times) for power in (3, 4))
        return cls(float(losses.max(initial=0.0)), cubes, fourths)

    def __add__(self, other: LossTail) -> LossTail:
        return LossTail(max(self.most, other.most), self.cubes + other.cubes, self.fourths + other.fourths)


@dataclass(frozen=True, eq=False)
class CaseSums:
    """Weighted sums over cases: true classes, ranks of the true class, losses.

    `true` is the weight of each true class; `ranks[r]` the weight of cases whose true class has the (r+1)-th largest
    score, equal scores in the order of the labels; losses are summed for each true class, their squares over all cases.
    Files of early versions lack the tails of the losses.
    """

    true: Array
    ranks: Array
    log_loss_by_class: tuple[ExactSum, ...]
    log_loss_squares: ExactSum
    brier_by_class: tuple[ExactSum, ...]
    brier_squares: ExactSum
    log_loss_tail: LossTail | None = None
    brier_tail: LossTail | None = None

    @classmethod
    def of(cls, values: CaseValues, true: Array, classes: int, weight: Array, times: Array) -> CaseSums:
        """Add up rows of these weights; each row stands for `times` cases."""
        ends = np.cumsum(np.bincount(true, minlength=classes))
        class_rows = np.split(np.argsort(true, kind="stable"), ends[:-1])

        def by_class(loss: Array) -> tuple[ExactSum, ...]:
            return tuple(ExactSum.of(weight[at] * loss[at], times[at], true.size) for at in class_rows)

        return cls(
            _sum_by(true, weight, classes),
            _sum_by(values.rank, weight, classes),
            by_class(values.log_loss),
            ExactSum.of(weight * values.log_loss**2, times),
            by_class(values.brier),
            ExactSum.of(weight * values.brier**2, times),
        )

    def __add__(self, other: CaseSums) -> CaseSums:
        return CaseSums(
            self.true + other.true,
            self.ranks + other.ranks,
            tuple(map(add, self.log_loss_by_class, other.log_loss_by_class)),
            self.log_loss_squares + other.log_loss_squares,
            tuple(map(add, self.brier_by_class, other.brier_by_class)),
            self.brier_squares + other.brier_squares,
            _both(self.log_loss_tail, other.log_loss_tail),
            _both(self.brier_tail, other.brier_tail),
        )

    def with_tails(self, values: CaseValues, weight: Array, times: Array) -> CaseSums:
        """Return the same with the tails of the losses of rows of these weights; each row stands for `times` cases."""
        log_loss, brier = (LossTail.of(loss, weight, times) for loss in (values.log_loss, values.brier))
        return replace(self, log_loss_tail=log_loss, brier_tail=brier)


@dataclass(frozen=True, eq=False)
class CaseTable(TypedFields, Mergeable):
    """Sums over cases with one score per class, kept exactly, because they need a row's scores together.

    `sums` use the weights of the cases; `squares`, kept with sampling weights, use the squared weights. `top` is the
    table of each row's highest score (its confidence), with the labels "right" and "wrong" for whether its class is the
    true one: every measure and curve of two classes then is one of the top label. `tied` counts cases whose largest
    score is shared, `improper` cases that are no probability distribution (a score outside [0, 1], or a sum off 1 by
    more than 1e-6). `at_ends` counts cases with a score of exactly 0 or 1; None in files of early versions.
    """

    labels: tuple[Hashable, ...]
    cases: int
    sums: CaseSums
    top: ScoreTable
    tied: int
    improper: int
    squares: CaseSums | None = None
    at_ends: int | None = None

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
        """Sum up rows: `scores` of shape `(rows, classes)` and the codes of the true classes, `(rows,)`.

        Raises InputError for a code beyond the labels, columns of unequal length, NaN, and weights that do not add up.
        """
        labels = checked_labels(labels)
        scores, weight, frequency = checked_class_rows(len(labels), scores, true, weight, frequency)
        return cls.of_values(CaseValues.of(scores, true), true, labels, weight=weight, frequency=frequency)

    @classmethod
    def of_values(
        cls,
        values: CaseValues,
        true: Array,
        labels: tuple[Hashable, ...],
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> CaseTable:
        """Sum up what rows show, of checked codes of the true classes, `(rows,)`."""
        k = len(labels)
        times = np.ones(true.size, np.int64) if frequency is None else frequency
        row_weight = times if weight is None else weight
        sums = CaseSums.of(values, true, k, row_weight, times)
        return cls(
            labels,
            int(times.sum()),
            sums.with_tails(values, row_weight, times),
            ScoreTable.from_rows(
                values.top, values.best == true, TOP_LABELS, weight=weight, frequency=frequency
            ),
            tied=int(times[values.tied].sum()),
            improper=int(times[values.improper].sum()),
            squares=None if weight is None else CaseSums.of(values, true, k, weight * weight, times),
            at_ends=int(times[values.at_ends].sum()),
        )

    @property
    def true(self) -> Array:
        """Weight of the cases of each class, `(classes,)`."""
        return self.sums.true

    @property
    def ranks(self) -> Array:
        """Weight of the cases by the rank of their true class, `(classes,)`."""
        return self.sums.ranks

    @property
    def log_loss(self) -> ExactSum:
        """Sum of the log-losses."""
        return reduce(add, self.sums.log_loss_by_class)

    @property
    def brier(self) -> ExactSum:
        """Sum of the Brier scores."""
        return reduce(add, self.sums.brier_by_class)

    @property
    def class_totals(self) -> Array:
        """Weight of the cases of each class, `(classes,)`."""
        return self.sums.true

    @property
    def are_probabilities(self) -> bool:
        """Whether every row is a probability distribution over the classes."""
        return self.improper == 0

    def binned(self) -> CaseTable:
        """Return the same table with the highest scores in bins, as fine as for the scores of two classes."""
        if isinstance(self.top, BinnedScoreTable):
            return self
        return replace(self, top=BinnedScoreTable.of_table(self.top, BITS))

    def over(self, labels: tuple[Hashable, ...]) -> CaseTable:
        """Return the table itself; another set of labels is an error, because class scores have one fixed set."""
        if labels != self.labels:
            raise MergeError(
                f"Class scores are for labels {self.labels}, not {labels}. Declare labels= for all."
            )
        return self

    def __add__(self, other: CaseTable) -> CaseTable:
        other, labels = other.over(self.labels), Labels.of(self.labels) | Labels.of(other.labels)
        if (self.squares is None) != (other.squares is None):
            raise MergeError("Only one part has sampling weights. Assess both in the same way.")
        return CaseTable(
            labels,
            self.cases + other.cases,
            self.sums + other.sums,
            self.top + other.top,
            self.tied + other.tied,
            self.improper + other.improper,
            None if self.squares is None or other.squares is None else self.squares + other.squares,
            None if self.at_ends is None or other.at_ends is None else self.at_ends + other.at_ends,
        )


def _both(first: LossTail | None, second: LossTail | None) -> LossTail | None:
    return None if first is None or second is None else first + second


def _sum_by(code: Array, weight: Array, k: int) -> Array:
    sums = np.zeros(k, weight.dtype)
    np.add.at(sums, code, weight)
    return sums
