"""Every option of every command is used or refused: what somebody wrote has an effect, or is named in an error.

The sweep walks the commands' own parameters, so that a new option needs a line here: a call in which it matters.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.core import TyperOption

from classay.cli.commands.compare import MODES
from classay.cli.given import READING, OfWings, leave_as_given
from classay.cli.lists import names_in, pairs_in
from classay.errors import InputError
from command import SOURCE, call, commands, json_of, refusal
from wing_samples import of_wings

TRUTH = ("--truth", "y", "--score", "p")
ROWS = ("p.csv", *TRUTH)
MATRIX = ("--matrix", "matrix.csv", "--matrix-rows", "true", "--positive", "b")
PAIR = ("p.csv", "--truth", "y", "--scores", "p,q", "--measures", "auc")
FILES = ("p.csv", "q.csv", "--truth", "y", "--score", "p", "--measures", "auc")
GATE = ("p.csv", "r.csv", "--truth", "y", "--score", "p", "--measure", "auc", "--rule", "superior")
MERGED = ("one.classay", "two.classay")
MOVED = ("p.csv", "--truth", "y", "--new", "q", "--old", "p")
DECIDE = ("p.csv", *TRUTH, "--cost", "fp=1", "--cost", "fn=3")
BY_RULE = ("p.csv", *TRUTH, "--maximize", "recall", "--where", "fpr <= 0.2")
GRADES = ("low", "mid", "high")
GRADED = ("grades.csv", "--truth", "t", "--predictions", "a,b")
CUT = ("grades.csv", "--truth", "t", "--score", "x")
ORDER = ("--order", "low,mid,high")

PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
"""All pages of a result, which one call writes."""

KEPT = (*PAGES, "--save", "d.classay")
"""All that a call writes whose result is saved."""

# command: option: (the call without it, the option with its value)
USED = {
    "assess": {
        "--order": (("grades.csv", "--truth", "t", "--prediction", "a"), ORDER),
        "--truth": (("p.csv",), TRUTH),
        "--matrix": (MATRIX, ("--matrix", "matrix2.csv")),
        "--matrix-rows": (MATRIX, ("--matrix-rows", "predicted")),
        "--counts": (("--counts", "tp=4,fp=1,fn=2,tn=9"), ("--counts", "tp=4,fp=2,fn=2,tn=9")),
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
        "--thresholds": (ROWS, ("--thresholds", "t.csv")),
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
        "--score-scale": (ROWS, ("--score-scale", "logit")),
        "--measures": (ROWS, ("--measures", "auc")),
        "--require": (ROWS, ("--require", "auc > 1")),
        "--cost": ((*ROWS, "--require", "expected_cost <= 1"), ("--cost", "fn=w")),
        "--all": (ROWS, ("--all",)),
        "--json": (ROWS, PAGES),
        "--save": (ROWS, ("--save", "a.classay")),
        "--html": (ROWS, PAGES),
        "--latex": (ROWS, PAGES),
        "--markdown": (ROWS, PAGES),
        "--format": (("p.txt", *TRUTH), ("--format", "csv")),
        "--delimiter": (("semi.csv", *TRUTH), ("--delimiter", ";")),
    },
    "decide": {
        "--truth": (("p.csv", "--score", "p", "--cost", "fp=1"), ("--truth", "y")),
        "--score": (DECIDE, ("--score", "q")),
        "--score-scale": (DECIDE, ("--score-scale", "logit")),
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
        "--order": ((*CUT, "--order", "mid,low,high"), ORDER),
        "--steps": ((*CUT, *ORDER), ("--steps", "0,1,4")),
        "--prevalence": (DECIDE, ("--prevalence", "0.05")),
        "--level": (DECIDE, ("--level", "0.9")),
        "--seed": (DECIDE, ("--seed", "1")),
        "--missing": (("holes.csv", *DECIDE[1:]), ("--missing", "drop")),
        "--unanswered": (("unsaid.csv", *DECIDE[1:]), ("--unanswered", "drop")),
        "--json": (DECIDE, PAGES),
        "--html": (DECIDE, PAGES),
        "--latex": (DECIDE, PAGES),
        "--markdown": (DECIDE, PAGES),
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
        "--score-scale": ((*PAIR[:-1], "brier_score"), ("--score-scale", "logit")),
        "--unpaired": (FILES, ("--unpaired",)),
        "--better": (("p.csv", "--graded", "p,q"), ("--better", "lower")),
        "--control": (
            ("p.csv", "--truth", "y", "--scores", "p,q,n", "--measures", "auc"),
            ("--control", "q"),
        ),
        "--graded": (("p.csv", "--cluster", "g"), ("--graded", "p,q")),
        "--bounds": (("p.csv", "--graded", "p,q"), ("--bounds", "-2,2")),
        "--cost": (PAIR, ("--cost", "fn=w")),
        "--pairs": (("p.csv", "--truth", "y", "--scores", "p,q,w,n", "--measures", "auc"), ("--pairs",)),
        "--rule": (PAIR, ("--rule", "superior")),
        "--margin": ((*PAIR, "--rule", "superior"), ("--margin", "0.01")),
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
        "--json": (PAIR, PAGES),
        "--html": (PAIR, PAGES),
        "--latex": (PAIR, PAGES),
        "--markdown": (PAIR, PAGES),
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
        "--score-scale": ((*PAIR[:-2], "--measure", "brier_score"), ("--score-scale", "logit")),
        "--threshold": (PAIR[:-2], ("--threshold", "0.3")),
        "--weight": (PAIR[:-2], ("--weight", "w")),
        "--frequency": (PAIR[:-2], ("--frequency", "w")),
        "--cluster": (PAIR[:-2], ("--cluster", "pair")),
        "--level": (PAIR[:-2], ("--level", "0.9")),
        "--seed": (PAIR[:-2], ("--seed", "1")),
        "--missing": (("holes.csv", *PAIR[1:-2]), ("--missing", "drop")),
        "--unanswered": (("unsaid.csv", *PAIR[1:-2]), ("--unanswered", "drop")),
        "--json": (PAIR[:-2], PAGES),
        "--html": (PAIR[:-2], PAGES),
        "--latex": (PAIR[:-2], PAGES),
        "--markdown": (PAIR[:-2], PAGES),
        "--format": (("p.txt", *PAIR[1:-2]), ("--format", "csv")),
        "--delimiter": (("semi.csv", *PAIR[1:-2]), ("--delimiter", ";")),
    },
    "reclassification": {
        "--truth": (("p.csv", *MOVED[3:]), ("--truth", "y")),
        "--new": ((*MOVED[:3], *MOVED[5:]), ("--new", "q")),
        "--old": (MOVED[:5], ("--old", "p")),
        "--positive": (MOVED, ("--positive", "0")),
        "--cuts": (MOVED, ("--cuts", "0.3,0.6")),
        "--score-scale": (MOVED, ("--score-scale", "logit")),
        "--level": (MOVED, ("--level", "0.9")),
        "--json": (MOVED, PAGES),
        "--html": (MOVED, PAGES),
        "--latex": (MOVED, PAGES),
        "--markdown": (MOVED, PAGES),
        "--format": (("p.txt", *MOVED[1:]), ("--format", "csv")),
        "--delimiter": (("semi.csv", *MOVED[1:]), ("--delimiter", ";")),
    },
    "gate": {
        "--labels": ((*GRADED, "--measure", "accuracy", "--rule", "superior"), ("--labels", "low,mid")),
        "--order": ((*GRADED, "--measure", "quadratic_kappa", "--rule", "superior"), ORDER),
        "--measure": ((*GATE[:6], *GATE[8:]), ("--measure", "brier_score")),
        "--rule": (GATE[:8], ("--rule", "not-worse")),
        "--margin": (GATE, ("--margin", "0.01")),
        "--inconclusive": (
            (*GATE[:8], "--rule", "non-inferior", "--margin", "0.01"),
            ("--inconclusive", "fail"),
        ),
        "--graded": (("p.csv", "--rule", "superior", "--cluster", "g"), ("--graded", "p,q")),
        "--bounds": (("same.csv", "--rule", "superior", "--graded", "a,b"), ("--bounds", "0,1")),
        "--better": (("p.csv", "--rule", "superior", "--graded", "p,q"), ("--better", "lower")),
        "--truth": ((*GATE[:2], *GATE[4:]), GATE[2:4]),
        "--scores": ((*GATE[:4], *GATE[6:]), ("--scores", "p")),
        "--class-scores": ((*GATE[:4], *GATE[6:]), ("--class-scores", "0=n,1=p")),
        "--predictions": ((*GATE[:7], "recall", *GATE[8:]), ("--predictions", "l")),
        "--id": (("p.csv", "q.csv", *GATE[2:]), ("--id", "id")),
        "--positive": ((*GATE[:7], "average_precision", *GATE[8:]), ("--positive", "0")),
        "--threshold": ((*GATE[:7], "recall", *GATE[8:]), ("--threshold", "0.3")),
        "--score-scale": ((*GATE[:7], "brier_score", *GATE[8:]), ("--score-scale", "logit")),
        "--require": (GATE, ("--require", "auc > 1")),
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
        "--json": (GATE, PAGES),
        "--html": (GATE, PAGES),
        "--latex": (GATE, PAGES),
        "--markdown": (GATE, PAGES),
        "--format": (("p.txt", "q.txt", *GATE[2:]), ("--format", "csv")),
        "--delimiter": (("semi.csv", "semi2.csv", *GATE[2:]), ("--delimiter", ";")),
    },
    "merge": {
        "--require": (MERGED, ("--require", "accuracy >= 0.99")),
        "--measures": (MERGED, ("--measures", "auc")),
        "--all": (MERGED, ("--all",)),
        "--json": (MERGED, PAGES),
        "--save": (MERGED, ("--save", "whole.classay")),
        "--html": (MERGED, PAGES),
        "--latex": (MERGED, PAGES),
        "--markdown": (MERGED, PAGES),
    },
    "proportion": {
        "--level": (("75", "100"), ("--level", "0.8")),
        "--json": (("75", "100"), PAGES),
        "--html": (("75", "100"), PAGES),
        "--latex": (("75", "100"), PAGES),
        "--markdown": (("75", "100"), PAGES),
    },
    "runs": {
        "--measures": ((".",), ("--measures", "auc")),
        "--json": (("kept.classay",), PAGES),
        "--save": (("kept.classay",), ("--save", "again.classay")),
        "--html": (("kept.classay",), PAGES),
        "--latex": (("kept.classay",), PAGES),
        "--markdown": (("kept.classay",), PAGES),
    },
    "measures": {},
    "demo": {},
    "warm": {},
}
for of_wing in of_wings("USED"):
    for command, own in of_wing.items():
        USED.setdefault(command, {}).update(own)
for derived in of_wings("used_from_delimiter"):
    for own in USED.values():
        if "--delimiter" in own:
            own.update(derived(*own["--delimiter"]))
for derived in of_wings("used_from_markdown"):
    for own in USED.values():
        if "--markdown" in own:
            own.update(derived(*own["--markdown"]))
MAY_BE_REFUSED = ("--jobs", "--labels", "--dask", "--task", *chain(*of_wings("MAY_BE_REFUSED")))


def every(group, path=""):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from every(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


COMMANDS = dict(every(commands()))
OPTIONS = {
    name: [
        each.opts[0] for each in command.params if each.param_type_name == "option" and each.name != "help"
    ]
    for name, command in COMMANDS.items()
}


def write_inputs():
    """Every file that a call reads, in the current folder."""
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
    Path("r.csv").write_text(other)
    few = "\n".join(["y,p,q,pair", *(f"{y[i]},{p[i]},{q[i] + i * 1e-6:.6f},{i // 4}" for i in range(40))])
    for name in ("few.csv", "few.txt"):
        Path(name).write_text(few)
    Path("few_holes.csv").write_text(few.replace("\n1,", "\n,", 1))
    Path("few_semi.csv").write_text(few.replace(",", ";"))
    Path("holes.csv").write_text(text.replace("\n5,1,", "\n5,,"))
    Path("holes2.csv").write_text(other.replace("\n5,1,", "\n5,,"))
    for name, rows in (("unsaid.csv", text), ("unsaid2.csv", other)):
        Path(name).write_text(re.sub(r"\n5,1,[^,]*,", "\n5,1,,", rows))
    days = [f"{y[i]},{p[i]},2026-03-{1 + i % 28:02d}" for i in range(n)]
    Path("days.csv").write_text("\n".join(["y,p,day", *days]) + "\n")
    t, a, b = (rng.integers(0, 3, 60) for _ in "tab")
    grades = [f"{GRADES[t[i]]},{GRADES[max(t[i], a[i])]},{GRADES[b[i]]},{q[i]}" for i in range(60)]
    Path("grades.csv").write_text("\n".join(["t,a,b,x", *grades]) + "\n")
    Path("matrix.csv").write_text(",a,b\na,50,3\nb,7,40\n")
    Path("matrix2.csv").write_text(",a,b\na,50,4\nb,7,40\n")
    Path("same.csv").write_text("a,b\n" + "0.2,0.2\n0.4,0.4\n0.9,0.9\n" * 9)
    Path("strict.toml").write_text("margin = 0.2\n")
    Path("semi.csv").write_text(text.replace(",", ";"))
    Path("semi2.csv").write_text(other.replace(",", ";"))
    results = [
        f"s{k},{model},{run},{0.6 + 0.1 * (model == 'a') + 0.01 * rng.random():.4f}"
        for k in range(8)
        for model in "abc"
        for run in (1, 2)
    ]
    for write in of_wings("write_inputs"):
        write()
    Path("long.csv").write_text("\n".join(["set,model,run,auc", *results]))
    for write in of_wings("write_inputs_after"):
        write()


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A folder with every file that a call reads, written once, and their contents."""
    with contextlib.chdir(tmp_path_factory.mktemp("inputs")):
        write_inputs()
        return Path.cwd(), {path.name: path.read_bytes() for path in Path().iterdir()}


