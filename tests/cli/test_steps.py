"""Steps that take long have a bar on a terminal, and out of memory is exit 71 at every command."""

import os
import pty
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
import typer

import classay as ca
from classay.cli import app
from classay.report import step_bar
from classay.steps import heard_by

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 60)
SCORES = [np.clip(RNG.normal(0.4 + 0.2 * TRUTH, 0.2), 0, 1) for _ in range(3)]


def test_groups_models_and_classes_tell_each_step_once():
    counts: dict[str, list[int]] = {}

    @contextmanager
    def count(what, number):
        done = [0, number]
        counts[what] = done

        def advance():
            done[0] += 1

        yield advance

    by = np.arange(60) % 5
    with heard_by(count):
        str(ca.assess_by(TRUTH, SCORES[0], by=by))
        len(ca.compare({f"m{i}": each for i, each in enumerate(SCORES)}, TRUTH))
        _ = ca.assess(by, y_pred=np.roll(by, 7)).confusion_tree()
    assert counts["groups"] == [5, 5]
    assert counts["measures"][0] == counts["measures"][1] > 1
    assert counts["joins of classes"] == [4, 4]


def calls(run) -> int:
    """How many functions of Python and C a call runs."""
    seen = [0]

    def count(*_):
        seen[0] += 1

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return seen[0]


def of_groups(number: int):
    by = np.arange(4 * number) % number
    y = (np.arange(4 * number) // number % 2).astype(int)
    return lambda: ca.assess_by(y, RNG.random(4 * number), by=by).compare("roc_auc", "accuracy")


def of_models(number: int):
    models = {f"m{i}": RNG.random(60) for i in range(number)}
    return lambda: ca.compare(models, TRUTH, control="m0", measures=["roc_auc", "accuracy"])


def of_classes(number: int):
    truth = np.arange(3 * number) % number
    a = ca.assess(truth, y_pred=RNG.permutation(truth))
    return a.confusion_tree


@pytest.mark.parametrize(("run", "size"), [(of_groups, 20), (of_models, 8), (of_classes, 40)])
def test_work_of_groups_of_models_with_one_and_of_classes_grows_with_their_number(run, size):
    run(size)()
    assert calls(run(2 * size)) < 2.5 * calls(run(size))


def test_too_many_classes_are_refused_before_anything_of_their_square(monkeypatch):
    monkeypatch.setattr("classay.assessment.class_views.MOST_JOINED", 3)
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
