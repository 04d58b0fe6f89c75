"""The command in the tests, called in this process or its own; and the inputs that it refuses or reports."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import typer.main
from typer.testing import CliRunner

from classay.cli import app

SOURCE = str(Path(__file__).parents[2] / "src")
SCORE = ("--truth", "y", "--score", "p")
LABELS = ("--truth", "y", "--prediction", "q")
CLASSES = ("--truth", "y", "--class-scores", "u=a,v=b,w=c")

TWO = "y,p\n0,.1\n1,.8\n0,.6\n1,.4\n"
TEXT = "y,p\nham,.1\nspam,.8\nham,.6\nspam,.4\n"
OF_THE_FILE = ("data", "classay")
"""Keys of JSON that tell of the file that was read and of the version, which Python cannot know alike."""

THREE = "y,a,b,c\nu,.7,.2,.1\nv,.2,.5,.3\nw,.4,.25,.35\nu,.5,.25,.25\n"

# name: (the file, or None for no file; the arguments after its name)
REFUSED = {
    "missing file": (None, SCORE),
    "missing column": ("Outcome,p\n0,.1\n1,.8\n", ("--truth", "outcomes", "--score", "p")),
    "empty file": ("", SCORE),
    "header only": ("y,p\n", SCORE),
    "ragged row": ("y,p\n0,.1\n1\n", SCORE),
    "other delimiter": ("y;p\n0;.1\n1;.8\n", SCORE),
    "duplicate column": ("y,p,p\n0,.1,.2\n1,.8,.9\n", SCORE),
    "decimal commas": ("y;p\n0;1,100\n1;2,800\n", (*SCORE, "--delimiter", ";")),
    "decimal commas as fields": ("y,p\n0,0,1\n1,0,8\n", SCORE),
    "labels with leading zeros": ("y,q\n01,1\n01,1\n02,1\n", LABELS),
    "unknown interval": (TWO, (*SCORE, "--interval", "walt")),
    "reference without groups": (TWO, (*SCORE, "--reference", "a")),
    "prevalence in percent": (TWO, (*SCORE, "--prevalence", "5")),
    "NaN score": ("y,p\n0,.1\n1,nan\n1,\n", SCORE),
    "NaN score of a class": (THREE.replace(".25,.35", ",.35"), CLASSES),
    "score of text": ("y,p\n0,low\n1,high\n", SCORE),
    "NaN label": ("y,p\n0,.1\n,.8\n1,.9\n", SCORE),
    "NaN prediction": ("y,q\n0,1\n1,\n", LABELS),
    "every label missing": ("y,p\n,.1\nNA,.8\n", (*SCORE, "--missing", "drop")),
    "unknown word for missing": (TWO, (*SCORE, "--missing", "skip")),
    "positive is not named": (TEXT, SCORE),
    "positive is not named, one label": ("y,p\nham,.1\nham,.3\n", SCORE),
    "positive neither occurs nor is declared": (TEXT, (*SCORE, "--positive", "eggs")),
    "positive of other case": (TEXT, (*SCORE, "--positive", "Spam")),
    "positive number does not occur": ("y,p\n2,.1\n2,.8\n", (*SCORE, "--positive", "1")),
    "positive is not declared": (TEXT, (*SCORE, "--positive", "spam", "--labels", "ham,eggs")),
    "labels left undeclared": (TEXT, (*SCORE, "--positive", "spam", "--labels", "spam")),
    "declared label is no number": (TWO, (*SCORE, "--labels", "0,one")),
    "three classes, one score": ("y,p\nu,.1\nv,.8\nw,.3\n", SCORE),
    "positive among three": (THREE, (*CLASSES, "--positive", "u")),
    "threshold among three": (THREE, (*CLASSES, "--threshold", "0.3")),
    "threshold for given labels": ("y,q\n0,1\n1,1\n", (*LABELS, "--threshold", "0.3")),
    "threshold is NaN": (TWO, (*SCORE, "--threshold", "nan")),
    "class without scores": (THREE, ("--truth", "y", "--class-scores", "u=a,v=b")),
    "class scores miswritten": (THREE, ("--truth", "y", "--class-scores", "u:a,v:b,w:c")),
    "class scores twice": (THREE, ("--truth", "y", "--class-scores", "u=a,u=b,w=c")),
    "class scores of one column": (THREE, ("--truth", "y", "--class-scores", "u=a,v=a,w=c")),
    "score and class scores": (THREE, (*CLASSES, "--score", "a")),
    "no score and no prediction": (TWO, ("--truth", "y")),
    "no truth": (TWO, ("--score", "p")),
    "negative weight": ("y,p,w\n0,.1,-1\n1,.8,1\n", (*SCORE, "--weight", "w")),
    "all weights zero": ("y,p,w\n0,.1,0\n1,.8,0\n", (*SCORE, "--weight", "w")),
    "missing weight": ("y,p,w\n0,.1,\n1,.8,1\n", (*SCORE, "--weight", "w")),
    "weight of text": ("y,p,w\n0,.1,a\n1,.8,b\n", (*SCORE, "--weight", "w")),
    "fractional frequency": ("y,p,f\n0,.1,1\n1,.8,2.5\n", (*SCORE, "--frequency", "f")),
    "frequency beyond counting": ("y,p,f\n0,.1,1\n1,.8,1e15\n", (*SCORE, "--frequency", "f")),
    "weight and frequency": ("y,p,f\n0,.1,1\n1,.8,2\n", (*SCORE, "--frequency", "f", "--weight", "f")),
    "missing cluster": ("y,p,g\n0,.1,a\n1,.8,\n", (*SCORE, "--cluster", "g")),
    "types of truth and prediction": ("y,q\n0,no\n1,yes\n", LABELS),
    "score and truth swapped": (
        "y,p\n" + "".join(f"{i / 997},{i % 2}\n" for i in range(60)),
        SCORE,
    ),
    "ids as labels": ("y,p\n" + "".join(f"{i},.5\n" for i in range(1000)), SCORE),
    "level in percent": (TWO, (*SCORE, "--level", "95")),
    "negative seed": (TWO, (*SCORE, "--seed", "-1")),
    "unknown measure": (TWO, (*SCORE, "--measures", "auc,precison")),
    "no measure": (TWO, (*SCORE, "--measures", "")),
    "measure of one class for three": (THREE, (*CLASSES, "--measures", "precision")),
    "measure of three classes for two": (TWO, (*SCORE, "--measures", "hand_till_auc")),
    "output in no folder": (TWO, (*SCORE, "--html", "nowhere/report.html")),
    "output is a folder": (TWO, (*SCORE, "--json", ".")),
    "saved to standard output": (TWO, (*SCORE, "--save", "-")),
    "two outputs in one file": (TWO, (*SCORE, "--html", "out", "--json", "out")),
    "output over the input": (TWO, (*SCORE, "--html", "preds.csv")),
    "unknown format": (TWO, (*SCORE, "--format", "xlsx")),
}

CASES = "x,town,who,ill\n" + "".join(
    f"{i * 7 % 11},{'Ulm' if i % 3 else 'Bonn'},p{i // 4},{'yes' if i % 5 < 2 else 'no'}\n" for i in range(40)
)
TARGET = ("--target", "ill", "--positive", "yes", "--models", "tree")

# name: (the file, or None for no file; the arguments of `classay evaluate` after its name)
NOT_EVALUATED = {
    "missing file": (None, TARGET),
    "a saved result": (CASES, ("--format", "classay", *TARGET)),
    "no such target": (CASES, ("--target", "il")),
    "no target among outputs": (CASES, ("--models", "tree", "--html", "out.html")),
    "positive is not named": (CASES, ("--target", "ill", "--models", "tree")),
    "positive of other case": (CASES, ("--target", "ill", "--positive", "Yes", "--models", "tree")),
    "positive among three": (
        CASES.replace("p1,no", "p1,maybe"),
        TARGET,
    ),
    "one class": ("x,ill\n1,no\n2,no\n3,no\n", TARGET),
    "target missing in places": (CASES.replace("p1,no", "p1,"), TARGET),
    "target missing everywhere": ("x,ill\n1,\n2,\n", (*TARGET, "--missing", "drop")),
    "target of numbers that are no labels": (
        "x,ill\n" + "".join(f"{i},{i / 7}\n" for i in range(60)),
        ("--target", "ill", "--models", "tree"),
    ),
    "target that counts": (
        "x,ill\n" + "".join(f"{i},{i // 2}\n" for i in range(60)),
        ("--target", "ill", "--models", "tree"),
    ),
    "no features": ("ill\nyes\nno\n", TARGET),
    "every feature dropped": (CASES, (*TARGET, "--drop", "x,town,who")),
    "target dropped": (CASES, (*TARGET, "--drop", "ill")),
    "no such column dropped": (CASES, (*TARGET, "--drop", "twon")),
    "no such cluster": (CASES, (*TARGET, "--cluster", "patient")),
    "cluster missing in places": (CASES.replace("p1,", ","), (*TARGET, "--cluster", "who")),
    "fewer clusters than folds": (CASES, (*TARGET, "--cluster", "town", "--protocol", "5fold")),
    "fewer cases than folds": (CASES, (*TARGET, "--protocol", "50fold")),
    "no such model": (CASES, (*TARGET[:-1], "forrest")),
    "no model": (CASES, (*TARGET[:-1], "")),
    "no such module": (CASES, (*TARGET[:-1], "no_such_module:model")),
    "no such name in a module": (CASES, (*TARGET[:-1], "sklearn.tree:DecisionTree")),
    "a model that is none": (CASES, (*TARGET[:-1], "math:pi")),
    "the baseline by name": (CASES, (*TARGET[:-1], "baseline")),
    "no such protocol": (CASES, (*TARGET, "--protocol", "10by10")),
    "a protocol of one fold": (CASES, (*TARGET, "--protocol", "1fold")),
    "a share above 1": (CASES, (*TARGET, "--protocol", "holdout:1.5")),
    "no such measure": (CASES, (*TARGET, "--measures", "acuracy")),
    "a measure of several classes": (CASES, (*TARGET, "--measures", "hand_till_auc")),
    "no measure": (CASES, (*TARGET, "--measures", "")),
    "level in percent": (CASES, (*TARGET, "--level", "95")),
    "negative seed": (CASES, (*TARGET, "--seed", "-1")),
    "no jobs": (CASES, (*TARGET, "--jobs", "0")),
    "jobs of text": (CASES, (*TARGET, "--jobs", "all")),
    "unknown word for missing": (CASES, (*TARGET, "--missing", "skip")),
    "a store in no folder": (CASES, (*TARGET, "--store", "nowhere/runs.db")),
    "a store that is none": (CASES, (*TARGET, "--store", "preds.csv")),
    "output over the input": (CASES, (*TARGET, "--html", "preds.csv")),
    "two outputs in one file": (CASES, (*TARGET, "--html", "out", "--json", "out")),
    "saved to standard output": (CASES, (*TARGET, "--save", "-")),
    "an unknown option": (CASES, (*TARGET, "--folds", "5")),
}

# name: the arguments of `classay runs` after a store of one finished run and a saved evaluation were made
NO_RUNS = {
    "no such store": ("rums.db",),
    "no store": ("preds.csv",),
    "no such run": ("runs.db", "zzz"),
    "an output over the store": ("runs.db", "", "--json", "runs.db"),
    "a run of a saved evaluation": ("e.classay", "abc"),
    "no saved file": ("none.classay",),
    "a damaged file": ("damaged.classay",),
    "no such measure": ("e.classay", "--measures", "acuracy"),
    "a measure of several classes": ("e.classay", "--measures", "macro_recall,hand_till_auc"),
}

# name: (the file, the arguments, the warnings that must appear, parts of the reasons of measures)
REPORTED = {
    "one class": (
        "y,p\n1,.5\n1,.6\n",
        SCORE,
        {"one_class", "tiny_class", "never_predicted", "default_threshold"},
        {"roc_auc": "no case is negative", "specificity": "no case is negative"},
    ),
    "one class, the other one": (
        "y,p\n0,.5\n0,.6\n",
        SCORE,
        {"one_class"},
        {"recall": "no case is positive", "average_precision": "no case is positive"},
    ),
    "one declared class": (
        "y,p\nham,.5\nham,.6\n",
        (*SCORE, "--labels", "ham,spam", "--positive", "spam"),
        {"one_class"},
        {"roc_auc": "no case is positive"},
    ),
    "one row": (
        "y,p\n1,.5\n",
        SCORE,
        {"one_class", "constant_scores"},
        {"log_loss": "one case shows no variation", "roc_auc": "no case is negative"},
    ),
    "infinite scores": (
        "y,p\n0,-inf\n1,.7\n0,.8\n1,inf\n",
        SCORE,
        {"infinite_scores", "scores_outside_unit", "no_threshold"},
        {"log_loss": "outside [0, 1]", "brier_score": "outside [0, 1]", "accuracy": "no default threshold"},
    ),
    "scores outside [0, 1]": (
        "y,p\n0,-3\n1,7\n0,8\n1,9\n",
        SCORE,
        {"scores_outside_unit", "no_threshold"},
        {"log_loss": "from -3 to 9", "precision": "no default threshold"},
    ),
    "rows that do not sum to 1": (
        THREE.replace(".7,", ".9,"),
        CLASSES,
        {"improper_rows"},
        {"log_loss": "1 row", "multiclass_brier_score": "1 row"},
    ),
    "certain and wrong": (
        "y,p\n0,1\n1,0\n0,.2\n1,.7\n",
        SCORE,
        {"certain_and_wrong"},
        {"log_loss": "infinite"},
    ),
    "certain and wrong among three": (
        THREE.replace(".7,.2,.1", "0,.9,.1"),
        CLASSES,
        {"certain_and_wrong"},
        {"log_loss": "infinite"},
    ),
    "all scores equal": (
        "y,p\n0,.5\n1,.5\n0,.5\n1,.5\n",
        SCORE,
        {"constant_scores"},
        {"roc_auc": "all scores are equal", "log_loss": "the same loss"},
    ),
    "labels as scores": (
        "y,p\n" + "0,0\n1,1\n0,1\n" * 4,
        SCORE,
        {"two_scores"},
        {"log_loss": "infinite"},
    ),
    "perfect separation": (
        "y,p\n0,.1\n0,.2\n1,.8\n1,.9\n",
        SCORE,
        {"tiny_class"},
        {"average_precision": "boundary of its range"},
    ),
    "perfectly wrong": ("y,p\n1,.1\n1,.2\n0,.8\n0,.9\n", SCORE, {"tiny_class"}, {}),
    "a class never predicted": (
        "y,p\n0,.1\n1,.2\n0,.3\n1,.4\n",
        SCORE,
        {"never_predicted"},
        {"precision": "no case is predicted positive"},
    ),
    "a class never true": (
        THREE.replace("w,", "u,"),
        CLASSES,
        {"never_true"},
        {"macro_recall": "never true", "hand_till_auc": "a class is never true"},
    ),
    "labels of chosen cases": (
        "y,p\n" + "".join(f"{(i % 7 < 3) if i > 60 else ''!s:.1},{i / 100}\n" for i in range(100)),
        (*SCORE, "--positive", "T", "--missing", "drop"),
        {"chosen_labels", "dropped_rows"},
        {},
    ),
    "tied scores": (THREE.replace(".4,.25,.35", ".4,.4,.2"), CLASSES, {"tied_scores"}, {}),
    "dropped rows": ("y,p\n0,.1\n,nan\n1,.8\n", (*SCORE, "--missing", "drop"), {"dropped_rows"}, {}),
    "unanswered, left out": (
        "y,p\n0,.1\n1,\n1,.8\n",
        (*SCORE, "--unanswered", "drop"),
        {"unanswered_dropped"},
        {},
    ),
    "unanswered, wrong": (
        "y,p\n0,.1\n1,\n1,.8\n",
        (*SCORE, "--unanswered", "wrong"),
        {"unanswered_wrong"},
        {},
    ),
    "weights": (
        "y,p,w\n0,.1,1.5\n1,.8,2\n",
        (*SCORE, "--weight", "w"),
        {"default_threshold"},
        {"average_precision": "boundary of its range"},
    ),
    "clusters": (
        "y,p,g\n0,.1,a\n1,.8,a\n1,.3,b\n",
        (*SCORE, "--cluster", "g"),
        {"few_clusters"},
        {"debiased_squared_calibration_error": "independent cases"},
    ),
    "ids as labels": (
        "y,q\n" + "".join(f"{i},{i // 2}\n" for i in range(150)),
        LABELS,
        {"many_classes", "tiny_class", "never_predicted"},
        {"macro_precision": "never predicted"},
    ),
}


def file_with(content, folder="."):
    """A CSV file with the content; without any, the name of one that does not exist."""
    path = Path(folder, "preds.csv")
    if content is not None:
        path.write_text(content, encoding="utf-8")
    return path.name if content is not None else "nothing.csv"


@dataclass(frozen=True)
class Done:
    """What a call of the command leaves: exit code, standard output and error, and both as a terminal shows them."""

    exit_code: int
    stdout: str
    stderr: str
    output: str


@cache
def commands():
    """All commands, put together once: Typer's own runner does it at every call."""
    return typer.main.get_command(app)


