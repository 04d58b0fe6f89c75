"""Comparisons and gates by group keep the schemas of comparisons."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.report.results.parts import json_text

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "comparison.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 120)
SCORES = {name: Y + RNG.normal(0, s, 120) for name, s in (("a", 0.7), ("b", 1), ("c", 1.5))}
GROUP = np.array(["north", "south"])[np.arange(120) % 2]
ONE_CLASS = {"a": [0.2, 0.4], "b": [0.1, 0.3]}


OUTPUTS = {
    "by groups": lambda: ca.compare(SCORES, Y, by=GROUP),
    "by groups, one of one class, by a rule": lambda: ca.compare(
        SCORES, Y, by=np.where(Y > 0, "sick", GROUP), measures=["roc_auc"], rule="not-worse"
    ),
}


def refuse(constant):
    raise ValueError(constant)  # Python's reader takes NaN; JSON has none


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_keep_to_it(name):
    found = OUTPUTS[name]()
    VALIDATOR.validate(json.loads(json_text(found.to_dict()), parse_constant=refuse))
    assert json.loads(json_text(found.to_dict())) == found.to_dict()
    found.to_latex(), found.methods_text(), str(found), found._repr_html_()
    assert not [one.sentence for one in found if "nan" in one.sentence]


@pytest.mark.parametrize("rule", ["not-worse", "non-inferior"])
def test_gates_of_groups_keep_to_it(rule):
    margin = 0.05 if rule == "non-inferior" else None
    of_two = {name: SCORES[name] for name in "ab"}
    of_groups = ca.gate(ca.compare(of_two, Y, by=GROUP, measures=["roc_auc"]), rule, margin)
    VALIDATOR.validate(json.loads(json_text(of_groups.to_dict()), parse_constant=refuse))
