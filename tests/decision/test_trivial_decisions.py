"""Calling nobody, or everybody: no score is used, so none is charged, before and on new cases."""

import numpy as np
import pytest
from scipy.stats import beta, binom

import classay as ca
from classay.curves.curve import outwards
from classay.decision.expected_cost import Moments, expected_cost
from classay.tables import ConfusionMatrix
from classay.tables.checks import Amounts

N, POSITIVE = 100, 30
Y = np.arange(N) < POSITIVE
NOISE = np.random.default_rng(5).random(N)
AMOUNT = np.random.default_rng(6).gamma(2.0, 1.0, N)
COSTS = {"nobody": (300.0, 1.0), "everybody": (1.0, 300.0)}
WEIGHT = {"weight": np.random.default_rng(7).gamma(4.0, 1.0, N)}
CLUSTER = {"cluster": np.arange(N) % 25}


def decided(whom, amounts=False, y=Y, **columns):
    """A score without information under costs that make nobody, or everybody, the best rule."""
    fp, fn = COSTS[whom]
    more = {"amounts": {"amount": AMOUNT}} if amounts else {}
    score = np.where(y, NOISE / 2, 0.6)  # the wrong way round: no cut is worth its errors
    return ca.assess(y, score, **more, **columns), ca.Costs(fp=fp, fn=f"{fn}*amount" if amounts else fn)


@pytest.mark.covering(2)
@pytest.mark.parametrize("whom", COSTS)
@pytest.mark.parametrize("amounts", [False, True])
@pytest.mark.parametrize("columns", [{}, WEIGHT, CLUSTER], ids=["alike", "weight", "cluster"])
@pytest.mark.parametrize("held", [False, True])
def test_it_costs_what_the_errors_of_its_one_class_cost(whom, amounts, columns, held):
    a, costs = decided(whom, amounts, **columns)
    d = a.threshold(cost=costs, held_back=a if held else None)
    assert (d.calls_nobody, d.calls_everybody) == (whom == "nobody", whom == "everybody")
    w = columns.get("weight", np.ones(N))
    fp, fn = COSTS[whom]
    each = np.where(Y, fn * (AMOUNT if amounts else 1.0), 0.0) if whom == "nobody" else np.where(Y, 0.0, fp)
    for found in (d.cost, d.expected.cost):
        assert found.per_case.value == pytest.approx((w * each).sum() / w.sum())
        own, other = found.saving_over_none, found.saving_over_all
        own, other = (own, other) if whom == "nobody" else (other, own)
        assert own.value == own.low == own.high == 0
        rule = {"nobody": "no case", "everybody": "every case"}[whom]
        assert own.method == f"certain, because predicting {rule} positive is the decision itself"
        assert other.value > 0
    assert d.expected.objective == d.apparent == d.cost.per_case
    assert repr(d.expected.measures) == repr(d.measures)  # undefined ones are not themselves
    if not columns and not amounts:  # Jeffreys' interval of the one rate that counts
        k, size = (POSITIVE, fn) if whom == "nobody" else (N - POSITIVE, fp)
        limits = size * beta(k + 0.5, N - k + 0.5).ppf([0.025, 0.975])
        assert (d.expected.objective.low, d.expected.objective.high) == pytest.approx(tuple(limits), rel=0.03)


def test_swapping_the_classes_swaps_the_rules():
    a, costs = decided("nobody")
    nobody = a.threshold(cost=costs)
    swapped = ca.assess(~Y, -np.where(Y, NOISE / 2, 0.6), threshold=0.0)
    everybody = swapped.threshold(cost=ca.Costs(fp=costs.fn, fn=costs.fp))
    assert everybody.calls_everybody
    assert everybody.expected.objective.value == pytest.approx(nobody.expected.objective.value)
    assert (everybody.expected.objective.low, everybody.expected.objective.high) == pytest.approx(
        (nobody.expected.objective.low, nobody.expected.objective.high), rel=0.03
    )
    assert everybody.cost.saving_over_all.value == nobody.cost.saving_over_none.value == 0


