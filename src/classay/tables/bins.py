"""Bins: how many cases of each class score where, at a chosen fineness, and what is certain of their order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import from_16_bits
from classay.errors import InputError, MergeError
from classay.tables.binning import ABSENT, ONE, SIGNIFICAND, WITHIN, ZERO, BinScale, Losses, count, scores_at
from classay.tables.scores import ScoreTable
from classay.tables.sums import MOST_TIMES

Array = NDArray[Any]
Order = Literal["middle", "lowest", "highest"]
"""How cases of one bin whose order is not known are laid out: as one score, negatives first, positives first."""

FINEST = SIGNIFICAND - WITHIN
"""Bits of the significand that bins can keep at most."""
BITS = 10
"""Bits that bins keep if nobody says: certain of the AUC to 1e-4, and far better than that where scores crowd."""
NEGATIVE, POSITIVE = 0, 1


@dataclass(frozen=True, eq=False)
class Bins:
    """Cases of two classes in bins of a scale of `bits` bits, of scores of type `dtype`, as it is named in NumPy.

    `finer`, `(bins,)`, are the bits that bins keep beyond `bits`, None where none does. `keys`, `(bins,)`, are the
    places of the bins' scores without the bits that are not kept, in descending order. The others are `[class, bin]`,
    negatives first: `cases` are numbers of cases or sums of weights, `squares` sums of squared weights or None,
    `within` sums of where in the bin cases lie, `least` and `most` the places of the least and the greatest score of a
    class, with which bins are often known exactly: one score, or one class above the other. `losses` are the exact sums
    of the losses of probabilities, None for scores that are none (and, in files saved before, for weights).

    Bins add up: those of all rows are those of the parts, bit for bit where cases are counted. Of bins that lie in one
    another, the widest takes the cases. More than 2^36 cases raise InputError.
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
    finer: Array | None = None

    @classmethod
    def of_rows(
        cls,
        score: Array,
        positive: Array,
        bits: int | BinScale,
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
        rows: int | None = None,
    ) -> Bins:
        """Count rows: `score` (float, no NaN), `positive` (boolean), `(rows,)` each; weights or frequencies of them.

        `rows` is how many scores are counted together, into the bins of several classes: loops are compiled for many.

        >>> bins = Bins.of_rows(np.array([0.3, 0.3001, 0.9]), np.array([True, False, True]), 8)
        >>> bins.cases, scores_at(bins.least[1])
        (array([[0, 1],
               [1, 1]]), array([0.9, 0.3]))
        """
        times = frequency if weight is None else np.asarray(weight, np.float64)
        return cls._counted(score, positive, times, bits, rows)

    @classmethod
    def of_table(cls, table: ScoreTable, bits: int | BinScale) -> Bins:
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
    def _counted(
        cls, score: Array, positive: Array, times: Array | None, bits: int | BinScale, rows: int | None = None
    ) -> Bins:
        scale = BinScale.of(bits)
        if times is not None and not times.all():  # what counts nothing is in no bin
            score, positive, times = (values[times > 0] for values in (score, positive, times))
        each = np.ones(score.size, np.int8) if times is None else times
        _refuse_too_many(each)
        dtype, score = score.dtype, from_16_bits(score)
        found = count(score, positive, each, scale, rows)
        are_probabilities = not score.size or (score.min() >= 0 and score.max() <= 1)
        least = int(found.bits.min(initial=FINEST)) if score.size else scale.bits
        made = cls(
            least,
            dtype.name,
            found.keys,
            found.cases,
            found.squares,
            found.within,
            found.least,
            found.most,
            Losses.of(score, positive, times, rows) if are_probabilities else None,
            _beyond(least, found.bits),
        )
        return made._taken(made._order)

    @property
    def shifts(self) -> Array:
        """The bits of a place that each bin does not keep."""
        return SIGNIFICAND - self.bits - (np.zeros_like(self.keys) if self.finer is None else self.finer)

    @property
    def starts(self) -> Array:
        """The least place of each bin, whether a score is there or not."""
        return self.keys << self.shifts

    @property
    def _order(self) -> Array:
        """The bins by descending score, those that hold others first."""
        if self.finer is None:
            return np.argsort(-self.keys, kind="stable")
        shifts = self.shifts
        return np.lexsort((-shifts, ~last_places(self.starts, shifts)))

    def _taken(self, order: Array) -> Bins:
        """The bins in another order."""
        return replace(
            self,
            keys=self.keys[order],
            finer=None if self.finer is None else self.finer[order],
            squares=None if self.squares is None else self.squares.take(order, 1),
            **{name: getattr(self, name).take(order, 1) for name in ("cases", "within", "least", "most")},
        )

    @property
    def known(self) -> tuple[Array, Array, Array]:
        """Of the bins of both classes: which hold one score; in which all positives are above the negatives; below."""
        both = self._both
        tied = both & (self.least[0] == self.most[1]) & (self.least[1] == self.most[0])
        tied &= self.least[0] != ZERO - 1  # the place of all negative scores nearest to 0
        above = both & (self.least[POSITIVE] > self.most[NEGATIVE])
        below = both & (self.least[NEGATIVE] > self.most[POSITIVE])
        return tied, above, below

    @property
    def open(self) -> Array:
        """Which bins hold both classes in an order that is not known."""
        tied, above, below = self.known
        return self._both & ~(tied | above | below)

    @property
    def _both(self) -> Array:
        """Which bins hold both classes."""
        return np.asarray((self.cases[NEGATIVE] > 0) & (self.cases[POSITIVE] > 0))

    def laid_out(self, order: Order) -> tuple[Array, Array, Array]:
        """Bins as scores, descending: the bin of each, the classes it holds, `[class, score]`, and the score."""
        holds = self.cases > 0
        tied, above, below = self.known
        split = np.zeros_like(tied) if order == "middle" else self._both & ~(tied | above | below)
        first = np.where(below | (split & (order == "lowest")), NEGATIVE, POSITIVE)
        apart = split | ((above | below) & ~tied)
        rows = np.repeat(np.arange(self.keys.size), 1 + apart)
        is_second = np.zeros(rows.size, bool)
        is_second[1:] = rows[1:] == rows[:-1]
        cls = np.where(is_second, 1 - first[rows], first[rows])
        kept = np.stack([holds[c][rows] & (~apart[rows] | (cls == c)) for c in (NEGATIVE, POSITIVE)])
        return rows, kept, scores_at(self._mean_places(rows, kept))

    def least_scores(self, rows: Array, kept: Array) -> Array:
        """The least score of the cases of the classes that are kept of a bin, as `laid_out` gives both."""
        return scores_at(np.where(kept, self.least.take(rows, 1), ABSENT).min(0))

    def _mean_places(self, rows: Array, kept: Array) -> Array:
        """The mean place of the cases of the classes that are kept of a bin; exact where they have one score."""

        def of_both(values: Array, how: Any, absent: float = 0) -> Array:
            both = np.where(kept, values.take(rows, 1), values.dtype.type(absent))
            return np.asarray(how(*both))

        cases = of_both(self.cases.astype(np.float64), np.add)
        within = of_both(self.within.astype(np.float64), np.add)
        least, most = of_both(self.least, np.minimum, ABSENT), of_both(self.most, np.maximum, -ABSENT)
        starts, shifts = self.starts[rows], self.shifts[rows]
        mean = starts + (within / cases * 2.0 ** (shifts - WITHIN)).astype(np.int64)
        # no case is certain and wrong, infinitely so, because others of its bin are certain and right
        low = np.where(
            (least == ZERO) & (self.least[POSITIVE, rows] > ZERO) & kept[POSITIVE], ZERO + 1, least
        )
        high = np.where((most == ONE) & (self.most[NEGATIVE, rows] < ONE) & kept[NEGATIVE], ONE - 1, most)
        return np.asarray(np.clip(mean, low, high))

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
        is_mixed = self.bits != other.bits or self.finer is not None or other.finer is not None
        finer = [SIGNIFICAND - bits - each.shifts for each in (self, other)] if is_mixed else None
        weighted = self.squares is not None and other.squares is not None
        _refuse_too_many(self.cases, other.cases)
        known = self.losses is not None and other.losses is not None

        def both(name: str) -> Array:
            return np.concatenate([getattr(self, name), getattr(other, name)], axis=-1)

        return replace(
            self,
            bits=bits,
            losses=self.losses + other.losses if known else None,  # type: ignore[operator]
            finer=None if finer is None else np.concatenate(finer),
            squares=both("squares") if weighted else None,
            keys=both("keys"),
            cases=both("cases"),
            within=both("within"),
            least=both("least"),
            most=both("most"),
        ).put_together()

    def put_together(self) -> Bins:
        """Join bins of several parts: where some overlap, the widest of them holds the sums of all."""
        if not self.keys.size:
            return self
        ordered = self._taken(self._order)
        if self.finer is None:
            is_first = np.concatenate([[True], ordered.keys[1:] != ordered.keys[:-1]])
            return ordered._summed(np.flatnonzero(is_first))
        starts, shifts = ordered.starts, ordered.shifts
        above = np.minimum.accumulate(starts)
        is_first = np.concatenate([[True], last_places(starts, shifts)[1:] < above[:-1]])
        return ordered._in(shifts[is_first][np.cumsum(is_first) - 1])._summed(np.flatnonzero(is_first))

    def _in(self, shifts: Array) -> Bins:
        """The cases of each bin in the wider one at its place that leaves out so many bits."""
        starts, up = self.starts, shifts - self.shifts
        keys = starts >> shifts
        offset = (starts - (keys << shifts)) >> (shifts - WITHIN)
        within = self.within >> up if self.within.dtype.kind == "i" else self.within / 2.0**up
        bits = SIGNIFICAND - shifts
        least = int(bits.min())
        return replace(
            self, bits=least, keys=keys, finer=_beyond(least, bits), within=offset * self.cases + within
        )

    def _summed(self, firsts: Array) -> Bins:
        """Bins of which those up to the next of `firsts` are one."""

        def of_each(values: Array, how: Any) -> Array:
            return np.asarray(how.reduceat(values, firsts, axis=1))

        return replace(
            self,
            keys=self.keys[firsts],
            finer=None if self.finer is None else self.finer[firsts],
            cases=of_each(self.cases, np.add),
            squares=None if self.squares is None else of_each(self.squares, np.add),
            within=of_each(self.within, np.add),
            least=of_each(self.least, np.minimum),
            most=of_each(self.most, np.maximum),
        )

    def coarser(self, bits: int) -> Bins:
        """The same cases on a scale of fewer bits, as if they had been counted there."""
        shifts = self.shifts
        if not self.keys.size or (shifts >= SIGNIFICAND - bits).all():
            return self
        return self._in(np.maximum(shifts, SIGNIFICAND - bits)).put_together()


