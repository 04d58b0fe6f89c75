"""Every part of a saved evaluation, changed so that it cannot be one: refused, whatever its checksum says."""

import io
import json
import zipfile
from copy import deepcopy

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import classay as ca
from classay.errors import FileError
from classay.files.archives import sealed
from classay.resampling.data import FoldResult
from classay.resampling.saved_evaluations import _ABOUT, from_bytes, to_bytes
from learners import noise

X, Y = noise(24, signal=2)


@pytest.fixture(scope="module")
def parts():
    """The JSON, arrays and folds of an evaluation of two data sets with weights and clusters."""
    sets = {"north": (X, Y), "south": (-X, Y)}
    weight = {name: np.linspace(0.5, 1.5, 24) for name in sets}
    cluster = {name: [f"c{k // 2}" for k in range(24)] for name in sets}
    e = ca.evaluate({"bayes": GaussianNB()}, sets, protocol="2fold", weight=weight, cluster=cluster)
    with zipfile.ZipFile(io.BytesIO(to_bytes(e))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(members.pop(_ABOUT))
    members.pop("checksums.json")
    arrays = {
        name: np.load(io.BytesIO(content)) if name.endswith(".npy") else content
        for name, content in members.items()
    }
    return about, arrays


def read(about, members):
    return from_bytes(sealed(_ABOUT, about, members), "file", ca.Evaluation)


def test_parts_that_are_as_they_were_are_read(parts):
    about, members = parts
    e = read(about, members)
    assert (e.models, e.datasets, e.level, e.seed) == (("bayes", "baseline"), ("north", "south"), 0.95, 0)
    assert to_bytes(e) == sealed(_ABOUT, about, members)


def run(about):
    return about["runs"][0]


def place(about):
    return run(about)["places"][0]


def changed(of, key, value):
    of[key] = value


CHANGES = {
    "no runs": lambda about, _: changed(about, "runs", []),
    "an unknown measure": lambda about, _: changed(about, "measures", ["acc"]),
    "a measure by another name": lambda about, _: changed(about, "measures", ["mcc"]),
    "a measure twice": lambda about, _: changed(about, "measures", ["accuracy", "accuracy"]),
    "a level of 1": lambda about, _: changed(about, "level", 1),
    "a seed below 0": lambda about, _: changed(about, "seed", -1),
    "an unknown kind of splitter": lambda about, _: changed(about, "splitter", "other"),
    "a remark of one text": lambda about, _: changed(about, "remarks", [["code"]]),
    "a remark with a number": lambda about, _: changed(about, "remarks", [["code", 3]]),
    "a further key": lambda about, _: changed(about, "more", 1),
    "a further key of a run": lambda about, _: changed(run(about), "more", 1),
    "two data sets of one name": lambda about, _: changed(run(about), "name", "south"),
    "other models in one data set": lambda about, _: changed(run(about), "models", ["bayes", "other"]),
    "no models": lambda about, _: changed(run(about), "models", []),
    "a model twice": lambda about, _: changed(run(about), "models", ["bayes", "bayes"]),
    "a label twice": lambda about, _: changed(run(about), "labels", [0, 0]),
    "no positive label": lambda about, _: changed(run(about), "positive", 7),
    "no folds": lambda about, _: changed(run(about), "places", []),
    "a fold twice": lambda about, _: changed(place(about), 0, 1),
    "another kind of fold": lambda about, _: changed(place(about), 1, "tests"),
    "a fold of a negative repeat": lambda about, _: changed(place(about), 2, -1),
    "a fold that is no number": lambda about, _: changed(place(about), 3, True),
    "a fold without test cases": lambda about, _: changed(place(about), 4, 0),
    "a fold without training cases": lambda about, _: changed(place(about), 5, 0),
    "a fold beyond all": lambda about, _: changed(place(about), 0, 2**31),
    "a fold of seven numbers": lambda about, _: place(about).append(1),
    "a fold of five numbers": lambda about, _: place(about).pop(),
    "more test cases than there are": lambda about, _: changed(place(about), 4, 13),
    "a result that is missing": lambda _, members: members.pop("0/0/0"),
    "a result that is not missing": lambda about, _: changed(run(about), "missing", [[0, "bayes"]]),
    "a leak without its text": lambda about, _: changed(
        run(about), "leaks", [{"code": "c", "count": 1, "example": 1}]
    ),
    "a leak of -1": lambda about, _: changed(
        run(about), "leaks", [{"code": "c", "text": "t", "count": -1, "example": 1}]
    ),
    "a leak of more fields": lambda about, _: changed(
        run(about), "leaks", [{"code": "c", "text": "t", "count": 1, "example": 1, "more": 1}]
    ),
    "no cases": lambda _, members: changed(members, "0/truth.npy", np.array([], np.int64)),
    "a truth beyond the labels": lambda _, members: changed(members, "0/truth.npy", np.full(24, 2)),
    "a truth below 0": lambda _, members: changed(members, "0/truth.npy", np.full(24, -1)),
    "other numbers of weights": lambda _, members: changed(members, "0/weight.npy", np.ones(23)),
    "weights of 0": lambda _, members: changed(members, "0/weight.npy", np.zeros(24)),
    "weights below 0": lambda _, members: changed(members, "0/weight.npy", np.full(24, -1.0)),
    "weights that cannot be squared": lambda _, members: changed(members, "0/weight.npy", np.full(24, 1e300)),
    "clusters beyond their names": lambda _, members: changed(members, "0/cluster.npy", np.full(24, 12)),
    "no clusters": lambda _, members: members.pop("0/cluster.npy"),
    "test cases beyond all": lambda _, members: changed(members, "0/test.npy", np.full(24, 24)),
    "a member too many": lambda _, members: changed(members, "0/9/9", members["0/0/0"]),
    "no fold": lambda _, members: changed(members, "0/0/0", b"no fold"),
    "a fold of other cases": lambda _, members: changed(
        members, "0/0/0", FoldResult(np.zeros(11, int), None, "none").to_bytes()
    ),
    "a prediction beyond the labels": lambda _, members: changed(
        members, "0/0/0", FoldResult(np.full(12, 2), None, "none").to_bytes()
    ),
    "scores of no kind": lambda _, members: changed(
        members, "0/0/0", FoldResult(np.zeros(12, int), np.ones(12), "none").to_bytes()
    ),
    "a kind without scores": lambda _, members: changed(
        members, "0/0/0", FoldResult(np.zeros(12, int), None, "probability").to_bytes()
    ),
    "missing scores": lambda _, members: changed(
        members, "0/0/0", FoldResult(np.zeros(12, int), np.full(12, np.nan), "decision").to_bytes()
    ),
    "scores of two classes": lambda _, members: changed(
        members, "0/0/0", FoldResult(np.zeros(12, int), np.ones((12, 2)), "decision").to_bytes()
    ),
    "training below 0": lambda _, members: changed(
        members, "0/0/0", FoldResult(np.zeros(12, int), None, "none", -np.ones((2, 2))).to_bytes()
    ),
    "training of three classes": lambda _, members: changed(
        members, "0/0/0", FoldResult(np.zeros(12, int), None, "none", np.ones((3, 3))).to_bytes()
    ),
}


WORDS = {
    "no runs": "it holds no runs",
    "an unknown measure": "measures are ('acc',)",
    "a measure by another name": "measures are ('mcc',)",
    "a measure twice": "measures contains a value twice",
    "a level of 1": "level of evaluation.json is 1,",
    "a seed below 0": "seed of evaluation.json is -1,",
    "an unknown kind of splitter": "splitter of evaluation.json is 'other'",
    "a remark of one text": "['code'] is no remark",
    "a remark with a number": "['code', 3] is no remark",
    "a further key": "evaluation.json has the unknown field 'more'",
    "a further key of a run": "run 0 has the unknown field 'more'",
    "two data sets of one name": "the names of data sets contains a value twice",
    "other models in one data set": "the data sets have other models each",
    "no models": "run 0 has no models",
    "a model twice": "the models of run 0 contains a value twice",
    "a label twice": "labels contains a value twice",
    "no positive label": "positive is 7",
    "no folds": "run 0 has no folds",
    "a fold twice": "the folds of run 0 contains a value twice",
    "another kind of fold": "'tests' is no kind of fold",
    "a fold of a negative repeat": "-1, 0, 12, 12] is no fold",
    "a fold that is no number": "True, 12, 12] is no fold",
    "a fold without test cases": "0, 12] is no fold",
    "a fold without training cases": "12, 0] is no fold",
    "a fold beyond all": "[2147483648, 'test', 0, 0, 12, 12] is no fold",
    "a fold of seven numbers": "12, 12, 1] is no fold",
    "a fold of five numbers": "[0, 'test', 0, 0, 12] is no fold",
    "more test cases than there are": "'0/test.npy' has shape (24,) instead of (25,)",
    "a result that is missing": "a result is missing",
    "a result that is not missing": "a result is missing",
    "a leak without its text": "text of a leak is missing",
    "a leak of -1": "count of a leak is -1",
    "a leak of more fields": "a leak has the unknown field 'more'",
    "no cases": "run 0 has no cases",
    "a truth beyond the labels": "'0/truth.npy' contains a number that is not below 2",
    "a truth below 0": "'0/truth.npy' contains a number below 0",
    "other numbers of weights": "'0/weight.npy' has shape (23,) instead of (24,)",
    "weights of 0": "no case of run 0 weighs anything",
    "weights below 0": "'0/weight.npy' contains a number below 0",
    "weights that cannot be squared": "the weights of run 0 are too large or too small to be squared",
    "clusters beyond their names": "'0/cluster.npy' contains a number that is not below 12",
    "no clusters": "'0/cluster.npy' is missing",
    "test cases beyond all": "'0/test.npy' contains a number that is not below 24",
    "a member too many": "the unknown member '0/9/9'",
    "no fold": "not a complete zip archive",
    "a fold of other cases": "'predicted' has shape (11,) instead of (12,)",
    "a prediction beyond the labels": "'predicted' contains a number that is not below 2",
    "scores of no kind": "a fold has scores of no kind",
    "a kind without scores": "a fold has scores of no kind",
    "missing scores": "the scores of a fold hold NaN",
    "scores of two classes": "'scores' has shape (12, 2) instead of (12,)",
    "training below 0": "'training' contains a number below 0",
    "training of three classes": "'training' has shape (3, 3) instead of (2, 2)",
}
"""What is said of each change."""


@pytest.mark.parametrize("name", CHANGES)
def test_a_part_that_cannot_be_one_is_refused(parts, name):
    about, members = deepcopy(parts[0]), dict(parts[1])
    CHANGES[name](about, members)
    with pytest.raises(FileError) as refused:
        read(about, members)
    assert "\n" not in str(refused.value)
    assert f"({WORDS[name]}" in str(refused.value) or f"{WORDS[name]})" in str(refused.value)
    assert ("file" if name != "no fold" else "stored fold") in str(refused.value)


def test_what_is_said_to_be_missing_is_missing(parts):
    about, members = deepcopy(parts[0]), dict(parts[1])
    del members["0/0/1"]
    run(about)["missing"] = [[1, "bayes"]]
    e = read(about, members)
    assert [result is None for result in e.runs[0].results["bayes"]] == [False, True]
    assert [result is None for result in e.runs[0].results["baseline"]] == [False, False]
    old = deepcopy(about)
    for each in old["runs"]:
        del each["missing"]
    with pytest.raises(FileError):
        read(old, members)
    del members["0/1/1"]  # the first format: none of the fitted models has this fold
    assert read(old, members).runs[0].results["baseline"][1] is None
