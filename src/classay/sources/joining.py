"""Rows of several sources brought into one order, by an id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.ids import id_column
from classay.errors import InputError

Array = NDArray[Any]


def orders_by_id(ids: Mapping[str, Any]) -> dict[str, Array]:
    """For each source, where the rows of the first one's ids stand in it; `ids` are columns of any one kind.

    Raises InputError for an id that is missing, that occurs twice in a source, or that another source lacks,
    with their numbers and an example.

    >>> orders_by_id({"new": ["a", "b", "c"], "old": ["c", "a", "b"]})["old"]
    array([1, 2, 0])
    """
    import pyarrow as pa

    columns = _alike({name: id_column(column, f"the id of {name}") for name, column in ids.items()})
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


def _alike(columns: dict[str, Any]) -> dict[str, Any]:
    nouns = {"int64": "numbers", "large_string": "text", "large_binary": "bytes"}
    kinds = {nouns[str(column.type)]: name for name, column in columns.items()}
    if len(kinds) > 1:
        told = ", ".join(f"{name} {kind}" for kind, name in kinds.items())
        raise InputError(f"the ids are of different types ({told}): convert one of them.")
    return columns


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
