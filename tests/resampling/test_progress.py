"""Progress: a line now and then where it is piped, bars on a terminal, and no word too many."""

import io
import os
import pty
import subprocess
import sys
import time

import pytest
from rich.console import Console
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.resampling import results_of_progress as module
from classay.resampling.results_of_progress import Progress
from command import SOURCE


def test_a_piped_run_says_a_line_now_and_then(capsys, monkeypatch, tmp_path):
    data = load_breast_cancer(return_X_y=True)
    ca.evaluate(GaussianNB(), *data, protocol="3fold", store=tmp_path / "runs.db")
    clock = iter(range(0, 10_000, 20))
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with Progress() as progress:
        ca.evaluate(
            {"GaussianNB": GaussianNB(), "tree": DecisionTreeClassifier()},
            *data,
            protocol="3fold",
            store=tmp_path / "runs.db",
            progress=progress,
        )
    out, err = capsys.readouterr()
    assert out == ""
    first, *lines = err.splitlines()
    assert first == "6 fits"
    assert lines[-1].startswith("6 of 6 fits (3 done before), 0 s left; tree ROC AUC 0.")
    assert all(" fits" in line and " left" in line for line in lines)


LIVE = """
import time
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
import classay as ca
from classay.resampling import results_of_progress as progress
progress.LOOK = 0
with progress.Progress() as shown:
    def slowly(step):
        shown(step)
        time.sleep(0.12)
    ca.evaluate({"bayes": GaussianNB(), "[red]tree": DecisionTreeClassifier()}, *load_breast_cancer(return_X_y=True),
                protocol="3fold", progress=slowly)
print("result")
"""


def on_terminal(code):
    """What the code writes to a terminal, and to standard output."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=os.environ | {"PYTHONPATH": SOURCE, "TERM": "xterm", "COLUMNS": "100"},
    ) as run:
        os.close(theirs)
        shown = b""
        try:
            while more := os.read(ours, 10_000):
                shown += more
        except OSError:  # the other side is closed
            pass
        os.close(ours)
        return shown.decode(), run.stdout.read().decode()


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals to open")
def test_a_terminal_shows_bars_and_is_left_clean():
    shown, out = on_terminal(LIVE)
    assert out == "result\n"
    assert "bayes" in shown
    assert "[red]tree" in shown
    assert "ROC AUC 0.9" in shown
    assert "4/6" in shown
    assert "all fits" in shown
    assert shown.rstrip().endswith("\x1b[2K")  # the bars are wiped away


def test_an_interrupted_run_stops_its_bars(capsys):
    def interrupted():
        with Progress() as progress:

            def stop(step):
                progress(step)
                raise KeyboardInterrupt

            ca.evaluate(GaussianNB(), *load_breast_cancer(return_X_y=True), protocol="3fold", progress=stop)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert capsys.readouterr().err == "3 fits\n"


WIDGETS = """
shown = []

class Output:
    def __init__(self):
        self.lines, self.cleared, self.closed = [], 0, False
        shown.append(self)

    def __enter__(self):
        current.append(self)

    def __exit__(self, *_):
        current.pop()

    def clear_output(self, wait):
        self.lines, self.cleared = [], self.cleared + 1

    def close(self):
        self.closed = True

current = []
"""
DISPLAY = """
import ipywidgets

loose = []

def display(what):
    (ipywidgets.current[-1].lines if ipywidgets.current else loose).append(what)
"""


@pytest.fixture
def notebook(monkeypatch, tmp_path):
    """A folder for modules that stand for those of a notebook, in which output goes to a console of its kind."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(module, "_console", lambda: Console(force_jupyter=True))
    yield tmp_path
    for name in ("ipywidgets", "IPython", "IPython.display"):
        sys.modules.pop(name, None)


def evaluated():
    """Six fits, each followed by a look at the screen."""
    with Progress() as progress:

        def slowly(step):
            progress(step)
            time.sleep(0.12)

        models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
        ca.evaluate(models, *load_breast_cancer(return_X_y=True), protocol="3fold", progress=slowly)


