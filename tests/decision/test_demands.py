"""Costs that are demanded: in --require, in a gate, in tests, by the numbers of `expected_cost` itself."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import classay as ca
import command
from classay.errors import InputError, UnknownMeasureError
from classay.testing import assert_requirements

RNG = np.random.default_rng(4)
N = 300
Y = RNG.random(N) < 0.3
P = np.clip(0.3 * Y + RNG.random(N) * 0.7, 0, 1)
Q = np.clip(0.1 * Y + RNG.random(N) * 0.9, 0, 1)
AMOUNT = RNG.integers(1, 40, N)
COST = ca.Costs(fp=3, fn="amount")
CALL = ("p.csv", "--truth", "y", "--score", "p")
PRICES = ("--cost", "fp=3", "--cost", "fn=amount")
GATE = ("p.csv", "q.csv", "--truth", "y", "--score", "p", "--rule", "superior", "--measure", "expected_cost")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, score in (("p", P), ("q", Q)):
        table = pa.table({"y": Y.astype(int), "p": score, "amount": AMOUNT})
        pacsv.write_csv(table, f"{name}.csv")


def call(*arguments):
    """Exit code, standard output and error of an assessment, or of the command that is named."""
    named = arguments if arguments[0] == "gate" else ("assess", *arguments)
    done = command.call(*named)
    return done.exit_code, done.stdout, done.stderr


def by_hand(score=P):
    called = score >= 0.5
    return np.where(called & ~Y, 3, np.where(~called & Y, AMOUNT, 0))


def test_a_requirement_on_what_a_case_costs(here):
    mean = by_hand().mean()
    for bound, code in ((mean + 1e-6, 0), (mean - 1e-6, 1)):
        code_found, _, said = call(*CALL, *PRICES, "--require", f"expected_cost <= {bound}")
        assert code_found == code, said
    a = ca.assess(Y, P, amounts={"amount": AMOUNT})
    high = a.expected_cost(COST).per_case.high
    assert call(*CALL, *PRICES, "--require", f"expected_cost.high <= {high + 1e-6}")[0] == 0
    assert call(*CALL, *PRICES, "--require", f"expected_cost.high <= {high - 1e-6}")[0] == 1
    assert call(*CALL, *PRICES, "--require", f"total_cost <= {by_hand().sum()} and recall >= 0")[0] == 0
    assert (
        call(*CALL, *PRICES, "--require", f"saving_over_none >= {(AMOUNT * Y).mean() - mean - 1e-9}")[0] == 0
    )


def test_of_numbers_it_is_the_measure_with_parameters(here):
    for bound in (0.3, 0.5, 0.6, 0.8):
        codes = {
            call(*CALL, "--cost", "fp=1,fn=5", "--require", f"expected_cost <= {bound}")[0],
            call(*CALL, "--require", f"expected_cost(1,5) <= {bound}")[0],
        }
        assert len(codes) == 1


def test_a_gate_on_what_a_case_costs(here):
    code, printed, _ = call("gate", *GATE, *PRICES, "--json", "-")
    found = json.loads(printed)
    assert found["effect"]["value"] == pytest.approx((by_hand(P) - by_hand(Q)).mean())
    assert (code == 0) == (found["effect"]["high"] < 0)
    bound = by_hand(P).mean()
    demand = ("--require", f"expected_cost <= {bound - 1e-6}")
    assert call("gate", *GATE[:-3], "not-worse", *GATE[-2:], *PRICES, *demand)[0] == 1


def test_a_gate_of_saved_assessments(here, tmp_path):
    for name, score in (("p", P), ("q", Q)):
        ca.assess(Y, score, amounts={"amount": AMOUNT}, id=np.arange(N)).save(f"{name}.classay")
    saved = ("p.classay", "q.classay", "--rule", "not-worse", "--measure", "auc")
    bound = by_hand().mean()
    assert call("gate", *saved, *PRICES, "--require", f"expected_cost <= {bound + 1e-6}")[0] == 0
    assert call("gate", *saved, *PRICES, "--require", f"expected_cost <= {bound - 1e-6}")[0] == 1
    assert "expected_cost needs single cases" in call("gate", *saved[:-1], "expected_cost", *PRICES)[2]


@pytest.mark.parametrize(
    ("prices", "left"), [("fn=amount", "false positives (fp)"), ("fp=1,fn=5", ""), ("fp=0,fn=5", "")]
)
def test_a_cost_that_nobody_named_is_said_wherever_it_counts(here, prices, left):
    said = f"the costs of {left} are not set, so 0 is used" if left else "are not set"
    _, printed, told = call(
        *CALL, "--cost", prices, "--require", "expected_cost >= 0 and recall >= 0", "--json", "-"
    )
    of_cost, of_recall = json.loads(printed)["requirements"]
    assert (of_cost.get("note") == said) == bool(left)
    assert "note" not in of_recall
    assert told.count(said) == bool(left)
    gated = ("gate", *GATE, "--cost", prices, "--require", "expected_cost >= 0")
    found = json.loads(call(*gated, "--json", "-")[1])
    assert (said in found["method"]) == ("note" in found["requirements"][0]) == bool(left)
    assert (said in call(*gated, "--markdown", "-")[1].lower()) == bool(left)
    a = ca.assess(Y, P, amounts={"amount": AMOUNT})
    cost = dict(each.split("=") for each in prices.split(","))
    with pytest.raises(AssertionError, match="expected_cost < 0") as caught:
        assert_requirements(
            a,
            "expected_cost < 0",
            cost={name: each if each == "amount" else float(each) for name, each in cost.items()},
        )
    assert (said in str(caught.value)) == bool(left)


def test_what_makes_no_sense_is_refused(here):
    assert "Use --cost" in call(*CALL, "--require", "total_cost <= 1")[2]
    assert (
        "Costs have no effect on these requirements"
        in call(*CALL, "--cost", "fp=1", "--require", "recall >= 0")[2]
    )
    assert (
        "cannot use total_cost. Use --measure expected_cost"
        in call("gate", *GATE[:-1], "total_cost", *PRICES)[2]
    )
    assert call(*CALL, "--cost", "fp=many coins", "--require", "expected_cost <= 1")[0] == 2
    assert (
        "Did you mean 'expected_cost'" in call(*CALL, "--cost", "fp=1", "--require", "expected_costs <= 1")[2]
    )


def test_in_tests():
    a = ca.assess(Y, P, amounts={"amount": AMOUNT})
    mean = by_hand().mean()
    assert_requirements(a, f"expected_cost <= {mean + 1e-6} and recall >= 0", cost=COST)
    assert_requirements(a, f"expected_cost <= {mean + 1e-6}", cost={"fp": 3, "fn": "amount"})
    with pytest.raises(AssertionError, match=r"FAIL: expected_cost <= "):
        assert_requirements(a, f"expected_cost <= {mean - 1e-6}", cost=COST)
    with pytest.raises(InputError, match="needs costs"):
        assert_requirements(a, "saving_over_all > 0")
    with pytest.raises(UnknownMeasureError):
        assert_requirements(a, "nothing > 0", cost=COST)


def test_at_another_prevalence_every_demand_holds_there(here):
    """By hand: the share of each class that errs, times what it costs."""
    a = ca.assess(Y, P)
    fnr, fpr = (P[Y] < 0.5).mean(), (P[~Y] >= 0.5).mean()
    for share in (0.01, 0.4):
        there = a.at_prevalence(share)
        cost = share * 5 * fnr + (1 - share) * 2 * fpr
        precision = share * (1 - fnr) / (share * (1 - fnr) + (1 - share) * fpr)
        for slack, code in ((1e-6, 0), (-1e-6, 1)):
            demand = f"expected_cost <= {cost + slack} and precision >= {precision - slack}"
            done = call(*CALL, "--cost", "fp=2,fn=5", "--prevalence", str(share), "--require", demand)
            assert done[0] == code
            assert done[2].count(f"at a prevalence of {share}") == 2
        assert_requirements(there, f"expected_cost <= {cost + 1e-6}", cost={"fp": 2, "fn": 5})
        assert there.expected_cost({"fp": 2, "fn": 5}).per_case.value == pytest.approx(cost)
