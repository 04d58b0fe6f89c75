"""What groups of cases add to `assessment/test_unanswered.py`."""

import numpy as np
import pandas as pd
import pytest

import classay as ca
from assessment.test_unanswered import ABC, HOLES, KINDS, SAID, SCORE, TRUTH, WIDE, N, assessed
from classay.errors import InputError
from command import json_of, refusal

WIDE[np.arange(N), np.searchsorted(list("abc"), KINDS)] += 0.7


@pytest.mark.parametrize("task", ["scores", "classes"])
@pytest.mark.parametrize("unanswered", ["wrong", "drop"])
def test_every_door_counts_the_same(tmp_path, monkeypatch, task, unanswered):
    monkeypatch.chdir(tmp_path)
    wanted = assessed(task, unanswered=unanswered).to_dict()
    said = {"score": "s"} if task == "scores" else {"prediction": "s", "labels": ABC}
    frame = pd.DataFrame({"y": TRUTH, "s": HOLES} if task == "scores" else {"y": KINDS, "s": SAID})
    how = {"truth": "y", "unanswered": unanswered, **said}
    frame.to_parquet("all.parquet")
    assert ca.assess(frame, **how).to_dict() == wanted
    column = ("--score", "s") if task == "scores" else ("--prediction", "s", "--labels", "a,b,c")
    found = json_of(
        "assess", "all.parquet", "--truth", "y", *column, "--unanswered", unanswered, "--save", "x"
    )
    keys = ("n", "dropped", "unanswered", "undeclared", "unanswered_count_as_wrong", "confusion_matrix")
    assert [found[key] for key in keys] == [wanted[key] for key in keys]
    assert found["measures"]["accuracy"] == wanted["measures"]["accuracy"]
    for name, rows in (("one", slice(0, 30)), ("two", slice(30, N))):
        assessed(task, rows, unanswered=unanswered).save(f"{name}.classay")
    assert (
        json_of("merge", "one.classay", "two.classay")["measures"]["accuracy"]
        == wanted["measures"]["accuracy"]
    )
    groups = ca.assess_by(frame, by=np.arange(N) % 2, **how)
    if unanswered == "wrong":
        assert sum(each.unanswered for each in (groups[0], groups[1])) == wanted["unanswered"]


@pytest.mark.parametrize("task", ["scores", "classes"])
def test_every_door_refuses_in_the_same_words(tmp_path, monkeypatch, task):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"unanswered='wrong'.*unanswered='drop'") as plain:
        assessed(task)
    wanted = str(plain.value)
    frame = pd.DataFrame({"y": TRUTH, "s": HOLES} if task == "scores" else {"y": KINDS, "s": SAID})
    frame.to_parquet("all.parquet")
    how = {"truth": "y"} | ({"score": "s"} if task == "scores" else {"prediction": "s", "labels": ABC})
    models = (
        {"models": {"a": HOLES, "b": SCORE}, "y_true": TRUTH}
        if task == "scores"
        else {"y_pred": {"a": SAID, "b": KINDS}, "y_true": KINDS, "labels": ABC}
    )
    for door in (
        lambda: ca.assess(frame, **how),
        lambda: ca.assess_by(frame, by=np.arange(N) % 2, **how),
        lambda: ca.compare(**models),
    ):
        with pytest.raises(InputError) as found:
            door()
        assert str(found.value).endswith(wanted)
    column = ("--score", "s") if task == "scores" else ("--prediction", "s", "--labels", "a,b,c")
    done = refusal("assess", "all.parquet", "--truth", "y", *column)
    assert "--unanswered wrong" in done
    assert "--unanswered drop" in done
