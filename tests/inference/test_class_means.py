"""Macro means of class measures, macro mean absolute error, averages over tags: limits, laws and small samples."""

import json
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.inference.design import Design
from classay.inference.intervals import estimate
from classay.inference.labels.class_means import _values_of_classes
from classay.measures import get
from classay.tables import ConfusionMatrix

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "class_means.json").read_text())
CELLS = np.array(ORACLE["table_pred_by_true"])
MEANS = ("macro_f2", "macro_f0_5", "macro_f_beta(5)")
ORDERED = (*MEANS, "macro_mean_absolute_error")


def matrix(cells, labels="abcd"):
    return ConfusionMatrix(np.array(cells), tuple(labels)[: len(cells)])


def ends(found):
    return [found.value, found.low, found.high]


def rows(cells):
    """The true and the predicted class of each case of a matrix `[predicted, true]`."""
    predicted, true = np.indices(np.shape(cells))
    times = np.asarray(cells, int).ravel()
    return np.repeat(true.ravel(), times), np.repeat(predicted.ravel(), times)


class TestMacroF2:
    """Wilson's limits with effective cases of each class, combined."""

    def test_the_limits_are_those_of_the_oracle(self):
        table = matrix(CELLS)
        found, classes = estimate(get("macro_f2"), table), _values_of_classes(get("f2"), table, Design(table))
        assert classes.values == pytest.approx(ORACLE["F2"], abs=1e-12)
        assert classes.variances == pytest.approx(ORACLE["V"], abs=1e-12)
        assert classes.cases == pytest.approx(ORACLE["n_eff"], abs=1e-9)
        assert ends(found) == pytest.approx([ORACLE["value"], *ORACLE["interval"]], abs=1e-9)
        assert found.method == "Wilson limits combined, effective sample size, t"

    @pytest.mark.parametrize("name", MEANS)
    def test_classes_in_another_order_change_nothing(self, name):
        order = [2, 0, 3, 1]
        found = estimate(get(name), matrix(CELLS[np.ix_(order, order)]))
        assert ends(found) == pytest.approx(ends(estimate(get(name), matrix(CELLS))), abs=1e-12)

    def test_more_classes_than_a_block_have_the_same_limits(self, monkeypatch):
        expected = estimate(get("macro_f2"), matrix(CELLS))
        monkeypatch.setattr("classay.inference.labels.class_means.BLOCK", 2)
        assert ends(estimate(get("macro_f2"), matrix(CELLS))) == pytest.approx(ends(expected), abs=1e-12)

    def test_a_class_without_an_error_and_one_without_a_hit(self):
        """The first stands for its 20 cases, the second for (4 FN + FP) / 5 errors."""
        table = matrix([[20, 0, 0], [0, 30, 6], [0, 4, 0]])
        classes = _values_of_classes(get("f2"), table, Design(table))
        assert classes.cases[[0, 2]] == pytest.approx([20, (4 * 6 + 4) / 5])
        found = estimate(get("macro_f2"), table)
        assert 0 < found.low < found.value < found.high < 1

    @pytest.mark.parametrize(("beta", "cells"), [(5, [[9, 1, 0], [1, 9, 0], [1, 0, 3]])])
    def test_an_unseen_error_of_the_kind_that_counts_more(self, beta, cells):
        """No false negative of the last class was seen: it stands for no more than its cases."""
        table = matrix(np.array(cells).T)
        classes = _values_of_classes(get(f"f_beta({beta})"), table, Design(table))
        assert classes.cases[2] <= classes.sizes[2] == 4

    def test_nothing_but_hits_has_an_interval(self):
        found = estimate(get("macro_f2"), matrix(np.diag([20, 20, 20])))
        assert found.value == found.high == 1
        assert 0.8 < found.low < 1

    def test_two_classes_keep_their_posterior(self):
        assert "posterior" in estimate(get("macro_f2"), matrix([[50, 3], [4, 20]])).method


