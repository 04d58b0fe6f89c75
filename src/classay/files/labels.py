"""Labels as JSON that gives back the same labels."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable
from typing import Any

from classay.errors import FileError
from classay.files.fields import Damaged, hold, shown

_READERS: dict[str, Callable[[Any], Hashable]] = {
    "date": datetime.date.fromisoformat,
    "datetime": datetime.datetime.fromisoformat,
    "bytes": bytes.fromhex,
}
_DEEPEST = 50  # tuples in tuples


def label_out(label: Hashable) -> Any:
    """A label as JSON that `label_in` reads again. Raises FileError for a kind that has no plain form.

    Types count, not what they derive from: a timestamp of pandas is a datetime, and prints as something else.
    """
    if label is None or type(label) in (bool, int, float, str):
        return label
    if type(label) is datetime.date:
        return {"date": label.isoformat()}
    if (
        type(label) is datetime.datetime
        and type(label.tzinfo) in (type(None), datetime.timezone)
        and not label.fold
    ):
        return {"datetime": label.isoformat()}
    if type(label) is bytes:
        return {"bytes": label.hex()}
    if type(label) is tuple:
        return {"tuple": [label_out(part) for part in label]}
    raise FileError(
        f"the label {shown(label)} is a {type(label).__name__}, which has no plain form to save: use text or numbers "
        "as labels."
    )


def label_in(saved: Any, depth: int = 0) -> Hashable:
    """The label that `label_out` wrote. Raises Damaged for anything else."""
    hold(depth < _DEEPEST, "a label is nested too deeply")
    if isinstance(saved, dict):
        hold(len(saved) == 1, f"{shown(saved)} is no label")
        ((kind, value),) = saved.items()
        if kind == "tuple" and isinstance(value, list):
            return tuple(label_in(part, depth + 1) for part in value)
        try:
            return _READERS[kind](value)
        except (KeyError, TypeError, ValueError) as error:
            raise Damaged(f"{shown(saved)} is no label") from error
    hold(saved is None or type(saved) in (bool, int, float, str), f"{shown(saved)} is no label")
    found: Hashable = saved
    return found
