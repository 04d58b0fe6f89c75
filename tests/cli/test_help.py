"""The help prints what was written: no text of an option, an argument or a command is taken for markup."""

import re
import subprocess
import sys

import pytest
import typer.main

from classay.cli import app, help_of
from classay.cli.given import filled
from classay.wings import brought
from command import call


def commands(group=None, path=()):
    group = typer.main.get_command(app) if group is None else group
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_help_holds_every_text_whole(path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    command = COMMANDS[path]
    shown = squeezed(call(*path, "--help").stdout)
    written = [command.help, command.epilog, *(getattr(each, "help", None) for each in command.params)]
    for text in filter(None, written):
        assert squeezed(filled(text)) in shown


def test_every_option_has_a_text():
    options = ((path, each) for path, command in COMMANDS.items() for each in command.params)
    assert [
        (path, each.name) for path, each in options if not (getattr(each, "help", None) or "").strip()
    ] == []


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_example_of_a_command_calls_it(path):
    example = filled(COMMANDS[path].epilog or "")
    assert not example.startswith("Example") or f"classay {' '.join(path)} " in f"{example} "


def test_help_lists_the_commands_that_are_not_made_with_their_own_help():
    """The code of a module that is not imported has the texts that its command has."""
    made = typer.main.get_command(app).commands
    assert {name: each.help for name, each in made.items()} == {
        name: help_of(name) for name in brought("commands")
    }


def squeezed(text):
    """The text without what only sets it: frames, line breaks, and the mark of what is taken as it is."""
    return re.sub(r"[\s│╭╮╰╯─]+", "", text.replace("\f", " ").replace("\\[", "["))


def test_help_without_docstrings():
    """`python -OO` removes them."""
    done = subprocess.run(
        [sys.executable, "-OO", "-m", "classay", "--help"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert " assess " in done.stdout
