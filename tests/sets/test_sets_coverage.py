"""Coverage of the intervals of prediction sets, and the size of the test of what calibration promises.

python tests/sets/test_sets_coverage.py [RUNS]    # prints all, 4,000 samples in minutes
"""

import sys

import numpy as np
import pytest

from classay.columns.labels import Labels
from classay.inference.proportions import clopper_pearson
from classay.sets.conformal import promise_p, rank_of
from classay.sets.set_assessment import SetAssessment
from classay.sets.table import SetTable

FAMILIES = ((5, 100, (0.85, 0.95)), (10, 40, (0.95, 0.95)), (20, 50, (0.8, 0.95)), (12, 40, (0.95, 0.95)))
"""Groups, cases of each, and the lowest and highest true coverage."""
PROMISES = ((200, 500), (1000, 1000), (100, 2000))
"""Calibration and test cases."""


def assessed(covered, group):
    """An assessment of sets of one label, covered or not, in groups."""
    columns = (np.zeros_like(group), np.ones_like(group), covered, group)
    return SetAssessment(SetTable.of_rows(Labels((0, 1)), (*range(group.max() + 1),), columns), 0.95)


def family(groups, cases, ends, runs):
    """How often all joint limits of groups hold, and the limits of the least covered one."""
    truth = np.linspace(*ends, groups)
    together, least = [], []
    for run in range(runs):
        rng = np.random.default_rng(run)
        group = np.repeat(np.arange(groups), cases)
        a = assessed((rng.random(group.size) < truth[group]).astype(int), group)
        limits = [row.coverage for row in a.by_group]
        together.append(all(one.low <= share <= one.high for one, share in zip(limits, truth, strict=True)))
        worst = a["least_covered_group"]
        least.append(worst.low <= truth.min() <= worst.high)
    return float(np.mean(together)), float(np.mean(least))


SHARES_OF_SIZES = {
    "few large": {0: 0.02, 1: 0.6, 2: 0.25, 3: 0.1, 4: 0.03},
    "3% of size 8": {0: 0.02, 1: 0.6, 2: 0.25, 3: 0.1, 8: 0.03},
}
"""Shares of sets by size. Of 50 cases with few very large sets, a sample may hold none of them: 91% there."""


def mean_size(population, cases, runs):
    """How often the interval of the mean size holds the true one."""
    of_size = SHARES_OF_SIZES[population]
    sizes, shares = np.array([*of_size]), np.array([*of_size.values()])
    hits = []
    for run in range(runs):
        size = np.random.default_rng(run).choice(sizes, cases, p=shares)
        columns = (np.zeros(cases, int), size, (size > 0).astype(int), np.full(cases, -1))
        found = SetAssessment(SetTable.of_rows(Labels(range(9)), None, columns), 0.95)["mean_size"]
        hits.append(found.low <= float(sizes @ shares) <= found.high)
    return float(np.mean(hits))


def rejected(calibration, cases, runs, target=0.9):
    """How often the test rejects thresholds that keep their promise."""
    rng, rank = np.random.default_rng(0), rank_of(calibration, target)
    covered = rng.binomial(cases, rng.beta(rank, calibration + 1 - rank, runs))
    p = {x: promise_p(int(x), cases, calibration, target) for x in np.unique(covered)}
    return float(np.mean([p[x] <= 0.05 for x in covered]))


def test_joint_limits_are_vectors_of_the_single_ones():
    low, high = clopper_pearson(np.array([5, 9]), np.array([10, 10]), 0.975)
    one = clopper_pearson(9, 10, 0.975)
    assert (low[1], high[1]) == pytest.approx(one)


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "cases", "ends"), FAMILIES)
def test_joint_limits_hold_together(groups, cases, ends):
    together, least = family(groups, cases, ends, 600)
    assert together > 0.93
    assert least > 0.93


@pytest.mark.slow
@pytest.mark.parametrize(
    ("population", "cases"), [("few large", 50), ("few large", 200), ("3% of size 8", 200)]
)
def test_the_mean_size_is_held(population, cases):
    assert mean_size(population, cases, 800) > 0.92


@pytest.mark.slow
@pytest.mark.parametrize(("calibration", "cases"), PROMISES)
def test_a_kept_promise_is_rejected_as_often_as_said(calibration, cases):
    assert 0.035 < rejected(calibration, cases, 4000) < 0.062


def main(runs):
    for groups, cases, ends in FAMILIES:
        together, least = family(groups, cases, ends, runs)
        print(
            f"{groups} groups of {cases}, {ends}: together {100 * together:.1f}, least {100 * least:.1f}",
            flush=True,
        )
    for population in SHARES_OF_SIZES:
        for cases in (50, 200):
            print(f"{population}, {cases} cases: {100 * mean_size(population, cases, runs):.1f}", flush=True)
    for calibration, cases in PROMISES:
        print(
            f"promise, {calibration} and {cases}: rejected {100 * rejected(calibration, cases, runs):.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
