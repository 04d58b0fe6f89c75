"""A document as a workbook: a sheet of text, then a sheet for each kind of table, with numbers as numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from math import ceil, isfinite, isnan
from typing import TYPE_CHECKING, Any

from classay.inference.estimate import number
from classay.office.characters import for_xml, unmarked
from classay.report.document import (
    DRAWN,
    Cell,
    Column,
    Count,
    Diagram,
    Document,
    EstimateCell,
    Label,
    Listing,
    Matrix,
    MethodCell,
    Part,
    Prose,
    PValue,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.forms import FileForm, Pages
from classay.report.paper import methods_of
from classay.report.words import interval_title, remark

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

MOST_ROWS = 1_048_576
"""Rows of a sheet."""
MOST_CHARACTERS = 32_767
"""Characters of a cell."""
LONGEST_NAME = 31
"""Characters of the name of a sheet."""
WIDTH_OF_TEXT = 100
"""Letters of a line of text."""
LINE, HIGHEST = 15, 409
"""Points of a line, and of the highest row that Excel has."""
NARROWEST, WIDEST = 10, 50
"""Letters of the narrowest and of the widest column."""
LOOKED_AT = 200
"""Rows whose texts decide the widths of columns."""
TEXT_SHEET = "Report"
Write = Callable[[int, Cell], None]
"""Writes a cell into a row of a sheet."""


def as_xlsx(pages: Pages) -> Mapping[str, bytes]:
    """Return the document for a paper as a workbook, all rows of all tables in it."""
    from xlsxwriter.workbook import Workbook

    document = pages.paper().complete
    file = BytesIO()
    options = {"constant_memory": True, "strings_to_urls": False, "strings_to_formulas": False}
    with Workbook(file, options) as book:
        book.set_properties({"title": for_xml(document.title), "comments": f"classay {document.version}"})
        _Book(book, _cases(document)).write(document)
    return {"": file.getvalue()}


XLSX = FileForm("writing an Excel file", ("xlsxwriter",), as_xlsx)


def _cases(document: Document) -> int | None:
    """Return the number of cases that the facts have, where they have one."""
    text = dict(document.facts).get("cases", "").replace(",", "")
    return int(text) if text.isdecimal() else None


@dataclass(frozen=True)
class _Stack:
    """Tables with the same columns, which stand one below the other on a sheet."""

    name: str
    tables: list[tuple[str, Table]]

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.tables[0][1].columns


class _Book:
    """A workbook with the formats and the names of its sheets."""

    def __init__(self, book: Workbook, cases: int | None) -> None:
        self.book, self.cases = book, cases
        self.names: set[str] = {"history", TEXT_SHEET.lower()}  # Excel keeps the first of these for itself
        self.head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        self.title = book.add_format({"bold": True, "font_size": 14})
        self.heading = book.add_format({"bold": True, "valign": "top"})
        self.top = book.add_format({"valign": "top"})
        self.text = book.add_format({"text_wrap": True, "valign": "top"})
        self.count = book.add_format({"align": "left", "valign": "top"})

    def write(self, document: Document) -> None:
        """Write the text, then the tables."""
        self._write_text(document)
        for section in document.sections:
            for part in _stacked(section, document.title):
                if isinstance(part, _Stack):
                    self._write_stack(part)
                else:
                    self._write_rows(section.title or document.title, *part)

    def _sheet(self, name: str) -> Worksheet:
        """Return a new sheet; its name has no sign that Excel refuses, and no other sheet has it."""
        base = re.sub(r"[\[\]:*?/\\]", " ", for_xml(name)).strip("' ") or "Table"
        short, k = base[:LONGEST_NAME].strip("' "), 1
        while short.lower() in self.names:
            k += 1
            behind = f" ({k})"
            short = base[: LONGEST_NAME - len(behind)].strip("' ") + behind
        self.names.add(short.lower())
        return self._printable(self.book.add_worksheet(short))

    @staticmethod
    def _printable(sheet: Worksheet) -> Worksheet:
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        return sheet

    def _write_text(self, document: Document) -> None:
        sheet = self._printable(self.book.add_worksheet(TEXT_SHEET))
        sheet.set_column(0, 0, 24)
        sheet.set_column(1, 1, WIDTH_OF_TEXT)
        for row, (left, right, look) in enumerate(_lines(document)):
            high = LINE * max(ceil(len(right) / WIDTH_OF_TEXT), 1)
            if row:
                sheet.set_row(row, min(high, HIGHEST))
            sheet.write_string(row, 0, _cut(left), self.title if row == 0 else self.heading)
            if isinstance(value := _number_in(right), float):
                sheet.write_number(row, 1, value, self.count)
            elif right:
                sheet.write_string(row, 1, _cut(right), look or self.text)

    def _write_rows(self, title: str, heads: Sequence[str], rows: Sequence[Sequence[str | float]]) -> None:
        """Write rows of texts and numbers: a matrix, or what a diagram shows."""
        sheet = self._sheet(title)
        self._write_heads(sheet, heads, [max(len(str(row[0])) for row in rows), *[0] * (len(heads) - 1)])
        for k, row in enumerate(rows, 1):
            for at, value in enumerate(row):
                _write(sheet, k, at, value)

    def _write_heads(self, sheet: Worksheet, heads: Sequence[str], letters: Sequence[int]) -> None:
        """Write heads over columns as wide as their longest texts; texts of very many letters take several lines."""
        top = self.top if max(letters) > WIDEST else None  # beside texts of several lines
        sheet.freeze_panes(1, 1)
        for at, (head, most) in enumerate(zip(heads, letters, strict=True)):
            wide = min(max(len(head) + 2, most + 1, NARROWEST), WIDEST)
            sheet.set_column(at, at, wide, self.text if most > WIDEST else top)
            sheet.write_string(0, at, _cut(for_xml(head)), self.head)

    def _write_stack(self, stack: _Stack) -> None:
        is_named = len(stack.tables) > 1
        named = [(_cut(for_xml(title)), table) for title, table in stack.tables]
        rows = [(name, cells) for name, table in named for cells in table.rows]
        for begin in range(0, len(rows), MOST_ROWS - 1):
            sheet = self._sheet(stack.name)
            part = rows[begin : begin + MOST_ROWS - 1]
            heads, writers = _columns(stack, sheet, self.cases, int(is_named))
            heads = [*(["table"] if is_named else []), *heads]
            letters = _letters(stack, part, int(is_named), len(heads))
            self._write_heads(sheet, heads, letters)
            is_long = max(letters) > WIDEST
            for row, (name, cells) in enumerate(part, 1):
                if is_long:
                    lines = ceil(max(len(_text_in(cell)) for cell in cells) / WIDEST)
                    sheet.set_row(row, min(LINE * max(lines, 1), HIGHEST))
                if is_named:
                    sheet.write_string(row, 0, name)
                for at, write in writers:
                    write(row, cells[at])
            sheet.autofilter(0, 0, len(part), len(heads) - 1)


def _cut(text: str) -> str:
    """Return a text that fits a cell, and that XlsxWriter does not take for the XML of a text with formats."""
    if text.startswith("<r>"):
        text = f" {text}"
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _lines(document: Document) -> Iterator[tuple[str, str, Format | None]]:
    """Yield the lines of the first sheet: what leads, facts, warnings, notes of tables, methods, references."""
    status = f"{document.status}: " if document.status else ""
    yield unmarked(f"{status}{document.title}"), "", None
    for sentence in document.verdict:
        yield "", unmarked(sentence), None
    for name, text in document.facts:
        yield unmarked(name), unmarked(text), None
    warned = [section for section in document.sections if section.role == "warnings"]
    for section in (*warned, *(section for section in document.sections if section.role == "plain")):
        lines = [line for part in section.parts for line in _text_of(part)]
        for k, line in enumerate(lines):
            yield unmarked(section.title) if k == 0 else "", unmarked(line), None
    for k, paragraph in enumerate(methods_of(document).split("\n\n")):
        yield "Methods" if k == 0 else "", unmarked(paragraph), None


def _text_of(part: Part) -> Iterator[str]:
    if isinstance(part, Prose):
        yield part.text
    elif isinstance(part, Listing):
        yield from (text for _, text in part.items)
    elif isinstance(part, Table):
        notes = " ".join(f"{note.rstrip('.')}." for note in (part.beside, part.note, part.foot) if note)
        if notes:
            yield f"{part.title}: {notes}" if part.title else notes
    elif isinstance(part, Diagram) and part.note:
        yield part.note


Rows = tuple[Sequence[str], Sequence[Sequence[str | float]]]


def _stacked(section: Section, title: str) -> Iterator[_Stack | Rows]:
    """Yield the tables of a section, those with the same columns together; matrices and diagrams as rows."""
    stacks: dict[tuple[Column, ...], _Stack] = {}
    for part in section.parts:
        if isinstance(part, Table) and part.rows:
            new = _Stack(section.title or part.title or title, [])
            stacks.setdefault(part.columns, new).tables.append((part.title, part))
        elif isinstance(part, Matrix):
            rows = zip(part.predicted, part.counts, strict=True)
            yield ["predicted ↓, true →", *part.labels], [[label, *counts] for label, counts in rows]
        elif isinstance(part, Diagram):
            yield [*part.heads, ""], [*part.lines]
    for stack in stacks.values():
        title_of_one = stack.tables[0][0] if len(stacks) > 1 and len(stack.tables) == 1 else ""
        yield replace(stack, name=title_of_one or stack.name)


NUMBER = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?|[+-]?\d+(\.\d+)?")
"""Words that are one number."""


def _number_in(text: str) -> str | float:
    """Return the number that a text is, or the text."""
    return float(text.replace(",", "")) if NUMBER.fullmatch(text) else text


def _columns(
    stack: _Stack, sheet: Worksheet, cases: int | None, first: int
) -> tuple[list[str], list[tuple[int, Write]]]:
    """Return the heads of a sheet, and for each column of the tables its place and what writes a cell of it.

    An estimate takes four columns: value, low, high, and the method or the reason why something is missing.
    """
    heads: list[str] = []
    writers: list[tuple[int, Write]] = []
    limits = interval_title(estimate for _, table in stack.tables for estimate in table.intervals)
    for at, column in enumerate(stack.columns):
        if column.kind in DRAWN or column.kind is MethodCell:
            continue
        place = first + len(heads)
        name = column.head or ("" if column.kind is Label else "value")
        if issubclass(column.kind, EstimateCell):
            prefix = "" if name == "value" else f"{name}, "
            heads += [name, f"{prefix}{limits} low", f"{prefix}{limits} high", f"{prefix}method"]
            writers.append((at, _estimates(sheet, place)))
        else:
            heads.append(name)
            writers.append((at, WRITERS.get(column.kind, _others)(sheet, place)))
    kinds = [column.kind for column in stack.columns]
    if cases is not None and Count not in kinds and any(issubclass(kind, EstimateCell) for kind in kinds):
        heads.append("n")
        writers.append((0, _constant(sheet, first + len(heads) - 1, cases)))
    return heads, writers


def _letters(stack: _Stack, rows: Sequence[tuple[str, Sequence[Cell]]], first: int, number: int) -> list[int]:
    """Return how many letters the longest text of each column of a sheet has, among its first rows."""
    some = rows[:LOOKED_AT]
    letters = [max(len(name) for name, _ in some)] * first
    for at, column in enumerate(stack.columns):
        if column.kind not in DRAWN and column.kind is not MethodCell:
            longest = max(len(_text_in(cells[at])) for _, cells in some)
            letters += [*[0] * 3, longest] if issubclass(column.kind, EstimateCell) else [longest]
    return letters + [0] * (number - len(letters))


def _text_in(cell: Cell) -> str:
    """Return the text of a cell, of an estimate its method; nothing of a number."""
    if isinstance(cell, EstimateCell):
        return remark(cell.estimate)
    return cell.text if isinstance(cell, Label | Words) else ""


def _constant(sheet: Worksheet, place: int, value: int) -> Write:
    def write(row: int, _: Cell) -> None:
        sheet.write_number(row, place, value)

    return write


def _estimates(sheet: Worksheet, place: int) -> Write:
    write_number, write_string = sheet.write_number, sheet.write_string
    low_at, high_at, method_at = place + 1, place + 2, place + 3
    methods: dict[str, str] = {}

    def write(row: int, cell: Any) -> None:
        if cell is None:
            return
        estimate = cell.estimate
        value, low, high = estimate.value, estimate.low, estimate.high
        if isfinite(value + low + high):
            write_number(row, place, value)
            write_number(row, low_at, low)
            write_number(row, high_at, high)
            method = estimate.method or ""
        else:
            for at, end in ((place, value), (low_at, low), (high_at, high)):
                if not isnan(end):
                    _write(sheet, row, at, end if isfinite(end) else number(end))
            method = remark(estimate) if isnan(low) or isnan(high) else estimate.method or ""
        text = methods.get(method)
        if text is None:
            text = methods[method] = _cut(for_xml(method))
        write_string(row, method_at, text)

    return write


def _labels(sheet: Worksheet, place: int) -> Write:
    write_string = sheet.write_string
    texts: dict[str, str] = {}

    def write(row: int, cell: Any) -> None:
        if cell is None:
            return
        text = texts.get(cell.text)
        if text is None:
            text = texts[cell.text] = _cut(for_xml(cell.text))
        write_string(row, place, text)

    return write


def _numbers(sheet: Worksheet, place: int) -> Write:
    write_number = sheet.write_number

    def write(row: int, cell: Any) -> None:
        if cell is not None and isfinite(cell.value):
            write_number(row, place, cell.value)
        elif cell is not None and not isnan(cell.value):
            _write(sheet, row, place, number(cell.value))

    return write


def _others(sheet: Worksheet, place: int) -> Write:
    def write(row: int, cell: Any) -> None:
        if isinstance(cell, Value | EstimateCell | Count | PValue):
            value = cell.value if isinstance(cell, Count | PValue) else cell.estimate.value
            if not isnan(value):
                _write(sheet, row, place, value if isfinite(value) else number(value))
        elif isinstance(cell, Words) and cell.value is not None and isfinite(cell.value):
            _write(sheet, row, place, cell.value)
        elif cell is not None:
            _write(sheet, row, place, _number_in(cell.text) if isinstance(cell, Words) else cell.text)

    return write


WRITERS: dict[type, Callable[[Worksheet, int], Write]] = {Label: _labels, Count: _numbers, PValue: _numbers}
"""What writes the cells of a column of a kind, quickly because there may be millions; `_others` writes any other."""


def _write(sheet: Worksheet, row: int, place: int, value: str | float) -> None:
    """Write a number as a number, and a text as a text, whatever it begins with."""
    if isinstance(value, str):
        sheet.write_string(row, place, _cut(for_xml(value)))
    else:
        sheet.write_number(row, place, value)
