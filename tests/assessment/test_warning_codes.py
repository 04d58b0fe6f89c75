"""Every code of a warning is explained, and every code that is explained is given somewhere."""

import re
from pathlib import Path
from typing import get_args

from classay.assessment import verdict
from classay.assessment.verdict import WARNINGS, Code


def test_codes_of_warnings_are_explained():
    given = set(re.findall(r'^\s+\(?\(?"([a-z_]+)",', Path(verdict.__file__).read_text(), re.MULTILINE))
    given |= set(re.findall(r'\(\("([a-z_]+)",', Path(verdict.__file__).read_text()))
    assert {*WARNINGS} == {*get_args(Code)} == given
