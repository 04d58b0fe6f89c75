"""Calibration in the large: the intercepts that a score test with a robust variance does not refuse."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

import classay as ca

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "calibration.json").read_text())[
    "in_the_large_20"
]
NAME = "calibration_in_the_large"
RNG = np.random.default_rng(8)
N = 90
TRUE = RNG.random(N) < 0.4
SCORE = 1 / (1 + np.exp(-(2 * RNG.normal(size=N) + 2 * TRUE - 1)))
LEVELS = (0.2, 0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99, 0.999)
GIVEN = {
    "alike": {},
    "weight": {"weight": 1 + np.arange(N) % 4 / 2},
    "frequency": {"frequency": 1 + np.arange(N) % 3},
    "cluster": {"cluster": np.arange(N) // 3},
}


def in_the_large(y, p, **given):
    return ca.assess(y, p, positive=True, labels=(False, True), **given)[NAME]


def numbers(found):
    return found.value, found.low, found.high


def test_oracle_of_twenty_cases():
    p = 1 / (1 + np.exp(-np.array(ORACLE["logit"])))
    found = in_the_large(np.array(ORACLE["y"]) == 1, p)
    assert numbers(found) == pytest.approx([ORACLE[key] for key in ("value", "low", "high")], abs=1e-9)
    assert found.method == "score test, robust variance, t"


@pytest.mark.parametrize("how", list(GIVEN))
def test_ends_are_where_the_residuals_add_up_to_as_much_as_chance_allows(how):
    """By hand: |sum w (y - p_a)| = t · its standard error, of units drawn alike."""
    found, given = in_the_large(TRUE, SCORE, **GIVEN[how]), GIVEN[how]
    times = given.get("frequency", np.ones(N, int))
    y, p = np.repeat(TRUE, times), np.repeat(SCORE, times)
    weight = given.get("weight", np.ones(y.size))
    unit = given.get("cluster", np.arange(y.size))
    number = weight.sum() ** 2 / (weight**2).sum() if how == "weight" else unit.max() + 1

    def sums(a):
        return np.bincount(unit, weight * (y - 1 / (1 + (1 - p) / p * np.exp(-a))))

    squares, fourths = (sums(found.value) ** 2).sum(), (sums(found.value) ** 4).sum()
    degrees = max(1, min(number, 2 * squares**2 / (fourths - squares**2 / number))) - 1
    for end in (found.low, found.high):
        se = np.sqrt(number / (number - 1) * (sums(end) ** 2).sum())
        assert abs(sums(end).sum()) / se == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-9)


@pytest.mark.parametrize("how", list(GIVEN))
def test_laws_of_the_interval(how):
    given, whole = GIVEN[how], in_the_large(TRUE, SCORE, **GIVEN[how])
    turned = in_the_large(~TRUE, 1 - SCORE, **given)
    assert (turned.low, turned.high) == pytest.approx((-whole.high, -whole.low), rel=1e-7)
    order = RNG.permutation(N)
    moved = in_the_large(TRUE[order], SCORE[order], **{name: each[order] for name, each in given.items()})
    assert numbers(moved) == pytest.approx(numbers(whole), rel=1e-9)
    ends = np.array(
        [
            numbers(ca.assess(TRUE, SCORE, positive=True, level=level, **given)[NAME])
            for level in (0.5, 0.9, 0.99)
        ]
    )
    assert (np.diff(ends[:, 1]) < 0).all()
    assert (np.diff(ends[:, 2]) > 0).all()


def test_equal_weights_count_for_nothing_and_single_cases_are_clusters():
    plain = numbers(in_the_large(TRUE, SCORE))
    assert numbers(in_the_large(TRUE, SCORE, weight=np.full(N, 0.3))) == pytest.approx(plain, rel=1e-9)
    assert numbers(in_the_large(TRUE, SCORE, cluster=np.arange(N))) == pytest.approx(plain, rel=1e-9)


FEW = np.arange(40) < 3
SCORE_OF_FEW = np.where(FEW, 0.6, 0.05 + np.arange(40) / 200)


def test_with_few_cases_of_a_class_no_intercept_is_too_far():
    """With 3 positives even an endless negative intercept has residuals of 3 · 1, within t of their error.

    The low limit is then that of the sandwich, but not nearer than where the residuals are .9 of what they reach.
    """
    a = ca.assess(FEW, SCORE_OF_FEW)
    found, sandwich = a[NAME], a.estimate(NAME, method="robust (sandwich) variance")
    assert found.method.endswith("score test, robust variance, t, one limit by robust (sandwich) variance")

    def statistic(intercept):
        residuals = FEW - 1 / (1 + (1 - SCORE_OF_FEW) / SCORE_OF_FEW * np.exp(-intercept))
        return residuals.sum() / np.sqrt((residuals**2).sum())

    farthest = optimize.brentq(lambda end: statistic(end) - 0.9 * np.sqrt(3), -30, found.value)
    assert found.low == pytest.approx(min(farthest, sandwich.low), rel=1e-9)
    assert found.low < found.value < found.high
    few = in_the_large(FEW[:6], SCORE_OF_FEW[:6])
    assert few.method.endswith("robust (sandwich) variance, t")


@pytest.mark.parametrize("how", list(GIVEN))
@pytest.mark.parametrize("positives", [1, 2, 3, 5, 8])
def test_limits_of_few_cases_are_nested(how, positives):
    """Whichever method a level has, a higher level has no nearer limit."""
    y = np.arange(N) < positives
    y, given = y[np.random.default_rng(positives).permutation(N)], GIVEN[how]
    for true, score in ((y, SCORE), (~y, 1 - SCORE)):
        a = ca.assess(true, score, positive=True, labels=(False, True), **given)
        ends = np.array([numbers(a.changed(level=level)[NAME]) for level in LEVELS])
        assert (np.diff(ends[:, 1]) <= 1e-12).all()
        assert (np.diff(ends[:, 2]) >= -1e-12).all()


def test_cases_of_probability_0_or_1_are_left_out():
    y, p = np.append(TRUE, [True, False]), np.append(SCORE, [1.0, 0.0])
    found = in_the_large(y, p)
    assert numbers(found) == pytest.approx(numbers(in_the_large(TRUE, SCORE)), rel=1e-9)
    assert found.method.endswith("without 2 cases of probability 0 or 1")
