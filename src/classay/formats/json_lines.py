"""JSON lines of which only the fields that are asked for are read, nested ones too."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from classay.errors import ClassayError, FileError, InputError
from classay.formats.paths import MAX_NESTING, base_of
from classay.formats.vectors import is_vector
from classay.sources.inputs import Input, chosen, in_blocks, listed
from classay.sources.other_formats import behind
from classay.sources.text_files import all_fields, first_lines, jsonl_schema, rows_of_json

if TYPE_CHECKING:
    import pyarrow as pa

_FEW_BYTES = 1 << 16
"""Bytes of the first rows that tell the types of most fields."""
_MAX_LISTED = 1000
"""Rows whose fields are listed one by one, where they have values of several kinds."""


def read(
    _: None, source: Input, columns: Sequence[str] | None, labels: Sequence[str]
) -> tuple[Input, pa.Table]:
    """Return the fields that names ask for, and the text that they were read of.

    Fields of which the first rows tell the type are read with this type, and all others are skipped. Where later rows
    have another type, or the first ones tell none, all fields are read; where these have values of several kinds, the
    fields that are asked for are copied first.
    """
    import pyarrow as pa

    if columns is not None and (table := _read_of_types(source, columns, labels)) is not None:
        return source, table
    if not _is_deep(source):
        with suppress(pa.ArrowInvalid):
            return all_fields(source, columns, labels)
    if columns is None:
        raise _deep(source, _deep_line(source) or 1) if _is_deep(source) else _mixed(source)
    flat = _narrowed(source, columns)
    if (line := _deep_line(flat)) is not None:
        raise _deep(source, line)
    return all_fields(flat, columns, labels)


def _read_of_types(source: Input, columns: Sequence[str], labels: Sequence[str]) -> pa.Table | None:
    """Return fields in the types that the first rows tell; None where they do not, or later rows differ."""
    import pyarrow as pa

    data = first_lines(source)
    few = data[: data.find(b"\n", _FEW_BYTES) + 1]
    for rows in (few, data) if few else (data,):
        types = _types(source, columns, labels, rows)
        if types is None:
            continue
        with suppress(pa.ArrowInvalid):
            return in_blocks(partial(_of_types, source, types))
    return None


def _of_types(source: Input, types: Mapping[str, pa.DataType], block: int) -> pa.Table:
    """Return fields of known types; read block by block where Arrow can, which takes a third of the memory."""
    import pyarrow as pa
    from pyarrow import json

    parsing = json.ParseOptions(
        explicit_schema=pa.schema([*types.items()]), unexpected_field_behavior="ignore"
    )
    with source.open() as stream:
        read = getattr(json, "open_json", json.read_json)
        rows = read(stream, json.ReadOptions(block_size=block), parsing)
        return rows if isinstance(rows, pa.Table) else pa.Table.from_batches([*rows], rows.schema)


def first_columns(source: Input, names: Sequence[str]) -> pa.Table | None:
    """Return the fields of names in the first rows; None where there is none of them."""
    import pyarrow as pa

    data = first_lines(source)
    part = replace(source, data=data, head=data[:8], path="", encoding=None)
    bases = [*dict.fromkeys(base for name in names if (base := base_of(name, _names(part))) is not None)]
    if not bases:
        return None
    _, table = read(None, part, bases, ())
    return table.select(bases) if isinstance(table, pa.Table) else None


def fields(_: None, source: Input) -> list[tuple[str, str]]:
    """Return the names and types of fields of the first rows; "mixed" where values are of several kinds."""
    import pyarrow as pa

    if not _is_deep(source):
        with suppress(pa.ArrowInvalid, InputError):
            return listed(all_fields(source, None, ())[1].schema)
    return [(name, _type_of(source, name)) for name in _names(source)]


def _type_of(source: Input, name: str) -> str:
    import pyarrow as pa

    lines = first_lines(source).splitlines()[:_MAX_LISTED]
    data = b"\n".join(lines)
    with suppress(pa.ArrowInvalid, FileError, InputError):
        _, table = all_fields(
            _narrowed(replace(source, data=data, head=data[:8], encoding=None), [name]), None, ()
        )
        return str(table.schema.field(name).type)
    return "mixed"


def _types(
    source: Input, columns: Sequence[str], labels: Sequence[str], rows: bytes
) -> dict[str, Any] | None:
    """Return the types of the fields to read, of nested ones only what is asked for; None where rows do not tell."""
    import pyarrow as pa

    data = b"".join(line for line in rows.splitlines(keepends=True) if not _is_too_deep(line))
    try:
        schema = all_fields(replace(source, data=data, head=data[:8], encoding=None), None, ())[1].schema
    except (pa.ArrowInvalid, ClassayError):  # which is told where all rows are read
        return None
    wanted: dict[str, list[str]] = {}
    for name in columns:
        base = base_of(name, schema.names)
        if base is None:
            return None
        wanted.setdefault(base, []).append(name[len(base) :])
    types = {}
    for base, paths in wanted.items():
        is_label = any(base + path in labels for path in paths)
        kind = _pruned(schema.field(base).type, paths)
        if kind is None or (_has_times(kind) and (is_label or kind != schema.field(base).type)):
            kind = _as_text(kind)
        if kind is None:
            return None
        types[base] = kind
    return types


def _pruned(kind: pa.DataType, paths: Sequence[str]) -> pa.DataType | None:
    """Return a type with the fields alone that paths lead to; None where more fields may come in later rows."""
    import pyarrow as pa

    if pa.types.is_null(kind):
        return None
    if pa.types.is_list(kind):
        inner = [path.partition("]")[2] for path in paths]
        pruned = _pruned(kind.value_type, inner)
        return None if pruned is None else pa.list_(pruned)
    if not pa.types.is_struct(kind):
        return kind
    if is_vector(kind):
        spark = pa.list_(pa.float64())
        return pa.struct(
            [("type", pa.int64()), ("size", pa.int64()), ("indices", pa.list_(pa.int64())), ("values", spark)]
        )
    by_field: dict[str, list[str]] = {}
    for path in paths:
        names = [
            inner.name
            for inner in kind
            if path[1:] == inner.name or path[1:].startswith((f"{inner.name}.", f"{inner.name}["))
        ]
        if not path.startswith(".") or not names:
            return None
        name = max(names, key=len)
        by_field.setdefault(name, []).append(path[1 + len(name) :])
    pruned = {name: _pruned(kind.field(name).type, rest) for name, rest in by_field.items()}
    return None if None in pruned.values() else pa.struct([*pruned.items()])


def _has_times(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return any(_has_times(inner.type) for inner in kind)
    return _has_times(kind.value_type) if pa.types.is_list(kind) else bool(pa.types.is_temporal(kind))


def _as_text(kind: Any) -> Any:
    """Return a type in which times are text, as labels are read."""
    import pyarrow as pa

    if kind is None:
        return None
    if pa.types.is_struct(kind):
        return pa.struct([(inner.name, _as_text(inner.type)) for inner in kind])
    if pa.types.is_list(kind):
        return pa.list_(_as_text(kind.value_type))
    return pa.string() if pa.types.is_temporal(kind) else kind


def _lines(source: Input) -> Iterator[bytes]:
    with source.open() as stream:
        yield from io.BufferedReader(_Raw(stream), 1 << 20)


class _Raw(io.RawIOBase):
    """A stream of Arrow as one of Python."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _is_deep(source: Input) -> bool:
    return _deep_line(source) is not None


