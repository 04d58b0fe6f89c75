"""A file as its layout has it read; options that have no effect on its format are refused."""

from __future__ import annotations

from dataclasses import fields

from classay.errors import InputError
from classay.formats import text_layouts
from classay.formats.layout import Layout, layout_of, option
from classay.sources.inputs import Input
from classay.wings import brought, thing

OF_TEXT = ("decimal", "na", "header_line", "date_format")
"""The options that have an effect on CSV and TSV."""


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
    return text_layouts.prepared(source)
