"""JSON files: one document with rows, as tools write it in several forms, or JSON lines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from classay.errors import FileError
from classay.formats import json_lines
from classay.formats.containers import refuse_bomb
from classay.formats.paths import MAX_NESTING, base_of
from classay.sources.inputs import Input, is_address, no_rows
from classay.sources.text_files import jsonl_schema, read_jsonl
from classay.texts import some
from classay.wings import altered

if TYPE_CHECKING:
    import pyarrow as pa

ENDINGS = (".json", ".json.gz", ".json.zst")
_LINE = 1 << 20
"""Bytes of a first line that may be a row; a longer one is a document."""
_LISTED = 1000
"""Rows whose fields are listed."""
_TEXT_MARKS = b"\xef\xbb\xbf \t\r\n"


def is_json(head: bytes, path: str) -> bool:
    """Check whether a file of one of the endings begins as JSON, or is compressed."""
    begins = head.lstrip(_TEXT_MARKS)[:1] in (b"{", b"[") or head.startswith(
        (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
    )
    return begins and path.lower().endswith(ENDINGS)


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the columns behind the names."""
    lines = replace(source, format="jsonl")
    if is_in_lines(lines):
        return read_jsonl(lines, columns, labels)
    rows = [*_rows(lines)]
    available = [*dict.fromkeys(name for row in rows for name in row)]
    if not rows:
        raise no_rows(source, available)
    names = available if columns is None else columns
    flat = json_lines.narrowed(lines, names, available, rows)
    return read_jsonl(flat, json_lines.flat_names(names, available), labels)


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of the columns, by the first rows."""
    lines = replace(source, format="jsonl")
    if is_in_lines(lines):
        return jsonl_schema(lines)
    rows = [*_rows(lines)]
    data = "".join(json.dumps(row) + "\n" for row in rows[:_LISTED]).encode()
    return jsonl_schema(replace(lines, data=data, head=data[:8], path="", encoding=None)) if rows else []


def first_columns(source: Input, names: Sequence[str]) -> pa.Table | None:
    """Return the columns behind the names in the first rows; None where there is none of them."""
    lines = replace(source, format="jsonl")
    if is_in_lines(lines):
        return json_lines.first_columns(lines, names)
    available = [*dict.fromkeys(name for row in _rows(lines) for name in row)]
    bases = [*dict.fromkeys(base for name in names if (base := base_of(name, available)) is not None)]
    return read(source, bases, ()) if bases else None


def is_in_lines(source: Input) -> bool:
    """Check whether each line is a row: the first one is an object, and another follows."""
    with source.open() as stream:
        begin = bytes(stream.read(_LINE)).lstrip(_TEXT_MARKS)
    line, end, rest = begin.partition(b"\n")
    if not line.startswith(b"{") or (not end and len(begin) >= _LINE - len(_TEXT_MARKS)):
        return False
    return rest.lstrip().startswith(b"{")


def _rows(source: Input) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a document. Raises FileError for one without rows that have names."""
    text = _unpacked(source).decode("utf-8-sig")
    try:
        document = json.loads(text, object_pairs_hook=_object)
    except _RepeatedError as error:
        raise FileError(f"{source.name} has {str(error)!r} twice in one object. Write it once.") from None
    except RecursionError:
        raise FileError(
            f"{source.name} has lists or objects nested deeper than {MAX_NESTING}. Write the rows without this field."
        ) from None
    except ValueError as error:
        raise FileError(
            f"{source.name} is not a whole JSON document: {error}. Save it again, or restore a copy."
        ) from error
    del text
    rows = _rows_in(document)
    if rows is None:
        altered("read.no_rows", None, source)
        lists = _lists_of(document)
        tables = [name for name, value in lists.items() if _are_rows(value)]
        lengths = [f"{name} has {len(value)}" for name, value in lists.items()]
        what = "has no list of rows with names"
        if len(tables) > 1:
            what = f"has several lists of rows ({some(tables, 5)})"
        elif len(lengths) > 1:
            what = f"has lists of different lengths ({some(lengths, 5)})"
        raise FileError(
            f'{source.name} {what}. Write a list of objects, such as [{{"y": 1, "p": 0.8}}, …], or one object on each '
            "line."
        )
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise FileError(f"Row {number} of {source.name} is not an object. Write one object for each row.")
        yield row


def _unpacked(source: Input) -> bytes:
    """Return the content of a document. Raises FileError for one that unpacks to far more than its file holds."""
    with source.open() as stream:
        if source.compression is None or is_address(source.path):
            return bytes(stream.read())
        packed = os.path.getsize(source.path) if source.data is None else len(source.data)
        content = bytearray()
        while chunk := stream.read(_LINE):
            content += chunk
            refuse_bomb(source.name, packed, len(content))
        return bytes(content)


class _RepeatedError(ValueError):
    """A name stands twice in an object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known = dict(pairs)
    if len(known) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedError(next(name for name in names if names.count(name) > 1))
    return known


def _rows_in(document: Any) -> Any:
    """Return the rows of a document, None where it has none or several lists of them.

    >>> _rows_in({"model": "m", "y": [0, 1], "p": [0.2, 0.9]})
    [{'y': 0, 'p': 0.2}, {'y': 1, 'p': 0.9}]
    >>> _rows_in({"columns": ["y"], "data": [[0], [1]]}), _rows_in({"y": {"0": 0, "1": 1}})
    ([{'y': 0}, {'y': 1}], [{'y': 0}, {'y': 1}])
    """
    if isinstance(document, list):
        return document if _are_rows(document) or not document else None
    return _rows_of_object(document) if isinstance(document, dict) else None


def _rows_of_object(document: Any) -> Any:
    names, data = document.get("columns"), document.get("data")
    if _are_names(names) and isinstance(data, list) and all(_has_width(row, len(names)) for row in data):
        return [dict(zip(names, row, strict=True)) for row in data]
    lists = [value for value in document.values() if _are_rows(value)]
    if lists:
        is_schema = "schema" in document and _are_rows(data)
        return data if is_schema else lists[0] if len(lists) == 1 else None
    columns = _lists_of(document)
    if columns and len({len(column) for column in columns.values()}) == 1:
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if document and all(isinstance(value, dict) for value in document.values()):
        return _rows_of_objects(document)
    return None


def _rows_of_objects(document: Any) -> Any:
    """Return the rows of objects in an object, as pandas writes columns by the numbers of rows, or rows by theirs."""
    keys = [*next(iter(document.values()))]
    if all(key.isdecimal() for key in document):
        return [*document.values()]
    is_of_columns = keys and all(key.isdecimal() for key in keys)
    if is_of_columns and all([*value] == keys for value in document.values()):
        return [{name: value[key] for name, value in document.items()} for key in keys]
    return None


def _lists_of(document: Any) -> dict[str, list[Any]]:
    """Return the lists in an object by their names."""
    named = document.items() if isinstance(document, dict) else ()
    return {name: value for name, value in named if isinstance(value, list)}


def _are_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)


def _has_width(row: Any, width: int) -> bool:
    return isinstance(row, list) and len(row) == width
