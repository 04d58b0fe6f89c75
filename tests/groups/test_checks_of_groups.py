"""What groups of cases add to `tables/test_checks.py`."""

import numpy as np
import pytest

import classay as ca
from tables.test_checks import OF_ROWS


@pytest.mark.parametrize("unit", ["D", "M", "s", "ns"])
def test_times_of_numpy_are_found_by_the_label_that_was_given(unit):
    days = np.array(["2026-01", "2026-02", "2026-03"], f"datetime64[{unit}]")
    truth = days[[0, 1, 2, 0, 1]]
    scores = np.eye(3)[[0, 1, 2, 0, 2]] * 0.7 + 0.1
    a = ca.assess(truth, {day: scores[:, i] for i, day in enumerate(days)})
    assert ca.assess(truth, scores, labels=list(days)).to_dict() == a.to_dict()
    for i, day in enumerate(days):
        assert a[ca.MEASURES["recall"][day]].value == (1, 0.5, 1)[i]
        assert a.confusion_matrix.index(day) == a.class_scores.labels.index(a.labels[i]) == i
        assert ca.assess_by(truth, scores, by=truth)[day].rows == (2, 2, 1)[i]
    for name, (make, good) in OF_ROWS.items():
        if name not in ("CaseTable", "many classes"):
            table = make(**good | {"labels": tuple(days[:2])})
            assert table.labels == a.labels[:2]
