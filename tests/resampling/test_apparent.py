"""Corrections of the apparent performance, and nested cross-validation, against their oracles."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from classay.errors import InputError
from classay.measures import accuracy, average_precision, error_rate, f1, log_loss, roc_auc
from classay.resampling.folds import nested_error, optimism, point632, point632plus, without_information
from classay.tables import ConfusionMatrix, ScoreTable

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "statistics.json").read_text())
NESTED = ORACLES["nestedCV_1rep"]


@pytest.mark.parametrize(
    ("name", "apparent", "out", "none"),
    [
        ("e632_1", 0.05, 0.20, 0.45),
        ("e632_1nn_noinfo", 0.0, 0.5, 0.5),
        ("e632_over", 0.1, 0.6, 0.5),  # the plain estimate is not cut, the other is
    ],
)
def test_632_oracles(name, apparent, out, none):
    expected = ORACLES[name]
    assert point632(apparent, out) == pytest.approx(expected["e632"], rel=1e-12)
    found = point632plus(apparent, out, none)
    assert found.value == pytest.approx(expected["e632plus"], rel=1e-12)
    assert found.weight == pytest.approx(expected["w"], rel=1e-12)
    assert found.overfitting == pytest.approx(expected["R"], rel=1e-12)


def test_632plus_of_a_learner_that_does_not_overfit():
    assert point632plus(0.2, 0.1, 0.5).value == pytest.approx(point632(0.2, 0.1))
    assert point632plus(0.5, 0.6, 0.4).overfitting == 0
    assert point632plus(0.5, np.inf, np.inf).value == np.inf
    assert point632plus(0.5, np.inf, 0.7).value == pytest.approx(0.7)  # cut to the loss without information
    assert point632plus(0.5, 0.6, np.inf).value == pytest.approx(point632(0.5, 0.6))


def test_error_without_information_is_that_of_all_pairs():
    rng = np.random.default_rng(0)
    true, predicted = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    pairs = np.mean([[t != p for p in predicted] for t in true])
    table = without_information(ConfusionMatrix.from_labels(true, predicted))
    assert error_rate(table) == pytest.approx(pairs, rel=1e-12)
    assert accuracy(table) == pytest.approx(1 - pairs, rel=1e-12)
    binary = without_information(ConfusionMatrix.from_array([[50, 10], [15, 25]], [0, 1], rows="true"))
    assert f1(binary.one_vs_rest(1)) == pytest.approx(2 * 0.35 * 0.40 / (0.35 + 0.40))


def test_scores_without_information():
    rng = np.random.default_rng(1)
    y, s = rng.random(50) < 0.3, rng.random(50).round(1).clip(0.05, 0.95)
    table = without_information(ScoreTable.from_rows(s, y))
    assert roc_auc(table) == pytest.approx(0.5)
    assert average_precision(table) == pytest.approx(y.mean())
    pairs = np.mean([[-np.log(p if t else 1 - p) for p in s] for t in y])
    assert log_loss(table) == pytest.approx(pairs, rel=1e-12)


def test_optimism_refuses_what_is_undefined():
    assert optimism([0.9, 0.7], [0.6, 0.6]) == pytest.approx(0.2)
    with pytest.raises(InputError, match="1 of 2 rounds are undefined"):
        optimism([0.9, np.nan], [0.6, 0.6])
    with pytest.raises(InputError, match="Pass one value per round"):
        optimism([], [])


def one_nearest(x, y, train, test):
    return np.array([y[train[np.argmin(np.abs(x[train] - x[i]))]] for i in test])


def test_nested_oracle():
    x, y, fold = (np.array(NESTED[key]) for key in ("X", "Y", "fold"))
    inner, outer = [], []
    for k in range(3):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        outer.append(one_nearest(x, y, train, test) != y[test])
        each = []
        for j in {0, 1, 2} - {k}:
            own, rest = np.flatnonzero(fold == j), np.flatnonzero((fold != j) & (fold != k))
            each.extend(one_nearest(x, y, rest, own) != y[own])
        inner.append(each)
    found = nested_error(inner, outer, 3, 0.9)
    assert [found.low, found.high] == pytest.approx(NESTED["ci90"], rel=1e-10)
    assert found.mean_squared_error == pytest.approx(NESTED["mse"], rel=1e-12)
    assert found.nested == pytest.approx(NESTED["err_ncv"])
    assert found.plain == pytest.approx(NESTED["err_cv"])
    assert found.bias == pytest.approx(NESTED["bias"], rel=1e-12)
    assert found.value == pytest.approx(NESTED["debiased"], rel=1e-12)
    assert found.inflation == pytest.approx(NESTED["infl_clipped"], rel=1e-12)


def test_nested_refuses_uneven_input():
    with pytest.raises(InputError, match="There are 2 folds, 2 inner and 2 outer sets of losses"):
        nested_error([[0], [1]], [[0, 1], [1, 1]], folds=2)
    with pytest.raises(InputError, match="fewer than two cases"):
        nested_error([[0], [1], [1]], [[0], [1], [1]], folds=3)


def test_levels_of_nested_intervals_are_those_of_the_normal_law():
    inner, outer = [[1, 0, 1], [0, 1, 1], [1, 0, 0]], [[0, 1], [1, 0], [1, 1]]
    usual = nested_error(inner, outer, 3)
    assert usual == nested_error(inner, outer, 3, 0.95)
    for level in (0.5, 0.8, 0.99):
        found = nested_error(inner, outer, 3, level)
        ratio = stats.norm.isf((1 - level) / 2) / stats.norm.isf(0.025)
        assert found.high - found.value == pytest.approx(ratio * (usual.high - usual.value))