def _deep_line(source: Input) -> int | None:
    """Return the first line whose lists and objects are nested too deep for a reader of all fields."""
    for number, line in enumerate(_lines(source), 1):
        if _is_too_deep(line):
            return source.before + number
    return None


def _is_too_deep(line: bytes) -> bool:
    return line.count(b"[") + line.count(b"{") > MAX_NESTING and _depth(line) > MAX_NESTING


def _depth(text: bytes) -> int:
    """Return how deep lists and objects are nested; brackets in texts count too, which only makes it more careful.

    >>> _depth(b'{"a": [[1], [2]]}')
    3
    """
    import numpy as np

    letters = np.frombuffer(text, np.uint8)
    steps = np.isin(letters, (91, 123)).astype(np.int64) - np.isin(letters, (93, 125))
    return int(np.cumsum(steps).max(initial=0))


def _deep(source: Input, line: int) -> FileError:
    return FileError(
        f"Line {line} of {source.name} has lists or objects nested deeper than {MAX_NESTING}. Write the file "
        "without this field."
    )


def _mixed(source: Input) -> InputError:
    names = [name for name, kind in jsonl_schema(source) if kind == "mixed"]
    column = f"Column {names[0]!r}" if names else "A column"
    return InputError(f"{column} of {source.name} has values of several kinds. Name the columns to read.")


