"""The cut of least cost in one pass over the counts, against the costs of all cuts."""

import numpy as np
import pytest

from classay.decision.cuts import BLOCK, CutCounts, SumTable, least_cost_cut, mean_cost_at, mean_costs, upto
from classay.decision.rules import best_cut

COSTS = {
    "five to one": [[[0.0], [5.0]], [[1.0], [0.0]]],
    "nobody": [[[0.0], [0.001]], [[1.0], [0.0]]],
    "everybody": [[[0.0], [9000.0]], [[1.0], [0.0]]],
    "an error pays": [[[2.0], [1.0]], [[-1.0], [0.5]]],
    "nothing costs": [[[0.0], [0.0]], [[0.0], [0.0]]],
}


def sums(seed, m, amounts=0, weighted=False):
    """Sums of random cases, of which the positives have the higher scores."""
    rng = np.random.default_rng(seed)
    chance = np.linspace(0.9, 0.02, m)
    made = [rng.binomial(3, each, m) for each in (chance, 1 - chance)]
    if weighted:
        made = [each * rng.random(m) for each in made]
    made = [np.stack([each, *(each * rng.random((amounts, m)))]) for each in made]
    return SumTable(*made)


@pytest.mark.covering(2)
@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("m", [1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 250_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_that_of_all_cuts(name, m, weighted):
    cost, made = np.array(COSTS[name]), sums(m, m, weighted=weighted)
    values = -mean_costs(made, cost)
    cut = least_cost_cut(made, cost)
    assert values[cut] == pytest.approx(values.max(), rel=1e-11, abs=1e-13)
    if not weighted:  # whole numbers add up exactly
        assert cut == int(best_cut(values))


@pytest.mark.parametrize("m", [40, 3 * BLOCK])
def test_with_amounts(m):
    cost = np.array([[[0.0, 0.0, 0.0], [1.0, 2.0, 0.5]], [[1.5, 0.0, 0.0], [0.0, -0.2, 0.0]]])
    made = sums(5, m, amounts=2)
    values = -mean_costs(made, cost)
    assert least_cost_cut(made, cost) == int(values.argmax())


def test_equal_costs_of_several_blocks_are_those_of_the_first():
    """A perfect tie of cuts in different blocks: the highest threshold."""
    m = 4 * BLOCK
    up, down = np.zeros(m), np.zeros(m)
    up[[5, BLOCK + 7]], down[[9, BLOCK + 9]] = 1, 5
    made = SumTable(up[None], down[None])
    assert least_cost_cut(made, np.array(COSTS["five to one"])) == 6


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_threads_change_nothing(threads, monkeypatch):
    made = sums(8, 300_000, weighted=True)
    expected = least_cost_cut(made, np.array(COSTS["five to one"]))
    monkeypatch.setenv("CLASSAY_THREADS", threads)
    assert least_cost_cut(made, np.array(COSTS["five to one"])) == expected


def test_costs_at_cuts_and_sums_down_to_them():
    cost, made = np.array(COSTS["an error pays"]), sums(3, 50)
    several = SumTable(*(np.stack([each, 2 * each, each + 1]) for each in (made.positive, made.negative)))
    all_cuts = CutCounts.of(several, cost)
    cut = np.array([0, 17, 50])
    np.testing.assert_allclose(
        mean_cost_at(several, cost, cut), np.take_along_axis(all_cuts.cost, cut[:, None], -1)[:, 0]
    )
    np.testing.assert_allclose(upto(several, cut)[1, 1], several.positive[1, :, :17].sum(-1))
    assert mean_cost_at(made, cost, np.array(17)) == pytest.approx(mean_costs(made, cost)[17])
    factors = made.factors(0.2)
    np.testing.assert_allclose(
        mean_costs(made, cost * factors[:, None]), mean_costs(made.at_prevalence(0.2), cost)
    )


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("power", [-1060, -1000, -30, 30, 900])
def test_another_unit_of_costs_chooses_the_same_cut(name, power):
    made, cost = sums(3, 2 * BLOCK + 5), np.array(COSTS[name]).round()
    assert least_cost_cut(made, cost * 2.0**power) == least_cost_cut(made, cost)
