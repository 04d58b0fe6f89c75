"""What is best on the cases at hand is too good: by how much, against theory and simulation."""

import numpy as np
import pytest
from bench.honesty.populations import Population

import classay as ca
from classay.inference.design import Design
from classay.inference.intervals import estimate
from classay.inference.methods import REFUSED
from classay.inference.scores import optimism
from classay.measures import MEASURES, get
from classay.measures.proper_parts import isotonic
from classay.tables import ScoreTable


def samples(population, n, count):
    rng = np.random.default_rng(0)
    for _ in range(count):
        positive, score = population.rows(rng, n)
        yield ScoreTable.from_rows(score, positive)


def test_constants_of_brownian_motion():
    """E max (W(t) - t²) = 3 var(argmax), whose value is in Groeneboom & Wellner 2001, JCGS 10:388, table 4."""
    assert pytest.approx(3 * 0.26355964, abs=1e-6) == optimism.DRIFTING
    assert pytest.approx(np.sqrt(np.pi / 2) * np.log(2), abs=1e-6) == optimism.BRIDGE


@pytest.mark.parametrize(("rule", "name"), [(optimism.BRIER, "brier"), (optimism.LOG, "log_loss")])
def test_isotonic_optimism_is_the_mean_miscalibration_of_what_is_calibrated(rule, name):
    found, wanted = [], []
    for table in samples(Population(0.3, 1.5), 3000, 60):
        found.append(optimism.isotonic_optimism(table, isotonic(table), Design(table), rule))
        wanted.append(float(MEASURES[f"{name}_miscalibration"](table)))
    assert np.mean(found) == pytest.approx(np.mean(wanted), rel=0.12)


@pytest.mark.parametrize("name", ["kolmogorov_smirnov", "max_f1"])
def test_optimism_of_the_best_threshold(name):
    """The lower end lies lower than the interval at a given threshold, by the mean excess of the maximum."""
    population = Population(0.3, 1.0)
    truth, values, below = population.truth(name), [], []
    for table in samples(population, 1000, 300):
        value = float(MEASURES[name](table))
        found = estimate(MEASURES[name], table)
        values.append(value)
        below.append((value - found.low) - (found.high - value))
    excess = np.mean(values) - truth
    assert excess > 0.005
    assert 0.5 * excess < np.mean(below) < 2 * excess


def test_repeated_cases_of_one_cluster_change_no_interval():
    """Nor do rows of equal weight: the optimism is that of independent cases."""
    rng = np.random.default_rng(1)
    truth, score = Population(0.3, 1.5, ties=20).rows(rng, 300)
    once = ca.assess(truth, score, cluster=np.arange(300))
    thrice = ca.assess(np.tile(truth, 3), np.tile(score, 3), cluster=np.tile(np.arange(300), 3))
    for name in ("brier_discrimination", "expected_calibration_error", "kolmogorov_smirnov", "brier_skill"):
        a, b = once[name], thrice[name]
        np.testing.assert_allclose([a.value, a.low, a.high], [b.value, b.low, b.high], atol=0.01)


def test_resampling_calibration_errors_is_declined():
    truth, score = Population(0.3, 1.5).rows(np.random.default_rng(2), 200)
    a = ca.assess(truth, score)
    for name in (each for each, method in REFUSED if method == "bootstrap" and get(each).needs == "scores"):
        assert "second error" in a.estimate(name, method="bootstrap").reason
    assert a.estimate("kolmogorov_smirnov", method="bootstrap").has_interval


def test_the_unit_of_weights_changes_nothing():
    """The best threshold calls every case positive: sums of weights reach the total but for rounding."""
    rng = np.random.default_rng(1)
    truth, score = (rng.random(60) < 0.5).astype(int), np.round(rng.random(60), 1)
    weight = rng.uniform(0.5, 2, 60)
    for name in ("max_f1", "kolmogorov_smirnov"):
        found = [ca.assess(truth, score, weight=k * weight)[name] for k in (1, 3, 7, 1e-6, 1e6)]
        assert np.ptp([[each.low, each.high] for each in found], axis=0) == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_scores_that_discriminate_nothing_have_no_interval_of_rounding(seed):
    """Recalibration makes one score of all: what is left of a spread is the rounding of sums of weights."""
    rng = np.random.default_rng(seed)
    score, weight = rng.permutation(40) / 40, rng.gamma(2, size=40)
    a = ca.assess(score < 0.5, score, weight=weight)
    for name in ("h_measure", "brier_discrimination", "log_loss_discrimination"):
        assert a[name].value == pytest.approx(0, abs=1e-12)
        assert "recalibration makes all scores equal" in a[name].reason
