"""How far a count of many rows is: rows and rows a second, live on a terminal; how many there were at a Ctrl-C."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from classay.errors import InputError, MissingExtraError
from classay.threads import core_count

TIMEOUT = 10
"""Seconds to wait for a scheduler."""
ERRORS = logging.CRITICAL
"""What Dask logs by itself: what ends a scan is told by scan."""


@contextmanager
def cluster_of(address: str | None) -> Iterator[Any]:
    """A client of the Dask scheduler at an address, of processes of its own for `local`; None without an address.

    Raises MissingExtraError without Dask, InputError where no scheduler answers.
    """
    if address is None:
        yield None
        return
    try:
        from distributed import Client, LocalCluster

        connect: Any = Client
        start: Any = LocalCluster
    except ImportError as error:
        raise MissingExtraError("counting on a cluster (--dask)", "dask") from error
    with ExitStack() as stack:
        if address == "local":
            made = start(
                n_workers=core_count(), threads_per_worker=1, dashboard_address=None, silence_logs=ERRORS
            )
            address = stack.enter_context(made).scheduler_address
        try:
            client = stack.enter_context(connect(address, timeout=TIMEOUT, set_as_default=False))
        except (OSError, ValueError) as error:
            raise InputError(
                f"no Dask scheduler answers at {address!r}: pass its address, such as tcp://host:8786, or 'local'."
            ) from error
        yield client


class Counter:
    """What `scan` calls after each part. Writes to standard error, and on a terminal only."""

    def __init__(self) -> None:
        self.rows = 0
        self._start = time.monotonic()
        self._status: Any = None

    def __enter__(self) -> Counter:
        if sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("counting …")
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._status is not None:
            self._status.stop()
        if kind is KeyboardInterrupt:
            print(f"\n{self.rows:,} rows were counted, which is not all: nothing is shown.", file=sys.stderr)

    def __call__(self, done: int, total: int | None) -> None:
        """Show how many rows are counted, of how many where that is known."""
        self.rows = done
        if self._status is not None:
            rate = done / max(time.monotonic() - self._start, 1e-9)
            of = "" if total is None else f" of {total:,}"
            self._status.update(f"{done:,} rows{of} counted, {rate:,.0f} a second …")
