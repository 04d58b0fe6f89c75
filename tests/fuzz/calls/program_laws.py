"""Steps of a program: one call more, which leaves every number as it was, or as a law says."""

import math
import re
import tempfile
from enum import Enum
from itertools import pairwise
from pathlib import Path

import numpy as np

from ..contract import hold
from .program_rows import LABELS, MAIN, MEASURES, UNITS, numbers, parts, same, weights


def save(rows, a):
    import classay as ca

    if isinstance(rows.labels[0], Enum):  # which has no plain form
        return rows, a
    with tempfile.TemporaryDirectory() as folder:
        a.save(path := Path(folder) / "a.classay")
        again = ca.load(path)
    same(rows.numbers(again), rows.numbers(a), "saving", 0)
    hold(not rows.whole or again.to_dict() == a.to_dict(), "saving keeps the JSON")
    return rows, again


def permute(rows, a):
    rows = rows.take(rows.rng.permutation(rows.truth.size))
    other = rows.assess()
    same(rows.numbers(other), rows.numbers(a), "another order of rows", parts=parts(rows))
    return rows, other


def rename(rows, a):
    rows = rows.take(slice(None))
    rows.labels = LABELS[rows.rng.integers(len(LABELS))]
    other = rows.assess()
    same(rows.numbers(other), rows.numbers(a), "another name")
    return rows, other


def split(rows, a):
    part = rows.rng.random(rows.truth.size) < 0.5
    if "cluster" in rows.columns:
        part = rows.columns["cluster"] % 2 == 0
    held = weights(rows)
    if not (held[part].any() and held[~part].any()):  # nothing would count, which is refused
        return rows, a
    added = rows.take(part).assess() + rows.take(~part).assess()
    same(rows.numbers(added), rows.numbers(a), "adding parts", parts=parts(rows))
    return rows, added


def scale(rows, a):
    if "weight" not in rows.columns:
        return rows, a
    rows = rows.take(slice(None))
    rows.columns["weight"] = rows.columns["weight"] * rows.rng.choice(UNITS)
    other = rows.assess()
    same(rows.numbers(other), rows.numbers(a), "another unit of weights", 1e-6, parts(rows))
    return rows, other


def at(rows, a):
    rows = rows.take(slice(None))
    rows.threshold = float(rows.rng.choice(rows.score))
    moved = a.at(rows.threshold)
    other = rows.assess()
    same(rows.numbers(moved), rows.numbers(other), "moving the threshold")
    return rows, other


def level(rows, a):
    levels = sorted(rows.rng.choice([0.5, 0.8, 0.9, 0.95, 0.99, 0.999], 3, replace=False).tolist())
    inner, middle, outer = (rows.numbers(rows.assess(level=level)) for level in levels)
    for name, (_, low, high) in middle.items():
        if math.isnan(low):
            continue
        nearer = (
            [low, high] if math.isnan(inner[name][1]) else inner[name][1:]
        )  # of a low level all draws may be one
        low_ends, high_ends = (outer[name][1], low, nearer[0]), (outer[name][2], high, nearer[1])
        hold(in_order(low_ends), f"{name}: low ends are nested", low_ends)
        hold(in_order(high_ends[::-1]), f"{name}: high ends are nested", high_ends)
    return rows, a


def in_order(ends):
    """Whether each is no less than the one before, but for rounding."""
    return all(one <= other + 1e-12 for one, other in pairwise(ends))


def json(rows, a):
    said = a.to_dict(*([] if rows.whole else [[*rows.numbers(a)]]))["measures"]
    for name, (value, low, high) in rows.numbers(a).items():
        told = [said[name][key] for key in ("value", "low", "high")]
        mine = [in_json(each) for each in (value, low, high)]
        hold(told == mine, f"the JSON says what {name} is", f"{told} for {mine}")
    return rows, a


def in_json(number):
    """How JSON has a number: undefined is null, and infinity a text."""
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return None if math.isnan(number) else number


def forms(rows, a):
    """The same number in text, Markdown, LaTeX, the frame and the page; mostly those of one number."""
    from classay.inference.estimate import heading

    whole = rows.whole
    form = str(
        rows.rng.choice(
            ["page", "text", "Markdown", "LaTeX"] if whole else ["text", "Markdown", "LaTeX", "JSON", "row"]
        )
    )
    for name, (value, low, high) in rows.numbers(a).items() if not whole else numbers(a, MAIN).items():
        if not math.isfinite(value):
            continue
        found = a[name]
        if form in ("JSON", "row"):
            told = found.to_dict() if form == "JSON" else found.row
            said = [told["value"], told["low"], told["high"]]
            mine = [in_json(each) if form == "JSON" else each for each in (value, low, high)]
            hold(str(said) == str(mine), f"{form} says {name}", f"{said} for {mine}")
            continue
        text = _form(form, a if whole else found)
        told = first_number(form, text, heading(name))
        near = told is not None and math.isclose(told, value, rel_tol=5e-3, abs_tol=6e-4)
        hold(near, f"{form} says {name}", f"{told} for {value!r} in {text[:1000]}")
    return rows, a


NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def first_number(form, text, title):
    """The first number of the text of an estimate, or of the row that its measure's title begins; None without one."""
    if form == "LaTeX":
        from classay.report.paper import in_latex

        title = in_latex(title)
    if form in ("LaTeX", "Markdown"):
        mark = {"LaTeX": "&", "Markdown": "|"}[form]
        cells = [[each.strip() for each in line.strip(" |").split(mark)] for line in text.splitlines()]
        text = next(
            (row[1] for row in cells if row[0].replace("\\", "") == title.replace("\\", "") and row[1:]), ""
        )
    elif form == "page":
        found = re.search(rf"<tr[^>]*>(?:(?!</tr>).)*?>\s*{re.escape(title)}\s*<(.*?)</tr>", text, re.DOTALL)
        text = re.sub(r"<[^>]*>", " ", f"<{found[1]}") if found else ""
    elif not text.startswith("Estimate("):
        found = re.search(rf"^ *{re.escape(title)} (.*)$", text, re.MULTILINE)
        text = found[1] if found else ""
    found = NUMBER.search(text.replace("$-$", "-"))
    return float(found[0].replace(",", "")) if found else None


def _form(form, what):
    """A result in a form for people."""
    import html

    if form != "page":
        return {"text": what.__str__, "Markdown": what.to_markdown, "LaTeX": what.to_latex}[form]()
    with tempfile.TemporaryDirectory() as folder:
        what.report(path := Path(folder) / "a.html")
        return html.unescape(path.read_text(encoding="utf-8"))


def swap(rows, a):
    """One model minus another is the other less the one, negated."""
    import classay as ca

    truth = [rows.labels[each] for each in rows.truth]
    other = np.where(rows.rng.random(rows.score.size) < 0.7, rows.score, rows.score[::-1])
    how = dict(rows.columns)
    how |= {"labels": list(rows.labels), "positive": rows.labels[1], "measures": ["accuracy", "roc_auc"]}
    one = ca.compare({"a": rows.score, "b": other}, truth, threshold=rows.threshold, **how).to_dict()
    two = ca.compare({"b": other, "a": rows.score}, truth, threshold=rows.threshold, **how).to_dict()
    turned = {each["measure"]: each for each in two["comparisons"]}
    for mine in one["comparisons"]:
        other = turned[mine["measure"]]
        sign = 1 if (mine["first"], mine["second"]) == (other["first"], other["second"]) else -1
        ends = [("difference", "difference"), ("low", "low"), ("high", "high")]
        hold(mine.keys() >= {"p", "difference", "low", "high"}, "a comparison has a p-value and limits", mine)
        for key, opposite in ends if sign == 1 else [ends[0], ("low", "high"), ("high", "low")]:
            x, y = mine[key], other[opposite]
            hold((x is None) == (y is None), "turning a comparison keeps its limits", f"{x} {y}")
            if x is not None:
                near = math.isclose(x, sign * y, rel_tol=1e-9, abs_tol=1e-12)
                hold(near, "turning a comparison negates it", f"{key}: {x} {y}")
        x, y = mine["p"], other["p"]
        hold(
            x is y or math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12),
            "turning a comparison keeps p",
            f"{x} {y}",
        )
    return rows, a


def repeat(rows, a):
    """The same call gives the same numbers."""
    same(rows.numbers(rows.assess()), rows.numbers(a), "asking again")
    return rows, a


def by(rows, a):
    """Each of two groups is assessed as its rows by themselves, and all of them as before."""
    import classay as ca

    group = np.where(rows.rng.random(rows.truth.size) < 0.5, "b", "a")
    if "cluster" in rows.columns:
        group = np.where(rows.columns["cluster"] % 2 == 0, "b", "a")
    truth = np.empty(rows.truth.size, object)
    truth[:] = [rows.labels[each] for each in rows.truth]
    how = {"threshold": rows.threshold, "interval": rows.interval, "level": rows.level} | rows.columns
    found = ca.assess_by(
        truth.tolist(), y_score=rows.score, by=group, labels=list(rows.labels), positive=rows.labels[1], **how
    )
    same(rows.numbers(found.overall), rows.numbers(a), "assessing by groups", parts=parts(rows))
    for name, of_group in found.groups.items():
        alone = rows.take(group == name).assess()
        same(rows.numbers(of_group), rows.numbers(alone), "a group alone", parts=parts(rows))
    return rows, a


def frame(rows, a):
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


def prevalence(rows, a):
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


STEPS = {
    each.__name__: each
    for each in (
        permute,
        save,
        rename,
        split,
        scale,
        at,
        level,
        json,
        forms,
        swap,
        repeat,
        by,
        frame,
        prevalence,
    )
}