def test_the_sentences_name_the_rule():
    for whom, said in (
        ("nobody", "Predict no case as positive (True)"),
        ("everybody", "Predict every case as positive"),
    ):
        a, costs = decided(whom)
        d = a.threshold(cost=costs)
        assert d.advice[0].startswith(said)
        assert "used to choose the threshold" not in d.advice[1]
        for text in (str(d), d.to_markdown(), d.methods_text()):
            assert "on these cases is optimistic" not in " ".join(text.split())
    d = ca.assess(Y, np.full(N, 0.5)).threshold(maximize="youden")
    assert "costs do not pay" not in str(d)
    assert d.notes == (
        "Predicting no case positive is best, because no threshold has a greater informedness.",
    )
    tied = ca.assess(Y, np.full(N, 0.5)).threshold(top=10)
    assert tied.advice[0] == "Predict no case as positive (True) (more than 10 share the highest score)."


def per_case(counts, amounts=None, always=None, seed=0, costs=None):
    """The cost of a case of a matrix `[predicted, true]`."""
    matrix = ConfusionMatrix(np.asarray(counts), (False, True), amounts=amounts)
    names = () if amounts is None else amounts.names
    moments = Moments.of(matrix, always=always)
    costs = costs or ca.Costs(fp=100, fn=1)
    return expected_cost(
        moments, costs, matrix.labels, names, cases=float(matrix.counts.sum()), seed=seed
    ).per_case


@pytest.mark.parametrize(("n", "share"), [(100, 0.3), (400, 0.02), (60, 0.5)])
def test_the_interval_of_calling_nobody_covers(n, share):
    """Enumerated over every number of positives that has a chance."""
    chance = binom(n, share).pmf(np.arange(n + 1))
    covered = 0.0
    for k in np.flatnonzero(chance > 1e-6):
        found = per_case([[n - k, k], [0, 0]], always=0)
        covered += chance[k] * (found.low <= share <= found.high)
    assert 0.93 <= covered <= 0.985


def test_the_cost_of_a_day_is_not_below_that_of_its_calls():
    """No amount is negative, so no mean of amounts is: however much few of them vary."""
    costs = ca.Costs(fp=5, tp=5, fn="amount")
    began_at_nothing = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y, called = rng.random(40) < 0.2, rng.random(40) < 0.5
        cell, amount = 2 * called + y, rng.lognormal(3, 1.5, 40)
        amounts = Amounts.of_rows(
            ("amount",), amount[:, None], lambda each, cell=cell: np.bincount(cell, each, 4).reshape(2, 2)
        )
        counts = np.bincount(cell, minlength=4).reshape(2, 2)
        found = per_case(counts, amounts, seed=seed, costs=costs)
        calls = 5 * beta(called.sum() + 1.0, 41.0 - called.sum()).ppf(0.001)
        began_at_nothing += found.low < calls
    assert not began_at_nothing


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_threshold_lies_in_its_interval_as_both_are_printed(seed, kind):
    rng = np.random.default_rng(seed)
    y = rng.random(300) < 0.3
    score = (rng.random(300) * 0.01 + 0.27 + 0.005 * y).astype(kind)
    d = ca.assess(y, score).threshold(cost=ca.Costs(fp=1, fn=2))
    (text,) = d.texts_of(d.threshold.value)
    low, high = (float(each) for each in outwards(text, d.threshold.low, d.threshold.high))
    assert low <= float(text) <= high
    assert low <= d.threshold.low * (1 + 1e-7)
    assert high >= d.threshold.high * (1 - 1e-7)
    assert f" {outwards(text, d.threshold.low, d.threshold.high)[0]} to " in str(d)


@pytest.mark.parametrize(("text", "low", "high"), [("2e-308", 2.2e-308, 1e308), ("5e-324", 5e-324, 1.7e308)])
def test_an_interval_from_the_smallest_float_to_the_largest_has_a_text(text, low, high):
    ends = [float(end) for end in outwards(text, low, high)]
    assert ends[0] <= float(text) < ends[1]
    assert ends[1] >= high
