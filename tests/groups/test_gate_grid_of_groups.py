"""What groups of cases add to `comparison/test_gate_grid.py`."""

from itertools import product

import pytest

import classay as ca
from classay.comparison.comparisons import Comparisons
from classay.groups.by_group import GroupComparisons
from classay.inference.requirements import Verdict
from comparison.test_gate_grid import FAIL, GRID, OPEN, PASS, RULES, by_the_table, compared


@pytest.mark.parametrize(
    ("rule", "margin"), [each for each in RULES if each[0] in ("non-inferior", "not-worse")]
)
def test_groups_pass_by_their_own_interval_and_fail_by_the_one_of_all_groups(rule, margin):
    """The wide interval reaches beyond the group's own; not-worse, which passes unless it fails, is decided by it."""
    m = margin or 0
    for (low, high), beyond in product(GRID, (0.0, 0.01, 0.04)):
        own, wide = compared(low, high), compared(low - beyond, high + beyond)
        found = GroupComparisons(
            (compared(0.0, 0.3),),
            ("new", "old"),
            by="site",
            groups={"a": Comparisons((own,), ("new", "old"))},
            cases={"a": 90},
            simultaneous=(wide,),
        )
        made = ca.gate(found, rule, margin)
        fails = high + beyond < -m
        passes = not fails if rule == "not-worse" else low > -m
        wanted = FAIL if fails else PASS if passes else OPEN
        assert made.verdict_in("a") is wanted
        if not beyond:
            assert wanted is by_the_table(rule, low, high, m)
        assert made.verdict is Verdict.of([wanted, made.all_cases.verdict])
        assert made.in_state(wanted) == ["a"]
