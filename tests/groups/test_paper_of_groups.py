"""What groups of cases add to `report/test_paper.py`."""

import numpy as np
from matplotlib.figure import Figure

import classay as ca
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
