"""Wilson along the way against a 40-digit scalar implementation (mpmath), and its borders."""

import numpy as np
import pytest

from classay.inference.along_the_way import (
    CalledCells,
    CellShares,
    finite_counts,
    inverted,
    linear,
    sizes_error,
    wilson_end,
)
from classay.inference.proportions import normal_quantile, wilson
from classay.measures import get
from support.strata import NONE_BELOW, OF_STRATA

Z = normal_quantile(0.95)
TWO = (np.array([340.0, 660.0]), np.array([36.0, 64.0]), np.array([30.0, 5.0]), [True, False])
FOUR = ([420, 160, 120, 1300], [58, 24, 18, 150], [52, 10, 11, 6], [True, True, False, False])
STRATA = ([600, 1400, 3000, 15000, 80000], [40, 40, 40, 40, 60], [True, True, False, False, False])
# value, low and high of scalar code in 40 digits with the formulas of Wilson along the way, four passes
OF_TWO = {
    "recall": (0.846034214618974, 0.71228180651688, 0.929535362467772),
    "precision": (0.833333333333333, 0.681092056887205, 0.921295524049819),
    "specificity": (0.914800313234143, 0.847471575420536, 0.959352957490038),
    "accuracy": (0.891770833333333, 0.81713855237001, 0.938395365854609),
    "f1": (0.839635746257138, 0.728556566090352, 0.90947038448325),
}
OF_FOUR = {
    "recall": (0.779556849425845, 0.698098443352563, 0.846411857112011),
    "precision": (0.764169639318272, 0.674695295536648, 0.837433663583018),
    "specificity": (0.904445300957153, 0.871454768472981, 0.93345674430648),
    "accuracy": (0.868942528735632, 0.830163243898581, 0.9004615031707),
    "f1": (0.771786557783916, 0.704209500250836, 0.82767280114796),
}


def value_and_limits(sizes, labels, positives, is_called, name, *, is_finite=False):
    sizes, labels, positives = (np.asarray(column, float) for column in (sizes, labels, positives))
    counts = finite_counts(labels, sizes) if is_finite else labels
    cells = CalledCells(sizes, np.array(is_called))
    measure = cells.of(get(name), positives / labels, counts, is_finite=is_finite)
    return [float(measure.value(positives / labels)), *map(float, measure.limits(np.float64(Z)))]


def test_a_share_of_two_cells():
    sizes, labels, positives, _ = TWO
    shares, weights = positives / labels, sizes / 1000
    error = sizes_error(weights, shares, 1000)
    assert float(error) == pytest.approx(0.0113130107504405, abs=1e-12)
    low, high = linear(weights, shares, labels, error).limits(Z)
    assert (float(low), float(high)) == pytest.approx((0.270399254176042, 0.405366180157445), abs=1e-9)
    low, high = linear(weights, shares, finite_counts(labels, sizes), 0.0).limits(Z)
    assert (float(low), float(high)) == pytest.approx((0.277585909383925, 0.39842276163899), abs=1e-9)


@pytest.mark.parametrize("name", OF_TWO)
def test_measures_of_two_cells(name):
    assert value_and_limits(*TWO, name) == pytest.approx(OF_TWO[name], abs=1e-9)


@pytest.mark.parametrize("name", OF_FOUR)
def test_measures_of_four_cells(name):
    assert value_and_limits(*FOUR, name) == pytest.approx(OF_FOUR[name], abs=1e-9)


@pytest.mark.parametrize("name", OF_STRATA)
def test_measures_of_a_finite_pool_in_strata(name):
    sizes, labels, is_called = STRATA
    found = value_and_limits(sizes, labels, [31, 17, 9, 3, 1], is_called, name, is_finite=True)
    assert found == pytest.approx(OF_STRATA[name], abs=1e-9)


@pytest.mark.parametrize("name", NONE_BELOW)
def test_limits_where_no_positive_was_found_below(name):
    sizes, labels, is_called = STRATA
    found = value_and_limits(sizes, labels, [31, 17, 0, 0, 0], is_called, name, is_finite=True)
    assert found == pytest.approx(NONE_BELOW[name], abs=1e-9)


def test_one_cell_has_wilsons_interval():
    low, high = linear(np.ones(1), np.array([0.6]), np.array([10.0]), 0.0).limits(Z)
    assert (float(low), float(high)) == pytest.approx(tuple(map(float, wilson(6, 10))), abs=1e-12)


@pytest.mark.parametrize("count", [1.0, 7.0, 4000.0])
def test_ends_are_exact_where_all_or_none_are_positive(count):
    assert float(wilson_end(np.array(0.0), np.array(count), Z, -1)) == 0.0
    assert float(wilson_end(np.array(1.0), np.array(count), Z, 1)) == 1.0


def test_all_labelled_cases_of_a_finite_pool_leave_no_doubt():
    sizes = np.array([30.0, 70.0])
    found = linear(sizes / 100, np.array([0.5, 0.1]), finite_counts(sizes, sizes), 0.0).limits(Z)
    assert [float(end) for end in found] == pytest.approx([0.22, 0.22], abs=1e-15)


def test_groups_at_once_are_as_one_by_one():
    sizes, labels = np.array([[340.0, 660.0], [50.0, 950.0]]), np.array([[36.0, 64.0], [20.0, 30.0]])
    shares = np.array([[30.0, 5.0], [19.0, 0.0]]) / labels
    for name in ("recall", "precision", "specificity", "accuracy", "matthews_correlation", "cohen_kappa"):
        is_called = np.array([True, False])
        both = CalledCells(sizes, is_called).of(get(name), shares, labels).limits(Z)
        for k in range(2):
            alone = CalledCells(sizes[k], is_called).of(get(name), shares[k], labels[k]).limits(np.float64(Z))
            assert [float(end[k]) for end in both] == pytest.approx([*map(float, alone)], abs=1e-12)


def test_a_p_value_is_the_level_at_which_the_interval_touches_the_null():
    from scipy.special import ndtri

    sizes, labels, positives, _ = TWO
    shares, weights = positives / labels, sizes / 1000
    tool: CellShares = linear(weights, shares, labels, sizes_error(weights, shares, 1000))
    p = float(tool.p_value(0.4))
    assert float(tool.limits(-ndtri(p / 2))[1]) == pytest.approx(0.4, abs=1e-9)
    assert float(inverted(lambda z: (0 * z, z), np.array(0.0), 0.0)) == 1.0
