"""Whether accuracy is above always giving one answer: a test of the same cases, not an interval against a share."""

import numpy as np
import pytest

import classay as ca
from classay.assessment.verdict import is_above_baseline
from classay.inference.significance import mid_p

RUNS = 200


def claims(kind, n=120, runs=RUNS):
    """How often a classifier that is right as often as the larger class is frequent is said to be above it."""
    found = 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, n])
        y = rng.random(n) < 0.6
        called = np.where(rng.random(n) < 0.6, y, ~y)
        how = {}
        if kind == "weighted":
            how = {"weight": rng.uniform(0.5, 2, n)}
        elif kind == "clustered":
            y, called = np.repeat(y[:40], 3), np.repeat(called[:40], 3)
            how = {"cluster": np.arange(n) // 3}
        found += is_above_baseline(ca.assess(y.astype(int), y_pred=called.astype(int), **how))
    return found / runs


@pytest.mark.parametrize("kind", ["alike", "weighted", "clustered"])
def test_a_classifier_that_is_no_better_is_seldom_called_above(kind):
    error = (0.025 * 0.975 / RUNS) ** 0.5
    assert claims(kind) < 0.025 + 3 * error


def test_it_is_mcnemars_test_against_the_constant_answer():
    rng = np.random.default_rng(0)
    for level in (0.5, 0.9, 0.95, 0.9999):
        for _ in range(20):
            y, called = rng.integers(0, 3, (2, 40))
            called = np.where(rng.random(40) < 0.4, y, called)
            a = ca.assess(y, y_pred=called, level=level)
            constant = y == np.bincount(y).argmax()
            b, c = ((called == y) & ~constant).sum(), ((called != y) & constant).sum()
            assert is_above_baseline(a) == (b > c and mid_p(b, c) <= 1 - level)


def test_the_headline_says_so():
    y = np.repeat([1, 0], [60, 40])
    good, none = np.where(np.arange(100) % 20 == 0, 1 - y, y), np.ones(100, int)
    said = "compared with 60.0% for always predicting class 1; no improvement was detected"
    slightly = np.where(np.arange(100) < 59, 1, np.where(np.arange(100) < 96, 1, 0))
    for called, is_said in ((good, False), (none, True), (slightly, True)):
        told = " ".join(
            " ".join(str(ca.assess(y, y_pred=called, positive=1)).split()).replace("┃ ", "").split()
        )
        assert (said in told) == is_said


@pytest.mark.parametrize("only", [0, 1])
@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_of_cases_of_one_class_the_verdict_says_how_many_are_named_right_and_no_more(only, threshold):
    a = ca.assess([only] * 10, np.arange(10) / 10, labels=[0, 1], threshold=threshold)
    right = a["recall" if only else "specificity"]
    name = "recall" if only else "specificity"
    first, second = a.document().verdict
    assert first == f"All 10 cases are of class {only}, so only {name} can be estimated."
    assert second.startswith(f"At threshold {threshold:g}, {name} is {100 * right.value:.0f}% (95% CI ")
    uncalled = ca.assess([only] * 10, np.arange(10.0), labels=[0, 1]).document().verdict
    assert uncalled == (f"All 10 cases are of class {only}, so nothing can be estimated.",)


def test_of_several_classes_too():
    first, second = ca.assess(["a"] * 4, y_pred=[*"aaab"], labels=[*"abc"]).document().verdict
    assert first == "All 4 cases are of class 'a', so only accuracy can be estimated."
    assert second.startswith("Only 4 cases: accuracy is 75% (95% CI ")
