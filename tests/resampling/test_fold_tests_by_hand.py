"""Every field of tests over folds, once more from the formulas of papers; what turns when learners change places."""

import itertools
from math import isnan, nan, sqrt

import numpy as np
import pytest
from scipy import stats

from classay.resampling.fold_tests import (
    as_published,
    by_hand,
    corrected_t,
    correlated_t,
    equivalence,
    five_by_two_f,
    five_by_two_t,
    fold_differences,
    nadeau_bengio_t,
    non_inferiority,
    paired_t,
    practical,
    sign_flip,
    wilcoxon_of_folds,
)
from classay.resampling.folds import corrected_mean

SHAPES = [(3,), (10,), (2, 5), (4, 3), (5, 2), (5, 4), (6, 3), (9, 1)]
RATIOS = (1 / 9, 0.5)


def near(wanted):
    return pytest.approx(wanted, rel=1e-9, abs=1e-12, nan_ok=True)


def values(shape, seed=0, unstable=False):
    rng = np.random.default_rng([len(shape), *shape, seed])
    made = rng.normal(0.03, 0.04, shape)
    return made + (rng.normal(0, 0.1, (shape[0], 1)) if unstable and len(shape) == 2 else 0)


def error_of(d, ratio, hidden=0.0):
    """Standard error and degrees of freedom: Nadeau and Bengio's, or wider where whole repeats differ by more."""
    d = np.asarray(d)
    variance, df = (1 / d.size + ratio) * d.var(ddof=1), d.size - 1.0
    if d.ndim == 2 and len(d) >= 5 and d.shape[1] > 1:
        inside, between = d.var(ddof=1) / d.shape[1], 0.4 * d.shape[1] * d.mean(1).var(ddof=1)
        if inside + between > variance:
            variance = inside + between
            df = variance**2 / (inside**2 / (d.size - 1) + between**2 / (len(d) - 1))
    if hidden:
        more = df * ((variance + hidden) / variance) ** 2
        if stats.t.ppf(0.975, more) * sqrt(variance + hidden) > stats.t.ppf(0.975, df) * sqrt(variance):
            variance, df = variance + hidden, more
    return sqrt(variance), df


CASES = [
    (shape, ratio, hidden, unstable)
    for shape in SHAPES
    for ratio, hidden, unstable in (
        (1 / 9, 0.0, False),
        (0.5, 1e-3, False),
        (1 / 9, 1e-5, True),
        (0.5, 0.0, True),
    )
]


@pytest.mark.parametrize(("shape", "ratio", "hidden", "unstable"), CASES)
@pytest.mark.parametrize(("sign", "level"), [(1, 0.95), (-1, 0.8)])
def test_each_t_is_the_difference_over_its_error(shape, ratio, hidden, unstable, sign, level):
    d = sign * values(shape, unstable=unstable)
    folds = fold_differences(0.5 + d, np.full(shape, 0.5), test_over_train=ratio, hidden=hidden)
    mean = d.mean()
    of_mean = corrected_mean(d, ratio, hidden)
    assert of_mean == near((mean, *error_of(d, ratio, hidden)))
    for test, (se, df) in (
        (corrected_t, error_of(d, ratio, hidden)),
        (nadeau_bengio_t, error_of(d.ravel(), ratio)),
        (paired_t, (d.std(ddof=1) / sqrt(d.size), d.size - 1)),
    ):
        found, half = test(folds, level=level), stats.t.ppf(0.5 + level / 2, df) * se
        effect = found.effect
        assert (effect.value, effect.low, effect.high) == near((mean, mean - half, mean + half))
        assert (found.p, found.statistic, found.df) == near(
            (2 * stats.t.sf(abs(mean) / se, df), mean / se, df)
        )
        assert (found.n, found.units, found.random, found.level) == (d.size, "folds", "training sets", level)
        assert effect.level == level
    for posterior, (se, df) in (
        (practical, error_of(d, ratio, hidden)),
        (as_published, error_of(d.ravel(), ratio)),
    ):
        for rope in (0, 0.01, 0.05):
            found = posterior(folds, rope=rope, level=level)
            half = stats.t.ppf(0.5 + level / 2, df) * se
            first, second = stats.t.sf(rope, df, mean, se), stats.t.cdf(-rope, df, mean, se)
            assert (found.odds.first, found.odds.second) == near((first, second))
            assert found.odds.equal == near(1 - first - second if rope else 0)
            assert (found.effect.low, found.effect.high, found.odds.rope) == near(
                (mean - half, mean + half, rope)
            )
            assert isnan(found.p)
    is_widened = error_of(d, ratio, hidden) != near(error_of(d.ravel(), ratio))
    assert ("widened" in correlated_t(folds, 0).method) == is_widened


