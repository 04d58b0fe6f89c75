"""What an assessment remembers is what it would find anew: in other settings, in copies, of measures of one's own."""

import copy
import pickle

import numpy as np
import pytest

from classay import assess
from classay.assessment.remembered import remembered
from classay.measures import get

rng = np.random.default_rng(1)
SCORE = rng.random(80)
TRUTH = (rng.random(80) < SCORE).astype(int)
OTHERS = {
    "threshold": lambda a: a.at(0.8),
    "level": lambda a: a.changed(level=0.5),
    "interval": lambda a: a.changed(interval="Wilson"),
    "copy": copy.copy,
    "pickle": lambda a: pickle.loads(pickle.dumps(a)),
}


@pytest.mark.parametrize("other", OTHERS)
def test_other_assessments_remember_nothing_of_this(other):
    a = assess(TRUTH, SCORE)
    known = remembered(a)
    known.estimates(["accuracy", "recall"])
    for name in ("accuracy", "recall"):
        assert OTHERS[other](known).estimate(name) == OTHERS[other](a).estimate(name)


@pytest.mark.parametrize("name", ["accuracy", "mine"])
def test_a_measure_of_ones_own_is_itself_whatever_its_name(name):
    a = assess(TRUTH, SCORE)
    known, own = remembered(a), replace_name(get("recall"), name)
    known.estimate("accuracy")
    for way in (lambda each: each.estimate(own), lambda each: each.estimates([own])[name]):
        assert way(known).value == way(a).value == a.estimate("recall").value
    assert known.estimate("accuracy") == a.estimate("accuracy")


def replace_name(measure, name):
    """A measure of the same formula, of another name."""
    own = copy.copy(measure)
    object.__setattr__(own, "name", name)
    return own
