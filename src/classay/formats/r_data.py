"""R's data frames in .rds and .rda files, by the parser of rdata: values alone, and nothing of R is run."""

from __future__ import annotations

import bz2
import lzma
import os
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from classay.errors import FileError, InputError, nearest, told_of_extras
from classay.formats.columns import column_of, without
from classay.formats.containers import MAX_UNPACKED, explained, refuse_bomb
from classay.formats.layout import layout_of, option
from classay.sources.inputs import Input, chosen, listed, no_rows
from classay.texts import some

if TYPE_CHECKING:
    import pyarrow as pa


class RObject(Protocol):
    """An object of R as rdata gives it: what it is, its value, and its attributes as a list of pairs."""

    info: Any
    value: Any
    attributes: RObject | None
    tag: RObject | None
    referenced_object: RObject | None


_CHUNK = 1 << 20
_BEGINS = (b"X\n\0\0\0", b"B\n", b"RDX2\n", b"RDX3\n", b"RDB2\n", b"RDB3\n", b"RDA2\n", b"RDA3\n")
_OLDEST = 1 << 17
"""R 2.0.0, as files of text write versions."""
_LATIN_1 = 4
"""The flag of a text in this encoding."""
_KINDS = {"INT": "a vector", "REAL": "a vector", "LGL": "a vector", "STR": "a vector", "VEC": "a list"}
_NUMBERS = ("INT", "REAL", "LGL")
_ENDINGS = (".rds", ".rda", ".rdata")


def is_r_data(head: bytes, path: str) -> bool:
    """Check whether the first bytes, unpacked if they are compressed, are those of R's serialized values."""
    unpacker = _unpacker(head)
    if unpacker is None:
        return _is_r(head[:64])
    with suppress(zlib.error, OSError, EOFError, lzma.LZMAError):
        if begin := unpacker.decompress(head, 64):
            return _is_r(begin)
    return path.lower().endswith(_ENDINGS)  # a block of bzip2 is longer than these bytes


