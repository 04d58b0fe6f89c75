"""A document as Markdown, for a comment on a pull request or a page of notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from classay.report.document import (
    Bar,
    Cell,
    Diagram,
    Document,
    Found,
    Listing,
    Matrix,
    Part,
    Prose,
    Table,
)
from classay.report.words import (
    cell_text,
    counts,
    interval_of,
    interval_title,
    reason_spans,
    remark,
    value_of,
)
from classay.texts import clean

MATRIX_CLASSES = 20
MARKS = str.maketrans(
    {mark: f"\\{mark}" for mark in "\\|*_<>#[]&~$"} | {"@": "&#64;"}
)  # no mention of a person, no issue, no formula
CODE = str.maketrans({"|": "\\|"})
SIGNS = {"Passed": "✅ ", "Failed": "❌ ", "Cannot tell": "❔ "}


def as_markdown(document: Document) -> str:
    """The whole document: verdict first, then its sections; pictures are for pages."""
    status = f"{SIGNS.get(document.status, '')}{document.status}: " if document.status else ""
    lines = [f"### {status}{escaped(document.title)}", ""]
    lines += [line for sentence in document.verdict for line in (escaped(sentence), "")]
    if document.facts:
        lines += [*_pipes(["", ""], [[escaped(name), escaped(text)] for name, text in document.facts]), ""]
    for section in document.sections:
        if body := [line for part in section.parts for line in _part(part)]:
            lines += [f"#### {escaped(section.title)}", ""] if section.title else []
            lines += body
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str) -> str:
    """A text that does not end a cell or start markup, but for code between backticks.

    >>> print(escaped("a|b `c|d` <e>"))
    a\\|b `c\\|d` \\<e\\>
    """
    pieces = clean(text).split("`")
    if len(pieces) % 2 == 0:
        pieces = ["\\`".join(pieces)]
    return "`".join(piece.translate(CODE if k % 2 else MARKS) for k, piece in enumerate(pieces))


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Table):
        yield from _table(part)
    elif isinstance(part, Matrix):
        yield from _matrix(part)
    elif isinstance(part, Prose):
        yield from (escaped(part.text), "")
    elif isinstance(part, Listing):
        yield from (f"- {escaped(text)}" for _, text in part.items)
        yield ""
    elif isinstance(part, Diagram):
        rows = [[escaped(name), number, escaped(marks)] for name, number, marks in part.lines]
        yield from _pipes([*part.heads, ""], rows)
        yield from ("", escaped(part.note), "")


def _table(table: Table) -> Iterator[str]:
    if table.title:
        beside = f" ({escaped(table.beside)})" if table.beside else ""
        yield from (f"**{escaped(table.title)}**{beside}", "")
    if table.note:
        yield from (escaped(table.note), "")
    kept = [k for k, column in enumerate(table.columns) if column.kind is not Bar]
    title = interval_title(table.levels)
    heads = [
        f"{escaped(column.head)}, {title}" if issubclass(column.kind, Found) else escaped(column.head)
        for column in (table.columns[k] for k in kept)
    ]
    yield from _pipes(heads, [[_cell(table, row, row[k]) for k in kept] for row in table.rows])
    yield ""
    if table.foot:
        yield from (escaped(table.foot), "")


def _cell(table: Table, row: tuple[Cell, ...], cell: Cell) -> str:
    if not isinstance(cell, Found):
        return escaped(cell_text(cell))
    has_method = any(column.kind.__name__ == "Method" for column in table.columns)
    shown = interval_of(cell)
    if not shown and (reason_spans(table.columns, row) or not has_method):
        shown = f"({remark(cell.estimate)})"
    return escaped(f"{value_of(cell)} {shown}".rstrip())


def _matrix(matrix: Matrix) -> Iterator[str]:
    matrix = matrix.within(MATRIX_CLASSES)
    heads = ["predicted ↓, true →", *map(escaped, matrix.labels)]
    rows = [
        [escaped(label), *row] for label, row in zip(matrix.predicted, counts(matrix.counts), strict=True)
    ]
    yield from _pipes(heads, rows)
    yield ""
    if matrix.said:
        yield from (matrix.said, "")


def _pipes(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
