"""Columns of a frame that hold ids of cases, and repeat them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from classay.columns.repeats import id_names, repeated_ids
from classay.sources.inputs import frame_columns, frame_names


def repeated_in(frame: Any, used: Collection[Any], named: Any = None) -> tuple[str, int] | None:
    """Return the column of ids of a frame that repeats its values, and how many there are; None where none does.

    Columns with a use of their own are not looked at, nor is a lazy frame, which would be computed again. `named` is
    the column that somebody named as ids.

    >>> repeated_in({"id": ["a", "b", "c", "d", "e"] * 2, "y": [0, 1] * 5}, {"y"})
    ('id', 5)
    """
    if hasattr(frame, "collect"):
        return None
    named = named if isinstance(named, str) else None  # ids themselves have no name
    names = id_names(frame_names(frame), used)
    names += [] if named in (None, *names) else [named]
    return repeated_ids(frame_columns(frame, names), named) if names else None
