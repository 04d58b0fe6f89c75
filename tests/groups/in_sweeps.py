"""Samples of groups of cases, for the sweeps over all kinds of results, pages and options."""

import numpy as np

import classay as ca
from classay.shown import Reportable
from sample_results import compared, patients, result


@result
def slices() -> Reportable:
    rows = patients()
    return ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick")


@result
def comparison_by_groups() -> Reportable:
    return compared(measures=["roc_auc", "accuracy"], by=patients()["site"])


@result
def gate_of_groups() -> Reportable:
    found = compared(measures=["accuracy"], by=patients()["site"])
    return ca.gate(found, "non-inferior", margin=0.03)


@result
def criteria_of_equal_treatment() -> Reportable:
    rows = patients(600)
    return ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick").criteria()


@result
def thresholds_by_group() -> Reportable:
    rows = patients(400)
    groups = ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick")
    return ca.decide_by(groups, cost=ca.Costs(fp=1, fn=3), where="equalised_odds_gap <= 0.1")


@result
def segments_of_one_model() -> Reportable:
    rows = patients()
    return ca.assess_by(rows, truth="truth", score="new", by="*", positive="sick")


@result
def segments_of_two_models() -> Reportable:
    return ca.compare(patients(), truth="truth", scores=["new", "old"], by="*", positive="sick")


def groups_20():
    from large_pages import assess, patients

    return assess(patients(), "--by", "clinic")


def groups_200():
    from large_pages import assess, patients

    return assess(patients(6000, 200), "--by", "clinic")


def slices_20():
    from large_pages import patients

    rows = patients().to_pandas()
    return ca.assess_by(rows, truth="truth", score="model 1", by="clinic")


def models_by_20_groups():
    from large_pages import patients

    rows = patients()
    arguments = ["compare", "ROWS", "--truth", "truth", "--scores", "model 1,model 2", "--by", "clinic"]
    return {"rows": rows, "arguments": arguments}


def gate_by_groups():
    from large_pages import patients

    rows = patients()
    scores = {name: rows[name].to_numpy() for name in ("model 2", "model 1")}
    found = ca.compare(scores, rows["truth"].to_numpy(), by=rows["clinic"].to_numpy(), measures=["accuracy"])
    return ca.gate(found, "non-inferior", margin=0.03)


def segments():
    from large_pages import patients

    rows = patients().to_pandas()
    return ca.assess_by(rows, truth="truth", score="model 1", by="*")


def criteria_200():
    from large_pages import patients

    rows = patients(6000, 200).to_pandas()
    return ca.assess_by(rows, truth="truth", score="model 1", by="clinic").criteria()


def group_thresholds_8():
    from large_pages import patients

    rows = patients(400, groups=8).to_pandas()
    groups = ca.assess_by(rows, truth="truth", score="model 1", by="clinic")
    return ca.decide_by(groups, cost=ca.Costs(fp=1, fn=3), where="equalised_odds_gap <= 0.3")


def two_wards():
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 240)
    score = 1 / (1 + np.exp(-(2 * truth - 1 + rng.normal(0, 1.6, 240))))
    ward = np.where(rng.random(240) < 0.3, "St. Mary's Hospital, emergency ward", "other")
    return ca.assess_by(truth, score, by=ward)


BROWSER_PAGES = (two_wards,)
LARGE_PAGES = (
    groups_20,
    groups_200,
    slices_20,
    models_by_20_groups,
    gate_by_groups,
    segments,
    criteria_200,
    group_thresholds_8,
)

TITLED_OTHERWISE = {"segments of one model": "its model has no name"}
WITH_NEXT_STEPS = ("criteria of equal treatment", "thresholds by group", "segments of one model")
LED_BY = {"groups_20": "By clinic", "groups_200": "By clinic"}
THEMED = ("slices",)
COMPARISONS = ("comparison by groups",)

TRUTH = ("--truth", "y", "--score", "p")
ROWS = ("p.csv", *TRUTH)
DECIDE = ("p.csv", *TRUTH, "--cost", "fp=1", "--cost", "fn=3")
PAIR = ("p.csv", "--truth", "y", "--scores", "p,q", "--measures", "auc")
GATE = ("p.csv", "r.csv", "--truth", "y", "--score", "p", "--measure", "auc", "--rule", "superior")
MERGED = ("one.classay", "two.classay")
USED = {
    "assess": {
        "--by": (ROWS, ("--by", "g")),
        "--pool": ((*ROWS, "--by", "g"), ("--pool", "50")),
        "--bands": ((*ROWS, "--by", "w"), ("--bands", "w=2")),
        "--reference": ((*ROWS, "--by", "g"), ("--reference", "north")),
        "--criteria": ((*ROWS, "--by", "g"), ("--criteria",)),
        "--control": ((*ROWS, "--by", "g,word", "--criteria"), ("--control", "word")),
    },
    "decide": {
        "--by": ((*DECIDE, "--where", "disparity(recall) <= 0.2", "--by", "word"), ("--by", "g")),
        "--pool": ((*DECIDE, "--where", "disparity(recall) <= 0.2", "--by", "g,word"), ("--pool", "25")),
        "--bands": ((*DECIDE, "--where", "disparity(recall) <= 0.2", "--by", "w"), ("--bands", "w=2")),
    },
    "compare": {
        "--by": (PAIR, ("--by", "g")),
        "--pool": ((*PAIR, "--by", "g"), ("--pool", "50")),
        "--bands": ((*PAIR, "--by", "w"), ("--bands", "w=2")),
    },
    "gate": {
        "--by": ((*GATE[:8], "--rule", "not-worse"), ("--by", "g")),
        "--pool": ((*GATE[:8], "--rule", "not-worse", "--by", "g"), ("--pool", "50")),
        "--bands": ((*GATE[:8], "--rule", "not-worse", "--by", "w"), ("--bands", "w=2")),
    },
    "merge": {
        "--apart": (MERGED, ("--apart",)),
        "--pool": ((*MERGED, "--apart"), ("--pool", "999")),
        "--trend": ((*MERGED, "three.classay"), ("--trend",)),
        "--reference": ((*MERGED, "--apart"), ("--reference", "one")),
    },
}
REFUSED = (
    ("assess", ("--matrix", "matrix.csv", "--matrix-rows", "true", "--by", "g"), "Remove --by"),
    ("decide", (*DECIDE, "--by", "g"), "--by needs costs and a limit"),
    ("decide", (*ROWS, "--where", "disparity(recall) <= 0.2", "--by", "g"), "--by needs costs and a limit"),
)
SAID_ANYWAY = (("--by", "g,g"),)
OF_COLUMNS = ("--by",)
ROLES = (("assess", TRUTH, ("--by", "y"), 2), ("assess", TRUTH, ("--frequency", "g", "--by", "g"), 0))
