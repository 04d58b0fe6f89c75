"""The first rows of a file, read as its command would read them; a layout that no option names is guessed."""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from classay.columns.values import number_in
from classay.describing.columns import MAX_LABELS, facts_of, words_for_missing
from classay.errors import ClassayError
from classay.formats.layout import layout_of, options_of
from classay.formats.samples import size_of
from classay.formats.shapes import shape_of
from classay.formats.text_layouts import STATED, recognized_in
from classay.kinds import Format
from classay.sources.files import column_names, parquet_file
from classay.sources.inputs import TEXT, Input, explained, find_input
from classay.sources.other_formats import finished, prepared, reader_of
from classay.sources.text_files import jsonl_schema, read_csv, read_jsonl, type_labels
from classay.texts import DoorText, quote, some
from classay.wings import brought, thing

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ROWS = 20_000
"""Rows that are looked at."""
MAX_BYTES = 1 << 22
"""Bytes of text that are read, unpacked."""
_SAMPLE = 1 << 16
"""Bytes by which the layout of a text is guessed."""
_MAX_ROW_GROUPS = 1000
_DELIMITERS = ",;\t| "
_MIN_LINES = 2
"""Lines that have to agree on a delimiter: the header and a row."""
_BINARY: dict[bytes, Format] = {b"PAR1": "parquet", b"ARRO": "arrow"}
TITLES = {
    "csv": "CSV, text with a delimiter",
    "tsv": "TSV, text with tabs",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "arrow": "Arrow or Feather",
}
"""What the formats of the core are called."""


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a file, and how they were read.

    `n_rows` is the number of all rows, None where only reading the whole file would tell. `options` read the file as it
    was read here, by their names. `missing` are numbers of missing values of whole columns, where the file has them.
    """

    format: str
    title: str
    n_bytes: int
    table: pa.Table
    n_rows: int | None
    options: dict[str, str]
    reading: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    missing: dict[str, int]
    source: Input


def first_rows(
    path: str,
    *,
    format: Format | None = None,
    delimiter: str | None = None,
    layout: tuple[Any, ...] = (),
    options: Mapping[str, str] | None = None,
) -> FirstRows:
    """Return the first rows of a file; `options` are those that were given, as the command writes them.

    Raises FileError or InputError for a file that cannot be read.
    """
    named = options or {}
    options = dict(named)
    if format is None and (format := _format_of_content(path)) is not None:
        options["format"] = format
    source = find_input(path, format, delimiter, layout)
    place = brought("formats").get(source.format)
    title = TITLES[source.format] if place is None else thing(place).title
    n_bytes = size_of(source)
    rows = _read(source, title, n_bytes, delimiter, options)
    is_open = "na" not in named and "na" in options_of(source)
    words = words_for_missing(facts_of(rows.table), rows.table) if is_open else []
    if words:
        options["na"] = ",".join(words)
        source = replace(source, layout=(replace(layout_of(source), na=options["na"]),))
        rows = _read(source, title, n_bytes, delimiter, options)
    guesses = tuple(
        f"--{name.replace('_', '-')} {quote(value)} is a guess."
        for name, value in options.items()
        if name not in named
    )
    return replace(rows, notes=(*guesses, *rows.notes))


def text_of_command(message: Warning | str) -> str:
    """Return what a warning or an error says at the command."""
    text = next(iter(getattr(message, "args", ())), message)
    return DoorText.of(text if isinstance(text, str) else str(text)).command


def table_names(path: str, format: Format | None, layout: tuple[Any, ...]) -> list[str]:
    """Return the names of the sheets or tables of a file with several, where no option names one; else none."""
    if format is not None or _format_of_content(path) is not None:
        return []
    source = find_input(path, None, None, layout)
    reader = reader_of(source)
    with explained(source):
        names = reader.tables(source) if hasattr(reader, "tables") else []
    return names if len(names) > 1 else []


def _read(
    source: Input, title: str, n_bytes: int, delimiter: str | None, options: dict[str, str]
) -> FirstRows:
    """Return the first rows; a guessed layout is added to the options."""
    reading: list[tuple[str, str]] = []
    missing: dict[str, int] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if layout_of(source).columns_from is not None:
            table, n_rows = _of_wing(prepared(source))
        elif source.format in TEXT:
            table, n_rows, reading = _of_text(source, delimiter, options)
        elif source.format == "parquet":
            table, n_rows, missing = _of_parquet(prepared(source))
        elif source.format == "arrow":
            table, n_rows = _of_arrow(prepared(source))
        else:
            table, n_rows = _of_wing(prepared(source))
    if any("decimal commas" in str(warning.message) for warning in caught):
        reading.append(("decimal mark", ","))
    notes = tuple(dict.fromkeys(text_of_command(warning.message) for warning in caught))
    known = (table, n_rows, options, tuple(reading), notes, missing)
    return FirstRows(source.format, title, n_bytes, *known, source)


def _format_of_content(path: str) -> Format | None:
    """Return the format of a file whose name does not show it, None where its name shows it or nothing does."""
    from classay.sources.inputs import is_known_name
    from classay.sources.other_formats import recognized

    text = os.path.expanduser(path)
    if path == "-" or is_known_name(text) or not os.path.isfile(text) or text.endswith(".classay"):
        return None
    if recognized(text, path) is not None:
        return None
    with open(text, "rb") as file:
        head = file.read(1 << 12)
    if known := _BINARY.get(head[:4]):
        return known
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not begin or b"\0" in head:
        return None
    if begin[:1] == b"{":
        return "jsonl"
    text = head.decode("utf-8-sig", "replace")
    text = text[: text.rfind("\n") + 1]
    return "csv" if any(_in_lines(text, delimiter) for delimiter in _DELIMITERS) else None


def _of_text(
    source: Input, delimiter: str | None, options: dict[str, str]
) -> tuple[pa.Table, int | None, list[tuple[str, str]]]:
    """Return the rows in the first bytes of a text, the number of all rows, and how they were read."""
    with explained(source), source.open() as stream:
        data = bytes(stream.read(MAX_BYTES))
        is_whole = not stream.read(1)
    if not is_whole:
        data = _whole_lines(data)
    source = replace(source, data=data, head=data[:8], encoding=None)
    if source.format == "jsonl":
        with explained(source):
            table = of_fields(prepared(source), read_jsonl, jsonl_schema)
        return _first(table), table.num_rows if is_whole else None, []
    layout = layout_of(source)
    guess = _guess(data, source.delimiter if delimiter is None else delimiter, is_named=delimiter is not None)
    if STATED.match(data):
        guess = _Guess(source.delimiter, 1, 0)
    if guess.delimiter != source.delimiter:
        source = replace(source, delimiter=guess.delimiter)
        options["delimiter"] = "tab" if guess.delimiter == "\t" else guess.delimiter
    if guess.header_line > 1 and layout.header_line is None:
        options["header_line"] = str(guess.header_line)
        source = replace(source, layout=(replace(layout, header_line=guess.header_line),))
    ready = prepared(source)
    if recognized_in(ready).grouped:
        options["decimal"] = ","  # a guess, which is said
        ready = prepared(replace(source, layout=(replace(layout_of(source), decimal=","),)))
    source = ready
    with explained(source):
        table = _with_labels(finished(read_csv(source, None), source, None, ()), source)
    shown = {"\t": "tab", " ": "space"}.get(source.delimiter, source.delimiter)
    reading = [("delimiter", shown), ("header", f"line {options.get('header_line', '1')}")]
    return _first(table), table.num_rows if is_whole else None, reading


def of_fields(source: Input, read: Any, schema: Any) -> pa.Table:
    """Return all columns, or those that have values of one kind, with a warning that names the others."""
    try:
        return read(source, None, ())
    except ClassayError:
        kinds = schema(source)
        names = [name for name, kind in kinds if kind != "mixed"]
        if not names or len(names) == len(kinds):
            raise
    others = [name for name, kind in kinds if kind == "mixed"]
    verb = "has" if len(others) == 1 else "have"
    warnings.warn(f"{some(others)} {verb} values of several kinds, so no role is suggested.", stacklevel=2)
    return read(source, names, ())


def _with_labels(table: pa.Table, source: Input) -> pa.Table:
    """Return the rows with columns of few values typed as labels are, by which 01 is no 1."""
    import pyarrow as pa

    names = [
        field.name
        for field in table.schema
        if not pa.types.is_floating(field.type) and len(table[field.name].unique()) <= MAX_LABELS
    ]
    if not names:
        return table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is said already
        labels = finished(read_csv(source, names, names), source, None, names)
    (labels,) = type_labels([labels], names)
    for name in names:
        table = table.set_column(table.column_names.index(name), name, labels[name])
    return table


def _first(table: pa.Table) -> pa.Table:
    return table.slice(0, MAX_ROWS)


def _whole_lines(data: bytes) -> bytes:
    """Return the lines before the last one, which may be torn; a field in quotes may hold line ends."""
    end = data.rfind(b"\n") + 1
    while end and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, end - 1) + 1
    return data[:end] or data


@dataclass(frozen=True)
class _Guess:
    """A delimiter, the line of the header, and how many lines have as many fields as the last one."""

    delimiter: str
    header_line: int
    n_fields: int


def _guess(data: bytes, default: str, *, is_named: bool) -> _Guess:
    """Return the layout in which most lines have the same number of fields; the default where none does."""
    text = data[:_SAMPLE].decode("utf-8-sig", "replace")
    if len(data) > _SAMPLE:
        text = text[: text.rfind("\n") + 1]
    delimiters = default if is_named else default + _DELIMITERS.replace(default, "")
    guesses = [guess for delimiter in delimiters if (guess := _in_lines(text, delimiter)) is not None]
    best = min(
        guesses, key=lambda guess: (guess.header_line, guess.delimiter == " ", -guess.n_fields), default=None
    )
    if best is None:
        return _Guess(default, 1, 1)
    usual = next((guess for guess in guesses if guess.delimiter == default), best)
    return usual if usual.header_line == best.header_line and usual.n_fields >= best.n_fields else best


def _in_lines(text: str, delimiter: str) -> _Guess | None:
    """Return the layout of lines with a delimiter; None where their numbers of fields differ or are 1."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    begins, rows, end = [], [], 0
    try:
        for row in reader:
            if row:
                begins.append(end + 1)
                rows.append(row)
            end = reader.line_num
    except csv.Error:
        return None
    width = len(rows[-1]) if rows else 0
    if width < 2:
        return None
    header = shape.header if (shape := shape_of(rows)) is not None else 0
    first = next(at for at in range(header, len(rows)) if {*map(len, rows[at:])} == {width})
    if first and len(rows[first - 1]) == width - 1 and _are_row_names([row[0] for row in rows[first:]]):
        first -= 1  # the header has no name for the names of rows
    return _Guess(delimiter, begins[first], width) if len(rows) - first >= _MIN_LINES else None


