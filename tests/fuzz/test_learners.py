"""Whatever a learner does, the user gets an evaluation, or one line."""

import warnings

import pytest

from classay.errors import ClassayError
from fuzz.contract import one_line
from fuzz.learners import CLASSES, LABELS, RAISED, SCORES, WAYS, Misbehaves, evaluated
from learners import noise

pytestmark = pytest.mark.filterwarnings("error")


def held(learner, X, y):
    """The evaluation, if there is one; fails where the contract is broken."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return evaluated(learner, X, y)
    except ClassayError as error:
        one_line(str(error))
        return None


EACH = [(where, what) for where, ways in WAYS.items() for what in ways]


@pytest.mark.slow
@pytest.mark.parametrize("scores", ["predict_proba", "decision_function", "none"])
@pytest.mark.parametrize(("where", "what"), EACH)
@pytest.mark.parametrize("labels", [(0, 1), (0, 1, 2)])
def test_every_misbehaviour(where, what, scores, labels):
    held(Misbehaves(where, what, scores), *noise(30, labels=labels))


SILENT = [("predict", each) for each in LABELS if each not in ("one column", "floats", "booleans")]


@pytest.mark.parametrize(("where", "what"), SILENT)
def test_labels_of_a_wrong_length_or_kind_are_no_accuracy(where, what):
    """One value for 30 rows gave an accuracy of .533, where .933 was true."""
    assert held(Misbehaves(where, what), *noise(90, labels=(0, 1, 2))) is None


def test_what_is_merely_odd_is_taken():
    x, y = noise(60)
    expected = held(Misbehaves(), x, y)["accuracy"]
    for what in ("one column", "floats", "booleans"):
        assert held(Misbehaves("predict", what), x, y)["accuracy"] == expected
    assert held(Misbehaves("writes"), x, y)["accuracy"] == expected
    assert held(Misbehaves("classes_", "a list"), x, y)["accuracy"] == expected


@pytest.mark.parametrize("what", ["outside [0, 1]", "percent", "a sum of 2", "infinite"])
def test_what_are_no_probabilities_is_said(what):
    e = held(Misbehaves("scores", what), *noise(60))
    assert "which are no probabilities" in e["log_loss"].reason
    assert any("no probabilities (outside [0, 1]" in each for each in e.notes)


@pytest.mark.parametrize("where", ["scores", "classes_"])
def test_classes_in_another_order_than_the_scores_are_said(where):
    what = "turned round" if where == "classes_" else "columns turned round"
    e = held(Misbehaves(where, what), *noise(90))
    assert any("the order of classes_ may be wrong" in each for each in e.notes)


@pytest.mark.parametrize("what", RAISED)
@pytest.mark.parametrize("where", ["fit", "get_params"])
def test_whatever_is_raised_is_one_line(where, what):
    assert held(Misbehaves(f"{where} raises", what), *noise(30)) is None


def test_the_tables_are_whole():
    assert len(LABELS) + len(SCORES) + len(CLASSES) + 4 * len(RAISED) > 100
