"""Coverage of the intervals of prediction sets, and the size of the test of what calibration promises.

python -m tests.sets.test_sets_coverage [SAMPLES]    # writes docs/evidence/sets.md, 4,000 samples in 2 minutes
"""

import sys
import time

import numpy as np
import pytest
from scipy.special import bdtr, stdtrit
from tests.support.evidence import coverage_cell, error_of, marked, table, write_page

import classay as ca
from classay.columns.labels import Labels
from classay.inference.proportions import clopper_pearson, wilson
from classay.sets.conformal import promise_p, rank_of
from classay.sets.set_assessment import SetAssessment
from classay.sets.table import SetTable

FAMILIES = (
    *((5, 100, (0.85, 0.95)), (10, 40, (0.95, 0.95)), (20, 50, (0.8, 0.95)), (12, 40, (0.95, 0.95))),
    *((3, 200, (0.7, 0.99)), (8, 25, (0.9, 0.9))),
)
"""Groups, cases of each, and the lowest and highest true coverage; the last two were drawn after the methods."""
PROMISES = ((200, 500), (1000, 1000), (100, 2000))
"""Calibration and test cases."""


def assessed(covered, group):
    """An assessment of sets of one label, covered or not, in groups."""
    columns = (np.zeros_like(group), np.ones_like(group), covered, group)
    return SetAssessment(SetTable.of_rows(Labels((0, 1)), (*range(group.max() + 1),), columns), 0.95)


def family(groups, cases, ends, runs):
    """Which samples have all joint limits of groups right, and the limits of the least covered one."""
    truth = np.linspace(*ends, groups)
    together, least, seen = [], [], []
    for run in range(runs):
        rng = np.random.default_rng(run)
        group = np.repeat(np.arange(groups), cases)
        covered = (rng.random(group.size) < truth[group]).astype(int)
        a = assessed(covered, group)
        limits = [row.coverage for row in a.by_group]
        together.append(all(one.low <= share <= one.high for one, share in zip(limits, truth, strict=True)))
        least.append((a["least_covered_group"].low, a["least_covered_group"].high))
        seen.append(np.bincount(group, covered))
    return np.array(together), np.array(least), np.array(seen)


SHARES_OF_SIZES = {
    "few large": {0: 0.02, 1: 0.6, 2: 0.25, 3: 0.1, 4: 0.03},
    "3% of size 8": {0: 0.02, 1: 0.6, 2: 0.25, 3: 0.1, 8: 0.03},
}
"""Shares of sets by size. Of 50 cases with few very large sets, a sample may hold none of them: 91% there."""


def mean_size(population, cases, runs):
    """The limits of the mean size, by classay and by Student's t, and the true one."""
    of_size = SHARES_OF_SIZES[population]
    sizes, shares = np.array([*of_size]), np.array([*of_size.values()])
    found = []
    for run in range(runs):
        size = np.random.default_rng(run).choice(sizes, cases, p=shares)
        columns = (np.zeros(cases, int), size, (size > 0).astype(int), np.full(cases, -1))
        mean = SetAssessment(SetTable.of_rows(Labels(range(9)), None, columns), 0.95)["mean_size"]
        half = stdtrit(cases - 1, 0.975) * size.std(ddof=1) / np.sqrt(cases)
        found.append([(mean.low, mean.high), (size.mean() - half, size.mean() + half)])
    return np.array(found), float(sizes @ shares)


OF_TWO = {"alike": (0.9, 0.9, 0.0), "smaller and worse": (0.92, 0.87, 0.4), "near 1": (0.99, 0.97, 1.0)}
"""The coverage of two methods, and by how many labels the sets of the first are larger on average."""


def of_two(population, cases, runs):
    """The limits of the paired differences of size and of coverage, and of coverage as if the cases were others."""
    first, second, larger = OF_TWO[population]
    found = []
    for run in range(runs):
        rng = np.random.default_rng(run)
        hard = rng.random(cases)
        covered = [hard < first, np.where(rng.random(cases) < 0.8, hard, rng.random(cases)) < second]
        size = 1 + rng.poisson(1 + hard, cases)
        sets = [np.zeros((cases, 9), bool) for _ in covered]
        for matrix, hit, more in zip(sets, covered, (rng.random(cases) < larger, 0), strict=True):
            matrix[np.arange(9) < np.clip(size + more, 1, 8)[:, None]] = (
                True  # the true label is the first or last
            )
            matrix[:, 8], matrix[:, 0] = hit, matrix[:, 0] & ~hit
        found.append([*_differences(sets, covered, cases)])
    return np.array(found), first - second


def _differences(sets, covered, cases):
    c = ca.compare_sets(np.full(cases, 8), dict(zip("ab", sets, strict=True)), labels=range(9))
    yield c.coverage_difference.low, c.coverage_difference.high
    p, q = (hit.mean() for hit in covered)
    half = 1.959964 * np.sqrt((p * (1 - p) + q * (1 - q)) / cases)
    yield p - q - half, p - q + half


def rejected(calibration, cases, runs, target=0.9):
    """How often tests reject thresholds that keep their promise: the beta-binomial, and the binomial of the target."""
    rng, rank = np.random.default_rng(0), rank_of(calibration, target)
    covered = rng.binomial(cases, rng.beta(rank, calibration + 1 - rank, runs))
    seen, times = np.unique(covered, return_counts=True)
    p = np.array([promise_p(int(x), cases, calibration, target) for x in seen])
    binomial = 2 * np.minimum(bdtr(seen, cases, target), 1 - bdtr(seen - 1, cases, target))
    return float(times[p <= 0.05].sum() / runs), float(times[binomial <= 0.05].sum() / runs)


