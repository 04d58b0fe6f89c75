"""Every option of every command is used or refused: what somebody wrote has an effect, or is named in an error.

The sweep walks the commands' own parameters, so that a new option needs a line here: a call in which it matters.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer.main

import classay as ca
from classay.cli.app import app
from classay.cli.commands.compare import MODES
from classay.cli.lists import names_in, pairs_in
from classay.errors import InputError
from command import SOURCE, call

TRUTH = ("--truth", "y", "--score", "p")
ROWS = ("p.csv", *TRUTH)
PAIR = ("p.csv", "--truth", "y", "--scores", "p,q", "--measures", "auc")
FILES = ("p.csv", "q.csv", "--truth", "y", "--score", "p", "--measures", "auc")
SETS = ("long.csv", "--dataset", "set", "--model", "model", "--value", "auc", "--run", "run")
GATE = ("p.csv", "q.csv", "--truth", "y", "--score", "p", "--measure", "auc", "--rule", "superior")
HELP = (
    "p.csv", "--target", "y", "--drop", "id,pair,g,word", "--model", "naive_bayes", "--protocol", "2fold",
    "--rounds", "3", "--remedies", "regularisation",
)  # fmt: skip
MERGED = ("one.classay", "two.classay")
DECIDE = ("p.csv", *TRUTH, "--cost", "fp=1", "--cost", "fn=3")
BY_RULE = ("p.csv", *TRUTH, "--maximize", "recall", "--where", "fpr <= 0.2")
GRADES = ("low", "mid", "high")
GRADED = ("grades.csv", "--truth", "t", "--predictions", "a,b")
ORDER = ("--order", "low,mid,high")
SQL = ("t", "--truth", "y", "--score", "p")
INSIDE = (*SQL, "--database", "t.db")
LEARN = ("p.csv", "--target", "y", "--models", "naive_bayes", "--protocol", "2fold")

# command: option: (the call without it, the option with its value)
USED = {
    "assess": {
        "--order": (("grades.csv", "--truth", "t", "--prediction", "a"), ORDER),
        "--truth": (("p.csv",), TRUTH),
        "--score": (("p.csv", "--truth", "y", "--prediction", "l"), ("--score", "p")),
        "--class-scores": (("p.csv", "--truth", "y", "--prediction", "l"), ("--class-scores", "0=n,1=p")),
        "--prediction": (ROWS, ("--prediction", "l")),
        "--positive": (ROWS, ("--positive", "0")),
        "--threshold": (ROWS, ("--threshold", "0.3")),
        "--labels": (ROWS, ("--labels", "0,1,2")),
        "--weight": (ROWS, ("--weight", "w")),
        "--frequency": (ROWS, ("--frequency", "w")),
        "--cluster": (ROWS, ("--cluster", "g")),
        "--id": ((*ROWS, "--save", "a.classay"), ("--id", "id")),
        "--by": (ROWS, ("--by", "g")),
        "--limit-rows": (ROWS, ("--limit-rows", "20")),
        "--memory": (ROWS, ("--memory", "0")),
        "--dask": (ROWS, ("--dask", "nowhere://here")),
        "--refine": (("near.csv", "--truth", "y", "--score", "p", "--memory", "0"), ("--refine",)),
        "--reference": ((*ROWS, "--by", "g"), ("--reference", "north")),
        "--prevalence": (ROWS, ("--prevalence", "0.01")),
        "--level": (ROWS, ("--level", "0.9")),
        "--interval": (ROWS, ("--interval", "jeffreys")),
        "--seed": (ROWS, ("--seed", "1")),
        "--missing": (("holes.csv", *TRUTH), ("--missing", "drop")),
        "--unanswered": (("unsaid.csv", *TRUTH), ("--unanswered", "drop")),
        "--improper": (
            ("p.csv", "--truth", "y", "--class-scores", "0=q,1=p"),
            ("--improper", "renormalise"),
        ),
        "--measures": (ROWS, ("--measures", "auc")),
        "--require": (ROWS, ("--require", "auc > 2")),
        "--cost": ((*ROWS, "--require", "expected_cost <= 1"), ("--cost", "fn=w")),
        "--all": (ROWS, ("--all",)),
        "--json": (ROWS, ("--json", "-")),
        "--save": (ROWS, ("--save", "a.classay")),
        "--html": (ROWS, ("--html", "a.html")),
        "--latex": (ROWS, ("--latex", "a.tex")),
        "--markdown": (ROWS, ("--markdown", "a.md")),
        "--format": (("p.txt", *TRUTH), ("--format", "csv")),
        "--delimiter": (("semi.csv", *TRUTH), ("--delimiter", ";")),
    },
    "decide": {
        "--truth": (("p.csv", "--score", "p", "--cost", "fp=1"), ("--truth", "y")),
        "--score": (DECIDE, ("--score", "q")),
        "--positive": (DECIDE, ("--positive", "0")),
        "--weight": (DECIDE, ("--weight", "w")),
        "--frequency": (DECIDE, ("--frequency", "w")),
        "--cluster": (DECIDE, ("--cluster", "pair")),
        "--format": (("p.txt", *DECIDE[1:]), ("--format", "csv")),
        "--delimiter": (("semi.csv", *DECIDE[1:]), ("--delimiter", ";")),
        "--cost": (DECIDE[:-2], ("--cost", "fn=w")),
        "--where": (DECIDE, ("--where", "fpr <= 0.05")),
        "--maximize": (BY_RULE, ("--maximize", "precision")),
        "--minimize": (("p.csv", *TRUTH, "--top", "9"), ("--minimize", "rate_gap")),
        "--top": (DECIDE, ("--top", "9")),
        "--prevalence": (DECIDE, ("--prevalence", "0.05")),
        "--time": (DECIDE, ("--time", "w")),
        "--per": (("days.csv", *DECIDE[1:], "--time", "day"), ("--per", "week")),
        "--labels-until": ((*DECIDE, "--time", "w"), ("--labels-until", "1")),
        "--level": (DECIDE, ("--level", "0.9")),
        "--seed": (DECIDE, ("--seed", "1")),
        "--missing": (("holes.csv", *DECIDE[1:]), ("--missing", "drop")),
        "--unanswered": (("unsaid.csv", *DECIDE[1:]), ("--unanswered", "drop")),
        "--json": (DECIDE, ("--json", "-")),
        "--html": (DECIDE, ("--html", "a.html")),
        "--latex": (DECIDE, ("--latex", "a.tex")),
        "--markdown": (DECIDE, ("--markdown", "a.md")),
    },
    "compare": {
        "--labels": (GRADED, ("--labels", "low,mid")),
        "--order": (GRADED, ORDER),
        "--truth": ((PAIR[0], *PAIR[3:]), PAIR[1:3]),
        "--scores": (("p.csv", "--truth", "y", "--predictions", "l,m"), ("--scores", "p,q")),
        "--class-scores": (
            ("p.csv", "q.csv", "--truth", "y", "--prediction", "l"),
            ("--class-scores", "0=n,1=p"),
        ),
        "--predictions": (PAIR[:-2], ("--predictions", "l,m")),
        "--id": (FILES, ("--id", "id")),
        "--positive": ((*PAIR[:-1], "average_precision"), ("--positive", "0")),
        "--threshold": ((*PAIR[:-1], "recall"), ("--threshold", "0.3")),
        "--measures": (PAIR[:-2], ("--measures", "brier_score")),
        "--reader": (("p.csv", "--truth", "y", "--scores", "p"), ("--reader", "l")),
        "--reader-positive": (
            ("p.csv", "--truth", "y", "--scores", "p", "--reader", "word"),
            ("--reader-positive", "ill"),
        ),
        "--unpaired": (FILES, ("--unpaired",)),
        "--dataset": ((SETS[0], *SETS[3:]), SETS[1:3]),
        "--model": ((*SETS[:3], *SETS[5:]), SETS[3:5]),
        "--value": ((*SETS[:5], *SETS[7:]), SETS[5:7]),
        "--run": (SETS[:7], SETS[7:]),
        "--better": (SETS, ("--better", "lower")),
        "--control": (SETS, ("--control", "a")),
        "--rule": (PAIR, ("--rule", "superior")),
        "--margin": ((*PAIR, "--rule", "superior"), ("--margin", "0.01")),
        "--rope": ((*SETS, "--method", "bayesian"), ("--rope", "0.01")),
        "--method": (PAIR, ("--method", "bootstrap")),
        "--alternative": (PAIR, ("--alternative", "greater")),
        "--adjustment": (PAIR[:-2], ("--adjustment", "bonferroni")),
        "--weight": (PAIR, ("--weight", "w")),
        "--frequency": (PAIR, ("--frequency", "w")),
        "--cluster": (PAIR, ("--cluster", "g")),
        "--level": (PAIR, ("--level", "0.9")),
        "--seed": ((*PAIR, "--method", "bootstrap"), ("--seed", "1")),
        "--missing": (("holes.csv", *PAIR[1:]), ("--missing", "drop")),
        "--unanswered": (("unsaid.csv", *PAIR[1:]), ("--unanswered", "drop")),
        "--json": (PAIR, ("--json", "-")),
        "--html": (PAIR, ("--html", "a.html")),
        "--latex": (PAIR, ("--latex", "a.tex")),
        "--markdown": (PAIR, ("--markdown", "a.md")),
        "--format": (("p.txt", *PAIR[1:]), ("--format", "csv")),
        "--delimiter": (("semi.csv", *PAIR[1:]), ("--delimiter", ";")),
    },
    "best": {
        "--labels": (GRADED, ("--labels", "low,mid")),
        "--order": (GRADED, ORDER),
        "--truth": ((PAIR[0], *PAIR[3:-2]), PAIR[1:3]),
        "--scores": (("p.csv", "--truth", "y", "--predictions", "l,m"), ("--scores", "p,q")),
        "--class-scores": (
            ("p.csv", "q.csv", "--truth", "y", "--measure", "accuracy"),
            ("--class-scores", "0=n,1=p"),
        ),
        "--predictions": (PAIR[:-2], ("--predictions", "l,m")),
        "--id": (FILES[:-2], ("--id", "id")),
        "--positive": ((*PAIR[:-2], "--measure", "recall"), ("--positive", "0")),
        "--measure": (PAIR[:-2], ("--measure", "brier_score")),
        "--threshold": (PAIR[:-2], ("--threshold", "0.3")),
        "--weight": (PAIR[:-2], ("--weight", "w")),
        "--frequency": (PAIR[:-2], ("--frequency", "w")),
        "--cluster": (PAIR[:-2], ("--cluster", "pair")),
        "--level": (PAIR[:-2], ("--level", "0.9")),
        "--seed": (PAIR[:-2], ("--seed", "1")),
        "--missing": (("holes.csv", *PAIR[1:-2]), ("--missing", "drop")),
        "--unanswered": (("unsaid.csv", *PAIR[1:-2]), ("--unanswered", "drop")),
        "--json": (PAIR[:-2], ("--json", "-")),
        "--html": (PAIR[:-2], ("--html", "a.html")),
        "--latex": (PAIR[:-2], ("--latex", "a.tex")),
        "--markdown": (PAIR[:-2], ("--markdown", "a.md")),
        "--format": (("p.txt", *PAIR[1:-2]), ("--format", "csv")),
        "--delimiter": (("semi.csv", *PAIR[1:-2]), ("--delimiter", ";")),
    },
    "gate": {
        "--labels": ((*GRADED, "--measure", "accuracy", "--rule", "superior"), ("--labels", "low,mid")),
        "--order": ((*GRADED, "--measure", "quadratic_kappa", "--rule", "superior"), ORDER),
        "--measure": ((*GATE[:6], *GATE[8:]), ("--measure", "brier_score")),
        "--rule": (GATE[:8], ("--rule", "not-worse")),
        "--margin": (GATE, ("--margin", "0.01")),
        "--truth": ((*GATE[:2], *GATE[4:]), GATE[2:4]),
        "--scores": ((*GATE[:4], *GATE[6:]), ("--scores", "p")),
        "--class-scores": ((*GATE[:4], *GATE[6:]), ("--class-scores", "0=n,1=p")),
        "--predictions": ((*GATE[:7], "recall", *GATE[8:]), ("--predictions", "l")),
        "--id": (GATE, ("--id", "id")),
        "--positive": ((*GATE[:7], "average_precision", *GATE[8:]), ("--positive", "0")),
        "--threshold": ((*GATE[:7], "recall", *GATE[8:]), ("--threshold", "0.3")),
        "--require": (GATE, ("--require", "auc > 2")),
        "--cost": ((*GATE[:7], "expected_cost", *GATE[8:]), ("--cost", "fn=w")),
        "--method": ((*GATE[:7], "recall", *GATE[8:]), ("--method", "sequential")),
        "--weight": (GATE, ("--weight", "w")),
        "--frequency": (GATE, ("--frequency", "w")),
        "--cluster": (GATE, ("--cluster", "g")),
        "--level": (GATE, ("--level", "0.9")),
        "--seed": ((*GATE[:7], "ks_statistic", *GATE[8:]), ("--seed", "1")),
        "--missing": (("holes.csv", "holes2.csv", *GATE[2:]), ("--missing", "drop")),
        "--unanswered": (("unsaid.csv", "unsaid2.csv", *GATE[2:]), ("--unanswered", "drop")),
        "--config": (GATE, ("--config", "strict.toml")),
        "--json": (GATE, ("--json", "-")),
        "--html": (GATE, ("--html", "a.html")),
        "--latex": (GATE, ("--latex", "a.tex")),
        "--markdown": (GATE, ("--markdown", "a.md")),
        "--format": (("p.txt", "q.txt", *GATE[2:]), ("--format", "csv")),
        "--delimiter": (("semi.csv", "semi2.csv", *GATE[2:]), ("--delimiter", ";")),
    },
    "evaluate": {
        "--order": (("grades.csv", "--target", "t", "--drop", "a,b", *LEARN[3:]), ORDER),
        "--target": (("p.csv",), LEARN[1:]),
        "--models": (LEARN, ("--models", "lda")),
        "--protocol": (LEARN, ("--protocol", "3fold")),
        "--cluster": (LEARN, ("--cluster", "pair")),
        "--id": (LEARN, ("--id", "q")),
        "--drop": (LEARN, ("--drop", "q,l")),
        "--positive": (LEARN, ("--positive", "0")),
        "--tune": ((*LEARN[:4], "tree", *LEARN[5:], "--measures", "auc"), ("--tune",)),
        "--balance": (LEARN, ("--balance", "downsample")),
        "--store": (LEARN, ("--store", "runs.db")),
        "--jobs": (LEARN, ("--jobs", "0")),
        "--seed": (LEARN, ("--seed", "1")),
        "--level": (LEARN, ("--level", "0.9")),
        "--missing": (("holes.csv", *LEARN[1:]), ("--missing", "drop")),
        "--measures": (LEARN, ("--measures", "auc")),
        "--json": (LEARN, ("--json", "-")),
        "--save": (LEARN, ("--save", "e.classay")),
        "--html": (LEARN, ("--html", "a.html")),
        "--latex": (LEARN, ("--latex", "a.tex")),
        "--markdown": (LEARN, ("--markdown", "a.md")),
        "--times": (LEARN, ("--times", "a.json")),
        "--format": (("p.txt", *LEARN[1:]), ("--format", "csv")),
        "--delimiter": (("semi.csv", *LEARN[1:]), ("--delimiter", ";")),
    },
    "improve": {
        "--order": (("grades.csv", "--target", "t", "--drop", "a,b", *HELP[5:]), ORDER),
        "--target": (("p.csv",), HELP[1:]),
        "--cluster": (tuple(each.replace("pair,", "") for each in HELP), ("--cluster", "pair")),
        "--id": (HELP, ("--id", "q")),
        "--drop": (HELP, ("--drop", "id,pair,g,word,q,l")),
        "--positive": (HELP, ("--positive", "0")),
        "--model": (HELP, ("--model", "lda")),
        "--protocol": (HELP, ("--protocol", "3fold")),
        "--rounds": (HELP, ("--rounds", "4")),
        "--remedies": (HELP, ("--remedies", "bagging")),
        "--store": (HELP, ("--store", "runs.db")),
        "--jobs": (HELP, ("--jobs", "0")),
        "--seed": (HELP, ("--seed", "1")),
        "--level": (HELP, ("--level", "0.9")),
        "--missing": (("holes.csv", *HELP[1:]), ("--missing", "drop")),
        "--json": (HELP, ("--json", "-")),
        "--save": (HELP, ("--save", "e.classay")),
        "--html": (HELP, ("--html", "a.html")),
        "--latex": (HELP, ("--latex", "a.tex")),
        "--markdown": (HELP, ("--markdown", "a.md")),
        "--times": (HELP, ("--times", "a.json")),
        "--format": (("p.txt", *HELP[1:]), ("--format", "csv")),
        "--delimiter": (("semi.csv", *HELP[1:]), ("--delimiter", ";")),
    },
    "merge": {
        "--apart": (MERGED, ("--apart",)),
        "--trend": ((*MERGED, "three.classay"), ("--trend",)),
        "--reference": ((*MERGED, "--apart"), ("--reference", "one")),
        "--require": (MERGED, ("--require", "accuracy >= 0.99")),
        "--measures": (MERGED, ("--measures", "auc")),
        "--all": (MERGED, ("--all",)),
        "--json": (MERGED, ("--json", "-")),
        "--save": (MERGED, ("--save", "whole.classay")),
        "--html": (MERGED, ("--html", "a.html")),
        "--latex": (MERGED, ("--latex", "a.tex")),
        "--markdown": (MERGED, ("--markdown", "a.md")),
    },
    "sql": {
        "--truth": (SQL, ("--truth", "l")),
        "--score": (SQL, ("--score", "q")),
        "--prediction": (("t", "--truth", "y", "--prediction", "said"), ("--prediction", "l")),
        "--positive": ((*INSIDE, "--json", "-"), ("--positive", "0")),
        "--dialect": (SQL, ("--dialect", "bigquery")),
        "--database": (SQL, ("--database", "t.db")),
        "--result": (("t", "--truth", "y", "--prediction", "l"), ("--result", "counts.csv")),
        "--threshold": (INSIDE, ("--threshold", "0.25")),
        "--level": (INSIDE, ("--level", "0.9")),
        "--measures": (INSIDE, ("--measures", "auc")),
        "--json": (INSIDE, ("--json", "-")),
        "--save": (INSIDE, ("--save", "a.classay")),
        "--html": (INSIDE, ("--html", "a.html")),
        "--latex": (INSIDE, ("--latex", "a.tex")),
        "--markdown": (INSIDE, ("--markdown", "a.md")),
    },
    "runs": {
        "--measures": (("kept.classay",), ("--measures", "auc")),
        "--json": (("kept.classay",), ("--json", "-")),
        "--save": (("kept.classay",), ("--save", "again.classay")),
        "--html": (("kept.classay",), ("--html", "a.html")),
        "--latex": (("kept.classay",), ("--latex", "a.tex")),
        "--markdown": (("kept.classay",), ("--markdown", "a.md")),
        "--times": (("kept.classay",), ("--times", "a.json")),
    },
    "sample-size proportion": {
        "--cases": ((), ("--cases", "100")),
        "--half-width": (("--half-width", "0.1"), ("--half-width", "0.05")),
        "--expected": (("--half-width", "0.1"), ("--expected", "0.9")),
        "--prevalence": (("--half-width", "0.1"), ("--prevalence", "0.1")),
        "--level": (("--half-width", "0.1"), ("--level", "0.9")),
        "--json": (("--half-width", "0.1"), ("--json", "-")),
    },
    "sample-size auc": {
        "--cases": (("--auc", "0.8"), ("--cases", "100")),
        "--auc": (("--half-width", "0.1"), ("--auc", "0.8")),
        "--half-width": (("--auc", "0.8"), ("--half-width", "0.1")),
        "--prevalence": (("--auc", "0.8", "--half-width", "0.1"), ("--prevalence", "0.1")),
        "--level": (("--auc", "0.8", "--half-width", "0.1"), ("--level", "0.9")),
        "--json": (("--auc", "0.8", "--half-width", "0.1"), ("--json", "-")),
    },
    "sample-size auc-difference": {
        "--cases": (("--first", "0.7", "--second", "0.8"), ("--cases", "100")),
        "--first": (("--second", "0.8"), ("--first", "0.7")),
        "--second": (("--first", "0.7"), ("--second", "0.8")),
        "--correlation": (("--first", "0.7", "--second", "0.8"), ("--correlation", "0.5")),
        "--prevalence": (("--first", "0.7", "--second", "0.8"), ("--prevalence", "0.1")),
        "--power": (("--first", "0.7", "--second", "0.8"), ("--power", "0.9")),
        "--level": (("--first", "0.7", "--second", "0.8"), ("--level", "0.9")),
        "--json": (("--first", "0.7", "--second", "0.8"), ("--json", "-")),
    },
    "sample-size mcnemar": {
        "--cases": (("--first-only", "0.1", "--second-only", "0.05"), ("--cases", "100")),
        "--first-only": (("--second-only", "0.05"), ("--first-only", "0.1")),
        "--second-only": (("--first-only", "0.1"), ("--second-only", "0.05")),
        "--power": (("--first-only", "0.1", "--second-only", "0.05"), ("--power", "0.9")),
        "--level": (("--first-only", "0.1", "--second-only", "0.05"), ("--level", "0.9")),
        "--json": (("--first-only", "0.1", "--second-only", "0.05"), ("--json", "-")),
    },
    "sample-size zero-failures": {
        "--cases": ((), ("--cases", "100")),
        "--rate": ((), ("--rate", "0.01")),
        "--level": (("--rate", "0.01"), ("--level", "0.9")),
        "--json": (("--rate", "0.01"), ("--json", "-")),
    },
    "measures": {},
    "protocols": {},
    "demo": {},
}


def commands(group=None, path=""):
    group = typer.main.get_command(app) if group is None else group
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


COMMANDS = dict(commands())
OPTIONS = {
    name: [
        each.opts[0] for each in command.params if each.param_type_name == "option" and each.name != "help"
    ]
    for name, command in COMMANDS.items()
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 120
    y = np.arange(n) % 2
    p, q = (np.clip(0.4 + gap * y + rng.normal(0, 0.2, n), 0.01, 0.99).round(4) for gap in (0.3, 0.2))
    lines = [
        f"{i},{y[i]},{p[i]},{q[i]},{1 - p[i]:.4f},{int(p[i] > 0.6)},{int(q[i] > 0.6)},{1 + i % 3},"
        f"{('north', 'south', 'west')[i // 2 % 3]},c{i // 4},{'ill' if p[i] > 0.6 else 'well'}"
        for i in range(n)
    ]
    text = "\n".join(["id,y,p,q,n,l,m,w,g,pair,word", *lines]) + "\n"
    other = "\n".join(["id,y,q,p,n,m,l,w,g,pair,word", *lines]) + "\n"
    swapped = "\n".join([other.split("\n")[0], *lines[2:], *lines[:2]]) + "\n"
    Path("p.csv").write_text(text)
    Path("p.txt").write_text(text)
    Path("q.csv").write_text(swapped)
    Path("q.txt").write_text(other)
    Path("holes.csv").write_text(text.replace("\n5,1,", "\n5,,"))
    Path("holes2.csv").write_text(other.replace("\n5,1,", "\n5,,"))
    for name, rows in (("unsaid.csv", text), ("unsaid2.csv", other)):
        Path(name).write_text(re.sub(r"\n5,1,[^,]*,", "\n5,1,,", rows))
    days = [f"{y[i]},{p[i]},2026-03-{1 + i % 28:02d}" for i in range(n)]
    Path("days.csv").write_text("\n".join(["y,p,day", *days]) + "\n")
    t, a, b = (rng.integers(0, 3, 60) for _ in "tab")
    grades = [f"{GRADES[t[i]]},{GRADES[max(t[i], a[i])]},{GRADES[b[i]]},{q[i]}" for i in range(60)]
    Path("grades.csv").write_text("\n".join(["t,a,b,x", *grades]) + "\n")
    Path("near.csv").write_text("y,p\n" + "".join(f"{i % 3 % 2},{0.5 + i * 1e-7:.9f}\n" for i in range(400)))
    Path("strict.toml").write_text("margin = 0.2\n")
    Path("semi.csv").write_text(text.replace(",", ";"))
    Path("semi2.csv").write_text(other.replace(",", ";"))
    results = [
        f"s{k},{model},{run},{0.6 + 0.1 * (model == 'a') + 0.01 * rng.random():.4f}"
        for k in range(8)
        for model in "abc"
        for run in (1, 2)
    ]
    with sqlite3.connect("t.db") as connection:
        connection.execute("create table t (y integer, p real, l integer)")
        cases = zip(y.tolist(), p.tolist(), (p > 0.6).astype(int).tolist(), strict=True)
        connection.executemany("insert into t values (?, ?, ?)", cases)
    connection.close()
    Path("counts.csv").write_text("truth,prediction,n\n0,0,50\n0,1,10\n1,0,12\n1,1,48\n")
    Path("long.csv").write_text("\n".join(["set,model,run,auc", *results]))
    return tmp_path


def outcome(*arguments):
    """All that a call leaves behind: code, both streams, files; outputs of calls before are removed."""
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    done = call(*arguments)
    left = {
        str(path): path.read_bytes() for path in Path().iterdir() if path.is_file() and path not in before
    }
    for path in left:
        Path(path).unlink()
    return done.exit_code, done.stdout, done.stderr, left


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_call_in_which_it_matters(command):
    assert set(USED[command]) == set(OPTIONS[command])


BARE = {}
"""What calls without the option leave behind: the same call for many options, in folders of the same files."""


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("command", "option"), [(command, option) for command, options in USED.items() for option in options]
)
def test_an_option_is_used_or_refused(folder, command, option):
    if command == "runs":
        assert call("evaluate", *LEARN, "--save", "kept.classay").exit_code == 0
    if command == "merge":
        for name, score in zip((*MERGED, "three.classay"), "pqn", strict=True):
            assert call("assess", *ROWS[:-1], score, "--save", name).exit_code == 0
    base, with_it = USED[command][option]
    if option in base:  # another value in its place
        place = base.index(option)
        instead = (*base[:place], *with_it, *base[place + 2 :])
    else:
        instead = (*base, *with_it)
    if command in ("runs", "merge") or (command, base) not in BARE:  # those two read what was saved just now
        BARE[command, base] = outcome(*command.split(), *base)
    bare, changed = BARE[command, base], outcome(*command.split(), *instead)
    assert changed[0] in (0, 1, 2, 3), changed[2]
    assert bare != changed, f"{option} changes nothing"
    if changed[0] == 2 and option not in ("--jobs", "--labels", "--dask"):
        pytest.fail(f"the call meant to show {option} is refused: {changed[2]}")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_given_twice_is_refused(folder, command):
    for parameter in COMMANDS[command].params:
        if parameter.param_type_name != "option" or parameter.multiple or parameter.name == "help":
            continue
        if not parameter.is_flag:
            done = call(*command.split(), parameter.opts[0], "1", f"{parameter.opts[0]}=2")
            assert done.exit_code == 2
            assert f"{parameter.opts[0]} is given twice" in done.stderr


@pytest.mark.parametrize(
    "more",
    [
        ("--all", "--json", "-"),
        ("--all", "--all"),
        ("--level", "0.9", "--level=0.9"),
        ("--missing", "refuse"),
        ("--improper", "keep"),
        ("--format", "csv", "--delimiter", ","),
        ("--measures", "auc,roc_auc, auc"),
        ("--labels", "0,1", "--positive", "1"),
        ("--require", "auc >= 0", "--require", "auc >= 0"),
        ("--seed", "0"),
    ],
)
def test_what_is_so_anyway_may_be_said(folder, more):
    """An option that changes nothing is no error: what it asks for is there."""
    done = call("assess", *ROWS, *more)
    assert (done.exit_code, done.stderr.count("PASS")) == (0, more.count("--require"))


@pytest.mark.parametrize(
    ("command", "more", "said"),
    [
        (
            "assess",
            (*ROWS, "--all", "--measures", "auc"),
            "--all shows every measure, and --measures names some",
        ),
        ("assess", (*ROWS, "--id", "id", "--weight", "w"), "id (--id) is to compare saved assessments"),
        ("assess", (*ROWS, "--id", "id", "--frequency", "w"), "id (--id) is to compare saved assessments"),
        (
            "assess",
            ("p.csv", "--truth", "y", "--prediction", "l", "--improper", "renormalise"),
            "about class scores",
        ),
        ("assess", (*ROWS, "--improper", "renormalise"), "one score a row"),
        (
            "assess",
            ("p.csv", "--truth", "y", "--prediction", "l", "--improper", "renormalise", "--memory", "9"),
            "about class",
        ),
    ],
)
def test_what_would_be_ignored_is_refused(folder, command, more, said):
    done = call(command, *more)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


VALUES = {
    "--level": "0.9",
    "--seed": "3",
    "--missing": "drop",
    "--unanswered": "drop",
    "--improper": "keep",
    "--rule": "superior",
    "--better": "higher",
    "--prevalence": "0.5",
    "--format": "csv",
    "--jobs": "1",
    "--margin": "0.1",
    "--rope": "0.1",
    "--threshold": "0.5",
}


def value_of(parameter, else_):
    """What to write after an option: nothing for a flag, or a value of its kind."""
    return () if parameter.is_flag else (VALUES.get(parameter.opts[0], else_),)


BASES = {
    "results": SETS,
    "reader": ("p.csv", "--truth", "y", "--scores", "p", "--reader", "l"),
    "unpaired": (*FILES[:-2], "--unpaired"),
    "assessments": ("a.classay", "b.classay"),
    "evaluations": ("kept.classay",),
    "rows": PAIR,
}


@pytest.mark.parametrize("mode", BASES)
def test_what_a_way_of_comparing_does_not_use_is_refused(folder, mode):
    for name in "ab":
        call("assess", *ROWS, "--id", "id", "--save", f"{name}.classay")
    if mode == "evaluations":
        call("evaluate", *LEARN, "--save", "kept.classay")
    used, _ = MODES[mode]
    turns = {
        "--reader",
        "--unpaired",
        "--dataset",
        "--model",
        "--value",
        "--run",
        "--better",
    }  # to another way
    for each in COMMANDS["compare"].params:
        if each.param_type_name != "option" or each.name in {*used, "help"} or each.opts[0] in turns:
            continue
        value = value_of(each, "p")
        done = call("compare", *BASES[mode], each.opts[0], *value)
        assert done.exit_code == 2, each.opts[0]
        assert each.opts[0] in done.stderr


@pytest.mark.parametrize(
    "option", [each for each in OPTIONS["assess"] if each not in ("--truth", "--format", "--delimiter")]
)
def test_no_gate_passes_unseen_where_only_columns_are_listed(folder, option):
    parameter = next(each for each in COMMANDS["assess"].params if each.opts[0] == option)
    done = call("assess", "p.csv", option, *value_of(parameter, "1"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--truth" in done.stderr
    assert option in done.stderr


@pytest.mark.parametrize(
    "option", [each for each in OPTIONS["evaluate"] if each not in ("--target", "--format", "--delimiter")]
)
def test_nothing_is_evaluated_unseen(folder, option):
    parameter = next(each for each in COMMANDS["evaluate"].params if each.opts[0] == option)
    done = call("evaluate", "p.csv", option, *value_of(parameter, "1"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert option in done.stderr


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("classay proto", ["protocols"]),
        ("classay assess --missing ", ["refuse", "drop", "drop-unscored"]),
        ("classay evaluate --protocol 632", ["632:200", "632+:200"]),
        ("classay measures hand_t", ["hand_till_auc"]),
    ],
)
def test_the_shell_completes(words, found):
    asked = {"_CLASSAY_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    as_installed = "import sys; sys.argv = ['classay']; from classay.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", as_installed],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": SOURCE} | asked,
        check=False,
    )
    assert done.stdout.split() == found, done.stderr


def test_every_command_shows_an_example_and_its_panels():
    for name, command in COMMANDS.items():
        shown = call(*name.split(), "--help").stdout
        if not name.startswith("sample-size"):
            assert f"Example: classay {name}" in shown
        panels = {each.rich_help_panel for each in command.params if each.param_type_name == "option"}
        assert all(panel in shown for panel in panels if panel)


def test_columns_whose_names_hold_a_comma():
    Path("c.csv").write_text('y,"p, new","p=old",q\n0,.1,.2,.1\n1,.8,.7,.6\n0,.6,.4,.3\n1,.4,.5,.2\n')
    found = call(
        "compare", "c.csv", "--truth", "y", "--scores", '"p, new",p=old,q', "--measures", "auc", "--json", "-"
    )
    assert json.loads(found.stdout)["models"] == ["p, new", "p=old", "q"]
    done = call("assess", "c.csv", "--truth", "y", "--class-scores", '0="p, new",1="p=old"')
    assert done.exit_code == 0, done.stderr


test_columns_whose_names_hold_a_comma = pytest.mark.usefixtures("folder")(
    test_columns_whose_names_hold_a_comma
)


def test_names_and_pairs():
    assert names_in('a,"b,c", d ', "--x") == ["a", "b,c", "d"]
    assert names_in('"say ""so""",b', "--x") == ['say "so"', "b"]
    assert names_in(None, "--x") == []
    for nothing in ("", " ", ",", ' , ""'):
        with pytest.raises(InputError, match="which names nothing"):
            names_in(nothing, "--x")
    assert pairs_in('"a=b"=c,d="e,f"', "--x", "A=B") == [("a=b", "c"), ("d", "e,f")]
    for wrong in ("a", "=b", "a=", 'a="b'):
        with pytest.raises(InputError):
            pairs_in(wrong, "--x", "A=B")


