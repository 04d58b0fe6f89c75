"""Samples over time, for the sweeps over all kinds of results, pages and options."""

import numpy as np

import classay as ca
from classay.shown import Reportable
from sample_results import patients, result


@result
def trends_over_weeks() -> Reportable:
    rows = patients(400)
    days = np.datetime64("2026-03-02") + np.arange(400) // 10
    late = np.arange(400) >= 280
    return ca.assess_over_time(
        rows["truth"], np.where(late, rows["old"], rows["new"]), time=days, per="week", positive="sick"
    )


@result
def gate_of_the_last_period() -> Reportable:
    rows = patients(400)
    days = np.datetime64("2026-03-02") + np.arange(400) // 10
    return ca.gate_over_time(
        rows["truth"], rows["new"], time=days, per="week", measure="roc_auc", margin=0.05, positive="sick"
    )


def trend_12():
    from large_pages import assess, patients

    return assess(patients(), "--time", "month", "--per", "month")


def trend_120():
    from large_pages import assess, patients

    return assess(patients(4000, periods=120), "--time", "month", "--per", "month")


def trends_12():
    from large_pages import patients

    rows = patients()
    time = rows["month"].to_numpy()
    return ca.assess_over_time(rows["truth"].to_numpy(), rows["model 1"].to_numpy(), time=time, per="month")


LARGE_PAGES = (trend_12, trend_120, trends_12)
LED_BY = {"trend_12": "Over the months", "trend_120": "Over the months"}

TRUTH = ("--truth", "y", "--score", "p")
ROWS = ("p.csv", *TRUTH)
DECIDE = ("p.csv", *TRUTH, "--cost", "fp=1", "--cost", "fn=3")
USED = {
    "assess": {
        "--time": (("days.csv", *TRUTH), ("--time", "day")),
        "--per": (("days.csv", *TRUTH, "--time", "day"), ("--per", "week")),
    },
    "decide": {
        "--time": (DECIDE, ("--time", "w")),
        "--per": (("days.csv", *DECIDE[1:], "--time", "day"), ("--per", "week")),
        "--labels-until": ((*DECIDE, "--time", "w"), ("--labels-until", "1")),
    },
    "gate": {
        "--time": (("days.csv", *TRUTH, "--measure", "auc", "--margin", "0.1"), ("--time", "day")),
        "--per": (
            ("days.csv", *TRUTH, "--measure", "auc", "--margin", "0.1", "--time", "day"),
            ("--per", "week"),
        ),
    },
}
REFUSED = (
    ("assess", (*ROWS, "--per", "week"), "--per week needs dates. Use --time"),
    ("assess", (*ROWS, "--per", "file"), "--per file needs several files, but p.csv is one file"),
    ("assess", (*ROWS, "--per", "file", "--time", "w"), "--per file and --time cannot be combined"),
    ("assess", (*ROWS, "--by", "w", "--per", "day"), "--by and --time (--per) cannot be combined"),
    ("decide", (*DECIDE, "--per", "week"), "--per and --labels-until need dates. Use --time"),
    ("decide", (*DECIDE, "--labels-until", "3"), "--per and --labels-until need dates. Use --time"),
    ("gate", (*ROWS, "--measure", "auc", "--per", "week"), "--per week needs dates. Use --time"),
)
SAID_TWICE = (("decide", DECIDE, ("--per", "day")),)
