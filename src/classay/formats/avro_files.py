"""Avro files, by fastavro: the columns asked for; blocks are measured before any is decoded."""

from __future__ import annotations

import bz2
import lzma
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any

from classay.errors import FileError, told_of_extras
from classay.formats.columns import column_of, without
from classay.formats.containers import explained, refuse_bomb
from classay.formats.layout import layout_of
from classay.sources.inputs import Input, chosen, listed, no_rows

if TYPE_CHECKING:
    import pyarrow as pa

_MARK = 16
"""Bytes that end the head and each block."""
_CHUNK = 1 << 20
_IN_BATCH = 100_000
"""Rows that are read at a time where a file is read in parts."""
_FIRST = 1000
"""Rows by which types are told."""
_UNPACKERS: Mapping[str, Any] = {
    "deflate": lambda: zlib.decompressobj(-zlib.MAX_WBITS),
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
}


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns."""
    with _explained(source):
        n_rows, available = _rows_in(source), _names(source)
        names = chosen(columns, available, source.name)
        if not n_rows:
            raise no_rows(source, available)
        return _table(source, names)


def batches(source: Input, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the named columns of so many rows at a time."""
    with _explained(source):
        n_rows, names = _rows_in(source), chosen(columns, _names(source), source.name)
        with source.open() as stream:
            rows = _reader(source, stream)
            for _ in range(0, n_rows, _IN_BATCH):
                yield from _table_of(source, names, islice(rows, _IN_BATCH)).to_batches()


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns, from the first rows."""
    with _explained(source):
        _rows_in(source)
        return listed(_table(source, _names(source), _FIRST).schema)


def first_rows(source: Input, n_rows: int) -> tuple[pa.Table, int]:
    """Return the first rows and the number of all rows, which the heads of the blocks tell."""
    with _explained(source):
        n_all = _rows_in(source)
        return _table(source, chosen(None, _names(source), source.name), n_rows), n_all


def _table(source: Input, names: Sequence[str], n_rows: int | None = None) -> pa.Table:
    """Return columns of all rows, or of the first ones."""
    with source.open() as stream:
        return _table_of(source, names, islice(_reader(source, stream), n_rows))


def _table_of(source: Input, names: Sequence[str], rows: Iterable[Any]) -> pa.Table:
    """Return columns of rows."""
    import pyarrow as pa

    values: dict[str, list[Any]] = {name: [] for name in names}
    appends = [(name, values[name].append) for name in names]
    for row in rows:
        for name, append in appends:
            append(row[name])
    missing = layout_of(source).missing
    return pa.table({name: _column(without(cells, missing)) for name, cells in values.items()})


def _column(cells: Sequence[Any]) -> Any:
    """Return cells in one type: lists, records and bytes as Arrow has them."""
    import pyarrow as pa

    kinds = {type(cell) for cell in cells} - {type(None)}
    return pa.array(cells) if kinds and kinds <= {list, dict, bytes, Decimal} else column_of(cells)


def _reader(source: Input, stream: Any) -> Any:
    with told_of_extras(f"reading {source.name}"):
        import fastavro
    return fastavro.reader(stream)


def _names(source: Input) -> list[str]:
    """Return the names of the fields. Raises FileError for rows that are no records."""
    with source.open() as stream:
        written = _reader(source, stream).writer_schema
    if not isinstance(written, dict) or written.get("type") != "record":
        raise FileError(f"{source.name} has values that are not records. Write one record for each row.")
    return [field["name"] for field in written["fields"]]


def _explained(source: Input) -> AbstractContextManager[None]:
    return explained(
        lambda error: (
            f"{source.name} is compressed in a way that fastavro cannot read here. Write it with deflate."
            if "need to install" in str(error)
            else f"{source.name} cannot be read as avro, because it is damaged. Write it again, or restore a copy."
        )
    )


def _rows_in(source: Input) -> int:
    """Return the number of rows by the heads of all blocks. Refuses a file that unpacks to far more than it holds."""
    packed, unpacked, n_rows = os.path.getsize(source.path), 0, 0
    with source.open() as stream:
        codec = _codec(stream)
        while stream.tell() < packed:
            count, size = _number(stream), _number(stream)
            if count < 0 or not 0 <= size <= packed - stream.tell():
                raise ValueError("a block of impossible size")
            for n_bytes in _unpacked(codec, stream, size):
                unpacked += n_bytes
                refuse_bomb(source.name, packed, unpacked)
            stream.read(_MARK)
            n_rows += count
    if n_rows > unpacked:  # a row has one byte at least, unless all its fields are of type null
        raise ValueError("more rows than bytes")
    return n_rows


def _codec(stream: Any) -> str:
    """Return how the blocks after the head are compressed."""
    stream.read(4)
    about: dict[bytes, bytes] = {}
    while count := _number(stream):
        if count < 0:
            count = -count
            _number(stream)
        for _ in range(count):
            key = stream.read(_number(stream))
            if not key:
                raise ValueError("a head that ends too early")
            about[bytes(key)] = bytes(stream.read(_number(stream)))
    stream.read(_MARK)
    return about.get(b"avro.codec", b"null").decode()


def _number(stream: Any) -> int:
    """Return the next number, in as many bytes as it needs."""
    number, shift = 0, 0
    while True:
        byte = stream.read(1)
        if not byte or shift > 63:
            raise ValueError("a number that does not end")
        bits = int(byte[0])
        number |= (bits & 127) << shift
        if bits < 128:
            return (number >> 1) ^ -(number & 1)
        shift += 7


def _unpacked(codec: str, stream: Any, size: int) -> Iterator[int]:
    """Yield the numbers of bytes that the parts of a block unpack to; other codecs than these cannot grow as far."""
    if codec == "zstandard":
        import pyarrow as pa

        with pa.CompressedInputStream(pa.BufferReader(stream.read(size)), "zstd") as unpacked:
            while chunk := unpacked.read(_CHUNK):
                yield len(chunk)
        return
    if codec not in _UNPACKERS:
        stream.seek(stream.tell() + size)
        yield size if codec == "null" else 100 * size
        return
    unpacker, data = _UNPACKERS[codec](), stream.read(size)
    if codec == "deflate":
        while data and not unpacker.eof:
            yield len(unpacker.decompress(data, _CHUNK))
            data = unpacker.unconsumed_tail
        return
    while not unpacker.eof:
        chunk = unpacker.decompress(data, _CHUNK)
        if not chunk and unpacker.needs_input:
            return
        yield len(chunk)
        data = b""
