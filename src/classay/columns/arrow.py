"""Codes from Arrow's memory, which is read in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.arrays import by_dict, code_plain
from classay.columns.kernels import renumber
from classay.columns.opened import filled, in_numpy, opened_list
from classay.columns.text import MOST, code_text
from classay.columns.values import Coded, build, build_used, scatter

if TYPE_CHECKING:
    import pyarrow as pa


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
    """The chunks as one array, of a type with longer offsets where they are too long for their own."""
    import pyarrow as pa

    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = column.cast(pa.large_binary() if pa.types.is_binary(column.type) else pa.large_string())
        whole = whole.combine_chunks()
    return whole


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

    if (found := code_text(column)) is not None:
        return build(found[0], column.take(pa.array(found[1])).to_pylist(), name)
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
