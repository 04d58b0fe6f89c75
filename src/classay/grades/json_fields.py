"""Objects of JSON by the kinds of their fields: what is absent or of another kind is empty."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

from classay.errors import FileError

_MOST = 1 << 53
_TOGETHER = 1 << 16
"""Characters of lines that are read together: of more, Python collects garbage that is none."""


class Fields:
    """An object of JSON; anything else has no fields.

    >>> fields = Fields({"id": 3, "eval": {"task": "sums"}, "scores": [1, {"a": 2}]})
    >>> fields.whole("id"), fields.fields("eval").text("task"), fields.text("nothing")
    (3, 'sums', '')
    """

    __slots__ = ("content",)

    def __init__(self, content: object) -> None:
        self.content: dict[str, Any] = content if isinstance(content, dict) else {}

    def __contains__(self, name: str) -> bool:
        return name in self.content

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Yield the names and values."""
        return iter(self.content.items())

    def get(self, name: str) -> Any:
        """Return the value of a field, None without it."""
        return self.content.get(name)

    def fields(self, name: str) -> Fields:
        """Return the object of a field."""
        return Fields(self.content.get(name))

    def several(self, name: str) -> list[Any]:
        """Return the array of a field."""
        values = self.content.get(name)
        return values if isinstance(values, list) else []

    def objects(self, name: str) -> list[Fields]:
        """Return the objects in the array of a field."""
        return [Fields(value) for value in self.several(name)]

    def text(self, name: str) -> str:
        """Return a field as text."""
        value = self.content.get(name)
        if type(value) is str and value.isascii():
            return value
        return "" if value is None else as_text(value)

    def whole(self, name: str, otherwise: int = 0) -> int:
        """Return the whole number of a field."""
        value = self.content.get(name)
        return value if isinstance(value, int) and abs(value) < _MOST else otherwise

    def number(self, name: str) -> float | None:
        """Return the number of a field, None without it."""
        value = self.content.get(name)
        return float(value) if isinstance(value, int | float) else None


def as_text(value: Any) -> str:
    """Return a value as a text that can be encoded; anything but a text as JSON.

    >>> as_text("a"), as_text(3), as_text({"b": 1})
    ('a', '3', '{"b": 1}')
    """
    if type(value) is int:
        return str(value)
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def json_lines(path: str) -> Iterator[Fields]:
    """Yield the objects of a file of JSON lines. Raises FileError for a line that is none."""
    for rows in object_lines(path):
        yield from map(Fields, rows)


def object_lines(path: str) -> Iterator[Iterable[dict[str, Any]]]:
    """Yield the objects of a file of JSON lines, many at a time. Raises FileError for a line that is none."""
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        number = 0
        while lines := file.readlines(_TOGETHER):
            yield _objects(lines) or _one_by_one(lines, number, path)
            number += len(lines)


def _objects(lines: list[str]) -> list[dict[str, Any]]:
    """Return the objects of lines that are read together, which is faster; nothing where some line is none."""
    texts = [line for line in map(str.strip, lines) if line]
    if not (all(map(str.startswith, texts, repeat("{"))) and all(map(str.endswith, texts, repeat("}")))):
        return []
    try:
        rows = json.loads(f"[{','.join(texts)}]")
    except (ValueError, RecursionError):
        return []
    return rows if len(rows) == len(texts) and {*map(type, rows)} <= {dict} else []


def _one_by_one(lines: list[str], before: int, path: str) -> Iterator[dict[str, Any]]:
    """Yield the object of each line, up to one that is none."""
    for number, line in enumerate(lines, before + 1):
        if line.isspace():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise FileError(
                f"Line {number:,} of {Path(path).name} is not a JSON object. The file may have been cut. Write it "
                "again."
            )
        yield row
