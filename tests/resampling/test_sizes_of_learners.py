"""How often tests of equal learners claim a difference: simulations, next to the naive methods.

    python tests/resampling/test_sizes_of_learners.py

makes the tables of docs/evidence/comparisons.md. Two learners are the same one on two views of the cases that are
exchangeable, so that any claim is false: 5 normal features a view, Bayes error Φ(-0.7), balanced classes, stratified
folds.
"""

import sys

import numpy as np
import pytest
from scipy import stats

from classay.comparison.best import best_of_values
from classay.comparison.comparison import adjusted
from classay.resampling.fold_tests import (
    corrected_t,
    correlated_t,
    five_by_two_f,
    five_by_two_t,
    fold_differences,
    nadeau_bengio_t,
    non_inferiority,
    paired_t,
    sign_flip,
    wilcoxon_of_folds,
)
from classay.resampling.rank_tests import friedman, nemenyi, sign_test, versus_control, wide_results, wilcoxon
from families import every_pair

pytestmark = pytest.mark.slow
FEATURES, SHIFT = 5, 1.4


def centroid(x, truth, test):
    """Accuracy of the nearest class centroid in each fold; x `(n, features)`, test `(folds, n)` of booleans."""
    train = ~test
    centres = []
    for label in (0, 1):
        of_class = train & (truth == label)
        centres.append(of_class @ x / of_class.sum(1, keepdims=True))
    apart, middle = centres[1] - centres[0], (centres[1] + centres[0]) / 2
    called = apart @ x.T > (apart * middle).sum(1, keepdims=True)
    return (((called == truth) & test).sum(1)) / test.sum(1)


def nearest(x, truth, test):
    """Accuracy of the nearest neighbour in each fold."""
    distances = ((x[:, None] - x[None]) ** 2).sum(2)
    found = []
    for fold in test:
        neighbour = np.where(fold, np.inf, distances[fold]).argmin(1)
        found.append((truth[neighbour] == truth[fold]).mean())
    return np.array(found)


def stratified(rng, truth, folds, repeats):
    """Test sets of repeated stratified cross-validation, `(repeats * folds, n)`."""
    made = np.empty((repeats, truth.size), int)
    for label in (0, 1):
        at = np.flatnonzero(truth == label)
        for repeat in range(repeats):
            made[repeat, rng.permutation(at)] = np.arange(at.size) % folds
    return (made[:, None, :] == np.arange(folds)[:, None]).reshape(-1, truth.size)


