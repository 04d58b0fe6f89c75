"""Families of tests: statsmodels' adjustments; and the best of several models."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from classay.comparison.best import best_of_values, expected_best
from classay.comparison.cases.max_t import against_baseline
from classay.comparison.comparison import Comparison, adjusted
from classay.errors import InputError
from classay.inference.significance import METHODS, adjust

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "learners.json").read_text())
THEIRS = {
    "holm": "holm", "bonferroni": "bonferroni", "hommel": "hommel", "hochberg": "simes-hochberg",
    "benjamini_hochberg": "fdr_bh", "benjamini_yekutieli": "fdr_by",
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@given(
    st.lists(
        st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.04, 0.05, 0.3, 0.5, 0.9, 1.0]), min_size=1, max_size=12
    )
)
@settings(deadline=None, max_examples=10)  # statsmodels collects garbage at each call of Holm's
def test_adjustments_are_those_of_statsmodels(method, p):
    from statsmodels.stats.multitest import multipletests

    assert adjust(p, method) == pytest.approx(multipletests(p, method=THEIRS[method])[1], abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.randoms())
@settings(deadline=None)
def test_order_does_not_matter(method, p, random):
    order = list(range(len(p)))
    random.shuffle(order)
    assert adjust([p[i] for i in order], method) == pytest.approx(adjust(p, method)[order], abs=1e-12)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 4)), min_size=1, max_size=6))
@settings(deadline=None, max_examples=50)
def test_weights_close_the_family_and_equal_ones_change_nothing(pairs):
    """By closed testing with weighted Bonferroni tests of all subfamilies; equal weights are no weights."""
    p, w = map(np.array, zip(*pairs, strict=True))
    found = adjust(p, weights=w)
    for k in range(p.size):
        subfamilies = [
            [k, *rest] for n in range(p.size) for rest in combinations(np.delete(range(p.size), k), n)
        ]
        closed = max(min((p[s] * w[s].sum() / w[s]).min(), 1) for s in subfamilies)
        assert found[k] == pytest.approx(closed, abs=1e-12)
    assert adjust(p, weights=[3] * p.size) == pytest.approx(adjust(p))


def test_missing_tests_do_not_count():
    assert adjust([0.01, np.nan, 0.04]).tolist() == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    assert np.isnan(adjust([np.nan])).all()
    assert adjusted([]) == []
    none = Comparison(("a", "b"), "accuracy", None, float("nan"), "t", "cases")
    assert np.isnan(adjusted([none])[0].p_adjusted)


def test_refusals():
    with pytest.raises(InputError, match="Did you mean 'hochberg'"):
        adjust([0.1], "hochburg")
    with pytest.raises(InputError, match="numbers from 0 to 1"):
        adjust([1.1])
    for weights, method in (([1, 0], "holm"), ([1], "holm"), ([1, np.inf], "holm"), ([1, 2], "hommel")):
        with pytest.raises(InputError, match="a number above 0 for each p value and the method 'holm'"):
            adjust([0.1, 0.2], method, weights=weights)


# -- the best of several models -----------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 5, 10, 50, 200])
def test_expected_best_of_equal_models(m):
    wanted = ORACLES["winner_curse_E_max_acc_n500_p.8"][str(m)]
    assert expected_best(m, 0.8, 500) == pytest.approx(wanted, rel=1e-9)


def right(rng, n, shares):
    return {f"m{i}": rng.random(n) < share for i, share in enumerate(shares)}


def test_one_far_ahead_shrinks_little_and_equal_ones_much():
    rng = np.random.default_rng(0)
    ahead = best_of_values(right(rng, 400, [0.5, 0.5, 0.9]))
    assert ahead.model == "m2"
    assert abs(ahead.shrinkage) < 0.002
    equal = best_of_values(right(rng, 100, [0.8] * 30))
    assert equal.shrinkage > 0.02
    assert equal.corrected.low < equal.corrected.value <= equal.observed.value < equal.corrected.high


def test_copies_cost_nothing():
    """m copies of one model are one model: no choice was made."""
    x = np.random.default_rng(2).random(200) < 0.7
    alone = best_of_values({"a": x, "b": x}, seed=1)
    many = best_of_values({f"m{i}": x for i in range(40)}, seed=1)
    assert many.corrected.low == pytest.approx(alone.corrected.low, abs=1e-12)
    assert abs(many.shrinkage) < 0.003


def test_baseline_p_is_that_of_max_t():
    """Against a bootstrap written out, with the same number of replicates: agreement within its noise."""
    rng = np.random.default_rng(4)
    values = right(rng, 150, [0.70, 0.72, 0.80])
    found = against_baseline(values, "m0", measure="accuracy")
    d = np.stack([values["m1"] * 1.0 - values["m0"], values["m2"] * 1.0 - values["m0"]], 1)
    n, greatest = len(d), []
    for _ in range(2000):
        again = d[rng.integers(0, n, n)]
        greatest.append(np.max(np.abs(again.mean(0) - d.mean(0)) / (again.std(0, ddof=1) / np.sqrt(n))))
    for i, each in enumerate(found):
        t = abs(d[:, i].mean()) / (d[:, i].std(ddof=1) / np.sqrt(n))
        assert abs(each.statistic) == pytest.approx(t)
        assert np.sign(each.statistic) == np.sign(each.effect.value)
        assert each.p_adjusted == pytest.approx(np.mean(np.array(greatest) >= t), abs=0.05)
        assert each.p_adjusted >= each.p * 0.8
    assert [each.models for each in found] == [("m1", "m0"), ("m2", "m0")]


def test_the_baseline_itself_again():
    x = np.random.default_rng(2).random(200) < 0.7
    found = against_baseline({"old": x, "new": x}, "old")[0]
    assert (found.p, found.p_adjusted, found.effect.value) == (1, 1, 0)
    assert not found.effect.has_interval


def test_best_refuses():
    with pytest.raises(InputError, match=r"The values of 1 models have shapes \[\(2,\)\]"):
        best_of_values({"a": [1, 0]})
    with pytest.raises(InputError, match=r"The values of 2 models have shapes \[\(2,\), \(3,\)\]"):
        best_of_values({"a": [1, 0], "b": [1, 0, 1]})
    with pytest.raises(InputError, match="1 cases have a value that is infinite or not defined"):
        best_of_values({"a": [1, np.nan], "b": [1, 0]})
    with pytest.raises(InputError, match=r"Unknown model 'c'. Models: a and b"):
        against_baseline({"a": [1, 0], "b": [1, 0]}, "c")


@pytest.mark.parametrize("n", [3, 5, 40])
def test_no_claim_without_a_spread(n):
    right, wrong = np.ones(n), np.zeros(n)
    apart, same = against_baseline({"a": right, "b": wrong, "c": wrong}, "b")
    assert np.isnan(apart.p)
    assert apart.p_adjusted is None
    assert "do not vary" in apart.reason
    assert same.p == 1
    assert not same.effect.has_interval
    rounding = against_baseline({"a": 0.1 * np.arange(n) + 0.3, "b": 0.1 * np.arange(n)}, "b")[0]
    assert np.isnan(rounding.p)


def test_a_model_that_hardly_varies_is_none_of_the_family():
    """Neither it nor a copy of the control changes what is found of the others."""
    rng = np.random.default_rng(2)
    old, new = (rng.random(60) < 0.7) * 1.0, (rng.random(60) < 0.8) * 1.0
    nearly = np.where(np.arange(60) == 7, 1 - old, old)
    alone = against_baseline({"new": new, "old": old}, "old")[0]
    found = against_baseline({"new": new, "nearly": nearly, "copy": old, "old": old}, "old")
    assert found[0].p_adjusted == alone.p_adjusted
    assert found[0].effect == alone.effect
    assert np.isnan(found[1].p)
    assert found[1].reason


def test_resamples_without_a_spread_count_against_a_claim():
    """Of few cases the p-value is no smaller than their chance, as that of the exact test is not."""
    few = np.append(np.ones(5), np.zeros(295))
    found = against_baseline({"a": few, "b": np.zeros(300)}, "b")[0]
    assert found.p_adjusted >= 0.003
    best = best_of_values({"a": np.append(np.zeros(1), np.ones(99)), "b": np.zeros(100)})
    wanted = binomtest(99, 100).proportion_ci(method="wilson")
    assert (best.observed.low, best.observed.high) == pytest.approx((wanted.low, wanted.high))
