"""Leaderboards: who may be the best, by how much, at which place; what to expect of the leader."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

import classay as ca
from classay.comparison.leaderboard import JointValues, _quantiles, leaderboard_of
from classay.errors import InputError
from classay.inference.design import SamplingUnits
from classay.inference.estimate import Estimate
from classay.inference.proportions import normal_quantile

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "leaderboard.json").read_text(encoding="utf-8"))
RNG = np.random.default_rng(3)
N = 240
Y = RNG.random(N) < 0.4
COMMON = RNG.normal(size=N)
SCORES = {
    name: 1 / (1 + np.exp(-(1.5 * Y + COMMON / 2 + RNG.normal(size=N) * noise)))
    for name, noise in zip("vwxyz", (0.8, 0.9, 1.2, 2.0, 4.0), strict=True)
}
MEASURES = ["roc_auc", "average_precision", "log_loss", "accuracy", "f1"]


def wald(values, covariance):
    def own(name, level):
        k = ord(name) - ord("a")
        half = normal_quantile(level) * covariance[k, k] ** 0.5
        return Estimate(values[k], values[k] - half, values[k] + half, level, "Wald")

    return own


def independent(better=1):
    theta, n = np.array(ORACLE["theta"]), ORACLE["n"]
    covariance = np.diag(theta * (1 - theta) / n)
    values = better * theta
    joint = JointValues("value", tuple("abcde"), values, covariance, better, SamplingUnits(n))
    return leaderboard_of(joint, wald(values, covariance))


def test_the_oracle_of_five_independent_proportions():
    board = independent()
    leads = [each.lead for each in board.standings]
    assert [each.low for each in leads] == pytest.approx(ORACLE["low"], abs=1e-3)
    assert [each.high for each in leads] == pytest.approx(ORACLE["high"], abs=1e-3)
    assert [each.may_be_best for each in board.standings] == ORACLE["may_be_best"]
    assert [list(each.ranks) for each in board.standings] == ORACLE["ranks"]
    assert board.needed == pytest.approx(6930, rel=0.02)


def test_less_is_better_mirrors_more_is_better():
    more, less = independent(), independent(better=-1)
    for one, other in zip(more.standings, less.standings, strict=True):
        assert (one.may_be_best, one.ranks, one.model) == (other.may_be_best, other.ranks, other.model)
        assert (one.lead.low, one.lead.high) == pytest.approx((-other.lead.high, -other.lead.low), abs=1e-12)
    assert less.expected.value == pytest.approx(-more.expected.value, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_where_a_place_reaches_1_of_a_model_that_is_not_the_best_both_statements_are_told(seed, tmp_path):
    rng = np.random.default_rng(seed)
    y = rng.random(420) < 0.5
    rights = np.linspace(0.94, 0.8, 9)
    labels = {f"m{k}": np.where(rng.random(420) < right, y, ~y) for k, right in enumerate(rights)}
    found = ca.compare(y_true=y, y_pred=labels, measures=["accuracy"])
    standings = found.leaderboard().standings
    odd = any(each.ranks[0] == 1 and not each.may_be_best for each in standings)
    page = tmp_path / "page.html"
    found.report(page)
    told = "so a rank of 1 may be possible for a model that is not best."
    for text in (str(found), found.to_markdown(), page.read_text(encoding="utf-8")):
        assert (told in " ".join(text.split())) == odd
    assert odd == (seed in (1, 2, 3, 5))


def shape(board, names=None):
    """What a leaderboard says, by the models' names or those that they are renamed to."""
    return [
        (
            (names or {}).get(each.model, each.model),
            each.may_be_best,
            each.ranks,
            *np.round([each.value.value, each.value.low, each.lead.value, each.lead.low, each.lead.high], 9),
        )
        for each in board.standings
    ]


def boards(scores, y, **how):
    return ca.compare(scores, y, measures=MEASURES, **how).leaderboards


