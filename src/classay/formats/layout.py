"""How a file is laid out, as options of the command and of Python say it."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from classay.texts import hint
from classay.wings import brought, thing

if TYPE_CHECKING:
    from classay.sources.inputs import Input


OF_CELLS = ("decimal", "na", "date_format")
"""The options that say what texts in cells mean."""


class LayoutWarning(UserWarning):
    """What is guessed of the layout of a file, and not named by an option."""


@dataclass(frozen=True)
class Layout:
    """What the user says of the layout of a file; None where nothing is said."""

    sheet: str | None = None
    range: str | None = None
    decimal: str | None = None
    na: str | None = None
    header_line: int | None = None
    date_format: str | None = None
    columns_from: str | None = None

    def given(self) -> list[str]:
        """Return the names of what is said."""
        return [field.name for field in fields(Layout) if getattr(self, field.name) is not None]

    def only(self, names: Collection[str]) -> Layout:
        """Return the layout without what other names say."""
        return Layout(**{name: getattr(self, name) for name in self.given() if name in names})

    @property
    def missing(self) -> frozenset[str]:
        """The words for missing values; those with a comma are in quotes."""
        words = next(csv.reader([self.na or ""], skipinitialspace=True), [])
        return frozenset(word.strip() for word in words if word.strip())


def written_words(words: Iterable[str]) -> str:
    """Return words for missing values as the option takes them.

    >>> written_words(["k.A.", "<0,1"])
    'k.A.,"<0,1"'
    """
    return ",".join(f'"{word}"' if "," in word else word for word in words)


def layout_of(source: Input) -> Layout:
    """Return the layout that comes with an input."""
    return layout_in(source.layout)


def layout_in(entries: Iterable[Any]) -> Layout:
    """Return the layout among what comes with an input."""
    return next((entry for entry in entries if isinstance(entry, Layout)), Layout())


def options_of(source: Input) -> Sequence[str]:
    """Return the options that have an effect on the format of an input."""
    if source.format in ("csv", "tsv"):
        return (*OF_CELLS, "header_line")
    if source.format in ("parquet", "arrow", "jsonl"):
        return ("na",)
    place = brought("formats").get(source.format)
    options: Sequence[str] = getattr(thing(place), "options", ()) if place else ()
    return options


def option(name: str) -> str:
    """Return how an interface writes a field of a layout."""
    return hint(f"{name}=", f"--{name.replace('_', '-')}")


def named(name: str, value: Any) -> str:
    """Return how an interface gives a field of a layout a value."""
    return hint(f"{name}={value!r}", f"--{name.replace('_', '-')} {shlex.quote(str(value))}")
