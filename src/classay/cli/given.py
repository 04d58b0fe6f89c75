"""Options as they are given, each once, used or refused; and their help."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from classay.cli.registries import filled
from classay.errors import ClassayError, InputError
from classay.sources.settings import Known, as_names, settings_for

_GIVEN, _SETTINGS = "classay.given", "classay.settings"


_TAG = re.compile(r"(?<!\\)\[(?=[a-zA-Z#/@])")


def literal(text: str) -> str:
    r"""A text of which Typer's help takes nothing for markup, as it would the name of a table in brackets.

    >>> literal("[tool.classay], and scores in [0, 1]") == literal(literal("[tool.classay], and scores in [0, 1]"))
    True
    >>> print(literal("[tool.classay], and scores in [0, 1]"))
    \[tool.classay], and scores in [0, 1]
    """
    return _TAG.sub(r"\\[", text)


class OptionsOnce(TyperCommand):
    """A command that refuses an option given two values, of which only the last would count, and knows those given.

    Its help holds the words of registries (`registries.WORDS`).
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, after looking which options are there."""
        if args and not ctx.resilient_parsing:
            values, _, order = self.make_parser(ctx).parse_args(args=list(args))
            options = [each for each in order if each.param_type_name == "option"]
            for each in options:
                if not each.multiple and len(_values(each, args)) > 1:
                    name = each.opts[0]
                    more = "; a list of names goes in one: a,b" if "," in (each.metavar or "") else ""
                    ctx.fail(f"{name} is given twice, and only the last would count: give it once{more}")
            ctx.meta[_GIVEN] = {each.name: each.opts[0] for each in options}
            if not values.get("help"):
                self.prepare(ctx, values)
        return super().parse_args(ctx, args)

    def prepare(self, ctx: Any, values: dict[str, Any]) -> None:
        """What is to be done once the options are known to stand there once; `values` are their texts."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with the words that registries know in their places, and no markup but Typer's own."""
        written: list[Any] = [self, *self.params]
        for each in written:
            said = getattr(each, "help", None)
            if said is not None:
                each.help = literal(filled(said))
        if self.epilog is not None:
            self.epilog = literal(self.epilog)
        super().format_help(ctx, formatter)


def _values(option: Any, args: list[str]) -> set[str]:
    """The different values that an option is given; a flag has one, however often it stands there."""
    if option.is_flag:
        return {""}
    found = set()
    for place, each in enumerate(args):
        name, _, value = each.partition("=")
        if each in option.opts:
            found.add(" ".join(args[place + 1 : place + 2]))
        elif name in option.opts:
            found.add(value)
    return found


class WithSettings(OptionsOnce):
    """A command whose options may stand in a file of settings too; those of the command line go before."""

    def prepare(self, ctx: Any, values: dict[str, Any]) -> None:
        """Put the settings of the nearest file in the place of defaults."""
        ctx.default_map = self._defaults(ctx, values.get("config"))

    def _defaults(self, ctx: Any, named: str | None) -> dict[str, Any]:
        options = [each for each in self.params if each.param_type_name == "option"]
        known = {
            written.lstrip("-").replace("-", "_"): each
            for each in options
            for written in each.opts
            if each.name not in OF_ONE_CALL
        }
        try:
            lists = {name for name, each in known.items() if _takes_list(each)}
            found = settings_for(str(self.name), Known(known, lists, OF_ONE_CALL), Path.cwd(), named)
        except ClassayError as error:
            ctx.fail(error.at_the_command.rstrip("."))
        if found is None:
            return {}
        ctx.meta[_SETTINGS] = str(found)
        return {known[name].name: _as_given(known[name], value) for name, value in found.values.items()}


def _takes_list(option: Any) -> bool:
    """Whether an option is given several times, or holds several names with commas between."""
    return bool(option.multiple) or "," in (option.metavar or "")


def _as_given(option: Any, value: Any) -> Any:
    """A setting as the option would have it on the command line: a list of names as one text."""
    if option.multiple:
        return value if isinstance(value, list) else [value]
    return as_names(value) if isinstance(value, list) else value


OF_ONE_CALL = frozenset({"help", "config", "json", "html", "latex", "markdown"})
"""Options that say what one call does, and stand in no file of settings."""


def settings_used(context: typer.Context) -> str | None:
    """The file of settings that was read, and what it settles, in one line; None where there was none."""
    found: str | None = context.meta.get(_SETTINGS)
    return found


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
