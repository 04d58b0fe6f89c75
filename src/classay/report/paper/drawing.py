"""The main picture of a document, drawn with matplotlib."""

from __future__ import annotations

from typing import Any

from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.report.document import Bar, Document, Figures, Found, Label, Table
from classay.report.pictures import forest, plots


def draw(document: Document, ax: Any = None, width: str = "screen") -> Any:
    """Draw the first picture of a document with matplotlib, or its first intervals; returns the axes.

    Curves come as they do on the page; a table's intervals one below the other, with the line that they are compared
    with. Raises InputError where nothing can be drawn.
    """
    for section in document.sections:
        for part in section.parts:
            if isinstance(part, Figures) and part.shown:
                return plots.plot(part.shown[0].curves, ax, width)
            if isinstance(part, Table) and any(column.kind is Bar for column in part.columns):
                drawn = _intervals(part)
                if drawn:
                    return forest.draw(drawn, part.title or section.title, part.scale, ax, width)
    for section in document.sections:
        for part in section.parts:
            drawn = _intervals(part) if isinstance(part, Table) else []
            if drawn:
                return forest.draw(drawn, part.title or section.title or document.title, None, ax, width)  # type: ignore[union-attr]
    raise InputError("there is nothing to draw here: no number has a value.")


def _intervals(table: Table) -> list[tuple[str, Estimate]]:
    """The first estimates of the rows that can share an axis: those with a bar, where the table has bars."""
    bars = [k for k, column in enumerate(table.columns) if column.kind is Bar]
    found = []
    for row in table.rows:
        cell = next((each for each in row if isinstance(each, Found)), None)
        if cell is None or cell.estimate.is_undefined or (bars and row[bars[0]] is None):
            continue
        found.append((row[0].text if isinstance(row[0], Label) else "", cell.estimate))
    return found
