"""Codes of Arrow's text, read in place: offsets, and bytes one value after the other."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.kernels import Codes, widening
from classay.compiled import Part, can_compile, kernel, pays

if TYPE_CHECKING:
    import pyarrow as pa

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
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

    if not pays(len(column)) or not can_compile():
        return None
    wide = pa.types.is_large_string(column.type)
    _, ends, data = column.buffers()
    offsets = np.frombuffer(ends, np.int64 if wide else np.int32)[column.offset :][: len(column) + 1]
    words = _padded(np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8), int(offsets[-1]))
    return widening(
        lambda *known: text_codes(offsets, words, *known), len(column), lambda _, distinct: distinct < MOST
    )


def _padded(data: NDArray[np.uint8], used: int) -> NDArray[np.uint64]:
    """The bytes as whole words, with one word to spare; copied only where they are short of that."""
    needed = used // 8 + 2
    if data.size < 8 * needed or data.ctypes.data % 8:
        whole = np.zeros(8 * needed, np.uint8)
        whole[:used] = data[:used]
        data = whole
    return data[: 8 * needed].view(np.uint64)


@Part
def word_of(low: Any, high: Any, at: Any, left: Any) -> Any:
    """The word that begins at byte `at`, which lies in `low`, with zeros beyond the `left` bytes of its value.

    `high` is the word after it. It takes no array, because a call that takes one costs more than the work.
    """
    shift = (at & SEVEN) << THREE
    word = (low >> shift) | ((high << ONE) << (LAST - shift))
    if left < EIGHT:
        word &= (ONE << (left << THREE)) - ONE
    return word


@Part
def is_same(words: Any, one: Any, other: Any, length: Any) -> Any:
    """Whether two values of one length and one first word are equal."""
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


@kernel(
    twin=_text_codes,
    assumes="offsets rise and end within words; codes has a place for every value",
)
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
