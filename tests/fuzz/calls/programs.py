"""Programs: several calls after each other, each of which must leave every number as it was, or as a law says.

A program holds a few measures, which it draws from all that its rows can have, so that many are run in little time:
each document has every number, and is made in a share of the steps only.
"""

import datetime
import math
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from ..contract import estimate, hold

LABELS = [
    (0, 1),
    (False, True),
    ("no", "yes"),
    ("", "x" * 300),
    ("1", "2"),
    ((1, 2), (1, 3)),
    (datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)),
    ("ü", "a`b|c<d>&"),
    (-1.5, 2.5),
    (2**60, 3),
]
STEPS = [
    "permute",
    "save",
    "rename",
    "split",
    "scale",
    "at",
    "level",
    "json",
    "forms",
    "swap",
    "scan",
    "repeat",
    "by",
    "frame",
    "prevalence",
]
MEASURES = [
    "accuracy",
    "recall",
    "precision",
    "f1",
    "matthews_correlation",
    "roc_auc",
    "average_precision",
    "brier_score",
    "log_loss",
    "cohen_kappa",
]
"""Each rests on another table or another interval: three of them are held, and two of all others."""
SLOW = {
    "calibration_slope",
    "calibration_intercept",
    "calibration_in_the_large",
    "brier_discrimination",
    "log_loss_discrimination",
}
"""What is fitted anew to every resample: not asked for with the bootstrap, which the tests of calibration do."""
MAIN = ("accuracy", "roc_auc")
"""What every page of two classes says."""
WHOLE = 0.1
"""The share of steps in which what has every number of an assessment is made: its whole JSON, its text, its page."""


@st.composite
def programs(draw):
    """Rows, what is known of them, and three to seven steps."""
    n = draw(st.one_of(st.integers(2, 15), st.integers(10, 80)))
    return {
        "rows": n,
        "seed": draw(st.integers(0, 99_999)),
        "labels": draw(st.integers(0, len(LABELS) - 1)),
        "positives": draw(st.sampled_from([0.5, 0.5, 0.2, 0.9, 0.0])),
        "scores": draw(st.sampled_from(["probabilities", "probabilities", "ties", "signal", "one score"])),
        "more": draw(st.sampled_from(["", "", "weight", "frequency", "cluster", "cluster weight"])),
        "interval": draw(st.sampled_from([None] * 13 + ["bootstrap", "jeffreys", "jeffreys"])),
        "measures": draw(st.lists(st.sampled_from(MEASURES), min_size=3, max_size=3, unique=True)),
        "others": draw(st.tuples(st.integers(0, 999), st.integers(0, 999))),
        "steps": draw(st.lists(st.sampled_from(STEPS), min_size=3, max_size=7)),
    }


INPUTS = programs()


