"""Text as people's tools write it: decimal commas, percentages, words for missing values, titles, row names."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from classay.columns.values import number_in
from classay.errors import FileError, InputError
from classay.formats.h2o import OF_H2O, PREDICTED, is_h2o
from classay.formats.layout import Layout, layout_of, option
from classay.sources.inputs import Input, explained
from classay.texts import DoorText, hint

if TYPE_CHECKING:
    import pyarrow as pa

_SAMPLE = 1 << 16
"""Bytes from the begin of a file by which its layout is recognized."""
_MAX_LINES_ABOVE = 20
_MIN_ROWS = 3
"""Rows that have to agree on a layout that no option names."""
_OTHER_DELIMITERS = ";\t|,"
_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_WHOLE = re.compile(r"\s*[+-]?\d+\s*")
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*")
_PERCENT = re.compile(r"\s*([+-]?(?:\d+[.,]?\d*|[.,]\d+))\s*%\s*")
_POINT_GROUPS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?\s*")


@dataclass(frozen=True)
class Recognized:
    """What the content of a file showed of its layout."""

    lines_above: int = 0
    has_row_names: bool = False


def prepared(source: Input) -> Input:
    """A text without the lines above its header, with a name for row names, and the cells as options have them read.

    Raises InputError for options that do not fit each other or the file.
    """
    layout = layout_of(source)
    source = replace(source, cells=_cells(layout), delimiter=_delimiter(source, layout))
    if layout.header_line is not None:
        source = _without_lines(source, layout.header_line - 1)
    rows = _first_rows(source)
    if is_h2o(rows):
        source = replace(source, layout=(*source.layout, OF_H2O))
    recognized = _recognized(rows)
    if recognized is None:
        if layout.header_line is None and len({len(row) for row in rows if row}) > 1:
            _refuse_other_layout(source)
        return source
    if recognized.lines_above:
        if layout.header_line is not None:
            return source
        source = _without_lines(source, recognized.lines_above)
    if recognized.has_row_names:
        with explained(source), source.open() as stream:
            content = bytes(stream.read()).removeprefix(b"\xef\xbb\xbf")
        data = f'"row.names"{source.delimiter}'.encode() + content
        source = replace(source, data=data, head=data[:8])
    return replace(source, layout=(*source.layout, recognized))


def _cells(layout: Layout) -> dict[str, Any]:
    """Return how Arrow converts the cells."""
    from pyarrow.csv import ISO8601, ConvertOptions

    cells: dict[str, Any] = {}
    if layout.decimal is not None:
        if layout.decimal not in (",", "."):
            raise InputError(f"{option('decimal')} must be ',' or '.', but is {layout.decimal!r}.")
        cells["decimal_point"] = layout.decimal
    if layout.missing:
        cells["null_values"] = [*ConvertOptions().null_values, *layout.missing]
    if layout.date_format is not None:
        if "%" not in layout.date_format:
            raise InputError(
                f"{option('date_format')} must be a pattern such as %d.%m.%Y, but is {layout.date_format!r}."
            )
        cells["timestamp_parsers"] = [layout.date_format, ISO8601]
    return cells


def _delimiter(source: Input, layout: Layout) -> str:
    """Return the delimiter: with decimal commas, a comma in a file of the ending .csv can only be the default."""
    if layout.decimal != "," or source.delimiter != ",":
        return source.delimiter
    with explained(source), source.open() as stream:
        sample = bytes(stream.read(_SAMPLE))
    counts = {delimiter: sample.count(delimiter.encode()) for delimiter in ";\t|"}
    best = max(counts, key=lambda delimiter: counts[delimiter])
    if not counts[best]:
        raise InputError(
            f"{source.name} has no delimiter other than the decimal comma. Use {hint('delimiter=', '--delimiter')} to "
            f"name one, or remove {option('decimal')}."
        )
    return best


def _first_rows(source: Input) -> list[list[str]]:
    """Return the fields of the first lines, blank ones as no fields; the last line may be torn, and is left out."""
    with explained(source), source.open() as stream:
        sample = bytes(stream.read(_SAMPLE))
    text = sample.decode("utf-8-sig", "replace")
    if len(sample) == _SAMPLE:
        text = text[: text.rfind("\n") + 1]
    try:
        return [*csv.reader(io.StringIO(text, newline=""), delimiter=source.delimiter)]
    except csv.Error:
        return []


def _recognized(rows: Sequence[Sequence[str]]) -> Recognized | None:
    """Return the layout of rows with a title above the header, or with a header that lacks a name for row names."""
    widths = [len(row) for row in rows]
    filled = [width for width in widths if width]
    if len(filled) <= _MIN_ROWS:
        return None
    width = filled[-1]
    begin = next((at for at, _ in enumerate(widths) if {*widths[at:]} <= {width, 0} and widths[at]), None)
    if begin is None or width < 2:
        return None
    header = next((at for at, known in enumerate(widths) if known), 0)
    if begin and sum(1 for known in widths[begin:] if known) < _MIN_ROWS:
        return None
    if (
        header + 1 == begin
        and widths[header] == width - 1
        and _are_row_names([row[0] for row in rows[begin:] if row])
    ):
        return Recognized(has_row_names=True)
    above = [row for row in rows[:begin] if row]
    is_title = all(len(row) == 1 and not {*row[0]} & {*_OTHER_DELIMITERS[:3]} for row in above)
    if above and begin <= _MAX_LINES_ABOVE and is_title:
        return Recognized(lines_above=begin)
    return None


def _are_row_names(texts: Sequence[str]) -> bool:
    """Check whether first cells are what R names rows by: whole numbers from 1, or distinct words."""
    if [*texts] == [str(number) for number in range(1, len(texts) + 1)]:
        return True
    return len({*texts}) == len(texts) and not any(re.fullmatch(r"[-+\d.,eE]*", text) for text in texts)


def _refuse_other_layout(source: Input) -> None:
    """Refuse a file whose rows show only with another delimiter, where a line above the header hides it."""
    for delimiter in _OTHER_DELIMITERS:
        if delimiter == source.delimiter:
            continue
        rows = _first_rows(replace(source, delimiter=delimiter))
        recognized = _recognized(rows)
        if recognized is not None and recognized.lines_above:
            line, written = recognized.lines_above + 1, repr(delimiter)
            decimal = ("", "")
            if any(_COMMA.fullmatch(field) for row in rows[line:] for field in row) and delimiter != ",":
                decimal = ", decimal=','", " --decimal ,"
            options = hint(
                f"delimiter={written}, header_line={line}{decimal[0]}",
                f"--delimiter {written} --header-line {line}{decimal[1]}",
            )
            raise FileError(
                f"{source.name} has its header on line {line}, and the delimiter {written}. Use {options}."
            )


def _without_lines(source: Input, n_lines: int) -> Input:
    """Return the text from a line on."""
    if not n_lines:
        return source
    with explained(source), source.open() as stream:
        content = bytes(stream.read())
    at = 0
    for _ in range(n_lines):
        at = content.find(b"\n", at) + 1
        if not at:
            raise InputError(
                f"{source.name} has no line {n_lines + 1:,}. {option('header_line')} must be the line with the column "
                "names."
            )
    data = content[at:]
    if not data.strip():
        raise InputError(
            f"{source.name} has nothing from line {n_lines + 1:,} on. Use an earlier header line."
        )
    return replace(source, data=data, head=data[:8])


def finished(table: pa.Table, source: Input, labels: Sequence[str]) -> pa.Table:
    """Rows with the numbers, dates and missing values that their text means; what no option named is told."""
    layout = layout_of(source)
    _tell(source)
    if OF_H2O in source.layout and PREDICTED in table.column_names:
        _warn(
            f"{source.name} is read as predictions of H2O. With two classes, {PREDICTED} is at the threshold with the "
            "greatest F1 on H2O's training or validation data, not at 0.5."
        )
    for name in table.column_names:
        column = table[name]
        if name in labels:
            changed = _label_column(column, layout)
        elif _is_text(column):
            changed = _number_column(column, name, source, layout)
        else:
            continue
        table = table.set_column(table.column_names.index(name), name, changed)
    if layout.date_format is not None and not any(_holds_dates(column) for column in table.columns):
        _warn(f"{option('date_format')} fits none of the columns that are read from {source.name}.")
    return table


def _holds_dates(column: pa.ChunkedArray) -> bool:
    """Check whether a column has dates, or labels that are dates by ISO 8601."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        return True
    is_label = pa.types.is_dictionary(column.type) and column.num_chunks
    texts = column.chunk(0).dictionary.to_pylist() if is_label else []
    return bool(texts) and all(isinstance(text, str) and _ISO_DATE.match(text) for text in texts)


