"""Text that is not UTF-8: compressed UTF-16, and Windows-1252 (Latin-1) where nothing else is likely."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import replace

from classay.sources.inputs import Input, explained

_LOOKED_AT = 1 << 20
"""Bytes of a text by which its encoding is recognized."""
_LETTERS = "".join(map(chr, range(0xC0, 0x100))).replace("×", "").replace("÷", "")
_SIGNS = "\u00a0§°±²³µ«»£©®½¼¾¡¿€…’–—•™×"
_WORD = rf"[A-Za-z{_LETTERS}]"
_INSIDE = re.compile(rf"{_WORD}[{_SIGNS.replace('’', '').replace('–', '')}]+{_WORD}")
"""Signs within words: letters of Central Europe, or of DOS and the Macintosh."""
_FOREIGN = re.compile(rf"[{_LETTERS}]{{3}}")
"""Runs of letters beyond ASCII: words in Cyrillic or Greek."""
CODEC = "cp1252"


def with_encoding(source: Input) -> tuple[Input, str]:
    """Return a text with its encoding, and what is said of it; one that is not UTF-8 and may be anything as it is."""
    if source.transcoded is not None:
        return source, ""
    with explained(source), source.open() as stream:
        content = bytes(stream.read(_LOOKED_AT))
    if source.compression is not None and content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return replace(source, encoding="utf-16"), ""
    if source.format not in ("csv", "tsv"):
        return source, ""
    cut = len(content) if len(content) < _LOOKED_AT else content.rfind(b"\n") + 1
    try:
        content[:cut].decode()
    except UnicodeDecodeError:
        if (word := western_word(content[:cut])) is not None:
            text = f"{source.name} is not UTF-8, and is read as text of Windows-1252 (Latin-1), such as {word!r}."
            return replace(source, encoding=CODEC), text
    return source, ""


def western_word(content: bytes) -> str | None:
    """Return a word with a letter beyond ASCII of a text in Windows-1252; None for what may be another encoding.

    >>> western_word("mäßig".encode("cp1252")), western_word("тяжёлый".encode("cp1251"))
    ('mäßig', None)
    >>> western_word("mały".encode("cp1250")), western_word("mäßig".encode("mac-roman"))
    (None, None)
    """
    try:
        text = content.decode(CODEC)
    except UnicodeDecodeError:
        return None
    others = {letter for letter in text if letter > "\x7f"}
    if not others or not others <= {*_LETTERS, *_SIGNS} or _INSIDE.search(text) or _FOREIGN.search(text):
        return None
    match = re.search(rf"[A-Za-z]*[{_LETTERS}{_SIGNS}][A-Za-z{_LETTERS}]*", text)
    return match[0] if match else None