@pytest.mark.parametrize("drawn", ["alike", "weights", "clusters"])
def test_neither_names_nor_order_nor_the_unit_of_weights_matter(drawn):
    rows = {"weights": {"weight": 1 + RNG.random(N)}, "clusters": {"cluster": np.arange(N) // 6}}
    how = rows.get(drawn, {})
    found = boards(SCORES, Y, **how)
    mixed = RNG.permutation(N)
    names = dict(zip("vwxyz", "edcba", strict=True))
    other = boards(
        {names[name]: SCORES[name][mixed] for name in "zvyxw"},
        Y[mixed],
        **{key: (column if key == "cluster" else 1000 * column)[mixed] for key, column in how.items()},
    )
    for one, two in zip(found, other, strict=True):
        assert shape(one, names) == shape(two)
        assert one.expected.value == pytest.approx(two.expected.value, abs=1e-9)


def test_each_value_is_that_of_assess_and_each_lead_that_of_the_pairs():
    compared = ca.compare(SCORES, Y, measures=MEASURES)
    for board in compared.leaderboards:
        for each in board.standings:
            alone = ca.assess(Y, SCORES[each.model])[board.measure]
            assert (each.value.value, each.value.low) == pytest.approx((alone.value, alone.low), abs=1e-12)
        leader, second = (each.model for each in board.standings[:2])
        pair = next(
            one for one in compared if one.measure == board.measure and {*one.models} == {leader, second}
        )
        assert abs(pair.effect.value) == pytest.approx(abs(board.standings[0].lead.value), abs=1e-12)
        assert board.standings[0].lead.low <= board.standings[0].lead.value <= board.standings[0].lead.high


def test_two_models_that_answer_alike_count_as_one():
    twice = SCORES | {"u": SCORES["v"]}
    for one, two in zip(boards(SCORES, Y), boards(twice, Y), strict=True):
        told = {each.model: each.may_be_best for each in two.standings}
        assert told["u"] == told["v"]
        assert {each.model: each.may_be_best for each in one.standings} == {
            name: best for name, best in told.items() if name != "u"
        }
    same = ca.compare(dict.fromkeys("abcd", SCORES["v"]), Y, measures=["roc_auc"]).leaderboard()
    assert same.may_be_best == tuple("abcd")
    assert not same.standings[0].lead.has_interval


def test_pairs_are_made_when_they_are_asked_for():
    compared = ca.compare(SCORES, Y, measures=["roc_auc", "accuracy"])
    assert compared.measures == ("roc_auc", "accuracy")
    assert "minus best other" in str(compared)
    assert compared.comparisons._make is not None
    assert "v minus w" in str(compared.in_pairs())
    again = pickle.loads(pickle.dumps(compared))
    assert again.comparisons == compared.comparisons
    assert again.leaderboards == compared.leaderboards
    assert len(compared) == 20


def test_answers_that_were_left_out_one_sidedly_are_told_first():
    hard = np.argsort(np.abs(SCORES["v"] - 0.5))[:60]
    answered = {**SCORES, "w": np.where(np.isin(np.arange(N), hard), np.nan, SCORES["w"])}
    found = ca.compare(answered, Y, measures=["accuracy"], unanswered="drop")
    assert "w has no prediction for 60" in " ".join(found.document().verdict)
    assert "missing predictions are not random" in " ".join(str(found).replace("┃", " ").split())


def test_what_has_no_joint_spread_is_told_and_not_put_in_order():
    board = ca.compare(SCORES, Y, measures=["expected_calibration_error", "roc_auc"]).leaderboard("ece")
    assert board.leader is None
    assert "joint distribution" in board.sentence
    assert len(board.standings) == 5


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"control": "v"}, "No leaderboard is available"),
        ({"rule": "superior"}, "No leaderboard is available"),
        ({"alternative": "greater"}, "No leaderboard is available"),
    ],
)
def test_where_there_is_no_leaderboard_the_reason_is_said(given, wanted):
    compared = ca.compare(SCORES, Y, measures=["roc_auc"], **given)
    with pytest.raises(InputError, match=wanted):
        compared.leaderboard()
    with pytest.raises(InputError, match="was not compared"):
        ca.compare(SCORES, Y, measures=["roc_auc"]).leaderboard("recall")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("models", "p", "n"), [(4, 0.8, 200), (14, 0.8, 200), (14, 0.97, 200), (30, 0.9, 1000)]
)
def test_the_best_of_equal_models_is_among_those_that_may_be_the_best(models, p, n):
    """The first of equal models is in the set in at least 93% of samples, and the leader's interval holds as often."""
    rng = np.random.default_rng(models)
    y = np.zeros(n, int)
    inside = holds = 0
    samples = 300
    for seed in range(samples):
        common = rng.random(n) < 0.6
        shared = rng.random(n) < p
        labels = {
            f"m{k:02d}": np.where(np.where(common, shared, rng.random(n) < p), 0, 1) for k in range(models)
        }
        y[:2] = (0, 1)
        board = ca.compare(
            y_true=y, y_pred=labels, measures=["accuracy"], positive=1, seed=seed
        ).leaderboard()
        inside += "m00" in board.may_be_best
        holds += board.expected is not None and board.expected.low <= p <= board.expected.high
    assert inside / samples > 0.93 - 3 * (0.05 * 0.95 / samples) ** 0.5
    assert holds / samples > 0.93 - 3 * (0.05 * 0.95 / samples) ** 0.5


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.9])
def test_of_one_rival_the_quantile_is_that_of_the_normal(correlation):
    covariance = np.array([[1.0, correlation], [correlation, 1.0]])
    z = np.random.default_rng(5).multivariate_normal([0, 0], covariance, 100_000)
    apart = np.sqrt(2 - 2 * correlation)
    d, widest = _quantiles(z, np.array([[0.0, apart], [apart, 0.0]]), 0.95)
    assert d == pytest.approx(ndtri(0.95), abs=0.02)
    assert widest == pytest.approx(ndtri(0.975), abs=0.02)


