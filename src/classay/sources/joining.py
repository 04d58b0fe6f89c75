"""Rows of several sources brought into one order, by an id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.columns.ids import id_column
from classay.columns.numbers import counted
from classay.errors import InputError
from classay.texts import hint

Array = NDArray[Any]


Unmatched = Literal["refuse", "drop"]
"""What to do with the cases that some source lacks."""


def orders_by_id(ids: Mapping[str, Any], unmatched: Unmatched = "refuse") -> dict[str, Array]:
    """For each source, where the rows of the ids that all have stand in it, in the order of the first source.

    `ids` are columns of any one kind. Raises InputError for an id that is missing or that occurs twice in a source,
    where none is in all of them, and, unless `unmatched` is "drop", where another source lacks one, with their numbers
    and an example.

    >>> orders_by_id({"new": ["a", "b", "c"], "old": ["c", "a", "b"]})["old"]
    array([1, 2, 0])
    >>> orders_by_id({"new": ["d", "b", "c"], "old": ["c", "a", "b"]}, "drop")
    {'new': array([1, 2]), 'old': array([2, 0])}
    """
    import pyarrow as pa

    columns = _alike({name: id_column(column, f"the id of {name}") for name, column in ids.items()})
    coded = pa.concat_arrays(list(columns.values())).dictionary_encode()
    codes = np.split(coded.indices.to_numpy(), np.cumsum([len(each) for each in columns.values()])[:-1])
    found = dict(zip(columns, codes, strict=True))
    inside = {}
    for name, code in found.items():
        times = np.bincount(code, minlength=len(coded.dictionary))
        if times.size and times.max() > 1:
            raise InputError(
                f"{int((times > 1).sum()):,} ids occur more than once in {name}, such as "
                f"{coded.dictionary[int(times.argmax())].as_py()!r}: keep one row of each, or name a column that "
                "tells them apart."
            )
        inside[name] = times > 0
    if unmatched == "refuse":
        _refuse_unmatched(inside, coded.dictionary)
    in_all = np.logical_and.reduce([*inside.values()])
    if not in_all.any() and in_all.size:
        raise InputError(
            f"no id is in all of {', '.join(found)}, such as {coded.dictionary[0].as_py()!r}: name the column that "
            "holds the same ids in each."
        )
    order = codes[0][in_all[codes[0]]]
    orders = {}
    for name, code in found.items():
        at = np.empty(len(coded.dictionary), np.intp)
        at[code] = np.arange(code.size)
        orders[name] = at[order]
    return orders


def _alike(columns: dict[str, Any]) -> dict[str, Any]:
    long = "decimal128(38, 0)"
    nouns = {"int64": "numbers", long: "numbers", "large_string": "text", "large_binary": "bytes"}
    types = {str(column.type): column.type for column in columns.values()}
    if {*types} == {"int64", long}:
        return {name: column.cast(types[long]) for name, column in columns.items()}
    kinds = {nouns[str(column.type)]: name for name, column in columns.items()}
    if len(kinds) > 1:
        told = ", ".join(f"{name} {kind}" for kind, name in kinds.items())
        raise InputError(f"the ids are of different types ({told}): convert one of them.")
    return columns


def _refuse_unmatched(inside: Mapping[str, Array], ids: Any) -> None:
    """Refuse ids of one source that another lacks; `inside` marks those that each has."""
    first, *others = inside
    for name in others:
        lacking, extra = inside[first] & ~inside[name], inside[name] & ~inside[first]
        sides = ((lacking, first, name), (extra, name, first))
        told = [
            f"{counted(int(each.sum()), 'case')} of {one} {'is' if each.sum() == 1 else 'are'} not in {other}"
            for each, one, other in sides
            if each.any()
        ]
        if told:
            example = ids[int((lacking if lacking.any() else extra).argmax())].as_py()
            remedy = hint("unanswered='drop'", "--unanswered drop")
            raise InputError(
                f"{' and '.join(told)}, such as {example!r}: pass the same cases, or {remedy} to leave out the cases "
                "that a model lacks; the report will count them."
            )
