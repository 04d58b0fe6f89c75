"""Log-loss over folds with scores of exactly 0 or 1: the value, no interval, and why, as of one test set."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca

RNG = np.random.default_rng(0)
N = 48
Y = np.arange(N) % 3
X = np.c_[3 * Y + RNG.normal(0, 0.8, N)]
CLEAN = np.c_[5.0 * Y + RNG.uniform(-1, 1, N)]
WORDS = "exactly 0 or 1: the first wrong one makes the log-loss infinite"


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("protocol", ["3fold", "bootstrap:4", "loo", "holdout:0.4"])
def test_a_log_loss_over_folds_has_no_interval(classes, protocol):
    rows = classes > Y
    models = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
    e = ca.evaluate(models, CLEAN[rows], Y[rows], protocol=protocol, measures=["log_loss", "accuracy"])
    found = e["tree"]["log_loss"]
    assert np.isfinite(found.value)
    assert not found.has_interval
    assert WORDS in found.reason
    assert WORDS not in str(e["tree"]["accuracy"].reason)


def test_a_difference_of_log_losses_over_folds_has_neither_interval_nor_test():
    blurred = RNG.normal(0, 2, (N, 1))  # of which naive Bayes has no score at an end
    two = Y < 2
    e = ca.evaluate(
        {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()},
        np.c_[CLEAN, blurred][two] * [1, 0.3],
        Y[two],
        protocol="5fold",
        measures=["log_loss", "brier_score"],
    )
    one = e.compare(["log_loss"])[0]
    assert np.isfinite(one.effect.value)
    assert not one.effect.has_interval
    assert np.isnan(one.p)
    assert "of tree, " in one.reason
    assert WORDS in one.reason
    assert e.compare(["brier_score"])[0].reason is None or WORDS not in e.compare(["brier_score"])[0].reason