@pytest.fixture
def folder(inputs, monkeypatch):
    """The folder as it was written: what a test leaves there or writes over is put right."""
    place, contents = inputs
    monkeypatch.chdir(place)
    yield place
    for path in place.iterdir():
        if path.name not in contents:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, content in contents.items():
        if not Path(name).exists() or Path(name).read_bytes() != content:
            Path(name).write_bytes(content)


def outcome(*arguments):
    """All that a call leaves behind: code, both streams, files; outputs of calls before are removed."""
    before = {*Path().iterdir()}
    done = call(*arguments)
    left = {
        str(path): path.read_bytes() for path in Path().iterdir() if path.is_file() and path not in before
    }
    for path in left:
        Path(path).unlink()
    return done.exit_code, done.stdout, done.stderr, left


@pytest.mark.parametrize(
    "command",
    [
        *(name for name in COMMANDS if name != "runs"),
        pytest.param("runs", marks=pytest.mark.wings("resampling")),
    ],
)
def test_every_option_has_a_call_in_which_it_matters(command):
    assert set(USED[command]) == set(OPTIONS[command])


@cache
def saved(command, *arguments):
    """The file that a call saves, made once for all tests."""
    assert call(command, *arguments, "--save", "made.classay").exit_code == 0
    made = Path("made.classay").read_bytes()
    Path("made.classay").unlink()
    return made


