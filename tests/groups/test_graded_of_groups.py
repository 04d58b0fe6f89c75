"""What groups of cases add to `comparison/test_graded.py`."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from comparison.test_graded import TWO


def test_cases_without_a_group_are_of_all_cases_alone():
    by = np.array(["a", "b", None, "a"] * 30, object)
    with pytest.raises(InputError, match="on a separate line"):
        ca.compare_values(TWO, by=by)
    found, alone = ca.compare_values(TWO, by=by, missing="drop"), ca.compare_values(TWO)
    assert found[0].effect == alone[0].effect
    kept = np.array([each is not None for each in by])
    without = ca.compare_values({name: each[kept] for name, each in TWO.items()}, by=by[kept])
    assert found.groups["a"][0] == without.groups["a"][0]
    assert found.interactions == without.interactions
    assert found.cases_not_recorded == 30


def test_groups_of_graded_values_are_as_many_as_the_values():
    values = {"a": [0.1, 0.5, 0.3, 0.7], "b": [0.2, 0.4, 0.9, 0.8]}
    ca.compare_values(values, by=["x", "x", "y", "y"])
    with pytest.raises(InputError, match=r"by has 3 rows, but the values have 4\. Use one group per case"):
        ca.compare_values(values, by=["x", "x", "y"])
