"""Whether the posterior of the hierarchical test means what it says, where differences follow a model like its own.

The mean difference, the spread over data sets and the degrees of freedom of a population are drawn, then data sets,
then folds that share their training cases. Run as a script, it prints what is stated in docs/evidence/comparisons.md.
"""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from classay.resampling.compare_datasets import hierarchical
from classay.resampling.fold_tests import fold_differences

ROPE, FOLDS, RHO = 0.01, 10, 0.1
SIZES = (5,)
RUNS = 200


def one_population(rng, data_sets):
    """Folds of each data set, the true mean difference, and which of left, equal, right is the most probable."""
    centre, spread = rng.uniform(-0.06, 0.06), rng.uniform(0.005, 0.04)
    nu = rng.gamma(rng.uniform(0.5, 5), 1 / rng.uniform(0.05, 0.15))
    own = centre + spread * rng.standard_t(max(nu, 2.0), data_sets)
    sd = rng.uniform(0.01, 0.06, data_sets)
    shared, each = rng.normal(size=(data_sets, 1)), rng.normal(size=(data_sets, FOLDS))
    x = own[:, None] + sd[:, None] * (np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * each)
    folds = [fold_differences(row, np.zeros(FOLDS), test_over_train=1 / 9, models=("a", "b")) for row in x]
    left, right = (stats.t.cdf((-ROPE - sign * centre) / spread, max(nu, 2.0)) for sign in (1, -1))
    return folds, centre, int(np.argmax([left, 1 - left - right, right]))


@cache
def results(data_sets, runs=RUNS):
    """Of each population: the probabilities (left, equal, right), the true one, and the sides missed of the mean."""
    rng, found = np.random.default_rng(data_sets), []
    for seed in range(runs):
        folds, centre, true = one_population(rng, data_sets)
        made = hierarchical(folds, rope=ROPE, seed=seed)
        chances = made.odds.second, made.odds.equal, made.odds.first
        found.append((*chances, true, made.effect.high < centre, made.effect.low > centre))
    return np.array(found, float)


@pytest.mark.slow
@pytest.mark.parametrize("data_sets", SIZES)
def test_the_mean_difference_is_covered(data_sets):
    """200 populations: error 1.5 points at 95%."""
    below, above = results(data_sets)[:, 4:].mean(0)
    assert below + above < 0.05 + 0.046
    assert max(below, above) < 0.025 + 0.033


@pytest.mark.slow
@pytest.mark.parametrize("data_sets", SIZES)
def test_probabilities_are_as_often_right_as_they_say(data_sets):
    """The mean probability of the favoured outcome against how often it is the true one, within three errors."""
    found = results(data_sets)
    chances, true = found[:, :3], found[:, 3].astype(int)
    favoured, right = chances.max(1), chances.argmax(1) == true
    error = np.sqrt((favoured * (1 - favoured)).sum()) / favoured.size
    assert (
        abs(right.mean() - favoured.mean()) < 3 * error + 0.02
    )  # its priors are wider than these populations
    sure = favoured > 0.95
    assert sure.sum() > 20
    assert right[sure].mean() > 0.95 - 3 * np.sqrt(0.05 * 0.95 / sure.sum())


if __name__ == "__main__":
    for q in SIZES:
        found = results(q)
        chances, true = found[:, :3], found[:, 3].astype(int)
        favoured, right = chances.max(1), chances.argmax(1) == true
        below, above = 100 * found[:, 4:].mean(0)
        print(
            f"{q} data sets: mean covered {100 - below - above:.1f} ({below:.1f} / {above:.1f})", flush=True
        )
        for low, high in ((0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.01), (0, 1.01)):
            at = (favoured >= low) & (favoured < high)
            print(
                f"  P in [{low}, {high}): {at.sum()}, said {favoured[at].mean():.3f}, right {right[at].mean():.3f}"
            )