def save_of_wings():
    """The files that calls of wings read."""
    for name, arguments in chain(*(files.items() for files in of_wings("SAVED"))):
        Path(name).write_bytes(saved(*arguments))


@cache
def left_by(*arguments):
    """What a call leaves behind: many options share the one without them, in folders of the same files."""
    return outcome(*arguments)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("command", "option"), [(command, option) for command, options in USED.items() for option in options]
)
def test_an_option_is_used_or_refused(folder, command, option):
    if command == "runs":
        Path("kept.classay").write_bytes(saved("assess", *ROWS))
        save_of_wings()
    if command == "merge" or option == "--from":
        for name, score in zip((*MERGED, "three.classay"), "pqn", strict=True):
            Path(name).write_bytes(saved("assess", *ROWS[:-1], score))
    base, with_it = USED[command][option]
    if option in base:  # another value in its place
        place = base.index(option)
        instead = (*base[:place], *with_it, *base[place + 2 :])
    else:
        instead = (*base, *with_it)
    bare, changed = (left_by(*command.split(), *each) for each in (base, instead))
    assert changed[0] in (0, 1, 2, 3), changed[2]
    assert bare != changed, f"{option} changes nothing"
    if with_it[: len(PAGES)] == PAGES:
        assert with_it[with_it.index(option) + 1] in changed[3].keys() - bare[3].keys()
    if changed[0] == 2 and option not in MAY_BE_REFUSED:
        pytest.fail(f"the call meant to show {option} is refused: {changed[2]}")


