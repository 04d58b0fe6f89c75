"""The unit of sampling weights changes nothing: every door and measure, with all weights times .001, 1 and 1000."""

import numpy as np
import pytest

import classay as ca

N = 40
RESAMPLED = [
    "partial_roc_auc", "standardized_partial_roc_auc", "ks", "aurc", "spiegelhalter_z", "ece", "ece_null",
    "debiased_squared_calibration_error", "maximum_calibration_error", "integrated_calibration_index",
    "median_calibration_error", "calibration_error_90", "max_f1", "hull_auc", "cohen_kappa",
    "prevalence", "baseline_accuracy", "brier_uncertainty", "log_loss_uncertainty",
]  # fmt: skip
"""Measures that are compared by resampling, in which sums of squared weights matter or ties of rounding do, and those
that no model changes."""


def rows(seed=3):
    rng, several = np.random.default_rng(seed), np.arange(N) % 3
    odds = rng.gamma(1.0, size=(2, N, 3)) + 2 * (np.arange(3) == several[:, None])
    truth = (np.arange(N) % 5 < 2).astype(int)
    score, other = (np.round(0.1 + 0.6 * rng.random(N) + gap * truth, 2) for gap in (0.2, 0.1))
    return {
        "truth": truth, "score": score, "other": other, "weight": rng.gamma(2.0, size=N),
        "cluster": rng.integers(0, 14, N), "group": np.where(rng.random(N) < 0.5, "a", "b"),
        "several": several, "of_several": odds / odds.sum(2, keepdims=True), "clusters": np.arange(N) % 32,
        "tags": rng.random((N, 4)) < 0.4, "of_tags": np.round(rng.random((2, N, 4)), 2),
    }  # fmt: skip


def compared(r, weight, measures=None, **how):
    models = {"one": r["score"], "two": r["other"]}
    return ca.compare(y_true=r["truth"], models=models, measures=measures, weight=weight, **how)


IN_THE_UNIT = (
    "class_totals",
    ".cases[",
    "advice",
    "counts",
    "matrix",
    "called",
    "total",
    ".tp[",
    ".fp[",
    ".fn[",
    ".tn[",
)
"""What is told in the unit of the weights."""


def flat(found, at=""):
    """The values of a result by where they are."""
    if isinstance(found, ca.Estimate):
        found = {
            part: getattr(found, part) for part in ("value", "low", "high", "method", "reason", "certain")
        }
    if isinstance(found, dict):
        return {k: v for name, each in found.items() for k, v in flat(each, f"{at}.{name}").items()}
    if isinstance(found, (list, tuple)):
        return {k: v for i, each in enumerate(found) for k, v in flat(each, f"{at}[{i}]").items()}
    return {at: found}


def differing(mine, others):
    mine, others = flat(mine), flat(others)
    assert mine.keys() == others.keys()
    apart = {at: (mine[at], others[at]) for at in mine if not same(mine[at], others[at])}
    return {at: pair for at, pair in apart.items() if not any(word in at for word in IN_THE_UNIT)}


def same(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return bool(np.isclose(a, b, rtol=1e-7, atol=1e-9, equal_nan=True))
    return a == b


@pytest.mark.parametrize("unit", [0.001, 1000])
@pytest.mark.parametrize("clustered", [False, True])
def test_of_measures_that_are_resampled(unit, clustered):
    r = rows()
    how = {"cluster": r["clusters"]} if clustered else {}  # fewer than 30 clusters are not resampled
    mine, others = (compared(r, r["weight"] * each, RESAMPLED, **how).to_dict() for each in (1, unit))
    assert differing(mine, others) == {}


@pytest.mark.parametrize("unit", [0.1, 1 / 3])
def test_weights_of_few_values_tie_in_every_unit(unit):
    """Rates of a tenth of whole weights are rounded, and what is equal stays equal: blocks, hulls, largest gaps."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        score = rng.random(150)
        truth = (rng.random(150) < 0.6 * score + 0.1).astype(int)
        weight = rng.integers(1, 4, 150)
        whole, part = (ca.assess(truth, score, weight=weight * one).estimates() for one in (1.0, unit))
        for name, one in whole.items():
            limits = [(each.value, each.low, each.high) for each in (one, part[name])]
            assert limits[1] == pytest.approx(limits[0], rel=1e-6, abs=1e-9, nan_ok=True), (seed, name)


@pytest.mark.parametrize("unit", [0.1, 1e-3, 7.0])
def test_rates_that_are_the_same_in_few_clusters_have_no_correlation(unit):
    """What rounding leaves of the spread of one goes with the other by chance, and with the unit."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth = np.tile([1, 0, 0, 1, 0], 3)
        score = np.tile(np.round(rng.random(5), 2), 3) + np.where(
            truth == 1, 0.3 * rng.random(15).round(1), 0
        )
        weight, cluster = np.tile(rng.integers(1, 9, 5), 3), np.repeat(np.arange(3), 5)
        whole, part = (
            ca.assess(truth, score, weight=weight * by, cluster=cluster)["kolmogorov_smirnov"]
            for by in (1.0, unit)
        )
        assert (part.low, part.high) == pytest.approx((whole.low, whole.high), abs=1e-7, nan_ok=True), seed


@pytest.mark.parametrize("unit", [1e-6, 1 / 3, 0.1, 7.0])
@pytest.mark.parametrize("turned", [False, True])
def test_bins_without_a_gap_point_to_no_side(turned, unit):
    """Rounding would choose one, and with it how far the error may lie above the truth."""
    score = np.repeat([0.1, 0.3, 0.7, 0.9], 10)
    truth = np.concatenate([np.arange(10) < positives for positives in (1, 3, 4, 9)]).astype(int)
    how = {"cluster": np.arange(40) % 10}
    plain = ca.assess(truth, score, weight=np.ones(40), **how)
    if turned:
        truth, score = 1 - truth, 1 - score
    found = ca.assess(truth, score, weight=np.full(40, unit), **how)
    for name in ("expected_calibration_error", "integrated_calibration_index", "smooth_calibration_error"):
        mine, others = ((a[name].value, a[name].low, a[name].high) for a in (plain, found))
        assert others == pytest.approx(mine, rel=1e-9, abs=1e-12), name
