"""Text of any length in parts of whole rows: files, compressed ones, and streams that can be read once."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.compiled import kernel
from classay.errors import FileError, InputError, NoRowsError
from classay.files.identity import is_stream
from classay.sources.delimited import read_csv
from classay.sources.inputs import (
    FIRST_BYTES,
    TEXT,
    Format,
    Input,
    explained,
    find_input,
    named_input,
    refuse_binary,
    standard_input,
)
from classay.sources.json_lines import read_jsonl, read_jsonl_part
from classay.sources.spelling import Spelling

if TYPE_CHECKING:
    import pyarrow as pa

BYTES = 1 << 24
"""Bytes of a part to aim for."""
LONGEST_ROW = 1 << 28
"""Bytes after which a row is taken for one whose quote is not closed."""


@dataclass(frozen=True)
class TextPart:
    """Some whole rows of text: those from byte `start` on, `size` bytes, or `content` where they cannot be read again.

    `head` is the first row of the file, which names the columns; `before` are the rows between it and these; `rows` is
    None where it is not known, as for a whole file and for JSON. `source` says how the text is written.
    """

    source: Input
    key: str
    head: bytes = b""
    before: int = 0
    rows: int | None = None
    start: int = 0
    size: int = -1
    content: bytes | None = None

    def spelling(self, _: str) -> Spelling | None:
        """How labels are written."""
        return "json" if self.source.format == "jsonl" else "text"

    def read(self, columns: Sequence[str], labels: Sequence[str]) -> pa.Table:
        """The named columns, with labels as they are written."""
        source = self._found()
        with explained(source):
            if source.format != "jsonl":
                table = read_csv(source, columns or None, labels)
            else:
                table = self._of_json(source, columns or None, labels)
        return table.replace_schema_metadata(None)

    def _of_json(self, source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
        """A field that no row of a part has is missing in all of them, if it is one of the file."""
        if self.before:
            return read_jsonl_part(source, columns, labels)
        try:
            return read_jsonl(source, columns, labels)
        except InputError:
            if columns is None or not self._comes_later(columns):
                raise
            return read_jsonl_part(source, columns, labels)

    def _comes_later(self, names: Sequence[str]) -> bool:
        """Whether this is the first part of a file that can be read again, and each name is written in it."""
        if self.size < 0 or is_stream(self.source.path):
            return False
        sought = [
            {json.dumps(name, ensure_ascii=plain).encode() for plain in (True, False)} for name in names
        ]
        longest = max(len(form) for forms in sought for form in forms)
        last = b""
        with self.source.open() as stream:
            while sought and (block := stream.read(BYTES)):
                text = last + bytes(block)
                sought = [forms for forms in sought if not any(form in text for form in forms)]
                last = text[-longest:]
        return not sought

    def _found(self) -> Input:
        """The bytes of these rows, below the names of the columns."""
        if self.content is None and self.size < 0:
            return self.source
        content = self.content
        if content is None:
            with explained(self.source), open(self.source.path, "rb") as file:
                file.seek(self.start)
                content = file.read(self.size)
        data = self.head + content
        return Input(
            self.source.name, "", data, data[:8], self.source.format, self.source.delimiter, self.before
        )


def is_text(path: str, format: Format | None) -> bool:
    """Whether a file, or standard input, is text by its format or its name."""
    return named_input(path, format, None).format in TEXT


def text_parts(path: str, format: Format | None, delimiter: str | None) -> Iterator[TextPart]:
    """The parts of a file of text, or of standard input; one alone where the file is short.

    Raises FileError as `read_table` does, with the same numbers of rows.
    """
    if is_stream(path):
        source, stream = stream_of(named_input(path, format, delimiter))
        can_seek = False
    else:
        source = find_input(path, format, delimiter)
        size = os.stat(path).st_size
        can_seek = source.compression is None
        if can_seek and size <= BYTES:
            yield TextPart(source, path)
            return
        stream = source.open()
    with explained(source), stream:
        yield from _parts(source, stream, can_seek=can_seek)


def stream_of(source: Input) -> tuple[Input, Any]:
    """What can be read once: the input with its first bytes, and its stream."""
    import pyarrow as pa

    with explained(source):
        stream = standard_input() if source.path == "-" else open(source.path, "rb")  # noqa: SIM115
        stream = stream if hasattr(stream, "peek") else io.BufferedReader(stream)
        head = bytes(stream.peek(8)[:8])
    if not head:
        raise NoRowsError(f"{source.name} is empty (0 bytes): pass a file with a header and rows.")
    found = Input(source.name, source.path, b"", head, source.format, source.delimiter)
    plain = pa.PythonFile(stream, mode="r")
    return found, plain if found.compression is None else pa.CompressedInputStream(plain, found.compression)


def _parts(source: Input, stream: Any, *, can_seek: bool) -> Iterator[TextPart]:
    head, before, start = b"", 0, 0
    is_json = source.format == "jsonl"
    for content, rows in _whole_rows(source, stream):
        counted = rows
        refuse_binary(source, content[: max(0, FIRST_BYTES - start)])
        if start == 0:
            first = b"" if is_json else _first_row(content, source.delimiter)
            counted -= bool(first)
        named = f"{'lines' if is_json else 'rows'} {before + 1:,}–{before + counted:,}"
        yield TextPart(
            source,
            f"{source.name}, {named}",
            head,
            before,
            None if is_json else counted,
            start,
            len(content),
            None if can_seek else content,
        )
        head = first
        before += counted
        start += len(content)


def _whole_rows(source: Input, stream: Any) -> Iterator[tuple[bytes, int]]:
    """The text, cut where rows end, with the number of rows in each piece (of lines, in JSON)."""
    ends = _line_ends if source.format == "jsonl" else _row_ends_of(source.delimiter)
    held, is_first = b"", True
    while block := stream.read(BYTES):
        held += block
        cut, rows = ends(held)
        # the first piece must hold a row beside the names of columns, and none may be blank
        if rows > is_first and not held[:cut].isspace():
            yield held[:cut], rows
            held, is_first = held[cut:], False
        elif len(held) > LONGEST_ROW:
            raise FileError(
                f"a row of {source.name} is longer than {LONGEST_ROW >> 20} MB: close the quote that opens in it."
            )
    if is_first or held.strip():
        cut, rows = ends(held)
        yield held, rows + bool(held[cut:].strip(b"\r\n"))


def _line_ends(text: bytes) -> tuple[int, int]:
    cut = text.rfind(b"\n") + 1
    return cut, text.count(b"\n", 0, cut)


def _row_ends_of(delimiter: str) -> Any:
    def ends(text: bytes) -> tuple[int, int]:
        is_plain = b'"' not in text and b"\r" not in text and b"\n\n" not in text and text[:1] != b"\n"
        if is_plain:
            return _line_ends(text)
        return _at(row_ends(np.frombuffer(text, np.uint8), ord(delimiter)))

    return ends


def _at(found: tuple[Any, Any]) -> tuple[int, int]:
    return int(found[0]), int(found[1])


def _first_row(text: bytes, delimiter: str) -> bytes:
    """The first row that is not blank, with what stands before it."""
    at = 0
    while True:
        at = (
            min((found for end in (b"\n", b"\r") if (found := text.find(end, at)) >= 0), default=len(text))
            + 1
        )
        cut, rows = _row_ends(np.frombuffer(text[:at], np.uint8), ord(delimiter))
        if rows or at > len(text):
            return text[:cut]


def _row_ends(text: Any, delimiter: int) -> tuple[int, int]:
    opened = rb"(?:\A|(?<=[\r\n" + re.escape(bytes([delimiter])) + rb']))"(?:[^"]++|"")*+(?:"|\Z)'
    quoted = re.compile(opened)
    plain = quoted.sub(lambda field: b"q" * len(field[0]), text.tobytes())
    cut = max(plain.rfind(b"\n"), plain.rfind(b"\r")) + 1
    return cut, len(re.findall(rb"[^\r\n]+", plain[:cut]))


AT_START, IN_ROW, AT_FIELD, IN_QUOTES = 0, 1, 2, 3


@kernel(twin=_row_ends, assumes="text begins with a row")
def row_ends(text, delimiter):  # type: ignore[no-untyped-def]
    """Where the last whole row of delimited text ends, and how many rows that are not blank end up to there.

    A quote opens a field only where one begins; in quotes, ends of lines are text and a doubled quote is one.
    """
    quote, feed, back = 34, 10, 13
    state, cut, rows, i = AT_START, 0, 0, 0
    while i < text.shape[0]:
        byte = text[i]
        if state == IN_QUOTES:
            if byte == quote:
                if i + 1 < text.shape[0] and text[i + 1] == quote:
                    i += 1
                else:
                    state = IN_ROW
        elif byte in (feed, back):
            rows += state != AT_START
            state, cut = AT_START, i + 1
        elif byte == delimiter:
            state = AT_FIELD
        elif byte == quote and state != IN_ROW:
            state = IN_QUOTES
        else:
            state = IN_ROW
        i += 1
    return cut, rows