def _is_r(begin: bytes) -> bool:
    if begin.startswith(_BEGINS):
        return True
    lines = begin.split(b"\n")[:4]  # as text: the kind, its version, and two versions of R
    is_text = len(lines) == 4 and lines[0] == b"A" and lines[1] in (b"2", b"3")
    return is_text and all(line.isdigit() and int(line) >= _OLDEST for line in lines[2:])


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns of a data frame: factors as their labels, dates as dates."""
    frame = _frame(source)
    names = chosen(columns, [*frame], source.name)
    table = _table(source, {name: frame[name] for name in names})
    if not table.num_rows:
        raise no_rows(source, [*frame])
    return table


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns of a data frame."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said where the rows are read
        return listed(_table(source, _frame(source)).schema)


def _table(source: Input, frame: dict[str, RObject]) -> pa.Table:
    import pyarrow as pa

    missing = layout_of(source).missing
    with _explained(source):
        columns = {name: _column(name, value, missing, source) for name, value in frame.items()}
        n_rows = max((len(column) for column in columns.values() if column is not None), default=0)
        return pa.table(
            {name: pa.nulls(n_rows) if column is None else column for name, column in columns.items()}
        )


def _frame(source: Input) -> dict[str, RObject]:
    """Return the columns of the data frame of a file, or of the one that an option names."""
    content = _unpacked(source)
    with told_of_extras(f"reading {source.name}"):
        from rdata import parser
    with _explained(source), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not _is_r(content[:64]):  # packed twice, or no values of R
            raise ValueError
        tree: Any = parser.parse_data(
            content, altrep_constructor_dict=_limited(parser.DEFAULT_ALTREP_MAP)
        ).object
        is_workspace = content.startswith((b"RD",))
        objects = _named(tree) if is_workspace else {"": tree}
        frames = {name: value for name, value in objects.items() if "data.frame" in _texts(value, "class")}
        return _columns_of(_chosen_frame(source, objects, frames))


def _limited(constructors: Mapping[bytes, Any]) -> dict[bytes, Any]:
    """Return how sequences such as 1:n, which a file keeps as their ends, are made, up to a number of bytes in all."""
    n_bytes = 0

    def limited(constructor: Any) -> Any:
        def made_if_small(state: Any) -> Any:
            nonlocal n_bytes
            n_bytes += 8 * int(state.value[0])
            if n_bytes > MAX_UNPACKED:
                raise ValueError
            return constructor(state)

        return made_if_small

    compact = {name: limited(constructor) for name, constructor in constructors.items() if b"seq" in name}
    return {**constructors, **compact}


def _chosen_frame(source: Input, objects: dict[str, RObject], frames: dict[str, RObject]) -> Any:
    wanted = layout_of(source).sheet
    if wanted is not None and "" not in objects:
        if wanted in frames:
            return frames[wanted]
        raise InputError(
            f"{source.name} has no data frame {wanted!r}. Data frames: {some([*frames])}"
            f"{nearest(wanted, frames) or '.'}"
        )
    if len(frames) == 1:
        return next(iter(frames.values()))
    if frames:
        raise InputError(
            f"{source.name} has {len(frames)} data frames: {some([*frames])}. Use {option('sheet')} to name one."
        )
    kinds = dict.fromkeys(_kind(value) for value in objects.values())
    raise FileError(
        f"{source.name} has no data frame, but {some([*kinds], last='and')}. Save a data frame with one row for each "
        "case in R, as in saveRDS(data.frame(y, p), 'rows.rds')."
    )


def _kind(value: RObject) -> str:
    """Return what an object of R is, by its class or its type."""
    if classes := _texts(value, "class"):
        return f"an object of class {classes[0]}"
    return "a matrix" if "dim" in _attributes(value) else _KINDS.get(value.info.type.name, "an object of R")


def _attributes(value: RObject) -> dict[str, RObject]:
    return _named(value.attributes) if value.attributes is not None else {}


def _named(pairs: RObject | None) -> dict[str, RObject]:
    """Return the values of a list of pairs by their names."""
    values: dict[str, RObject] = {}
    while pairs is not None and pairs.tag is not None:
        tag = pairs.tag if pairs.tag.referenced_object is None else pairs.tag.referenced_object
        value, rest = pairs.value
        values[_text(tag.value) or ""] = value
        pairs = rest if rest.value is not None else None
    return values


def _texts(value: RObject, attribute: str) -> list[str]:
    """Return the texts of an attribute of an object of R."""
    texts = _attributes(value).get(attribute)
    return [] if texts is None else [_text(text) or "" for text in texts.value]


def _text(char: RObject) -> str | None:
    """Return a text of R, None for NA; bytes of no known encoding as Latin-1."""
    if char.value is None:
        return None
    data: bytes = char.value
    try:
        return data.decode("latin-1" if char.info.gp & _LATIN_1 else "utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _columns_of(frame: RObject) -> dict[str, RObject]:
    """Return the columns of a data frame, and the names of its rows where these are words."""
    columns = dict(zip(_texts(frame, "names"), frame.value, strict=True))
    row_names = _attributes(frame).get("row.names")
    if row_names is None or row_names.info.type.name != "STR" or not columns:
        return columns
    return {"row.names": row_names, **columns}


def _column(name: str, value: RObject, missing: frozenset[str], source: Input) -> Any:
    """Return a column of a data frame in one type; a column of vectors has a list in each row."""
    import pyarrow as pa

    kind, classes = value.info.type.name, _texts(value, "class")
    if kind == "VEC" and "data.frame" not in classes:
        return pa.array([_plain(cell) for cell in value.value])
    if kind not in ("STR", *_NUMBERS) or "dim" in _attributes(value):
        text = f"{name} in {source.name} is read as missing, because it is {_kind(value)}."
        warnings.warn(text, stacklevel=2)
        return None
    if kind == "STR":
        return column_of(without(_plain(value), missing))
    column = _numbers(value, classes, name, source)
    if not missing or pa.types.is_temporal(column.type):
        return column
    changed = column_of(without(column.to_pylist(), missing))
    return changed.dictionary_encode() if "factor" in classes else changed


def _plain(value: RObject) -> Any:
    """Return a vector of R as a list, None for anything else."""
    kind = value.info.type.name
    if kind == "STR":
        return [_text(text) for text in value.value]
    return np.ma.asarray(value.value).tolist() if kind in _NUMBERS else None


def _numbers(value: RObject, classes: Sequence[str], name: str, source: Input) -> Any:
    """Return a vector of numbers as what its class says: labels, dates, times, whole numbers of 64 bits."""
    import pyarrow as pa

    values, mask = np.ma.getdata(value.value), np.ma.getmaskarray(value.value)
    if "integer64" in classes:
        values = values.view(np.int64)
        return pa.array(values, mask=values == np.iinfo(np.int64).min)
    if values.dtype.kind == "f":
        mask = mask | np.isnan(values)
    if "factor" in classes:
        codes = pa.array(np.where(mask, 0, values - 1).astype(np.int32), mask=mask)
        levels = pa.array(_texts(value, "levels"), pa.string())
        return pa.DictionaryArray.from_arrays(codes, levels, ordered="ordered" in classes)
    if "Date" in classes:
        return pa.array(np.where(mask, 0, np.floor(values)).astype(np.int32), pa.int32(), mask=mask).cast(
            pa.date32()
        )
    if "POSIXct" in classes:
        micros = np.where(mask, 0, np.round(np.asarray(values, float) * 1e6)).astype(np.int64)
        return pa.array(micros, mask=mask).cast(pa.timestamp("us", _zone(value, name, source)))
    return pa.array(values, mask=mask)


def _zone(value: RObject, name: str, source: Input) -> str:
    """Return the time zone of times; UTC where none is known, which is told."""
    zone = next(iter(_texts(value, "tzone")), "")
    with suppress(ZoneInfoNotFoundError, ValueError):
        if zone:
            return ZoneInfo(zone).key
    text = f"{name} in {source.name} has times without a known time zone, which are read as UTC."
    warnings.warn(text, stacklevel=2)
    return "UTC"


def _explained(source: Input) -> AbstractContextManager[None]:
    return explained(
        lambda _: (
            f"{source.name} cannot be read as R data, because it is damaged or has objects that rdata does not "
            "know. In R, save one plain data frame: saveRDS(as.data.frame(x), 'rows.rds')."
        )
    )


def _unpacker(head: bytes) -> Any:
    """Return what unpacks a file with this begin, None for one that is not compressed."""
    if head.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(zlib.MAX_WBITS | 16)
    if head.startswith(b"BZh"):
        return bz2.BZ2Decompressor()
    return lzma.LZMADecompressor() if head.startswith(b"\xfd7zXZ\0") else None


def _unpacked(source: Input) -> bytes:
    """Return the content. Refuses a file that unpacks to far more bytes than it has."""
    packed, n_bytes, parts = os.path.getsize(source.path), 0, []
    with open(source.path, "rb") as file, _explained(source):
        unpacker = _unpacker(source.head)
        while chunk := file.read(_CHUNK):
            for part in _parts(unpacker, chunk):
                n_bytes += len(part)
                refuse_bomb(source.name, packed, n_bytes)
                parts.append(part)
        if unpacker is not None and not unpacker.eof:
            raise EOFError
    return b"".join(parts)


def _parts(unpacker: Any, chunk: bytes) -> Iterator[bytes]:
    """Yield what a chunk unpacks to, in parts of limited size."""
    if unpacker is None:
        yield chunk
        return
    while not unpacker.eof:
        part = unpacker.decompress(chunk, _CHUNK)
        chunk = getattr(unpacker, "unconsumed_tail", b"")
        yield part
        if not part or (len(part) < _CHUNK and not chunk):
            return
