"""Truth that is one-hot or of several tags: nobody guesses where both fit."""

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.errors import InputError

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 60)
ONE_HOT = np.eye(3, dtype=int)[Y]
P = 0.5 * RNG.dirichlet([1, 1, 1], 60) + 0.5 * ONE_HOT
FRAME = pd.DataFrame(
    {f"y_{c}": ONE_HOT[:, i] for i, c in enumerate("abc")}
    | {f"p_{c}": P[:, i] for i, c in enumerate("abc")}
    | {"g": np.arange(60) % 2, "t": np.arange(60) // 15}
)
NAMED = {"truth": "y_*", "score": "p_*"}
AMBIGUOUS = "task='classes'.*task='tags'"
LOGITS = np.log(P) + np.arange(60)[:, None]


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
    assert type(door(task="tags")).__name__ == "TagAssessment"


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


def test_what_is_no_question_stays_so():
    for scores in (P * 0.9, P[:, ::-1] * 0.5):
        assert type(ca.assess(ONE_HOT, scores)).__name__ == "TagAssessment"
    sets = [{"abc"[each]} for each in Y]
    assert type(ca.assess(sets, P, labels=list("abc"))).__name__ == "TagAssessment"
    assert type(ca.assess(ONE_HOT, y_pred=ONE_HOT)).__name__ == "TagAssessment"
    assert ca.assess(ONE_HOT, y_pred=ONE_HOT, task="classes")["accuracy"].value == 1
    assert ca.assess(Y, P, task="classes")["accuracy"] == ca.assess(Y, P)["accuracy"]
    with pytest.raises(InputError, match="task='tags' needs"):
        ca.assess(Y, P, task="tags")
    with pytest.raises(InputError, match="exactly one 1"):
        ca.assess([[1, 1, 0], [0, 1, 0]], P[:2], task="classes")


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
