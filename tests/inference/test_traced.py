"""Derivatives by one backward pass are those of the complex step, for every measure of margins."""

import numpy as np
import pytest

import classay as ca
from classay.inference.labels import delta
from classay.inference.labels.delta import gradient
from classay.measures import MEASURES

OF_MARGINS = [name for name, each in MEASURES.items() if each.needs == "margins"]


def margins(k=7):
    cells = np.random.default_rng(0).integers(0, 9, (k, k)).astype(float)
    cells[2], cells[2, 2] = 0, 1  # a class that is predicted once, and rightly
    return [cells.diagonal().copy(), cells.sum(1), cells.sum(0)]


@pytest.mark.parametrize("name", OF_MARGINS)
def test_a_backward_pass_gives_what_complex_steps_give(name):
    found = gradient(MEASURES[name].raw, margins())
    if name == "baseline_accuracy":  # a maximum of plain numbers, which the trace would miss
        assert found is None
        return
    wanted = delta.partials(MEASURES[name].raw, margins())
    assert found is not None
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_intervals_of_many_classes_are_those_of_complex_steps(monkeypatch):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 400, 4000)
    called = np.where(rng.random(4000) < 0.7, truth, rng.integers(0, 400, 4000))
    names = ["matthews_correlation", "cohen_kappa", "weighted_f1", "macro_specificity"]
    fast = ca.assess(truth, y_pred=called).estimates(names)
    monkeypatch.setattr(delta, "MOST_STEPPED", 1000)
    for name, slow in ca.assess(truth, y_pred=called).estimates(names).items():
        np.testing.assert_allclose((fast[name].low, fast[name].high), (slow.low, slow.high), rtol=1e-9)


def test_what_cannot_be_traced_is_refused_and_not_guessed():
    ten = [np.arange(1.0, 11.0)]
    assert gradient(lambda x: np.sort(x).sum(-1), ten) is None
    assert gradient(lambda x: (x * np.asarray(x)).sum(-1), ten) is None
    assert gradient(lambda x: x * 2, ten) is None