def kinds_of_parameters():
    """One parameter of each kind that the commands have, by what a kind is: type, limits, and how many values."""
    options = {each.opts[0]: each for command in COMMANDS.values() for each in command.params}
    kinds = {}
    for each in options.values():
        known = each.type_descriptor if hasattr(each, "type_descriptor") else each.type
        kind = (str(getattr(known, "annotation", known)), each.min, each.max, each.multiple, each.nargs)
        kinds.setdefault((*kind, type(each.default)), each)
    return [*kinds.values()]


WRITING = [name for name, options in USED.items() if "--json" in options and name != "runs"]


def reading(command):
    """The calls of a command that read a file which no call before reads, each with this file."""
    known = {}
    for option, (base, with_it) in USED[command].items():
        twice = option in PAGES or option in base or {*base} & {*filter(re.compile("--").match, with_it)}
        arguments = base if twice else (*base, *with_it)
        for name in arguments:
            if Path(name).is_file() and name not in known and "--json" not in arguments:
                known[name] = arguments
    return known.items()


@pytest.mark.parametrize("command", WRITING)
def test_no_output_replaces_an_input_or_another_output_and_all_are_looked_at_before_the_work(folder, command):
    """Of each file that a call reads, and of each output."""
    if command == "merge":
        for name, score in zip((*MERGED, "three.classay"), "pqn", strict=True):
            Path(name).write_bytes(saved("assess", *ROWS[:-1], score))
    base, how = USED[command]["--json"]
    forms = [option for option in how if option.startswith("--")]
    wrong = [
        *((arguments, ("--json", name), "would overwrite|database") for name, arguments in reading(command)),
        *((base, (option, "none/a.classay"), "Cannot write none/a.classay because") for option in forms),
        *[
            (
                base,
                (forms[0], "same.classay", forms[-1], "./same.classay"),
                "Two outputs have the same file name.",
            )
        ][: len(forms) - 1],
    ]
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    for arguments, outputs, words in wrong:
        done = call(*command.split(), *arguments, *outputs)
        assert re.search(words, " ".join(done.stderr.split())), (command, arguments, outputs, done.stderr)
        assert (done.exit_code, done.stdout) == (2, ""), (command, outputs)
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before


