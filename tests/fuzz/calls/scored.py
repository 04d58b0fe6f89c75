"""Cases with a score, odd scores and amounts among them, and a rule to decide by."""

import math

import numpy as np
from hypothesis import strategies as st

from .rows import NUMBERS

COSTS = [
    {"fp": 1, "fn": 5}, {"fp": 1, "fn": "a"}, {"fp": "0.5*a + 1", "tp": "-a"}, {"fn": 1},
    {"fp": -1, "fn": -5}, {"tn": 3, "tp": 3, "fp": 3, "fn": 3}, {"fp": 1e300, "fn": 1e-300}, {"fp": 0},
    {"fp": "x"}, {"fp": math.nan}, {"zz": 1}, {}, 3, "fp=1", {"fp": "a*a"}, {"fp": "1e400"},
    {"fp": 5e-324, "fn": 1e308},
]  # fmt: skip
MEASURES = [
    "youden", "recall", "precision", "f1", "f_beta(2)", "net_benefit(0.1)", "corner_distance", "rate_gap",
    "mcc", "accuracy", "false_positive_rate", "specificity", "balanced_accuracy", "diagnostic_odds_ratio",
]  # fmt: skip
ODD = [
    "roc_auc",
    "log_loss",
    "",
    "x",
    "f_beta(0)",
    "net_benefit(1)",
    "macro_f1",
    3,
    None,
    "recall[1]",
    "lift",
]
WHERE = [
    "precision >= 0.5", "fpr <= 0.2", "recall >= 0.9 and specificity > 0.1", "recall > 1",
    "precision.low >= 0.5", "recall >= nan", "recall", "", "x >= 1", "recall >= 0.5 and", "f1 < 0.5",
    "roc_auc > 0.5", "fpr <= 0", "recall >= 1e400", "precision == 1",
]  # fmt: skip
TOPS = [1, 3, 5.5, 0, -1, math.inf, math.nan, 1e9, "x", 0.5]
PREVALENCES = [0.5, 0.01, 1e-9, 0, 1, math.nan, 0.999]
KINDS = ["signal", "signal", "random", "ties", "one score", "far", "negative", "odd", "separated", "near"]


@st.composite
def decisions(draw):
    """Cases with a score, and a rule."""
    n = draw(st.one_of(st.integers(2, 12), st.integers(10, 60)))
    rule = draw(
        st.sampled_from(["cost", "cost", "maximize", "maximize", "minimize", "top", "where", "nothing"])
    )
    values = {
        "cost": COSTS[:3] * 4 + COSTS,
        "maximize": MEASURES * 3 + ODD,
        "minimize": ["rate_gap", "corner_distance", "fpr"] * 4 + ODD,
    }
    values |= {"top": [3, 5] * 4 + TOPS, "where": WHERE, "nothing": [None]}
    how = {rule: draw(st.sampled_from(values[rule]))} if rule != "nothing" else {}
    for name, share, more in (
        ("where", 3, WHERE[:3] * 3 + WHERE),
        ("top", 7, TOPS),
        ("prevalence", 5, PREVALENCES),
        ("per", 9, [2, 0, "column", 2.5]),
    ):
        if name not in how and draw(st.integers(0, share)) == 0:
            how[name] = draw(st.sampled_from(more))
    return {
        "cases": n,
        "seed": draw(st.integers(0, 9999)),
        "scores": draw(st.sampled_from(KINDS)),
        "positives": draw(st.sampled_from([0.5, 0.3, 0.1, 0.9])),
        "how": how,
        "more": draw(
            st.sampled_from(
                [None] * 4 + ["weight", "frequency", "cluster", "weight cluster", "float32", "held back"]
            )
        ),
        "amounts": draw(st.sampled_from(["usual"] * 6 + ["zero", "negative", "huge", "nan", "tiny"])),
        "do": draw(
            st.sampled_from(
                ["threshold"] * 6
                + ["text", "apply", "over time", "command", "several", "least cost", "verified", "top"]
            )
        ),
    }


def cases(given, more=0):
    """Truth, score and amounts."""
    rng = np.random.default_rng(given["seed"] + more)
    n = given["cases"]
    y = (rng.random(n) < given["positives"]).astype(int)
    p = rng.random(n)
    kind = given["scores"]
    if kind in ("signal", "separated"):
        p = (p + (1 if kind == "separated" else 0.5) * y) / 2
    elif kind == "ties":
        p = p.round(1)
    elif kind == "one score":
        p = np.full(n, 0.3)
    elif kind == "far":
        p = (p - 0.5) * 1e300
    elif kind == "negative":
        p = -p
    elif kind == "odd":
        p = rng.choice([each for each in NUMBERS if not math.isnan(each)], n)
    elif kind == "near":
        p = 0.5 + p * 1e-15
    amounts = {
        "usual": rng.random(n) * 100,
        "zero": np.zeros(n),
        "negative": -p,
        "huge": np.full(n, 1e90),
        "nan": p * math.nan,
    }
    amounts["tiny"] = np.full(n, 5e-324)
    return y, p, amounts[given["amounts"]]


def assessed(given, more=0):
    """The assessment, with what rows carry."""
    import classay as ca

    y, p, amount = cases(given, more)
    rng = np.random.default_rng(given["seed"])
    how = {"positive": 1, "labels": [0, 1]}
    kinds = (given["more"] or "").split()
    if "weight" in kinds:
        how["weight"] = rng.choice([1.0, 2.0, 0.5, 0.0], y.size, p=[0.5, 0.2, 0.2, 0.1])
    if "frequency" in kinds:
        how["frequency"] = rng.choice([1, 2, 0], y.size)
    if "cluster" in kinds:
        how["cluster"] = rng.integers(0, 6, y.size)
    if "float32" in kinds:
        with np.errstate(over="ignore"):
            p = p.astype(np.float32)
    if "a" in str(given["how"].get("cost", "")):
        how["amounts"] = {"a": amount}
    return ca.assess(y, p, **how), (y, p, how)
