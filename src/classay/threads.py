"""Threads for compiled loops, which run without Python's lock."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

ROWS_PER_THREAD = 200_000
"""Rows that keep a thread busy for long enough to be worth starting it."""

MOST_THREADS = 8
"""Threads beyond these would only wait for memory."""


def thread_count(rows: int) -> int:
    """Threads to use on so many rows: `CLASSAY_THREADS` if set, or the cores this process may use."""
    set_to = os.environ.get("CLASSAY_THREADS")
    if set_to:
        return max(1, int(set_to))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, MOST_THREADS, rows // ROWS_PER_THREAD))


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
