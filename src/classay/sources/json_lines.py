"""JSON lines to Arrow tables."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from classay.errors import FileError, InputError
from classay.sources.columns import chosen, listed
from classay.sources.inputs import BLOCK, Input, in_blocks, no_rows

if TYPE_CHECKING:
    import pyarrow as pa

_NULL = re.compile(rb"^[ \t\r\xef\xbb\xbf]*null", re.MULTILINE)
"""A line of JSON that is no object but null."""
_CHANGED = re.compile(r"Column\(/(.*?)\) changed from (\w+) to (\w+)")
"""Which column Arrow cannot give a type, and the kinds of values in it."""
_KINDS = {
    "number": "numbers",
    "string": "text",
    "boolean": "truth values",
    "array": "lists",
    "object": "objects",
}
_NULL_AND_MARK = 7  # bytes of null with a byte order mark


def read_jsonl(source: Input, columns: Sequence[str] | None, labels: Sequence[str] = ()) -> "pa.Table":
    """Read the named columns; text stays text in those that are `labels`, whether it looks like a date or not."""
    read, table = _parsed(source, columns, labels)
    available = table.column_names if read is source else _names(source)
    return _checked(read, table.select(chosen(columns, available, source.name)))


def read_jsonl_part(source: Input, columns: Sequence[str] | None, labels: Sequence[str] = ()) -> "pa.Table":
    """The same of rows from the midst of a file, where a field that no row has is missing in all of them."""
    import pyarrow as pa

    source, table = _parsed(source, columns, labels)
    columns = table.column_names if columns is None else columns
    for name in [name for name in columns if name not in table.column_names]:
        table = table.append_column(name, pa.nulls(table.num_rows))
    return _checked(source, table.select(list(columns)))


def _parsed(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> "tuple[Input, pa.Table]":
    """The columns, and the text they were read of, which lacks the others where those hold values of any kind."""
    import pyarrow as pa

    _refuse_null_rows(source)
    try:
        table = _in_blocks(source)
    except pa.ArrowInvalid as error:
        _refuse_mixed(source, columns, error)
        source = _narrowed(source, columns or ())
        try:
            table = _in_blocks(source)
        except pa.ArrowInvalid as again:
            _refuse_mixed(source, None, again)
    if not table.num_rows:
        raise no_rows(source, table.column_names)
    dates = [name for name in labels if name in table.column_names and pa.types.is_temporal(table[name].type)]
    return source, _in_blocks(source, {name: pa.string() for name in dates}) if dates else table


def _refuse_mixed(source: Input, columns: Sequence[str] | None, error: Exception) -> None:
    """Say what a column that is asked for holds, where its values are of several kinds."""
    changed = _CHANGED.search(str(error))
    if changed is None:
        raise error
    name, *kinds = changed.groups()
    if columns is None or name.split("/")[0] in columns:
        one, other = (_KINDS.get(kind, kind) for kind in kinds)
        raise InputError(
            f"column {name!r} of {source.name} holds {one} and {other} in different rows: write its values alike."
        ) from error


def _names(source: Input) -> list[str]:
    with source.open() as stream:
        rows = _rows(stream.read().decode("utf-8-sig"))
    return list(dict.fromkeys(name for row in rows for name in row))


def _narrowed(source: Input, columns: Sequence[str]) -> Input:
    """The same rows without the fields that nobody asked for."""
    import json

    with source.open() as stream:
        text = stream.read().decode("utf-8-sig")
    rows = (
        ", ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in row if name in columns)
        for row in _rows(text, object_pairs_hook=list)  # a name may stand twice, which Arrow refuses
    )
    data = "".join(f"{{{row}}}\n" for row in rows).encode()
    return Input(source.name, "", data, data[:8], source.format, source.delimiter, source.before)


def _in_blocks(source: Input, types: "dict[str, pa.DataType] | None" = None) -> "pa.Table":
    import pyarrow as pa

    try:
        return in_blocks(lambda block: _parsed_json(source.open(), block, types))
    except pa.ArrowInvalid as error:
        if line := _refused_line(source):
            raise FileError(
                f"line {line} of {source.name} is no JSON object: write each row as "
                '{"column": value, …}, on a line of its own.'
            ) from error
        raise


def _refused_line(source: Input) -> int | None:
    """The number of the first line that is no JSON, which Arrow counts from the beginning of a block only."""
    import json

    with source.open() as stream:
        content = stream.read().decode("utf-8-sig", "surrogateescape")
    for number, line in enumerate(content.split("\n"), 1):
        try:
            rows = [*_rows(line)]
        except (json.JSONDecodeError, RecursionError):
            rows = [None]
        if not all(isinstance(row, dict) for row in rows):
            return source.before + number
    return None


def _checked(source: Input, table: "pa.Table") -> "pa.Table":
    import pyarrow as pa

    table = _unrounded(source, table)
    for field in table.schema:
        if pa.types.is_string(field.type):
            table[field.name].validate(full=True)  # Arrow's JSON reader lets text through that is not UTF-8
    return table


def _unrounded(source: Input, table: "pa.Table") -> "pa.Table":
    """Take whole numbers beyond 64 bits as text, as `read_csv` does: Arrow has rounded them, so ids would merge."""
    import pyarrow as pa
    import pyarrow.compute as pc

    huge = [
        field.name
        for field in table.schema
        if pa.types.is_float64(field.type)
        and any(
            value is not None and abs(value) >= 2.0**63
            for value in pc.min_max(table[field.name]).as_py().values()
        )
    ]
    if not huge:
        return table
    try:
        with source.open() as stream:
            rows = [*_rows(stream.read().decode())]
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"column {huge[0]!r} of {source.name} holds numbers beyond 64 bits, and they cannot be read as they are "
            "written: write them as text."
        ) from error
    for name in huge:
        values = [row.get(name) for row in rows]
        if all(value is None or type(value) is int for value in values):
            text = pa.array([None if value is None else str(value) for value in values])
            table = table.set_column(table.column_names.index(name), name, text.dictionary_encode())
    return table


def _rows(text: str, **how: Any) -> Iterator[Any]:
    """The objects of JSON lines, of which several may share a line; `how` is for the decoder."""
    import json

    decoder, at, end = json.JSONDecoder(**how), 0, len(text.rstrip())
    while at < end:
        if text[at].isspace():
            at += 1
            continue
        row, at = decoder.raw_decode(text, at)
        yield row


def _refuse_null_rows(source: Input) -> None:
    """Refuse rows that are `null`: as the first of a block they end the process inside of Arrow's reader."""
    with source.open() as stream:
        before, open_line = 0, b""
        while block := stream.read(BLOCK):
            text = open_line + block
            if found := _NULL.search(text):
                row = source.before + before + text.count(b"\n", 0, found.end()) + 1
                raise FileError(
                    f"line {row} of {source.name} is null, not an object: leave it out, or write the row as "
                    '{"column": value, …}.'
                )
            cut = text.rfind(b"\n") + 1
            before += text.count(b"\n", 0, cut)
            # the last line goes on in the next block; once it has begun as something else, that is all to know
            open_line = text[cut:] if len(text[cut:].strip()) < _NULL_AND_MARK else b"{"


def _parsed_json(stream: Any, block: int, types: "dict[str, pa.DataType] | None" = None) -> "pa.Table":
    import pyarrow as pa
    from pyarrow import json

    schema = None if types is None else pa.schema(list(types.items()))
    with stream:
        return json.read_json(
            stream, json.ReadOptions(block_size=block), json.ParseOptions(explicit_schema=schema)
        )


def jsonl_schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of the first rows."""
    import pyarrow as pa

    _refuse_null_rows(source)
    with source.open() as stream:
        data = b""
        while b"\n" not in data and (more := stream.read(BLOCK)):
            data += more
        if stream.read(1):
            data = data[: data.rfind(b"\n") + 1]
    return listed(in_blocks(lambda block: _parsed_json(pa.BufferReader(data), block)).schema)