class TestMacroMeanAbsoluteError:
    """A class without errors has those of the table."""

    def test_a_class_without_errors_may_err_as_far_as_the_others(self):
        """One error of three steps in another class moves the upper end more than one of a single step does."""
        near = [[30, 0, 0, 0], [0, 30, 0, 0], [0, 0, 29, 0], [0, 0, 1, 4]]
        far = [[30, 0, 1, 0], [0, 30, 0, 0], [0, 0, 29, 0], [0, 0, 0, 4]]
        name = get("macro_mean_absolute_error")
        one_step, two_steps = (estimate(name, matrix(cells, range(4))) for cells in (near, far))
        last = 0.25 * 0.4899  # the last class, Wilson's upper limit of 0 in 4 at one step, alone
        assert two_steps.high - one_step.high > last / 4

    def test_without_any_error_each_is_one_step(self):
        found = estimate(get("macro_mean_absolute_error"), matrix(np.diag([20] * 4), range(4)))
        assert found.low == found.value == 0
        assert 0 < found.high < 0.2


@pytest.mark.parametrize("name", ORDERED)
class TestUnlikeCases:
    """Weights, frequencies, clusters and saved tables give the interval of the cases that they stand for."""

    def test_weights_doubled_and_frequencies(self, name):
        true, called = rows(CELLS)
        plain = ca.assess(true, y_pred=called, labels=[0, 1, 2, 3], ordered=True)[name]
        weight = np.random.default_rng(0).uniform(0.5, 2.0, true.size)
        once, twice = (
            ca.assess(true, y_pred=called, weight=by * weight, labels=[0, 1, 2, 3], ordered=True)[name]
            for by in (1, 2)
        )
        assert ends(once) == pytest.approx(ends(twice), abs=1e-9)
        equal = ca.assess(
            true, y_pred=called, weight=np.full(true.size, 3.0), labels=[0, 1, 2, 3], ordered=True
        )[name]
        assert ends(equal)[0] == pytest.approx(plain.value)
        distinct, times = np.unique(np.stack([true, called]), axis=1, return_counts=True)
        repeated = ca.assess(
            distinct[0], y_pred=distinct[1], frequency=times, labels=[0, 1, 2, 3], ordered=True
        )[name]
        assert ends(repeated) == pytest.approx(ends(plain), abs=1e-12)

    def test_clusters_of_copies_are_as_many_cases(self, name):
        """Of three copies of each case the interval is that of the cases, up to Student's degrees of freedom."""
        true, called = rows(CELLS * 2)
        plain = ca.assess(true, y_pred=called, labels=[0, 1, 2, 3], ordered=True)[name]
        copies = ca.assess(
            np.repeat(true, 3),
            y_pred=np.repeat(called, 3),
            cluster=np.repeat(np.arange(true.size), 3),
            labels=[0, 1, 2, 3],
            ordered=True,
        )[name]
        assert copies.value == pytest.approx(plain.value)
        assert copies.high - copies.low == pytest.approx(plain.high - plain.low, rel=0.15)

    def test_saved(self, name, tmp_path):
        true, called = rows(CELLS)
        a = ca.assess(true, y_pred=called, labels=[0, 1, 2, 3], ordered=True)
        a.save(tmp_path / "a.classay")
        assert ends(ca.load(tmp_path / "a.classay")[name]) == ends(a[name])


@pytest.mark.parametrize("how", ["weight", "cluster"])
@pytest.mark.parametrize("name", [*ORDERED, "macro_f0_5"])
def test_the_unit_of_weights_changes_nothing_where_classes_are_perfect_never_hit_or_of_one_cluster(name, how):
    rng = np.random.default_rng(7)
    true = np.r_[np.repeat([0, 1, 2], [40, 20, 20]), 3, 3, 3]
    predicted = np.where(rng.random(true.size) < 0.1, 1, true)
    predicted[true == 2] = 0
    predicted[true == 3] = 3
    weight = rng.gamma(1, 1, true.size).round(3) + 0.01
    cluster = None if how == "weight" else np.r_[np.arange(80) % 15, 15, 15, 15 if "absolute" in name else 16]
    found = [
        ends(ca.assess(true, y_pred=predicted, weight=unit * weight, cluster=cluster)[name])
        for unit in (1, 7, 1e-3, 1e5)
    ]
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-9)
