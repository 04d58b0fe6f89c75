"""Rows of several sources brought into one order, by an id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.ids import id_column
from classay.columns.numbers import UNSCORED
from classay.errors import InputError
from classay.texts import hint

Array = NDArray[Any]


def orders_by_id(ids: Mapping[str, Any]) -> dict[str, Array]:
    """For each source, where the rows of the first one's ids stand in it; `ids` are columns of any one kind.

    Raises InputError for an id that is missing, that occurs twice in a source, or that another source lacks,
    with their numbers and an example.

    >>> orders_by_id({"new": ["a", "b", "c"], "old": ["c", "a", "b"]})["old"]
    array([1, 2, 0])
    """
    found, known = _coded(ids)
    _refuse_unmatched(found, known)
    return {name: _places(code, len(known))[found[next(iter(found))]] for name, code in found.items()}


def common_orders(ids: Mapping[str, Any]) -> tuple[dict[str, Array], int]:
    """The same of the ids that all sources have, in the order of the first; and how many others there are.

    Raises InputError as `orders_by_id` does, and where no id is in all.

    >>> common_orders({"new": ["a", "b", "c"], "old": ["c", "a", "d"]})
    ({'new': array([0, 2]), 'old': array([1, 0])}, 2)
    """
    found, known = _coded(ids)
    inside = np.logical_and.reduce([_has(code, len(known)) for code in found.values()])
    if not inside.any():
        raise InputError(f"no id is in all of {', '.join(found)}: name the column that joins them.")
    first = next(iter(found.values()))
    kept = first[inside[first]]
    return {name: _places(code, len(known))[kept] for name, code in found.items()}, int((~inside).sum())


def _coded(ids: Mapping[str, Any]) -> tuple[dict[str, Array], Any]:
    """The ids of each source as codes into those that there are. Raises InputError for one that occurs twice."""
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
    return found, coded.dictionary


def _places(code: Array, known: int) -> Array:
    """Where each id stands in a source, `(ids,)`; anything for those that it lacks."""
    at = np.zeros(known, np.intp)
    at[code] = np.arange(code.size)
    return at


def _has(code: Array, known: int) -> Array:
    return np.asarray(np.bincount(code, minlength=known) > 0)


def _alike(columns: dict[str, Any]) -> dict[str, Any]:
    nouns = {"int64": "numbers", "large_string": "text", "large_binary": "bytes"}
    kinds = {nouns[str(column.type)]: name for name, column in columns.items()}
    if len(kinds) > 1:
        told = ", ".join(f"{name} {kind}" for kind, name in kinds.items())
        raise InputError(f"the ids are of different types ({told}): convert one of them.")
    return columns


def _refuse_unmatched(codes: Mapping[str, Array], ids: Any) -> None:
    inside = {name: _has(code, len(ids)) for name, code in codes.items()}
    first = next(iter(codes))
    for name, known in inside.items():
        lacking, extra = inside[first] & ~known, known & ~inside[first]
        if lacking.any() or extra.any():
            example = ids[int((lacking if lacking.any() else extra).argmax())].as_py()
            sides = [(lacking, first, name), (extra, name, first)]
            told = [_told(int(ids.sum()), a, b) for ids, a, b in sides if ids.any()]
            remedy = hint(f"missing={UNSCORED!r}", f"--missing {UNSCORED}")
            raise InputError(
                f"{' and '.join(told)}, such as {example!r}: pass the same cases, or {remedy} to leave out the cases "
                "that a model lacks; the report will count them."
            )


def _told(lacking: int, here: str, there: str) -> str:
    """How many ids of one source another lacks."""
    return f"{lacking:,} {'id' if lacking == 1 else 'ids'} of {here} {'is' if lacking == 1 else 'are'} not in {there}"