def equals(copies, door="scores"):
    """Four models of which the first so many say the same."""
    names = [*"dcba"]
    said = {name: SCORES["v" if k < copies else "xyz"[k - 1]] for k, name in enumerate(names)}
    return said if door == "scores" else {name: each > 0.5 for name, each in said.items()}


@pytest.mark.covering(1)
@pytest.mark.parametrize("measure", ["accuracy", "roc_auc", "log_loss", "f1"])
@pytest.mark.parametrize("copies", [1, 2, 3, 4])
def test_models_of_equal_values_share_a_place(copies, measure):
    found = ca.compare(equals(copies), Y, measures=[measure])
    board = found.leaderboard()
    places = board.places
    values = [each.value.value for each in board.standings]
    assert places == tuple(
        1 + sum(other != one and k < j for k, other in enumerate(values)) for j, one in enumerate(values)
    )
    assert len({*board.leaders}) == copies == places.count(1)
    assert board.leaders[0] == board.leader
    told = found.to_dict()["leaderboard"][0]
    assert tuple(each["place"] for each in told["models"]) == places
    assert (told["leader"], tuple(told["leaders"])) == (board.leader, board.leaders)
    best = ca.best_of(equals(copies), Y, measure=measure)
    assert (best.model, *best.equals) == board.leaders
    assert (" have the best " in best.sentence) == (copies > 1)
    for name in board.leaders[:3]:
        assert name in best.sentence.partition(" best ")[0]
    if copies > 1:
        assert "have the same observed value" in board.sentence


def test_a_tie_further_down_is_one_too():
    said = equals(1) | {"x": SCORES["y"], "y": SCORES["y"]}
    board = ca.compare(said, Y, measures=["roc_auc"]).leaderboard()
    places = dict(zip([each.model for each in board.standings], board.places, strict=True))
    assert places["x"] == places["y"]
    assert board.leaders == (board.leader,)
    assert max(board.places) <= len(board.standings)
    assert f"{places['x']:>2}  x" in str(ca.compare(said, Y, measures=["roc_auc"]))
