"""How far a count of many rows is: rows and rows a second, live on a terminal; how many there were at a Ctrl-C."""

from __future__ import annotations

import sys
import time
from typing import Any


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
