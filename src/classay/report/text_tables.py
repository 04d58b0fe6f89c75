"""Tables as text: how wide their columns are in a window, what gives way in a narrow one, and the rows.

Columns that can be spared most go first, then intervals move below their values, then the other columns that can be
spared go; names are cut, and running text wraps. All tables of a document that have the same columns are laid out
together, so that their numbers stand in line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from classay.report.document import (
    STACKING,
    Bar,
    Cell,
    Column,
    Count,
    Found,
    Label,
    Method,
    PValue,
    Scale,
    Table,
    Value,
    Words,
)
from classay.report.pieces import cell_text, interval_of, value_of
from classay.report.text_page import ACCENT, ALARM, GAP, INDENT, QUIET, Page, widest
from classay.report.words import LABEL_WIDTH, Notes, interval_title, reason_spans, remark, unbroken

if TYPE_CHECKING:
    from rich.text import Text

BAR = 21  # odd, so that the middle has a cell of its own
METHOD = 14  # the least room for running text
NAME = 12
HEAD = 16  # beyond this a head is cut: a name, which stands elsewhere in full
TONES = {"plain": "", "quiet": QUIET, "strong": "bold", "good": ACCENT, "bad": ALARM}

NOTE = "note 10"
"""The longest text that stands for an interval that there is none of."""

Texts = tuple[str, ...]
"""What a cell is in text: one piece, or value and interval."""


@dataclass(frozen=True)
class Layout:
    """Which columns are kept, how wide they are (an estimate has two widths), and whether intervals stand below."""

    kept: tuple[int, ...]
    widths: tuple[tuple[int, ...], ...]
    is_stacked: bool

    @property
    def flat(self) -> list[int]:
        """All widths in their order."""
        return [width for each in self.widths for width in each]


def layouts(page: Page, tables: Sequence[Table]) -> dict[tuple[Column, ...], Layout | None]:
    """The layout of all tables that share their columns; None where even the narrowest does not fit."""
    found: dict[tuple[Column, ...], Layout | None] = {}
    for columns in dict.fromkeys(table.columns for table in tables):
        found[columns] = _layout(page, [table for table in tables if table.columns == columns])
    return found


def write_table(page: Page, table: Table, laid_out: dict[tuple[Column, ...], Layout | None]) -> None:
    """The title, note, head, rows and foot of a table."""
    layout = laid_out[table.columns]
    if table.title:
        page.line()
        beside = page.text(f"  {table.beside}" if table.beside else "", QUIET)
        page.line(page.text(" " * INDENT), page.text(table.title, "bold"), beside)
    if table.note:
        page.quiet(table.note)
    if layout is None:
        page.prose("Too wide for this window; the page and the JSON have it.")
    elif table.rows:
        notes = Notes()
        _heads(page, table, layout)
        for row in table.rows:
            _row(page, table, row, layout, notes)
        for mark, text in notes:
            page.quiet(f"note {mark}: {text}")
        if len(layout.kept) < sum(column.kind is not Bar for column in table.columns):
            page.quiet("A wider window shows more columns; in a pipe, set COLUMNS=120.")
    if table.foot:
        page.quiet(table.foot)


def _layout(page: Page, tables: list[Table]) -> Layout | None:
    columns = tables[0].columns
    needs = [_needs(page, tables, k) for k in range(len(columns))]
    for kept, is_stacked in _attempts(page, columns):
        layout = _fitted(page, columns, needs, kept, is_stacked=is_stacked)
        if layout is not None:
            return layout
    return None


def _attempts(page: Page, columns: tuple[Column, ...]) -> Iterator[tuple[list[int], bool]]:
    """What to try, the fullest first."""
    can_draw = page.has_colour and all(map(page.encodes, "─━●│"))
    kept = [k for k, column in enumerate(columns) if column.kind is not Bar or can_draw]
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
    if issubclass(column.kind, Found):
        values = widest(each[0] for each in texts)
        intervals = widest(each[1] for each in texts if len(each) > 1)
        if _is_only_estimate(tables[0].columns):
            values, intervals = max(values, head), max(intervals, len(_interval_head(tables)))
        else:
            bare = any(isinstance(cell, Found) and not cell.estimate.has_interval for cell in cells)
            intervals = max(intervals, head - values - 1, len(NOTE) if bare else 0)
        both = max(values, intervals, head)
        return _Needs((values, max(intervals, 1)), (both,), both)
    if column.kind is Bar:
        return _Needs((BAR,), (BAR,), BAR)
    if column.kind is Label:
        wide = max(widest(_name(page, cell, LABEL_WIDTH).plain for cell in cells), head)
        return _Needs((wide,), (wide,), min(wide, NAME))
    if column.kind is Method:
        return _Needs((10**6,), (10**6,), METHOD)
    wide = max(widest(each[0] for each in texts), min(widest([column.head]), HEAD))
    words = max(widest(word for each in texts for word in unbroken(each[0]).split(" ")), head)
    return _Needs((wide,), (wide,) if _bends(column) else (words,), min(words, HEAD))


def _fitted(
    page: Page, columns: tuple[Column, ...], needs: list[_Needs], kept: list[int], *, is_stacked: bool
) -> Layout | None:
    """The widths where all fit: names and running text take what is left over."""
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
    found = tuple((taken[k],) if k in taken else each for k, each in zip(kept, widths, strict=True))
    return Layout(tuple(kept), found, is_stacked)


def _bends(column: Column) -> bool:
    """Whether a column can be narrower than its texts: a name is cut, running text wraps."""
    return column.kind in (Label, Method, Words)


def _is_only_estimate(columns: Sequence[Column]) -> bool:
    return sum(issubclass(column.kind, Found) for column in columns) == 1


def _interval_head(tables: Sequence[Table]) -> str:
    return interval_title(level for table in tables for level in table.levels)


def _heads(page: Page, table: Table, layout: Layout) -> None:
    cells, align = [], ""
    widths: list[int] = []
    for k, width in zip(layout.kept, layout.widths, strict=True):
        column = table.columns[k]
        head = page.text(column.head, QUIET)
        if head.cell_len > sum(width) and " " not in column.head:
            head = page.label(column.head, max(sum(width), 1))
            head.stylize(QUIET)
        if column.kind is Bar:
            head = page.text(_scale_head(table.scale or Scale()), QUIET)
        if issubclass(column.kind, Found) and len(width) == 2 and not _is_only_estimate(table.columns):
            cells.append(head)
            widths.append(sum(width) + GAP)
            align += "l"
            continue
        if issubclass(column.kind, Found) and len(width) == 2:
            cells.append(head)
            head = page.text(_interval_head([table]), QUIET)
            align += "rl"
        else:
            align += _align(table, k)
        cells.append(head)
        widths += width
    page.columns(cells, widths, align)


def _align(table: Table, k: int) -> str:
    kind = table.columns[k].kind
    if kind in (Count, PValue, Value):
        return "r"
    if kind is Words:
        return "l" if any(_is_wordy(row[k]) for row in table.rows) else "r"
    return "l"


def _is_wordy(cell: Cell) -> bool:
    return isinstance(cell, Words) and cell.text[:1].isalpha()


def _scale_head(scale: Scale) -> str:
    """What stands at the ends of the scale over the bars, and over its middle line where there is room."""
    low, middle, high = scale.texts
    head = low.ljust(BAR - len(high)) + high
    if scale.zero is None:
        return head
    at = round(scale.place(scale.zero) * (BAR - 1)) - len(middle) // 2
    has_room = len(low) < at and at + len(middle) < BAR - len(high)
    return head[:at] + middle + head[at + len(middle) :] if has_room else head


def _row(page: Page, table: Table, row: tuple[Cell, ...], layout: Layout, notes: Notes) -> None:
    spans = reason_spans(table.columns, row)
    cells: list[Text] = []
    below: list[Text] = []
    widths: list[int] = []
    align = ""
    for k, width in zip(layout.kept, layout.widths, strict=True):
        cell = row[k]
        first, second, sides = _shown(page, table, k, cell, width, None if spans else notes)
        if isinstance(cell, Found) and spans:
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
    """The two texts of a cell (the second, an interval, mostly empty), and how they are aligned."""
    nothing = page.text("")
    if isinstance(cell, Found):
        texts = _texts(cell)
        second = page.text(texts[1], QUIET if not _is_only_estimate(table.columns) else "")
        has_method = any(column.kind is Method for column in table.columns)
        if not cell.estimate.has_interval and not has_method and notes is not None:
            second = page.text(f"note {notes.mark(cell.estimate)}", QUIET)
        style = QUIET if cell.estimate.is_undefined else "bold"
        return page.text(texts[0], style), second, "rl" if len(width) == 2 else "l"
    if isinstance(cell, Bar):
        return _bar(cell, table.scale or Scale()), nothing, "l"
    if isinstance(cell, Label):
        return _name(page, cell, width[0]), nothing, "l"
    style = TONES[cell.tone] if isinstance(cell, Words) else QUIET if isinstance(cell, Method | Value) else ""
    return page.text(_texts(cell)[0], style), nothing, _align(table, k)


def _texts(cell: Cell) -> Texts:
    """A cell as text: an estimate in two pieces."""
    return (value_of(cell), interval_of(cell)) if isinstance(cell, Found) else (cell_text(cell),)


def _name(page: Page, cell: Cell, width: int) -> Text:
    """The name of a row: a measure's wraps where it is long, and what is whole; that of a class or model is cut."""
    if not isinstance(cell, Label):
        return page.text("")
    return page.text(cell.text) if cell.name or cell.whole else page.label(cell.text, width)


def _bar(bar: Bar, scale: Scale) -> Text:
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
