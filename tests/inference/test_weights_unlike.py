"""Weighted cases say no more of a variance than one fewer than their effective number, whatever cells they lie in."""

import numpy as np
import pytest

import classay as ca
from classay.inference.design import Design
from classay.inference.labels.spreads import spread_of
from classay.measures import get
from classay.tables import ConfusionMatrix


def design_of(y, called, w):
    of_weights, of_squares = (
        ConfusionMatrix.from_codes(called, y, (0, 1), weight=each) for each in (w, w * w)
    )
    return Design(of_weights, squared=of_squares)


@pytest.mark.parametrize("name", ["accuracy", "matthews_correlation", "cohen_kappa"])
def test_degrees_are_fewer_than_effective_cases(name):
    rng = np.random.default_rng(3)
    y, wrong, w = rng.integers(0, 2, 80), rng.random(80) < 0.3, rng.lognormal(0, 1.2, 80)
    design = design_of(y, np.where(wrong, 1 - y, y), w)
    effective = w.sum() ** 2 / (w**2).sum()
    found = spread_of(get(name), design)
    assert 1 <= found.degrees <= effective - 1 + 1e-9
    again = spread_of(get(name), design_of(y, np.where(wrong, 1 - y, y), 2.0**-5 * w))
    assert again.degrees == pytest.approx(found.degrees)


def test_equal_weights_are_as_none():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 60)
    called = np.where(rng.random(60) < 0.3, 1 - y, y)
    assert np.isinf(spread_of(get("matthews_correlation"), design_of(y, called, np.full(60, 0.7))).degrees)
    weighted = ca.assess(y, y_pred=called, weight=np.full(60, 0.7))["accuracy"]
    plain = ca.assess(y, y_pred=called)["accuracy"]
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high), abs=0.01)
