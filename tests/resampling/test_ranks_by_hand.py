"""Every field of tests over data sets, found once more by enumeration and by the formulas of the papers."""

import itertools
from math import sqrt

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.comparison.comparison import OF_RANKS
from classay.resampling.compare_datasets import win_tie_loss
from classay.resampling.rank_tests import (
    friedman,
    nemenyi,
    nemenyi_distance,
    sign_test,
    skillings_mack,
    versus_control,
    wide_results,
    wilcoxon,
)

SEEDS = range(12)
NORMAL = stats.norm.ppf


def near(wanted):
    return pytest.approx(wanted, rel=1e-9, abs=1e-12, nan_ok=True)


def table(seed, models=2):
    """Values in steps of 0.1 with ties, of a few data sets."""
    rng = np.random.default_rng(seed)
    sizes = (2, 3, 5, 6, 7, 9, 11)
    sets = sizes[seed % len(sizes)]
    shifts = rng.choice([0, 0.1, 0.3], models)
    return {
        name: (rng.integers(0, 6, sets) / 10 + shift).tolist()
        for name, shift in zip("abcde"[:models], shifts, strict=True)
    }


def all_of(found):
    """What a test found, as plain values."""
    effect = found.effect
    return {
        "effect": (effect.value, effect.low, effect.high),
        "reason of effect": effect.reason,
        "p": found.p,
        "statistic": found.test.statistic,
        "side": found.test.side,
        "tails": found.test.tails,
        "reason": found.test.reason,
        "note": found.test.note,
        "n": found.sample.n,
        "units": found.sample.units,
        "needed": found.sample.needed,
        "values": found.values,
        "better": found.criterion.better,
        "level": found.criterion.level,
    }


def same(found, wanted):
    for name, value in wanted.items():
        if isinstance(value, float) or (isinstance(value, tuple) and value):
            assert found[name] == near(value), name
        else:
            assert found[name] == value, name


def common(frame, d, level):
    kept = [x for x in d if x]
    n, ties = len(kept), len(d) - len(kept)
    least = 2.0 ** (1 - n) if n else 1.0
    sets = "1 data set" if ties == 1 else f"{ties} data sets"
    return kept, {
        "reason": None
        if least <= 1 - level + 1e-12
        else f"{n} data sets with a difference are too few for a significant result (smallest possible p {least:.3g}, "
        f"one-sided {least / 2:.3g})",
        "note": f"the test excludes {sets} without a difference, and the estimate includes "
        f"{'it' if ties == 1 else 'them'}"
        if ties
        else "",
        "n": n,
        "units": "data sets with a difference",
        "values": (float(np.mean(frame["a"])), float(np.mean(frame["b"]))),
        "level": level,
    }


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("level", "better"), [(0.95, 1), (0.5, -1)])
def test_signed_ranks_are_all_signs_of_the_ranks(seed, level, better):
    frame = table(seed)
    d = [round(x - y, 9) for x, y in zip(frame["a"], frame["b"], strict=True)]
    kept, wanted = common(frame, d, level)
    ranks = stats.rankdata(np.abs(kept)).tolist()
    up = sum(rank for rank, x in zip(ranks, kept, strict=True) if x > 0)
    down = sum(ranks) - up
    sums = np.array([sum(itertools.compress(ranks, s)) for s in itertools.product((0, 1), repeat=len(kept))])
    tails = tuple(float(np.mean(sums <= other + 1e-9)) for other in (down, up))
    means = sorted((x + y) / 2 for x, y in itertools.combinations_with_replacement(d, 2))
    of_all = np.array(
        [sum(itertools.compress(range(1, len(d) + 1), s)) for s in itertools.product((0, 1), repeat=len(d))]
    )
    cut = sum(np.mean(of_all <= k) <= (1 - level) / 2 + 1e-12 for k in range(len(means)))
    pairs = [x + y for x, y in itertools.combinations(kept, 2)]
    share = np.mean([(x > 1e-12) + (abs(x) < 1e-12) / 2 for x in pairs]) if pairs else 0.5
    of_power = (NORMAL(0.5 + level / 2) + NORMAL(0.8)) ** 2
    wanted |= {
        "effect": (float(np.median(means)), means[cut - 1], means[-cut])
        if cut
        else (float(np.median(means)), np.nan, np.nan),
        "reason of effect": None
        if cut
        else f"{len(d)} data sets are too few for an interval at level {level:g}",
        "p": min(1.0, 2 * min(tails)),
        "statistic": float(min(up, down)),
        "side": int(np.sign(up - down)),
        "tails": tails,
        "needed": None if share == 0.5 else float(of_power / (3 * (share - 0.5) ** 2)),
        "better": better,
    }
    if not kept:
        wanted |= {
            "effect": (0.0, np.nan, np.nan),
            "reason of effect": "both have the same value on all data sets, which shows no variation",
        }
    found = wilcoxon(wide_results(frame, better=better), "a", "b", level=level)
    assert found.method == "Wilcoxon signed-rank, exact"
    same(all_of(found), wanted)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("level", "better"), [(0.95, 1), (0.5, -1)])
