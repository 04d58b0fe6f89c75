"""Two learners over the same folds: published and independent numbers, and what has no test."""

import itertools
import json
from dataclasses import replace
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import classay as ca
from classay.comparison.comparisons import gate
from classay.comparison.named_tests import named
from classay.errors import InputError
from classay.resampling.fold_tests import (
    FoldDifferences,
    corrected_t,
    correlated_t,
    equivalence,
    five_by_two_f,
    five_by_two_t,
    fold_differences,
    non_inferiority,
    paired_t,
    sign_flip,
)

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "learners.json").read_text())
TEN = ORACLES["paired_t_10fold"]
FOLDS = fold_differences(TEN["A"], TEN["B"], test_over_train=1 / 9, models=("A", "B"), measure="accuracy")
VALUES = st.lists(st.integers(-5, 5).map(lambda k: k / 100), min_size=2, max_size=9)


def near(wanted):
    return pytest.approx(wanted, rel=1e-9)


def of(differences, ratio=0.25):
    return fold_differences(differences, np.zeros_like(differences, float), test_over_train=ratio)


def test_corrected_t_is_the_published_one():
    found = corrected_t(FOLDS)
    assert (found.statistic, found.p) == near((TEN["t_NB"], TEN["p_NB"]))
    assert (found.effect.value, found.effect.low, found.effect.high) == near((TEN["mean"], *TEN["ci_NB"]))
    assert (found.models, found.n, found.units, found.random) == (("A", "B"), 10, "folds", "training sets")


def test_paired_t_is_scipys_and_says_its_size():
    found = paired_t(FOLDS)
    assert (found.statistic, found.p) == near((TEN["t"], TEN["p"]))
    assert found.p == near(stats.ttest_rel(TEN["A"], TEN["B"]).pvalue)
    assert (found.effect.low, found.effect.high) == near(TEN["ci"])
    assert "measured size is 0.05 to 0.14" in found.method


def test_five_by_two():
    data = ORACLES["5x2cv"]
    folds = of(data["p"], 1)
    assert (five_by_two_t(folds).statistic, five_by_two_t(folds).p) == near((data["t"], data["p_t"]))
    assert (five_by_two_f(folds).statistic, five_by_two_f(folds).p) == near((data["F"], data["p_F"]))
    with pytest.raises(InputError, match=", but 5×2 cross-validation needs"):
        five_by_two_f(FOLDS)


@given(VALUES)
@settings(deadline=None)
def test_sign_flip_is_all_signs(values):
    sums = [abs(sum(s * v for s, v in zip(signs, values, strict=True)))
            for signs in itertools.product((-1, 1), repeat=len(values))]  # fmt: skip
    observed = abs(sum(values))
    assert sign_flip(of(values)).p == near(np.mean([each >= observed - 1e-12 for each in sums]))


def test_sign_flip_oracle_and_monte_carlo():
    assert sign_flip(FOLDS).p == ORACLES["signflip_exact_p"]
    rng = np.random.default_rng(0)
    values = rng.normal(0.3, 1, 24)
    drawn = {"rng" if "rng" in signature(stats.permutation_test).parameters else "random_state": rng}
    exact = stats.permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=200_000, **drawn
    ).pvalue
    found = sign_flip(of(values))
    assert found.p == pytest.approx(exact, abs=4 * np.sqrt(exact / 100_000))
    assert found.p == sign_flip(of(values)).p
    assert sign_flip(of(np.full(30, 1.0) + rng.random(30))).p == 1 / 100_001


def test_correlated_t_is_baycomps():
    data = ORACLES["bayes_corr_t_rope0.01"]
    found = correlated_t(FOLDS, 0.01)
    assert (found.first, found.equal, found.second) == near(
        (data["p_A_better"], data["p_rope"], data["p_B_better"])
    )
    assert correlated_t(FOLDS, 0).first == near(data["p_A_gt_B_norope"])
    assert (found.effect.low, found.effect.high) == near(TEN["ci_NB"])
    with pytest.raises(InputError, match="All folds have the same difference, which shows no variation"):
        correlated_t(of([0.1, 0.1]), 0.01)
    with pytest.raises(
        InputError, match="rope must be the largest difference that is equivalent in practice,"
    ):
        correlated_t(FOLDS, -1)