def test_a_reader_with_words_of_his_own(folder):
    plain = call("compare", *BASES["reader"], "--json", "-")
    asked = call("compare", *BASES["reader"][:-1], "word")
    assert asked.exit_code == 2
    assert "--reader-positive" in asked.stderr
    named = call("compare", *BASES["reader"][:-1], "word", "--reader-positive", "ill", "--json", "-")
    one, other = (json.loads(each.stdout)["comparisons"][0] for each in (plain, named))
    assert one["difference"] == other["difference"]
    turned = call("compare", *BASES["reader"][:-1], "word", "--reader-positive", "well", "--json", "-")
    assert json.loads(turned.stdout)["comparisons"][0]["difference"] != one["difference"]
    assert ca.__all__


@pytest.mark.usefixtures("folder")
def test_several_columns_of_groups_are_groups_of_their_combinations():
    rows = [line.split(",") for line in Path("p.csv").read_text(encoding="utf-8").splitlines()]
    at = [rows[0].index(name) for name in ("l", "m")]
    pairs = {(int(row[at[0]]), int(row[at[1]])) for row in rows[1:]}
    both = json.loads(call("assess", *ROWS, "--by", "l,m", "--json", "-").stdout)["slices"]
    assert {tuple(each["values"]) for each in both["groups"]} == pairs
    assert {each["label"] for each in both["groups"]} == {f"l={l}, m={m}" for l, m in pairs}
    assert both["by"] == "l, m"
    first = both["groups"][0]["label"]
    demand = f"accuracy[{first}] >= 0 and accuracy <= 1 and expected_cost[{first}].low >= 0"
    against = call(
        "assess",
        *ROWS,
        "--by",
        "l,m",
        "--reference",
        first,
        "--require",
        demand,
        "--cost",
        "fp=1",
        "--json",
        "-",
    )
    assert against.exit_code == 0, against.stderr
    found = json.loads(against.stdout)
    assert found["slices"]["reference"] == first
    one = both["groups"][0]["measures"]["accuracy"]["estimate"]
    assert found["requirements"][0]["estimate"] == one != found["requirements"][1]["estimate"]
    wrong = call("assess", *ROWS, "--by", "l,none")
    assert wrong.exit_code == 2
    assert "no column 'none'" in wrong.stderr


