"""Lists of names and of pairs in one option, of which some hold commas."""

from __future__ import annotations

from classay.errors import InputError


def names_in(text: str | None, option: str) -> list[str]:
    """The names in a text, separated by commas; a name that holds a comma stands in double quotes.

    No text has no names. Raises InputError for a text without a name, and for quotes that do not pair.

    >>> names_in('a, b,"p(x, y)"', "--scores")
    ['a', 'b', 'p(x, y)']
    """
    if text is None:
        return []
    names = [name for name in ("".join(part).strip() for part in _parts(text, option)) if name]
    if not names:
        raise InputError(f"{option} is {text!r}, which names nothing: write names with commas between them.")
    return names


def pairs_in(text: str, option: str, example: str) -> list[tuple[str, str]]:
    """The pairs in a text such as `cat=p_cat,dog=p_dog`; what holds a comma or `=` stands in double quotes.

    Raises InputError, with the example, for anything else.

    >>> pairs_in('cat=p_cat,"a=b"="x,y"', "--class-scores", "cat=p_cat")
    [('cat', 'p_cat'), ('a=b', 'x,y')]
    """
    pairs = []
    for part in _parts(text, option):
        at = part.index("=") if "=" in part else 0
        name, value = "".join(part[:at]).strip(), "".join(part[at + 1 :]).strip()
        if not (name and value):
            raise InputError(f"{option} is {text!r}: write {example}.")
        pairs.append((name, value))
    return pairs


def _parts(text: str, option: str) -> list[list[str]]:
    """What stands between the commas: a list of characters bare, and of whole texts from between quotes."""
    parts: list[list[str]] = [[]]
    pieces = text.split('"')
    if len(pieces) % 2 == 0:
        raise InputError(
            f"{option} is {text!r}, with a double quote that no other closes: a name that holds a comma is written "
            "in two of them."
        )
    for k, piece in enumerate(pieces):
        if k % 2:
            parts[-1].append(piece)
            continue
        if not piece and 0 < k < len(pieces) - 1:
            parts[-1].append('"')  # two in a row, inside of two others, mean one of them
        for j, bare in enumerate(piece.split(",")):
            if j:
                parts.append([])
            parts[-1].extend(bare)
    return parts
