"""Every code of a warning is explained, and every code that is explained is given somewhere."""

import re
from pathlib import Path
from typing import get_args

from classay.assessment import mistaken, verdict
from classay.columns import doubtful
from classay.warned import OF_MODELS, WARNINGS, Code


def test_codes_of_warnings_are_explained():
    texts = "".join(Path(module.__file__).read_text() for module in (verdict, mistaken, doubtful))
    given = set(re.findall(r'"([a-z_]+)",?\s', texts)) & {*WARNINGS}
    assert {*WARNINGS} == {*get_args(Code)} == given
    assert given >= OF_MODELS
