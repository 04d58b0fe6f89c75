"""Text to Arrow tables: CSV, TSV and JSON lines."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from classay.columns.coding import array_of
from classay.columns.values import number_in, typed
from classay.errors import FileError, InputError
from classay.sources.inputs import BLOCK, Input, chosen, in_blocks, listed, no_rows
from classay.sources.lines import line_of
from classay.sources.other_formats import behind
from classay.texts import hint
from classay.wings import altered

if TYPE_CHECKING:
    import pyarrow as pa

_DICTIONARY = 4096  # distinct texts in one block of CSV up to which a column is taken for labels, not for ids


class Parted(str):
    """The name of a column whose cells hold all tags of a case: text, in which no word stands for what is missing."""

    __slots__ = ()


def read_csv(source: Input, columns: Sequence[str] | None, labels: Sequence[str] = ()) -> "pa.Table":
    """Read the named columns; their types are inferred from all rows, and an error names the row.

    Columns that are `labels` are read as text: their type is known only after all rows and all columns of labels.
    """
    import pyarrow as pa

    header, has_rows = _header(source)
    if not has_rows:
        raise no_rows(source, header)
    names = chosen(columns, header, source.name, other_delimiter(header))
    of_tags = {name for name in labels if isinstance(name, Parted)}
    with _ragged_rows_named(source, header):
        text = [name for name in names if name in labels]
        table = in_blocks(lambda block: _parsed(source, names, block, labels=text))
        if parted := [name for name in names if name in of_tags]:
            tags = in_blocks(lambda block: _parsed(source, parted, block, text=parted, missing=()))
            for name in parted:
                table = table.set_column(names.index(name), name, tags[name])
    for field in table.schema:
        if pa.types.is_binary(_held(field.type)):
            raise FileError(
                f"Column {field.name!r} of {source.name} is not UTF-8 text. Save the file as UTF-8."
            )
    return _unrounded(source, _decimal(source, table)).unify_dictionaries()


def _header(source: Input) -> tuple[list[str], bool]:
    """Names in the first row, and whether another row follows.

    The standard library reads them, as a header of any length is whole to it, not torn into blocks.
    """
    import csv
    import io

    with (
        source.open() as stream,
        # What is not UTF-8 in a column that nobody asked for should not stand in the way.
        io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="") as text,
    ):
        rows = (row for row in csv.reader(text, delimiter=source.delimiter) if row)
        header = next(rows, []) if source.names is None else [*source.names]
        try:
            "".join(header).encode()
            return header, next(rows, None) is not None
        except UnicodeEncodeError as error:
            raise FileError(
                f"The header of {source.name} is not UTF-8 text. Save the file as UTF-8."
            ) from error
        except csv.Error:  # a field longer than this reader takes is a row all the same
            return header, True


def other_delimiter(header: Sequence[str]) -> str:
    """Advice for a header of one field that holds a likely delimiter; the empty string otherwise."""
    if len(header) == 1:
        for delimiter, shown in ((";", '";"'), ("\t", '"\\t"'), ("|", '"|"'), (",", '","')):
            if delimiter in header[0]:
                option = hint(f"delimiter={shown}", f"--delimiter {shown}")
                return f"The delimiter seems to be {delimiter!r}. Use {option}."
    return ""


def _parsed(
    source: Input,
    names: Sequence[str],
    block: int,
    *,
    threads: Literal["many", "one"] = "many",
    text: Sequence[str] = (),
    labels: Sequence[str] = (),
    missing: Sequence[str] | None = None,
) -> "pa.Table":
    import pyarrow as pa
    from pyarrow import csv

    types = dict.fromkeys(text, pa.string()) | dict.fromkeys(labels, pa.dictionary(pa.int32(), pa.string()))
    cells = _STRINGS | dict(source.cells) | ({} if missing is None else {"null_values": list(missing)})

    with source.open() as stream:
        return csv.read_csv(
            stream,
            read_options=csv.ReadOptions(
                use_threads=threads == "many", block_size=block, column_names=source.names
            ),
            parse_options=_layout(source),
            convert_options=csv.ConvertOptions(
                **cells,
                include_columns=list(names),
                column_types=types,
                auto_dict_encode=True,
                auto_dict_max_cardinality=_DICTIONARY,
            ),
        )


def _layout(source: Input) -> Any:
    from pyarrow import csv

    return csv.ParseOptions(delimiter=source.delimiter, newlines_in_values=True)


_STRINGS: dict[str, Any] = {"strings_can_be_null": True, "quoted_strings_can_be_null": False}
"""How all texts of CSV are converted."""


@contextmanager
def _ragged_rows_named(source: Input, header: Sequence[str]) -> Iterator[None]:
    """When parsing fails, parse once more with one thread, which alone knows the number of a row."""
    import pyarrow as pa

    try:
        yield
    except pa.ArrowInvalid as error:
        if invalid := re.search(r"In CSV column #(\d+): .*invalid UTF8", str(error)):
            raise FileError(
                f"Column {header[int(invalid[1])]!r} of {source.name} is not UTF-8 text. Save the file as UTF-8."
            ) from error
        ragged = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", _failure(source, header[:1]))
        if not ragged:
            raise
        row, expected, got = ragged.groups()
        commas = " Use decimal points instead of decimal commas." if int(got) > int(expected) else ""
        fill = f"Complete the row, or quote fields that contain the delimiter.{commas}"
        advice = other_delimiter(header) or fill
        at = int(row) - (1 if source.names is not None else 2)
        line = line_of(source, at)
        where = f"Data row {at + 1}" if line is None else f"Line {line}"
        raise FileError(
            f"{where} of {source.name} has {got} field{'s' if got != '1' else ''}, but the header has {expected}. "
            f"{advice}"
        ) from error


def _failure(source: Input, names: Sequence[str]) -> str:
    import pyarrow as pa

    try:
        in_blocks(lambda block: _parsed(source, names, block, threads="one"))
    except pa.ArrowInvalid as error:
        return str(error)
    return ""


def _decimal(source: Input, table: "pa.Table") -> "pa.Table":
    """Take hexadecimal digits as text, which Arrow reads as whole numbers: `number_in` says what a number is.

    The bytes of the file are searched first, which is far quicker than to parse a column again.
    """
    import pyarrow as pa

    integers = [field.name for field in table.schema if pa.types.is_integer(_held(field.type))]
    if not integers or not _holds_hexadecimal(source):
        return table
    import pyarrow.compute as pc

    text = in_blocks(lambda block: _parsed(source, integers, block, text=integers))
    for name in integers:
        if pc.any(pc.match_substring(text[name], "0x", ignore_case=True)).as_py():
            table = table.set_column(table.column_names.index(name), name, text[name])
    return table


def _holds_hexadecimal(source: Input) -> bool:
    last = b""
    with source.open() as stream:
        while block := stream.read(1 << 22):
            text = (last + block).lower()
            if b"0x" in text:
                return True
            last = block[-1:]
    return False


def _held(type_: "pa.DataType") -> "pa.DataType":
    import pyarrow as pa

    return type_.value_type if pa.types.is_dictionary(type_) else type_


def _unrounded(source: Input, table: "pa.Table") -> "pa.Table":
    """Take integers beyond 64 bits as text: as floats, which they are inferred to be, ids would merge."""
    huge = _huge(table)
    if not huge:
        return table
    import pyarrow.compute as pc

    text = in_blocks(lambda block: _parsed(source, huge, block, text=huge))
    for name in huge:
        if pc.all(pc.match_substring_regex(text[name], r"^\s*[+-]?\d+\s*$")).as_py():
            table = table.set_column(table.column_names.index(name), name, text[name].dictionary_encode())
    return table


def _huge(table: "pa.Table") -> list[str]:
    """Return the columns with floats beyond 64 bits, also within lists and objects."""
    return [name for name in table.column_names if any(map(_is_beyond, table[name].iterchunks()))]


def _is_beyond(array: "pa.Array") -> bool:
    """Check whether floats are beyond 64 bits, also within lists and objects."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_list(array.type):
        return _is_beyond(array.flatten())
    if pa.types.is_struct(array.type):
        return any(map(_is_beyond, array.flatten()))
    return pa.types.is_float64(array.type) and (pc.max(pc.abs(array)).as_py() or 0.0) >= 2.0**63


