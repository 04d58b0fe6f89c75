"""What periods of time add to `comparison/test_one_rule.py`."""

import numpy as np
import pytest

import classay as ca
from comparison.test_one_rule import OPEN, RULES, by_the_table


def holds(made, rule, margin, *, over_time=False):
    """Whether the verdict is that of the interval, where no draws and no omissions leave it open."""
    found = made.difference
    wanted = (
        by_the_table(found.low, found.high, rule, margin, over_time=over_time) if found.has_interval else OPEN
    )
    return made.verdict is (OPEN if made.unsettled or made.is_one_sided else wanted)


@pytest.mark.parametrize("rule", [None, *RULES])
@pytest.mark.parametrize("right", [70, 88, 90, 97])
def test_a_period_is_held_to_the_same_table(rule, right):
    days = np.repeat([f"2026-03-{day:02}" for day in range(1, 9)], 100)
    y = np.arange(days.size) % 2
    called = np.where(np.arange(days.size) % 100 < np.where(days == "2026-03-08", right, 90), y, 1 - y)
    made = ca.gate_over_time(y, y_pred=called, time=days, measure="accuracy", margin=0.03, rule=rule)
    assert holds(made, rule or "non-inferior", 0.03, over_time=True), made
