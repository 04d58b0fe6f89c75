"""Count rows into bins: one pass, in which a bin gets a slot when its first row comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.tables.binned.scale import (
    HALF,
    LEAST,
    MOST,
    OF_HALF,
    OF_LAST,
    OF_ONE,
    ONE,
    SIGNIFICAND,
    TINY,
    ZERO,
    Scale,
    places,
)

Array = NDArray[Any]

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
class Counted:
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


def count(score: Array, positive: Array, times: Array, scale: Scale, rows: int | None = None) -> Counted:
    """Count rows with a score and a class; `times` are sampling weights (floats) or numbers of identical cases.

    `rows` is how many are counted together, into these bins and others, if into others too.
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
    add = count_bins.for_rows(score.size if rows is None else rows)
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
    return Counted(keys, bits, cases, squared, within, least, most)


def _empty(room: int) -> Array:
    """The cells of so many bins that hold nothing."""
    cells = np.zeros((room, 2, CELL), np.int64)
    cells[..., LOWEST], cells[..., HIGHEST] = ABSENT, -ABSENT
    return cells.ravel()


def _slots(scale: Scale, shift: int, base: int) -> tuple[Array, Array]:
    """The slots of all bins, none taken; for a bin that is split, minus its number, and where its own slots begin."""
    bins = (MOST >> shift) - base + 1
    first = bins + np.cumsum(1 << scale.finer) - (1 << scale.finer)
    slots = np.zeros(bins + int((1 << scale.finer).sum()), np.int32)
    slots[scale.split - base] = -1 - np.arange(scale.split.size)
    return slots, first


def _count_sorted(score: Array, positive: Array, times: Array, scale: Scale) -> Counted:
    """Count rows into bins so fine that a slot for each of them takes more memory than the rows do."""
    is_weight = times.dtype.kind == "f"
    where = places(score)
    own = SIGNIFICAND - scale.bits_of(where >> (SIGNIFICAND - scale.bits))
    starts, came, slot = np.unique((where >> own) << own, return_index=True, return_inverse=True)
    cell, shape = (positive.astype(np.intp), slot), (2, starts.size)
    next_bits = (where >> (own - WITHIN)) & ((1 << WITHIN) - 1)

    def total(values: Array) -> Array:
        made = np.zeros(shape, np.float64 if is_weight else np.int64)
        np.add.at(made, cell, values)
        return made

    least, most = np.full(shape, ABSENT), np.full(shape, -ABSENT)
    np.minimum.at(least, cell, where)
    np.maximum.at(most, cell, where)
    squares = total(times * times) if is_weight else None
    bits = SIGNIFICAND - own[came]
    return Counted(starts >> own[came], bits, total(times), squares, total(next_bits * times), least, most)


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
    at, cls, each = (where >> shift) - base, positive[start:].astype(np.intp), times[start:]
    number = -1 - slots[at]
    is_split = number >= 0
    own = np.full(where.size, shift)
    own[is_split] -= finer[number[is_split]]
    mask = (1 << (shift - own)) - 1
    at[is_split] = first[number[is_split]] + ((where >> own) & mask)[is_split]
    found, came, slot = np.unique(at, return_index=True, return_inverse=True)
    fresh = np.flatnonzero(slots[found] == 0)
    fresh = fresh[np.argsort(came[fresh])]
    room = starts.shape[0] - used
    stop = where.size if fresh.size <= room else int(came[fresh[room]])
    fresh = fresh[:room]
    slots[found[fresh]] = used + 1 + np.arange(fresh.size)
    starts[used : used + fresh.size] = ((where >> own) << own)[came[fresh]]
    cell = CELL * (2 * (slots[found][slot[:stop]].astype(np.intp) - 1) + cls[:stop])
    next_bits = (where[:stop] >> (own[:stop] - WITHIN)) & ((1 << WITHIN) - 1)
    np.add.at(sums, cell + CASES, each[:stop])
    np.add.at(sums, cell + INSIDE, next_bits * each[:stop])
    np.minimum.at(ends, cell + LOWEST, where[:stop])
    np.maximum.at(ends, cell + HIGHEST, where[:stop])
    if squares.shape[0]:
        np.add.at(squares, cell // CELL, each[:stop] * each[:stop])
    return start + stop, used + fresh.size


@kernel(
    twin=_count_bins,
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
    """Add rows from `start` on to the cells of their bins; up to which row, and how many slots are taken then.

    `slots` holds the slot of each bin plus one, 0 where it has none; for bin number i of those that are split, -1 - i,
    whose `2^finer[i]` parts have their slots from `first[i]` on. It stops before the first row that finds no slot. The
    cells are `sums` and `ends`, `[slot, class, CELL]` in one axis, one array for cases and two for weights, which have
    `squares` too, `[slot, class]`.
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
        own = shift
        at = (place >> shift) - base
        slot = np.int64(slots[at]) - 1
        if slot < -1:
            number = -2 - slot
            own = shift - finer[number]
            at = first[number] + ((place >> own) & ((np.int64(1) << finer[number]) - 1))
            slot = np.int64(slots[at]) - 1
        if slot < 0:
            if used == starts.shape[0]:
                return i, used
            slot = np.int64(used)
            used += 1
            slots[at] = used
            starts[slot] = (place >> own) << own
        number = 2 * slot + np.int64(positive[i])
        cell, each = CELL * number, times[i]
        sums[cell + CASES] += each
        sums[cell + INSIDE] += ((place >> (own - WITHIN)) & mask) * each
        if squares.shape[0] > 0:
            squares[number] += each * each
        ends[cell + LOWEST] = min(ends[cell + LOWEST], place)
        ends[cell + HIGHEST] = max(ends[cell + HIGHEST], place)
    return score.shape[0], used
