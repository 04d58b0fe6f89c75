"""What groups of cases add to `report/test_references_in_pictures.py`."""

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

import classay as ca
from report.test_references_in_pictures import names
from sample_results import patients


@pytest.fixture(autouse=True)
def _without_a_screen() -> None:
    mpl.use("Agg")


def test_lines_of_two_groups_say_whose_they_are() -> None:
    rows = patients()
    groups = ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick")
    ax = Figure().subplots()
    for label, group in groups.items():
        group.net_benefit.plot(ax, label=str(label))
    assert names(ax) == ["north", "south", "act on all, north", "act on none", "act on all, south"]
    styles = [line._dash_pattern for line in ax.get_lines() if line.get_label().startswith("act on all")]
    assert len(styles) == 2
    assert styles[0] != styles[1]
