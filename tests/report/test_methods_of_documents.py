"""The law of methods sections: every estimate that a result shows has its method in the text, at every door."""

import re

import pytest

import classay as ca
from classay import __version__
from classay.inference.estimate import title
from classay.inference.proportions import without_numbers
from classay.report.document import EstimateCell, Label, Table, Threshold
from classay.report.door import for_paper, with_pictures
from classay.report.paper import methods_of
from classay.texts import clean
from sample_results import RESULTS, assessed, patients


def cells(document):
    """The name of the measure in a row, where it has one, and the estimate, of all that have a value."""
    for section in document.sections:
        for part in section.parts:
            if isinstance(part, Threshold):
                yield from ((tile.name, tile.estimate) for tile in part.of)
            for row in part.rows if isinstance(part, Table) else ():
                name = row[0].name if isinstance(row[0], Label) else ""
                yield from (
                    (name, cell.estimate)
                    for cell in row
                    if isinstance(cell, EstimateCell) and not cell.estimate.is_undefined
                )


def check(document, said):
    sentences = without_numbers(said.partition("References: ")[0])
    for name, estimate in cells(document):
        if estimate.has_interval:
            assert re.sub(r"\s+", " ", clean(without_numbers(estimate.method))) in sentences, name
        assert not name or title(name) in sentences, name
    assert f"Analyses used classay {__version__}" in said


@pytest.mark.parametrize("name", RESULTS)
def test_every_estimate_has_its_method_in_the_text(name):
    """Of what is printed, of a page, and of a document for a paper with all rows of its tables."""
    made = RESULTS[name]()
    check(made.document(), made.methods_text())
    for document in (with_pictures(made), for_paper(made).complete):
        check(document, methods_of(document))


def test_measures_that_are_asked_for_are_named_with_their_methods():
    """The sensitivity at a specificity is no main measure, and has its method where it is shown."""
    a = assessed()
    name = "recall_at_specificity(0.9)"
    said = a.methods_text([name])
    assert a[name].method in said
    assert title(name) in said
    assert "accuracy" not in said
    assert a.methods_text(["ppv"]) == a.methods_text(["precision"])


@pytest.mark.wings("groups")
def test_a_text_says_in_which_groups_effective_sample_sizes_lie_once():
    rows = patients()
    s = ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick", cluster=rows["clinic"])
    said = s.methods_text()
    sizes = [float(each) for each in re.findall(r"effective sample size ([\d.]+)", said)]
    assert sizes
    assert said.count("for recall (sensitivity)") <= 1
    assert len(re.findall("Confidence intervals", said)) == 1


def test_costs_are_in_words():
    rows = patients()
    a = ca.assess(rows["truth"], rows["new"], positive="sick")
    said = a.threshold(cost=ca.Costs(fp=1, fn=5)).methods_text()
    assert "The costs are 1 per false positive, 5 per false negative." in said


def test_methods_of_a_comparison_name_the_seed_of_its_bootstrap():
    rows = patients()
    models = {"new": rows["new"], "old": rows["old"]}
    drawn, exact = (
        ca.compare(models, rows["truth"], positive="sick", measures=[name], seed=7).methods_text()
        for name in ("average_precision", "roc_auc")
    )
    assert "bootstrap of" in drawn
    assert "(random seed 7)" in drawn
    assert "random seed" not in exact


@pytest.mark.parametrize("name", RESULTS)
def test_a_page_says_the_methods_that_a_document_has(name):
    result = RESULTS[name]()
    document = result.document()
    if not document.methods:
        return
    section = with_pictures(result).section("methods")
    assert section is not None
    text = " ".join(part.text for part in section.parts)
    assert all(clean(sentence.replace("`", "")) in text for sentence in document.methods)
