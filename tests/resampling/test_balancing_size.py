"""How often balancing is said to help where it has no effect.

`PYTHONPATH=src:tests/support python tests/resampling/test_balancing_size.py` prints the table of docs/evaluate.md.
"""

import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import classay as ca
from classay.measures import get
from learners import noise

SETS = 400
LEVEL = 0.95
SIGNIFICANT = 1 - LEVEL
ERROR = 3 * np.sqrt(SIGNIFICANT * LEVEL)
"""Three standard errors of a share of 5%, times the root of the number of data sets."""

SIGNAL = {"noise": 0.0, "equal": 1.4}
"""How far the classes are apart: nothing to learn, so that no balance ranks or labels better; or equal classes."""
SHARES = {"noise": (0.85, 0.15), "equal": (0.5, 0.5)}
UNAFFECTED = {
    "noise": ("roc_auc", "average_precision", "balanced_accuracy"),
    "equal": ("roc_auc", "average_precision", "balanced_accuracy", "brier_score"),
}
"""What balancing cannot improve there."""
LEARNERS = {"bayes": GaussianNB(), "logistic": LogisticRegression()}
RUNS = [
    ("noise", "bayes", "upsample", "5fold"),
    ("noise", "bayes", "downsample", "2x5"),
    ("noise", "logistic", "weights", "5fold"),
    ("equal", "logistic", "upsample", "5fold"),
    ("equal", "bayes", "downsample", "5fold"),
]


def helps(found):
    """Whether the paired test says that balancing improves a measure: p under 5%, in its good direction."""
    sign = 1 if get(found.measure).best == 1 else -1
    return bool(found.p < SIGNIFICANT and sign * found.effect.value > 0)


def simulated(population, learner, method, protocol, sets=SETS):
    """Shares of data sets in which balancing is said to help a measure, and to help any of them, adjusted."""
    names = UNAFFECTED[population]
    found = np.zeros((sets, len(names) + 1), bool)
    for seed in range(sets):
        X, y = noise(200, seed=1000 + seed, shares=SHARES[population], signal=SIGNAL[population])
        e = ca.evaluate(LEARNERS[learner], X, y, protocol=protocol, balance=method, measures=names, seed=seed)
        balancing = e.balancing
        found[seed, :-1] = [helps(balancing[name]) for name in names]
        found[seed, -1] = any(
            balancing[name].p_adjusted < SIGNIFICANT and helps(balancing[name]) for name in names
        )
    return dict(zip((*names, "any, adjusted"), found.mean(0).tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS, ids=" ".join)
def test_balancing_without_effect_seldom_helps(run):
    for name, share in simulated(*run).items():
        assert share <= SIGNIFICANT + ERROR / np.sqrt(SETS), (name, share)


if __name__ == "__main__":
    for each in RUNS:
        if not sys.argv[1:] or each[0] in sys.argv[1:]:
            print(*each, simulated(*each), flush=True)
