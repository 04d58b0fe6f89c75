"""Items of checklists: no sentence twice, limitations without other notes, unknown standards before the work."""

import re
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from checklists.test_checklists import answers, assessed
from classay.checklists import results_of_checklists
from classay.report.document import COVERS, Prose
from classay.report.paper import ShownEstimate
from command import refusal
from sample_results import patients


def by_site():
    rows = patients()
    return ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick")


@pytest.mark.parametrize(("standard", "item"), [("stard2015", "19"), ("tripod+ai", "20a")])
def test_the_flow_has_each_sentence_once(standard, item):
    for result in (assessed(), by_site().overall):
        sentences = re.split(r"(?<=\.) ", answers(result, standard)[item])
        assert len(sentences) == len({*sentences}) > 1


@pytest.mark.parametrize("standard", ["stard2015", "tripod+ai"])
def test_notes_of_other_sections_are_no_limitations(standard):
    page = by_site().document()
    notes = {
        is_limit: [
            part.text
            for section in page.sections
            for part in section.parts
            if isinstance(part, Prose) and (section.title == COVERS) == is_limit
        ]
        for is_limit in (True, False)
    }
    text = answers(None, standard, page)["26"]
    assert notes[True]
    assert notes[False]
    assert all(note in text for note in notes[True])
    assert not any(note in text for note in notes[False])


def test_an_unknown_standard_is_refused_where_no_page_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text(
        "y,p\n" + "".join(f"{k % 2},{x:.2f}\n" for k, x in enumerate(np.linspace(0, 1, 20)))
    )
    assert "--standard must be" in refusal(
        "assess", "p.csv", "--truth", "y", "--score", "p", "--json", "-", "--standard", "stard"
    )


def test_measures_of_accuracy_and_calibration_are_known_by_the_name_before_the_comma(monkeypatch):
    shown = [ShownEstimate(name, "Wilson", 0.95) for name in ("ROC AUC, north", "north, ROC AUC", "tau-b")]
    monkeypatch.setattr(results_of_checklists, "shown_estimates", lambda _: shown)
    assert results_of_checklists._Known(assessed().document()).primary == shown[:1]
    shown.pop(0)
    assert results_of_checklists._Known(assessed().document()).primary == shown
