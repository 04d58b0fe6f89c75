"""Options as they are given, each once, used or refused; and their help."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import typer
from typer.core import TyperCommand

from classay.cli.registries import filled
from classay.errors import InputError

_GIVEN = "classay.given"


class OptionsOnce(TyperCommand):
    """A command that refuses an option given twice, of which only the last would count, and knows those given.

    Its help holds the words of registries (`registries.WORDS`).
    """

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

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with the words that registries know in their places."""
        for each in self.params:
            said = getattr(each, "help", None)
            if said is not None:
                each.help = filled(said)  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)


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
