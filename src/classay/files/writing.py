"""The one writer: what may be replaced, how it is replaced, how a stream is written, and which names mean one file.

- A file is replaced in one step, when all of it is on the disk; what was there before stays until then.
- A link is followed: the file it leads to is replaced, and the link stays.
- A device, a pipe, a socket or an open descriptor (/dev/stdout) is written in place, not replaced.
- Refused are a folder, a file that is read-only, and a database, which a store of runs is: hours of work are in it.
"""

from __future__ import annotations

import filecmp
import hashlib
import os
import re
import stat
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from classay.errors import ClassayError, FileError

if TYPE_CHECKING:
    import zipfile

AnyPath = str | os.PathLike[str]


def is_stream(path: AnyPath) -> bool:
    """Whether a path is one of a device, a pipe or a socket, which is written and not replaced, and read only once.

    The kind of file decides, not its name: a file under /dev/shm is a file. A path that does not exist is no stream,
    and "-" is standard input.

    >>> is_stream("/dev/null"), is_stream("-"), is_stream("/dev"), is_stream("no such file")
    (True, True, False, False)
    """
    if path == "-":
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_written_in_place(path: AnyPath) -> bool:
    """Check whether a path is written in place: a stream, or an open descriptor such as /dev/stdout.

    Another process may have the file of a descriptor open too: replacing that file would lose what it writes.
    """
    return is_stream(path) or any(_DESCRIPTOR.fullmatch(link) for link in _chain(path))


SAVED = ".classay"
"""The ending of saved results, by which every command knows them."""


def saved_path(path: AnyPath) -> Path:
    """Return where `save` writes: a name without any ending gets that of saved results; decimals are none.

    >>> print(saved_path("jan"), saved_path("jan.zip"), saved_path("model_0.95"), saved_path("/dev/stdout"))
    jan.classay jan.zip model_0.95.classay /dev/stdout
    """
    return Path(path) if Path(path).suffix[1:2].isalpha() else with_ending(path)


def with_ending(path: AnyPath) -> Path:
    """Return a path that has the ending of saved results, by which commands know them; streams keep their names.

    >>> print(with_ending("jan"), with_ending("jan.zip"))
    jan.classay jan.zip.classay
    """
    text = os.fspath(path)
    if text in ("", "-") or text.endswith(SAVED) or is_written_in_place(path):
        return Path(text)
    return Path(text + SAVED)


_DESCRIPTOR = re.compile(r"/dev/(std(in|out|err)|fd/\d+)|/proc/[^/]+/(task/\d+/)?fd/\d+")


def _chain(path: AnyPath) -> list[str]:
    """Return the path, and where each link of its name leads to in turn."""
    here = os.path.abspath(path)
    seen: list[str] = []
    while here not in seen and len(seen) < 40:
        seen.append(here)
        if not os.path.islink(here):
            break
        here = os.path.normpath(os.path.join(os.path.dirname(here), os.readlink(here)))
    return seen


def identity(path: AnyPath) -> object:
    """Return a key that all names of one file share, links of both kinds included."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return os.path.realpath(path)
    return (status.st_dev, status.st_ino)


FEW = 20
"""Distinct scores, or clustered rows, up to which different cases may have the same counts by chance."""


def same_files(paths: Iterable[AnyPath]) -> Iterator[tuple[str, str, bool]]:
    """Pairs of these paths that are one file or hold the same bytes, and whether they surely hold the same rows.

    Each path comes once, with the first path that it repeats. The inode proves it, and so do equal bytes of files that
    hold rows. A saved assessment of counts alone may belong to other cases that happen to have the same counts. Streams
    are not read, and files only as far as it takes to tell them apart, so that thousands of parts are compared quickly.

    >>> [*same_files(["no.csv", "such.csv", "no.csv"])]
    [('no.csv', 'no.csv', True)]
    """
    named = [os.path.expanduser(os.fspath(path)) for path in paths]
    nodes = [identity(path) for path in named]
    lengths = {node: _length_of(path) for path, node in zip(named, nodes, strict=True)}
    often = Counter(lengths.values())
    met: dict[object, str] = {}
    alike: defaultdict[object, list[str]] = defaultdict(list)
    for path, node in zip(named, nodes, strict=True):
        if node in met:
            yield met[node], path, True
            continue
        met[node] = path
        size = lengths[node]
        if size is None or often[size] == 1:
            continue
        before = alike[size, _beginning(path)]
        copied = next((file for file in before if _is_copy(file, path)), None)
        if copied is None:
            before.append(path)
        else:
            yield copied, path, _holds_rows(path)


def _length_of(path: str) -> int | None:
    """Return the bytes of a file; None of what is none."""
    return os.path.getsize(path) if os.path.isfile(path) else None


def _beginning(path: str) -> bytes:
    """Return a digest of the first bytes of a file."""
    try:
        with open(path, "rb") as file:
            return hashlib.blake2b(file.read(2**16)).digest()
    except OSError:  # whoever reads it says so
        return b""


def _holds_rows(path: str) -> bool:
    """Check whether a file tells rows apart: any but saved counts without ids, of few scores and few clustered rows."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            members = {*archive.namelist()}
            if "assessment.json" not in members:
                return True
            if "blocks.fingerprint.npy" in members and "coded.cluster.npy" not in members:
                return True  # of ids: clusters have marks too, and may have rows in both files
            many = [name for name in members if _OF_ROWS.fullmatch(name)]
            return any(_length(archive, name) > FEW for name in many)
    except Exception:  # noqa: BLE001 - a damaged directory makes zipfile raise nearly anything
        return True


