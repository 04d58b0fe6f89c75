"""The JSON of views that have a schema and no test of their own keeps to it, as the samples of the sweeps make it."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from classay.report.results.parts import json_text
from sample_results import RESULTS

DOCS = Path(__file__).parents[2] / "docs"
KINDS = {
    json.loads(path.read_text(encoding="utf-8")).get("properties", {}).get("kind", {}).get("const"): path
    for path in DOCS.glob("*.schema.json")
}


@pytest.mark.parametrize("name", RESULTS)
def test_what_has_a_schema_keeps_to_it(name):
    found = json.loads(json_text(RESULTS[name]().to_dict()))
    path = KINDS.get(found.get("kind"))
    if path is not None and found.get("kind") is not None:
        schema = json.loads(path.read_text(encoding="utf-8"))
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema, registry=Registry(retrieve=in_docs))
        assert not [error.message for error in validator.iter_errors(found)]


def in_docs(file):
    """The schema of a file in docs/, which another refers to."""
    return Resource.from_contents(json.loads((DOCS / file).read_text(encoding="utf-8")))


def test_the_views_of_classes_and_periods_have_one():
    assert {"class_thresholds", "confusion_tree", "trends", "criteria"} <= {*KINDS}
