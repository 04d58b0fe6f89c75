"""Loops over plain memory that turn columns of labels, and Arrow's text read in place, into codes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import KernelStep, kernel

if TYPE_CHECKING:
    import pyarrow as pa

Codes = NDArray[np.signedinteger[Any]]

SPAN = 64
"""Integers this close together are coded by `near_codes`, whose record of what occurs is one 64-bit word."""

WIDEST = 1 << 20
"""Integers that lie this close together are coded by their offset; wider ones are hashed."""

BLOCK = 8192
# 2^64 / golden ratio: multiplying by it spreads neighbours over the high bits (Fibonacci hashing).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# Typed constants, because Numba turns a mix of unsigned and signed integers into floats.
NONE, ONE, SIX, LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(SPAN - 1)
FIVE, REST = np.uint64(5), np.uint64(59)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@KernelStep
def mixed(state: Any) -> Any:
    """Spread the bits of whole numbers, one to one: the finalizer of SplitMix64 (Steele, Lea & Flood 2014, OOPSLA).

    Of states `GOLDEN` apart the words are random ones.
    """
    z = (state ^ (state >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


def code_type(labels: int) -> type[np.signedinteger[Any]]:
    """Return the smallest integer type for the codes of that many labels, with -1 for missing."""
    return np.int8 if labels <= 127 else np.int16 if labels <= 32767 else np.int32


def _near_codes(values: NDArray[Any], low: int, codes: Codes) -> int:
    offsets = (values.astype(np.int64) - np.int64(low)).view(np.uint64)
    if (offsets >= SPAN).any():
        return 0
    codes[:] = offsets
    return int(np.bitwise_or.reduce(ONE << offsets))


@kernel(twin=_near_codes, assumes="codes has a place for every value", nanoseconds=6)
def near_codes(values, low, codes):  # type: ignore[no-untyped-def]
    """Write value - low into codes; give the set of offsets as bits, or 0 where one lies outside 0..63.

    The subtraction wraps, so that the extremes of int64 need no care. Blocks are slices and free of branches:
    only so does the inner loop become vector code, seven times as quick.
    """
    seen = NONE
    for start in range(0, values.shape[0], BLOCK):
        outside = NONE
        block = values[start : start + BLOCK]
        out = codes[start : start + BLOCK]
        for i in range(block.shape[0]):
            offset = np.uint64(np.int64(block[i]) - np.int64(low))
            outside |= offset
            seen |= ONE << (offset & LOW_SIX)
            out[i] = np.int8(offset)
        if outside >> SIX != NONE:
            return NONE
    return seen


def _wide_codes(values: NDArray[Any], low: int, codes: Codes, seen: NDArray[np.bool_]) -> None:
    offsets = values.astype(np.int64) - np.int64(low)
    codes[:] = offsets
    seen[offsets] = True


@kernel(twin=_wide_codes, assumes="every value is in low to before low + len(seen)", nanoseconds=5)
def wide_codes(values, low, codes, seen):  # type: ignore[no-untyped-def]
    """Write value - low into codes and mark it in seen; every value lies in low .. low + len(seen) - 1."""
    for i in range(values.shape[0]):
        offset = np.uint64(np.int64(values[i]) - np.int64(low))  # unsigned: no check for indices from the end
        codes[i] = offset
        seen[offset] = True


def _recode(codes: NDArray[Any], table: Codes, out: Codes, seen: NDArray[np.bool_]) -> None:
    out[:] = table[codes.astype(np.int64) + 1]
    seen[out.astype(np.int64) + 1] = True


@kernel(
    twin=_recode,
    assumes="every code is in -1 to before len(table) - 1; table's entries are in -1 to before len(seen) - 1",
)
def recode(codes, table, out, seen):  # type: ignore[no-untyped-def]
    """Write table[code + 1] into out and mark what was written in seen; entry 0 of both is for missing."""
    for i in range(codes.shape[0]):
        code = table[np.uint64(np.int64(codes[i]) + 1)]
        out[i] = code
        seen[np.uint64(np.int64(code) + 1)] = True


def _row_codes(
    words: NDArray[Any], codes: Codes, firsts: NDArray[np.int64], start: int, known: int
) -> tuple[int, int]:
    # Rows have one width, so the trailing zeros that the S type drops tell no two of them apart.
    rows = words[:, 0] if words.shape[1] == 1 else words.view(f"S{words.shape[1] * words.itemsize}")[:, 0]
    _, where, inverse = np.unique(rows, return_index=True, return_inverse=True)
    order = np.argsort(where)
    stop = len(words) if len(order) <= len(firsts) else int(where[order[len(firsts)]])
    count = min(len(order), len(firsts))
    firsts[known:count] = where[order[known:count]]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    codes[start:stop] = rank[inverse[start:stop]]
    return stop, count


@kernel(twin=_row_codes, assumes="codes has a place for every row; known is at most the length of firsts")
def row_codes(words, codes, firsts, start, known):  # type: ignore[no-untyped-def]  # noqa: C901
    """Number the distinct rows of words in order of first appearance; note in firsts where that is.

    Begins at row `start`, with `known` distinct rows met before; stops where firsts is full, so that
    the caller can widen codes and firsts and go on. Gives the row where it stopped and the number of distinct
    rows.
    """
    bits = 12  # so roomy that a few labels hardly ever collide, which would cost a mispredicted branch a row
    while (1 << bits) < 4 * firsts.shape[0]:
        bits += 1
    shift = np.uint64(64 - bits)
    last = np.uint64((1 << bits) - 1)
    slots = np.full(1 << bits, -1, np.int32)
    count = known
    for step in range(
        -known, words.shape[0] - start
    ):  # the negative steps enter the known rows in the new slots
        row = np.uint64(firsts[known + step] if step < 0 else start + step)
        mixed = NONE
        for j in range(words.shape[1]):
            mixed = (((mixed << FIVE) | (mixed >> REST)) ^ np.uint64(words[row, j])) * GOLDEN
        slot = mixed >> shift
        code = slots[slot]
        while code >= 0:
            first = np.uint64(firsts[np.uint64(code)])
            same = True
            for j in range(words.shape[1]):
                same = words[row, j] == words[first, j]
                if not same:
                    break
            if same:
                break
            slot = (slot + ONE) & last
            code = slots[slot]
        if step < 0:
            slots[slot] = known + step
            continue
        if code < 0:
            if count == firsts.shape[0]:
                return np.int64(row), count
            firsts[count] = row
            slots[slot] = code = count
            count += 1
        codes[row] = code
    return words.shape[0], count


def renumber(codes: NDArray[Any], table: NDArray[np.int64], labels: int) -> Codes:
    """Codes as table[codes], -1 staying -1, in the type for so many labels; no copy if nothing changes."""
    if codes.dtype == code_type(labels) and np.array_equal(table, np.arange(len(table))):
        return codes
    return _recoded(codes, table, labels)[0]


def narrow(codes: NDArray[Any], labels: int) -> tuple[Codes, NDArray[np.bool_]]:
    """Codes in the type for that many labels, and which of these occur."""
    out, seen = _recoded(codes, np.arange(labels), labels)
    return out, seen[1:]


def _recoded(codes: NDArray[Any], table: NDArray[np.int64], labels: int) -> tuple[Codes, NDArray[np.bool_]]:
    out = np.empty(len(codes), code_type(labels))
    seen = np.zeros(labels + 1, np.bool_)
    recode(codes, np.concatenate([[-1], table]).astype(out.dtype), out, seen)
    return out, seen


Step = Callable[[Codes, NDArray[np.int64], int, int], tuple[int, int]]
"""Codes rows from one on, given the codes, where each known value is first, and how many are known; see `row_codes`."""


def code_rows(
    words: NDArray[Any], go_on: Callable[[int, int], bool]
) -> tuple[Codes, NDArray[np.int64]] | None:
    """Code equal rows of words alike, by first appearance; also the row where each first appears; see `widening`."""
    return widening(lambda *known: row_codes(words, *known), len(words), go_on)


def widening(
    step: Step, rows: int, go_on: Callable[[int, int], bool]
) -> tuple[Codes, NDArray[np.int64]] | None:
    """Code rows by a step that stops where its table is full: the codes, and the row where each first appears.

    Begins with narrow codes and a small table, and widens both when they are full, if `go_on(rows, distinct)`
    says so; otherwise gives None.
    """
    codes: Codes = np.empty(rows, np.int8)
    firsts = np.empty(127, np.int64)
    row = count = 0
    while True:
        row, count = step(codes, firsts, row, count)
        if row == rows:
            return codes, firsts[:count]
        if not go_on(row, count):
            return None
        room = min(32767 if len(firsts) == 127 else 8 * len(firsts), rows)
        wide: Codes = np.empty(rows, code_type(room))
        wide[:row] = codes[:row]
        codes = wide
        firsts = np.concatenate([firsts, np.empty(room - len(firsts), np.int64)])


# Typed constants, because Numba turns a mix of unsigned and signed integers into floats.
ONE, THREE, FIVE, SEVEN = np.uint64(1), np.uint64(3), np.uint64(5), np.uint64(7)
EIGHT, REST, LAST = np.uint64(8), np.uint64(59), np.uint64(63)

MOST = 32767
"""Distinct values beyond which a dictionary is as quick."""


def code_text(column: "pa.Array") -> tuple[Codes, NDArray[np.int64]] | None:
    """Code equal values of a text array without nulls alike; also the row where each first appears.

    None where that would gain nothing: few rows, no compiler, or very many distinct values.
    """
    import pyarrow as pa

    if not text_codes.is_ready(len(column)):
        return None
    wide = pa.types.is_large_string(column.type)
    _, ends, data = column.buffers()
    offsets = np.frombuffer(ends, np.int64 if wide else np.int32)[column.offset :][: len(column) + 1]
    words = _padded(np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8), int(offsets[-1]))
    return widening(
        lambda *known: text_codes(offsets, words, *known), len(column), lambda _, distinct: distinct < MOST
    )


def _padded(data: NDArray[np.uint8], used: int) -> NDArray[np.uint64]:
    """Return the bytes as whole words, with one word to spare; copied only where they are short of that."""
    needed = used // 8 + 2
    if data.size < 8 * needed or data.ctypes.data % 8:
        padded = np.zeros(8 * needed, np.uint8)
        padded[:used] = data[:used]
        data = padded
    return data[: 8 * needed].view(np.uint64)


@KernelStep
def word_of(low: Any, high: Any, at: Any, left: Any) -> Any:
    """Return the word that begins at byte `at`, which lies in `low`, with zeros beyond the `left` bytes of its value.

    `high` is the word after it. It takes no array, because a call that takes one costs more than the work.
    """
    shift = (at & SEVEN) << THREE
    word = (low >> shift) | ((high << ONE) << (LAST - shift))
    if left < EIGHT:
        word &= (ONE << (left << THREE)) - ONE
    return word


@KernelStep
def is_same(words: Any, one: Any, other: Any, length: Any) -> Any:
    """Check whether two values of one length and one first word are equal."""
    done = EIGHT
    while done < length:
        at, to = (one + done) >> THREE, (other + done) >> THREE
        word = word_of(words[at], words[at + ONE], one + done, length - done)
        if word != word_of(words[to], words[to + ONE], other + done, length - done):
            return False
        done += EIGHT
    return True


def _text_codes(
    offsets: NDArray[Any],
    words: NDArray[np.uint64],
    codes: Codes,
    firsts: NDArray[np.int64],
    start: int,
    known: int,
) -> tuple[int, int]:
    data, at = words.tobytes(), offsets.tolist()
    met = {data[at[row] : at[row + 1]]: code for code, row in enumerate(firsts[:known].tolist())}
    for row in range(start, len(codes)):
        value = data[at[row] : at[row + 1]]
        if value not in met:
            if len(met) == len(firsts):
                return row, len(met)
            firsts[len(met)] = row
            met[value] = len(met)
        codes[row] = met[value]
    return len(codes), len(met)


@kernel(twin=_text_codes, assumes="offsets rise and end within words; codes has a place for every value")
def text_codes(offsets, words, codes, firsts, start, known):  # type: ignore[no-untyped-def]  # noqa: C901
    """Number the distinct values in order of first appearance; note in firsts where that is.

    Value i is the bytes from offsets[i] to before offsets[i + 1]. Begins at row `start`, with `known` values met
    before; stops where firsts is full. Gives the row where it stopped and the number of distinct values.
    """
    bits = 12  # so roomy that a few labels hardly ever collide, which would cost a mispredicted branch a row
    while (1 << bits) < 4 * firsts.shape[0]:
        bits += 1
    shift = np.uint64(64 - bits)
    last = np.uint64((1 << bits) - 1)
    slots = np.full(1 << bits, -1, np.int32)
    heads = np.empty(firsts.shape[0], np.uint64)  # the first word of each known value, which mostly decides
    lengths = np.empty(firsts.shape[0], np.uint64)
    count = known
    for step in range(-known, codes.shape[0] - start):  # the negative steps enter the known values
        row = np.uint64(firsts[known + step] if step < 0 else start + step)
        begin = np.uint64(offsets[row])
        length = np.uint64(offsets[row + ONE]) - begin
        place = begin >> THREE
        head = word_of(words[place], words[place + ONE], begin, length)
        mixed = (head ^ length) * GOLDEN
        done = EIGHT
        while done < length:
            place = (begin + done) >> THREE
            word = word_of(words[place], words[place + ONE], begin + done, length - done)
            mixed = (((mixed << FIVE) | (mixed >> REST)) ^ word) * GOLDEN
            done += EIGHT
        slot = mixed >> shift
        code = slots[slot]
        while code >= 0:
            met = np.uint64(code)
            if heads[met] == head and lengths[met] == length:
                if length <= EIGHT:
                    break
                if is_same(words, begin, np.uint64(offsets[np.uint64(firsts[met])]), length):
                    break
            slot = (slot + ONE) & last
            code = slots[slot]
        if step < 0:
            slots[slot] = code = known + step
            heads[code], lengths[code] = head, length
            continue
        if code < 0:
            if count == firsts.shape[0]:
                return np.int64(row), count
            firsts[count] = row
            heads[count], lengths[count] = head, length
            slots[slot] = code = count
            count += 1
        codes[row] = code
    return codes.shape[0], count