def _are_row_names(texts: Sequence[str]) -> bool:
    """Check whether first cells are what R names rows by: whole numbers from 1, or distinct words."""
    if [*texts] == [str(number) for number in range(1, len(texts) + 1)]:
        return True
    return len({*texts}) == len(texts) > _MIN_LINES and not any(number_in(text) is not None for text in texts)


def _of_parquet(source: Input) -> tuple[pa.Table, int, dict[str, int]]:
    """Return the first rows, the number of all rows, and numbers of missing values by the file's own statistics."""
    import pyarrow as pa

    with explained(source), source.open() as stream:
        file = parquet_file(stream)
        schema, about = file.schema_arrow, file.metadata
        batches = file.iter_batches(batch_size=MAX_ROWS)
        batch = next(batches, None)
        table = schema.empty_table() if batch is None else pa.Table.from_batches([batch], schema)
        missing = _missing_in(about) if about.num_row_groups <= _MAX_ROW_GROUPS else {}
    return table, about.num_rows, missing


def _missing_in(about: Any) -> dict[str, int]:
    """Return the number of nulls of each flat column that all row groups know."""
    counts: dict[str, int] = {}
    unknown: set[str] = set()
    for group in range(about.num_row_groups):
        for place in range(about.num_columns):
            column = about.row_group(group).column(place)
            known = column.statistics
            if known is None or not known.has_null_count or "." in column.path_in_schema:
                unknown.add(column.path_in_schema)
            else:
                counts[column.path_in_schema] = counts.get(column.path_in_schema, 0) + known.null_count
    return {name: count for name, count in counts.items() if name not in unknown}


