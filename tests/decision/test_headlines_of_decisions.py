"""What leads a decision: the threshold, what it costs on new cases, and the saving over the better trivial rule."""

import re

import numpy as np
import pytest

import classay as ca
from classay.assessment.finding import MAX_SENTENCES
from classay.assessment.findings_decision import findings_on_decision

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 300)
P = np.clip(RNG.normal(0.35 + 0.3 * Y, 0.2), 0, 1)
COSTS = ca.Costs(fp=1, fn=5)


def lead(d):
    """The sentences of the headline, the same in text and JSON."""
    said = [each["sentence"] for each in d.to_dict()["headline"]]
    flat = " ".join(str(d).replace("┃", " ").split())
    assert 1 <= len(said) <= MAX_SENTENCES
    assert all(each in flat for each in said)
    return said


def test_the_threshold_its_cost_on_new_cases_and_the_saving_lead():
    d = ca.assess(Y, P).threshold(cost=COSTS)
    what, expected, saving = lead(d)
    assert what == (
        "Predict class 1 at scores of 0.3289 or higher, in 219 of 300 cases (lowest expected cost). The 95% CI of "
        "the threshold is 0.2573 to 0.3927."
    )
    assert expected == "The expected cost on new cases is 0.286 per case (95% CI 0.206 to 0.387)."
    assert saving == (
        "Compared with predicting every case positive, this rule saves 0.171 per case (95% CI 0.066 to 0.258)."
    )
    assert f"{d.apparent.value:.3f}" not in " ".join((what, expected, saving))


def test_other_labels_change_labels_alone():
    plain = lead(ca.assess(Y, P).threshold(cost=COSTS))
    named = lead(ca.assess(np.array(["fine", "ill"])[Y], P, positive="ill").threshold(cost=COSTS))
    assert [each.replace("class 1", "class 'ill'") for each in plain] == named


def test_costs_in_another_unit_change_costs_alone():
    """Ten times all costs: the same threshold, ten times the costs."""
    plain = findings_on_decision(ca.assess(Y, P).threshold(cost=COSTS))
    times = findings_on_decision(ca.assess(Y, P).threshold(cost=ca.Costs(fp=10, fn=50)))
    assert [each.code for each in plain] == [each.code for each in times]
    assert plain[0].sentence == times[0].sentence
    for name, at in (("expected", 1), ("saving", 2)):
        assert times[at].evidence[name]["value"] == pytest.approx(10 * plain[at].evidence[name]["value"])


def test_no_saving_is_claimed_where_chance_may_explain_it():
    noise = np.random.default_rng(3).random(300)
    d = ca.assess(Y, noise).threshold(cost=ca.Costs(fp=1, fn=1))
    said = lead(d)
    rivals = {"nobody": "no case positive", "everybody": "every case positive"}
    assert any(
        re.match(rf"No saving was detected compared with predicting {rivals[each]}: ", said[2])
        for each in d.rivals
    )


def test_trivial_decisions_are_said_as_such():
    assert lead(ca.assess(Y, P).threshold(cost=ca.Costs(fp=1, fn=500)))[0] == (
        "Predict every case as class 1 at any score (lowest expected cost)."
    )
    flat = np.clip(P, 0, 0.6)
    nobody = lead(ca.assess(Y, flat).threshold(cost=ca.Costs(fp=5000, fn=1)))
    assert nobody[0] == "Predict no case as class 1 (lowest expected cost)."
    assert "predicting every case positive" in nobody[2]


def test_a_condition_that_new_cases_may_miss_stands_before_what_is_saved():
    d = ca.assess(Y, P).threshold(cost=COSTS, where="recall >= .97")
    assert lead(d)[2] == (
        "The true recall meets recall >= 0.97 with a probability of about 49% (normal approximation; expected recall "
        "96.9%, 95% CI 93.2% to 99.0%)."
    )
    easy = ca.assess(Y, P).threshold(cost=COSTS, where="recall >= .5")
    assert lead(easy)[2].startswith("Compared with predicting every case positive")


def test_a_measure_is_expected_on_new_cases():
    said = lead(ca.assess(Y, P).threshold(maximize="recall", where="precision >= 0.9"))
    assert said[1] == "The expected recall on new cases is 52.1% (95% CI 44.4% to 60.9%)."
    assert lead(ca.assess(Y, P).threshold(top=50))[1].startswith(
        "The expected precision on new cases is 94.0%"
    )
