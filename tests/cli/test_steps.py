"""Steps that take long have a bar on a terminal, and out of memory is exit 71 at every command."""

import os
import pty
import subprocess
import sys

import numpy as np
import pytest
import typer

import classay as ca
from classay.cli import app
from classay.report import step_bar

RNG = np.random.default_rng(0)


def of_classes(number: int):
    truth = np.arange(3 * number) % number
    a = ca.assess(truth, y_pred=RNG.permutation(truth))
    return a.confusion_tree


def test_too_many_classes_are_refused_before_anything_of_their_square(monkeypatch):
    monkeypatch.setattr("classay.assessment.confusion_tree.MOST_JOINED", 3)
    tree = of_classes(4)
    monkeypatch.setattr("numpy.zeros", None)
    with pytest.raises(ca.InputError, match="at most 3"):
        tree()


def test_a_bar_is_drawn_on_a_terminal_alone():
    code = (
        "from classay.report import step_bar; step_bar.SHOWN_AFTER = 0.0\n"
        "with step_bar.bar_of_steps('groups', 2) as advance: advance(); advance()"
    )
    ours, theirs = pty.openpty()
    done = subprocess.run([sys.executable, "-c", code], stderr=theirs, stdout=subprocess.PIPE, check=True)
    os.close(theirs)
    assert b"groups" in os.read(ours, 100_000)
    os.close(ours)
    assert done.stdout == b""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_bar_takes_the_place_of_the_spinner(monkeypatch):
    said = []

    class Line:
        task_ids = (0,)

        def __init__(self, name):
            self.name = name

        def __getattr__(self, what):
            return lambda *_, **__: said.append(f"{self.name} {what}")

    monkeypatch.setattr(step_bar, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(step_bar, "_bar", lambda what, number: Line("bar"))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    before = step_bar.SPINNER.set(Line("spinner"))
    try:
        with step_bar.bar_of_steps("groups", 2) as advance:
            advance()
    finally:
        step_bar.SPINNER.reset(before)
    assert said == ["spinner stop", "bar update", "bar stop", "spinner start"]


def commands(at=None, path=()):
    at = typer.main.get_command(app) if at is None else at
    for name, each in getattr(at, "commands", {}).items():
        yield from commands(each, (*path, name))
    if not hasattr(at, "commands"):
        yield pytest.param(at, id=" ".join(path))


@pytest.mark.parametrize("command", [*commands()])
def test_out_of_memory_is_71_at_every_command(monkeypatch, capsys, command):
    def full(*_, **__):
        raise MemoryError

    function = command.callback
    while not function.__code__.co_filename.endswith("failures.py"):
        function = function.__wrapped__  # what no `guarded` wraps has none left
    monkeypatch.setattr("classay.cli.failures.told_of_extras", full)
    with pytest.raises(typer.Exit) as raised:
        function()
    assert raised.value.exit_code == 71
    assert capsys.readouterr().err.startswith("classay: There is not enough memory")
