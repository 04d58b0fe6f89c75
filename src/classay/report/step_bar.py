"""The bar of steps that take long, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

SHOWN_AFTER = 2.0
"""Seconds after which steps have a bar."""
SPINNER: ContextVar[Any] = ContextVar("spinner", default=None)
"""The spinner on the line of a terminal where the bar will stand; it stops as long as there is a bar."""


@contextmanager
def bar_of_steps(what: str, number: int) -> Iterator[Callable[[], None]]:
    """Yield a bar on standard error of steps that take more than two seconds, with the time left; on a terminal alone.

    >>> with bar_of_steps("groups", 2) as advance:
    ...     advance()
    """
    started, done, shown = time.monotonic(), 0, None
    is_live, spinner = sys.stderr.isatty(), SPINNER.get()

    def advance() -> None:
        nonlocal done, shown
        done += 1
        if shown is None and is_live and time.monotonic() - started >= SHOWN_AFTER:
            if spinner is not None:
                spinner.stop()
            shown = _bar(what, number)
        if shown is not None:
            shown.update(shown.task_ids[0], completed=done)

    try:
        yield advance
    finally:
        if shown is not None:
            shown.stop()
            if spinner is not None:
                spinner.start()


def _bar(what: str, number: int) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(what, markup=False), BarColumn(bar_width=24), MofNCompleteColumn()
    console = Console(stderr=True, highlight=False)
    progress = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
    progress.add_task("", total=number)
    progress.start()
    return progress
