"""Costs: their grammar, expected cost against sums by hand, amounts against repeated rows, and laws."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

import classay as ca
from classay.cli.lists import costs_in
from classay.decision.costs import Form
from classay.errors import InputError

RNG = np.random.default_rng(0)
N = 300
Y = RNG.random(N) < 0.2
P = np.clip(np.round(0.3 + 0.3 * Y + RNG.normal(0, 0.2, N), 2), 0, 1)
AMOUNT = np.round(RNG.lognormal(2, 1, N), 1)


@pytest.mark.parametrize(
    ("text", "constant", "factors"),
    [
        ("3", 3, {}),
        ("amount", 0, {"amount": 1}),
        ("-amount", 0, {"amount": -1}),
        ("0.8*amount", 0, {"amount": 0.8}),
        ("5 + 0.8 * amount", 5, {"amount": 0.8}),
        ("5 - fee + 2*amount", 5, {"fee": -1, "amount": 2}),
        ('"loan amount" + 1e3', 1000, {"loan amount": 1}),
        ("loan amount", 0, {"loan amount": 1}),
    ],
)
def test_forms(text, constant, factors):
    form = Form.of(text)
    assert (form.constant, dict(form.factors)) == (constant, factors)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3 4",
        "amount*2*",
        "* amount",
        "2*",
        "a + + b",
        "1.2.3",
        ".",
        "1..",
        "..5*fee",
        float("nan"),
        None,
        True,
        [],
    ],
)
def test_what_is_no_cost(text):
    with pytest.raises(InputError, match="Use a number, or an amount"):
        ca.Costs(fp=text, fn=1)


def test_what_is_refused():
    with pytest.raises(InputError, match="All costs are 0"):
        ca.Costs()
    a = ca.assess(Y, P)
    with pytest.raises(InputError, match="The cost depends on 'amount', but no amounts were given"):
        a.expected_cost(ca.Costs(fp=1, fn="amount"))
    with pytest.raises(
        InputError, match=r"The cost depends on 'amuont', but the amounts are amount. Did you mean 'amount'"
    ):
        ca.assess(Y, P, amounts={"amount": AMOUNT}).expected_cost(ca.Costs(fp=1, fn="amuont"))
    with pytest.raises(InputError, match=r"Unknown cost 'miss'. Costs: fp, fn"):
        a.expected_cost({"miss": 3})
    with pytest.raises(InputError, match="3 labels need 3 rows"):
        ca.Costs.from_array([[0, 1], [1, 0]], ["a", "b", "c"], rows="true")


@pytest.mark.parametrize(
    "matrix", [((0, 1),), ((0, 1), (1,)), ((0, 1, 2), (1, 0, 2)), (), [[0, 1], [1, 0]], ([0, 1], [1, 0])]
)
def test_a_matrix_of_another_shape_than_its_labels_is_refused(matrix):
    with pytest.raises(InputError, match=r"Costs\.from_array"):
        ca.Costs(matrix=matrix, labels=("a", "b"))


def by_hand(y, called, amount, weight):
    """Mean cost where a false positive costs 3, a miss the amount, a hit brings half of it."""
    cost = (
        np.where(called & ~y, 3.0, 0.0)
        + np.where(~called & y, amount, 0.0)
        - np.where(called & y, amount / 2, 0)
    )
    return float((cost * weight).sum() / weight.sum())


COSTS = ca.Costs(fp=3, fn="amount", tp="-0.5*amount")


@pytest.mark.parametrize("how", ["alike", "frequency", "weight", "cluster"])
def test_cost_a_case_by_hand(how):
    times = RNG.integers(1, 4, N)
    columns = {"alike": {}, "frequency": {"frequency": times}, "weight": {"weight": times / 7}}
    columns["cluster"] = {"cluster": np.arange(N) // 3}
    a = ca.assess(Y, P, amounts={"amount": AMOUNT}, **columns[how])
    weight = times if how in ("frequency", "weight") else np.ones(N)
    found = a.expected_cost(COSTS)
    expected = by_hand(Y, P >= 0.5, AMOUNT, weight)
    assert found.per_case.value == pytest.approx(expected, rel=1e-12)
    assert found.per_case.low < expected < found.per_case.high
    none = by_hand(Y, np.zeros(N, bool), AMOUNT, weight)
    everybody = by_hand(Y, np.ones(N, bool), AMOUNT, weight)
    assert found.saving_over_none.value == pytest.approx(none - expected, rel=1e-9)
    assert found.saving_over_all.value == pytest.approx(everybody - expected, rel=1e-9)
    assert found.total.value == pytest.approx(expected * a.n)


def test_normalised_cost_of_the_textbook():
    """M003 with costs 1 and 5 (E-03): E = 0.21, NE = 0.15; the source's formula gives 1.8."""
    a = ca.assess([1] * 10 + [0] * 90, y_pred=[1] * 6 + [0] * 4 + [1] + [0] * 89)
    found = a.expected_cost(ca.Costs(fp=1, fn=5))
    assert found.per_case.value == pytest.approx(0.21)
    assert found.normalised.value == pytest.approx(0.15)
    assert 0 <= found.normalised.low < 0.15 < found.normalised.high <= 1
    there = a.expected_cost(ca.Costs(fp=1, fn=5), prevalence=0.5)
    assert there.normalised.value == pytest.approx((5 * 0.4 + 1 / 90) / 6)


