"""The top of a list in which no case is positive: its precision is 0, its recall undefined."""

import numpy as np

import classay as ca


def test_the_precision_is_given_beside_an_undefined_recall():
    first = ca.assess(np.zeros(40, int), np.arange(40) / 40, labels=[0, 1]).gain_table().parts[0]
    assert first.precision.value == 0
    assert 0 < first.precision.high < 1
    assert first.recall.is_undefined
    assert first.lift.is_undefined
