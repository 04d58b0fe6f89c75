"""Ids: brought to one type in which equal ids are equal, and hashes that are the same on every machine."""

from __future__ import annotations

import uuid
from contextlib import suppress
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.kernels import GOLDEN, mixed
from classay.columns.numbers import counted
from classay.columns.opened import Categories, Masked, in_numpy, opened
from classay.columns.values import is_missing
from classay.compiled import kernel
from classay.errors import InputError

Array = NDArray[Any]


def _long() -> Any:
    """The type of whole numbers beyond 64 bits."""
    import pyarrow as pa

    return pa.decimal128(38, 0)


_START, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


def hash_column(values: Any, name: str) -> Array:
    """64-bit hashes of a column of ids, `(rows,)`: of whole numbers of 64 bits by value, of all else by text.

    A whole number has one hash, whatever others are in its column, unless these are fractions.

    Any column that `opened` takes. 7 and "7" are different ids, 7 and 7.0 the same. Raises InputError where one is
    missing, and for values that are no ids (lists, structs, several kinds).

    >>> hash_column(["a", "b", "a"], "id")[[0, 2]].tolist() == [hash_text("a")] * 2
    True
    """
    column = opened(values, name)
    if (
        isinstance(column, np.ndarray)
        and column.ndim == 1
        and column.dtype.kind in "iu"
        and not _is_long(column)
    ):
        return hash_numbers(column.astype(np.int64).view(np.uint64))
    import pyarrow as pa

    found = _ids(column, name)
    if pa.types.is_decimal(found.type):
        return _hashes_of_long(found)
    return _hashes(found)


def _hashes(found: Any) -> Array:
    """Those of a column that `id_column` made, but for whole numbers beyond 64 bits."""
    import pyarrow as pa

    if pa.types.is_integer(found.type):
        return hash_numbers(in_numpy(found).view(np.uint64))
    binary = found.cast(pa.large_binary())
    offsets = np.frombuffer(binary.buffers()[1], np.int64)[binary.offset :][: len(binary) + 1]
    data = binary.buffers()[2]
    text = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return hash_numbers(hash_texts(offsets, text))


def _hashes_of_long(numbers: Any) -> Array:
    """Those of whole numbers of which some are beyond 64 bits: these by their texts, the others by value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = (pa.scalar(end, _long()) for end in (-(2**63), 2**63 - 1))
    is_short = pc.and_(pc.greater_equal(numbers, next(ends)), pc.less_equal(numbers, next(ends)))
    short = is_short.to_numpy(zero_copy_only=False)
    found = np.empty(len(numbers), np.uint64)
    found[short] = _hashes(numbers.filter(is_short).cast(pa.int64()))
    found[~short] = _hashes(numbers.filter(pc.invert(is_short)).cast(pa.large_string()))
    return found


def id_column(values: Any, name: str) -> Any:
    """A column of ids as one Arrow array in which equal ids are equal: int64, decimal, large_string or large_binary.

    Whole numbers, also those that come as floats or decimals, are int64, or decimals of 38 digits where one is beyond
    it; text and bytes stay; times, UUIDs, truth values and other numbers are their text. Raises InputError as
    `hash_column` does.

    >>> id_column(np.array([1.0, 2.0]), "id").to_pylist()
    [1, 2]
    """
    return _ids(opened(values, name), name)


def _is_long(values: Array) -> bool:
    return bool(values.dtype == np.uint64 and values.size and values.max() >= 2**63)


def _ids(column: Any, name: str) -> Any:
    import pyarrow as pa

    try:
        if isinstance(column, Categories):
            gone = np.array([*map(is_missing, column.categories), True])[column.codes]
            _refuse_missing(int(gone.sum()), name)
            used = np.unique(column.codes)
            known = _ids([column.categories[i] for i in used.tolist()], name)
            return known.take(pa.array(np.searchsorted(used, column.codes)))
        if isinstance(column, Masked):
            _refuse_missing(int((~column.valid).sum()), name)
            column = column.values
        if isinstance(column, (list, tuple)):
            column = _of_list(column)
        elif isinstance(column, np.ndarray):
            column = (
                _of_list(column.tolist())
                if column.dtype.kind in "OVS"
                else pa.array(column, from_pandas=True)
            )
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        _refuse_missing(column.null_count + _nans(column), name)
        return _plain(column)
    except (pa.ArrowException, TypeError, OverflowError, UnicodeError) as error:
        why = " ".join(str(error).split())[:80]
        raise InputError(
            f"{name} is no column of ids ({why}): pass numbers or texts, one a row, all of one kind."
        ) from error


def _refuse_missing(count: int, name: str) -> None:
    if count:
        raise InputError(f"{name} is missing in {counted(count)}: every row needs one.")


def _nans(column: Any) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    return int(pc.sum(pc.is_nan(column)).as_py() or 0) if pa.types.is_floating(column.type) else 0


def _of_list(values: Any) -> Any:
    """Python's values as an Arrow array; UUIDs, and whole numbers beyond 64 bits, as text."""
    import pyarrow as pa

    kinds = {*map(type, values)}
    if kinds == {uuid.UUID}:
        return pa.array([*map(str, values)], pa.large_string())
    try:
        return pa.array(values, from_pandas=True)
    except OverflowError:
        if not all(issubclass(kind, int) for kind in kinds):
            raise
        if all(abs(value) < 10**38 for value in values):
            return pa.array([*map(Decimal, values)], _long())
        return pa.array([*map(str, values)], pa.large_string())


def _plain(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_integer(kind):
        is_long = kind == pa.uint64() and len(column) and pc.max(column).as_py() >= 2**63
        return column.cast(_long() if is_long else pa.int64())
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        for whole in (pa.int64(), *((_long(),) if pa.types.is_decimal(kind) else ())):
            with suppress(pa.ArrowInvalid):  # fractions, or beyond 64 bits, or 38 digits
                return column.cast(whole)
        return column.cast(pa.large_string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return column.cast(pa.large_binary())
    if pa.types.is_timestamp(kind) and kind.unit != "us":  # one way to write a time, whatever its unit
        with suppress(pa.ArrowInvalid):
            column = column.cast(pa.timestamp("us", kind.tz))
    return column.cast(pa.large_string())


def hash_text(text: str) -> int:
    """The hash of one text."""
    data = np.frombuffer(text.encode(), np.uint8)
    return int(hash_numbers(hash_texts(np.array([0, data.size]), data))[0])


def hash_numbers(numbers: Array) -> Array:
    """Hashes of whole numbers, or of hashes that keep to some of the bits."""
    return np.asarray(mixed(numbers + GOLDEN))


def _hash_texts(offsets: Array, data: Array) -> Array:
    lengths = np.diff(offsets)
    state = np.full(lengths.size, _START)
    for place in range(int(lengths.max(initial=0))):
        at = np.flatnonzero(lengths > place)
        state[at] = (state[at] ^ data[offsets[at] + place].astype(np.uint64)) * _PRIME
    return state


@kernel(twin=_hash_texts, assumes="offsets rise and end within data", nanoseconds=170)
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
