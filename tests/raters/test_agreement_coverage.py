"""Coverage of agreement over cases, for these raters: rare categories, few cases, gaps, ordered labels.

python tests/raters/test_agreement_coverage.py [RUNS]    # prints the coverage of all, 2,000 samples in half an hour
"""

import sys
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array

from classay.raters import coefficients as of
from classay.raters.coefficients import CategoryCounts
from classay.raters.intervals import of_linear, over_cases

SIZES = ((20, 3), (50, 2), (50, 8), (100, 3), (200, 2))
"""Cases and raters."""
POPULATIONS = {  # shares of categories, share of labels that are not drawn at random, share of missing labels
    "3 even": ([1 / 3] * 3, 0.7, 0.0),
    "5 categories": ([0.2] * 5, 0.7, 0.0),
    "good": ([0.6, 0.4], 0.8, 0.0),
    ".9/.1": ([0.9, 0.1], 0.7, 0.0),
    ".97/.03": ([0.97, 0.03], 0.7, 0.0),
    ".85/.1/.05": ([0.85, 0.1, 0.05], 0.7, 0.0),
    "gaps": ([0.4, 0.3, 0.2, 0.1], 0.7, 0.3),
}
NOMINAL = {
    "krippendorff_alpha": of.nominal_alpha,
    "fleiss_kappa": of.fleiss_kappa,
    "gwet_ac1": of.gwet_ac1,
    "brennan_prediger": of.brennan_prediger,
}


def ordered(categories):
    """The coefficients of ordered labels."""
    values = np.arange(categories, dtype=float)
    return {
        "ordinal_alpha": of.ordinal_alpha,
        "interval_alpha": partial(of.interval_alpha, values=values),
        "gwet_ac2_linear": partial(of.gwet_ac2, values=values, power=1),
        "gwet_ac2_quadratic": partial(of.gwet_ac2, values=values, power=2),
    }


def sample(rng, cases, raters, population, *, near):
    """Ratings of cases by category; labels that miss are near the true one where categories are ordered."""
    shares, skill, missing = POPULATIONS[population]
    k = len(shares)
    true = rng.choice(k, (cases, 1), p=shares)
    other = np.clip(true + rng.integers(-1, 2, (cases, raters)), 0, k - 1) if near else None
    other = rng.choice(k, (cases, raters), p=shares) if other is None else other
    label = np.where(rng.random((cases, raters)) < skill, true, other)
    label[rng.random((cases, raters)) < missing] = -1
    counts = np.stack([(label == category).sum(1) for category in range(k)], 1).astype(float)
    patterns, times = np.unique(counts[counts.sum(1) > 0], axis=0, return_counts=True)
    return CategoryCounts.of(csr_array(patterns), times)


def estimate(table, name, function):
    if name.endswith("alpha"):
        return over_cases(table.rated_twice, function, 0.95, "unanimous")
    if name == "fleiss_kappa":
        return over_cases(table, function, 0.95, "unanimous")
    return of_linear(table, function, 0.95)


def coverage(population, cases, raters, coefficients, runs, *, near=False):
    """How often the interval of each coefficient holds that of very many cases, of those samples that have one."""
    big = sample(np.random.default_rng(10**6), 300_000, raters, population, near=near)
    truths = {name: function(big.rated_twice).value for name, function in coefficients.items()}
    hits = {name: [] for name in coefficients}
    for run in range(runs):
        table = sample(np.random.default_rng(run), cases, raters, population, near=near)
        for name, function in coefficients.items():
            found = estimate(table, name, function)
            if found.has_interval:
                hits[name].append(found.low <= truths[name] <= found.high)
    return {name: float(np.mean(covered)) for name, covered in hits.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "raters"), SIZES)
@pytest.mark.parametrize("population", POPULATIONS)
def test_intervals_of_agreement_hold(population, cases, raters):
    found = coverage(population, cases, raters, NOMINAL, 300)
    assert min(found.values()) > 0.91, found  # four Monte-Carlo errors of 300 samples below 95%


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "raters"), SIZES)
@pytest.mark.parametrize("population", ["5 categories", ".85/.1/.05", "gaps"])
def test_intervals_of_ordered_agreement_hold(population, cases, raters):
    found = coverage(population, cases, raters, ordered(len(POPULATIONS[population][0])), 300, near=True)
    assert min(found.values()) > 0.91, found


def main(runs):
    for population, (shares, *_) in POPULATIONS.items():
        for cases, raters in SIZES:
            found = coverage(population, cases, raters, NOMINAL, runs)
            found |= coverage(population, cases, raters, ordered(len(shares)), runs, near=True)
            print(
                population,
                f"{cases} x {raters}",
                {name: f"{100 * hit:.1f}" for name, hit in found.items()},
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
