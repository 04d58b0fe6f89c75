"""The kernel that draws how often each of many cells is drawn, from what CellCounts makes; see there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import Part, kernel
from classay.inference.bootstrap.kernels import GAMMA, mixed

Array = NDArray[Any]
OTHER = np.uint64(0xD1B54A32D192ED03)
"""What makes of the key of a replicate that of its second stream, which draws what tables leave over."""
FEW = 1000
"""Cases of a block below which all of them are drawn one by one."""
NUMBERS = 8
"""Numbers that have places in the table of a single case, from 0 on."""
BITS = 10
"""Bits that choose a place in the table of several cases."""
WORDS = 64
"""Random words that are made at a time."""


class _Stream:
    """The words of a stream, some at a time."""

    def __init__(self, state: Any) -> None:
        self.state = int(state)

    def take(self, count: int) -> Array:
        found: Array = mixed(np.uint64(self.state) + np.arange(count, dtype=np.uint64) * GAMMA)
        self.state = (self.state + count * int(GAMMA)) % 2**64
        return found

    def uniform(self, count: int) -> Array:
        return (self.take(count) >> np.uint64(11)) * 2.0**-53


def _draw_cells(
    keys: Array,
    totals: Array,
    edges: Array,
    case_edges: Array,
    holder: Array,
    single: Array,
    more: Array,
    more_edges: Array,
    kind: Array,
    tables: Array,
    least: Array,
    left_over: Array,
    large: Array,
    large_edges: Array,
    drawn: Array,
) -> None:
    for r, key in enumerate(keys):
        words, rest = _Stream(key), _Stream(key ^ OTHER)
        for b in range(edges.size - 1):
            first, cells = edges[b], edges[b + 1] - edges[b]
            held = holder[case_edges[b] : case_edges[b + 1]]
            part, of = slice(more_edges[b], more_edges[b + 1]), large[large_edges[b] : large_edges[b + 1]]
            counts = np.zeros(cells, np.int64)
            while held.size >= FEW:
                bits = words.take(-(-int(cells) // (4 * WORDS)) * WORDS).view(np.uint16)[:cells]
                counts = np.searchsorted(single, bits, side="right")
                at = np.flatnonzero(counts == NUMBERS)
                counts[at] = least[0] + np.searchsorted(left_over[0], rest.uniform(at.size), side="right")
                counts[of - first] = 0
                own = kind[part]
                bits = words.take(-(-own.size // (4 * WORDS)) * WORDS).view(np.uint16)[: own.size]
                others = tables[(own.astype(np.int64) << BITS) | (bits >> np.uint16(16 - BITS))].astype(
                    np.int64
                )
                for i in np.flatnonzero(others < 0):
                    t = int(own[i]) + 1
                    others[i] = least[t] + np.searchsorted(left_over[t], rest.uniform(1)[0], side="right")
                counts[more[part]] += others
                if counts.sum() <= totals[r, b]:
                    break
            missing = totals[r, b] - counts.sum()
            mask = np.uint64((1 << int(max(held.size - 1, 0)).bit_length()) - 1)
            while missing > 0:
                bits = (words.take(1) >> np.arange(0, 64, 32, dtype=np.uint64)) & mask
                cases = bits[bits < held.size][:missing]
                np.add.at(counts, held[cases.astype(np.int64)], 1)
                missing -= cases.size
            drawn[r, first : first + cells] = counts
        drawn[r, large] = totals[r, edges.size - 1 :]


@Part
def make_words(state: Any, words: Array) -> None:
    """The next words of a stream."""
    for i in range(words.size):
        words[i] = mixed(state + np.uint64(i) * GAMMA)


@Part
def leftover(states: Array, least: int, chances: Array) -> int:
    """A number of what a table leaves over."""
    uniform = np.float64(mixed(states[1]) >> np.uint64(11)) * 2.0**-53
    states[1] += GAMMA
    low, high = 0, chances.size - 1
    while low < high:
        middle = (low + high) // 2
        if uniform < chances[middle]:
            high = middle
        else:
            low = middle + 1
    return least + low


@Part
def draw_firsts(states: Array, single: Array, least: int, chances: Array, words: Array, into: Array) -> None:
    """The Poisson number of the first case of every cell: how many of the table's eight edges a number is past."""
    bits = words.view(np.uint16)
    a, b, c, d = single[0], single[1], single[2], single[3]
    e, f, g, h = single[4], single[5], single[6], single[7]
    for start in range(0, into.size, bits.size):
        make_words(states[0], words)
        states[0] += np.uint64(words.size) * GAMMA
        part = into[start : start + bits.size]
        met = False
        for i in range(part.size):  # in narrow types, of which the processor compares many at a time
            x = bits[i]
            four = np.uint8(x >= a) + np.uint8(x >= b) + np.uint8(x >= c) + np.uint8(x >= d)
            part[i] = np.uint16(four + np.uint8(x >= e) + np.uint8(x >= f) + np.uint8(x >= g))
            met |= x >= h
        if met:
            for i in range(part.size):
                if bits[i] >= h:
                    part[i] = leftover(states, least, chances)


