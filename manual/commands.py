"""Reference of the command, from its own help: each command, its options by panel."""

import re
from collections.abc import Iterator
from inspect import signature
from typing import Annotated, Literal, get_args, get_origin

from manual.markdown import code, page, prose, table


def commands() -> str:
    """Every command with its arguments and options."""
    import typer

    from classay.cli import app
    from classay.cli.failures import EXITS

    group = typer.main.get_command(app)
    found = list(_commands(group, "classay"))
    rows = [[f"[`{name}`](#{_anchor(name)})", prose(_help(each))] for name, each in found]
    parts = [_section(name, each) for name, each in found]
    exits = table(["exit code", "meaning"], [[str(code), meaning] for code, meaning in EXITS.items()])
    intro = "`classay COMMAND --help` prints the same in a terminal."
    return page("Commands", intro, table(["command", "what it does"], rows), "## Exit codes", exits, *parts)


def _commands(group, name: str) -> Iterator[tuple[str, object]]:
    for each, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{name} {each}")
        else:
            yield f"{name} {each}", command


def _section(name: str, command) -> str:
    parts = [f"## {name}", prose(_help(command))]
    if command.epilog:
        parts.append(f"```sh\n{command.epilog.removeprefix('Example: ')}\n```")
    panels: dict[str, list[list[str]]] = {}
    for each in command.params:
        if each.name == "help" or getattr(each, "hidden", False):
            continue
        if each.param_type_name == "argument":
            panels.setdefault("Arguments", []).append(
                [code(each.metavar or (each.name or "").upper()), prose(_told(each))]
            )
        else:
            title = getattr(each, "rich_help_panel", None) or "Options"
            written = ", ".join([*each.opts, *each.secondary_opts])
            taken = "" if each.is_flag else f" {each.metavar or _kind(command, each.name)}"
            panels.setdefault(title, []).append([code(written + taken), prose(_told(each))])
    for title, rows in panels.items():
        parts.append(f"**{title}**\n\n" + table(["", ""], rows))
    return "\n\n".join(parts)


def _help(command) -> str:
    return " ".join((command.help or "").split("\f")[0].split())


def _told(parameter) -> str:
    from classay.cli.given import filled

    said = " ".join(filled(parameter.help or "").split())
    default = parameter.default
    if parameter.param_type_name == "option" and not parameter.is_flag and default not in (None, (), [], ""):
        said = f"{said} Default: `{default}`."
    return f"{said} Required." if parameter.required and parameter.param_type_name == "option" else said


def _kind(command, name: str) -> str:
    """What an option without a metavar takes: its words, or the name of its type."""
    kind = signature(command.callback, eval_str=True).parameters[name].annotation
    kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    kinds = (
        [each for each in get_args(kind) if each is not type(None)]
        if get_origin(kind) is not Literal
        else [kind]
    )
    kind = kinds[0] if kinds else kind
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    return getattr(kind, "__name__", str(kind)).upper()


def _anchor(name: str) -> str:
    return re.sub(r"\s+", "-", name)
