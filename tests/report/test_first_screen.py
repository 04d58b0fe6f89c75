"""The first lines of a report, 80 columns wide: the headline, then the warnings, then a number that matters.

The headline stands on the first screen of a terminal, and the first estimate of a table within 40 lines: warnings are
between them, because they change how a reader takes the headline.
"""

import re

import numpy as np
import pytest

import classay as ca
from classay.inference.estimate import format_distinct
from classay.report.document import Diagram, EstimateCell, Table
from classay.report.text import as_text
from classay.report.words import cell_text
from learners import Centroid, Nearest, noise
from sample_results import RESULTS

SCREEN, LINES, COLUMNS = 25, 40, 80


def squeezed(text):
    return re.sub(r"\s+", " ", text.replace("┃", " "))


def first(lines, document):
    return squeezed(" ".join(as_text(document, COLUMNS, "utf-8").splitlines()[:lines]))


def texts_of(estimate):
    """The value and the ends of an interval, without signs, which a sentence turns."""
    texts = (
        format_distinct(estimate.value, estimate.low, estimate.high)
        if estimate.has_interval
        else format_distinct(estimate.value)
    )
    return [text.lstrip("-+") for text in texts]


def leading(document):
    """The cells of the first table that has any estimate with a value."""
    for table in document.tables:
        found = [cell for row in table.rows for cell in row if isinstance(cell, EstimateCell)]
        if any(not each.estimate.is_undefined for each in found):
            return [each for each in found if not each.estimate.is_undefined]
    return []


def check(document):
    screen, shown = first(SCREEN, document), first(LINES, document)
    for sentence in document.verdict:
        assert squeezed(sentence) in screen
    if document.section("warnings") is not None:
        everything = squeezed(as_text(document, COLUMNS, "utf-8"))
        assert everything.partition(squeezed(document.verdict[-1]))[2].startswith(" Warnings ")
    found = leading(document)
    diagrams = [part for section in document.sections for part in section.parts if isinstance(part, Diagram)]
    assert found or diagrams or any(isinstance(p, Table) for s in document.sections for p in s.parts)
    if found:
        assert any(
            all(text in shown for text in texts_of(each.estimate)) or squeezed(cell_text(each)) in shown
            for each in found
        )


@pytest.mark.parametrize("name", RESULTS)
def test_the_first_screen_has_the_verdict_and_a_number(name):
    check(RESULTS[name]().document())


def sets(n):
    return {f"hospital {k}": noise(60, seed=k) for k in range(n)}


@pytest.mark.wings("resampling")
@pytest.mark.parametrize("n", [2, 9])
def test_many_data_sets_leave_room(n):
    models = {"centroid": Centroid(), "nearest": Nearest()}
    e = ca.evaluate(models, sets(n), protocol="2fold")
    document = e.document()
    check(document)
    everything = squeezed(as_text(document, COLUMNS, "utf-8"))
    for k in range(n):
        assert f"On hospital {k}: " in everything  # nothing is lost, it stands below


def test_many_models_leave_room():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    scores = {f"model number {k}": truth + (1 + k / 8) * rng.normal(size=200) for k in range(8)}
    check(ca.compare(scores, truth, measures=["roc_auc"]).document())


def test_long_labels_leave_room():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    names = np.array(
        ["a label that goes on and on, " * 6, "another label that does not come to its end " * 5]
    )
    check(
        ca.assess(
            names[truth], truth + rng.normal(size=200), positive=str(names[1]), threshold=0.5
        ).document()
    )
