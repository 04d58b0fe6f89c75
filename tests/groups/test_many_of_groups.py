"""What groups of cases add to `comparison/test_many.py`."""

import numpy as np
import pytest

import classay as ca
from classay.assessment import group_labels
from classay.groups import assessing_groups

MOST_GROUPS = 60


def many_groups():
    rng = np.random.default_rng(0)
    n = 3 * (MOST_GROUPS + 2)
    y = rng.integers(0, 2, n)
    by = np.where(np.arange(n) < n // 3, 0, np.arange(n) % (MOST_GROUPS + 1) + 1)
    return y, rng.random(n), by


def test_small_groups_are_pooled_before_too_many_are_refused(monkeypatch):
    for module in (group_labels, assessing_groups):
        monkeypatch.setattr(module, "MOST_GROUPS", MOST_GROUPS)
    y, p, by = many_groups()
    with pytest.raises(ca.InputError, match="'group' has 62 groups, but at most 60 can be compared"):
        ca.assess_by(y, p, by=by)
    found = ca.assess_by(y, p, by=by, pool=50)
    assert list(found) == [0, f"the rest ({MOST_GROUPS + 1:,} groups)"]
    assert found.pooled.cases == (by != 0).sum()
    alone = ca.assess_by(y, p, by=by == 0)
    assert [each["roc_auc"] for each in found.groups.values()] == [alone[k]["roc_auc"] for k in (True, False)]
    models = {"a": p, "b": 1 - p}
    with pytest.raises(ca.InputError, match="'group' has 62 groups, but at most 60 can be compared"):
        ca.compare(models, y, by=by, measures=["accuracy"])
    compared = ca.compare(models, y, by=by, measures=["accuracy"], pool=50)
    assert list(compared.groups) == list(found)
