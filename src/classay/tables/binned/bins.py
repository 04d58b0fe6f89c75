"""Bins: how many cases of each class score where, at a chosen fineness; what is certain of their order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.errors import MergeError
from classay.tables.binned.counting import ABSENT, WITHIN, count
from classay.tables.binned.losses import Losses
from classay.tables.binned.scale import SIGNIFICAND, scores_at
from classay.tables.scores import ScoreTable

Array = NDArray[Any]
Order = Literal["middle", "lowest", "highest"]
"""How cases of one bin whose order is not known are laid out: as one score, negatives first, positives first."""

FINEST = SIGNIFICAND - WITHIN
"""Bits of the significand that bins can keep at most."""
NEGATIVE, POSITIVE = 0, 1


@dataclass(frozen=True, eq=False)
class Bins:
    """Cases of two classes in bins of a scale of `bits` bits, of scores of type `dtype`, as it is named in NumPy.

    `keys`, `(bins,)`, descend; the others are `[class, bin]`, negatives first: `cases` are numbers of cases or sums of
    weights, `squares` sums of squared weights or None, `within` sums of where in the bin cases lie, `least` and `most`
    the places of the least and the greatest score of a class, with which bins are often known exactly: one score, or
    one class above the other. `losses` are the exact sums of the losses of probabilities, None for weights and for
    scores that are none.

    Bins add up: those of all rows are those of the parts, bit for bit where cases are counted.
    """

    bits: int
    dtype: str
    keys: Array
    cases: Array
    squares: Array | None
    within: Array
    least: Array
    most: Array
    losses: Losses | None

    @classmethod
    def of_rows(
        cls,
        score: Array,
        positive: Array,
        bits: int,
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> Bins:
        """Count rows: `score` (float, no NaN), `positive` (boolean), `(rows,)` each; weights or frequencies of them.

        >>> bins = Bins.of_rows(np.array([0.3, 0.3001, 0.9]), np.array([True, False, True]), 8)
        >>> bins.cases, scores_at(bins.least[1])
        (array([[0, 1],
               [1, 1]]), array([0.9, 0.3]))
        """
        times = frequency if weight is None else np.asarray(weight, np.float64)
        return cls._counted(score, positive, np.ones(score.size, np.int8) if times is None else times, bits)

    @classmethod
    def of_table(cls, table: ScoreTable, bits: int) -> Bins:
        """Count the cells of an exact table: the bins of its rows."""
        score = np.concatenate([table.scores, table.scores])
        positive = np.repeat([True, False], table.scores.size)
        cases = np.concatenate([table.positives, table.negatives])
        there = cases > 0
        made = cls._counted(score[there], positive[there], cases[there], bits)
        if table.positive_squares is None or table.negative_squares is None:
            return made
        squares = np.concatenate([table.positive_squares, table.negative_squares])[there]
        return replace(made, squares=cls._counted(score[there], positive[there], squares, bits).cases)

    @classmethod
    def _counted(cls, score: Array, positive: Array, times: Array, bits: int) -> Bins:
        found = count(score, positive, times, bits)
        order = np.argsort(-found.keys)
        are_probabilities = not score.size or (score.min() >= 0 and score.max() <= 1)
        return cls(
            bits,
            score.dtype.name,
            found.keys[order],
            found.cases[:, order],
            None if found.squares is None else found.squares[:, order],
            found.within[:, order],
            found.least[:, order],
            found.most[:, order],
            Losses.of(score, positive, times) if are_probabilities and found.squares is None else None,
        )

    @property
    def known(self) -> tuple[Array, Array, Array]:
        """Of the bins of both classes: which hold one score; in which all positives are above the negatives; below."""
        both = (self.cases > 0).all(0)
        tied = both & (self.least[0] == self.most[1]) & (self.least[1] == self.most[0])
        above = both & (self.least[POSITIVE] > self.most[NEGATIVE])
        below = both & (self.least[NEGATIVE] > self.most[POSITIVE])
        return tied, above, below

    @property
    def open(self) -> Array:
        """Which bins hold both classes in an order that is not known."""
        tied, above, below = self.known
        return (self.cases > 0).all(0) & ~(tied | above | below)

    def laid_out(self, order: Order) -> tuple[Array, Array, Array]:
        """Bins as scores, descending: the bin of each, the classes it holds, `[class, score]`, and the score."""
        holds = self.cases > 0
        tied, _, below = self.known
        split = self.open & (order != "middle")
        first = np.where(below | (split & (order == "lowest")), NEGATIVE, POSITIVE)
        apart = holds.all(0) & (split | ~(self.open | tied))
        rows = np.repeat(np.arange(self.keys.size), 1 + apart)
        is_second = np.zeros(rows.size, bool)
        is_second[1:] = rows[1:] == rows[:-1]
        cls = np.where(is_second, 1 - first[rows], first[rows])
        kept = np.stack([holds[c][rows] & (~apart[rows] | (cls == c)) for c in (NEGATIVE, POSITIVE)])
        return rows, kept, scores_at(self._mean_places(rows, kept))

    def _mean_places(self, rows: Array, kept: Array) -> Array:
        """The mean place of the cases of the classes that are kept of a bin; exact where they have one score."""
        cases, within = (
            np.where(kept, each[:, rows], 0).astype(np.float64).sum(0) for each in (self.cases, self.within)
        )
        least = np.where(kept, self.least[:, rows], ABSENT).min(0)
        most = np.where(kept, self.most[:, rows], -ABSENT).max(0)
        shift = SIGNIFICAND - self.bits
        mean = (self.keys[rows] << shift) + (within / cases * 2.0 ** (shift - WITHIN)).astype(np.int64)
        return np.asarray(np.clip(mean, least, most))

    def __add__(self, other: Bins) -> Bins:
        if self.dtype != other.dtype:
            raise MergeError(
                f"the scores are {self.dtype} here and {other.dtype} there: convert one of them first."
            )
        if (self.squares is None) != (other.squares is None):
            raise MergeError(
                "one table holds sampling weights and the other counts cases: assess both alike."
            )
        bits = min(self.bits, other.bits)
        here, there = self.coarser(bits), other.coarser(bits)
        return here._joined(np.concatenate([here.keys, there.keys]), there)

    def put_together(self) -> Bins:
        """Bins whose keys come in any order, and several times, as bins."""
        return self._joined(self.keys)

    def _joined(self, keys: Array, other: Bins | None = None) -> Bins:
        """Bins of equal keys, of two sets or of one, put together."""

        def both(name: str) -> Array:
            mine = getattr(self, name)
            return mine if other is None else np.concatenate([mine, getattr(other, name)], axis=1)

        order = np.argsort(-keys, kind="stable")
        ordered = keys[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if keys.size else order

        def merged(name: str, how: Any) -> Array:
            values = both(name)[:, order]
            return how.reduceat(values, starts, axis=1) if keys.size else values

        losses = self.losses
        if other is not None:
            known = self.losses is not None and other.losses is not None
            losses = self.losses + other.losses if known else None  # type: ignore[operator]
        return Bins(
            self.bits,
            self.dtype,
            ordered[starts],
            merged("cases", np.add),
            None if self.squares is None else merged("squares", np.add),
            merged("within", np.add),
            merged("least", np.minimum),
            merged("most", np.maximum),
            losses,
        )

    def coarser(self, bits: int) -> Bins:
        """The same cases on a scale of fewer bits, as if they had been counted there."""
        if bits == self.bits:
            return self
        less = self.bits - bits
        low = self.keys & ((1 << less) - 1)
        within = (low << WITHIN) * self.cases + self.within  # in units of the finer scale
        moved = Bins(
            bits, self.dtype, self.keys, self.cases, self.squares, within, self.least, self.most, self.losses
        )._joined(self.keys >> less)
        return Bins(
            bits,
            self.dtype,
            moved.keys,
            moved.cases,
            moved.squares,
            moved.within >> less if moved.within.dtype.kind == "i" else moved.within / 2.0**less,
            moved.least,
            moved.most,
            moved.losses,
        )
