"""Class probabilities of several models in files: odd labels, models and columns in --class-scores."""

import json
import math
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from ..contract import Refused, hold
from .files import command
from .names import ODD

PLAIN = [
    "cat",
    "dog",
    "owl",
    "1",
    "2",
    "3",
    "true",
    "false",
    "0.5",
    "007",
    "new",
    "old",
    "a,b",
    "a=b",
    "a:b",
    'a"b',
    '"',
    ",",
    "=",
    ":",
    '""',
    " a",
    "a b",
    "::",
    "x=y,z",
    "null",
]
TEXTS = [
    "", "=", "a", "a=", "=a", "a=b", "a=b,", "a=b,a=c", "a=b,c=b", ":", ":a=b", "new:", "new:a", '"',
    '"a"="b"', 'a"b=c', "new:a=b,old:c=d", '"a:b"=c', "x" * 500, "a=b=c", '"""a"""=b', "new:new:a=b",
    " : a = b ", "\x1b=\x07", "a=b,c=d,e=f",
]  # fmt: skip
_name = st.one_of(
    st.sampled_from(PLAIN), st.sampled_from(PLAIN), st.sampled_from(ODD), st.text(min_size=1, max_size=4)
)


@st.composite
def models(draw):
    """The scores of two or three models, each class in a column, and how they are handed over."""
    k, n = draw(st.sampled_from([3, 3, 2, 4])), draw(st.sampled_from([30, 12, 2, 1, 0]))
    names = draw(st.lists(_name, min_size=2, max_size=draw(st.sampled_from([2, 2, 3])), unique=True))
    return {
        "labels": draw(st.lists(_name, min_size=k, max_size=k, unique=True)),
        "models": names,
        "column": draw(_name),
        "cases": n,
        "seed": draw(st.integers(0, 999)),
        "do": draw(st.sampled_from(["compare", "compare", "gate", "best", "assess"])),
        "files": draw(st.sampled_from(["one", "one", "each"])),
        "scores": draw(st.sampled_from(["probabilities"] * 4 + ["odd", "decision", "ties"])),
        "odd text": draw(st.sampled_from([None] * 9 + TEXTS)),
        "measure": draw(st.sampled_from(["accuracy", "log_loss", "macro_f1", "of a class", "hand_till_auc"])),
    }


INPUTS = models()


def quoted(text):
    """A name as an option takes it: in quotes where it holds a mark."""
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',=:"') else text


def _rows(given):
    """The truth and the scores of each model, `(cases, classes)`."""
    rng = np.random.default_rng(given["seed"])
    k, n = len(given["labels"]), given["cases"]
    truth = np.arange(n) % k
    found = {}
    for name in given["models"]:
        raw = rng.normal(size=(n, k))
        raw[np.arange(n), truth] += 1.5
        each = np.exp(raw) / np.exp(raw).sum(1, keepdims=True)
        each = raw if given["scores"] == "decision" else each.round(0) if given["scores"] == "ties" else each
        if given["scores"] == "odd" and n:
            each.flat[0] = [math.nan, math.inf, -1.0, 2.0][given["seed"] % 4]
        found[name] = each
    return truth, found


def _written(folder, given, truth, scores):
    """The files, and the options that name their columns."""
    import pyarrow as pa
    from pyarrow import parquet

    labels = given["labels"]
    y = [labels[code] for code in truth]
    where = {label: f"{given['column']}{k}" for k, label in enumerate(labels)}
    if given["files"] == "each":
        for i, each in enumerate(scores.values()):
            columns = {"truth y": y} | {where[label]: each[:, k] for k, label in enumerate(labels)}
            parquet.write_table(pa.table(columns), str(Path(folder, f"m{i}.parquet")))
        flags = [
            "--class-scores",
            ",".join(f"{quoted(label)}={quoted(column)}" for label, column in where.items()),
        ]
        if ":" in flags[1] and not any(":" in each for each in labels):
            flags[1] = ",".join(f"{quoted(label)}={quoted(column)}" for label, column in where.items())
        return [f"m{i}.parquet" for i in range(len(scores))], flags
    columns = {"truth y": y}
    flags = []
    for i, (name, each) in enumerate(scores.items()):
        own = {label: f"{i}{column}" for label, column in where.items()}
        columns |= {own[label]: each[:, k] for k, label in enumerate(labels)}
        flags += [
            "--class-scores",
            f"{quoted(name)}:" + ",".join(f"{quoted(label)}={quoted(own[label])}" for label in labels),
        ]
    parquet.write_table(pa.table(columns), str(Path(folder, "all.parquet")))
    return ["all.parquet"], flags


def check(given):
    """Hand the scores over; compare says what Python says of the arrays."""
    truth, scores = _rows(given)
    with tempfile.TemporaryDirectory() as folder:
        files, flags = _written(folder, given, truth, scores)
        if given["odd text"] is not None:
            flags = ["--class-scores", given["odd text"], *flags[2:]]
        measure = (
            given["measure"]
            if given["measure"] != "of a class"
            else f"recall[{json.dumps(given['labels'][0])}]"
        )
        do = given["do"]
        if do == "assess":
            files, flags = files[:1], flags[:2]
        options = {
            "compare": [
                "--measures",
                measure if "," not in measure else f'"{measure.replace(chr(34), chr(34) * 2)}"',
            ],
            "gate": ["--measure", measure, "--rule", "superior"],
            "best": ["--measure", "accuracy"],
            "assess": [],
        }[do]
        files = files[:2] if do == "gate" else files
        try:
            printed = command(
                do, *files, "--truth", "truth y", *flags, *options, "--json", "-", folder=folder
            )
        except Refused:
            if do == "compare" and _is_usual(given):
                hold(False, "usual class scores are refused", given)
            raise
    if do == "compare" and given["odd text"] is None and given["files"] == "one":
        _as_arrays(given, truth, scores, measure, json.loads(printed))


def _is_usual(given):
    """Whether names, scores and measure are such as people have."""
    names = [*given["labels"], *given["models"], given["column"]]
    return (
        all(name.isascii() and name.isalpha() for name in names)
        and given["scores"] == "probabilities"
        and given["odd text"] is None
        and given["cases"] == 30
        and given["files"] == "one"
        and given["measure"] in ("accuracy", "log_loss", "of a class")
        and len(given["labels"]) > 2
    )


def _as_arrays(given, truth, scores, measure, found):
    """The same values as of the arrays, whatever the names are."""
    import classay as ca

    y = [given["labels"][code] for code in truth]
    if len({*y}) < 3:
        return
    wanted = ca.compare(scores, y, labels=given["labels"], measures=[measure])
    rows = found["comparisons"]
    hold(len(rows) == len(wanted), "the command compares other pairs than Python", (len(rows), len(wanted)))
    for row, one in zip(rows, wanted, strict=True):
        first = one.values[0] if one.values else math.nan
        for said, other in ((row["value_first"], first), (row["p"], one.p)):
            value = math.nan if said is None else said
            same = math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-12) or (
                math.isnan(value) and math.isnan(other)
            )
            hold(same, "the command compares otherwise than Python", (row, one))
