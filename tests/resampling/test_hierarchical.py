"""The Bayesian hierarchical test over data sets, against integration on a grid, limiting cases and symmetries."""

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.errors import InputError
from classay.resampling.compare_datasets import (
    DEGREES,
    _log_prior,
    bayesian_signed_rank,
    hierarchical,
    sampled,
)
from classay.resampling.fold_tests import correlated_t, fold_differences
from classay.resampling.rank_tests import wide_results

RNG = np.random.default_rng(4)


def folds_of(means, spread, n=10):
    """Folds whose mean is exactly each of these and whose spread is so large."""
    found = []
    for mean in means:
        noise = RNG.normal(size=n)
        noise = (noise - noise.mean()) / noise.std(ddof=1) * spread
        found.append(fold_differences(mean + noise, np.zeros(n), test_over_train=1 / 9, models=("a", "b")))
    return found


def on_a_grid(means, scales, df):
    """Mean and standard deviation of δ_0 and the chance that it is positive, by sums over a grid of all parameters."""
    size = np.std(means, ddof=1)
    middle = np.mean(means)
    delta0 = middle + size * np.sinh(np.linspace(-4, 4, 61)) / 2
    step0 = np.gradient(delta0)
    sigma0 = size * np.exp(np.linspace(-6, np.log(1000), 50))
    nu = np.exp(np.linspace(np.log(2), np.log(200), 12))
    a, b = np.meshgrid(np.linspace(0.5, 5, 46), np.linspace(0.05, 0.15, 21))
    prior = np.array([stats.gamma.pdf(each, a, scale=1 / b).mean() * each for each in nu])
    t = np.linspace(-np.pi / 2, np.pi / 2, 121)[1:-1]
    posterior = np.zeros(delta0.size)
    for v, of_v in zip(nu, prior, strict=True):
        product = np.ones((delta0.size, sigma0.size))
        for m, s, d in zip(means, scales, df, strict=True):
            delta = m + s * np.tan(t)  # the mean of t_ν over the t of the folds
            weight = stats.t.pdf(np.tan(t), d) / np.cos(t) ** 2 * (t[1] - t[0])
            apart = (delta - delta0[:, None, None]) / sigma0[:, None]
            product *= (stats.t.pdf(apart, v) / sigma0[:, None] * weight).sum(-1)
        posterior += of_v * (product * sigma0).sum(1)
    weight = posterior * step0
    weight /= weight.sum()
    mean = (weight * delta0).sum()
    return mean, np.sqrt((weight * (delta0 - mean) ** 2).sum()), weight[delta0 > 0].sum()


