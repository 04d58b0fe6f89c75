"""A document as text: on a terminal with colour, and plain wherever it is piped, logged or printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from classay.report.document import Diagram, Document, Figures, Listing, Matrix, Prose, Section, Table
from classay.report.text_page import ACCENT, ALARM, GAP, INDENT, QUIET, EncodedText, Page, widest
from classay.report.text_tables import layouts, write_table
from classay.report.words import LABEL_WIDTH, counts

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

MATRIX_CLASSES = 12
MATRIX_NAME = 14  # the longest name that may stand over a column
PLAIN_MARKS = str.maketrans("│█▒░", "|#+.")
"""What stands for the marks of a diagram where they cannot be encoded."""


def as_text(document: Document, width: int = 100, encoding: str | None = None) -> str:
    """The document as plain text without colour, `width` characters wide.

    The text uses only characters that `encoding` has: by default that of standard output, for `print`.
    """
    import sys

    from rich.console import Console

    file = EncodedText(encoding or getattr(sys.stdout, "encoding", None) or "utf-8")
    console = Console(
        file=file,
        width=width,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    print_document(document, console)
    return file.getvalue()


def print_document(document: Document, console: Console) -> None:
    """Print the document on the console, as wide and as colourful as that allows."""
    page = Page(console)
    _head(page, document)
    laid_out = layouts(page, list(document.tables))
    for section in document.sections:
        if section.role == "methods" or all(isinstance(part, Figures) for part in section.parts):
            continue  # they are for pages and papers
        page.heading(section.title, ALARM if section.role == "warnings" else f"bold {ACCENT}")
        for part in section.parts:
            if isinstance(part, Table):
                write_table(page, part, laid_out)
            elif isinstance(part, Matrix):
                _matrix(page, part)
            elif isinstance(part, Prose):
                _prose(page, part)
            elif isinstance(part, Listing):
                _listing(page, part, section)
            elif isinstance(part, Diagram):
                _diagram(page, part)


def _head(page: Page, document: Document) -> None:
    title = page.text(f"{document.status}: {document.title}" if document.status else document.title, "bold")
    version = page.text(f"classay {document.version}" if document.version else "", style=QUIET)
    room = page.width - title.cell_len - version.cell_len
    if room < GAP:
        page.columns([title], [page.width], indent=0)
    else:
        page.line(title, page.text(" " * room), version)
    page.line(page.text("─" * page.width, style=QUIET))
    _facts(page, document.facts)
    if document.verdict:
        page.line()
    for k, sentence in enumerate(document.verdict):
        _verdict_sentence(page, sentence, style="bold" if k == 0 else "")


def _facts(page: Page, facts: Sequence[tuple[str, str]]) -> None:
    """Name and value, as at the head of a laboratory report: two facts to a line where all of them fit."""
    cells = [(page.text(name, style=QUIET), page.text(text)) for name, text in facts]
    names = min(max((name.cell_len for name, _ in cells), default=0), page.width // 3)
    left, right = (max((text.cell_len for _, text in cells[k::2]), default=0) for k in (0, 1))
    left = max(left, 16) + GAP
    is_paired = INDENT + 2 * (names + GAP) + left + GAP + right <= page.width
    step, widths = (
        (2, [names, left, names, right]) if is_paired else (1, [names, page.width - INDENT - names - GAP])
    )
    for k in range(0, len(cells), step):
        line = [cell for pair in cells[k : k + step] for cell in pair]
        page.columns(line, widths[: len(line)])


def _verdict_sentence(page: Page, sentence: str, style: str) -> None:
    bar = page.text("┃ ", style=f"bold {ACCENT}")
    for line in page.text(sentence, style=style).wrap(page.console, page.width - INDENT - bar.cell_len):
        line.rstrip()
        page.line(page.text(" " * INDENT), bar, line)


def _prose(page: Page, prose: Prose) -> None:
    text = page.text(prose.text, QUIET) if prose.tone == "quiet" else _code(page, prose.text)
    page.columns([text], [page.width - INDENT])


def _listing(page: Page, listing: Listing, section: Section) -> None:
    if section.role == "warnings":
        lead = page.text("⚠" if page.has_colour and page.encodes("⚠") else "warning:", ALARM)
    else:
        lead = page.text("→" if section.role == "next" else "·", ACCENT)
    for _, text in listing.items:
        page.paragraph(_code(page, text), lead)


def _diagram(page: Page, diagram: Diagram) -> None:
    """A line of a name, a number and marks for each row."""
    names = min(widest(name for name, _, _ in diagram.lines), LABEL_WIDTH)
    marks = max(1, widest(mark for _, _, mark in diagram.lines))
    for name, number, mark in diagram.lines:
        shown = mark if page.encodes(mark) else mark.translate(PLAIN_MARKS)
        cells = [page.label(name, names), page.text(number), page.text(shown, ACCENT)]
        page.columns(cells, [names, 6, marks], "lrl")
    if diagram.note:
        page.quiet(diagram.note if page.encodes(diagram.note) else diagram.note.translate(PLAIN_MARKS))


def _matrix(page: Page, matrix: Matrix) -> None:
    classes = len(matrix.labels)
    if classes > MATRIX_CLASSES:
        page.prose(f"{classes:,} by {classes:,}: too large to read here; the JSON has it.")
        return
    sums = [sum(column) for column in zip(*matrix.counts, strict=True)]
    *rows, foot = counts([(*row, sum(row)) for row in (*matrix.counts, sums)])
    *digits, last = (widest(column) for column in zip(*rows, foot, strict=True))
    layout = _matrix_layout(page, matrix, max(digits, default=1), max(last, len("total")))
    if layout is None:
        page.prose("Too wide for this window; the JSON has it.")
        return
    widths, is_named, align = layout.widths, layout.is_named, "l" + "r" * (classes + 1)
    side = widths[0]
    page.line(page.text(" " * (INDENT + side + GAP)), page.text("true", style=QUIET))
    heads = [page.text(name if is_named else str(k)) for k, name in enumerate(matrix.labels, 1)]
    page.columns([page.text("predicted", QUIET), *heads, page.text("total", QUIET)], widths, align)
    for k, (name, row) in enumerate(zip(matrix.predicted, rows, strict=True)):
        shown = (
            page.label(name, side) if is_named else page.text(f"{k + 1:>2}  ") + page.label(name, side - 4)
        )
        cells = [page.text(text, "bold" if j == k else "") for j, text in enumerate(row[:-1])]
        page.columns([shown, *cells, page.text(row[-1], QUIET)], widths, align)
    page.columns([page.text(text, QUIET) for text in ("total", *foot)], widths, align)


@dataclass(frozen=True)
class _MatrixLayout:
    """Widths of the columns, and whether names stand over them or numbers, which stand for longer names."""

    widths: tuple[int, ...]
    is_named: bool


def _matrix_layout(page: Page, matrix: Matrix, digits: int, last: int) -> _MatrixLayout | None:
    labels = matrix.labels
    names = widest(page.text(label).plain for label in labels)
    sides = widest(page.text(label).plain for label in matrix.predicted)
    spare = page.width - INDENT - last - GAP
    for is_named in (True, False):
        cell = max(digits, names if is_named else 2)
        side = spare - len(labels) * (cell + GAP) - GAP
        needed = max(min(sides, LABEL_WIDTH) + (0 if is_named else 4), len("predicted"))
        if side >= (needed if is_named else 10) and not (is_named and names > MATRIX_NAME):
            return _MatrixLayout((min(side, needed), *[cell] * len(labels), last), is_named)
    return None


def _code(page: Page, text: str) -> Text:
    """The text, with what stands between backticks in the accent colour."""
    shown = page.text(text)
    for found in re.finditer(r"`[^`]+`", shown.plain):
        shown.stylize(ACCENT, *found.span())
    return shown
