"""Files that are refused by their content: pickles, which run code when they are loaded, and arrays of Python."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from classay.errors import FileError
from classay.sources.inputs import Input
from classay.texts import hint

_LOOK = 512
"""Bytes of a file by which it is recognized."""
_ZIP, _NUMPY, _HDF = b"PK\x03\x04", b"\x93NUMPY", b"\x89HDF\r\n\x1a\n"
_NAME_IN_ZIP = slice(26, 28)
"""Where the head of a first member has the length of its name, which follows at byte 30."""
_PROTOCOLS = range(2, 6)
"""Those of pickles that begin with their number; older ones are text, and no file of rows."""


def is_pickle(head: bytes, _: str) -> bool:
    """Check for a pickle, also in an archive of PyTorch, an array of NumPy, or packed by joblib."""
    head = _unpacked(head)
    is_plain = len(head) > 2 and head[0] == 0x80 and head[1] in _PROTOCOLS
    is_of_objects = head.startswith(_NUMPY) and b"'descr': '|O'" in head
    return is_plain or is_of_objects or _first_name(head).endswith((b".pkl", b".pickle"))


def is_array(head: bytes, _: str) -> bool:
    """Check for arrays of NumPy or HDF5, which have no names of columns or need their library."""
    return head.startswith((_NUMPY, _HDF)) or _first_name(head).endswith(b".npy")


def _unpacked(head: bytes) -> bytes:
    """Return the first bytes of what gzip, zlib, bzip2 or LZMA packed; other bytes as they are."""
    opened = next((opened for marks, opened in _UNPACKERS.items() if head.startswith(marks)), None)
    with suppress(zlib.error, lzma.LZMAError, OSError, EOFError):
        if opened is not None:
            return bytes(opened().decompress(head, _LOOK))
    return head


_UNPACKERS: Mapping[tuple[bytes, ...], Any] = {
    (b"\x1f\x8b",): partial(zlib.decompressobj, 31),
    (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda"): zlib.decompressobj,
    (b"BZh",): bz2.BZ2Decompressor,
    (b"\xfd7zXZ\0", b"]\0\0"): lzma.LZMADecompressor,
}


def _first_name(head: bytes) -> bytes:
    """Return the name of the first member of a ZIP archive."""
    if not head.startswith(_ZIP):
        return b""
    length = int.from_bytes(head[_NAME_IN_ZIP], "little")
    return head[30 : 30 + length]


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> NoReturn:
    """Refuse the file, with the way out."""
    refuse(source)


def schema(source: Input) -> NoReturn:
    """Refuse the file, with the way out."""
    refuse(source)


def first_rows(source: Input, n_rows: int) -> NoReturn:
    """Refuse the file, with the way out."""
    refuse(source)


def refuse(source: Input) -> NoReturn:
    """Say what a file is and how its rows can be read. Raises FileError."""
    if source.format == "pickle":
        raise FileError(
            f"{source.name} contains a pickle, which may run code when it is loaded. If you trust it, load it with the "
            "program that wrote it, and write its columns to a Parquet or CSV file."
        )
    library, function = ("h5py", "scan") if _head(source).startswith(_HDF) else ("NumPy", "assess")
    remedy = hint(
        f"Open it with {library}, and pass its arrays to {function}",
        f"Open it with {library}, and write its columns to a Parquet or CSV file",
    )
    raise FileError(f"{source.name} is a file of arrays, which is not read as a table. {remedy}.")


def _head(source: Input) -> Any:
    with open(source.path, "rb") as file:
        return file.read(len(_HDF))
