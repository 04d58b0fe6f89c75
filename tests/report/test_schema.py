"""The JSON is a contract: docs/assessment.schema.json, which every output keeps."""

import json
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.assessment.headline import FINDINGS
from classay.warned import WARNINGS, Code
from command import CLASSES, LABELS, REPORTED, SCORE, TEXT, THREE, TWO, as_json, result
from schemas import changed

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "assessment.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)

# Spelled out in the specification: none of these may go or change its name.
KEYS = {
    "schema", "classay", "n", "labels", "positive", "threshold", "level", "seed", "confusion_matrix",
    "measures", "per_class", "warnings",
}  # fmt: skip

OUTPUTS = {
    "two classes": (TWO, SCORE),
    "text labels": (TEXT, (*SCORE, "--positive", "spam")),
    "two classes, chosen measures": (TWO, (*SCORE, "--measures", "auc,mcc")),
    "three classes": (THREE, CLASSES),
    "hard labels": ("y,q\nu,u\nv,w\nw,w\n", LABELS),
    "weights and clusters": ("y,p,w,c\n0,.1,.5,1\n1,.8,2,2\n", (*SCORE, "--weight", "w", "--cluster", "c")),
    "frequencies": ("y,p,f\n0,.1,3\n1,.8,2\n", (*SCORE, "--frequency", "f")),
    "infinite threshold": (TWO, (*SCORE, "--threshold", "inf")),
    "infinite ratios": ("y,q\n1,1\n1,0\n0,0\n", LABELS),
    **{name: reported[:2] for name, reported in REPORTED.items()},
}


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["required"]) >= KEYS


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_keep_to_it(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    VALIDATOR.validate(result(*OUTPUTS[name]))


def test_values_that_json_lacks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = result(*OUTPUTS["infinite ratios"])["measures"]
    assert (
        found["positive_likelihood_ratio"]["value"]
        == found["positive_likelihood_ratio"]["high"]
        == "Infinity"
    )
    assert result(*OUTPUTS["infinite threshold"])["threshold"] == "Infinity"
    assert result(*OUTPUTS["one class"])["measures"]["roc_auc"]["value"] is None


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [0.5, 2.5], ["0", "1"], [(0,), (1,)]])
def test_labels_keep_their_type(labels):
    a = ca.assess([labels[0], labels[1]], [0.1, 0.9], positive=labels[1])
    found = as_json(a)
    VALIDATOR.validate(found)
    expected = [str(label) if isinstance(label, tuple) else label for label in labels]
    for known in (
        found["labels"],
        found["confusion_matrix"]["labels"],
        [each["label"] for each in found["per_class"]],
    ):
        assert list(map(repr, known)) == list(map(repr, expected))


def test_class_scores_with_and_without_everything():
    random = np.random.default_rng(2)
    truth, scores = random.integers(0, 4, 80), random.random((80, 4))
    for how in (
        {},
        {"weight": random.random(80)},
        {"frequency": random.integers(1, 3, 80)},
        {"labels": [0, 1, 2, 3]},
    ):
        VALIDATOR.validate(as_json(ca.assess(truth, scores, **how)))


def keeps(text):
    def refuse(constant):
        raise ValueError(constant)  # Python's reader takes NaN; JSON has none

    try:
        return VALIDATOR.is_valid(json.loads(text, parse_constant=refuse))
    except ValueError:
        return False


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found.pop("seed"),
        lambda found: found.update(extra=1),
        lambda found: found["measures"]["roc_auc"].update(value=float("nan")),
        lambda found: found["measures"]["roc_auc"].pop("reason"),
        lambda found: found["measures"]["roc_auc"].update(low=None),
        lambda found: found["measures"]["roc_auc"].update(note=""),
        lambda found: found["measures"].update({"ROC AUC": found["measures"]["roc_auc"]}),
        lambda found: found["measures"].update(kappa=0.5),
        lambda found: found["warnings"].append({"code": "new", "text": "something"}),
        lambda found: found["confusion_matrix"].update(axes=["true", "predicted"]),
    ],
)
def test_the_schema_is_strict(change):
    found = ca.assess([0, 1, 1, 0], [0.1, 0.9, 0.2, 0.8]).to_dict()
    assert keeps(json.dumps(found))
    assert not keeps(json.dumps(changed(found, change)))


def test_every_code_of_a_warning_is_in_the_contract():
    known = SCHEMA["properties"]["warnings"]["items"]["properties"]["code"]["anyOf"][0]["enum"]
    assert {*WARNINGS} == {*get_args(Code)}
    assert {*WARNINGS, *FINDINGS} == {*known}
