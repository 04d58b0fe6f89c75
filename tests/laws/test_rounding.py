"""Rounding is no spread: equal differences have no test, models that differ by rounding are alike, by every door."""

import numpy as np
import pytest

import classay as ca
from classay.tables.running import ROUNDING, is_rounding, rounded_difference

N = 120
RNG = np.random.default_rng(14)
Y = np.arange(N) % 2
P = RNG.uniform(0.2, 0.9, N)  # of the true class


def scores(own):
    return np.where(Y == 1, own, 1 - own)


SHIFTED = {"a": scores(P), "b": scores(P * np.exp(-0.03))}  # log-losses that differ by 0.03, but for rounding
NOISY = {"a": scores(P), "b": 1 / (1 + np.exp(-np.log(scores(P) / (1 - scores(P)))))}
HOWS = {
    "cases": {},
    "repeated": {"frequency": RNG.integers(1, 4, N)},
    "weights": {"weight": RNG.uniform(0.5, 2, N)},
    "clusters": {"cluster": np.arange(N) // 3},
}
ASKED = [
    (how, method)
    for how in HOWS
    for method in (None, "permutation", "max-t")
    if (how, method) != ("weights", "permutation")
]


def compared(models, measure, how, method):
    control = "b" if method == "max-t" else None
    return ca.compare(models, Y, measures=[measure], method=method, control=control, **HOWS[how])[0]


@pytest.mark.parametrize(("how", "method"), ASKED)
def test_equal_differences_of_all_cases_have_no_test(how, method):
    found = compared(SHIFTED, "log_loss", how, method)
    assert found.effect.value == pytest.approx(-0.03)
    assert not found.effect.has_interval
    assert np.isnan(found.p)
    assert "spread" in found.reason or "vary" in found.reason


@pytest.mark.parametrize("measure", ["log_loss", "brier_score"])
@pytest.mark.parametrize(("how", "method"), ASKED)
def test_losses_that_differ_by_rounding_are_alike(how, method, measure):
    found = compared(NOISY, measure, how, method)
    assert (found.effect.value, found.p) == (0, 1)
    assert "higher" not in found.sentence


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("measure", ["roc_auc", "prevalence", "accuracy"])
def test_equal_ranks_and_labels_are_alike(how, measure):
    s = np.round(SHIFTED["a"], 1)
    for models in ({"a": s, "b": s**3 / (s**3 + (1 - s) ** 3)}, {"b": s, "a": s.copy()}):
        found = ca.compare(models, Y, measures=[measure], **HOWS[how])[0]
        assert (found.effect.value, found.p) == (0, 1)


def test_saved_losses_that_differ_by_rounding_are_alike():
    ids = np.arange(N)
    saved = {name: ca.assess(Y, each, id=ids) for name, each in NOISY.items()}
    for one in ca.compare(saved, measures=["log_loss", "brier_score", "roc_auc"]):
        assert (one.effect.value, one.p) == (0, 1)


def test_the_best_of_constant_values_has_no_interval():
    weight = HOWS["weights"]["weight"]
    same = {name: np.where(Y == 1, p, 1 - p) for name, p in (("a", 0.7), ("b", 0.6))}
    assert not ca.best_of(same, Y, "log_loss", weight=weight).observed.has_interval


@pytest.mark.parametrize("method", ["corrected-t", "nadeau-bengio-t", "paired-t"])
def test_folds_that_differ_alike_have_no_test(method):
    a = np.array([0.1 + 0.2, 0.3 + 0.1, 0.7, 0.9])
    found = ca.compare_learners({"a": a, "b": a - 0.1}, ["accuracy"], test_over_train=1 / 3, method=method)[0]
    assert np.isnan(found.p)
    alike = ca.compare_learners(
        {"a": a, "b": a * (1 + 1e-15)}, ["accuracy"], test_over_train=1 / 3, method=method
    )[0]
    assert (alike.effect.value, alike.p) == (0, 1)


def test_infinite_fold_values_are_refused():
    values = {"a": [0.1, 0.2, 0.3, np.inf], "b": [0.1, 0.2, 0.4, 0.6]}
    with pytest.raises(ca.InputError, match="1 of 4 folds have an undefined or infinite value"):
        ca.compare_learners(values, ["log_loss"], test_over_train=1 / 3)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1.0, 1e9, 1e200])
def test_rounding_is_relative_to_the_size(scale):
    one, other = np.array([0.1 + 0.2, 0.5, -0.7]) * scale, np.array([0.3, 0.4, -0.7]) * scale
    assert (rounded_difference(one, other) != 0).tolist() == [False, True, False]
    assert (rounded_difference(other, one) == -rounded_difference(one, other)).all()
    assert is_rounding(ROUNDING * scale / 2, scale)
    assert not is_rounding(ROUNDING * scale * 2, scale)
    assert not is_rounding(np.nan, scale)
