"""Several models on the same cases: compared in pairs, and held against the rules of a gate."""

import numpy as np
from hypothesis import strategies as st

from .contract import hold

MEASURES = [
    "roc_auc",
    "accuracy",
    "recall",
    "precision",
    "f1",
    "mcc",
    "brier_score",
    "log_loss",
    "average_precision",
]


@st.composite
def models(draw):
    """Two or three models' scores on the same rows, how they are compared, and what is asked of them."""
    n = draw(st.one_of(st.integers(1, 20), st.integers(20, 60)))
    number = draw(
        st.sampled_from(
            [st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1), st.floats(allow_nan=False), st.floats()]
        )
    )
    names = draw(
        st.sampled_from([["new", "old"], ["new", "old"], ["a", "b", "c"], ["", "ü\u202e"], ["a", "a\n"]])
    )
    given = {
        "truth": draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)),
        "scores": {name: draw(st.lists(number, min_size=n, max_size=n)) for name in names},
        "measures": draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=2, unique=True)),
        "rule": draw(st.sampled_from(["non-inferior", "superior", "equivalent", "not-worse"])),
        "margin": draw(st.sampled_from([0.05, 0.01, None, 0.0, -1.0, 5e-324, float("inf"), float("nan")])),
    }
    if draw(st.integers(0, 3)) == 0:
        given["weight"] = draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=n, max_size=n))
    if draw(st.integers(0, 3)) == 0:
        given["cluster"] = draw(st.lists(st.sampled_from("abcdef"), min_size=n, max_size=n))
    if draw(st.integers(0, 4)) == 0:
        given["adjustment"] = draw(st.sampled_from(["holm", "none", "bonferroni", "bh", "wrong"]))
    return given


INPUTS = models()


def check(given):
    """Compare, look at the estimates of the differences, and ask the gate."""
    import classay as ca

    how = {name: given[name] for name in ("weight", "cluster", "adjustment", "measures") if name in given}
    scores = {name: np.array(each) for name, each in given["scores"].items()}
    found = ca.compare(scores, np.array(given["truth"]), **how)
    for each in found:
        _difference(each)
    str(found)
    for each in found:
        gate = ca.gate(each, given["rule"], margin=given["margin"])
        hold(isinstance(gate.sentence, str) and gate.sentence, "a gate says nothing")


def _difference(each):
    found, name = each.effect, each.measure
    if found is None or np.isnan([found.value, found.low, found.high]).any():
        reason = each.reason or (found and found.reason)
        hold(reason, f"the difference in {name} is NaN without a reason", each)
    else:
        hold(found.low <= found.value <= found.high, f"the difference in {name}: low ≤ value ≤ high", found)
    hold(np.isnan(each.p) or 0 <= each.p <= 1, f"the p-value in {name} is none", each.p)
