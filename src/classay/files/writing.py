"""The one writer: what may be replaced, how it is replaced, and how a stream is written.

- A file is replaced in one step, when all of it is on the disk; what was there before stays until then.
- A link is followed: the file it leads to is replaced, and the link stays.
- A device, a pipe, a socket or an open descriptor (/dev/stdout) is written in place, not replaced.
- Refused are a folder, a file that is read-only, and a database, which a store of runs is: hours of work are in it.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from classay.errors import ClassayError, FileError
from classay.files.identity import identity, is_written_in_place

_DATABASE = b"SQLite format 3\0"


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file as UTF-8, replacing it in one step. Raises FileError."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))  # a lone surrogate has no UTF-8


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, replacing it in one step. Raises FileError, and then what was there before is still there."""
    refuse_unwritable(path)
    try:
        if is_written_in_place(path):
            with open(path, "wb") as stream:
                stream.write(content)
        else:
            _replace(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise _failed(path, error) from error


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Refuse what must not be written, or cannot be. Raises FileError."""
    try:
        _refuse(path)
    except OSError as error:
        raise _failed(path, error) from error
    except ClassayError:
        raise
    except ValueError as error:  # a NUL in the path
        raise FileError(f"cannot write {os.fspath(path)!r}: {error}.") from error


def _refuse(path: str | os.PathLike[str]) -> None:
    if is_written_in_place(path):
        return
    file = Path(os.path.realpath(path))
    if file.is_dir():
        raise FileError(f"cannot write {path}: it is a folder; name a file.")
    if not file.parent.is_dir():
        folder = file.parent if os.path.islink(path) else Path(path).parent
        raise FileError(f"cannot write {path}: there is no folder {folder}.")
    if not os.access(file.parent, os.W_OK):
        raise FileError(f"cannot write {path}: no permission to write in the folder {Path(path).parent}.")
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return
    # the mode as well as the permission, for an administrator may write whatever is read-only
    if not mode & 0o222 or not os.access(file, os.W_OK):
        raise FileError(
            f"cannot write {path}: the file is read-only; name another, or change its permissions."
        )
    if _starts_with(file, _DATABASE):
        raise FileError(
            f"cannot write {path}: it is a database, as a store of runs is, and all in it would be lost; "
            "name another file."
        )


def clash(outputs: Iterable[str | os.PathLike[str]], inputs: Iterable[str | os.PathLike[str]]) -> str | None:
    """The input that an output would replace, "" where two outputs are one file, None where neither is so."""
    files = [identity(path) for path in outputs if not is_written_in_place(path)]
    for source in inputs:
        if identity(os.path.expanduser(source)) in files:
            return os.fspath(source)
    return "" if len({*files}) < len(files) else None


def _starts_with(file: Path, head: bytes) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(head)) == head
    except OSError:
        return False


def _replace(file: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".classay-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())  # else a power cut could leave the new name on nothing
        os.chmod(temporary, stat.S_IMODE(file.stat().st_mode) if file.exists() else 0o666 & ~_umask())
        os.replace(temporary, file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _failed(path: str | os.PathLike[str], error: OSError) -> FileError:
    return FileError(f"cannot write {os.fspath(path)}: {error.strerror or error}.")