@pytest.mark.parametrize(("shape", "ratio", "hidden", "unstable"), CASES[::2])
@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize(("measure", "turn"), [("accuracy", 1), ("log_loss", -1), ("value", 1)])
def test_margins_are_tested_on_the_side_where_the_first_is_worse(
    shape, ratio, hidden, unstable, level, measure, turn
):
    d = values(shape, unstable=unstable)
    folds = fold_differences(
        0.5 + d, np.full(shape, 0.5), test_over_train=ratio, hidden=hidden, measure=measure
    )
    se, df = error_of(d, ratio, hidden)
    for margin in (0.01, 0.1):
        found = non_inferiority(folds, margin, level=level)
        assert found.p == near(stats.t.sf((turn * d.mean() + margin) / se, df))
        assert (found.rule, found.margin, found.better, found.effect.level) == (
            "non-inferior",
            margin,
            turn,
            level,
        )
        assert f"one-sided at {(1 - level) / 2:.3g}: non-inferior by a margin of {margin:g}" in found.method
        alike = equivalence(folds, margin, level=level)
        assert alike.p == near(max(stats.t.sf((s * d.mean() + margin) / se, df) for s in (1, -1)))
        half = stats.t.ppf(level, df) * se
        assert (alike.effect.low, alike.effect.high) == near((d.mean() - half, d.mean() + half))
        assert (alike.rule, alike.margin, alike.better) == ("equivalent", margin, turn)
        assert alike.effect.level == near(2 * level - 1)
        assert f"two one-sided tests at {1 - level:.3g}: equivalent within {margin:g}" in alike.method
        assert (found.statistic, alike.statistic) == (None, None)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shift", [0, 0.2])
def test_five_by_two_is_the_papers(seed, shift):
    d = values((5, 2), seed) + shift
    folds = fold_differences(0.5 + d, np.full((5, 2), 0.5), test_over_train=1)
    spread = sum(((row - row.mean()) ** 2).sum() for row in d)
    f, t = five_by_two_f(folds, level=0.9), five_by_two_t(folds, level=0.9)
    assert (f.statistic, f.p) == near(
        ((d**2).sum() / (2 * spread), stats.f.sf((d**2).sum() / (2 * spread), 10, 5))
    )
    assert (t.statistic, t.p) == near(
        (d[0, 0] / sqrt(spread / 5), 2 * stats.t.sf(abs(d[0, 0]) / sqrt(spread / 5), 5))
    )
    agree = {*np.sign(d.mean(1)).tolist()}
    assert f.test.side == (agree.pop() if len(agree) == 1 else 0)
    assert f.test.note == ("" if f.test.side else "the difference varies between the replications")
    assert t.test.side == np.sign(d[0, 0])
    for found in (f, t):
        assert (found.effect.value, found.n, found.level) == (near(d.mean()), 10, 0.9)
        assert isnan(found.effect.low)


@pytest.mark.parametrize("test", [five_by_two_f, five_by_two_t])
def test_five_by_two_without_a_spread_within_replications(test):
    d = np.repeat(np.arange(5.0), 2).reshape(5, 2)
    found = test(fold_differences(d, np.zeros((5, 2)), test_over_train=1), level=0.9)
    assert isnan(found.p)
    assert found.reason == "the two folds of every replication agree, which shows no variation"
    assert (found.effect.value, found.level) == (2, 0.9)


@pytest.mark.parametrize("size", [2, 5, 12])
@pytest.mark.parametrize("sign", [1, -1])
def test_signs_are_all_flipped(size, sign):
    d = sign * np.round(values((size,), 1), 2)
    folds = fold_differences(d, np.zeros(size), test_over_train=1)
    sums = np.array([np.dot(flips, np.abs(d)) for flips in itertools.product((1, -1), repeat=size)])
    found = sign_flip(folds, level=0.9)
    assert found.p == near(np.mean(np.abs(sums) >= abs(d.sum()) - 1e-12))
    assert found.test.tails == near((np.mean(sums >= d.sum() - 1e-12), np.mean(sums <= d.sum() + 1e-12)))
    assert (found.effect.value, found.level, found.n) == (near(d.mean()), 0.9, size)
    assert found.method == "sign-flip over folds, exact (treats folds as independent)"


def test_of_many_folds_signs_are_drawn():
    exact, drawn = (values((k,), 2)[:k] for k in (20, 21))
    assert "exact" in sign_flip(fold_differences(exact, 0 * exact, test_over_train=1)).method
    folds = fold_differences(drawn, 0 * drawn, test_over_train=1)
    found = sign_flip(folds, seed=1)
    assert "100,000 random signs" in found.method
    assert found.p == sign_flip(folds, seed=1).p != sign_flip(folds, seed=0).p == sign_flip(folds).p
    assert found.p == pytest.approx(paired_t(folds).p, abs=0.02)
    assert sum(found.test.tails) == pytest.approx(1, abs=0.02)
    sure = fold_differences(np.ones(30) + drawn[0] * np.arange(30), np.zeros(30), test_over_train=1)
    assert sign_flip(sure).p == pytest.approx(1 / 100_001)


