"""Cut points of one score between classes in an order: the least cost by brute force, laws, and what is refused."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import classay as ca
from classay.errors import InputError
from command import as_json

STEPS = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))


def least(score, true, weight, costs):
    """The least cost over all pairs of cuts, and the lowest of these."""
    edges = np.unique(score)
    between = [-np.inf, *((edges[1:] + edges[:-1]) / 2), np.inf]
    found = {}
    for pair in itertools.combinations_with_replacement(between, 2):
        called = np.searchsorted(pair, score, side="right")
        found[pair] = (weight * costs[called, true]).sum() / weight.sum()
    return found


CASES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=12
).filter(lambda rows: len({row[1] for row in rows}) > 1)


@settings(max_examples=60, deadline=None)
@given(CASES, st.lists(st.integers(0, 5), min_size=6, max_size=6).filter(any))
def test_no_cuts_cost_less(rows, prices):
    score, true, times = (np.array(each) for each in zip(*rows, strict=True))
    costs = np.zeros((3, 3))
    costs[~np.eye(3, dtype=bool)] = prices
    for given_costs, table in (
        (None, STEPS),
        (ca.Costs.from_array(costs, [0, 1, 2], rows="predicted"), costs),
    ):
        found = ca.cut_points(score / 7, true, [0, 1, 2], cost=given_costs, frequency=times)
        every = least(score / 7, true, times, table)
        assert found.cost == pytest.approx(min(every.values()))
        assert every[found.cuts] == pytest.approx(found.cost)
        called = found.codes(score / 7)
        assert (times * table[called, true]).sum() / times.sum() == pytest.approx(found.cost)


def test_cuts_make_predictions_that_are_assessed():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, 400)
    score = true + rng.normal(size=400)
    names = np.array(["low", "mid", "high", "top"])
    found = ca.cut_points(score[:200], names[true[:200]], [*names])
    a = ca.assess(names[true[200:]], y_pred=found.decisions(score[200:]), labels=[*names], ordered=True)
    assert a["mean_absolute_error"].value == pytest.approx(found.cost, abs=0.15)
    assert list(found.cuts) == sorted(found.cuts)
    categories = pd.Categorical.from_codes(true[:200], names, ordered=True)
    assert ca.cut_points(score[:200], categories).cuts == found.cuts
    assert ca.cut_points(score[:200], true[:200]).cuts == found.cuts
    order = rng.permutation(200)
    assert ca.cut_points(score[:200][order], true[:200][order]).cuts == found.cuts
    assert ca.cut_points(score[:200], true[:200], weight=np.full(200, 0.3)).cuts == found.cuts


def test_costs_move_the_cuts():
    """Where it costs ten times as much to call a case too low, cuts are lower."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 3, 500)
    score = true + rng.normal(size=500)
    costs = np.where(np.arange(3)[:, None] < np.arange(3), 10 * STEPS, STEPS)
    dear = ca.cut_points(score, true, cost=ca.Costs.from_array(costs, [0, 1, 2], rows="predicted"))
    assert all(here < there for here, there in zip(dear.cuts, ca.cut_points(score, true).cuts, strict=True))


@pytest.mark.parametrize(
    ("score", "true", "labels", "words"),
    [
        ([0.1, 0.2, 0.3], ["a", "b", "c"], None, "need ordered classes"),
        ([0.1, 0.2, np.nan], [0, 1, 2], None, "score is missing in 1 row"),
        ([0.1, 0.2], [0, 1, 2], None, "truth has 3 rows, but score has 2"),
        ([0.1, 0.2, 0.3], ["a", "b", "c"], ["a", "b"], "not declared: 'c'"),
        ([0.1, 0.2, 0.3], ["a", "a", "b"], ["a", "b", "a"], "labels= contains 'a' twice"),
        ([[0.1, 0.9]] * 2, [0, 1], None, r"score must be one score per case, but has shape \(2, 2\)"),
        ([0.1, 0.2], [1, 1], None, "Cut points need at least two classes"),
    ],
)
def test_what_has_no_cut_points(score, true, labels, words):
    with pytest.raises(InputError, match=words):
        ca.cut_points(score, true, labels)


def test_what_to_expect_is_of_cases_held_back():
    """Noise looks better than it is on the cases that chose the cuts; the order of rows and repeats change nothing."""
    rng = np.random.default_rng(1)
    true, score = rng.integers(0, 3, 60), rng.normal(size=60)
    found = ca.cut_points(score, true)
    assert found.cost < found.expected.value
    assert found.expected.low < found.expected.value < found.expected.high
    assert sum(found.true) == sum(found.called) == 60
    order = rng.permutation(60)
    assert ca.cut_points(score[order], true[order]).expected == found.expected
    times = ca.cut_points(score, true, frequency=np.ones(60, int))
    assert times.expected.value == pytest.approx(found.expected.value)


