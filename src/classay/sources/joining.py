"""Rows of several sources brought into one order, by an id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.numeric import counted

Array = NDArray[Any]


def orders_by_id(ids: Mapping[str, Any]) -> dict[str, Array]:
    """For each source, where the rows of the first one's ids stand in it; `ids` are columns of any one kind.

    Raises InputError for an id that is missing, that occurs twice in a source, or that another source lacks,
    with their numbers and an example.

    >>> orders_by_id({"new": ["a", "b", "c"], "old": ["c", "a", "b"]})["old"]
    array([1, 2, 0])
    """
    import pyarrow as pa

    columns = _alike({name: _as_arrow(column, name) for name, column in ids.items()})
    for name, column in columns.items():
        if column.null_count:
            raise InputError(
                f"the id of {name} is missing in {counted(column.null_count)}: every row needs its id."
            )
    coded = pa.concat_arrays(list(columns.values())).dictionary_encode()
    codes = np.split(coded.indices.to_numpy(), np.cumsum([len(each) for each in columns.values()])[:-1])
    found = dict(zip(columns, codes, strict=True))
    for name, code in found.items():
        times = np.bincount(code)
        if times.size and times.max() > 1:
            raise InputError(
                f"{int((times > 1).sum()):,} ids occur more than once in {name}, such as "
                f"{coded.dictionary[int(times.argmax())].as_py()!r}: keep one row of each, or name a column that "
                "tells them apart."
            )
    _refuse_unmatched(found, coded.dictionary)
    orders = {}
    for name, code in found.items():
        at = np.empty(len(coded.dictionary), np.intp)
        at[code] = np.arange(code.size)
        orders[name] = at[codes[0]]
    return orders


def _as_arrow(column: Any, name: str) -> Any:
    """A column of ids as one Arrow array: whole numbers in 64 bits, text, or what else they are."""
    import pyarrow as pa

    try:
        if hasattr(column, "to_arrow"):
            column = column.to_arrow()
        array = (
            column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column, from_pandas=True)
        )
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if pa.types.is_integer(array.type):
            return array.cast(pa.int64())
        return array.cast(pa.large_string()) if _is_text(array.type) else array
    except (pa.ArrowException, TypeError) as error:
        raise InputError(
            f"the ids of {name} are of several kinds or no plain values: pass a column of text or of numbers."
        ) from error


def _alike(columns: dict[str, Any]) -> dict[str, Any]:
    kinds = {str(column.type): name for name, column in columns.items()}
    if len(kinds) > 1:
        told = ", ".join(f"{name} {kind}" for kind, name in kinds.items())
        raise InputError(f"the ids are of different types ({told}): convert one of them.")
    return columns


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _refuse_unmatched(codes: Mapping[str, Array], ids: Any) -> None:
    inside = {name: np.bincount(code, minlength=len(ids)) > 0 for name, code in codes.items()}
    first = next(iter(codes))
    for name, known in inside.items():
        lacking, extra = inside[first] & ~known, known & ~inside[first]
        if lacking.any() or extra.any():
            example = ids[int((lacking if lacking.any() else extra).argmax())].as_py()
            raise InputError(
                f"{int(lacking.sum()):,} ids of {first} are not in {name}, and {int(extra.sum()):,} of {name} "
                f"not in {first}, such as {example!r}: pass the same cases, or leave out the others first."
            )


def rows_of(column: Any, rows: Array) -> Any:
    """Rows of a column of any kind, in this order; None stays None.

    >>> rows_of(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if column is None or isinstance(column, np.ndarray):
        return column if column is None else column[rows]
    if isinstance(column, Mapping):
        return {name: rows_of(each, rows) for name, each in column.items()}
    if hasattr(column, "take") and hasattr(column, "type"):  # an Arrow column
        return column.take(rows)
    if hasattr(column, "iloc"):
        return column.iloc[rows]
    if hasattr(column, "gather"):  # a series of polars
        return column.gather(rows)
    return [column[i] for i in rows.tolist()]
