"""Columns of a dataframe of any library, without converting it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from classay.columns.opened import with_narwhals
from classay.errors import InputError
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
