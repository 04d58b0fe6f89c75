"""What groups of cases add to `tables/test_checks.py`."""

import numpy as np
import pandas as pd
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


def test_one_name_in_a_list_is_the_name_and_its_column_and_no_name_is_refused():
    frame = pd.DataFrame({"y": [1, 0] * 10, "p": np.linspace(0, 1, 20), "g": list("aabb") * 5})
    how = {"truth": "y", "score": "p"}
    wanted = ca.assess_by(frame, **how, by="g").to_dict()
    assert ca.assess_by(frame, **how, by=["g"]).to_dict() == wanted
    assert ca.assess_by(frame, **how, by=frame["g"]).to_dict() == wanted
    with pytest.raises(ca.InputError, match=r"by is an empty list\. Pass the name of a column"):
        ca.assess_by(frame, **how, by=[])


def test_a_combination_of_groups_is_found_by_labels_and_by_words():
    frame = pd.DataFrame({"y": [1, 0] * 24, "p": np.linspace(0, 1, 48)})
    frame["sex"], frame["age"] = np.repeat(list("fm"), 24), np.repeat([*range(6)] * 2, 4)
    groups = ca.assess_by(frame, truth="y", score="p", by=["sex", "age"])
    for sex, age in (("f", 0), ("m", 5)):
        found = groups[sex, age]
        names = [(sex, str(age)), [sex, age], f"sex={sex}, age={age}", f"age={age}, sex={sex}"]
        assert all(groups[name] is found for name in names)
        assert found.rows == 4
    for name in (("f", 6), ("f",), ("f", 0, 0), "sex=f, age=6"):
        with pytest.raises(ca.InputError, match=r"does not occur\. Groups: (?:[^;]*; ){10}… \(12 in all\)"):
            groups[name]
