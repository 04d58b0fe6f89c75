"""Few units decide: clusters of unequal size, and classes that few cases or clusters hold.

python tests/simulations/test_few_units.py [RUNS]    # prints coverage and how often equal models differ
"""

import sys

import numpy as np
import pytest

import classay as ca

SIZES = {
    "30 of 6": np.full(30, 6),
    "16, one of 60 and 15 of 4": np.r_[60, np.full(15, 4)],
    "20 of 3 to 48": np.linspace(3, 48, 20).round().astype(int),
}
SHARE = 0.7
RARE = {  # classes, clusters and their size (0: cases alone), one weight other than the others
    "4 classes, the rarest 1% of 400": ([0.7, 0.2, 0.09, 0.01], 400, 0, 0.0),
    "15% positive, 20 clusters of one truth": ([0.85, 0.15], 20, 5, 0.0),
    "12 clusters of one truth, 4 classes": ([0.25] * 4, 12, 8, 0.0),
    "8% positive of 100, weights": ([0.92, 0.08], 100, 0, 0.001),
}
MEASURES = ("balanced_accuracy", "macro_f1")


def coverage(sizes, runs, together=0.1):
    """How often the interval of accuracy holds the truth; `together` is the correlation within clusters."""
    hits = []
    cluster = np.repeat(np.arange(sizes.size), sizes)
    for run in range(runs):
        rng = np.random.default_rng(run)
        by = (1 - together) / together
        right = rng.random(cluster.size) < rng.beta(SHARE * by, (1 - SHARE) * by, sizes.size)[cluster]
        truth = rng.integers(0, 2, cluster.size)
        found = ca.assess(truth, y_pred=np.where(right, truth, 1 - truth), cluster=cluster)["accuracy"]
        hits.append(found.low <= SHARE <= found.high)
    return float(np.mean(hits))


def errors(shares, units, size, uneven, runs):
    """The share of samples in which models that are equally good differ at 5%, by measure."""
    found = {name: [] for name in MEASURES}
    k = len(shares)
    for run in range(runs):
        rng = np.random.default_rng(run)
        truth = np.repeat(rng.choice(k, units, p=shares), max(size, 1))
        if np.unique(truth).size < 2:
            continue
        models = {
            name: np.where(rng.random(truth.size) < 0.8, truth, (truth + rng.integers(1, k, truth.size)) % k)
            for name in "ab"
        }
        more = {"cluster": np.repeat(np.arange(units), size)} if size else {}
        if uneven:
            more["weight"] = np.append(np.ones(truth.size - 1), 1 + uneven)
        for one in ca.compare(y_true=truth, y_pred=models, measures=MEASURES, **more):
            if not np.isnan(one.p):
                found[one.measure].append(one.p < 0.05)
    return {name: float(np.mean(each)) for name, each in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SIZES)
def test_intervals_hold_in_clusters_of_unequal_size(kind):
    assert coverage(SIZES[kind], 400) > 0.915


def calibration(clusters, size, together, runs, power=1.0):
    """How often calibration errors hold the truth; so many cases of a cluster are copies of its first, by share."""
    rng = np.random.default_rng(999)
    p = rng.beta(1.5, 2, 2_000_000)
    place = np.minimum(np.ceil(p * 15).astype(int) - 1, 14)
    held = np.bincount(place, minlength=15)
    gap = np.abs(np.bincount(place, p**power, 15) - np.bincount(place, p, 15)) / held
    share = held / held.sum()
    truths = {
        "expected_calibration_error": (share * gap).sum(),
        "root_mean_squared_calibration_error": (share * gap**2).sum() ** 0.5,
        "maximum_calibration_error": gap.max(),
    }
    held_by = {name: [] for name in truths}
    for run in range(runs):
        rng = np.random.default_rng(run)
        copy = rng.random((clusters, size)) < together
        p, chance = rng.beta(1.5, 2, (clusters, size)), rng.random((clusters, size))
        p, chance = (np.where(copy, each[:, :1], each) for each in (p, chance))
        a = ca.assess((chance < p**power).ravel(), p.ravel(), cluster=np.repeat(np.arange(clusters), size))
        for name, truth in truths.items():
            held_by[name].append(a[name].low - 1e-9 <= truth <= a[name].high + 1e-9)
    return {name: float(np.mean(each)) for name, each in held_by.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("clusters", "size"), [(20, 5), (40, 3), (60, 10)])
@pytest.mark.parametrize("together", [0.0, 0.7, 1.0])
def test_calibration_errors_hold_in_clusters_that_are_alike(clusters, size, together):
    for name, share in calibration(clusters, size, together, 200).items():
        assert share > 0.89, (
            name
        )  # 5 to 86% where no bin of few cases borrows the design effect of the others


@pytest.mark.slow
@pytest.mark.parametrize("kind", RARE)
def test_equal_models_seldom_differ_where_few_units_decide(kind):
    for name, share in errors(*RARE[kind], 250).items():
        assert share < 0.13, name  # 7 to 11% where a class lies in two or three clusters, 14 to 26% before


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    for kind, sizes in SIZES.items():
        print(kind, {each: round(coverage(sizes, runs, each), 3) for each in (0.02, 0.1, 0.4)})
    for kind, how in RARE.items():
        print(kind, {name: round(each, 3) for name, each in errors(*how, runs).items()})
