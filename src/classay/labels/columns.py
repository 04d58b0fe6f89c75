"""Codes from the columns of dataframes. Arrow's memory is read in place; other kinds are brought to Arrow."""

import sys
from collections.abc import Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.errors import InputError
from classay.labels.arrays import code_array, code_objects
from classay.labels.text import code_text
from classay.labels.values import Coded, build, build_used, refuse_shape, scatter

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


def code_column(values: Any, name: str) -> Coded:
    """Code a series of any dataframe library, or anything that gives an array or can be listed."""
    pandas, arrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    if arrow is not None and isinstance(values, (arrow.Array, arrow.ChunkedArray)):
        return _from_arrow(values, name)
    if pandas is not None:
        if isinstance(values, (pandas.Series, pandas.Index)):
            return _from_pandas(values.array, name)
        if isinstance(values, pandas.api.extensions.ExtensionArray):
            return _from_pandas(values, name)
    if hasattr(values, "to_arrow") or hasattr(values, "to_native"):
        return _from_series(values, name)
    if hasattr(values, "__array__"):
        array = np.asarray(values)
        refuse_shape(array.shape, name)
        return code_array(array, name)
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping, Set)):
        return code_objects(list(values), name)
    raise _no_column(values, name)


def code_inferred(values: "NDArray[np.object_]", name: str) -> Coded | None:
    """Code objects of one plain type by PyArrow, or None where they are not."""
    import pyarrow as pa

    try:
        column = pa.array(values, from_pandas=True)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return None
    plain = (pa.string(), pa.large_string(), pa.int64(), pa.float64(), pa.bool_())
    return _from_arrow(column, name) if column.type in plain else None


def _no_column(values: Any, name: str) -> InputError:
    kind = type(values).__name__
    return InputError(f"{name} is of type {kind}: pass a list, an array or a series, one label a row.")


def _from_series(values: Any, name: str) -> Coded:
    import narwhals as nw

    try:
        series = nw.from_native(values, series_only=True)
    except TypeError:  # a lazy frame, or an object that only has a method of that name
        raise _no_column(values, name) from None
    native = series.to_native()
    if native is not values:
        return code_column(native, name)
    if series.dtype == nw.Object:
        return code_objects(series.to_list(), name)
    return _from_arrow(series.to_arrow(), name)


def _from_pandas(values: Any, name: str) -> Coded:
    pandas = sys.modules["pandas"]
    if isinstance(values.dtype, pandas.CategoricalDtype):
        return build_used(values.codes, values.categories.tolist(), name)
    if isinstance(values.dtype, (pandas.StringDtype, pandas.ArrowDtype)) or (
        values.dtype.kind in "biuf" and hasattr(values, "__arrow_array__")
    ):
        import pyarrow as pa

        return _from_arrow(pa.array(values), name)
    return code_array(np.asarray(values), name)


def _from_arrow(column: "pa.Array | pa.ChunkedArray", name: str) -> Coded:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_run_end_encoded(kind):
        import pyarrow.compute as pc

        return _from_arrow(pc.run_end_decode(column), name)
    if pa.types.is_null(kind):
        return Coded((), np.full(len(column), -1, np.int8), "other", len(column))
    if pa.types.is_boolean(kind):
        return build_used(_filled(column.cast(pa.int8())), [False, True], name)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _from_arrow_numbers(column, name)
    return _from_dictionary(column, name) if pa.types.is_dictionary(kind) else _from_values(column, name)


def _from_values(column: "pa.Array | pa.ChunkedArray", name: str) -> Coded:
    import pyarrow as pa

    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if is_text and (coded := _from_text(column, name)):
        return coded
    try:
        return _from_dictionary(column.dictionary_encode(), name)
    except pa.ArrowNotImplementedError:  # lists, structs
        return code_objects(column.to_pylist(), name)


def _from_arrow_numbers(column: "pa.Array | pa.ChunkedArray", name: str) -> Coded:
    if not column.null_count:
        return code_array(_numpy(column), name)
    valid = _numpy(column.is_valid())
    return scatter(code_array(_numpy(column.drop_null()), name), valid)


def _from_text(column: "pa.Array | pa.ChunkedArray", name: str) -> Coded | None:
    """Code text by its bytes; None where a dictionary is as quick."""
    import pyarrow as pa

    if column.null_count:
        coded = _from_text(column.drop_null(), name)
        return coded and scatter(coded, _numpy(column.is_valid()))
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # too long for one array of its type
            return None
    found = code_text(column)
    return found and build(found[0], column.take(pa.array(found[1])).to_pylist(), name)


def _from_dictionary(column: "pa.Array | pa.ChunkedArray", name: str) -> Coded:
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return build_used(_filled(column.indices), column.dictionary.to_pylist(), name)
    if not column.num_chunks:
        return build_used(np.empty(0, np.int8), [], name)
    column = column.unify_dictionaries()
    indices = pa.chunked_array([chunk.indices for chunk in column.chunks])
    return build_used(_filled(indices), column.chunk(0).dictionary.to_pylist(), name)


def _filled(indices: "pa.Array | pa.ChunkedArray") -> "NDArray[Any]":
    import pyarrow as pa

    if indices.null_count:
        if pa.types.is_unsigned_integer(indices.type):
            indices = indices.cast(pa.int64())
        indices = indices.fill_null(-1)
    return _numpy(indices)


def _numpy(column: "pa.Array | pa.ChunkedArray") -> "NDArray[Any]":
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    array: NDArray[Any]
    if column.null_count == 0 and (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        array = np.from_dlpack(column)  # `to_numpy` would import pandas, which takes longer than the work
    else:
        array = column.to_numpy(zero_copy_only=False)
    return array