def test_the_prior_of_the_degrees_is_the_mixture_of_gammas():
    """α even over [0.5, 5] and β over [0.05, 0.15]; on the log scale a density has one ν more."""
    a, b = np.meshgrid(np.linspace(0.5, 5, 46), np.linspace(0.05, 0.15, 21))
    density = np.array([stats.gamma.pdf(each, a, scale=1 / b).mean() * each for each in DEGREES])
    made = np.exp(_log_prior())
    np.testing.assert_allclose(made / made.sum(), density / density.sum(), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_draws_are_of_the_posterior_that_a_grid_has(scale):
    means, df = np.array([0.4, 1.5, 0.1, 2.2, 0.9]), np.array([8.0, 8, 8, 8, 28])
    scales = scale * np.array([0.5, 1, 0.7, 1, 0.6])
    centre, _, _ = sampled(means, scales, df)
    mean, _, positive = on_a_grid(means, scales, df)
    assert centre.mean() == pytest.approx(mean, abs=0.05)
    assert (centre > 0).mean() == pytest.approx(positive, abs=0.02)


def test_what_is_far_beyond_the_rope_is_better_and_what_is_far_within_is_equal():
    far = hierarchical(folds_of(0.1 + RNG.normal(0, 0.005, 8), 0.01), rope=0.01)
    assert far.odds.first > 0.999
    near = hierarchical(folds_of(RNG.normal(0, 0.001, 8), 0.003), rope=0.02)
    assert near.odds.equal > 0.99
    for one in (far, near):
        assert one.odds.first + one.odds.equal + one.odds.second == pytest.approx(1)
        assert one.effect.low < one.effect.value < one.effect.high


def test_a_noisy_data_set_borrows_from_the_others():
    """One outlier with noisy folds moves the mean over data sets less than one with quiet folds."""
    quiet = folds_of([0.02, 0.021, 0.019, 0.022, 0.018], 0.002)
    noisy = hierarchical([*quiet, *folds_of([0.2], 0.5)], rope=0.0).effect
    sure = hierarchical([*quiet, *folds_of([0.2], 0.002)], rope=0.0).effect
    assert abs(noisy.value - 0.02) < abs(sure.value - 0.02)
    assert noisy.high < sure.high


def test_neither_order_of_data_sets_nor_of_models_changes_a_byte():
    each = folds_of(RNG.normal(0.01, 0.01, 6), 0.02)
    found = hierarchical(each, rope=0.01)
    assert hierarchical(each[::-1], rope=0.01).odds == found.odds
    turned = [
        fold_differences(-one.values, np.zeros(10), test_over_train=1 / 9, models=("b", "a")) for one in each
    ]
    other = hierarchical(turned, rope=0.01)
    assert (other.odds.first, other.odds.second) == (found.odds.second, found.odds.first)
    assert (other.effect.low, other.effect.high) == pytest.approx((-found.effect.high, -found.effect.low))
    assert hierarchical(each, rope=0.01, seed=1).effect.value == pytest.approx(found.effect.value, abs=2e-3)


def test_one_data_sets_folds_leave_the_t_of_the_correlated_test():
    """Its centre is theirs; the flat prior of σ, instead of 1/σ, takes one degree of freedom."""
    from classay.resampling.compare_datasets import _of_one

    [one] = folds_of([0.03], 0.02)
    mean, scale, df = _of_one(one)
    alone = correlated_t(one, 0.0)
    half = (alone.effect.high - alone.effect.low) / 2
    assert mean == pytest.approx(alone.effect.value)
    assert df == 8
    assert scale * np.sqrt(8 / 9) == pytest.approx(half / stats.t.ppf(0.975, 9), rel=1e-9)


def test_three_folds_of_each_data_set_are_enough_and_two_are_not():
    for few in (2, 3):
        each = folds_of([0.1, 0.2, 0.15], 0.1, few)
        if few == 3:
            assert 0 < hierarchical(each, rope=0.01).effect.value < 0.3
        else:
            with pytest.raises(
                InputError, match="The hierarchical test needs at least three folds of each data set, but"
            ):
                hierarchical(each, rope=0.01)


def test_what_is_refused():
    with pytest.raises(InputError, match="The hierarchical test needs at least 3 data sets, but there are 2"):
        hierarchical(folds_of([0.1, 0.2], 0.1), rope=0.01)
    with pytest.raises(InputError, match="Method 'hierarchical' needs a ROPE"):
        ca.compare_datasets({"a": [1, 2, 3], "b": [2, 3, 5]}, method="hierarchical")
    with pytest.raises(InputError, match="needs the folds of each data set"):
        ca.compare_datasets({"a": [1, 2, 3], "b": [2, 3, 5]}, method="hierarchical", rope=0.1)


@pytest.mark.parametrize("rope", [-0.01, -np.inf, np.nan])
def test_a_rope_below_0_is_refused_by_each_bayesian_test(rope):
    folds = folds_of([0.01, 0.02, 0.03], 0.02)
    results = wide_results({"a": [0.8, 0.9, 0.7], "b": [0.7, 0.8, 0.75]})
    for test in (
        lambda: hierarchical(folds, rope=rope),
        lambda: bayesian_signed_rank(results, "a", "b", rope),
        lambda: correlated_t(folds[0], rope),
        lambda: ca.compare_datasets(results, rope=rope),
    ):
        with pytest.raises(InputError, match=rf"rope must be .*largest difference .*but is {rope}"):
            test()
