"""The document of one estimate."""

from __future__ import annotations

from classay.inference.estimate import Estimate
from classay.inference.words import heading, spoken
from classay.report.document import Column, Document, Found, Label, Method, Section, Table


def document_of(found: Estimate) -> Document:
    """The value with its interval and its method, or why something is missing."""
    from classay import __version__

    columns = (Column("", Label), Column("value", Found), Column("method", Method))
    named, title = Label("estimate"), "Estimate"
    if found.measure is not None:
        named, title = Label(heading(found.measure), found.measure), f"Estimate of {spoken(found.measure)}"
    table = Table(columns, ((named, Found(found), Method(found)),))
    return Document(title, sections=(Section("", (table,)),), version=__version__)
