"""What curves are compared with stays in every picture, once and with a name; risks stand below their calibration."""

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import classay as ca
from classay.report.pictures.curve_pictures import pictures
from sample_results import RESULTS, assessed, patients


@pytest.fixture(autouse=True)
def _without_a_screen() -> None:
    mpl.use("Agg")


def names(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_band_keeps_what_it_is_compared_with() -> None:
    band = assessed().net_benefit.band()
    assert {"act on all", "act on none"} <= {*names(band.plot(Figure().subplots()))}
    assert {"act on all", "act on none"} <= {*pictures([band])[0].legend}


def test_lines_of_two_models_of_the_same_cases_are_one() -> None:
    rows = patients()
    ax = Figure().subplots()
    for name in ("new", "old"):
        ca.assess(rows["truth"], rows[name], positive="sick").net_benefit.plot(ax, label=name)
    assert names(ax) == ["new", "old", "act on all", "act on none"]
    both = [
        curve
        for name in ("new", "old")
        for curve in ca.assess(rows["truth"], rows[name], positive="sick").net_benefit.of(name).curves
    ]
    assert [*pictures(both)[0].legend].count("act on all") == 1


def test_risks_stand_below_their_calibration() -> None:
    a = assessed()
    for ax in (a.calibration.plot(), a.calibration.band().plot(width="one column")):
        (strip,) = ax.child_axes
        bars = np.array([bar.get_height() for bar in strip.patches])
        assert bars[bars > 0].sum() == pytest.approx(1)
        assert bars[bars < 0].sum() == pytest.approx(-1)
        assert strip.get_xlim() == ax.get_xlim()
    assert not a.calibration.plot(Figure().subplots()).child_axes


@pytest.mark.wings("resampling")
def test_a_page_has_the_diagram_of_ranks_in_the_width_of_a_telephone(tmp_path: Any) -> None:
    page = tmp_path / "ranks.html"
    RESULTS["comparison over data sets"]().report(page)
    assert 'viewBox="0 0 340 ' in page.read_text(encoding="utf-8")
