"""Labels as JSON that gives back the same labels."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable, Hashable
from decimal import Decimal
from typing import Any

import numpy as np

from classay.errors import FileError
from classay.files.fields import Damaged, hold, shown
from classay.texts import an

_READERS: dict[str, Callable[[Any], Hashable]] = {
    "date": datetime.date.fromisoformat,
    "datetime": datetime.datetime.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timedelta": lambda parts: datetime.timedelta(*parts),
    "datetime64": lambda parts: np.datetime64(*parts),
    "Decimal": Decimal,
    "UUID": uuid.UUID,
    "bytes": bytes.fromhex,
}
_WRITERS: dict[type, Callable[[Any], Any]] = {
    datetime.date: datetime.date.isoformat,
    datetime.datetime: datetime.datetime.isoformat,
    datetime.time: datetime.time.isoformat,
    datetime.timedelta: lambda label: [label.days, label.seconds, label.microseconds],
    np.datetime64: lambda label: [int(label.view(np.int64)), np.datetime_data(label)[0]],
    Decimal: str,
    uuid.UUID: str,
    bytes: bytes.hex,
    tuple: lambda label: [label_out(part) for part in label],
}
"""How labels of these very types are written, under the type's name, by which `_READERS` reads them."""
DEEPEST = 50
"""Tuples in tuples that a label is not."""


def label_out(label: Hashable) -> Any:
    """A label as JSON that `label_in` reads again. Raises FileError for a kind that has no plain form.

    Types count, not what they derive from: a timestamp of pandas is a datetime, and prints as something else.
    """
    if label is None or type(label) in (bool, int, float, str):
        return label
    if type(label) in _WRITERS:
        kind, written = type(label).__name__, _WRITERS[type(label)](label)
        if type(label) is tuple or _READERS[kind](written) == label:  # a time's text may not say all of it
            return {kind: written}
    raise FileError(
        f"the label {shown(label)} is {an(type(label).__name__)}, which has no plain form to save: use text or numbers "
        "as labels."
    )


def label_in(saved: Any, depth: int = 0) -> Hashable:
    """The label that `label_out` wrote. Raises Damaged for anything else."""
    hold(depth < DEEPEST, "a label is nested too deeply")
    if isinstance(saved, dict):
        hold(len(saved) == 1, f"{shown(saved)} is no label")
        ((kind, value),) = saved.items()
        if kind == "tuple" and isinstance(value, list):
            return tuple(label_in(part, depth + 1) for part in value)
        try:
            return _READERS[kind](value)
        except (ArithmeticError, KeyError, TypeError, ValueError) as error:
            raise Damaged(f"{shown(saved)} is no label") from error
    hold(saved is None or type(saved) in (bool, int, float, str), f"{shown(saved)} is no label")
    found: Hashable = saved
    return found