def _of_arrow(source: Input) -> tuple[pa.Table, int | None]:
    """Return the first rows; the number of all rows where these are all."""
    import pyarrow as pa

    column_names(source.path, format="arrow")  # an old version, or a damaged file, is refused in its words
    with explained(source), source.open() as stream:
        if source.head.startswith(b"ARROW1"):
            file = pa.ipc.open_file(stream)
            schema = file.schema
            batches = (file.get_batch(place) for place in range(file.num_record_batches))
        else:
            reader = pa.ipc.open_stream(stream)
            schema, batches = reader.schema, iter(reader)
        looked: list[pa.RecordBatch] = []
        n_rows = 0
        for batch in batches:
            looked.append(batch)
            n_rows += batch.num_rows
            if n_rows >= MAX_ROWS:
                break
        is_whole = next(batches, None) is None
        table = pa.Table.from_batches(looked, schema)
        table.validate(full=True)
    return _first(table).unify_dictionaries(), n_rows if is_whole else None


def _of_wing(source: Input) -> tuple[pa.Table, int | None]:
    """Return the first rows of a format that a wing reads: by its `first_rows`, or else by reading all."""
    reader = reader_of(source)
    with explained(source):
        if hasattr(reader, "first_rows"):
            table, n_rows = reader.first_rows(source, MAX_ROWS)
        else:
            table = of_fields(source, reader.read, reader.schema)
            n_rows = table.num_rows
        table = finished(_first(table), source, None, ())
    return table, n_rows
