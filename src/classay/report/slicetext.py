"""Groups of cases as text: for each measure a table with a line, or in a narrow window two, for each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from classay.report.report import ByGroup, SliceRow, SliceTable
from classay.report.textpage import GAP, INDENT, QUIET, Page, widest
from classay.report.wording import LABEL_WIDTH, Notes, count, interval, p_value, signed, value

if TYPE_CHECKING:
    from rich.text import Text


def write_groups(page: Page, by: ByGroup) -> None:
    """Write the tables of all measures under one heading."""
    page.heading(by.title)
    page.quiet(by.note)
    lines = [[_Line(row, Notes()) for row in table.rows] for table in by.tables]
    layout = _layout(page, [line for table in lines for line in table], by.p_title)
    for table in by.tables:
        _table(page, table, layout, by.p_title)


class _Line:
    """The texts of one group."""

    def __init__(self, row: SliceRow, notes: Notes) -> None:
        self.label = row.label
        self.cases = count(row.cases)
        self.positives = "" if row.positives is None else count(row.positives)
        self.value, self.interval = value(row.estimate), interval(row.estimate)
        self.difference, self.limits = signed(row.difference), interval(row.difference)
        self.p = p_value(row.p)
        mark = notes.mark(row.estimate)
        if mark is not None:
            self.interval = f"note {mark}"
        mark = notes.mark(row.difference)
        if mark is not None:
            self.limits = f"note {mark}"


@dataclass(frozen=True)
class _Layout:
    """Widths of the columns; whether positives have one; whether an interval stands beside its value."""

    widths: tuple[int, ...]
    has_positives: bool
    is_joined: bool


def _layout(page: Page, lines: list[_Line], p_title: str) -> _Layout:
    label = max(widest(page.label(line.label, LABEL_WIDTH).plain for line in lines), len("group"))
    cases = max(widest(line.cases for line in lines), len("cases"))
    positives = max(widest(line.positives for line in lines), len("positive"))
    has_positives = any(line.positives for line in lines)
    p = max(widest(line.p for line in lines), widest(p_title.split()))
    joined = [
        widest(f"{line.value} {line.interval}" for line in lines),
        max(widest(f"{line.difference} {line.limits}" for line in lines), len("difference")),
    ]
    stacked = [
        widest([*(line.value for line in lines), *(line.interval for line in lines)]),
        max(
            widest([*(line.difference for line in lines), *(line.limits for line in lines)]),
            len("difference"),
        ),
    ]
    for is_joined, pair in ((True, joined), (False, stacked)):
        for shows in (True, False) if has_positives else (False,):
            last = max(p, len(p_title)) if is_joined else p
            middle = [cases, positives, *pair, last] if shows else [cases, *pair, last]
            spare = page.width - INDENT - sum(middle) - GAP * len(middle)
            if spare >= min(label, 12 if is_joined else 5) or (not is_joined and not shows):
                return _Layout((max(min(label, spare), 5), *middle), shows, is_joined)
    raise AssertionError  # the last layout always is taken


def _table(page: Page, table: SliceTable, layout: _Layout, p_title: str) -> None:
    notes = Notes()
    overall = f"all cases {value(table.overall)} {interval(table.overall)}".rstrip()
    page.line()
    page.line(page.text(" " * INDENT), page.text(table.title, "bold"), page.text(f"  {overall}", QUIET))
    middle = ["cases", "positive"] if layout.has_positives else ["cases"]
    heads = ["group", *middle, "value", "difference", p_title]
    page.columns([page.text(head, QUIET) for head in heads], layout.widths, _align(layout))
    for row in table.rows:
        _group(page, _Line(row, notes), layout)
    for mark, text in notes:
        page.quiet(f"note {mark}: {text}")


def _group(page: Page, line: _Line, layout: _Layout) -> None:
    texts = [line.cases, line.positives] if layout.has_positives else [line.cases]
    lead = [page.label(line.label, layout.widths[0]), *(page.text(text, QUIET) for text in texts)]
    estimate = page.text(line.value, QUIET if line.value == "undefined" else "bold")
    apart, p = page.text(line.difference), page.text(line.p)
    around = [page.text(line.interval, QUIET), page.text(line.limits, QUIET)]
    if layout.is_joined:
        pairs = [_beside(estimate, around[0]), _beside(apart, around[1])]
        page.columns([*lead, *pairs, p], layout.widths, _align(layout))
        return
    page.columns([*lead, estimate, apart, p], layout.widths, _align(layout))
    blank = [page.text("") for _ in lead]
    page.columns([*blank, *around, page.text("")], layout.widths, _align(layout))


def _beside(first: Text, second: Text) -> Text:
    from rich.text import Text

    return Text.assemble(first, " ", second) if first.plain else second


def _align(layout: _Layout) -> str:
    return "lrr" if layout.has_positives else "lr"