LEARNING = ("--target", "ill", "--positive", "yes", "--models", "tree", "--protocol", "2fold")
ROLES = [
    ("evaluate", LEARNING, ("--cluster", "id", "--id", "id"), 0),
    ("evaluate", LEARNING, ("--cluster", "ill"), 2),
    ("evaluate", LEARNING, ("--id", "ill"), 2),
    ("evaluate", LEARNING, ("--id", "id", "--drop", "id"), 2),
    *(
        ("assess", ("--truth", "y", "--score", "p"), more, 0)
        for more in (
            ("--cluster", "id", "--id", "id"),
            ("--by", "y"),
            ("--prediction", "y"),
            ("--id", "id", "--cluster", "p"),
            ("--cluster", "y"),
            ("--frequency", "g", "--by", "g"),
        )
    ),
]


@pytest.mark.parametrize(("command", "usual", "more", "code"), ROLES)
def test_one_column_in_two_roles_is_a_result_or_one_line(tmp_path, monkeypatch, command, usual, more, code):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"p{i // 2},{i * 7 % 11},{'yes' if i % 5 < 2 else 'no'}\n" for i in range(40))
    Path("evaluate.csv").write_text("id,x,ill\n" + rows, encoding="utf-8")
    rows = "".join(f"{i},{i % 2},{i % 7 / 7},{1 + i % 4}\n" for i in range(40))
    Path("assess.csv").write_text("id,y,p,g\n" + rows, encoding="utf-8")
    done = call(command, f"{command}.csv", *usual, *more)
    assert done.exit_code == code
    assert done.stderr.count("\n") <= 1 or code == 0


@pytest.mark.parametrize("option", ["--json", "--html", "--markdown", "--save"])
def test_an_output_to_a_full_device_is_one_line(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    Path("assess.csv").write_text(
        "y,p\n" + "".join(f"{i % 2},{i % 7 / 7}\n" for i in range(40)), encoding="utf-8"
    )
    done = call("assess", "assess.csv", "--truth", "y", "--score", "p", option, "/dev/full")
    assert done.exit_code == 2
    assert done.stderr.startswith("classay: ")
    assert done.stderr.count("\n") == 1
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize(
    "option", ["--by", "--labels", "--class-scores", "--measures", "--score", "--weight"]
)
@pytest.mark.parametrize("nothing", ["", " ", ","])
def test_an_option_of_names_that_names_nothing_is_refused(tmp_path, monkeypatch, option, nothing):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text("y,p\n0,.1\n1,.8\n0,.6\n1,.4\n")
    roles = ["--truth", "y", *(["--score", "p"] if option not in ("--score", "--class-scores") else [])]
    done = call("assess", "preds.csv", *roles, option, nothing)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
