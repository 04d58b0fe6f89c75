"""Labels and ids as codes: labels as small integers with their few distinct values, ids in one type and as hashes.

Compiled loops over plain memory code the rows (`kernels`). Each form of column reaches them by its quickest way:
NumPy's memory as it is, Arrow's memory read in place, Python objects by their addresses, by Arrow, or one by one.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.kernels import (
    GOLDEN,
    MOST,
    SPAN,
    WIDEST,
    Codes,
    code_rows,
    code_text,
    code_type,
    mixed,
    near_codes,
    renumber,
    wide_codes,
)
from classay.columns.numbers import counted
from classay.columns.opened import Categories, Masked, filled, in_numpy, opened, opened_list, single_column
from classay.columns.values import (
    Coded,
    build,
    build_ordered,
    build_used,
    is_missing,
    refuse_score_share,
    refuse_shape,
    refuse_unhashable,
    scatter,
)
from classay.compiled import kernel, pays, thread_count, workers
from classay.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


def code_plain(values: NDArray[Any], name: str) -> Coded:
    """Code an array of one dimension, of any dtype; Python objects one by one."""
    if not len(values):
        return Coded((), np.empty(0, np.int8), "other", 0)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype.char == "g":  # long doubles have unused bytes, in which equal values may differ
        values = values.astype(np.float64)
    values = np.ascontiguousarray(values)
    kind = values.dtype.kind
    if kind not in _BY_KIND or not values.itemsize:
        return by_dict(values.tolist(), name)
    return _BY_KIND[kind](values, name)


def _from_booleans(values: NDArray[Any], _name: str) -> Coded:
    if values.any() and not values.all():
        return Coded((False, True), values.view(np.int8), "boolean", 0)
    return Coded((bool(values[0]),), np.zeros(len(values), np.int8), "boolean", 0)


def _from_integers(values: NDArray[Any], _name: str) -> Coded:
    # Guess the range from a block and a sample; the loop checks it, so that most columns are read only once.
    sample = np.concatenate([values[:1024], values[:: len(values) // 1024 + 1]])
    if (coded := _from_near(values, int(sample.min()), int(sample.max()))) is not None:
        return coded
    low, high = int(values.min()), int(values.max())
    if (coded := _from_near(values, low, high)) is not None:
        return coded
    if high - low >= min(WIDEST, 16 * len(values)):
        return _from_far(values)
    codes: Codes = np.empty(len(values), code_type(high - low + 1))
    seen = np.zeros(high - low + 1, np.bool_)
    wide_codes(*_signed(values, low), codes, seen)
    return _from_offsets(low, np.flatnonzero(seen), codes)


def _from_near(values: NDArray[Any], low: int, high: int) -> Coded | None:
    if high - low >= SPAN:
        return None
    codes: Codes = np.empty(len(values), np.int8)
    seen = int(near_codes(*_signed(values, low), codes))
    offsets = np.array([offset for offset in range(SPAN) if seen >> offset & 1], np.int64)
    return _from_offsets(low, offsets, codes) if seen else None


def _from_offsets(low: int, offsets: NDArray[np.int64], codes: Codes) -> Coded:
    """Turn the offsets that occur into labels, and the codes, which are offsets from low, to match."""
    table = np.zeros(int(offsets[-1]) + 1, np.int64)
    table[offsets] = np.arange(len(offsets))
    labels = tuple(low + offset for offset in offsets.tolist())
    return Coded(labels, renumber(codes, table, len(labels)), "number", 0)


def _from_far(values: NDArray[Any]) -> Coded:
    codes, firsts = _all_rows(_words(values))
    distinct = values[firsts]
    order = np.argsort(distinct)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return Coded(tuple(distinct[order].tolist()), renumber(codes, rank, len(rank)), "number", 0)


def _signed(values: NDArray[Any], low: int) -> tuple[NDArray[Any], int]:
    """Values and low, as int64 if they are uint64: the loops subtract modulo 2^64, so offsets stay right."""
    if values.dtype != np.uint64:
        return values, low
    return values.view(np.int64), low - (1 << 64 if low >= 1 << 63 else 0)


def _from_floats(values: NDArray[Any], name: str) -> Coded:
    def go_on(rows: int, distinct: int) -> bool:
        if distinct == 127:  # many values: see that they are no scores before millions become Python objects
            fractional = values[np.isfinite(values) & (values != np.trunc(values))]
            if len(fractional) > 0.2 * len(values):
                unique = np.unique(fractional)
                refuse_score_share(len(unique), len(fractional), len(values), float(unique[0]), name)
        return True

    coded = code_rows(_words(values), go_on)
    assert coded is not None
    # Bit patterns, not numbers, were told apart: `build` merges 0.0 with -0.0 and all kinds of NaN.
    return build(coded[0], values[coded[1]].tolist(), name)


def _from_items(values: NDArray[Any], name: str) -> Coded:
    codes, firsts = _all_rows(_words(values))
    return build(codes, list(values[firsts]), name)


_BY_KIND: dict[str, Callable[[NDArray[Any], str], Coded]] = {
    "b": _from_booleans,
    "i": _from_integers,
    "u": _from_integers,
    "f": _from_floats,
} | dict.fromkeys("USMm", _from_items)


def by_dict(values: Sequence[Any], name: str) -> Coded:
    """Code Python values one by one."""
    try:
        distinct = list(dict.fromkeys(values))
    except TypeError:
        for value in values:
            refuse_unhashable(value, name)
        raise
    index = {value: code for code, value in enumerate(distinct)}
    codes = np.fromiter(map(index.__getitem__, values), code_type(len(index)), len(values))
    return build(codes, distinct, name)


def _words(values: NDArray[Any]) -> NDArray[Any]:
    """Return the bytes of each item as a row of the widest unsigned integers that divide it."""
    size = next(size for size in (8, 4, 2, 1) if values.itemsize % size == 0)
    return values.view(np.uint8).view(f"u{size}").reshape(len(values), -1)


def _all_rows(words: NDArray[Any]) -> tuple[Codes, NDArray[np.int64]]:
    coded = code_rows(words, lambda rows, distinct: True)
    assert coded is not None
    return coded


def code_arrow(column: pa.Array | pa.ChunkedArray, name: str) -> Coded:
    """Code an Arrow column of any type."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return Coded((), np.full(len(column), -1, np.int8), "other", len(column))
    if pa.types.is_boolean(kind):
        return build_used(filled(column.cast(pa.int8())), [False, True], name)
    if column.null_count and not pa.types.is_nested(kind):
        return scatter(code_arrow(column.drop_null(), name), in_numpy(column.is_valid()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return code_plain(in_numpy(column), name)
    if isinstance(column, pa.ChunkedArray):
        column = _one_array(column)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return _from_text(column, name)
    return _from_values(column, name)


def array_of(values: NDArray[Any]) -> pa.Array:
    """Numbers as an Arrow array, over the same memory; `pyarrow.array` would import pandas where it is installed.

    >>> array_of(np.array([3, 1])).to_pylist()
    [3, 1]
    """
    import pyarrow as pa

    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    """Return the chunks as one array, of a type with longer offsets where they are too long for their own."""
    import pyarrow as pa

    array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = column.cast(pa.large_binary() if pa.types.is_binary(column.type) else pa.large_string())
        array = array.combine_chunks()
    return array


def _from_values(column: pa.Array, name: str) -> Coded:
    import pyarrow as pa

    try:
        coded = column.dictionary_encode()
    except pa.ArrowNotImplementedError:  # lists, structs
        return by_dict(column.to_pylist(), name)
    return build_used(in_numpy(coded.indices), opened_list(coded.dictionary), name)


def _from_text(column: pa.Array, name: str) -> Coded:
    """Code text without missing values by its bytes where few are distinct, otherwise by a dictionary."""
    import pyarrow as pa

    if (coded_text := code_text(column)) is not None:
        return build(coded_text[0], column.take(pa.array(coded_text[1])).to_pylist(), name)
    coded = column.dictionary_encode()
    if len(coded.dictionary) <= MOST:
        return build(in_numpy(coded.indices), coded.dictionary.to_pylist(), name)
    import pyarrow.compute as pc

    # Arrow sorts text by its bytes, which is the order of Python's, and need not make objects of it.
    order = in_numpy(pc.sort_indices(coded.dictionary))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    labels = tuple(coded.dictionary.take(pa.array(order)).to_pylist())
    return Coded(labels, renumber(in_numpy(coded.indices), rank, len(labels)), "text", 0)


def code_objects(values: Sequence[Any], name: str) -> Coded:
    """Code a list or tuple of Python values."""
    if not pays(len(values)):
        return by_dict(values, name)
    return _by_pointer(np.fromiter(values, object, len(values)), name)


def code_array(values: NDArray[Any], name: str) -> Coded:
    """Code an array of one dimension, of any dtype."""
    if values.dtype.kind == "O" and pays(len(values)):
        return _by_pointer(np.ascontiguousarray(values), name)
    return code_plain(values, name)


def _by_pointer(values: NDArray[np.object_], name: str) -> Coded:
    """Code Python objects by their addresses: equal values are mostly one object, and none has to be touched.

    Distinct objects may still be equal: `build` merges them. Where nearly every row has its own object, this
    gains nothing, and PyArrow or a dict reads the values. `values` stays alive, and so do the addresses.
    """
    addresses = np.ndarray((len(values), 1), np.uintp, buffer=values)
    coded = code_rows(addresses, lambda rows, distinct: distinct < 32767 or 10 * distinct < rows)
    if coded is not None:
        return build(coded[0], values[coded[1]].tolist(), name)
    return _inferred(values, name) or by_dict(values.tolist(), name)


def _inferred(values: NDArray[np.object_], name: str) -> Coded | None:
    """Code objects of one plain type by PyArrow, or None where they are not."""
    import pyarrow as pa

    try:
        column = pa.array(values, from_pandas=True)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return None
    plain = (pa.string(), pa.large_string(), pa.int64(), pa.float64(), pa.bool_())
    return code_arrow(column, name) if column.type in plain else None


def code_labels(values: Any, name: str) -> Coded:
    """Code one column of labels, of any kind that `opened` takes.

    values: one label a row, shape (n,): booleans, integers, text, dates, or any hashable Python values.
    name: what the column is, for the errors: "truth", "prediction", "cluster".
    Ordered categories keep their order. Raises InputError: more than one label a row; text among numbers; values that
    cannot be hashed; infinities; scores.

    >>> coded = code_labels(["ham", "spam", None, "ham"], "truth")
    >>> coded.labels, coded.codes.tolist(), coded.missing
    (('ham', 'spam'), [0, 1, -1, 0], 1)
    """
    values = single_column(values)
    refuse_shape(getattr(values, "shape", None), name)
    column = opened(values, name)
    if isinstance(column, (list, tuple)):
        return code_objects(column, name)
    if isinstance(column, np.ndarray):
        refuse_shape(column.shape, name)
        return code_array(column, name)
    if isinstance(column, Masked):
        return scatter(code_array(column.values[column.valid], name), column.valid)
    if isinstance(column, Categories):
        builder = build_ordered if column.order == "declared" else build_used
        return builder(column.codes, column.categories, name)
    return code_arrow(column, name)


def code_columns(columns: Sequence[tuple[str, Any]]) -> list[tuple[str, Coded]]:
    """Code several columns, given as (name, values), each on a thread of its own where they are long.

    >>> [(name, coded.labels) for name, coded in code_columns([("truth", [0, 1]), ("prediction", [1, 1])])]
    [('truth', (0, 1)), ('prediction', (1,))]
    """
    columns = [(name, single_column(values)) for name, values in columns]
    for name, values in columns:
        refuse_shape(getattr(values, "shape", None), name)
    rows = max(len(values) if hasattr(values, "__len__") else 0 for _, values in columns)
    with workers(min(len(columns), thread_count(rows))) as pmap:
        return pmap(lambda column: (column[0], code_labels(column[1], column[0])), columns)


Array = NDArray[Any]


def _long() -> Any:
    """Return the type of whole numbers beyond 64 bits."""
    import pyarrow as pa

    return pa.decimal128(38, 0)


_START, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


def hash_column(values: Any, name: str) -> Array:
    """64-bit hashes of a column of ids, `(rows,)`: whole numbers of 64 bits by value, all else by text.

    A whole number has the same hash whatever other numbers are in its column.

    Any column that `opened` takes. 7 and "7" are different ids, 7 and 7.0 the same. Raises InputError where one is
    missing, and for values that are no ids (lists, structs, several kinds).

    >>> hash_column(["a", "b", "a"], "id")[[0, 2]].tolist() == [hash_text("a")] * 2
    True
    """
    column = opened(single_column(values), name)
    if (
        isinstance(column, np.ndarray)
        and column.ndim == 1
        and column.dtype.kind in "iu"
        and not _is_long(column)
    ):
        return hash_numbers(column.astype(np.int64).view(np.uint64))
    hashes: Array = _of_ids(column, name, _hashed)
    return hashes


def _hashed(ids: Any) -> Array:
    """Hashes of ids as they come: of numbers whole ones of 64 bits by value, the others by the text of `id_column`."""
    import pyarrow as pa

    plain = _plain(ids)
    kind = ids.type
    is_number = pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_uint64(kind)
    if not is_number or pa.types.is_integer(plain.type):
        return _hashes(plain)
    short = _are_short(plain if pa.types.is_decimal(plain.type) else ids)
    hashes = np.empty(len(ids), np.uint64)
    hashes[short] = _hashes(ids.filter(pa.array(short)).cast(pa.int64()))
    hashes[~short] = _hashes(plain.filter(pa.array(~short)).cast(pa.large_string()))
    return hashes


def _hashes(ids: Any) -> Array:
    """Return those of a column that `id_column` made, of whole numbers of 64 bits or of texts."""
    import pyarrow as pa

    if pa.types.is_integer(ids.type):
        return hash_numbers(in_numpy(ids).view(np.uint64))
    binary = ids.cast(pa.large_binary())
    offsets = np.frombuffer(binary.buffers()[1], np.int64)[binary.offset :][: len(binary) + 1]
    data = binary.buffers()[2]
    text = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return hash_numbers(hash_texts(offsets, text))


def _are_short(numbers: Any) -> Array:
    """Return which numbers are whole ones of 64 bits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(numbers.type):
        values = in_numpy(numbers).astype(np.float64)
        return np.asarray((values == np.trunc(values)) & (values >= -(2.0**63)) & (values < 2.0**63))
    short: Array = in_numpy(pc.equal(pc.trunc(numbers), numbers))
    kind = pa.decimal256(76, 0)
    integers = numbers.filter(pa.array(short)).cast(kind)
    low, high = (pa.scalar(Decimal(end), kind) for end in (-(2**63), 2**63 - 1))
    short[short] = in_numpy(pc.and_(pc.greater_equal(integers, low), pc.less_equal(integers, high)))
    return short


def id_column(values: Any, name: str) -> Any:
    """A column of ids as one Arrow array in which equal ids are equal: int64, decimal, large_string or large_binary.

    Whole numbers, also those that come as floats or decimals, are int64, or decimals of 38 digits where one is beyond
    it; text and bytes stay; times, UUIDs, truth values and other numbers are their text. Raises InputError as
    `hash_column` does.

    >>> id_column(np.array([1.0, 2.0]), "id").to_pylist()
    [1, 2]
    """
    return _of_ids(opened(single_column(values), name), name, _plain)


def _is_long(values: Array) -> bool:
    return bool(values.dtype == np.uint64 and values.size and values.max() >= 2**63)


def _of_ids(column: Any, name: str, convert: Callable[[Any], Any]) -> Any:
    """Return what is made of a column of ids as one Arrow array, of the type that it comes in."""
    import pyarrow as pa

    try:
        if isinstance(column, Categories):
            gone = np.array([*map(is_missing, column.categories), True])[column.codes]
            _refuse_missing(int(gone.sum()), name)
            used = np.unique(column.codes)
            known = convert(_of_list([column.categories[i] for i in used.tolist()]))
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
        return convert(column)
    except (pa.ArrowException, TypeError, OverflowError, UnicodeError) as error:
        why = " ".join(str(error).split())[:80]
        raise InputError(
            f"{name} is not a column of ids ({why}). Pass numbers or texts of one kind, with one value per row."
        ) from error


def _refuse_missing(count: int, name: str) -> None:
    if count:
        raise InputError(f"{name} has missing values in {counted(count)}. Every row needs a value.")


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
        for integer_type in (pa.int64(), *((_long(),) if pa.types.is_decimal(kind) else ())):
            with suppress(pa.ArrowInvalid):  # fractions, or beyond 64 bits, or 38 digits
                return column.cast(integer_type)
        return column.cast(pa.large_string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return column.cast(pa.large_binary())
    if pa.types.is_timestamp(kind) and kind.unit != "us":  # one way to write a time, whatever its unit
        with suppress(pa.ArrowInvalid):
            column = column.cast(pa.timestamp("us", kind.tz))
    return column.cast(pa.large_string())


def hash_text(text: str) -> int:
    """Return the hash of one text."""
    data = np.frombuffer(text.encode(), np.uint8)
    return int(hash_numbers(hash_texts(np.array([0, data.size]), data))[0])


def hash_numbers(numbers: Array) -> Array:
    """Hashes of whole numbers, or of hashes that keep to some of the bits."""
    return np.asarray(mixed(numbers + GOLDEN))


FEW_TEXTS = 64
"""So few texts are hashed byte after byte: a step of NumPy takes as long as 64 bytes do."""


def _hash_texts(offsets: Array, data: Array) -> Array:
    lengths = np.diff(offsets)
    state, longer, place = np.full(lengths.size, _START), np.flatnonzero(lengths), 0
    while longer.size >= FEW_TEXTS:
        state[longer] = (state[longer] ^ data[offsets[longer] + place].astype(np.uint64)) * _PRIME
        place += 1
        longer = longer[lengths[longer] > place]
    for text in longer:
        rest = data[offsets[text] + place : offsets[text + 1]].tobytes()
        state[text] = reduce(_with_byte, rest, int(state[text]))
    return state


def _with_byte(state: int, byte: int) -> int:
    return (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF


@kernel(twin=_hash_texts, assumes="offsets rise and end within data", nanoseconds=170)
def hash_texts(offsets: Array, data: Array) -> Array:
    """FNV-1a of the texts between the offsets. Fowler, Noll & Vo, draft-eastlake-fnv."""
    n = offsets.shape[0] - 1
    hashes = np.empty(n, np.uint64)
    for i in range(n):
        state = np.uint64(0xCBF29CE484222325)
        for place in range(offsets[i], offsets[i + 1]):
            state = (state ^ np.uint64(data[place])) * np.uint64(0x100000001B3)
        hashes[i] = state
    return hashes
