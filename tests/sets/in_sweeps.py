"""Samples of prediction sets, for the sweeps over all kinds of results, pages and options."""

from pathlib import Path
from typing import Any

import numpy as np

import classay as ca
from classay.shown import Reportable
from sample_results import result

LABELS = ("ant", "bee", "cat", "dog")


def sets(cases: int = 120, seed: int = 0) -> dict[str, Any]:
    """True labels, two kinds of sets as Boolean matrices, and groups."""
    rng = np.random.default_rng(seed)
    true = rng.choice(4, cases, p=[0.4, 0.3, 0.2, 0.1])
    score = rng.gamma(1 + 1.6 * np.eye(4)[true])
    score /= score.sum(1, keepdims=True)
    return {
        "y": np.array(LABELS)[true],
        "new": score > 0.2,
        "old": score > 0.12,
        "site": np.where(rng.random(cases) < 0.3, "north", "south"),
    }


@result
def prediction_sets() -> Reportable:
    rows = sets()
    return ca.assess_sets(rows["y"], rows["new"], by=rows["site"], target=0.9, calibration=200)


@result
def prediction_sets_without_groups() -> Reportable:
    rows = sets()
    return ca.assess_sets(rows["y"], rows["old"], target=0.9)


@result
def two_methods_of_prediction_sets() -> Reportable:
    rows = sets()
    return ca.compare_sets(rows["y"], {"new": rows["new"], "old": rows["old"]})


TITLED_OTHERWISE = {
    "prediction sets": "sets, not models",
    "prediction sets without groups": "sets, not models",
    "two methods of prediction sets": "sets, not models",
}
PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
TEXT = ("sets.csv", "--truth", "y", "--set", "new", "--separator", "|")
MATRIX = ("sets.csv", "--truth", "y", "--set", "in_*")
AIMED = (*TEXT, "--target", "0.9")
USED = {
    "sets": {
        "--truth": (("sets.csv", *TEXT[3:]), TEXT[1:3]),
        "--set": (("sets.csv", "--truth", "y"), ("--set", "in_*")),
        "--separator": (TEXT[:-2], TEXT[-2:]),
        "--by": (TEXT, ("--by", "site")),
        "--labels": (TEXT, ("--labels", "ant,bee,cat,dog,eel")),
        "--target": (TEXT, ("--target", "0.8")),
        "--calibration": (AIMED, ("--calibration", "150")),
        "--level": (TEXT, ("--level", "0.9")),
        "--require": (TEXT, ("--require", "coverage > 0.99")),
        "--save": (TEXT, ("--save", "sets.classay")),
        "--format": (("sets.txt", *TEXT[1:]), ("--format", "csv")),
        "--delimiter": (("sets_semi.csv", *MATRIX[1:]), ("--delimiter", ";")),
        **dict.fromkeys(PAGES[::2], (TEXT, PAGES)),
    },
}


def write_inputs() -> None:
    """The files that calls of `classay sets` read."""
    rows = sets()
    lines = ["y,new,old,site," + ",".join(f"in_{label}" for label in LABELS)]
    for k, true in enumerate(rows["y"].tolist()):
        new, old = ("|".join(np.array(LABELS)[rows[name][k]]) for name in ("new", "old"))
        inside = ",".join(str(int(value)) for value in rows["new"][k])
        lines.append(f"{true},{new},{old},{rows['site'][k]},{inside}")
    text = "\n".join(lines) + "\n"
    semi = text.replace(",", ";").replace(";0", ";0.0").replace(";1", ";1.0")
    for name, content in (("sets.csv", text), ("sets.txt", text), ("sets_semi.csv", semi)):
        Path(name).write_text(content)
