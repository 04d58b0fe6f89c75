"""Threads for compiled loops, which run without Python's lock."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from classay.errors import InputError

ROWS_PER_THREAD = 200_000
"""Rows that keep a thread busy for long enough to be worth starting it."""

MOST_THREADS = 8
"""Threads beyond these would only wait for memory."""


def thread_count(rows: int) -> int:
    """Threads to use on so many rows: `CLASSAY_THREADS` if set, or as many as have enough to do."""
    return core_count() if _set_to() else max(1, min(core_count(), rows // ROWS_PER_THREAD))


def core_count() -> int:
    """Threads to use on much work: `CLASSAY_THREADS` if set, or the cores this process may use."""
    if set_to := _set_to():
        if not set_to.strip().isdecimal():
            raise InputError(
                f"CLASSAY_THREADS is {set_to!r}: set it to a number of threads, such as 4, or unset it."
            )
        return max(1, int(set_to))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_THREADS)


def _set_to() -> str | None:
    return os.environ.get("CLASSAY_THREADS")


@contextmanager
def workers(threads: int) -> Iterator[Callable[..., list[Any]]]:
    """A function like `map` that returns a list and runs its calls on so many threads, on this one if one.

    The threads end with the block: threads kept for later would be missing after a fork.
    """
    if threads == 1:
        yield lambda function, *values: list(map(function, *values))
        return
    with ThreadPoolExecutor(threads) as pool:

        def run(function: Callable[..., Any], *values: Iterable[Any]) -> list[Any]:
            return list(pool.map(function, *values))

        yield run
