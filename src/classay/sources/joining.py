"""Rows of several sources brought into one order, by an id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.labels import code_columns, unite
from classay.numeric import counted

Array = NDArray[Any]


def orders_by_id(ids: Mapping[str, Any]) -> dict[str, Array]:
    """For each source, where the rows of the first one's ids stand in it; `ids` are columns of any one kind.

    Raises InputError for an id that is missing, that occurs twice in a source, or that another source lacks,
    with their numbers and an example.

    >>> orders_by_id({"new": ["a", "b", "c"], "old": ["c", "a", "b"]})["old"]
    array([1, 2, 0])
    """
    columns = code_columns([(f"the id of {name}", column) for name, column in ids.items()])
    for name, column in columns:
        if column.missing:
            raise InputError(f"{name} is missing in {counted(column.missing)}: every row needs its id.")
    labels, codes = unite(columns)
    for name, code in zip(ids, codes, strict=True):
        times = np.bincount(code, minlength=len(labels))
        if (times > 1).any():
            example = labels[int(times.argmax())]
            raise InputError(
                f"{int((times > 1).sum()):,} ids occur more than once in {name}, such as {example!r}: keep one row "
                "of each, or name a column that tells them apart."
            )
    _refuse_unmatched(list(ids), codes, labels)
    orders = {}
    for name, code in zip(ids, codes, strict=True):
        at = np.empty(len(labels), np.intp)
        at[code] = np.arange(code.size)
        orders[name] = at[codes[0]]
    return orders


def _refuse_unmatched(names: list[str], codes: list[Array], labels: tuple[Any, ...]) -> None:
    inside = [np.zeros(len(labels), bool) for _ in codes]
    for known, code in zip(inside, codes, strict=True):
        known[code] = True
    for name, known in zip(names[1:], inside[1:], strict=True):
        lacking, extra = inside[0] & ~known, known & ~inside[0]
        if lacking.any() or extra.any():
            example = labels[int((lacking | extra).argmax())]
            raise InputError(
                f"{int(lacking.sum()):,} ids of {names[0]} are not in {name}, and {int(extra.sum()):,} of {name} "
                f"not in {names[0]}, such as {example!r}: pass the same cases, or leave out the others first."
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
