"""Counting rows into bins: the scale of bins, one pass over the rows, and the sums of losses that bins would blur.

The scale of bins: the bits of a score, in an order that is as fine near 1 as near 0.

Floating-point numbers lie densely near 0 and, next to that, sparsely near 1, where many classifiers put their best
scores. For a score s of at least a half, 1 - s is exact in floating point, so from a half on the order counts down the
numbers between 1 - s and 0. Bins are runs of `2^(52 - bits)` places in that order: `bits` of the significand tell them
apart, so that scores of one bin differ by at most 2^-bits of their distance from the nearer of 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.tables.sums import ExactSum

Array = NDArray[Any]

SIGNIFICAND = 52
"""Bits of the significand of a float64; a power of two has so many places to the next."""
OF_HALF, OF_ONE, OF_INFINITE = 1022 << 52, 1023 << 52, 2047 << 52
"""The bits of 0.5, 1 and infinity."""
OF_LAST = 969 << 52
"""What stands for the bits of 1 - s where that is 0: 1 - s is a multiple of 2^-53, whose bits are the next power."""
TINY = 62 << 52
"""The bits of 2^-961: negative scores nearer to 0 count as it, for places to fit 64 bits."""
ZERO = -58 << 52
"""The places of 0, 0.5 and 1, and of both infinities: the whole of int64 is about used up."""
HALF = ZERO + OF_HALF
ONE = HALF + OF_HALF - OF_LAST
LEAST, MOST = ZERO - OF_INFINITE + TINY, ONE + OF_INFINITE - OF_ONE


@dataclass(frozen=True, eq=False)
class BinScale:
    """How fine bins are: `bits` of the significand, and `finer` bits more in those bins whose keys `split` names.

    `split`, ascending, and `finer` have the shape `(split bins,)`.

    >>> scale = BinScale(2, split=np.array([3]), finer=np.array([4]))
    >>> scale.bits_of(np.array([2, 3, 4]))
    array([2, 6, 2])
    """

    bits: int
    split: Array
    finer: Array

    @classmethod
    def of(cls, bits: int | BinScale) -> BinScale:
        """Return the scale with so many bits everywhere; a scale stays as it is."""
        return bits if isinstance(bits, BinScale) else cls(bits, np.empty(0, np.int64), np.empty(0, np.int64))

    def bits_of(self, keys: Array) -> Array:
        """Return the bits that are kept in each of the bins of `bits` bits."""
        if not self.split.size:
            return np.full(keys.shape, self.bits)
        at = np.minimum(np.searchsorted(self.split, keys), self.split.size - 1)
        return self.bits + np.where(self.split[at] == keys, self.finer[at], 0)


def places(scores: Array) -> Array:
    """The place of each score among all numbers, int64: increasing, and symmetric about a half where scores crowd.

    Scores are floats of any precision and not NaN; -0.0 is 0.0.

    >>> indices = places(np.array([-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 2.0]))
    >>> indices[3] - indices[2] == indices[4] - indices[3], bool((np.diff(indices) > 0).all())
    (np.True_, True)
    """
    s = scores.astype(np.float64) + 0.0
    in_upper = (s >= 0.5) & (s <= 1)
    bits = np.where(in_upper, 1 - np.where(in_upper, s, 1), np.abs(s)).view(np.int64)
    return np.select(
        [s < 0, s < 0.5, s <= 1],
        [ZERO + TINY - np.maximum(bits, TINY + 1), ZERO + bits, HALF + OF_HALF - np.maximum(bits, OF_LAST)],
        ONE + np.maximum(bits, OF_ONE) - OF_ONE,
    )


def scores_at(positions: Array) -> Array:
    """Return the scores at places, float64: the inverse of `places`.

    >>> scores = np.array([-np.inf, -0.3, 0.0, 1e-300, 0.3, 0.7, 1 - 2.0**-53, 1.0, 5.0, np.inf])
    >>> bool((scores_at(places(scores)) == scores).all())
    True
    """
    regions = [positions < ZERO, positions < HALF, positions < ONE, positions == ONE]
    of_region = [
        ZERO + TINY - np.minimum(positions, ZERO),
        positions - ZERO,
        OF_HALF + HALF - np.clip(positions, HALF, ONE),
        np.zeros_like(positions),
    ]
    bits = np.select(regions, of_region, np.maximum(positions, ONE) - ONE + OF_ONE)
    size = bits.astype(np.int64).view(np.float64)
    return np.select(regions, [-size, size, 1 - size, np.ones_like(size)], size)


WITHIN = 26
"""Bits that tell where in its bin a score lies, of which sums are kept: int64 holds those of 2^37 cases."""
MOST_SLOTS = 1 << 24
"""Bins of all scores up to which each has a slot; of more, the bins of the rows are sorted."""
ABSENT = np.iinfo(np.int64).max
"""The least place of a class that a bin does not hold; its greatest is minus that."""
CELL = 4
"""What is kept of a class in a bin, side by side, for a row to touch one line of the processor's cache."""
CASES, INSIDE, LOWEST, HIGHEST = range(CELL)
"""Where in a cell its cases are, the sum of where in the bin they lie, the lowest and the highest place."""


