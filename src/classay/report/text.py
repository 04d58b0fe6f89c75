"""A document as text: on a terminal with colour, plain wherever it is piped, logged or printed, in any width.

In a narrow window the columns of a table that can be spared most go below its rows first, under the same names. Then
intervals move below their values, and then the other columns that can be spared go below. Names are cut, and running
text wraps. All tables of a document that have the same columns are laid out together, so that their numbers stand in
line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from classay.report.document import (
    DRAWN,
    STACKING,
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Diagram,
    Document,
    EstimateCell,
    Figures,
    Label,
    Listing,
    Matrix,
    MethodCell,
    Prose,
    PValue,
    Section,
    Spark,
    Table,
    Value,
    Words,
)
from classay.report.terminal import ACCENT, ALARM, GAP, INDENT, QUIET, EncodedText, Page, widest
from classay.report.words import (
    BLOCKS,
    LABEL_WIDTH,
    Notes,
    cell_text,
    counts,
    interval_of,
    interval_title,
    reason_spans,
    remark,
    short_count,
    unbroken,
    value_of,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


BAR = 21  # odd, so that the middle has a cell of its own
METHOD = 14  # the least room for running text
WRAPPED = 12  # the least room for the title of a measure, which wraps
NAME = 20  # a name up to this wide is never cut: intervals move below their values instead
HEAD = 16  # beyond this a head is cut: a name, which stands elsewhere in full
WHOLE = 18  # words up to this wide, such as what was found and of whom, stand on one line
TONES = {"plain": "", "quiet": QUIET, "strong": "bold", "good": ACCENT, "bad": ALARM}

_IN_PARENTHESES = re.compile(r" \([^)]*\)")

NOTE = "note 10"
"""The longest text that stands for an interval that there is none of."""

Texts = tuple[str, ...]
"""What a cell is in text: one piece, or value and interval."""


@dataclass(frozen=True)
class ColumnLayout:
    """Which columns are kept, how wide they are (an estimate has two widths), and whether intervals stand below."""

    kept: tuple[int, ...]
    widths: tuple[tuple[int, ...], ...]
    is_stacked: bool

    @property
    def flat(self) -> list[int]:
        """All widths in their order."""
        return [width for each in self.widths for width in each]


@dataclass(frozen=True)
class Block:
    """The columns of a table that stand beside each other; no layout where even the narrowest does not fit."""

    columns: tuple[int, ...]
    layout: ColumnLayout | None


def layouts(page: Page, tables: Sequence[Table]) -> dict[tuple[Column, ...], tuple[Block, ...]]:
    """The layout of all tables that share their columns: those that do not fit beside the others stand below them."""
    alike: dict[tuple[Column, ...], list[Table]] = {}
    for table in tables:
        alike.setdefault(table.columns, []).append(table)
    return {columns: tuple(_blocks(page, each)) for columns, each in alike.items()}


def _blocks(page: Page, tables: list[Table]) -> Iterator[Block]:
    columns = tables[0].columns
    first = _layout(page, tables)
    yield Block(tuple(range(len(columns))), first)
    kept = range(len(columns)) if first is None else first.kept
    names = [k for k in kept if columns[k].kind is Label] or [0]
    rest = [k for k, each in enumerate(columns) if k not in kept and each.kind not in (*DRAWN, MethodCell)]
    while rest:
        for most in range(len(rest), 0, -1):
            together = (*names, *rest[:most])
            below = [each.only(together) for each in tables]
            if (layout := _whole(page, below)) is not None:
                break
        yield Block(together, layout)
        rest = rest[most:]


def write_table(page: Page, table: Table, laid_out: dict[tuple[Column, ...], tuple[Block, ...]]) -> None:
    """The title, note, head, rows and foot of a table."""
    blocks = laid_out[table.columns]
    if table.title:
        page.line()
        title = page.text(table.title, "bold")
        if table.beside:
            title.append_text(page.text(f"  {table.beside}", QUIET))
        page.columns([title], [page.width - INDENT])
    if table.note:
        page.quiet(table.note)
    if table.rows:
        _write_blocks(page, table, blocks)
    first = blocks[0].layout
    methods = [k for k, each in enumerate(table.columns) if each.kind is MethodCell]
    if table.rows and first is not None and not {*methods} <= {*first.kept}:
        table = table.without_methods()
    if table.foot:
        page.quiet(table.foot)


def _write_blocks(page: Page, table: Table, blocks: Sequence[Block]) -> None:
    """The heads and rows of each block, and what notes say of the cells of all."""
    notes = Notes()
    for k, block in enumerate(blocks):
        part = table.only(block.columns)
        heads = tuple(each.head for each in part.columns)
        if k and not page.is_new({heads, *(tuple(map(cell_text, row)) for row in part.rows)}):
            continue  # such as the cases of each group, which all measures of them have
        if k:
            page.line()
        if block.layout is None:
            _one_by_one(page, part)
            continue
        _heads(page, part, block.layout)
        for row in part.rows:
            _row(page, part, row, block.layout, notes)
    for mark, text in notes:
        page.quiet(f"note {mark}: {text}")


def _layout(page: Page, tables: list[Table]) -> ColumnLayout | None:
    columns = tables[0].columns
    needs = [_needs(page, tables, k) for k in range(len(columns))]
    for kept, is_stacked in _attempts(page, columns):
        layout = _fitted(page, columns, needs, kept, is_stacked=is_stacked)
        if layout is not None:
            return layout
    return None


def _whole(page: Page, tables: list[Table]) -> ColumnLayout | None:
    """Return the layout with all columns."""
    columns = tables[0].columns
    kept = list(range(len(columns)))
    needs = [_needs(page, tables, k) for k in kept]
    beside = _fitted(page, columns, needs, kept, is_stacked=False)
    return beside or _fitted(page, columns, needs, kept, is_stacked=True)


def _attempts(page: Page, columns: tuple[Column, ...]) -> Iterator[tuple[list[int], bool]]:
    """Yield what to try, the fullest first."""
    can_draw = {
        Bar: page.has_colour and all(map(page.encodes, "─━●│")),
        Spark: all(map(page.encodes, BLOCKS)),
    }
    kept = [k for k, column in enumerate(columns) if can_draw.get(column.kind, True)]
    spare = sorted((k for k in kept if columns[k].spare), key=lambda k: -columns[k].spare)
    early = [k for k in spare if columns[k].spare > STACKING]
    late = [k for k in spare if columns[k].spare <= STACKING]
    yield kept, False
    for k in early:
        kept = [each for each in kept if each != k]
        yield kept, False
    yield kept, True
    for k in late:
        kept = [each for each in kept if each != k]
        yield kept, True


@dataclass(frozen=True)
class _Needs:
    """The widths a column wants side by side and stacked, and the least that it can do with."""

    beside: tuple[int, ...]
    stacked: tuple[int, ...]
    least: int


def _needs(page: Page, tables: list[Table], k: int) -> _Needs:
    column = tables[0].columns[k]
    cells = [row[k] for table in tables for row in table.rows]
    texts = [_texts(cell) for cell in cells]
    head = min(widest(column.head.split()), HEAD)
    if issubclass(column.kind, EstimateCell):
        values = widest(each[0] for each in texts)
        intervals = widest(each[1] for each in texts if len(each) > 1)
        if _is_only_estimate(tables[0].columns):
            values, intervals = max(values, head), max(intervals, len(_interval_head(tables)))
        else:
            bare = any(isinstance(cell, EstimateCell) and not cell.estimate.has_interval for cell in cells)
            intervals = max(intervals, head - values - 1, len(NOTE) if bare else 0)
        both = max(values, intervals, head)
        return _Needs((values, max(intervals, 1)), (both,), both)
    if column.kind is Bar:
        return _Needs((BAR,), (BAR,), BAR)
    if column.kind is Label:
        wide = max(widest(_name(page, cell, LABEL_WIDTH).plain for cell in cells), head)
        words = widest(word for cell in cells for word in _name(page, cell, 0).plain.split())
        wraps = all(cell.name for cell in cells if isinstance(cell, Label))
        return _Needs((wide,), (wide,), min(wide, max(WRAPPED, words) if wraps else NAME))
    if column.kind is MethodCell:
        words = widest(word for each in texts for word in unbroken(each[0]).split(" "))
        return _Needs((10**6,), (10**6,), max(METHOD, min(words, NAME)))
    wide = max(widest(each[0] for each in texts), min(widest([column.head]), HEAD))
    words = max(widest(word for each in texts for word in unbroken(each[0]).split(" ")), head)
    longest = widest(each[0] for each in texts)
    if widest([column.head]) <= WRAPPED:
        head = widest([column.head])
    least = max(longest, head) if longest <= WHOLE else min(words, HEAD)
    return _Needs((wide,), (wide,) if _bends(column) else (words,), least)


def _fitted(
    page: Page, columns: tuple[Column, ...], needs: list[_Needs], kept: list[int], *, is_stacked: bool
) -> ColumnLayout | None:
    """Return the widths where all fit: names and running text take what is left over."""
    widths = [needs[k].stacked if is_stacked else needs[k].beside for k in kept]
    pieces = sum(map(len, widths))
    room = page.width - INDENT - GAP * (pieces - 1)
    fixed = sum(sum(each) for k, each in zip(kept, widths, strict=True) if not _bends(columns[k]))
    bending = [k for k in kept if _bends(columns[k])]
    left = room - fixed - sum(needs[k].least for k in bending)
    if left < 0:
        return None
    taken = {}
    for k in bending:
        wanted = (needs[k].stacked if is_stacked else needs[k].beside)[0]
        taken[k] = needs[k].least + min(left, max(wanted - needs[k].least, 0))
        left -= taken[k] - needs[k].least
    fitted = tuple((taken[k],) if k in taken else each for k, each in zip(kept, widths, strict=True))
    return ColumnLayout(tuple(kept), fitted, is_stacked)


def _bends(column: Column) -> bool:
    """Check whether a column can be narrower than its texts: a name is cut, running text wraps."""
    return column.kind in (Label, MethodCell, Words)


def _is_only_estimate(columns: Sequence[Column]) -> bool:
    return sum(issubclass(column.kind, EstimateCell) for column in columns) == 1


def _interval_head(tables: Sequence[Table]) -> str:
    return interval_title(each for table in tables for each in table.intervals)


def _heads(page: Page, table: Table, layout: ColumnLayout) -> None:
    cells, align = [], ""
    widths: list[int] = []
    for k, width in zip(layout.kept, layout.widths, strict=True):
        column = table.columns[k]
        head = page.text(column.head, QUIET)
        if head.cell_len > sum(width) and " " not in column.head:
            head = page.label(column.head, max(sum(width), 1), [each.head for each in table.columns])
            head.stylize(QUIET)
        if column.kind is Bar:
            head = page.text(_scale_head(table.scale or AxisScale()), QUIET)
        is_apart = len(width) == 2 and _is_only_estimate(table.columns)
        if is_apart:
            cells.append(head)
            align += "r"
            head = page.text(_interval_head([table]), QUIET)
        elif issubclass(column.kind, EstimateCell) and table.intervals:
            head += page.text(f", {_interval_head([table])}".replace("% ", "%\u00a0"), QUIET)
        align += _align(table, k)
        cells.append(head)
        widths += width if is_apart else (sum(width) + GAP * (len(width) - 1),)
    page.columns(cells, widths, align)


def _align(table: Table, k: int) -> str:
    kind = table.columns[k].kind
    if kind in (Count, PValue, Value):
        return "r"
    if kind is Words:
        return "l" if table.is_wordy(k) else "r"
    return "l"


def _scale_head(scale: AxisScale) -> str:
    """Return what stands at the ends of the scale over the bars, and over its middle line where there is room."""
    low, middle, high = scale.texts
    head = low.ljust(BAR - len(high)) + high
    if scale.zero is None:
        return head
    at = round(scale.place(scale.zero) * (BAR - 1)) - len(middle) // 2
    has_room = len(low) < at and at + len(middle) < BAR - len(high)
    return head[:at] + middle + head[at + len(middle) :] if has_room else head


def _one_by_one(page: Page, table: Table) -> None:
    """The rows below each other, a line for each cell, as a telephone shows them: they fit no window of this width."""
    for row in table.rows:
        named = next((k for k, cell in enumerate(row) if isinstance(cell, Label)), None)
        if named is not None:
            page.columns([page.text(cell_text(row[named]), "bold")], [page.width - INDENT])
        for k, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
            if k == named or isinstance(cell, DRAWN):
                continue
            texts = _texts(cell)
            if isinstance(cell, EstimateCell) and not cell.estimate.has_interval:
                texts = texts[0], remark(cell.estimate)
            if notes := " ".join(filter(None, texts)):
                about = f"{column.head}: " if column.head else ""
                page.columns([page.text(f"{about}{notes}")], [page.width - 2 * INDENT], indent=2 * INDENT)


def _row(page: Page, table: Table, row: tuple[Cell, ...], layout: ColumnLayout, notes: Notes) -> None:
    spans = reason_spans(table.columns, row)
    cells: list[Text] = []
    below: list[Text] = []
    widths: list[int] = []
    align = ""
    for k, width in zip(layout.kept, layout.widths, strict=True):
        cell = row[k]
        first, second, sides = _shown(page, table, k, cell, width, None if spans else notes)
        if isinstance(cell, EstimateCell) and spans:
            rest = layout.flat[len(widths) + 1 :]
            cells += [first, page.text(remark(cell.estimate), QUIET)]
            widths += [width[0], sum(rest) + GAP * (len(rest) - 1)] if rest else [width[0]]
            page.columns(cells[: len(widths)], widths, align + "rl")
            if not rest:
                page.quiet(remark(cell.estimate))
            return
        cells.append(first)
        below.append(page.text(""))
        if len(width) == 2:
            cells.append(second)
        elif second.plain:
            below[-1] = second
        widths += width
        align += sides
    page.columns(cells, widths, align)
    if layout.is_stacked and any(each.plain for each in below):
        page.columns(below, widths, align)


def _shown(
    page: Page, table: Table, k: int, cell: Cell, width: tuple[int, ...], notes: Notes | None
) -> tuple[Text, Text, str]:
    """Return the two texts of a cell (the second, an interval, mostly empty), and how they are aligned."""
    nothing = page.text("")
    if isinstance(cell, EstimateCell):
        texts = _texts(cell)
        second = page.text(texts[1], QUIET if not _is_only_estimate(table.columns) else "")
        has_method = any(column.kind is MethodCell for column in table.columns)
        if not cell.estimate.has_interval and not has_method and notes is not None:
            second = page.text(f"note {notes.mark(cell.estimate)}", QUIET)
        style = QUIET if cell.estimate.is_undefined else "bold"
        return page.text(texts[0], style), second, "rl" if len(width) == 2 else "l"
    if isinstance(cell, Bar):
        return _bar(cell, cell.scale or table.scale or AxisScale()), nothing, "l"
    if isinstance(cell, Label):
        beside = [row[k] for row in table.rows] if len(cell.text) >= width[0] else ()
        return _name(page, cell, width[0], beside), nothing, "l"
    style = (
        TONES[cell.tone] if isinstance(cell, Words) else QUIET if isinstance(cell, MethodCell | Value) else ""
    )
    return page.text(_texts(cell)[0], style), nothing, _align(table, k)


def _texts(cell: Cell) -> Texts:
    """Return a cell as text: an estimate in two pieces."""
    return (value_of(cell), interval_of(cell)) if isinstance(cell, EstimateCell) else (cell_text(cell),)


def _name(page: Page, cell: Cell, width: int, beside: Sequence[Cell] = ()) -> Text:
    """The name of a row: a measure's wraps where it is long, and what is whole; that of a class or model is cut.

    A measure's second name, in parentheses, is left out where a word of it has no room.
    """
    if not isinstance(cell, Label):
        return page.text("")
    if cell.name and widest(cell.text.split()) > width:
        return page.text(_IN_PARENTHESES.sub("", cell.text))
    if cell.name or cell.whole:
        return page.text(cell.text)
    return page.label(cell.text, width, [each.text for each in beside if isinstance(each, Label)])


def _bar(bar: Bar, scale: AxisScale) -> Text:
    from rich.text import Text

    if isnan(bar.at):
        return Text("")
    low, at, high = (round(scale.place(x) * (BAR - 1)) for x in (bar.low, bar.at, bar.high))
    cells = ["─"] * BAR
    if scale.zero is not None:
        cells[round(scale.place(scale.zero) * (BAR - 1))] = "│"
    cells[low : high + 1] = ["━"] * (high + 1 - low)
    cells[at] = "●"
    drawn = Text("".join(cells), style=QUIET)
    drawn.stylize(f"not dim {ACCENT}" if bar.tone == "good" else "not dim", low, high + 1)
    return drawn


MATRIX_CLASSES = 12
FEWEST_CLASSES = 4
MATRIX_NAME = 14  # the longest name that may stand over a column
PLAIN_MARKS = str.maketrans("│█▒░", "|#+.")
"""What stands for the marks of a diagram where they cannot be encoded."""


def as_text(document: Document, width: int = 100, encoding: str | None = None) -> str:
    """Return the document as plain text without colour, `width` characters wide.

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


