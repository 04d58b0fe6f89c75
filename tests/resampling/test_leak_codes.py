"""Every code of a leak is explained, and every code that is explained is given somewhere."""

import json
import re
from pathlib import Path

import classay.resampling
from classay.resampling.leaks import LEAKS


def test_codes_of_leaks_are_explained():
    texts = [path.read_text() for path in Path(classay.resampling.__file__).parent.rglob("*.py")]
    given = {code for text in texts for code in re.findall(r'\bLeak\(\s*"(\w+)"', text)}
    assert {*LEAKS} == given
    schema = json.loads((Path(__file__).parents[2] / "docs/evaluation.schema.json").read_text())
    assert schema_codes(schema) == given


def schema_codes(schema):
    """The codes that the published JSON allows, wherever leaks stand in it."""
    found = [schema]
    while found:
        each = found.pop()
        if isinstance(each, dict):
            if "twins" in each.get("enum", ()):
                return {*each["enum"]}
            found += each.values()
        elif isinstance(each, list):
            found += each
    return set()
