"""What periods of time add to `report/test_result_schemas.py`."""

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.errors import ClassayError
from classay.measures import FAMILIES
from report.test_result_schemas import DOCS
from samples import members


def _members(*labels):
    """The names of measures of every family, with the parameters of samples."""
    return [name for each in FAMILIES.values() for name in members(each, *labels)]


def _held(found, schema):
    """The errors of a JSON against its schema."""
    plain = json.loads(json.dumps(found))
    text = (DOCS / f"{schema}.schema.json").read_text(encoding="utf-8")
    return [error.message for error in Draft202012Validator(json.loads(text)).iter_errors(plain)]


@pytest.mark.parametrize("classes", [2, 3])
def test_every_family_of_measures_keeps_the_schemas(classes):
    rng = np.random.default_rng(classes)
    n = 60
    truth = np.arange(n) % classes
    scores = rng.dirichlet(np.ones(classes), n)
    score = scores[:, 1] if classes == 2 else scores
    labels = [*range(classes)]
    names = []
    for name in (*_members(0, 1), "recall[1]", "f_beta(3)[1]", 'recall["1"]'):
        try:
            ca.assess(truth, score, labels=labels, ordered=classes > 2).estimate(name)
        except ClassayError:
            continue
        names.append(name)
    assert len(names) > (20 if classes == 2 else 5)
    a = ca.assess(truth, score, labels=labels, ordered=classes > 2)
    assert not _held(a.to_dict(names), "assessment")
    assert not _held(a.to_dict(), "assessment")
    plain = [name for name in names if "[" not in name][:6]
    s = ca.assess_by(truth, score, by=["u", "v", "v", None] * (n // 4), labels=labels, missing="drop")
    whole = a.to_dict(plain) | {"slices": s.to_dict(*plain)}
    assert not _held(whole, "assessment")
    months = [f"2026-{1 + k % 4:02d}" for k in range(n)]
    over = ca.assess_over_time(truth, score, time=months, per="month", measures=plain[:3])
    assert not _held(over.to_dict(), "trends")
