"""What the commands write, and where."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from classay.cli.options import names_in
from classay.cli.streams import write_bytes
from classay.errors import InputError
from classay.report.documents.assessment import Detail
from classay.texts import clean

_BETWEEN_CALLS = re.compile(r",(?![^()]*\))")
"""A comma that does not stand between parentheses."""


@dataclass(frozen=True)
class Outputs:
    """What to show and where to write."""

    measures: str | None
    detail: Detail
    json: str | None
    save: str | None
    html: str | None
    require: tuple[str, ...] = ()

    def names(self) -> list[str] | None:
        """The measures asked for, by their names."""
        return listed_names(self.measures)

    def refuse_unwritable(self, *sources: str | None) -> None:
        """Refuse an output path before the work, not after it; also one of a file that is read, or kept."""
        writable({"--save": self.save, "--html": self.html, "--json": self.json}, *sources)


def listed_names(measures: str | None) -> list[str] | None:
    """The canonical names of measures separated by commas, those between parentheses apart.

    >>> listed_names("ppv, f_beta(3), partial_roc_auc(0.2, min_fpr=0.1)")
    ['precision', 'f_beta(3)', 'partial_roc_auc(max_fpr=0.2, min_fpr=0.1)']
    """
    from classay.measures import get

    if measures is None:
        return None
    called = "(" in measures
    names = _BETWEEN_CALLS.split(measures) if called else names_in(measures, "--measures")
    return [get(name).name for name in [each for each in names if each.strip()] or [measures]]


def put(path: str | None, text: str | Callable[[], str]) -> list[str]:
    """Write a text to its file, or as UTF-8 to standard output for "-"; the files written.

    A text that is costly to make may be given as the function that makes it, for nobody wants it without a path.
    """
    from classay.files.writing import write_text

    if path is None:
        return []
    content = text if isinstance(text, str) else text()
    if path == "-":
        write_bytes(content.encode("utf-8", "backslashreplace"))
        return []
    write_text(Path(path), content)
    return [path]


def say_written(paths: Sequence[str]) -> None:
    """Name on standard error the files that were written."""
    for path in paths:
        print(clean(f"wrote {path}"), file=sys.stderr)


def writable(paths: dict[str, str | None], *sources: str | None) -> None:
    """Refuse an output path, by its option, before the work, not after it; `sources` are files it must not replace."""
    from classay.files.writing import clash, refuse_unwritable

    files = []
    for option, path in paths.items():
        if path is None or (option, path) == ("--json", "-"):
            continue
        if path == "-":
            raise InputError(f"only --json writes to standard output: name a file for {option}.")
        refuse_unwritable(path)
        files.append(path)
    replaced = clash(files, [source for source in sources if source is not None and source != "-"])
    if replaced is not None:
        raise InputError(
            f"an output would replace the input {replaced}: name another file."
            if replaced
            else "two outputs are to go into one file: name a file for each."
        )


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on a terminal's standard error what is going on, while it is."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} …"):
        yield
