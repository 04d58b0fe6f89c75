"""Which names mean one file: links of both kinds, other spellings, copies; and what is a stream, not a file."""

from __future__ import annotations

import filecmp
import os
import re
import stat
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import zipfile

Path = str | os.PathLike[str]


def is_stream(path: Path) -> bool:
    """Whether a path is one of a device, a pipe or a socket, which is written and not replaced, and read only once.

    What stands there decides, whatever it is called: a file under /dev/shm is a file. What is not there is none, and
    "-" is standard input.

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


def is_written_in_place(path: Path) -> bool:
    """Whether what is written to a path goes into what is open there: a stream, or a descriptor such as /dev/stdout.

    A descriptor may lead to a file that somebody else has open too: to replace that file would lose what they write.
    """
    return is_stream(path) or any(_DESCRIPTOR.fullmatch(each) for each in _chain(path))


_DESCRIPTOR = re.compile(r"/dev/(std(in|out|err)|fd/\d+)|/proc/[^/]+/(task/\d+/)?fd/\d+")


def _chain(path: Path) -> list[str]:
    """The path, and where each link of its name leads to in turn."""
    here = os.path.abspath(path)
    seen: list[str] = []
    while here not in seen and len(seen) < 40:
        seen.append(here)
        if not os.path.islink(here):
            break
        here = os.path.normpath(os.path.join(os.path.dirname(here), os.readlink(here)))
    return seen


def identity(path: Path) -> object:
    """What all names of one file have in common, links of both kinds included."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return os.path.realpath(path)
    return (found.st_dev, found.st_ino)


FEW = 20
"""Distinct scores, or clustered rows, up to which different cases may have the same counts by chance."""


def same_files(paths: Iterable[Path]) -> Iterator[tuple[str, str, bool]]:
    """Pairs of these paths that are one file or hold the same bytes, and whether they are of the same rows.

    The inode tells, and so do the bytes of files that hold rows. A saved assessment of counts alone may be that of
    other cases, which happen to have the same counts. Streams are not read.

    >>> [*same_files(["no.csv", "such.csv", "no.csv"])]
    [('no.csv', 'no.csv', True)]
    """
    for one, other in combinations([os.path.expanduser(os.fspath(path)) for path in paths], 2):
        if identity(one) == identity(other):
            yield one, other, True
        elif _is_copy(one, other):
            yield one, other, _holds_rows(one)


def _holds_rows(path: str) -> bool:
    """Whether a file tells rows apart: any but saved counts without ids, of few scores and few clustered rows."""
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
    """How many entries an array of an archive has: its header tells."""
    import numpy as np

    with archive.open(name) as stream:
        np.lib.format.read_magic(stream)
        return int(np.lib.format.read_array_header_1_0(stream)[0][0])


def _is_copy(one: str, other: str) -> bool:
    try:
        if not (os.path.isfile(one) and os.path.isfile(other)):
            return False
        return os.path.getsize(one) == os.path.getsize(other) and filecmp.cmp(one, other, shallow=False)
    except OSError:  # whoever reads it says so
        return False
