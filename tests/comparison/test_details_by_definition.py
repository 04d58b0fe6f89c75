"""Small parts of comparisons by their definitions: the jackknife, one-sided tests, and values without an interval."""

from math import inf, nan

import numpy as np
import pytest

import classay as ca
from classay.comparison.cases.class_averages import compare_alone
from classay.comparison.cases.compare_assessments import jackknife
from classay.comparison.comparison import Comparison, PairedRule, SignificanceTest
from classay.comparison.comparisons import one_sided
from classay.inference.design import SamplingUnits
from classay.inference.estimate import Estimate


@pytest.mark.parametrize("seed", range(5))
def test_the_jackknife_has_the_degrees_of_its_fourth_moments(seed):
    rng = np.random.default_rng(seed)
    without = rng.standard_t(3, int(rng.integers(4, 30)))
    g, mean = len(without), sum(without) / len(without)
    u = [(value - mean) ** 2 for value in without]
    uneven = sum(one**2 for one in u) - sum(u) ** 2 / g
    variance, degrees = jackknife(without)
    assert variance == pytest.approx((g - 1) / g * sum(u))
    assert degrees == pytest.approx(min(2 * sum(u) ** 2 / uneven, g - 1))
    assert jackknife(np.array([0.1, 0.3, 0.1, 0.3]))[1] == 3


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("value", [0.2, -0.2, 0.0])
@pytest.mark.parametrize("side", [None, 1, -1])
@pytest.mark.parametrize("p", [0.02, nan])
def test_a_one_sided_test_halves_p_on_the_side_asked_for(alternative, value, side, p):
    effect = Estimate(value, value - 0.1, value + 0.1, 0.9, "DeLong")
    both = Comparison(
        ("new", "old"),
        "roc_auc",
        effect,
        p,
        "z",
        "test cases",
        noise=(0.01, 0.02),
        test=SignificanceTest(side=side),
    )
    one = one_sided(both, alternative, 0.95)
    sign = 1 if alternative == "greater" else -1
    tested = side if side is not None else np.sign(value)
    if np.isnan(p):
        assert np.isnan(one.p)
        assert one.method == "z"
    else:
        assert one.p == pytest.approx(p / 2 if tested * sign >= 0 else 1 - p / 2)
        assert one.method == "z, one-sided"
        drawn = both.changed(tails=(0.3, 0.8))
        assert one_sided(drawn, alternative, 0.95).p == (0.3 if sign > 0 else 0.8)
    assert (one.effect.low, one.effect.high) == ((effect.low, 1.0) if sign > 0 else (-1.0, effect.high))
    assert (one.effect.level, one.level, one.alternative) == (0.95, 0.95, alternative)
    assert one.noise == ((0.01, 0.0) if sign > 0 else (0.0, 0.02))
    assert (one.p_adjusted, one.needed) == (None, None)


@pytest.mark.parametrize("without", [0, 1])
def test_two_values_are_kept_where_one_has_no_interval(without):
    whole, bare = Estimate(0.7, 0.6, 0.8, 0.95, "t"), Estimate.bare(0.5, "one case")
    gone = Estimate.undefined("no case")
    for lacking, text in ((bare, "has no interval (one case)"), (gone, "has no value (no case)")):
        pair = (lacking, whole) if without == 0 else (whole, lacking)
        found = compare_alone(("new", "old"), "f1", pair, pair, SamplingUnits(30))
        assert found.reason == f"{('new', 'old')[without]} {text}"
        assert found.values == pytest.approx([one.value for one in pair], nan_ok=True)
    found = compare_alone(("new", "old"), "f1", (whole, whole), (whole, whole), SamplingUnits(30))
    assert (found.values, found.effect.value, found.p) == ((0.7, 0.7), 0.0, 1.0)


@pytest.mark.parametrize(
    ("t", "rejects"), [(2.0, False), (2.0001, True), (-2.0001, True), (-2.0, False), (inf, True)]
)
def test_a_rule_rejects_beyond_its_critical_value(t, rejects):
    assert PairedRule("paired t", 0.1, 0.05, t, 9, 2.0, 0.07).rejects == rejects


@pytest.mark.parametrize("order", [("m", "n"), ("n", "m")])
def test_a_label_that_one_model_alone_predicts_is_one_of_both(order):
    y = np.array(list("abc") * 20, object)
    said = {"m": y.copy(), "n": y.copy()}
    said["n"][:3] = "z"
    found = ca.compare(
        y_true=y, y_pred={name: said[name] for name in order}, measures=["accuracy", "macro_recall"]
    )
    right = {"m": 1.0, "n": 0.95}
    assert found["accuracy"].values == tuple(right[name] for name in order)
    assert found["macro_recall"].reason == f"{order[0]} has no value (a class is never true: 'z' of n)"
