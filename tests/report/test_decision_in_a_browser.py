"""The threshold of a decision's page, moved in Chromium: the numbers are those that Python gives there.

Skipped, with a word, where there is no Chromium.
"""

import json

import numpy as np
import pytest

import classay as ca
from browser import CHROMIUM, looked_at
from classay.measures import get
from moved import PROBE, number, rows, same, same_counts

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: no threshold was moved")

RATES = ("recall", "specificity", "precision", "f1")


def assessed(**options):
    truth, score = rows()
    return ca.assess(truth.astype(int), score, **options)


def of_amounts():
    a = assessed(amounts={"amount": np.arange(400) % 40 + 1.0})
    return a, {"cost": ca.Costs(fp=3, fn="amount")}


RULES = {
    "costs": lambda: (assessed(), {"cost": ca.Costs(fp=1, fn=5)}),
    "benefit": lambda: (assessed(), {"cost": ca.Costs(fp=3, fn=5, tp=-1)}),
    "prevalence": lambda: (assessed(), {"cost": ca.Costs(fp=1, fn=5), "prevalence": 0.1}),
    "nobody": lambda: (assessed(), {"cost": ca.Costs(fp=1, tn=-1)}),
    "amounts": of_amounts,
    "measure": lambda: (assessed(), {"maximize": "f1"}),
    "unnamed": lambda: (assessed(), {"maximize": "youden"}),
    "capacity": lambda: (assessed(), {"top": 50}),
    "weighted": lambda: (
        assessed(weight=np.random.default_rng(1).uniform(0.5, 2, 400)),
        {"cost": ca.Costs(fp=1, fn=2), "where": "recall >= 0.6"},
    ),
}
THRESHOLDS = (0.2, 0.45, 0.8)
SHARE = 0.04
STEPS = [
    *({"at": t} for t in THRESHOLDS),
    {"cost-fp": 2, "cost-fn": 7, "at": 0.45},
    {"press": "back"},
    {"prevalence": 100 * SHARE, "at": 0.45},
    {"press": "back"},
]


@pytest.fixture(scope="module")
def made():
    found = {}
    for name, rule in RULES.items():
        a, how = rule()
        found[name] = a, how, a.threshold(**how)
    return found


@pytest.fixture(scope="module")
def seen(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("moved")
    pages = {}
    for name, (_, _, decision) in made.items():
        decision.report(folder / "report.html")
        pages[name, 1280] = (folder / "report.html").read_text(encoding="utf-8")
    found = looked_at(pages, folder, PROBE.replace("STEPS", json.dumps(STEPS)))
    return {name: each for (name, _), each in found.items()}


def expected(a, how, t, share=None, costs=None):
    """Counts, rates and cost that Python gives at a threshold and the prevalence of the rule, or another."""
    there, share = a.at(t), how.get("prevalence") if share is None else share
    rates = there if share is None else there.at_prevalence(share)
    costs = costs or how.get("cost") or ca.Costs(fp=1, fn=1)
    return there, rates, there.expected_cost(costs, prevalence=share).per_case


@pytest.mark.parametrize("name", RULES)
def test_a_page_opens_at_the_decision(name, seen, made):
    _, _, decision = made[name]
    first = seen[name]["seen"][0]
    assert seen[name]["faults"] == []
    tp, fp, _, _ = decision.matrix.one_vs_rest(decision.positive)
    assert number(first["counts"]["called"]) == pytest.approx(float(tp + fp), abs=0.06)
    for rate in RATES:
        assert same(first["rates"][rate], decision.measures[rate]), rate
        assert (" to " in first["intervals"][rate]) == decision.measures[rate].has_interval
    for back in (seen[name]["seen"][5], seen[name]["seen"][7]):
        assert {
            key: back[key] for key in ("counts", "rates", "intervals", "costs", "slider", "dashed", "rings")
        } == {
            key: first[key] for key in ("counts", "rates", "intervals", "costs", "slider", "dashed", "rings")
        }


@pytest.mark.parametrize("step", range(len(THRESHOLDS)))
@pytest.mark.parametrize("name", RULES)
def test_numbers_at_a_threshold_are_those_of_python(name, step, seen, made):
    a, how, decision = made[name]
    shown = seen[name]["seen"][step + 1]
    there, rates, cost = expected(a, how, THRESHOLDS[step])
    assert same_counts(shown["counts"], there)
    assert {rate: same(shown["rates"][rate], rates[rate]) for rate in RATES} == dict.fromkeys(RATES, True)
    assert same(shown["rates"]["objective" if name == "amounts" else "cost"], cost)
    ring = shown["rings"].get("objective")
    if decision.calls_nobody or not decision.curves:
        assert ring is None
        return
    measure = decision.rule.measure
    objective = cost.value if measure is None else rates[get(measure.name).name].value
    axis = max(1.0, np.nanmax(np.abs(decision.curves[0].y)))
    assert ring == pytest.approx((THRESHOLDS[step], objective), abs=0.004 * axis)


@pytest.mark.parametrize("name", sorted({*RULES} - {"amounts"}))
def test_other_costs_and_another_prevalence_are_those_of_python(name, seen, made):
    a, how, _ = made[name]
    right = {"tp": -1} if name == "benefit" else {"tn": -1} if name == "nobody" else {}
    priced = expected(a, how, 0.45, costs=ca.Costs(fp=2, fn=7, **right))[2]
    assert same(seen[name]["seen"][4]["rates"]["cost"], priced)
    _, rates, cost = expected(a, how, 0.45, share=SHARE)
    shown = seen[name]["seen"][6]
    assert same(shown["rates"]["cost"], cost)
    assert {rate: same(shown["rates"][rate], rates[rate]) for rate in RATES} == dict.fromkeys(RATES, True)
    is_of_cost = name in ("costs", "benefit", "prevalence", "weighted")
    assert seen[name]["seen"][4]["dashed"] == is_of_cost


def test_costs_that_cases_carry_have_no_inputs_and_are_unknown_at_another_prevalence(seen):
    assert all(each["costs"] == {} for each in seen["amounts"]["seen"])
    shown = seen["amounts"]["seen"][6]
    assert shown["rates"]["objective"] == "not defined"
    assert "objective" not in shown["rings"]