def _refuse_too_many(*cases: Array) -> None:
    """Refuse numbers of cases that the sums beside bins do not hold; sampling weights add up as floats."""
    held = sum(int(each.sum()) for each in cases if each.dtype.kind != "f")
    if held > MOST_TIMES:
        raise InputError(
            f"{held:,} cases are more than the {MOST_TIMES:,} that bins count: keep the scores exactly (leave "
            "bits= out, and pass more memory=, --memory)."
        )


def last_places(starts: Array, shifts: Array) -> Array:
    """The greatest place of each bin."""
    return np.asarray(starts + ((np.int64(1) << shifts) - 1))


def _beyond(bits: int, kept: Array) -> Array | None:
    """The bits that bins keep beyond so many; None where none does."""
    return None if (kept == bits).all() else kept - bits


PARTS = 2**17
"""Into how many parts all bins that are split are split together: about as many bins more, if all are occupied."""


def finer(bins: Bins, parts: int = PARTS) -> BinScale:
    """A scale on which the same cases leave less of their order open.

    A bin with p positives and n negatives in an open order adds p n to the width of the AUC's bounds, and 1/m of that
    when it is split into m parts on which scores lie evenly: the sum is least when m grows with the root of p n.

    >>> rng = np.random.default_rng(0)
    >>> score, positive = rng.random(10_000), rng.random(10_000) < 0.3
    >>> once = Bins.of_rows(score, positive, 4)
    >>> twice = Bins.of_rows(score, positive, finer(once))
    >>> width = lambda bins: int((bins.cases.prod(0) * bins.open).sum())
    >>> width(twice) < width(once) / 1000
    True
    """
    share = np.sqrt(bins.cases.astype(np.float64).prod(0)) * bins.open
    base = bins.starts >> (SIGNIFICAND - bins.bits)
    kept = (np.zeros_like(base) if bins.finer is None else bins.finer) + _splits(share, parts)
    order = np.argsort(base, kind="stable")
    split, first = np.unique(base[order], return_index=True)
    more = np.minimum(np.maximum.reduceat(kept[order], first), FINEST - bins.bits) if split.size else split
    return BinScale(bins.bits, split[more > 0], more[more > 0])


def _splits(share: np.ndarray, parts: int) -> np.ndarray:
    """The logarithm of the parts of each bin, by its share of all."""
    total = share.sum()
    wanted = np.maximum(share * (parts / total), 1) if total > 0 else np.ones_like(share)
    return np.asarray(np.floor(np.log2(wanted)).astype(np.int64))
