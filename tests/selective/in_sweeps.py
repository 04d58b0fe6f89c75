"""Samples of guarantees, for the sweeps over all kinds of results, pages and options."""

from pathlib import Path

import numpy as np

import classay as ca
from classay.shown import Reportable
from sample_results import result

LABELS = ("ant", "bee", "cat")


def scored(cases: int = 400, seed: int = 0) -> dict[str, np.ndarray]:
    """True labels of three classes, their probabilities and sites."""
    rng = np.random.default_rng(seed)
    true = rng.choice(3, cases, p=[0.5, 0.3, 0.2])
    score = rng.gamma(1 + 5 * np.eye(3)[true])
    score /= score.sum(1, keepdims=True)
    site = np.where(np.arange(cases) < 12, "tiny", np.where(rng.random(cases) < 0.4, "north", "south"))
    return {"y": np.array(LABELS)[true], "p": np.round(score, 4), "site": site}


@result
def guarantee_of_several_classes() -> Reportable:
    rows = scored()
    return ca.guarantee(rows["y"], dict(zip(LABELS, rows["p"].T, strict=True)), "error_rate <= 0.1")


@result
def guarantee_by_group() -> Reportable:
    rows = scored()
    return ca.guarantee(rows["y"] == "ant", rows["p"][:, 0], "precision >= 0.8", by=rows["site"])


@result
def guarantee_that_no_threshold_keeps() -> Reportable:
    rows = scored(80)
    return ca.guarantee(rows["y"] == "ant", rows["p"][:, 0], "error_rate <= 0.02")


@result
def review() -> Reportable:
    rows = scored()
    return ca.assess(rows["y"] == "ant", rows["p"][:, 0]).threshold(cost={"fp": 1, "fn": 5, "review": 0.3})


TITLED_OTHERWISE = {
    "guarantee of several classes": "cases, not models",
    "guarantee by group": "cases, not models",
    "guarantee that no threshold keeps": "cases, not models",
}
CLASSES = ("intents.csv", "--truth", "y", "--class-scores", "p_*")
PROMISE = ("--guarantee", "error_rate <= 0.1")
USED = {
    "decide": {
        "--guarantee": (
            ("intents.csv", "--truth", "ant", "--score", "p_ant"),
            PROMISE,
        ),
        "--class-scores": (("intents.csv", "--truth", "y", *PROMISE), ("--class-scores", "p_*")),
        "--each-class": ((*CLASSES, *PROMISE), ("--each-class",)),
    },
}


def write_inputs() -> None:
    """The files that calls of `classay decide --guarantee` read."""
    rows = scored()
    lines = ["y,ant,site," + ",".join(f"p_{label}" for label in LABELS)]
    for label, site, p in zip(rows["y"], rows["site"], rows["p"], strict=True):
        lines.append(f"{label},{int(label == 'ant')},{site}," + ",".join(f"{each:.4f}" for each in p))
    Path("intents.csv").write_text("\n".join(lines) + "\n")