def test_what_to_expect_is_on_average_what_others_cost():
    rng = np.random.default_rng(2)
    gaps = []
    for _ in range(40):
        true = rng.integers(0, 3, 500)
        score = true + rng.normal(size=500)
        found = ca.cut_points(score[:100], true[:100])
        called = found.codes(score[100:])
        gaps.append((found.expected.value - np.abs(called - true[100:]).mean(), found.cost))
    assert abs(np.mean([gap for gap, _ in gaps])) < 0.03


def test_the_command_chooses_what_the_function_does(tmp_path):
    from command import call

    rng = np.random.default_rng(3)
    true = rng.integers(0, 3, 80)
    names, score = np.array(["low", "mid", "high"]), (true + rng.normal(size=80)).round(2)
    table = pd.DataFrame({"grade": names[true], "s": score, "w": rng.random(80).round(3) + 0.1})
    table.to_csv(tmp_path / "grades.csv", index=False)
    costs = ca.Costs.from_array([[0, 1, 4], [1, 0, 1], [4, 1, 0]], [*names], rows="true")
    found = ca.cut_points(score, names[true], [*names], cost=costs, weight=table.w)
    call_ = ("decide", str(tmp_path / "grades.csv"), "--truth", "grade", "--score", "s", "--weight", "w")
    done = call(*call_, "--order", "low,mid,high", "--steps", "0,1,4", "--json", "-")
    assert json.loads(done.stdout) == as_json(replace(found, model="s"))
    assert "--steps needs ordered labels" in call(*call_, "--steps", "0,1,4").stderr
    assert "3" in call(*call_, "--order", "low,mid,high", "--steps", "0,1").stderr
    assert "--top cannot be used with --order" in call(*call_, "--order", "low,mid,high", "--top", "3").stderr


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.5, np.nextafter(0.5, 1)), (-np.inf, 1.0), (-np.inf, np.inf), (1e308, 1.7e308), (0.0, 5e-324)],
)
def test_a_cut_lies_above_the_lower_score_whatever_they_are(low, high):
    """No number is halfway between neighbours or beside an infinity: what is said to cost 0 must decide so."""
    found = ca.cut_points([low, low, high, high], [0, 0, 1, 1])
    assert (found.cost, found.called) == (0.0, (2.0, 2.0))
    assert found.decisions([low, high]) == [0, 1]


def test_unit_of_weights_and_order_of_weighted_rows_choose_the_same_cuts():
    """Costs that tie do so whatever the last bits of sums of weights."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        true, order = rng.integers(0, 4, 60), rng.permutation(60)
        score, w = np.round(true + rng.normal(size=60), 1), rng.choice([0.1, 0.2, 0.3, 0.7], 60)
        first = ca.cut_points(score, true, weight=w)
        for rows, unit in ((np.arange(60), 3), (np.arange(60), 0.1), (order, 1)):
            again = ca.cut_points(score[rows], true[rows], weight=unit * w[rows])
            assert again.cuts == first.cuts
            assert again.expected.value == pytest.approx(first.expected.value)
            assert again.expected.high == pytest.approx(first.expected.high)


def test_a_frequency_is_so_many_rows():
    """What to expect of others too: of identical cases each is held back by itself."""
    rng = np.random.default_rng(4)
    true, many = rng.integers(0, 3, 50), rng.integers(1, 4, 50)
    score = np.round(true + rng.normal(size=50), 1)
    counted = ca.cut_points(score, true, frequency=many)
    repeated = ca.cut_points(np.repeat(score, many), np.repeat(true, many))
    assert counted.to_dict() == repeated.to_dict()


def test_a_class_without_a_case_is_told():
    found = ca.cut_points([1, 2, 3], ["low"] * 3, ["low", "mid", "high"])
    assert found.sentence.endswith("No case is of class 'mid' and 'high', so its cut point cannot be chosen.")
    assert "No case" not in ca.cut_points([1, 2, 3], ["low", "mid", "high"], ["low", "mid", "high"]).sentence


@pytest.mark.parametrize("role", ["weight", "frequency"])
def test_a_row_of_weight_0_is_no_case(role):
    rng = np.random.default_rng(3)
    score, true, times = rng.random(60).round(2), rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    there = times > 0
    every = ca.cut_points(score, true, [0, 1, 2], **{role: times})
    few = ca.cut_points(score[there], true[there], [0, 1, 2], **{role: times[there]})
    assert every.to_dict() == few.to_dict()