def test_equivalence_is_two_one_sided_tests():
    data = ORACLES["TOST_NB_margin0.02"]
    found = equivalence(FOLDS, 0.02)
    assert found.p == near(data["p"])
    assert found.effect.level == near(0.9)
    assert non_inferiority(FOLDS, 0.02).p == near(data["p_lower"])
    turned = replace(FOLDS, values=-FOLDS.values)
    assert non_inferiority(turned, 0.02).p == near(data["p_upper"])


@given(VALUES, st.floats(0.001, 0.1))
@settings(deadline=None)
def test_margins_agree_with_their_intervals(values, margin):
    folds = of(values)
    if folds.constant:
        return
    found = non_inferiority(folds, margin)
    assert (found.effect.low > -margin) == (found.p < 0.025)
    within = equivalence(folds, margin)
    assert (-margin < within.effect.low and within.effect.high < margin) == (within.p < 0.05)


@pytest.mark.parametrize("margin", [0, -0.1, float("nan"), float("inf")])
def test_margins_are_positive(margin):
    with pytest.raises(
        InputError, match="margin must be a positive number, set before you see the data, but is"
    ):
        non_inferiority(FOLDS, margin)


def test_identical_learners():
    same = fold_differences([0.8, 0.9, 0.7], [0.8, 0.9, 0.7], test_over_train=0.5)
    for test in (corrected_t, paired_t):
        assert test(same).p == 1
        assert "shows no variation" in test(same).effect.reason
    assert sign_flip(same).p == 1
    assert np.isnan(equivalence(same, 0.01).p)  # no variation is no evidence of equality
    assert five_by_two_f(of(np.zeros((5, 2)))).p == 1


def test_no_spread_is_no_test():
    same = fold_differences([0.8, 0.9, 0.7], [0.7, 0.8, 0.6], test_over_train=0.5)
    found = corrected_t(same)
    assert np.isnan(found.p)
    assert "no variation" in found.reason
    assert np.isnan(found.effect.low)
    assert np.isnan(non_inferiority(same, 0.01).p)
    assert np.isnan(five_by_two_t(of([[0.1, 0.1]] * 5)).p)


