"""How often a model is said to win a range of costs against one that is as good.

`PYTHONPATH=src python tests/simulations/test_ranges_of_costs.py` prints the table of docs/decide.md.
"""

import numpy as np
import pytest

from classay.decision.cost_curves import FOLDS, GRID, TRIVIAL, honest_ranges

SETS = 400
LEVEL = 0.95
ERROR = 3 * np.sqrt(LEVEL * (1 - LEVEL) / SETS)
"""Three standard errors of a share of 5%."""
POPULATIONS = {
    "200 cases, 30% positive": (200, 0.3, 1.5, 0.0, 1),
    "1,000 cases, 5% positive": (1000, 0.05, 1.5, 0.0, 1),
    "400 cases, scores correlated by 0.9": (400, 0.3, 1.5, 0.9, 1),
    "400 cases in clusters of 5": (400, 0.3, 1.5, 0.0, 5),
    "160 cases in 4 clusters": (160, 0.5, 1.5, 0.0, 40),
    "240 cases in 6 clusters": (240, 0.5, 1.5, 0.0, 40),
    "400 cases in 10 clusters": (400, 0.5, 1.5, 0.0, 40),
    "400 cases, three models": (400, 0.3, 1.5, 0.5, 1),
    "400 cases, no signal": (400, 0.3, 0.0, 0.0, 1),
}
"""Cases, share of positives, distance of the classes, correlation of the models' scores, size of clusters."""


def drawn(name, seed):
    """Truth, the scores of equally good models, and the cluster of each case."""
    n, share, apart, alike, size = POPULATIONS[name]
    rng = np.random.default_rng([11, seed])
    of = np.arange(n) // size
    positive = rng.random(n) < share

    def noise():
        own = rng.normal(size=n)
        return own if size == 1 else np.sqrt(0.5) * (own + rng.normal(size=of.max() + 1)[of])

    shared = noise()
    models = ["a", "b", "c"] if "three" in name else ["a", "b"]
    scores = {
        each: apart * positive + np.sqrt(alike) * shared + np.sqrt(1 - alike) * noise() for each in models
    }
    return positive, scores, of


def simulated(name, sets=SETS):
    """Shares of data sets in which a model wins any range, and at a probability cost of 0.5; all wins are false.

    Where scores know nothing, no model may win against the trivial rule.
    """
    x = np.linspace(0, 1, GRID)
    found = []
    for seed in range(sets):
        positive, scores, units = drawn(name, seed)
        fold = np.random.default_rng(seed).permutation(np.arange(units.max() + 1) % FOLDS)[units]
        ranges, _ = honest_ranges(x, scores, positive, np.ones(positive.size), units, fold, LEVEL, seed)
        won = [each for each in ranges if each.wins and each.best != TRIVIAL]
        found.append((bool(won), any(each.low <= 0.5 <= each.high for each in won)))
    return dict(zip(("any range", "at 0.5"), np.mean(found, axis=0).tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", POPULATIONS)
def test_equal_models_seldom_win(name):
    assert simulated(name)["any range"] <= 1 - LEVEL + ERROR


if __name__ == "__main__":
    for each in POPULATIONS:
        print(each, simulated(each), flush=True)
