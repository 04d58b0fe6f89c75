"""Simulations: what intervals of decisions cover, and how far the apparent value flatters.

`PYTHONPATH=src:tests/support python tests/simulations/test_decision_coverage.py` prints the table of
docs/evidence/decisions.md.
"""

import sys

import numpy as np
import pytest
from bench.honesty.decided import POPULATIONS

import classay as ca

SETS = 150


NAMES = (
    "over_none",
    "over_all",
    "apparent_over_none",
    "apparent_over_all",
    "honest",
    "apparent",
    "threshold",
    "as_good",
    "apparent_mean",
    "honest_mean",
    "true_mean",
)


def covers(found, true):
    """Whether an interval holds a value; NaN where there is no interval."""
    return found.low <= true <= found.high if found.has_interval else np.nan


def simulated(name, sets=SETS):
    """Shares of data sets whose intervals cover, and mean apparent, honest and true cost of the chosen threshold.

    The savings over calling nobody, and everybody, are those of the chosen threshold in the population.
    """
    population = POPULATIONS[name]
    cost, best = population.truth()
    rows = []
    for seed in range(sets):
        y, score, amount, cluster = population.draw(np.random.default_rng([7, seed]))
        more = {"amounts": {"amount": amount}} if population.costs.names else {}
        if population.cluster > 1:
            more["cluster"] = cluster
        a = ca.assess(y, score, **more)
        d = a.threshold(cost=population.costs)
        if d.calls_nobody:
            continue
        true = cost(d.threshold.value)
        low, high = d.as_good
        saved = {"saving_over_none": cost(np.inf) - true, "saving_over_all": cost(-np.inf) - true}
        rows.append(
            (
                *(covers(getattr(d.expected.cost, name), each) for name, each in saved.items()),
                *(covers(getattr(d.cost, name), each) for name, each in saved.items()),
                covers(d.expected.objective, true),
                covers(d.apparent, true),
                covers(d.threshold, best),
                low <= best <= high,
                d.apparent.value,
                d.expected.objective.value,
                true,
            )
        )
    return dict(
        zip(
            NAMES,
            np.nanmean(rows, axis=0).round(4).tolist(),
            strict=True,
        )
    ) | {"sets": len(rows)}


@pytest.mark.slow
@pytest.mark.parametrize("name", POPULATIONS)
def test_coverage(name):
    found = simulated(name, 150)
    # 150 data sets tell 95% from 88%
    assert found["honest"] >= 0.88, found
    assert min(found["threshold"], found["as_good"]) >= 0.9, found
    assert min(found["over_none"], found["over_all"]) >= 0.88, found
    optimism = found["true_mean"] - found["apparent_mean"]
    assert optimism > 0, found
    assert abs(found["honest_mean"] - found["true_mean"]) < optimism, found


if __name__ == "__main__":
    for each in sys.argv[1:] or POPULATIONS:
        print(each, simulated(each), flush=True)


@pytest.mark.slow
@pytest.mark.parametrize("cases", [80, 400])
def test_other_measures_of_new_cases_hold_the_truth(cases):
    """Of the chosen threshold, in the population, where Youden's index is the objective: 93 to 97% of 300 sets."""
    from scipy.stats import norm

    held = []
    for seed in range(300):
        rng = np.random.default_rng([9, seed])
        truth = rng.random(cases) < 0.3
        x = rng.normal(size=cases) + 1.2 * truth
        d = ca.assess(truth, 1 / (1 + np.exp(-x)), positive=True).threshold(maximize="youden")
        at = np.clip(d.threshold.value, 1e-12, 1 - 1e-12)
        cut = np.log(at / (1 - at))
        true = {"recall": norm.sf(cut - 1.2), "specificity": norm.cdf(cut)}
        held.append([covers(d.expected.measures[name], each) for name, each in true.items()])
    shares = np.nanmean(held, axis=0)
    assert ((shares > 0.91) & (shares < 0.99)).all(), shares