@pytest.mark.skipif(
    not hasattr(TyperOption, "get_runtime_param"), reason="this Typer converts without Pydantic"
)
def test_values_are_converted_as_typer_does_however_often_a_command_is_called():
    """Texts and defaults that are left as they are, are what Typer makes of them; others, and refusals, are Typer's."""
    texts = ["1", "0", "0.5", "-3", "1e400", "true", "abc", "", "\udcff", "refuse"]
    kinds = kinds_of_parameters()
    assert len(kinds) > 10
    for parameter in kinds:
        usual = type(parameter).get_runtime_param(parameter)
        for _ in range(sys.getrecursionlimit()):
            leave_as_given([parameter])
        is_list = parameter.multiple or parameter.nargs == -1
        values = [(text, "1") for text in texts] + [["1"], ()] if is_list else [*texts, 1, 0.5, 10**30, 0]
        for value in (None, parameter.default, *values):
            made = []
            for each in (usual, parameter.get_runtime_param()):
                try:
                    result = each.coerce(value, param=parameter, ctx=None)
                    made.append((type(result), result))
                except typer.BadParameter as error:
                    made.append((type(error), str(error)))
            assert made[0] == made[1], (parameter.opts, value)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_given_twice_is_refused(folder, command):
    for parameter in COMMANDS[command].params:
        if parameter.param_type_name != "option" or parameter.multiple or parameter.name == "help":
            continue
        if not parameter.is_flag:
            assert f"{parameter.opts[0]} is given twice" in refusal(
                *command.split(), parameter.opts[0], "1", f"{parameter.opts[0]}=2"
            )


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
        *chain(*of_wings("SAID_ANYWAY")),
    ],
)
def test_what_is_so_anyway_may_be_said(folder, more):
    """An option that changes nothing is no error: what it asks for is there."""
    done = call("assess", *ROWS, *more)
    assert (done.exit_code, done.stderr.count("PASS")) == (0, more.count("--require"))


