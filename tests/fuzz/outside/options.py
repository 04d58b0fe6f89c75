"""Options of every kind: arguments of the functions in Python, and texts of the command."""

import os
import tempfile
from decimal import Decimal
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from ..calls.rows import look_at
from .files import command

VALUES = [
    None, True, 0, 1, 5, -1, 0.5, 1e-300, 1e300, float("nan"), float("inf"), "", "0.5", "x", "wilson",
    "bootstrap", [], [0.9],
    ["a", "b"], (), {}, {"a": 1}, b"x", 2**70, Decimal(".5"), np.float32(0.3), np.array([1, 2]), np.nan, object, len,
]  # fmt: skip
OPTIONS = [
    "level",
    "seed",
    "interval",
    "labels",
    "threshold",
    "positive",
    "missing",
    "weight",
    "frequency",
    "cluster",
    "id",
]
CALLS = {
    "assess": OPTIONS,
    "at": ["threshold"],
    "at_prevalence": ["prevalence"],
    "estimate": ["name", "method"],
    "compare": [
        "measures",
        "margin",
        "rule",
        "adjustment",
        "level",
        "method",
        "threshold",
        "control",
        "rope",
    ],
    "threshold_for": ["tpr"],
    "one_vs_rest": ["label"],
}
TEXTS = [
    "",
    "0",
    "1",
    "-1",
    "nan",
    "inf",
    "1e400",
    "0.5",
    "x",
    "yes",
    "9" * 300,
    "a,b",
    ",",
    "=",
    "\x1b",
    "p",
    "y",
    "ü\u202e",
]
FLAGS = [
    "--truth", "--score", "--prediction", "--positive", "--labels", "--weight", "--frequency", "--cluster",
    "--id", "--by",
    "--threshold", "--level", "--seed", "--interval", "--measures", "--prevalence", "--require", "--missing",
    "--format",
    "--delimiter", "--class-scores", "--reference",
]  # fmt: skip

SUITS = {
    "--truth": ["y"], "--score": ["p", "q"], "--prediction": ["y"], "--positive": ["yes", "no"], "--labels": ["yes,no"],
    "--weight": ["w", "p"], "--frequency": ["id"], "--cluster": ["w", "y"], "--id": ["id"], "--by": ["y", "w", "y,q"],
    "--threshold": ["0.5", "0", "1e9"], "--level": ["0.9", "0.5", "1e-9"], "--seed": ["1", "9"],
    "--interval": ["wilson", "bootstrap", "jeffreys"], "--measures": ["auc", "f1,mcc", "f_beta(3)", "top_2_accuracy"],
    "--prevalence": ["0.01", "0.5"], "--require": ["auc > 0.5", "recall.low >= 0.9"], "--missing": ["drop", "refuse"],
    "--format": ["csv"], "--delimiter": [","], "--class-scores": ["yes=p,no=q"], "--reference": ["yes", "3"],
}  # fmt: skip
"""Texts that suit an option; the others suit none."""
SUITABLE = {
    "level": [0.5, 0.9, np.float32(0.3)], "seed": [0, 5], "interval": ["wilson", "bootstrap", None], "labels": [[0, 1]],
    "threshold": [0.5, 1, Decimal(".5")], "positive": [0, 1, True], "missing": ["drop"], "prevalence": [0.5, 0.01],
    "weight": [[1.5] * 20], "frequency": [[2] * 20], "cluster": [[*"abcd"] * 5], "id": [range(20)], "tpr": [0.5, 0, 1],
    "name": ["recall", "auc", "f_beta(2)"], "method": [None, "bootstrap", "delta"], "label": [0, 1], "control": ["a"],
    "measures": [["auc"], ["f1", "mcc"]], "margin": [0.1], "rule": ["superior", "not-worse"], "rope": [None],
    "adjustment": ["holm", "bonferroni"],
}  # fmt: skip


def _mostly(suits, others):
    return st.integers(0, 5).flatmap(lambda drawn: st.sampled_from(suits if drawn else others))


def _arguments(name):
    names = st.lists(st.sampled_from(CALLS[name]), min_size=1, max_size=2, unique=True)
    return names.flatmap(
        lambda chosen: st.fixed_dictionaries({each: _mostly(SUITABLE[each], VALUES) for each in chosen})
    )


def _call_of(name):
    return st.fixed_dictionaries({"call": st.just(name), "how": _arguments(name)})


_called = st.sampled_from(["assess", "compare", *CALLS]).flatmap(_call_of)
COMMON = [
    "--truth",
    "--positive",
    "--weight",
    "--cluster",
    "--threshold",
    "--level",
    "--seed",
    "--missing",
    "--format",
]
KNOWN = {
    "assess": [flag for flag in FLAGS if flag not in ("--class-scores", "--prediction")],
    "compare": [*COMMON, "--measures", "--frequency"],
    "gate": [*COMMON, "--frequency", "--require", "--id", "--score"],
    "sample-size proportion": ["--level", "--prevalence"],
    "measures": ["--score"],
}
"""The options that a command has, and that go with its roles; every so often it gets another."""


def _flags_of(name):
    flag = _mostly(KNOWN[name], FLAGS).flatmap(
        lambda flag: st.tuples(st.just(flag), _mostly(SUITS[flag], TEXTS))
    )
    return st.fixed_dictionaries({"command": st.just(name), "flags": st.lists(flag, min_size=1, max_size=2)})


_typed = st.sampled_from(["assess"] * 4 + ["compare", "compare", *KNOWN]).flatmap(_flags_of)
INPUTS = st.one_of(_called, _typed)
ROLES = {
    "assess": "--truth y --score p --positive yes",
    "compare": "--truth y --scores p,q --positive yes --measures auc",
    "gate": "--truth y --score p --positive yes --measure auc --rule superior",
    "sample-size": "--half-width 0.1",
    "measures": "",
}


def check(given):
    """Call with these options; whatever is no option is one line."""
    if "command" in given:
        _by_command(given)
    else:
        _call(given["call"], given["how"])


def _by_command(given):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "preds.csv")
        path.write_text(
            "id,y,p,q,w\n"
            + "".join(f"{i},{'yes' if i % 3 else 'no'},{i % 7 / 7},.5,{i}\n" for i in range(30))
        )
        name = given["command"].split()[0]
        files = {"sample-size": [], "measures": [], "gate": [path, path]}.get(name, [path])
        said = dict.fromkeys(flag for flag, _ in given["flags"])
        roles = ROLES[name].split()
        kept = [
            part for at in range(0, len(roles), 2) if roles[at] not in said for part in roles[at : at + 2]
        ]
        flags = [part for flag in given["flags"] for part in flag]
        command(*given["command"].split(), *map(os.fspath, files), *kept, *flags)


def _call(name, how):
    import classay as ca

    y, p = [0, 1] * 10, [i % 7 / 7 for i in range(20)]
    if name == "assess":
        look_at(ca.assess(y, p, **how), "text")
    elif name == "compare":
        str(ca.compare({"a": p, "b": p[::-1]}, y, **how))
    elif name == "estimate":
        ca.assess(y, p).estimate(**({"name": "recall"} | how))
    else:
        getattr(ca.assess(y, p), name)(**how)