def test_whole_amounts_are_repeated_rows():
    """A miss that costs its amount is as many misses that cost 1: value for value, over every threshold."""
    amount = RNG.integers(1, 5, N)
    a = ca.assess(Y, P, amounts={"amount": amount})
    times = np.where(Y, amount, 1)
    b = ca.assess(Y, P, frequency=times)
    for t in np.unique(P)[::7]:
        one = a.at(t).expected_cost(ca.Costs(fp=1, fn="amount")).total.value
        other = b.at(t).expected_cost(ca.Costs(fp=1, fn=1)).total.value
        assert one == pytest.approx(other)
    first = a.threshold(cost=ca.Costs(fp=1, fn="amount")).threshold.value
    assert first == b.threshold(cost=ca.Costs(fp=1, fn=1)).threshold.value


def test_rows_with_amounts_and_frequencies_are_repeated_rows():
    times = np.arange(N) % 3 + 1
    amount = RNG.integers(1, 5, N)
    counted = ca.assess(Y, P, frequency=times, amounts={"amount": amount})
    repeated = ca.assess(
        *(np.repeat(each, times) for each in (Y, P)), amounts={"amount": np.repeat(amount, times)}
    )
    costs = ca.Costs(fp=1, fn="amount")
    for one, other in ((counted, repeated), (counted.at(0.3), repeated.at(0.3))):
        assert one.expected_cost(costs).per_case == other.expected_cost(costs).per_case
        assert one["roc_auc"] == other["roc_auc"]
    assert counted.threshold(cost=costs).threshold == repeated.threshold(cost=costs).threshold


def test_amounts_that_are_all_one_are_a_number():
    a = ca.assess(Y, P, amounts={"amount": np.full(N, 5.0)})
    one, other = a.expected_cost(ca.Costs(fp=1, fn="amount")), a.expected_cost(ca.Costs(fp=1, fn=5))
    for name in ("per_case", "normalised", "saving_over_none"):
        here, there = getattr(one, name), getattr(other, name)
        assert (here.value, here.low, here.high) == pytest.approx(
            (there.value, there.low, there.high), rel=1e-9
        )


@settings(max_examples=25)
@given(st.floats(0.01, 100), st.integers(0, 10**6))
def test_scaling_weights_or_costs(factor, seed):
    rng = np.random.default_rng(seed)
    w = rng.integers(1, 5, N) / 3
    a = ca.assess(Y, P, weight=w, amounts={"amount": AMOUNT})
    scaled = ca.assess(Y, P, weight=w * factor, amounts={"amount": AMOUNT})
    here, there = (each.expected_cost(COSTS).per_case for each in (a, scaled))
    assert (here.value, here.low, here.high) == pytest.approx((there.value, there.low, there.high), rel=1e-6)
    dear = a.expected_cost(ca.Costs(fp=3 * factor, fn=f"{factor!r}*amount", tp=f"{-0.5 * factor!r}*amount"))
    assert dear.per_case.value == pytest.approx(factor * here.value, rel=1e-6)


