"""What is said of each of several classes: the weakest, also where they tie, and why a measure is undefined."""

import numpy as np
import pytest

import classay as ca
from classay.assessment.perspectives import some_classes, without_class, worst_classes


def test_of_classes_that_tie_the_larger_come_first():
    truth = np.repeat(np.arange(5), [2, 9, 4, 7, 3])
    a = ca.assess(truth, y_pred=np.full(truth.size, 4), labels=range(5))
    assert worst_classes(a, "f1", 4) == [1, 3, 2, 0]


@pytest.mark.parametrize("labels", [["a", "b: c", "d"], ["a: b", "a: c", "d: e: f"]])
@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 1.5, 1.0]])
def test_the_reason_of_a_class_names_it_and_is_whole(labels, weight):
    first, second, third = labels
    a = ca.assess([first, first, second, third], y_pred=[first] * 4, labels=labels, weight=weight)
    for label in (second, third):
        reason = some_classes(a, labels)[label]["precision"].reason
        assert reason == f"precision of {label!r}: never predicted"
        assert without_class(reason, "precision", label) == "never predicted"
    assert without_class("no interval: too few", "precision", first) == "no interval: too few"
