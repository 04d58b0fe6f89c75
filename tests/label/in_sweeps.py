"""Samples of plans and of assessments from drawn labels, for the sweeps over all kinds of results and options."""

from pathlib import Path

import numpy as np

import classay as ca
from classay.label.planning import LabelPlan
from classay.shown import Reportable
from sample_results import result


def pool(n: int = 3000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Calibrated scores, and their labels."""
    rng = np.random.default_rng(seed)
    scores = np.round(1 / (1 + np.exp(-rng.normal(-3, 1.6, n))), 6)
    return scores, rng.random(n) < scores


def plan() -> LabelPlan:
    """A plan of 200 labels."""
    return ca.plan_labels(pool()[0], budget=200, threshold=0.3)


@result
def labeling_plan() -> Reportable:
    return plan()


@result
def labeled_cases() -> Reportable:
    made, labels = plan(), pool()[1] * 1.0
    labels[made.rows[3]] = np.nan
    return ca.assess_labeled(labels[made.rows], rows=made.rows, plan=made)


TITLED_OTHERWISE = {"labeling plan": "cases to label, not a model", "labeled cases": "a plan, not a model"}
PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
POOL = ("given_pool.csv", "--score", "p", "--budget", "200")
MORE = (
    *("given_pool.csv", "--score", "p", "--budget", "50"),
    *("--after", "given_list.csv", "--design", "given.plan.json", "--truth", "y"),
)
NEEDED = ("given_pool.csv", "--score", "p", "--threshold", "0.3")
LIST = ("given_list.csv", "--truth", "y", "--design", "given.plan.json")
USED = {
    "label": {
        "--score": (("given_pool.csv", "--budget", "200"), ("--score", "p")),
        "--scores": (("given_pool.csv", "--budget", "200", "--threshold", "0.3"), ("--scores", "p,p2")),
        "--budget": (POOL[:3], ("--budget", "200")),
        "--measures": (POOL, ("--measures", "recall")),
        "--threshold": (POOL, ("--threshold", "0.3")),
        "--prevalence": (POOL, ("--prevalence", "0.01")),
        "--half-width": (POOL, ("--half-width", "0.1")),
        "--level": (POOL, ("--level", "0.9")),
        "--seed": (POOL, ("--seed", "1")),
        "--out": (POOL, ("--out", "list.csv")),
        "--blind": ((*POOL, "--out", "list.csv"), ("--blind",)),
        "--after": ((*MORE[:5], *MORE[7:]), MORE[5:7]),
        "--design": ((*MORE[:7], *MORE[9:]), MORE[7:9]),
        "--truth": (MORE[:9], MORE[9:]),
        "--positive": (MORE, ("--positive", "0")),
        "--format": (("given_pool.txt", *POOL[1:]), ("--format", "csv")),
        "--delimiter": (("given_pool_semi.csv", *POOL[1:]), ("--delimiter", ";")),
        **dict.fromkeys(PAGES[::2], (POOL, PAGES)),
    },
    "assess": {
        "--design": (LIST[:3], LIST[3:]),
        "--known": (LIST, ("--known", "known")),
        "--unsure": ((*LIST[:2], "word", *LIST[3:], "--positive", "yes"), ("--unsure", "perhaps")),
    },
    "judge": {"--design": (("given_all.csv", "--human", "y", "--judge", "score"), LIST[3:])},
    "sample-size labels": {
        "--score": (("given_pool.csv", "--half-width", "0.1", "--threshold", "0.3"), ("--score", "p")),
        "--half-width": (NEEDED, ("--half-width", "0.1")),
        "--cases": (NEEDED, ("--cases", "200")),
        "--measure": ((*NEEDED, "--cases", "200"), ("--measure", "f1")),
        "--threshold": ((*NEEDED[:3], "--cases", "200"), NEEDED[3:]),
        "--prevalence": ((*NEEDED, "--cases", "200"), ("--prevalence", "0.01")),
        "--design": ((*NEEDED, "--cases", "200"), ("--design", "random")),
        "--level": ((*NEEDED, "--cases", "200"), ("--level", "0.9")),
        "--json": ((*NEEDED, "--cases", "200"), ("--json", "-")),
    },
    "compare": {
        "--design": (
            ("given_two_list.csv", "--truth", "y", "--scores", "p,p2"),
            ("--design", "given_two.plan.json"),
        )
    },
}


def write_inputs() -> None:
    """The files that calls of `classay label` read."""
    scores, truth = pool()
    made = plan()
    made.save("given.plan.json")
    second = np.round(np.clip(scores * np.random.default_rng(1).uniform(0.5, 1.5, scores.size), 0, 1), 6)
    rows = zip(scores.tolist(), second.tolist(), strict=True)
    text = "p,p2,q\n" + "\n".join(f"{one},{two},{k % 7}" for k, (one, two) in enumerate(rows)) + "\n"
    Path("given_pool.csv").write_text(text)
    Path("given_pool.txt").write_text(text)
    Path("given_pool_semi.csv").write_text(text.replace(",", ";"))
    lines = ["pool_row,p,y,word,known"]
    for k, row in enumerate(made.rows.tolist()):
        word = "perhaps" if k % 9 == 0 else "yes" if truth[row] else "no"
        lines.append(f"{row},{scores[row]},{int(truth[row])},{word},{int(k % 10 == 0)}")
    Path("given_list.csv").write_text("\n".join(lines) + "\n")
    drawn = {*made.rows.tolist()}
    lines = ["score,y"]
    for k, score in enumerate(scores.tolist()):
        lines.append(f"{score},{int(truth[k]) if k in drawn else ''}")
    Path("given_all.csv").write_text("\n".join(lines) + "\n")

    pair = ca.plan_labels({"p": scores, "p2": second}, budget=200, threshold=0.3)
    pair.save("given_two.plan.json")
    lines = [f"{row},{scores[row]},{second[row]},{int(truth[row])}" for row in pair.rows.tolist()]
    Path("given_two_list.csv").write_text("\n".join(["pool_row,p,p2,y", *lines]) + "\n")


NO_TRUTH_NEEDED = ("--design", "--known", "--unsure")  # a plan is read before columns are listed
