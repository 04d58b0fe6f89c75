"""Options as they are written: each given once, used or refused; lists of names, of which some hold commas."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import typer
from typer.core import TyperCommand

from classay.errors import InputError

_GIVEN = "classay.given"


class OptionsOnce(TyperCommand):
    """A command that refuses an option given twice, of which only the last would count, and knows those given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, after looking which options are there."""
        if args and not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            options = [each for each in order if each.param_type_name == "option"]
            for each in options:
                if not each.multiple and options.count(each) > 1:
                    name = each.opts[0]
                    more = "; a list of names goes in one: a,b" if "," in (each.metavar or "") else ""
                    ctx.fail(f"{name} is given twice, and only the last would count: give it once{more}")
            ctx.meta[_GIVEN] = {each.name: each.opts[0] for each in options}
        return super().parse_args(ctx, args)


def given(context: typer.Context) -> dict[str, str]:
    """The options on the command line, by the names of their parameters, as `{"all_measures": "--all"}`."""
    found: dict[str, str] = context.meta.get(_GIVEN, {})
    return found


def refuse_others(context: typer.Context, used: Collection[str], why: str) -> None:
    """Refuse the first option given that a way of calling a command does not use.

    Raises InputError that names it and says `why`.
    """
    for name, option in given(context).items():
        if name not in used:
            raise InputError(f"{option} has no meaning {why}: leave it out.")


def names_in(text: str | None, option: str) -> list[str]:
    """The names in a text, separated by commas; a name that holds a comma stands in double quotes.

    Raises InputError for quotes that do not pair.

    >>> names_in('a, b,"p(x, y)"', "--scores")
    ['a', 'b', 'p(x, y)']
    """
    if text is None:
        return []
    return [name for name in ("".join(part).strip() for part in _parts(text, option)) if name]


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
