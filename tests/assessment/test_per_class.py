"""What is said of each of several classes: the weakest, also where they tie, and why a measure is undefined."""

import numpy as np
import pytest

import classay as ca
from classay.assessment.perspectives import some_classes, without_class, worst_classes
from classay.assessment.verdict import verdict


def missed(classes):
    """Four cases of each of ten classes; those of the first of them are all called the last class."""
    truth = np.repeat(np.arange(10), 4)
    said = np.where(truth < classes, 9, truth)
    return ca.assess(truth, y_pred=said, labels=range(10))


@pytest.mark.parametrize(
    ("tied", "words"),
    [
        (1, "the class it finds least is 0, with 0.0 %"),
        (2, "the classes it finds least are 0 and 1, each with 0.0 %"),
        (3, "the classes it finds least are 0, 1 and 2, each with 0.0 %"),
        (7, "it finds 7 of the 10 classes least, each with 0.0 %"),
    ],
)
def test_classes_that_tie_as_the_weakest_are_all_named_or_counted(tied, words):
    assert any(words in sentence for sentence in verdict(missed(tied)))


def test_the_order_of_labels_does_not_choose_the_weakest_class():
    """The same counts under other names: the same number of classes is said, whatever comes first."""
    truth = np.repeat(np.array(list("abcdefghij")), 4)
    for hit in "aej":
        a = ca.assess(truth, y_pred=np.where(truth == hit, truth, "x"), labels=[*"abcdefghij", "x"])
        assert any("it finds 9 of the 11 classes least" in sentence for sentence in verdict(a)), verdict(a)


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