def test_pairs_are_one_family():
    values = {"a": TEN["A"], "b": TEN["B"], "c": np.array(TEN["B"]) - 0.01 + 0.001 * np.arange(10)}
    found = ca.compare_learners(values, test_over_train=1 / 9).comparisons
    assert [each.models for each in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    p = sorted(each.p for each in found)
    assert found[0].p == near(TEN["p_NB"])
    assert min(each.p_adjusted for each in found) == near(min(1, 3 * p[0]))
    assert {each.adjustment for each in found} == {"Holm"}


def test_refusals():
    with pytest.raises(InputError, match="Pass the values of the same folds, at least two"):
        fold_differences([1, 2, 3], [1, 2], test_over_train=1)
    with pytest.raises(InputError, match="1 of 3 folds have an undefined or infinite value"):
        fold_differences([1, np.nan, 3], [1, 2, 3], test_over_train=1)
    with pytest.raises(InputError, match="n_test / n_train"):
        fold_differences([1, 2], [1, 2], test_over_train=0)


@pytest.mark.parametrize("test", [five_by_two_t, five_by_two_f])
@pytest.mark.parametrize("gap", [0.1, 1e-3, 1e-6])
def test_rounding_is_no_spread_of_two_folds(test, gap):
    """The differences of decimals that are all the same, however small beside the values."""
    a = np.tile([0.9, 0.8], (5, 1))
    found = test(fold_differences(a, a - gap, test_over_train=1, measure="accuracy"))
    assert np.isnan(found.p)
    assert "no variation" in found.reason
    folds = fold_differences(a, a - gap, test_over_train=1)
    assert folds.constant
    assert folds.published.constant


@pytest.mark.parametrize("rule", ["non-inferior", "equivalent", "superior", "not-worse"])
def test_every_rule_is_held_against_scores_without_a_measure(rule):
    """More is better of values whose measure is not known, in every rule."""
    margin = 0.05 if rule in ("non-inferior", "equivalent") else None
    scores = {"new": [0.90, 0.92, 0.91, 0.93], "old": [0.70, 0.71, 0.73, 0.70]}
    found = ca.compare(scores, test_over_train=1 / 3, rule=rule, margin=margin)[0]
    assert found.better == 1
    assert gate(found, rule, margin).passed == (rule != "equivalent")


def test_the_correlated_t_as_published_takes_no_notice_of_repeats():
    """Corani & Benavoli 2015: t of J - 1 degrees of freedom, scale sqrt((1/J + ρ/(1 - ρ)) s²), by SciPy."""
    rng = np.random.default_rng(3)
    d = rng.normal(0.02, 0.03, (5, 10)) + rng.normal(0, 0.05, (5, 1))
    folds = FoldDifferences(("a", "b"), "accuracy", d, 1 / 9, 1.0)
    rho = 0.1
    scale = np.sqrt((1 / 50 + rho / (1 - rho)) * d.var(ddof=1))
    posterior = stats.t(49, d.mean(), scale)
    found = named("over folds", "corani-benavoli")(folds, rope=0.01, level=0.95)
    assert found.method == "Corani-Benavoli correlated t"
    assert (found.odds.first, found.odds.second) == pytest.approx((posterior.sf(0.01), posterior.cdf(-0.01)))
    wider = named("over folds", "bayesian")(folds, rope=0.01, level=0.95)
    assert wider.odds.first < found.odds.first
    assert "widened by the variation that the folds of one run do not show" in wider.method
    once = FoldDifferences(("a", "b"), "accuracy", d.ravel(), 1 / 9, 1.0)
    assert named("over folds", "bayesian")(once, rope=0.01, level=0.95).method == "Bayesian correlated t"


@pytest.mark.parametrize(
    ("method", "test"), [("corrected-t", corrected_t), ("sign-flip", sign_flip), ("paired-t", paired_t)]
)
def test_pairs_are_compared_as_each_alone(method, test):
    values = dict(zip("abc", np.random.default_rng(0).normal(0.8, 0.05, (3, 10)), strict=True))
    found = ca.compare_learners(values, ["f1"], test_over_train=1 / 9, method=method, level=0.9)
    for one, (a, b) in zip(found, itertools.combinations(values, 2), strict=True):
        folds = fold_differences(values[a], values[b], test_over_train=1 / 9, models=(a, b), measure="f1")
        alone = test(folds, level=0.9)  # the adjustment leaves p as it is
        assert (one.models, one.measure, one.effect) == ((a, b), "f1", alone.effect)
        assert one.p == pytest.approx(alone.p, nan_ok=True)


@pytest.mark.parametrize("level", [0.4, 0.5])
def test_equivalence_is_claimed_at_no_level_of_a_half_or_less(level):
    with pytest.raises(InputError, match=r"above 0\.5"):
        equivalence(of([0.01, 0.02, 0.03]), 0.05, level=level)


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=12))
@example([0.0, 0.0, 1e-200])
@settings(max_examples=60, deadline=None)
def test_without_a_rope_nothing_is_equal_in_practice(values):
    folds = of(values)
    if folds.constant:
        with pytest.raises(InputError, match="no variation"):
            correlated_t(folds, 0.0)
        return
    found = correlated_t(folds, 0.0)
    assert found.equal == 0
    assert found.first + found.second == pytest.approx(1)
    assert correlated_t(folds, 1e-18).equal >= 0