@dataclass(frozen=True, eq=False)
class CountedBins:
    """Rows counted into bins, in no order: `keys` and `bits`, `(bins,)`; the others `[class, bin]`, negatives first.

    `cases` are numbers of cases or sums of weights, `squares` sums of squared weights or None; `within` sums of the
    next bits of the place, times the number of identical cases; `least` and `most` the ends of each class.
    """

    keys: Array
    bits: Array
    cases: Array
    squares: Array | None
    within: Array
    least: Array
    most: Array


def count(
    score: Array, positive: Array, times: Array, scale: BinScale, rows: int | None = None
) -> CountedBins:
    """Count rows with a score and a class; `times` are sampling weights (floats) or numbers of identical cases.

    `rows` is how many rows are counted together, including those that go into other bins.
    """
    is_weight = times.dtype.kind == "f"
    shift = SIGNIFICAND - scale.bits
    base = LEAST >> shift
    if (MOST >> shift) - base + int((1 << scale.finer).sum()) > MOST_SLOTS:
        return _count_sorted(score, positive, times, scale)
    slots, first = _slots(scale, shift, base)
    room = 1024
    starts = np.zeros(room, np.int64)
    ends = _empty(room)
    sums = np.zeros_like(ends, np.float64) if is_weight else ends
    squares = np.zeros(2 * room if is_weight else 0)
    used = at = 0
    add = count_bins.for_rows(score.size, rows or 0)
    while at < score.size:
        cells = sums, squares, ends
        at, used = add(
            score, positive, times, shift, base, slots, first, scale.finer, starts, *cells, at, used
        )
        if at < score.size:  # all slots are taken
            starts = np.concatenate([starts, np.zeros_like(starts)])
            ends = np.concatenate([ends, _empty(starts.size // 2)])
            sums = np.concatenate([sums, np.zeros_like(sums)]) if is_weight else ends
            squares = np.concatenate([squares, np.zeros_like(squares)])
    bits = scale.bits_of(starts[:used] >> shift)
    keys = starts[:used] >> (SIGNIFICAND - bits)
    added, reached = (part.reshape(-1, 2, CELL)[:used].transpose(2, 1, 0) for part in (sums, ends))
    cases, within, least, most = (
        part.copy() for part in (added[CASES], added[INSIDE], reached[LOWEST], reached[HIGHEST])
    )
    squared = squares.reshape(-1, 2)[:used].T.copy() if is_weight else None
    return CountedBins(keys, bits, cases, squared, within, least, most)


def _empty(room: int) -> Array:
    """Empty cells for this number of bins."""
    cells = np.zeros((room, 2, CELL), np.int64)
    cells[..., LOWEST], cells[..., HIGHEST] = ABSENT, -ABSENT
    return cells.ravel()


def _slots(scale: BinScale, shift: int, base: int) -> tuple[Array, Array]:
    """The slots of all bins, none taken; for a bin that is split, minus its number, and where its own slots begin."""
    bins = (MOST >> shift) - base + 1
    first = bins + np.cumsum(1 << scale.finer) - (1 << scale.finer)
    slots = np.zeros(bins + int((1 << scale.finer).sum()), np.int32)
    slots[scale.split - base] = -1 - np.arange(scale.split.size)
    return slots, first


def _count_sorted(score: Array, positive: Array, times: Array, scale: BinScale) -> CountedBins:
    """Count rows into bins so fine that a slot for each of them takes more memory than the rows do."""
    is_weight = times.dtype.kind == "f"
    where = places(score)
    shifts = SIGNIFICAND - scale.bits_of(where >> (SIGNIFICAND - scale.bits))
    starts, came, slot = np.unique((where >> shifts) << shifts, return_index=True, return_inverse=True)
    cell, shape = (positive.astype(np.intp), slot), (2, starts.size)
    next_bits = (where >> (shifts - WITHIN)) & ((1 << WITHIN) - 1)

    def total(values: Array) -> Array:
        sums = np.zeros(shape, np.float64 if is_weight else np.int64)
        np.add.at(sums, cell, values)
        return sums

    least, most = np.full(shape, ABSENT), np.full(shape, -ABSENT)
    np.minimum.at(least, cell, where)
    np.maximum.at(most, cell, where)
    squares = total(times * times) if is_weight else None
    bits = SIGNIFICAND - shifts[came]
    return CountedBins(
        starts >> shifts[came], bits, total(times), squares, total(next_bits * times), least, most
    )


def _count_bins(
    score: Array,
    positive: Array,
    times: Array,
    shift: int,
    base: int,
    slots: Array,
    first: Array,
    finer: Array,
    starts: Array,
    sums: Array,
    squares: Array,
    ends: Array,
    start: int,
    used: int,
) -> tuple[int, int]:
    where = places(score[start:])
    at, cls, weights = (where >> shift) - base, positive[start:].astype(np.intp), times[start:]
    number = -1 - slots[at]
    is_split = number >= 0
    shifts = np.full(where.size, shift)
    shifts[is_split] -= finer[number[is_split]]
    mask = (1 << (shift - shifts)) - 1
    at[is_split] = first[number[is_split]] + ((where >> shifts) & mask)[is_split]
    distinct, came, slot = np.unique(at, return_index=True, return_inverse=True)
    fresh = np.flatnonzero(slots[distinct] == 0)
    fresh = fresh[np.argsort(came[fresh])]
    room = starts.shape[0] - used
    stop = where.size if fresh.size <= room else int(came[fresh[room]])
    fresh = fresh[:room]
    slots[distinct[fresh]] = used + 1 + np.arange(fresh.size)
    starts[used : used + fresh.size] = ((where >> shifts) << shifts)[came[fresh]]
    cell = CELL * (2 * (slots[distinct][slot[:stop]].astype(np.intp) - 1) + cls[:stop])
    next_bits = (where[:stop] >> (shifts[:stop] - WITHIN)) & ((1 << WITHIN) - 1)
    np.add.at(sums, cell + CASES, weights[:stop])
    np.add.at(sums, cell + INSIDE, next_bits * weights[:stop])
    np.minimum.at(ends, cell + LOWEST, where[:stop])
    np.maximum.at(ends, cell + HIGHEST, where[:stop])
    if squares.shape[0]:
        np.add.at(squares, cell // CELL, weights[:stop] * weights[:stop])
    return start + stop, used + fresh.size


@kernel(
    twin=_count_bins,
    nanoseconds=700,
    assumes="slots reach from the place of minus infinity, shifted, to that of infinity; used at most starts' length",
)
def count_bins(
    score: Array,
    positive: Array,
    times: Array,
    shift: int,
    base: int,
    slots: Array,
    first: Array,
    finer: Array,
    starts: Array,
    sums: Array,
    squares: Array,
    ends: Array,
    start: int,
    used: int,
) -> tuple[int, int]:
    """Add rows from `start` on to the cells of their bins; returns where it stops, and the slots taken.

    `slots` holds the slot of each bin plus one, 0 where it has none; for the i-th split bin it holds -1 - i, and the
    `2^finer[i]` parts of that bin have their slots from `first[i]` on. It stops before the first row that finds no
    slot. The cells are `sums` and `ends`, `[slot, class, CELL]` in one axis, one array for cases and two for weights,
    which have `squares` too, `[slot, class]`.
    """
    mask = (np.int64(1) << WITHIN) - 1
    for i in range(start, score.shape[0]):
        s = np.float64(score[i]) + 0.0
        place: Any
        if s < 0:
            place = ZERO + TINY - max(np.int64(TINY + 1), np.float64(-s).view(np.int64))
        elif s < 0.5:
            place = ZERO + np.float64(s).view(np.int64)
        elif s <= 1:
            place = HALF + OF_HALF - max(np.int64(OF_LAST), np.float64(1.0 - s).view(np.int64))
        else:
            place = ONE + np.float64(s).view(np.int64) - OF_ONE
        row_shift = shift
        at = (place >> shift) - base
        slot = np.int64(slots[at]) - 1
        if slot < -1:
            number = -2 - slot
            row_shift = shift - finer[number]
            at = first[number] + ((place >> row_shift) & ((np.int64(1) << finer[number]) - 1))
            slot = np.int64(slots[at]) - 1
        if slot < 0:
            if used == starts.shape[0]:
                return i, used
            slot = np.int64(used)
            used += 1
            slots[at] = used
            starts[slot] = (place >> row_shift) << row_shift
        number = 2 * slot + np.int64(positive[i])
        cell, weight = CELL * number, times[i]
        sums[cell + CASES] += weight
        sums[cell + INSIDE] += ((place >> (row_shift - WITHIN)) & mask) * weight
        if squares.shape[0] > 0:
            squares[number] += weight * weight
        ends[cell + LOWEST] = min(ends[cell + LOWEST], place)
        ends[cell + HIGHEST] = max(ends[cell + HIGHEST], place)
    return score.shape[0], used


BLOCK = 2**13
"""Rows of which losses are in memory at once: few enough to stay near the processor."""


@dataclass(frozen=True)
class Losses:
    """Sums over cases of the log-loss, the squared error of the probability, and the squares of both.

    Each case counts as often as it occurs, without rounding, or with its sampling weight: then each product is rounded
    once, and the sum of the products is the same in any order.
    """

    log_loss: ExactSum
    log_loss_squares: ExactSum
    brier: ExactSum
    brier_squares: ExactSum

    @classmethod
    def of(cls, score: Array, positive: Array, times: Array | None, rows: int | None = None) -> Losses:
        """The losses of rows with a probability and a class, repeated `times` (whole numbers) or weighted (floats).

        See `Bins.of_rows` for `rows`.

        >>> losses = Losses.of(np.array([0.9, 0.2]), np.array([True, False]), None)
        >>> round(losses.log_loss.value / 2, 4), round(losses.brier.value / 2, 4)
        (0.1643, 0.025)
        """
        in_all = score.size if rows is None else rows
        separate = put_apart.for_rows(score.size, in_all)

        def of_block(at: slice) -> tuple[tuple[Array, ...], Array | None]:
            split = np.empty(score[at].size)
            positives = separate(score[at], positive[at], split)
            if times is None:
                return _losses(split, positives), None
            w = np.empty(split.size, times.dtype if times.dtype.kind == "f" else np.int64)
            separate(times[at], positive[at], w)
            losses = _losses(split, positives)
            return (losses, w) if w.dtype.kind == "i" else (tuple(w * loss for loss in losses), None)

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
    """Put the values of positives first, behind them those of negatives in reverse; returns the number of positives."""
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