def _names(source: Input) -> list[str]:
    """Return the names of the fields of all rows, in the order in which they come."""
    names: dict[str, None] = {}
    for row in _rows(source):
        names.update(dict.fromkeys(name for name, _ in row))
    return [*names]


def _rows(source: Input) -> Iterator[_Pairs]:
    """Yield the fields of each row as pairs. Raises FileError for what is no object."""
    for number, line in enumerate(_lines(source), 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            for row in rows_of_json(text, _Pairs):
                if not isinstance(row, _Pairs):
                    raise ValueError
                yield row
        except RecursionError:
            raise _deep(source, source.before + number) from None
        except ValueError as error:
            raise FileError(
                f"Line {source.before + number} of {source.name} is not a JSON object. Write one object such as "
                '{"column": value, …} on each line.'
            ) from error


class _Pairs(list[tuple[str, Any]]):
    """The fields of an object, of which a name may stand twice."""


def _narrowed(source: Input, columns: Sequence[str]) -> Input:
    """Return the rows with the fields alone that names ask for, each path as one field.

    Raises InputError for a name that no row has, and for one that stands twice in a row.
    """
    available = _names(source)
    bases = {*behind(columns, available)}
    return narrowed(source, columns, available, (_fields(row, bases, source) for row in _rows(source)))


def _fields(row: _Pairs, names: Collection[str], source: Input) -> dict[str, Any]:
    """Return the fields of a row that are asked for. Raises InputError for one that stands twice."""
    known: dict[str, Any] = {}
    for name, value in row:
        if name in known:
            raise FileError(f"Column {name!r} of {source.name} occurs twice in a row. Write it once.")
        if name in names:
            known[name] = _plain(value)
    return known


def narrowed(
    source: Input, columns: Sequence[str], available: Sequence[str], rows: Iterable[Mapping[str, object]]
) -> Input:
    """Return rows as JSON lines with the fields alone that names ask for, each path as one field."""
    if not source.before:  # of rows within a file, others may have the field
        chosen(columns, available, source.name)
    text, names = io.BytesIO(), flat_names(columns, available)
    for row in rows:
        flat = {}
        for name in names:
            base = base_of(name, available) or name
            if base in row:
                flat[name] = row[base] if base == name else _value_at(row[base], name[len(base) :])
        text.write(json.dumps(flat).encode() + b"\n")
    data = text.getvalue()
    return Input(source.name, "", data, data[:8], source.format, source.delimiter, source.before)


def flat_names(columns: Sequence[str], available: Sequence[str]) -> list[str]:
    """Return the names of rows with a field for each path; mappings and vectors, which are read whole, stay fields."""
    wanted = [
        name if not _OF_ALL.search(name) else base_of(_OF_ALL.split(name)[0], available) for name in columns
    ]
    return [*dict.fromkeys(name for name in wanted if name is not None)]


_OF_ALL = re.compile(r"\{.*\}$|\[\d+ of \d+\]$", re.DOTALL)
"""The step to the scores of one class, of which those of all are read."""


def _plain(value: Any) -> Any:
    if isinstance(value, _Pairs):
        return {name: _plain(inner) for name, inner in value}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _value_at(value: Any, steps: str) -> Any:
    """Return the value at the end of a path, None where it does not lead on.

    >>> _value_at({"b": [{"c.d": 1}]}, ".b[0].c.d")
    1
    """
    while steps:
        if steps.startswith("["):
            index, _, steps = steps[1:].partition("]")
            number = index.partition(" ")[0]
            inside = isinstance(value, list) and number.isdecimal() and int(number) < len(value)
            value = value[int(number)] if inside else None
        else:
            rest = steps[1:]
            names = [
                name
                for name in (value if isinstance(value, dict) else ())
                if rest == name or rest.startswith((f"{name}.", f"{name}["))
            ]
            name = max(names, key=len, default=None)
            value, steps = (None, "") if name is None else (value[name], rest[len(name) :])
    return value
