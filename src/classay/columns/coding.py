"""Labels: a column of any kind becomes small integer codes, and the few distinct values become Python objects.

Compiled loops over plain memory code the rows (`kernels`); each form of column is led there by its quickest way:
plain Python and NumPy in `arrays`, Arrow's memory, which is read in place, here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.arrays import code_array, code_objects
from classay.columns.kernels import renumber
from classay.columns.opened import Categories, Masked, filled, in_numpy, opened, opened_list
from classay.columns.text import MOST, code_text
from classay.columns.values import Coded, build, build_ordered, build_used, refuse_shape, scatter
from classay.threads import thread_count, workers

if TYPE_CHECKING:
    import pyarrow as pa

Array = NDArray[Any]


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
        made = build_ordered if column.order == "declared" else build_used
        return made(column.codes, column.categories, name)
    return _from_arrow(column, name)


def code_columns(columns: Sequence[tuple[str, Any]]) -> list[tuple[str, Coded]]:
    """Code several columns, given as (name, values), each on a thread of its own where they are long.

    >>> [(name, coded.labels) for name, coded in code_columns([("truth", [0, 1]), ("prediction", [1, 1])])]
    [('truth', (0, 1)), ('prediction', (1,))]
    """
    rows = max(len(values) if hasattr(values, "__len__") else 0 for _, values in columns)
    with workers(min(len(columns), thread_count(rows))) as each:
        return each(lambda column: (column[0], code_labels(column[1], column[0])), columns)


def code_inferred(values: NDArray[np.object_], name: str) -> Coded | None:
    """Code objects of one plain type by PyArrow, or None where they are not."""
    import pyarrow as pa

    try:
        column = pa.array(values, from_pandas=True)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return None
    plain = (pa.string(), pa.large_string(), pa.int64(), pa.float64(), pa.bool_())
    return _from_arrow(column, name) if column.type in plain else None


def _from_arrow(column: pa.Array | pa.ChunkedArray, name: str) -> Coded:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return Coded((), np.full(len(column), -1, np.int8), "other", len(column))
    if pa.types.is_boolean(kind):
        return build_used(filled(column.cast(pa.int8())), [False, True], name)
    if column.null_count and not pa.types.is_nested(kind):
        return scatter(_from_arrow(column.drop_null(), name), in_numpy(column.is_valid()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return code_array(in_numpy(column), name)
    if isinstance(column, pa.ChunkedArray):
        column = _one_array(column)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return _from_text(column, name)
    return _from_values(column, name)


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
        return code_objects(column.to_pylist(), name)
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