def _warn(text: str) -> None:
    warnings.warn(DoorText.of(text), stacklevel=4)


def _tell(source: Input) -> None:
    recognized = next((entry for entry in source.layout if isinstance(entry, Recognized)), Recognized())
    if recognized.lines_above:
        _warn(
            f"Line {recognized.lines_above + 1} of {source.name} is read as the header. Use {option('header_line')} to "
            "name another line."
        )
    if recognized.has_row_names:
        _warn(
            f"The header of {source.name} has one name less than its rows have cells, so the first column is read as "
            "row.names."
        )


def _is_text(column: pa.ChunkedArray) -> bool:
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return bool(pa.types.is_string(kind))


def _label_column(column: pa.ChunkedArray, layout: Layout) -> pa.ChunkedArray:
    """Labels without the words for missing values, also quoted ones, and with dates by ISO 8601."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type) or not column.num_chunks:
        return column
    texts = column.chunk(0).dictionary.to_pylist()
    replaced = [None if text.strip() in layout.missing else text for text in texts]
    if layout.date_format is not None:
        dates = [_iso(text, layout.date_format) for text in replaced if text is not None]
        if dates and None not in dates:
            replaced = [None if text is None else _iso(text, layout.date_format) for text in replaced]
    if replaced == texts:
        return column
    values = pa.array(replaced, pa.string())
    decoded = [values.take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(decoded, pa.string()).dictionary_encode().unify_dictionaries()


def _iso(text: str, pattern: str) -> str | None:
    """Return a date or time by ISO 8601, None where it is of another pattern."""
    try:
        time = datetime.strptime(text.strip(), pattern)
    except ValueError:
        return None
    return time.date().isoformat() if not re.search("%[HIMSTcXp]", pattern) else time.isoformat(sep=" ")


def _number_column(column: pa.ChunkedArray, name: str, source: Input, layout: Layout) -> pa.ChunkedArray:
    """Return a column of text as numbers where all its texts are numbers of one spelling; else the column as it is."""
    import pyarrow as pa

    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    encoded = encoded.unify_dictionaries()
    texts = encoded.chunk(0).dictionary.to_pylist() if encoded.num_chunks else []
    present = [text for text in texts if text.strip() not in layout.missing]
    spelling = _spelling(present, layout, source.delimiter)
    if spelling is None:
        return column
    if spelling != "plain" and (spelling == "percent" or layout.decimal is None):
        what = {"percent": "percentages, such as", "comma": "numbers with decimal commas, such as"}[spelling]
        number = _number(present[0], spelling)
        _warn(f"{name} in {source.name} is read as {what} {present[0].strip()!r} for {number:g}.")
    numbers = [None if text.strip() in layout.missing else _number(text, spelling) for text in texts]
    values = pa.array(numbers, pa.float64())
    return pa.chunked_array([values.take(chunk.indices) for chunk in encoded.chunks], pa.float64())


def _spelling(texts: Sequence[str], layout: Layout, delimiter: str) -> str | None:
    """How numbers are written: "plain", "comma", "percent"; None where they are no numbers or may be several ones."""
    if not texts:
        return None
    if all(_PERCENT.fullmatch(text) for text in texts):
        marks = {mark for text in texts for mark in ",." if mark in text}
        return "percent" if len(marks) < 2 and (layout.decimal in (None, *marks) or not marks) else None
    patterns: tuple[re.Pattern[str], ...] = ()
    if layout.decimal == ",":
        patterns = (_COMMA, _WHOLE, _POINT_GROUPS)
    elif layout.decimal is None and delimiter != ",":
        patterns = (_COMMA, _WHOLE)
    if all(any(pattern.fullmatch(text) for pattern in patterns) for text in texts):
        is_grouped = all(_THOUSANDS.fullmatch(text) for text in texts if "," in text)
        return "comma" if layout.decimal == "," or not is_grouped else None
    is_plain = bool(layout.missing) and all(number_in(text) is not None for text in texts)
    return "plain" if is_plain else None


def _number(text: str, spelling: str) -> float:
    """Return a number of one spelling.

    >>> _number("12,5 %", "percent"), _number("1.234,5", "comma")
    (0.125, 1234.5)
    """
    if spelling == "percent":
        match = _PERCENT.fullmatch(text)
        assert match is not None
        return float(f"{match[1].replace(',', '.')}e-2")
    return float(text.replace(".", "").replace(",", ".") if spelling == "comma" else text)
