"""Several targets on the command line: learners of several labels a case."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import classay as ca
from command import as_json, call, json_of, refusal

RNG = np.random.default_rng(2)
LEARN = ("--models", "tree,naive_bayes", "--protocol", "3fold", "--id", "id")


@pytest.fixture
def learnt(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.round(RNG.normal(size=(60, 2)), 3)
    y = (X > [0, 0.3]).astype(int)
    found = {
        "id": np.arange(60),
        "x1": X[:, 0],
        "x2": X[:, 1],
        "y_a": y[:, 0],
        "y_b": y[:, 1],
        "one": y[:, 0],
    }
    frame = pd.DataFrame(found)
    frame.to_csv("cases.csv", index=False)
    return frame


@pytest.mark.parametrize("target", ["y_*", "y_a,y_b", "cat=y_a,dog=y_b"])
def test_several_targets_are_evaluated(learnt, target):
    done = json_of("evaluate", "cases.csv", "--target", target, *LEARN, "--drop", "one")
    names = {"y_*": ["a", "b"], "y_a,y_b": ["y_a", "y_b"]}.get(target, ["cat", "dog"])
    y = learnt[["y_a", "y_b"]].set_axis(names, axis=1)
    e = ca.evaluate(["tree", "naive_bayes"], learnt[["x1", "x2"]], y, protocol="3fold")
    assert done == as_json(e)
    assert set(e.models) == {"tree", "naive_bayes"}
    assert e["tree"].tags == tuple(names)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--target", "y_a,y_b", "--tune"), "--tune cannot be used with --target y_a,y_b"),
        (
            ("--target", "y_a,y_b", "--positive", "1"),
            "--positive cannot be used with --target y_a,y_b (multilabel)",
        ),
        (("--target", "z_*"), "No column matches 'z_*' of target"),
        (("--target", "on*"), "--target has only one column, 'on*'"),
        (("--target", "y_a,z"), "no column 'z'"),
        (("--target", "y_a,x1"), "truth of tag 'x1'"),
        (("--target", "y_a,y_a"), "names a column twice"),
        (("--target", "y_a,y_b", "--protocol", "2x3"), "tests cases more than once"),
    ],
)
def test_targets_that_are_refused(learnt, more, words):
    assert words in refusal("evaluate", "cases.csv", *more)


def test_rows_without_a_target_are_left_out_and_told(learnt):
    text = Path("cases.csv").read_text().splitlines()
    text[3] = ",".join([*text[3].split(",")[:3], "", "1", "1"])
    Path("cases.csv").write_text("\n".join(text) + "\n")
    asked = ("evaluate", "cases.csv", "--target", "y_a,y_b", *LEARN, "--drop", "one")
    assert "Column 'y_a' (target) of cases.csv has missing values in 1 row (first:" in call(*asked).stderr
    done = call(*asked, "--missing", "drop")
    assert "note: 1 row without a target is excluded" in done.stderr
    assert "59" in done.stdout
