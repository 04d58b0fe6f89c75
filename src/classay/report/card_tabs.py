"""The tabs of a card: the sections of a document, small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classay.report.document import (
    Bar,
    Cell,
    Diagram,
    Document,
    Figures,
    Found,
    Label,
    Listing,
    Matrix,
    Method,
    Part,
    Prose,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.pieces import cell_text, interval_of, value_of
from classay.report.words import counts
from classay.texts import clean, cut

if TYPE_CHECKING:
    from markupsafe import Markup

ROWS, CLASSES = 30, 12
"""What a tab holds at most: rows of a table, classes of a matrix."""
LONGEST = 80
"""Characters of a name or cell on a card; the page has all of it."""


def tabs_of(document: Document) -> list[tuple[str, Markup]]:
    """The sections as tabs: their tables, texts and lists; facts in one of their own."""
    from markupsafe import Markup

    tabs = [(section.title, _body(section)) for section in document.sections]
    if document.facts:
        rows = Markup("").join(
            Markup("<tr><th scope=row>{}</th><td class=text>{}</td></tr>").format(clean(name), cut_text(text))
            for name, text in document.facts
        )
        tabs.append(("About", Markup("<table>{}</table>").format(rows)))
    return [(title, body) for title, body in tabs if body]


def _body(section: Section) -> Markup:
    from markupsafe import Markup

    return Markup("").join(_part(part) for part in section.parts)


def _part(part: Part) -> Markup:
    from markupsafe import Markup

    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Matrix):
        return _matrix(part)
    if isinstance(part, Prose):
        return Markup("<p>{}</p>").format(clean(part.text).replace("`", ""))
    if isinstance(part, Listing):
        items = (Markup("<li>{}</li>").format(clean(text).replace("`", "")) for _, text in part.items)
        return Markup("<ul>{}</ul>").format(Markup("").join(items))
    if isinstance(part, Diagram):
        lines = (
            Markup("<tr><th scope=row>{}</th><td>{}</td></tr>").format(cut_text(n), v)
            for n, v, _ in part.lines
        )
        return Markup("<table>{}</table>").format(Markup("").join(lines))
    assert isinstance(part, Figures)
    return Markup("")  # pictures are for pages


def _table(table: Table) -> Markup:
    from markupsafe import Markup

    kept = [k for k, column in enumerate(table.columns) if column.kind not in (Bar, Method)]
    heads = Markup("").join(
        Markup("<th scope=col{}>{}</th>").format(
            Markup(" class=text") if table.columns[k].kind in (Label, Words) else "",
            cut_text(table.columns[k].head),
        )
        for k in kept
    )
    rows = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(_cell(row[k]) for k in kept))
        for row in table.rows[:ROWS]
    )
    title = Markup("<h6>{}</h6>").format(cut_text(table.title)) if table.title else ""
    more = len(table.rows) - ROWS
    foot = Markup("<p>{:,} more rows: see the page or the frame.</p>").format(more) if more > 0 else ""
    return Markup("{}<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>{}").format(
        title, heads, rows, foot
    )


def _cell(cell: Cell) -> Markup:
    from markupsafe import Markup

    if isinstance(cell, Label):
        return Markup("<th scope=row>{}</th>").format(cut_text(cell.text))
    if isinstance(cell, Found) and not isinstance(cell, Value) and cell.estimate.has_interval:
        return Markup("<td>{} <small>{}</small></td>").format(value_of(cell), interval_of(cell))
    kind = Markup(" class=text") if isinstance(cell, Words) and not cell.text[:1].isdigit() else ""
    return Markup("<td{}>{}</td>").format(kind, cut_text(cell_text(cell)))


def _matrix(matrix: Matrix) -> Markup:
    from markupsafe import Markup

    if len(matrix.labels) > CLASSES:
        k = len(matrix.labels)
        return Markup("<p>{} by {}: too large for a card.</p>").format(k, k)
    heads = Markup("").join(
        Markup("<th scope=col>{}</th>").format(cut_text(label)) for label in matrix.labels
    )
    rows = Markup("").join(
        Markup("<tr><th scope=row>{}</th>{}</tr>").format(
            cut_text(label), Markup("").join(Markup("<td>{}</td>").format(text) for text in row)
        )
        for label, row in zip(matrix.predicted, counts(matrix.counts), strict=True)
    )
    head = Markup("<th scope=col>predicted ↓, true →</th>")
    return Markup("<table><thead><tr>{}{}</tr></thead><tbody>{}</tbody></table>").format(head, heads, rows)


def cut_text(text: str) -> str:
    """A text of anybody's, fit to print and short enough for a card."""
    return cut(clean(text), LONGEST)
