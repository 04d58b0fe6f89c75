"""What cut points cost on new cases: out of bag, with the apparent interval moved on the logit scale."""

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.decision import cut_costs
from classay.decision.cut_costs import ScoredClasses, least_ends, sums_up_to
from classay.decision.cut_points import _in_words

STEPS = np.abs(np.subtract.outer(np.arange(3), np.arange(3))).astype(float)


def logit(x):
    return np.log(x / (1 - x))


def rows(seed, n, unit=0.0):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, n)
    score = true + 0.9 * rng.normal(size=n)
    return (np.round(score / unit) * unit if unit else score), true


@pytest.mark.parametrize("weighted", [False, True])
def test_the_interval_is_the_apparent_one_moved_on_the_logit_scale(weighted):
    """By hand: Student's t on the logit of the cost over the greatest, with Satterthwaite's degrees."""
    score, true = rows(0, 150)
    weight = 1 + np.arange(150) % 3 / 2 if weighted else np.ones(150)
    found = ca.cut_points(score, true, weight=weight if weighted else None)
    losses = np.abs(found.codes(score) - true)
    mean, number = np.average(losses, weights=weight), weight.sum() ** 2 / (weight**2).sum()
    apart = weight * (losses - mean) / weight.sum()
    squares, fourths = (apart**2).sum(), (apart**4).sum()
    if weighted:  # cases of one cell are taken to weigh alike
        cells = 3 * found.codes(score) + true
        in_cell = [np.bincount(cells, weight**power) for power in (1, 2)]
        of_case = np.divide(in_cell[1], in_cell[0] ** 2, where=in_cell[0] > 0, out=np.zeros(in_cell[0].size))
        fourths = (np.bincount(cells, apart**2) ** 2 * of_case).sum()
    degrees = max(1, min(number, 2 * squares**2 / (fourths - squares**2 / number))) - 1
    half = stats.t.ppf(0.975, degrees) * np.sqrt(squares * number / (number - 1))
    half /= 2 * (mean / 2) * (1 - mean / 2)
    ends = logit(np.array([found.expected.low, found.expected.value, found.expected.high]) / 2)
    assert np.diff(ends) == pytest.approx([half, half])
    assert found.cost < found.expected.value
    before = "linearised, " if weighted else ""
    assert found.expected.method == f"out-of-bag; {before}t, logit"


def test_the_value_is_that_of_rows_drawn_again():
    """Whole rows, 1,500 resamples, cut points of each by the function itself."""
    score, true = rows(1, 60, 0.5)
    rng = np.random.default_rng(2)
    paid, left = np.zeros((2, 60))
    for _ in range(400):
        drawn = rng.integers(0, 60, 60)
        cases = ScoredClasses.of(score[drawn], true[drawn], np.ones(60), 3, is_sampled=False)
        ends, _ = least_ends(STEPS @ sums_up_to(cases.weight))
        edges = np.concatenate([[-np.inf], (cases.lowest[1:] + cases.lowest[:-1]) / 2, [np.inf]])
        out = ~np.isin(np.arange(60), drawn)
        called = np.searchsorted(edges[ends], score[out], side="right")
        left += out
        paid[out] += np.abs(called - true[out])
    assert ca.cut_points(score, true).expected.value == pytest.approx((paid / left).mean(), abs=0.02)


def test_a_seed_gives_the_same_interval_and_another_hardly_another():
    score, true = rows(2, 120)
    found = [ca.cut_points(score, true, seed=seed).expected for seed in (0, 0, 1)]
    assert found[0] == found[1]
    assert found[0] != found[2]
    assert found[0].value == pytest.approx(found[2].value, abs=0.02)


def test_groups_of_neighbors_hardly_move_the_value(monkeypatch):
    score, true = rows(3, 3000)
    fine = ca.cut_points(score, true).expected
    monkeypatch.setattr(cut_costs, "GROUPS", 5000)
    exact = ca.cut_points(score, true).expected
    assert fine.value == pytest.approx(exact.value, abs=0.1 * (exact.high - exact.low))
    assert fine.high - fine.low == pytest.approx(exact.high - exact.low, rel=0.02)


def test_cuts_without_an_error_may_still_err():
    score = np.arange(60.0)
    found = ca.cut_points(score, np.arange(60) // 20)
    assert found.cost == 0
    assert found.expected.low == 0
    assert 0 <= found.expected.value < found.expected.high < 0.5


def test_a_call_that_costs_the_same_whatever_is_true_widens_by_the_move():
    """Asking a human costs .4: the interval holds the apparent one."""
    score, true = rows(5, 80)
    asked = np.array([[0, 1, 2], [0.4, 0.4, 0.4], [2, 1, 0]])
    found = ca.cut_points(score, true, cost=ca.Costs.from_array(asked, [0, 1, 2], rows="predicted"))
    apparent = found.cost / 2
    low, value, high = logit(np.array([found.expected.low, found.expected.value, found.expected.high]) / 2)
    move = value - logit(apparent)
    half = logit(apparent) - low  # of the apparent interval, whose lower end is the farther one
    assert move > 0
    assert high - value == pytest.approx(np.hypot(half, move))


def test_a_call_that_costs_nearly_the_same_has_nearly_the_interval_of_one_that_costs_the_same():
    """Its apparent interval is as narrow, and moved only it held 52 to 72% of 60 cases."""
    score, true = rows(5, 60)
    true = np.where(true > 0, 2, 0)

    def found(review):
        array = [[0, 5, 5], review, [1, 1, 0]]
        return ca.cut_points(
            score, true, [0, 1, 2], cost=ca.Costs.from_array(array, [0, 1, 2], rows="predicted")
        )

    same, nearly = (found(each).expected for each in ([0.3, 0.3, 0.3], [0.3, 0.3, 0.3 + 1e-6]))
    assert [nearly.low, nearly.high] == pytest.approx([same.low, same.high], abs=1e-3)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_costs_by_steps_are_told_by_steps_and_others_as_they_are(k):
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    assert _in_words(steps * 1.0, "as they are") == "each step costs 1"
    squares = ", ".join(str(step * step * 3) for step in range(k))
    assert _in_words(steps**2 * 3.0, "as they are").endswith(f" steps cost {squares}")
    assert _in_words(np.triu(steps) * 2.0, "as they are") == "as they are"
