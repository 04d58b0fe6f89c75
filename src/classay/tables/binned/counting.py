"""Count rows into bins: one pass, in which a bin gets a slot when its first row comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import COMPILE_FROM, kernel
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
    places,
)

Array = NDArray[Any]

WITHIN = 26
"""Bits that tell where in its bin a score lies, of which sums are kept: int64 holds those of 2^37 rows."""
MOST_SLOTS = 1 << 24
"""Bins of all scores up to which each has a slot; of more, the bins of the rows are sorted."""
ABSENT = np.iinfo(np.int64).max
"""The least place of a class that a bin does not hold; its greatest is minus that."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Rows counted into bins, in no order: `keys`, `(bins,)`; the others `[class, bin]`, negatives first.

    `cases` are numbers of cases or sums of weights, `squares` sums of squared weights or None; `within` sums of the
    next bits of the place, times the number of identical cases; `least` and `most` the ends of each class.
    """

    keys: Array
    cases: Array
    squares: Array | None
    within: Array
    least: Array
    most: Array


def count(score: Array, positive: Array, times: Array, bits: int) -> Counted:
    """Count rows with a score and a class; `times` are sampling weights (floats) or numbers of identical cases."""
    each, is_weight = times, times.dtype.kind == "f"
    kind = np.float64 if is_weight else np.int64
    shift = SIGNIFICAND - bits
    base = LEAST >> shift
    bins = (MOST >> shift) - base + 1
    if bins > MOST_SLOTS:
        return _count_sorted(score, positive, times, shift)
    slots = np.zeros(bins, np.int32)
    room = 1024
    keys = np.zeros(room, np.int64)
    cells = [np.zeros((room, 2), kind), np.zeros((room if is_weight else 0, 2)), np.zeros((room, 2), kind)]
    ends = [np.full((room, 2), ABSENT), np.full((room, 2), -ABSENT)]
    used = at = 0
    add = count_bins.compiled if score.size >= COMPILE_FROM else count_bins.twin
    while at < score.size:
        at, used = add(score, positive, each, shift, base, slots, keys, *cells, *ends, at, used)
        if at < score.size:  # all slots are taken
            keys = np.concatenate([keys, np.zeros_like(keys)])
            cells = [np.concatenate([part, np.zeros_like(part)]) for part in cells]
            ends = [
                np.concatenate([part, np.full_like(part, absent)])
                for part, absent in zip(ends, (ABSENT, -ABSENT), strict=True)
            ]
    cases, squares, within, least, most = (part[:used].T.copy() for part in (*cells, *ends))
    return Counted(keys[:used].copy(), cases, squares if is_weight else None, within, least, most)


def _count_sorted(score: Array, positive: Array, times: Array, shift: int) -> Counted:
    """Count rows into bins so fine that a slot for each of them takes more memory than the rows do."""
    is_weight = times.dtype.kind == "f"
    where = places(score)
    keys, slot = np.unique(where >> shift, return_inverse=True)
    cell = positive.astype(np.intp), slot
    shape = (2, keys.size)
    next_bits = (where >> (shift - WITHIN)) & ((1 << WITHIN) - 1)

    def total(values: Array) -> Array:
        made = np.zeros(shape, np.float64 if is_weight else np.int64)
        np.add.at(made, cell, values)
        return made

    least, most = np.full(shape, ABSENT), np.full(shape, -ABSENT)
    np.minimum.at(least, cell, where)
    np.maximum.at(most, cell, where)
    return Counted(
        keys, total(times), total(times * times) if is_weight else None, total(next_bits * times), least, most
    )


def _count_bins(
    score: Array,
    positive: Array,
    weight: Array,
    shift: int,
    base: int,
    slots: Array,
    keys: Array,
    cases: Array,
    squares: Array,
    within: Array,
    least: Array,
    most: Array,
    start: int,
    used: int,
) -> tuple[int, int]:
    where = places(score[start:])
    key, cls, each = where >> shift, positive[start:].astype(np.intp), weight[start:]
    found, first, slot = np.unique(key, return_index=True, return_inverse=True)
    known = slots[found - base]
    fresh = np.flatnonzero(known == 0)
    fresh = fresh[np.argsort(first[fresh])]
    room = keys.shape[0] - used
    stop = where.size if fresh.size <= room else int(first[fresh[room]])
    fresh = fresh[:room]
    slots[found[fresh] - base] = used + 1 + np.arange(fresh.size)
    keys[used : used + fresh.size] = found[fresh]
    at = slots[found - base][slot[:stop]] - 1
    cell = at, cls[:stop]
    next_bits = (where[:stop] >> (shift - WITHIN)) & ((1 << WITHIN) - 1)
    np.add.at(cases, cell, each[:stop])
    np.add.at(within, cell, next_bits * each[:stop])
    np.minimum.at(least, cell, where[:stop])
    np.maximum.at(most, cell, where[:stop])
    if squares.shape[0]:
        np.add.at(squares, cell, each[:stop] * each[:stop])
    return start + stop, used + fresh.size


@kernel(
    twin=_count_bins,
    assumes="slots reach from the place of minus infinity, shifted, to that of infinity; used is at most keys' length",
)
def count_bins(
    score: Array,
    positive: Array,
    weight: Array,
    shift: int,
    base: int,
    slots: Array,
    keys: Array,
    cases: Array,
    squares: Array,
    within: Array,
    least: Array,
    most: Array,
    start: int,
    used: int,
) -> tuple[int, int]:
    """Add rows from `start` on to the cells of their bins; up to which row, and how many slots are taken then.

    `slots` holds the slot of each bin plus one, 0 where it has none. It stops before the first row that finds no slot.
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
        key = place >> shift
        slot = slots[key - base] - 1
        if slot < 0:
            if used == keys.shape[0]:
                return i, used
            slot = used
            used += 1
            slots[key - base] = used
            keys[slot] = key
        c = np.int64(positive[i])
        w = weight[i]
        cases[slot, c] += w
        within[slot, c] += ((place >> (shift - WITHIN)) & mask) * w
        if squares.shape[0] > 0:
            squares[slot, c] += w * w
        least[slot, c] = min(least[slot, c], place)
        most[slot, c] = max(most[slot, c], place)
    return score.shape[0], used
