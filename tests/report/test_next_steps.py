"""What to do next with an assessment: each rule on data that call for it and on data that do not; two tongues."""

import numpy as np
import pytest
from scipy.special import expit

import classay as ca
from classay.report.documents.parts.next_steps import MOST, next_steps
from classay.texts import Voiced
from command import call

rng = np.random.default_rng(4)


def scored(n, power=1.0, turn=1.0):
    """Labels and calibrated probabilities; `power` stretches their logits, `turn` their direction."""
    logit = turn * rng.normal(0, 1.5, n)
    y = (rng.random(n) < expit(turn * logit)).astype(int)
    return y, expit(power * logit)


GOOD = ca.assess(*scored(20_000), threshold=0.5)


def steps(a):
    return Voiced.of(" | ".join(next_steps(a, "main")))


def test_good_data_call_for_nothing_but_the_page():
    assert len(next_steps(GOOD, "main")) == 1
    assert "a.report(" in steps(GOOD)


def test_a_threshold_that_nobody_chose():
    assert "`a.threshold(cost=" in steps(GOOD.at(0.5).__class__(**{**vars(GOOD), "cutoff_chosen": False}))
    assert "`a.at(threshold=…)`" in steps(ca.assess([0, 1] * 30, np.arange(60.0)))


def test_a_score_in_the_wrong_direction_and_one_that_separates():
    y, p = scored(3_000)
    assert "check the direction of the score" in steps(ca.assess(y, 1 - p, threshold=0.5))
    assert "look for a leak" in steps(ca.assess([0, 0, 1, 1] * 20, [0.1, 0.2, 0.8, 0.9] * 20, threshold=0.5))


@pytest.mark.parametrize(("power", "words"), [(3.0, "too extreme"), (0.3, "too close to the middle")])
def test_probabilities_that_are_none(power, words):
    assert words in steps(ca.assess(*scored(20_000, power), threshold=0.5))
    assert "recalibrate" not in steps(GOOD)


def test_few_cases_have_a_wide_interval():
    y, p = scored(60)
    assert "about 240 cases" in steps(ca.assess(y, p, threshold=0.5))
    assert "gather more" not in steps(GOOD)


def test_the_class_that_is_found_least():
    true = rng.integers(0, 3, 3_000)
    said = np.where((true == 2) & (rng.random(3_000) < 0.6), 0, true)
    a = ca.assess(np.array(["a", "b", "New York"])[true], y_pred=np.array(["a", "b", "New York"])[said])
    assert "look at the class 'New York', which is found least: `a.one_vs_rest('New York')`" in steps(a)
    assert """`--measures 'recall["New York"]'`""" in Voiced.of(steps(a)).command
    assert "found least" not in steps(ca.assess(true, y_pred=(true + (rng.random(3_000) < 0.1)) % 3))


def test_steps_are_few_differ_and_speak_one_tongue():
    y, p = scored(40)
    a = ca.assess(y, expit(4 * (1 - p)))
    found = [Voiced.of(each) for each in next_steps(a, "main")]
    assert len(found) <= MOST
    assert len({*found}) == len(found)
    assert "--" not in " ".join(found)
    told = [each.command for each in found]
    assert "a.report" not in " ".join(told)
    assert "--html" in " ".join(told)


def test_the_command_speaks_of_options_and_python_of_calls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, p = scored(80)
    (tmp_path / "p.csv").write_text("\n".join(["y,p", *(f"{a},{b:.6f}" for a, b in zip(y, p, strict=True))]))
    told = call("assess", "p.csv", "--truth", "y", "--score", "p").stdout
    assert "--html report.html" in told
    assert "a.report(" not in told
    shown = str(ca.assess(y, p))
    assert "a.report(" in shown
    assert "--html" not in shown