_OF_ROWS = re.compile(r"\w+\.(scores|keys|cluster)\.npy")


def _length(archive: zipfile.ZipFile, name: str) -> int:
    """Return how many entries an array of an archive has: its header tells."""
    import numpy as np

    with archive.open(name) as stream:
        np.lib.format.read_magic(stream)
        return int(np.lib.format.read_array_header_1_0(stream)[0][0])


def _is_copy(one: str, other: str) -> bool:
    try:
        return filecmp.cmp(one, other, shallow=False)
    except OSError:  # whoever reads it says so
        return False


_DATABASE = b"SQLite format 3\0"


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file as UTF-8, replacing it in one step. Raises FileError."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))  # a lone surrogate has no UTF-8


def write_content(path: AnyPath, content: str | Mapping[str, bytes]) -> None:
    """Write a text, or files beside each other by what follows the name of the first; a stream gets the first."""
    if isinstance(content, str):
        return write_text(path, content)
    for file, data in zip(written_paths(path, content), content.values(), strict=False):
        write_bytes(file, data)
    return None


def written_paths(path: AnyPath, content: str | Mapping[str, bytes]) -> list[str]:
    """Return the files that `write_content` writes, the named one first.

    >>> written_paths("t.docx", {"": b"", "-figure-1.svg": b""})
    ['t.docx', 't-figure-1.svg']
    """
    stem = os.path.splitext(os.fspath(path))[0]
    beside = [] if isinstance(content, str) or is_written_in_place(path) else [*content][1:]
    return [os.fspath(path), *(f"{stem}{behind}" for behind in beside)]


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
        raise FileError(f"Cannot write {os.fspath(path)!r}: {error}.") from error


def _refuse(path: str | os.PathLike[str]) -> None:
    if is_written_in_place(path):
        return
    file = Path(os.path.realpath(path))
    if file.is_dir():
        raise FileError(f"Cannot write {path} because it is a folder. Name a file.")
    if not file.parent.is_dir():
        folder = file.parent if os.path.islink(path) else Path(path).parent
        raise FileError(f"Cannot write {path} because the folder {folder} does not exist.")
    if not os.access(file.parent, os.W_OK):
        raise FileError(
            f"Cannot write {path}. There is no permission to write in the folder {Path(path).parent}."
        )
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return
    # the mode as well as the permission, for an administrator may write whatever is read-only
    if not mode & 0o222 or not os.access(file, os.W_OK):
        raise FileError(
            f"Cannot write {path} because the file is read-only. Name another file, or change its permissions."
        )
    if _starts_with(file, _DATABASE):
        raise FileError(
            f"Cannot write {path} because it is a database, such as a store of runs, and would be overwritten. "
            "Name another file."
        )


def clash(outputs: Iterable[str | os.PathLike[str]], inputs: Iterable[str | os.PathLike[str]]) -> str | None:
    """Return the input that an output would replace, "" where two outputs are one file, None where neither happens."""
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
    advice = " Close the file if another program has it open." if isinstance(error, PermissionError) else ""
    return FileError(f"Cannot write {os.fspath(path)}: {error.strerror or error}.{advice}")
