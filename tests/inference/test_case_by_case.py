"""Measures of several classes as sums over cases: influences against what happens when a case weighs more."""

import numpy as np
import pytest

import classay as ca
from classay.columns.labels import declared
from classay.inference.intervals import estimate
from classay.measures import get
from classay.tables import CaseTable, ClassScoreTable

NAMES = ("ranked_probability_score", "macro_average_precision")


def rows(n=60, k=3, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    scores = np.round(rng.dirichlet(np.ones(k), n) + 0.4 * np.eye(k)[true], 1) + 0.1
    return true, scores / scores.sum(1, keepdims=True)


@pytest.mark.parametrize("name", NAMES)
def test_influences_are_derivatives_by_the_weight_of_a_case(name):
    true, scores = rows()
    table = ca.assess(true, scores).class_scores
    value = ca.assess(true, scores).estimate(name).value
    found = get(name).influence(table, value, scores, true)
    for i in (0, 7, 30):
        weight = np.ones(true.size)
        moved = []
        for step in (1e-4, -1e-4):
            weight[i] = 1 + step
            moved.append(ca.assess(true, scores, weight=weight).estimate(name).value)
        assert found[i] / true.size == pytest.approx((moved[0] - moved[1]) / 2e-4, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_cases_alike_weights_alike_and_clusters_of_one(name):
    true, scores = rows(90)
    plain = ca.assess(true, scores).estimate(name)
    weighted = ca.assess(true, scores, weight=np.full(90, 0.3)).estimate(name)
    single = ca.assess(true, scores, cluster=np.arange(90)).estimate(name)
    assert plain.low < plain.value < plain.high
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
    assert (single.low, single.high) == pytest.approx((plain.low, plain.high), abs=0.01)
    twice = ca.assess(true, scores, frequency=np.full(90, 2)).estimate(name)
    assert (twice.high - twice.low) / (plain.high - plain.low) == pytest.approx(0.5**0.5, rel=0.07)


@pytest.mark.parametrize("name", ["log_loss", "multiclass_brier_score", "mean_reciprocal_rank"])
@pytest.mark.parametrize("unit", [1e-250, 1e-20, 1.0, 1e60, 1e250])
def test_weights_show_no_spread_of_losses_that_are_all_the_same(name, unit):
    """Sums of weighted squares round: that is no spread, whatever the unit of the weights."""
    rng = np.random.default_rng(0)
    weight, true = rng.gamma(2, size=40), rng.integers(0, 4, 40)
    scores = np.full((40, 4), 0.25)
    if name == "mean_reciprocal_rank":
        true[:], scores = 1, np.tile([0.3, 0.2, 0.3, 0.2], (40, 1))
    for each in (weight, np.repeat(weight[:20], 2), np.geomspace(1, 1e12, 40)):
        found = ca.assess(true, scores, labels=range(4), weight=unit * each).estimate(name)
        assert not found.has_interval
        assert "all cases have the same" in found.reason


def test_mean_ranks_of_weighted_and_clustered_cases():
    """Equal weights and clusters of one case are cases alike, and so are clusters of copies."""
    true, scores = rows(90)
    plain = ca.assess(true, scores).estimate("mean_reciprocal_rank")
    weighted = ca.assess(true, scores, weight=np.full(90, 0.3)).estimate("mean_reciprocal_rank")
    single = ca.assess(true, scores, cluster=np.arange(90)).estimate("mean_reciprocal_rank")
    for found in (weighted, single):
        assert (found.low, found.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
    twice = np.repeat(np.arange(90), 2)
    copies = ca.assess(true[twice], scores[twice], cluster=twice).estimate("mean_reciprocal_rank")
    assert (copies.low, copies.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
    true, scores = rows(2000)
    weight = np.random.default_rng(1).gamma(
        0.5, size=2000
    )  # their squares are on average 3 times the squared mean
    plain, uneven = (
        ca.assess(true, scores, **how).estimate("mean_reciprocal_rank") for how in ({}, {"weight": weight})
    )
    assert (uneven.high - uneven.low) / (plain.high - plain.low) == pytest.approx(3**0.5, rel=0.1)


@pytest.mark.parametrize("name", NAMES)
def test_what_shows_no_spread_has_a_reason(name):
    perfect = ca.assess([0, 1, 2] * 4, np.eye(3)[[0, 1, 2] * 4]).estimate(name)
    assert not perfect.has_interval
    assert "no variation" in perfect.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least"),
    [("ranked_probability_score", 0.92), ("macro_average_precision", 0.88), ("mean_reciprocal_rank", 0.92)],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_coverage_with_a_rare_class(name, least, weighted):
    """300 samples of 600 cases, 5% of the rarest class: Monte-Carlo error 1.3 points at 95%."""
    rng, shares = np.random.default_rng(5), np.array([0.5, 0.3, 0.15, 0.05])

    def drawn(n):
        true = rng.choice(4, n, p=shares)
        scores = np.exp(rng.normal(size=(n, 4)) + 1.2 * np.eye(4)[true]) * shares
        return true, scores / scores.sum(1, keepdims=True)

    truth = ca.assess(*drawn(300_000)).estimate(name).value
    held = 0
    for _ in range(300):
        true, scores = drawn(600)
        how = {"weight": rng.gamma(2, 1, 600)} if weighted else {}
        e = ca.assess(true, scores, labels=range(4), **how).estimate(name)
        held += e.low <= truth <= e.high
    assert held / 300 > least


@pytest.mark.parametrize("name", NAMES)
def test_a_class_of_one_case_is_told_without_a_warning(name):
    true, scores = rows()
    true[true == 2], true[0] = 0, 2
    scores[0] = 0, 0, 1  # of no influence: nothing times infinity
    assert ca.assess(true, scores).estimate(name).reason == "a class of one case shows no variation"


@pytest.mark.parametrize("apart", [0.5, 1.5, 3.0, 4.0])
def test_the_ranked_score_of_two_classes_ends_no_lower_than_half_the_brier_score(apart):
    """It is half of it, and both allow for one more case: of good classifiers 86 to 91% held."""
    rng = np.random.default_rng(int(10 * apart))
    true = (rng.random(300) < 0.4).astype(np.int64)
    p = 1 / (1 + np.exp(-apart * (rng.normal(size=300) + apart * (true - 0.5))))
    scores, labels = np.stack([1 - p, p], 1), declared([0, 1], ordered=True)
    ranked = estimate(get("ranked_probability_score"), ClassScoreTable.from_rows(scores, true, labels))
    brier = estimate(get("multiclass_brier_score"), CaseTable.from_rows(scores, true, labels))
    assert ranked.value == pytest.approx(brier.value / 2)
    assert ranked.high >= brier.high / 2 - 1e-12
    assert ranked.high == pytest.approx(brier.high / 2, rel=0.05)
