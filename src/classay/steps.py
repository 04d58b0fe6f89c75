"""Steps of what may take long: who asked, such as the command, hears how far it is; nobody else pays for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Advance = Callable[[], None]
Listener = Callable[[str, int], AbstractContextManager[Advance]]
"""Called with what the steps are and how many; what its context gives is called after each step."""

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Tell a listener of all steps that are taken within this context."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


@contextmanager
def steps(what: str, number: int) -> Iterator[Advance]:
    """So many steps begin; call what this gives after each. Steps within others are not told.

    >>> told = []
    >>> @contextmanager
    ... def listen(what, number):
    ...     yield lambda: told.append((what, number))
    >>> with heard_by(listen), steps("groups", 2) as advance:
    ...     advance()
    >>> told
    [('groups', 2)]
    """
    listener = _LISTENER.get()
    if listener is None:
        yield _nothing
        return
    with listener(what, number) as advance:
        before = _LISTENER.set(None)
        try:
            yield advance
        finally:
            _LISTENER.reset(before)


def _nothing() -> None:
    """Nobody listens."""