def holdouts(rng, truth, count):
    """Random stratified thirds."""
    test = np.zeros((count, truth.size), bool)
    for label in (0, 1):
        at = np.flatnonzero(truth == label)
        for row in test:
            row[rng.permutation(at)[: at.size // 3]] = True
    return test


def claims(rng, learner, n):
    """Which procedures claim a difference of two equal learners on one data set, at 0.05."""
    truth = np.arange(n) % 2
    centre = np.where(truth, SHIFT / 2, -SHIFT / 2)[:, None] / np.sqrt(FEATURES)
    views = [rng.normal(centre, 1, (n, FEATURES)) for _ in range(2)]

    def folds(test, ratio):
        return fold_differences(*(learner(x, truth, test) for x in views), test_over_train=ratio)

    ten = stratified(rng, truth, 10, 10)
    once, often = folds(ten[:10], 1 / 9), folds(ten, 1 / 9)
    thirds = holdouts(rng, truth, 30)
    third = folds(thirds, thirds[0].sum() / (~thirds[0]).sum())
    halves = folds(stratified(rng, truth, 2, 5), 1.0)
    halves = fold_differences(halves.values.reshape(5, 2), np.zeros((5, 2)), test_over_train=1)
    found = {
        "10-fold, naive paired t": paired_t(once).p,
        "10-fold, sign-flip": sign_flip(once).p,
        "10-fold, Wilcoxon over folds": wilcoxon_of_folds(once).p,
        "10×10, Wilcoxon over folds": wilcoxon_of_folds(often).p,
        "10-fold, corrected t": corrected_t(once).p,
        "10×10, naive paired t": paired_t(often).p,
        "10×10, Nadeau–Bengio t": nadeau_bengio_t(often).p,
        "10×10, corrected t": corrected_t(
            fold_differences(often.values.reshape(10, 10), np.zeros((10, 10)), test_over_train=1 / 9)
        ).p,
        "30 holdouts, naive paired t": paired_t(third).p,
        "30 holdouts, corrected t": corrected_t(third).p,
        "5×2cv t": five_by_two_t(halves).p,
        "5×2cv F": five_by_two_f(halves).p,
    }
    claimed = {name: bool(p <= 0.05) for name, p in found.items()}
    # one-sided at 0.025, where the truth is that the first is worse by exactly the margin
    worse = fold_differences(often.values - 0.05, np.zeros(often.values.size), test_over_train=1 / 9)
    claimed["10×10, non-inferior at its margin (nominal 0.025)"] = bool(
        non_inferiority(worse, 0.05).p <= 0.025
    )
    odds = None if often.constant else correlated_t(often, 0.0)
    claimed["10×10, P(better) over 0.975 either way"] = (
        odds is not None and max(odds.first, odds.second) > 0.975
    )
    return claimed


def sizes(learner, n, data_sets, seed=0):
    """The share of data sets on which each procedure makes a false claim."""
    rng = np.random.default_rng(seed)
    found = [claims(rng, learner, n) for _ in range(data_sets)]
    return {name: float(np.mean([each[name] for each in found])) for name in found[0]}


PUBLISHED = {  # statistics B-24, centroid, n = 100; Monte-Carlo error of an entry 0.0022
    "10-fold, naive paired t": 0.054,
    "10-fold, corrected t": 0.011,
    "10×10, naive paired t": 0.545,
    "10×10, Nadeau–Bengio t": 0.039,
    "30 holdouts, naive paired t": 0.590,
    "30 holdouts, corrected t": 0.040,
    "5×2cv t": 0.056,
    "5×2cv F": 0.061,
}


def test_sizes_are_those_of_the_table():
    data_sets = 2000
    found = sizes(centroid, 100, data_sets)
    for name, wanted in PUBLISHED.items():
        error = np.hypot(np.sqrt(wanted * (1 - wanted) / data_sets), 0.0022)
        assert found[name] == pytest.approx(wanted, abs=3.5 * error), name
    assert found["10×10, corrected t"] < 0.055
    assert found["10×10, non-inferior at its margin (nominal 0.025)"] < 0.04


def claims_over_data_sets(rng, n, k, noise):
    """Which procedures claim any difference of k models that rank at random on n data sets, at 0.05."""
    difficulty = rng.uniform(0.5, 0.95, (n, 1))
    values = difficulty + 0.02 * noise(rng, (n, k))
    results = wide_results({f"m{i}": values[:, i] for i in range(k)})
    if k == 2:
        return {
            "Wilcoxon": wilcoxon(results, "m0", "m1").p <= 0.05,
            "sign test": sign_test(results, "m0", "m1").p <= 0.05,
            "paired t over data sets": stats.ttest_rel(values[:, 0], values[:, 1]).pvalue <= 0.05,
        }
    pairs = every_pair(results)
    return {
        "Wilcoxon, Holm": min(each.p_adjusted for each in pairs) <= 0.05,
        "Wilcoxon, no adjustment (naive)": min(each.p for each in pairs) <= 0.05,
        "sign test, Holm": min(each.p_adjusted for each in every_pair(results, test=sign_test)) <= 0.05,
        "Friedman": friedman(results).p <= 0.05,
        "Nemenyi": min(each.p for each in nemenyi_fast(results)) <= 0.05,
        "control, Holm": min(each.p_adjusted for each in versus_control(results, "m0")) <= 0.05,
        "paired t, Holm": min(each.p_adjusted for each in t_tests(values)) <= 0.05,
    }


def nemenyi_fast(results):
    """Nemenyi's claims by one critical difference, as the studentized range is slow to integrate."""
    from types import SimpleNamespace

    n, k = results.values.shape
    cd = CRITICAL[k] * np.sqrt(k * (k + 1) / (6 * n))
    return [SimpleNamespace(p=0.0 if np.ptp(results.mean_ranks) > cd else 1.0)]


CRITICAL = {k: stats.studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2) for k in (5,)}


def t_tests(values):
    from classay.comparison.comparison import Comparison

    made = [
        Comparison(("a", "b"), "", None, float(stats.ttest_rel(values[:, i], values[:, j]).pvalue), "", "")
        for i in range(values.shape[1])
        for j in range(i)
    ]
    return adjusted(made)


NOISE = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "heavy tails (t, 2 df)": lambda rng, shape: rng.standard_t(2, size=shape),
    "rounded, many ties": lambda rng, shape: np.round(rng.normal(size=shape)),
}


def sizes_over_data_sets(n, k, noise, tables, seed=0):
    rng = np.random.default_rng([seed, n, k])
    found = [claims_over_data_sets(rng, n, k, NOISE[noise]) for _ in range(tables)]
    return {name: float(np.mean([each[name] for each in found])) for name in found[0]}


