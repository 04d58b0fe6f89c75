"""Every code of a leak is explained, and every code that is explained is given somewhere."""

import re
from pathlib import Path

import classay.resampling
from classay.resampling.leaks import LEAKS


def test_codes_of_leaks_are_explained():
    texts = [path.read_text() for path in Path(classay.resampling.__file__).parent.rglob("*.py")]
    given = {code for text in texts for code in re.findall(r'\bLeak\(\s*"(\w+)"', text)}
    assert {*LEAKS} == given
