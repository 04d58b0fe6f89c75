"""Class probabilities of several models in files: `compare` and `gate` find what Python finds of the arrays."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import classay as ca
from classay.cli.lists import columns_by_model
from classay.errors import InputError
from command import call, json_of, refusal

LABELS = ("1", "2", "three")
SHARED = ("--truth", "y", "--class-scores", "1=p1,2=p2,three=p3")


@pytest.fixture
def models(tmp_path, monkeypatch):
    """The truth and the class scores of two models, in files of each and in one file of both."""
    rng = np.random.default_rng(5)
    true = rng.integers(0, 3, 150)

    def said(strength):
        raw = rng.normal(size=(150, 3))
        raw[np.arange(150), true] += strength
        return np.round(np.exp(raw) / np.exp(raw).sum(1, keepdims=True), 12)

    y = np.array(LABELS)[true]
    new, old = said(1.6), said(0.9)
    monkeypatch.chdir(tmp_path)
    ids = np.arange(150)
    for name, scores, order in (("new", new, ids), ("old", old, ids[::-1])):
        columns = {"y": y[order], "id": ids[order]} | {f"p{k + 1}": scores[order, k] for k in range(3)}
        csv.write_csv(pa.table(columns), f"{name}.csv")
    both = {f"{name}{k + 1}": scores[:, k] for name, scores in (("new", new), ("old", old)) for k in range(3)}
    csv.write_csv(pa.table({"y": y, **both}), "both.csv")
    return y, {"new": new, "old": old}


def compared(*arguments):
    return [
        (row["measure"], row["value_first"], row["p"])
        for row in json_of("compare", *arguments)["comparisons"]
    ]


def test_files_of_each_and_one_file_of_both_give_what_the_arrays_give(models):
    y, said = models
    expected = [(one.measure, one.values[0], one.p) for one in ca.compare(said, y)]
    assert [name for name, _, _ in expected] == ["accuracy", "macro_f1", "log_loss"]
    found = compared("new.csv", "old.csv", "--id", "id", *SHARED)
    of_each = (
        "--class-scores",
        "new:1=new1,2=new2,three=new3",
        "--class-scores",
        "old:1=old1,2=old2,three=old3",
    )
    again = compared("both.csv", "--truth", "y", *of_each)
    for one, other, third in zip(expected, found, again, strict=True):
        assert one[0] == other[0] == third[0]
        assert one[1:] == pytest.approx(other[1:], rel=1e-9)
        assert one[1:] == pytest.approx(third[1:], rel=1e-9)


def test_frames_name_the_columns_of_the_classes(models):
    y, said = models
    both = csv.read_csv("both.csv")
    names = {name: {label: f"{name}{k + 1}" for k, label in enumerate(LABELS)} for name in said}
    assert [one.p for one in ca.compare(both, truth="y", scores=names)] == [
        one.p for one in ca.compare(said, y)
    ]
    frames = {name: csv.read_csv(f"{name}.csv") for name in said}
    for scores, labels in (
        ({label: f"p{k + 1}" for k, label in enumerate(LABELS)}, None),
        (["p1", "p2", "p3"], list(LABELS)),
    ):
        found = ca.compare(frames, truth="y", id="id", scores=scores, labels=labels)
        assert [one.p for one in found] == pytest.approx([one.p for one in ca.compare(said, y)], rel=1e-9)
    with pytest.raises(InputError, match="Columns of a model must be a name"):
        ca.compare(frames, truth="y", id="id", scores={"1": 3})


def test_a_gate_and_its_requirements_take_them(models):
    y, said = models
    demand = ("--measure", "recall[three]", "--rule", "superior", "--require", "recall[2].low >= 0.99")
    done = call("gate", "new.csv", "old.csv", "--id", "id", *SHARED, *demand, "--json", "-")
    found = json.loads(done.stdout)
    assert found["measure"] == "recall[three]"
    assert found["values"][0] == ca.assess(y, said["new"])["recall[three]"].value
    assert done.exit_code == 1
    assert found["requirements"][0]["requirement"] == "recall[2].low >= 0.99"


def test_different_cases_take_them(models):
    found = compared("new.csv", "old.csv", "--unpaired", *SHARED, "--measures", "roc_auc[2],macro_f1")
    assert [name for name, _, _ in found] == ["roc_auc[2]", "macro_f1"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("both.csv", *SHARED), "does not name the models"),
        (
            ("new.csv", "old.csv", "--truth", "y", "--class-scores", "a:1=p1"),
            "Several files need one column",
        ),
        (("new.csv", "old.csv", *SHARED, "--scores", "p1"), "--scores and --class-scores"),
        (
            ("new.csv", "old.csv", "--id", "id", "--truth", "y", "--class-scores", "1=p1,2=p2"),
            "has no scores",
        ),
        (("new.csv", "old.csv", "--truth", "y", "--class-scores", "p1"), "LABEL=COLUMN"),
    ],
)
def test_what_cannot_be_is_refused(models, arguments, words):
    assert words in refusal("compare", *arguments)


def test_models_are_named_all_or_none():
    for texts in (["cat=a", "new:cat=b"], ["new:cat=a", "new:cat=b"], ["cat=a", "cat=b"]):
        with pytest.raises(InputError, match="--class-scores"):
            columns_by_model(texts)
    assert columns_by_model(["a=b:c"]) == {"": {"a": "b:c"}}
