"""One rule for all cases and for groups: the same interval has the same verdict, at whichever door it was made."""

from hypothesis import given, settings
from hypothesis import strategies as st

import classay as ca
from classay.comparison.comparison import Comparison
from classay.comparison.gate_rules import conditions, turned_over
from classay.inference.estimate import Estimate
from classay.inference.requirements import Verdict

PASS, FAIL, OPEN = Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED
RULES = ("non-inferior", "not-worse", "superior", "equivalent")


def by_the_table(low, high, rule, margin, *, over_time=False):
    """The table of the rules, written down a second time."""
    m = margin or 0.0
    if rule == "non-inferior":
        return PASS if low > -m else FAIL if high < -m else OPEN
    if rule == "not-worse":
        return FAIL if high < -m else OPEN if over_time and low < -m else PASS
    if rule == "superior":
        return PASS if low > m else FAIL if high < m else OPEN
    return PASS if -m < low and high < m else FAIL if high < -m or low > m else OPEN


ENDS = st.sampled_from([-0.3, -0.1, -0.05, -0.02, -0.01, 0.0, 0.01, 0.02, 0.05, 0.1, 0.3])


def compared(low, high, measure="roc_auc"):
    effect = Estimate((low + high) / 2, low, high, 0.95, "DeLong")
    return Comparison(("new", "old"), measure, effect, 0.3, "z, DeLong", "test cases")


@given(ENDS, ENDS, st.sampled_from([0.01, 0.02, 0.05]))
@settings(deadline=None)
def test_swapped_models_have_the_mirrored_verdict(one, other, margin):
    """To be shown better by more than m is not to be non-inferior, seen from the other side."""
    low, high = sorted((one, other))
    there, back = compared(low, high), compared(-high, -low)
    mirrored = {PASS: FAIL, FAIL: PASS, OPEN: OPEN}
    assert (
        ca.gate(back, "superior", margin).verdict is mirrored[ca.gate(there, "non-inferior", margin).verdict]
    )
    assert ca.gate(back, "equivalent", margin).verdict is ca.gate(there, "equivalent", margin).verdict
    if ca.gate(there, "not-worse", margin).verdict is FAIL:
        assert ca.gate(back, "superior", margin).verdict is PASS
    for rule in RULES:  # a loss is turned
        found = turned_over(there.effect)
        loss = Comparison(("new", "old"), "log_loss", found, 0.3, "t", "test cases")
        assert ca.gate(loss, rule, margin).verdict is ca.gate(there, rule, margin).verdict


@given(ENDS, ENDS, st.sampled_from(RULES), st.sampled_from([0.01, 0.02, 0.05]), st.booleans())
@settings(deadline=None)
def test_a_rule_never_passes_and_fails_at_once(one, other, rule, margin, over_time):
    low, high = sorted((one, other))
    asked = conditions(rule, margin, over_time=over_time)
    verdict = asked.verdict(Estimate((low + high) / 2, low, high, 0.95, "t"))
    assert verdict is by_the_table(low, high, rule, margin, over_time=over_time)
    if (low, high) == (one, other) and one == other == 0.0:
        assert verdict is (FAIL if rule == "superior" else PASS)  # surely not better by more than the margin
