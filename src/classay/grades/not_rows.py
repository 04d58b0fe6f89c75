"""Logs that commands and functions for files of rows refuse, with the command that reads them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from classay.errors import FileError
from classay.sources.other_formats import OtherFormat
from classay.texts import hint

if TYPE_CHECKING:
    from classay.sources.inputs import Input

_ZIP = b"PK\x03\x04"


def is_log(head: bytes, path: str) -> bool:
    """Check whether a file is an archive of Inspect."""
    return head.startswith(_ZIP) and path.lower().endswith(".eval")


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> NoReturn:
    """Refuse to read rows."""
    schema(source)


def schema(source: Input) -> NoReturn:
    """Refuse to name columns."""
    raise _no_rows(source, "Inspect")


def _no_rows(source: Input, tool: str) -> FileError:
    return FileError(
        f"{source.name} is a log of {tool}, not a file of rows. Use "
        + hint("read_grades and assess_grades.", f"`classay grades {source.name}`.")
    )


def refuse_json(_: None, source: Input) -> None:
    """Refuse a JSON file without rows that is a log of a known tool."""
    from classay.grades.log_formats import recognized

    known = recognized(source.path) if os.path.isfile(source.path) else None
    if known is not None:
        raise _no_rows(source, known.tool)


@dataclass(frozen=True)
class LogFormat(OtherFormat):
    """A format without options of how a file is laid out."""

    options: tuple[str, ...] = ()


EVAL = LogFormat("a log of Inspect", (), is_log, "classay.grades.not_rows")