@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_signed_ranks_over_folds_are_scipys(zeros):
    d = np.array([0.0] * zeros + [0.03, -0.01, 0.02, 0.05, 0.04, -0.06, 0.07])
    found = wilcoxon_of_folds(fold_differences(0.5 + d, np.full(d.size, 0.5), test_over_train=1), level=0.8)
    wanted = stats.wilcoxon(d[zeros:], method="exact")
    assert (found.p, found.statistic) == near((wanted.pvalue, wanted.statistic))
    means = [(x + y) / 2 for x, y in itertools.combinations_with_replacement(d.tolist(), 2)]
    assert found.effect.value == near(np.median(means))
    assert (found.n, found.units, found.level, found.test.side) == (d.size, "folds", 0.8, 1)
    assert found.test.note == (f"the test excludes {zeros} folds without a difference" if zeros else "")
    assert found.test.tails == near(
        tuple(
            stats.wilcoxon(d[zeros:], method="exact", alternative=each).pvalue for each in ("greater", "less")
        )
    )


ALL = {
    "corrected t": corrected_t,
    "as published": nadeau_bengio_t,
    "paired t": paired_t,
    "posterior": lambda folds, **how: practical(folds, rope=0.1, **how),
    "posterior as published": lambda folds, **how: as_published(folds, rope=0.1, **how),
}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("gap", [0.0, 0.1, -0.1])
def test_folds_that_agree_show_no_variation(name, gap):
    """Identical learners have p = 1, others no p; decimals that only rounding tells apart agree."""
    a = np.array([0.1, 0.2, 0.3, 0.7])
    found = ALL[name](fold_differences(a + gap, a, test_over_train=1 / 3), level=0.9)
    assert found.effect.value == near(gap)
    assert isnan(found.effect.low)
    assert found.level == 0.9
    if gap:
        assert isnan(found.p)
        assert found.reason == "all folds have the same difference, which shows no variation"
    else:
        assert found.p == 1
        assert found.reason is None
        assert found.effect.reason == "both have the same value in every fold, which shows no variation"
    assert isnan(non_inferiority(fold_differences(a + gap, a, test_over_train=1 / 3), 0.1).p)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_steps_of_three_rules(shape, level):
    d = values(shape)
    b = np.full(shape, 0.5)
    steps = by_hand(0.5 + d, b, 0.25, level, hidden=1e-4)
    k, mean = d.size, d.mean()
    se, df = error_of(d, 0.25, 1e-4)
    wanted = (
        (d.std(), d.std() / sqrt(k), k - 1),
        (d.std(ddof=1), d.std(ddof=1) / sqrt(k), k - 1),
        (d.std(ddof=1), se, df),
    )
    assert (steps.first, steps.second) == (near(tuple((0.5 + d).ravel())), near(tuple(b.ravel())))
    assert (steps.differences, steps.mean, steps.level) == (near(tuple(d.ravel())), near(mean), level)
    for rule, (sd, error, free) in zip(steps.rules, wanted, strict=True):
        critical = stats.t.ppf(0.5 + level / 2, free)
        assert (rule.sd, rule.se, rule.t, rule.df) == near((sd, error, mean / error, free))
        assert (rule.critical, rule.p) == near((critical, 2 * stats.t.sf(abs(mean / error), free)))
        assert rule.rejects == (abs(mean / error) > critical) == (rule.p < 1 - level)
    assert by_hand(b, b, 0.25) is None


@pytest.mark.parametrize("test", [*ALL.values(), sign_flip, wilcoxon_of_folds], ids=[*ALL, "flips", "ranks"])
def test_learners_that_change_places_change_the_sign(test):
    d = values((5, 4), unstable=True)
    one, other = (test(fold_differences(*pair, test_over_train=0.25)) for pair in ((d, 0 * d), (0 * d, d)))
    assert one.effect.value == near(-other.effect.value)
    assert (one.effect.low, one.effect.high) == near((-other.effect.high, -other.effect.low))
    assert one.p == near(other.p)
    if one.test.tails:
        assert one.test.tails == near(other.test.tails[::-1])
    if one.odds is not None:
        assert (one.odds.first, one.odds.equal) == near((other.odds.second, other.odds.equal))


@pytest.mark.parametrize("x", [[], [0.3], [0.3, 0.5]])
def test_one_value_has_no_error(x):
    found = corrected_mean(x, test_over_train=0.5, hidden=0.01)
    assert found.mean == near(np.mean(x) if x else nan)
    assert (isnan(found.se), found.df == 0) == (len(x) < 2, len(x) < 2)
