"""The first and the last rows of a text, with the bytes at which they begin."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import sub

from classay.errors import ClassayError
from classay.sources.inputs import Input, explained, is_address
from classay.wings import way

SIZE = 1 << 16
"""Bytes from the begin and from the end of a file by which its layout is recognized."""
LEAST_TAIL, ROWS_OF_TAIL = 1 << 14, 10
"""Bytes from the end of a file by which its totals are recognized, and as many as of so many of the longest rows."""
MOST_STREAMED = 1 << 23
"""Bytes of a compressed file, or one in UTF-16, up to which it is read to its end for its last rows."""


@dataclass(frozen=True)
class Sample:
    """Rows as their fields, blank lines as none, each with its first byte and line; and whether they are all."""

    rows: list[list[str]]
    starts: list[int]
    lines: list[int]
    is_whole: bool = False


def first_rows(source: Input, delimiter: str | None = None) -> Sample:
    """Return the first rows of an input; a torn last line is left out."""
    with explained(source), source.open() as stream:
        content = bytes(stream.read(SIZE))
        is_whole = len(content) < SIZE or not stream.read(1)
    if not is_whole:
        content = content[: content.rfind(b"\n") + 1]
    return _parsed(content, source.begin, delimiter or source.delimiter, is_whole=is_whole)


def size_of(source: Input) -> int:
    """Return the number of bytes of a file, also at an address, or of what was read already."""
    if source.data is not None:
        return len(source.data)
    if not is_address(source.path):
        return os.path.getsize(source.path)
    with way("read.address")(source.path) as stream:
        return int(stream.size())


def last_rows(source: Input, first: Sample) -> Sample:
    """Return the last rows of an input; none of a large one that is compressed, which would be read whole."""
    if first.is_whole:
        return first
    is_plain = source.compression is None and source.transcoded is None
    size = size_of(source)
    if not is_plain and size > MOST_STREAMED:
        return Sample([], [], [])
    begin = source.begin
    longest = max(map(sub, first.starts[1:], first.starts), default=SIZE)
    wanted = max(LEAST_TAIL, ROWS_OF_TAIL * longest)
    with explained(source), replace(source, begin=0).open() as stream:
        if is_plain:
            begin = max(begin, size - wanted)
            stream.seek(begin)
            content = bytes(stream.read())
        else:
            content, at = b"", 0
            while block := bytes(stream.read(1 << 20)):
                content, at = (content + block)[-wanted:], at + len(block)
            begin = at - len(content)
    cut = content.find(b"\n") + 1
    return _parsed(content[cut:], begin + cut, source.delimiter, is_whole=False)


def _parsed(content: bytes, begin: int, delimiter: str, *, is_whole: bool) -> Sample:
    lines = content.splitlines(keepends=True)
    offsets = [*accumulate(map(len, lines), initial=begin)]
    texts = [*io.StringIO(content.decode("utf-8", "surrogateescape"), newline="")]
    if texts and begin == 0:
        texts[0] = texts[0].removeprefix("\ufeff")
    reader = csv.reader(texts, delimiter=delimiter)
    with suppress(csv.Error):
        if len(rows := [*reader]) == len(texts):  # no field has a line break
            return Sample(rows, offsets[: len(rows)], [*range(1, len(rows) + 1)], is_whole)
    reader = csv.reader(texts, delimiter=delimiter)
    rows, starts, numbers, last = [], [], [], 0
    try:
        for row in reader:
            rows.append(row)
            starts.append(offsets[last])
            numbers.append(last + 1)
            last = reader.line_num
    except csv.Error:
        return Sample([], [], [])
    return Sample(rows, starts, numbers, is_whole)


def format_of_text(path: str) -> str | None:
    """Return the format of a .txt file with tabs in every line, such as the Unicode text of Excel."""
    if not path.lower().endswith(".txt") or not os.path.isfile(path) or not os.access(path, os.R_OK):
        return None
    with open(path, "rb") as file:
        source = Input(path, path, None, file.read(8), "tsv", "\t")
    if not source.head:
        return None
    try:
        rows = first_rows(source).rows
    except (ClassayError, OSError, ValueError):  # whatever it is, it is no text with tabs
        return None
    widths = {len(row) for row in rows if row}
    return "tsv" if widths and min(widths) > 1 else None


def columns_of(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the cells of each column, without blanks around them."""
    return [[*map(str.strip, column)] for column in zip(*rows, strict=False)]