def section_text(section: Section, width: int = 100) -> str:
    """Return a section alone as plain text, in characters that standard output has."""
    text = as_text(Document("", sections=(section,), version=""), width)
    return text.split("\n", 2)[2].strip("\n")


def print_document(document: Document, console: Console) -> None:
    """Print the document on the console, as wide and as colourful as that allows."""
    page, document = Page(console), document.arranged
    _head(page, document)
    laid_out = layouts(page, list(document.tables))
    for section in document.sections:
        if section.role == "methods" or all(isinstance(part, Figures) for part in section.parts):
            continue  # they are for pages and papers
        page.heading(section.title, ALARM if section.role == "warnings" else f"bold {ACCENT}")
        for part in section.on_screen:
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
    page.print()


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
        lead = page.text("⚠" if page.has_colour and page.encodes("⚠") else "!", ALARM)
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
    shown = matrix.within(MATRIX_CLASSES)
    while not _matrix_rows(page, shown):
        shown = matrix.within(len(shown.labels) - 1)
    if shown.said:
        page.quiet(shown.said)


def _matrix_rows(page: Page, matrix: Matrix) -> bool:
    """Write the rows, as fully as there is room for; False where there is none for so many classes."""
    classes = len(matrix.labels)
    sums = [sum(column) for column in zip(*matrix.counts, strict=True)]
    every = [(*row, sum(row)) for row in (*matrix.counts, sums)]
    *rows, foot = counts(every)
    *digits, last = (widest(column) for column in zip(*rows, foot, strict=True))
    layout = _matrix_layout(page, matrix, max(digits, default=1), max(last, len("total")))
    if layout is None:
        return _dense_matrix(page, matrix, every)
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
    return True


