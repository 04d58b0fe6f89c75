"""A document as LaTeX: its tables for a paper, in the style of booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from classay.report.document import Bar, Cell, Column, Document, Found, Matrix, Table
from classay.report.pieces import cell_text, interval_of, value_of
from classay.report.words import counts, interval_title, remark
from classay.texts import clean

ESCAPES = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "[": "{[}", "]": "{]}",
        "−": "$-$", "<": "$<$", ">": "$>$", "–": "--", "²": "$^2$", "χ": r"$\chi$", "±": r"$\pm$", "≥": r"$\geq$",
        "≤": r"$\leq$", "…": r"\ldots{}", "│": r"$\vert$",
    }
)  # fmt: skip
"""Square brackets too: behind a line's end they would be read as a length."""


MINUS = re.compile(r"(?<![^\s\[(])-(?=\d)")
"""The sign of a number, which a hyphen is not."""


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it is, on one line and without what a terminal would obey.

    >>> print(escaped("a_b & -5 %"))
    a\_b \& $-$5 \%
    """
    return "$-$".join(piece.translate(ESCAPES) for piece in MINUS.split(clean(text)))


def as_latex(document: Document) -> str:
    """All tables of a document, each with its caption."""
    lines: list[str] = []
    for section in document.sections:
        for part in section.parts:
            if isinstance(part, Table):
                lines += _table(part, section.title or document.title)
            elif isinstance(part, Matrix):
                lines += _matrix(part, section.title or document.title)
    return "\n".join(lines)


def _table(table: Table, title: str) -> Iterator[str]:
    table = table.without_methods()
    kept = [k for k, column in enumerate(table.columns) if column.kind is not Bar]
    notes = [note.rstrip(".") + "." for note in (table.beside, table.note, table.foot) if note]
    heads = [head for k in kept for head in _heads(table, table.columns[k])]
    align = "".join(_align(table.columns[k]) for k in kept)
    body = ([each for k in kept for each in _cells(row[k])] for row in table.rows)
    return _tabular(" ".join([f"{table.title or title}.", *notes]), align, heads, list(body))


def _heads(table: Table, column: Column) -> list[str]:
    if not issubclass(column.kind, Found):
        return ["$p$" if column.head == "p" else escaped(column.head)]
    return [escaped(column.head), escaped(interval_title(table.levels))]


def _align(column: Column) -> str:
    if issubclass(column.kind, Found):
        return "rl"
    return "r" if column.kind.__name__ in ("Count", "PValue", "Value", "Words") else "l"


def _cells(cell: Cell) -> list[str]:
    if isinstance(cell, Found):
        return [escaped(value_of(cell)), escaped(interval_of(cell) or remark(cell.estimate))]
    return [escaped(cell_text(cell))]


def _matrix(matrix: Matrix, title: str) -> Iterator[str]:
    heads = ["predicted", *map(escaped, matrix.labels)]
    rows = [
        [escaped(label), *row] for label, row in zip(matrix.predicted, counts(matrix.counts), strict=True)
    ]
    return _tabular(f"{title}, true classes in columns.", "l" + "r" * len(matrix.labels), heads, rows)


def _row(cells: list[str]) -> str:
    """A row of a table. A star that begins it would be read as an argument of the row before."""
    return ("{}" if cells[0][:1] == "*" else "") + " & ".join(cells) + r" \\"


def _tabular(caption: str, align: str, heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield r"\begin{table}"
    yield rf"\caption{{{escaped(caption)}}}"
    yield rf"\begin{{tabular}}{{{align}}}"
    yield r"\toprule"
    yield _row(heads)
    yield r"\midrule"
    yield from map(_row, rows)
    yield from (r"\bottomrule", r"\end{tabular}", r"\end{table}", "")