def type_labels(
    tables: Sequence["pa.Table"],
    labels: Sequence[str],
    together: Sequence[str] = (),
    others: frozenset[str] = frozenset(),
    texts: Collection[str] = (),
) -> list["pa.Table"]:
    """Labels of files, read as dictionaries of text that all chunks share, as numbers or truth values if they are.

    `labels` are typed by the rule of `typed`, which merges no two texts, column by column. Those that are `together` in
    all tables stay text if they share a text with a column that is text, or with `others`, the texts of other files.
    Columns of numbers that share none hold other labels, which are refused where the columns are united. The others,
    clusters and ids, are typed as parts of them would be, and are text if the column of the same name in another table
    is, or if it is one of the columns `texts`.
    """
    by_table = [
        {
            name: _values(table[name], alike=bool(together) and name not in together)
            for name in table.column_names
            if name in labels
        }
        for table in tables
    ]
    of_classes = [pair for columns in by_table for name, pair in columns.items() if name in together]
    of_text = [texts.to_pylist() for texts, values in of_classes if values is None]
    text = others.union(*of_text)
    typed_tables = list(tables)
    for i, (table, columns) in enumerate(zip(tables, by_table, strict=True)):
        for name, (written, values) in columns.items():
            if name in together:
                stays = bool(text) and not text.isdisjoint(written.to_pylist())
            else:
                known = (known_columns[name] for known_columns in by_table if name in known_columns)
                stays = name in texts or any(len(every) and typed is None for every, typed in known)
            column = _typed_column(table[name], written, None if stays else values)
            typed_tables[i] = typed_tables[i].set_column(table.column_names.index(name), name, column)
    return typed_tables