def call(*arguments, stdin=None, columns=None):
    """The command in this process; what it does not catch itself is raised. `columns` is the width of the terminal."""
    with CliRunner().isolation(
        input=stdin, env={} if columns is None else {"COLUMNS": str(columns)}
    ) as streams:
        try:
            commands().main([str(each) for each in arguments], prog_name="classay")
        except SystemExit as end:
            code = end.code or 0
        sys.stdout.flush()
        sys.stderr.flush()
        return Done(code, *(each.getvalue().decode().replace("\r\n", "\n") for each in streams))


def typed(text):
    """The arguments of a call of the command as they are typed, where none has a space."""
    return tuple(text.split())


def refusal(*arguments, lines=1, **how):
    """What the command says where it refuses: one line on standard error, behind others if warned, and nothing else."""
    done = call(*arguments, **how)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", lines), done.output
    return done.stderr


def json_of(*arguments, code=0, but=(), quiet=False):
    """The JSON that the command writes, without the keys `but`; with nothing on standard error where it is `quiet`."""
    done = call(*arguments, "--json", "-")
    assert done.exit_code == code, done.output
    assert not (quiet and done.stderr)
    return {key: value for key, value in json.loads(done.stdout).items() if key not in but}


def as_json(result, but=()):
    """What Python returns, as JSON gives it back: an option is an argument where this is `json_of` the command."""
    found = json.loads(json.dumps(result.to_dict()))
    return {key: value for key, value in found.items() if key not in but}


def write_columns(path, columns):
    """A CSV file of the columns, and its path as text. None and NaN are empty fields."""
    rows = zip(*columns.values(), strict=True)
    lines = [",".join("" if each is None or each != each else str(each) for each in row) for row in rows]
    Path(path).write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
    return str(path)


def result(content, arguments):
    """The JSON of a file with the content, in the current folder."""
    return json_of("assess", file_with(content), *arguments)


def start(*arguments, stdin=None, **environment):
    """The command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "classay", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": SOURCE} | environment,
        check=False,
        timeout=120,
    )
