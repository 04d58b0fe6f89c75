"""A file as its layout has it read; options that have no effect on its format are refused."""

from __future__ import annotations

from dataclasses import replace

from classay.errors import InputError
from classay.formats import text_layouts
from classay.formats.encodings import with_encoding
from classay.formats.joined import join
from classay.formats.layout import layout_of, option, options_of
from classay.sources.inputs import Input, find_input


def prepared(source: Input) -> Input:
    """Return an input as its layout has it read. Raises InputError for an option without effect on its format."""
    layout = layout_of(source)
    sources = [source]
    if layout.columns_from is not None:
        sources.append(find_input(layout.columns_from, None, None))
    usable = [options_of(part) for part in sources]
    for name in layout.given():
        if name != "columns_from" and not any(name in names for names in usable):
            raise InputError(
                f"{option(name)} has no effect on {source.name}, which is of format {source.format}. Remove it."
            )
    if layout.columns_from is None:
        return _laid_out(source)
    first, second = (
        _laid_out(replace(part, layout=(layout.only(names),)))
        for part, names in zip(sources, usable, strict=True)
    )
    return join(first, second)


def _laid_out(source: Input) -> Input:
    text_layouts.check_options(layout_of(source))
    if source.format in ("csv", "tsv"):
        return text_layouts.prepared(source)
    return with_encoding(source)[0] if source.compression is not None else source
