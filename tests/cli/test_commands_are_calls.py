"""What a command writes with an option is what Python returns with it: `compare`, `decide` and `gate`."""

import json

import numpy as np
import pytest

import classay as ca
from command import as_json, call

N = 80
RNG = np.random.default_rng(5)
Y = np.arange(N) % 2
P, Q, R = (np.clip(0.3 + 0.35 * Y + s * RNG.normal(size=N), 0.02, 0.98).round(2) for s in (0.2, 0.3, 0.4))
G, W, F = np.arange(N) // 4, RNG.uniform(0.5, 2, N).round(2), RNG.integers(1, 4, N)
FEE, SITE = RNG.gamma(2, 20, N).round(1), np.where(np.arange(N) % 3 > 0, "north", "south")
COLUMNS = {"y": Y, "p": P, "q": Q, "r": R, "g": G, "w": W, "f": F, "fee": FEE, "site": SITE}
TWO, THREE = {"p": P, "q": Q}, {"p": P, "q": Q, "r": R}
LABELS = {name: (score > 0.5) * 1 for name, score in TWO.items()}
COLUMNS |= {"l": LABELS["p"], "m": LABELS["q"], "h": np.where(np.arange(N) % 20 == 3, np.nan, P)}
A = ca.assess(Y, P)
ROWS = ("p.csv", "--truth", "y", "--score", "p")
PAIR = ("p.csv", "--truth", "y", "--scores", "p,q", "--measures", "auc,recall")
NAMES = ["auc", "recall"]
COST = ("--cost", "fp=1", "--cost", "fn=4")


def compare(*options, models=TWO, measures=NAMES, **named):
    arguments = ("compare", *PAIR, *options)
    return arguments, lambda: ca.compare(models, Y, measures=measures, **named)


def decide(*options, rows=None, cost=True, **named):
    arguments = ("decide", *ROWS, *(COST if cost else ()), *options)
    rule = {"cost": {"fp": 1, "fn": 4}} if cost else {}
    return arguments, lambda: ca.assess(Y, P, **(rows or {})).threshold(**(rule | named))


def gate(*options, rule="non-inferior", margin=0.1, measure="auc", **named):
    arguments = ("gate", "p.csv", "--truth", "y", "--scores", "p,q", "--measure", measure, "--rule", rule)
    if margin:
        arguments += ("--margin", str(margin))
    return (*arguments, *options), lambda: ca.gate(
        ca.compare(TWO, Y, measures=[measure], **named), rule, margin
    )


CALLS = {
    "compare": compare(),
    "compare: positive": compare("--positive", "0", positive=0),
    "compare: threshold": compare("--threshold", "0.3", threshold=0.3),
    "compare: thresholds": compare("--threshold", "p=0.3,q=0.6", threshold={"p": 0.3, "q": 0.6}),
    "compare: level": compare("--level", "0.8", level=0.8),
    "compare: method": compare("--method", "bootstrap", "--seed", "3", method="bootstrap", seed=3),
    "compare: adjustment": compare("--adjustment", "bonferroni", adjustment="bonferroni"),
    "compare: cluster": compare("--cluster", "g", cluster=G),
    "compare: weight": compare("--weight", "w", weight=W),
    "compare: frequency": compare("--frequency", "f", frequency=F),
    "compare: greater": compare("--alternative", "greater", alternative="greater"),
    "compare: less": compare("--alternative", "less", alternative="less"),
    "compare: rule": compare("--rule", "equivalent", "--margin", "0.2", rule="equivalent", margin=0.2),
    "compare: score scale": compare("--score-scale", "logit", score_scale="logit"),
    "compare: control": (
        ("compare", *PAIR[:3], "--scores", "p,q,r", "--measures", "auc", "--control", "q"),
        lambda: ca.compare(THREE, Y, measures=["auc"], control="q"),
    ),
    "compare: labels": (
        ("compare", *PAIR[:3], "--predictions", "l,m", "--measures", "recall"),
        lambda: ca.compare(y_true=Y, y_pred={"l": LABELS["p"], "m": LABELS["q"]}, measures=["recall"]),
    ),
    "compare: unanswered": (
        ("compare", *PAIR[:3], "--scores", "h,q", "--measures", "auc", "--unanswered", "wrong"),
        lambda: ca.compare({"h": COLUMNS["h"], "q": Q}, Y, measures=["auc"], unanswered="wrong"),
    ),
    "compare: missing": (
        ("compare", *PAIR[:3], "--scores", "h,q", "--measures", "auc", "--unanswered", "drop"),
        lambda: ca.compare({"h": COLUMNS["h"], "q": Q}, Y, measures=["auc"], unanswered="drop"),
    ),
    "decide": decide(),
    "decide: positive": decide("--positive", "0", rows={"positive": 0}),
    "decide: amounts": (
        ("decide", *ROWS, "--cost", "fp=1", "--cost", "fn=fee"),
        lambda: ca.assess(Y, P, amounts={"fee": FEE}).threshold(cost={"fp": 1, "fn": "fee"}),
    ),
    "decide: where": decide("--where", "fpr <= 0.2", where="fpr <= 0.2"),
    "decide: maximize": decide(
        *("--maximize", "recall", "--where", "fpr <= 0.2"), cost=False, maximize="recall", where="fpr <= 0.2"
    ),
    "decide: minimize": decide(
        *("--minimize", "fpr", "--where", "recall >= 0.6"), cost=False, minimize="fpr", where="recall >= 0.6"
    ),
    "decide: top": decide("--top", "9", cost=False, top=9),
    "decide: prevalence": decide("--prevalence", "0.1", prevalence=0.1),
    "decide: level": decide("--level", "0.8", rows={"level": 0.8}),
    "decide: seed": decide("--seed", "3", rows={"seed": 3}),
    "decide: cluster": decide("--cluster", "g", rows={"cluster": G}),
    "decide: weight": decide("--weight", "w", rows={"weight": W}),
    "decide: frequency": decide("--frequency", "f", rows={"frequency": F}),
    "gate": gate(),
    "gate: superior": gate(rule="superior", margin=None),
    "gate: not worse": gate(rule="not-worse", margin=0.05),
    "gate: a loss": gate(measure="brier_score"),
    "gate: level": gate("--level", "0.8", level=0.8),
    "gate: cluster": gate("--cluster", "g", cluster=G),
    "gate: weight": gate("--weight", "w", weight=W),
    "gate: threshold": gate("--threshold", "0.3", measure="recall", threshold=0.3),
}  # fmt: skip
ELSEWHERE = {"facts", "title", "files", "file", "data", "headline", "warnings", "next_steps"}
"""What tells of the file, or in which words the reader is spoken to."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    to = tmp_path_factory.mktemp("called")
    lines = [
        ",".join("" if str(each) == "nan" else str(each) for each in row)
        for row in zip(*COLUMNS.values(), strict=True)
    ]
    (to / "p.csv").write_text("\n".join([",".join(COLUMNS), *lines]) + "\n")
    return to


@pytest.mark.parametrize("name", CALLS)
def test_a_command_writes_what_python_returns(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    arguments, wanted = CALLS[name]
    done = call(*arguments, "--json", "-")
    assert done.exit_code in (0, 1, 3), done.stderr
    found, known = json.loads(done.stdout), as_json(wanted())
    assert {*known} <= {*found}
    for key in {*known} - ELSEWHERE:
        assert found[key] == known[key], key
