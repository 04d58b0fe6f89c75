"""Codes from Python objects: by their addresses, by PyArrow, or one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.arrays import by_dict, code_plain
from classay.columns.arrow import code_arrow
from classay.columns.kernels import code_rows
from classay.columns.values import Coded, build
from classay.compiled import pays


def code_objects(values: Sequence[Any], name: str) -> Coded:
    """Code a list or tuple of Python values."""
    if not pays(len(values)):
        return by_dict(values, name)
    return _by_pointer(np.fromiter(values, object, len(values)), name)


def code_array(values: NDArray[Any], name: str) -> Coded:
    """Code an array of one dimension, of any dtype."""
    if values.dtype.kind == "O" and pays(len(values)):
        return _by_pointer(np.ascontiguousarray(values), name)
    return code_plain(values, name)


def _by_pointer(values: NDArray[np.object_], name: str) -> Coded:
    """Code Python objects by their addresses: equal values are mostly one object, and none has to be touched.

    Distinct objects may still be equal: `build` merges them. Where nearly every row has its own object, this
    gains nothing, and PyArrow or a dict reads the values. `values` stays alive, and so do the addresses.
    """
    addresses = np.ndarray((len(values), 1), np.uintp, buffer=values)
    coded = code_rows(addresses, lambda rows, distinct: distinct < 32767 or 10 * distinct < rows)
    if coded is not None:
        return build(coded[0], values[coded[1]].tolist(), name)
    return _inferred(values, name) or by_dict(values.tolist(), name)


def _inferred(values: NDArray[np.object_], name: str) -> Coded | None:
    """Code objects of one plain type by PyArrow, or None where they are not."""
    import pyarrow as pa

    try:
        column = pa.array(values, from_pandas=True)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return None
    plain = (pa.string(), pa.large_string(), pa.int64(), pa.float64(), pa.bool_())
    return code_arrow(column, name) if column.type in plain else None
