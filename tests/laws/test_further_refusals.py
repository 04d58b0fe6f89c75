"""Refusals that few calls meet: each wrong value beside the nearest one that is still accepted."""

import numpy as np
import pytest

import classay as ca
from classay.columns.numbers import MOST_AMOUNT, amount_array
from classay.columns.opened import Categories
from classay.comparison import named_tests
from classay.curves.curve import CURVES, Curve
from classay.curves.display import MARKED
from classay.errors import InputError
from classay.inference.bands import bootstrap_band
from classay.measures import get
from classay.tables.checks import MOST_WEIGHT, checked_cells, checked_weights

Y, P = np.arange(40) % 3 == 0, np.arange(40) * 7 % 40 / 40
A = ca.assess(Y, P)


@pytest.mark.parametrize("name", [name for name in CURVES if name != "top_label_calibration"])
def test_a_curve_has_a_band_and_marks_a_threshold_or_says_why_not(name):
    chart = A.curve(name)
    if name in MARKED:
        assert len(chart._marks(0.5)) > 0
    else:
        with pytest.raises(InputError, match=r"cannot mark a threshold\. Remove threshold=, or use"):
            chart._marks(0.5)
    assert chart._marks(None) == ()
    if chart.kind.no_band:
        with pytest.raises(InputError, match=f"has no band .{chart.kind.no_band[:12]}"):
            chart.band()
    else:
        band = chart.band()
        inside = np.isfinite(band.low) & np.isfinite(band.high)
        assert (band.low[inside] <= band.high[inside]).all()
        assert "95%, " in band.band


def test_a_band_needs_points_and_clusters_to_resample():
    def empty(table):
        return Curve("nothing", "Empty curve", np.array([]), np.array([]), "x", "y")

    with pytest.raises(InputError, match="There is no band, because the Empty curve has no points"):
        bootstrap_band(A.scored_cases, empty)
    few, enough = (ca.assess(Y, P, cluster=np.arange(40) % k) for k in (19, 20))
    with pytest.raises(InputError, match=r"There is no bootstrap band \(only 19 clusters to resample"):
        few.curve("cumulative_gain").band()
    assert enough.curve("cumulative_gain").band().low is not None


@pytest.mark.parametrize("rate", ["fpr", "tpr"])
@pytest.mark.parametrize(("low", "high"), [(0.5, 0.5), (0.6, 0.5)])
def test_a_part_of_an_area_has_a_width(rate, low, high):
    name = {"fpr": "partial_roc_auc", "tpr": "partial_roc_auc_by_tpr"}[rate]
    with pytest.raises(
        InputError, match=rf"max_{rate} must be above min_{rate}, but is 0\.5 \(min_{rate}: {low}\)"
    ):
        A[f"{name}(min_{rate}={low}, max_{rate}={high})"]
    assert get(f"{name}(min_{rate}=0.25, max_{rate}=0.5)").bounds == (0, 0.25)


@pytest.mark.parametrize(
    ("codes", "is_good"), [([0, 1, -1], True), ([0, 2], False), ([-2, 0], False), ([], True)]
)
def test_codes_of_a_categorical_column_are_places_of_categories(codes, is_good):
    array = np.array(codes, np.int64)
    if is_good:
        assert Categories(array, ("a", "b"), "none").codes.tolist() == codes
    else:
        words = f"codes from {min(codes)} to {max(codes)}, but 2 categories"
        with pytest.raises(InputError, match=words):
            Categories(array, ("a", "b"), "none")


def test_amounts_are_a_finite_column_within_their_range():
    assert amount_array([MOST_AMOUNT, -MOST_AMOUNT, 0, 1 / MOST_AMOUNT], "fee").tolist()[2] == 0
    with pytest.raises(InputError, match=r"fee has shape \(2, 2\). Pass one amount per row"):
        amount_array([[1, 2], [3, 4]], "fee")
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(InputError, match=r"fee has missing or infinite values in .*Fill in each value"):
            amount_array([1, bad], "fee")
    for bad in (2 * MOST_AMOUNT, -2 * MOST_AMOUNT, 0.5 / MOST_AMOUNT):
        with pytest.raises(InputError, match="The largest amount of fee must be from 1e-60"):
            amount_array([0, bad], "fee")


@pytest.mark.parametrize("weight", [MOST_WEIGHT, 1 / MOST_WEIGHT])
def test_the_largest_weight_lies_within_its_range(weight):
    beyond = weight * 1.01 if weight > 1 else weight / 1.01
    assert checked_weights(2, [0.0, weight], None)[0].tolist() == [0.0, weight]
    with pytest.raises(
        InputError, match=r"The largest weight must be from 6e-61 to 2e\+60, but is .*Scale all"
    ):
        checked_weights(2, [0.0, beyond], None)
    for n in (1, 3):
        with pytest.raises(InputError, match=f"There are 2 rows, but {n} values of (weight|frequency)"):
            checked_weights(2, [1.0] * n, None)
        with pytest.raises(InputError, match=f"There are 2 rows, but {n} values of (weight|frequency)"):
            checked_weights(2, None, [1] * n)
    assert checked_weights(2, [0.0, 0.0], None)[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("cells", "squares", "words"),
    [
        ([[1, 2], [3, 4]], None, "counts must be an array of numbers, but are list"),
        (np.array([["a", "b"]] * 2), None, "counts must be an array of numbers, but are <U1"),
        (np.ones((2, 3)), None, r"counts must have shape \(..., 2, 2\), but have \(2, 3\)"),
        (np.array([[1, -1], [0, 2]]), None, "finite and at least 0, but contain -1"),
        (np.array([[1, np.inf], [0, 2]]), None, "finite and at least 0, but contain inf"),
        (np.array([[1, np.nan], [0, 2]]), None, "finite and at least 0, but contain nan"),
        (np.ones((2, 2)), np.ones((3, 2, 2)), "squares of counts must have shape"),
        (np.ones((2, 2)), -np.ones((2, 2)), "squares of counts must be finite and at least 0"),
        (np.ones((2, 2)), [[1, 1], [1, 1]], "squares of counts must be an array of numbers"),
    ],
)
def test_cells_of_a_table_are_numbers_of_its_shape(cells, squares, words):
    checked_cells(np.zeros((2, 2)), (2, 2), None, "counts")
    checked_cells(np.ones((3, 2, 2)), (2, 2), np.ones((3, 2, 2)), "counts")
    with pytest.raises(InputError, match=words):
        checked_cells(cells, (2, 2), squares, "counts")


def test_a_name_of_a_test_is_taken_once():
    known = named_tests.TESTS[0]
    with pytest.raises(ValueError, match=f"there are two tests .* named '{known.name}'"):
        named_tests.test(known.name, "again", where=known.where, of=known.of, references=())
