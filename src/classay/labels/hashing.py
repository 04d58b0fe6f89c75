"""Hashes of ids that are the same in every process and on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.errors import InputError
from classay.numeric import counted

Array = NDArray[Any]

_START, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


def hash_column(values: Any, name: str) -> Array:
    """64-bit hashes of a column of ids, `(rows,)`: of whole numbers by value, of all else by its text.

    Lists, arrays, Series or Arrow columns. 7 and "7" are different ids. Raises InputError where one is missing.

    >>> hash_column(["a", "b", "a"], "id")[[0, 2]].tolist() == [hash_text("a")] * 2
    True
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return mixed(values.astype(np.int64).view(np.uint64))
    column = _arrow(values, name)
    if column.null_count:
        raise InputError(f"{name} is missing in {counted(column.null_count)}: every row needs one.")
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        return mixed(column.cast(pa.int64()).to_numpy().view(np.uint64))
    if not pa.types.is_large_binary(column.type):
        column = pc.cast(column, pa.large_string()).cast(pa.large_binary())
    offsets = np.frombuffer(column.buffers()[1], np.int64)[column.offset :][: len(column) + 1]
    data = column.buffers()[2]
    text = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return mixed(hash_texts(offsets, text))


def hash_text(text: str) -> int:
    """The hash of one text."""
    data = np.frombuffer(text.encode(), np.uint8)
    return int(mixed(hash_texts(np.array([0, data.size]), data))[0])


def mixed(state: Array) -> Array:
    """Spread the bits of whole numbers: the finalizer of SplitMix64. Steele, Lea & Flood 2014, OOPSLA."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(state ^ (state >> np.uint64(31)))


def _hash_texts(offsets: Array, data: Array) -> Array:
    lengths = np.diff(offsets)
    state = np.full(lengths.size, _START)
    for place in range(int(lengths.max(initial=0))):
        at = np.flatnonzero(lengths > place)
        state[at] = (state[at] ^ data[offsets[at] + place].astype(np.uint64)) * _PRIME
    return state


@kernel(
    twin=_hash_texts,
    assumes="offsets rise, from 0 on, and end within data",
)
def hash_texts(offsets: Array, data: Array) -> Array:
    """FNV-1a of the texts between the offsets. Fowler, Noll & Vo, draft-eastlake-fnv."""
    n = offsets.shape[0] - 1
    found = np.empty(n, np.uint64)
    for i in range(n):
        state = np.uint64(0xCBF29CE484222325)
        for place in range(offsets[i], offsets[i + 1]):
            state = (state ^ np.uint64(data[place])) * np.uint64(0x100000001B3)
        found[i] = state
    return found


def _arrow(values: Any, name: str) -> Any:
    """The values as one Arrow array."""
    import pyarrow as pa

    try:
        if isinstance(values, pa.ChunkedArray):
            return values.combine_chunks()
        if isinstance(values, pa.Array):
            return values
        if hasattr(values, "to_arrow"):
            return _arrow(values.to_arrow(), name)
        return pa.array(values if hasattr(values, "__array__") else list(values), from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(
            f"{name} is no column of ids ({error}): pass numbers or texts, one a row, all of one kind."
        ) from error
