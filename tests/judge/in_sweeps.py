"""Samples of judged results, for the sweeps over all kinds of results, pages and options."""

from pathlib import Path
from typing import Any

import numpy as np

import classay as ca
from classay.shown import Reportable
from sample_results import result


def graded(n: int = 400, labels: int = 120, seed: int = 0) -> dict[str, Any]:
    """Two systems' answers: human labels of some, the judge's grades, segments, questions and months."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for name, share, wrong in (("new", 0.55, 0.35), ("old", 0.6, 0.1)):
        truth = rng.random(n) < share
        columns[f"judge_{name}"] = np.where(truth, rng.random(n) < 0.9, rng.random(n) < wrong) * 1
        columns[f"human_{name}"] = [int(x) if k < labels else None for k, x in enumerate(truth)]
    columns |= {
        "segment": np.where(np.arange(n) % 3 == 0, "short", "long"),
        "question": np.arange(n) // 4,
        "month": 1 + np.arange(n) % 4,
        "chance": np.where(np.arange(n) % 3 == 0, 0.2, 0.4),
        "score": np.round(columns["judge_new"] + rng.normal(0, 0.4, n), 3),
        "stars": 1 + columns["judge_new"] + rng.integers(0, 2, n),
    }
    columns["human_stars"] = [
        None if x is None else 1 + x + int(k % 3 > 0) for k, x in enumerate(columns["human_new"])
    ]
    return columns


@result
def judged_cases() -> Reportable:
    rows = graded()
    return ca.judged(rows["human_new"], rows["judge_new"], by=rows["segment"], time=rows["month"]).with_plan(
        0.05
    )


@result
def judged_systems() -> Reportable:
    rows = graded()
    human, judge = ({name: rows[f"{role}_{name}"] for name in ("new", "old")} for role in ("human", "judge"))
    return ca.compare_judged(human, judge, by=rows["segment"])


@result
def true_share() -> Reportable:
    return ca.rogan_gladen(70, 500, sensitivity_of=(45, 50), specificity_of=(190, 200))


TITLED_OTHERWISE = {
    "judged cases": "cases, not a model",
    "judged systems": "systems, not models",
    "true share": "grades, not a model",
}
PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
ONE = ("given_judged.csv", "--human", "human_new", "--judge", "judge_new")
STARS = ("given_judged.csv", "--human", "human_stars", "--judge", "stars")
LONG = ("given_long.csv", "--human", "human", "--judge", "judge", "--model", "model")
USED = {
    "judge": {
        "--human": (("given_judged.csv", "--judge", "judge_new"), ("--human", "human_new")),
        "--judge": (("given_judged.csv", "--human", "human_new"), ("--judge", "score")),
        "--model": (LONG[:5], LONG[5:]),
        "--id": (LONG, ("--id", "case")),
        "--second": (ONE, ("--second", "human_old")),
        "--prediction": (ONE, ("--prediction", "judge_old")),
        "--by": (ONE, ("--by", "segment")),
        "--cluster": (ONE, ("--cluster", "question")),
        "--chance": (ONE, ("--chance", "chance")),
        "--stratum": (ONE, ("--stratum", "segment")),
        "--time": (ONE, ("--time", "month")),
        "--positive": (ONE, ("--positive", "0")),
        "--finite": (ONE, ("--finite",)),
        "--bounds": (STARS, ("--bounds", "0,5")),
        "--unsure": ((*STARS, "--positive", "1"), ("--unsure", "3")),
        "--sensitivity": (
            ("given_judged.csv", "--judge", "judge_new"),
            ("--sensitivity", "9/10", *("--specificity", "8/10")),
        ),
        "--specificity": (
            ("given_judged.csv", "--judge", "judge_new"),
            ("--specificity", "9/10", *("--sensitivity", "8/10")),
        ),
        "--half-width": (ONE, ("--half-width", "0.05")),
        "--level": (ONE, ("--level", "0.9")),
        "--require": (ONE, ("--require", "pass_rate > 0.9")),
        "--format": (("given_judged.txt", *ONE[1:]), ("--format", "csv")),
        "--delimiter": (("given_judged_semi.csv", *ONE[1:4], "score"), ("--delimiter", ";")),
        **dict.fromkeys(PAGES[::2], (ONE, PAGES)),
    },
}


def write_inputs() -> None:
    """The files that calls of `classay judge` read."""
    rows = graded()
    lines = [
        ",".join("" if value is None else str(value) for value in row)
        for row in (rows, *zip(*rows.values(), strict=True))
    ]
    text = "\n".join(lines) + "\n"
    Path("given_judged.csv").write_text(text)
    Path("given_judged.txt").write_text(text)
    Path("given_judged_semi.csv").write_text(text.replace(",", ";"))
    long = ["human,judge,model,case"]
    for name in ("new", "old"):
        for k, (human, judge) in enumerate(zip(rows[f"human_{name}"], rows[f"judge_{name}"], strict=True)):
            long.append(f"{'' if human is None else human},{judge},{name},{k}")
    Path("given_long.csv").write_text("\n".join(long) + "\n")