def test_a_notebook_shows_one_area_that_is_written_anew(notebook, monkeypatch, capsys):
    (notebook / "ipywidgets.py").write_text(WIDGETS)
    (notebook / "IPython").mkdir()
    (notebook / "IPython" / "__init__.py").touch()
    (notebook / "IPython" / "display.py").write_text(DISPLAY)
    monkeypatch.setattr(module, "LOOK", 0)
    evaluated()
    import ipywidgets
    from IPython.display import loose

    (area,) = ipywidgets.shown
    assert area.cleared >= 2
    (last,) = area.lines
    for part in ("bayes", "tree", "all fits", "/6", "ROC AUC 0.9"):
        assert part in last.text
    assert len(last.text.splitlines()) == 3
    assert area.closed
    assert loose[0] is area
    assert not "".join(each.text for each in loose[1:]).strip()
    assert capsys.readouterr() == ("", "")


def test_a_notebook_without_widgets_shows_lines(notebook, capsys):
    evaluated()
    assert capsys.readouterr() == ("", "6 fits\n")


def test_an_hour_in_a_file_is_at_most_a_line_every_half_minute(capsys, monkeypatch):
    clock = iter(range(10_000))
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    lines = module._Lines({"tree": 3600})
    for _ in range(3600):
        lines.advance("tree", "")
    out = capsys.readouterr().err.splitlines()
    assert len(out) == 1 + 3600 // 30
    assert out[-1] == "3,600 of 3,600 fits, 0 s left"


@pytest.mark.parametrize("stored", [0, 2])
@pytest.mark.parametrize("seconds", [1, 40, 400])
def test_a_line_counts_fits_and_the_time_that_is_left(stored, seconds, capsys, monkeypatch):
    """A fit takes so many seconds, two runs have five and three fits, and those of a store take no time."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    lines = module._Lines({"tree": 3, "bayes": 2})
    lines.more({"tree": 3})
    for _ in range(stored):
        lines.skip("tree")
    wanted, last = ["5 fits"], 0.0
    for done in range(stored + 1, 9):
        now[0] += seconds
        lines.advance("bayes", "AUC 0.5" if done == stored + 1 else "")
        if now[0] - last >= 30:
            last = now[0]
            left = seconds * (8 - done)
            words = (
                f"{left} s"
                if left < 100
                else f"{left / 60:.0f} min"
                if left < 6000
                else f"{left / 3600:.1f} h"
            )
            before = f" ({stored} done before)" if stored else ""
            wanted.append(f"{done} of 8 fits{before}, {words} left; bayes AUC 0.5")
    assert capsys.readouterr().err.splitlines() == wanted


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (99, "99 s"), (100, "2 min"), (5999, "100 min"), (6000, "1.7 h"), (86400, "24.0 h")],
)
def test_durations_in_words(seconds, words):
    assert module._duration(seconds) == words


def test_bars_of_models_count_what_further_runs_add(monkeypatch):
    monkeypatch.setattr(module, "_console", lambda: Console(file=io.StringIO(), force_terminal=True))
    live = module._Live({"tree": 3, "bayes": 3})
    try:
        for _ in range(3):
            live.advance("tree", "AUC 0.7")
        live.skip("bayes")
        live.more({"bayes": 2, "forest": 4})
        live.advance("forest", "")
        tasks = {task.fields["name"]: task for task in live._progress.tasks}
        counts = {name: (task.completed, task.total) for name, task in tasks.items()}
        assert counts == {"tree": (3, 3), "bayes": (1, 5), "all fits": (5, 12), "forest": (1, 4)}
        so_far = {name: task.fields["so_far"] for name, task in tasks.items()}
        assert so_far == {"tree": "AUC 0.7", "bayes": "", "all fits": "", "forest": ""}
    finally:
        live.stop()
