"""JSON read in pieces, so that a log of any size takes the memory of one answer."""

from __future__ import annotations

import codecs
import json
from collections.abc import Collection, Iterable, Iterator
from typing import IO, Any

CHUNK = 1 << 20
LONGEST = 1 << 28
"""Characters of one value; a longer one is damage."""
_DECODER = json.JSONDecoder()
_BLANKS = " \t\r\n"


class CutJson(ValueError):
    """JSON that ends in the middle of a value, or is none."""


class _Text:
    """A JSON text of which no more is held than the value that is being read."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self.chunks = iter(chunks)
        self.decode = codecs.getincrementaldecoder("utf-8-sig")()
        self.text, self.at, self.is_over = "", 0, False

    def more(self) -> bool:
        """Read on by at least as much as is held, so that a long value is tried few times."""
        parts, size = [self.text[self.at :]], 0
        while size < max(CHUNK, len(parts[0])) and not self.is_over:
            chunk = next(self.chunks, b"")
            self.is_over = not chunk
            parts.append(self.decode.decode(chunk, self.is_over))
            size += len(parts[-1])
        self.text, self.at = "".join(parts), 0
        if len(self.text) > LONGEST:
            raise CutJson("a value is longer than a log can have")
        return size > 0

    def next(self) -> str:
        """Return the next character that is not blank, without taking it; nothing at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _BLANKS:
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def take(self, characters: str) -> str:
        """Take the next character, which must be one of these."""
        character = self.next()
        if not character or character not in characters:
            raise CutJson("the text ends too early" if not character else "the text is no JSON")
        self.at += 1
        return character

    def value(self) -> Any:
        """Take the next value."""
        self.next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except (json.JSONDecodeError, RecursionError) as error:
                if isinstance(error, RecursionError) or not self.more():
                    raise CutJson("the text ends too early, or is no JSON") from None
                continue
            if end == len(self.text) and self.more():  # a number may go on
                continue
            self.at = end
            return value


def items(chunks: Iterable[bytes]) -> Iterator[Any]:
    """Yield the items of a JSON array.

    >>> [*items([b'[1, {"a": ', b'2}]'])]
    [1, {'a': 2}]
    """
    yield from _items(_Text(chunks))


def members(chunks: Iterable[bytes], streamed: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield the members of a JSON object by their path; of the arrays that are `streamed`, each item alone.

    >>> [*members([b'{"a": 1, "b": {"c": [2, 3]}}'], {"b.c"})]
    [('a', 1), ('b.c', 2), ('b.c', 3)]
    """
    yield from _members(_Text(chunks), streamed, "")


def _items(text: _Text) -> Iterator[Any]:
    if text.next() == "[" and text.is_over:  # a short text is read at once, which is faster
        yield from text.value()
        return
    text.take("[")
    if text.next() == "]":
        text.take("]")
        return
    while True:
        yield text.value()
        if text.take(",]") == "]":
            return


def _members(text: _Text, streamed: Collection[str], before: str) -> Iterator[tuple[str, Any]]:
    text.take("{")
    if text.next() == "}":
        text.take("}")
        return
    while True:
        if text.next() != '"':
            raise CutJson("the text is no JSON")
        path = f"{before}{text.value()}"
        text.take(":")
        if path in streamed and text.next() == "[":
            for item in _items(text):
                yield path, item
        elif text.next() == "{" and any(wanted.startswith(f"{path}.") for wanted in streamed):
            yield from _members(text, streamed, f"{path}.")
        else:
            yield path, text.value()
        if text.take(",}") == "}":
            return


def chunks_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of a stream in pieces."""
    while chunk := stream.read(CHUNK):
        yield chunk
