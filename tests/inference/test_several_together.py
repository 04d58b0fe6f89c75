"""Measures of one table share the work of their method, and find what each finds alone."""

import warnings

import numpy as np
import pytest

from classay import assess
from classay.assessment import estimating
from classay.inference.bootstrap import sampling
from classay.inference.bootstrap.bootstrapping import bootstrap
from classay.inference.bootstrap.sampling import CellDraws, UnitDraws
from classay.inference.intervals import estimate
from classay.measures import get
from classay.tables import BinaryCounts

CLASSES, ROWS = 4, 30


def rows():
    """Four classes, one of them rare, in 30 cases."""
    rng = np.random.default_rng(3)
    true = rng.choice(CLASSES, ROWS, p=(0.4, 0.3, 0.25, 0.05))
    true[:CLASSES] = np.arange(CLASSES)
    predicted = np.where(rng.random(ROWS) < 0.6, true, rng.integers(0, CLASSES, ROWS))
    return true, predicted, rng


def alike():
    true, predicted, _ = rows()
    return assess(true, y_pred=predicted, interval="bootstrap")


def in_clusters():
    true, predicted, rng = rows()
    weight, cluster = rng.gamma(2.0, size=ROWS), rng.integers(0, 12, ROWS)
    return assess(true, y_pred=predicted, weight=weight, cluster=cluster, interval="bootstrap")


@pytest.mark.parametrize("make", [alike, in_clusters])
def test_together_is_one_by_one(make, monkeypatch):
    """The plain path, a bootstrap a measure, is the oracle: to the last bit of rounding."""
    a = make()
    together, of_classes = a.estimates(), a.class_estimates()
    monkeypatch.setattr(estimating, "_is_shared", lambda *_: False)
    assert sum("bootstrap" in str(each.method) for each in together.values()) > 20
    for name, alone in a.estimates().items():
        same(together[name], alone)
    for label, each in of_classes.items():
        for name in ("recall", "precision", "jaccard", "negative_predictive_value"):
            alone = a.estimate(get(name)[label])
            if each[name].is_undefined:
                assert alone.is_undefined
            else:
                same(each[name], alone)


def same(one, other):
    assert (one.method, one.reason) == (other.method, other.reason)
    found, wanted = ([each.value, each.low, each.high] for each in (one, other))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_intervals_are_those_of_the_bootstrap():
    """A mirror of a proportion, and one that is none, among others of the same counts."""
    counts = BinaryCounts(12, 3, 5, 40)
    for name in ("recall", "f1"):
        found = estimate(get(name), counts, method="bootstrap")
        wanted = bootstrap(counts, get(name))
        assert (found.low, found.high, found.method) == (wanted.low, wanted.high, wanted.method)
    mirror, of = (
        estimate(get(name), counts, method="bootstrap") for name in ("false_negative_rate", "recall")
    )
    np.testing.assert_allclose([mirror.low, mirror.high], [1 - of.high, 1 - of.low], rtol=1e-12)


def test_outcomes_count_the_different_draws():
    """By enumeration: of 3 cases in 2 cells 4, of 4 units 35; strata multiply."""
    assert CellDraws(np.array([2, 1]), ((0, 2),)).outcomes == 4
    assert CellDraws(np.array([2, 1, 3]), ((0, 2), (2, 3))).outcomes == 4
    assert UnitDraws(4, ((0, 4),)).outcomes == 35
    assert UnitDraws(4, ((0, 2), (2, 4))).outcomes == 9


def test_cells_of_few_cases_are_evaluated_once_each(monkeypatch):
    """Four cells of three cases have 20 outcomes; evaluated singly or all, they give the same."""
    counts = BinaryCounts(1, 1, 0, 1)
    wanted = bootstrap(counts, get("accuracy"))
    monkeypatch.setattr(sampling, "FEW", 0)
    assert bootstrap(counts, get("accuracy")) == wanted


def test_a_share_rounded_beyond_its_range_warns_of_nothing():
    """Sums of weights may make 1.0000000000000002 of 1, which no scale takes."""
    rng = np.random.default_rng(12)
    true = np.tile(np.arange(12), 5)
    predicted = np.where(rng.random(60) < 0.6, true, rng.integers(0, 12, 60))
    a = assess(
        true,
        y_pred=predicted,
        weight=rng.gamma(2.0, size=60),
        cluster=rng.integers(0, 25, 60),
        interval="bootstrap",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for each in a.estimates().values():
            assert not each.has_interval or each.low <= each.value <= each.high
