"""The document of one estimate."""

from __future__ import annotations

from classay.inference.estimate import Estimate
from classay.report.document import Column, Document, Found, Label, Method, Section, Table


def document_of(found: Estimate) -> Document:
    """The value with its interval and its method, or why something is missing."""
    from classay import __version__

    columns = (Column("", Label), Column("value", Found), Column("method", Method))
    table = Table(columns, ((Label("estimate"), Found(found), Method(found)),))
    return Document("Estimate", sections=(Section("", (table,)),), version=__version__)
