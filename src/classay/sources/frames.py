"""Columns of a dataframe of any library, without converting it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from classay.columns.opened import with_narwhals
from classay.errors import InputError
from classay.kinds import shown
from classay.sources.columns import chosen


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