@pytest.mark.parametrize("n", [8, 30, N])
@pytest.mark.parametrize("of", ["saving_over_none", "saving_over_all"])
def test_equal_weights_and_clusters_of_one_row_are_rows_alone(n, of):
    """But for the correction n / (n - 1) of their variance, and the quantile of Student's t that clusters have."""
    given = {"y_true": Y[:n], "y_score": P[:n], "amounts": {"amount": AMOUNT[:n]}}

    def width(**drawn):
        found = getattr(ca.assess(**given, **drawn).expected_cost(COSTS), of)
        return np.array([found.value - found.low, found.high - found.value])

    corrected = width() * np.sqrt(n / (n - 1))
    np.testing.assert_allclose(width(weight=np.full(n, 0.5)), corrected, rtol=1e-6)
    wider = student(n - 1).ppf(0.975) / norm.ppf(0.975)
    np.testing.assert_allclose(width(cluster=np.arange(n)), wider * corrected, rtol=1e-6)


@pytest.mark.parametrize("kept", [np.ones(N, bool), Y, ~Y], ids=["both classes", "positives", "negatives"])
def test_amounts_that_are_all_alike_are_a_price(kept):
    """Of a class without cases too, which has amounts as the other one has."""
    alike = {"amount": np.full(int(kept.sum()), 7.0)}
    a = ca.assess(Y[kept].astype(int), P[kept], labels=[0, 1], positive=1, amounts=alike)
    one, other = (
        a.expected_cost(ca.Costs(fp=fp, fn=fn, tp=tp)).per_case
        for fp, fn, tp in (("amount", "2*amount", "-0.5*amount"), (7, 14, -3.5))
    )
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), rel=1e-5)


def test_rows_twice_in_their_clusters_are_about_as_wide_as_rows_alone():
    alone = ca.assess(Y, P, amounts={"amount": AMOUNT}).expected_cost(COSTS).per_case
    twice = np.tile(np.arange(N), 2)
    both = ca.assess(np.tile(Y, 2), np.tile(P, 2), amounts={"amount": np.tile(AMOUNT, 2)}, cluster=twice)
    found = both.expected_cost(COSTS).per_case
    assert (found.high - found.low) == pytest.approx(alone.high - alone.low, rel=0.2)


def test_several_classes():
    y, called = RNG.integers(0, 3, 200), RNG.integers(0, 3, 200)
    costs = np.array([[0, 1, 4], [2, 0, 1], [9, 3, 0]])  # [true][predicted]
    a = ca.assess(y, y_pred=called)
    found = a.expected_cost(ca.Costs.from_array(costs, [0, 1, 2], rows="true"))
    assert found.per_case.value == pytest.approx(costs[y, called].mean())
    assert found.per_case.low < found.per_case.value < found.per_case.high
    assert found.normalised.value == pytest.approx(costs[y, called].mean() / costs.max(1)[y].mean())
    with pytest.raises(
        InputError, match=r"The costs have labels \('a', 'b', 'c'\), but the classes are \(0,"
    ):
        a.expected_cost(ca.Costs.from_array(costs, ["a", "b", "c"], rows="true"))


def test_saved_loaded_merged(tmp_path):
    half = N // 2
    parts = [
        ca.assess(Y[own], P[own], amounts={"amount": AMOUNT[own]}) for own in (slice(half), slice(half, None))
    ]
    parts[0].save(tmp_path / "a.classay")
    merged = ca.load(tmp_path / "a.classay") + parts[1]
    whole = ca.assess(Y, P, amounts={"amount": AMOUNT})
    here, there = (each.expected_cost(COSTS).per_case for each in (merged, whole))
    assert (here.value, here.low, here.high) == pytest.approx((there.value, there.low, there.high), rel=1e-9)


def test_oracle_of_the_probability_threshold():
    assert ca.Costs(fp=1, fn=5).threshold == pytest.approx(1 / 6)  # Elkan 2001: c / (c + 5c)
    assert ca.Costs(fp=1, fn=9, tp=0, tn=0).threshold == pytest.approx(0.1)
    assert np.isnan(ca.Costs(fp=1, fn="amount").threshold)
    for always in (ca.Costs(fp=0, fn=1), ca.Costs(fp=1, fn=0), ca.Costs(fp=-1, fn=3), ca.Costs(fp=3, fn=-1)):
        assert np.isnan(always.threshold)  # one answer costs less whatever the probability