IN_ONE = ("p.csv", "--truth", "y", "--scores", "p,q")


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("command", "usual", "more"),
    [
        ("compare", (*IN_ONE, "--measures", "auc"), ("--id", "id")),
        ("compare", ("p.csv", "--truth", "y", "--measures", "auc"), ("--scores", "p,q,p")),
        (
            "compare",
            ("one.classay", "two.classay"),
            ("--seed", "0", "--missing", "refuse", "--unanswered", "refuse"),
        ),
        ("gate", (*IN_ONE, "--measure", "auc", "--rule", "superior"), ("--id", "id")),
        ("gate", ("one.classay", "two.classay", "--measure", "auc", "--rule", "superior"), ("--seed", "0")),
        ("decide", DECIDE, ("--score", "p")),
        ("decide", DECIDE, ("--cost", "fp=1.0", "--cost", "fn=3")),
        *chain(*of_wings("SAID_TWICE")),
    ],
)
def test_the_same_said_twice_or_as_it_is_changes_nothing(folder, command, usual, more):
    """What every command refuses is what asks for something that it does not do."""
    for name, score in zip(MERGED if usual[0] == MERGED[0] else (), "pq", strict=False):
        assert call("assess", *ROWS[:-1], score, "--id", "id", "--save", name).exit_code == 0
    named = dict(zip(more[::2], more[1::2], strict=True))
    without = (
        usual
        if "--models" not in named
        else usual[: usual.index("--models")] + usual[usual.index("--models") + 2 :]
    )
    shown = [call(command, *each, "--json", "-") for each in (usual, (*without, *more))]
    assert shown[1].exit_code == (shown[0].exit_code if command == "gate" else 0), shown[1].stderr
    if "--drop" not in named and usual[-1] != "auc":
        assert shown[0].stdout == shown[1].stdout


@pytest.mark.parametrize(
    ("command", "more", "said"),
    [
        (
            "assess",
            (*ROWS, "--all", "--measures", "auc"),
            "--all and --measures cannot be combined",
        ),
        (
            "assess",
            (*ROWS, "--id", "id", "--weight", "w"),
            "--id cannot be combined with --weight or --frequency",
        ),
        (
            "assess",
            (*ROWS, "--id", "id", "--frequency", "w"),
            "--id cannot be combined with --weight or --frequency",
        ),
        (
            "assess",
            ("p.csv", "--truth", "y", "--prediction", "l", "--improper", "renormalise"),
            "has no effect without class scores",
        ),
        ("assess", (*ROWS, "--improper", "renormalise"), "Scores of one column"),
        *chain(*of_wings("REFUSED")),
    ],
)
def test_what_would_be_ignored_is_refused(folder, command, more, said):
    done = call(command, *more)  # one names its failed fits before
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


VALUES = {
    "--level": "0.9",
    "--seed": "3",
    "--missing": "drop",
    "--unanswered": "drop",
    "--improper": "keep",
    "--score-scale": "logit",
    "--task": "classes",
    "--rule": "superior",
    "--per": "day",
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
    "unpaired": (*FILES[:-2], "--unpaired"),
    "assessments": ("a.classay", "b.classay"),
    "rows": PAIR,
}


BASES |= {mode: call for bases in of_wings("BASES") for mode, call in bases.items()}


@pytest.mark.parametrize("mode", BASES)
def test_what_a_way_of_comparing_does_not_use_is_refused(folder, mode):
    for name in "ab":
        Path(f"{name}.classay").write_bytes(saved("assess", *ROWS, "--id", "id"))
    save_of_wings()
    ways = {way.__name__: way.uses for way in OfWings("compare").ways()}
    used = ways[mode] if mode in ways else MODES[mode][0]
    turns = {
        "--design",
        "--reader",
        "--unpaired",
        "--dataset",
        "--model",
        "--value",
        "--fold",
        "--run",
        "--better",
    }  # to another way
    for each in COMMANDS["compare"].params:
        if each.param_type_name != "option" or each.name in {*used, "help"} or each.opts[0] in turns:
            continue
        value = value_of(each, "p")
        assert each.opts[0] in refusal("compare", *BASES[mode], each.opts[0], *value)


