"""Cost curves of several models: B-19, hull equivalence, and who wins where."""

import json

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.curves.acting import cost_curve
from classay.decision.cost_curves import TRIVIAL, CostSpread, honest_ranges
from classay.errors import InputError
from classay.tables import ScoreTable
from command import call
from samples import ORACLES, oracles

CURVES = json.loads((ORACLES / "curves.json").read_text())

RNG = np.random.default_rng(2)
Y = RNG.random(600) < 0.3
GOOD, POOR = Y * 2 + RNG.normal(size=600), Y * 0.5 + RNG.normal(size=600)


def test_the_envelope_of_the_textbook():
    t20 = oracles()["T20"]
    curve = cost_curve(ScoreTable.from_rows(np.array(t20["sA"]), np.array(t20["y"], bool)))
    assert np.trapezoid(curve.y, curve.x) == pytest.approx(
        CURVES["CostCurve_T20"]["value"]["lower_envelope_area"]
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_envelope_is_the_least_line(seed):
    rng = np.random.default_rng(seed)
    y, s = rng.random(40) < 0.4, rng.integers(0, 12, 40) / 12
    if y.all() or not y.any():
        y[0] = not y[0]
    curve = cost_curve(ScoreTable.from_rows(s, y))
    x = np.linspace(0, 1, 101)
    lines = [x * (1 - (s[y] >= t).mean()) + (1 - x) * (s[~y] >= t).mean() for t in [np.inf, *np.unique(s)]]
    np.testing.assert_allclose(np.interp(x, curve.x, curve.y), np.min(lines, axis=0), atol=1e-12)


def test_the_better_model_wins_in_the_middle():
    found = ca.cost_curves({"good": GOOD, "poor": POOR}, Y, cost=ca.Costs(fp=1, fn=2))
    middle = found.best_at(0.5)
    assert (middle.best, middle.wins) == ("good", True)
    assert found.ranges[0].best == found.ranges[-1].best == "all or nothing"
    assert found.ranges[0].low == 0
    assert found.ranges[-1].high == 1
    assert [a.high for a in found.ranges[:-1]] == [b.low for b in found.ranges[1:]]
    assert found.at == pytest.approx(2 * Y.mean() / (2 * Y.mean() + 1 - Y.mean()))
    for curve in found.curves:
        assert (curve.low <= curve.y).all()
        assert (curve.y <= curve.high).all()


def test_a_model_without_signal_does_not_win():
    found = ca.cost_curves({"noise": RNG.normal(size=600)}, Y)
    assert not any(each.wins and each.best == "noise" for each in found.ranges)


def test_the_same_model_twice_wins_nowhere():
    found = ca.cost_curves({"a": GOOD, "b": GOOD}, Y)
    assert not any(each.wins and each.best in "ab" for each in found.ranges)


def test_clusters_and_frequencies():
    times = np.full(Y.size, 2)
    alone = ca.cost_curves({"good": GOOD}, Y)
    twice = ca.cost_curves({"good": GOOD}, Y, frequency=times)
    np.testing.assert_allclose(alone.curves[0].y, twice.curves[0].y, atol=1e-12)
    clustered = ca.cost_curves({"good": GOOD}, Y, cluster=np.arange(Y.size) // 3)
    assert clustered.best_at(0.5).best == "good"


def test_amounts_are_repeated_cases():
    """Where a miss costs the amount and all else 1, a case of amount 3 is three cases."""
    amount = RNG.integers(1, 6, Y.size)
    cost = ca.Costs(fp=1, fn="amount")
    found = ca.cost_curves({"good": GOOD, "poor": POOR}, Y, cost=cost, amounts={"amount": amount})
    times = np.where(Y, amount, 1)
    again = ca.cost_curves({"good": GOOD, "poor": POOR}, Y, frequency=times, cost=ca.Costs(fp=1, fn=1))
    for one, two in zip(found.curves, again.curves, strict=True):
        np.testing.assert_allclose(one.y, two.y, atol=1e-12)
    assert found.at == pytest.approx(again.at)
    assert found.at == pytest.approx(amount[Y].sum() / (amount[Y].sum() + (~Y).sum()))
    assert found.best_at(found.at).best == "good"


def test_costs_of_numbers_move_the_place_and_nothing_else():
    plain = ca.cost_curves({"good": GOOD, "poor": POOR}, Y)
    priced = ca.cost_curves({"good": GOOD, "poor": POOR}, Y, cost=ca.Costs(fp=3, fn=20, tp=-2, tn=1))
    assert priced.ranges == plain.ranges
    for one, two in zip(plain.curves, priced.curves, strict=True):
        np.testing.assert_array_equal(one.y, two.y)
    share = Y.mean()
    assert priced.at == pytest.approx(22 * share / (22 * share + 2 * (1 - share)))
    in_amounts = ca.cost_curves(
        {"good": GOOD, "poor": POOR}, Y, cost=ca.Costs(fp=1, fn="a"), amounts={"a": np.full(Y.size, 9)}
    )
    assert in_amounts.ranges == plain.ranges
    assert in_amounts.at == pytest.approx(9 * share / (9 * share + 1 - share))
    assert (
        ca.cost_curves({"good": GOOD}, Y, cost=ca.Costs(fp=-1, fn=5)).at is None
    )  # acting on all always pays
    assert ca.cost_curves({"good": GOOD}, Y, cost=ca.Costs(fn=5)).at == 1


def test_the_order_and_the_scale_of_models_change_nothing():
    one = ca.cost_curves({"good": GOOD, "poor": POOR}, Y)
    two = ca.cost_curves({"poor": np.exp(POOR), "good": 7 * GOOD - 3}, Y)
    assert [(each.low, each.high, each.best) for each in one.ranges] == [
        (each.low, each.high, each.best) for each in two.ranges
    ]


TWIN = Y * 2 + np.random.default_rng(8).normal(size=600)


@pytest.mark.parametrize(
    "order", [["good", "twin", "poor"], ["poor", "good", "twin"], ["twin", "poor", "good"]]
)
def test_a_model_that_surely_costs_more_is_named_where_the_best_does_not_win(order):
    models = {"good": GOOD, "twin": TWIN, "poor": POOR}
    found = ca.cost_curves({name: models[name] for name in order}, Y, cost=ca.Costs(fp=1, fn=2))
    middle = found.best_at(0.5)
    assert not middle.wins
    assert [name for name, low, high in middle.dearer if low <= 0.5 <= high] == ["poor"]
    assert "poor" in middle.dearer_said(0.5)
    assert middle.dearer_said(0.5).endswith(" costs significantly more")
    assert " twin" not in middle.dearer_said()
    assert any(", and poor" in each and each.endswith("costs significantly more.") for each in found.advice)
    for each in found.ranges:
        assert all(each.low <= low < high <= each.high for _, low, high in each.dearer)
        assert each.best not in [name for name, _, _ in each.dearer]
        if each.wins:
            assert {name for name, _, _ in each.dearer} == {*order} - {each.best}
            assert each.dearer_said() == ""


def test_the_edge_of_all_is_above_that_of_one():
    """One difference alone needs the normal quantile, independent ones need more, copies of one do not."""
    rng = np.random.default_rng(0)
    shares = np.ones((400, 2)) / 400

    def edge(*columns):
        sums = {str(k): each for k, each in enumerate((np.zeros_like(columns[0]), *columns))}
        return CostSpread.of(sums, shares).critical(0.95, np.random.default_rng(1))

    single = rng.normal(size=(400, 1)) / 400
    assert edge(single) == pytest.approx(1.96, abs=0.1)
    assert edge(np.repeat(single, 30, 1)) == pytest.approx(1.96, abs=0.1)
    independent = rng.normal(size=(400, 20)) / 400
    # twenty independent ones: 1 - 0.95^(1/20), two-sided
    assert edge(independent) == pytest.approx(3.02, abs=0.15)
    assert edge(np.zeros((400, 3))) == pytest.approx(1.96, abs=0.01)


def test_what_is_refused():
    with pytest.raises(InputError, match="one class"):
        ca.cost_curves({"a": [0.1, 0.2]}, [0, 0])
    with pytest.raises(InputError, match="No model was passed"):
        ca.cost_curves({}, Y)


def test_its_forms():
    found = ca.cost_curves({"good": GOOD, "poor": POOR}, Y)
    for text in (str(found), found._repr_html_(), found.to_latex(), found.to_markdown()):
        assert "good" in text
    assert found.to_dict()["models"] == ["good", "poor"]


def test_the_advice_is_about_the_widest_ranges_and_names_the_trivial_rule():
    """Of several ranges few are told: those that hold most costs, in their order."""
    found = ca.cost_curves({"good": GOOD, "poor": POOR}, Y, cost=ca.Costs(fp=1e6, fn=1))
    first, *told = found.document().verdict
    assert found.best_at(found.at).best == TRIVIAL
    assert "predicting all or none positive costs no more than any model" in first
    widths = [each.high - each.low for each in found.ranges]
    wide = [found.advice[i] for i, each in enumerate(widths) if each >= sorted(widths)[-2]]
    assert told == wide[: len(told)]
    assert any("good has a significantly lower expected cost than every alternative" in each for each in told)


@pytest.mark.parametrize(("differ", "degrees"), [(4, 3), (12, 11), (4000, 3999)])
def test_few_cases_that_differ_ask_for_a_greater_difference(differ, degrees):
    """Of two models that judge only a few cases otherwise, nobody knows well how much that varies: Student's t."""
    n = 4000
    shares = np.zeros((n, 2))
    loss = np.where(np.arange(n) < differ, 1 / n, 0.0)[:, None]
    spread = CostSpread.of(
        {"a": np.zeros((n, 1)), "b": loss * np.where(np.arange(n) % 2, 1, -1)[:, None]}, shares
    )
    assert spread.rests_on == pytest.approx(np.array([[differ]]))
    normal = spread.critical(0.95, np.random.default_rng(0))
    edge = spread.edges(normal)
    assert stats.t(degrees).sf(edge[0, 0]) == pytest.approx(stats.norm.sf(normal))


def test_the_header_names_costs_and_prevalence():
    y = np.arange(60) % 3 == 0
    scores = {"one": np.sin(np.arange(60)) + y, "other": np.cos(np.arange(60)) + y}
    plain, priced = (
        ca.cost_curves(scores, y),
        ca.cost_curves(scores, y, cost={"fp": 1, "fn": 4}, prevalence=0.1),
    )
    assert {"costs", "prevalence"}.isdisjoint(dict(plain.facts))
    assert dict(priced.facts)["costs"] == "fp=1, fn=4"
    assert dict(priced.facts)["prevalence"] == "10% (assumed)"


@pytest.mark.parametrize("errors", [0, 1, 2, 5])
def test_a_model_wins_however_few_errors_it_makes(errors):
    """It differs from the trivial rule and from a coin in half of the cases, of which its errors are the least."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 100)
        score = np.where(np.arange(100) < errors, 1 - y, y) + 0.1 * rng.random(100)
        middle = ca.cost_curves({"a": score, "coin": rng.random(100)}, y).best_at(0.5)
        assert (middle.best, middle.wins) == ("a", True)


def test_a_difference_rests_on_the_cases_in_which_two_differ():
    def rests_on(k, errors):
        """Of a model that calls k of 60 positives, and a rule that calls none."""
        sums = {"model": np.zeros((120, 1)), "rule": np.zeros((120, 1))}
        sums["rule"][:60] = 1 / 60
        sums["model"][k:60] = 1 / 60
        sums["model"][60 : 60 + errors] = 1 / 60
        shares = np.zeros((120, 2))
        shares[:60, 1] = shares[60:, 0] = 1 / 60
        return CostSpread.of(sums, shares).rests_on.item()

    assert [rests_on(k, e) for k, e in ((60, 0), (60, 1), (40, 3), (2, 0), (0, 1))] == [60, 60, 43, 2, 1]


def without_signal_between(clusters, seed, size=40):
    """Two models as good, each better in some clusters."""
    rng = np.random.default_rng([clusters, seed])
    g = np.arange(size * clusters) % clusters
    y = rng.random(g.size) < 0.5
    scores = {name: y * rng.normal(1.8, 0.6, clusters)[g] + rng.normal(size=g.size) for name in "ab"}
    return y, scores, g


@pytest.mark.covering(1)
@pytest.mark.parametrize("clusters", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_so_few_clusters_tell_no_models_apart_and_a_note_says_so(clusters, weighted):
    """Two means are taken from them; what is left of 2 or 3 shows no spread, or hardly any."""
    for seed in range(3):
        y, scores, g = without_signal_between(clusters, seed)
        how = {"weight": 1 + np.arange(y.size) % 3} if weighted else {}
        found = ca.cost_curves(scores, y, cluster=g, **how)
        assert not any(each.wins for each in found.ranges if each.best != TRIVIAL)
        assert found.notes == ("No range can be significant with fewer than 4 clusters.",)
        assert found.notes[0] in " ".join(str(found).split())
        assert not ca.cost_curves(scores, y, **how).notes


@pytest.mark.covering(1)
@pytest.mark.parametrize(("positive", "negative"), [(1, 3), (2, 2), (3, 1), (2, 60), (60, 2)])
@pytest.mark.parametrize("times", [1, 20])
def test_a_difference_that_shows_no_spread_is_not_sure(positive, negative, times):
    """Whether each unit is one case or a cluster of twenty."""
    y = np.repeat([1, 0], [positive, negative]).repeat(times)
    unit = np.arange(positive + negative).repeat(times)
    wrong = np.where(unit == 0, 0, y)
    found = ca.cost_curves({"perfect": y, "one positive wrong": wrong}, y, cluster=unit)
    assert not any(each.wins for each in found.ranges if each.best != TRIVIAL)


def test_no_false_positive_in_a_few_negatives_is_not_surer_than_one():
    """Where a false positive is what costs, 30 negatives called rightly may hide a rate of 5%."""
    y = np.repeat([True, False], [600, 30])
    found = ca.cost_curves({"perfect": y}, y)
    assert not any(each.wins for each in found.ranges if each.low < 0.05)
    assert found.best_at(0.5).wins


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share"), [(60, 0.5), (60, 0.05), (200, 0.5), (200, 0.05)])
@pytest.mark.parametrize("signal", [0.0, 1.2, 3.0])
def test_equal_models_are_rarely_told_apart(n, share, signal):
    wins, x = [], np.linspace(0, 1, 41)
    for seed in range(300):
        rng = np.random.default_rng([seed, n])
        y = rng.random(n) < share
        y[:2] = False, True
        scores = {name: signal * y + rng.normal(size=n) for name in "ab"}
        fold = rng.permutation(np.arange(n) % 5)
        found, _ = honest_ranges(x, scores, y, np.ones(n), np.arange(n), fold, 0.95, seed)
        wins.append(any(each.wins and each.best in scores for each in found))
    assert np.mean(wins) <= 0.07


@pytest.mark.parametrize("place", [2.0, -1.0, np.nan, np.inf, None, "0.5"])
def test_no_range_holds_what_is_no_probability_cost(place):
    found = ca.cost_curves({"good": GOOD}, Y)
    with pytest.raises(InputError, match="from 0 to 1"):
        found.best_at(place)
    assert (found.best_at(0), found.best_at(1.0)) == (found.ranges[0], found.ranges[-1])


def test_names_and_options_that_would_be_lost_are_refused():
    with pytest.raises(InputError, match="Two models have the name '1'"):
        ca.cost_curves({1: GOOD, "1": POOR}, Y)
    with pytest.raises(InputError, match="the trivial rule"):
        ca.cost_curves({TRIVIAL: GOOD}, Y)
    with pytest.raises(InputError, match="A prevalence on cost curves needs costs"):
        ca.cost_curves({"good": GOOD}, Y, prevalence=0.3)


def test_costs_at_the_command_are_those_of_the_cases_that_all_models_answered(tmp_path):
    """As those of the same file without the other rows."""
    given = GOOD > 0  # what one model leaves out is what costs most
    rows = [
        f"{int(y)},{a:.6f},{f'{b:.6f}' if has else ''}"
        for y, a, b, has in zip(Y, GOOD, POOR, given, strict=True)
    ]
    kept = [row for row, has in zip(rows, given, strict=True) if has]
    made = []
    for name, each in (("all.csv", rows), ("kept.csv", kept)):
        (tmp_path / name).write_text("\n".join(["y,a,b", *each]) + "\n")
        how = ("--truth", "y", "--score", "a", "--score", "b", "--cost", "fp=1", "--cost", "fn=5")
        done = call("decide", str(tmp_path / name), *how, "--unanswered", "drop", "--json", "-")
        made.append(json.loads(done.stdout))
    assert len(made[0]["choices"]) == 2
    assert made[0]["choices"] == made[1]["choices"]
    why = f"{(~given).sum()} rows with a missing score are excluded."
    assert [why in each["notes"] for each in made] == [True, False]


@pytest.mark.parametrize("how", [{}, {"prevalence": 0.1}, {"cluster": np.arange(300) // 3}], ids=str)
def test_each_model_is_decided_at_the_costs_as_it_is_alone(how):
    """What the command shows, a caller in Python has too."""
    random = np.random.default_rng(0)
    y = random.random(300) < 0.3
    models = {name: np.clip(random.normal(0.3 + 0.4 * y, 0.25), 0, 1) for name in "ab"}
    found = ca.cost_curves(models, y, cost={"fp": 1, "fn": 5}, **how)
    assert ca.cost_curves(models, y, **{name: how[name] for name in how if name == "cluster"}).choices == ()
    for (name, at, cost), (given, score) in zip(found.choices, models.items(), strict=True):
        a = ca.assess(y, score, **{role: how[role] for role in how if role == "cluster"})
        alone = a.threshold(cost={"fp": 1, "fn": 5}, prevalence=how.get("prevalence"))
        assert (name, at, cost) == (given, alone.threshold, (alone.expected.cost or alone.cost).per_case)


def test_equal_models_are_named_together_whichever_comes_first():
    one, other = (
        ca.cost_curves(dict(each), Y) for each in ((("a", GOOD), ("b", GOOD)), (("b", GOOD), ("a", GOOD)))
    )
    for each, swapped in zip(one.ranges, other.ranges, strict=True):
        assert (each.low, each.high, each.wins) == (swapped.low, swapped.high, swapped.wins)
        assert {each.best, *each.alike} == {swapped.best, *swapped.alike} in ({"a", "b"}, {TRIVIAL})
    assert any("a and b have the same lowest cost" in said for said in one.advice)
    assert not any("a costs" in said or "b costs" in said for said in one.advice + other.advice)


def test_an_error_that_costs_as_much_as_the_right_decision_pays_nobody():
    """A miss of 0.3 a and a right call of b cost the same where b = 0.3 a, whichever of them rounds up."""
    a = np.arange(1.0, Y.size + 1)
    amounts = {"a": a, "b": np.round(0.3 * a, 1) - (a == 1) * 0.1}
    found = ca.cost_curves({"m": GOOD}, Y, cost=ca.Costs(fp=1, fn="0.3*a", tp="b"), amounts=amounts)
    assert found.at is not None
    assert np.isnan(ca.Costs(fp=0.1 + 0.2, tn=0.3, fn=1).threshold)


def test_the_columns_of_every_model_are_told():
    """Raw class scores are told by cost curves as by one assessment, in text and JSON."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 100)
    raw = np.c_[rng.normal(0, 3, 100), rng.normal(2 * y, 3)]
    found = ca.cost_curves({"new": raw, "old": 1 / (1 + np.exp(-raw[:, 1]))}, y)
    assert [(each.code, each.concerns) for each in found.warnings] == [("raw_scores", ("new",))]
    assert found.to_dict()["warnings"][0]["concerns"] == ["new"]
    assert "raw" in " ".join(found.to_markdown().split())
