"""Rows that were given and not compared, as a table of a paper, which has no list of facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from classay.report.document import Column, Document, Label, Section, Table, Words


def with_flow(document: Document, left_out: Mapping[str, str]) -> Document:
    """The document with the rows left out first; the same one where there are none."""
    if not left_out:
        return document
    rows = tuple((Label(name), Words(text)) for name, text in left_out.items())
    table = Table((Column("rows", Label), Column("which", Words)), rows)
    return replace(document, sections=(Section("Flow of cases", (table,)), *document.sections))
