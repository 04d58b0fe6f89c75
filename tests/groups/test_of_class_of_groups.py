"""What groups of cases add to `measures/test_of_class.py`."""

import numpy as np
import pytest

import classay as ca
from measures.test_of_class import LABELS


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    true = rng.integers(0, 3, 240)

    def said(strength):
        raw = rng.normal(size=(240, 3))
        raw[np.arange(240), true] += strength
        return np.exp(raw) / np.exp(raw).sum(1, keepdims=True)

    return np.array(LABELS)[true], said(1.5), said(1.0)


def test_groups_and_unpaired_models_have_it_too(rows):
    y, p, q = rows
    groups = np.array(["n", "s"] * 120)
    found = ca.assess_by(y, p, by=groups).frame("recall[cat]").to_pylist()
    assert [row["value"] for row in found] == [
        ca.assess(y[groups == g], p[groups == g])["recall[cat]"].value for g in ("n", "s")
    ]
    a, b = ca.assess(y, p), ca.assess(y[::-1], q[::-1])
    one = ca.compare_unpaired({"a": a, "b": b}, ["recall[cat]"])[0]
    assert one.effect.value == pytest.approx(a["recall[cat]"].value - b["recall[cat]"].value)
