"""Standard output and error that may fail: the reader leaves, the disk is full, the caller has closed them.

What a command has found must not depend on who reads along. A failed write is remembered, not raised: the command
goes on to its verdict, and `Streams.code` says with which code it ends.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

UNWRITABLE = 2
UNBROKEN = 10_000
"""Columns of what is no terminal: each row stays on one line, for those who search in it."""


class Tolerant:
    """A stream that keeps the first error of writing instead of raising it, and is the stream itself otherwise."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.error: OSError | None = None

    def write(self, content: Any) -> int:
        """Write, unless writing has failed before."""
        if self.error is None:
            with self._remembering():
                self._stream.write(content)
        return len(content)

    def flush(self) -> None:
        """Flush, unless writing has failed before."""
        if self.error is None:
            with self._remembering():
                self._stream.flush()

    def write_bytes(self, content: bytes) -> None:
        """Write bytes as they are, behind the text that was written before."""
        self.flush()
        if self.error is None:
            with self._remembering():
                self._stream.buffer.write(content)
        self.flush()

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.error = error
            # Python would try to write the rest when it ends, and complain again.
            with suppress(OSError, AttributeError, ValueError), open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Closed:
    """Stands for a stream that the caller has closed (`>&-`)."""

    buffer = property(lambda self: self)  # fails in the same way for bytes
    encoding = "utf-8"
    errors = "backslashreplace"

    def write(self, _: Any) -> int:
        raise OSError(errno.EBADF, "it is closed")

    def flush(self) -> None:
        """Nothing is kept."""

    def isatty(self) -> bool:
        """A closed stream is no terminal."""
        return False


@dataclass(frozen=True)
class Streams:
    """Both streams while a command runs."""

    output: Tolerant
    errors: Tolerant

    def code(self, found: int) -> int:
        """The exit code of a command that found `found`; one line if its output got lost.

        A reader that leaves (a closed pipe) has had enough, and changes nothing. A disk that is full, or a closed
        stream, makes a success a failure, and leaves every other code what it is.
        """
        self.output.flush()
        lost = self.output.error
        if lost is not None and not isinstance(lost, BrokenPipeError):
            self.errors.write(f"classay: cannot write to standard output: {lost.strerror or lost}.\n")
            found = found or UNWRITABLE
        self.errors.flush()
        return found


@contextmanager
def tolerant_streams() -> Iterator[Streams]:
    """Standard output and error that a command may write to whatever becomes of them."""
    _keep_places()
    streams = Streams(
        *(Tolerant(_Closed() if each is None else each) for each in (sys.stdout, sys.stderr)),
    )
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = streams.output, streams.errors
    try:
        yield streams
    finally:
        sys.stdout, sys.stderr = before


def _keep_places() -> None:
    """Occupy the numbers of closed streams: the next file that is opened would be taken for one of them."""
    for place in (0, 1, 2):
        try:
            os.fstat(place)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number


@contextmanager
def output_to_errors() -> Iterator[None]:
    """What foreign code prints goes to standard error: standard output is for the result, which may be JSON.

    The file descriptors are changed too, for compiled code, and for processes that are started meanwhile.
    """
    sys.stdout.flush()
    kept = None
    with suppress(OSError):
        kept = os.dup(1)
        os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if kept is not None:
            os.dup2(kept, 1)
            os.close(kept)


def write_bytes(content: bytes) -> None:
    """Write bytes to standard output: what is UTF-8 stays so, whatever the terminal is."""
    stream: Any = sys.stdout
    if isinstance(stream, Tolerant):
        stream.write_bytes(content)
        return
    stream.flush()
    stream.buffer.write(content)
    stream.flush()


def listing_console() -> Console:
    """A terminal's console; what is piped is as wide as COLUMNS says, or not broken at all."""
    from rich.console import Console

    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(highlight=False, width=UNBROKEN if piped else None)
