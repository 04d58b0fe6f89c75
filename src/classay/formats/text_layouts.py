"""Text as people's tools write it: where its table begins and ends, and what stands in the way of reading it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from classay.errors import FileError, InputError
from classay.formats.columns import numbered
from classay.formats.copies import note_on_copies
from classay.formats.encodings import with_encoding
from classay.formats.h2o import OF_H2O, is_h2o
from classay.formats.layout import Layout, LayoutWarning, layout_of, named, option
from classay.formats.obstacles import refuse_obstacles
from classay.formats.samples import SIZE, Sample, columns_of, first_rows, last_rows
from classay.formats.shapes import shape_of, told_of_totals, totals_in
from classay.formats.spellings import (
    MARKS,
    NULLS,
    READ_AS,
    is_date,
    is_decimal_comma,
    is_uneven,
    may_be_grouped,
    spelling_of,
)
from classay.sources.inputs import Input, explained
from classay.texts import DoorText, hint

STATED = re.compile(rb"(?:\xef\xbb\xbf)?\"?sep=([ -~\t])\"?(?:\r\n|\r|\n)", re.IGNORECASE)
"""The first line of a text for Excel."""
LONGEST_STATED = 16


@dataclass(frozen=True)
class Recognized:
    """What the first and the last rows showed: what is said of it, and how the numbers of columns are written.

    Columns that are `grouped` have numbers such as 1.234, whose points may separate thousands, and why.
    """

    notes: tuple[str, ...] = ()
    spellings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By columns, a key of `READ_AS` and an example."""
    grouped: Mapping[str, str] = field(default_factory=dict)
    coded: str = ""
    """What is said of the encoding, where columns with letters beyond ASCII are read."""


def prepared(source: Input) -> Input:
    """A text from its header on, without units and totals, and with its cells as options have them read.

    Raises InputError for options that do not fit each other or the file, FileError with all obstacles where its rows
    show only with another delimiter.
    """
    layout = layout_of(source)
    notes: list[str] = []
    source, coded = with_encoding(replace(source, cells=_cells(layout)))
    source = _with_stated_delimiter(source)
    source = replace(source, delimiter=_delimiter(source, layout))
    if layout.header_line is not None:
        source = replace(source, begin=_begin_of_line(replace(source, begin=0), layout.header_line - 1))
    sample = first_rows(source)
    if is_h2o(sample.rows):
        source = replace(source, layout=(*source.layout, OF_H2O))
    refuse_obstacles(source, sample, layout)
    shape = shape_of(sample.rows)
    rows = [row for row in sample.rows if row]
    if shape is not None and not (shape.header and layout.header_line is not None):
        before = bool(source.begin) if layout.header_line is None else layout.header_line - 1
        words = {
            "{header}": f"{before + sample.lines[shape.header]:,}",
            "{units}": f"{before + sample.lines[shape.units]:,}",
            "{option}": option("header_line"),
            "{name}": source.name,
        }
        notes += [_filled(text, words) for text in shape.notes]
        rows = [row for row in sample.rows[shape.first :] if row]
        first = shape.header if shape.names is None else shape.first
        source = replace(source, begin=sample.starts[first], names=shape.names)
        rows = [list(shape.names or sample.rows[shape.header]), *rows]
    source, rows = _with_distinct_names(source, sample, rows)
    source, of_totals = _without_totals(source, sample, len(rows[0]) if rows else 0)
    cases = rows[1 : len(rows) - (of_totals[0] if sample.is_whole else 0)]
    notes += of_totals[1]
    if layout.date_format is not None and cases and not _holds_dates(cases, layout):
        notes.append(f"{option('date_format')} fits no column of {source.name}.")
    of = "" if sample.is_whole else "the first "
    notes += note_on_copies(rows[0] if rows else (), [*zip(*cases, strict=False)], source.name, of)
    recognized = _spelled(cases, rows[0] if rows else [], layout, source.delimiter)
    return replace(source, layout=(*source.layout, replace(recognized, notes=tuple(notes), coded=coded)))


