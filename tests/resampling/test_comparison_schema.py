"""The JSON of comparisons and gates is a contract: docs/comparison.schema.json, which every output keeps."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.comparison.cases.compare_assessments import compare_unpaired
from classay.comparison.comparisons import row_of
from classay.inference.requirements import check
from classay.report.results.compared import as_dict_of_gate as gate_dict
from classay.report.results.parts import json_text
from published import E_TEN, WIDE

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "comparison.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 120)
SCORES = {name: Y + RNG.normal(0, s, 120) for name, s in (("a", 0.7), ("b", 1), ("c", 1.5))}
ONE_CLASS = {"a": [0.2, 0.4], "b": [0.1, 0.3]}

OUTPUTS = {
    "test set": lambda: ca.compare(SCORES, Y),
    "labels": lambda: ca.compare(
        y_pred={name: (s > 0.5).astype(int) for name, s in SCORES.items()}, y_true=Y
    ),
    "bootstrap": lambda: ca.compare(SCORES, Y, measures=["kolmogorov_smirnov"]),
    "one-sided, drawn": lambda: ca.compare(SCORES, Y, measures=["kolmogorov_smirnov"], alternative="greater"),
    "rule": lambda: ca.compare(SCORES, Y, measures=["roc_auc"], rule="equivalent", margin=0.05),
    "undefined": lambda: ca.compare(ONE_CLASS, [0, 0], labels=[0, 1]),
    "undefined, by a rule": lambda: ca.compare(ONE_CLASS, [0, 0], labels=[0, 1], rule="superior"),
    "unpaired": lambda: compare_unpaired({name: ca.assess(Y, s) for name, s in SCORES.items()}),
    "folds": lambda: ca.compare(E_TEN),
    "folds, posterior": lambda: ca.compare(E_TEN, rope=0.01),
    "folds, rule": lambda: ca.compare(E_TEN, rule="non-inferior", margin=0.01),
    "data sets": lambda: ca.compare(WIDE, dataset="set"),
    "data sets, Nemenyi": lambda: ca.compare(WIDE, dataset="set", method="nemenyi"),
    "data sets, control": lambda: ca.compare(WIDE, dataset="set", control="C4.5", method="mean-ranks"),
    "data sets, posterior": lambda: ca.compare(WIDE, dataset="set", rope=0.01),
    "data sets, all in one order": lambda: ca.compare(
        {"set": [1, 2, 3], "a": [3, 6, 9], "b": [2, 5, 8], "c": [1, 4, 7]}, dataset="set"
    ),
}


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


def refuse(constant):
    raise ValueError(constant)  # Python's reader takes NaN; JSON has none


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_keep_to_it(name):
    found = OUTPUTS[name]()
    VALIDATOR.validate(json.loads(json_text(found.to_dict()), parse_constant=refuse))
    assert json.loads(json_text(found.to_dict())) == found.to_dict()
    found.to_latex(), found.methods_text(), str(found), found._repr_html_()
    assert not [one.sentence for one in found if "nan" in one.sentence]


def test_the_monte_carlo_error_of_what_is_drawn_is_in_the_json():
    """Twice the error covers how the ends move with the seed; what is not drawn has none."""
    drawn = [ca.compare(SCORES, Y, measures=["kolmogorov_smirnov"], seed=seed)[0] for seed in range(8)]
    rows = [row_of(one) for one in drawn]
    for end in ("low", "high"):
        moved = np.std([row[end] for row in rows], ddof=1)
        assert moved == pytest.approx(np.mean([row[f"error_of_{end}"] for row in rows]), rel=0.8)
    worse = gate_dict(ca.gate(drawn[0], "superior"))
    assert (worse["error_of_low"], worse["error_of_high"]) == drawn[0].noise
    one_end = row_of(OUTPUTS["one-sided, drawn"]()[0])
    assert one_end["error_of_low"] > 0
    assert (one_end["error_of_high"], one_end["alternative"]) == (0, "greater")
    assert row_of(ca.compare(SCORES, Y, measures=["roc_auc"])[0])["error_of_low"] is None


@pytest.mark.parametrize("rule", ["superior", "not-worse", "non-inferior", "equivalent"])
@pytest.mark.parametrize("name", ["test set", "undefined"])
def test_gates_keep_to_it(name, rule):
    margin = 0.05 if rule in ("non-inferior", "equivalent") else None
    made = ca.gate(OUTPUTS[name]()[0], rule, margin)
    outcomes = check("recall.low > 0.5", lambda _: ca.Estimate.undefined("nothing there"))
    for each in ((), outcomes):
        VALIDATOR.validate(json.loads(json_text(gate_dict(made, each)), parse_constant=refuse))


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found.pop("seed"),
        lambda found: found.update(extra=1),
        lambda found: found["comparisons"][0].pop("rule"),
        lambda found: found["comparisons"][0].update(p=2),
        lambda found: found["comparisons"][0].update(note=""),
        lambda found: found.update(random="luck"),
    ],
)
def test_the_schema_is_strict(change):
    found = ca.compare(E_TEN).to_dict()
    assert VALIDATOR.is_valid(found)
    change(found)
    assert not VALIDATOR.is_valid(found)
