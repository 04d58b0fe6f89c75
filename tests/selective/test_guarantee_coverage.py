"""Simulations: how often a guarantee is broken, at most 5%, and how much it decides.

python tests/selective/test_guarantee_coverage.py [RUNS]    # prints a table
"""

import math
import sys

import numpy as np
import pytest

from classay.selective.ranked import RankedCases
from classay.selective.rules import promised

RISK, DELTA = 0.1, 0.05


def flat(place):
    """A risk at the bound everywhere."""
    return np.full(place.shape, 0.1001)


def zigzag(place):
    """A risk that rises and falls about a rising line."""
    return np.clip(0.05 + 0.15 * place + 0.05 * np.sin(12 * place), 0, 1)


def rising(place):
    """A risk from 2% to 50%."""
    return 0.02 + 0.48 * place**2


def several(place):
    """The risk of the top probability of three classes that is well calibrated down to one half."""
    return 0.01 + 0.49 * place


def few_values(place):
    """A rising risk with five values of confidence."""
    return rising(np.floor(place * 5) / 5 + 0.1)


POPULATIONS = {
    "flat": flat,
    "zigzag": zigzag,
    "rising": rising,
    "several": several,
    "five values": few_values,
}


def risk_to(risk, least):
    """The true risk of the cases of at most a place."""
    grid = (np.arange(20_000) + 0.5) / 20_000
    within = grid <= least
    return float(risk(grid[within]).mean()) if within.any() else 0.0


def one(rng, risk, cases, *, few=False):
    place = rng.random(cases)
    if few:
        place = np.floor(place * 5) / 5 + 0.1
    wrong = rng.random(cases) < (rising(place) if few else risk(place))
    found = RankedCases.of_rows(-place, wrong)
    at = promised(found, RISK, DELTA).place
    if at is None:
        return 0.0, False
    least = -found.confidence[at] + (0.1 if few else 0.0)
    return found.covered[at] / cases, risk_to(risk, least) > RISK


def one_of_clusters(rng, number, share):
    """Clusters of one to six cases; the errors of a cluster have a correlation of one half."""
    sizes = rng.integers(1, 7, number)
    cluster = np.repeat(np.arange(number), sizes)
    # a case has the error of its cluster with probability sqrt(1/2), so that two agree with 1/2
    common = (rng.random(number) < share)[cluster]
    wrong = np.where(rng.random(cluster.size) < math.sqrt(0.5), common, rng.random(cluster.size) < share)
    found = RankedCases.of_rows(rng.random(cluster.size), wrong, cluster)
    at = promised(found, RISK, DELTA).place
    return (0.0, False) if at is None else (found.covered[at] / cluster.size, share > RISK)


def rates(draw, runs, seed=0):
    """The mean coverage, the share of samples that decide, and the share of broken guarantees."""
    rng = np.random.default_rng(seed)
    results = np.array([draw(rng) for _ in range(runs)])
    return results[:, 0].mean(), (results[:, 0] > 0).mean(), results[:, 1].mean()


def bound(runs):
    return DELTA + 2 * math.sqrt(DELTA * (1 - DELTA) / runs)


@pytest.mark.slow
@pytest.mark.parametrize("cases", [300, 1000])
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_guarantee_holds(name, cases):
    risk = POPULATIONS[name]
    coverage, decides, broken = rates(lambda rng: one(rng, risk, cases, few=name == "five values"), 4_000)
    assert broken <= bound(4_000)
    if name in ("rising", "five values") and cases == 1000:
        assert decides > 0.9
        assert coverage > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("number", [60, 150, 400])
def test_the_guarantee_holds_for_clusters(number):
    assert rates(lambda rng: one_of_clusters(rng, number, 0.1001), 2_000)[2] <= bound(2_000) + 0.01


@pytest.mark.slow
def test_clusters_decide():
    coverage, decides, _ = rates(lambda rng: one_of_clusters(rng, 400, 0.05), 500)
    assert decides > 0.8
    assert coverage > 0.8


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000
    print("population, cases: coverage, decides, broken")
    for name, risk in POPULATIONS.items():
        for cases in (100, 300, 1000):
            found = rates(lambda rng, r=risk, n=cases, f=name == "five values": one(rng, r, n, few=f), runs)
            print(f"{name}, {cases}: {found[0]:.3f} {found[1]:.3f} {found[2]:.4f}")
    for share in (0.1001, 0.05):
        for number in (60, 150, 400):
            found = rates(lambda rng, k=number, s=share: one_of_clusters(rng, k, s), runs)
            print(f"clusters at {share}, {number}: {found[0]:.3f} {found[1]:.3f} {found[2]:.4f}")
