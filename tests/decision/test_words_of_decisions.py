"""What a decision tells: savings in all and a period, what a change would not allow, new cases, the rows of a list."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.decision.choosing import probability
from classay.decision.cuts import gain_at, telling_shares
from classay.decision.expected_cost import times
from classay.decision.rules import value_of
from classay.inference.estimate import Estimate, format_estimate
from classay.inference.proportions import wilson
from classay.inference.requirements import Requirement, parse
from classay.measures import get
from classay.report.results.decisions import NOT_ALLOWED, as_dict, document_of
from classay.report.text import as_text

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "decision.schema.json").read_text())


def payments(n=1500, rate=0.1, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < rate * n
    score = (1 / (1 + np.exp(3 - 2.5 * y - rng.normal(size=n)))).round(3)
    return y, score, rng.gamma(2.0, 40.0, n).round(2)


Y, P, AMOUNT = payments()
A = ca.assess(Y, P, amounts={"amount": AMOUNT})
COSTS = ca.Costs(fp=5, fn="amount", tp=5)


@pytest.mark.parametrize("cost", [{"fn": 5}, {"fn": 0.5}, {"fp": 1}, {"fp": 7, "tp": 1}])
def test_what_cannot_be_below_nothing_has_no_sign(cost):
    """Where one error is free, calling everybody or nobody costs nothing, and surely no more than any threshold."""
    assert "-0.000" not in " ".join(A.threshold(cost=ca.Costs(**cost)).advice)


def test_what_is_saved_in_all_is_what_is_saved_a_case_times_the_cases():
    d = A.threshold(cost=COSTS, top=150, per=10)
    for found in (d.cost, d.expected.cost, A.at(0.4).expected_cost(COSTS)):
        for name in ("saving_over_none", "saving_over_all"):
            assert getattr(found, f"total_{name}") == times(getattr(found, name), 1500)
        assert found.total == times(found.per_case, 1500)
    saved = min(
        (d.expected.cost.saving_over_none, d.expected.cost.saving_over_all), key=lambda each: each.value
    )
    assert f", or {format_estimate(times(saved, 150), ' per period')}." in d.advice[1]
    assert "per period" not in A.threshold(cost=COSTS).advice[1]


def test_savings_in_all_by_hand():
    """At a threshold, the amounts of positives called less 5 for each case called."""
    found = A.at(0.4).expected_cost(COSTS)
    called = P >= 0.4
    assert found.total_saving_over_none.value == pytest.approx(AMOUNT[called & Y].sum() - 5 * called.sum())
    assert found.total_saving_over_all.value == pytest.approx(5 * (~called).sum() - AMOUNT[~called & Y].sum())


def test_a_threshold_that_a_change_does_not_allow_is_compared_with_nothing():
    """Half the capacity costs more than the whole; the advice would break it, and looks cheaper otherwise."""
    d = A.threshold(cost=COSTS, top=170)
    changes = {each.what: each for each in d.changes}
    half, double = changes["half the capacity"], changes["double the capacity"]
    assert d.called > 85
    assert np.isnan(half.here)
    assert half.there >= d.apparent.value
    assert double.here == pytest.approx(d.apparent.value)
    assert double.there <= double.here
    assert str(d).count(NOT_ALLOWED) == sum(np.isnan(each.here) for each in d.changes)
    found = {each["what"]: each for each in as_dict(d)["changes"]}
    assert found["half the capacity"]["objective_here"] is None


@pytest.mark.parametrize("rule", [{"cost": COSTS}, {"maximize": "recall"}, {"maximize": "precision"}])
@pytest.mark.parametrize(
    "limit", [{"top": 170}, {"where": "precision >= 0.5"}], ids=["capacity", "condition"]
)
def test_no_change_is_beaten_by_the_threshold_decided_for(rule, limit):
    """What is best under a change is at least as good there as the advice, where that is allowed."""
    d = A.threshold(**rule, **limit)
    sign = -1 if "cost" in rule else 1
    assert d.changes
    for each in d.changes:
        assert np.isnan(each.here) or sign * each.there >= sign * each.here - 1e-12


@pytest.mark.parametrize(
    ("measure", "depends"), [("youden", False), ("corner_distance", False), ("f1", True)]
)
def test_a_rule_of_rates_does_not_depend_on_the_prevalence(measure, depends):
    rule = {"minimize" if measure == "corner_distance" else "maximize": measure}
    d = A.threshold(**rule)
    assert ([each.what for each in d.changes] == ["half the prevalence", "double the prevalence"]) == depends
    assert ("If costs or prevalence change" in str(d)) == depends
    both = A.threshold(**rule, where="precision >= 0.5")  # the condition depends on it
    assert any("prevalence" in each.what for each in both.changes)


def test_measures_on_new_cases():
    """As a condition on the measure has them; of cases held back those of these."""
    d = A.threshold(maximize="f1", where="recall >= 0.2")
    (kept,) = d.kept
    assert d.expected.measures["recall"] == kept.expected
    assert d.expected.measures["f1"] == d.expected.objective
    y, p, amount = payments(seed=1)
    other = ca.assess(y, p, amounts={"amount": amount})
    held = A.threshold(cost=COSTS, held_back=other)
    assert held.expected.measures["recall"] == other.at(held.threshold.value)["recall"]
    assert held.measures["recall"] == A.at(held.threshold.value)["recall"]
    assert as_dict(held)["measures_new_cases"]["recall"]["value"] == held.expected.measures["recall"].value


def test_the_schema_takes_all_of_it():
    for rule in ({"cost": COSTS, "top": 170}, {"maximize": "youden"}, {"top": 100, "per": 10}):
        Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(as_dict(A.threshold(**rule)))))


@pytest.mark.parametrize(
    ("costs", "asked"),
    [
        ({"fp": 5, "fn": "amount"}, True),
        ({"fp": 5, "fn": "2 + 0.8*amount"}, True),
        ({"fp": 5, "fn": "amount", "tp": 5}, False),
        ({"fp": 5, "fn": "amount", "tp": 0}, False),
        ({"fp": 5, "fn": 50}, False),
        ({"fp": "amount", "fn": "amount"}, False),
        ({"fn": "amount"}, False),
    ],
)
def test_who_names_the_cost_of_acting_for_negatives_alone_is_asked_once(costs, asked):
    text = " ".join(str(A.threshold(cost=ca.Costs(**costs))).split())
    assert (
        text.count("If fp=5 is the cost of acting on a case predicted positive (a call, a review)") == asked
    )


def test_both_ranges_of_the_threshold_say_what_they_are():
    text = " ".join(str(A.threshold(cost=COSTS)).split())
    assert "interval of the threshold shows where the chosen threshold would be in other samples" in text
    assert re.search(
        r"On these cases, no threshold from [0-9.]+ to [0-9.]+ differs detectably in .* from the chosen one "
        r"\(tests adjusted for all thresholds\)",
        text,
    )


# --- the rows of a gain table


@pytest.mark.parametrize(
    ("rate", "wanted"),
    [
        (0.3, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]),
        (0.05, [0.02, 0.05, 0.1, 0.2, 0.5, 1]),
        (0.01, [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]),
        (0.001, [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 1]),
    ],
)
def test_the_first_row_holds_about_as_many_cases_as_there_are_positives(rate, wanted):
    y, p, _ = payments(20_000, rate)
    cases = ca.assess(y, p).scored_cases
    assert telling_shares(cases) == (pytest.approx(wanted), {})
    shares, names = telling_shares(cases, 700)
    assert shares == pytest.approx(sorted([*wanted, 0.035]))
    assert names == {0.035: "capacity"}
    assert telling_shares(cases, 30_000)[1] == {}
    few = ca.assess(y[:60], p[:60], labels=[False, True], positive=True).scored_cases
    assert (telling_shares(few)[0] * 60 >= 1).all()


def test_rows_of_unequal_parts_are_those_of_equal_ones():
    """Each row holds all above it, so its values do not depend on where the others are; the rate in a part does."""
    cases = A.scored_cases
    some, every = gain_at(cases, np.array([0.1, 0.4, 1.0])).parts, A.gain_table(10).parts
    for each in some:
        same = every[round(10 * each.share) - 1]
        assert (each.k, each.precision, each.recall, each.threshold) == (
            pytest.approx(same.k),
            same.precision,
            same.recall,
            same.threshold,
        )
    middle = np.mean([every[i].in_part for i in (1, 2, 3)])
    assert some[1].in_part == pytest.approx(middle)
    assert some[0].in_part == pytest.approx(some[0].precision.value)


def test_the_capacity_has_a_row():
    cases = A.scored_cases
    shares, names = telling_shares(cases, 70)
    document = document_of(A.threshold(cost=COSTS, top=70), gain=gain_at(cases, shares, names=names))
    assert "capacity 4.667%" in as_text(document)


@pytest.mark.parametrize(("x", "n", "bound"), [(60, 80, 0.6), (60, 80, 0.7), (190, 200, 0.9), (30, 90, 0.3)])
@pytest.mark.parametrize("part", ["value", "low", "high"])
def test_the_probability_of_a_condition_is_that_of_what_it_names(x, n, bound, part):
    """Simulated: the true share from its posterior, and for an end of the interval a new sample from that."""
    rng = np.random.default_rng(1)
    true = rng.beta(x + 0.5, n - x + 0.5, 100_000)
    low, high = wilson(rng.binomial(n, true), n, 0.95)
    wanted = {"value": true, "low": low, "high": high}[part]
    found = Estimate(x / n, *map(float, wilson(x, n, 0.95)), 0.95, "Wilson")
    for operator, share in ((">=", (wanted >= bound).mean()), ("<=", (wanted <= bound).mean())):
        there = probability(Requirement("precision", part, operator, bound), found, (0, 1))
        assert there == pytest.approx(share, abs=0.05)


def test_an_undefined_honest_value_is_not_replaced_by_the_apparent_one():
    d = ca.assess([1, 1, 0, 0, 0], [0.9, 0.1, 0.8, 0.7, 0.2]).threshold(
        where="recall >= 0.49 and recall <= 0.51 and fpr <= 0", maximize="youden"
    )
    assert d.expected.objective.is_undefined
    assert d.advice[1].startswith("The expected informedness on new cases cannot be estimated (")
    assert "On these cases, the informedness is 0.500" in d.advice[1]


def test_weights_are_not_called_cases():
    weight = np.random.default_rng(2).gamma(3.0, 1.0, Y.size)
    d = ca.assess(Y, P, weight=weight).threshold(cost=ca.Costs(fp=1, fn=5))
    share = 100 * weight[d.threshold.value <= P].sum() / weight.sum()
    assert f"in {share:.3g}% of the weight" in d.advice[0]
    times = np.random.default_rng(3).integers(1, 4, Y.size)
    d = ca.assess(Y, P, frequency=times).threshold(cost=ca.Costs(fp=1, fn=5))
    called = times[d.threshold.value <= P].sum()
    assert f"in {called:,} of {times.sum():,} cases" in d.advice[0]


@pytest.mark.parametrize("top", [None, 20, 100])
@pytest.mark.parametrize("fn", [1, 3, 30])
def test_a_trivial_rule_is_as_good_where_it_is_allowed_and_its_saving_may_be_nothing(top, fn):
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.4
    d = ca.assess(y, 0.3 * y + 0.7 * rng.random(300)).threshold(cost=ca.Costs(fp=1, fn=fn), top=top)
    saved = {"nobody": d.expected.cost.saving_over_none, "everybody": d.expected.cost.saving_over_all}
    for name, each in saved.items():
        may = each.low <= 0 <= each.high and each.value != 0 and not (top and name == "everybody")
        assert (name in d.rivals) == may
        advice = " ".join(d.advice)
        what = {"nobody": "no case", "everybody": "every case"}[name]
        assert may == bool(re.search(f"predicting {what} positive.* does not differ detectably", advice))


@pytest.mark.covering(1)
@pytest.mark.parametrize("drawn", ["alike", "weighted", "clustered"])
@pytest.mark.parametrize("predicted", [0, 1])
def test_what_follows_from_one_decision_for_all_has_no_spread(predicted, drawn):
    """The values that no class share moves are certain, at a prevalence too; all others keep their intervals."""
    how = {
        "weighted": {"weight": 1 + np.arange(Y.size) % 3},
        "clustered": {"cluster": np.arange(Y.size) // 2},
    }
    a = ca.assess(Y, P, **how.get(drawn, {})).at(threshold=-np.inf if predicted else np.inf)
    settled = set()
    for read in (a, a.at_prevalence(0.1)):
        for measure in read.applicable():
            if measure.needs not in ("counts", "margins") or measure.threshold is not None:
                continue
            found = read[measure]
            known = {float(value_of(measure, cells(p, n, predicted))) for p, n in ((1, 1), (2, 5), (7, 3))}
            is_certain = len({round(each, 12) for each in known}) == 1 and not np.isnan(max(known))
            if is_certain:
                settled.add(measure.name)
                assert (
                    (found.low, found.high) == (found.value, found.value) == (pytest.approx(known.pop()),) * 2
                )
                assert found.method.startswith("certain, because ")
            else:
                assert (
                    found.is_undefined
                    or not found.low == found.high == found.value
                    or found.value == a.prevalence
                )
    assert settled >= {
        get(name).name for name in ("recall", "specificity", "fpr", "predicted_prevalence", "youden")
    }


def cells(positives, negatives, predicted):
    counts = (positives, negatives, 0, 0) if predicted else (0, 0, positives, negatives)
    return tuple(np.asarray(float(each)) for each in counts)


@pytest.mark.parametrize(
    "where", ["recall >= 0.3", "fpr <= 0.3", "recall.low >= 0.95", "npv >= 0.8", "precision >= 0.2"]
)
def test_a_rule_that_breaks_a_condition_is_never_called_good(where):
    rng = np.random.default_rng(3)
    y = rng.random(60) < 0.3
    a = ca.assess(y, 0.1 * y + 0.9 * rng.random(60))
    [condition] = parse(where)
    holds = {
        name: condition.met_by(getattr(a.at(threshold=at)[condition.name], condition.part))
        for name, at in (("nobody", np.inf), ("everybody", -np.inf))
    }
    for fn in (1, 2, 4, 30, 300):
        d = a.threshold(where=where, cost=ca.Costs(fp=1, fn=fn))
        assert {*d.allowed} == {name for name, each in holds.items() if each}
        for name, is_met in holds.items():
            if not is_met:
                assert name not in d.rivals
                rival = {
                    "nobody": "predicting no case positive",
                    "everybody": "predicting every case positive",
                }[name]
                assert rival not in " ".join(d.advice)
        if np.isinf(d.threshold.value):
            [kept] = d.kept
            sure = kept.expected.low == kept.expected.high
            assert sure == (condition.name in ("recall", "fpr"))
            assert not sure or (kept.probability == 1 and "holds on new cases, because" in d.advice[2])


def test_a_score_that_points_the_wrong_way_is_told_as_assess_tells_it():
    from classay.assessment.assessment_warnings import warnings

    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.3
    score = rng.normal(y, 1.0)
    for each in (score, -score):
        a = ca.assess(y, each)
        warned = [one.text for one in warnings(a) if one.code == "auc_below_half"]
        d = a.threshold(cost=ca.Costs(fp=1, fn=2))
        assert len(warned) == (each is not score)
        assert [one.text for one in d.warnings if one.code == "auc_below_half"] == warned
    grade = np.digitize(score, [-0.5, 0.8])
    for sign in (1, -1):
        found = ca.cut_points(sign * (score + rng.normal(0, 0.3, 300)), grade, [0, 1, 2])
        assert found.is_turned == (sign < 0)
        assert ("A high score must mean 2" in found.sentence) == (sign < 0)


def test_whose_numbers_the_top_of_the_list_has_at_another_prevalence():
    rng = np.random.default_rng(4)
    y = rng.random(400) < 0.3
    a = ca.assess(y, rng.normal(y, 1.0))
    gain = gain_at(a.scored_cases, *[telling_shares(a.scored_cases, 40)[0]])
    for prevalence in (None, 0.01):
        d = a.threshold(top=40, prevalence=prevalence)
        text = " ".join(as_text(document_of(d, gain=gain)).replace("┃", "").split())
        told = f"observed prevalence of {100 * y.mean():.3g}%, not for a prevalence of 1%"
        moved = prevalence is not None
        assert (told in text) == moved
        assert ("at a prevalence of 1%)" in d.advice[0]) == moved
        assert ("All values are at a prevalence of 1%" in text) == moved


@pytest.mark.covering(1)
@pytest.mark.parametrize(
    ("objective", "of_it", "function"),
    [
        ("jaccard", "f1", lambda j: 2 * j / (1 + j)),
        ("f1", "jaccard", lambda f: f / (2 - f)),
        ("youden", "balanced_accuracy", lambda j: (1 + j) / 2),
        ("balanced_accuracy", "youden", lambda b: 2 * b - 1),
        ("accuracy", "error_rate", lambda a: 1 - a),
    ],
)
@pytest.mark.parametrize("how", [{}, {"cluster": np.arange(120) // 2}, {"weight": 1 + np.arange(120) % 3}])
def test_what_is_a_function_of_the_objective_is_one_on_new_cases(objective, of_it, function, how):
    rng = np.random.default_rng(0)
    y = rng.random(120) < 0.3
    a = ca.assess(y, y_score=2.2 * y + rng.normal(size=120), positive=1, **how)
    better = "<= 1" if of_it == "error_rate" else ">= 0"
    d = a.threshold(maximize=objective, where=f"{of_it} {better}")
    assert d.kept[0].expected.value == pytest.approx(function(d.expected.objective.value))
    assert d.kept[0].expected.method.startswith("optimism-corrected")
    if "f1" in (objective, of_it):
        assert d.expected.measures["f1"].value == pytest.approx(
            function(d.expected.objective.value) if of_it == "f1" else d.expected.objective.value
        )
    assert "may not be exactly consistent" in str(d)
    assert "may not be exactly consistent" not in str(a.threshold(cost={"fp": 1, "fn": 2}))


@pytest.mark.parametrize(
    "name", ["diagnostic_odds_ratio", "positive_likelihood_ratio", "negative_likelihood_ratio"]
)
@pytest.mark.parametrize("seed", range(4))
def test_the_optimism_of_a_ratio_leaves_it_a_value_above_0(name, seed):
    """A ratio that is infinite here, or in resamples on their own cases, is that of the cases left out."""
    rng = np.random.default_rng(seed)
    y = rng.random(120) < 0.3
    a = ca.assess(y, y_score=2.2 * y + rng.normal(size=120), positive=1)
    bound = "<= 1" if name.startswith("negative") else ">= 10"
    kept = a.threshold(maximize="recall", where=f"{name} {bound}").kept[0]
    assert kept.expected.value > 0
    if np.isinf(kept.apparent.value):
        assert "infinite" in kept.expected.reason


def test_a_former_name_warns():
    a = ca.assess([0, 1] * 20, np.linspace(0, 1, 40))
    found = a.threshold(cost=ca.Costs(fp=1, fn=2))
    with pytest.warns(DeprecationWarning, match="is_out_of_bag is now is_resampled"):
        assert found.is_out_of_bag == found.is_resampled
