"""Means over resamples: the oracle of statistics B-24, and what has no interval."""

import numpy as np
import pytest
from scipy import stats

from classay.errors import InputError
from classay.resampling.folds import ClassesOfFolds, corrected_interval, corrected_mean

A = np.array([0.82, 0.79, 0.85, 0.80, 0.81, 0.78, 0.84, 0.83, 0.80, 0.79])
B = np.array([0.80, 0.78, 0.81, 0.80, 0.79, 0.79, 0.80, 0.80, 0.78, 0.78])
# statistics.md B-24, section paired_t_10fold of its oracles
T, P, CI = 2.419258148912471, 0.03865763404524938, (0.0011688780510372455, 0.03483112194896269)


def test_nadeau_bengio_oracle():
    found = corrected_mean(A - B, 1 / 9)
    assert found.mean / found.se == pytest.approx(T, rel=1e-12)
    assert 2 * stats.t.sf(found.mean / found.se, found.df) == pytest.approx(P, rel=1e-12)
    low, high, method = corrected_interval(A - B, 1 / 9, 0.95, (-1, 1))
    assert (low, high) == pytest.approx(CI, rel=1e-10)
    assert method == "corrected resampled t (Nadeau–Bengio)"


def test_stays_in_the_range_and_gives_reasons():
    assert corrected_interval([0.99, 1.0, 0.9], 0.5, 0.95, (0, 1))[1] == 1
    assert corrected_interval([0.9], 0.5, 0.95, (0, 1)) == "one resample shows no variation"
    assert "same value" in corrected_interval([0.9, 0.9], 0.5, 0.95, (0, 1))
    with pytest.raises(InputError, match="1 of 2 values are undefined"):
        corrected_mean([0.9, np.nan], 0.5)


def folds_of(truth, folds, rng, weight=None, cluster=None, *, stratified=True):
    """Folds of cases, each with the classes of all, or at random."""
    order = rng.permutation(truth.size)
    if stratified:
        order = order[np.argsort(truth[order], kind="stable")]
    tests = [order[k::folds] for k in range(folds)]
    return ClassesOfFolds.of(truth, int(truth.max()) + 1, tests, weight, cluster)


SLOPES = {2: np.array([0.09, -0.09]), 3: np.array([0.02, 0.05, -0.07])}


@pytest.mark.parametrize("classes", SLOPES)
def test_stratified_folds_hide_what_the_shares_of_the_classes_bring(classes):
    """For a mean over cases, the part of its variance that lies between the classes; random folds show it."""
    rng = np.random.default_rng(classes)
    truth = np.repeat(np.arange(classes), rng.integers(3, 9, classes) * 20)
    shares = np.bincount(truth) / truth.size
    means = SLOPES[classes] / shares
    between = float(shares @ (means - shares @ means) ** 2) / (truth.size - 1)
    assert folds_of(truth, 10, rng).hidden(SLOPES[classes]) == pytest.approx(between, rel=1e-9)
    assert folds_of(truth, 10, rng).hidden(np.zeros(classes)) == 0
    by_chance = [folds_of(truth, 10, rng, stratified=False).hidden(SLOPES[classes]) for _ in range(40)]
    assert np.mean(by_chance) < between / 3


@pytest.mark.parametrize("classes", SLOPES)
def test_what_folds_hide_knows_no_names_units_or_copies(classes):
    rng = np.random.default_rng(classes)
    truth, weight = np.repeat(np.arange(classes), 30), rng.gamma(2, size=30 * classes)
    slopes, tests = SLOPES[classes], [np.arange(k, truth.size, 5) for k in range(5)]
    other = rng.permutation(classes)
    found = ClassesOfFolds.of(truth, classes, tests, weight).hidden(slopes)
    assert found > 0
    turned = ClassesOfFolds.of(other[truth], classes, tests, 7 * weight).hidden(slopes[np.argsort(other)])
    assert turned == pytest.approx(found, rel=1e-12)
    assert ClassesOfFolds.of(truth, classes, tests, weight).hidden(-slopes) == pytest.approx(found, rel=1e-12)
    twice, ids = np.repeat(truth, 2), np.repeat(np.arange(truth.size), 2)
    both = [np.sort(np.r_[2 * test, 2 * test + 1]) for test in tests]
    copied = ClassesOfFolds.of(twice, classes, both, np.repeat(weight, 2), ids).hidden(slopes)
    assert copied == pytest.approx(found, rel=1e-9)  # a copy in the cluster of its case tells nothing new


def test_what_folds_hide_only_widens():
    rng = np.random.default_rng(0)
    for shape in ((5,), (10,), (5, 10), (10, 10)):
        values = rng.normal(0.9, 0.03, shape)
        ends = [
            corrected_interval(values, 0.1, 0.95, (-9, 9), hidden) for hidden in (0, 1e-9, 1e-5, 1e-4, 1e-2)
        ]
        widths = np.array([high - low for low, high, _ in ends])
        assert (np.diff(widths) >= 0).all()
        assert widths[-1] == pytest.approx(2 * 1.96 * 0.1, rel=0.05)  # of all cases


def test_a_class_without_cases_hides_nothing():
    """Declared labels may have no case; their weight is 0, and so is what they add."""
    truth = np.repeat([0, 1], [90, 10])
    tests = [np.r_[9 * k : 9 * k + 9, 90 + k] for k in range(10)]
    slopes = np.array([0.09, -0.09])
    of_two = ClassesOfFolds.of(truth, 2, tests).hidden(slopes)
    with np.errstate(all="raise"):
        assert ClassesOfFolds.of(truth, 3, tests).hidden(np.append(slopes, 0)) == pytest.approx(of_two)
    assert of_two == pytest.approx(0.09 / 99)
    assert ClassesOfFolds.of(truth[:1], 2, tests[:0]).hidden(slopes) == 0
    assert ClassesOfFolds.of(truth, 2, tests, np.zeros(100)).hidden(slopes) == 0
    twice = ClassesOfFolds.of(truth, 2, tests, np.full(100, 2.0), np.arange(100)).hidden(slopes)
    assert twice == pytest.approx(of_two)
