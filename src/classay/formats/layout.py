"""How a file is laid out, as options of the command and of Python say it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from classay.errors import InputError
from classay.texts import hint
from classay.wings import brought, thing

if TYPE_CHECKING:
    from classay.sources.inputs import Input

OF_TEXT = ("decimal", "na", "header_line", "date_format")
"""The options that have an effect on CSV and TSV."""


@dataclass(frozen=True)
class Layout:
    """What the user says of the layout of a file; None where nothing is said."""

    sheet: str | None = None
    range: str | None = None
    decimal: str | None = None
    na: str | None = None
    header_line: int | None = None
    date_format: str | None = None

    @property
    def missing(self) -> frozenset[str]:
        """The words for missing values."""
        return frozenset(word.strip() for word in (self.na or "").split(",") if word.strip())


def layout_of(source: Input) -> Layout:
    """The layout that comes with an input."""
    return next((entry for entry in source.layout if isinstance(entry, Layout)), Layout())


def option(name: str) -> str:
    """How an interface writes a field of a layout."""
    return hint(f"{name}=", f"--{name.replace('_', '-')}")


def prepared(source: Input) -> Input:
    """An input as its layout has it read. Raises InputError for an option without effect on its format."""
    layout = layout_of(source)
    place = brought("formats").get(source.format)
    usable = OF_TEXT if source.format in ("csv", "tsv") else thing(place).options if place else ()
    for field in fields(Layout):
        if getattr(layout, field.name) is not None and field.name not in usable:
            raise InputError(
                f"{option(field.name)} has no effect on {source.name}, which is of format {source.format}. Remove it."
            )
    if source.format not in ("csv", "tsv"):
        return source
    from classay.formats import text_layouts

    return text_layouts.prepared(source)
