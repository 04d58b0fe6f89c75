"""Log-loss over folds with scores of exactly 0 or 1: the value, no interval, and why, as of one test set."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca

RNG = np.random.default_rng(0)
N = 48
Y = np.arange(N) % 3
X = np.c_[3 * Y + RNG.normal(0, 0.8, N)]
CLEAN = np.c_[5.0 * Y + RNG.uniform(-1, 1, N)]
WORDS = "exactly 0 or 1, so the log loss has no upper limit"


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


def test_a_difference_of_log_losses_over_data_sets_has_neither_interval_nor_test():
    """However the data sets are compared: what no sample of a data set bounds, no sample of data sets does."""
    two, rng = Y < 2, np.random.default_rng(3)
    sets = {
        f"d{k}": (np.c_[rng.uniform(-1, 1, N) + 5.0 * Y, rng.normal(0, 1, N)][two], Y[two]) for k in range(6)
    }
    models = {"tree": DecisionTreeClassifier(random_state=0), "logit": LogisticRegression(C=0.01)}
    models |= {"weaker": LogisticRegression(C=0.001)}
    e = ca.evaluate(models, sets, protocol="2fold", measures=["log_loss", "brier_score"])
    for method, how in {"wilcoxon": {}, "nemenyi": {}, "bayesian": {"rope": 0.01}}.items():
        found = e.compare(["log_loss"], method=method, **how)
        for one in found:
            assert np.isfinite(one.effect.value)
            unbounded = "tree" in one.models
            assert (one.effect.has_interval, one.odds is None and np.isnan(one.p)) == (
                not unbounded,
                unbounded,
            )
            assert not unbounded or ("of tree on d0, " in one.reason and WORDS in one.reason)
        assert WORDS in " ".join(str(found).split())
        assert not [
            one for one in e.compare(["brier_score"], method=method, **how) if WORDS in str(one.reason)
        ]
    some = {name: each for name, each in models.items() if name != "weaker"}
    three = ca.evaluate(some, {"d0": sets["d0"], "d1": sets["d1"]}, protocol="4fold", measures=["log_loss"])
    (of_folds,) = three.compare(["log_loss"], method="hierarchical", rope=0.01)
    assert WORDS in of_folds.reason
    assert np.isfinite(of_folds.effect.value)


def test_candidates_of_a_search_by_a_log_loss_have_a_score_and_no_interval():
    grid = {"min_samples_leaf": [1, 2]}
    rows = Y < 2
    how = {"scoring": "log_loss", "protocol": "3fold", "folds": 3, "measures": ["log_loss"]}
    found = ca.tune(DecisionTreeClassifier(random_state=0), grid, CLEAN[rows], Y[rows], **how).candidates
    assert np.isfinite(found.best.score.value)
    for one in found.candidates:
        assert not one.score.has_interval
        assert WORDS in one.score.reason
        assert ("its scores were not saved" in one.score.reason) == (one.chosen == 0)
    assert WORDS in found.flattery.reason
