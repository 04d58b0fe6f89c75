"""What groups of cases add to `assessment/test_mistaken.py`."""

import numpy as np

import classay as ca
from assessment.test_mistaken import codes, epochs, of_columns


def test_improper_rows_are_told_by_compare_and_by_groups():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 300)
    good = (rng.dirichlet([1, 1, 1], 300) + np.eye(3)[y]) / 2.5
    proper = good / good.sum(1, keepdims=True)
    assert "improper_rows" in codes(ca.assess(y, good))
    found = ca.compare({"a": proper, "b": good, "c": 0.9 * good}, y)
    (warned,) = (each for each in found.warnings if each.code == "improper_rows")
    assert warned.concerns == ("b", "c")
    assert "improper_rows" in codes(ca.assess_by(y, good, by=np.arange(300) % 2))
    assert not of_columns(ca.compare({"a": proper, "b": proper[:, ::1]}, y))


def test_repeats_are_told_and_clusters_silence_them():
    frame = epochs()
    a = ca.assess(frame, truth="y", score="p")
    text = dict(a.warnings)["repeated_ids"]
    assert "36 rows have 12 values of 'id'" in text
    assert "use cluster='id'" in text
    assert "repeated_ids" not in codes(ca.assess(frame, truth="y", score="p", cluster="id"))
    both = {"truth": "y", "scores": ["p", "q"]}
    assert "repeated_ids" in codes(ca.compare(frame, **both))
    assert "repeated_ids" not in codes(ca.compare(frame, **both, cluster="id"))
    assert "repeated_ids" in codes(ca.assess_by(frame, truth="y", score="p", by="epoch"))
    assert "repeated_ids" in codes(a.threshold(maximize="f1"))
    assert "repeated_ids" in codes(a + a.changed(repeats=None))
