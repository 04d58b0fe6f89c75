"""Columns of a dataframe of any library, without converting it; rows of several brought into one order by an id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.columns.coding import id_column
from classay.columns.numbers import counted
from classay.columns.opened import with_narwhals
from classay.errors import InputError
from classay.kinds import shown
from classay.sources.inputs import chosen
from classay.texts import hint


def frame_columns(frame: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the named columns of a dataframe, or of a plain dict of columns, as that library's own series.

    Any frame that narwhals knows is taken (pandas, polars, a pyarrow table, modin, …). A lazy frame is
    collected for these columns only. What offers the Arrow stream protocol alone is read as an Arrow table.

    Raises:
        InputError: when the object is no frame, or a column is missing, asked for twice, or not unique.

    Examples:
        >>> frame_columns({"y": [0, 1], "score": [0.2, 0.9], "age": [31, 64]}, ["y", "score"])
        {'y': [0, 1], 'score': [0.2, 0.9]}
    """
    if isinstance(frame, Mapping):
        return {name: frame[name] for name in chosen(names, list(frame), "the dict of columns")}
    import narwhals as nw

    known = _as_narwhals(frame)
    if isinstance(known, nw.LazyFrame):
        wanted = chosen(names, known.collect_schema().names(), "the frame")
        known = known.select(wanted).collect()
    else:
        wanted = chosen(names, known.columns, "the frame")
    return {name: known[name].to_native() for name in wanted}


def frame_names(frame: Any) -> list[str]:
    """The names of the columns of a frame, or of a plain dict of columns. Raises InputError for what is no frame.

    >>> frame_names({"y": [0, 1], "score": [0.2, 0.9]})
    ['y', 'score']
    """
    if isinstance(frame, Mapping):
        return [*frame]
    import narwhals as nw

    known = _as_narwhals(frame)
    return list(known.collect_schema().names() if isinstance(known, nw.LazyFrame) else known.columns)


def columns_of_roles(frame: Any, roles: Mapping[Any, Any]) -> dict[Any, Any]:
    """What each role holds: the column of the frame that it names, or the column that it is; None stays None.

    >>> columns_of_roles({"y": [0, 1], "w": [1, 2]}, {"truth": "y", "weight": [3, 4], "id": None})
    {'truth': [0, 1], 'weight': [3, 4], 'id': None}
    """
    names = named_in(roles)
    found = frame_columns(frame, names) if names else {}
    return {role: found[each] if isinstance(each, str) else each for role, each in roles.items()}


def named_in(roles: Mapping[Any, Any]) -> list[str]:
    """The names of columns among what roles hold, sorted, each once."""
    return sorted({each for each in roles.values() if isinstance(each, str)})


def roles_of_amounts(amounts: Any) -> dict[str, Any]:
    """Amounts that rows of a frame carry, by the names that costs use, as names of columns or as columns.

    Raises InputError for what is no name, list of names, or mapping from names to columns or their names.

    >>> roles_of_amounts(["fee", "loan"]), roles_of_amounts({"amount": "Amount (EUR)"})
    ({'fee': 'fee', 'loan': 'loan'}, {'amount': 'Amount (EUR)'})
    """
    if isinstance(amounts, Mapping):
        return dict(amounts)
    listed = [amounts] if isinstance(amounts, str) else amounts
    if isinstance(listed, list | tuple) and all(isinstance(name, str) for name in listed):
        return {name: name for name in listed}
    raise InputError(
        f"amounts is {shown(amounts)}: with a frame, pass the names of its columns, as in ['amount'], or columns by "
        "names of your own, as in {'amount': 'Amount (EUR)'}."
    )


def as_frame(table: Any) -> Any:
    """Return a dataframe of any library as a narwhals frame, or None for what is none (an array, a list).

    A lazy frame is collected.

    >>> as_frame([[1, 2], [3, 4]]) is None
    True
    """
    if isinstance(table, (np.ndarray, list, tuple)):
        return None
    import narwhals as nw

    known = with_narwhals(table, pass_through=True)
    if isinstance(known, nw.LazyFrame):
        return known.collect()
    return known if isinstance(known, nw.DataFrame) else None


def _as_narwhals(frame: Any) -> Any:
    try:
        return with_narwhals(frame)
    except TypeError as error:
        table = _from_arrow_stream(frame)
        if table is None:
            raise InputError(
                f"{type(frame).__name__} is no dataframe: pass a pandas, polars or Arrow table, "
                "or a dict of columns."
            ) from error
        return table


def _from_arrow_stream(frame: Any) -> Any:
    import narwhals as nw
    import pyarrow as pa

    if not hasattr(frame, "__arrow_c_stream__"):
        return None
    try:
        return nw.from_native(pa.table(frame))
    except (pa.ArrowException, TypeError, ValueError):  # a series speaks the protocol too, and is no table
        return None


Array = NDArray[Any]


Unmatched = Literal["refuse", "drop", "keep"]
"""What to do with the cases that some source lacks."""


def orders_by_id(ids: Mapping[str, Any], unmatched: Unmatched = "refuse") -> dict[str, Array]:
    """For each source, where the rows of the ids that all have stand in it, in the order of the first source.

    `ids` are columns of any one kind. Raises InputError for an id that is missing or that occurs twice in a source,
    where none is in all of them, and, unless `unmatched` is "drop", where another source lacks one, with their numbers
    and an example. Where they are kept, the cases of all sources come, and -1 is the place of one that a source lacks.

    >>> orders_by_id({"new": ["a", "b", "c"], "old": ["c", "a", "b"]})["old"]
    array([1, 2, 0])
    >>> orders_by_id({"new": ["d", "b", "c"], "old": ["c", "a", "b"]}, "drop")
    {'new': array([1, 2]), 'old': array([2, 0])}
    >>> orders_by_id({"new": ["d", "b"], "old": ["c", "b"]}, "keep")
    {'new': array([ 0,  1, -1]), 'old': array([-1,  1,  0])}
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
    if unmatched == "keep":
        order = np.fromiter(dict.fromkeys(np.concatenate(codes).tolist()), np.intp)
    orders = {}
    for name, code in found.items():
        at = np.full(len(coded.dictionary), -1, np.intp)
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
            drop, wrong = (hint(f"unanswered={word!r}", f"--unanswered {word}") for word in ("drop", "wrong"))
            raise InputError(
                f"{' and '.join(told)}, such as {example!r}: pass the same cases, or {drop} to leave out the cases "
                f"that a model lacks, or {wrong} to count them as wrong for it; the report will count them."
            )


def numbers_of(X: Any) -> tuple[NDArray[Any], list[int]]:
    """The columns of an array or a pandas frame as numbers, `(rows, features)`, and which of them are numbers.

    Columns of text, dates and the like are NaN. Raises TypeError for what is neither.
    """
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        kinds = [getattr(dtype, "kind", "O") for dtype in X.dtypes]
        numeric = [k for k, kind in enumerate(kinds) if kind in "iuf"]
        values = np.full(X.shape, np.nan)
        for k in numeric:
            values[:, k] = X.iloc[:, k].to_numpy(float, na_value=np.nan)
        return values, numeric
    if isinstance(X, list):
        X = np.asarray(X)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "iufb":
        raise TypeError("no table of numbers")
    return X.astype(float), [*range(X.shape[1])]
