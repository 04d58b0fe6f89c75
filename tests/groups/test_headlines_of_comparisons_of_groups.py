"""What groups of cases add to `comparison/test_headlines_of_comparisons.py`."""

import re

import numpy as np
import pytest

import classay as ca
from comparison.test_headlines_of_comparisons import SCORES, Y, lead, two

PLACE = np.array(["north", "south"])[np.arange(300) % 2]


@pytest.mark.parametrize("found", [lambda s: ca.compare(s, Y), lambda s: ca.compare(s, Y, by=PLACE)])
def test_other_names_change_names_alone(found):
    named = {"new": "Alpha", "old": "Zulu"}
    plain = lead(found({name: SCORES[name] for name in named}))
    renamed = lead(found({named[name]: SCORES[name] for name in named}))
    for old, new in named.items():
        plain = [re.sub(rf"\b{old}\b", new, each) for each in plain]
    assert plain == renamed


def test_a_gate_of_groups_leads_with_what_the_verdict_rests_on():
    bad = np.where(PLACE == "south", 1 - SCORES["new"], SCORES["new"])
    made = ca.compare({"new": bad, "old": SCORES["old"]}, Y, measures=["roc_auc"], by=PLACE)
    made = made.gate("non-inferior", 0.02)
    first, whole = lead(made)
    assert first.startswith(
        "FAIL in group 'south': new is worse than old in ROC AUC by more than the margin of 0.02: 0."
    )
    assert "simultaneous 95% CI" in first
    assert first.endswith("adjusted for 2 groups).")
    assert whole.startswith("All cases (fail): new is worse than old in ROC AUC")
    good = two("new", "old", measures=["roc_auc"], by=PLACE).gate("not-worse")
    assert (
        lead(good)[0]
        == "PASS: no loss of new compared with old in ROC AUC was detected in any of the 2 groups of group."
    )
