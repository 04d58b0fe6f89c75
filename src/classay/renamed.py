"""Former names of attributes, which work for one release and warn."""

from __future__ import annotations

from operator import attrgetter
from typing import Any
from warnings import warn


def former(name: str, now: str) -> property:
    """Return the property under a former name: it warns, and gives what is at `now`.

    >>> class Decision:
    ...     here = 1
    ...     there = former("Decision.there", "here")
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     Decision().there, str(told[0].message)
    (1, 'Decision.there is now here. The old name will be removed.')
    """

    def get(self: object) -> Any:
        warn(f"{name} is now {now}. The old name will be removed.", DeprecationWarning, stacklevel=2)
        return attrgetter(now)(self)

    get.__doc__ = f"Former name of `{now}`, which the next release removes."
    return property(get)
