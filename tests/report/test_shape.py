"""One description of a result gives its JSON and the schema that this keeps."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import classay as ca
from classay.report.built import built
from classay.report.results.parts import json_text
from classay.report.shape import Key, Kind, Many, Result, Row, published
from classay.report.value_kinds import COUNT, ESTIMATE, LABEL, NUMBER, TEXT, estimate, one_of
from sample_results import RESULTS

DOCS = Path(__file__).parents[2] / "docs"
NAN, INFINITY = float("nan"), float("inf")


def keeps(kind, value):
    """Whether plain values keep the schema of a kind."""
    return Draft202012Validator(published("file", "Title", "About", kind.schema)).is_valid(value)


@pytest.mark.parametrize(
    ("kind", "value", "written"),
    [
        (NUMBER, NAN, None),
        (NUMBER, -INFINITY, "-Infinity"),
        (COUNT.or_null(), None, None),
        (one_of("a", "b").or_null(), None, None),
        (LABEL, (0,), "(0,)"),
        (Many(NUMBER), (0.5, INFINITY), [0.5, "Infinity"]),
    ],
)
def test_a_kind_writes_what_its_schema_takes(kind, value, written):
    assert kind.json(value) == written
    assert keeps(kind, written)


@pytest.mark.parametrize("value", [-1, 0.5, None, "1"])
def test_a_kind_takes_nothing_else(value):
    assert not keeps(COUNT, value)


def test_an_estimate_has_an_interval_or_a_reason():
    whole = ESTIMATE.json(ca.Estimate(0.5, 0.4, 0.6, 0.95, "Wilson"))
    bare = ESTIMATE.json(ca.Estimate.bare(0.5, "no case is negative"))
    assert keeps(ESTIMATE, whole)
    assert keeps(ESTIMATE, bare)
    assert not keeps(ESTIMATE, whole | {"reason": "none"})
    assert not keeps(ESTIMATE, bare | {"low": 0.4})


def test_keys_that_may_be_absent():
    row = Row(Key("name", TEXT, "0"), Key("note", TEXT, "1", optional=True), Key("n", COUNT, "2", added=True))
    assert row.json(("a", None, 1)) == {"name": "a", "n": 1}
    assert keeps(row, {"name": "a"})
    assert not keeps(row, {"note": "b"})
    assert not keeps(row, {"name": "a", "other": 1})


def test_a_name_has_one_definition_in_a_file():
    both = Row(Key("first", estimate("estimate")), Key("second", Kind({}).named("estimate")))
    with pytest.raises(ValueError, match="two definitions of estimate"):
        published("file", "Title", "About", both.schema)


def reading(file):
    """The schema of a file in docs/, which another refers to."""
    return Resource.from_contents(json.loads((DOCS / file).read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", RESULTS)
def test_described_results_keep_their_schema(name):
    """Also those whose JSON has no kind by which its schema could be found."""
    result = RESULTS[name]()
    described = getattr(built(result, "as_dict"), "__self__", None)
    if isinstance(described, Result) and not described.name:
        schema = reading(f"{described.file}.schema.json").contents
        validator = Draft202012Validator(schema, registry=Registry(retrieve=reading))
        values = json.loads(json_text(result.to_dict()))
        assert not [error.message for error in validator.iter_errors(values)]
