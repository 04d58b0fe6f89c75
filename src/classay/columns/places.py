"""Where rows stood in the table that they came from: errors name rows as whoever passed them counts them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_STOOD: ContextVar[Array | None] = ContextVar("_STOOD", default=None)


@contextmanager
def picked(rows: Array | None) -> Iterator[None]:
    """While rows that were picked from a table are checked: their places in it, or which of its rows they are.

    Rows may be picked from those that were picked; None picks all.

    >>> with picked(np.array([True, False, True, True])), picked(np.array([2, 0])):
    ...     place(0), place(1)
    (3, 0)
    """
    stood = _STOOD.get()
    if rows is not None:
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        stood = rows if stood is None else stood[rows]
    token = _STOOD.set(stood)
    try:
        yield
    finally:
        _STOOD.reset(token)


def place(row: Any) -> int:
    """Where a row stood before others were left out or rows were joined, counted from 0."""
    stood = _STOOD.get()
    return int(row if stood is None else stood[row])
