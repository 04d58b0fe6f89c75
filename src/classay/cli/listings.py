"""Lists that commands print: as wide as a terminal, and as wide as they need to be in a pipe or a file."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

UNBROKEN = 10_000
"""Columns of what is no terminal: each row stays on one line, for those who search in it."""


def console() -> Console:
    """A terminal's console; what is piped is as wide as COLUMNS says, or not broken at all."""
    from rich.console import Console

    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(highlight=False, width=UNBROKEN if piped else None)
