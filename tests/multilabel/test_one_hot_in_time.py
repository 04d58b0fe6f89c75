"""What periods of time add to `test_one_hot.py`."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from multilabel.test_one_hot import AMBIGUOUS, FRAME, NAMED, ONE_HOT, P, Y


def test_models_and_periods():
    models = {"a": P, "b": P[:, [1, 0, 2]]}
    with pytest.raises(InputError, match=AMBIGUOUS):
        ca.compare(models, ONE_HOT)
    classes = ca.compare(models, ONE_HOT, task="classes")
    assert [str(each) for each in classes] == [str(each) for each in ca.compare(models, Y)]
    assert "samples_f1" in [each.measure for each in ca.compare(models, ONE_HOT, task="tags")]
    by_time = ca.assess_over_time(FRAME, time="t", task="classes", **NAMED)
    assert str(by_time) == str(
        ca.assess_over_time(
            FRAME.assign(y=list(np.array(list("abc"))[Y])),
            time="t",
            truth="y",
            score={c: f"p_{c}" for c in "abc"},
        )
    )