class Rows:
    """The rows of a program, and what was done to them."""

    def __init__(self, given):
        rng = self.rng = np.random.default_rng(given["seed"])
        n = given["rows"]
        self.labels = LABELS[given["labels"]]
        self.truth = (rng.random(n) < given["positives"]).astype(int)
        noise = rng.normal(size=n) + self.truth
        self.score = {
            "probabilities": 1 / (1 + np.exp(-noise)),
            "ties": np.round(1 / (1 + np.exp(-noise)), 1),
            "signal": noise,
            "one score": np.full(n, 0.25),
        }[given["scores"]]
        self.columns = {}
        if "weight" in given["more"]:
            self.columns["weight"] = rng.choice([0.5, 1.0, 3.25], n)
        if "frequency" in given["more"]:
            self.columns["frequency"] = rng.integers(1, 4, n)
        if "cluster" in given["more"]:
            self.columns["cluster"] = rng.integers(0, max(2, n // 3), n)
        self.interval, self.threshold = given["interval"], 0.5
        if self.interval == "jeffreys" and not self.columns.keys() <= {"frequency"}:
            self.interval = None  # it is for cases that are drawn one by one
        self.names, self.known = given["measures"], {}

    @property
    def whole(self):
        """Whether a step is one of those that look at everything."""
        return self.rng.random() < (WHOLE if self.interval != "bootstrap" else 0.02)

    def numbers(self, a):
        """Value and limits of each measure that is held, found once: an assessment does not change."""
        if id(a) not in self.known:
            self.known[id(a)] = (a, numbers(a, self.names))
        return self.known[id(a)][1]

    def take(self, places):
        """The rows of these places, in their order."""
        made = object.__new__(Rows)
        made.__dict__ |= self.__dict__
        made.truth, made.score = self.truth[places], self.score[places]
        made.columns = {name: each[places] for name, each in self.columns.items()}
        return made

    def assess(self, **how):
        """Their assessment."""
        import classay as ca

        truth = np.empty(self.truth.size, object)
        truth[:] = [self.labels[each] for each in self.truth]
        given = {"threshold": self.threshold, "interval": self.interval} | self.columns | how
        return ca.assess(
            truth.tolist(), self.score, labels=list(self.labels), positive=self.labels[1], **given
        )


def numbers(a, names):
    """Value and limits of each of these measures that an assessment has."""
    found, known = {}, {each.name for each in a.applicable()}
    for name in names:
        if name in known:
            each = a.estimate(name)
            estimate(name, each)
            found[name] = (each.value, each.low, each.high)
    return found


def same(found, wanted, law, tolerance=1e-9, parts=3):
    """Each number is what it was, or was none and is none."""
    hold(found.keys() == wanted.keys(), f"{law} keeps the measures", found.keys() ^ wanted.keys())
    for name, each in wanted.items():
        for mine, other in zip(found[name][:parts], each[:parts], strict=True):
            near = mine == other or (math.isnan(mine) and math.isnan(other))
            near = near or math.isclose(mine, other, rel_tol=tolerance, abs_tol=tolerance)
            hold(near, f"{law} keeps {name}", f"{found[name]} for {each}")


def parts(rows):
    """How many of value, low and high must be near: resamples are drawn by position, so that other rows give others."""
    return 3 if rows.interval != "bootstrap" else 1


def check(given):
    """Run the program."""
    rows = Rows(given)
    a = rows.assess()
    known = [each.name for each in a.applicable() if rows.interval != "bootstrap" or each.name not in SLOW]
    rows.names = [*dict.fromkeys([*rows.names, *(known[each % len(known)] for each in given["others"])])]
    for step in given["steps"]:
        rows, a = globals()[f"_{step}"](rows, a)


def _save(rows, a):
    import classay as ca

    with tempfile.TemporaryDirectory() as folder:
        a.save(path := Path(folder) / "a.classay")
        again = ca.load(path)
    same(rows.numbers(again), rows.numbers(a), "saving", 0)
    hold(not rows.whole or again.to_dict() == a.to_dict(), "saving keeps the JSON")
    return rows, again


def _permute(rows, a):
    rows = rows.take(rows.rng.permutation(rows.truth.size))
    other = rows.assess()
    same(rows.numbers(other), rows.numbers(a), "another order of rows", parts=parts(rows))
    return rows, other


def _rename(rows, a):
    rows = rows.take(slice(None))
    rows.labels = LABELS[rows.rng.integers(len(LABELS))]
    other = rows.assess()
    same(rows.numbers(other), rows.numbers(a), "another name")
    return rows, other


def _split(rows, a):
    part = rows.rng.random(rows.truth.size) < 0.5
    if "cluster" in rows.columns:
        part = rows.columns["cluster"] % 2 == 0
    if part.all() or not part.any():
        return rows, a
    added = rows.take(part).assess() + rows.take(~part).assess()
    same(rows.numbers(added), rows.numbers(a), "adding parts", parts=parts(rows))
    return rows, added


def _scale(rows, a):
    if "weight" not in rows.columns:
        return rows, a
    rows = rows.take(slice(None))
    rows.columns["weight"] = rows.columns["weight"] * 4
    other = rows.assess()
    same(rows.numbers(other), rows.numbers(a), "another unit of weights", parts=parts(rows))
    return rows, other


def _at(rows, a):
    rows = rows.take(slice(None))
    rows.threshold = float(rows.rng.choice(rows.score))
    moved = a.at(rows.threshold)
    other = rows.assess()
    same(rows.numbers(moved), rows.numbers(other), "moving the threshold")
    return rows, other


def _level(rows, a):
    inner, outer = (rows.numbers(rows.assess(level=level)) for level in (0.8, 0.99))
    for name, (value, low, high) in rows.numbers(a).items():
        if math.isnan(low):
            continue
        hold(
            outer[name][1] <= low + 1e-12 <= inner[name][1] + 2e-12,
            f"{name}: low ends are nested",
            outer[name],
        )
        hold(outer[name][2] >= high - 1e-12 >= inner[name][2] - 2e-12, f"{name}: high ends are nested", value)
    return rows, a


def _json(rows, a):
    said = a.to_dict(*([] if rows.whole else [[*rows.numbers(a)]]))["measures"]
    for name, (value, low, high) in rows.numbers(a).items():
        told = [
            None if each is None else each for each in (said[name][key] for key in ("value", "low", "high"))
        ]
        mine = [each if math.isfinite(each) else None for each in (value, low, high)]
        finite = [each if isinstance(each, int | float) else None for each in told]
        hold(finite == mine, f"the JSON says what {name} is", f"{told} for {mine}")
    return rows, a


def _forms(rows, a):
    """The same number in text, Markdown, LaTeX, the frame and the page; mostly those of one number."""
    whole = rows.whole
    form = str(
        rows.rng.choice(["page", "text", "Markdown"] if whole else ["text", "Markdown", "JSON", "row"])
    )
    for name, (value, low, high) in rows.numbers(a).items() if not whole else numbers(a, MAIN).items():
        if not math.isfinite(value):
            continue
        found = a.estimate(name)
        if form in ("JSON", "row"):
            told = found.to_dict() if form == "JSON" else found.row
            said = [told["value"], told["low"], told["high"]]
            mine = [value, *(each if math.isfinite(each) or form == "row" else None for each in (low, high))]
            hold(str(said) == str(mine), f"{form} says {name}", f"{said} for {mine}")
            continue
        written = str(found).split()[0].removeprefix("Estimate(").rstrip(",")
        text = _form(form, a if whole else found)
        hold(written in text or f"{100 * value:.1f}" in text, f"{form} says {name}", written)
    return rows, a


def _form(form, what):
    """A result in a form for people."""
    import html

    if form != "page":
        return str(what) if form == "text" else what.to_markdown()
    with tempfile.TemporaryDirectory() as folder:
        what.report(path := Path(folder) / "a.html")
        return html.unescape(path.read_text(encoding="utf-8"))


def _swap(rows, a):
    """One model less another is the other less the one, negated."""
    import classay as ca

    truth = [rows.labels[each] for each in rows.truth]
    other = np.where(rows.rng.random(rows.score.size) < 0.7, rows.score, rows.score[::-1])
    how = {name: each for name, each in rows.columns.items() if name != "frequency"}
    how |= {"labels": list(rows.labels), "positive": rows.labels[1], "measures": ["accuracy", "roc_auc"]}
    one = ca.compare({"a": rows.score, "b": other}, truth, threshold=rows.threshold, **how).to_dict()
    two = ca.compare({"b": other, "a": rows.score}, truth, threshold=rows.threshold, **how).to_dict()
    turned = {each["measure"]: each for each in two["comparisons"]}
    for mine in one["comparisons"]:
        other = turned[mine["measure"]]
        sign = 1 if (mine["first"], mine["second"]) == (other["first"], other["second"]) else -1
        ends = [("difference", "difference"), ("low", "low"), ("high", "high")]
        for key, opposite in ends if sign == 1 else [ends[0], ("low", "high"), ("high", "low")]:
            x, y = mine[key], other[opposite]
            hold((x is None) == (y is None), "turning a comparison keeps its limits", f"{x} {y}")
            if x is not None:
                near = math.isclose(x, sign * y, rel_tol=1e-9, abs_tol=1e-12)
                hold(near, "turning a comparison negates it", f"{key}: {x} {y}")
    return rows, a


def _scan(rows, a):
    """The same rows from a frame, in parts."""
    import pyarrow as pa

    import classay as ca

    if not all(isinstance(each, str) for each in rows.labels) or not rows.columns.keys() <= {
        "weight",
        "frequency",
    }:
        return rows, a
    table = pa.table({"y": [rows.labels[each] for each in rows.truth], "p": rows.score, **rows.columns})
    how = {name: name for name in rows.columns}
    found = ca.scan(
        table,
        truth="y",
        score="p",
        labels=list(rows.labels),
        positive=rows.labels[1],
        threshold=rows.threshold,
        interval=rows.interval,
        **how,
    )
    same(rows.numbers(found), rows.numbers(a), "scanning", parts=parts(rows))
    return rows, found


def _repeat(rows, a):
    """The same call gives the same numbers."""
    same(rows.numbers(rows.assess()), rows.numbers(a), "asking again")
    return rows, a


def _by(rows, a):
    """Each of two groups is assessed as its rows by themselves, and all of them as before."""
    import classay as ca

    group = np.where(rows.rng.random(rows.truth.size) < 0.5, "b", "a")
    if "cluster" in rows.columns:
        group = np.where(rows.columns["cluster"] % 2 == 0, "b", "a")
    truth = np.empty(rows.truth.size, object)
    truth[:] = [rows.labels[each] for each in rows.truth]
    how = {"threshold": rows.threshold, "interval": rows.interval} | rows.columns
    found = ca.assess_by(
        truth.tolist(), y_score=rows.score, by=group, labels=list(rows.labels), positive=rows.labels[1], **how
    )
    same(rows.numbers(found.overall), rows.numbers(a), "assessing by groups", parts=parts(rows))
    for name, of_group in found.groups.items():
        alone = rows.take(group == name).assess()
        same(rows.numbers(of_group), rows.numbers(alone), "a group alone", parts=parts(rows))
    return rows, a


def _frame(rows, a):
    """The frame has the numbers, row by row."""
    names = [*rows.numbers(a)]
    for row, name in zip(a.frame(*names).to_pylist(), names, strict=True):
        hold(row["measure"] == name, "the frame names its measures", f"{row} for {name}")
        mine = [None if math.isnan(each) else each for each in rows.numbers(a)[name]]
        told = [
            None if each is None or math.isnan(each) else each
            for each in map(row.get, ("value", "low", "high"))
        ]
        hold(told == mine, f"the frame says what {name} is", f"{told} for {mine}")
    return rows, a


def _prevalence(rows, a):
    """At the prevalence of the cases what is shifted is as it was; at another, shares of a class do not change."""
    share = float(np.average(rows.truth, weights=rows.columns.get("weight", rows.columns.get("frequency"))))
    if not 0 < share < 1 or rows.columns.keys() >= {"weight", "frequency"}:
        return rows, a
    here, there = a.at_prevalence(share), a.at_prevalence(0.3)
    mine = numbers(a, MEASURES)
    for name in ("precision", "accuracy", "brier_score", "recall", "roc_auc"):
        if name not in mine:
            continue
        shifted = here if name in ("precision", "accuracy", "brier_score") else there
        if name in {each.name for each in shifted.applicable()}:
            value, was = shifted.estimate(name).value, mine[name][0]
            near = math.isclose(value, was, rel_tol=1e-9, abs_tol=1e-12) or (
                math.isnan(value) and math.isnan(was)
            )
            hold(near, f"prevalence keeps {name}", f"{value} for {was}")
    return rows, a
