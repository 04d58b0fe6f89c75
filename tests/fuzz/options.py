"""Options of every kind: arguments of the functions in Python, and texts of the command."""

import os
import tempfile
from decimal import Decimal
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from .files import command
from .rows import look_at

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

_called = st.sampled_from(list(CALLS)).flatmap(
    lambda name: st.fixed_dictionaries(
        {
            "call": st.just(name),
            "how": st.dictionaries(
                st.sampled_from(CALLS[name]), st.sampled_from(VALUES), min_size=1, max_size=2
            ),
        }
    )
)
_typed = st.fixed_dictionaries(
    {
        "command": st.sampled_from(
            ["assess", "assess", "sample-size proportion", "measures", "compare", "gate"]
        ),
        "flags": st.lists(st.tuples(st.sampled_from(FLAGS), st.sampled_from(TEXTS)), min_size=1, max_size=3),
    }
)
INPUTS = st.one_of(_called, _typed)


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
        file = [] if given["command"].split()[0] in ("sample-size", "measures") else [path]
        roles = ["--truth", "y", "--score", "p", "--positive", "yes"] if given["command"] == "assess" else []
        flags = [part for flag in given["flags"] for part in flag]
        command(*given["command"].split(), *map(os.fspath, file), *roles, *flags)


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
