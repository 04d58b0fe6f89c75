"""Once: what several measures need from a table is found in one pass, and kept as long as the table lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Table = TypeVar("Table")
Found = TypeVar("Found")
Other = TypeVar("Other")
Rest = ParamSpec("Rest")


class _Slot:
    """Where the finding of one table is kept; a thread that comes second waits for the first."""

    __slots__ = ("found", "lock")

    def __init__(self) -> None:
        self.lock = Lock()
        self.found: list[Any] = []

    def find(self, function: Callable[[], Found]) -> Found:
        """Return what the function finds, unless another thread has found it meanwhile."""
        with self.lock:
            if not self.found:
                self.found.append(function())
            found: Found = self.found[0]
            return found


def memoize(function: Callable[[Table], Found]) -> Callable[[Table], Found]:
    """Make a function of a table remember what it found, by the identity of the table.

    Tables are values: other numbers make another table. The result must be small, and must not hold the table itself,
    or neither would ever be freed.

    >>> class Numbers(list): __hash__ = object.__hash__
    >>> @memoize
    ... def total(numbers):
    ...     print("adding")
    ...     return sum(numbers)
    >>> numbers = Numbers([1, 2])
    >>> total(numbers), total(numbers)
    adding
    (3, 3)

    What the maker of a table knows already, it can `tell`.
    >>> others = Numbers([4, 5])
    >>> total.tell(others, 9)
    >>> total(others)
    9
    """
    slots: WeakKeyDictionary[Any, _Slot] = WeakKeyDictionary()
    guard = Lock()

    @wraps(function)
    def found_of(table: Table) -> Found:
        slot = slots.get(table)
        if slot is None:
            with guard:
                slot = slots.setdefault(table, _Slot())
        found: Found = slot.found[0] if slot.found else slot.find(partial(function, table))
        return found

    def tell(table: Table, found: Found) -> None:
        with guard:
            slots.setdefault(table, _Slot()).find(lambda: found)

    found_of.tell = tell  # type: ignore[attr-defined]  # functions have no types for their attributes
    return found_of


def memoize_with(
    function: Callable[Concatenate[Table, Other, Rest], Found],
) -> Callable[Concatenate[Table, Other, Rest], Found]:
    """Like `memoize`, for a function of a table and the rows that its cases came in, by the identity of both.

    The values of all further arguments must follow from these two.
    """

    @memoize
    def known_of(table: Table) -> WeakKeyDictionary[Any, _Slot]:
        return WeakKeyDictionary()

    guard = Lock()

    @wraps(function)
    def found_of(table: Table, other: Other, *rest: Rest.args, **options: Rest.kwargs) -> Found:
        with guard:
            slot = known_of(table).setdefault(other, _Slot())
        return slot.find(partial(function, table, other, *rest, **options))

    return found_of  # type: ignore[return-value]  # the names of its arguments are its own
