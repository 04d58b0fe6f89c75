"""What groups of cases add to `comparison/test_class_averages.py`."""

import numpy as np

import classay as ca


def test_a_group_of_one_class_leaves_the_slopes_of_the_others_alone():
    y, p = np.r_[np.ones(2, int), np.arange(40) % 2], np.linspace(0.1, 0.9, 42)
    group, is_kept = np.repeat([*"abc"], [2, 20, 20]), np.arange(42) > 1
    asked = {"measures": ["discrimination_slope"]}
    found = ca.compare({"new": p, "old": p[::-1]}, y, by=group, **asked)
    kept = {name: each[is_kept] for name, each in {"new": p, "old": p[::-1]}.items()}
    assert found.groups["a"][0].effect.reason == "new has no value (no case is negative)"
    assert (
        found.interactions[0].p == ca.compare(kept, y[is_kept], by=group[is_kept], **asked).interactions[0].p
    )
