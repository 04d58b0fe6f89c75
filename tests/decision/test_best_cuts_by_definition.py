"""The threshold of a rule with a condition, against all thresholds, tried one after the other."""

import numpy as np
import pytest

import classay as ca


def tried(y, p, threshold):
    called = p >= threshold
    tp, fp = (called & (y == 1)).sum(), (called & (y == 0)).sum()
    return {
        "recall": tp / (y == 1).sum(),
        "fpr": fp / (y == 0).sum(),
        "cost": (fp + 4 * ((y == 1).sum() - tp)) / y.size,
    }


@pytest.mark.parametrize("seed", range(3))
def test_the_best_threshold_is_the_best_of_those_that_meet_the_condition(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(80) % 2
    p = np.clip(0.3 + 0.3 * y + 0.3 * rng.normal(size=80), 0.01, 0.99).round(2)
    every = [tried(y, p, threshold) for threshold in (*np.unique(p), np.inf)]
    a = ca.assess(y, p)
    rules = {
        "cost": ({"cost": {"fp": 1, "fn": 4}, "where": "fpr <= 0.4"}, "fpr", 1, min),
        "recall": ({"maximize": "recall", "where": "fpr <= 0.3"}, "fpr", 1, max),
        "fpr": ({"minimize": "fpr", "where": "recall >= 0.7"}, "recall", -1, min),
    }
    for name, (rule, limited, side, best) in rules.items():
        limit = float(rule["where"].split()[-1])
        found = tried(y, p, a.threshold(**rule).threshold.value)
        kept = [each for each in every if side * (each[limited] - limit) <= 1e-12]
        assert found[name] == pytest.approx(best(each[name] for each in kept))
        assert side * (found[limited] - limit) <= 1e-12