@pytest.mark.covering(1)
@pytest.mark.parametrize("how", ["alike", "weight", "cluster"])
@pytest.mark.parametrize("unit", [1e-20, 1e-6, 1e9])
def test_the_unit_of_amounts_is_that_of_costs(how, unit):
    rng = np.random.default_rng(2)
    drawn = {
        "alike": {},
        "weight": {"weight": rng.gamma(2, size=N)},
        "cluster": {"cluster": np.arange(N) // 4},
    }

    def costs_in(unit):
        a = ca.assess(Y, P, amounts={"amount": unit * AMOUNT}, threshold=0.5, **drawn[how])
        cost = ca.Costs(fp=3 * unit, fn="amount", tp=-0.01 * unit)
        found, chosen = a.expected_cost(cost), a.threshold(cost=cost)
        of_cost = (found.per_case, found.saving_over_none, found.saving_over_all, chosen.expected.objective)
        shares = (found.normalised, chosen.threshold, chosen.expected.cost.normalised)
        return np.array(
            [[getattr(each, end) / size for end in ("value", "low", "high")]
             for size, each in [*((unit, each) for each in of_cost), *((1, each) for each in shares)]]
        )  # fmt: skip

    np.testing.assert_allclose(costs_in(unit), costs_in(1.0), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("unit", [1e-12, 1e-6, 1e-5, 1e6])
@pytest.mark.parametrize("amount", [0.0, 2.0])
def test_the_unit_of_weights_is_none_of_costs_whatever_the_amounts(unit, amount):
    """Of amounts that are all 0 too, which have no size of their own to take a step by."""
    given = {"y_true": [0, 0, 0, 1], "y_score": [0.2, 0.95, 0.4, 0.7], "threshold": 0.9}
    one, other = (
        ca.assess(**given, weight=np.full(4, by), amounts={"x": np.full(4, amount)}).expected_cost(
            {"fn": "1 + x"}
        )
        for by in (1.0, unit)
    )
    for name in ("per_case", "normalised", "saving_over_none"):
        a, b = (getattr(each, name) for each in (one, other))
        np.testing.assert_allclose([b.value, b.low, b.high], [a.value, a.low, a.high], rtol=1e-6, atol=1e-12)


@pytest.mark.covering(1)
@pytest.mark.parametrize("how", ["alike", "weight", "cluster"])
@pytest.mark.parametrize("cost", [{"fn": "amount"}, {"fp": 0.001, "fn": "0.5*amount"}, {"fp": 0.1, "fn": 7}])
def test_what_cannot_be_negative_has_no_interval_below_zero(how, cost, tmp_path):
    """No amount is negative, so no cost is: of new cases either; where one is, nothing is known."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        y = rng.random(40) < 0.2
        y[0], amount = True, rng.lognormal(0, 3, 40)
        p = np.clip(0.3 + 0.4 * y + rng.normal(0, 0.2, 40), 0, 1)
        drawn = {"weight": rng.gamma(1, size=40)} if how == "weight" else {}
        drawn |= {"cluster": np.arange(40) // 5} if how == "cluster" else {}

        def made(amount, y=y, p=p, drawn=drawn):
            return ca.assess(y, p, amounts={"amount": amount}, threshold=0.5, positive=True, **drawn)

        a = made(amount)
        found, chosen = a.expected_cost(cost), a.threshold(cost=cost)
        for each in (found, chosen.cost, chosen.expected.cost):
            assert each.bounds[0][0] == 0
            assert not each.per_case.low < 0
            assert not each.total.low < 0
            assert not each.normalised.low < 0
            assert not each.normalised.high > 1
        assert not chosen.expected.objective.low < 0
        assert (a + a).expected_cost(cost).bounds == found.bounds
        a.save(tmp_path / "a.classay")
        assert ca.load(tmp_path / "a.classay").expected_cost(cost) == found
        if "amount" in str(cost):
            mixed = a + made(-amount)
            assert mixed.expected_cost(cost).bounds == ((-np.inf, np.inf), (-np.inf, np.inf))


def test_amounts_of_a_frame_under_another_name():
    frame = {"y": [0, 1] * 20, "p": np.linspace(0, 1, 40), "Amount (EUR)": np.arange(40.0)}
    named = ca.assess(frame, truth="y", score="p", amounts={"amount": "Amount (EUR)"})
    plain = ca.assess(frame["y"], frame["p"], amounts={"amount": frame["Amount (EUR)"]})
    costs = ca.Costs(fp=1, fn="amount")
    assert named.expected_cost(costs).per_case == plain.expected_cost(costs).per_case


@pytest.mark.parametrize("name", ["fee-net", "a+b", "2*x", "net amount", "1st", " blank ", "fee"])
def test_the_name_of_an_amount_decides_nothing(name):
    rng = np.random.default_rng(2)
    y = rng.random(200) < 0.3
    p, amount = 0.4 * y + 0.6 * rng.random(200), rng.gamma(2.0, 3.0, 200)
    form = Form.of(f'2 + 0.5*"{name}"')
    assert Form.of(str(form)) == form
    named, plain = (
        ca.assess(y, p, amounts={key: amount}).threshold(cost=ca.Costs(fp=1, fn=f'2 + 0.5*"{key}"'))
        for key in (name, "amount")
    )
    assert (named.threshold, named.expected.objective, named.changes) == (
        plain.threshold,
        plain.expected.objective,
        plain.changes,
    )
    assert named.to_dict()["costs"]["entries"] | {"fn": 0} == plain.to_dict()["costs"]["entries"] | {"fn": 0}


def test_a_matrix_of_two_classes_is_the_four_costs_by_name():
    """In the contract, the methods and the changes too, whatever the order of the labels."""
    rng = np.random.default_rng(3)
    y = np.where(rng.random(200) < 0.3, "bad", "good")
    p = 0.4 * (y == "bad") + 0.6 * rng.random(200)
    a = ca.assess(y, p, positive="bad")
    named = a.threshold(cost=ca.Costs(fp=1, fn=5, tp=-1, tn=0))
    for labels, rows in ((["good", "bad"], [[0, 1], [5, -1]]), (["bad", "good"], [[-1, 5], [1, 0]])):
        d = a.threshold(cost=ca.Costs.from_array(rows, labels, rows="true"))
        assert d.to_dict() == named.to_dict()
        assert d.methods_text() == named.methods_text()
        assert a.expected_cost(ca.Costs.from_array(rows, labels, rows="true")) == a.expected_cost(
            named.rule.cost
        )


def test_a_cost_at_the_end_of_its_range_lies_in_its_interval():
    """Where each error is certain to cost something, the sums of value and range are rounded differently."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        weight = np.append(rng.choice([1.0, 50.0, 3.3], rng.integers(3, 9)), 1.0)
        score = rng.random(weight.size)
        for truth in (np.zeros(weight.size, int), (score > 0.7).astype(int)):
            a = ca.assess(truth, score, labels=[0, 1], positive=1, weight=weight, level=0.5)
            for cost in ({"fp": 1, "fn": 1}, {"fp": 3, "fn": 5}, {"fp": 0, "fn": 1}):
                found = a.expected_cost(cost).per_case
                assert not found.has_interval or found.low <= found.value <= found.high, (seed, cost, found)


@pytest.mark.parametrize("missed", [(14.29,), (18.31, 14.29, 11.12, 72.95), (0.01,)])
def test_few_amounts_missed_are_no_more_than_all_that_is_at_stake(missed):
    """One small amount says little of the others that may be missed, but they are of the same class."""
    rng = np.random.default_rng(5)
    found = np.concatenate([missed, rng.lognormal(4, 1, 20)])
    y, amount = np.arange(120) < found.size, np.concatenate([found, np.full(120 - found.size, 7.0)])
    called = y & (np.arange(120) >= len(missed))
    a = ca.assess(y, y_pred=called, positive=True, amounts={"amount": amount})
    cost = a.expected_cost(ca.Costs(fp=3, fn="amount"))
    nobody = ca.assess(y, y_pred=np.zeros(120, bool), positive=True, amounts={"amount": amount})
    at_stake = nobody.expected_cost(ca.Costs(fp=3, fn="amount")).per_case
    assert cost.per_case.value == pytest.approx(sum(missed) / 120)
    assert cost.per_case.high < at_stake.value
    assert cost.saving_over_none.low > 0
    assert cost.saving_over_all.low > 3 - at_stake.high - 3 * y.mean()


@pytest.mark.parametrize("how", ["alike", "weight", "cluster"])
def test_an_amount_that_nothing_costs_moves_nothing(how, tmp_path):
    """Only misses cost their amount: those of negatives may be anything, below zero too."""
    drawn = {
        "alike": {},
        "weight": {"weight": 1.0 + np.arange(N) % 3},
        "cluster": {"cluster": np.arange(N) // 4},
    }[how]
    costs, found = ca.Costs(fp=3, fn="amount"), []
    for others in (
        AMOUNT,
        np.where(np.arange(N) % 7, AMOUNT, -50.0),
        np.zeros(N),
        np.full(N, 1e6),
        np.full(N, 1e60),
    ):
        amount = np.where(Y, AMOUNT, others)
        a = ca.assess(Y, P, amounts={"amount": amount}, positive=True, threshold=0.5, **drawn)
        found.append(a.expected_cost(costs))
        assert a.threshold(cost=costs).cost.bounds[0] == (0.0, np.inf)
        a.save(tmp_path / "a.classay")
        assert ca.load(tmp_path / "a.classay").expected_cost(costs) == found[-1]
        assert (a + a).expected_cost(costs).bounds == found[-1].bounds
    for each in found[1:]:
        for name in ("per_case", "saving_over_none", "saving_over_all", "normalised"):
            here, there = getattr(each, name), getattr(found[0], name)
            ends = [(one.value, one.low, one.high) for one in (here, there)]
            np.testing.assert_allclose(*ends, rtol=1e-9)
    swapped = ca.assess(Y, P, amounts={"amount": np.where(Y, -AMOUNT, AMOUNT)}, positive=True, threshold=0.5)
    assert swapped.expected_cost(costs).bounds[0] == (-np.inf, np.inf)


def test_a_cost_that_is_no_number_is_not_named_twice():
    with pytest.raises(InputError, match="fp is nan"):
        costs_in(["fp=nan", "fn=1"])
    with pytest.raises(InputError, match=r"--cost sets fp twice, to 1\.0 and to 2\.0"):
        costs_in(["fp=1", "fp=2"])


@pytest.mark.parametrize("nothing", ["0*fee", "0", "fee-fee", "0+0*fee"])
def test_nothing_costs_anything_however_it_is_written(nothing):
    with pytest.raises(InputError, match="All costs are 0"):
        ca.Costs(fp=nothing, fn=0)
    assert not ca.Costs(fp=1, fn=nothing).misses_cost


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (2, 1), (1, 2), (0, 0)])
def test_costs_of_another_shape_are_told_with_their_rows_and_columns(shape):
    with pytest.raises(InputError, match=f"have {shape[0]} rows of {shape[1] or 'no'} costs, but 2 labels"):
        ca.Costs.from_array(np.ones(shape), [0, 1], rows="true")
    with pytest.raises(InputError, match=r"The costs must have a row for every label, but are \[1, 2\]"):
        ca.Costs.from_array([1, 2], [0, 1], rows="true")


@pytest.mark.parametrize("n", [8, 12])
def test_where_every_case_is_one_error_the_cost_is_a_mean_of_amounts(n):
    """Student's interval of the amounts, a little narrower as few of the cases might have been right."""
    amounts = np.random.default_rng(n).normal(0, 3, n)
    amounts -= amounts.mean()
    a = ca.assess(np.ones(n, int), y_pred=np.zeros(n, int), labels=[0, 1], amounts={"x": amounts})
    found = a.expected_cost({"fn": "x"}).per_case
    half = student.ppf(0.975, n - 1) * amounts.std(ddof=1) / n**0.5
    assert found.value == pytest.approx(0, abs=1e-12)
    assert 0.87 < (found.high - found.low) / (2 * half) < 1


def by_rows(costs):
    return pl.DataFrame(costs, orient="row")


@pytest.mark.parametrize("rows", ["true", "predicted"])
@pytest.mark.parametrize("frame", [pd.DataFrame, by_rows, np.array, list])
def test_costs_of_a_frame_are_its_entries_and_not_its_names(rows, frame):
    costs = [[0.0, 1.0], [5.0, 0.0]]
    found = ca.Costs.from_array(frame(costs), [0, 1], rows=rows)
    assert found == ca.Costs.from_array(costs, [0, 1], rows=rows)
    if frame is pd.DataFrame:
        named = pd.DataFrame(costs, columns=["1", "2"], index=["3", "4"])
        assert ca.Costs.from_array(named, [0, 1], rows=rows) == found


@pytest.mark.parametrize("costs", [["01", "10"], np.array(["01", "10"]), {"01": 1, "10": 2}, "01"])
def test_rows_of_costs_are_no_texts(costs):
    with pytest.raises(InputError, match="The costs must be a row of costs for every label, not the text"):
        ca.Costs.from_array(costs, [0, 1], rows="true")


@pytest.mark.parametrize("nothing", ["0*fee", "fee-fee", "0+0*fee"])
def test_an_amount_of_no_factor_is_no_amount_at_any_door(nothing):
    plain, other = ca.Costs(fp=5, fn=0), ca.Costs(fp=5, fn=nothing)
    assert (str(other), other.names, other.acting_may_cost, other.misses_cost) == (
        str(plain),
        (),
        False,
        False,
    )
    assert ca.Costs(fp=1, fn=f"5+{nothing}").threshold == ca.Costs(fp=1, fn=5).threshold
    assert ca.Costs(fp=f"3+{nothing}", fn="amount").acting_may_cost
    assert ca.Costs(fp=1, fn="fee").scaled(fn=0).names == ()


def test_what_is_written_to_cancel_leaves_no_amount():
    """Terms are added as they are written in decimals, and not as floats."""
    assert Form.of("0.1*fee + 0.2*fee - 0.3*fee + 2") == Form.of(2)
    assert Form.of("0.1 + 0.2 - 0.3 + fee") == Form.of("fee")
    assert Form.of("0.1 + 0.2") == Form.of(0.3)


@pytest.mark.parametrize("unit", [1.0, 0.1, 0.7, 1 / 3, 1000.0])
def test_what_saves_nothing_saves_nothing_in_any_unit(unit):
    """Two hits of 3 against six false alarms of 1, as costs and as benefits; and one of 0.3 against three of 0.1."""
    a = ca.assess([1, 1] + [0] * 6 + [1, 0], [0.9] * 8 + [0.1, 0.1])
    paid = a.expected_cost(ca.Costs(fp=unit, fn=3 * unit))
    assert paid.saving_over_none.value == 0
    earned = a.expected_cost(ca.Costs(fp=unit, tp=-3 * unit, fn=0))
    assert earned.per_case.value == earned.total.value == earned.saving_over_none.value == 0
    by_three = ca.assess([0] * 3 + [1, 1, 0], [0.9] * 4 + [0.1, 0.1])
    found = by_three.expected_cost(ca.Costs(fp=0.1 * unit, fn=0.3 * unit))
    assert found.saving_over_none.value == 0


@pytest.mark.parametrize("unit", [1.0, 0.1, 0.7, 1 / 3, 1000.0])
def test_where_costs_and_benefits_balance_nobody_is_called_in_any_unit(unit):
    """The first four cases leave 3 - 1 - 1 - 1 = 0, as calling nobody does, and all further ones cost."""
    a = ca.assess([1, 0, 0, 0, 0, 0], [0.9, 0.9, 0.9, 0.9, 0.2, 0.1])
    costs = ca.Costs(fp=0.1 * unit, fn=0, tp=-0.3 * unit)
    assert a.threshold(cost=costs).calls_nobody
    assert a.threshold(cost=costs, top=5).calls_nobody


@pytest.mark.parametrize(("cost", "of"), [({"fn": "amount", "fp": 20}, 1), ({"fp": "amount", "fn": 20}, 0)])
def test_a_negative_amount_is_told_where_it_is_a_cost(cost, of):
    """An amount below 0 turns a cost into a gain, but only in the class whose cost it is."""
    y, p, amount = [0, 1] * 50, np.linspace(0.1, 0.9, 100), np.arange(100.0) + 1
    for lowest in (0, 1):
        amounts = {"amount": np.where(np.arange(100) == lowest, -5, amount)}
        notes = ca.assess(y, p, amounts=amounts).threshold(cost=ca.Costs(**cost)).notes
        assert any(f"'amount' is as low as -5 in cases of class {of}." in note for note in notes) == (
            lowest == of
        )
