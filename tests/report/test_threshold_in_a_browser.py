"""The threshold of a page, moved in Chromium and Firefox: the numbers are those that Python gives there.

Skipped, with a word, where there is no such browser.
"""

import json
import re

import numpy as np
import pytest

import classay as ca
from classay.curves.acting import net_benefit
from classay.inference.estimate import number as as_text
from engines import ENGINES
from moved import PROBE, RATES, rows, same, same_counts


def plain():
    truth, score = rows()
    return ca.assess(truth.astype(int), score)


def tied():
    truth, score = rows()
    return ca.assess(np.where(truth, "a sick one", "well"), np.round(score, 1), positive="a sick one")


def weighted():
    truth, score = rows()
    return ca.assess(truth.astype(int), score, weight=np.random.default_rng(1).uniform(0.5, 2, truth.size))


def single():
    truth, score = rows()
    return ca.assess(truth.astype(int), np.round(score, 2).astype(np.float32), threshold=0.3)


def clustered():
    truth, score = rows()
    return ca.assess(truth.astype(int), score, cluster=np.arange(truth.size) // 4)


def many():
    truth, score = rows(20_000)
    return ca.assess(truth.astype(int), score)


def not_probabilities():
    truth, score = rows()
    return ca.assess(truth.astype(int), 10 * score - 3, threshold=1.5)


def halves():
    """Sixteenths, of which every other is halfway between two texts of three decimals."""
    score = (np.arange(16) + 0.5) / 16
    return ca.assess(np.repeat([1, 0], 16), np.concatenate([score, 0.9 * score]))


PAGES = {
    each.__name__: each
    for each in (plain, tied, weighted, single, clustered, many, not_probabilities, halves)
}
THRESHOLDS = (0.0, 0.1, 0.3, 0.7, 0.9, 2.0)
COSTS = (1.5, 4)
SHARE = 0.04
STEPS = [
    *({"at": t} for t in THRESHOLDS),
    {"cost-fp": COSTS[0], "cost-fn": COSTS[1], "at": 0.3},
    {"press": "cheapest"},
    {"prevalence": 100 * SHARE, "at": 0.3},
    {"press": "cheapest"},
    {"press": "back"},
    {"slide": 0},
    {"slide": 10**6},
]
N = len(THRESHOLDS)


@pytest.fixture(scope="module")
def made():
    return {name: make() for name, make in PAGES.items()}


@pytest.fixture(scope="module", params=ENGINES)
def seen(request, made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("moved")
    pages = {}
    for name, a in made.items():
        a.report(folder / "report.html")
        pages[name, 1280] = (folder / "report.html").read_text(encoding="utf-8")
    found = request.param(pages, folder, PROBE.replace("STEPS", json.dumps(STEPS)))
    return {name: each for (name, _), each in found.items()}


@pytest.mark.parametrize("step", range(N))
@pytest.mark.parametrize("name", sorted({*PAGES} - {"many"}))
def test_numbers_at_a_threshold_are_those_of_python(name, step, seen, made):
    shown, there = seen[name]["seen"][step + 1], made[name].at(THRESHOLDS[step])
    assert seen[name]["faults"] == []
    assert same_counts(shown["counts"], there)
    assert {rate: same(shown["rates"][rate], there[rate]) for rate in RATES} == dict.fromkeys(RATES, True)
    tp, fp, *_ = there.confusion_matrix.one_vs_rest(there.positive)
    assert same(shown["rates"]["called"], float((tp + fp) / there.confusion_matrix.total))
    assert same(shown["rates"]["cost"], there.expected_cost(ca.Costs(fp=1, fn=1)).per_case)
    assert shown["dashed"] == 0


@pytest.mark.parametrize("name", ["halves", "plain", "weighted"])
def test_texts_are_those_of_python(name, seen, made):
    """Halfway between two numbers Python's is the even one."""
    for t, shown in zip(THRESHOLDS, seen[name]["seen"][1:], strict=False):
        there = made[name].at(t)
        for rate in RATES:
            value = there[rate].value
            assert shown["rates"][rate] == ("not defined" if np.isnan(value) else as_text(value)), (t, rate)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_at_the_threshold_that_was_assessed(name, seen, made):
    first, back = seen[name]["seen"][0], seen[name]["seen"][-3]
    assert same_counts(first["counts"], made[name])
    for rate in RATES:
        assert same(first["rates"][rate], made[name][rate])
        assert first["intervals"][rate] or not made[name][rate].has_interval
    assert (back["counts"], back["slider"]) == (first["counts"], first["slider"])
    assert {name: back["rings"][name] for name in ("roc", "lift")} == {
        name: first["rings"][name] for name in ("roc", "lift")
    }
    assert back["intervals"] == first["intervals"]
    moved = seen[name]["seen"][2]
    assert not any(moved["intervals"][rate] for rate in RATES)


@pytest.mark.parametrize("name", sorted({*PAGES} - {"many"}))
def test_costs_and_prevalence_are_those_of_python(name, seen, made):
    costs, a = ca.Costs(fp=COSTS[0], fn=COSTS[1]), made[name]
    priced, least, shifted, least_shifted = seen[name]["seen"][N + 1 : N + 5]
    there = a.at(0.3)
    assert same(priced["rates"]["cost"], there.expected_cost(costs).per_case)
    assert same(least["rates"]["cost"], a.threshold(cost=costs).apparent.value)
    assert same(shifted["rates"]["cost"], there.expected_cost(costs, prevalence=SHARE).per_case)
    chosen = a.threshold(cost=costs, prevalence=SHARE).apparent.value
    assert same(least_shifted["rates"]["cost"], chosen)
    assert same_counts(shifted["counts"], there)
    for rate in RATES:
        assert same(shifted["rates"][rate], there.at_prevalence(SHARE)[rate])
    assert shifted["dashed"] == len(
        {*shifted["rings"]} & {"precision_recall", "cumulative_gain", "lift", "net_benefit"}
    )


def expected_places(a, t, costs=(1.0, 1.0)):
    tp, fp, fn, tn = map(float, a.at(t).confusion_matrix.one_vs_rest(a.positive))
    share, n = (tp + fn) / (tp + fp + fn + tn), tp + fp + fn + tn
    x = share * costs[1] / (share * costs[1] + (1 - share) * costs[0])
    places = {
        "roc": (fp / (fp + tn), tp / (tp + fn)),
        "cumulative_gain": ((tp + fp) / n, tp / (tp + fn)),
        "cost": (x, fn / (tp + fn) * x + fp / (fp + tn) * (1 - x)),
    }
    if tp + fp:
        places["precision_recall"] = (tp / (tp + fn), tp / (tp + fp))
        places["lift"] = ((tp + fp) / n, tp / (tp + fp) / share)
    if a.scores.are_probabilities and 0 <= t < 1:
        places["net_benefit"] = (t, float(net_benefit(tp, fp, n, t)))
    return places


@pytest.mark.parametrize("step", [2, 3, N])
@pytest.mark.parametrize("name", sorted({*PAGES} - {"many"}))
def test_the_marks_on_the_curves_move_with_it(name, step, seen, made):
    t = ([*THRESHOLDS, 0.3])[step]
    shown, costs = seen[name]["seen"][step + 1]["rings"], (1.0, 1.0) if step < N else COSTS
    expected = expected_places(made[name], t, costs)
    assert {*shown} == {*expected}
    for curve, place in expected.items():
        assert shown[curve] == pytest.approx(place, abs=0.002), curve


def test_of_many_thresholds_some_are_left_out_and_the_page_says_so(seen, made):
    a, found = made["many"], seen["many"]
    kept = int(
        re.search(r"The slider has ([\d,]+) of 20,000 thresholds", found["thinned"])[1].replace(",", "")
    )
    assert 500 < kept <= 2002
    for t, shown in zip(THRESHOLDS, found["seen"][1:], strict=False):
        there = a.at(t)
        for rate in ("recall", "specificity"):
            assert same(shown["rates"][rate], there[rate], 0.003)
    assert all("left out" not in each["thinned"] for name, each in seen.items() if name != "many")


def test_the_ends_of_the_slider_call_nobody_and_everybody(seen):
    below, above = seen["plain"]["seen"][-2:]
    assert (below["slider"], below["counts"]["not-called"]) == (0, "0")
    assert below["rates"]["negative_predictive_value"] == "not defined"
    assert above["counts"]["called"] == "0"
    assert above["rates"]["precision"] == "not defined"
    assert "above every score" in above["said"]


@pytest.mark.parametrize("looked_at", ENGINES)
def test_a_script_that_was_changed_does_not_run(looked_at, tmp_path):
    plain().report(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    ends = "addEventListener('load', () => setTimeout(() => parent.postMessage(JSON.stringify({name: window.name, "
    probe = f"<script>{ends} hidden: document.getElementById('mover').hidden}}), '*'), 300));</script>"
    pages = {("as it is", 1280): html, ("changed", 1280): html.replace('"use strict";', '"use strict"; ', 1)}
    found = looked_at(
        {(name.replace(" ", "-"), width): page for (name, width), page in pages.items()}, tmp_path, probe
    )
    assert {name: each["hidden"] for (name, _), each in found.items()} == {"as-it-is": False, "changed": True}
