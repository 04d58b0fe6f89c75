"""Labels that differ in writing alone, and the sentences that say so."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from classay.texts import listed, quote


def _composed(text: str) -> str:
    """The text in one form of Unicode, without characters that nobody sees, as the mark before the first column."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")


def _without_blanks(text: str) -> str:
    return " ".join(text.split())


QUOTES = {'"': '"', "'": "'", "`": "`", "\N{LEFT DOUBLE QUOTATION MARK}": "\N{RIGHT DOUBLE QUOTATION MARK}"}
QUOTES |= {"\N{LEFT SINGLE QUOTATION MARK}": "\N{RIGHT SINGLE QUOTATION MARK}"}
"""The quotation marks in which a label may be written, each with the one that closes it."""


def _without_quotes(text: str) -> str:
    """The text without the marks that quote all of it, as programs write that quote a text twice."""
    inner = text.strip()
    while len(inner) > 2 and QUOTES.get(inner[0]) == inner[-1]:
        inner = inner[1:-1].strip()
        text = inner
    return text


_WRITTEN = {
    "Unicode form": _composed,
    "quotes": _without_quotes,
    "capitals": str.casefold,
    "blanks": _without_blanks,
}
"""In what one label is written in several ways."""


class NearMiss(NamedTuple):
    """A label that differs from another one in writing alone, and in what: "capitals alone"."""

    label: Hashable
    other: Hashable
    apart: str


def near_misses(labels: Iterable[Hashable], others: Iterable[Hashable]) -> list[NearMiss]:
    """Which labels differ from one of the others in quotes, capitals, blanks or Unicode form alone.

    >>> for miss in near_misses(["OAK", "elm ", "ash"], ["Oak", "elm", "fir"]):
    ...     print(miss)
    NearMiss(label='OAK', other='Oak', apart='capitals alone')
    NearMiss(label='elm ', other='elm', apart='blanks alone')
    """
    candidates = list(labels)
    if not candidates:
        return []
    known: dict[str, Hashable] = {}
    for reference in others:
        known.setdefault(_spelled(str(reference)), reference)
    matches = ((label, known.get(_spelled(str(label)))) for label in candidates)
    return [
        NearMiss(label, other, _apart(str(label), str(other)))
        for label, other in matches
        if other is not None and str(other) != str(label)
    ]


def alike(labels: Sequence[Hashable]) -> list[NearMiss]:
    """Which labels differ from an earlier one in writing alone.

    >>> alike(["F", "m", "f"])
    [NearMiss(label='f', other='F', apart='capitals alone')]
    """
    return near_misses(labels, labels)


def _spelled(text: str) -> str:
    for same in _WRITTEN.values():
        text = same(text)
    return text


def _apart(one: str, other: str) -> str:
    alone = (what for what, same in _WRITTEN.items() if same(one) == same(other))
    return f"{next(alone, 'quotes, capitals, blanks or Unicode form')} alone"


MOST_MISSES = 3
"""Labels written in another way up to which a sentence names all."""


def differing(misses: Sequence[NearMiss], of: Mapping[Hashable, str] | None = None) -> str:
    """How labels differ from others, as a clause; `of` says whose each of them is.

    >>> differing(near_misses(["OAK", "elm "], ["Oak", "elm"]), {"OAK": "new"})
    "'OAK' of new differs from 'Oak' in capitals alone and 'elm ' from 'elm' in blanks alone"
    """
    whose = {label: f" of {name}" for label, name in (of or {}).items()}
    pairs = [
        f"{quote(miss.label)}{whose.get(miss.label, '')} {'' if k else 'differs '}from {quote(miss.other)} "
        f"in {miss.apart}"
        for k, miss in enumerate(misses[:MOST_MISSES])
    ]
    more = len(misses) - MOST_MISSES
    return listed([*pairs, f"{more} more in such a way"] if more > 0 else pairs)


def written_otherwise(
    untrue: Iterable[Hashable], true: Iterable[Hashable], of: Mapping[Hashable, str] | None = None
) -> str:
    """That labels are predicted and never true, and differ from true ones in writing alone; empty where none does.

    >>> written_otherwise(["OAK"], ["Oak", "Elm"])[:75]
    "'OAK' differs from 'Oak' in capitals alone: it is predicted and never true,"
    """
    misses = near_misses(untrue, true)
    if not misses:
        return ""
    one = len(misses) == 1
    they = (
        "it is predicted and never true, and counts"
        if one
        else "they are predicted and never true, and count"
    )
    return f"{differing(misses, of)}: {they} as wrong; write {'both' if one else 'them'} alike if they are one class."


def groups_alike(groups: Sequence[Hashable]) -> str:
    """That groups differ in writing alone, as a sentence; empty where none do.

    >>> groups_alike(["F", "m", "f"])
    "Group 'f' differs from 'F' in capitals alone: write both alike if they are one group."
    """
    misses = alike(groups)
    if not misses:
        return ""
    group, them = ("Group", "both") if len(misses) == 1 else ("Groups", "them")
    return f"{group} {differing(misses)}: write {them} alike if they are one group."
