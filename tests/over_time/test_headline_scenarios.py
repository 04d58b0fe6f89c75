"""Twelve situations at the command: what the first screen says of each, and what it does not say."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from scipy.special import expit, logit

from command import call

N = 2_000
rng = np.random.default_rng(1)
X = rng.normal(size=N)
P = expit(1.2 * X - 4)
Y = rng.random(N) < P
COMMON = expit(1.6 * X - 1)
YC = rng.random(N) < COMMON
RARE = ("--truth", "ill", "--score", "risk")


def rare(risk, truth=Y):
    return {"ill": truth.astype(int), "risk": np.round(risk, 6)}


def without(risk, gone):
    return np.where(gone, np.nan, risk)


def grades():
    names = np.array(["a0", "a1", "a2", "a3"])
    draws = np.random.default_rng(2)
    truth = draws.integers(0, 4, 500)
    return {"truth": names[truth], "read": names[np.clip(truth + draws.integers(-1, 2, 500), 0, 3)]}


def weeks():
    """Six weeks of 150 cases, of which the last two have a score that ranks less well."""
    draws = np.random.default_rng(4)
    day = np.arange("2026-03-02", "2026-04-13", dtype="datetime64[D]").repeat(22)
    truth = draws.random(day.size) < 0.35
    late = day >= np.datetime64("2026-03-30")
    logits = np.where(late, 1.1, 2.2) * (2 * truth - 1) + draws.normal(0, 1.35, day.size)
    return {"ill": truth.astype(int), "risk": np.round(expit(logits), 6), "day": day.astype(str)}


SPREAD = logit(P).mean() + 2.5 * (logit(P) - logit(P).mean()) + 0.3
FAR = np.random.default_rng(3)
SCENARIOS = {
    "1 demo": (None, ("demo",)),
    "2 rare class, no score above one half": (lambda: rare(np.minimum(P, 0.49)), RARE),
    "3 probabilities 2.7 times too low": (lambda: rare(P / 2.7), RARE),
    "4 few missing scores, all of negatives": (
        lambda: rare(without(np.minimum(P, 0.49), ~Y & (np.cumsum(~Y) <= 37))),
        (*RARE, "--unanswered", "wrong"),
    ),
    "5 many missing scores, more of positives": (
        lambda: rare(without(COMMON, FAR.random(N) < np.where(YC, 0.31, 0.14)), YC),
        (*RARE, "--unanswered", "wrong"),
    ),
    "6 reversed score": (lambda: rare(1 - P), RARE),
    "7 score of chance": (lambda: rare(FAR.random(N)), RARE),
    "8 probabilities too high and too extreme": (lambda: rare(expit(SPREAD)), RARE),
    "9 three positives": (lambda: rare(FAR.random(200), np.arange(200) < 3), RARE),
    "10 chosen threshold": (lambda: rare(P), (*RARE, "--threshold", "0.05")),
    "11 ordered grades": (
        grades,
        ("--truth", "truth", "--prediction", "read", "--order", "a0,a1,a2,a3"),
    ),
    "12 six weeks": (weeks, (*RARE, "--time", "day", "--per", "week")),
}
"""The columns of a file, or None, and the options of `classay assess`."""

SAID = {
    "1 demo": (
        "ROC AUC is 0.992",
        "too moderate (underconfident: calibration slope 1.92",
        "At the default threshold 0.5, recall is 93.4%",
    ),
    "2 rare class, no score above one half": ("average precision is", "No miscalibration was detected"),
    "3 probabilities 2.7 times too low": (
        "ROC AUC is",
        "probabilities are too low (observed/expected positives 2.",
    ),
    "4 few missing scores, all of negatives": ("ROC AUC is",),
    "5 many missing scores, more of positives": ("no prediction", "more often for class 1", "ROC AUC"),
    "6 reversed score": ("The score ranks the classes in reverse: ROC AUC 0.1",),
    "7 score of chance": ("No ranking better than chance was detected: ROC AUC is",),
    "8 probabilities too high and too extreme": ("too high, and they are too extreme", "log-loss skill -"),
    "9 three positives": ("Only 3 of 200 cases are positive: ROC AUC is",),
    "10 chosen threshold": ("At threshold 0.05, recall is", "at a prevalence of", "ROC AUC is"),
    "11 ordered grades": ("off by", "within one class", "No systematic over- or underestimation"),
    "12 six weeks": ("ROC AUC", "2026-03-30"),
}
NEVER = ("excellent", "good", "Accuracy", "nan", "in all before")
NOT_SAID = {
    "2 rare class, no score above one half": ("0.5", "recall"),
    "4 few missing scores, all of negatives": ("prediction", "37", "average precision"),
    "6 reversed score": ("recall", "probabilities"),
    "7 score of chance": ("reverse",),
    "9 three positives": ("recall", "probabilities", "observed/expected"),
}


NOT_ADVISED = {
    "7 score of chance": ("Recalibrate", "threshold by your costs"),
    "9 three positives": ("threshold by your costs", "Recalibrate"),
    "10 chosen threshold": ("always predicting", "threshold by your costs"),
    "6 reversed score": ("Recalibrate", "threshold by your costs"),
}
"""What stands nowhere below the tables."""


def first_screen(name):
    """What the command prints, in a folder of its own."""
    columns, options = SCENARIOS[name]
    if columns is not None:
        table = pa.table(columns())
        pa_csv.write_csv(table, "predictions.csv")
        options = ("assess", "predictions.csv", *options)
    return options, call(*options)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_first_screen(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, done = first_screen(name)
    assert done.exit_code == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    headline = " ".join(line.removeprefix("┃").strip() for line in lines if line.startswith("┃"))
    for words in SAID[name]:
        assert words in headline, headline
    for words in (*NEVER, *NOT_SAID.get(name, ())):
        assert words not in headline, headline
    below = " ".join(lines[lines.index("What the intervals cover") :])
    for words in NOT_ADVISED.get(name, ()):
        assert words not in below, below