def typed_names(column: "pa.ChunkedArray") -> "tuple[pa.ChunkedArray, frozenset[str]]":
    """Clusters or ids of a part of a file as they are written, typed by the rule of `typed`, and some of the texts.

    These few texts and those of other parts are numbers, or truth values, together if all texts are; a column that is
    text has none.
    """
    import pyarrow as pa

    if pa.types.is_null(column.type):
        return column, frozenset()
    is_encoded = pa.types.is_dictionary(column.type)
    encoded = column if is_encoded else column.dictionary_encode().unify_dictionaries()
    texts, values = _values(encoded, alike=True)
    return _typed_column(encoded, texts, values), examples(texts, values)


def examples(texts: "pa.Array", values: "pa.Array | None") -> frozenset[str]:
    """Of distinct texts that are typed, few that tell the type of these and any others: the farthest of each form."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if values is None:
        return frozenset()
    if pa.types.is_integer(values.type):
        ends = pc.min_max(values).as_py().values()
        return frozenset(str(end) for end in ends)
    farthest: dict[tuple[bool, bool], tuple[float, str]] = {}
    for text, value in zip(texts.to_pylist(), values.to_pylist(), strict=True):
        form = isinstance(number_in(text), int), value == int(value)
        farthest[form] = max(farthest.get(form, (0.0, text)), (abs(value), text))
    return frozenset(text for _, text in farthest.values())


def are_typed(texts: Collection[str]) -> bool:
    """Check whether examples of several parts are numbers, or truth values, together."""
    import pyarrow as pa

    return typed_texts(pa.array(sorted(texts), pa.string()), alike=True) is not None


def _values(column: "pa.ChunkedArray", *, alike: bool) -> "tuple[pa.Array, pa.Array | None]":
    """Return the distinct texts of a column, and what they are by themselves; None where they stay text."""
    import pyarrow as pa

    texts = column.chunk(0).dictionary if column.num_chunks else pa.array([], pa.string())
    return texts, typed_texts(texts, alike=alike) if len(texts) else None


def _typed_column(
    column: "pa.ChunkedArray", texts: "pa.Array", values: "pa.Array | None"
) -> "pa.ChunkedArray":
    import pyarrow as pa

    if not len(texts):
        return pa.chunked_array([pa.nulls(len(column))])
    is_long = 2 * len(texts) > len(column)  # ids: a dictionary would be as long as the column
    if values is None:
        return column.cast(pa.string()) if is_long else column
    chunks = [pa.DictionaryArray.from_arrays(chunk.indices, values) for chunk in column.chunks]
    return pa.chunked_array([chunk.dictionary_decode() if is_long else chunk for chunk in chunks])


def typed_texts(texts: "pa.Array", *, alike: bool = False) -> "pa.Array | None":
    """Return all distinct texts as numbers or truth values; None where they stay text."""
    import pyarrow as pa

    # most are ids: Arrow reads many whole numbers, and writes them again, quickest
    if len(texts) > _DICTIONARY:
        for kind in (pa.int64(), pa.uint64()):
            with suppress(pa.ArrowInvalid):
                if (numbers := texts.cast(kind)).cast(pa.string()).equals(texts):
                    return numbers
    strings = texts.to_pylist()
    values = typed(strings, alike=alike)
    if values is strings:
        return None
    if isinstance(values[0], bool):
        return pa.array(values, pa.bool_())
    kinds: tuple[type, ...] = (np.int64, np.uint64)
    if any(isinstance(number, float) for number in values):
        kinds = (np.float64,)
    for kind in kinds:
        with suppress(OverflowError):
            return array_of(np.array(values, kind))
    return None  # whole numbers beyond 64 bits


def csv_schema(source: Input) -> list[tuple[str, str]]:
    """Names in the header, with the types of the first block of rows."""
    from pyarrow import csv

    header, has_rows = _header(source)
    if not has_rows:
        return [(name, "null") for name in header]

    def first_block(block: int) -> Any:
        options = csv.ReadOptions(use_threads=False, block_size=block, column_names=source.names)
        texts = csv.ConvertOptions(**(_STRINGS | dict(source.cells)))
        with source.open() as stream, csv.open_csv(stream, options, _layout(source), texts) as reader:
            return reader.schema

    with _ragged_rows_named(source, header):
        return listed(in_blocks(first_block))


_NULL = re.compile(rb"\n[ \t\r\xef\xbb\xbf]*null")
"""A line of JSON that is no object but null."""
_CHANGED = re.compile(r"Column\(/(.*?)\) changed from (\w+) to (\w+)")
"""Which column Arrow cannot give a type, and the kinds of values in it."""
_KINDS = {"number": "numbers", "string": "text", "boolean": "booleans", "array": "lists", "object": "objects"}
_NULL_AND_MARK = 7  # bytes of null with a byte order mark


def read_jsonl(source: Input, columns: Sequence[str] | None, labels: Sequence[str] = ()) -> "pa.Table":
    """Read the named columns; text stays text in those that are `labels`, whether it looks like a date or not."""
    source, table = _lines(source, columns, labels)
    return _checked(source, table.select(chosen(columns, table.column_names, source.name)))


def read_jsonl_part(source: Input, columns: Sequence[str] | None, labels: Sequence[str] = ()) -> "pa.Table":
    """Like `read_jsonl`, for rows from within a file: a field that none of these rows has is missing in all of them."""
    import pyarrow as pa

    source, table = _lines(source, columns, labels)
    columns = table.column_names if columns is None else behind(columns, table.column_names)
    for name in [name for name in columns if name not in table.column_names]:
        table = table.append_column(name, pa.nulls(table.num_rows))
    return _checked(source, table.select([*dict.fromkeys(columns)]))


def _lines(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> "tuple[Input, pa.Table]":
    """Return the columns, and the text they were read of, which may lack fields that nobody asked for."""
    _refuse_null_rows(source)
    read = altered("read.lines", None, source, columns, labels)
    source, table = read or all_fields(source, columns, labels)
    if not table.num_rows:
        raise no_rows(source, table.column_names)
    return source, table


def all_fields(
    source: Input, columns: Sequence[str] | None, labels: Sequence[str]
) -> "tuple[Input, pa.Table]":
    """Read all fields. Raises InputError for a named one with values of several kinds, ArrowInvalid for another."""
    import pyarrow as pa

    try:
        table = _in_blocks(source)
    except pa.ArrowInvalid as error:
        if changed := _CHANGED.search(str(error)):
            top = changed[1].split("/")[0]
            one, other = (_KINDS.get(kind, kind) for kind in changed.group(2, 3))
            if columns is None or top in behind(columns, [top]):
                raise InputError(
                    f"Column {changed[1]!r} of {source.name} contains {one} and {other}. Use one type in the whole "
                    "column."
                ) from error
        raise
    dates = [name for name in labels if name in table.column_names and pa.types.is_temporal(table[name].type)]
    return source, _in_blocks(source, {name: pa.string() for name in dates}) if dates else table


def _in_blocks(source: Input, types: "dict[str, pa.DataType] | None" = None) -> "pa.Table":
    import pyarrow as pa
    from pyarrow import json

    parsing = json.ParseOptions(explicit_schema=None if types is None else pa.schema([*types.items()]))
    try:
        return in_blocks(
            lambda block: json.read_json(source.open(), json.ReadOptions(block_size=block), parsing)
        )
    except pa.ArrowInvalid as error:
        if line := _refused_line(source):
            raise FileError(
                f"Line {line} of {source.name} is not a JSON object. Write one object such as "
                '{"column": value, …} on each line. A file with one array needs the extension .json.'
            ) from error
        raise


def _refused_line(source: Input) -> int | None:
    """Return the number of the first line that is no JSON, which Arrow counts from the beginning of a block only."""
    import json

    for number, line in enumerate(source.content().decode("utf-8-sig", "surrogateescape").split("\n"), 1):
        try:
            rows = [*rows_of_json(line)]
        except (json.JSONDecodeError, RecursionError):
            rows = [None]
        if not all(isinstance(row, dict) for row in rows):
            return source.before + number
    return None


def _checked(source: Input, table: "pa.Table") -> "pa.Table":
    import pyarrow as pa

    table = _unrounded_lines(source, table)
    for field in table.schema:
        if pa.types.is_string(field.type):
            table[field.name].validate(full=True)  # Arrow's JSON reader lets text through that is not UTF-8
    return table


def _unrounded_lines(source: Input, table: "pa.Table") -> "pa.Table":
    """Take whole numbers beyond 64 bits as text, as `read_csv` does: Arrow has rounded them, so ids would merge."""
    huge = _huge(table)
    if not huge:
        return table
    try:
        rows = [*rows_of_json(source.content().decode("utf-8-sig"))]
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"Column {huge[0]!r} of {source.name} contains numbers beyond 64 bits. Write the numbers as text."
        ) from error
    for name in huge:
        column = _exact(table[name].combine_chunks(), [row.get(name) for row in rows])
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def _exact(array: "pa.Array", values: Sequence[Any]) -> "pa.Array":
    """Return an array of JSON with whole numbers beyond 64 bits as text, by its values in Python."""
    import pyarrow as pa

    if not _is_beyond(array):
        return array
    if pa.types.is_list(array.type):
        items = _exact(array.values, [item for items in values for item in items or ()])
        return pa.ListArray.from_arrays(array.offsets, items, mask=array.is_null())
    if pa.types.is_struct(array.type):
        fields = [field.name for field in array.type]
        within = [_exact(array.field(name), [(row or {}).get(name) for row in values]) for name in fields]
        return pa.StructArray.from_arrays(within, fields, mask=array.is_null())
    if not all(value is None or type(value) is int for value in values):
        return array
    return pa.array([value if value is None else str(value) for value in values]).dictionary_encode()


def rows_of_json(
    text: str, object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None
) -> Iterator[Any]:
    """Yield the objects of JSON lines, of which several may share a line; the hook is that of the decoder."""
    import json

    decoder, at, end = json.JSONDecoder(object_pairs_hook=object_pairs_hook), 0, len(text.rstrip())
    while at < end:
        if text[at].isspace():
            at += 1
            continue
        row, at = decoder.raw_decode(text, at)
        yield row


def _refuse_null_rows(source: Input) -> None:
    """Refuse rows that are `null`: as the first of a block they end the process inside of Arrow's reader."""
    with source.open() as stream:
        end, open_line = 0, b"\n"
        while block := stream.read(BLOCK):
            text = open_line + block
            end += len(block)
            if null := _NULL.search(text):
                above = bytes(source.open().read(end - len(text) + null.end())).count(b"\n")
                raise FileError(
                    f"Line {source.before + above + 1} of {source.name} is null. Remove it, or write an object such as "
                    '{"column": value, …}.'
                )
            # the last line goes on in the next block; once it has begun as something else, that is all to know
            last = text[text.rfind(b"\n") :]
            open_line = last if len(last.strip()) < _NULL_AND_MARK else b""


def jsonl_schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of the first rows."""
    data = first_lines(source)
    part = replace(source, data=data, head=data[:8], encoding=None)
    return altered("read.fields", None, part) or listed(all_fields(part, None, ())[1].schema)


def first_lines(source: Input) -> bytes:
    """Return the first whole rows of JSON lines, about 1 MB."""
    with source.open() as stream:
        data = b""
        while b"\n" not in data and (more := stream.read(BLOCK)):
            data += more
        data = data[: data.rfind(b"\n") + 1] if stream.read(1) else data
    _refuse_null_rows(replace(source, data=data, head=data[:8], encoding=None))
    return data