def size_of_friedman(n, k, tables, seed=0):
    """How often Friedman's test claims a difference of k models that rank at random on n data sets, at 0.05."""
    values = np.random.default_rng([seed, n, k]).normal(size=(tables, n, k))
    results = [wide_results({f"m{j}": each[:, j] for j in range(k)}) for each in values]
    return float(np.mean([friedman(each).p <= 0.05 for each in results]))


FEW_DATA_SETS = [(3, 3), (4, 3), (3, 4), (3, 5), (4, 5), (4, 8)]


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize(("n", "k"), [(6, 2), (12, 2), (30, 2), (12, 5), (30, 5)])
def test_defaults_over_data_sets_hold_their_size(n, k, noise):
    tables = 1500 if k == 2 else 600
    found = sizes_over_data_sets(n, k, noise, tables)
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / tables)
    for name in ("Wilcoxon", "sign test", "Wilcoxon, Holm", "sign test, Holm", "Friedman"):
        assert found.get(name, 0) <= limit, name
    assert found.get("Wilcoxon, no adjustment (naive)", 1) > 0.1


@pytest.mark.parametrize(("n", "k"), FEW_DATA_SETS)
def test_friedmans_test_holds_its_size_on_few_data_sets(n, k):
    assert size_of_friedman(n, k, 1000) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)


def test_nemenyi_fast_is_nemenyi():
    rng = np.random.default_rng(0)
    for _ in range(5):
        results = wide_results({f"m{i}": rng.normal(i / 3, 1, 12) for i in range(5)})
        assert (min(each.p for each in nemenyi(results)) <= 0.05) == (nemenyi_fast(results)[0].p == 0)


def best_table(n, m, spread, shared, samples, seed=0):
    """Bias of the winner, observed and corrected, and how often its intervals hold its true value."""
    rng, rows = np.random.default_rng([seed, n, m]), []
    truth = 0.8 + spread * np.linspace(-1, 1, m)
    for sample in range(samples):
        own, common = rng.random((n, m)), rng.random((n, 1))
        right = np.where(rng.random((n, m)) < shared, common, own) < truth
        found = best_of_values({str(i): right[:, i] for i in range(m)}, seed=sample)
        true = truth[int(found.model)]
        rows.append(
            [
                found.observed.value - true,
                found.corrected.value - true,
                found.observed.low <= true <= found.observed.high,
                found.corrected.low <= true <= found.corrected.high,
            ]
        )
    return np.mean(rows, 0)


BEST = [(100, 20, 0, 0), (300, 20, 0, 0), (300, 20, 0.03, 0), (300, 20, 0, 0.8), (500, 50, 0, 0)]


@pytest.mark.parametrize(("n", "m", "spread", "shared"), BEST)
def test_the_best_is_corrected(n, m, spread, shared):
    bias, corrected, naive, covered = best_table(n, m, spread, shared, 200)
    assert bias > 0.015
    assert abs(corrected) < 0.01
    assert naive < 0.9
    assert covered > 0.9


def tables():
    learners = [(centroid, 100, 10_000), (centroid, 400, 2000), (nearest, 100, 2000), (nearest, 300, 500)]
    columns = [sizes(learner, n, count) for learner, n, count in learners]
    heads = [f"{'centroid' if a is centroid else '1-NN'} n={n} ({c:,})" for a, n, c in learners]
    print("| procedure |", " | ".join(heads), "|\n|", "--- |" * (1 + len(heads)))
    for name in columns[0]:
        print(f"| {name} |", " | ".join(f"{each[name]:.3f}" for each in columns), "|", flush=True)
    for k in (2, 5):
        cells = [(n, noise) for n in (6, 12, 30) for noise in NOISE]
        columns = [sizes_over_data_sets(n, k, noise, 5000 if k == 2 else 1000) for n, noise in cells]
        heads = [f"n={n}, {noise}" for n, noise in cells]
        print(f"\n| {k} models |", " | ".join(heads), "|\n|", "--- |" * (1 + len(heads)))
        for name in columns[0]:
            print(f"| {name} |", " | ".join(f"{each[name]:.3f}" for each in columns), "|", flush=True)
    print(
        "\n| cases, models, spread, shared | observed bias | corrected bias | naive cover | corrected cover |"
    )
    print("| --- | --- | --- | --- | --- |")
    for case in BEST:
        found = best_table(*case, 500)
        print(f"| {case} | {found[0]:.4f} | {found[1]:.4f} | {found[2]:.3f} | {found[3]:.3f} |", flush=True)


if __name__ == "__main__":
    sys.exit(tables())
