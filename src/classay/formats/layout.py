"""How a file is laid out, as options of the command and of Python say it."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from classay.texts import hint

if TYPE_CHECKING:
    from classay.sources.inputs import Input


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
        """The words for missing values."""
        return frozenset(word.strip() for word in (self.na or "").split(",") if word.strip())


def layout_of(source: Input) -> Layout:
    """Return the layout that comes with an input."""
    return next((entry for entry in source.layout if isinstance(entry, Layout)), Layout())


def option(name: str) -> str:
    """Return how an interface writes a field of a layout."""
    return hint(f"{name}=", f"--{name.replace('_', '-')}")


def named(name: str, value: Any) -> str:
    """Return how an interface gives a field of a layout a value."""
    return hint(f"{name}={value!r}", f"--{name.replace('_', '-')} {shlex.quote(str(value))}")
