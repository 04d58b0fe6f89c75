"""The top of the list: the oracles of B-36, ties, weights, and the gain table."""

import json

import numpy as np
import pytest

import classay as ca
from classay.decision.cuts import CutCounts, SumTable
from classay.decision.rules import Rule
from classay.errors import InputError
from samples import ORACLES, oracles

CURVES = json.loads((ORACLES / "curves.json").read_text())

T20 = oracles()["T20"]
A = ca.assess(T20["y"], T20["sA"], amounts={"amount": np.arange(1.0, 21)})


@pytest.mark.parametrize("k", [2, 4, 10])
def test_oracles(k):
    wanted = CURVES["topk_T20"]["value"][str(k)]
    found = A.gain
    assert found.precision_at_k(k).value == pytest.approx(wanted["P_at_k"])
    assert found.recall_at_k(k).value == pytest.approx(wanted["R_at_k"])
    assert found.lift_at_k(k).value == pytest.approx(wanted["lift"])


def test_ties_are_expected_over_their_orders():
    wanted = CURVES["topk_ties_T20_k6"]["value"]
    found = A.gain.precision_at_k(6)
    assert found.value == pytest.approx(wanted["expected"])
    assert "ties at the cut: 0.667 to 0.833" in found.method


def test_below_one_case_is_refused():
    with pytest.raises(InputError, match=r"k must be between 1 and the number of cases \(20\), but is 0\.01"):
        A.gain.precision_at_k(0.01)
    with pytest.raises(InputError, match="by must be 'cases' or 'weight', but is 'rows'"):
        A.gain.precision_at_k(2, by="rows")


def test_weights_count_cases_or_weight():
    w = np.where(np.arange(20) < 10, 1.0, 3.0)
    a = ca.assess(T20["y"], T20["sA"], weight=w)
    assert a.gain.recall_at_k(5).value == pytest.approx(a.gain.recall_at_k(10, by="weight").value)


def test_the_gain_table():
    y, amount = np.array(T20["y"], bool), np.arange(1.0, 21)
    found = A.gain_table(5, amount="amount")
    for each, k in zip(found.parts, (4, 8, 12, 16, 20), strict=True):
        assert each.k == k
        assert each.precision.value == pytest.approx(A.gain.precision_at_k(k).value)
    # rows come in the order of their scores, none of which ties across the second and the third edge
    for place, k in ((1, 8), (2, 12)):
        own = y[:k] * amount[:k]
        assert found.parts[place].captured.value == pytest.approx(own.sum() / (y * amount).sum())
    assert sum(each.in_part for each in found.parts) == pytest.approx(5 * y.mean())
    assert found.frame().num_rows == 5
    with pytest.raises(InputError, match="50 parts of 20 cases have less than one case per part"):
        A.gain_table(50)
    with pytest.raises(InputError, match="not 'fee'"):
        A.gain_table(5, amount="fee")


def test_captured_amount_of_everything():
    last = A.gain_table(4, amount="amount").parts[-1]
    assert last.captured.value == 1
    assert not last.captured.has_interval


@pytest.mark.parametrize("how", ["alike", "weighted", "clustered"])
def test_the_whole_list_holds_all_positives_by_definition(how):
    """Recall and lift of all cases are 1 in every sample: no interval; the precision there is the prevalence."""
    y, score = np.arange(60) % 3 == 0, np.arange(60) % 7 / 7
    more = {
        "alike": {},
        "weighted": {"weight": 1 + np.arange(60) % 2},
        "clustered": {"cluster": np.arange(60) // 3},
    }
    a = ca.assess(y, score, **more[how])
    last = a.gain_table(3).parts[-1]
    for each in (last.recall, last.lift, a.gain.recall_at_k(60), a.gain.lift_at_k(60)):
        assert each.value == pytest.approx(1)
        assert not each.has_interval
        assert "every case is predicted positive" in each.reason
    assert last.precision.low < last.precision.value < last.precision.high
    assert a.gain.recall_at_k(59).has_interval


@pytest.mark.parametrize("n", [9, 13, 22, 47])
def test_what_can_be_no_better_is_within_its_interval(n):
    """Where every positive is on top, lift is at its greatest, 1 / prevalence, and rounded on two ways."""
    found = [
        ca.assess(np.arange(n) >= n - p, np.arange(n)).gain_table(5).parts for p in range(1, n, 1 + n // 20)
    ]
    parts = [part for parts in found for part in parts]
    read = [each for part in parts for each in (part.precision, part.recall, part.lift)]
    assert all(each.low <= each.value <= each.high for each in read if each.has_interval)
    assert any(part.lift.value == part.lift.high for part in parts)


def test_where_no_positive_case_has_an_amount_none_can_be_captured():
    nothing = np.where(np.array(T20["y"], bool), 0.0, 1.0)
    found = ca.assess(T20["y"], T20["sA"], amounts={"fee": nothing}).gain_table(4, amount="fee")
    assert {each.captured.reason for each in found.parts} == {"fee is 0 in every positive case"}


@pytest.mark.covering(1)
@pytest.mark.parametrize("weight", [1 / 3, 0.1, 0.7])
@pytest.mark.parametrize("n", [3, 7, 10, 11, 49])
def test_as_many_parts_as_cases_hold_one_each_in_any_unit_of_the_weights(n, weight):
    y, scores = np.arange(n) % 2, np.arange(n) / n
    found = ca.assess(y, scores, weight=[weight] * n)
    assert [each.text for each in found.gain_table(n).parts] == [
        each.text for each in ca.assess(y, scores).gain_table(n).parts
    ]
    with pytest.raises(InputError, match="less than one"):
        found.gain_table(n + 1)


@pytest.mark.parametrize("top", [1, 2, 10, 11, 20])
@pytest.mark.parametrize("times", [1.0, 2.0, 0.5])
def test_a_capacity_is_of_as_many_cases_as_there_are_unless_one_stands_for_more(top, times):
    ones = np.ones((1, 40))
    cuts = CutCounts.of(SumTable(ones * (np.arange(40) % 2), ones * (np.arange(40) % 2 == 0)))
    rule = Rule.of(top=top)
    assert int(rule.choose(cuts, times)) == min(int(top * times), 40)
    assert rule.choose(cuts) == rule.choose(cuts, 1.0, 0.95) == top
