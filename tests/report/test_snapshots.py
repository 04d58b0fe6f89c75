"""Every kind of result in each form of text, as committed snapshots: a change of a word or a number is seen in review.

CLASSAY_SNAPSHOTS=rewrite writes the files anew.
"""

import os
import re
from pathlib import Path

import pytest

from classay.report.door import BUILDERS
from classay.report.latex import as_latex
from classay.report.markdown import as_markdown
from classay.report.text import as_text
from sample_results import RESULTS

SNAPSHOTS = Path(__file__).parents[1] / "snapshots" / "results"
FORMS = {
    "txt": lambda document: as_text(document, 80, "utf-8"),
    "md": as_markdown,
    "tex": as_latex,
}
TIMES = re.compile(r"\d[\d.,]*(?= (?:s|ms|seconds|min)\b)")


def settled(text):
    """The text without what differs from run to run: seconds and the version."""
    return re.sub(r"classay \d+\.\d+\.\d+", "classay X", TIMES.sub("T", text))


@pytest.mark.parametrize("name", RESULTS)
def test_results_read_as_they_did(name):
    document = RESULTS[name]().document()
    for ending, render in FORMS.items():
        file = SNAPSHOTS / f"{name.replace(' ', '_')}.{ending}"
        text = settled(render(document))
        if os.environ.get("CLASSAY_SNAPSHOTS") == "rewrite":
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8")


def test_every_kind_of_result_has_a_snapshot():
    kinds = {kind.__name__ for made in RESULTS.values() for kind in type(made()).__mro__}
    assert not set(BUILDERS) - kinds


def test_no_snapshot_is_left_of_what_is_gone():
    known = {f"{name.replace(' ', '_')}.{ending}" for name in RESULTS for ending in FORMS}
    assert {file.name for file in SNAPSHOTS.iterdir()} == known
