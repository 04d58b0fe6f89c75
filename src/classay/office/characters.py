"""Texts as files of office programs take them."""

from __future__ import annotations

import re

from classay.texts import clean

_NO_CHARACTERS = re.compile("[\ufffe\uffff\U0001fffe\U0001ffff]")
"""What is no character, and stands in no XML."""


def for_xml(text: str) -> str:
    """Return a text on one line, without what XML cannot have.

    >>> for_xml("Use `--all`\\x1b now\\uffff")
    'Use `--all`\\\\x1b now'
    """
    text = clean(text)
    return text if text.isascii() else _NO_CHARACTERS.sub("", text)


def unmarked(text: str) -> str:
    """Return the text of a paragraph, without the backticks of code.

    >>> unmarked("Use `--all` now")
    'Use --all now'
    """
    return for_xml(text).replace("`", "")