def _dense_matrix(page: Page, matrix: Matrix, every: Sequence[Sequence[float]]) -> bool:
    """Write the rows under numbers, whose names a key tells; long counts in thousands. False where they do not fit.

    Four classes always fit.
    """
    room = page.width - INDENT - len("pred.")
    plain = [[text.replace(",", "") for text in row] for row in counts(every)]
    short = [[short_count(each) for each in row] for row in every]
    for texts in (plain, short):
        widths = [max(widest(column), 2) + 1 for column in zip(*texts, strict=True)]
        if sum(widths) <= room:
            break
    else:
        if len(matrix.labels) > FEWEST_CLASSES:
            return False
    page.line(page.text(" " * (INDENT + len("pred.") + 1)), page.text("true", QUIET))
    marks = [str(k) for k in range(1, len(matrix.predicted) + 1)]
    if matrix.rest:
        marks[len(matrix.labels) - 1] = "+"
    heads, sides = [*marks[: len(matrix.labels)], "sum"], [*marks, "sum"]
    for k, (side, row) in enumerate(zip(["pred.", *sides], [heads, *texts], strict=True)):
        cells = [page.text(text.rjust(width)) for text, width in zip(row, widths, strict=True)]
        if 1 <= k <= len(matrix.labels) - (matrix.rest > 0):
            cells[k - 1].stylize("bold")
        page.line(page.text(" " * INDENT + side.rjust(len("pred.")), QUIET), *cells)
    key = (
        f"{mark} {page.label(name, LABEL_WIDTH)}".replace(" ", "\u00a0")
        for mark, name in zip(marks, matrix.predicted, strict=True)
    )
    page.quiet(", ".join(key))
    if texts is short and short != plain:
        page.quiet("k: thousand cases, M: million cases. The page and the JSON have all digits.")
    return True


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
    """Return the text, with what stands between backticks in the accent colour."""
    shown = page.text(text)
    for match in re.finditer(r"`[^`]+`", shown.plain):
        shown.stylize(ACCENT, *match.span())
    return shown
