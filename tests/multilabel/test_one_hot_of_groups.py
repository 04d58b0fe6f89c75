"""What groups of cases add to `test_one_hot.py`."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from multilabel.test_one_hot import AMBIGUOUS, FRAME, LOGITS, NAMED, ONE_HOT, P, Y


@pytest.mark.parametrize(
    "door",
    [
        lambda **task: ca.assess(ONE_HOT, P, **task),
        lambda **task: ca.assess(FRAME, **NAMED, **task),
        lambda **task: ca.assess_by(ONE_HOT, P, by=np.arange(60) % 2, **task).overall,
        lambda **task: ca.assess_by(FRAME, by="g", **NAMED, **task).overall,
    ],
)
def test_ambiguous_truth_is_refused_until_the_task_is_named(door):
    with pytest.raises(InputError, match=AMBIGUOUS):
        door()
    assert door(task="classes")["macro_roc_auc"].value == ca.assess(Y, P)["macro_roc_auc"].value
    assert type(door(task="tags")).__name__ == "MultilabelAssessment"


@pytest.mark.parametrize("scale", [{}, {"score_scale": "logit"}])
def test_one_hot_truth_beside_raw_scores(scale):
    groups, models = np.arange(60) % 2, {"a": LOGITS, "b": LOGITS[:, [1, 0, 2]]}
    for door in (
        lambda **task: ca.assess(ONE_HOT, LOGITS, **scale, **task),
        lambda **task: ca.assess_by(ONE_HOT, LOGITS, by=groups, **scale, **task).overall,
        lambda **task: ca.compare(models, ONE_HOT, **scale, **task),
    ):
        with pytest.raises(InputError, match=AMBIGUOUS):
            door()
        assert door(task="tags") is not None
    classes = ca.assess(ONE_HOT, LOGITS, task="classes", **scale)
    assert classes["accuracy"] == ca.assess(Y, LOGITS, **scale)["accuracy"]
    assert ca.assess(np.vstack([ONE_HOT, [[1, 1, 0]]]), np.vstack([LOGITS, LOGITS[:1]]), **scale).labels == (
        0,
        1,
        2,
    )
