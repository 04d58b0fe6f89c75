"""How values are written: which text is a number, and which texts of a file are numbers."""

import re
from collections.abc import Sequence
from math import isfinite
from typing import Any

_NUMBER = re.compile(
    r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
)
_WHOLE = re.compile(r"[+-]?[0-9]+")
MOST_DIGITS = 4000
"""Digits beyond which Python does not read a whole number."""


def number_in(text: str) -> int | float | None:
    """The number that a text is, or None: ASCII digits with a sign, a decimal point and an exponent, or inf, or nan.

    Blanks around it are allowed. Separators of thousands, decimal commas, hexadecimal digits and other scripts'
    digits make no number.

    >>> number_in("10"), number_in(" -1.5e3 "), number_in("1_000"), number_in("0x0A"), number_in("1,5")
    (10, -1500.0, None, None, None)
    """
    stripped = text.strip()
    if _NUMBER.fullmatch(stripped) is None:
        return None
    if _WHOLE.fullmatch(stripped) and len(stripped) <= MOST_DIGITS:
        return int(stripped)
    return float(stripped)


def typed(texts: Sequence[str]) -> Sequence[Any]:
    """The distinct texts of a column of labels, typed all alike, so that no two of them become one label.

    They are numbers where each is written as Python prints its number (1, -3, 2.5, 1.0; blanks around it do not
    count) and no two are equal; truth values where they are True and False in one spelling (also true, TRUE); and stay
    text, the very same list, otherwise.

    >>> typed(["1", "2"]), typed(["1.1", "1.10"]), typed(["10", "1E1"]), typed(["01", "2"]), typed(["true", "false"])
    ([1, 2], ['1.1', '1.10'], ['10', '1E1'], ['01', '2'], [True, False])
    """
    for spelling in (str, str.lower, str.upper):
        if texts and {*texts} <= {spelling("True"), spelling("False")}:
            return [text == spelling("True") for text in texts]
    numbers = [number_in(text) for text in texts]
    for number, text in zip(numbers, texts, strict=True):
        if number is None or str(number) != text.strip() or not _fits(number):
            return texts
    if any(isinstance(number, float) for number in numbers) and any(
        abs(number) > 2**53 for number in numbers if number
    ):
        return texts  # as floats, whole numbers this large would be rounded
    return numbers if len({*numbers}) == len(numbers) else texts


def _fits(number: float) -> bool:
    """Whether a number is finite, and as a float too: labels of 400 digits stay text."""
    try:
        return isfinite(number)
    except OverflowError:
        return False
