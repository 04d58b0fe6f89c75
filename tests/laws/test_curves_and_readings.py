"""Laws of the curves of a score, and of what is read from them."""

from functools import cache

import numpy as np
import pytest
from law_rows import FEW, KINDS, MANY, at, rows_of

import classay as ca

two = pytest.mark.parametrize("kind", [each for each in KINDS if each[0] == "two"], ids=" ".join)
weighted = pytest.mark.parametrize("kind", [("two", "weighted"), ("two", "weighted clusters")], ids=" ".join)
seeds = pytest.mark.parametrize(
    ("seed", "n"),
    [(0, FEW), *(pytest.param(seed, n, marks=pytest.mark.slow) for seed in range(1, 6) for n in (FEW, MANY))],
)
CURVES = (
    *("roc", "precision_recall", "precision_recall_gain", "det", "gain", "lift", "ks", "cost", "brier_curve"),
    *("net_benefit", "calibration", "histogram", "risk_coverage"),
)
RATES = (0.1, 0.3, 0.5, 0.6, 0.7, 0.9, 1.0)
READINGS = {
    "tpr_at": lambda a, rate: a.roc.tpr_at(rate),
    "fpr_at": lambda a, rate: a.roc.fpr_at(rate),
    "threshold for fpr": lambda a, rate: a.roc.threshold_for(fpr=rate),
    "threshold for tpr": lambda a, rate: a.roc.threshold_for(tpr=rate),
    "precision_at": lambda a, rate: a.precision_recall.precision_at(rate),
    "precision_at_k": lambda a, rate: a.lift.precision_at_k(max(1, int(rate * 20))),
    "recall_at_k": lambda a, rate: a.lift.recall_at_k(max(1, int(rate * 20))),
}


def curves(a):
    """The points of every curve, by its name and place."""
    return {
        (name, i): np.stack([each.x, each.y])
        for name in CURVES
        for i, each in enumerate(getattr(a, name).curves)
    }


def read(a, rates=RATES):
    """Every reading at every rate: value, low, high."""
    return {
        (name, rate): [found.value, found.low, found.high]
        for name, of in READINGS.items()
        for rate in rates
        for found in [of(a, rate)]
    }


@cache
def own(kind, seed, n, rates=RATES[:3]):
    """The curves and readings of the rows of a kind, which laws hold others against: found once for all of them."""
    a = ca.assess(**rows_of(*kind, seed, n))
    return curves(a), read(a, rates)


def near(mine, others):
    return all(
        np.shape(each) == np.shape(others[name])
        and np.allclose(each, others[name], rtol=1e-9, atol=1e-9, equal_nan=True)
        for name, each in mine.items()
    )


@two
@seeds
def test_order_of_rows(kind, seed, n):
    rows = rows_of(*kind, seed, n)
    found = ca.assess(**at(rows, np.random.default_rng(1).permutation(n)))
    drawn, readings = own(kind, seed, n)
    assert near(drawn, curves(found))
    assert near(readings, read(found, RATES[:3]))


@weighted
@seeds
@pytest.mark.parametrize("scale", [1e-150, 0.1, 1e80])
def test_scale_of_weights(kind, seed, n, scale):
    rows = rows_of(*kind, seed, n)
    found = ca.assess(**rows | {"weight": scale * rows["weight"]})
    drawn, readings = own(kind, seed, n)
    shown = {name: each for name, each in drawn.items() if name[0] != "histogram"}  # of weight, not of shares
    assert near(shown, curves(found))
    assert near(readings, read(found, RATES[:3]))


@seeds
@pytest.mark.parametrize("equal", [0.1, 0.3, 1 / 3])
def test_equal_weights_are_none(seed, n, equal):
    """The same threshold is chosen, so values agree; ties by rounding would choose another."""
    rows = rows_of("two", "alike", seed, n)
    found = read(ca.assess(**rows, weight=np.full(n, equal)))
    _, readings = own(("two", "alike"), seed, n, RATES)
    values = {name: [each[0]] for name, each in readings.items()}
    assert near(values, {name: [each[0]] for name, each in found.items()})


@two
@seeds
def test_roc_curves_end_in_one(kind, seed, n):
    a = ca.assess(**rows_of(*kind, seed, n))
    curve = a.roc.curves[0]
    assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
    gain = a.gain.curves[0]
    assert (gain.x[-1], gain.y[-1]) == (1, 1)
    assert a.precision_recall.curves[0].x[-1] == 1
    assert np.all(np.diff(curve.x) >= 0)
    assert np.all(np.diff(curve.y) >= 0)


@two
@seeds
def test_readings_lie_in_their_intervals(kind, seed, n):
    a = ca.assess(**rows_of(*kind, seed, n))
    for name, (value, low, high) in read(a).items():
        assert np.isnan(low) or low <= value <= high, name


@two
def test_wider_levels_are_wider(kind):
    rows = rows_of(*kind)
    inner, outer = (read(ca.assess(**rows, level=level), RATES[:4]) for level in (0.8, 0.99))
    for name, (_, low, high) in inner.items():
        assert np.isnan(low) or (outer[name][1] <= low + 1e-12 and high <= outer[name][2] + 1e-12), name