def test_joint_limits_are_vectors_of_the_single_ones():
    low, high = clopper_pearson(np.array([5, 9]), np.array([10, 10]), 0.975)
    one = clopper_pearson(9, 10, 0.975)
    assert (low[1], high[1]) == pytest.approx(one)


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "cases", "ends"), FAMILIES)
def test_joint_limits_hold_together(groups, cases, ends):
    together, least, _ = family(groups, cases, ends, 600)
    assert together.mean() > 0.93
    assert ((least[:, 0] <= ends[0]) & (ends[0] <= least[:, 1])).mean() > 0.93


@pytest.mark.slow
@pytest.mark.parametrize(
    ("population", "cases"), [("few large", 50), ("few large", 200), ("3% of size 8", 200)]
)
def test_the_mean_size_is_held(population, cases):
    found, true = mean_size(population, cases, 800)
    assert ((found[:, 0, 0] <= true) & (true <= found[:, 0, 1])).mean() > 0.92


@pytest.mark.slow
@pytest.mark.parametrize("population", OF_TWO)
def test_the_difference_of_coverage_is_held(population):
    found, true = of_two(population, 200, 300)
    assert ((found[:, 0, 0] <= true) & (true <= found[:, 0, 1])).mean() > 0.92


@pytest.mark.slow
@pytest.mark.parametrize(("calibration", "cases"), PROMISES)
def test_a_kept_promise_is_rejected_as_often_as_said(calibration, cases):
    assert 0.035 < rejected(calibration, cases, 4000)[0] < 0.062


HEAD = """# Evidence: prediction sets

The coverage of the limits of prediction sets, and the type I error of the test of what calibration promises.

{samples:,} samples a setting. A cell gives the percentage of samples whose limits at a level of 95% contain the true
value (of all groups together: all limits), in brackets the percentages that end below it and start above it, and the
mean width. **✗** marks a cell below 93.5% by more than two Monte-Carlo errors ({error:.1f}), **?** one below it by
less. Clopper–Pearson and Wilson at 1/K of the error are Bonferroni limits. MAPIE, crepes and TorchCP report these
values without limits, so the rivals are the intervals that readers add.

Of {cells} cells of classay, {hold} are at least 93.5%. The lowest is {lowest:.1f}%. A sample of 50 cases may hold none
of the 3% of sets that are very large; then the mean size is too small.

The last two families of groups were drawn after the methods were fixed.
"""


def main(runs):
    since, sections, covers, error = time.process_time(), {}, [], error_of(runs)

    def together(held, **marks):
        percent = 100 * held.mean()
        if marks:
            covers.append(percent)
        return marked(f"{percent:.1f}", percent, error)

    of_all, of_least = [], []
    for groups, cases, ends in FAMILIES:
        held, least, seen = family(groups, cases, ends, runs)
        truth, level = np.linspace(*ends, groups), {"Bonferroni": 1 - 0.05 / groups, "each": 0.95}
        limits = {name: wilson(seen.astype(float), float(cases), level[name]) for name in level}
        name = f"{groups} groups of {cases}, coverage {ends[0]:g} to {ends[1]:g}"
        others = [together(((low <= truth) & (truth <= high)).all(1)) for low, high in limits.values()]
        of_all.append((name, together(held, ours=True), *others))
        text, percent = coverage_cell(*least.T, ends[0])
        covers.append(percent)
        worst = wilson(seen.min(1).astype(float), float(cases), 0.95)
        of_least.append((name, text, coverage_cell(*worst, ends[0])[0]))
        print(*of_all[-1], *of_least[-1], flush=True)
    heads = ("setting", "classay", "Wilson at 1/K of the error", "Wilson, each alone")
    sections["All groups together"] = table(heads, of_all)
    sections["The least covered group"] = table(("setting", "classay", "Wilson of the least"), of_least)
    rows = []
    for population in SHARES_OF_SIZES:
        for cases in (50, 200):
            found, true = mean_size(population, cases, runs)
            (text, percent), (other, _) = (coverage_cell(*found[:, at].T, true) for at in (0, 1))
            covers.append(percent)
            rows.append((f"{population}, {cases} cases", text, other))
            print(*rows[-1], flush=True)
    sections["Mean size"] = table(("setting", "classay", "Student's t"), rows)
    rows = []
    for population in OF_TWO:
        for cases in (100, 400):
            found, true = of_two(population, cases, runs)
            (text, percent), (other, _) = (coverage_cell(*found[:, at].T, true) for at in (0, 1))
            covers.append(percent)
            rows.append((f"{population}, {cases} cases", text, other))
            print(*rows[-1], flush=True)
    heads = ("setting", "classay", "as if the cases were others")
    sections["Difference in coverage of two methods"] = table(heads, rows)
    rows = []
    for calibration, cases in PROMISES:
        errors = [f"{100 * share:.1f}" for share in rejected(calibration, cases, runs)]
        rows.append((f"{calibration} calibration cases, {cases} cases", *errors))
    heads = ("setting", "classay: beta-binomial", "binomial test of the target")
    sections["Type I error of the test of the promise, in percent"] = table(heads, rows)
    hold = sum(value >= 93.5 for value in covers)
    head = HEAD.format(samples=runs, error=error, cells=len(covers), hold=hold, lowest=min(covers))
    write_page("sets", head, sections, "tests.sets.test_sets_coverage", since)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
