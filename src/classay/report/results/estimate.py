"""One estimate: its document and its JSON."""

from __future__ import annotations

from typing import Any

from classay.inference.estimate import Estimate, heading, spoken
from classay.report.document import Column, Document, Found, Label, MethodCell, Section, Table
from classay.report.results.parts import of_estimate


def document_of(found: Estimate) -> Document:
    """The value with its interval and its method, or why something is missing."""
    columns = (Column("", Label), Column("value", Found), Column("method", MethodCell))
    named, title = Label("estimate"), "Estimate"
    if found.measure is not None:
        named, title = Label(heading(found.measure), found.measure), f"Estimate of {spoken(found.measure)}"
    table = Table(columns, ((named, Found(found), MethodCell(found)),))
    return Document(title, sections=(Section("", (table,)),))


def as_dict(found: Estimate) -> dict[str, Any]:
    """The estimate as it stands within every other JSON."""
    return of_estimate(found)