NO_TRUTH_NEEDED = (
    "--truth",
    *(f"--{name.replace('_', '-')}" for name in READING),
    *("--matrix", "--matrix-rows", "--counts"),
    *chain(*of_wings("NO_TRUTH_NEEDED")),
)


@pytest.mark.parametrize(
    "option",
    [each for each in OPTIONS["assess"] if each not in NO_TRUTH_NEEDED],
)
def test_no_gate_passes_unseen_where_only_columns_are_listed(folder, option):
    parameter = next(each for each in COMMANDS["assess"].params if each.opts[0] == option)
    done = refusal("assess", "p.csv", option, *value_of(parameter, "2"))
    assert "--truth" in done
    assert option in done


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("classay recl", ["reclassification"]),
        ("classay assess --missing ", ["refuse", "drop", "drop-unscored"]),
        ("classay measures hand_t", ["hand_till_auc"]),
        *chain(*of_wings("COMPLETED")),
    ],
)
def test_the_shell_completes(monkeypatch, words, found):
    asked = {"_CLASSAY_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert call().stdout.split() == found
    if found != ["reclassification"]:
        return
    as_installed = "import sys; sys.argv = ['classay']; from classay.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", as_installed],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": SOURCE},
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


@pytest.mark.usefixtures("folder")
def test_costs_are_those_of_the_measures_and_of_each_model():
    named = call(
        "assess", *ROWS, "--measures", "expected_cost,auc", "--cost", "fp=1", "--cost", "fn=3", "--json", "-"
    )
    by_hand = call("assess", *ROWS, "--measures", "expected_cost(1,3),auc", "--json", "-")
    assert json.loads(named.stdout)["measures"] == json.loads(by_hand.stdout)["measures"]
    assert "--require" in refusal("assess", *ROWS, "--measures", "expected_cost", "--cost", "fn=w")
    both = json_of("decide", *DECIDE, "--score", "q")
    alone = json_of("decide", *DECIDE)
    assert [each["model"] for each in both["choices"]] == ["p", "q"]
    assert both["choices"][0]["threshold"]["value"] == alone["threshold"]["value"]


def test_names_and_pairs():
    assert names_in('a,"b,c", d ', "--x") == ["a", "b,c", "d"]
    assert names_in('"say ""so""",b', "--x") == ['say "so"', "b"]
    assert names_in(None, "--x") == []
    for nothing in ("", " ", ",", ' , ""'):
        with pytest.raises(InputError, match="is empty"):
            names_in(nothing, "--x")
    assert pairs_in('"a=b"=c,d="e,f"', "--x", "A=B") == [("a=b", "c"), ("d", "e,f")]
    for wrong in ("a", "=b", "a=", 'a="b'):
        with pytest.raises(InputError):
            pairs_in(wrong, "--x", "A=B")


ROLES = [
    *chain(*of_wings("ROLES")),
    *(
        ("assess", ("--truth", "y", "--score", "p"), more, code)
        for more, code in (
            (("--cluster", "id", "--id", "id"), 0),
            (("--prediction", "y"), 0),
            (("--id", "id", "--cluster", "p"), 2),
            (("--cluster", "y"), 2),
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
    "option",
    [*chain(*of_wings("OF_COLUMNS")), "--labels", "--class-scores", "--measures", "--score", "--weight"],
)
@pytest.mark.parametrize("nothing", ["", " ", ","])
def test_an_option_of_names_that_names_nothing_is_refused(tmp_path, monkeypatch, option, nothing):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text("y,p\n0,.1\n1,.8\n0,.6\n1,.4\n")
    roles = ["--truth", "y", *(["--score", "p"] if option not in ("--score", "--class-scores") else [])]
    refusal("assess", "preds.csv", *roles, option, nothing)


def test_a_percentage_of_cases_is_not_taken_for_a_share(tmp_path):
    (tmp_path / "r.csv").write_text("y,p\n" + "".join(f"{k % 2},{k / 40}\n" for k in range(40)))
    options = ("decide", str(tmp_path / "r.csv"), "--truth", "y", "--score", "p")
    for top, told in (("10%", "Use a number of cases, such as 10"), ("0.1", "multiply it by their number")):
        assert told in refusal(*options, "--top", top)
