"""Progress: a line now and then where it is piped, bars on a terminal, and no word too many."""

import os
import pty
import subprocess
import sys

import pytest

from classay.inference.estimate import Estimate
from classay.report import progress as module
from classay.report.progress import Progress
from command import SOURCE

AUC = Estimate(0.7834, 0.75, 0.81, 0.95, "corrected resampled t")


def test_a_piped_run_says_a_line_now_and_then(capsys, monkeypatch):
    now = iter([0.0, 10.0, 31.0, 40.0, 62.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(now))
    with Progress() as progress:
        progress.start({"forest": 6, "tree": 4}, done={"tree": 2})
        progress.advance("forest")
        progress.advance("forest", "ROC AUC", AUC)
        progress.advance("tree", "ROC AUC", Estimate.undefined("one class"))
        progress.advance("tree", "ROC AUC", AUC)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "10 fits, 2 of them done before",
        "4 of 10 fits, 93 s left; forest ROC AUC 0.783 [0.750, 0.810]",
        "6 of 10 fits, 62 s left; forest ROC AUC 0.783 [0.750, 0.810]; tree ROC AUC 0.783 [0.750, 0.810]",
    ]


LIVE = """
import sys, time
from classay.report.progress import Progress
from classay.inference.estimate import Estimate
with Progress() as progress:
    progress.start({"forest": 3, "[red]tree": 2}, done={"forest": 1})
    for name in ("forest", "[red]tree", "forest", "[red]tree"):
        time.sleep(0.15)
        progress.advance(name, "ROC AUC", Estimate(0.7834, 0.75, 0.81, 0.95, "t"))
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
    assert "forest" in shown
    assert "[red]tree" in shown
    assert "ROC AUC 0.783 [0.750, 0.810]" in shown
    assert "4/5" in shown
    assert "all fits" in shown
    assert shown.rstrip().endswith("\x1b[2K")  # the bars are wiped away


def test_an_interrupted_run_stops_its_bars(capsys):
    def interrupted():
        with Progress() as progress:
            progress.start({"tree": 2})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert capsys.readouterr().err == "2 fits\n"