def _with_stated_delimiter(source: Input) -> Input:
    """Return the text below a first line such as `sep=;`, by which Excel names the delimiter."""
    with explained(source), source.open() as stream:
        stated = STATED.match(bytes(stream.read(LONGEST_STATED)))
    return replace(source, delimiter=stated[1].decode(), begin=stated.end()) if stated else source


def _with_distinct_names(
    source: Input, sample: Sample, rows: list[list[str]]
) -> tuple[Input, list[list[str]]]:
    """Return the text and its rows with numbers behind the names that several columns have."""
    names = numbered(rows[0]) if len(rows) > 1 else []
    if not rows or not names or names == rows[0]:
        return source, rows
    begin = source.begin
    if source.names is None:
        header = next(place for place, row in enumerate(sample.rows) if row and sample.starts[place] >= begin)
        begin = sample.starts[header + 1]
    return replace(source, begin=begin, names=tuple(names)), [names, *rows[1:]]


def _filled(text: str, words: Mapping[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def recognized_in(source: Input) -> Recognized:
    """Return what was recognized of a text."""
    return next((entry for entry in source.layout if isinstance(entry, Recognized)), Recognized())


def tell(source: Input) -> None:
    """Say what was recognized of a text and named by no option."""
    for text in recognized_in(source).notes:
        warn(text)


def warn(text: str) -> None:
    """Say what is guessed."""
    warnings.warn(DoorText.of(text), LayoutWarning, stacklevel=4)


def check_options(layout: Layout) -> None:
    """Refuse a decimal mark or a format of dates that is none."""
    if layout.decimal not in (None, ",", "."):
        raise InputError(f"{option('decimal')} must be ',' or '.', but is {layout.decimal!r}.")
    if layout.date_format is not None and "%" not in layout.date_format:
        raise InputError(
            f"{option('date_format')} must be a pattern such as %d.%m.%Y, but is {layout.date_format!r}."
        )


def _cells(layout: Layout) -> dict[str, Any]:
    """Return how Arrow converts the cells."""
    from pyarrow.csv import ISO8601, ConvertOptions

    cells: dict[str, Any] = {}
    check_options(layout)
    if layout.decimal is not None:
        cells["decimal_point"] = layout.decimal
    if layout.missing:
        cells["null_values"] = [*ConvertOptions().null_values, *layout.missing]
    if layout.date_format is not None:
        cells["timestamp_parsers"] = [layout.date_format, ISO8601]
    return cells


def _delimiter(source: Input, layout: Layout) -> str:
    """Return the delimiter: with decimal commas, a comma in a file of the ending .csv can only be the default."""
    if layout.decimal != "," or source.delimiter != ",":
        return source.delimiter
    with explained(source), source.open() as stream:
        sample = bytes(stream.read(SIZE))
    counts = {delimiter: sample.count(delimiter.encode()) for delimiter in ";\t|"}
    best = max(counts, key=lambda delimiter: counts[delimiter])
    if not counts[best]:
        rows = [row for row in first_rows(source).rows if row]
        if len({len(row) for row in rows}) == 1 and any("," in cell for row in rows for cell in row):
            return ","  # decimal commas in quotes
        raise InputError(
            f"{source.name} has no delimiter other than the decimal comma. Use {hint('delimiter=', '--delimiter')} to "
            f"name one, or remove {option('decimal')}."
        )
    return best


def _begin_of_line(source: Input, n_lines: int) -> int:
    """Return the byte at which a line begins, after a number of lines. Raises InputError where nothing is there."""
    at, left = 0, n_lines
    with explained(source), source.open() as stream:
        block = bytes(stream.read(SIZE))
        end = re.compile(b"\n" if b"\n" in block else b"\r")
        while left and block:
            ends = [match.end() for match in end.finditer(block)]
            if len(ends) >= left:
                at += ends[left - 1]
                rest = block[ends[left - 1] :]
                while not rest.strip() and (block := bytes(stream.read(SIZE))):
                    rest = block
                if not rest.strip():
                    raise InputError(
                        f"{source.name} has nothing from line {n_lines + 1:,} on. Use an earlier header line."
                    )
                return at
            at, left = at + len(block), left - len(ends)
            block = bytes(stream.read(SIZE))
    if left:
        raise InputError(
            f"{source.name} has no line {n_lines + 1:,}. {option('header_line')} must be the line with the column "
            "names."
        )
    return 0


def _without_totals(source: Input, sample: Sample, width: int) -> tuple[Input, tuple[int, list[str]]]:
    """Return the input up to its totals, with their number and what is said of them."""
    last = last_rows(source, sample)
    begins = [place for place, row in enumerate(last.rows) if row and last.starts[place] >= source.begin]
    if source.names is None and last.is_whole:
        begins = begins[1:]
    behind = source.end
    while begins and not any(map(str.strip, last.rows[begins[-1]])):  # a spreadsheet's empty rows
        behind = last.starts[begins.pop()]
    source = replace(source, end=behind)
    number, words, doubtful = totals_in([last.rows[place] for place in begins], width, is_whole=last.is_whole)
    if number:
        source = replace(source, end=last.starts[begins[-number]])
    return source, (number, told_of_totals(number, words, doubtful, source.name))


def _holds_dates(cases: list[list[str]], layout: Layout) -> bool:
    """Check whether the first rows have a column of dates, of the format that is named or by ISO 8601."""
    formats = (layout.date_format or "", "%Y-%m-%d")
    missing = NULLS | layout.missing
    known = ([text for text in cells if text not in missing] for cells in columns_of(cases))
    return any(
        texts and all(any(is_date(text, form) for form in formats) for text in texts) for texts in known
    )


def _spelled(cases: list[list[str]], names: list[str], layout: Layout, delimiter: str) -> Recognized:
    """Return how the numbers of the first rows are written, column by column."""
    columns = dict(zip(names, columns_of(cases), strict=False))
    missing = NULLS | layout.missing
    spellings = {}
    for name, cells in columns.items():
        if layout.decimal is None and not {*"".join(cells)} & MARKS:
            continue
        texts = [text for text in dict.fromkeys(cells) if text not in missing]
        spelling = spelling_of(texts, layout, delimiter)
        if spelling in READ_AS:
            example = next((text for text in texts if not text.isdigit()), texts[0])
            spellings[name] = (spelling, example)
    has_commas = delimiter != "," and any(
        is_decimal_comma(text) for cells in columns.values() for text in cells
    )
    points = columns.keys() - spellings.keys() if delimiter != "," and layout.decimal is None else ()
    present = {name: [text for text in columns[name] if text not in missing] for name in points}
    grouped = {
        name: BOTH if is_uneven(texts) else BESIDE
        for name, texts in present.items()
        if may_be_grouped(texts) and (has_commas or is_uneven(texts))
    }
    return Recognized((), spellings, grouped)


BOTH = "both numbers such as 1.234 and whole numbers"
BESIDE = "numbers such as 1.234, while other columns have decimal commas"


def refuse_grouped(source: Input, name: str) -> None:
    """Refuse a column of numbers such as 1.234 where points may separate the thousands of whole numbers."""
    if (why := recognized_in(source).grouped.get(name)) is not None:
        raise grouped_error(source, name, why)


def grouped_error(source: Input, name: str, what: str = "numbers such as 1.234 as text") -> FileError:
    """Return the error for numbers where points may separate the thousands of whole numbers."""
    return FileError(
        f"{name} in {source.name} has {what}. Use {named('decimal', ',')} if points separate thousands, or "
        f"{named('decimal', '.')} if they do not."
    )
