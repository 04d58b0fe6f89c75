"""Curves of the registry: those on request, against scikit-learn, NumPy and the measures that they are tied to."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

import classay as ca
from classay.curves.curve import CURVES, PAGE, curve, entry
from classay.errors import InputError

RNG = np.random.default_rng(7)
SCORE = RNG.random(300)
TRUTH = RNG.random(300) < SCORE**1.5
A = ca.assess(TRUTH, SCORE)


def test_binned_reliability_is_that_of_scikit_learn():
    for name, strategy in (("binned_calibration", "uniform"), ("equal_mass_calibration", "quantile")):
        observed, mean = calibration_curve(TRUTH, SCORE, n_bins=10, strategy=strategy)
        found = A.curve(name).curve
        assert found.x == pytest.approx(mean)
        assert found.y == pytest.approx(observed)


def test_the_cumulative_curve_is_a_walk():
    found = A.curve("cumulative_calibration").curve
    order = np.argsort(SCORE)
    assert found.y == pytest.approx(np.concatenate([[0], np.cumsum((TRUTH - SCORE)[order]) / 300]))
    assert np.abs(found.y).max() == pytest.approx(A["cumulative_calibration_error"].value)
    assert np.ptp(found.y) == pytest.approx(A["cumulative_calibration_range"].value)


def test_the_smooth_curve_is_as_far_from_the_diagonal_as_its_index():
    found = A.curve("smooth_calibration").curve
    assert np.abs(found.y - found.x).mean() == pytest.approx(A["integrated_calibration_index"].value)
    assert np.quantile(np.abs(found.y - found.x), 0.5) == pytest.approx(
        A["median_calibration_error"].value, rel=0.05
    )


@pytest.mark.parametrize("name", [name for name in CURVES if name != "top_label_calibration"])
def test_every_curve_is_drawn_and_framed(name):
    chart = A.curve(name)
    assert chart.kind is entry(name)
    assert chart.shown
    assert {"x", "y"} <= {*chart.frame().column_names}
    if entry(name).no_band:
        with pytest.raises(InputError, match="has no band"):
            chart.band()


def test_a_curve_is_one_function_and_one_decorator():
    @curve("trial curve", needs="scores")
    def trial(table):
        return entry("roc").curves(table)[0]

    try:
        assert A.curve("trial").frame().num_rows == A.roc.frame().num_rows
        with pytest.raises(InputError, match="already exists"):
            curve("trial curve")(trial)
    finally:
        del CURVES["trial"]


def test_names():
    assert {*PAGE} <= {*CURVES}
    with pytest.raises(InputError, match="Did you mean 'binned_calibration'"):
        A.curve("binned_calibratoin")
