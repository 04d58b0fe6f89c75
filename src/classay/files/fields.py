"""Fields: a JSON object of a saved file, whose fields are taken one by one, each of the kind it must be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, TypeVar

Read = TypeVar("Read")


class Damaged(ValueError):
    """What a saved file holds cannot be: the text says what is wrong with it."""


def hold(condition: Any, text: str) -> None:
    """Raise Damaged with the text unless the condition holds."""
    if not condition:
        raise Damaged(text)


class Fields:
    """The fields of a JSON object. Each is taken once; `done` refuses what nobody took.

    >>> fields = Fields({"rows": 3, "level": 1.5}, "assessment")
    >>> fields.whole("rows")
    3
    >>> fields.number("level", 0, 1)
    Traceback (most recent call last):
    ...
    classay.files.fields.Damaged: level of assessment is 1.5, not a number from 0 to 1
    """

    def __init__(self, plain: Any, where: str) -> None:
        hold(isinstance(plain, dict), f"{where} is no object")
        self._left = dict(plain)
        self.where = where

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str) -> Any:
        """The field, whatever it is."""
        hold(name in self._left, f"{name} of {self.where} is missing")
        return self._left.pop(name)

    def _checked(self, name: str, is_right: Callable[[Any], bool], wanted: str) -> Any:
        value = self.take(name)
        hold(is_right(value), f"{name} of {self.where} is {shown(value)}, not {wanted}")
        return value

    def whole(self, name: str, least: int = 0, most: float = 2**63 - 1) -> int:
        """A whole number."""
        found: int = self._checked(
            name, lambda value: type(value) is int and least <= value <= most, f"a whole number from {least}"
        )
        return found

    def number(self, name: str, low: float = -inf, high: float = inf) -> float:
        """A number between two, both included."""
        found: float = self._checked(
            name,
            lambda value: type(value) in (int, float) and low <= value <= high,
            f"a number from {low:g} to {high:g}",
        )
        return found

    def measured(self, name: str) -> float:
        """A number, or NaN where there is none."""
        found: float = self._checked(name, lambda value: type(value) in (int, float), "a number, or NaN")
        return found

    def object(self, name: str) -> dict[str, Any]:
        """An object, whatever is in it."""
        found: dict[str, Any] = self._checked(name, lambda value: type(value) is dict, "an object")
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields that nobody took yet."""
        return tuple(self._left)

    def flag(self, name: str) -> bool:
        """True or false."""
        found: bool = self._checked(name, lambda value: type(value) is bool, "true or false")
        return found

    def text(self, name: str) -> str:
        """A text."""
        found: str = self._checked(name, lambda value: type(value) is str, "a text")
        return found

    def choice(self, name: str, known: Sequence[Any]) -> Any:
        """One of a few values."""
        return self._checked(name, lambda value: value in known, f"one of {', '.join(map(str, known))}")

    def list(self, name: str, of: Callable[[Any], Read]) -> tuple[Read, ...]:
        """A list, each part of which is read in the same way."""
        return tuple(map(of, self._checked(name, lambda value: type(value) is list, "a list")))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        found = self.list(name, lambda each: each)
        hold(all(type(each) is str for each in found), f"{name} of {self.where} holds what is no text")
        return found

    def maybe(self, name: str, read: Callable[[str], Read]) -> Read | None:
        """What `read` takes, or None where the field is null."""
        hold(name in self._left, f"{name} of {self.where} is missing")
        if self._left[name] is None:
            return self._left.pop(name)  # type: ignore[no-any-return]
        return read(name)

    def inner(self, name: str) -> Fields:
        """The fields of an object in this one."""
        return Fields(self.take(name), f"{name} of {self.where}")

    def done(self) -> None:
        """Refuse the fields that nobody took."""
        hold(not self._left, f"{self.where} has the unknown field {shown(next(iter(self._left), ''))}")


def distinct(values: Iterable[Any], what: str) -> None:
    """Refuse values of which two are equal, or that cannot be compared so."""
    each = tuple(values)
    try:
        hold(len({*each}) == len(each), f"{what} holds a value twice")
    except TypeError:
        raise Damaged(f"{what} holds what is no label") from None


def shown(value: Any) -> str:
    """A value as an error shows it: on one line, and short."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:59] + "…"