def test_signs_are_tosses_of_a_coin(seed, level, better):
    frame = table(seed)
    d = sorted(round(x - y, 9) for x, y in zip(frame["a"], frame["b"], strict=True))
    kept, wanted = common(frame, d, level)
    up, n, size = sum(x > 0 for x in kept), len(kept), len(d)
    cut = sum(stats.binom.cdf(k, size, 0.5) <= (1 - level) / 2 for k in range(size))
    share = up / n if n else 0.5
    of_power = (NORMAL(0.5 + level / 2) + NORMAL(0.8)) ** 2
    wanted |= {
        "effect": (float(np.median(d)), d[cut - 1], d[-cut])
        if cut
        else (float(np.median(d)), np.nan, np.nan),
        "reason of effect": None
        if cut
        else f"{size} data sets are too few for an interval at level {level:g}",
        "p": float(stats.binomtest(up, n).pvalue) if n else 1.0,
        "statistic": float(up),
        "side": int(np.sign(2 * up - n)),
        "tails": tuple(float(stats.binomtest(up, n, alternative=each).pvalue) for each in ("greater", "less"))
        if n
        else (1.0, 1.0),
        "needed": None if share == 0.5 else float(of_power / (4 * (share - 0.5) ** 2)),
        "better": better,
    }
    found = sign_test(wide_results(frame, better=better), "a", "b", level=level)
    assert found.method == "sign test, exact"
    same(all_of(found), wanted)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("better", [1, -1])
def test_mean_ranks_and_what_is_tested_by_them(seed, better):
    k, level = 3 + seed % 3, (0.95, 0.9)[seed % 2]
    frame = table(seed, k)
    results, names = wide_results(frame, better=better, measure="v"), [*frame]
    ranks = stats.rankdata(-better * np.array([*frame.values()]).T.round(9), axis=1)
    n, mean = len(ranks), ranks.mean(0)
    assert results.ranks == near(ranks)
    assert results.mean_ranks == near(mean)
    se = sqrt(k * (k + 1) / (6 * n))
    distance = stats.studentized_range.ppf(level, k, np.inf) / sqrt(2) * se
    assert nemenyi_distance(results, level) == near(distance)
    for found, (i, j) in zip(nemenyi(results, level=level), itertools.combinations(range(k), 2), strict=True):
        more = mean[i] - mean[j]
        p = stats.studentized_range.sf(abs(more) / se * sqrt(2), k, np.inf)
        assert found.models == (names[i], names[j])
        assert (found.p, found.multiplicity.p_adjusted, found.multiplicity.adjustment) == (
            near(p),
            near(p),
            "Nemenyi",
        )
        same(all_of(found), {"effect": (more, more - distance, more + distance), "statistic": more / se})
        same(
            all_of(found),
            {"values": (mean[i], mean[j]), "better": -1, "n": n, "side": int(np.sign(more)), "level": level},
        )
        assert found.measure == f"{OF_RANKS}v"
    half = NORMAL(0.5 + level / 2) * se
    compared = versus_control(results, "b", level=level)
    others = [i for i in range(k) if names[i] != "b"]
    ps = [2 * stats.norm.sf(abs(mean[i] - mean[1]) / se) for i in others]
    order = np.argsort(ps, kind="stable")
    holm = dict(
        zip(
            order.tolist(),
            np.maximum.accumulate([(len(ps) - at) * ps[m] for at, m in enumerate(order)]),
            strict=True,
        )
    )
    for at, (found, i) in enumerate(zip(compared, others, strict=True)):
        more = mean[i] - mean[1]
        assert found.models == (names[i], "b")
        wanted = {
            "effect": (more, more - half, more + half),
            "p": ps[at],
            "statistic": -more / se,
            "level": level,
        }
        same(all_of(found), wanted | {"values": (mean[i], mean[1]), "better": -1, "side": int(np.sign(more))})
        assert found.multiplicity.p_adjusted == near(min(1.0, holm[at]))
    chi2 = stats.friedmanchisquare(*ranks.T).statistic if (np.ptp(ranks, axis=1) > 0).any() else 0.0
    found = friedman(results, level=level)
    assert found.statistic == near(
        (n - 1) * chi2 / (n * (k - 1) - chi2) if n * (k - 1) > chi2 + 1e-9 else np.inf
    )
    assert (found.effect, found.models, found.sample.n, found.criterion.level) == (
        None,
        tuple(names),
        n,
        level,
    )
    of_all = skillings_mack(results, level=level)
    assert of_all.statistic == near(chi2)
    assert of_all.p == near(stats.chi2.sf(chi2, of_all.df) if chi2 else 1.0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("better", ["higher", "lower"])
def test_wins_ties_and_losses_are_counted(seed, better):
    frame = table(seed, 3)
    sign = 1 if better == "higher" else -1
    for row in win_tie_loss(frame, better=better).to_pylist():
        d = [round(sign * (x - y), 9) for x, y in zip(frame[row["first"]], frame[row["second"]], strict=True)]
        assert (row["wins"], row["ties"], row["losses"]) == tuple(
            sum(np.sign(x) == wanted for x in d) for wanted in (1, 0, -1)
        )


@pytest.mark.parametrize("missing", [0, 1, 4])
def test_two_models_are_compared_on_the_data_sets_that_both_have(missing):
    """Values that lack change no test of other models, and are counted."""
    rng = np.random.default_rng(missing)
    values = rng.integers(0, 9, (9, 3)) / 10
    values[rng.permutation(9)[:missing], rng.integers(0, 3, missing)] = np.nan
    frame = dict(zip("abc", values.T, strict=True))
    results = wide_results(frame, missing="drop")
    assert results.missing == missing
    for pair in itertools.combinations("abc", 2):
        there = ~np.isnan(frame[pair[0]]) & ~np.isnan(frame[pair[1]])
        shared = results.shared(*pair)
        assert len(shared.datasets) == there.sum()
        assert [*shared.datasets] == np.flatnonzero(there).tolist()
        alone = wilcoxon(wide_results({name: frame[name][there] for name in pair}), *pair)
        same(all_of(wilcoxon(shared, *pair)), all_of(alone))
    compared = ca.compare_datasets(frame, missing="drop", better="higher")
    assert [each.p for each in compared] == near(
        [wilcoxon(results.shared(*each.models), *each.models).p for each in compared]
    )
