"""Progress: a line now and then where it is piped, bars on a terminal, and no word too many."""

import os
import pty
import subprocess
import sys

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.report import progress as module
from classay.report.progress import Progress
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
from classay.report import progress
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