@Part
def add_others(
    states: Array,
    more: Array,
    kind: Array,
    tables: Array,
    least: Array,
    left_over: Array,
    words: Array,
    into: Array,
) -> None:
    """The Poisson numbers of all other cases of the cells that hold several."""
    bits = words.view(np.uint16)
    for start in range(0, more.size, bits.size):
        make_words(states[0], words)
        states[0] += np.uint64(words.size) * GAMMA
        cells, kinds = more[start : start + bits.size], kind[start : start + bits.size]
        for i in range(cells.size):
            number = tables[
                (np.uint32(kinds[i]) << np.uint32(BITS)) | (np.uint32(bits[i]) >> np.uint32(16 - BITS))
            ]
            if number < 0:
                t = np.int64(kinds[i]) + 1
                number = leftover(states, least[t], left_over[t])
            into[cells[i]] += number


@Part
def add_cases(states: Array, missing: Any, holder: Array, into: Array) -> None:
    """So many cases, each equally likely."""
    size, mask = np.uint64(holder.size), np.uint64(1)
    while mask < size:
        mask <<= np.uint64(1)
    mask -= np.uint64(1)
    while missing > 0:
        z = mixed(states[0])
        states[0] += GAMMA
        for _ in range(2):
            case = z & mask
            z >>= np.uint64(32)
            taken = np.int64(case < size) & np.int64(
                missing > 0
            )  # without a branch, which nobody could foresee
            into[holder[case * np.uint64(taken)]] += taken
            missing -= taken


@kernel(
    twin=_draw_cells,
    assumes="what CellCounts makes, and totals of 0 where a block or a cell holds no case",
)
def draw_cells(
    keys: Array,
    totals: Array,
    edges: Array,
    case_edges: Array,
    holder: Array,
    single: Array,
    more: Array,
    more_edges: Array,
    kind: Array,
    tables: Array,
    least: Array,
    left_over: Array,
    large: Array,
    large_edges: Array,
    drawn: Array,
) -> None:
    """How often each cell is drawn, `[replicate, cell]`; see CellCounts."""
    words, states = np.empty(WORDS, np.uint64), np.empty(2, np.uint64)
    blocks = edges.size - 1
    for r in range(keys.size):
        states[0], states[1] = keys[r], keys[r] ^ OTHER
        for b in range(blocks):
            first = edges[b]
            into = drawn[r, first : edges[b + 1]]
            held = holder[case_edges[b] : case_edges[b + 1]]
            low, high = more_edges[b], more_edges[b + 1]
            missing = totals[r, b]
            if held.size < FEW:
                into[:] = 0
            else:
                missing = -1
                while missing < 0:
                    draw_firsts(states, single, least[0], left_over[0], words, into)
                    for i in range(large_edges[b], large_edges[b + 1]):
                        into[large[i] - first] = 0
                    add_others(states, more[low:high], kind[low:high], tables, least, left_over, words, into)
                    missing = totals[r, b]
                    for i in range(into.size):
                        missing -= into[i]
            add_cases(states, missing, held, into)
        for i in range(large.size):
            drawn[r, large[i]] = totals[r, blocks + i]
