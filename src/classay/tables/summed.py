"""What adds up begins a sum too: Python's `sum` starts from 0, and this is nothing yet."""

from __future__ import annotations

from typing import Any


class Summed:
    """A table that adds up with `+`, and so with `sum`."""

    def __radd__(self, other: Any) -> Any:
        return self if type(other) is int and other == 0 else NotImplemented


def added_behind(self: Any, other: Any) -> Any:
    """`__radd__` of a kind of table whose `+` knows what to do with other kinds too, wherever it stands."""
    return self if type(other) is int and other == 0 else self + other
