"""What groups of cases add to `report/test_paper.py`."""

import re

import numpy as np
import pytest
from matplotlib.figure import Figure

import classay as ca
from classay.groups.results_of_groups import with_groups
from classay.measures import get
from classay.report.card import card_of
from classay.report.html import as_page
from classay.report.paper import as_latex, as_markdown
from classay.report.text import as_text
from sample_results import patients


def test_slices_are_drawn_by_their_first_measure():
    rows = patients()
    slices = ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick")
    first, named = (slices.plot(*which, ax=Figure().subplots()) for which in ((), (slices.main_measures[0],)))
    assert [
        each.get_xdata().tolist() if hasattr(each.get_xdata(), "tolist") else each.get_xdata()
        for each in first.get_lines()
    ] == [
        each.get_xdata().tolist() if hasattr(each.get_xdata(), "tolist") else each.get_xdata()
        for each in named.get_lines()
    ]


def test_groups_are_no_measures_and_their_names_are_made_fit_to_print():
    rows = patients()
    names = np.where(rows["site"] == rows["site"][0], "\x1b[31m\n", "other")
    said = ca.assess_by(rows["truth"], rows["new"], by=names, positive="sick").methods_text()
    assert "for the difference in ROC AUC by" in said
    measures = said.partition("Confidence intervals (95%) were computed for")[2].partition(".")[0]
    assert "the difference in Brier score" in measures
    assert "other" not in measures.replace("the other group", "")
    assert "\x1b" not in said


MEASURES = ["recall", "specificity", "precision"]


def across(s, names):
    """The tables of groups as columns in the document that files are made of."""
    document = with_groups(s.overall.document(), s, s.compare(*names))
    return [table for table in document.tables if table.is_for_files], document


@pytest.mark.parametrize("groups", [2, 3, 6])
def test_files_have_one_table_of_all_measures_by_group(groups):
    rng = np.random.default_rng(groups)
    y, p, by = rng.integers(0, 2, 400), rng.random(400), np.arange(400) % groups
    s = ca.assess_by(y, p, by=[f"site {k}" for k in by])
    (table,), document = across(s, MEASURES)
    assert [column.head for column in table.columns] == ["", "all cases", *s]
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    assert rows["cases"] == ["400", *(str(np.sum(by == k)) for k in range(groups))]
    assert rows["positive cases"] == [str(y.sum()), *(str(y[by == k].sum()) for k in range(groups))]
    for name in MEASURES:
        texts = rows[get(name).title]
        for text, a in zip(texts, [s.overall, *s.values()], strict=True):
            numbers = [float(number) for number in re.findall(r"\d+\.\d+", text)]
            assert numbers == pytest.approx([a[name].value, a[name].low, a[name].high], abs=6e-4)
    for form in (as_latex, as_markdown):
        assert "All measures" in form(document)
    for screen in (as_text, as_page, lambda one: card_of(s)):
        assert "All measures" not in screen(document)


def test_many_groups_or_one_measure_have_a_table_for_each_measure_alone():
    y, p = np.tile([0, 1], 70), np.linspace(0, 1, 140)
    many = ca.assess_by(y, p, by=np.arange(140) // 20)
    assert across(many, MEASURES)[0] == []
    few = ca.assess_by(y, p, by=np.arange(140) // 70)
    assert across(few, ["recall"])[0] == []
