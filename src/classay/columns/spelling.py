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
    """Return the text without the marks that quote all of it, as programs write that quote a text twice."""
    inner = text.strip()
    while len(inner) > 2 and QUOTES.get(inner[0]) == inner[-1]:
        inner = inner[1:-1].strip()
        text = inner
    return text


_WRITTEN = {
    "Unicode form": _composed,
    "quotes": _without_quotes,
    "capitalization": str.casefold,
    "spaces": _without_blanks,
}
"""In what one label is written in several ways."""


class NearMiss(NamedTuple):
    """A label that differs from another only in its spelling, and in what: "capitalization"."""

    label: Hashable
    other: Hashable
    apart: str


def near_misses(labels: Iterable[Hashable], others: Iterable[Hashable]) -> list[NearMiss]:
    """Return which labels differ from one of the others only in quotes, capitalization, spaces or Unicode form.

    >>> for miss in near_misses(["OAK", "elm ", "ash"], ["Oak", "elm", "fir"]):
    ...     print(miss)
    NearMiss(label='OAK', other='Oak', apart='capitalization')
    NearMiss(label='elm ', other='elm', apart='spaces')
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
    """Return which labels differ from an earlier one only in their spelling.

    >>> alike(["F", "m", "f"])
    [NearMiss(label='f', other='F', apart='capitalization')]
    """
    return near_misses(labels, labels)


def _spelled(text: str) -> str:
    for same in _WRITTEN.values():
        text = same(text)
    return text


def _apart(one: str, other: str) -> str:
    alone = (what for what, same in _WRITTEN.items() if same(one) == same(other))
    return next(alone, "quotes, capitalization, spaces or Unicode form")


MOST_MISSES = 3
"""Labels written in another way up to which a sentence names all."""


def differing(misses: Sequence[NearMiss], of: Mapping[Hashable, str] | None = None) -> str:
    """Return how labels differ from others, as a clause; `of` says whose each of them is.

    >>> differing(near_misses(["OAK", "elm "], ["Oak", "elm"]), {"OAK": "new"})
    "'OAK' of new differ from 'Oak' only in capitalization and 'elm ' from 'elm' only in spaces"
    """
    whose = {label: f" of {name}" for label, name in (of or {}).items()}
    pairs = [
        f"{quote(miss.label)}{whose.get(miss.label, '')} {'' if k else 'differ ' if misses[1:] else 'differs '}from "
        f"{quote(miss.other)} only in {miss.apart}"
        for k, miss in enumerate(misses[:MOST_MISSES])
    ]
    more = len(misses) - MOST_MISSES
    others = f"{more} more label{'' if more == 1 else 's'} in the same way"
    return listed([*pairs, others] if more > 0 else pairs)


def written_otherwise(
    untrue: Iterable[Hashable], true: Iterable[Hashable], of: Mapping[Hashable, str] | None = None
) -> str:
    """That labels are predicted and never true, and differ from true ones only in spelling; empty where none does.

    >>> written_otherwise(["OAK"], ["Oak", "Elm"])[:83]
    "Predicted label 'OAK' differs from 'Oak' only in capitalization and is never a true"
    """
    misses = near_misses(untrue, true)
    if not misses:
        return ""
    labels, are, them = (
        ("label", "is never a true label", "both")
        if len(misses) == 1
        else ("labels", "are never true labels", "they")
    )
    return (
        f"Predicted {labels} {differing(misses, of)} and {are}. Its predictions count as incorrect. If {them} mean the "
        "same class, use one spelling."
    ).replace("Its", "Its" if len(misses) == 1 else "Their")


def groups_alike(groups: Sequence[Hashable]) -> str:
    """Return that groups differ only in spelling, as a sentence; empty where none do.

    >>> groups_alike(["F", "m", "f"])
    "Group 'f' differs from 'F' only in capitalization. Use one spelling if they are the same group."
    """
    misses = alike(groups)
    if not misses:
        return ""
    group = "Group" if len(misses) == 1 else "Groups"
    return f"{group} {differing(misses)}. Use one spelling if they are the same group."
